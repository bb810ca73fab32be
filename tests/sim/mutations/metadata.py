"""Broken rules of the controller: brokers, partitions, directories, registrations, and the order in which changes are
made and shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConfigRecord
from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.broker.replica_directories import ReplicaDirectories
from kafkaproto_server.core.controller.brokers import (
    alter_partition,
    failed_brokers,
    heartbeats,
    registration,
)
from kafkaproto_server.core.controller.brokers import assign_replicas_to_dirs as assign_directories
from kafkaproto_server.core.controller.brokers.heartbeats import BrokerControlState
from kafkaproto_server.core.controller.commands import create_topics as topics
from kafkaproto_server.core.controller.machine import (
    appending,
    broker_liveness,
    change_processor,
    controller,
)
from kafkaproto_server.core.controller.machine.changes import Change
from kafkaproto_server.core.controller.machine.log_states import load_batch_steps
from kafkaproto_server.core.controller.machine.parked_responses import ParkedResponse
from kafkaproto_server.core.controller.partitions import broker_changes, partitions
from kafkaproto_server.core.controller.values.batches import batch_ends
from kafkaproto_server.core.controller.values.command import ApiError
from kafkaproto_server.core.controller.values.events import BatchCommitted
from kafkaproto_server.core.controller.values.topic_configs import TopicConfigs
from kafkaproto_server.metadata.image import apply_topics
from kafkaproto_server.metadata.image.apply_topics import NO_LEADER_CHANGE
from kafkaproto_server.metadata.image.loader import LoadState
from kafkaproto_server.shell.quorum.image import image_builder
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.mutations.mutation import Patches, cluster_mutation, finds_nothing

OUTSIDER = 999
SOMEBODYS_DIRECTORY = b"directory 00 101"


def _answers_at_once() -> Patches:
    def reply(**fields: Any) -> ParkedResponse:
        return ParkedResponse(**{**fields, "committed_at": 0})

    return [(change_processor, "ParkedResponse", reply)]


def _moves_no_leader(original: Callable[..., Any]) -> Callable[..., Any]:
    def change(*arguments: Any, **more: Any) -> Any:
        record = original(*arguments, **more)
        if record is not None and record.leader != NO_NODE:
            record.leader = NO_LEADER_CHANGE
        return record

    return change


def _merges(**fields: Callable[[Any], Any]) -> Callable[[], Patches]:
    """Give a partition other values after a change, each a function of the partition before."""

    def patches() -> Patches:
        original = apply_topics.merge_partition

        def merge(old: Any, record: Any) -> Any:
            merged = original(old, record)
            return msgspec.structs.replace(merged, **{name: value(old) for name, value in fields.items()})

        return [(apply_topics, "merge_partition", merge)]

    return patches


def _takes_outsiders() -> Patches:
    original = alter_partition._checked_isr

    def checked(*arguments: Any) -> tuple[int, ...]:
        return (*original(*arguments), OUTSIDER)

    return [(alter_partition, "_checked_isr", checked)]


def _old_epochs() -> Patches:
    original = registration._registration

    def register(situation: Any, request: Any, kept: Any) -> Any:
        made = original(situation, request, kept)
        return (
            made
            if request.broker_id not in situation.image.brokers
            else msgspec.structs.replace(made, epoch=1)
        )

    return [(registration, "_registration", register)]


def _wrong_directory() -> Patches:
    original = assign_directories._assign

    def assign(changes: Any, broker: Any, topic: Any, index: int, directory_id: bytes) -> Any:
        return original(changes, broker, topic, index, SOMEBODYS_DIRECTORY)

    return [(assign_directories, "_assign", assign)]


def _forgets_configs() -> Patches:
    def load(state: LoadState, batch: BatchCommitted) -> Steps[LoadState]:
        kept = yield from load_batch_steps(state, batch)
        if not any(isinstance(record, ConfigRecord) for record in batch.records or ()):
            return kept
        latest = msgspec.structs.replace(kept.latest, configs=state.latest.configs)
        return LoadState(latest=latest, stable=latest)

    return [(image_builder, "load_batch_steps", load)]


def _never_unfences() -> Patches:
    original = heartbeats._next_state

    def next_state(image: Any, sessions: Any, broker: Any, *rest: Any) -> BrokerControlState:
        state = original(image, sessions, broker, *rest)
        return BrokerControlState.FENCED if broker.fenced and state is BrokerControlState.UNFENCED else state

    return [(heartbeats, "_next_state", next_state)]


def _fails_to_place() -> Patches:
    def placed(*_: Any) -> Any:
        raise KeyError("nobody foresaw this")

    return [(topics, "_placed", placed)]


def _believes_every_proof() -> Patches:
    def records_of_death(image: Any, inherited: Any, death: Any) -> Any:
        broker = image.brokers.get(death.broker_id)
        if broker is None or broker.fenced:
            return None
        return heartbeats.fencing_records(image, TopicConfigs(image, inherited), broker)

    def is_refuted(sessions: Any, death: Any) -> bool:
        return death.broker_id not in sessions

    return [
        (failed_brokers, "records_of_death", records_of_death),
        (broker_liveness, "is_refuted", is_refuted),
    ]


def _decides_ahead() -> Patches:
    """A command is decided when it comes, whatever changes before it."""
    original = controller.Controller._add_command

    def add(self: Any, event: Any, kraft_version: int | None = None) -> None:
        changes = self._changes
        if self.has_work and changes.change is not None and event.request.NAME == "CreateTopicsRequest":
            situation = self._situations.situation(event, changes.undisturbed_image, self._watch.sessions)
            try:
                found = run_to_end(topics.create_topics(situation, event.request))
            except ApiError:
                original(self, event, kraft_version)
                return
            change = Change(name=event.request.NAME, decide=lambda: found, command=event)
            changes.waiting.add(change)
        else:
            original(self, event, kraft_version)

    return [(controller.Controller, "_add_command", add)]


def _goes_on_without_leadership() -> Patches:
    def drop(self: Any) -> list[Any]:
        return []

    return [(change_processor.ChangeProcessor, "_drop_changes", drop)]


def _stale_sessions() -> Patches:
    """Contacts of brokers while a change is worked on are forgotten at its end."""
    processor = change_processor.ChangeProcessor
    begin, end = processor._carry_out, processor._end_change

    def carry_out(self: Any, change: Any) -> Any:
        self.sessions_then = self._watch.sessions
        return begin(self, change)

    def end_change(self: Any) -> None:
        end(self)
        for broker_id, session in self.sessions_then.items():
            if broker_id in self._watch.sessions:
                self._watch.sessions = self._watch.sessions.set(broker_id, session)

    return [
        (processor, "_carry_out", carry_out),
        (processor, "_end_change", end_change),
    ]


def _counts_contacts_when_carried_out() -> Patches:
    original = broker_liveness.BrokerLiveness._decide_heartbeat

    def decide(self: Any, event: Any, request: Any) -> Any:
        now_ms = self._situations.now_ms
        if self._watch.is_valid(self._moving[request.broker_id], now_ms):
            self._watch.heard(request.broker_id, request.broker_epoch, now_ms)
            self._moving = self._moving.set(request.broker_id, self._contact(request))
        return original(self, event, request)

    return [(broker_liveness.BrokerLiveness, "_decide_heartbeat", decide)]


def _has_fencing_wait_behind_commands() -> Patches:
    def change(**fields: Any) -> Change:
        return Change(**{**fields, "is_urgent": False})

    return [(module, "Change", change) for module in (broker_liveness, controller)]


def _bare_batches() -> Patches:
    def fitted(records: Any, encoded: Any) -> Any:
        return records, encoded, (yield from batch_ends(encoded))

    return [(appending, "fitted", fitted)]


def _assigns_nothing() -> Patches:
    return [(assign_directories, "_assign", lambda *_: ErrorCode.NONE)]


def _asks_the_quorum_amid_records() -> Patches:
    original = change_processor.ChangeProcessor._ask_for_upgrade

    def ask(self: Any, event: Any, level: int, *, validate_only: bool) -> None:
        original(self, event, level, validate_only=validate_only)
        self._outbox.add(self._outbox._asked_of_quorum.pop())

    return [(change_processor.ChangeProcessor, "_ask_for_upgrade", ask)]


MUTATIONS = (
    cluster_mutation("answers before the commit", MetadataInvariant.ACKNOWLEDGED_STAYS, _answers_at_once),
    cluster_mutation(
        "loses configs where there is no controller", MetadataInvariant.ONE_IMAGE, _forgets_configs
    ),
    cluster_mutation(
        "leaves a fenced broker what it leads",
        MetadataInvariant.FENCED_LEADS_NOTHING,
        lambda: [(heartbeats, "changes_without", finds_nothing)],
    ),
    cluster_mutation(
        "leaves replicas in failed directories leading",
        MetadataInvariant.OFFLINE_DIRECTORY_LEADS_NOTHING,
        lambda: [(heartbeats, "changes_without_directories", finds_nothing)],
    ),
    cluster_mutation(
        "shrinks an ISR and keeps the leader",
        MetadataInvariant.LEADER_IN_ISR,
        lambda: [
            (module, "partition_change", _moves_no_leader(partitions.partition_change))
            for module in (partitions, broker_changes)
        ],
    ),
    cluster_mutation(
        "takes into an ISR who is no replica", MetadataInvariant.ISR_WITHIN_REPLICAS, _takes_outsiders
    ),
    cluster_mutation(
        "changes a leader in the same leader epoch",
        MetadataInvariant.LEADER_CHANGE_RAISES_EPOCH,
        _merges(leader_epoch=lambda old: old.leader_epoch),
    ),
    cluster_mutation(
        "lets a partition epoch go back",
        MetadataInvariant.PARTITION_EPOCHS_RISE,
        _merges(partition_epoch=lambda old: old.partition_epoch - 1),
    ),
    cluster_mutation(
        "gives a broker that comes back an old epoch", MetadataInvariant.BROKER_EPOCHS_RISE, _old_epochs
    ),
    cluster_mutation(
        "assigns a replica to another broker's directory", MetadataInvariant.DIRECTORY_KNOWN, _wrong_directory
    ),
    cluster_mutation(
        "assigns no replica to a directory", MetadataInvariant.DIRECTORIES_KNOWN_AT_LAST, _assigns_nothing
    ),
    cluster_mutation(
        "lets brokers serve with replicas not placed yet",
        MetadataInvariant.UNFENCED_ONCE_ASSIGNED,
        lambda: [(ReplicaDirectories, "are_known", True)],
    ),
    cluster_mutation(
        "lets a leader epoch go back",
        MetadataInvariant.PARTITION_EPOCHS_RISE,
        _merges(leader_epoch=lambda old: old.leader_epoch - 1),
    ),
    cluster_mutation(
        "shows the loss of a broker half done", MetadataInvariant.FENCED_LEADS_NOTHING, _bare_batches
    ),
    cluster_mutation(
        "believes proofs of other incarnations",
        MetadataInvariant.ANSWERING_NEVER_PROVEN_DEAD,
        _believes_every_proof,
    ),
    cluster_mutation(
        "waits for nobody who fell silent before it led",
        MetadataInvariant.FENCED_AT_LAST,
        lambda: [(broker_liveness, "sessions_at_activation", lambda *_: Map())],
    ),
    cluster_mutation("never unfences a broker", MetadataInvariant.UNFENCED_AT_LAST, _never_unfences),
    cluster_mutation("fails where it should refuse", MetadataInvariant.NO_FAILURE, _fails_to_place),
    cluster_mutation(
        "decides a command on the image before the change that it waits for",
        MetadataInvariant.NO_FAILURE,
        _decides_ahead,
    ),
    cluster_mutation(
        "goes on with a change once leadership is lost",
        MetadataInvariant.NO_FAILURE,
        _goes_on_without_leadership,
    ),
    cluster_mutation(
        "forgets who was heard of during a change",
        MetadataInvariant.HEARTBEATS_COUNT,
        _stale_sessions,
    ),
    cluster_mutation(
        "counts a heartbeat as contact when it is carried out",
        MetadataInvariant.CONTACTS_WERE_HEARD,
        _counts_contacts_when_carried_out,
    ),
    cluster_mutation(
        "has the fencing of silent brokers wait behind commands",
        MetadataInvariant.FENCING_GOES_FIRST,
        _has_fencing_wait_behind_commands,
    ),
    cluster_mutation(
        "has kraft.version raised amid records",
        MetadataInvariant.NO_FAILURE,
        _asks_the_quorum_amid_records,
    ),
)
