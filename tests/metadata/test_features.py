"""The table of feature levels. The expected tables were printed by Kafka 4.4.0's kafka-storage version-mapping."""

from __future__ import annotations

import pytest

from kafkaproto_server.metadata.features import (
    FEATURES,
    METADATA_VERSIONS,
    MINIMUM_METADATA_VERSION,
    MetadataVersion,
    check_dependencies,
    check_level,
    default_levels,
    dependencies,
    feature,
    metadata_version,
    metadata_version_of_release,
    supported_ranges,
)

KAFKAS_MAPPING = {
    # release: (metadata.version, kraft, transaction, group, eligible.leader.replicas, share, streams)
    "3.3-IV3": (7, 0, 0, 0, 0, 0, 0),
    "3.8-IV0": (20, 0, 0, 0, 0, 0, 0),
    "3.9-IV0": (21, 1, 0, 0, 0, 0, 0),
    "4.0-IV0": (22, 1, 0, 1, 0, 0, 0),
    "4.0-IV3": (25, 1, 2, 1, 0, 0, 0),
    "4.1-IV0": (26, 1, 2, 1, 1, 0, 0),
    "4.2-IV0": (28, 1, 2, 1, 1, 1, 0),
    "4.2-IV1": (29, 1, 2, 1, 1, 1, 1),
    "4.3-IV0": (30, 1, 2, 1, 1, 1, 1),
    "4.4-IV0": (31, 1, 2, 1, 1, 2, 1),
    "4.4-IV1": (32, 1, 2, 1, 1, 2, 1),
    "4.4-IV2": (33, 1, 2, 1, 1, 2, 1),
}


@pytest.mark.parametrize(("release", "levels"), KAFKAS_MAPPING.items())
def test_new_clusters_begin_with_kafkas_levels(release: str, levels: tuple[int, ...]) -> None:
    version = metadata_version_of_release(release, minimum=METADATA_VERSIONS[0])
    assert version.level == levels[0]
    assert str(version) == release
    assert tuple(default_levels(version).values()) == levels[1:]


def test_levels_follow_one_another_without_gaps() -> None:
    assert [version.level for version in METADATA_VERSIONS] == list(range(7, 34))
    assert [metadata_version(level).name for level in (7, 21, 33)] == ["3.3-IV3", "3.9-IV0", "4.4-IV2"]


def test_a_release_without_an_iv_part_means_its_last_level() -> None:
    assert metadata_version_of_release("4.1").level == 27
    assert metadata_version_of_release("3.9").level == 21


@pytest.mark.parametrize("release", ["3.8-IV0", "4.5-IV0", "4", "", "metadata.version"])
def test_a_release_that_no_cluster_of_ours_can_have_is_refused_with_those_it_can(release: str) -> None:
    with pytest.raises(ValueError, match=f"Unknown metadata.version '{release}'.* are: 3.9-IV0, .*, 4.4-IV2"):
        metadata_version_of_release(release)


@pytest.mark.parametrize("level", [0, 6, 34, -1])
def test_a_level_that_does_not_exist_is_refused(level: int) -> None:
    with pytest.raises(ValueError, match=f"no level {level}; known are 7 to 33"):
        metadata_version(level)


def test_nodes_support_what_kafka_does_from_the_lowest_level_of_ours() -> None:
    assert supported_ranges() == {
        "metadata.version": (21, 33),
        "kraft.version": (0, 1),
        "transaction.version": (0, 2),
        "group.version": (0, 1),
        "eligible.leader.replicas.version": (0, 1),
        "share.version": (0, 2),
        "streams.version": (0, 1),
    }
    assert MINIMUM_METADATA_VERSION.name == "3.9-IV0"


def test_levels_are_checked_against_the_feature() -> None:
    check_level("transaction.version", 2)
    check_level("metadata.version", 7)
    with pytest.raises(
        ValueError,
        match=r"Feature level 3 is not supported for feature transaction.version; allowed are 0 to 2",
    ):
        check_level("transaction.version", 3)
    with pytest.raises(
        ValueError, match=r"Unsupported feature: foo. Supported features are: eligible.leader"
    ):
        check_level("foo", 1)
    with pytest.raises(ValueError, match="no level 34"):
        check_level("metadata.version", 34)
    assert feature("group.version") is FEATURES["group.version"]


def test_only_eligible_leader_replicas_need_another_feature() -> None:
    assert dependencies("eligible.leader.replicas.version", 1) == {"metadata.version": 23}
    assert dependencies("eligible.leader.replicas.version", 0) == {}
    assert dependencies("metadata.version", 30) == {}
    assert dependencies("transaction.version", 2) == {}
    with pytest.raises(
        ValueError, match=r"could not be set to 1 because it depends on metadata.version level 23"
    ):
        check_dependencies({"metadata.version": 22, "eligible.leader.replicas.version": 1})
    with pytest.raises(ValueError, match=r"depends on metadata.version"):
        check_dependencies({"eligible.leader.replicas.version": 1})
    check_dependencies({"metadata.version": 23, "eligible.leader.replicas.version": 1})


@pytest.mark.parametrize("version", METADATA_VERSIONS, ids=str)
def test_the_defaults_of_every_level_go_together(version: MetadataVersion) -> None:
    check_dependencies({"metadata.version": version.level, **default_levels(version)})
