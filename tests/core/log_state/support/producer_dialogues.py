"""Dialogues of producers and coordinators with the leader of a partition, and what Apache Kafka answered.

``../data/producer_dialogues.json`` has, for each dialogue below, the answer to every step and the files that the
partition had at the end: its log, its producer snapshot and its transaction index. `record_dialogues` recorded them
from a node of Apache Kafka 4.4.0 (sole node, both roles) with raw requests, Produce 11 and WriteTxnMarkers 2. Each
dialogue had a topic of its own. ``transaction.partition.verification.enable=false`` let any producer begin a
transaction. Every answer has the last stable offset too, which ListOffsets with read_committed gave after the step.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kafkaproto.records.batch import BatchHeader, RecordBatchView, build_batch

DATA = Path(__file__).parents[1] / "data" / "producer_dialogues.json"
TIMESTAMP_MS = 1_700_000_000_000
"""Of the first record that is sent; those of each later step are a second later."""
LAST = 0x7FFF_FFFF
"""The highest sequence."""


class Send(NamedTuple):
    """A client sends a batch."""

    producer_id: int
    epoch: int
    sequence: int
    record_count: int = 1
    transactional: bool = False

    def batch(self, step: int) -> bytes:
        """The batch as it is sent in that step of a dialogue."""
        return build_batch(
            [(None, b"%d" % (self.sequence + number), ()) for number in range(self.record_count)],
            base_offset=0,
            partition_leader_epoch=-1,
            timestamp_ms=TIMESTAMP_MS + 1000 * step,
            transactional=self.transactional,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            base_sequence=self.sequence,
        )

    def header(self, step: int) -> BatchHeader:
        """The header of that batch."""
        return RecordBatchView(self.batch(step)).header()


class Mark(NamedTuple):
    """A coordinator ends a transaction."""

    producer_id: int
    epoch: int
    coordinator_epoch: int
    is_abort: bool = False
    transaction_version: int = 0


def in_transaction(producer_id: int, epoch: int, sequence: int, count: int = 1) -> Send:
    """A batch of a transaction."""
    return Send(producer_id, epoch, sequence, count, True)


DIALOGUES: Mapping[str, list[Send | Mark]] = {
    "sequences follow each other": [
        Send(1, 0, 0),
        Send(1, 0, 1, 3),
        Send(1, 0, 4),
        Send(2, 0, 0),
        Send(1, 0, 5),
    ],
    "an unknown producer may begin anywhere": [
        Send(1, 0, 5, 2),
        Send(1, 0, 8),
        Send(1, 0, 7),
        Send(1, 0, 0),
        Send(1, 0, 6),
    ],
    "the newest five are recognized": [
        *(Send(1, 0, sequence) for sequence in range(7)),
        *(Send(1, 0, sequence) for sequence in range(7)),
        Send(1, 0, 7),
        Send(1, 0, 2),
        Send(1, 0, 3),
    ],
    "a repetition has both sequences": [
        Send(1, 0, 0, 3),
        Send(1, 0, 3, 3),
        Send(1, 0, 0, 2),
        Send(1, 0, 1, 2),
        Send(1, 0, 0, 6),
        Send(1, 0, 3, 4),
        Send(1, 0, 0, 3),
        Send(1, 0, 3, 3),
    ],
    "a new epoch begins with sequence 0": [
        Send(1, 3, 0),
        Send(1, 3, 1),
        Send(1, 4, 2),
        Send(1, 4, 1),
        Send(1, 4, 0),
        Send(1, 4, 0),
        Send(1, 3, 1),
        Send(1, 3, 2),
        Send(1, 9, 0),
        Send(1, 8, 0),
    ],
    "zero follows the highest sequence": [
        Send(1, 0, LAST - 1),
        Send(1, 0, 0),
        Send(1, 0, LAST),
        Send(1, 0, 1),
        Send(1, 0, 0),
        Send(1, 0, LAST),
        Send(2, 0, LAST - 2, 5),
        Send(2, 0, 2),
        Send(2, 0, LAST - 2, 5),
        Send(2, 0, LAST - 2, 4),
        Send(2, 0, 3),
    ],
    "an open transaction takes transactional batches only": [
        in_transaction(1, 0, 0),
        Send(1, 0, 1),
        in_transaction(1, 0, 1),
        Send(1, 0, 1),
        Send(1, 1, 0),
        in_transaction(1, 1, 0),
        Mark(1, 1, 1),
        Send(1, 1, 1),
        in_transaction(1, 1, 2),
        Mark(1, 2, 1, True),
    ],
    "a marker ends the transaction of its epoch": [
        in_transaction(1, 4, 0, 2),
        Mark(1, 3, 1),
        Mark(1, 4, 1),
        in_transaction(1, 4, 2),
        Mark(1, 4, 1, True),
        Mark(1, 4, 1, True),
        in_transaction(1, 4, 3),
        Mark(1, 5, 1, True),
        in_transaction(1, 4, 4),
        in_transaction(1, 5, 4),
        in_transaction(1, 5, 0),
    ],
    "a coordinator is fenced by a later one": [
        in_transaction(1, 0, 0),
        Mark(1, 0, 5),
        in_transaction(1, 0, 1),
        Mark(1, 0, 4),
        Mark(1, 0, 5),
        Mark(2, 0, 4),
        Mark(1, 0, 6, True),
        Mark(1, 0, 5, True),
    ],
    "a marker for an unknown producer": [
        Mark(1, 2, 1),
        Send(1, 2, 4),
        Send(1, 1, 0),
        Send(1, 2, 0),
        Mark(2, 3, 1, True, 2),
        Send(2, 4, 1),
        Send(2, 4, 0),
    ],
    "transaction version 2 has an epoch for each transaction": [
        in_transaction(1, 0, 0),
        Mark(1, 0, 1, False, 2),
        Mark(1, 1, 1, False, 2),
        Mark(1, 1, 1, False, 2),
        Mark(1, 0, 1, False, 2),
        in_transaction(1, 0, 1),
        in_transaction(1, 1, 1),
        in_transaction(1, 1, 0),
        Mark(1, 1, 1, True, 2),
        Mark(1, 1, 1, True, 1),
        in_transaction(1, 1, 1),
        Mark(1, 2, 1, True, 2),
        Mark(1, 2, 0, True, 2),
    ],
    "the highest epoch has no other after it": [
        in_transaction(1, 0x7FFF, 0),
        Mark(1, 0x7FFF, 1, False, 2),
        Mark(1, 0x7FFF, 1, False, 2),
        in_transaction(1, 0x7FFF, 1),
    ],
    "transactions end in another order than they begin": [
        in_transaction(1, 0, 0),
        Send(9, 0, 0),
        in_transaction(2, 0, 0),
        in_transaction(3, 0, 0),
        Mark(2, 0, 1, True),
        in_transaction(2, 0, 1),
        Mark(3, 0, 1),
        in_transaction(4, 0, 0),
        Mark(1, 0, 1, True),
        Mark(4, 0, 1, True),
        in_transaction(1, 0, 1),
        Mark(2, 0, 1, True),
        in_transaction(5, 0, 0),
        Mark(1, 0, 1, True),
    ],
    "append time": [
        Send(1, 0, 0),
        Send(1, 0, 1),
        Send(1, 0, 0),
        in_transaction(2, 0, 0),
        Mark(2, 0, 1, True),
    ],
}


class Dialogue(NamedTuple):
    """One dialogue as recorded."""

    name: str
    answers: list[dict[str, Any]]
    """For each step the error and the last stable offset; for a batch that is in the log also ``base_offset`` and, if
    the answer had one, ``append_time_ms``."""
    active: list[list[int]]
    """What DescribeProducers answered at the end, fields in the order of the schema."""
    log: bytes
    snapshot: bytes
    transaction_index: bytes


def load_dialogues() -> list[Dialogue]:
    """The recorded dialogues, in the order of `DIALOGUES`."""
    return [
        Dialogue(
            name=each["name"],
            answers=each["answers"],
            active=each["active"],
            log=zlib.decompress(base64.b64decode(each["log"])),
            snapshot=bytes.fromhex(each["snapshot"]),
            transaction_index=bytes.fromhex(each["transaction_index"]),
        )
        for each in json.loads(DATA.read_text())
    ]
