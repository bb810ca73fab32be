"""Broken rules of share groups. Their runs are those that have members of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.node.coordinators.persister import SharePersister
from kafkaproto_server.requests.share_state import Result
from kafkaproto_server.share.partition import SharePartition
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.coordination.traffic import FIRST_WITH_SHARES
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import node_mutation, nothing


def share_mutation(rule: str, patches: Callable[[], Patches], likely_seed: int) -> Mutation:
    """A rule of share groups."""
    return node_mutation(
        rule, NodeInvariant.SHARED_ONCE, patches, likely_seed=FIRST_WITH_SHARES + likely_seed
    )


def _does_not_persist_acknowledgements() -> Patches:
    def write(
        self: Any, group_id: str, topic_id: bytes, partition: int, state: Any, leader_epoch: int, done: Any
    ) -> None:
        done(Result(ErrorCode.NONE, None, None))

    return [(SharePersister, "write", write)]


def _forgets_what_is_acknowledged_behind_the_start() -> Patches:
    return [(SharePartition, "_load", nothing)]


MUTATIONS: tuple[Mutation, ...] = (
    share_mutation("persists no acknowledgements", _does_not_persist_acknowledgements, 1),
    share_mutation("loads no states of single records", _forgets_what_is_acknowledged_behind_the_start, 1),
)
