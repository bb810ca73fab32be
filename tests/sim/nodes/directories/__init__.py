"""Several log directories on one host: disks of their own, what goes wrong with them, and what must hold (KIP-858)."""
