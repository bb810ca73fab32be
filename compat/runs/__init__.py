"""Runs at length beside real Apache Kafka: each a module with a function that a test calls with small numbers."""
