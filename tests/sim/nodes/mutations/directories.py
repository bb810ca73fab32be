"""Broken rules of log directories: of failures, starts and moves. Their runs are those with several directories."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from kafkaproto.message import Message
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.broker import replica_directories
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.core.broker.replica_directories import ReplicaDirectories
from kafkaproto_server.core.broker.start_table import Way
from kafkaproto_server.core.controller.brokers import heartbeats
from kafkaproto_server.core.replicas.moving import Act, Move, Step
from kafkaproto_server.metadata.image.apply_topics import NO_LEADER_CHANGE
from kafkaproto_server.shell.replicas.files.checkpoints import Checkpoints
from kafkaproto_server.shell.replicas.files.move_steps import MoveSteps
from kafkaproto_server.shell.replicas.files.moves import Moves
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.directories.options import FIRST_WITH_DIRECTORIES
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import node_mutation, nothing


def directory_mutation(
    rule: str, noticed_by: tuple[enum.Enum, ...], patches: Callable[[], Patches]
) -> Mutation:
    """A rule of log directories. Any of ``noticed_by`` may notice it."""
    first, *also = noticed_by
    return node_mutation(rule, first, patches, also=tuple(also), first_seed=FIRST_WITH_DIRECTORIES)


# -- directories that fail -----------------------------------------------------------------------------------------


def _does_not_report_failed_directories() -> Patches:
    return [(LogDirectories, "offline_ids", property(lambda self: ()))]


def _leaves_followers_in_isrs() -> Patches:
    original = vars(heartbeats)["changes_without_directories"]

    def changes(*given: Any) -> Steps[list[Message]]:
        records = yield from original(*given)
        return [each for each in records if each.leader != NO_LEADER_CHANGE]

    return [(heartbeats, "changes_without_directories", changes)]


def _uses_failed_directories() -> Patches:
    return [(ReplicaManager, "directories_changed", nothing)]


def _writes_checkpoints_to_failed_directories() -> Patches:
    original = Checkpoints._write

    def write(self: Any, directory_id: bytes, name: str) -> None:
        is_online, self._is_online = self._is_online, lambda _: True
        try:
            original(self, directory_id, name)
        finally:
            self._is_online = is_online

    return [(Checkpoints, "_write", write)]


# -- starts --------------------------------------------------------------------------------------------------------


def _is_unfenced_before_its_directories_are_known() -> Patches:
    return [(ReplicaDirectories, "are_known", property(lambda self: True))]


def _begins_anew_what_may_be_offline() -> Patches:
    original = vars(replica_directories)["place_of"]

    def place_of(*given: Any) -> Any:
        place = original(*given)
        return place._replace(way=Way.CHOOSE, directory_id=None) if place.way is Way.WAIT else place

    return [(replica_directories, "place_of", place_of)]


# -- moves ---------------------------------------------------------------------------------------------------------


def _does_not_report_moves() -> Patches:
    return [(ReplicaDirectories, "will_move", nothing)]


def _moves_before_that_is_recorded() -> Patches:
    return [(MoveSteps, "_is_recorded", lambda self, moving: True)]


def _does_not_take_reports_of_moves_back() -> Patches:
    return [(ReplicaDirectories, "stays", nothing)]


def _moves_without_the_newest_records() -> Patches:
    original = Move.next_step

    def next_step(self: Any, source: Any, **more: Any) -> Step:
        step = original(self, source, **more)
        is_ready = self.is_prepared and more["is_recorded"]
        return Step(Act.SWITCH) if step.act is Act.COPY and is_ready else step

    return [(Move, "next_step", next_step)]


def _does_not_cut_copies() -> Patches:
    return [(Moves, "was_cut", nothing)]


def _keeps_copies_of_interrupted_moves() -> Patches:
    return [(Moves, "found_future", nothing)]


_LEAVES = NodeInvariant.OFFLINE_LEAVES_ISRS
_ALONE = NodeInvariant.FAILED_IS_LEFT_ALONE
_REPLACED = NodeInvariant.OFFLINE_IS_REPLACED
_RECORDED = NodeInvariant.RECORDED_AT_LAST
_AT_LAST = NodeInvariant.MOVES_AT_LAST
_SETTLES = NodeInvariant.SETTLES_AT_LAST
_STAYS = NodeInvariant.COMMITTED_STAYS
_HAVE = NodeInvariant.ISR_HAS_THE_COMMITTED
_KEPT = NodeInvariant.ACKNOWLEDGED_IS_KEPT

MUTATIONS: tuple[Mutation, ...] = (
    directory_mutation(
        "does not report failed directories",
        (_REPLACED, NodeInvariant.READY_AT_LAST),
        _does_not_report_failed_directories,
    ),
    directory_mutation(
        "leaves followers in failed directories in ISRs",
        (_LEAVES,),
        _leaves_followers_in_isrs,
    ),
    directory_mutation("uses failed directories", (_ALONE, _REPLACED), _uses_failed_directories),
    directory_mutation(
        "writes checkpoints to failed directories",
        (_ALONE,),
        _writes_checkpoints_to_failed_directories,
    ),
    directory_mutation(
        "is unfenced before its directories are known",
        (NodeInvariant.PLACED_BEFORE_UNFENCED,),
        _is_unfenced_before_its_directories_are_known,
    ),
    directory_mutation(
        "begins anew what may be offline",
        (NodeInvariant.NOT_BEGUN_ANEW,),
        _begins_anew_what_may_be_offline,
    ),
    directory_mutation("does not report moves", (_AT_LAST, _RECORDED), _does_not_report_moves),
    directory_mutation(
        "moves replicas before that is recorded",
        (NodeInvariant.MOVED_ONCE_RECORDED,),
        _moves_before_that_is_recorded,
    ),
    directory_mutation(
        "does not take reports of moves back",
        (_RECORDED,),
        _does_not_take_reports_of_moves_back,
    ),
    directory_mutation(
        "moves replicas without their newest records",
        (_KEPT, _STAYS, _HAVE, _SETTLES),
        _moves_without_the_newest_records,
    ),
    directory_mutation("keeps copies of interrupted moves", (_RECORDED,), _keeps_copies_of_interrupted_moves),
)

RARE: tuple[Mutation, ...] = (
    directory_mutation("does not cut copies", (_STAYS, _KEPT, _HAVE, _SETTLES), _does_not_cut_copies),
)
"""As `records.RARE`: the replica has to be cut while it moves, and its copy has to become the replica."""
