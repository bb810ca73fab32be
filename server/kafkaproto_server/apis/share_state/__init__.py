"""The APIs of the share coordinator: states of share partitions, asked for by brokers (KIP-932)."""
