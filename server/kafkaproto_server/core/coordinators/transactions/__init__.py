"""The coordinator of transactions: which are open, how each ends, and which partitions still have to hear of it."""
