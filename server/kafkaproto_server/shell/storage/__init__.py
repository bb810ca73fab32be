"""Logs, indexes, snapshots, checkpoints and log directories, in Kafka's formats byte for byte.

Everything here blocks and goes through the ``Disk`` port. Only one thread at a time may use an object, except as
``Log`` and ``SnapshotStore`` allow. ``recovery`` describes what a crash may leave behind in the log and what is kept of
it, ``reconciliation`` the same for log and snapshots together. ``errors`` has the failures of the disk.
"""
