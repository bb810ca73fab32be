"""Records of one size, compared all at once.

Producers that are in a hurry often send records of one size, without headers. What `survey` wants to know of them then
lies at the same place in each, so one slice with a step has a field of them all. There are up to three such rows in a
batch: a record is a byte longer from the offset delta 64 on, and another byte from the first timestamp that is 64 ms
after the first one. Everything but keys, values and timestamps follows from the first record and from the number of the
records. So it is compared with what it has to be: one call takes all slices, one comparison looks at them.

What is right may not be recognized here: `survey` reads it record by record. What is recognized is right.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from operator import itemgetter
from typing import Final, NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import Buffer, read_unsigned_varint, write_varint

MAX_ALIKE: Final = 8192
"""Offset deltas from here on take three bytes."""
ONE_BYTE_DELTAS: Final = 64
"""Those from here on take two."""
_NULL: Final = 1
"""The length -1, zigzag-coded."""
_LAST_LENGTHS: Final = (63, 8191)
"""The next ones take a byte more."""
_MAX_PLANS: Final = 64
_PLANNED_RECORDS: Final = 2048
"""Plans for more records are not kept. So all that are kept take three megabytes at most."""
_SHORT_DELTAS: Final = bytes(range(0, 2 * ONE_BYTE_DELTAS, 2))
"""Offset deltas of one byte each, zigzag-coded, by their number."""
_LOW_BYTES: Final = bytes(delta << 1 & 0x7F | 0x80 for delta in range(MAX_ALIKE))
_HIGH_BYTES: Final = bytes(delta >> 6 for delta in range(MAX_ALIKE))
"""The two bytes of those that need two."""
_FEW_TIMES: Final = 8
_NOT_LAST: Final = bytes(range(0x80, 0x100))
"""The bytes of a varint that are followed by another one."""


class RecordSurvey(NamedTuple):
    """What a survey of records found."""

    min_timestamp_delta: int
    """The smallest timestamp of the records, counted from the base timestamp of the batch, in milliseconds."""
    max_timestamp_delta: int
    """The largest one."""
    all_have_keys: bool
    """Whether no record has a null key. An empty key is a key."""


class _Plan(NamedTuple):
    """What all records of a batch have to be like."""

    size: int
    """Of all of them."""
    take: Callable[[Buffer], tuple[Buffer, ...]]
    """Gives bytes as slices: first and second bytes of timestamp deltas that take two, timestamp deltas that take one,
    and all that is known."""
    long_times: int
    """How many slices are of the first kind."""
    times: int
    """How many are of the first and the second kind."""
    expected: tuple[bytes, ...]
    """What the others have to be."""
    have_keys: bool


_plans: Final[dict[tuple[int, int], _Plan]] = {}
"""Plans by the number of records and their size. A producer in a hurry sends the next batch with the same numbers; then
the first record need not be read. What does not fit is no more than a wasted comparison."""


def survey_alike(data: Buffer, count: int) -> RecordSurvey | None:
    """The survey of ``count`` records that are of one size but for the bytes that later offsets and timestamps take
    more. None if they are not.
    """
    plan = _plans.get((count, len(data)))
    if plan is None or (found := plan.take(data))[plan.times :] != plan.expected:
        plan = _plan_of(data, count)
        if plan is None or (found := plan.take(data))[plan.times :] != plan.expected:
            return None
        _keep(count, plan)
    # A part of a memoryview that is not in one piece is copied by bytes, and by nothing else.
    times = b"".join(map(bytes, found[plan.long_times : plan.times]))
    if not times.isascii():
        return None
    zigzag = set[int]()
    while times and len(zigzag) < _FEW_TIMES:
        # Most have the time of the one before.
        zigzag.add(times[0])
        times = times.lstrip(times[:1])
    zigzag.update(times)
    for at in range(0, plan.long_times, 2):
        low, high = bytes(found[at]), bytes(found[at + 1])
        if low.strip(_NOT_LAST) or not high.isascii():
            return None
        zigzag.update(a & 0x7F | b << 7 for a, b in set(zip(low, high, strict=True)))
    deltas = [coded >> 1 ^ -(coded & 1) for coded in zigzag]
    return RecordSurvey(min(deltas), max(deltas), plan.have_keys)


def _keep(count: int, plan: _Plan) -> None:
    if count <= _PLANNED_RECORDS:
        if len(_plans) >= _MAX_PLANS:
            _plans.clear()
        _plans[count, plan.size] = plan


def _plan_of(data: Buffer, count: int) -> _Plan | None:
    """What the records are like if all are like the first one, or None if they cannot be."""
    try:
        # Attributes, timestamp and offset of the first record take a byte each.
        head = _length_field(data, 0)
        key_at = len(head) + 3
        key = _length_field(data, key_at)
        value_at = key_at + len(key) + _content_bytes(key)
        value = _length_field(data, value_at)
        length = _content_bytes(head)
        # The last byte says that there are no headers.
        size = value_at + len(value) + _content_bytes(value) + 1
    except (IndexError, RemoteProtocolError):
        return None
    if length != size - len(head) or count > MAX_ALIKE:
        return None
    # If all timestamps were short, so many bytes would be left.
    early = min(count, ONE_BYTE_DELTAS)
    wider = size + 1 + (length in _LAST_LENGTHS)
    long_times = len(data) - early * size - (count - early) * wider
    if not 0 <= long_times < count:
        return None
    plan = _plan(count, long_times, key, value)
    return plan if plan.size == len(data) else None


def _length_field(data: Buffer, at: int) -> bytes:
    """The varint there, at most three bytes long."""
    end = at + 1
    while data[end - 1] >= 0x80 and end - at < 3:
        end += 1
    return bytes(data[at:end])


def _content_bytes(field: bytes) -> int:
    """How many bytes follow a length. Raises RemoteProtocolError if none can be so long."""
    coded = field[0] if len(field) == 1 else read_unsigned_varint(field, 0)[0]
    if coded & 1 and coded != _NULL:
        raise RemoteProtocolError("a key or value cannot have a negative length")
    return coded >> 1


def _plan(count: int, long_times: int, key: bytes, value: bytes) -> _Plan:
    """For ``count`` records whose keys and values have these lengths. The timestamps of the last ``long_times`` take
    two bytes each."""
    known: list[tuple[slice, bytes]] = []
    short: list[slice] = []
    long: list[slice] = []
    at = begin = 0
    for end in sorted({min(count, ONE_BYTE_DELTAS), count - long_times, count}):
        number, offset_bytes = end - begin, 1 + (begin >= ONE_BYTE_DELTAS)
        time_bytes = 1 + (begin >= count - long_times)
        inner = 1 + time_bytes + offset_bytes + len(key) + _content_bytes(key)
        inner += len(value) + _content_bytes(value) + 1
        head = bytearray()
        write_varint(head, inner)
        size = len(head) + inner
        time_at = len(head) + 1
        offset_at = time_at + time_bytes
        key_at = offset_at + offset_bytes
        value_at = key_at + len(key) + _content_bytes(key)
        stop = at + number * size
        times = [slice(at + each, stop, size) for each in range(time_at, offset_at)]
        (short if time_bytes == 1 else long).extend(times)
        deltas = [_SHORT_DELTAS] if offset_bytes == 1 else [_LOW_BYTES, _HIGH_BYTES]
        known.extend(
            (slice(at + place, stop, size), each[begin:end]) for place, each in enumerate(deltas, offset_at)
        )
        fixed = chain(enumerate(head), enumerate(key, key_at), enumerate(value, value_at), [(size - 1, 0)])
        known.extend((slice(at + place, stop, size), bytes((byte,)) * number) for place, byte in fixed)
        begin, at = end, stop
    return _Plan(
        size=at,
        take=itemgetter(*long, *short, *[row for row, _ in known]),
        long_times=len(long),
        times=len(long) + len(short),
        expected=tuple([each for _, each in known]),
        have_keys=read_unsigned_varint(key, 0)[0] != _NULL,
    )
