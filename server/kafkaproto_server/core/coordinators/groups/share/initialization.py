"""Initializes the states of a share group's partitions: before that, no partition is assigned.

The group's record says which ones are being initialized. If that succeeds for all partitions that were asked for
together, they become initialized ones; otherwise all of them are forgotten, and a later heartbeat begins again. One
that neither succeeds nor fails, because this broker stops for example, is begun again after
`group.share.initialize.retry.interval.ms`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroup
from kafkaproto_server.core.coordinators.groups.share.partitions import (
    UNKNOWN_NAME,
    Indexes,
    StatePartitions,
    States,
    TopicStates,
    combined,
)
from kafkaproto_server.core.coordinators.groups.share.state_requests import Results
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.requests.share_group_requests import TopicIdPartition
from kafkaproto_server.requests.share_state import NO_START_OFFSET

NO_STATES = StatePartitions()
MAX_PARTITIONS = 10_000
"""Partitions of one group. All are in one record, which is written and read in one turn of the loop; what is beyond is
not initialized, and so not assigned."""


def missing_states(
    group: ShareGroup, names: Iterable[str], topics: Topics, *, now_ms: int, retry_interval_ms: int
) -> dict[bytes, TopicStates]:
    """The partitions of subscribed topics that have no state and do not get one at the moment; so many of them as the
    group may have."""
    states = group.states or NO_STATES
    is_retry_due = now_ms - group.initializing_since_ms >= retry_interval_ms
    known = states.initialized if is_retry_due else combined(states.initialized, states.initializing)
    room = MAX_PARTITIONS - partition_count(known)
    found: dict[bytes, TopicStates] = {}
    for name in sorted(names):
        view = topics.by_name(name)
        if view is None or room <= 0:
            continue
        topic = known.get(view.topic_id)
        has = frozenset() if topic is None else topic.partitions
        if not has or len(has) < view.partition_count:
            missing = sorted(frozenset(range(view.partition_count)) - has)[:room]
            room -= len(missing)
            found[view.topic_id] = TopicStates(name, frozenset(missing))
    return found


def partition_count(states: States) -> int:
    """How many partitions there are."""
    return sum(len(topic.partitions) for topic in states.values())


def start_offsets(
    states: StatePartitions | None, missing: Mapping[bytes, TopicStates]
) -> dict[TopicIdPartition, int]:
    """Where the group begins to read new partitions.

    Partitions that a topic has got since the group knows it are read from their first record on. For a topic that is
    new to the group, the leader of each partition decides (`share.auto.offset.reset`).
    """
    known = states or NO_STATES
    return {
        TopicIdPartition(topic_id, index): 0 if known.is_known(topic_id) else NO_START_OFFSET
        for topic_id in sorted(missing)
        for index in sorted(missing[topic_id].partitions)
    }


def by_topic(partitions: Iterable[TopicIdPartition]) -> Indexes:
    found: dict[bytes, set[int]] = {}
    for topic_id, index in partitions:
        found.setdefault(topic_id, set()).add(index)
    return {topic_id: frozenset(indexes) for topic_id, indexes in found.items()}


def first_error(results: Results) -> ErrorCode:
    """The error of the first partition that has one."""
    for result in results.values():
        if result.code is not ErrorCode.NONE:
            return result.code
    return ErrorCode.NONE


def name_of(topics: Topics, topic_id: bytes) -> str:
    """The name of a topic, as records have it."""
    view = topics.by_id(topic_id)
    return UNKNOWN_NAME if view is None else view.name
