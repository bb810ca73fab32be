"""Finds the record batches in the bytes of a segment or snapshot, and the damage between them.

A metadata log consists of many small batches, so the work for each is small: a loop in Python reads length, magic and
crc, and checks the CRC-32C. All other header fields are read with numpy for thousands of batches at a time
(`Headers`). The batches are returned in steps of a few MiB; a step is also what is decoded at a time.

Rules for damage. Bytes that are no batch are one `Fault`, however many there are. The fault ends where the next valid
batch begins. That batch is looked for first at the end that the bad batch's length gives, then byte by byte. A batch
whose offsets do not continue those of the batch before is a fault too. If it leaves a gap, the batch itself still
counts; if its offsets go back, it does not. The search may check only a limited number of bytes in all
(`SEARCH_FACTOR`), so that no input makes it slow. Beyond the limit, the rest of the buffer is one fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from struct import Struct

import numpy as np
import numpy.typing as npt

from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import CRC_START, HEADER_SIZE, LENGTH_END, MAGIC
from kafkaproto.records.crc32c import crc32c

Int64s = npt.NDArray[np.int64]
Octets = npt.NDArray[np.uint8]

STEP_BYTES = 6 * 1024 * 1024
"""A step ends after the batch with which it reaches this size. That is enough records to make the numpy calls worth
their cost, and few enough that their columns stay in the processor's caches or near.
"""
SEARCH_FACTOR = 4
"""The search for a batch after damaged ones may check this many times the buffer's size."""
MAX_BATCH_BYTES = 64 * 1024 * 1024
"""A batch that claims to be larger is damaged: no log has such a batch, and nobody should wait for the rest of it.
Kafka's own limits are 8 MiB for a batch of metadata, and 1 GiB for a segment.
"""

_SEARCH_WINDOW_BYTES = 64 * 1024
_HEAD: Callable[[Buffer, int], tuple[int, int, int]] = Struct(">i4xbI").unpack_from
"""Length, magic and crc, beginning with the length field."""
_INT64: Callable[[Buffer, int], tuple[int]] = Struct(">q").unpack_from
_HEADER = np.dtype(
    [
        ("base_offset", ">i8"),
        ("length", ">i4"),
        ("epoch", ">i4"),
        ("magic", "i1"),
        ("crc", ">u4"),
        ("attributes", ">i2"),
        ("last_offset_delta", ">i4"),
        ("base_timestamp", ">i8"),
        ("max_timestamp", ">i8"),
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("base_sequence", ">i4"),
        ("record_count", ">i4"),
    ]
)
"""The layout is documented in `kafkaproto.records.batch`."""
assert _HEADER.itemsize == HEADER_SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Bytes that are no valid batch, or a batch with wrong offsets."""

    position: int
    """Its first byte in the buffer."""
    offset: int | None
    """The offset that was expected there; None if that is not known."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """The header fields of some batches, one array for each field."""

    positions: Int64s
    """The first byte of each batch in the buffer."""
    sizes: Int64s
    """Bytes of each batch, header included."""
    base_offsets: Int64s
    epochs: npt.NDArray[np.int32]
    attributes: Int64s
    last_offset_deltas: Int64s
    base_timestamps: Int64s
    max_timestamps: Int64s
    record_counts: Int64s


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Some valid batches, and the faults between them."""

    headers: Headers
    faults: tuple[tuple[int, Fault], ...]
    """The faults, each with the number of batches of this step that come before it, in the order of the bytes."""


def windows(octets: Octets, width: int) -> npt.NDArray[np.void]:
    """For each position, the ``width`` bytes that begin there. Indexing it with many positions copies all of them in
    one go.
    """
    count = max(0, len(octets) - width + 1)
    return np.ndarray((count,), np.dtype(f"V{width}"), octets, strides=(1,))


def steps(buffer: Buffer, *, next_offset: int | None, expects_more: bool) -> Iterator[Step]:
    """The batches of a buffer. The buffer begins with a batch.

    ``next_offset`` is the base offset that the first batch must have; None allows any. If ``expects_more`` is set, an
    incomplete batch at the end is ignored; otherwise it is a fault.
    """
    if not len(buffer):
        return
    scan = _Scan(buffer, next_offset, expects_more)
    while (step := scan.step()) is not None:
        yield step


class _Scan:
    def __init__(self, buffer: Buffer, next_offset: int | None, expects_more: bool) -> None:
        self.view = memoryview(buffer)
        self.octets: Octets = np.frombuffer(buffer, np.uint8)
        self.end = len(self.view)
        self.position = 0
        self.expects_more = expects_more
        self.next_offset = next_offset
        self.floor = next_offset
        """Lowest base offset that the next batch may have. It stays known when damage makes ``next_offset`` unknown."""
        self.search_bytes = SEARCH_FACTOR * self.end + _SEARCH_WINDOW_BYTES

    def step(self) -> Step | None:
        """The next step; None at the end of the buffer."""
        found: list[int] = []
        damage: list[tuple[int, Fault]] = []
        limit = min(self.end, self.position + STEP_BYTES)
        while self.position < limit:
            self.walk(limit, found)
            if self.position < limit:
                fault = self.skip_damage()
                if fault is None:
                    self.end = self.position
                    break
                damage.append((len(found), fault))
        if not found and not damage:
            return None
        return self.checked(np.array(found, np.int64), damage)

    def walk(self, limit: int, found: list[int]) -> None:
        """Append the position of every valid batch up to ``limit``, or up to the first that is not valid."""
        position, end, view, append = self.position, self.end, self.view, found.append
        while position < limit:
            if end - position < HEADER_SIZE:
                break
            length, magic, crc = _HEAD(view, position + 8)
            after = position + length + LENGTH_END
            if magic != MAGIC or after > end or not HEADER_SIZE - LENGTH_END <= length <= MAX_BATCH_BYTES:
                break
            if crc32c(view[position + CRC_START : after]) != crc:
                break
            append(position)
            position = after
        self.position = position

    # -- damage --------------------------------------------------------------------------------------------------------

    def skip_damage(self) -> Fault | None:
        """Move past the bytes here that are no valid batch. None if they are an incomplete batch of which more is
        expected.
        """
        start = self.position
        size, reason = self.what_is_wrong(start)
        behind = self.end
        if size is not None and self.is_good(start + size):
            behind = start + size
        elif start + (size or 0) != self.end:
            found = self.search(start + 1)
            if found is None and size is None and self.expects_more and self.is_incomplete(start):
                return None
            behind = self.end if found is None else found
        if size is None or behind != start + size:
            reason += (
                f"; the {behind - start} bytes up to {'the end' if behind == self.end else 'the next batch'}"
            )
            reason += " are skipped"
        self.position = behind
        return Fault(position=start, offset=None, reason=reason)

    def what_is_wrong(self, start: int) -> tuple[int | None, str]:
        """The size of the batch if its length is possible (else None), and a text that says what is wrong with it."""
        left = self.end - start
        if left < HEADER_SIZE:
            return None, f"the bytes end inside the header of a record batch: {left} are left"
        length, magic, crc = _HEAD(self.view, start + 8)
        if magic != MAGIC:
            return None, f"a record batch has magic {magic}, only {MAGIC} is known"
        if not HEADER_SIZE - LENGTH_END <= length <= MAX_BATCH_BYTES:
            return None, f"a record batch cannot have length {length}"
        size = length + LENGTH_END
        if size > left:
            return None, f"the bytes end inside a record batch: it claims {size}, {left} are left"
        found = crc32c(self.view[start + CRC_START : start + size])
        (base_offset,) = _INT64(self.view, start)
        return size, (
            f"the crc of the record batch with base offset {base_offset} is {found:#010x}, its header says {crc:#010x}"
        )

    def is_incomplete(self, start: int) -> bool:
        """Whether the bytes here could become a valid batch if the buffer had more bytes."""
        if self.end - start < HEADER_SIZE:
            return self.end - start <= 16 or self.view[start + 16] == MAGIC
        length, magic, _ = _HEAD(self.view, start + 8)
        return magic == MAGIC and self.end - start - LENGTH_END < length <= MAX_BATCH_BYTES

    def is_good(self, position: int) -> bool:
        """Whether a valid batch begins here that may come next."""
        if self.end - position < HEADER_SIZE:
            return False
        length, magic, crc = _HEAD(self.view, position + 8)
        after = position + length + LENGTH_END
        if magic != MAGIC or not HEADER_SIZE - LENGTH_END <= length <= MAX_BATCH_BYTES or after > self.end:
            return False
        self.search_bytes -= after - position
        if self.search_bytes < 0 or _INT64(self.view, position)[0] < (self.floor or 0):
            return False
        return crc32c(self.view[position + CRC_START : after]) == crc

    def search(self, start: int) -> int | None:
        """Position of the first valid batch at or after ``start``; None if there is none, or the search has reached its
        limit.
        """
        for first in range(start, self.end, _SEARCH_WINDOW_BYTES):
            if self.search_bytes < 0:
                return None
            magics = self.octets[first + 16 : first + 16 + _SEARCH_WINDOW_BYTES]
            for candidate in (np.flatnonzero(magics == MAGIC) + first).tolist():
                if self.is_good(candidate):
                    return int(candidate)
        return None

    # -- headers and offsets -------------------------------------------------------------------------------------------

    def checked(self, positions: Int64s, damage: list[tuple[int, Fault]]) -> Step:
        """The step with these batches, without those whose header is impossible."""
        headers = read_headers(self.octets, positions)
        bases, deltas = headers.base_offsets, headers.last_offset_deltas
        good = not damage and bool((deltas >= 0).all()) and bool((headers.record_counts >= 0).all())
        if good and bool((bases[1:] == bases[:-1] + deltas[:-1] + 1).all()):
            first = int(bases[0])
            if self.next_offset == first or (self.next_offset is None and first >= (self.floor or 0)):
                self.next_offset = self.floor = int(bases[-1] + deltas[-1]) + 1
                if self.next_offset > 0:
                    return Step(headers=headers, faults=())
        kept, faults = self.check_each(headers, damage)
        return Step(headers=read_headers(self.octets, positions[kept]), faults=tuple(faults))

    def check_each(
        self, headers: Headers, damage: list[tuple[int, Fault]]
    ) -> tuple[list[int], list[tuple[int, Fault]]]:
        """The indexes of the batches that count, and the faults among them."""
        kept: list[int] = []
        faults: list[tuple[int, Fault]] = []
        pending = damage[::-1]
        rows = zip(
            headers.positions.tolist(),
            headers.base_offsets.tolist(),
            headers.last_offset_deltas.tolist(),
            headers.record_counts.tolist(),
            strict=True,
        )
        for index, (position, base, delta, count) in enumerate(rows):
            while pending and pending[-1][0] <= index:
                faults.append((len(kept), self.expected(pending.pop()[1])))
            reason = self.impossible(base, delta, count)
            if reason is not None:
                faults.append((len(kept), Fault(position=position, offset=self.floor, reason=reason)))
                continue
            if self.next_offset is not None and base > self.next_offset:
                reason = f"a gap: offsets {self.next_offset} to {base - 1} are missing"
                faults.append((len(kept), Fault(position=position, offset=self.next_offset, reason=reason)))
            self.next_offset = self.floor = base + delta + 1
            kept.append(index)
        while pending:
            faults.append((len(kept), self.expected(pending.pop()[1])))
        return kept, faults

    def impossible(self, base: int, delta: int, count: int) -> str | None:
        if delta < 0 or count < 0 or base < 0 or base + delta >= (1 << 63) - 1:
            return f"a record batch cannot have base offset {base}, last offset delta {delta} and {count} records"
        if self.floor is not None and base < self.floor:
            return f"a record batch has base offset {base}, expected is {self.floor} or more"
        return None

    def expected(self, fault: Fault) -> Fault:
        """The fault with the offset that was expected there. The batches after the damage need not continue those
        before it.
        """
        self.next_offset = None
        return Fault(position=fault.position, offset=self.floor, reason=fault.reason)


def read_headers(octets: Octets, positions: Int64s) -> Headers:
    """The headers of the batches at these positions."""
    table = windows(octets, HEADER_SIZE)[positions].view(_HEADER)
    return Headers(
        positions=positions,
        sizes=table["length"].astype(np.int64) + LENGTH_END,
        base_offsets=table["base_offset"].astype(np.int64),
        epochs=table["epoch"].astype(np.int32),
        attributes=table["attributes"].astype(np.int64),
        last_offset_deltas=table["last_offset_delta"].astype(np.int64),
        base_timestamps=table["base_timestamp"].astype(np.int64),
        max_timestamps=table["max_timestamp"].astype(np.int64),
        record_counts=table["record_count"].astype(np.int64),
    )
