"""The one list of what is served where: (kind of listener, api key) -> versions and handler.

What ApiVersions answers is computed from it, so that nothing is advertised that is not served. The versions of a key
are those of Kafka's release (`messages/SOURCE.md`): clients infer the release from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kafkaproto.api import api_by_key
from kafkaproto.message import Message
from server.apis.alter_configs import handle_alter_configs
from server.apis.cluster import handle_describe_cluster
from server.apis.commands import (
    handle_command,
    handle_describe_configs,
    handle_describe_quorum,
    handle_forward,
)
from server.apis.context import Reply, RequestContext, Services
from server.apis.envelope import handle_envelope
from server.apis.metadata import handle_metadata
from server.apis.quorum import handle_raft_request
from server.apis.topic_partitions import handle_describe_topic_partitions
from server.apis.versions import handle_api_versions
from server.types import ListenerKind

Handler = Callable[[Any, RequestContext, Services], Reply]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedApi:
    """One api on one kind of listener."""

    handler: Handler
    is_forwarded: bool = False
    """Whether a broker passes it on to the active controller, and so offers no more than that one does."""


def _api_versions(request: Any, context: RequestContext, services: Services) -> Reply:
    return handle_api_versions(request, context, services, advertised(context.listener_kind, services))


def _envelope(request: Any, context: RequestContext, services: Services) -> Reply:
    return handle_envelope(request, context, services, dispatch)


_FORWARDED = ServedApi(handler=handle_forward, is_forwarded=True)
_COMMAND = ServedApi(handler=handle_command)
_ALTER_CONFIGS = ServedApi(handler=handle_alter_configs, is_forwarded=True)
_RAFT = ServedApi(handler=handle_raft_request)

TABLE: dict[ListenerKind, dict[int, ServedApi]] = {
    ListenerKind.BROKER: {
        3: ServedApi(handler=handle_metadata),
        18: ServedApi(handler=_api_versions),
        19: _FORWARDED,
        20: _FORWARDED,
        32: ServedApi(handler=handle_describe_configs),
        33: _ALTER_CONFIGS,
        37: _FORWARDED,
        44: _ALTER_CONFIGS,
        55: _FORWARDED,
        57: _FORWARDED,
        60: ServedApi(handler=handle_describe_cluster),
        75: ServedApi(handler=handle_describe_topic_partitions),
        80: _FORWARDED,
        81: _FORWARDED,
    },
    ListenerKind.CONTROLLER: {
        1: _RAFT,
        18: ServedApi(handler=_api_versions),
        19: _COMMAND,
        20: _COMMAND,
        32: ServedApi(handler=handle_describe_configs),
        33: _COMMAND,
        37: _COMMAND,
        44: _COMMAND,
        52: _RAFT,
        53: _RAFT,
        54: _RAFT,
        55: ServedApi(handler=handle_describe_quorum),
        57: _COMMAND,
        58: ServedApi(handler=_envelope),
        59: _RAFT,
        60: ServedApi(handler=handle_describe_cluster),
        62: _COMMAND,
        63: _COMMAND,
        70: _COMMAND,
        80: _RAFT,
        81: _RAFT,
        82: _RAFT,
    },
}


def served_versions(kind: ListenerKind, api_key: int) -> tuple[int, int] | None:
    """Lowest and highest version of a key on a kind of listener, None where it is not served there."""
    if api_key not in TABLE[kind]:
        return None
    api = api_by_key(api_key)
    assert api is not None, f"api key {api_key} is in the table but has no schema"
    return api.min_version, api.max_stable_version


def advertised(kind: ListenerKind, services: Services) -> Mapping[int, tuple[int, int]]:
    """What ApiVersions tells a client: of a forwarded api only the versions that the active controller has too."""
    controller = services.controller_versions() if kind is ListenerKind.BROKER else None
    result: dict[int, tuple[int, int]] = {}
    for api_key, served in TABLE[kind].items():
        versions = served_versions(kind, api_key)
        assert versions is not None
        lowest, highest = versions
        if served.is_forwarded and controller is not None:
            if api_key not in controller:
                continue
            lowest = max(lowest, controller[api_key][0])
            highest = min(highest, controller[api_key][1])
        if lowest <= highest:
            result[api_key] = (lowest, highest)
    return result


def dispatch(request: Message, context: RequestContext, services: Services) -> Reply:
    """Have the right handler answer a request whose key the listener serves."""
    return TABLE[context.listener_kind][context.api_key].handler(request, context, services)
