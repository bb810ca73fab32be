"""The state of the cluster at an offset or a time: topics, partitions, brokers and everything else, as tables."""

from kafkaproto_pipeline.jobs.state.cluster_tables import brokers, controllers, features
from kafkaproto_pipeline.jobs.state.job import JOB, RECORDED, acls, configs, scram_credentials
from kafkaproto_pipeline.jobs.state.rows import forget
from kafkaproto_pipeline.jobs.state.security_tables import delegation_tokens, producer_ids, quotas
from kafkaproto_pipeline.jobs.state.topic_tables import partitions, topics

__all__ = [
    "JOB",
    "RECORDED",
    "acls",
    "brokers",
    "configs",
    "controllers",
    "delegation_tokens",
    "features",
    "forget",
    "partitions",
    "producer_ids",
    "quotas",
    "scram_credentials",
    "topics",
]
