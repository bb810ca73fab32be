"""Carries out the changes of the active controller, one after the other and in slices.

A change is decided on the newest image, its records are replayed and given out for replication, and its response is
parked until the high watermark has passed its last record. A slice takes at most `STEPS_PER_SLICE` steps. `changes`
says which change is next, and which one interrupts another.

A change that fails before its first append has changed nothing; if it fails later, its appended records are aborted. So
an unforeseen error gets UNKNOWN_SERVER_ERROR and a report, and this controller continues to lead.

Apache Kafka: the event queue of ``QuorumController`` with its ``ControllerWriteEvent``, and ``DeferredEventQueue`` for
the parked responses. There an event is never divided, and an unforeseen error makes the controller resign.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import AbortTransactionRecord
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.base.types import earliest
from kafkaproto_server.core.controller.brokers.session_watch import SessionWatch
from kafkaproto_server.core.controller.machine.appending import Batches, append_steps, batches_of
from kafkaproto_server.core.controller.machine.changes import Change, WaitingChanges
from kafkaproto_server.core.controller.machine.log_states import LogStates
from kafkaproto_server.core.controller.machine.outbox import ControllerOutbox
from kafkaproto_server.core.controller.machine.parked_responses import ParkedResponse, ParkedResponses
from kafkaproto_server.core.controller.machine.upgrades import WaitingUpgrades
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult
from kafkaproto_server.core.controller.values.effects import ReportFailure, UpgradeKRaftVersion
from kafkaproto_server.core.controller.values.events import CommandReceived
from kafkaproto_server.metadata.image.image import ClusterImage

STEPS_PER_SLICE = 400
"""Steps of changes in one slice, each of some ten microseconds: a few milliseconds."""
STEPS_PER_CHANGE = 16
"""Steps that each change counts for besides its own, in case many small changes wait."""


class ChangeProcessor:
    """The changes that wait, the one that is being worked on, and the responses that wait for a commit."""

    def __init__(
        self, log: LogStates, watch: SessionWatch, outbox: ControllerOutbox, *, steps_per_slice: int
    ) -> None:
        self._log = log
        self._watch = watch
        self._outbox = outbox
        self._steps_per_slice = steps_per_slice
        self.epoch: int | None = None
        """Epoch in which this controller appends; None while it is not active."""
        self.waiting = WaitingChanges()
        """The changes that wait for their turn."""
        self.change: Change | None = None
        """The change that is being worked on."""
        # Its remaining steps, and the state on which it was begun.
        self._steps: Iterator[None] = iter(())
        self._before_change = log.committed
        self._parked = ParkedResponses()
        self.upgrades = WaitingUpgrades()
        """The commands that wait for the quorum to raise kraft.version."""

    # --- what others may look at ---

    @property
    def is_busy(self) -> bool:
        """Whether a change is being worked on, or waits."""
        return self.change is not None or len(self.waiting) > 0

    @property
    def undisturbed_image(self) -> ClusterImage:
        """The newest image without the change that is being worked on, which may still be taken back."""
        # `stable`, not `latest`: a change of several batches is a transaction, and half of it says nothing about a
        # broker.
        return (self._log.newest if self.change is None else self._before_change).stable

    @property
    def parked_response_count(self) -> int:
        """Number of responses that wait for a commit, or for the quorum."""
        return len(self._parked) + len(self.upgrades)

    def next_deadline_ms(self) -> int | None:
        """When the first response that waits for a commit or for the quorum is due; None if none is."""
        return earliest(self._parked.next_deadline_ms(), self.upgrades.next_deadline_ms())

    # --- leadership ---

    def start(self, epoch: int) -> None:
        """Carry out changes from now on, and append their records in this epoch."""
        assert self.epoch is None, f"epoch {epoch} begins within {self.epoch}"
        self.epoch = epoch

    def stop(self, error: ApiError) -> None:
        """Drop all changes, and refuse by ``error`` every command that has no response yet."""
        self.epoch = None
        dropped = self._drop_changes()
        # These are older than what waits: their commands were decided. Their records may still be committed under the
        # next leader, so NOT_CONTROLLER leaves open what became of them.
        for parked in self._parked.take_all():
            self._outbox.refuse_parked(parked, error)
        for command in (*dropped, *self.upgrades.take_all()):
            self._outbox.refuse(command, error)

    def _drop_changes(self) -> list[CommandReceived]:
        """Drop all changes; returns the commands among them, which still need a response."""
        changes = self.waiting.take_all()
        if self.change is not None:
            changes.insert(0, self.change)
        self.change, self._steps = None, iter(())
        self._before_change = self._log.committed
        return [change.command for change in changes if change.command is not None]

    # --- time, and the high watermark ---

    def committed(self) -> None:
        """Respond to the commands whose records the high watermark has passed."""
        for parked in self._parked.take_committed(self._log.high_watermark):
            self._outbox.respond(parked.command, parked.response)

    def end_expired(self, now_ms: int) -> None:
        """Refuse commands whose time limit has passed. A change that is not decided yet is then not made either."""
        # Their records stay appended. The quorum may have lost its majority, and then nobody knows if they will be
        # committed.
        for parked in self._parked.take_expired(now_ms):
            self._outbox.refuse_parked(parked, ApiError(ErrorCode.REQUEST_TIMED_OUT))
        for command in self.upgrades.take_expired(now_ms):
            self._outbox.refuse(command, ApiError(ErrorCode.REQUEST_TIMED_OUT))
        self._end_expired_changes(now_ms)

    def _end_expired_changes(self, now_ms: int) -> None:
        expired = list(self.waiting.take_expired(now_ms))
        change = self.change
        if change is not None and change.deadline_ms is not None and change.deadline_ms <= now_ms:
            expired.append(change)
            # Records that are appended are completed: the sender loses its response, not the change its second half.
            if not change.is_decided:
                self._end_change()
        for each in expired:
            # The change may go on. Without its command it gives no second response.
            command, each.command = each.command, None
            assert command is not None, "only a command has a time limit"
            self._outbox.refuse(command, ApiError(ErrorCode.REQUEST_TIMED_OUT))

    # --- one change after the other ---

    def work(self) -> None:
        """Take one slice of steps: of the change that is being worked on, and of those after it."""
        assert self.epoch is not None, "a standby makes no changes"
        left = self._steps_per_slice
        while left > 0:
            if self.change is None:
                change = self.waiting.take_first()
                if change is None:
                    return
                # Also for a change that is dropped: ten thousand of them in one slice would take as long as real work.
                left -= STEPS_PER_CHANGE
                # Asked now, not when it was added: the broker may have been heard from since.
                if not change.is_wanted():
                    change.ended()
                    continue
                self.change, self._steps = change, self._carry_out(change)
                self._before_change = self._log.newest
                # What beginning it costs may have used up the slice, and `islice` takes no negative number.
                taken_at_most = max(left, 1)
            # A heartbeat in the midst of the decision takes the fencing back. In the midst of appending it is too late:
            # some partitions have moved.
            elif not self.change.is_decided and not self.change.is_wanted():
                self._end_change()
                continue
            elif self.waiting.interrupts(self.change):
                # What was decided so far is thrown away: it rests on an image that the urgent change is about to
                # replace.
                self.waiting.put_back(self.change)
                self.change, self._steps = None, iter(())
                continue
            else:
                taken_at_most = left
            taken = 0
            for _ in islice(self._steps, taken_at_most):
                taken += 1
            left -= taken
            # The generator has ended by itself.
            if taken < taken_at_most:
                self._end_change()

    def _end_change(self) -> None:
        change, self.change, self._steps = self.change, None, iter(())
        assert change is not None, "no change is worked on"
        self._before_change = self._log.newest
        change.ended()

    def _carry_out(self, change: Change) -> Iterator[None]:
        """All steps of a change: it is decided, then its records are appended."""
        try:
            decision = change.decide()
            result = (
                decision if decision is None or isinstance(decision, CommandResult) else (yield from decision)
            )
            if result is None:
                return
            found = yield from batches_of(result, self._log.newest.latest.metadata_version)
        except ApiError as error:
            self._refuse_change(change, error)
            return
        # A bug of ours, met by one request. Kafka's controllers respond with -1 and resign: a client that repeats the
        # request takes the quorum through all its voters.
        except Exception as error:
            self._fail(change, error)
            return
        # From here on it can only be completed or aborted as a whole.
        change.is_decided = True
        if (count := len(found[0])) > STEPS_PER_SLICE:
            # Do not keep all of the records from here on: to free so many at once takes long.
            result = msgspec.structs.replace(result, records=())
        try:
            yield from self._append(found)
        except Exception as error:
            # Nothing, or a part of a transaction: each batch is replayed before it is appended, and several batches
            # always are a transaction.
            self._take_back()
            self._fail(change, error)
            return
        self._finish(change, result, count)

    def _finish(self, change: Change, result: CommandResult, record_count: int) -> None:
        # Nothing here can fail: a command makes all of its changes, or none.
        command = change.command
        # Neither session nor permits: the command is decided once more when the quorum has agreed.
        if result.kraft_version is not None:
            assert command is not None, "only a command raises kraft.version"
            self._ask_for_upgrade(command, result.kraft_version, validate_only=result.validate_only)
            return
        # With the offset of the last record, which is known only now. A controlled shutdown ends once all others have
        # read up to it.
        self._watch.apply(result.session, self._log.next_offset - 1)
        self._outbox.add(*result.reports)
        # Here and not in the decision, which may have been interrupted and begun anew: nobody pays twice (KIP-599).
        result.permits.settle()
        change.done(record_count)
        if command is not None:
            assert result.response is not None, f"{change.name} has no answer"
            # The end of the log, even if it wrote nothing: its response rests on all changes before it. Kafka's
            # controllers wait for the same.
            self.park(command, result.response, self._log.next_offset)

    def _refuse_change(self, change: Change, error: ApiError) -> None:
        if change.command is not None:
            # A refusal rests on the log as well: the topic that "exists" may never be committed.
            self.park(change.command, error, self._log.next_offset)

    def _fail(self, change: Change, error: Exception) -> None:
        """A fault of this server, which has changed nothing: no reason to stop, nor to give up leadership.

        Raises the error if nothing can continue without the change.
        """
        if change.is_vital:
            raise error
        self._outbox.add(ReportFailure(request_name=change.name, error=error))
        change.failed()
        if change.command is not None:
            # At once: it says nothing about the metadata, so there is no commit to wait for.
            self._outbox.refuse(change.command, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR))

    def _append(self, found: Batches) -> Steps[None]:
        assert self.epoch is not None, "only the active controller appends"
        return append_steps(self._log, self.epoch, found, self._outbox.add)

    def _take_back(self) -> None:
        """Abort the metadata transaction that a change has begun, if it has begun one."""
        if self._log.newest.in_transaction:
            record = AbortTransactionRecord(reason="The change failed")
            run_to_end(self._append((deque([record]), deque([encode_metadata_record(record, 0)]), (1,))))

    # --- responses ---

    def park(self, command: CommandReceived, response: Message | ApiError, committed_at: int) -> None:
        """Respond to a command once everything below an offset is committed."""
        assert committed_at <= self._log.next_offset, (
            f"a response rests on {committed_at}, beyond the log's end"
        )
        # The high watermark is exclusive: what is below it is committed.
        if committed_at <= self._log.high_watermark:
            self._outbox.respond(command, response)
        else:
            self._parked.park(ParkedResponse(command=command, response=response, committed_at=committed_at))

    def _ask_for_upgrade(self, event: CommandReceived, level: int, *, validate_only: bool) -> None:
        assert self.epoch is not None, "only the active controller carries out commands"
        self.upgrades.add(event, level)
        self._outbox.ask_quorum(
            UpgradeKRaftVersion(
                command_id=event.command_id,
                epoch=self.epoch,
                level=level,
                validate_only=validate_only,
            )
        )
