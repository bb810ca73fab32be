"""The life of brokers: registration, sessions, fencing, failure."""
