"""Sends the markers of decided transactions to the brokers that lead their partitions, until all partitions have one.

Each broker has one request under way; what is to be sent to it in the meantime goes into the next one. A result of a
partition says what becomes of it:

- it has its marker, or can have no part in a transaction: done;
- its leader has changed, or cannot write at the moment: it is sent again, to the leader of then;
- it does not exist any more: done;
- its leader knows a later epoch of the producer: this partition is not sent to again, and the transaction stays
  prepared, as in Apache Kafka, until another broker coordinates;
- its leader knows a later coordinator: nothing of this transaction is sent any more.

Apache Kafka has this in TransactionMarkerChannelManager and TransactionMarkerRequestCompletionHandler.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.transactions.transaction import Transaction, TransactionState
from kafkaproto_server.core.coordinators.transactions.values import (
    NO_LEADER,
    MarkerPorts,
    MarkerResults,
    TransactionMarker,
)
from kafkaproto_server.core.coordinators.values import Surroundings
from kafkaproto_server.requests.transaction_requests import (
    TopicPartition,
)

RETRY_MS = 100
"""The time until a marker is sent again. Leaders change at the pace of seconds."""


class _Verdict(enum.Enum):
    DONE = enum.auto()
    RETRY = enum.auto()
    FENCED_PRODUCER = enum.auto()
    FENCED_COORDINATOR = enum.auto()


_VERDICTS = {
    ErrorCode.NONE: _Verdict.DONE,
    # A log of such an old format has taken no record of a transaction.
    ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT: _Verdict.DONE,
    ErrorCode.UNSUPPORTED_VERSION: _Verdict.DONE,
    ErrorCode.INVALID_PRODUCER_EPOCH: _Verdict.FENCED_PRODUCER,
    ErrorCode.TRANSACTION_COORDINATOR_FENCED: _Verdict.FENCED_COORDINATOR,
}
"""All other codes are tried again: the end is decided, and a partition without it would stay blocked for ever."""


@dataclass(slots=True)
class _Ending:
    """A transaction whose markers are sent."""

    transaction: Transaction
    remaining: set[TopicPartition] = field(default_factory=set)
    """The partitions that are not known to have their marker."""


_Parcel = list[tuple[_Ending, tuple[TopicPartition, ...]]]


class MarkerSender:
    """Sends the markers of the transactions of one partition of ``__transaction_state``."""

    def __init__(
        self,
        coordinator_epoch: int,
        ports: MarkerPorts,
        surroundings: Surroundings,
        finished: Callable[[str], None],
    ) -> None:
        """``finished`` gets the id of a transaction all of whose partitions are done."""
        self._coordinator_epoch = coordinator_epoch
        self._ports = ports
        self._surroundings = surroundings
        self._finished = finished
        self._endings: dict[str, _Ending] = {}
        self._queues: dict[int, list[tuple[_Ending, TopicPartition]]] = {}
        """What is to be sent, by broker."""
        self.leaderless = 0
        """How many partitions had no leader when their marker was to be sent, and are tried again."""
        self._busy: set[int] = set()
        """Brokers with a request under way."""

    def begin(self, transaction: Transaction) -> None:
        """The decision about this transaction is committed: send its markers."""
        assert transaction.is_prepared, "its end is decided"
        ending = _Ending(transaction, set(transaction.partitions))
        self._endings[transaction.transactional_id] = ending
        # Sorted: what is sent does not depend on the hashes of this process.
        self._route(ending, sorted(transaction.partitions))

    def remaining(self, transactional_id: str) -> frozenset[TopicPartition] | None:
        """The partitions of a transaction that are not done; None if none of its markers is to be sent."""
        ending = self._endings.get(transactional_id)
        return None if ending is None else frozenset(ending.remaining)

    def close(self) -> None:
        """Send nothing any more, and ignore what comes back."""
        self._endings.clear()
        self._queues.clear()

    def _is_current(self, ending: _Ending) -> bool:
        return self._endings.get(ending.transaction.transactional_id) is ending

    def _route(self, ending: _Ending, partitions: Iterable[TopicPartition]) -> None:
        """Put partitions in the queues of their leaders."""
        if not self._is_current(ending):
            return
        leaderless = []
        brokers = []
        for each in partitions:
            leader = self._ports.leader_of(each)
            # The topic was deleted while the transaction was open. To wait for its leader would block the producer for
            # good.
            if leader is None:
                ending.remaining.discard(each)
            elif leader == NO_LEADER:
                leaderless.append(each)
            else:
                self._queues.setdefault(leader, []).append((ending, each))
                brokers.append(leader)
        self._wait_for_leaders(ending, leaderless)
        # All partitions are queued first, so that a broker gets those of one transaction in one request.
        for broker in dict.fromkeys(brokers):
            self._flush(broker)
        self._maybe_finish(ending)

    def _wait_for_leaders(self, ending: _Ending, partitions: list[TopicPartition]) -> None:
        if not partitions:
            return
        self.leaderless += len(partitions)

        def again() -> None:
            self.leaderless -= len(partitions)
            assert self.leaderless >= 0, "partitions wait for a leader once"
            self._route(ending, partitions)

        self._surroundings.call_at(self._surroundings.now_ms() + RETRY_MS, again)

    def _retry_later(self, ending: _Ending, partitions: list[TopicPartition]) -> None:
        if partitions:
            self._surroundings.call_at(
                self._surroundings.now_ms() + RETRY_MS, partial(self._route, ending, partitions)
            )

    def _flush(self, broker_id: int) -> None:
        """Send what is queued for a broker, unless it has a request already."""
        # A broker that does not respond holds up its own partitions only, and has one request to work off when it comes
        # back.
        if broker_id in self._busy:
            return
        parcel = self._take(broker_id)
        if not parcel:
            return
        self._busy.add(broker_id)
        markers = [self._marker(ending, partitions) for ending, partitions in parcel]
        self._ports.send_markers(broker_id, markers, partial(self._responded, broker_id, parcel))

    def _take(self, broker_id: int) -> _Parcel:
        """The queue of a broker, by transaction."""
        # The queue has single partitions; those of one transaction go into one marker.
        by_id: dict[str, tuple[_Ending, list[TopicPartition]]] = {}
        for ending, partition in self._queues.pop(broker_id, ()):
            if self._is_current(ending):
                by_id.setdefault(ending.transaction.transactional_id, (ending, []))[1].append(partition)
        return [(ending, tuple(partitions)) for ending, partitions in by_id.values()]

    def _marker(self, ending: _Ending, partitions: tuple[TopicPartition, ...]) -> TransactionMarker:
        transaction = ending.transaction
        return TransactionMarker(
            producer_id=transaction.producer_id,
            producer_epoch=transaction.producer_epoch,
            is_commit=transaction.state is TransactionState.PREPARE_COMMIT,
            # By it, leaders refuse the markers of a coordinator that has lost its partition.
            coordinator_epoch=self._coordinator_epoch,
            # Of the transaction: it says whether the epoch of the marker is the one of its batches, or the next
            # (KIP-890).
            transaction_version=transaction.client_version,
            partitions=partitions,
        )

    def _responded(self, broker_id: int, parcel: _Parcel, results: MarkerResults | None) -> None:
        assert broker_id in self._busy, "a broker responds to a request, and once"
        self._busy.discard(broker_id)
        for ending, partitions in parcel:
            if self._is_current(ending):
                self._settle(ending, partitions, results)
        self._flush(broker_id)

    def _settle(
        self, ending: _Ending, partitions: tuple[TopicPartition, ...], results: MarkerResults | None
    ) -> None:
        codes = (results or {}).get(ending.transaction.producer_id, {})
        again = []
        for each in partitions:
            code = codes.get(each)
            # A partition that the response leaves out is in doubt.
            verdict = _Verdict.RETRY if code is None else _VERDICTS.get(code, _Verdict.RETRY)
            if verdict is _Verdict.DONE:
                ending.remaining.discard(each)
            # Not to the same broker: by then another one may lead.
            elif verdict is _Verdict.RETRY:
                again.append(each)
            # Another broker coordinates, and this one has not heard of it. What it would still write could not be
            # committed.
            elif verdict is _Verdict.FENCED_COORDINATOR:
                del self._endings[ending.transaction.transactional_id]
                return
        self._retry_later(ending, again)
        self._maybe_finish(ending)

    def _maybe_finish(self, ending: _Ending) -> None:
        if not ending.remaining and self._is_current(ending):
            del self._endings[ending.transaction.transactional_id]
            self._finished(ending.transaction.transactional_id)
