"""Broken rules that only those notice who ask for what they may not have."""

from __future__ import annotations

from typing import Any

from kafkaproto_server.core.coordinators.groups import membership
from kafkaproto_server.core.coordinators.groups.classic.group import no_group_record
from kafkaproto_server.core.coordinators.groups.classic.groups import ClassicGroups
from kafkaproto_server.core.share_partitions.sessions import ShareSession, ShareSessions, next_epoch
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.late.options import WITH_LATE_REQUESTS
from tests.sim.nodes.mutations.support import node_mutation, nothing


def _takes_members_of_any_epoch() -> Patches:
    return [(membership, "check_epoch", nothing)]


def _deletes_groups_that_have_members() -> Patches:
    return [(ClassicGroups, "deletion_records", lambda self, group_id: [no_group_record(group_id)])]


def _continues_share_sessions_in_any_epoch() -> Patches:
    def proceed(self: Any, key: Any, epoch: int) -> ShareSession:
        session: ShareSession = self.check(key)
        session.epoch = next_epoch(session.epoch)
        return session

    return [(ShareSessions, "proceed", proceed)]


MUTATIONS: tuple[Mutation, ...] = (
    node_mutation(
        "takes members of any epoch",
        NodeInvariant.LATE_REQUESTS_REFUSED,
        _takes_members_of_any_epoch,
        first_seed=WITH_LATE_REQUESTS.start,
    ),
    node_mutation(
        "deletes groups that have members",
        NodeInvariant.LATE_REQUESTS_REFUSED,
        _deletes_groups_that_have_members,
        first_seed=WITH_LATE_REQUESTS.start,
    ),
    node_mutation(
        "continues share sessions in any epoch",
        NodeInvariant.LATE_REQUESTS_REFUSED,
        _continues_share_sessions_in_any_epoch,
        first_seed=WITH_LATE_REQUESTS.start,
    ),
)
