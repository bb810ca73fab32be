"""Requests of administrators about topics, partitions, configs, quotas and log directories."""
