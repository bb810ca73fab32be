"""Broken rules that only swarms notice: what matters when several rare things come together."""

from __future__ import annotations

from typing import Any

from kafkaproto_server.core.controller.brokers import alter_partition
from kafkaproto_server.core.log_state.compaction import Compaction
from kafkaproto_server.core.replicas import incoming_batches
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.shell.storage.log import topic_log, topic_retention
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import record_mutation
from tests.sim.nodes.swarms import FIRST_OF_SWARMS


def _shows_high_watermarks_beyond_its_log() -> Patches:
    def leader_said(self: Any, high_watermark: int) -> None:
        if high_watermark > self.high_watermark:
            self.high_watermark = high_watermark
            self.producers.high_watermark_advanced(high_watermark)
            self._changed()

    return [(Partition, "leader_said", leader_said)]


def _drops_tombstones_without_their_horizon() -> Patches:
    original = Compaction._is_kept
    return [(Compaction, "_is_kept", lambda self, record, _: original(self, record, True))]


def _takes_isrs_of_brokers_as_they_were_before() -> Patches:
    original = alter_partition._checked_isr

    def checked(image: Any, partition: Any, data: Any, members: Any) -> tuple[int, ...]:
        return original(image, partition, data, members and dict.fromkeys(members, -1))

    return [(alter_partition, "_checked_isr", checked)]


def _retention_removes_what_is_not_committed() -> Patches:
    original = topic_retention.removable_segments

    def removable(*given: Any, high_watermark: int, **more: Any) -> int:
        return original(*given, high_watermark=2**63 - 1, **more)

    return [(topic_log, "removable_segments", removable)]


def _does_not_look_at_fields_of_batches() -> Patches:
    return [(incoming_batches, "_check_fields", lambda header, sender: None)]


MUTATIONS: tuple[Mutation, ...] = (
    record_mutation(
        "shows high watermarks beyond its log",
        (NodeInvariant.HIGH_WATERMARK_IN_LOG,),
        _shows_high_watermarks_beyond_its_log,
        first_seed=FIRST_OF_SWARMS,
    ),
    record_mutation(
        "drops tombstones without their horizon",
        (NodeInvariant.NEWEST_IS_KEPT,),
        _drops_tombstones_without_their_horizon,
        first_seed=FIRST_OF_SWARMS,
    ),
    record_mutation(
        "takes ISRs of brokers as they were before",
        (NodeInvariant.STALE_IS_REFUSED, NodeInvariant.ISR_HAS_THE_COMMITTED),
        _takes_isrs_of_brokers_as_they_were_before,
        first_seed=FIRST_OF_SWARMS,
    ),
    record_mutation(
        "retention removes what is not committed",
        (NodeInvariant.UNCOMMITTED_STAYS,),
        _retention_removes_what_is_not_committed,
        first_seed=FIRST_OF_SWARMS,
    ),
    record_mutation(
        "does not look at fields of batches",
        (NodeInvariant.ODD_BATCHES_REFUSED,),
        _does_not_look_at_fields_of_batches,
        first_seed=FIRST_OF_SWARMS,
    ),
)
