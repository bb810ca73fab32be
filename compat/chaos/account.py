"""What producers were promised, what consumers saw meanwhile, and what the log holds in the end, held together.

No I/O. A value names its producer, the producer's session and a number that counts up, and carries a checksum, so a
log can be judged by itself.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

Place = tuple[str, int]
"""Topic and partition."""


class Written(NamedTuple):
    """What a value says of itself."""

    producer: str
    session: int
    number: int


class DamagedValueError(Exception):
    """A value is not as a producer made it."""


def make_value(written: Written, padding: bytes) -> bytes:
    """The bytes of a record's value."""
    text = f"{written.producer} {written.session} {written.number} ".encode() + padding
    return f"{zlib.crc32(text):08x} ".encode() + text


def read_value(value: bytes) -> Written:
    """What a value says of itself; raises DamagedValueError if its checksum is wrong."""
    checksum, _, text = value.partition(b" ")
    if checksum != f"{zlib.crc32(text):08x}".encode():
        raise DamagedValueError(f"a value of {len(value)} bytes is damaged: {value[:60]!r}")
    producer, session, number, _ = text.split(b" ", 3)
    return Written(producer.decode(), int(session), int(number))


@dataclass(slots=True, kw_only=True)
class Promised:
    """What one producer sent and was told."""

    name: str
    is_idempotent: bool
    sent: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    """By what the client said."""
    sessions: int = 1
    acknowledged: dict[Place, list[tuple[int, Written]]] = field(default_factory=dict)
    """With offsets; -1 where the client was not told the offset."""
    longest_gap_s: float = 0.0
    """Without an acknowledgement."""

    @property
    def count(self) -> int:
        """Acknowledged records."""
        return sum(map(len, self.acknowledged.values()))


@dataclass(slots=True, kw_only=True)
class Found:
    """What became of one producer's records."""

    lost: list[str] = field(default_factory=list)
    """Acknowledged and not at their offset."""
    doubled: list[str] = field(default_factory=list)
    again: list[str] = field(default_factory=list)
    """Doubled, the second time in a new epoch of the producer: the client gave up the old one, in which a broker knew
    the record."""
    out_of_order: list[str] = field(default_factory=list)
    unacknowledged: int = 0
    """In the log, though the producer was never told."""

    def violations(self, promised: Promised) -> list[str]:
        """What must not be, a line each; order and uniqueness are promised to idempotent producers alone."""
        wrong = {"lost": self.lost}
        if promised.is_idempotent:
            wrong |= {"doubled": self.doubled, "out of order": self.out_of_order}
        return [
            f"{promised.name}: {len(each)} records {what}, first {each[0]}"
            for what, each in wrong.items()
            if each
        ]


Log = Mapping[Place, Mapping[int, Written]]
"""The records of each partition by offset, in the order of their offsets."""

Epochs = Mapping[Place, Mapping[int, tuple[int, int]]]
"""Producer id and epoch of each record, by partition and offset."""


def account(promised: Promised, log: Log, epochs: Epochs) -> Found:
    """Holds what a producer was told against what can be read. Brokers promise that nothing is doubled within an epoch
    of a producer."""
    result = Found()
    acknowledged = {written for told in promised.acknowledged.values() for _, written in told}
    seen: dict[Written, tuple[int, int] | None] = {}
    for place, records in log.items():
        last = Written(promised.name, -1, -1)
        for offset, written in records.items():
            if written.producer != promised.name:
                continue
            epoch = epochs.get(place, {}).get(offset)
            if written in seen:
                is_another = epoch is not None and seen[written] not in (None, epoch)
                (result.again if is_another else result.doubled).append(_text(place, offset, written))
            elif written < last:
                result.out_of_order.append(_text(place, offset, written))
            seen[written] = epoch
            last = max(last, written)
    for place, told in promised.acknowledged.items():
        records = log.get(place, {})
        for offset, written in told:
            if (written not in seen) if offset < 0 else (records.get(offset) != written):
                result.lost.append(_text(place, offset, written))
    result.unacknowledged = len(seen.keys() - acknowledged)
    return result


def missed(name: str, consumed: Log, log: Log) -> list[str]:
    """How what a consumer saw during the run differs from what the log holds in the end, a line for each partition.

    A consumer sees what is below the high watermark alone, so nothing that it saw may go away or change.
    """
    problems = []
    for place in sorted({*consumed, *log}):
        seen, there = consumed.get(place, {}), log.get(place, {})
        if seen == there:
            continue
        gone = [offset for offset, written in seen.items() if there.get(offset) != written]
        skipped = [offset for offset in there if offset not in seen]
        what = [
            f"{len(offsets)} records {how}, first at offset {min(offsets)}"
            for how, offsets in (("that are not there any more", gone), ("were never delivered", skipped))
            if offsets
        ]
        problems.append(f"{name}, {place[0]}-{place[1]}: {'; '.join(what)}")
    return problems


def _text(place: Place, offset: int, written: Written) -> str:
    return f"number {written.number} of session {written.session} at {place[0]}-{place[1]} offset {offset}"


def in_offset_order(records: Iterable[tuple[int, Written]]) -> tuple[dict[int, Written], int]:
    """Records by offset as they were delivered, and how many came at an offset that was not behind the one before."""
    found: dict[int, Written] = {}
    last, backwards = -1, 0
    for offset, written in records:
        backwards += offset <= last
        last = max(last, offset)
        found[offset] = written
    return found, backwards
