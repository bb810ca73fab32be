"""The producers whose transactions a leader asks the coordinator about before it takes their first records (KIP-890).

A transactional batch that begins a transaction in a partition is taken only if the coordinator knows that the partition
takes part. Otherwise no marker would end the transaction there, and consumers would wait for ever. The leader keeps one
entry for each producer it asks about. The entry is the request's guard: if a marker comes while the coordinator is
asked, the entry is gone, the guard is not valid any more, and the batch is refused. It is also gone once the first
batch is in the log, from which on the log itself says that the transaction is open.

The marker of the transaction before leaves the guard as it is. From transaction.version 2 on, a marker bears the epoch
of the next transaction, which may begin before the marker is here.

A guard holds for one leader epoch: what the partition has seen under another leader is not known here.

Apache Kafka has this in VerificationStateEntry, VerificationGuard and ProducerStateManager.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import BatchHeader
from kafkaproto_server.core.log_state.producer_state_entry import ProducerRefused
from kafkaproto_server.core.log_state.producers import ProducerStates


class Guard:
    """A producer that the coordinator is asked about, or was."""

    __slots__ = ("begun_ms", "bumps_epoch", "epoch", "leader_epoch", "lowest_sequence")

    def __init__(
        self, epoch: int, sequence: int, *, bumps_epoch: bool, leader_epoch: int, now_ms: int
    ) -> None:
        """``bumps_epoch``: the client works by transaction.version 2, so that its sequences begin with 0 in each
        transaction."""
        self.epoch = epoch
        self.lowest_sequence = sequence
        """The lowest first sequence of a batch of this epoch that came. Batches may overtake each other while the
        coordinator is asked."""
        self.bumps_epoch = bumps_epoch
        self.leader_epoch = leader_epoch
        self.begun_ms = now_ms

    def came(self, epoch: int, sequence: int) -> None:
        """Another batch of the producer came."""
        if epoch > self.epoch:
            self.epoch, self.lowest_sequence = epoch, sequence
        elif epoch == self.epoch:
            # Otherwise a batch that came second and is verified first would begin the producer's sequences in the log,
            # and the first one could never be appended.
            self.lowest_sequence = min(self.lowest_sequence, sequence)


class Verifications:
    """The guards of one partition, by producer id."""

    __slots__ = ("_guards",)

    def __init__(self) -> None:
        self._guards: dict[int, Guard] | None = None

    def begin(
        self,
        producer_id: int,
        epoch: int,
        sequence: int,
        *,
        bumps_epoch: bool,
        leader_epoch: int,
        now_ms: int,
    ) -> Guard:
        """The guard for a batch whose transaction is not open here."""
        if self._guards is None:
            self._guards = {}
        guard = self._guards.get(producer_id)
        # While another broker led, a marker may have come, which this one has not seen as a leader.
        if guard is None or guard.leader_epoch != leader_epoch:
            guard = self._guards[producer_id] = Guard(
                epoch, sequence, bumps_epoch=bumps_epoch, leader_epoch=leader_epoch, now_ms=now_ms
            )
        guard.came(epoch, sequence)
        return guard

    def is_valid(self, producer_id: int, guard: object | None, leader_epoch: int) -> bool:
        """Whether nothing has come between the question and the append."""
        # The same object, and not an equal one: a marker may have ended the guard, and another request has begun a new
        # one.
        known = None if self._guards is None else self._guards.get(producer_id)
        return known is not None and known is guard and known.leader_epoch == leader_epoch

    def check_sequence(self, header: BatchHeader, producers: ProducerStates) -> None:
        """Raise ProducerRefused if a batch overtook an earlier one: OUT_OF_ORDER_SEQUENCE_NUMBER."""
        guard = None if self._guards is None else self._guards.get(header.producer_id)
        # What came of an earlier epoch says nothing of this one.
        if guard is None or guard.epoch < header.producer_epoch:
            return
        if guard.bumps_epoch and not producers.knows(header.producer_id) and header.base_sequence != 0:
            raise ProducerRefused(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"nothing is known of producer {header.producer_id}: it begins with sequence"
                f" {header.base_sequence}, not 0",
            )
        if header.base_sequence > guard.lowest_sequence:
            raise ProducerRefused(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"producer {header.producer_id} sent sequence {header.base_sequence}, and before that"
                f" {guard.lowest_sequence}, which is not in the log",
            )

    def refused(self, producer_id: int, guard: object | None) -> None:
        """The coordinator does not know the producer. Anybody may name producers that do not exist."""
        if self._guards is not None and guard is not None and self._guards.get(producer_id) is guard:
            del self._guards[producer_id]

    def end(self, producer_id: int) -> None:
        """A batch of the producer's transaction is appended."""
        if self._guards is not None:
            self._guards.pop(producer_id, None)

    def end_by_marker(self, producer_id: int, epoch: int) -> None:
        """A marker is appended, which has this epoch."""
        guard = None if self._guards is None else self._guards.get(producer_id)
        if guard is not None and not (guard.bumps_epoch and guard.epoch == epoch):
            self.end(producer_id)

    def expire(self, now_ms: int, expiration_ms: int) -> None:
        """Forget the guards that were made ``expiration_ms`` ago or earlier."""
        if self._guards:
            # Producers that do not exist may be named by anybody, and their guards would stay for ever.
            self._guards = {
                producer_id: guard
                for producer_id, guard in self._guards.items()
                if now_ms - guard.begun_ms < expiration_ms
            }
