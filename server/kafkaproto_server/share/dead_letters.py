"""Dead letters: records of a share group that are written to the group's dead-letter topic (KIP-1191), since a member
has rejected them or they were delivered as often as they may be.

Each offset becomes one record, whether the log has a record there or not. Its headers say where it comes from; key and
value are copied if the group wants that. They are not copied if the log does not have the record any more, or if the
record, also with its new headers, or the compressed batch that it is in, is larger than a batch of the dead-letter
topic may be. Headers and timestamp are not copied.

A *round* is what is written at once: one batch. A letter may need several rounds.

Apache Kafka: ``ShareGroupDLQStateManager.ProduceRequestHandler``, ``ShareGroupDLQRecordFetcher``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto.records.record import Record, encode_kept_records
from kafkaproto_server.ports import Buffer
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
    """Those of records whose locks have expired (`SharePartition.expire`)."""
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
    if topic.startswith(_RESERVED_PREFIX):
        return f"the name of {topic} begins with {_RESERVED_PREFIX}"
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
    """A batch."""
    complete: int
    """How many letters are written with it."""
    rest: DeadLetter | None
    """Of the letter behind those, what is for later rounds; None if none of it is in this one."""
    size: int
    """How many records it has."""


class Copies:
    """Reads the records that are copied, in the order of their offsets."""

    def __init__(self, read: Callable[[int], Buffer], log_start: int, max_bytes: int) -> None:
        """``read`` returns batches of the log, the first of which has an offset; nothing if it cannot. It may
        block."""
        self._read = read
        self._log_start = log_start
        self._max_bytes = max_bytes
        self._next = log_start
        self._batches: Iterator[RecordBatchView] = iter(())
        self._view: RecordBatchView | None = None
        self._records: Iterator[Record] = iter(())
        self._record: Record | None = None
        self._is_over = False

    def of(self, offset: int) -> tuple[bytes | None, bytes | None]:
        """Key and value of a record; None and None if it is not copied. Offsets ascend, or the log is read again."""
        if offset < self._log_start or self._is_over:
            return None, None
        if offset < self._next:
            self._batches, self._view, self._record = iter(()), None, None
        self._next = offset + 1
        view = self._view_of(offset)
        if view is None:
            return None, None
        while self._record is not None and self._record.offset < offset:
            self._advance()
        record = self._record
        if record is None or record.offset != offset or self._is_too_large(view, record):
            return None, None
        return record.key, record.value

    def _view_of(self, offset: int) -> RecordBatchView | None:
        """The batch that has an offset, or else the one behind it; None if there is none."""
        has_read = False
        while self._view is None or self._view.last_offset < offset:
            view = next(self._batches, None)
            if view is not None:
                if view.last_offset >= offset:
                    self._open(view)
                continue
            if has_read:
                # Nothing more can be found out. Later letters do without, too.
                self._is_over = True
                return None
            self._batches = _whole_batches(self._read(offset))
            has_read = True
        return self._view

    def _open(self, view: RecordBatchView) -> None:
        self._view = view
        self._records = view.records(self._max_bytes if view.compression else view.size_in_bytes)
        self._advance()

    def _advance(self) -> None:
        try:
            self._record = next(self._records, None)
        except RemoteProtocolError:
            # The batch is too large when it is decompressed, or damaged.
            self._record = None

    def _is_too_large(self, view: RecordBatchView, record: Record) -> bool:
        if view.compression or view.size_in_bytes <= self._max_bytes:
            return False
        # Its delta is not that of the batch: a producer writes what it likes into the base timestamp if the topic has
        # LogAppendTime.
        return len(encode_kept_records([record], view.base_offset, record.timestamp)) > self._max_bytes


def next_round(
    origin: Origin, letters: Sequence[DeadLetter], copies: Copies | None, max_bytes: int, wall_ms: int
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
        for offset in range(letter.first, letter.last + 1):
            key, value = (None, None) if copies is None else copies.of(offset)
            place = b"%d" % offset
            own = [
                ("__dlq.errors.offset", place),
                ("__dlq.errors.delivery.count", count),
                ("__dlq.errors.message", message),
            ]
            added = common + len(key or b"") + len(value or b"") + _size_of_headers(own)
            if records and (size + added > room or len(records) == ROUND_RECORDS):
                rest = letter._replace(first=offset) if offset > letter.first else None
                return Round(_batch(records, max_bytes, wall_ms), position, rest, len(records))
            records.append(NewRecord(key, value, [*known[:2], own[0], known[2], *own[1:]]))
            size += added
    return Round(_batch(records, max_bytes, wall_ms), len(letters), None, len(records))


def _whole_batches(records: Buffer) -> Iterator[RecordBatchView]:
    try:
        yield from iterate_stored_batches(records)
    except RemoteProtocolError:
        # It is damaged from there on.
        return


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
