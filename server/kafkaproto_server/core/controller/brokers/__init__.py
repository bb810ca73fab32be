"""Requests and rules about brokers: registration, heartbeats, sessions, fencing, failure."""
