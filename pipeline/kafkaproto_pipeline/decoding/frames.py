"""Finds where the records of many batches lie, for all batches at once.

Of a batch it is known where its records begin, where they end, and how many there are. The first records of all
batches are found together, then the second ones, and so on: a round costs a few numpy calls, however many batches take
part. If only a few batches are left, each with many records, a plain loop does the rest.

A `Records` says where key and value of each record are. If anything about a batch is unusual, none of its records is
located: the batch is *odd* and left to the slow way (`rows`), which can name the error. So nothing here raises for bad
bytes, and this module finds exactly what kafkaproto would find.

All positions are int64 and never negative; a read beyond the end returns the last byte again. A length only ever moves
a position forward. So it is enough to check at the end that each position is where it has to be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import read_unsigned_varint
from kafkaproto_pipeline.decoding.scan import Int64s, Octets

Flags = npt.NDArray[np.bool_]

POISON = 1 << 40
"""The value for a varint of more than 32 bits; it is larger than anything that a varint could count."""

_FEW_BATCHES = 128
"""With fewer batches than this, a round of numpy calls costs more than a loop over the records."""
_MIN_RECORD_BYTES = 7
_MAX_TIMESTAMP = 1 << 62
"""Larger timestamps are odd, so that adding a delta cannot overflow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bodies:
    """The batches whose records are to be found, one array for each field."""

    starts: Int64s
    """The position of each batch's first record in the data."""
    ends: Int64s
    counts: Int64s
    last_offset_deltas: Int64s
    base_timestamps: Int64s


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """The records of all batches that are not odd, in the order of the bytes."""

    batches: Int64s
    """For each record, the index of its batch."""
    numbers: Int64s
    """For each record, its number in its batch."""
    offset_deltas: Int64s
    timestamp_deltas: Int64s
    key_starts: Int64s
    key_sizes: Int64s
    """-1 if there is no key."""
    value_starts: Int64s
    value_sizes: Int64s
    """-1 if there is no value."""
    odd: Flags
    """For each batch: whether it is odd, so that its records were not located."""


def find_records(octets: Octets, bodies: Bodies) -> Records:
    """The records of these batches."""
    odd = bodies.counts * _MIN_RECORD_BYTES > bodies.ends - bodies.starts
    odd |= (bodies.base_timestamps > _MAX_TIMESTAMP) | (bodies.base_timestamps < -_MAX_TIMESTAMP)
    while True:
        counts = np.where(odd, 0, bodies.counts)
        starts, ends, met = _boundaries(octets, bodies, counts)
        batches = np.repeat(np.arange(len(counts)), counts)
        found = odd | ~met
        records = _fields(octets, batches, starts, ends, counts, bodies.last_offset_deltas, found)
        if bool((found == odd).all()):
            return records
        # Some batches turned out to be odd: repeat without them. Once is enough, because nothing else changes.
        odd = found


def read_varints(octets: Octets, positions: Int64s) -> tuple[Int64s, Int64s]:
    """The unsigned varint at each position, and the position after it; `POISON` for one of more than 32 bits."""
    values: Int64s = octets.take(positions, mode="clip").astype(np.int64)
    after = positions + 1
    longer = np.flatnonzero(values >= 0x80)
    shift = 7
    while len(longer):
        values[longer] &= (1 << shift) - 1
        octet = octets.take(after[longer], mode="clip").astype(np.int64)
        after[longer] += 1
        values[longer] |= octet << shift
        if shift == 28:
            values[longer[octet >= 0x10]] = POISON
            break
        longer = longer[octet >= 0x80]
        shift += 7
    return values, after


def signed(values: Int64s) -> Int64s:
    """The values of zigzag-coded numbers."""
    return values >> 1 ^ -(values & 1)


def _boundaries(octets: Octets, bodies: Bodies, counts: Int64s) -> tuple[Int64s, Int64s, Flags]:
    """Start (after the length) and end of each record, and for each batch whether its records fill it."""
    firsts = np.cumsum(counts) - counts
    total = int(counts.sum())
    starts = np.zeros(total, np.int64)
    ends = np.zeros(total, np.int64)
    positions = bodies.starts.copy()
    number = 0
    active = np.flatnonzero(counts)
    while len(active) >= _FEW_BATCHES:
        lengths, begin = read_varints(octets, positions[active])
        # A negative length moves nothing. So the records do not end at the batch's end, and the batch is odd.
        end = begin + np.where(lengths & 1, POISON, lengths >> 1)
        at = firsts[active] + number
        starts[at] = begin
        ends[at] = end
        positions[active] = end
        number += 1
        active = active[counts[active] > number]
    for batch in active.tolist():
        first = int(firsts[batch])
        place = slice(first + number, first + int(counts[batch]))
        _loop(octets, int(positions[batch]), int(bodies.ends[batch]), starts[place], ends[place])
        positions[batch] = ends[place.stop - 1]
    # Batches without records must be empty, too.
    return starts, ends, positions == bodies.ends


def _loop(octets: Octets, start: int, limit: int, starts: Int64s, ends: Int64s) -> None:
    """The same for the remaining records of one batch. If they break off, all ends stay 0."""
    if start >= limit:
        return
    data = octets[start:limit].tobytes()
    begins: list[int] = []
    stops: list[int] = []
    position = 0
    try:
        for _ in range(len(starts)):
            coded = data[position]
            if coded < 0x80:
                position += 1
            elif (second := data[position + 1]) < 0x80:
                coded += (second << 7) - 0x80
                position += 2
            else:
                coded, position = read_unsigned_varint(data, position)
            if coded & 1:
                return
            begins.append(position)
            position += coded >> 1
            stops.append(position)
    except (IndexError, RemoteProtocolError):
        return
    starts[:] = begins
    starts += start
    ends[:] = stops
    ends += start


def _fields(
    octets: Octets,
    batches: Int64s,
    starts: Int64s,
    ends: Int64s,
    counts: Int64s,
    last_offset_deltas: Int64s,
    odd: Flags,
) -> Records:
    """The fields of each record. Marks the batches of unusual records as odd."""
    coded, positions = read_varints(octets, starts + 1)
    bad = coded == POISON
    timestamp_deltas = signed(coded)
    coded, positions = read_varints(octets, positions)
    offset_deltas = signed(coded)
    bad |= (offset_deltas < 0) | (offset_deltas > last_offset_deltas[batches])
    coded, key_starts = read_varints(octets, positions)
    key_sizes = signed(coded)
    bad |= key_sizes < -1
    coded, value_starts = read_varints(octets, key_starts + np.maximum(key_sizes, 0))
    value_sizes = signed(coded)
    bad |= value_sizes < -1
    positions = value_starts + np.maximum(value_sizes, 0)
    # After the value comes the number of headers, which is nearly always 0.
    bad |= (positions + 1 != ends) | (octets.take(positions, mode="clip") != 0)
    odd[batches[bad]] = True
    return Records(
        batches=batches,
        numbers=np.arange(len(batches)) - np.repeat(np.cumsum(counts) - counts, counts),
        offset_deltas=offset_deltas,
        timestamp_deltas=timestamp_deltas,
        key_starts=key_starts,
        key_sizes=key_sizes,
        value_starts=value_starts,
        value_sizes=value_sizes,
        odd=odd,
    )
