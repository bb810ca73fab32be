"""What the tests of the handlers share: a request's context, a node's services, images made of records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import structs

from kafkaproto.api import api_by_key
from kafkaproto.message import Message
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto.support import joined
from kafkaproto_server.apis.ports.controller import ControllerPort, QuorumPort
from kafkaproto_server.apis.ports.node import MetadataPort, NodePort
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.base.file_part import as_buffers
from kafkaproto_server.base.later import Deferred, Steps
from kafkaproto_server.base.types import LeaderAndEpoch, ListenerKind
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.replay import replay
from kafkaproto_server.requests.context import Encoded, HandlerResult, RequestContext, Response
from kafkaproto_server.requests.error_codes import error_codes

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
NODE_ID = 1
_TRANSACTION_MARKERS = frozenset({23, 24, 25})


def context(
    request: Message | None = None,
    version: int = 0,
    *,
    kind: ListenerKind = ListenerKind.BROKER,
    listener_name: str = "PLAINTEXT",
    **changes: Any,
) -> RequestContext:
    """The context of a request that came from 10.0.0.7."""
    fields: dict[str, Any] = {
        "listener_kind": kind,
        "listener_name": listener_name,
        "api_key": -1 if request is None else request.API_KEY,
        "api_version": version,
        "correlation_id": 101,
        "client_id": "a client",
        "principal": "User:alice",
        "client_address": bytes([10, 0, 0, 7]),
        "client_host": "10.0.0.7",
        **changes,
    }
    return RequestContext(**fields)


@dataclass(slots=True)
class Calls:
    """What handlers asked of the node."""

    submitted: list[tuple[Message, RequestContext]] = field(default_factory=list)
    forwarded: list[tuple[Message, RequestContext]] = field(default_factory=list)
    created: list[tuple[Message, RequestContext]] = field(default_factory=list)
    streams_topics: list[Message] = field(default_factory=list)
    """The internal topics of Kafka Streams applications that were to be created."""
    internal: list[str] = field(default_factory=list)
    """The internal topics that were to be created."""
    asked_of_quorum: list[tuple[Message, RequestContext]] = field(default_factory=list)
    described_quorum: list[tuple[Message, int]] = field(default_factory=list)
    replies: list[Deferred[Response]] = field(default_factory=list)
    """What `submit`, `forward` and `raft_request` gave, in order; decided by the test."""


def services(image: ClusterImage = EMPTY_IMAGE, calls: Calls | None = None, **changes: Any) -> Services:
    """A node whose image stands still, which chooses the first of several and leaves all replies open."""
    calls = Calls() if calls is None else calls

    def later(asked: list[tuple[Message, RequestContext]]) -> Callable[..., Deferred[Response]]:
        def ask(request: Message, context: RequestContext) -> Deferred[Response]:
            asked.append((request, context))
            calls.replies.append(Deferred())
            return calls.replies[-1]

        return ask

    def describe_quorum(request: Message, version: int) -> Message:
        calls.described_quorum.append((request, version))
        return changes["quorum_response"]  # type: ignore[no-any-return]

    def create_streams_topics(topics: Iterable[Message], *_: object) -> list[tuple[str, str]]:
        calls.streams_topics += topics
        return []

    fields: dict[str, Any] = {
        "id": NODE_ID,
        "cluster_id": CLUSTER_ID,
        "image": lambda: image,
        "leader": lambda: LeaderAndEpoch(leader_id=NODE_ID, epoch=1),
        "kraft_version": lambda: 1,
        "choose": lambda limit: 0,
        "submit": later(calls.submitted),
        "forward": later(calls.forwarded),
        "served_versions": lambda: None,
        "describe": describe_quorum,
        "answer": later(calls.asked_of_quorum),
        "authorizer": lambda: None,
        "static_config": {"node.id": str(NODE_ID)},
        "logger_levels": lambda: {"root": "INFO"},
        "set_logger_levels": lambda levels: None,
        "log_directories": tuple,
        "auto_create_topics": True,
        "num_partitions": 3,
        "default_replication_factor": 2,
        "create_topics": lambda request, context: calls.created.append((request, context)),
        "create_streams_topics": create_streams_topics,
        "create_internal_topic": calls.internal.append,
        **{name: value for name, value in changes.items() if name != "quorum_response"},
    }
    given = {name: value for name, value in fields.items() if name in OBJECTS}
    ports = {name: port(**_of_port(port, fields)) for name, port in PORTS.items()}
    return with_changes(Services(**ports, **given), **_of_objects(fields))


PORTS: dict[str, type[Any]] = {
    "node": NodePort,
    "metadata": MetadataPort,
    "controller": ControllerPort,
    "quorum": QuorumPort,
}
"""Ports that are records of functions, on every node."""
OBJECTS: dict[str, frozenset[str]] = {
    "groups": frozenset(
        {
            "serves_consumer_groups",
            "serves_share_groups",
            "serves_streams_groups",
            "describe_share_offsets",
        }
    ),
    "transactions": frozenset(),
    "share_state": frozenset(),
    "shares": frozenset({"serves_share_groups"}),
    "replicas": frozenset({"produce", "write_markers", "delete_records", "alter_directory", "find_offset"}),
    "fetches": frozenset({"fetch"}),
    "questions": frozenset({"end_of_epoch", "producers_of", "logs"}),
    "producer_ids": frozenset(),
}
"""Ports that are objects, and their methods that tests change by name. All else is changed as `Changed`."""


NAMES = frozenset(OBJECTS).union(
    *OBJECTS.values(),
    *(port.__struct_fields__ for port in PORTS.values()),
)


class Changed:
    """An object with some of its attributes in place of what it has."""

    def __init__(self, below: Any, **attributes: Any) -> None:
        self._below = below
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._below, name)


def _of_port(port: type[Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name in port.__struct_fields__}


def _of_objects(fields: Mapping[str, Any]) -> dict[str, Any]:
    names = frozenset().union(*OBJECTS.values())
    return {name: value for name, value in fields.items() if name in names}


def with_changes(known: Services, **changes: Any) -> Services:
    """The same services with some ports changed, or some fields and methods of them."""
    assert changes.keys() <= NAMES, f"no port has {sorted(changes.keys() - NAMES)}"
    ports = {
        name: structs.replace(getattr(known, name), **_of_port(port, changes)) for name, port in PORTS.items()
    }
    objects: dict[str, Any] = {}
    for name, methods in OBJECTS.items():
        port = changes.get(name, getattr(known, name))
        attributes = {each: value for each, value in changes.items() if each in methods}
        objects[name] = Changed(port, **attributes) if attributes else port
    return Services(**ports, **objects)


def driven(steps: Steps[Any]) -> Any:
    """What steps come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def settled(reply: HandlerResult) -> Any:
    """A reply after its first steps: an answer, or the Deferred for one."""
    while isinstance(reply, Generator):
        reply = driven(reply)
    return reply


def responses_of(reply: HandlerResult) -> list[Any]:
    """What a reply has come to, if it has; its steps are taken."""
    found: list[Any] = []
    take_response(reply, found.append)
    return found


def take_response(reply: HandlerResult, take: Callable[[Any], None]) -> None:
    """Call ``take`` with what a reply comes to, now or once it is decided."""
    if isinstance(reply, Deferred):
        reply.on_done(lambda decided: take_response(decided, take))
    elif isinstance(reply, Generator):
        take_response(driven(reply), take)
    else:
        take(reply)


def response_of(reply: HandlerResult, request: Message, version: int) -> Any:
    """The response that a reply has come to, decoded if it is encoded already."""
    (response,) = responses_of(reply)
    return decoded_response(response, request, version)


def decoded_response(received: Response, request: Message, version: int) -> Any:
    """An answer, decoded if it is an encoded response to a request."""
    if not isinstance(received, Encoded):
        return received
    assert request.API_KEY is not None
    api = api_by_key(request.API_KEY)
    assert api is not None
    data = joined(as_buffers(received.buffers))
    response, end = api.response_class.decode(data, version)
    assert end == len(data)
    assert received.errors == Counter(error_codes(response))
    return response


def ask(
    request: Message,
    version: int,
    image: ClusterImage,
    *,
    kind: ListenerKind = ListenerKind.BROKER,
    listener_name: str = "PLAINTEXT",
    calls: Calls | None = None,
    **changes: Any,
) -> Any:
    """The answer to a request, both once through the bytes of a version."""
    decoded, _ = type(request).decode(request.encode(version), version)
    asked = context(decoded, version, kind=kind, listener_name=listener_name)
    response = response_of(dispatch(decoded, asked, services(image, calls, **changes)), request, version)
    assert isinstance(response, Message)
    return type(response).decode(response.encode(version), version)[0]


def image_of(records: Iterable[Message], *, offset: int = 100) -> ClusterImage:
    """The image that these records make; it stands at ``offset``."""
    image = EMPTY_IMAGE
    for number, record in enumerate(records):
        image = replay(image, record, number)
    return image.at(offset, 1, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request to a stock node and its answer, both in Kafka's JSON form."""

    listener_name: str
    request: str
    """Api name, for example ``Metadata``."""
    version: int
    asked: dict[str, Any]
    answered: dict[str, Any]

    @property
    def kind(self) -> ListenerKind:
        """Kind of the listener that was asked."""
        return ListenerKind.CONTROLLER if self.listener_name == "CONTROLLER" else ListenerKind.BROKER


@dataclass(frozen=True, slots=True, kw_only=True)
class Golden:
    """``golden/cluster.json``: metadata that a stock node wrote, and what it answered by it."""

    image: ClusterImage
    exchanges: tuple[Exchange, ...]


@cache
def golden() -> Golden:
    """The recording; its first line says where it comes from."""
    content: Mapping[str, Any] = json.loads(
        (Path(__file__).parents[1] / "golden" / "cluster.json").read_text()
    )
    assert content["cluster id"] == CLUSTER_ID
    image = EMPTY_IMAGE
    for offset, value in content["records"]:
        record, _ = decode_metadata_record(bytes.fromhex(value))
        if record.API_KEY not in _TRANSACTION_MARKERS:
            image = replay(image, record, offset).at(offset, 1, 0)
    exchanges = tuple(
        Exchange(
            listener_name=entry["listener"],
            request=entry["request"],
            version=entry["version"],
            asked=entry["asked"],
            answered=entry["answered"],
        )
        for entry in content["exchanges"]
    )
    return Golden(image=image, exchanges=exchanges)
