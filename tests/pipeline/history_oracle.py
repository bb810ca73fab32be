"""Histories told the slow way: one record after the other, the whole image looked at after each.

Random ones to tell, too. Rows of tables are plain tuples, with times in milliseconds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from immutables import Map

from kafkaproto import uuids
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerRegistrationChangeRecord,
    ClientQuotaRecord,
    ConfigRecord,
    DelegationTokenRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
)
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.replay import replay
from tests.metadata.image.support.workload import metadata_version_record, random_record

RESERVED = tuple(bytes(15) + bytes([each]) for each in range(3))
MIGRATING, UNASSIGNED, LOST = RESERVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One record of a log, with the images around it."""

    offset: int
    timestamp_ms: int
    record: Message
    before: ClusterImage
    after: ClusterImage
    epoch: int = 1
    transaction: int | None = None
    """The offset at which the record's metadata transaction began."""


State: TypeAlias = tuple[Any, ...]
Look: TypeAlias = Callable[[ClusterImage], Mapping[tuple[Any, ...], State]]
Position: TypeAlias = tuple[int, int]
Interval: TypeAlias = tuple[tuple[Any, ...], State, Position, Position | None, State | None]


def random_history(seed: int, count: int) -> list[Step]:
    """A log of records that make sense, few enough directories among them that some come back."""
    rng = random.Random(seed)
    steps: list[Step] = []
    image, timestamp_ms = EMPTY_IMAGE, 1_700_000_000_000 + rng.randint(0, 3_600_000)
    while len(steps) < count:
        offset = len(steps)
        drawn = metadata_version_record() if offset == 0 else random_record(rng, image, offset)
        record = _told(rng, drawn, timestamp_ms)
        if isinstance(record, ConfigRecord) and record.resource_type == 2:
            # Nobody sets configs of a topic that is not there.
            if not image.topic_ids:
                continue
            record.resource_name = rng.choice(sorted(image.topic_ids))
        after = replay(image, record, offset)
        steps.append(Step(offset=offset, timestamp_ms=timestamp_ms, record=record, before=image, after=after))
        image = after
        timestamp_ms += rng.choice((0, 1, 1_000, 60_000, 1_200_000, 9_000_000))
    return steps


def _told(rng: random.Random, record: Message, timestamp_ms: int) -> Message:
    """The record with directories out of few; a token that expires sooner or later."""
    if isinstance(record, DelegationTokenRecord):
        record.expiration_timestamp = timestamp_ms + rng.choice((1_000, 10_000_000, 1_000_000_000))
    if isinstance(record, RegisterBrokerRecord | BrokerRegistrationChangeRecord):
        record.log_dirs = [_directory(rng) for _ in record.log_dirs]
        record.log_dirs = sorted(set(record.log_dirs))
        if record.cordoned_log_dirs:
            record.cordoned_log_dirs = [_directory(rng)]
    if isinstance(record, PartitionRecord | PartitionChangeRecord) and record.directories:
        places = [_directory(rng) for _ in range(2)] + list(RESERVED)
        record.directories = [rng.choice(places) for _ in record.directories]
    return record


def _directory(rng: random.Random) -> bytes:
    return bytes([0xD0 + rng.randint(0, 2)]) * 16


def intervals(
    steps: Iterable[Step], look: Look, *, base: tuple[Position, ClusterImage] | None = None
) -> list[Interval]:
    """(key, state, from, to, state that follows) for whatever ``look`` sees; None while it lasts."""
    seen: dict[tuple[Any, ...], tuple[State, Position]] = {}
    found: list[Interval] = []
    if base is not None:
        seen = {key: (state, base[0]) for key, state in look(base[1]).items()}
    for step in steps:
        here = (step.offset, step.timestamp_ms)
        now = look(step.after)
        for key in sorted({*seen, *now}):
            old = seen.get(key)
            if old is not None and old[0] == now.get(key):
                continue
            if old is not None:
                found.append((key, old[0], old[1], here, now.get(key)))
                del seen[key]
            if key in now:
                seen[key] = (now[key], here)
    found += [(key, state, start, None, None) for key, (state, start) in seen.items()]
    return found


def span(start: Position, end: Position | None) -> tuple[Any, ...]:
    """The columns of an interval: from and to, by offset and time, and duration."""
    if end is None:
        return (*start, None, None, None)
    return (*start, *end, max(0, end[1] - start[1]))


def partitions(
    image: ClusterImage, state: Callable[[PartitionImage, str], State]
) -> dict[tuple[Any, ...], State]:
    return {
        (topic.name, uuids.to_text(topic.topic_id), index): state(partition, topic.name)
        for topic in image.topics.values()
        for index, partition in topic.partitions.items()
    }


def leadership(steps: list[Step], **base: Any) -> list[tuple[Any, ...]]:
    def look(image: ClusterImage) -> Mapping[tuple[Any, ...], State]:
        return partitions(image, lambda each, _: (each.leader, each.leader_epoch))

    return [
        (*key, *state, *span(start, end), _ended_by(state, end, following))
        for key, state, start, end, following in intervals(steps, look, **base)
    ]


def _ended_by(state: Any, end: Position | None, following: Any) -> str | None:
    if end is None:
        return None
    if following is None:
        return "topic deleted"
    if following[0] == -1:
        return "leaderless"
    return "same leader" if following[0] == state[0] else "another leader"


def min_isr(image: ClusterImage, topic: str) -> int:
    for resource in ((2, topic), (4, "")):
        value = image.config(*resource).get("min.insync.replicas", "")
        if value:
            return int(value)
    return 1


def isr_state(image: ClusterImage) -> Mapping[tuple[Any, ...], State]:
    def state(each: PartitionImage, topic: str) -> State:
        minimum = min_isr(image, topic)
        return (each.isr, each.replicas, each.adding_replicas, each.elr, minimum, each.leader == -1)

    return partitions(image, state)


def isr(steps: list[Step], **base: Any) -> list[tuple[Any, ...]]:
    rows = []
    for key, state, start, end, _ in intervals(steps, isr_state, **base):
        members, replicas, adding, elr, minimum, leaderless = state
        under = len(members) < len(replicas) - len(adding)
        below = len(members) < min(minimum, len(replicas))
        rows.append(
            (*key, members, replicas, elr, minimum, under, below, leaderless, *span(start, end)),
        )
    return rows


def brokers(steps: list[Step], **base: Any) -> list[tuple[Any, ...]]:
    """A broker's state is looked at with what was before: unfenced once, it is no longer merely registered."""
    was_active: set[tuple[int, int]] = set()
    last: dict[int, tuple[int, str]] = {}
    if base:
        was_active = {(each.broker_id, each.epoch) for each in base["base"][1].brokers.values()}

    def look(image: ClusterImage) -> Mapping[tuple[Any, ...], State]:
        states: dict[tuple[Any, ...], State] = {}
        for broker_id, epoch_and_incarnation in last.items():
            states[(broker_id,)] = ("unregistered", *epoch_and_incarnation)
        for each in image.brokers.values():
            key = (each.broker_id, each.epoch)
            if not each.fenced:
                was_active.add(key)
            if each.fenced:
                state = "fenced" if key in was_active else "registered"
            else:
                state = "controlled shutdown" if each.in_controlled_shutdown else "active"
            last[each.broker_id] = (each.epoch, uuids.to_text(each.incarnation_id))
            states[(each.broker_id,)] = (state, *last[each.broker_id])
        return states

    return [(*key, *state, *span(start, end)) for key, state, start, end, _ in intervals(steps, look, **base)]


def directories(steps: list[Step]) -> list[tuple[Any, ...]]:
    known = steps[0].before.brokers.values()
    online = {each.broker_id: list(each.directories) for each in known}
    cordoned = {each.broker_id: list(each.cordoned_directories or ()) for each in known}
    rows: list[tuple[Any, ...]] = []
    for step in steps:
        record = step.record
        here = (step.offset, step.timestamp_ms)
        if isinstance(record, RegisterBrokerRecord | BrokerRegistrationChangeRecord):
            broker = record.broker_id
            lost = "missing" if isinstance(record, RegisterBrokerRecord) else "failed"
            if record.log_dirs:
                old = online.get(broker, [])
                rows += [
                    (*here, broker, *each) for each in _differences(old, record.log_dirs, "online", lost)
                ]
                online[broker] = record.log_dirs
            if record.cordoned_log_dirs is not None:
                new, old = record.cordoned_log_dirs, cordoned.get(broker, [])
                rows += [(*here, broker, *each) for each in _differences(old, new, "cordoned", "uncordoned")]
                cordoned[broker] = new
        if isinstance(record, PartitionChangeRecord):
            rows += [(*here, *each) for each in _moves(step, record)]
    return rows


def _differences(old: list[bytes], new: list[bytes], came: str, went: str) -> list[tuple[Any, ...]]:
    both = [(came, each) for each in new if each not in old] + [
        (went, each) for each in old if each not in new
    ]
    return [(event, uuids.to_text(directory), None, None, None, None) for event, directory in both]


def _moves(step: Step, record: PartitionChangeRecord) -> Iterable[tuple[Any, ...]]:
    old = step.before.partition(record.topic_id, record.partition_id)
    new = step.after.partition(record.topic_id, record.partition_id)
    assert old is not None
    assert new is not None
    name = step.after.topics[record.topic_id].name
    for broker in new.replicas:
        if broker not in old.replicas or old.directory_of(broker) == new.directory_of(broker):
            continue
        source, target = old.directory_of(broker), new.directory_of(broker)
        if target == LOST:
            event = "lost"
        elif target in RESERVED:
            event = "unassigned"
        else:
            event = "assigned" if source in (MIGRATING, UNASSIGNED) else "moved"
        texts = (uuids.to_text(target), uuids.to_text(source))
        yield (broker, event, *texts, name, uuids.to_text(record.topic_id), record.partition_id)


def config_changes(steps: list[Step]) -> list[tuple[Any, ...]]:
    words = {2: "TOPIC", 4: "BROKER", 8: "BROKER_LOGGER", 16: "CLIENT_METRICS", 32: "GROUP"}
    rows: list[tuple[Any, ...]] = []
    for step in steps:
        for resource, values in step.before.configs.items():
            if resource not in step.after.configs and not isinstance(step.record, ConfigRecord):
                for key, value in values.items():
                    rows.append(
                        (step.offset, step.timestamp_ms, "TOPIC", resource[1], key, value, None, True, True)
                    )
        if isinstance(step.record, ConfigRecord):
            record = step.record
            resource = (record.resource_type, record.resource_name)
            old, new = (image.config(*resource).get(record.name) for image in (step.before, step.after))
            where = (step.offset, step.timestamp_ms, words[resource[0]], resource[1], record.name)
            rows.append((*where, old, new, new is None, False))
    return rows


def acl_changes(steps: list[Step]) -> list[tuple[Any, ...]]:
    rows = []
    for step in steps:
        for change, here, there in (
            ("created", step.after, step.before),
            ("removed", step.before, step.after),
        ):
            if len(here.acls) <= len(there.acls):
                continue
            for acl_id, acl in here.acls.items():
                if acl_id not in there.acls:
                    text = uuids.to_text(acl_id)
                    rows.append(
                        (step.offset, step.timestamp_ms, change, text, acl.principal, acl.resource_name)
                    )
    return rows


def quota_changes(steps: list[Step]) -> list[tuple[Any, ...]]:
    rows = []
    for step in steps:
        record = step.record
        if not isinstance(record, ClientQuotaRecord):
            continue
        entity = tuple(sorted((each.entity_type, each.entity_name) for each in record.entity))
        nothing: Map[str, float] = Map()
        old, new = (
            image.client_quotas.get(entity, nothing).get(record.key) for image in (step.before, step.after)
        )
        rows.append((step.offset, step.timestamp_ms, entity, record.key, old, new, new is None))
    return rows


def scram_changes(steps: list[Step]) -> list[tuple[Any, ...]]:
    words = {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
    rows = []
    for step in steps:
        before, after = step.before.scram_credentials, step.after.scram_credentials
        if step.record.NAME not in ("UserScramCredentialRecord", "RemoveUserScramCredentialRecord"):
            continue
        record: Any = step.record
        key = (record.mechanism, record.name)
        change = "removed" if key not in after else "changed" if key in before else "created"
        rows.append((step.offset, step.timestamp_ms, record.name, words[record.mechanism], change))
    return rows
