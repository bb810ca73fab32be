"""Broken rules of records: of replication, leaders, followers and producers. Their runs are those that have records."""

from __future__ import annotations

from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.log_state.producers import ProducerStates
from kafkaproto_server.node.replicas import fetchers
from kafkaproto_server.replica.partition import Partition
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.data.traffic import FIRST_WITH_RECORDS
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import node_mutation, nothing


def _takes_the_high_watermark_from_the_leader_alone() -> Patches:
    def advance(self: Any, now_ms: int) -> None:
        if self.log_end_offset > self.high_watermark:
            self.high_watermark = self.log_end_offset
            waiting = self._acknowledgements
            while waiting and waiting[0][0] <= self.high_watermark:
                waiting.popleft()[1](self._acknowledgement())
            self._changed()

    return [(Partition, "maybe_advance_high_watermark", advance)]


def _acknowledges_before_replication() -> Patches:
    def when_replicated(self: Any, end_offset: int, acknowledge: Any) -> None:
        acknowledge(ErrorCode.NONE)

    return [(Partition, "when_replicated", when_replicated)]


def _expands_the_isr_too_early() -> Patches:
    def expand(self: Any, broker_id: int, follower: Any) -> None:
        if self._pending is None and broker_id not in self.isr:
            self._ask((*self.isr, broker_id))

    return [(Partition, "_maybe_expand_isr", expand)]


def _does_not_cut_by_epochs() -> Patches:
    def truncate(self: Any, followed: Any, offset: int) -> None:
        # The leader believes that the logs agree.
        followed.hosted.partition.epochs.begin(followed.leader_epoch, followed.hosted.partition.next_offset)
        self._want(followed)

    return [(fetchers._Fetcher, "_truncate", truncate)]


def _does_not_check_sequences() -> Patches:
    return [(ProducerStates, "check", nothing)]


def _does_not_know_repeated_batches() -> Patches:
    original = ProducerStates.check

    def check(self: Any, header: Any, **more: Any) -> None:
        original(self, header, **more)

    return [(ProducerStates, "check", check)]


def _appends_past_a_gap() -> Patches:
    original = Partition.take_offsets

    def take_offsets(self: Any, header: Any, *, needs_all: bool) -> int:
        base = original(self, header, needs_all=needs_all)
        if base % 7 == 3:
            self.next_offset += 1
            return base + 1
        return base

    return [(Partition, "take_offsets", take_offsets)]


def _mutation(rule: str, noticed_by: NodeInvariant, patches: Any, *also: NodeInvariant) -> Mutation:
    return node_mutation(rule, noticed_by, patches, also=also, likely_seed=FIRST_WITH_RECORDS + 1)


_REPLICATED = NodeInvariant.ACKNOWLEDGED_IS_REPLICATED
_STAYS = NodeInvariant.COMMITTED_STAYS
_HAVE = NodeInvariant.ISR_HAS_THE_COMMITTED
_KEPT = NodeInvariant.ACKNOWLEDGED_IS_KEPT
_ONCE = NodeInvariant.ONCE_AND_IN_ORDER
_SETTLES = NodeInvariant.SETTLES_AT_LAST

MUTATIONS: tuple[Mutation, ...] = (
    _mutation(
        "takes the high watermark from the leader alone",
        _HAVE,
        _takes_the_high_watermark_from_the_leader_alone,
        _REPLICATED,
        _STAYS,
    ),
    _mutation("acknowledges before it is replicated", _REPLICATED, _acknowledges_before_replication, _STAYS),
    _mutation("expands ISRs too early", _HAVE, _expands_the_isr_too_early, _REPLICATED, _STAYS),
    _mutation("does not cut its log by epochs", _SETTLES, _does_not_cut_by_epochs, _STAYS, _KEPT),
    _mutation("does not check sequences", _ONCE, _does_not_check_sequences),
    _mutation("appends repeated batches", _ONCE, _does_not_know_repeated_batches),
    _mutation("leaves gaps between batches", _STAYS, _appends_past_a_gap),
)
