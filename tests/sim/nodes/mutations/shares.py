"""Broken rules of share groups. Their runs are those that have members of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.core.share_partitions.source_records import SourceRecords
from kafkaproto_server.requests.share_state import ShareStateResult
from kafkaproto_server.shell.coordinators.share_state.persister import SharePersister
from kafkaproto_server.shell.share_partitions import dead_letters, led
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.coordination.traffic import FIRST_WITH_DEAD_LETTERS, FIRST_WITH_SHARES
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import node_mutation, nothing


def share_mutation(rule: str, patches: Callable[[], Patches]) -> Mutation:
    """A rule of share groups."""
    return node_mutation(rule, NodeInvariant.SHARED_ONCE, patches, first_seed=FIRST_WITH_SHARES)


def dead_letter_mutation(rule: str, patches: Callable[[], Patches]) -> Mutation:
    """A rule of dead letters."""
    return node_mutation(
        rule,
        NodeInvariant.DEAD_LETTERS,
        patches,
        also=(NodeInvariant.SETTLES_AT_LAST,),
        first_seed=FIRST_WITH_DEAD_LETTERS,
    )


def _does_not_persist_acknowledgements() -> Patches:
    def write(
        self: Any, group_id: str, topic_id: bytes, partition: int, state: Any, leader_epoch: int, done: Any
    ) -> None:
        done(ShareStateResult(ErrorCode.NONE, None, None))

    return [(SharePersister, "write", write)]


def _forgets_what_is_acknowledged_behind_the_start() -> Patches:
    return [(SharePartition, "_load", nothing)]


def _writes_no_letters_of_former_leaders() -> Patches:
    return [(SharePartition, "letters_left", lambda _: [])]


def _writes_no_letters_of_spent_records() -> Patches:
    return [(led, "spent_letters", lambda _: [])]


def _gives_up_at_the_first_failure() -> Patches:
    return [(dead_letters, "MAX_TRIES", 1)]


def _copies_the_record_before() -> Patches:
    original = SourceRecords.copy
    last: list[tuple[bytes | None, bytes | None]] = [(None, None)]

    def copy(self: Any) -> tuple[bytes | None, bytes | None]:
        last.append(original(self))
        return last.pop(0)

    return [(SourceRecords, "copy", copy)]


MUTATIONS: tuple[Mutation, ...] = (
    share_mutation("persists no acknowledgements", _does_not_persist_acknowledgements),
    share_mutation("loads no states of single records", _forgets_what_is_acknowledged_behind_the_start),
    dead_letter_mutation("writes no dead letters of leaders before it", _writes_no_letters_of_former_leaders),
    dead_letter_mutation("has no dead letters of spent records", _writes_no_letters_of_spent_records),
    dead_letter_mutation("gives dead letters up at once", _gives_up_at_the_first_failure),
    dead_letter_mutation("copies other records into dead letters", _copies_the_record_before),
)
