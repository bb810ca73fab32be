"""A compacted topic: the newest record of each key stays, a tombstone as well until ``delete.retention.ms`` is over.

That is longer than any run. So each replica at rest has, of each key, the newest record that was acknowledged, or a
later one that was sent. Cleaners find much to do: there are few keys, and small segments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kafkaproto.messages import ProduceResponse
from kafkaproto.records.batch import NewRecord
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Link, Place
from tests.sim.nodes.data.logs import PREFIX
from tests.sim.nodes.data.producers import Producer, Sent
from tests.sim.nodes.invariants import NodeInvariant

TABLE = f"{PREFIX}table"
TOPIC_CONFIG: Mapping[str, str] = {"cleanup.policy": "compact", "delete.retention.ms": str(10**11)}
NODE_CONFIG: Mapping[str, str] = {"log.cleaner.backoff.ms": "700", "log.cleaner.min.cleanable.ratio": "0.05"}
_TOMBSTONES = 0.3
"""The part of the records."""


@dataclass(slots=True)
class _Key:
    """What is known of one key of a partition."""

    offset: int = -1
    """Of the newest record that was acknowledged."""
    value: bytes | None = None
    sent: set[bytes | None] = field(default_factory=set)
    """All values that were sent."""


class Tables:
    """What was written to the topic, held against the logs."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._keys: dict[tuple[Place, bytes], _Key] = {}

    def sent(self, place: Place, key: bytes, value: bytes | None) -> None:
        """A record is on its way."""
        self._keys.setdefault((place, key), _Key()).sent.add(value)

    def acknowledged(self, place: Place, base_offset: int, records: list[NewRecord]) -> None:
        """A batch was acknowledged with acks=all."""
        for offset, record in enumerate(records, base_offset):
            key = self._keys[place, bytes(record.key or b"")]
            if offset > key.offset:
                key.offset, key.value = offset, None if record.value is None else bytes(record.value)

    def check_at_last(self) -> None:
        """Raise ViolationError if the newest record of a key is gone from a log of a cluster at rest."""
        for host, place, _ in self._ledger.replicas():
            if place[0] != TABLE or self._ledger.known[place].is_excused:
                continue
            newest = {bytes(each.key or b""): each for each in self._ledger.logs.records_of(host, place)}
            for (other, name), key in self._keys.items():
                if other != place or key.offset < 0:
                    continue
                found = newest.get(name)
                value = None if found is None or found.value is None else bytes(found.value)
                is_kept = found is not None and (
                    (found.offset > key.offset and value in key.sent)
                    or (found.offset, value) == (key.offset, key.value)
                )
                if not is_kept:
                    what = f"node {host.id} has {found} of {name!r}; {key.value!r} was acknowledged at {key.offset}"
                    self._ledger.refused(place, what, NodeInvariant.NEWEST_IS_KEPT)


class TableWriter(Producer):
    """Writes few keys again and again, and removes them, with acks=all."""

    def __init__(self, *given: Any, tables: Tables, keys: int, **more: Any) -> None:
        super().__init__(*given, acks=-1, **more)
        self._tables = tables
        self._keys = keys

    def _new_records(self, place: Place, count: int) -> list[NewRecord]:
        records = super()._new_records(place, count)
        for number, record in enumerate(records):
            key = f"key {self._rng.randrange(self._keys)}".encode()
            value = None if self._rng.random() < _TOMBSTONES else record.value
            records[number] = NewRecord(key=key, value=value)
            self._tables.sent(place, key, None if value is None else bytes(value))
        return records

    def _acknowledged(self, place: Place, base_offset: int, sent: Sent) -> None:
        self._ledger.counts["table batches"] += 1
        self._tables.acknowledged(place, base_offset, sent.records)

    def _check_refusal(self, place: Place, sent: Sent, link: Link) -> None:
        """What is compacted tells nothing of sequences."""

    def _take_one(
        self, place: Place, sent: Sent, each: ProduceResponse.PartitionProduceResponse, link: Link
    ) -> bool:
        if each.base_offset == -1 and not each.error_code:
            # The batch was known, and its offset is not any more.
            return True
        return super()._take_one(place, sent, each, link)
