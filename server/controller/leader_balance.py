"""Elections that the controller holds by itself every so often, without a broker having come or gone.

Preferred replicas that are in sync again lead again (auto.leader.rebalance.enable), whatever the share of partitions
that others lead. Partitions that nobody leads get one of the replicas that lag, where their topics allow it.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafkaproto.message import Message
from server.controller.partitions import Election, Goal, Located, PartitionChanges, partitions_where
from server.controller.settings import TopicSettings
from server.image.image import ClusterImage
from server.types import NO_NODE

MAX_ELECTIONS_PER_RUN = 1_000
"""As in stock controllers: the rest has to wait for the next run."""


def preferred_leaders(image: ClusterImage, settings: TopicSettings) -> list[Message]:
    """What makes preferred replicas leaders."""
    if not image.partition_counts.not_preferred:
        return []
    others_lead = partitions_where(image, lambda partition: partition.leader != partition.replicas[0])
    return _elected(image, settings, others_lead, Election.PREFERRED)


def unclean_leaders(image: ClusterImage, settings: TopicSettings) -> list[Message]:
    """What gives leaders to partitions without any, of topics that allow unclean elections."""
    if not image.partition_counts.leaderless:
        return []
    leaderless = partitions_where(image, lambda partition: partition.leader == NO_NODE)
    allowed = (each for each in leaderless if settings.unclean_election_enabled(each[0].name))
    return _elected(image, settings, allowed, Election.UNCLEAN)


def _elected(
    image: ClusterImage, settings: TopicSettings, partitions: Iterable[Located], election: Election
) -> list[Message]:
    changes = PartitionChanges(image, settings)
    for topic, index, _ in partitions:
        changes.change(topic, index, Goal(), election=election)
        if len(changes.records) == MAX_ELECTIONS_PER_RUN:
            break
    return changes.records
