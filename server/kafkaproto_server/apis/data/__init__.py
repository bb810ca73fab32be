"""The APIs by which clients and other brokers write and read records."""
