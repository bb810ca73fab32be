"""DescribeLogDirs of a broker that keeps no replicas yet."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeLogDirsRequest, DescribeLogDirsResponse
from kafkaproto_server.image.image import EMPTY_IMAGE
from kafkaproto_server.requests.ports import LogDirectoryStatus
from tests.apis.support.services import ask

GOOD = LogDirectoryStatus(
    path="/data/a", is_online=True, is_cordoned=False, total_bytes=1000, usable_bytes=600
)
CORDONED = LogDirectoryStatus(
    path="/data/b", is_online=True, is_cordoned=True, total_bytes=-1, usable_bytes=-1
)
FAILED = LogDirectoryStatus(
    path="/data/c", is_online=False, is_cordoned=True, total_bytes=1000, usable_bytes=600
)


def describe(request: DescribeLogDirsRequest, version: int) -> Any:
    return ask(request, version, EMPTY_IMAGE, log_directories=lambda: (GOOD, CORDONED, FAILED))


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
