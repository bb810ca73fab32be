"""Classic groups: members join and sync in rounds (KIP-62, KIP-345)."""
