"""The levels of metadata.version and the other features of a cluster: names, ranges, defaults, dependencies.

A pure table of Kafka 4.4 (KIP-584, KIP-1022). Levels below ``MINIMUM_METADATA_VERSION`` are known by name, so that
tools can show them, but this server never runs a cluster at one.

Apache Kafka: ``MetadataVersion``, ``Feature`` and its enums (``org.apache.kafka.server.common``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

METADATA_VERSION = "metadata.version"
KRAFT_VERSION = "kraft.version"
TRANSACTION_VERSION = "transaction.version"
GROUP_VERSION = "group.version"
ELIGIBLE_LEADER_REPLICAS_VERSION = "eligible.leader.replicas.version"
SHARE_VERSION = "share.version"
STREAMS_VERSION = "streams.version"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class MetadataVersion:
    level: int
    name: str
    changes_metadata: bool
    """Whether records may differ from those of the level below; if so, a downgrade across this level loses data."""

    def __str__(self) -> str:
        return self.name


def _level(level: int, name: str, changes_metadata: bool) -> MetadataVersion:
    return MetadataVersion(level=level, name=name, changes_metadata=changes_metadata)


METADATA_VERSIONS: tuple[MetadataVersion, ...] = (
    _level(7, "3.3-IV3", True),
    _level(8, "3.4-IV0", True),
    _level(9, "3.5-IV0", False),
    _level(10, "3.5-IV1", False),
    _level(11, "3.5-IV2", True),
    _level(12, "3.6-IV0", False),
    _level(13, "3.6-IV1", True),
    _level(14, "3.6-IV2", True),
    _level(15, "3.7-IV0", True),
    _level(16, "3.7-IV1", False),
    _level(17, "3.7-IV2", True),
    _level(18, "3.7-IV3", False),
    _level(19, "3.7-IV4", False),
    _level(20, "3.8-IV0", False),
    _level(21, "3.9-IV0", False),
    _level(22, "4.0-IV0", False),
    _level(23, "4.0-IV1", True),
    _level(24, "4.0-IV2", False),
    _level(25, "4.0-IV3", False),
    _level(26, "4.1-IV0", False),
    _level(27, "4.1-IV1", False),
    _level(28, "4.2-IV0", False),
    _level(29, "4.2-IV1", False),
    _level(30, "4.3-IV0", True),
    _level(31, "4.4-IV0", False),
    _level(32, "4.4-IV1", True),
    _level(33, "4.4-IV2", True),
)
"""Every level that Kafka 4.4 knows and calls stable, ascending without gaps."""

_BY_LEVEL = {version.level: version for version in METADATA_VERSIONS}
_BY_NAME = {version.name: version for version in METADATA_VERSIONS}

# Apache Kafka 4 goes down to 3.3-IV3.
MINIMUM_METADATA_VERSION = _BY_NAME["3.9-IV0"]
"""The lowest level that this server runs at: the first one with a quorum whose voters can change."""
LATEST_METADATA_VERSION = METADATA_VERSIONS[-1]


def metadata_version(level: int) -> MetadataVersion:
    """The version of a level; raises ValueError naming the levels that exist."""
    # Unknown levels are refused here, before anything is written at one.
    found = _BY_LEVEL.get(level)
    if found is None:
        raise ValueError(
            f"{METADATA_VERSION} has no level {level}; "
            f"known are {METADATA_VERSIONS[0].level} to {LATEST_METADATA_VERSION.level}"
        )
    return found


def metadata_version_of_release(
    release: str, *, minimum: MetadataVersion = MINIMUM_METADATA_VERSION
) -> MetadataVersion:
    """The version that a release name such as ``4.1-IV1`` or ``4.1`` stands for.

    A release without an IV part means the last level that came with it. Raises ValueError naming the known versions.
    """
    candidates = [version for version in METADATA_VERSIONS if version >= minimum]
    # From the newest: a release without an IV part means its last level.
    for version in reversed(candidates):
        if release == version.name or release == version.name.split("-")[0]:
            return version
    known = ", ".join(version.name for version in candidates)
    raise ValueError(f"Unknown {METADATA_VERSION} '{release}'. Supported {METADATA_VERSION} are: {known}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A feature besides metadata.version. Its levels run from 0 (off) to ``maximum_level``."""

    name: str
    default_since: tuple[int, ...]
    """For each level from 1 on, the first metadata.version level whose new clusters get it; older ones get 0."""
    needs_metadata_version: int = 0
    """Lowest metadata.version level at which the feature may be on; 0 if any level will do."""

    @property
    def maximum_level(self) -> int:
        """The highest level that there is."""
        # One entry a level, so a level without a default cannot be forgotten.
        return len(self.default_since)

    def default_at(self, version: MetadataVersion) -> int:
        """The level that a new cluster gets at ``version``."""
        # The entries ascend with the levels, so their number is the highest level that counts.
        return sum(version.level >= since for since in self.default_since)


FEATURES: dict[str, Feature] = {
    feature.name: feature
    for feature in (
        # From 3.9-IV0 on a quorum may change its voters (KIP-853). Whether it does is decided by how it is formatted.
        Feature(name=KRAFT_VERSION, default_since=(21,)),
        # Both levels of KIP-890 came with one metadata.version.
        Feature(name=TRANSACTION_VERSION, default_since=(24, 24)),
        Feature(name=GROUP_VERSION, default_since=(22,)),
        Feature(
            name=ELIGIBLE_LEADER_REPLICAS_VERSION,
            default_since=(26,),
            needs_metadata_version=23,
        ),
        Feature(name=SHARE_VERSION, default_since=(28, 31)),
        Feature(name=STREAMS_VERSION, default_since=(29,)),
    )
}
"""Every feature besides metadata.version, in the order in which Kafka's tools list them."""


def feature(name: str) -> Feature:
    """A feature by name; raises ValueError naming those that exist."""
    found = FEATURES.get(name)
    if found is None:
        raise ValueError(
            f"Unsupported feature: {name}. Supported features are: {', '.join(sorted(FEATURES))}"
        )
    return found


def check_level(name: str, level: int) -> None:
    """Raise ValueError, with the levels allowed, unless the feature (metadata.version too) has the level."""
    if name == METADATA_VERSION:
        metadata_version(level)
        return
    maximum = feature(name).maximum_level
    if not 0 <= level <= maximum:
        raise ValueError(
            f"Feature level {level} is not supported for feature {name}; allowed are 0 to {maximum}"
        )


def supported_ranges() -> dict[str, tuple[int, int]]:
    """Lowest and highest supported level of every feature, metadata.version first."""
    ranges = {METADATA_VERSION: (MINIMUM_METADATA_VERSION.level, LATEST_METADATA_VERSION.level)}
    # From 0, the level of a feature that is off. metadata.version is never off.
    ranges.update({name: (0, entry.maximum_level) for name, entry in FEATURES.items()})
    return ranges


def default_levels(version: MetadataVersion) -> dict[str, int]:
    """Level of every feature besides metadata.version in a new cluster at ``version``; 0 means off."""
    return {name: entry.default_at(version) for name, entry in FEATURES.items()}


def dependencies(name: str, level: int) -> dict[str, int]:
    """Features that ``name`` needs at ``level``, each with its lowest allowed level.

    Raises ValueError if there is no such feature or level.
    """
    check_level(name, level)
    # Turned off, a feature needs nothing.
    if name == METADATA_VERSION or level == 0 or feature(name).needs_metadata_version == 0:
        return {}
    return {METADATA_VERSION: feature(name).needs_metadata_version}


def check_dependencies(levels: Mapping[str, int]) -> None:
    """Raise ValueError unless every feature has an existing level, and the features that this level needs.

    ``levels`` maps names, metadata.version among them, to levels; a feature left out counts as level 0.
    """
    for name, level in levels.items():
        for needed_name, needed_level in dependencies(name, level).items():
            if levels.get(needed_name, 0) < needed_level:
                raise ValueError(
                    f"{name} could not be set to {level} because it depends on {needed_name} level {needed_level}"
                )
