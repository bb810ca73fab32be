"""Broken rules of brokers' requests with epochs that are over, and of what a broker has to have read."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterPartitionRequest
from kafkaproto_server.core.controller.brokers import alter_partition, heartbeats
from kafkaproto_server.core.controller.machine import table
from kafkaproto_server.core.controller.machine.table import COMMANDS
from kafkaproto_server.core.controller.values.command import ApiError
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.mutations.mutation import Mutation, Patches, cluster_mutation

_ALTER_PARTITION = 56


def _takes_old_partition_epochs() -> Patches:
    original = alter_partition._check_sender

    def check_sender(partition: Any, data: Any, sender: int) -> None:
        try:
            original(partition, data, sender)
        except ApiError as error:
            if error.code != ErrorCode.INVALID_UPDATE_VERSION:
                raise

    return [(alter_partition, "_check_sender", check_sender)]


def _does_what_it_refuses() -> Patches:
    """A change of an older partition epoch is refused, and made."""
    original = alter_partition._alter

    def alter(image: Any, changes: Any, topic: Any, data: Any, members: Any, sender: int) -> Any:
        try:
            return original(image, changes, topic, data, members, sender)
        except ApiError as error:
            if error.code == ErrorCode.INVALID_UPDATE_VERSION:
                present = changes.partition(topic, data.partition_index)
                newer = copy.copy(data)
                newer.partition_epoch = present.partition_epoch
                with suppress(ApiError):
                    original(image, changes, topic, newer, members, sender)
            raise

    return [(alter_partition, "_alter", alter)]


def _takes_former_processes() -> Patches:
    """An AlterPartition of any broker epoch counts as one of the present epoch."""
    command = COMMANDS[_ALTER_PARTITION]

    def run(situation: Any, request: Any) -> Any:
        broker = situation.image.brokers.get(request.broker_id)
        if broker is not None:
            request = AlterPartitionRequest(
                broker_id=request.broker_id, broker_epoch=broker.epoch, topics=request.topics
            )
        return command(situation, request)

    return [(table, "COMMANDS", {**COMMANDS, _ALTER_PARTITION: run})]


def _believes_all_are_caught_up() -> Patches:
    original = heartbeats._next_state

    def next_state(
        image: Any, sessions: Any, broker: Any, request: Any, session: Any, _is_caught_up: bool
    ) -> Any:
        return original(image, sessions, broker, request, session, True)

    return [(heartbeats, "_next_state", next_state)]


MUTATIONS: tuple[Mutation, ...] = (
    cluster_mutation(
        "takes an ISR of an older partition epoch",
        MetadataInvariant.OTHER_EPOCHS_CHANGE_NOTHING,
        _takes_old_partition_epochs,
    ),
    cluster_mutation(
        "refuses an ISR of an older partition epoch, and takes it",
        MetadataInvariant.OTHER_EPOCHS_CHANGE_NOTHING,
        _does_what_it_refuses,
    ),
    cluster_mutation(
        "takes an ISR of an earlier process of a leader",
        MetadataInvariant.OTHER_EPOCHS_CHANGE_NOTHING,
        _takes_former_processes,
    ),
    cluster_mutation(
        "unfences a broker before it has read its registration",
        MetadataInvariant.UNFENCED_ONCE_READ,
        _believes_all_are_caught_up,
    ),
)
