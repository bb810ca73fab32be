"""Broken rules of streams groups, and of who deletes offsets. Their runs are those that have both."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.modern.groups import ModernGroups
from kafkaproto_server.core.coordinators.groups.offsets.offsets import OffsetMetadataManager
from kafkaproto_server.core.coordinators.groups.streams import records as write
from kafkaproto_server.core.coordinators.groups.streams.group import FIRST_EPOCH
from kafkaproto_server.core.coordinators.groups.streams.heartbeat import StreamsGroups
from kafkaproto_server.core.coordinators.groups.streams.reconciliation import _StreamsStep
from kafkaproto_server.core.coordinators.groups.streams.sticky import _Process
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.coordination.traffic import FIRST_WITH_STREAMS
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import node_mutation


def streams_mutation(
    rule: str, noticed_by: tuple[enum.Enum, ...], patches: Callable[[], Patches]
) -> Mutation:
    """A rule of streams groups. Any of ``noticed_by`` may notice it."""
    first, *also = noticed_by
    return node_mutation(rule, first, patches, also=tuple(also), first_seed=FIRST_WITH_STREAMS)


# -- streams groups ----------------------------------------------------------------------------------------------


def _gives_tasks_that_another_member_has() -> Patches:
    return [(_StreamsStep, "_is_free_to_run", lambda *_: True)]


def _takes_tasks_for_closed() -> Patches:
    return [(_StreamsStep, "may_have", lambda *_: False)]


def _puts_replicas_beside_their_tasks() -> Patches:
    def add(self: Any, member_id: str, task: Any) -> int:
        self._total += 1
        self.counts[member_id] += 1
        return int(self.counts[member_id])

    return [(_Process, "_add", add), (_StreamsStep, "_is_run_here", lambda *_: False)]


def _forgets_epochs_when_it_moves() -> Patches:
    original = ModernGroups.take_over

    def take_over(self: Any, end_offset: int) -> None:
        original(self, end_offset)
        for group in self.groups.values() if isinstance(self, StreamsGroups) else ():
            group.epoch = group.assignment_epoch = FIRST_EPOCH

    return [(ModernGroups, "take_over", take_over)]


def _leaves_tasks_of_members_that_are_gone() -> Patches:
    def remove(self: Any, group: Any, member: Any) -> None:
        self.write(group.group_id, write.removal_records(group.group_id, member.member_id))

    return [(StreamsGroups, "remove", remove)]


def _forgets_who_has_tasks_when_it_moves() -> Patches:
    original = ModernGroups.take_over

    def take_over(self: Any, end_offset: int) -> None:
        original(self, end_offset)
        for group in self.groups.values() if isinstance(self, StreamsGroups) else ():
            group.active_owners.clear()

    return [(ModernGroups, "take_over", take_over)]


# -- offsets that are deleted ------------------------------------------------------------------------------------


def _deletes_offsets_of_subscribed_topics() -> Patches:
    original = OffsetMetadataManager.delete

    def delete(self: Any, group_id: str, topics: Any, is_subscribed: Any, deleted: Any) -> None:
        original(self, group_id, topics, lambda _: False, deleted)

    return [(OffsetMetadataManager, "delete", delete)]


def _deletes_no_offsets() -> Patches:
    def delete(self: Any, group_id: str, topics: Any, is_subscribed: Any, deleted: Any) -> None:
        deleted(ErrorCode.NONE, [ErrorCode.NONE for each in topics for _ in each.partitions])

    return [(OffsetMetadataManager, "delete", delete)]


_OWNER = NodeInvariant.ONE_OWNER
_ONCE = NodeInvariant.ONCE_IN_A_PROCESS
_SETTLES = NodeInvariant.SETTLES_AT_LAST

MUTATIONS: tuple[Mutation, ...] = (
    streams_mutation("gives tasks that another member has", (_OWNER,), _gives_tasks_that_another_member_has),
    streams_mutation("takes tasks for closed", (_OWNER,), _takes_tasks_for_closed),
    streams_mutation("puts replicas beside their tasks", (_ONCE,), _puts_replicas_beside_their_tasks),
    streams_mutation(
        "forgets epochs of streams groups", (NodeInvariant.EPOCHS_GROW,), _forgets_epochs_when_it_moves
    ),
    streams_mutation(
        "leaves tasks of members that are gone", (_SETTLES,), _leaves_tasks_of_members_that_are_gone
    ),
    streams_mutation("forgets who has tasks", (_OWNER,), _forgets_who_has_tasks_when_it_moves),
    streams_mutation(
        "deletes offsets of subscribed topics",
        (NodeInvariant.SUBSCRIBED_IS_KEPT,),
        _deletes_offsets_of_subscribed_topics,
    ),
    streams_mutation("deletes no offsets", (NodeInvariant.OFFSETS_STAY,), _deletes_no_offsets),
)
