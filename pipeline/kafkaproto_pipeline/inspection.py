"""Which batches of a segment or a snapshot are whole, and what is wrong with the bytes between them.

The end of a log is where its last whole batch ends, however many damaged ones come before. So all bytes are read once,
and the CRC-32C of each batch is checked. What the CRC does not cover is judged by the batches around it: offsets
continue each other, and an epoch never goes back and begins with a leader's first batch, which is a control batch.

A batch of metadata has a record for each of its offsets, because this log is never cleaned.

Bytes that are no whole batch are one `Fault`; it ends where the next whole batch begins, which is looked for byte by
byte. A batch whose base offset fits neither the batch before it nor the one behind it is a fault too. If offsets are
missing between two batches, or if only an epoch is wrong, the fault has no bytes, and the batches count. What follows
the last whole batch is a torn end if a write was under way there: the beginning of a batch, or zeros. All else is
damage. The search may check only a limited number of bytes (`SEARCH_FACTOR`), so that no input makes it slow.

This module does no I/O: the caller gives a function that reads.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from struct import Struct
from typing import NamedTuple

from kafkaproto.records.batch import CONTROL_BIT, CRC_START, HEADER_SIZE, LENGTH_END, MAGIC
from kafkaproto.records.crc32c import crc32c

Read = Callable[[int, int], bytes]
"""Reads at most so many bytes (second) from a position on; fewer only at the end."""

MAX_BATCH_BYTES = 64 * 1024 * 1024
"""A batch that claims to be larger is damaged: no log has such a batch, and nobody should wait for the rest of it.
Kafka's own limits are 8 MiB for a batch of metadata, and 1 GiB for a segment.
"""
SEARCH_FACTOR = 4
"""The search for a batch after damaged ones may check this many times the size of the file."""
GAP = "a gap: "
WRONG_EPOCH = "the epoch of a record batch"
MISSING_LEADER = "the first record batch of epoch"
TORN = "a torn end: "
"""How the reasons of some faults begin."""

_HEADER = Struct(">qiibIhiqqqhii")
_WINDOW_BYTES = 1024 * 1024
_ANCHOR_BYTES = 64 * 1024
_MAX_OFFSET = (1 << 63) - 1
_MAGIC_BYTE = bytes((MAGIC,))
_MAGIC_AT = 16
_LEAST_LENGTH = HEADER_SIZE - LENGTH_END


class BatchHeader(NamedTuple):
    """The fields of a batch's header, and its position."""

    position: int
    size_bytes: int
    base_offset: int
    next_offset: int
    epoch: int
    max_timestamp_ms: int
    is_control: bool
    crc: int

    @property
    def end_position(self) -> int:
        """The position at which the next batch begins."""
        return self.position + self.size_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that is wrong in a file. If it has no bytes, the batches before and behind it count."""

    position: int
    end_position: int
    offset: int
    """The offset that was expected there."""
    next_offset: int
    """The offset with which whole batches go on; the same one if none is missing, or if nothing follows."""
    reason: str
    is_torn: bool = False
    """Whether it is the end of a write that was under way, which nothing follows."""

    is_open: bool = False
    """Whether it hides an unknown number of offsets."""

    is_open_before: bool = False
    """Whether it hides an unknown number of offsets before these as well."""

    def touches(self, start: int, end: int | None) -> bool:
        """Whether a range of offsets (None: up to the end) lacks something because of it."""
        if self.is_open:
            return end is None or self.offset < end
        first = start if self.is_open_before else self.offset
        return max(self.next_offset, self.offset + 1) > start and (end is None or first < end)


class Anchor(NamedTuple):
    """A batch from which a search may begin."""

    position: int
    base_offset: int
    before_ms: int
    """The latest timestamp of all batches before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    size_bytes: int
    base_offset: int
    end_position: int
    """The position after the last whole batch."""
    next_offset: int
    """The offset after it."""
    faults: tuple[Fault, ...]
    """In the order of the bytes."""
    epochs: tuple[tuple[int, int], ...]
    """Each epoch and its first offset; both ascend."""
    controls: tuple[BatchHeader, ...]
    """The control batches."""
    anchors: tuple[Anchor, ...]
    first: BatchHeader | None
    last: BatchHeader | None
    max_timestamp_ms: int = -1

    @property
    def torn(self) -> Fault | None:
        """The torn end, if there is one."""
        return self.faults[-1] if self.faults and self.faults[-1].is_torn else None

    @property
    def has_rest(self) -> bool:
        """Whether bytes follow the last whole batch."""
        return self.end_position < self.size_bytes


def what_is_wrong(data: memoryview, left: int) -> tuple[int | None, str]:
    """The size of a batch that is not whole, if its length is possible (else None), and what is wrong with it.

    ``data`` begins with the batch and has all of its bytes that are there; ``left`` is their number up to the end.
    """
    if left < HEADER_SIZE:
        return None, f"the bytes end inside the header of a record batch: {left} are left"
    base_offset, length, _, magic, crc, _, delta, _, _, _, _, _, count = _HEADER.unpack_from(data)
    if magic != MAGIC:
        return None, f"a record batch has magic {magic}, only {MAGIC} is known"
    if not _LEAST_LENGTH <= length <= MAX_BATCH_BYTES:
        return None, f"a record batch cannot have length {length}"
    size = length + LENGTH_END
    if size > left:
        return None, f"the bytes end inside a record batch: it claims {size}, {left} are left"
    found = crc32c(data[CRC_START:size])
    if found == crc:
        where = f"the record batch with base offset {base_offset}"
        return size, f"{where} claims {count} records up to offset {base_offset + delta}"
    return size, (
        f"the crc of the record batch with base offset {base_offset} is {found:#010x}, its header says {crc:#010x}"
    )


def inspect(
    read: Read,
    size_bytes: int,
    base_offset: int,
    *,
    following: int | None = None,
    has_epochs: bool = True,
    before: Inspection | None = None,
) -> Inspection:
    """What the file has. Exceptions of ``read`` pass through.

    ``following`` is the offset with which the next file of the log begins. ``has_epochs`` says that epochs are judged,
    which those of a snapshot are not. ``before`` is an earlier inspection of the same file when it was shorter: only
    what was added is read, if the last batch is still the one that it was.
    """
    return _Inspector(read, size_bytes, base_offset, following, has_epochs, before).run()


def first_header(read: Read, size_bytes: int) -> BatchHeader | None:
    """The header of the first batch, if that is whole. Exceptions of ``read`` pass through."""
    return _Inspector(read, size_bytes, 0, None, False, None).whole_at(0)


class _Inspector:
    def __init__(
        self,
        read: Read,
        size: int,
        base_offset: int,
        following: int | None,
        has_epochs: bool,
        before: Inspection | None,
    ) -> None:
        self.read = read
        self.size = size
        self.base_offset = base_offset
        self.following = following
        self.has_epochs = has_epochs
        self.window = memoryview(b"")
        self.window_start = 0
        self.search_bytes = SEARCH_FACTOR * size + _WINDOW_BYTES
        self.position = 0
        self.expected = base_offset
        self.epoch: int | None = None
        self.faults: list[Fault] = []
        self.epochs: list[tuple[int, int]] = []
        self.controls: list[BatchHeader] = []
        self.anchors: list[Anchor] = []
        self.next_anchor = 0
        self.latest_ms = -1
        self.first: BatchHeader | None = None
        self.last: BatchHeader | None = None
        if before is not None and before.last is not None and before.size_bytes <= size:
            self.resume(before, before.last)

    def resume(self, before: Inspection, last: BatchHeader) -> None:
        """Go on where an earlier inspection ended, if its last batch is there."""
        if self.whole_at(last.position) != last:
            return
        self.position, self.expected = before.end_position, before.next_offset
        self.epoch = before.epochs[-1][0] if before.epochs else None
        self.faults = [each for each in before.faults if each.position < before.end_position]
        self.epochs, self.controls = list(before.epochs), list(before.controls)
        self.anchors = list(before.anchors)
        self.next_anchor = self.anchors[-1].position + _ANCHOR_BYTES if self.anchors else 0
        self.latest_ms = before.max_timestamp_ms
        self.first, self.last = before.first, before.last

    def run(self) -> Inspection:
        """Read the file to its end."""
        while self.position < self.size:
            self.walk()
            if self.position < self.size and not self.irregular():
                break
        if self.faults and not self.faults[-1].is_torn and self.is_behind_damage():
            self.faults[-1] = replace(self.faults[-1], is_open=True)
        return Inspection(
            size_bytes=self.size,
            base_offset=self.base_offset,
            end_position=0 if self.last is None else self.last.end_position,
            next_offset=self.expected,
            faults=tuple(self.faults),
            epochs=tuple(self.epochs),
            controls=tuple(self.controls),
            anchors=tuple(self.anchors),
            first=self.first,
            last=self.last,
            max_timestamp_ms=self.latest_ms,
        )

    # -- bytes -------------------------------------------------------------------------------------------------

    def at(self, position: int, size: int) -> memoryview:
        """At least so many bytes from a position on, as far as there are any."""
        start = position - self.window_start
        if start < 0 or start + size > len(self.window):
            wanted = max(0, min(max(size, _WINDOW_BYTES), self.size - position))
            self.window, self.window_start = memoryview(self.read(position, wanted)), position
            if len(self.window) < wanted:
                # A running node cut off the end of its log.
                self.size = position + len(self.window)
            start = 0
        return self.window[start:]

    def whole_at(self, position: int) -> BatchHeader | None:
        """The header of the whole batch that begins there, whatever its offset and epoch; None if there is none."""
        data = self.at(position, HEADER_SIZE)
        if len(data) < HEADER_SIZE:
            return None
        _, length, _, magic, *_ = _HEADER.unpack_from(data)
        if magic != MAGIC or not _LEAST_LENGTH <= length <= MAX_BATCH_BYTES:
            return None
        if position + length + LENGTH_END > self.size:
            return None
        data = self.at(position, length + LENGTH_END)
        if len(data) < length + LENGTH_END:
            return None
        base, length, epoch, _, crc, attributes, delta, _, max_ms, _, _, _, count = _HEADER.unpack_from(data)
        if base < 0 or delta < 0 or count != delta + 1 or base + delta >= _MAX_OFFSET:
            return None
        if crc32c(data[CRC_START : length + LENGTH_END]) != crc:
            return None
        is_control = bool(attributes & CONTROL_BIT)
        return BatchHeader(
            position, length + LENGTH_END, base, base + delta + 1, epoch, max_ms, is_control, crc
        )

    def walk(self) -> None:
        """Take all batches that continue each other, up to the first that does not."""
        unpack = _HEADER.unpack_from
        while True:
            data = self.at(self.position, HEADER_SIZE)
            origin, at, limit = self.position, 0, len(data)
            while limit - at >= HEADER_SIZE:
                base, length, epoch, magic, crc, attributes, delta, _, max_ms, _, _, _, count = unpack(
                    data, at
                )
                if base != self.expected or magic != MAGIC or not _LEAST_LENGTH <= length <= MAX_BATCH_BYTES:
                    return
                if epoch != self.epoch and self.has_epochs:
                    return
                after = at + length + LENGTH_END
                if after > limit:
                    break
                if delta < 0 or count != delta + 1 or crc32c(data[at + CRC_START : after]) != crc:
                    return
                is_control = bool(attributes & CONTROL_BIT)
                self.take(
                    BatchHeader(
                        origin + at, after - at, base, base + delta + 1, epoch, max_ms, is_control, crc
                    )
                )
                at = after
            if at == 0:
                # Either the end, or a batch that is larger than what was read.
                if limit < HEADER_SIZE or (header := self.whole_at(self.position)) is None:
                    return
                self.take(header)

    def take(self, header: BatchHeader) -> None:
        if header.position >= self.next_anchor:
            self.anchors.append(Anchor(header.position, header.base_offset, self.latest_ms))
            self.next_anchor = header.position + _ANCHOR_BYTES
        if header.is_control:
            self.controls.append(header)
        if self.first is None:
            self.first = header
        self.last = header
        self.position, self.expected = header.end_position, header.next_offset
        if header.max_timestamp_ms > self.latest_ms:
            self.latest_ms = header.max_timestamp_ms

    # -- what is irregular -------------------------------------------------------------------------------------

    def irregular(self) -> bool:
        """Judge what does not continue; False if nothing can follow."""
        header = self.whole_at(self.position)
        if header is None:
            return self.skip()
        behind = self.whole_at(header.end_position)
        reason = self.wrong_offset(header, behind)
        if reason is not None:
            self.note(header.position, header.end_position, self.expected, reason)
            self.position = header.end_position
            return True
        if header.base_offset > self.expected and not self.explain(header.base_offset):
            reason = f"{GAP}offsets {self.expected} to {header.base_offset - 1} are missing"
            self.note(header.position, header.position, header.base_offset, reason)
        if self.has_epochs:
            self.judge_epoch(header, behind)
        self.take(header)
        return True

    def explain(self, offset: int) -> bool:
        """Whether the bytes before are damaged, so that offsets up to this one may be missing; that is noted."""
        if not self.is_behind_damage():
            return False
        place = len(self.faults) - 1
        # Several batches may be damaged, one after the other.
        while place >= 0 and self.faults[place].next_offset == self.faults[place].offset == self.expected:
            self.faults[place] = replace(self.faults[place], next_offset=offset)
            place -= 1
        return True

    def is_behind_damage(self) -> bool:
        last = self.faults[-1] if self.faults else None
        return last is not None and last.position < last.end_position == self.position

    def damaged_bytes(self) -> int:
        return self.faults[-1].end_position - self.faults[-1].position

    def wrong_offset(self, header: BatchHeader, behind: BatchHeader | None) -> str | None:
        """Why the batch cannot count, judged by the batch behind it; None if it counts."""
        base, expected = header.base_offset, self.expected
        if base < expected:
            return f"a record batch has base offset {base}, expected is {expected} or more"
        if base == expected:
            return None
        is_behind_damage = self.is_behind_damage()
        if behind is not None:
            is_likely = behind.base_offset >= header.next_offset
            # What is missing was damaged, and nothing more is missing.
            is_likely = is_likely and (behind.base_offset == header.next_offset or not is_behind_damage)
        else:
            is_likely = header.next_offset == self.following
            # A record takes a byte at the least.
            is_likely = is_likely or (is_behind_damage and base - expected <= self.damaged_bytes())
        return None if is_likely else f"the base offset of a record batch is {base}, expected is {expected}"

    def judge_epoch(self, header: BatchHeader, behind: BatchHeader | None) -> None:
        """Set the epoch, and note what is wrong with that of the batch."""
        now, later = self.epoch, None if behind is None else behind.epoch
        is_alone = later is not None and later < header.epoch
        if header.epoch < 0:
            self.wrong_epoch(header, "negative")
        elif now is not None and header.epoch < now:
            self.wrong_epoch(header, f"that before is {now}")
            if later == header.epoch:
                # It is the higher one that was wrong.
                while self.epochs and self.epochs[-1][0] > header.epoch:
                    self.epochs.pop()
                self.begin_epoch(header)
        elif now == header.epoch:
            pass
        elif is_alone and (now is None or later is None or later >= now):
            self.wrong_epoch(header, f"that behind is {later}")
        elif now is None or header.is_control or self.is_behind_damage():
            self.begin_epoch(header)
        elif later is None:
            self.wrong_epoch(header, f"that before is {now}, and no leader's first batch begins it")
        else:
            reason = f"{MISSING_LEADER} {header.epoch} is not that of its leader"
            self.note(header.position, header.position, header.base_offset, reason, at=header.base_offset)
            self.begin_epoch(header)

    def wrong_epoch(self, header: BatchHeader, why: str) -> None:
        reason = f"{WRONG_EPOCH} is {header.epoch}: {why}"
        self.note(header.position, header.position, header.base_offset, reason, at=header.base_offset)

    def begin_epoch(self, header: BatchHeader) -> None:
        self.epoch = header.epoch
        if not self.epochs or self.epochs[-1][0] < header.epoch:
            self.epochs.append((header.epoch, header.base_offset))

    def note(self, start: int, end: int, next_offset: int, reason: str, *, at: int | None = None) -> None:
        offset = self.expected if at is None else at
        self.faults.append(
            Fault(position=start, end_position=end, offset=offset, next_offset=next_offset, reason=reason)
        )

    # -- damaged bytes -----------------------------------------------------------------------------------------

    def skip(self) -> bool:
        """Move to the next whole batch; False if there is none, so that the rest of the file is the fault."""
        start = self.position
        found = self.search(start + 1)
        end = self.size if found is None else found
        if found is None and (torn := self.torn_reason(start)) is not None:
            torn = f"{TORN}{torn}"
            fault = Fault(
                position=start,
                end_position=end,
                offset=self.expected,
                next_offset=self.expected,
                reason=torn,
                is_torn=True,
            )
            self.faults.append(fault)
            return False
        left = self.size - start
        size, reason = what_is_wrong(self.at(start, min(left, MAX_BATCH_BYTES + LENGTH_END)), left)
        if size is None or end != start + size:
            where = "the end" if end == self.size else "the next batch"
            reason += f"; the {end - start} bytes up to {where} are skipped"
        self.note(start, end, self.expected, reason)
        self.position = end
        return found is not None

    def search(self, start: int) -> int | None:
        """Position of the first whole batch at or after ``start`` that may come next."""
        for first in range(start, self.size, _WINDOW_BYTES):
            magics = bytes(self.at(first, _WINDOW_BYTES + _MAGIC_AT)[: _WINDOW_BYTES + _MAGIC_AT])
            place = magics.find(_MAGIC_BYTE, _MAGIC_AT)
            while place >= 0:
                candidate = first + place - _MAGIC_AT
                if self.may_be_next(candidate):
                    return candidate
                if self.search_bytes < 0:
                    return None
                place = magics.find(_MAGIC_BYTE, place + 1)
        return None

    def may_be_next(self, position: int) -> bool:
        data = self.at(position, HEADER_SIZE)
        if len(data) < HEADER_SIZE:
            return False
        base, length, *_ = _HEADER.unpack_from(data)
        if base < self.expected or not _LEAST_LENGTH <= length <= MAX_BATCH_BYTES:
            return False
        if position + length + LENGTH_END > self.size:
            return False
        self.search_bytes -= length
        return self.search_bytes >= 0 and self.whole_at(position) is not None

    def torn_reason(self, start: int) -> str | None:
        """Why the bytes up to the end are a write that was under way; None if they are not."""
        left = self.size - start
        data = self.at(start, min(left, MAX_BATCH_BYTES + LENGTH_END))
        if not any(data[:HEADER_SIZE]) and self.is_zero(start):
            return f"the last {left} bytes are zero"
        if left < HEADER_SIZE:
            return f"the bytes end inside the header of a record batch: {left} are left"
        base, length, epoch, magic, crc, *_ = _HEADER.unpack_from(data)
        claimed = length + LENGTH_END
        if magic != MAGIC or not left < claimed <= MAX_BATCH_BYTES + LENGTH_END:
            return None
        if base != self.expected or (self.has_epochs and epoch < (self.epoch or 0)):
            return None
        if crc32c(data[CRC_START:left]) == crc:
            # All of the batch is there, and it is the length that is wrong.
            return None
        return f"the bytes end inside a record batch: it claims {claimed}, {left} are left"

    def is_zero(self, start: int) -> bool:
        """Whether nothing but zeros follows."""
        for first in range(start, self.size, _WINDOW_BYTES):
            if any(self.at(first, _WINDOW_BYTES)[:_WINDOW_BYTES]):
                return False
        return True


class Places:
    """Finds batches in a file that was inspected. Raises what ``read`` raises."""

    def __init__(self, read: Read, inspection: Inspection) -> None:
        self._read = read
        self._found = inspection
        self._holes = [each for each in inspection.faults if each.position < each.end_position]

    def scan(self, position: int = 0) -> Iterator[BatchHeader]:
        """The whole batches from a batch's position on, up to the last one."""
        window, window_start = b"", 0
        holes = iter([each for each in self._holes if each.end_position > position])
        hole = next(holes, None)
        end = self._found.end_position
        while position < end:
            while hole is not None and hole.position <= position:
                position = max(position, hole.end_position)
                hole = next(holes, None)
            if position >= end:
                return
            at = position - window_start
            if at < 0 or at + HEADER_SIZE > len(window):
                window, window_start, at = self._read(position, _WINDOW_BYTES // 4), position, 0
                if len(window) < HEADER_SIZE:
                    return
            base, length, epoch, _, crc, attributes, delta, _, max_ms, *_ = _HEADER.unpack_from(window, at)
            header = BatchHeader(
                position,
                length + LENGTH_END,
                base,
                base + delta + 1,
                epoch,
                max_ms,
                bool(attributes & CONTROL_BIT),
                crc,
            )
            if length < _LEAST_LENGTH:
                # The file is another one now; reading it will say so.
                return
            yield header
            position = header.end_position

    def scan_to(self, offset: int) -> Iterator[BatchHeader]:
        """The whole batches from somewhere before an offset on."""
        return self.scan(self._anchor(offset - 1).position)

    def start_of(self, offset: int) -> tuple[int, int]:
        """Position and base offset of the whole batch that holds an offset; else of the first one after it, else of
        the end.
        """
        for header in self.scan(self._anchor(offset).position):
            if header.next_offset > offset:
                return header.position, header.base_offset
        return self._found.end_position, self._found.next_offset

    def end_of(self, offset: int) -> int:
        """Position after the whole batches that hold offsets below the given one."""
        end: int | None = None
        for header in self.scan(self._anchor(offset - 1).position):
            if header.base_offset >= offset:
                return header.position if end is None else end
            end = header.end_position
        return self._found.end_position

    def first_after(self, timestamp_ms: int) -> int | None:
        """Base offset of the first batch with a record later than that time; None if there is none."""
        for header in self.scan(self._anchor_of_time(timestamp_ms).position):
            if header.max_timestamp_ms > timestamp_ms:
                return header.base_offset
        return None

    def all_before(self, timestamp_ms: int) -> int:
        """An offset below which all records are earlier than that time. It need not be the highest one."""
        return self._anchor_of_time(timestamp_ms - 1).base_offset

    def splits(self, start: int, end: int, size_bytes: int) -> list[tuple[int, int]]:
        """Where to cut the batches from position ``start`` to ``end`` into pieces of about that size.

        Returns position and base offset of the first batch of each piece, without the piece at ``start``.
        """
        cuts: list[tuple[int, int]] = []
        goal = start + size_bytes
        while goal < end:
            index = bisect_right(self._found.anchors, goal, key=lambda each: each.position)
            place = self._found.anchors[index - 1].position if index else 0
            header = next((each for each in self.scan(place) if each.position >= goal), None)
            if header is None or header.position >= end:
                break
            cuts.append((header.position, header.base_offset))
            goal = header.position + size_bytes
        return cuts

    def _anchor(self, offset: int) -> Anchor:
        index = bisect_right(self._found.anchors, offset, key=lambda each: each.base_offset)
        return self._found.anchors[index - 1] if index else Anchor(0, self._found.base_offset, -1)

    def _anchor_of_time(self, timestamp_ms: int) -> Anchor:
        """The last anchor before which nothing is later than that time."""
        found = Anchor(0, self._found.base_offset, -1)
        for anchor in self._found.anchors:
            if anchor.before_ms > timestamp_ms:
                break
            found = anchor
        return found
