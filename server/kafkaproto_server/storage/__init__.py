"""Logs, indexes, snapshots, checkpoints and log directories, in Kafka's formats byte for byte.

Everything here blocks and goes through the ``Disk`` port; one thread at a time uses any one object, but for what
``Log`` and ``SnapshotStore`` allow. What a crash may leave behind, and what is kept of it, is told in ``recovery`` for
the log and in ``reconciliation`` for log and snapshots together. Failures of the disk are in ``errors``.
"""
