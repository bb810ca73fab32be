"""Share groups (KIP-932): many members read each partition together, and each record goes to one of them at a time."""
