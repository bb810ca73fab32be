"""Logs, indexes, snapshots, checkpoints and log directories, in Kafka's formats byte for byte.

Everything here blocks and goes through the ``Disk`` port; one thread at a time uses any one object. What a
crash may leave behind, and what is kept of it, is told in ``recovery``.
"""
