"""The one list of commands: which function carries out a request, and in what shape it is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kafkaproto.message import Message
from server.controller.alter_configs import (
    alter_configs,
    incrementally_alter_configs,
    refuse_changes,
    refuse_incremental_changes,
)
from server.controller.command import ApiError, Result, Situation
from server.controller.create_partitions import create_partitions, refuse_partitions
from server.controller.delete_topics import delete_topics, refuse_deletions
from server.controller.heartbeats import heartbeat, refuse_heartbeat
from server.controller.registration import (
    refuse_broker,
    refuse_controller,
    register_broker,
    register_controller,
)
from server.controller.topics import create_topics, refuse_topics
from server.controller.update_features import refuse_update, update_features


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """How one api is served."""

    run: Callable[[Situation, Any], Result]
    """Carries the request out; raises ApiError to refuse all of it."""
    refuse: Callable[[Any, ApiError], Message]
    """The response that says the same error for everything in the request."""


COMMANDS: Mapping[int, Command] = {
    19: Command(run=create_topics, refuse=refuse_topics),
    20: Command(run=delete_topics, refuse=refuse_deletions),
    33: Command(run=alter_configs, refuse=refuse_changes),
    37: Command(run=create_partitions, refuse=refuse_partitions),
    44: Command(run=incrementally_alter_configs, refuse=refuse_incremental_changes),
    57: Command(run=update_features, refuse=refuse_update),
    62: Command(run=register_broker, refuse=refuse_broker),
    63: Command(run=heartbeat, refuse=refuse_heartbeat),
    70: Command(run=register_controller, refuse=refuse_controller),
}
"""By api key."""
