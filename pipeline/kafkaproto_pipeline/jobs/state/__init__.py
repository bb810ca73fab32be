"""The state of the cluster at an offset or a time: topics, partitions, brokers and everything else, as tables."""

from kafkaproto_pipeline.jobs.state.job import (
    JOB,
    RECORDED,
    acls,
    brokers,
    configs,
    controllers,
    delegation_tokens,
    features,
    partitions,
    producer_ids,
    quotas,
    scram_credentials,
    topics,
)
from kafkaproto_pipeline.jobs.state.rows import forget

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
