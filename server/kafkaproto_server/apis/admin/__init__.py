"""What administrators ask about topics, partitions, configs, quotas and log directories, and have changed."""
