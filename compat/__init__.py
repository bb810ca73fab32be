"""Runs beside programs that others wrote: Kafka's own server and tools, and clients in several languages."""
