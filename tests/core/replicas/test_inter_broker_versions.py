"""The versions of requests between brokers, beside what Apache Kafka 4.4.0 says of each level.

Recorded by calling fetchRequestVersion and listOffsetRequestVersion of its MetadataVersion for every level from
3.9-IV0 on.
"""

from __future__ import annotations

import pytest

from kafkaproto_server.core.replicas.inter_broker_versions import fetch_version, list_offsets_version
from kafkaproto_server.metadata.features import LATEST_METADATA_VERSION, MINIMUM_METADATA_VERSION

RECORDED = {
    21: (17, 9),
    22: (17, 9),
    23: (17, 9),
    24: (17, 9),
    25: (17, 10),
    26: (17, 10),
    27: (18, 10),
    28: (18, 10),
    29: (18, 11),
    30: (18, 11),
    31: (18, 11),
    32: (18, 11),
    33: (18, 11),
}


@pytest.mark.parametrize("level", RECORDED)
def test_versions_are_those_of_kafka(level: int) -> None:
    assert (fetch_version(level), list_offsets_version(level)) == RECORDED[level]


def test_every_level_is_recorded() -> None:
    assert [*RECORDED] == [*range(MINIMUM_METADATA_VERSION.level, LATEST_METADATA_VERSION.level + 1)]
