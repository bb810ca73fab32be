"""A node's metrics, in Prometheus' format."""
