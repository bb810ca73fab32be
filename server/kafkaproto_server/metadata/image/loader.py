"""The loader: makes images of batches of the metadata log, and holds metadata transactions back (KIP-868).

A batch is replayed as a whole and moves the image to the batch's last offset. Records between a BeginTransactionRecord
and its EndTransactionRecord count only from the latter on: until then, the image that may be shown is the one before
the transaction. An AbortTransactionRecord undoes them. Transactions may span batches and do not nest.

`LoadState` is a value, and `load_records` is a function of it, so that the controller can keep one state per offset and
return to any of them. `MetadataLoader` is for users that only go forward.

Apache Kafka: ``MetadataLoader`` and ``MetadataBatchLoader``; ``OffsetControlManager`` for the controller.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.metadata.image.errors import ReplayError
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.replay import replay_steps

# Record types that mark transactions.
BEGIN_TRANSACTION = 23
END_TRANSACTION = 24
ABORT_TRANSACTION = 25
_TRANSACTION_MARKS = (BEGIN_TRANSACTION, END_TRANSACTION, ABORT_TRANSACTION)


class LoadState(msgspec.Struct, frozen=True, kw_only=True):
    """The state after the part of the log that was read so far."""

    latest: ClusterImage = EMPTY_IMAGE
    """The image of all records that were read, those of an open transaction included."""
    stable: ClusterImage = EMPTY_IMAGE
    """The image that may be shown: ``latest`` itself, or the image before the open transaction."""

    @property
    def in_transaction(self) -> bool:
        """Whether a metadata transaction is open."""
        # By identity, so that comparing two large images is never needed.
        return self.stable is not self.latest


def load_records(
    state: LoadState, *, base_offset: int, epoch: int, timestamp_ms: int, records: Sequence[Any]
) -> LoadState:
    """The state after a batch of data records; raises ReplayError if a record contradicts the state before it."""
    return run_to_end(
        load_steps(state, base_offset=base_offset, epoch=epoch, timestamp_ms=timestamp_ms, records=records)
    )


def load_steps(
    state: LoadState, *, base_offset: int, epoch: int, timestamp_ms: int, records: Sequence[Any]
) -> Steps[LoadState]:
    """As `load_records`, with at least one step per record."""
    assert base_offset == state.latest.offset + 1, f"batch {base_offset} after offset {state.latest.offset}"
    assert records, "a batch has at least one record"
    image = state.latest
    # A transaction of an earlier batch may still be open: its stable image stays until the end of
    # the transaction.
    before_transaction = state.stable if state.in_transaction else None
    start = 0
    for position, record in enumerate(records):
        # Few records are marks. What lies between two of them is replayed as one run.
        if record.API_KEY not in _TRANSACTION_MARKS:
            continue
        offset = base_offset + position
        # Up to the mark, which is no record of the image itself.
        image = yield from replay_steps(image, records[start:position], base_offset + start)
        # Behind the mark, whatever it is.
        start = position + 1
        if record.API_KEY == BEGIN_TRANSACTION:
            if before_transaction is not None:
                # Kafka's OffsetControlManager does not nest them either. To go on would show half
                # of the first one.
                raise ReplayError(record.NAME, offset, "another transaction is still open")
            # Records before the mark, in the same batch, belong to no transaction and show at once.
            if offset != base_offset:
                image = _dated(image.at(offset - 1, epoch, timestamp_ms), state.stable)
            before_transaction = image
            continue
        if before_transaction is None:
            raise ReplayError(record.NAME, offset, "no transaction is open")
        # Nothing is undone record by record: images are persistent, so the one from before is still
        # there.
        if record.API_KEY == ABORT_TRANSACTION:
            image = before_transaction
        # Both marks end it; what differs is which image goes on.
        before_transaction = None
    image = yield from replay_steps(image, records[start:], base_offset + start)
    last_offset = base_offset + len(records) - 1
    # Once per batch. Snapshots end at ends of batches, and readers never see an image within one.
    assert last_offset > state.latest.offset, f"a batch to {last_offset} after {state.latest.offset}"
    image = image.at(last_offset, epoch, timestamp_ms)
    # The batch ends within the transaction. Its records count for the next batch, and are shown to nobody.
    if before_transaction is not None:
        return LoadState(latest=image, stable=before_transaction)
    image = _dated(image, state.stable)
    return LoadState(latest=image, stable=image)


def _dated(image: ClusterImage, shown: ClusterImage) -> ClusterImage:
    """The image that is shown next, after ``shown``: clients get as the features' epoch its offset if they changed."""
    # Clients take features with a higher epoch for newer ones, so it rises only with a change of them.
    if image.features_offset == shown.features_offset:
        return image
    return msgspec.structs.replace(image, features_offset=image.offset)


def load_control_batch(state: LoadState, *, last_offset: int, epoch: int, timestamp_ms: int) -> LoadState:
    """The state after a batch of the quorum's control records: only offset, epoch and timestamp change."""
    assert last_offset > state.latest.offset, f"control batch to {last_offset} after {state.latest.offset}"
    image = state.latest.at(last_offset, epoch, timestamp_ms)
    # A control batch does not end a transaction: a new leader writes LEADER_CHANGE before it can
    # abort what its predecessor left open.
    return LoadState(latest=image, stable=state.stable if state.in_transaction else image)


class MetadataLoader:
    """Reads the committed part of the metadata log in order and keeps the newest image that may be shown."""

    __slots__ = ("_state",)

    def __init__(self) -> None:
        self._state = LoadState()

    @property
    def image(self) -> ClusterImage:
        """The newest image that may be shown; it lags behind while a transaction is open."""
        return self._state.stable

    @property
    def next_offset(self) -> int:
        """Offset that the next batch has to start at."""
        return self._state.latest.offset + 1

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open; no snapshot may be taken meanwhile."""
        return self._state.in_transaction

    def load_snapshot(self, image: ClusterImage) -> None:
        """Start over from the image that a snapshot holds."""
        # No snapshot is taken within a transaction, so after one none is open.
        self._state = LoadState(latest=image, stable=image)

    def load_batch(self, *, base_offset: int, epoch: int, timestamp_ms: int, records: Sequence[Any]) -> None:
        """Replay a batch of data records; if a record contradicts the state, raises ReplayError and changes nothing."""
        # Assigned at the end: if a record contradicts the image, the state is that before the batch.
        self._state = load_records(
            self._state, base_offset=base_offset, epoch=epoch, timestamp_ms=timestamp_ms, records=records
        )

    def load_control_batch(self, *, last_offset: int, epoch: int, timestamp_ms: int) -> None:
        """Note a batch of the quorum's control records."""
        self._state = load_control_batch(
            self._state, last_offset=last_offset, epoch=epoch, timestamp_ms=timestamp_ms
        )
