"""What happened to the cluster: one table for each question, with intervals for everything that lasts."""

from kafkaproto_pipeline.jobs.history.broker_intervals import brokers, directories
from kafkaproto_pipeline.jobs.history.changes import acl_changes, config_changes, quota_changes, scram_changes
from kafkaproto_pipeline.jobs.history.cluster_changes import controllers, features, tokens
from kafkaproto_pipeline.jobs.history.events import events
from kafkaproto_pipeline.jobs.history.job import JOB
from kafkaproto_pipeline.jobs.history.partition_intervals import isr, leadership
from kafkaproto_pipeline.jobs.history.quorum_intervals import quorum, voters
from kafkaproto_pipeline.jobs.history.rows import forget
from kafkaproto_pipeline.jobs.history.topic_intervals import reassignments, topic_changes, topics

__all__ = [
    "JOB",
    "acl_changes",
    "brokers",
    "config_changes",
    "controllers",
    "directories",
    "events",
    "features",
    "forget",
    "isr",
    "leadership",
    "quorum",
    "quota_changes",
    "reassignments",
    "scram_changes",
    "tokens",
    "topic_changes",
    "topics",
    "voters",
]
