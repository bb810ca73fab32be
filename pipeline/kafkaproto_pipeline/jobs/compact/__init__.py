"""The log compacted by key, as a snapshot file that a controller can start from."""

from kafkaproto_pipeline.jobs.compact.compaction import snapshot_rows, write_snapshot

__all__ = ["snapshot_rows", "write_snapshot"]
