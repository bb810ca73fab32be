"""One transactional id: its producer's identity, the state of its transaction, and how one state follows from another.

A producer is identified by its id and epoch. Whatever takes a transaction from a producer bumps the epoch, so that the
producer is fenced. With transaction.version 2 (KIP-890) each end of a transaction does so, which tells late requests
of one transaction from those of the next; then the marker has the bumped epoch as well.

The epochs of an id end before 32767. That last one is never given to a producer, so that the coordinator can always
fence. A producer whose epochs are at their end gets a new id and begins with epoch 0.

No decision is made here. Each function returns the state that follows; `coordinator.py` decides, and writes it.
Apache Kafka has this in TransactionMetadata and TransactionState.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.transaction_requests import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    TopicPartition,
)

MAX_EPOCH: Final = 32_767
"""Of an int16. No producer gets it."""
NO_TIMEOUT_MS: Final = 2_147_483_647
"""The timeout of a transaction with two-phase commit (KIP-939): it is never aborted for its age."""
NOT_STARTED: Final = -1
EPOCH_BUMP_VERSION: Final = 2
"""The transaction.version from which each end of a transaction bumps the epoch."""


class TransactionState(enum.IntEnum):
    """The numbers that the records have."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    @property
    def label(self) -> str:
        """The name that Kafka's tools print and filter by."""
        return _LABELS[self]


_LABELS: Final = {
    state: "".join(word.capitalize() for word in state.name.split("_")) for state in TransactionState
}
STATES_BY_LABEL: Final[Mapping[str, TransactionState]] = {label: state for state, label in _LABELS.items()}
RESTING: Final = frozenset(
    {TransactionState.EMPTY, TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT}
)
"""The states without a transaction: a new one may begin, and the id may expire."""
UNWRITTEN: Final = frozenset({TransactionState.DEAD, TransactionState.PREPARE_EPOCH_FENCE})
"""The states that Apache Kafka has in memory only. If a record has one, nothing can be done with its id."""
PREPARED: Final = frozenset({TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT})
"""The states in which the end is decided and markers are sent."""


@dataclass(slots=True, frozen=True, kw_only=True)
class Transaction:
    """The state of a transactional id. The names of the fields are Kafka's."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    state: TransactionState
    timeout_ms: int
    previous_producer_id: int = NO_PRODUCER_ID
    """The id before the last change of state: the same one, unless the epochs came to their end."""
    next_producer_id: int = NO_PRODUCER_ID
    """The id that the producer has once this transaction is complete, if its epochs have come to their end."""
    last_producer_epoch: int = NO_PRODUCER_EPOCH
    """The epoch of the same producer before this one. A request that has it may be a repetition. No record has it, so
    that a repetition is fenced if the coordinator has moved in the meantime."""
    partitions: frozenset[TopicPartition] = frozenset()
    started_ms: int = NOT_STARTED
    """Wall time."""
    updated_ms: int = NOT_STARTED
    """Wall time."""
    client_version: int = 0
    """The transaction.version by which the client, or the coordinator that aborted, works."""

    @property
    def is_prepared(self) -> bool:
        """Whether its end is decided, and not every partition is known to have its marker."""
        return self.state in PREPARED

    @property
    def is_exhausted(self) -> bool:
        """Whether a producer cannot get another epoch of this id."""
        # One epoch is left above it, with which the coordinator can still fence the producer.
        return self.producer_epoch >= MAX_EPOCH - 1

    @property
    def has_timeout(self) -> bool:
        return self.timeout_ms != NO_TIMEOUT_MS

    def check_usable(self) -> None:
        """No coordinator writes these states. A record that has one all the same is not to be trusted.

        Raises CoordinatorError: UNKNOWN_SERVER_ERROR.
        """
        if self.state in UNWRITTEN:
            raise CoordinatorError(ErrorCode.UNKNOWN_SERVER_ERROR)

    def check_producer(self, producer_id: int, producer_epoch: int) -> None:
        """Whether a request comes from the producer that has this transactional id now.

        Raises CoordinatorError: INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED.
        """
        if self.producer_id != producer_id:
            raise CoordinatorError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        if self.producer_epoch != producer_epoch:
            raise CoordinatorError(ErrorCode.PRODUCER_FENCED)

    # -- a producer begins ---------------------------------------------------------------------------------------

    @classmethod
    def new(cls, transactional_id: str, producer_id: int, timeout_ms: int, wall_ms: int) -> Transaction:
        """The first producer of a transactional id."""
        return cls(
            transactional_id=transactional_id,
            producer_id=producer_id,
            previous_producer_id=producer_id,
            producer_epoch=0,
            state=TransactionState.EMPTY,
            timeout_ms=timeout_ms,
            updated_ms=wall_ms,
        )

    def initialized(self, timeout_ms: int, expected_epoch: int | None, wall_ms: int) -> Transaction:
        """A producer begins with the next epoch, or repeats a request for it, and then has the epoch that it got.

        Raises CoordinatorError if it expects an epoch that is neither this one nor the last one: PRODUCER_FENCED.
        """
        # A client that names no id is another instance of the producer, even if it runs in the same process. The higher
        # epoch fences whoever had the transactional id before (KIP-98).
        if expected_epoch is None:
            epoch, last_epoch = self.producer_epoch + 1, NO_PRODUCER_EPOCH
        # The producer itself wants to go on after an error (KIP-360). Its response may get lost: then it asks again
        # with the epoch that it had, which is why that one is noted.
        elif expected_epoch == self.producer_epoch:
            epoch, last_epoch = self.producer_epoch + 1, self.producer_epoch
        # A repetition. To bump the epoch once more would fence the producer by itself.
        elif expected_epoch == self.last_producer_epoch:
            epoch, last_epoch = self.producer_epoch, self.last_producer_epoch
        else:
            raise CoordinatorError(ErrorCode.PRODUCER_FENCED)
        assert epoch < MAX_EPOCH, "no producer gets the last epoch"
        return self._emptied(self.producer_id, epoch, last_epoch, timeout_ms, wall_ms)

    def rotated(
        self, producer_id: int, timeout_ms: int, expected_epoch: int | None, wall_ms: int
    ) -> Transaction:
        """A producer begins with a new id, as the epochs of this one are at their end."""
        assert self.is_exhausted, "a producer keeps its id while there are epochs"
        # A new producer has nothing to repeat.
        last_epoch = NO_PRODUCER_EPOCH if expected_epoch is None else self.producer_epoch
        return self._emptied(producer_id, 0, last_epoch, timeout_ms, wall_ms)

    def _emptied(
        self, producer_id: int, epoch: int, last_epoch: int, timeout_ms: int, wall_ms: int
    ) -> Transaction:
        assert self.state in RESTING, f"{self.state.label} is followed by no Empty"
        return replace(
            self,
            state=TransactionState.EMPTY,
            producer_id=producer_id,
            # A producer that misses the response goes on with this id; InitProducerId and EndTxn know it by that.
            previous_producer_id=self.producer_id,
            next_producer_id=NO_PRODUCER_ID,
            producer_epoch=epoch,
            last_producer_epoch=last_epoch,
            timeout_ms=timeout_ms,
            partitions=frozenset(),
            started_ms=NOT_STARTED,
            updated_ms=wall_ms,
        )

    # -- a transaction -------------------------------------------------------------------------------------------

    def with_partitions(
        self, partitions: frozenset[TopicPartition], client_version: int, wall_ms: int
    ) -> Transaction:
        """More partitions take part; the first ones begin the transaction."""
        assert not self.is_prepared, "its end is decided"
        is_ongoing = self.state is TransactionState.ONGOING
        return replace(
            self,
            state=TransactionState.ONGOING,
            previous_producer_id=self.producer_id,
            partitions=self.partitions | partitions,
            started_ms=self.started_ms if is_ongoing else wall_ms,
            updated_ms=wall_ms,
            # The markers follow the client and not the cluster, which may have been upgraded since the transaction
            # began: a client of the older protocol goes on in the same epoch, and a marker of the next one would fence
            # it.
            client_version=client_version,
        )

    def ended(
        self, *, is_commit: bool, client_version: int, next_producer_id: int, wall_ms: int
    ) -> Transaction:
        """The end is decided. With an epoch bump, a transaction without partitions may be aborted as well."""
        bumps = client_version >= EPOCH_BUMP_VERSION
        is_ongoing = self.state is TransactionState.ONGOING
        assert is_ongoing or (bumps and not is_commit and self.state in RESTING), (
            f"{self.state.label} does not end"
        )
        return replace(
            self,
            state=TransactionState.PREPARE_COMMIT if is_commit else TransactionState.PREPARE_ABORT,
            previous_producer_id=self.producer_id,
            next_producer_id=next_producer_id,
            # No producer has the last epoch. It is there after a fencing without another id; no bump follows then.
            producer_epoch=min(self.producer_epoch + 1, MAX_EPOCH) if bumps else self.producer_epoch,
            last_producer_epoch=self.producer_epoch if bumps else self.last_producer_epoch,
            # Without partitions nobody has noted when it began. Kafka takes the time of the end, too.
            started_ms=self.started_ms if is_ongoing else wall_ms,
            updated_ms=wall_ms,
            client_version=client_version,
        )

    def fenced(self, *, version: int, next_producer_id: int, wall_ms: int) -> Transaction:
        """The coordinator aborts the transaction; its producer's epoch is one too low from now on.

        ``version`` is the cluster's transaction.version. If ends bump epochs, this end does so too, and only once
        (KAFKA-19367).
        """
        # Kafka once bumped the epoch by the fencing, and again by the end.
        if version >= EPOCH_BUMP_VERSION:
            return self.ended(
                is_commit=False, client_version=version, next_producer_id=next_producer_id, wall_ms=wall_ms
            )
        # Ends of the older versions keep the epoch, so it has to rise before: a late batch of the fenced producer would
        # else be taken behind the marker, and open a transaction that nobody ends.
        bumped = replace(
            self,
            producer_epoch=min(self.producer_epoch + 1, MAX_EPOCH),
            # The fenced producer has that epoch, and must not pass for one that repeats its request.
            last_producer_epoch=NO_PRODUCER_EPOCH,
        )
        return bumped.ended(
            is_commit=False, client_version=0, next_producer_id=NO_PRODUCER_ID, wall_ms=wall_ms
        )

    def completed(self, wall_ms: int) -> Transaction:
        """All partitions have their markers. If there is a next producer id, the producer has it now."""
        assert self.is_prepared, f"{self.state.label} is not completed"
        is_commit = self.state is TransactionState.PREPARE_COMMIT
        takes_next = self.next_producer_id != NO_PRODUCER_ID
        return replace(
            self,
            state=TransactionState.COMPLETE_COMMIT if is_commit else TransactionState.COMPLETE_ABORT,
            # EndTxn compares it with the id of a producer that has missed its next one.
            previous_producer_id=self.producer_id,
            # Not with the decision: the markers have to name the producer that wrote the records.
            producer_id=self.next_producer_id if takes_next else self.producer_id,
            producer_epoch=0 if takes_next else self.producer_epoch,
            next_producer_id=NO_PRODUCER_ID,
            # All of them have their markers. The next transaction names its own.
            partitions=frozenset(),
            updated_ms=wall_ms,
        )
