"""Metrics of replicas: what a broker tells of its partitions, logs, fetchers and fetch sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families

from kafkaproto.messages import AlterPartitionReassignmentsRequest
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.core.broker.directories import LogDirectory
from kafkaproto_server.core.replicas.isr_changes import IsrCounts
from kafkaproto_server.node.observability import replica_counts as counts_module
from kafkaproto_server.node.observability.replica_counts import (
    LogLook,
    ReplicaCounts,
    ReplicaLook,
    count_replicas,
)
from kafkaproto_server.node.observability.replica_metrics import (
    ReplicaMoment,
    metadata_log_text,
    partition_text,
    replica_moment,
    replica_work,
)
from kafkaproto_server.shell.replicas.followers.fetcher_values import FetcherCounts
from tests.apis.support.data_broker import ME, OTHER, THIRD, DataBroker, batch, wanted
from tests.apis.support.transactional_broker import TransactionalBroker
from tests.node.observability.test_families import samples

METADATA_LOG = LogLook(7, 1, 2, 30, 0)


def counted(broker: DataBroker) -> ReplicaCounts:
    """What a look finds."""
    return trio.run(count_replicas, broker.replicas.manager, 0)


def lines(text: str) -> dict[tuple[str, ...], float]:
    """By name, topic and partition, and others."""
    found: dict[tuple[str, ...], float] = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation
        for sample in family.samples:
            labels = dict(sample.labels)
            key = (sample.name, labels.pop("topic"), labels.pop("partition"), *labels.values())
            assert key not in found
            found[key] = sample.value
    return found


def of(broker: DataBroker, topic: str, index: int = 0) -> dict[str, float]:
    """The series of a partition, by name without its prefix."""
    text = "".join(partition_text(counted(broker).replicas, METADATA_LOG))
    return {
        key[0].removeprefix("kafka_cluster_partition_").removeprefix("kafka_log_log_"): value
        for key, value in lines(text).items()
        if key[1:3] == (topic, str(index))
    }


def told(broker: DataBroker) -> Mapping[tuple[str, ...], float]:
    """All but the series of partitions, without prefix."""
    found: dict[tuple[str, ...], float] = {}
    moment = replica_moment(broker.replicas.manager)
    for family in replica_work(moment, counted(broker), lambda name: 0.0):
        for key, value in samples(family).items():
            found[key[0].removeprefix("kafka_server_replicamanager_"), *key[1:]] = value
    return found


def numbers(broker: DataBroker, *names: str) -> list[float]:
    """Some of them."""
    found = told(broker)
    return [found[name,] for name in names]


STATES = ("underreplicatedpartitions", "underminisrpartitioncount", "atminisrpartitioncount")


@pytest.mark.parametrize(
    ("required", "missing", "expected"),
    [("1", 0, [0, 0, 0]), ("3", 0, [0, 0, 1]), ("2", 1, [1, 0, 1]), ("3", 1, [1, 1, 0]), ("2", 2, [1, 1, 0])],
)
def test_a_leader_tells_what_its_partition_lacks(required: str, missing: int, expected: list[int]) -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER, THIRD], **{"min.insync.replicas": required})
    for each in (OTHER, THIRD)[:missing]:
        broker.harness.heartbeat(each, want_fence=True)
    broker.replicas.follow()
    assert numbers(broker, *STATES) == expected
    found = of(broker, "t")
    assert [found[name] for name in ("underreplicated", "underminisr", "atminisr")] == expected
    assert (found["replicascount"], found["insyncreplicascount"]) == (3, 3 - missing)


def test_the_min_isr_is_at_most_the_number_of_replicas() -> None:
    broker = DataBroker()
    broker.topic("t", [ME], **{"min.insync.replicas": "2"})
    broker.replicas.follow()
    assert numbers(broker, *STATES) == [0, 0, 1]


def test_followers_tell_nothing_of_the_partition_and_all_of_their_log() -> None:
    broker = DataBroker()
    broker.topic("t", [OTHER, ME, THIRD], **{"min.insync.replicas": "3"})
    broker.harness.heartbeat(THIRD, want_fence=True)
    broker.replicas.follow()
    found = of(broker, "t")
    assert [*found.values()] == [0] * 6 + [0, 0, 0, 1, 0]
    assert numbers(broker, "partitioncount", "leadercount", *STATES) == [1, 0, 0, 0, 0]


def test_replicas_that_a_reassignment_adds_are_not_missing() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    kind = AlterPartitionReassignmentsRequest
    partition = kind.ReassignablePartition(partition_index=0, replicas=[ME, OTHER])
    broker.harness.call(kind(topics=[kind.ReassignableTopic(name="t", partitions=[partition])]))
    broker.replicas.follow()
    assert numbers(broker, "reassigningpartitions", *STATES) == [1, 0, 0, 1]
    assert of(broker, "t")["replicascount"] == 1


def test_a_log_tells_its_offsets_and_sizes() -> None:
    broker = DataBroker()
    broker.topic("t", [ME], [ME], **{"retention.bytes": "1000"})
    broker.replicas.follow()
    sent = batch(b"v" * 100, b"w" * 100)
    broker.produce("t", sent)
    found = of(broker, "t")
    assert [found[name] for name in ("size", "logstartoffset", "logendoffset", "numlogsegments")] == [
        len(sent),
        0,
        2,
        1,
    ]
    assert found["retentionsizeinpercent"] == len(sent) // 10
    assert of(broker, "t", 1)["size"] == 0
    assert of(broker, "__cluster_metadata") == {
        "size": 7,
        "logendoffset": 30,
        "logstartoffset": 2,
        "numlogsegments": 1,
        "retentionsizeinpercent": 0,
    }


def test_an_open_transaction_holds_the_last_stable_offset() -> None:
    broker = TransactionalBroker()
    producer = broker.begin()
    assert broker.write(producer).error_code == 0
    assert of(broker, "t")["laststableoffsetlag"] == of(broker, "t")["logendoffset"] > 0


def test_a_partition_without_log_has_no_series_and_is_offline() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.topic("u")
    broker.replicas.follow()
    hosted = broker.replicas.manager.replicas.get(broker.topic_id("t"), 0)
    assert hosted is not None
    hosted.partition.failed()
    broker.replicas.manager.replicas.offline.add((b"?" * 16, 3))
    assert of(broker, "t") == {}
    assert of(broker, "u") != {}
    assert numbers(broker, "partitioncount", "offlinereplicacount", "leadercount") == [3, 2, 1]


def test_what_is_copied_is_told_with_who_copies_it() -> None:
    broker = DataBroker()
    broker.topic("t", [OTHER, ME])
    broker.replicas.follow()
    fetchers: Any = broker.replicas.manager.fetchers
    fetchers.lag_of = lambda key: ("ReplicaFetcherThread-0-2", 41)
    text = "".join(partition_text(counted(broker).replicas, METADATA_LOG))
    name = "kafka_server_fetcherlagmetrics_consumerlag"
    assert lines(text)[name, "t", "0", "ReplicaFetcherThread-0-2"] == 41
    assert told(broker)["kafka_server_replicafetchermanager_maxlag", "Replica"] == 41


def test_fetch_sessions_are_counted() -> None:
    broker = DataBroker()
    broker.topic("t", [ME], [ME])
    broker.ask(broker.fetch_request(("t", [wanted(0), wanted(1)]), session_epoch=0), 18)
    found = told(broker)
    prefix = "kafka_server_fetchsessioncache"
    assert found[f"{prefix}_numincrementalfetchsessions",] == 1
    assert found[f"{prefix}_numincrementalfetchpartitionscached",] == 2
    assert found[f"{prefix}_incrementalfetchsessionevictions_total",] == 0


def moment(**more: Any) -> ReplicaMoment:
    """One of a broker that has nothing."""
    given: dict[str, Any] = {
        "isr": IsrCounts(),
        "directories": (),
        "fetchers": (),
        "failed_logs": 0,
        "copy_lag": 0,
        "sessions": 0,
        "session_partitions": 0,
        "session_evictions": 0,
    }
    return ReplicaMoment(**{**given, **more})


def work(moment: ReplicaMoment, counts: ReplicaCounts, rates: Mapping[str, float]) -> dict[Any, float]:
    """The families, as values by name and labels."""
    return {
        key: value
        for family in replica_work(moment, counts, rates.__getitem__)
        for key, value in samples(family).items()
    }


def test_directories_isrs_and_fetchers() -> None:
    endpoint = Endpoint(name="B", host="h", port=5)
    found = work(
        moment(
            isr=IsrCounts(expands=3, shrinks=4, failures=5),
            directories=(
                LogDirectory(path="/a", directory_id=b"a" * 16, is_cordoned=True),
                LogDirectory(path="/b", directory_id=None, problem="it is gone"),
            ),
            fetchers=(FetcherCounts("F-0", endpoint, 7, 70), FetcherCounts("F-1", None, 8, 80)),
            failed_logs=6,
            copy_lag=9,
        ),
        ReplicaCounts(max_lag=2),
        {"F-0": 2.5, "F-1": 1.5},
    )
    manager, logs = "kafka_server_replicamanager", "kafka_log_logmanager"
    assert [
        found[f"{manager}_{each}_total",] for each in ("isrexpands", "isrshrinks", "failedisrupdates")
    ] == [
        3,
        4,
        5,
    ]
    assert found[f"{logs}_offlinelogdirectorycount",] == found[f"{logs}_cordonedlogdirectorycount",] == 1
    assert (found[f"{logs}_logdirectoryoffline", "/a"], found[f"{logs}_logdirectoryoffline", "/b"]) == (0, 1)
    assert (found[f"{logs}_logdirectorycordoned", "/a"], found[f"{logs}_logdirectorycordoned", "/b"]) == (
        1,
        0,
    )
    fetchers = "kafka_server_replicafetchermanager"
    assert [
        found[f"{fetchers}_{each}", "Replica"] for each in ("maxlag", "minfetchrate", "failedpartitionscount")
    ] == [
        2,
        1.5,
        6,
    ]
    assert found["kafka_server_replicaalterlogdirsmanager_maxlag", "ReplicaAlterLogDirs"] == 9
    assert found["kafka_server_fetcherstats_requests_total", "F-0", "h", "5"] == 7
    assert found["kafka_server_fetcherstats_bytes_total", "F-0", "h", "5"] == 70
    assert not [key for key in found if "F-1" in key]


def test_a_node_that_is_no_broker_tells_of_the_metadata_log() -> None:
    found = lines("".join(metadata_log_text(METADATA_LOG)))
    assert {key[1:] for key in found} == {("__cluster_metadata", "0")}
    assert found["kafka_log_log_size", "__cluster_metadata", "0"] == 7


@pytest.mark.trio
async def test_a_look_at_many_replicas_lets_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = DataBroker()
    broker.topic("t", *([ME] for _ in range(5)))
    broker.replicas.follow()
    monkeypatch.setattr(counts_module, "REPLICAS_AT_ONCE", 2)
    turns = 0

    async def checkpoint() -> None:
        nonlocal turns
        turns += 1

    monkeypatch.setattr(trio.lowlevel, "checkpoint", checkpoint)
    counts = await count_replicas(broker.replicas.manager, 0)
    assert (len(counts.replicas), counts.leaders, turns) == (5, 5, 3)
    assert isinstance(counts.replicas[0], ReplicaLook)
