"""Dead letters: records of a share group that are written to the group's dead-letter topic (KIP-1191), since a member
has rejected them or they were delivered as often as they may be.

Each record that the log has at the offsets of a letter (`source_records`) becomes one record. Its headers say where it
comes from; key and value are copied if the group wants that. They are not copied if the log does not have the record
any more, or if the record, also with its new headers, or the compressed batch that it is in, is larger than a batch of
the dead-letter topic may be. Headers and timestamp are not copied.

A *round* is what is written at once: one batch. A letter may need several rounds. A round may have no record, if the
log has none at the offsets that it is about.

Apache Kafka: ``ShareGroupDLQStateManager.ProduceRequestHandler``, ``ShareGroupDLQRecordFetcher``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.core.share_partitions.source_records import SourcePlace, SourceRecords
from kafkaproto_server.requests.share_state import ARCHIVING, StateBatch

REJECTED: Final = "Offset rejected by client."
SPENT: Final = "Offset delivery count exceeded the threshold."
ROUND_BYTES: Final = 1024 * 1024
"""How large a round gets, unless a single record is larger."""
ROUND_RECORDS: Final = 1_000
"""How many records a round has. To make them takes some milliseconds."""
_BATCH_HEADER_BYTES = 61
_RECORD_OVERHEAD_BYTES = 40
"""What a record may have besides its key, its value and its headers."""
_RESERVED_PREFIX = "__"


class DeadLetter(NamedTuple):
    """Consecutive records that go to the dead-letter topic for the same reason."""

    first: int
    last: int
    delivery_count: int
    is_rejected: bool
    """Whether a member has rejected them. Else they were delivered too often."""


def spent_letters(batches: Iterable[StateBatch]) -> list[DeadLetter]:
    """Those of records whose locks have expired (`expiring.expire`)."""
    return [
        DeadLetter(each.first_offset, each.last_offset, each.delivery_count, is_rejected=False)
        for each in batches
        if each.delivery_state == ARCHIVING
    ]


class TopicRules(msgspec.Struct, frozen=True, kw_only=True):
    """What decides whether a topic may be a dead-letter topic."""

    prefix: str
    """errors.deadletterqueue.topic.name.prefix: names begin with it."""
    may_be_created: bool
    """errors.deadletterqueue.auto.create.topics.enable"""
    exists: bool
    is_enabled: bool
    """The topic's errors.deadletterqueue.group.enable."""


def refusal(topic: str, rules: TopicRules) -> str | None:
    """Why a topic may not be a group's dead-letter topic; None if it may."""
    if not topic:
        return "the group has no dead-letter topic any more"
    # Internal topics and those of other tools: a group must not write into `__consumer_offsets`.
    if topic.startswith(_RESERVED_PREFIX):
        return f"the name of {topic} begins with {_RESERVED_PREFIX}"
    # The owner of the topic decides, and not the owner of the group (KIP-1191).
    if rules.exists and not rules.is_enabled:
        return f"{topic} does not have errors.deadletterqueue.group.enable=true"
    if not rules.exists and not rules.may_be_created:
        return f"{topic} does not exist, and errors.deadletterqueue.auto.create.topics.enable is false"
    if not topic.startswith(rules.prefix):
        return f"the name of {topic} does not begin with {rules.prefix}"
    return None


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where dead letters come from."""

    topic: str
    partition: int
    group_id: str


class Round(NamedTuple):
    """What is written at once."""

    records: bytes
    """A batch, or nothing."""
    complete: int
    """How many letters are written with it."""
    rest: DeadLetter | None
    """Of the letter behind those, what is for later rounds; None if none of it is in this one."""
    size: int
    """How many records it has; there may be none."""
    place: SourcePlace | None = None
    """Where the next round begins, if that is known."""


def next_round(
    origin: Origin,
    letters: Sequence[DeadLetter],
    source: SourceRecords,
    max_bytes: int,
    wall_ms: int,
    *,
    is_copied: bool,
) -> Round:
    """The next round of at least one letter. ``max_bytes`` is the most that a batch of the topic may have; a single
    record may exceed it even without key and value, and is refused by the topic."""
    room = min(max_bytes, ROUND_BYTES)
    known = [
        ("__dlq.errors.topic", origin.topic.encode()),
        ("__dlq.errors.partition", b"%d" % origin.partition),
        ("__dlq.errors.group", origin.group_id.encode()),
    ]
    common = _RECORD_OVERHEAD_BYTES + _size_of_headers(known)
    size = _BATCH_HEADER_BYTES
    records: list[NewRecord] = []
    for position, letter in enumerate(letters):
        count = b"%d" % letter.delivery_count
        message = (REJECTED if letter.is_rejected else SPENT).encode()
        offset = source.first_from(letter.first, letter.last)
        while offset is None or offset <= letter.last:
            # What is found so far is written, and the search goes on in the next round: a letter may be about a billion
            # offsets.
            if offset is None:
                return _round(records, max_bytes, wall_ms, position, _rest(letter, source.looked_to), None)
            key, value = source.copy() if is_copied else (None, None)
            place = b"%d" % offset
            own = [
                ("__dlq.errors.offset", place),
                ("__dlq.errors.delivery.count", count),
                ("__dlq.errors.message", message),
            ]
            added = common + len(key or b"") + len(value or b"") + _size_of_headers(own)
            # At least one record, or a large one would never be written.
            if records and (size + added > room or len(records) == ROUND_RECORDS):
                return _round(records, max_bytes, wall_ms, position, _rest(letter, offset), source.place)
            records.append(NewRecord(key, value, [*known[:2], own[0], known[2], *own[1:]]))
            size += added
            offset = source.first_from(offset + 1, letter.last)
    return _round(records, max_bytes, wall_ms, len(letters), None, None)


def _rest(letter: DeadLetter, offset: int) -> DeadLetter | None:
    return letter._replace(first=offset) if offset > letter.first else None


def _round(
    records: list[NewRecord],
    max_bytes: int,
    wall_ms: int,
    complete: int,
    rest: DeadLetter | None,
    place: SourcePlace | None,
) -> Round:
    batch = _batch(records, max_bytes, wall_ms) if records else b""
    return Round(batch, complete, rest, len(records), place)


def _size_of_headers(headers: Iterable[tuple[str, bytes]]) -> int:
    """The most bytes that they take."""
    return sum(10 + len(key) + len(value) for key, value in headers)


def _batch(records: list[NewRecord], max_bytes: int, wall_ms: int) -> bytes:
    made = build_batch(records, base_offset=0, timestamp_ms=wall_ms)
    if len(made) <= max_bytes or len(records) > 1:
        return made
    # A record that is too large is alone. If the topic refused it, what is left of its letter would not be written.
    bare = records[0]._replace(key=None, value=None)
    return build_batch([bare], base_offset=0, timestamp_ms=wall_ms)
