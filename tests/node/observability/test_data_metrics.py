"""Metrics of the cleaner, of quotas and of throttled replication."""

from __future__ import annotations

from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.core.quotas.client_quotas import RateQuota
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.core.replicas.isr_changes import IsrCounts
from kafkaproto_server.node.observability.data_metrics import (
    DataMetrics,
    data_metrics,
    data_work,
    quota_counters,
    quota_work,
)
from kafkaproto_server.node.observability.replica_counts import ReplicaCounts
from kafkaproto_server.node.observability.replica_metrics import ReplicaMoment
from kafkaproto_server.node.observability.topic_metrics import topic_moment
from kafkaproto_server.shell.replicas.files.cleaning import CleanerStatistics
from kafkaproto_server.shell.serving.throttling import ThrottleStatistics, Throttling
from tests.apis.support.data_broker import THIRD
from tests.node.observability.test_families import samples
from tests.shell.replicas.followers.test_throttles import RECORD, ThrottledLeader

SHOWN = (
    "kafka_log_logcleaner",
    "kafka_server_replicamanager_producer",
    "kafka_server_replicamanager_partitionswith",
    "kafka_server_leaderreplication",
    "kafka_server_followerreplication",
)


def values(moment: DataMetrics) -> dict[tuple[str, ...], float]:
    """Those that this file is about."""
    found = {
        key: value
        for family in data_work(moment, ReplicaCounts(producers=9, late_transactions=4), lambda name: 0.0)
        for key, value in samples(family).items()
    }
    return {key: value for key, value in found.items() if key[0].startswith(SHOWN)}


def test_the_cleaner_has_the_names_of_kafkas_metrics() -> None:
    cleaner = CleanerStatistics(
        last_s=1.5,
        recopy_percent=40.0,
        since_last_run_ms=70,
        max_dirty_percent=60.0,
        uncleanable={"/b": 2, "/a": 0},
    )
    found = values(
        DataMetrics(
            cleaner=cleaner,
            leader_byte_rate=5.0,
            follower_byte_rate=6.0,
            topics=topic_moment(TopicMetrics()),
            replicas=ReplicaMoment(
                isr=IsrCounts(),
                directories=(),
                fetchers=(),
                failed_logs=0,
                copy_lag=0,
                sessions=0,
                session_partitions=0,
                session_evictions=0,
            ),
        )
    )
    assert found == {
        ("kafka_server_replicamanager_produceridcount",): 9,
        ("kafka_server_replicamanager_partitionswithlatetransactionscount",): 4,
        ("kafka_log_logcleaner_deadthreadcount",): 0,
        ("kafka_log_logcleaner_max_clean_time_secs",): 1.5,
        ("kafka_log_logcleaner_cleaner_recopy_percent",): 40.0,
        ("kafka_log_logcleanermanager_time_since_last_run_ms",): 70,
        ("kafka_log_logcleanermanager_max_dirty_percent",): 60.0,
        ("kafka_log_logcleanermanager_uncleanable_partitions_count", "/a"): 0,
        ("kafka_log_logcleanermanager_uncleanable_partitions_count", "/b"): 2,
        ("kafka_server_leaderreplication_byte_rate",): 5.0,
        ("kafka_server_followerreplication_byte_rate",): 6.0,
    }


def test_what_followers_get_of_throttled_replicas_is_the_leaders_rate() -> None:
    broker = ThrottledLeader()
    assert data_metrics(broker.replicas.manager).leader_byte_rate == 0
    broker.copied(THIRD, 0)
    moment = data_metrics(broker.replicas.manager)
    assert moment.leader_byte_rate > len(RECORD)
    assert moment.follower_byte_rate == 0


def test_all_clients_of_a_quota_are_one_series() -> None:
    waited = Histogram()
    waited.add(0.25)
    statistics = ThrottleStatistics(used=dict.fromkeys(RateQuota, 7.0), waits={"produce": waited})
    assert dict(quota_counters(statistics)) == {
        "kafka_server_produce_byte_rate": 7.0,
        "kafka_server_fetch_byte_rate": 7.0,
        "kafka_server_request_request_time": 7.0,
    }
    found = {
        key: value
        for family in quota_work(statistics, lambda name: len(name))
        for key, value in samples(family).items()
    }
    assert found["kafka_server_produce_byte_rate",] == len("kafka_server_produce_byte_rate")
    assert found["kafka_server_produce_throttle_time_count",] == 1
    assert found["kafka_server_produce_throttle_time_sum",] == 250


def test_clients_that_have_to_wait_are_counted_and_others_are_not() -> None:
    throttling = Throttling(RateWindows(2, 1000), lambda: 1000)
    throttling.use_quotas({(("user", "alice"),): {"producer_byte_rate": 100.0}})
    for user in ("alice", "bob"):
        throttling.record(RateQuota.PRODUCE, user, "c", 50)
    waits = throttling.statistics.waits
    assert (throttling.statistics.used[RateQuota.PRODUCE], waits["produce"].count) == (50, 0)
    assert throttling.record(RateQuota.PRODUCE, "alice", "c", 1000) > 0
    throttling.controller_told("alice", "c", 0)
    throttling.controller_told("alice", "c", 30)
    assert {name: each.count for name, each in waits.items()} == {
        "produce": 1,
        "fetch": 0,
        "request": 0,
        "controllermutation": 1,
    }
    for _ in range(2):
        throttling.rotate()
    assert waits["produce"].max_ms == 0
