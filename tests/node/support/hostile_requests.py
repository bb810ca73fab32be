"""The largest requests that each api takes, and larger ones, and how long serving them holds the loop."""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kafkaproto.api import ApiInfo, api_by_key
from kafkaproto.connection import IncomingRequest
from kafkaproto.headers import encode_request_header
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateTopicsRequest,
    DescribeAclsRequest,
    DescribeTopicPartitionsRequest,
    EnvelopeRequest,
    MetadataRequest,
)
from kafkaproto.schema import FieldSchema, StructSchema, within
from kafkaproto_server.apis.cluster.envelope import encode_principal
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.table import APIS, TABLE, bounds_of, refuse, served_versions
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.core.controller.values.effects import Refuse, Respond
from kafkaproto_server.core.controller.values.events import CommandContext, CommandReceived, SnapshotLoaded
from kafkaproto_server.metadata.image.acl_index import NO_ACLS
from kafkaproto_server.metadata.security.authorizer import Authorizer, AuthorizerConfig, CurrentAuthorizer
from kafkaproto_server.requests.context import ANONYMOUS, RequestContext, Response
from kafkaproto_server.shell.net.connections import ConnectionInfo, Outcome
from kafkaproto_server.shell.process.collector_pauses import CollectorPauses
from kafkaproto_server.shell.serving.dispatch import Dispatcher
from kafkaproto_server.shell.serving.slices import Slices
from tests.apis.support.good_requests import PreparedCluster
from tests.apis.support.services import with_changes
from tests.core.controller.support.harness import Harness, refusal_of
from tests.metadata.security.support.acl_making import acl, acl_filter, by_id, index_of
from tests.node.support.large_images import LARGE_TOPIC, PARTITIONS, with_much_to_tell

ENVELOPE_KEY = 58
NAME_FIELDS = frozenset({"name", "topic", "topic_name", "resource_name", "topic_names"})
"""Fields that may hold the name of a topic."""
FEWER_ELEMENTS = 20_000
LONGEST_NAME = "n" * 32_767
READING: dict[int, dict[str, Message]] = {
    3: {
        "all": MetadataRequest(topics=None),
        "large topic": MetadataRequest(topics=[MetadataRequest.Topic(name=LARGE_TOPIC)]),
    },
    29: {"all": acl_filter(DescribeAclsRequest)},
    75: {
        "page": DescribeTopicPartitionsRequest(
            cursor=DescribeTopicPartitionsRequest.Cursor(
                topic_name=LARGE_TOPIC, partition_index=PARTITIONS // 2
            )
        ),
        "last page": DescribeTopicPartitionsRequest(
            cursor=DescribeTopicPartitionsRequest.Cursor(
                topic_name=LARGE_TOPIC, partition_index=PARTITIONS - 1
            )
        ),
    },
}
"""By api key, short requests for much of what there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One request as a hostile peer sends it."""

    label: str
    api: ApiInfo
    version: int
    data: bytes
    """Header and body."""
    body_offset: int
    is_beyond: bool
    """Whether it is beyond its api's bounds."""


@dataclass(slots=True)
class Served:
    """How serving a frame went."""

    turns_ms: list[float] = field(default_factory=list)
    """CPU time of each turn of requests: decoding, handlers, encoding."""
    core_turns_ms: list[float] = field(default_factory=list)
    """CPU time of each turn of the controller's core."""
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def longest_ms(self) -> float:
        """The longest turn."""
        return max([*self.turns_ms, *self.core_turns_ms])

    @property
    def all_ms(self) -> float:
        """All turns together."""
        return sum(self.turns_ms) + sum(self.core_turns_ms)


class CoreTurns:
    """The controller's core as the quorum's driver runs it: a command, or a slice of one, a turn."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._commands: deque[tuple[CommandReceived, Deferred[Response]]] = deque()
        self._next_id = 1_000_000
        self._asked: dict[int, Deferred[Any]] = {}
        self._image = harness.controller.committed_image
        harness.in_slices = True

    def submit(self, request: Message, context: RequestContext) -> Deferred[Response]:
        """Queue a command."""
        reply: Deferred[Response] = Deferred()
        self._next_id += 1
        asked = CommandContext(listener_name=context.listener_name, principal=context.principal)
        command = CommandReceived(
            command_id=self._next_id, request=request, version=context.api_version, context=asked
        )
        self._commands.append((command, reply))
        return reply

    @property
    def has_work(self) -> bool:
        """Whether `turn` has something to do."""
        return bool(self._commands or self._asked)

    def turn(self) -> None:
        """Take a command, or a slice of the change under way, or the commit of what was appended."""
        harness = self._harness
        harness.effects.clear()
        if self._commands:
            command, self._asked[self._next_id] = self._commands.popleft()
            harness.handle(command)
        elif harness.controller.has_work:
            harness.work()
        elif harness.upgrades:
            harness.answer_upgrade()
        else:
            harness.commit()
        for effect in harness.effects:
            if isinstance(effect, Respond):
                self._asked.pop(effect.command_id).resolve(effect.response)
            elif isinstance(effect, Refuse):
                self._asked.pop(effect.command_id).resolve(refuse(effect.request, refusal_of(effect)))

    def restore(self) -> None:
        """Let the cluster be as it was, whatever was done to it."""
        harness = self._harness
        self._commands.clear()
        self._asked.clear()
        harness.upgrades.clear()
        harness.deactivate(epoch=harness.log[-1].epoch)
        controller = harness.controller
        end = controller.next_committed_offset - 1
        image = self._image.at(end, harness.log[-1].epoch, self._image.timestamp_ms)
        harness.handle(SnapshotLoaded(image=image))
        harness.activate(harness.log[-1].epoch + 1)
        harness.finish()
        harness.commit()
        del harness.log[:-1]
        harness.images.clear()
        harness.effects.clear()


class LargeCluster:
    """A node that is broker and active controller, with many partitions, whose parts are real but for the network."""

    def __init__(self, topics: int = 4_000, partitions: int = 5, *, tells_much: bool = False) -> None:
        """``tells_much`` adds to what requests read, but not to what the controller's core changes."""
        cluster = PreparedCluster()
        harness = cluster.harness
        self.topic_names = [f"topic.{number}" for number in range(topics)]
        for start in range(0, topics, 1_000):
            creations = [
                CreateTopicsRequest.CreatableTopic(name=name, num_partitions=partitions, replication_factor=2)
                for name in self.topic_names[start : start + 1_000]
            ]
            harness.call(CreateTopicsRequest(topics=creations))
        self.core = CoreTurns(harness)
        # The image stands still, whatever is asked: frames do not depend on each other.
        committed = harness.controller.committed_image
        image = with_much_to_tell(committed) if tells_much else committed
        self.services = with_changes(
            cluster.services,
            image=lambda: image,
            submit=self.core.submit,
            forward=lambda request, context: Deferred(),
            authorizer=lambda: None,
        )

    def serve(
        self, frame: Frame, kind: ListenerKind, authorizer: Authorizer | None, *, collects: bool = True
    ) -> Served:
        """Serve one frame to the end, turn by turn; ``collects``: with the collector as a node has it."""
        services = with_changes(self.services, authorizer=lambda: authorizer)
        served = serve(frame, kind, services, self.core, collects=collects)
        if served.core_turns_ms:
            self.core.restore()
        return served


def serve(
    frame: Frame, kind: ListenerKind, services: Services, core: CoreTurns, *, collects: bool = True
) -> Served:
    """Serve one frame, with the collector as a node has it unless it is left alone.

    What there is stays frozen afterwards: to go through all of the cluster for each frame would take most of the time.
    """
    slices = Slices()
    dispatcher = Dispatcher(services, slices=slices)
    request = IncomingRequest(
        api_key=frame.api.key,
        api_version=frame.version,
        correlation_id=7,
        client_id="hostile",
        frame=frame.data,
        body_offset=frame.body_offset,
    )
    name = "PLAINTEXT" if kind is ListenerKind.BROKER else "CONTROLLER"
    connection = ConnectionInfo(
        connection_id=1, listener_name=name, listener_kind=kind, peer_host="127.0.0.2", peer_port=4321
    )
    served = Served()

    def timed(turn: Callable[[], None], turns_ms: list[float]) -> None:
        begun = time.thread_time()
        turn()
        turns_ms.append((time.thread_time() - begun) * 1000)

    def begin() -> None:
        try:
            dispatcher.serve(request, connection, served.outcomes.append)
        except Exception as error:
            served.outcomes.append(error)  # type: ignore[arg-type]

    pauses = CollectorPauses()
    if collects:
        gc.collect()
        gc.freeze()
        pauses.start()
    try:
        timed(begin, served.turns_ms)
        while slices.waiting or core.has_work:
            if core.has_work:
                timed(core.turn, served.core_turns_ms)
            if slices.waiting:
                timed(slices.turn, served.turns_ms)
    finally:
        if collects:
            pauses.stop()
    return served


def authorizers() -> dict[str, Authorizer | None]:
    """Ways to be allowed everything or nothing."""
    settings = AuthorizerConfig()
    entries = [
        acl(
            resource_name=f"{number:03}{'p' * (number % 200)}",
            pattern_type=4,
            principal=ANONYMOUS,
            operation=2,
        )
        for number in range(1_000)
    ]
    everything = AuthorizerConfig(allow_everyone_if_no_acl_found=True)
    return {
        "open": None,
        "denied": CurrentAuthorizer(settings).at(NO_ACLS),
        "1,000 ACLs": CurrentAuthorizer(everything).at(index_of(by_id(entries))),
    }


def rows() -> list[tuple[ListenerKind, int]]:
    """Every api of the table on every kind of listener."""
    return [(kind, key) for kind, table in TABLE.items() for key in sorted(table)]


def frames(
    kind: ListenerKind, api_key: int, names: list[str], most_elements: int | None = None
) -> Iterator[Frame]:
    """The hostile requests for an api at its lowest and highest version; ``most_elements`` makes them smaller.

    At the lowest version, in an envelope, and where a broker passes them on unread, they are smaller in any case: that
    saves time, and what is not done in steps shows all the same.
    """
    api = api_by_key(api_key)
    versions = served_versions(kind, api_key)
    assert api is not None
    assert versions is not None
    max_elements: int | None
    for version in sorted({*versions}):
        if version < versions[1] or api_key == ENVELOPE_KEY or TABLE[kind][api_key].passes_on_unread:
            max_elements = min(FEWER_ELEMENTS, most_elements or FEWER_ELEMENTS)
        else:
            max_elements = most_elements
        for label, message, is_beyond in messages(api, version, names, max_elements):
            header = encode_request_header(
                api_key=api_key, api_version=version, correlation_id=7, client_id="hostile"
            )
            data = header + message.encode(version)
            # What its bytes alone make too large is no different from any other frame that is.
            is_too_long = len(data) > bounds_of(api_key).max_bytes
            yield Frame(
                label=f"{api.name} v{version} {label}",
                api=api,
                version=version,
                data=data,
                body_offset=len(header),
                is_beyond=is_beyond or is_too_long,
            )


def messages(
    api: ApiInfo, version: int, names: list[str], max_elements: int | None
) -> Iterator[tuple[str, Message, bool]]:
    """Requests with a label, and whether they are beyond the bounds."""
    if api.key == ENVELOPE_KEY:
        for key in (key for key, api in APIS.items() if api.broker is not None and api.broker.is_forwarded):
            inner = api_by_key(key)
            assert inner is not None
            for label, message, is_beyond in messages(inner, inner.max_stable_version, names, max_elements):
                yield f"of {inner.name} {label}", _enveloped(message, inner), is_beyond
        return
    schema = api.request_class.schema()
    bounds = bounds_of(api.key)
    most = bounds.max_elements if max_elements is None else min(max_elements, bounds.max_elements)
    yield "empty", api.request_class(), False
    if version > 0 or api.key == 75:
        for what, asking in READING.get(api.key, {}).items():
            yield what, asking, False
    for path in _array_paths(schema.root, version):
        where = ".".join(each.attribute for each in path)
        kinds: list[tuple[str, list[str]]] = [("duplicates", [""])]
        if path[-1].attribute in NAME_FIELDS or _name_field(path[-1], version):
            kinds += [("topics", names), ("long names", [LONGEST_NAME])]
        if _has_text(path[-1], version):
            kinds.append(("of their own", [f"{number}" for number in range(most)]))
        for label, named in kinds:
            room = bounds.max_bytes - 1_000
            size = _size_of_one(api, version, path, named[-1])
            count = min(most - (len(path) - 1), max(1, room // max(1, size)))
            if label == "topics":
                count = min(count, len(named))
            yield f"{where}: {count} {label}", _filled(api, version, path, named, count), False
        if max_elements is None:
            message = _filled(api, version, path, [""], bounds.max_elements + 1)
            yield f"{where}: one too many", message, True


def _enveloped(message: Message, inner: ApiInfo) -> EnvelopeRequest:
    version = inner.max_stable_version
    header = encode_request_header(
        api_key=inner.key, api_version=version, correlation_id=7, client_id="client"
    )
    return EnvelopeRequest(
        request_data=header + message.encode(version),
        request_principal=encode_principal(ANONYMOUS),
        client_host_address=bytes([127, 0, 0, 2]),
    )


def _array_paths(schema: StructSchema, version: int) -> Iterator[tuple[FieldSchema, ...]]:
    for each in schema.fields:
        if each.array and within(version, each.versions):
            yield (each,)
            if each.struct is not None:
                for rest in _array_paths(each.struct, version):
                    yield (each, *rest)


def _name_field(array: FieldSchema, version: int) -> FieldSchema | None:
    if array.struct is None:
        return None
    found = [each for each in array.struct.fields if each.attribute in NAME_FIELDS and each.type == "string"]
    return next((each for each in found if within(version, each.versions)), None)


def _element(array: FieldSchema, version: int, name: str) -> Any:
    if array.struct is None:
        empty: dict[str, Any] = {"string": name, "uuid": bytes(16), "bytes": b"", "bool": False}
        return empty.get(array.type, 0)
    element = array.struct.python_class()
    named = _name_field(array, version)
    for each in array.struct.fields:
        if not within(version, each.versions):
            continue
        if named is each or (name.isdigit() and each.type == "string" and not each.array):
            setattr(element, each.attribute, name)
        elif each.type == "string" and not each.array and getattr(element, each.attribute) is None:
            setattr(element, each.attribute, "")
        if each.attribute == "resource_type":
            setattr(element, each.attribute, 2)
    return element


def _filled(
    api: ApiInfo, version: int, path: tuple[FieldSchema, ...], names: list[str], count: int
) -> Message:
    """A request with ``count`` elements in the array at the end of a path, and one in those on the way."""
    message: Message = api.request_class()
    inner: Any = message
    for each in path[:-1]:
        outer = _element(each, version, names[0])
        setattr(inner, each.attribute, [outer])
        inner = outer
    array = path[-1]
    if len(names) == 1:
        elements = [_element(array, version, names[0])] * count
    else:
        elements = [_element(array, version, names[number % len(names)]) for number in range(count)]
    setattr(inner, array.attribute, elements)
    return message


def _has_text(array: FieldSchema, version: int) -> bool:
    """Whether elements of an array can differ by what is written in them."""
    if array.struct is None:
        return array.type == "string"
    return any(
        each.type == "string" and not each.array and within(version, each.versions)
        for each in array.struct.fields
    )


def _size_of_one(api: ApiInfo, version: int, path: tuple[FieldSchema, ...], name: str) -> int:
    two, one = (len(_filled(api, version, path, [name], count).encode(version)) for count in (2, 1))
    return two - one
