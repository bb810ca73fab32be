"""What members of share groups ask of the leaders of partitions (KIP-932)."""
