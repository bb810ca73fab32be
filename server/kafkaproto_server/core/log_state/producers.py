"""What the batches of one log say about idempotent and transactional producers, and which batch may come next.

An idempotent producer (KIP-98) has an id and an epoch, and numbers its records in each partition: the first record of
an epoch has sequence 0, after 2^31-1 comes 0 again. The leader checks every batch against what it knows of the
producer:

- A batch of an older epoch is refused: a newer instance of the producer has taken over, or a transaction has ended.
- The sequence has to follow the last one. Otherwise records are lost, or the producer sends again what is in the log.
- A batch that equals one of the newest five is such a repetition. Its producer gets the first answer again. An older
  repetition cannot be told from a gap, and is refused as one. Producers have no more than five batches in flight.
- Any sequence may follow if nothing is known of the producer: retention or expiry may have removed what was known.

A transaction begins with the first transactional batch and ends with a marker, the control batch of a coordinator.
With transaction version 2 (KIP-890) a marker has the epoch after that of the transaction's batches, so that a late
batch of the transaction is of an older epoch. Whether the coordinator knows of the transaction is the leader's question
(`core.replicas.verification`).

A producer is forgotten a while after this replica got the last batch of it. Kafka goes by the batch's own time: with
event times of last week, a producer is forgotten while it writes, and what it sends again is in the log twice. A
snapshot has room for one time. If a batch's own time is much older, the snapshot has the time at which the replica got
it; DescribeProducers shows that after a restart.

`check` and `check_marker` are for the leader, before the append. `update` is for every batch in the log, in the order
of offsets, and checks nothing: followers and recovery take what the leader has appended. After a truncation, `load`
the newest snapshot that is not beyond the log's new end, then `update` with the batches from there. Nothing is to be
done if `map_end_offset` is the new end already.

Apache Kafka has this in ProducerStateManager, ProducerAppendInfo, ProducerStateEntry and UnifiedLog.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from kafkaproto.error_codes import ErrorCode
from kafkaproto.producer_snapshot import ProducerSnapshotEntry
from kafkaproto.records.batch import BatchHeader
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.core.log_state.producer_ids import ProducerIds
from kafkaproto_server.core.log_state.producer_state_entry import (
    BATCH,
    KEPT_BYTES,
    MAX_SEQUENCE,
    NONE,
    ActiveProducer,
    AppendedBefore,
    ProducerRefused,
    ProducerStateEntry,
    fenced,
    out_of_order,
)
from kafkaproto_server.core.log_state.transactions import (
    CompletedTransaction,
    EndTransactionMarker,
    OpenTransaction,
    Transactions,
)


class ProducerStates:
    """The producers and transactions of one log. A log without idempotent producers has one small object."""

    __slots__ = ("_ids", "_producers", "_snapshots", "_transactions", "map_end_offset")

    # Both are made when the first producer or transaction comes: a broker has thousands of logs without any.
    _producers: dict[int, ProducerStateEntry] | None
    _ids: ProducerIds | None
    """Those of `_producers`."""
    _transactions: Transactions | None
    _snapshots: tuple[ProducerSnapshot, ...]
    map_end_offset: int
    """The offset up to which the state is current. `update` moves it; for batches without a producer id, the log may
    as well set it.
    """

    def __init__(self, log_start_offset: int = 0) -> None:
        self.clear(log_start_offset)

    @property
    def first_unstable_offset(self) -> int | None:
        """First offset of the oldest transaction that is open, or whose marker the high watermark has not passed;
        None if there is none. It may lie below the log start, if retention has removed the records.
        """
        transactions = self._transactions
        return None if transactions is None else transactions.first_unstable_offset

    @property
    def open_transactions(self) -> list[OpenTransaction]:
        """The transactions that no marker has ended yet, oldest first."""
        return [] if self._transactions is None else self._transactions.open_transactions()

    @property
    def oldest_transaction_timestamp(self) -> int:
        """The timestamp of the last batch of the producer whose open transaction is the oldest; -1 if none is open."""
        producer_id = None if self._transactions is None else self._transactions.oldest_producer_id
        if producer_id is None:
            return NONE
        assert self._producers is not None, "a transaction has a producer"
        return self._producers[producer_id].last_timestamp

    @property
    def count(self) -> int:
        """How many producers are known."""
        return 0 if self._producers is None else len(self._producers)

    def knows(self, producer_id: int) -> bool:
        """Whether anything is known of a producer."""
        return self._producers is not None and producer_id in self._producers

    def is_in_transaction(self, producer_id: int, epoch: int) -> bool:
        """Whether a producer's transaction is open in this log, in that epoch of the producer."""
        producer = None if self._producers is None else self._producers.get(producer_id)
        return producer is not None and producer.transaction_first_offset >= 0 and producer.epoch == epoch

    # Before the append, on the leader.

    def check(self, header: BatchHeader, *, is_from_client: bool) -> AppendedBefore | None:
        """Whether a data batch with a producer id may be appended.

        Returns None if it may, and where the log has it if it repeats one of the producer's newest batches. The batches
        that a coordinator writes on behalf of a producer all have sequence 0; only epoch and transaction are checked.
        Raises ProducerRefused with the code

        - INVALID_PRODUCER_EPOCH if the epoch is older than the producer's, or one that no producer has,
        - OUT_OF_ORDER_SEQUENCE_NUMBER if the sequence does not follow the last one, or is not 0 in a new epoch,
        - INVALID_TXN_STATE if the batch is not transactional while the producer's transaction is open.
        """
        producer = None if self._producers is None else self._producers.get(header.producer_id)
        if producer is None:
            if header.producer_epoch < NONE:
                raise ProducerRefused(
                    ErrorCode.INVALID_PRODUCER_EPOCH,
                    f"producer {header.producer_id} cannot have epoch {header.producer_epoch}",
                )
            return None
        if header.producer_epoch == producer.epoch:
            # Kafka looks for a repetition first. A batch that follows the last one can only be a repetition if the
            # kept batches have 2^31 records.
            if is_from_client and header.base_sequence != (producer.last_sequence + 1) & MAX_SEQUENCE:
                repeated = producer.find(header)
                if repeated is None:
                    raise out_of_order(header, producer)
                return repeated
        elif header.producer_epoch < producer.epoch:
            raise fenced(header, producer)
        # A new epoch begins with 0. Anything else means that a batch before it was lost, or is still on its way.
        elif is_from_client and header.base_sequence != 0:
            raise out_of_order(header, producer)
        # It would be shown to readers of committed records together with the transaction, or hidden with it if that is
        # aborted.
        if producer.transaction_first_offset >= 0 and not header.is_transactional:
            raise ProducerRefused(
                ErrorCode.INVALID_TXN_STATE,
                f"producer {header.producer_id} wrote outside of its transaction, which is open since offset"
                f" {producer.transaction_first_offset}",
            )
        return None

    def check_marker(
        self, header: BatchHeader, marker: EndTransactionMarker, *, transaction_version: int
    ) -> None:
        """Raise ProducerRefused if a coordinator's marker must not be appended, with the code

        - INVALID_PRODUCER_EPOCH if the epoch is older than the producer's. From transaction version 2 on, the epoch has
          to be newer. It may be the same if no transaction is open, for then the marker repeats the one that has ended
          it, or if there is no higher epoch.
        - TRANSACTION_COORDINATOR_FENCED if a coordinator of a later epoch has written a marker for the producer.
        """
        producer = None if self._producers is None else self._producers.get(header.producer_id)
        if producer is not None:
            producer.check_marker(header, marker, transaction_version)

    # After the append, and at replay.

    def update(
        self, header: BatchHeader, marker: EndTransactionMarker | None = None, seen_ms: int = NONE
    ) -> CompletedTransaction | None:
        """Take in a batch of the log. ``marker`` is that of a control batch; None if the batch has none. ``seen_ms`` is
        the wall time at which this replica got the batch; without it, the batch's own time counts.

        Returns the transaction that the marker has ended; None if it ended none.
        """
        delta = header.last_offset_delta
        last_offset = header.base_offset + delta
        # Also for batches without a producer: a snapshot is named by this offset, and what lies before it is not read
        # again.
        self.map_end_offset = last_offset + 1
        producer_id = header.producer_id
        # A control batch of which compaction has left nothing says nothing about its producer.
        if producer_id < 0 or (marker is None and header.is_control):
            return None
        producers = self._producers
        if producers is None:
            producers, self._ids = {}, ProducerIds()
            self._producers = producers
        producer = producers.get(producer_id)
        if producer is None:
            producer = producers[producer_id] = ProducerStateEntry(header.producer_epoch)
            assert self._ids is not None, "it was made with the producers"
            self._ids.add(producer_id)
        else:
            # Before it changes: a snapshot that is being taken has the state of the moment at which it began.
            if self._snapshots:
                self._keep(producer_id, producer)
            # Also to a lower one: followers and recovery take what a leader has appended, whatever it was.
            if producer.epoch != header.producer_epoch:
                producer.begin_epoch(header.producer_epoch)
        timestamp = producer.last_timestamp = header.max_timestamp
        # Never back: a batch with an old time must not let its producer expire while it writes.
        producer.seen_ms = timestamp if seen_ms < 0 else max(producer.seen_ms, timestamp, seen_ms)
        if marker is not None:
            return self._end_transaction(producer, header, marker)
        last_sequence = producer.last_sequence = (header.base_sequence + delta) & MAX_SEQUENCE
        batches = producer.batches + BATCH.pack(last_sequence, last_offset, delta, timestamp)
        producer.batches = batches if len(batches) <= KEPT_BYTES else batches[-KEPT_BYTES:]
        if producer.transaction_first_offset < 0 and header.is_transactional:
            producer.transaction_first_offset = header.base_offset
            if self._transactions is None:
                self._transactions = Transactions()
            self._transactions.begin(header.base_offset, producer_id)
        return None

    def take(
        self, header: BatchHeader, marker: EndTransactionMarker | None, seen_ms: int
    ) -> AbortedTransaction | None:
        """As `update`. Returns the entry for the transaction index if the marker has aborted a transaction."""
        completed = self.update(header, marker, seen_ms)
        if completed is None or not completed.is_aborted:
            return None
        return AbortedTransaction(
            completed.producer_id,
            completed.first_offset,
            completed.last_offset,
            self.last_stable_offset(completed),
        )

    def _end_transaction(
        self, producer: ProducerStateEntry, header: BatchHeader, marker: EndTransactionMarker
    ) -> CompletedTransaction | None:
        producer.coordinator_epoch = marker.coordinator_epoch
        first_offset = producer.transaction_first_offset
        # A coordinator writes its marker to every partition that the producer has added, also to those that got no
        # record.
        if first_offset < 0:
            return None
        producer.transaction_first_offset = NONE
        assert self._transactions is not None, f"the transaction from offset {first_offset} is unknown"
        self._transactions.complete(first_offset, header.base_offset)
        return CompletedTransaction(header.producer_id, first_offset, header.base_offset, marker.is_abort)

    def last_stable_offset(self, completed: CompletedTransaction) -> int:
        """What the transaction index notes beside the transaction that `update` has just returned."""
        assert self._transactions is not None, f"{completed} belongs to another log"
        return self._transactions.last_stable_offset(completed)

    def high_watermark_advanced(self, high_watermark: int) -> None:
        """The transactions that ended below ``high_watermark`` are stable now."""
        if self._transactions is not None:
            self._transactions.forget_ended_before(high_watermark)

    def log_start_moved(self, log_start_offset: int) -> None:
        """Forget the transactions that ended below the new log start. Producers stay until they expire."""
        if self._transactions is not None:
            self._transactions.forget_ended_before(log_start_offset)
        # The start may jump beyond the end, when a follower begins anew.
        self.map_end_offset = max(self.map_end_offset, log_start_offset)

    # All producers at once.

    def active(self) -> Iterator[ActiveProducer]:
        """Every producer that is known when the first is taken, in the order in which the log got to know them. Each is
        looked at when its turn comes, and left out if it is forgotten by then."""
        for producer_id in self._ids.walk()[0] if self._ids else ():
            producer = (self._producers or {}).get(producer_id)
            if producer is not None:
                yield producer.active(producer_id)

    def expire(self, now_ms: int, expiration_ms: int) -> Iterator[None]:
        """Forget the producers without an open transaction whose last batch came ``expiration_ms`` ago or earlier;
        `IDS_PER_PAGE` are looked at in a step. Between two steps, anything may happen to them."""
        latest = now_ms - expiration_ms
        producers, ids = self._producers, self._ids
        if producers is None or ids is None:
            return

        def is_kept(producer_id: int) -> bool:
            producer = producers[producer_id]
            # Not while its transaction is open: the marker must find it, or the last stable offset would never move
            # again.
            if producer.seen_ms <= latest and producer.transaction_first_offset < 0:
                self._keep(producer_id, producer)
                del producers[producer_id]
                return False
            return True

        for _ in ids.keep(is_kept):
            yield
            if self._ids is not ids:
                # All were forgotten meanwhile.
                return
        if not producers:
            self._producers = self._ids = None

    def snapshot_entries(self) -> list[ProducerSnapshotEntry]:
        """What a producer snapshot at `map_end_offset` holds, in the order of producer ids."""
        producers = self._producers or {}
        ids = self._ids.ascending() if self._ids else ()
        return [producers[producer_id].entry(producer_id) for producer_id in ids]

    def snapshot(self) -> ProducerSnapshot:
        """The same, to be taken a part at a time while producers go on."""
        ids = self._ids or ProducerIds()
        snapshot = ProducerSnapshot(self, self._producers or {}, ids, self.map_end_offset)
        if not snapshot.is_complete:
            self._snapshots += (snapshot,)
        return snapshot

    def _keep(self, producer_id: int, producer: ProducerStateEntry) -> None:
        for each in self._snapshots:
            each.keep(producer_id, producer)

    def load(
        self, entries: Iterable[ProducerSnapshotEntry], *, end_offset: int, now_ms: int, expiration_ms: int
    ) -> None:
        """Replace the state by that of a producer snapshot at ``end_offset``. Leaves out the producers that `expire`
        would forget.
        """
        self.clear(end_offset)
        latest = now_ms - expiration_ms
        producers: dict[int, ProducerStateEntry] = {}
        transactions: list[OpenTransaction] = []
        for entry in entries:
            first_offset = max(entry.current_txn_first_offset, NONE)
            if first_offset < 0 and entry.timestamp <= latest:
                continue
            producers[entry.producer_id] = ProducerStateEntry.of_entry(entry)
            if first_offset >= 0:
                transactions.append(OpenTransaction(first_offset, entry.producer_id))
        if producers:
            self._producers, self._ids = producers, ProducerIds()
            for producer_id in producers:
                self._ids.add(producer_id)
        if transactions:
            self._transactions = Transactions(transactions)

    def clear(self, end_offset: int) -> None:
        """Forget everything. The log is empty from its start to ``end_offset``, or nothing is known of it."""
        self.map_end_offset = end_offset
        self._producers = self._ids = None
        self._transactions = None
        # They have what there was.
        self._snapshots = ()


class ProducerSnapshot:
    """What is known of all producers at one moment."""

    __slots__ = ("_count", "_kept", "_left", "_producers", "_states", "end_offset")

    def __init__(
        self,
        states: ProducerStates,
        producers: dict[int, ProducerStateEntry],
        ids: ProducerIds,
        end_offset: int,
    ) -> None:
        self._states = states
        self._producers = producers
        # In the order in which the log got to know them. To sort a million of them would take long.
        self._left, self._count = ids.walk()
        # Of those that have changed before they were taken.
        self._kept: dict[int, ProducerSnapshotEntry] = {}
        self.end_offset = end_offset
        """Of the batches that it knows."""

    def is_of(self, states: ProducerStates) -> bool:
        """Whether it was taken of these states."""
        return self._states is states

    @property
    def is_complete(self) -> bool:
        return not self._count

    def take(self, most: int) -> list[ProducerSnapshotEntry]:
        """Some that were not taken yet, at most so many."""
        kept, producers = self._kept, self._producers
        entries = [kept.get(each) or producers[each].entry(each) for each in islice(self._left, most)]
        self._count -= len(entries)
        assert self._count >= 0, "a producer is in a snapshot once"
        if self.is_complete:
            self.give_up()
        return entries

    def keep(self, producer_id: int, producer: ProducerStateEntry) -> None:
        """A producer is about to change."""
        if producer_id not in self._kept:
            self._kept[producer_id] = producer.entry(producer_id)

    def give_up(self) -> None:
        """No more will be taken."""
        states = self._states
        states._snapshots = tuple(each for each in states._snapshots if each is not self)
