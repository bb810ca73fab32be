"""Broken rules of the logs of topics: of their producers, their files and their readers."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from msgspec import structs

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.log_state import producers
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.core.log_state.producer_state_entry import (
    BATCH,
    ProducerRefused,
    ProducerStateEntry,
)
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.core.replicas.partition import Partition, Role
from kafkaproto_server.shell.broker.metadata_applier import MetadataApplier
from kafkaproto_server.shell.replicas.files.checkpointed import Checkpointed
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_logs import HostedLogs
from kafkaproto_server.shell.replicas.files.log_loader import HostedLogLoader
from kafkaproto_server.shell.replicas.roles import ReplicaRoles
from kafkaproto_server.shell.storage.log import recovery, segment_loading, topic_state
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.data.traffic import WITH_NEW_EPOCHS
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import Wrapped, nothing, record_mutation
from tests.sim.nodes.swarms import FIRST_OF_SWARMS, FIRST_WITH_LOST_FILES

_NO_LIMIT = 2**63 - 1


def _does_not_check_sequences() -> Patches:
    return [(ProducerStates, "check", nothing)]


def _does_not_know_repeated_batches() -> Patches:
    original = ProducerStates.check

    def check(self: Any, header: Any, **more: Any) -> None:
        original(self, header, **more)

    return [(ProducerStates, "check", check)]


def _takes_gaps_in_sequences() -> Patches:
    original = ProducerStates.check

    def check(self: Any, header: Any, **more: Any) -> Any:
        try:
            return original(self, header, **more)
        except ProducerRefused as error:
            if error.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
                return None
            raise

    return [(ProducerStates, "check", check)]


def _responds_to_repeated_batches_with_other_offsets() -> Patches:
    original = ProducerStateEntry.find

    def find(self: Any, header: Any) -> Any:
        found = original(self, header)
        return None if found is None else found._replace(base_offset=found.base_offset + 1)

    return [(ProducerStateEntry, "find", find)]


def _remembers_one_batch_of_a_producer() -> Patches:
    return [(producers, "KEPT_BYTES", BATCH.size)]


def _forgets_producers_as_a_new_leader() -> Patches:
    original = Partition.apply

    def apply(self: Any, image: Any, *, now_ms: int) -> bool:
        is_change = original(self, image, now_ms=now_ms)
        if is_change and self.role is Role.LEADER:
            self.producers.clear(self.producers.map_end_offset)
        return is_change

    return [(Partition, "apply", apply)]


def _forgets_producers_at_a_start() -> Patches:
    return [(topic_state, "_producers", lambda _, log, *more: (ProducerStates(log.log_end_offset), []))]


def _keeps_producers_of_what_it_cuts() -> Patches:
    original = HostedLogs.was_cut

    def was_cut(self: Any, hosted: Any, found: Any) -> None:
        original(self, hosted, structs.replace(found, producers=hosted.partition.producers))

    return [(HostedLogs, "was_cut", was_cut)]


def _keeps_epochs_of_records_that_it_cuts() -> Patches:
    original = LeaderEpochs.truncate_to

    def begin(self: Any, epoch: int, start_offset: int) -> bool:
        if self._epochs and epoch <= self._epochs[-1]:
            return False
        original(self, start_offset)
        self._epochs.append(epoch)
        self._start_offsets.append(start_offset)
        return True

    return [(LeaderEpochs, "truncate_to", nothing), (LeaderEpochs, "begin", begin)]


def _keeps_where_the_first_epoch_began() -> Patches:
    def move_start_to(self: Any, start_offset: int, end_offset: int | None = None) -> bool:
        gone = max(0, bisect_right(self._start_offsets, start_offset) - 1)
        if end_offset is not None and start_offset >= end_offset:
            gone = len(self._epochs)
        del self._epochs[:gone]
        del self._start_offsets[:gone]
        return gone > 0

    return [(LeaderEpochs, "move_start_to", move_start_to)]


def _appends_past_a_gap() -> Patches:
    original = Partition.take_offsets

    def take_offsets(self: Any, header: Any) -> int:
        base = original(self, header)
        if base % 7 == 3:
            self.next_offset += 1
            return base + 1
        return base

    return [(Partition, "take_offsets", take_offsets)]


def _with_offsets(**wrong: Any) -> Patches:
    """Checkpoints say something else."""
    original = Hosted.offsets

    def offsets(self: Any) -> Any:
        found = original(self)
        if self.log is None:
            return found
        return structs.replace(found, **{name: of(self.partition) for name, of in wrong.items()})

    return [(Hosted, "offsets", offsets)]


def _believes_logs_durable() -> Patches:
    return _with_offsets(recovery_point=lambda partition: partition.log_end_offset)


def _writes_high_watermarks_that_are_not_reached() -> Patches:
    return _with_offsets(high_watermark=lambda partition: partition.log_end_offset)


def _keeps_a_torn_tail_of_records() -> Patches:
    original = recovery.recover_segment

    def recover(file: Any, *given: Any, policy: Any, **more: Any) -> Any:
        if policy.cuts_damage:
            file = Wrapped(file, truncate=nothing)
        return original(file, *given, policy=policy, **more)

    return [(segment_loading, "recover_segment", recover)]


def _sends_what_is_not_committed() -> Patches:
    original = TopicLog.records_now

    def read(self: Any, offset: int, max_bytes: int, end_offset: int, **more: Any) -> Any:
        return original(self, offset, max_bytes, _NO_LIMIT, **more)

    return [(TopicLog, "records_now", read)]


def _sets_replicas_aside_by_old_metadata() -> Patches:
    original = MetadataApplier.apply

    def apply(self: Any, image: Any, *, has_caught_up: bool) -> bool:
        return original(self, image, has_caught_up=True)

    return [(MetadataApplier, "apply", apply)]


_REPLICATED = NodeInvariant.ACKNOWLEDGED_IS_REPLICATED
_STAYS = NodeInvariant.COMMITTED_STAYS
_HAVE = NodeInvariant.ISR_HAS_THE_COMMITTED
_KEPT = NodeInvariant.ACKNOWLEDGED_IS_KEPT
# -- files that went while a node was down --------------------------------------------------------------------------


def _serves_logs_that_were_longer() -> Patches:
    original = HostedLogLoader.open

    def put_open(self: Any, hosted: Any, *, is_kept: bool = False, is_clean: bool = False) -> None:
        original(self, hosted, is_kept=False, is_clean=is_clean)

    return [
        (HostedLogLoader, "open", put_open),
        (Checkpointed, "reached", nothing),
    ]


def _begins_logs_anew_that_somebody_counts_on() -> Patches:
    def maybe_begin_anew(self: Any, hosted: Any) -> None:
        self._replicas.begin_anew(hosted)

    return [(ReplicaRoles, "maybe_begin_anew", maybe_begin_anew)]


_ONCE = NodeInvariant.ONCE_AND_IN_ORDER
_SETTLES = NodeInvariant.SETTLES_AT_LAST
_FAILS = NodeInvariant.NO_FAILURE

MUTATIONS: tuple[Mutation, ...] = (
    record_mutation("does not check sequences", (_ONCE,), _does_not_check_sequences),
    record_mutation("appends repeated batches", (_ONCE,), _does_not_know_repeated_batches),
    record_mutation("takes gaps in sequences", (_ONCE,), _takes_gaps_in_sequences),
    record_mutation(
        "responds with other offsets", (_REPLICATED, _STAYS), _responds_to_repeated_batches_with_other_offsets
    ),
    record_mutation("forgets producers at a start", (_ONCE,), _forgets_producers_at_a_start),
    record_mutation(
        "remembers one batch of a producer",
        (_ONCE,),
        _remembers_one_batch_of_a_producer,
        first_seed=WITH_NEW_EPOCHS.start,
    ),
    record_mutation(
        "forgets producers as a new leader",
        (_ONCE,),
        _forgets_producers_as_a_new_leader,
        first_seed=WITH_NEW_EPOCHS.start,
    ),
    record_mutation("leaves gaps between batches", (_STAYS,), _appends_past_a_gap),
    record_mutation(
        "keeps a torn tail of records",
        (_FAILS, _STAYS, _HAVE, _SETTLES, _KEPT),
        _keeps_a_torn_tail_of_records,
    ),
    record_mutation("sends what is not committed", (_STAYS,), _sends_what_is_not_committed),
    record_mutation(
        "sets replicas aside by old metadata",
        (_HAVE, _STAYS, _KEPT, _FAILS),
        _sets_replicas_aside_by_old_metadata,
    ),
    record_mutation(
        "keeps producers of what it cuts",
        (_ONCE, _REPLICATED, _SETTLES),
        _keeps_producers_of_what_it_cuts,
        first_seed=FIRST_OF_SWARMS,
    ),
    record_mutation(
        "keeps epochs of records that it cuts",
        (_STAYS, _SETTLES),
        _keeps_epochs_of_records_that_it_cuts,
        first_seed=FIRST_OF_SWARMS,
    ),
    record_mutation(
        "keeps where the first epoch began",
        (NodeInvariant.EPOCHS_ARE_TRUE,),
        _keeps_where_the_first_epoch_began,
    ),
    record_mutation(
        "writes high watermarks too high",
        (_STAYS, _HAVE),
        _writes_high_watermarks_that_are_not_reached,
        first_seed=FIRST_OF_SWARMS,
    ),
    record_mutation(
        "serves logs that were longer",
        (_KEPT, _STAYS, _HAVE, _SETTLES, _FAILS),
        _serves_logs_that_were_longer,
        first_seed=FIRST_WITH_LOST_FILES,
    ),
    record_mutation(
        "begins logs anew that count",
        (_KEPT, _STAYS, _HAVE, _SETTLES),
        _begins_logs_anew_that_somebody_counts_on,
        first_seed=FIRST_WITH_LOST_FILES,
    ),
)

RARE: tuple[Mutation, ...] = (
    record_mutation("believes logs durable", (_FAILS, _STAYS, _SETTLES, _KEPT), _believes_logs_durable),
)
"""As `records.RARE`."""
