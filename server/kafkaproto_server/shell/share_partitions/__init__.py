"""Share groups' partitions that this broker leads: they are loaded, fetched, acknowledged and persisted (KIP-932)."""
