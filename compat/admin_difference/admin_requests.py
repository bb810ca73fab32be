"""Random requests of administrators.

What is left out:
- what a stock controller answers with -1, resigning: an unknown config operation;
- what it decides by chance: topics whose replicas the controller places are only validated;
- a reassignment in the place of another one under way, after which the stock controller may have a replica both as
  adding and as removing, and partitions added to a topic in the course of one;
- a reassignment to fewer replicas, after which the stock controller may count one that is gone as an eligible leader;
- a reassignment of a partition that nobody is in sync of, which ours takes back without an unclean election.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from compat.admin_difference.broker_requests import Build
from compat.admin_difference.draw import (
    BROKERS,
    TIMEOUT_MS,
    mostly,
    partition_of,
    replicas,
    topic,
    topic_id,
)
from compat.admin_difference.state import State
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    ElectLeadersRequest,
    ListPartitionReassignmentsRequest,
    UpdateFeaturesRequest,
)

NO_PARTITION = 99
"""An index that no topic here grows to."""

_TOPIC_CONFIGS: tuple[tuple[str, str | None], ...] = (
    ("min.insync.replicas", "2"),
    ("min.insync.replicas", "3"),
    ("unclean.leader.election.enable", "true"),
    ("retention.ms", "5000"),
    ("cleanup.policy", "compact"),
    ("retention.ms", None),
    ("segment.bytes", "7"),
    ("nonsense", "1"),
)


def _create(rng: random.Random) -> Build:
    topics = []
    for _ in range(mostly(rng, (1, 1, 2), (0,), 0.02)):
        assigned = [
            CreateTopicsRequest.CreatableReplicaAssignment(partition_index=index, broker_ids=replicas(rng))
            for index in range(rng.choice((1, 2, 2, 3)))
        ]
        if rng.random() < 0.03:
            assigned[-1].partition_index += 1
        chosen = rng.sample(_TOPIC_CONFIGS[:5], rng.choice((0, 0, 1, 2)))
        if rng.random() < 0.05:
            chosen.append(rng.choice(_TOPIC_CONFIGS))
        topics.append(
            CreateTopicsRequest.CreatableTopic(
                name=topic(rng),
                num_partitions=mostly(rng, (-1,), (1, 2), 0.03),
                replication_factor=mostly(rng, (-1,), (1, 2), 0.03),
                assignments=assigned,
                configs=[
                    CreateTopicsRequest.CreatableTopicConfig(name=name, value=value) for name, value in chosen
                ],
            )
        )
    request = CreateTopicsRequest(
        topics=topics,
        timeout_ms=mostly(rng, (TIMEOUT_MS,), (0, -1), 0.02 if len(topics) == 1 else 0),
        validate_only=rng.random() < 0.1,
    )
    return lambda state: request


def _validate_placed(rng: random.Random) -> Build:
    request = CreateTopicsRequest(
        topics=[
            CreateTopicsRequest.CreatableTopic(
                name=topic(rng),
                num_partitions=rng.choice((-2, -1, 0, 1, 2, 10_001)),
                replication_factor=rng.choice((-2, -1, 0, 1, 2, 3, 4, 5)),
            )
        ],
        timeout_ms=TIMEOUT_MS,
        validate_only=True,
    )
    return lambda state: request


def _delete(rng: random.Random) -> Build:
    wanted = [
        (topic(rng), rng.choice(("name", "name", "name", "id", "id", "both", "neither")))
        for _ in range(mostly(rng, (1,), (0, 2), 0.1))
    ]

    def build(state: State) -> Message:
        return DeleteTopicsRequest(
            topics=[
                DeleteTopicsRequest.DeleteTopicState(
                    name=name if how in {"name", "both"} else None,
                    topic_id=topic_id(state, name) if how in {"id", "both"} else bytes(16),
                )
                for name, how in wanted
            ],
            timeout_ms=TIMEOUT_MS,
        )

    return build


def _create_partitions(rng: random.Random) -> Build:
    name = topic(rng)
    more = mostly(rng, (1, 1, 2), (0, -1), 0.15)
    assigned = [rng.sample(BROKERS, 3) for _ in range(mostly(rng, (max(more, 0),), (1, 3), 0.1))]
    size = mostly(rng, (None,), (1, 2, 3), 0.1)
    is_placed = rng.random() < 0.2
    is_twice = rng.random() < 0.03
    validate_only = is_placed or rng.random() < 0.1

    def build(state: State) -> Message:
        first = state.partition(name, 0)
        grown = [one for (each, _), one in state.partitions().items() if each == name]
        is_steady = not any(one.adding or one.removing for one in grown)
        factor = len(first.replicas) if size is None and first is not None else size
        entry = CreatePartitionsRequest.CreatePartitionsAssignment
        change = CreatePartitionsRequest.CreatePartitionsTopic(
            name=name,
            count=len(grown) + (more if is_steady else -1),
            assignments=None if is_placed else [entry(broker_ids=each[:factor]) for each in assigned],
        )
        return CreatePartitionsRequest(
            topics=[change, change] if is_twice else [change],
            timeout_ms=TIMEOUT_MS,
            validate_only=validate_only,
        )

    return build


def _elect(rng: random.Random) -> Build:
    targets = [partition_of(rng) for _ in range(rng.choice((1, 1, 2)))]
    is_all = rng.random() < 0.3
    election_type = rng.choice((0, 0, 1))

    def build(state: State) -> Message:
        entry = ElectLeadersRequest.TopicPartitions
        wanted = dict(target(state) for target in targets)
        return ElectLeadersRequest(
            election_type=election_type,
            topic_partitions=None
            if is_all
            else [entry(topic=name, partitions=[index]) for name, index in wanted.items()],
            timeout_ms=TIMEOUT_MS,
        )

    return build


def _reassign(rng: random.Random) -> Build:
    wanted = [
        (partition_of(rng), None if rng.random() < 0.3 else replicas(rng))
        for _ in range(rng.choice((1, 1, 1, 2)))
    ]
    allow = rng.random() < 0.8

    def build(state: State) -> Message:
        entry = AlterPartitionReassignmentsRequest
        moves: dict[str, dict[int, list[int] | None]] = {}
        for target, assigned in wanted:
            name, index = target(state)
            partition = state.partition(name, index)
            is_moving = partition is not None and (partition.adding or partition.removing)
            if partition is not None and not partition.isr:
                index = NO_PARTITION
            if partition is not None and assigned:
                rest = [each for each in partition.replicas if each not in assigned]
                assigned = [*assigned, *rest[: max(0, len(partition.replicas) - len(assigned))]]
            moves.setdefault(name, {})[index] = None if is_moving else assigned
        return entry(
            topics=[
                entry.ReassignableTopic(
                    name=name,
                    partitions=[
                        entry.ReassignablePartition(partition_index=index, replicas=assigned)
                        for index, assigned in changes.items()
                    ],
                )
                for name, changes in moves.items()
            ],
            timeout_ms=TIMEOUT_MS,
            allow_replication_factor_change=allow,
        )

    return build


def _list_reassignments(rng: random.Random) -> Build:
    entry = ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics
    wanted = [
        entry(name=topic(rng), partition_indexes=[rng.choice((0, 1, 5))]) for _ in range(rng.randrange(3))
    ]
    request = ListPartitionReassignmentsRequest(
        topics=None if rng.random() < 0.5 else wanted, timeout_ms=TIMEOUT_MS
    )
    return lambda state: request


_LEVELS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("eligible.leader.replicas.version", (0, 1, 1, 2)),
    ("group.version", (0, 1, 1, 2)),
    ("transaction.version", (0, 1, 2, 3)),
    ("share.version", (0, 1)),
    ("streams.version", (0, 1)),
    ("kraft.version", (0, 1, 2)),
    ("metadata.version", (6, 25, 28, 29, 30, 30, 31)),
    ("nonsense", (0, 1)),
)


def _update_features(rng: random.Random) -> Build:
    updates = []
    for name, levels in rng.sample(_LEVELS, rng.choice((1, 1, 1, 2))):
        updates.append(
            UpdateFeaturesRequest.FeatureUpdateKey(
                feature=name,
                max_version_level=mostly(rng, levels, (-1,), 0.03),
                upgrade_type=mostly(rng, (1, 1, 2, 3), (0, 4), 0.04),
            )
        )
    request = UpdateFeaturesRequest(
        feature_updates=updates, timeout_ms=TIMEOUT_MS, validate_only=rng.random() < 0.2
    )
    return lambda state: request


REQUESTS: tuple[tuple[int, Callable[[random.Random], Build]], ...] = (
    (12, _create),
    (3, _validate_placed),
    (3, _delete),
    (4, _create_partitions),
    (6, _elect),
    (12, _reassign),
    (3, _list_reassignments),
    (3, _update_features),
)
"""Weight and maker of each kind."""
