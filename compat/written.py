"""What producers wrote, with which offsets and in which transactions; the records of a node have to agree with it."""

from __future__ import annotations

import zlib
from collections import defaultdict
from dataclasses import dataclass, field

from confluent_kafka import KafkaError, Message, Producer

from compat.topic_state import Checksums, PartitionState, Place, records_of

FLUSH_S = 60.0


class AccountError(Exception):
    """A record is missing, doubled, changed or shown too early; the text says which."""


@dataclass(slots=True)
class Transaction:
    """One transaction of a producer."""

    is_committed: bool = False
    open_in: set[Place] = field(default_factory=set)
    """Partitions in which no marker has ended it."""

    def end(self, *, is_committed: bool = False) -> None:
        """Its coordinator has ended it everywhere."""
        self.is_committed = is_committed
        self.open_in.clear()


@dataclass(frozen=True, slots=True)
class Written:
    """A record that was acknowledged."""

    key: bytes | None
    checksum: int
    transaction: Transaction | None = None


class Account:
    """All acknowledged records by partition and offset."""

    def __init__(self, first_time_ms: int) -> None:
        """Records have timestamps from this one on, half a second between two."""
        self._time_ms = first_time_ms
        self.records: dict[Place, dict[int, Written]] = defaultdict(dict)
        self.times_ms: dict[Place, list[int]] = defaultdict(list)

    def next_time_ms(self, place: Place) -> int:
        """The timestamp of the next record."""
        self._time_ms += 500
        self.times_ms[place].append(self._time_ms)
        return self._time_ms

    def send(
        self,
        producer: Producer,
        place: Place,
        value: bytes,
        *,
        key: bytes | None = None,
        transaction: Transaction | None = None,
    ) -> None:
        """Hands a record to a producer; `flush` waits for it. Its offset is noted then."""
        if transaction is not None:
            transaction.open_in.add(place)

        def take(error: KafkaError | None, message: Message) -> None:
            offset = message.offset()
            if error is not None or offset is None:
                raise AccountError(f"{place}: a record failed: {error}")
            self.note(place, offset, value, key, transaction)

        producer.produce(
            place[0],
            value,
            key,
            partition=place[1],
            timestamp=self.next_time_ms(place),
            callback=take,
        )

    @staticmethod
    def flush(producer: Producer) -> None:
        """Waits until all that a producer has was acknowledged. Raises AccountError if something was not."""
        if left := producer.flush(FLUSH_S):
            raise AccountError(f"{left} records are not acknowledged after {FLUSH_S} s")

    def note(
        self,
        place: Place,
        offset: int,
        value: bytes,
        key: bytes | None = None,
        transaction: Transaction | None = None,
    ) -> None:
        """A record was acknowledged with that offset. Raises AccountError if another one has it."""
        if offset in self.records[place]:
            raise AccountError(f"{place}: two records were given offset {offset}")
        self.records[place][offset] = Written(key, zlib.crc32(value), transaction)

    def take_all(self, place: Place, state: PartitionState) -> None:
        """A partition has what others wrote there and all committed: new records are noted as they are told."""
        for offset, (key, value) in records_of(state.log).items():
            self.records[place].setdefault(offset, Written(key, zlib.crc32(value or b"")))

    def delete(self, place: Place, log_start_offset: int) -> None:
        """Records below that offset were deleted."""
        written = self.records[place]
        self.records[place] = {offset: each for offset, each in written.items() if offset >= log_start_offset}

    def first_open(self, place: Place) -> int | None:
        """The offset of the first record of an open transaction."""
        written = self.records[place].items()
        return min(
            (offset for offset, each in written if each.transaction and place in each.transaction.open_in),
            default=None,
        )

    def check_all(self, place: Place, state: PartitionState) -> None:
        """Raises AccountError unless a log has what was acknowledged and nothing else, and is stable up to the first
        open transaction.
        """
        found = {offset: zlib.crc32(value or b"") for offset, (_, value) in records_of(state.log).items()}
        self._check(
            place,
            {offset: each.checksum for offset, each in self.records[place].items()},
            found,
            "read_uncommitted",
        )
        first_open = self.first_open(place)
        expected = state.high_watermark if first_open is None else first_open
        if state.last_stable_offset != expected:
            raise AccountError(
                f"{place}: the last stable offset is {state.last_stable_offset} instead of {expected}"
            )

    def check_committed(self, place: Place, found: Checksums, end: int) -> None:
        """Raises AccountError unless a consumer got the committed records below `end` and nothing else."""
        expected = {
            offset: each.checksum
            for offset, each in self.records[place].items()
            if offset < end and (each.transaction is None or each.transaction.is_committed)
        }
        self._check(place, expected, found, "read_committed")

    def check_compacted(self, place: Place, state: PartitionState) -> int:
        """How many records compaction has removed.

        Raises AccountError unless each key's last record is there and every record is one that was acknowledged.
        """
        written = self.records[place]
        found = records_of(state.log)
        for offset, (key, value) in found.items():
            each = written.get(offset)
            if each is None or (each.key, each.checksum) != (key, zlib.crc32(value or b"")):
                raise AccountError(f"{place}: the record at {offset} is not what was written")
        last = {each.key: offset for offset, each in sorted(written.items())}
        if lost := sorted(set(last.values()) - found.keys()):
            raise AccountError(f"{place}: the last records of keys are lost, first the one at {lost[0]}")
        return len(written) - len(found)

    @staticmethod
    def _check(place: Place, expected: Checksums, found: Checksums, how: str) -> None:
        for offset in sorted(expected.keys() | found.keys()):
            if expected.get(offset) != found.get(offset):
                state = "missing" if offset not in found else "changed" if offset in expected else "too much"
                raise AccountError(
                    f"{place}, {how}: of {len(expected)} records, the one at {offset} is {state}"
                )
