"""One replica on this broker: leader or follower of its partition, its offsets, its ISR, and who waits for it.

It decides and does no I/O. The caller has appended batches written (`shell.replicas`) and tells when that is done
(`appended`); a batch counts from then on. It mirrors Partition of Apache Kafka:

- The high watermark is the lowest log end of the *maximal ISR*: the committed ISR, and the followers that the leader
  has asked the controller to add. Otherwise a follower could be in the ISR without a record that was acknowledged.
- It does not move while the committed ISR is smaller than ``min.insync.replicas``.
- One AlterPartition is under way at a time. Until its response is known, the ISR may be either the old or the new one.
- A follower shows a high watermark up to which it holds all, and that its leader has told it.
"""

from __future__ import annotations

import enum
from bisect import insort
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import BatchHeader
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.types import NO_NODE, OffsetAndEpoch
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.core.replicas.followers import FollowerReplica
from kafkaproto_server.core.replicas.verification import Verifications
from kafkaproto_server.metadata.image.entries import RECOVERED, PartitionImage

NO_EPOCH = -1
NO_OFFSET = -1
HIGH_WATERMARK = -1
"""As the offset of a DeleteRecords request: all that is committed."""


class PartitionError(Exception):
    """A request cannot be served by this replica."""

    def __init__(self, code: ErrorCode, message: str = "") -> None:
        super().__init__(message or code.name)
        self.code = code


class Role(enum.Enum):
    """What a replica is in its partition."""

    NONE = "none"
    """It knows no leader, and is none."""
    FOLLOWER = "follower"
    LEADER = "leader"
    OFFLINE = "offline"
    """Its log cannot be used."""


class Watcher(Protocol):
    """Waits for news of partitions: a fetch that has found too little, a partition of a fetch session."""

    def partition_changed(self, partition: Partition) -> None:
        """Its log end, high watermark, log start, leadership or state has changed."""


class IsrChange(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the leader asks the controller for (AlterPartition)."""

    leader_epoch: int
    partition_epoch: int
    isr: tuple[int, ...]
    broker_epochs: tuple[int, ...]
    """Of each member, under which it fetched; -1 if that is not known."""


class Brokers(Protocol):
    """What the metadata says of other brokers."""

    def is_eligible(self, broker_id: int, broker_epoch: int, directory_id: bytes) -> bool:
        """Whether a broker may join an ISR: it is neither fenced nor shutting down, fetched under its present epoch,
        and the directory of its replica is not known to be offline."""

    def is_alive(self, broker_id: int) -> bool:
        """Whether a broker is registered and not fenced."""


Acknowledge = Callable[[ErrorCode], None]

Deleted = Callable[[ErrorCode, int], None]
"""Takes the end of a wait for deleted records: an error, or the low watermark."""


class Partition:
    """The replica of one partition on this broker."""

    __slots__ = (
        "_acknowledgements",
        "_ask_for_isr",
        "_brokers",
        "_deletions",
        "_max_lag_ms",
        "_pending",
        "aborted",
        "broker_id",
        "directories",
        "epochs",
        "followers",
        "high_watermark",
        "index",
        "isr",
        "leader_epoch",
        "leader_epoch_start",
        "leader_id",
        "log_end_offset",
        "log_start_offset",
        "min_insync_replicas",
        "next_offset",
        "partition_epoch",
        "producers",
        "replicas",
        "role",
        "topic",
        "topic_id",
        "verifications",
        "watchers",
    )

    def __init__(
        self,
        *,
        topic: str,
        topic_id: bytes,
        index: int,
        broker_id: int,
        brokers: Brokers,
        ask_for_isr: Callable[[Partition], None],
        max_lag_ms: int,
    ) -> None:
        """``ask_for_isr`` is called when `isr_change` has something to send."""
        self.topic = topic
        self.topic_id = topic_id
        self.index = index
        self.broker_id = broker_id
        self._brokers = brokers
        self._ask_for_isr = ask_for_isr
        self._max_lag_ms = max_lag_ms
        self.role = Role.NONE
        self.leader_id = NO_NODE
        self.leader_epoch = NO_EPOCH
        self.partition_epoch = NO_EPOCH
        self.leader_epoch_start = 0
        self.replicas: tuple[int, ...] = ()
        self.directories: tuple[bytes, ...] = ()
        """Of the replicas, in their order."""
        self.isr: tuple[int, ...] = ()
        self.min_insync_replicas = 1
        self.log_start_offset = 0
        self.log_end_offset = 0
        """Of what is written; followers and acks=1 producers see it."""
        self.next_offset = 0
        """Of what was handed out to be written: the next batch gets this offset."""
        self.high_watermark = 0
        self.epochs = LeaderEpochs()
        self.producers = ProducerStates()
        self.verifications = Verifications()
        self.aborted: list[AbortedTransaction] = []
        """In the order of their ends."""
        self.followers: dict[int, FollowerReplica] = {}
        self.watchers: dict[Watcher, None] = {}
        """Told when a fetch may see more or else than before."""
        self._pending: IsrChange | None = None
        # (offset that the high watermark has to reach, who is told), ascending.
        self._acknowledgements: deque[tuple[int, Acknowledge]] = deque()
        # Who is told, and the offset that the low watermark has to reach.
        self._deletions: dict[Deleted, int] = {}

    # -- the log -----------------------------------------------------------------------------------------------

    def opened(
        self,
        *,
        log_start_offset: int,
        log_end_offset: int,
        epochs: LeaderEpochs,
        producers: ProducerStates,
        aborted: list[AbortedTransaction],
        high_watermark: int,
    ) -> None:
        """The log is open, or was cut or emptied, and is as given."""
        self.log_start_offset = log_start_offset
        self.log_end_offset = self.next_offset = log_end_offset
        self.epochs = epochs
        self.producers = producers
        self.aborted = aborted
        # A checkpoint may be older than the last deletion, and newer than what the disk has kept of the log.
        self.high_watermark = min(max(high_watermark, log_start_offset), log_end_offset)
        # Recovery takes every transaction that it reads the end of for one that is not replicated yet. If the high
        # watermark stays where it is, nothing else would tell otherwise.
        self.producers.high_watermark_advanced(self.high_watermark)
        self._changed()

    def appended(self, end_offset: int, *, now_ms: int) -> None:
        """Everything before ``end_offset`` is written."""
        before, self.log_end_offset = self.log_end_offset, end_offset
        if self.role is Role.LEADER:
            # Before the high watermark moves: a follower that had all of the log up to here lags from this append on.
            for follower in self.followers.values():
                follower.leader_appended(before, now_ms)
            self.maybe_advance_high_watermark(now_ms)
        self._changed()

    def log_start_moved(self, offset: int, *, now_ms: int) -> None:
        """Records before ``offset`` are gone."""
        if offset > self.log_start_offset:
            self.log_start_offset = offset
            self.epochs.move_start_to(offset)
            self.producers.log_start_moved(offset)
            # The list is copied only if something goes: retention moves the start of many logs that have no
            # transaction.
            if self.aborted and self.aborted[0].last_offset < offset:
                self.aborted = [each for each in self.aborted if each.last_offset >= offset]
            # A follower's start may jump to that of its leader, beyond all that this replica knew to be committed.
            self.high_watermark = max(self.high_watermark, offset)
            self._complete_deletions()
            self._changed()

    def failed(self, code: ErrorCode = ErrorCode.KAFKA_STORAGE_ERROR) -> None:
        """Its log cannot be used any more. Whoever waits for it gets the error code."""
        self.role = Role.OFFLINE
        # The records may be on other replicas, and another leader may commit them. So this is an error after which the
        # producer sends again, and not a refusal.
        self._fail_acknowledgements(code)
        self._fail_deletions(code)
        self._changed()

    def works_again(self) -> None:
        """Its log was opened once more. `apply` says what it is; what was under way in its leader epoch still is."""
        if self.role is Role.OFFLINE:
            self.role = Role.NONE

    @property
    def last_stable_offset(self) -> int:
        """Up to where consumers with the isolation level read_committed may read."""
        unstable = self.producers.first_unstable_offset
        # Readers of committed records never see more than others do.
        if unstable is None or unstable >= self.high_watermark:
            return self.high_watermark
        # Retention does not wait for transactions: the first record of one may be gone.
        return max(unstable, self.log_start_offset)

    # -- leadership --------------------------------------------------------------------------------------------

    def apply(self, image: PartitionImage, *, now_ms: int) -> bool:
        """Take the partition's state from the metadata. Returns whether role or leader epoch changed.

        A state older than the one that is known changes nothing.
        """
        # The response of the controller may overtake the metadata. What comes behind it must not take back what it
        # said: the leader would count on an ISR that is no longer in force.
        if image.partition_epoch < self.partition_epoch or self.role is Role.OFFLINE:
            return False
        is_new_epoch = image.leader_epoch != self.leader_epoch
        role = _role(image, self.broker_id)
        # The leader epoch alone is not enough: a replica that is assigned or opened again finds the epoch that it knew.
        is_change = is_new_epoch or role is not self.role or image.leader != self.leader_id
        # What the controller's response has said already may come again, while the next change is under way: that one
        # may still be accepted.
        if is_new_epoch or image.partition_epoch > self.partition_epoch:
            self._pending = None
        self.partition_epoch = image.partition_epoch
        self.replicas = image.replicas
        self.directories = image.directories
        self.isr = image.isr
        self.leader_id = image.leader
        if is_change:
            self.leader_epoch = image.leader_epoch
            self._fail_acknowledgements(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            self.role = role
            if role is Role.LEADER:
                # Behind what is still being written: the next batch has this epoch, and nothing before it has
                # (KIP-101).
                self.epochs.begin(image.leader_epoch, self.next_offset)
        if is_new_epoch:
            # What a follower had under another leader says nothing: it may have to truncate (KIP-101, KIP-279).
            self.followers = {}
            # A follower that has not this much may miss records that were committed under the leader before.
            self.leader_epoch_start = self.next_offset
        if role is Role.LEADER:
            # Followers of before stay as they are. Otherwise each change of the ISR would begin their time to lag anew,
            # and a dead one would never leave.
            self.followers = {
                each: self.followers.get(each) or FollowerReplica(is_in_isr=each in image.isr, now_ms=now_ms)
                for each in image.replicas
                if each != self.broker_id
            }
            if image.leader_recovery_state != RECOVERED and self._pending is None:
                # This replica leads with what it has; that is all the recovery there is (KIP-704).
                self._ask(self.isr)
            self.maybe_advance_high_watermark(now_ms)
            # A broker that failed leaves the ISR, and then nobody waits for it.
            self._complete_deletions()
        else:
            self._fail_deletions(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        if is_change:
            self._changed()
        return is_change

    def check_epoch(self, epoch: int) -> None:
        """Raise PartitionError unless a request's leader epoch is this replica's, or -1."""
        if epoch in (NO_EPOCH, self.leader_epoch):
            return
        # The client of an older epoch has to ask for new metadata; with a newer one it has to wait for this broker to
        # get it (KIP-320).
        older = epoch < self.leader_epoch
        raise PartitionError(ErrorCode.FENCED_LEADER_EPOCH if older else ErrorCode.UNKNOWN_LEADER_EPOCH)

    def check_leader(self, epoch: int = NO_EPOCH) -> None:
        """Raise PartitionError unless this replica leads, in the epoch that a request names."""
        if self.role is Role.OFFLINE:
            raise PartitionError(ErrorCode.KAFKA_STORAGE_ERROR)
        if epoch != NO_EPOCH:
            self.check_epoch(epoch)
        if self.role is not Role.LEADER:
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def check_readable(self, epoch: int = NO_EPOCH) -> None:
        """Raise PartitionError unless this replica leads or follows, in the epoch that a request names (KIP-392)."""
        if self.role is Role.OFFLINE:
            raise PartitionError(ErrorCode.KAFKA_STORAGE_ERROR)
        if epoch != NO_EPOCH:
            self.check_epoch(epoch)
        if self.role is Role.NONE:
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    # -- the leader --------------------------------------------------------------------------------------------

    @property
    def required_isr_size(self) -> int:
        """``min.insync.replicas``, at most as many as there are replicas."""
        return min(self.min_insync_replicas, len(self.replicas))

    @property
    def maximal_isr(self) -> tuple[int, ...]:
        """The members of the ISR, and those that the controller may have added already."""
        if self._pending is None:
            return self.isr
        # Kafka's maximal ISR. A member that is to leave counts until the controller has said so: it may still be
        # elected.
        return (*self.isr, *(each for each in self._pending.isr if each not in self.isr))

    def check_writable(self, *, needs_all: bool) -> None:
        """Raise PartitionError unless this replica leads and, for acks=all (``needs_all``), enough are in sync.

        Before anything else that may be wrong with a batch. A producer with several requests under way would else be
        told, of the second, that sequence numbers are missing; it may then begin a new epoch, and write again what an
        earlier request has written.
        """
        self.check_leader()
        if needs_all and len(self.isr) < self.required_isr_size:
            raise PartitionError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"The ISR of {self.topic}-{self.index} has {len(self.isr)} members, and"
                f" {self.required_isr_size} are needed",
            )

    def take_offsets(self, header: BatchHeader) -> int:
        """The base offset for a batch of a producer, which the caller writes next, after `check_writable`."""
        # Not the log end: batches before may still be on their way to the disk.
        assert header.last_offset_delta >= 0, "a batch without an offset"
        base_offset = self.next_offset
        self.next_offset = base_offset + header.last_offset_delta + 1
        return base_offset

    def when_replicated(self, end_offset: int, acknowledge: Acknowledge) -> None:
        """Call ``acknowledge`` once all before ``end_offset`` is below the high watermark, or cannot be any more."""
        if self.role is not Role.LEADER:
            acknowledge(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        # The ISR may be too small by now: the producer has to hear of that although nothing is to be waited for.
        elif self.high_watermark >= end_offset:
            acknowledge(self._acknowledgement())
        elif self._acknowledgements and end_offset < self._acknowledgements[-1][0]:
            # A producer has sent an earlier batch again.
            insort(self._acknowledgements, (end_offset, acknowledge), key=_offset_of)
        else:
            self._acknowledgements.append((end_offset, acknowledge))

    def follower_fetched(
        self, broker_id: int, fetch_offset: int, log_start_offset: int, broker_epoch: int, *, now_ms: int
    ) -> None:
        """A follower asked this leader for ``fetch_offset``. The caller knows that the sender is that broker."""
        follower = self.followers.get(broker_id)
        if follower is None:
            return
        # Before the ISR is looked at: this fetch may be what makes the follower eligible.
        follower.fetched(
            fetch_offset,
            log_start_offset,
            broker_epoch,
            leader_end_offset=self.log_end_offset,
            now_ms=now_ms,
        )
        # Before the high watermark moves, as a member that is asked for holds it back from now on. The other way round,
        # a record could be acknowledged which the new member of the ISR does not have.
        self._maybe_expand_isr(broker_id, follower)
        self.maybe_advance_high_watermark(now_ms)
        if self._deletions:
            self._complete_deletions()

    def maybe_advance_high_watermark(self, now_ms: int) -> None:
        """Move the high watermark to where all that count have the log."""
        # Otherwise a record on too few replicas would be shown to consumers, and lost with the last of them (KIP-966).
        if len(self.isr) < self.required_isr_size:
            return
        # The leader counts like the others, and only with what is written.
        reached = self.log_end_offset
        maximal = self.maximal_isr
        for broker_id, follower in self.followers.items():
            end = follower.log_end_offset
            # Also one that is outside of the ISR and nearly caught up, as in Kafka. With the leader alone in the ISR,
            # the high watermark would else run ahead of the follower, which could never join.
            if end < reached and (
                broker_id in maximal
                or (
                    follower.is_caught_up(self.log_end_offset, now_ms=now_ms, max_lag_ms=self._max_lag_ms)
                    and self._is_eligible(broker_id, follower)
                )
            ):
                reached = end
        if reached > self.high_watermark:
            self.high_watermark = reached
            self.producers.high_watermark_advanced(reached)
            waiting = self._acknowledgements
            while waiting and waiting[0][0] <= reached:
                # Taken from the queue before it is called, as the producer's next request may come while it is told.
                waiting.popleft()[1](self._acknowledgement())
            self._changed()

    def deletion_offset(self, offset: int) -> int:
        """Up to where records are deleted if a client asks for ``offset``; -1 stands for the high watermark.

        Raises PartitionError unless this replica leads, and for an offset beyond the high watermark.
        """
        self.check_leader()
        if offset == HIGH_WATERMARK:
            return self.high_watermark
        # What is not committed may still change. A follower would be told to delete what it has never had.
        if not 0 <= offset <= self.high_watermark:
            raise PartitionError(ErrorCode.OFFSET_OUT_OF_RANGE)
        return offset

    @property
    def low_watermark(self) -> int:
        """The lowest log start of the replicas whose brokers live; -1 if that of one is not known yet."""
        reached = self.log_start_offset
        for broker_id, follower in self.followers.items():
            # A dead broker would keep clients waiting for ever. It deletes once it fetches again.
            if follower.log_start_offset < reached and self._brokers.is_alive(broker_id):
                reached = follower.log_start_offset
        return reached

    def when_deleted(self, offset: int, deleted: Deleted) -> None:
        """Call ``deleted`` once the low watermark is ``offset`` or more, or cannot be any more."""
        if self.role is not Role.LEADER:
            deleted(ErrorCode.NOT_LEADER_OR_FOLLOWER, NO_OFFSET)
            return
        self._deletions[deleted] = offset
        self._complete_deletions()

    def forget_deletion(self, deleted: Deleted) -> None:
        """Do not call it any more."""
        self._deletions.pop(deleted, None)

    def maybe_shrink_isr(self, now_ms: int) -> None:
        """Take followers out of the ISR that lag for too long."""
        if self.role is not Role.LEADER or self._pending is not None or len(self.isr) < 2:
            return
        kept = tuple(
            each
            for each in self.isr
            if each == self.broker_id
            or each not in self.followers
            or self.followers[each].is_caught_up(
                self.log_end_offset, now_ms=now_ms, max_lag_ms=self._max_lag_ms
            )
        )
        if kept != self.isr:
            self._ask(kept)

    def maybe_expand_isr(self) -> None:
        """Ask for followers that have all and were not eligible when they fetched: without records to fetch, a fetch
        session does not tell of them again (`fetch_sessions`)."""
        if self.role is Role.LEADER and len(self.isr) <= len(self.followers):
            for broker_id, follower in self.followers.items():
                self._maybe_expand_isr(broker_id, follower)

    def _maybe_expand_isr(self, broker_id: int, follower: FollowerReplica) -> None:
        if self._pending is not None or broker_id in self.isr:
            return
        end = follower.log_end_offset
        if (
            # The high watermark of a new leader may be behind that of the former one: the start of its epoch stands for
            # all that may have been committed.
            end >= self.high_watermark
            and end >= self.leader_epoch_start
            and self._is_eligible(broker_id, follower)
        ):
            self._ask((*self.isr, broker_id))

    def _is_eligible(self, broker_id: int, follower: FollowerReplica) -> bool:
        # A replica whose directory has failed fetches no more. It had all when it did, and without new records it
        # seems to have all for ever.
        directory_id = self.directories[self.replicas.index(broker_id)]
        return self._brokers.is_eligible(broker_id, follower.broker_epoch, directory_id)

    def _ask(self, isr: tuple[int, ...]) -> None:
        assert self.role is Role.LEADER, "the leader alone asks for changes of the ISR"
        assert self._pending is None, "one change of the ISR is under way at a time"
        self._pending = IsrChange(
            leader_epoch=self.leader_epoch,
            partition_epoch=self.partition_epoch,
            isr=isr,
            broker_epochs=tuple(
                # So that the controller can refuse a member that has restarted since, perhaps without its last records
                # (KIP-903).
                self.followers[each].broker_epoch if each in self.followers else NO_NODE
                for each in isr
            ),
        )
        self._ask_for_isr(self)

    @property
    def isr_change(self) -> IsrChange | None:
        """What the controller is asked for; None if nothing is."""
        return self._pending

    def isr_accepted(
        self, change: IsrChange, *, isr: Sequence[int], partition_epoch: int, now_ms: int
    ) -> None:
        """The controller's response to a change: the ISR is as given now."""
        # A response may come behind the metadata that it has led to, while the next change is under way.
        if change is self._pending and partition_epoch > self.partition_epoch:
            self._pending = None
            self.isr = tuple(isr)
            self.partition_epoch = partition_epoch
            self.maybe_advance_high_watermark(now_ms)

    def isr_refused(self, change: IsrChange, *, is_final: bool) -> None:
        """The controller refused a change. ``is_final``: the metadata is going to say what holds; until then the change
        may be either way."""
        if change is self._pending and not is_final:
            self._pending = None

    # -- the follower ------------------------------------------------------------------------------------------

    def leader_said(self, high_watermark: int) -> None:
        """The leader's high watermark, as its response to a fetch had it."""
        # The leader may have more than has come here.
        reached = min(high_watermark, self.log_end_offset)
        if reached > self.high_watermark:
            self.high_watermark = reached
            self.producers.high_watermark_advanced(reached)
            self._changed()

    def begins_within(self, header: BatchHeader) -> bool:
        """Whether this log is empty, and its start lies within a batch behind that batch's first offset."""
        # A follower that begins at the leader's log start gets the whole batch that has this offset (KIP-107).
        is_empty = self.log_start_offset == self.log_end_offset == self.next_offset
        return is_empty and header.base_offset < self.log_start_offset < header.next_offset

    def truncation_point(self, leader_end: OffsetAndEpoch) -> int:
        """The offset to which this log is cut if the leader's log ends an epoch at ``leader_end``."""
        own = self.epochs.end_offset_for(leader_end.epoch, self.log_end_offset)
        if own is None:
            # The leader's epoch is newer than all here: what there is of it ends where it does there.
            return min(leader_end.offset, self.log_end_offset)
        if own.epoch == leader_end.epoch:
            return min(own.offset, leader_end.offset, self.log_end_offset)
        # The epochs in between are not the leader's: the next fetch tells how far the older one agrees.
        return min(own.offset, self.log_end_offset)

    # -- who waits ---------------------------------------------------------------------------------------------

    def _acknowledgement(self) -> ErrorCode:
        """For records that are replicated: fewer replicas than required may have them by now."""
        if len(self.isr) < self.required_isr_size:
            return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        return ErrorCode.NONE

    def _fail_acknowledgements(self, code: ErrorCode) -> None:
        waiting, self._acknowledgements = self._acknowledgements, deque()
        for _, acknowledge in waiting:
            acknowledge(code)

    def _complete_deletions(self) -> None:
        if self._deletions:
            reached = self.low_watermark
            for deleted, offset in tuple(self._deletions.items()):
                if offset <= reached:
                    del self._deletions[deleted]
                    deleted(ErrorCode.NONE, reached)

    def _fail_deletions(self, code: ErrorCode) -> None:
        waiting, self._deletions = self._deletions, {}
        for deleted in waiting:
            deleted(code, NO_OFFSET)

    def _changed(self) -> None:
        if self.watchers:
            # A copy, as watchers leave while they are told.
            for watcher in tuple(self.watchers):
                # The one before may have failed the partition by its read. All others have heard of that, and some
                # have ended their wait.
                if watcher in self.watchers:
                    watcher.partition_changed(self)


def _offset_of(waiting: tuple[int, Acknowledge]) -> int:
    return waiting[0]


def _role(image: PartitionImage, broker_id: int) -> Role:
    if image.leader == broker_id:
        return Role.LEADER
    return Role.NONE if image.leader == NO_NODE else Role.FOLLOWER
