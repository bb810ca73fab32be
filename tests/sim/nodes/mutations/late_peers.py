"""Broken rules that only peers with outdated knowledge notice."""

from __future__ import annotations

from kafkaproto_server.core.controller.brokers import registration
from kafkaproto_server.core.raft.roles import voting
from kafkaproto_server.shell.replicas.requests.readable_replicas import ReadableReplicas
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.late_peers.peer import WITH_LATE_PEERS
from tests.sim.nodes.mutations.support import record_mutation


def _answers_what_another_voter_is_asked() -> Patches:
    return [(voting, "is_other_key", lambda core, voter_id, directory_id: False)]


def _registers_brokers_with_reserved_directories() -> Patches:
    return [(registration, "_is_reserved", lambda directory: False)]


def _believes_followers_of_before_a_restart() -> Patches:
    return [(ReadableReplicas, "is_stale", lambda self, broker_id, broker_epoch: False)]


MUTATIONS: tuple[Mutation, ...] = tuple(
    record_mutation(rule, (NodeInvariant.LATE_REQUESTS_REFUSED,), patches, first_seed=WITH_LATE_PEERS.start)
    for rule, patches in (
        ("answers what another voter is asked", _answers_what_another_voter_is_asked),
        ("registers brokers with reserved directories", _registers_brokers_with_reserved_directories),
        ("believes followers of before a restart", _believes_followers_of_before_a_restart),
    )
)
