"""At every level of metadata.version records have the versions and fields of that level, and no newer ones.

Tests: `core.controller.brokers.unregister_broker`, `core.controller.partitions.assignments`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from kafkaproto.message import Message
from kafkaproto.messages import BrokerHeartbeatRequest, FeatureLevelRecord
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.metadata.features import METADATA_VERSION, METADATA_VERSIONS, MINIMUM_METADATA_VERSION
from tests.core.controller.support.harness import ELR, Batch, Harness, directory, update_features_request
from tests.core.controller.support.workload import step
from tests.versions.support.served import readable, releases, supported

LEVELS = [each.level for each in METADATA_VERSIONS if each >= MINIMUM_METADATA_VERSION]
UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
STEPS = 150

# The newest version of each record type, by the lowest level that has it; others have version 0 only (facts of
# Apache Kafka 4.3.1).
NEWEST_VERSIONS = {
    "RegisterBrokerRecord": {21: 3, 30: 4},
    "PartitionRecord": {21: 1, 23: 2},
    "PartitionChangeRecord": {21: 1, 23: 2},
    "BrokerRegistrationChangeRecord": {21: 2, 30: 3},
}
IN_THE_LOWEST_VERSION_THAT_FITS = ("BrokerRegistrationChangeRecord",)


def newest_version(record: Message, level: int) -> int:
    versions = NEWEST_VERSIONS.get(record.NAME, {})
    return max((version for since, version in versions.items() if since <= level), default=0)


def releases_at(level: int) -> list[str]:
    """The releases of Apache Kafka whose nodes may be in a cluster at that level."""
    ranges = {release: supported(release)[METADATA_VERSION] for release in releases()}
    return [release for release, (lowest, highest) in ranges.items() if lowest <= level <= highest]


def written(log: list[Batch]) -> Iterator[tuple[Any, int, int]]:
    """Every record, the version it was written in, and the level that was in force before its batch."""
    level = 0
    for batch in log:
        present = level
        for value in batch.records or ():
            record, version = decode_metadata_record(value)
            yield record, version, present
            if isinstance(record, FeatureLevelRecord) and record.name == METADATA_VERSION:
                level = record.feature_level


def check(log: list[Batch]) -> set[str]:
    """Check every record of a log; returns the names of those it has."""
    names = set()
    for record, version, level in written(log):
        names.add(record.NAME)
        for release in releases_at(level):
            lowest, highest = readable(release)[record.NAME]
            assert lowest <= version <= highest, (release, record, version, level)
        newest = newest_version(record, level)
        if record.NAME in IN_THE_LOWEST_VERSION_THAT_FITS:
            assert version <= newest, (record, version, level)
        else:
            assert version == newest, (record, version, level)
    return names


@pytest.mark.parametrize("level", LEVELS)
def test_whatever_happens_records_have_the_versions_of_the_level(level: int) -> None:
    harness = Harness(metadata_version=level, features=(ELR,) if level >= 23 else (), seed=level)
    harness.start_brokers(1, 2)
    harness.create_topic("t", [1, 2])
    assert harness.heartbeat(1, want_fence=True).is_fenced
    rng = random.Random(level)
    for _ in range(STEPS):
        step(rng, harness)
    names = check(harness.log)
    assert {"RegisterBrokerRecord", "PartitionRecord", "PartitionChangeRecord"} <= names


def cordon(harness: Harness, *directories: bytes) -> BrokerHeartbeatRequest:
    return harness.heartbeat_request(1, cordoned_log_dirs=list(directories))


@pytest.mark.parametrize("level", LEVELS)
def test_cordoned_directories_are_recorded_from_4_3_on(level: int) -> None:
    harness = Harness(metadata_version=level, features=())
    harness.start_brokers(1)
    start = harness.next_offset
    assert harness.call(cordon(harness, directory(1))).error_code == 0
    if level < 30:
        assert harness.records(start) == []
        assert harness.image.brokers[1].cordoned_directories is None
        # A later level takes them up with the next heartbeat.
        raised = update_features_request((METADATA_VERSION, 30, UPGRADE))
        assert harness.call(raised).error_code == 0
        assert harness.call(cordon(harness, directory(1))).error_code == 0
    assert harness.image.brokers[1].cordoned_directories == (directory(1),)
    check(harness.log)


@pytest.mark.parametrize("level", LEVELS)
def test_levels_are_raised_one_by_one_and_lowered_as_far_as_nothing_is_lost(level: int) -> None:
    harness = Harness(metadata_version=MINIMUM_METADATA_VERSION.level, features=())
    harness.start_brokers(1)
    for higher in range(MINIMUM_METADATA_VERSION.level + 1, level + 1):
        assert harness.call(update_features_request((METADATA_VERSION, higher, UPGRADE))).error_code == 0
    lowest = max(each.level for each in METADATA_VERSIONS if each.changes_metadata and each.level <= level)
    for wanted in LEVELS:
        if wanted >= level:
            continue
        for upgrade_type in (SAFE_DOWNGRADE, UNSAFE_DOWNGRADE):
            request = update_features_request((METADATA_VERSION, wanted, upgrade_type), validate_only=True)
            assert harness.call(request).error_code == (0 if wanted >= lowest else 95), wanted
        refused = update_features_request((METADATA_VERSION, wanted, UPGRADE))
        assert harness.call(refused).error_code == 95
    assert harness.image.metadata_version == level


@pytest.mark.parametrize(("level", "code"), [(21, 95), (22, 95), (23, 0), (30, 0)])
def test_elr_needs_the_level_that_has_its_fields(level: int, code: int) -> None:
    harness = Harness(metadata_version=level, features=())
    assert harness.call(update_features_request((ELR, 1, UPGRADE))).error_code == code
    assert harness.image.elr_enabled is (code == 0)
    together = update_features_request((ELR, 1, UPGRADE), (METADATA_VERSION, max(level, 23), UPGRADE))
    assert harness.call(together).error_code == 0
    assert harness.image.elr_enabled
