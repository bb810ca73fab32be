"""Checks whether all replicas of the metadata log hold the same, in their logs and in their snapshots."""

from kafkaproto_pipeline.jobs.consistency.job import JOB, differences, replicas, snapshots

__all__ = [
    "JOB",
    "differences",
    "replicas",
    "snapshots",
]
