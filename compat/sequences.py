"""An idempotent producer that says each batch itself: what is next, what was sent before, and what leaves a gap.

A client that was started anew would ask for a new producer id. This one lives on while its node is replaced, so it
shows whether the next node knows the producer's last sequence.
"""

from __future__ import annotations

from compat.node import Node
from compat.process import wait_until
from compat.quorum import connect
from compat.topic_state import LATEST, TIMEOUT_MS, Place, offset_at
from compat.written import Account
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    InitProducerIdRequest,
    InitProducerIdResponse,
    ProduceRequest,
    ProduceResponse,
)
from kafkaproto.records.batch import NewRecord, build_batch

LAST_WITH_NAMES = 12
"""The version of Produce; later ones name topics by their ids."""
RECORDS = 3
"""Of each batch."""


class SequenceError(Exception):
    """A batch was taken, or refused, against the rules of idempotent producers; the text says how."""


class SequencedProducer:
    """A producer id, its next sequence, and its last batch with the offset that it got."""

    def __init__(self, node: Node, place: Place, account: Account) -> None:
        """Asks the node for a producer id; raises SequenceError, WaitedTooLongError and OSError."""
        self._place = place
        self._account = account
        self._next_sequence = 0
        self._sent = 0
        self._last = (b"", -1)
        self._epoch = 0
        self.producer_id = -1
        wait_until(lambda: self._is_known(node), TIMEOUT_MS / 1000, f"{node.kind} to hand out a producer id")

    def _is_known(self, node: Node) -> bool:
        with connect(node.bootstrap_server, timeout_ms=TIMEOUT_MS) as client:
            response = client.send(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=0))
        assert isinstance(response, InitProducerIdResponse)
        # A broker's first request for an id may come before it has asked the controller for some.
        if response.error_code not in (ErrorCode.NONE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS):
            raise SequenceError(f"InitProducerId says error {response.error_code}")
        self.producer_id, self._epoch = response.producer_id, response.producer_epoch
        return response.error_code == ErrorCode.NONE

    def write(self, node: Node) -> None:
        """The next batch has to be appended at the end of the log. Raises SequenceError."""
        end = offset_at(node, self._place, LATEST)
        values = [b"sequenced %d" % number for number in range(self._sent, self._sent + RECORDS)]
        records = [
            NewRecord(key=None, value=each, timestamp_ms=self._account.next_time_ms(self._place))
            for each in values
        ]
        batch = self._batch(records, self._next_sequence)
        self._expect(node, batch, (ErrorCode.NONE, end), "the next batch")
        for number, value in enumerate(values):
            self._account.note(self._place, end + number, value)
        self._sent += RECORDS
        self._next_sequence += RECORDS
        self._last = (batch, end)

    def resume(self, node: Node) -> None:
        """A node that took the log over knows the last batch, refuses a gap, and takes the next one.

        Raises SequenceError.
        """
        batch, offset = self._last
        end = offset_at(node, self._place, LATEST)
        self._expect(node, batch, (ErrorCode.NONE, offset), "the last batch once more")
        gap = self._batch([NewRecord(key=None, value=b"never written")], self._next_sequence + 1)
        self._expect(node, gap, (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1), "a batch behind a gap")
        if (now := offset_at(node, self._place, LATEST)) != end:
            raise SequenceError(f"{node.kind}: the log went from {end} to {now} by what must not be written")
        self.write(node)

    def _batch(self, records: list[NewRecord], sequence: int) -> bytes:
        return build_batch(
            records,
            base_offset=0,
            timestamp_ms=0,
            producer_id=self.producer_id,
            producer_epoch=self._epoch,
            base_sequence=sequence,
        )

    def _expect(self, node: Node, batch: bytes, expected: tuple[ErrorCode, int], what: str) -> None:
        topic, index = self._place
        partition = ProduceRequest.PartitionProduceData(index=index, records=batch)
        request = ProduceRequest(
            acks=-1,
            timeout_ms=TIMEOUT_MS,
            topic_data=[ProduceRequest.TopicProduceData(name=topic, partition_data=[partition])],
        )
        with connect(node.bootstrap_server, timeout_ms=TIMEOUT_MS) as client:
            response = client.send(request, LAST_WITH_NAMES)
        assert isinstance(response, ProduceResponse)
        found = response.responses[0].partition_responses[0]
        if (found.error_code, found.base_offset) != expected:
            raise SequenceError(
                f"{node.kind}, {what}: error {found.error_code}, offset {found.base_offset}; expected {expected}"
            )
