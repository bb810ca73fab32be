"""What a share group's dead-letter topic (KIP-1191) has to hold, and what it must not.

A record that a member has rejected, or that was delivered as often as it may be, is there at last: once or several
times, since a leader that dies may have written what the next one does not know of. Whether a record is a dead letter
is known from what members heard (`tests.sim.nodes.coordination.share_promises`).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from kafkaproto.records.record import Record
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.core.share_partitions.dead_letters import REJECTED, SPENT
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.coordination.share_promises import REJECT, SharePromises
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.data.logs import PREFIX
from tests.sim.nodes.invariants import NodeInvariant

DEAD_LETTERS = f"{PREFIX}dead"
"""The topic."""
NODE_CONFIG: Mapping[str, str] = {"errors.deadletterqueue.topic.name.prefix": PREFIX}
TOPIC_CONFIG: Mapping[str, str] = {"errors.deadletterqueue.group.enable": "true"}

Key = tuple[Place, int]
"""Partition and offset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterOptions:
    """What a seed draws of dead letters."""

    partitions: int
    """Of the topic."""
    deliveries: int
    """How often a record is delivered at most: seldom enough that some are spent."""
    copies: bool
    """Whether letters have key and value of the record."""

    @property
    def group_config(self) -> Mapping[str, str]:
        """Of the share group."""
        return {
            "errors.deadletterqueue.topic.name": DEAD_LETTERS,
            "errors.deadletterqueue.copy.record.enable": str(self.copies).lower(),
        }


def draw_dead_letters(seed: int) -> DeadLetterOptions:
    """The options of a seed that has dead letters."""
    rng = random.Random(f"dead letters {seed}")
    return DeadLetterOptions(
        partitions=rng.randint(1, 3), deliveries=rng.choice((2, 3)), copies=rng.random() < 0.7
    )


class DeadLetterChecker:
    """Holds the letters against what members of the share group know."""

    def __init__(self, options: DeadLetterOptions, promises: SharePromises, ledger: Ledger) -> None:
        self._options = options
        self._promises = promises
        self._ledger = ledger

    def found(self) -> set[Key]:
        """The records of which there are letters. Members may not have heard of them, if responses were lost."""
        return {self._source(record) for _, record in self._letters()}

    def missing(self) -> list[str]:
        """The records of which there have to be letters, and are none yet."""
        found = self.found()
        missing = [key for key in self._promises.dead() if key not in found]
        return [f"no dead letters of {len(missing)} records: {missing[:10]}"] if missing else []

    def check_at_last(self) -> None:
        """Raise ViolationError if there is a letter of what is no dead letter, or one that says something wrong."""
        records: dict[Place, dict[int, Record]] = {}
        for index, letter in self._letters():
            self._promises.counts["dead letters"] += 1
            place, offset = self._source(letter)
            headers = dict(letter.headers)
            if headers["__dlq.errors.group"] != self._promises.group_id.encode():
                self._violated(f"{letter} is not of {self._promises.group_id}")
            if index != place[1] % self._options.partitions:
                self._violated(f"the letter of {place} {offset} is in partition {index}")
            self._check_reason((place, offset), headers)
            if place not in records:
                records[place] = {each.offset: each for each in self._records_of(place)}
            if offset < self._ledger.start_of(place):
                # The record was deleted, perhaps before it could be copied.
                continue
            source = records[place].get(offset)
            if source is None:
                self._violated(f"there is a letter of {place} {offset}, where no record is")
            elif not self._is_content(letter, source):
                self._violated(f"the letter of {place} {offset} has not its record's key and value")

    def _is_content(self, letter: Record, source: Record) -> bool:
        content = letter.key, letter.value
        if not self._options.copies:
            return content == (None, None)
        # As in Apache Kafka, a letter is written without what cannot be read.
        is_unread = content == (None, None) and self._ledger.have_reads_failed
        return is_unread or content == (source.key, source.value)

    def _check_reason(self, key: Key, headers: Mapping[str, bytes | None]) -> None:
        count, reason = headers["__dlq.errors.delivery.count"], headers["__dlq.errors.message"]
        if count is None or not 1 <= int(count) <= self._options.deliveries:
            self._violated(f"the letter of {key} says that it was delivered {count!r} times")
        elif reason == SPENT.encode():
            if int(count) < self._options.deliveries:
                self._violated(f"the letter of {key} says that it was delivered too often: {count!r} times")
        elif reason != REJECTED.encode() or not self._promises.may_be(key, REJECT):
            self._violated(f"the letter of {key} says: {reason!r}")

    def _letters(self) -> list[tuple[int, Record]]:
        """All of them, with the partition of the topic."""
        return [
            (index, record)
            for index in range(self._options.partitions)
            for record in self._records_of((DEAD_LETTERS, index))
        ]

    def _records_of(self, place: Place) -> list[Record]:
        """Those of the partition's leader."""
        for host, each, hosted in self._ledger.replicas():
            if each == place and hosted.partition.role is Role.LEADER:
                return self._ledger.logs.records_of(host, place)
        return []

    @staticmethod
    def _source(letter: Record) -> Key:
        """Where the record is that a letter is of."""
        headers = dict(letter.headers)
        topic, partition, offset = (
            (headers[f"__dlq.errors.{name}"] or b"").decode() for name in ("topic", "partition", "offset")
        )
        return (topic, int(partition)), int(offset)

    @staticmethod
    def _violated(what: str) -> None:
        raise ViolationError(NodeInvariant.DEAD_LETTERS, what)
