"""DescribeLogDirs: the directories, and the replicas in them.

Tests: `apis.admin.describe_log_dirs`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeLogDirsRequest, DescribeLogDirsResponse
from kafkaproto_server.apis.ports.node import LogDirectoryStatus
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch
from tests.apis.support.services import ask, with_changes
from tests.core.controller.support.harness import directory

ID = directory(ME)
GOOD = LogDirectoryStatus(
    path="/data/a", directory_id=ID, is_online=True, is_cordoned=False, total_bytes=1000, usable_bytes=600
)
CORDONED = LogDirectoryStatus(
    path="/data/b", directory_id=b"b" * 16, is_online=True, is_cordoned=True, total_bytes=-1, usable_bytes=-1
)
FAILED = LogDirectoryStatus(
    path="/data/c", directory_id=None, is_online=False, is_cordoned=True, total_bytes=1000, usable_bytes=600
)


def describe(request: DescribeLogDirsRequest, version: int) -> Any:
    return ask(
        request, version, EMPTY_IMAGE, log_directories=lambda: (GOOD, CORDONED, FAILED), logs=lambda: iter(())
    )


@pytest.mark.parametrize("version", range(1, 6))
def test_every_directory_is_described_in_each_version(version: int) -> None:
    response = describe(DescribeLogDirsRequest(topics=None), version)
    shows_bytes, shows_cordons = version >= 4, version >= 5
    assert response == DescribeLogDirsResponse(
        results=[
            DescribeLogDirsResponse.DescribeLogDirsResult(
                log_dir="/data/a",
                total_bytes=1000 if shows_bytes else -1,
                usable_bytes=600 if shows_bytes else -1,
            ),
            DescribeLogDirsResponse.DescribeLogDirsResult(log_dir="/data/b", is_cordoned=shows_cordons),
            DescribeLogDirsResponse.DescribeLogDirsResult(
                log_dir="/data/c", error_code=ErrorCode.KAFKA_STORAGE_ERROR
            ),
        ]
    )


def test_directories_are_described_whatever_topics_are_asked_for() -> None:
    topic = DescribeLogDirsRequest.DescribableLogDirTopic(topic="t", partitions=[0, -1])
    for topics in ([], [topic]):
        response = describe(DescribeLogDirsRequest(topics=topics), 5)
        assert [each.log_dir for each in response.results] == ["/data/a", "/data/b", "/data/c"]
        assert all(each.topics == [] for each in response.results)


@pytest.fixture
def broker() -> DataBroker:
    """It has t-0 with two records and t-2, follows u-0, and has its directory and one that has failed."""
    broker = DataBroker()
    broker.topic("t", [ME], [OTHER], [ME])
    broker.topic("u", [OTHER, ME])
    for _ in range(2):
        assert broker.produce("t", batch()).error_code == 0
    broker.services = with_changes(broker.services, log_directories=lambda: (GOOD, FAILED))
    return broker


def replicas(response: Any) -> list[dict[tuple[str, int], tuple[int, int]]]:
    """Size and lag by topic and partition, of each directory."""
    assert not any(
        each.is_future_key for result in response.results for t in result.topics for each in t.partitions
    )
    return [
        {
            (topic.name, each.partition_index): (each.partition_size, each.offset_lag)
            for topic in result.topics
            for each in topic.partitions
        }
        for result in response.results
    ]


SIZE = 2 * len(batch())


@pytest.mark.parametrize("version", range(1, 6))
def test_a_directory_has_its_replicas_with_their_sizes(broker: DataBroker, version: int) -> None:
    response = broker.ask(DescribeLogDirsRequest(topics=None), version)
    assert replicas(response) == [{("t", 0): (SIZE, 0), ("t", 2): (0, 0), ("u", 0): (0, 0)}, {}]
    # A topic stands there once.
    assert sorted(topic.name for topic in response.results[0].topics) == ["t", "u"]


def test_only_the_replicas_that_are_asked_for_are_described(broker: DataBroker) -> None:
    topic = DescribeLogDirsRequest.DescribableLogDirTopic
    asked = [
        topic(topic="t", partitions=[0, 1, 0, -1]),
        topic(topic="unknown", partitions=[0]),
        topic(topic="u"),
    ]
    assert replicas(broker.ask(DescribeLogDirsRequest(topics=asked), 5)) == [{("t", 0): (SIZE, 0)}, {}]
    assert replicas(broker.ask(DescribeLogDirsRequest(topics=[]), 5)) == [{}, {}]


def test_a_replica_whose_log_failed_has_no_lag(broker: DataBroker) -> None:
    broker.replicas.follow()
    broker.replicas.partition("t", 0).failed()
    (found, _) = replicas(broker.ask(DescribeLogDirsRequest(topics=None), 5))
    assert found["t", 0] == (SIZE, -1)


def test_a_follower_lags_by_what_is_committed_and_not_here(broker: DataBroker) -> None:
    broker.replicas.follow()
    broker.replicas.partition("u", 0).high_watermark = 3
    (found, _) = replicas(broker.ask(DescribeLogDirsRequest(topics=None), 5))
    assert found["u", 0] == (0, 3)


def test_a_log_that_is_not_open_yet_is_left_out(broker: DataBroker) -> None:
    broker.replicas.follow()
    broker.replicas.workers.hold()
    broker.topic("late")
    (found, _) = replicas(broker.ask(DescribeLogDirsRequest(topics=None), 5))
    assert ("late", 0) not in found
    broker.replicas.workers.release()
    (found, _) = replicas(broker.ask(DescribeLogDirsRequest(topics=None), 5))
    assert found["late", 0] == (0, 0)
