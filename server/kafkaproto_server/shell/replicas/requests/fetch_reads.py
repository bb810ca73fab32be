"""What one Fetch request reads of its partitions: now, if it is in memory, else later by a thread.

A request has a `FetchReads` from its first look to its response. It knows what the last look has left to do: the reads
for a thread, and the partitions whose records count for the throttle of replication.

Apache Kafka: ``ReplicaManager.readFromLog``, ``Partition.fetchRecords``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.file_part import FilePart, Sendable
from kafkaproto_server.base.ports import Buffer, Clock
from kafkaproto_server.base.types import NO_NODE, OffsetAndEpoch
from kafkaproto_server.core.log_state.transactions import aborted_between
from kafkaproto_server.core.replicas.partition import NO_EPOCH, Partition, PartitionError
from kafkaproto_server.requests.data import ReadResult
from kafkaproto_server.requests.fetch_requests import FetchValues, PartitionFetch
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.followers.throttles import ReplicationThrottle
from kafkaproto_server.shell.replicas.requests.log_read import LogRead
from kafkaproto_server.shell.replicas.requests.readable_replicas import ReadableReplicas
from kafkaproto_server.shell.storage.errors import (
    CorruptFileError,
    LogClosedError,
    OffsetOutOfRangeError,
)
from kafkaproto_server.shell.storage.log.topic_log import TopicLog

FIRST_SERVED_BY_FOLLOWERS = 11
"""Version of Fetch whose clients know that any replica may respond (KIP-392)."""
READ_COMMITTED = 1

NO_LIST: Final[list[Any]] = []
"""What requests begin with. Nothing is added to it: most requests need none, and each would cost time."""


class FetchReads:
    """The reads of one request."""

    __slots__ = ("_clock", "_replicas", "_throttle", "_values", "_version", "cold", "throttled")

    def __init__(
        self,
        replicas: ReadableReplicas,
        throttle: ReplicationThrottle,
        clock: Clock,
        values: FetchValues,
        version: int,
    ) -> None:
        """``throttle`` is that of what followers copy."""
        self._replicas = replicas
        self._throttle = throttle
        self._clock = clock
        self._values = values
        self._version = version
        self.cold: list[LogRead] = NO_LIST
        """What has to wait for the disk."""
        self.throttled: list[int] = []
        """The positions of partitions whose records count for the throttle."""

    def read(
        self,
        hosted: Hosted,
        fetch: PartitionFetch,
        position: int,
        left: int,
        *,
        is_first: bool,
        is_empty: bool,
    ) -> ReadResult:
        """Read one partition. Raises PartitionError."""
        partition, values = hosted.partition, self._values
        # First of all: a reader with another leader epoch in mind means other records by its offset (KIP-320).
        if values.is_from_follower or self._version < FIRST_SERVED_BY_FOLLOWERS:
            partition.check_leader(fetch.current_leader_epoch)
        else:
            partition.check_readable(fetch.current_leader_epoch)
        log = self._log_of(hosted)
        offset = fetch.fetch_offset
        instead = self._instead_of_records(partition, fetch)
        if instead is not None:
            return instead
        if offset > partition.log_end_offset:
            raise PartitionError(ErrorCode.OFFSET_OUT_OF_RANGE)
        # Followers get what is not committed, since to have it is what commits it. Consumers get nothing that a new
        # leader might not have, and with read_committed nothing of a transaction that is open (KIP-98).
        stable = partition.last_stable_offset
        if values.is_from_follower:
            end_offset = partition.log_end_offset
        elif values.isolation_level == READ_COMMITTED:
            end_offset = stable
        else:
            end_offset = partition.high_watermark
        records: Sendable = b""
        is_limited = False
        # It still counts as a fetch: the follower hears of high watermark and log start, and its offset counts.
        if values.is_from_follower and self._must_wait(hosted, position):
            is_limited = True
        elif offset < end_offset:
            # The first batch of a response comes whole, however large it is: else a reader could never get beyond it
            # (KIP-74).
            read = LogRead(position, hosted, log, offset, min(fetch.max_bytes, left), end_offset, is_empty)
            found = self._read_now(read)
            if found is None:
                self.cold.append(read)
            else:
                records, is_limited = found, not found
        # Before the response takes the high watermark, which this fetch may move.
        if values.is_from_follower and (is_first or not partition.followers[values.replica_id].is_known):
            # Known it has to be: once its partition has nothing new, it is not looked at again.
            partition.follower_fetched(
                values.replica_id,
                offset,
                fetch.log_start_offset,
                values.replica_epoch,
                now_ms=self._clock.now_ms(),
            )
        is_cold = bool(self.cold) and self.cold[-1].position == position
        return ReadResult(
            high_watermark=partition.high_watermark,
            log_start_offset=partition.log_start_offset,
            last_stable_offset=stable,
            records=records,
            # What a thread reads counts as something, so that the response does not wait for more.
            records_bytes=len(records)
            or (max(1, min(fetch.max_bytes, left, log.log.size_in_bytes)) if is_cold else 0),
            is_limited=is_limited,
            aborted=_aborted(partition.aborted, offset, records, values),
        )

    def _must_wait(self, hosted: Hosted, position: int) -> bool:
        """Whether a follower gets no records of a partition now, because replication is throttled."""
        # Asked for each partition of each request: the throttled replicas of a topic may change at any time.
        throttle = self._throttle
        if not throttle.holds_for(hosted):
            return False
        self.throttled.append(position)
        # Whoever is in sync is never held back, or the throttle would shrink the ISR (KIP-73).
        return self._values.replica_id not in hosted.partition.isr and throttle.is_exceeded()

    def _instead_of_records(self, partition: Partition, fetch: PartitionFetch) -> ReadResult | None:
        """The replica that a consumer should read from, or where a log leaves this one; None if it gets records.

        Raises PartitionError.
        """
        values, offset = self._values, fetch.fetch_offset
        preferred, end = NO_NODE, None
        if not values.is_from_follower and self._version >= FIRST_SERVED_BY_FOLLOWERS:
            # Before the offset is looked at, as in Kafka: another replica may have what is not here.
            preferred = self._replicas.preferred_replica(partition, offset, values)
        if preferred == NO_NODE:
            if offset < partition.log_start_offset:
                raise PartitionError(ErrorCode.OFFSET_OUT_OF_RANGE)
            if fetch.last_fetched_epoch != NO_EPOCH:
                # Fetch itself finds out where logs part (KIP-595). A follower whose last record is of another epoch
                # must not count as having what this log has.
                end = _diverging(partition, offset, fetch.last_fetched_epoch)
            if end is None:
                return None
        return ReadResult(
            high_watermark=partition.high_watermark,
            log_start_offset=partition.log_start_offset,
            last_stable_offset=partition.last_stable_offset,
            preferred_read_replica=preferred,
            is_diverging=end is not None,
            diverging=end,
        )

    def _read_now(self, read: LogRead) -> Sendable | None:
        """Read what is in memory; None if it is not. Raises PartitionError."""
        # Below the high watermark, a log is cut by nothing but an unclean election.
        values = self._values
        copied = values.is_from_follower or _walks(read.hosted.partition, values)
        try:
            return read.read_now(copied=copied)
        except BlockingIOError:
            return None
        except OSError as error:
            self._replicas.read_failed(read.hosted, read.log, error)
            raise PartitionError(ErrorCode.KAFKA_STORAGE_ERROR) from None
        except OffsetOutOfRangeError:
            raise PartitionError(ErrorCode.OFFSET_OUT_OF_RANGE) from None
        except CorruptFileError as error:
            raise PartitionError(ErrorCode.CORRUPT_MESSAGE, str(error)) from None

    def _log_of(self, hosted: Hosted) -> TopicLog:
        """The log, if the sender may have it. Raises PartitionError."""
        values = self._values
        if hosted.log is None:
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        # Who claims to be a follower must be one: it moves the high watermark.
        if values.is_from_follower and (
            values.replica_id not in hosted.partition.followers
            or self._replicas.is_stale(values.replica_id, values.replica_epoch)
        ):
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return hosted.log

    def take_cold(self, found: Sequence[Buffer | Exception], results: list[ReadResult]) -> None:
        """Put what a thread has read into the results that wait for it."""
        for each, records in zip(self.cold, found, strict=True):
            result = results[each.position]
            if isinstance(records, OffsetOutOfRangeError):
                changed = ReadResult(
                    error_code=ErrorCode.OFFSET_OUT_OF_RANGE, high_watermark=-1, log_start_offset=-1
                )
            # The replica was closed while the read waited for its turn: the client is to ask the metadata who leads
            # now.
            elif isinstance(records, LogClosedError):
                changed = ReadResult(
                    error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER, high_watermark=-1, log_start_offset=-1
                )
            elif isinstance(records, Exception):
                # A disk that cannot be read costs its directory, as in Kafka; a file that cannot, its partition.
                self._replicas.read_failed(each.hosted, each.log, records)
                changed = ReadResult(
                    error_code=ErrorCode.KAFKA_STORAGE_ERROR, high_watermark=-1, log_start_offset=-1
                )
            else:
                changed = ReadResult(
                    high_watermark=result.high_watermark,
                    log_start_offset=result.log_start_offset,
                    last_stable_offset=result.last_stable_offset,
                    records=records,
                    records_bytes=len(records),
                    is_limited=not records,
                    aborted=_aborted(each.aborted, each.offset, records, self._values),
                )
            results[each.position] = changed


def _walks(partition: Partition, values: FetchValues) -> bool:
    """Whether the batches are looked at that a consumer gets."""
    return bool(partition.aborted) and values.isolation_level == READ_COMMITTED


def _aborted(
    aborted: Sequence[AbortedTransaction], offset: int, records: Sendable, values: FetchValues
) -> list[tuple[int, int]] | None:
    """The aborted transactions that a consumer has to skip in the records; None if it does not ask for them."""
    if values.isolation_level != READ_COMMITTED or values.is_from_follower:
        return None
    if not aborted or not records:
        return []
    assert not isinstance(records, FilePart), "batches that are looked at have been read"
    end_offset = offset
    # The limit may have cut the last batch short; then the consumer asks for it again. It also finds damage by itself.
    with suppress(RemoteProtocolError):
        for view in iterate_stored_batches(records):
            end_offset = view.next_offset
    return aborted_between(aborted, offset, end_offset)


def _diverging(partition: Partition, offset: int, epoch: int) -> OffsetAndEpoch | None:
    """Where a log that has ``epoch`` up to ``offset`` leaves this one; None if it does not. Raises PartitionError."""
    end = partition.epochs.end_offset_for(epoch, partition.log_end_offset)
    if end is None:
        # Its epoch is newer than all here: the follower knows a leader that this one does not.
        raise PartitionError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if end.epoch < epoch or end.offset < offset:
        return end
    return None
