"""Periodic elections: the controller holds them by itself, without a change of any broker.

Preferred replicas that are in sync again become leaders again (auto.leader.rebalance.enable), no matter what share of
the partitions other replicas lead. Partitions without a leader get a replica that lags, if their topics allow it.

Apache Kafka: the tasks ``electPreferred`` and ``electUnclean`` of ``QuorumController``.
"""

from __future__ import annotations

from collections import deque

from kafkaproto.message import Message
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.controller.partitions.broker_changes import Located, partitions_where
from kafkaproto_server.core.controller.partitions.partitions import Election, Goal, PartitionChanges
from kafkaproto_server.core.controller.values.topic_configs import TopicConfigs
from kafkaproto_server.metadata.image.image import ClusterImage

MAX_ELECTIONS_PER_RUN = 1_000
"""As in Apache Kafka's controllers: the rest has to wait for the next run."""


def preferred_leaders(image: ClusterImage, configs: TopicConfigs) -> Steps[list[Message]]:
    """Records that make preferred replicas leaders."""
    if not image.partition_counts.not_preferred:
        return []
    # All of them: Kafka's controllers in KRaft have no threshold of imbalance either.
    others_lead = yield from partitions_where(
        image, lambda partition: partition.leader != partition.replicas[0]
    )
    return (yield from _elected(image, configs, others_lead, Election.PREFERRED))


def unclean_leaders(image: ClusterImage, configs: TopicConfigs) -> Steps[list[Message]]:
    """Records that give leaders to partitions without one, if their topics allow unclean elections."""
    if not image.partition_counts.leaderless:
        return []
    leaderless = yield from partitions_where(image, lambda partition: partition.leader == NO_NODE)
    allowed: deque[Located] = deque()
    while leaderless:
        each = leaderless.popleft()
        # The config may have been changed after the partition lost its leader. Only this task
        # notices that, as no broker comes or goes.
        if configs.unclean_election_enabled(each[0].name):
            allowed.append(each)
        yield
    return (yield from _elected(image, configs, allowed, Election.UNCLEAN))


def _elected(
    image: ClusterImage, configs: TopicConfigs, partitions: deque[Located], election: Election
) -> Steps[list[Message]]:
    changes = PartitionChanges(image, configs)
    while partitions:
        topic, index, _ = partitions.popleft()
        # An empty goal: at most the leader changes. If nobody better can be elected, there is no record.
        changes.change(topic, index, Goal(), election=election)
        if len(changes.records) == MAX_ELECTIONS_PER_RUN:
            break
        yield
    assert len(changes.records) <= MAX_ELECTIONS_PER_RUN, "a run has its limit"
    return changes.records
