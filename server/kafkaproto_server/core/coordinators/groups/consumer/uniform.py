"""The assignor `uniform`: members get equal numbers of partitions, and keep what they have as far as that allows.

Balance goes before stickiness. If all members subscribe to the same topics, two members differ by one partition at
most. If not, partitions first go to the subscriber of their topic that has least. Then they are moved, topic by topic,
from the subscriber with most to the one with least, as long as two of them differ by more than one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush

from kafkaproto_server.core.coordinators.groups.consumer.values import MemberSpec
from kafkaproto_server.requests.consumer_group_requests import Partitions

MAX_ROUNDS = 16
"""How often all topics are balanced. Each move makes the whole more even; where subscriptions overlap in a chain, the
last moves would take many rounds for little."""

_Owned = dict[bytes, set[int]]


def assign_uniform(
    members: Sequence[MemberSpec], partition_counts: Mapping[bytes, int]
) -> dict[str, Partitions]:
    """The target of each member."""
    if not members:
        return {}
    in_order = sorted(members, key=lambda each: each.member_id)
    owned = {each.member_id: _still_its_own(each, partition_counts) for each in in_order}
    _drop_doubles(owned)
    if all(each.topic_ids == in_order[0].topic_ids for each in in_order):
        _share_evenly(owned, in_order[0].topic_ids, partition_counts)
    else:
        subscribers: dict[bytes, list[str]] = {}
        for member in in_order:
            for topic_id in member.topic_ids:
                subscribers.setdefault(topic_id, []).append(member.member_id)
        _share_by_subscription(owned, subscribers, partition_counts)
    return {
        member_id: {
            topic_id: tuple(sorted(topics[topic_id])) for topic_id in sorted(topics) if topics[topic_id]
        }
        for member_id, topics in owned.items()
    }


def _still_its_own(member: MemberSpec, partition_counts: Mapping[bytes, int]) -> _Owned:
    """What it had, of topics that it subscribes to, and of partitions that exist."""
    subscribed = frozenset(member.topic_ids)
    return {
        topic_id: {index for index in indexes if index < partition_counts[topic_id]}
        for topic_id, indexes in member.target.items()
        if topic_id in subscribed
    }


def _drop_doubles(owned: Mapping[str, _Owned]) -> None:
    """A target that this assignor did not make may be wrong: of two who have a partition, the first keeps it."""
    seen: _Owned = {}
    for topics in owned.values():
        for topic_id, indexes in topics.items():
            taken = seen.setdefault(topic_id, set())
            indexes -= taken
            taken |= indexes


def _count(topics: _Owned) -> int:
    return sum(len(indexes) for indexes in topics.values())


def _unowned(
    owned: Mapping[str, _Owned], topic_ids: Iterable[bytes], partition_counts: Mapping[bytes, int]
) -> list[tuple[bytes, int]]:
    taken: _Owned = {}
    for topics in owned.values():
        for topic_id, indexes in topics.items():
            taken.setdefault(topic_id, set()).update(indexes)
    return [
        (topic_id, index)
        for topic_id in topic_ids
        for index in range(partition_counts[topic_id])
        if index not in taken.get(topic_id, ())
    ]


def _share_evenly(
    owned: Mapping[str, _Owned], topic_ids: Sequence[bytes], partition_counts: Mapping[bytes, int]
) -> None:
    """All members subscribe to the same topics."""
    least, extra = divmod(sum(partition_counts[topic_id] for topic_id in topic_ids), len(owned))
    # Those who have most may have one more than others: then least has to move.
    in_order = sorted(owned, key=lambda member_id: -_count(owned[member_id]))
    quotas = {member_id: least + (number < extra) for number, member_id in enumerate(in_order)}
    for member_id, topics in owned.items():
        surplus = _count(topics) - quotas[member_id]
        for topic_id in sorted(topics, reverse=True):
            for index in sorted(topics[topic_id], reverse=True)[: max(surplus, 0)]:
                topics[topic_id].discard(index)
                surplus -= 1
    free = iter(_unowned(owned, topic_ids, partition_counts))
    for member_id, topics in owned.items():
        for _ in range(quotas[member_id] - _count(topics)):
            topic_id, index = next(free)
            topics.setdefault(topic_id, set()).add(index)


def _share_by_subscription(
    owned: Mapping[str, _Owned],
    subscribers: Mapping[bytes, Sequence[str]],
    partition_counts: Mapping[bytes, int],
) -> None:
    """Members subscribe to different topics."""
    loads = {member_id: _count(topics) for member_id, topics in owned.items()}
    # Topics that leave least choice come first: those with many partitions for each of few subscribers.
    in_order = sorted(
        subscribers,
        key=lambda each: (-partition_counts[each] / len(subscribers[each]), len(subscribers[each]), each),
    )
    heaps: dict[bytes, list[tuple[int, str]]] = {}
    for topic_id, index in _unowned(owned, in_order, partition_counts):
        if topic_id not in heaps:
            heaps = {topic_id: [(loads[each], each) for each in subscribers[topic_id]]}
            heapify(heaps[topic_id])
        load, member_id = heappop(heaps[topic_id])
        owned[member_id].setdefault(topic_id, set()).add(index)
        loads[member_id] = load + 1
        heappush(heaps[topic_id], (load + 1, member_id))
    for _ in range(MAX_ROUNDS):
        moves = sum(
            _balance(owned, loads, topic_id, subscribers[topic_id])
            for topic_id in in_order
            if len(subscribers[topic_id]) > 1
        )
        if not moves:
            break


def _balance(
    owned: Mapping[str, _Owned], loads: dict[str, int], topic_id: bytes, subscribers: Sequence[str]
) -> int:
    """Move partitions of a topic from those who have most to those who have least. Returns how many moved."""
    lowest = [(loads[each], each) for each in subscribers]
    highest = [(-loads[each], each) for each in subscribers if owned[each].get(topic_id)]
    heapify(lowest)
    heapify(highest)
    moves = 0
    while highest:
        while lowest[0][0] != loads[lowest[0][1]]:
            heappop(lowest)
        taker = lowest[0][1]
        load, giver = heappop(highest)
        if -load != loads[giver] or not owned[giver][topic_id]:
            continue
        if loads[giver] - loads[taker] <= 1:
            break
        index = max(owned[giver][topic_id])
        owned[giver][topic_id].remove(index)
        owned[taker].setdefault(topic_id, set()).add(index)
        loads[giver] -= 1
        loads[taker] += 1
        for each in (giver, taker):
            heappush(lowest, (loads[each], each))
            heappush(highest, (-loads[each], each))
        moves += 1
    return moves
