"""A coordinator of consumer groups with made-up topics, and clients that act as consumers do."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.heartbeat import ConsumerGroups
from kafkaproto_server.core.coordinators.groups.consumer.settings import (
    ConsumerGroupConfig,
    consumer_settings_of,
)
from kafkaproto_server.core.coordinators.groups.topics import NO_TOPIC_HASH, TopicView, group_hash, topic_hash
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.consumer_group_requests import HeartbeatOutcome, HeartbeatValues, Partitions
from tests.core.coordinators.support.world import World

GROUP = "group"
SESSION_MS = 45_000
REBALANCE_MS = 60_000
INTERVAL_MS = 5_000
"""Between two heartbeats."""


def short_hash(data: bytes) -> int:
    """Stands in for XXH3."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")


class Regex:
    """A compiled expression whose program has a given size."""

    def __init__(self, compiled: re.Pattern[str], program_size: int) -> None:
        self._compiled = compiled
        self._program_size = program_size

    def cost(self, text: str) -> int:
        """Size of the program times length."""
        return self._program_size * len(text)

    def matches(self, text: str) -> bool:
        """Whether it matches the whole of a text."""
        return self._compiled.fullmatch(text) is not None


def compile_regex(regex: str) -> Regex:
    """Stands in for RE2."""
    try:
        compiled = re.compile(regex)
    except re.error as error:
        raise ValueError(str(error)) from error
    return Regex(compiled, len(regex))


def topic_id(name: str) -> bytes:
    """The id of a made-up topic."""
    return hashlib.md5(name.encode(), usedforsecurity=False).digest()


class MadeUpTopics:
    """Topics that tests make and change."""

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = counts
        self.racks: dict[str, list[list[str]]] = {}
        self._version = 1

    def change(self, name: str, count: int | None) -> None:
        """Make a topic, give it another number of partitions, or delete it."""
        self._version += 1
        if count is None:
            self.counts.pop(name, None)
        else:
            self.counts[name] = count

    def by_name(self, name: str) -> TopicView | None:
        """As Topics has it."""
        return TopicView(topic_id(name), name, self.counts[name]) if name in self.counts else None

    def by_id(self, topic_id_: bytes) -> TopicView | None:
        """As Topics has it."""
        return next((self.by_name(name) for name in self.counts if topic_id(name) == topic_id_), None)

    def names(self) -> Iterable[str]:
        """As Topics has it."""
        return tuple(self.counts)

    def version(self) -> int:
        """As Topics has it."""
        return self._version

    def hash_of(self, name: str) -> int:
        """As Topics has it."""
        if name not in self.counts:
            return NO_TOPIC_HASH
        racks = self.racks.get(name, [[]] * self.counts[name])
        return topic_hash(short_hash, topic_id(name), name, racks)

    def hash_of_all(self, names: Iterable[str]) -> int:
        """As Topics has it."""
        return group_hash(short_hash, {name: self.hash_of(name) for name in names})


class Coordinator:
    """A coordinator whose log commits at once, unless a test says otherwise."""

    def __init__(self, counts: dict[str, int] | None = None, **config: Any) -> None:
        self.world = World()
        self.world.log.commits_at_once = True
        self.topics = MadeUpTopics({"a": 2} if counts is None else counts)
        self.config = ConsumerGroupConfig(**config)
        self.own_config: dict[str, str] = {}
        self.groups = self._new()

    def _new(self) -> ConsumerGroups:
        return ConsumerGroups(
            settings=lambda group_id: consumer_settings_of(self.config, self.own_config),
            topics=self.topics,
            compile_regex=compile_regex,
            log=self.world.log,
            surroundings=self.world,
            metrics=GroupMetrics(),
        )

    @property
    def group(self) -> ConsumerGroup:
        """The group of most tests."""
        return self.groups.groups[GROUP]

    def send(self, **fields: Any) -> list[HeartbeatOutcome]:
        """A heartbeat. Returns the list that gets the response."""
        heard: list[HeartbeatOutcome] = []
        self.groups.heartbeat(HeartbeatValues(**{"group_id": GROUP, **fields}), heard.append)
        return heard

    def beat(self, member_id: str, epoch: int, **fields: Any) -> HeartbeatOutcome:
        """A heartbeat and its response."""
        (outcome,) = self.send(member_id=member_id, member_epoch=epoch, **fields)
        return outcome

    def join(self, member_id: str, *names: str, **fields: Any) -> HeartbeatOutcome:
        """A member joins, and subscribes to topics."""
        values = {
            "rebalance_timeout_ms": REBALANCE_MS,
            "topic_partitions": {},
            "subscribed_topic_names": names or None,
        }
        return self.beat(member_id, 0, **{**values, **fields})

    def refusal(self, **fields: Any) -> ErrorCode:
        """The code with which a heartbeat is refused."""
        try:
            self.send(**fields)
        except CoordinatorError as error:
            return error.code
        return ErrorCode.NONE

    def records_of(self, act: Callable[[], object]) -> list[tuple[Message, Message | None]]:
        """The records that are written meanwhile."""
        before = len(self.world.log.records())
        act()
        return self.world.log.records()[before:]

    def move(self, records: Iterable[tuple[Message, Message | None]] | None = None) -> None:
        """Another broker coordinates the group: it reads the log, or these records."""
        old, self.groups = self.groups, self._new()
        old.unload()
        for key, value in self.world.log.records() if records is None else records:
            self.groups.replay(GROUP, key, value)
        self.groups.take_over(self.world.log.end_offset)
        for group_id in self.groups.groups:
            self.groups.begin_sessions(group_id)

    def change_topic(self, name: str, count: int | None) -> None:
        """A topic changes, and the coordinator is told so."""
        is_new = count is not None and name not in self.topics.counts
        self.topics.change(name, count)
        self.tell([name], has_new=is_new)

    def tell(self, names: Iterable[str], *, has_new: bool) -> None:
        """Tell all groups that topics have changed."""
        if has_new:
            self.groups.regexes.has_new_topics()
        for group_id in self.groups.groups:
            self.groups.topics_changed(frozenset(names), group_id)


def persistent(group: ConsumerGroup | None) -> object:
    """What of a group has to survive."""
    if group is None:
        return None
    return (
        group.epoch,
        group.metadata_hash,
        group.has_partition_metadata,
        group.assignment_epoch,
        group.assignment_wall_ms,
        group.members,
        group.static_ids,
        group.targets,
        group.owners,
        group.regexes,
        group.regex_counts,
    )


def compacted(records: list[tuple[Message, Message | None]]) -> list[tuple[Message, Message | None]]:
    """The last record of each key, without tombstones."""
    last = {repr(key): number for number, (key, _) in enumerate(records)}
    return [
        each for number, each in enumerate(records) if last[repr(each[0])] == number and each[1] is not None
    ]


class Client:
    """A consumer: it revokes before it says so, and takes what it is told."""

    def __init__(self, coordinator: Coordinator, member_id: str, instance_id: str | None = None) -> None:
        self.coordinator = coordinator
        self.member_id = member_id
        self.instance_id = instance_id
        self.names: tuple[str, ...] = ()
        self.regex: str | None = None
        self.epoch = 0
        self.owned: set[tuple[bytes, int]] = set()
        self.wanted: set[tuple[bytes, int]] = set()
        """Its assignment, as it was told last."""
        self.sends_all = True
        """Whether the next heartbeat has everything: the first one does, and those after errors."""
        self.sent_subscription: tuple[tuple[str, ...], str | None] | None = None

    def beat(self, *, is_lost: bool = False, is_slow: bool = False) -> None:
        """A heartbeat. The response may be lost; the client may be slow to revoke."""
        subscription = self.names, self.regex
        values = HeartbeatValues(
            group_id=GROUP,
            member_id=self.member_id,
            member_epoch=self.epoch,
            instance_id=self.instance_id,
            topic_partitions=self._reported() if self.epoch else {},
        )
        if self.sends_all or self.epoch == 0:
            values = msgspec.structs.replace(values, rebalance_timeout_ms=REBALANCE_MS)
        if self.sends_all or self.epoch == 0 or subscription != self.sent_subscription:
            values = msgspec.structs.replace(
                values, subscribed_topic_names=self.names, subscribed_topic_regex=self.regex or ""
            )
        heard: list[HeartbeatOutcome] = []
        try:
            self.coordinator.groups.heartbeat(values, heard.append)
        except CoordinatorError as error:
            if error.code not in (
                ErrorCode.FENCED_MEMBER_EPOCH,
                ErrorCode.UNKNOWN_MEMBER_ID,
                ErrorCode.GROUP_ID_NOT_FOUND,
                # After a response was lost twice, until its session ends.
                ErrorCode.UNRELEASED_INSTANCE_ID,
            ):
                raise
            self.begin_anew()
            return
        self.sends_all = is_lost
        if is_lost:
            return
        (outcome,) = heard
        self.sent_subscription = subscription
        self.epoch = outcome.member_epoch
        if outcome.assignment is not None:
            self.wanted = {
                (topic, index) for topic, indexes in outcome.assignment.items() for index in indexes
            }
        if not is_slow:
            self.reconcile()

    def reconcile(self) -> None:
        """Revoke what is not its own any more, and take what is new."""
        self.owned = set(self.wanted)

    def begin_anew(self) -> None:
        """It was fenced: it gives up everything and joins again, as a new member."""
        self.owned, self.wanted = set(), set()
        self.epoch, self.sends_all, self.sent_subscription = 0, True, None

    def _reported(self) -> Partitions:
        found: dict[bytes, tuple[int, ...]] = {}
        for topic, index in sorted(self.owned):
            found[topic] = (*found.get(topic, ()), index)
        return found
