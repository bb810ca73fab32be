"""Random requests of administrators.

What is left out:
- what a stock controller answers with -1, resigning: an unknown config operation;
- a bad name with a time limit that is over: of the two the stock controller names the name, ours the time;
- what it decides by chance: topics whose replicas the controller places are only validated;
- some reassignments in the place of another one under way: `_parts_the_states` says which;
- giving a replica back to a partition that lost it: the stock controller may have kept it as an eligible leader, with
  whatever it holds by now;
- taking a reassignment back where no original replica is in sync, and unclean elections are allowed: the stock
  controller does not mark the leader as recovering;
- partitions added to a topic whose partitions have different numbers of replicas, or replicas that are to go: stock
  takes any of the partitions as the model, and counts those that are to go.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from compat.admin_difference.broker_requests import Build
from compat.admin_difference.draw import (
    BROKERS,
    TIMEOUT_MS,
    TOPICS,
    mostly,
    partition_of,
    replicas,
    topic,
    topic_id,
)
from compat.admin_difference.state import Partition, State
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
    may_time_out = len(topics) == 1 and topics[0].name in TOPICS
    request = CreateTopicsRequest(
        topics=topics,
        timeout_ms=mostly(rng, (TIMEOUT_MS,), (0, -1), 0.02 if may_time_out else 0),
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
        is_even = len({len(one.replicas) for one in grown}) <= 1 and not any(one.removing for one in grown)
        factor = len(first.replicas) if size is None and first is not None else size
        entry = CreatePartitionsRequest.CreatePartitionsAssignment
        change = CreatePartitionsRequest.CreatePartitionsTopic(
            name=name,
            count=len(grown) + (more if is_even else -1),
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
            dropped = state.dropped.get(("partition", name, index), set())
            target_replicas = assigned and [each for each in assigned if each not in dropped]
            if partition is not None and target_replicas and _parts_the_states(partition, target_replicas):
                target_replicas = None
            if partition is not None and target_replicas is None and _leads_uncleanly(state, name, partition):
                index = NO_PARTITION
            moves.setdefault(name, {})[index] = target_replicas
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


def _leads_uncleanly(state: State, name: str, partition: Partition) -> bool:
    """Whether a replica that is not in sync has to lead once what was being added is left out again."""
    is_allowed = state.config(name, "unclean.leader.election.enable", "false") == "true"
    return is_allowed and {*partition.isr} <= {*partition.adding}


def _parts_the_states(partition: Partition, target: list[int]) -> bool:
    """Whether stock has a new target and parts of the old one at once: it forgets what was being added where more is
    added, it removes what was to be removed where nothing else is, and it waits for what is to go again."""
    present, wanted = {*partition.replicas}, {*target}
    if partition.removing and not present - wanted:
        return True
    return bool(partition.adding if wanted - present else {*partition.adding} - wanted)


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
    ("share.version", (0, 1, 2, 2, 3)),
    ("streams.version", (0, 1)),
    ("kraft.version", (0, 1, 2)),
    ("metadata.version", (6, 25, 29, 30, 31, 32, 33, 33, 33, 34)),
    ("nonsense", (0, 1)),
)


def _update_features(rng: random.Random) -> Build:
    updates = []
    for name, levels in rng.sample(_LEVELS, rng.choice((1, 1, 1, 2))):
        updates.append(
            UpdateFeaturesRequest.FeatureUpdateKey(
                feature=name,
                max_version_level=mostly(rng, levels, (-1,), 0.03),
                upgrade_type=mostly(rng, (1, 1, 1, 2, 3), (0, 4), 0.04),
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
