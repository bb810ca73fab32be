"""Broken rules of the drivers: order of effects, parked requests, what is reported, what is published."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import msgspec

from kafkaproto_server.base.later import Deferred
from kafkaproto_server.core.controller.brokers import alter_partition
from kafkaproto_server.core.controller.machine.controller import Controller
from kafkaproto_server.core.controller.machine.outbox import ControllerOutbox
from kafkaproto_server.core.raft.model.progress import Progress
from kafkaproto_server.core.raft.values.events import RequestFailed
from kafkaproto_server.shell.quorum import disk_worker
from kafkaproto_server.shell.quorum.controller_runner import ControllerRunner
from kafkaproto_server.shell.quorum.disk_worker import DiskWorker
from kafkaproto_server.shell.quorum.effects import RaftEffects
from kafkaproto_server.shell.quorum.image.metadata_feed import MetadataFeed
from kafkaproto_server.shell.quorum.image.published import Published
from kafkaproto_server.shell.quorum.log_tail import LogTail
from kafkaproto_server.shell.quorum.raft_channel import RaftChannel
from kafkaproto_server.shell.quorum.raft_service import RaftService
from tests.sim.checkers.invariants import Invariant
from tests.sim.mutations.mutation import Patches
from tests.sim.mutations.unknown_nodes import _goes_to_epochs_of_any_candidate
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import node_mutation, nothing, one_in


def _notifies_before_it_is_durable() -> Patches:
    original = RaftEffects._take_effects

    def take_effects(self: Any) -> None:
        original(self)
        self._notify_persisted(sys.maxsize)

    return [(RaftEffects, "_take_effects", take_effects)]


def _writes_elections_late() -> Patches:
    original = DiskWorker._persist

    def persist(self: Any, run: Any) -> Any:
        late, self.late = getattr(self, "late", None), run[0].election_state
        if late is not None:
            self._quorum_state_file.write(disk_worker._quorum_state(late))
        return original(self, [msgspec.structs.replace(run[0], election_state=None), *run[1:]])

    return [(DiskWorker, "_persist", persist)]


def _forgets_its_vote() -> Patches:
    original = disk_worker._quorum_state

    def quorum_state(write: Any) -> Any:
        return dataclasses.replace(original(write), voted=None)

    return [(disk_worker, "_quorum_state", quorum_state)]


def _loses_the_last_job() -> Patches:
    original = DiskWorker._persist

    def persist(self: Any, run: Any) -> Any:
        return original(self, run[:-1] if len(run) > 1 else run)

    return [(DiskWorker, "_persist", persist)]


def _forgets_fetches_of_old_records() -> Patches:
    original = RaftService._complete

    def complete(self: Any, response: Any, done: Any) -> None:
        read = getattr(response, "read", None)
        if read is None or not hasattr(read, "offset") or read.offset >= self._tail.start_offset:
            original(self, response, done)

    return [(RaftService, "_complete", complete)]


def _forgets_commands() -> Patches:
    original = ControllerRunner.command
    is_forgotten = one_in(15)

    def command(self: Any, request: Any, version: int, context: Any, result: Any) -> None:
        original(self, request, version, context, Deferred() if is_forgotten() else result)

    return [(ControllerRunner, "command", command)]


def _drops_disk_events() -> Patches:
    original = RaftEffects.persisted

    def persisted(self: Any, report: Any) -> None:
        original(self, msgspec.structs.replace(report, events=()))

    return [(RaftEffects, "persisted", persisted)]


def _drops_failures_of_requests() -> Patches:
    original = RaftChannel.__init__

    def init(self: Any, *, report: Any, **more: Any) -> None:
        original(
            self,
            report=lambda event: None if isinstance(event, RequestFailed) else report(event),
            **more,
        )

    return [(RaftChannel, "__init__", init)]


def _shows_what_is_not_committed() -> Patches:
    original = MetadataFeed.advance

    def advance(self: Any, high_watermark: int) -> None:
        original(self, max(high_watermark, self._tail.end_offset))

    return [(MetadataFeed, "advance", advance)]


def _asks_the_quorum_amid_records() -> Patches:
    return [(ControllerOutbox, "ask_quorum", ControllerOutbox.add)]


def _reads_one_batch_early() -> Patches:
    original = LogTail._index_of
    return [(LogTail, "_index_of", lambda self, offset: max(0, original(self, offset) - 1))]


def _wakes_nobody() -> Patches:
    return [(Published, "notify", nothing)]


def _takes_any_partition_epoch() -> Patches:
    original = alter_partition._check_sender

    def check_sender(partition: Any, data: Any, sender: int) -> None:
        data.partition_epoch = partition.partition_epoch
        original(partition, data, sender)

    return [(alter_partition, "_check_sender", check_sender)]


def _makes_changes_in_one_turn() -> Patches:
    original = Controller.__init__

    def init(self: Any, **more: Any) -> None:
        original(self, **{**more, "steps_per_slice": 10**9})

    return [(Controller, "__init__", init)]


def _keeps_connections_to_unknown_nodes() -> Patches:
    original = RaftChannel.__init__

    def init(self: Any, **more: Any) -> None:
        original(self, **{**more, "is_known": lambda _node_id: True})

    return [(RaftChannel, "__init__", init)]


def _remembers_every_observer() -> Patches:
    return [(Progress, "_forget_observers", nothing)]


MUTATIONS = (
    node_mutation(
        "notifies before it is durable", Invariant.DURABLE_BEFORE_TOLD, _notifies_before_it_is_durable
    ),
    node_mutation("writes elections late", Invariant.DURABLE_BEFORE_TOLD, _writes_elections_late),
    node_mutation("forgets its vote", Invariant.DURABLE_BEFORE_TOLD, _forgets_its_vote),
    node_mutation("loses the last of several jobs", NodeInvariant.NO_FAILURE, _loses_the_last_job),
    node_mutation(
        "forgets Fetches of old records",
        NodeInvariant.READY_AT_LAST,
        _forgets_fetches_of_old_records,
        also=(NodeInvariant.ONE_RESPONSE,),
    ),
    node_mutation(
        "forgets a command",
        NodeInvariant.ONE_RESPONSE,
        _forgets_commands,
        also=(NodeInvariant.ACKNOWLEDGES_AT_LAST,),
    ),
    node_mutation(
        "drops events of its disk",
        NodeInvariant.READY_AT_LAST,
        _drops_disk_events,
        also=(NodeInvariant.ONE_RESPONSE,),
    ),
    node_mutation(
        "drops failures of requests",
        NodeInvariant.READY_AT_LAST,
        _drops_failures_of_requests,
        also=(NodeInvariant.ONE_RESPONSE,),
    ),
    node_mutation(
        "shows what is not committed",
        Invariant.MAJORITY_REACHED,
        _shows_what_is_not_committed,
    ),
    node_mutation(
        "has kraft.version raised amid records",
        NodeInvariant.NO_FAILURE,
        _asks_the_quorum_amid_records,
    ),
    node_mutation(
        "reads one batch early from memory",
        NodeInvariant.NO_FAILURE,
        _reads_one_batch_early,
    ),
    node_mutation(
        "wakes nobody for another leader",
        NodeInvariant.READY_AT_LAST,
        _wakes_nobody,
        also=(NodeInvariant.ONE_RESPONSE,),
    ),
    node_mutation(
        "takes any partition epoch",
        NodeInvariant.STALE_IS_REFUSED,
        _takes_any_partition_epoch,
    ),
    node_mutation(
        "goes to the epoch of any candidate",
        NodeInvariant.NOTHING_FORGED,
        _goes_to_epochs_of_any_candidate,
    ),
    node_mutation(
        "makes long changes in one turn (S5)",
        NodeInvariant.SHORT_TURNS,
        _makes_changes_in_one_turn,
    ),
    node_mutation(
        "keeps connections to unknown nodes (S8)",
        NodeInvariant.NOTHING_LEFT,
        _keeps_connections_to_unknown_nodes,
    ),
    node_mutation("remembers every observer (S8)", NodeInvariant.NOTHING_LEFT, _remembers_every_observer),
)
