"""The share coordinator: keeps what became of the records that share groups read (KIP-932)."""
