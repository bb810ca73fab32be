"""Broken rules of replication: of leaders, followers and ISRs. Their runs are those that have records; `record_logs`
has the rules of logs, producers and readers."""

from __future__ import annotations

from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.controller.brokers import alter_partition
from kafkaproto_server.core.replicas.followers import FollowerReplica
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.shell.replicas.followers.log_changes import LogChanges
from kafkaproto_server.shell.replicas.known_brokers import KnownBrokers
from kafkaproto_server.shell.replicas.requests.readable_replicas import ReadableReplicas
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.data.traffic import WITH_NEW_EPOCHS
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import nothing, record_mutation
from tests.sim.nodes.swarms import FIRST_OF_SWARMS


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
        followed.fetcher.want(followed)

    return [(LogChanges, "truncate", truncate)]


def _counts_only_the_committed_isr() -> Patches:
    original = Partition.maybe_advance_high_watermark

    def advance(self: Any, now_ms: int) -> None:
        followers = self.followers
        self.followers = {each: follower for each, follower in followers.items() if each in self.isr}
        original(self, now_ms)
        self.followers = followers

    return [(Partition, "maybe_advance_high_watermark", advance)]


def _ignores_the_minimal_isr() -> Patches:
    return [(Partition, "required_isr_size", property(lambda self: 0))]


def _expands_the_isr_behind_its_epoch() -> Patches:
    def expand(self: Any, broker_id: int, follower: Any) -> None:
        if self._pending is None and broker_id not in self.isr:
            end = follower.log_end_offset
            if end >= self.high_watermark and self._is_eligible(broker_id, follower):
                self._ask((*self.isr, broker_id))

    return [(Partition, "_maybe_expand_isr", expand)]


def _takes_earlier_runs_of_brokers_into_the_isr() -> Patches:
    is_eligible, checked_isr = KnownBrokers.is_eligible, alter_partition._checked_isr

    def checked(image: Any, partition: Any, data: Any, members: Any) -> tuple[int, ...]:
        return checked_isr(image, partition, data, members and dict.fromkeys(members, -1))

    return [
        (
            KnownBrokers,
            "is_eligible",
            lambda self, broker_id, _, directory_id: is_eligible(self, broker_id, -1, directory_id),
        ),
        (ReadableReplicas, "is_stale", lambda *_: False),
        (alter_partition, "_checked_isr", checked),
    ]


def _counts_what_it_sends() -> Patches:
    original = FollowerReplica.fetched

    def fetched(self: Any, *given: Any, leader_end_offset: int, **more: Any) -> None:
        original(self, *given, leader_end_offset=leader_end_offset, **more)
        self.log_end_offset = leader_end_offset

    return [(FollowerReplica, "fetched", fetched)]


def _believes_all_committed() -> Patches:
    original = Partition.leader_said

    def leader_said(self: Any, high_watermark: int) -> None:
        original(self, self.log_end_offset)

    return [(Partition, "leader_said", leader_said)]


def _cuts_all_of_its_log() -> Patches:
    return [(Partition, "truncation_point", lambda self, leader_end: self.log_start_offset)]


def _does_not_fence_leader_epochs() -> Patches:
    return [(Partition, "check_epoch", nothing)]


def _keeps_acknowledgements_for_a_later_term() -> Patches:
    return [(Partition, "_fail_acknowledgements", nothing)]


def _leaves_the_starts_of_followers() -> Patches:
    return [(LogChanges, "move_start", nothing)]


def _deletes_what_is_not_committed() -> Patches:
    return [(Partition, "deletion_offset", lambda self, offset: self.next_offset)]


_REPLICATED = NodeInvariant.ACKNOWLEDGED_IS_REPLICATED
_STAYS = NodeInvariant.COMMITTED_STAYS
_HAVE = NodeInvariant.ISR_HAS_THE_COMMITTED
_KEPT = NodeInvariant.ACKNOWLEDGED_IS_KEPT
_SETTLES = NodeInvariant.SETTLES_AT_LAST

MUTATIONS: tuple[Mutation, ...] = (
    record_mutation(
        "takes the high watermark from the leader alone",
        (_HAVE, _REPLICATED, _STAYS),
        _takes_the_high_watermark_from_the_leader_alone,
    ),
    record_mutation(
        "acknowledges before it is replicated",
        (_REPLICATED, _STAYS),
        _acknowledges_before_replication,
    ),
    record_mutation("expands ISRs too early", (_HAVE, _REPLICATED, _STAYS), _expands_the_isr_too_early),
    record_mutation(
        "does not cut its log by epochs",
        (_SETTLES, _STAYS, _KEPT),
        _does_not_cut_by_epochs,
        first_seed=WITH_NEW_EPOCHS.start,
    ),
    record_mutation(
        "counts only the committed ISR",
        (_HAVE, _REPLICATED, _STAYS),
        _counts_only_the_committed_isr,
    ),
    record_mutation("ignores min.insync.replicas", (_REPLICATED, _STAYS), _ignores_the_minimal_isr),
    record_mutation("counts what it sends", (_HAVE, _REPLICATED, _STAYS), _counts_what_it_sends),
    record_mutation("believes all committed", (_STAYS, _HAVE), _believes_all_committed),
    record_mutation("cuts all of its log", (_HAVE, _STAYS), _cuts_all_of_its_log),
    record_mutation("does not fence leader epochs", (_STAYS, _HAVE), _does_not_fence_leader_epochs),
    record_mutation("leaves the starts of followers", (_SETTLES,), _leaves_the_starts_of_followers),
    record_mutation(
        "deletes what is not committed",
        (NodeInvariant.UNCOMMITTED_STAYS, _HAVE, _STAYS),
        _deletes_what_is_not_committed,
    ),
    record_mutation(
        "expands ISRs behind its epoch",
        (_HAVE, _STAYS),
        _expands_the_isr_behind_its_epoch,
        first_seed=FIRST_OF_SWARMS,
    ),
    record_mutation(
        "acknowledges in a later term",
        (_REPLICATED, _STAYS),
        _keeps_acknowledgements_for_a_later_term,
        first_seed=FIRST_OF_SWARMS,
    ),
)

RARE: tuple[Mutation, ...] = (
    record_mutation(
        "takes earlier runs into ISRs",
        (_HAVE, _STAYS),
        _takes_earlier_runs_of_brokers_into_the_isr,
        first_seed=FIRST_OF_SWARMS,
    ),
)
"""Not one in a hundred seeds notices them."""
