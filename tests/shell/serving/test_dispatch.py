"""From a request on a connection to the bytes of its answer."""

from __future__ import annotations

import gc
import struct
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import msgspec
import pytest

from kafkaproto.connection import IncomingRequest, ServerConnection, UnsupportedApiVersions
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.frame import NEED_DATA
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeConfigsRequest,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    EnvelopeRequest,
    EnvelopeResponse,
    FetchRequest,
    MetadataRequest,
    MetadataResponse,
    ProduceRequest,
)
from kafkaproto.support import joined
from kafkaproto_server.apis.bounds import BYTES_AN_ELEMENT
from kafkaproto_server.apis.cluster.envelope import encode_principal
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.table import served_versions
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.requests.context import NoResponse, Response
from kafkaproto_server.requests.data import Fetched, FetchResult
from kafkaproto_server.requests.fetch_requests import FetchValues
from kafkaproto_server.shell.net.connections import CloseConnection, ConnectionInfo, Outcome
from kafkaproto_server.shell.net.passes import PASS_S, Passes
from kafkaproto_server.shell.serving.decoding_room import MANY_ELEMENTS, MAX_DECODED_BYTES, DecodingRoom
from kafkaproto_server.shell.serving.dispatch import Dispatcher
from kafkaproto_server.shell.serving.slices import Slices
from kafkaproto_server.shell.storage.errors import DiskError, StorageError
from tests.apis.support.services import CLUSTER_ID, Calls, golden, services

IMAGE = golden().image

MessageT = TypeVar("MessageT", bound=Message)


def connection(
    kind: ListenerKind = ListenerKind.BROKER, *, host: str = "10.0.0.7", number: int = 1
) -> ConnectionInfo:
    name = "PLAINTEXT" if kind is ListenerKind.BROKER else "CONTROLLER"
    return ConnectionInfo(
        connection_id=number, listener_name=name, listener_kind=kind, peer_host=host, peer_port=4321
    )


def received(
    frame: bytes, kind: ListenerKind = ListenerKind.BROKER
) -> IncomingRequest | UnsupportedApiVersions:
    """A request as the network room hands it over."""
    server = ServerConnection(lambda key: served_versions(kind, key), max_request_size=1 << 20)
    server.receive(struct.pack(">i", len(frame)) + frame)
    event = server.next_event()
    assert event is not NEED_DATA
    return event


def request(
    message: Message, version: int, kind: ListenerKind = ListenerKind.BROKER
) -> IncomingRequest | UnsupportedApiVersions:
    header = struct.pack(">hhih", message.API_KEY, version, 7, 2) + b"me" + b"\0"
    return received(header + message.encode(version), kind)


def served(
    dispatcher: Dispatcher, event: IncomingRequest | UnsupportedApiVersions, asking: ConnectionInfo
) -> list[Outcome]:
    """Has a request served; the list gets its outcome when that is there."""
    outcomes: list[Outcome] = []
    dispatcher.serve(event, asking, outcomes.append)
    return outcomes


def test_a_request_is_answered_in_its_version() -> None:
    dispatcher = Dispatcher(services(IMAGE))
    (outcome,) = served(dispatcher, request(DescribeClusterRequest(), 1), connection())
    assert isinstance(outcome, list)
    (body,) = outcome
    response, end = DescribeClusterResponse.decode(body, 1)
    assert (response.cluster_id, end) == (CLUSTER_ID, len(body))


def test_a_response_that_comes_later_is_passed_on_when_it_does() -> None:
    calls = Calls()
    dispatcher = Dispatcher(services(IMAGE, calls))
    outcomes = served(dispatcher, request(CreateTopicsRequest(), 7), connection())
    assert outcomes == []
    calls.replies[0].resolve(CreateTopicsResponse(throttle_time_ms=5))
    assert outcomes == [[CreateTopicsResponse(throttle_time_ms=5).encode(7)]]


@pytest.mark.parametrize(
    ("host", "address", "shown"),
    [
        ("10.0.0.7", bytes([10, 0, 0, 7]), "10.0.0.7"),
        ("::1", bytes(15) + b"\x01", "::1"),
        ("fe80::1%eth0", b"\xfe\x80" + bytes(13) + b"\x01", "fe80::1"),
        ("::ffff:127.0.0.1", b"\x7f\x00\x00\x01", "127.0.0.1"),
    ],
)
def test_a_handler_learns_who_asks_and_over_what(host: str, address: bytes, shown: str) -> None:
    calls = Calls()
    dispatcher = Dispatcher(services(IMAGE, calls))
    served(dispatcher, request(CreateTopicsRequest(), 7), connection(host=host))
    ((_, asked),) = calls.forwarded
    assert (asked.listener_kind, asked.listener_name) == (ListenerKind.BROKER, "PLAINTEXT")
    assert (asked.api_key, asked.api_version, asked.correlation_id, asked.client_id) == (19, 7, 7, "me")
    assert (asked.principal, asked.client_address, asked.client_host) == ("User:ANONYMOUS", address, shown)


def test_a_request_is_that_of_whom_the_connection_belongs_to() -> None:
    calls = Calls()
    dispatcher = Dispatcher(services(IMAGE, calls))
    proven = {"principal": "User:bob", "token_authenticated": True}
    served(dispatcher, request(CreateTopicsRequest(), 7), msgspec.structs.replace(connection(), **proven))
    ((_, asked),) = calls.forwarded
    assert (asked.principal, asked.token_authenticated) == ("User:bob", True)


def test_heartbeats_are_told_of_with_the_connection_they_came_over() -> None:
    told: list[tuple[int, int]] = []
    dispatcher = Dispatcher(
        services(IMAGE, quorum_response=DescribeQuorumResponse()),
        heartbeat=lambda beat, over: told.append((beat.broker_id, over.connection_id)),
    )
    kind = ListenerKind.CONTROLLER
    served(dispatcher, request(DescribeQuorumRequest(), 2, kind), connection(kind))
    served(dispatcher, request(BrokerHeartbeatRequest(broker_id=3), 1, kind), connection(kind))
    assert told == [(3, 1)]


def test_where_there_is_no_response_the_connection_is_closed_and_the_reason_told() -> None:
    reply: Deferred[Response] = Deferred()
    reply.resolve(NoResponse(reason="too many wait"))
    dispatcher = Dispatcher(services(IMAGE, forward=lambda request, context: reply))
    (outcome,) = served(dispatcher, request(CreateTopicsRequest(), 7), connection())
    assert isinstance(outcome, CloseConnection)
    assert outcome.reason == "too many wait"


def test_a_body_that_does_not_parse_is_the_peers_fault() -> None:
    event = received(struct.pack(">hhihB", 60, 1, 7, -1, 0) + b"\x01")
    with pytest.raises(RemoteProtocolError, match="DescribeClusterRequest"):
        served(Dispatcher(services(IMAGE)), event, connection())


@pytest.mark.parametrize("kind", ListenerKind)
@pytest.mark.parametrize("version", [6, 99, -1])
def test_an_unknown_version_of_api_versions_is_answered_as_by_stock(version: int, kind: ListenerKind) -> None:
    event = received(struct.pack(">hhih", 18, version, 7, -1), kind)
    outcomes = served(Dispatcher(services(IMAGE)), event, connection(kind))
    # A version 0 body: error 35, and of all keys only 18 with its versions.
    assert outcomes == [[bytes.fromhex("0023 00000001 0012 0000 0005")]]


class MistakeError(Exception):
    """Nobody foresaw it."""


def raising(error: Exception) -> Callable[..., Any]:
    def fails(*_: object) -> NoReturn:
        raise error

    return fails


def decoded(outcome: Outcome, response: type[MessageT], version: int) -> MessageT:
    assert isinstance(outcome, list)
    (body,) = outcome
    received, end = response.decode(body, version)
    assert end == len(body)
    return received


def test_a_handler_that_fails_costs_one_response(caplog: pytest.LogCaptureFixture) -> None:
    metrics = RequestMetrics()
    failing = services(IMAGE, describe=raising(MistakeError("no such thing")))
    dispatcher = Dispatcher(failing, metrics)
    kind = ListenerKind.CONTROLLER
    (outcome,) = served(dispatcher, request(DescribeQuorumRequest(), 2, kind), connection(kind))
    assert decoded(outcome, DescribeQuorumResponse, 2).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert metrics.of(55).errors == {ErrorCode.UNKNOWN_SERVER_ERROR: 1}
    (logged,) = caplog.records
    assert logged.levelname == "ERROR"
    assert "DescribeQuorumRequest v2 of client 'me', correlation id 7, failed: Mistake" in logged.message
    assert logged.exc_info is not None
    assert logged.exc_info[1].__traceback__ is not None  # type: ignore[union-attr]
    # Others are served.
    (outcome,) = served(dispatcher, request(DescribeClusterRequest(), 1), connection())
    assert decoded(outcome, DescribeClusterResponse, 1).cluster_id == CLUSTER_ID


def test_a_response_that_fails_later_costs_one_response(caplog: pytest.LogCaptureFixture) -> None:
    calls = Calls()
    topic = CreateTopicsRequest.CreatableTopic(name="t")
    outcomes = served(
        Dispatcher(services(IMAGE, calls)), request(CreateTopicsRequest(topics=[topic]), 7), connection()
    )
    calls.replies[0].fail(MistakeError("too late"))
    (outcome,) = outcomes
    (result,) = decoded(outcome, CreateTopicsResponse, 7).topics
    assert (result.name, result.error_code) == ("t", ErrorCode.UNKNOWN_SERVER_ERROR)
    assert "CreateTopicsRequest v7 of client 'me', correlation id 7, failed: Mistake" in caplog.text


def test_what_a_handler_makes_of_a_later_response_may_fail_without_harm_to_who_answers() -> None:
    """An envelope's inner answer that cannot be encoded, found out by whoever decides it: the quorum's task."""
    calls = Calls()
    inner = struct.pack(">hhih", 19, 7, 9, -1) + b"\0" + CreateTopicsRequest().encode(7)
    envelope = EnvelopeRequest(
        request_data=inner, request_principal=encode_principal("User:alice"), client_host_address=bytes(4)
    )
    kind = ListenerKind.CONTROLLER
    outcomes = served(Dispatcher(services(IMAGE, calls)), request(envelope, 0, kind), connection(kind))
    broken = CreateTopicsResponse.CreatableTopicResult(name="x" * 40_000)
    calls.replies[0].resolve(CreateTopicsResponse(topics=[broken]))
    (outcome,) = outcomes
    assert decoded(outcome, EnvelopeResponse, 0).error_code == ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_response_of_ours_that_cannot_be_sent_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    kind = ListenerKind.CONTROLLER
    broken = DescribeQuorumResponse(error_message="x" * 40_000)
    metrics = RequestMetrics()
    dispatcher = Dispatcher(services(IMAGE, quorum_response=broken), metrics)
    (outcome,) = served(dispatcher, request(DescribeQuorumRequest(), 2, kind), connection(kind))
    assert decoded(outcome, DescribeQuorumResponse, 2).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert "DescribeQuorumResponse.error_message" in caplog.text
    assert metrics.of(55).errors == {ErrorCode.UNKNOWN_SERVER_ERROR: 1}


@pytest.mark.parametrize("refuse", [None, raising(MistakeError("cannot even refuse"))])
def test_where_a_response_has_no_place_for_it_the_connection_is_closed(
    refuse: Callable[..., Any] | None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = RequestMetrics()
    if refuse is not None:
        monkeypatch.setattr("kafkaproto_server.shell.serving.dispatch.refuse_at_once", refuse)
    failing = services(IMAGE, forward=raising(MistakeError("no such thing")))
    # It asks for no topic, so that there is none to say an error for.
    (outcome,) = served(Dispatcher(failing, metrics), request(CreateTopicsRequest(), 7), connection())
    assert isinstance(outcome, CloseConnection)
    assert "CreateTopicsRequest v7 failed: Mistake" in outcome.reason
    assert metrics.of(19).errors == {ErrorCode.UNKNOWN_SERVER_ERROR: 1}
    assert ("no error response could be encoded" in caplog.text) is (refuse is not None)


def test_a_codec_that_fails_closes_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    event = request(DescribeClusterRequest(), 1)
    monkeypatch.setattr(DescribeClusterRequest, "decode", raising(MistakeError("no such thing")))
    (outcome,) = served(Dispatcher(services(IMAGE)), event, connection())
    assert isinstance(outcome, CloseConnection)
    assert "DescribeClusterRequest v1 failed: Mistake" in outcome.reason


@pytest.mark.parametrize(
    "error",
    [StorageError("/data: torn"), DiskError("write", "/data", OSError(5, "I/O error"))],
)
def test_files_that_are_not_as_they_must_be_are_no_matter_of_one_request(error: Exception) -> None:
    dispatcher = Dispatcher(services(IMAGE, describe=raising(error)))
    kind = ListenerKind.CONTROLLER
    with pytest.raises(type(error)):
        served(dispatcher, request(DescribeQuorumRequest(), 2, kind), connection(kind))


# --- what takes long ---


def many_topics(count: int) -> MetadataRequest:
    return MetadataRequest(topics=[MetadataRequest.Topic(name=str(number)) for number in range(count)])


def test_a_long_request_is_answered_after_some_turns() -> None:
    slices = Slices()
    dispatcher = Dispatcher(services(IMAGE), slices=slices)
    outcomes = served(dispatcher, request(many_topics(20_000), 9), connection())
    assert outcomes == []
    turns = 0
    while slices.waiting:
        slices.turn()
        turns += 1
    (outcome,) = outcomes
    assert isinstance(outcome, list)
    response, _ = MetadataResponse.decode(joined(outcome), 9)
    assert [topic.name for topic in response.topics] == [str(number) for number in range(20_000)]
    assert turns > 1


def test_a_large_request_is_let_go_after_its_response_though_its_connection_ends() -> None:
    slices = Slices()
    dispatcher = Dispatcher(services(IMAGE), slices=slices)
    outcomes = served(dispatcher, request(many_topics(50_000), 9), connection())
    while not outcomes:
        slices.turn()
    assert slices.waiting == 1
    dispatcher.connection_ended(connection())
    assert slices.waiting == 1
    while slices.waiting:
        slices.turn()
    assert len(outcomes) == 1


def test_the_work_for_a_connection_that_ended_is_given_up() -> None:
    slices = Slices()
    dispatcher = Dispatcher(services(IMAGE), slices=slices)
    outcomes = served(dispatcher, request(many_topics(20_000), 9), connection())
    assert slices.waiting == 1
    dispatcher.connection_ended(connection())
    # What was decoded may still have to be let go.
    while slices.waiting:
        slices.turn()
    assert outcomes == []


def test_a_large_request_that_is_half_decoded_when_its_connection_ends_is_let_go_in_turns() -> None:
    slices = Slices()
    dispatcher = Dispatcher(services(IMAGE), slices=slices)
    gc.collect()
    gc.disable()
    try:
        before = sys.getallocatedblocks()
        served(dispatcher, request(many_topics(90_000), 9), connection())
        while sys.getallocatedblocks() - before < 50_000:
            slices.turn()
        half = sys.getallocatedblocks()
        dispatcher.connection_ended(connection())
        assert half - sys.getallocatedblocks() < 25_000
        assert slices.waiting == 1
        while slices.waiting:
            slices.turn()
        assert half - sys.getallocatedblocks() > 40_000
    finally:
        gc.enable()


def test_a_long_request_that_does_not_parse_closes_its_connection() -> None:
    slices = Slices()
    metrics = RequestMetrics()
    event = request(many_topics(20_000), 9)
    assert isinstance(event, IncomingRequest)
    cut = msgspec.structs.replace(event, frame=event.frame[:-2])
    outcomes = served(Dispatcher(services(IMAGE), metrics, slices=slices), cut, connection())
    while slices.waiting:
        slices.turn()
    (outcome,) = outcomes
    assert isinstance(outcome, RemoteProtocolError)
    assert "MetadataRequest" in str(outcome)
    assert metrics.of(3).errors == {}


class OverPass:
    """Slices in a pass of the loop that is over until `renew`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.passes = Passes(lambda: self.now)
        self.renew()
        self.now += PASS_S
        self.slices = Slices(self.passes)

    def renew(self) -> None:
        self.passes.after_io_wait(0)


def test_when_the_pass_is_over_a_request_is_served_in_a_turn() -> None:
    over = OverPass()
    dispatcher = Dispatcher(services(IMAGE), slices=over.slices)
    outcomes = served(dispatcher, request(DescribeClusterRequest(), 1), connection())
    assert (outcomes, over.slices.waiting) == ([], 1)
    over.slices.turn()
    assert isinstance(outcomes[0], list)


def test_when_the_pass_is_over_a_body_that_does_not_parse_closes_its_connection_in_a_turn() -> None:
    over = OverPass()
    event = request(many_topics(3), 9)
    assert isinstance(event, IncomingRequest)
    cut = msgspec.structs.replace(event, frame=event.frame[:-2])
    outcomes = served(Dispatcher(services(IMAGE), slices=over.slices), cut, connection())
    over.slices.turn()
    (outcome,) = outcomes
    assert isinstance(outcome, RemoteProtocolError)


def test_when_the_pass_is_over_a_reply_that_is_decided_is_sent_in_a_turn() -> None:
    calls = Calls()
    over = OverPass()
    over.renew()
    dispatcher = Dispatcher(services(IMAGE, calls), slices=over.slices)
    outcomes = served(dispatcher, request(CreateTopicsRequest(), 7), connection())
    over.now += PASS_S
    calls.replies[0].resolve(CreateTopicsResponse())
    assert outcomes == []
    over.slices.turn()
    assert outcomes == [[CreateTopicsResponse().encode(7)]]


def test_what_keeps_the_cluster_together_goes_before_what_came_earlier() -> None:
    over = OverPass()
    calls = Calls()
    dispatcher = Dispatcher(services(IMAGE, calls), slices=over.slices)
    for number in range(200):
        served(dispatcher, request(many_topics(600), 9), connection(number=number))
    kind = ListenerKind.CONTROLLER
    served(dispatcher, request(BrokerHeartbeatRequest(broker_id=3), 1, kind), connection(kind, number=200))
    assert calls.submitted == []
    over.slices.turn()
    assert len(calls.submitted) == 1
    assert over.slices.waiting > 0


def test_a_large_request_waits_undecoded_until_there_is_room() -> None:
    slices = Slices()
    room = DecodingRoom(2 * MANY_ELEMENTS)
    dispatcher = Dispatcher(services(IMAGE), slices=slices, room=room)
    large = request(many_topics(2 * MANY_ELEMENTS), 9)
    outcomes = [served(dispatcher, large, connection(number=number)) for number in range(3)]
    assert (slices.waiting, room.waiting) == (1, 2)
    small = served(dispatcher, request(many_topics(3), 9), connection(number=3))
    assert len(small) == 1
    dispatcher.connection_ended(connection(number=1))
    assert room.waiting == 1
    while slices.waiting:
        slices.turn()
    assert [len(each) for each in outcomes] == [1, 0, 1]
    assert room.used_elements == 0


@pytest.mark.parametrize("end", ["dropped", "malformed", "decided"])
def test_the_room_is_left_whatever_becomes_of_a_large_request(end: str) -> None:
    calls = Calls()
    slices = Slices()
    room = DecodingRoom()
    dispatcher = Dispatcher(services(IMAGE, calls), slices=slices, room=room)
    kind = ListenerKind.CONTROLLER
    topic = CreateTopicsRequest.CreatableTopic(name="a", num_partitions=1, replication_factor=1)
    event = request(CreateTopicsRequest(topics=[topic] * 20_000), 7, kind)
    assert isinstance(event, IncomingRequest)
    if end == "malformed":
        event = msgspec.structs.replace(event, frame=event.frame[:-2])
    served(dispatcher, event, connection(kind))
    assert room.used_elements > 0
    if end == "dropped":
        dispatcher.connection_ended(connection(kind))
    while slices.waiting:
        slices.turn()
    if end == "decided":
        # As long as the controller has the request, it takes room, but none that others need to be decoded.
        assert room.used_elements == 0 < room.waiting_elements
        calls.replies[0].resolve(CreateTopicsResponse())
        while slices.waiting:
            slices.turn()
    assert room.used_elements == room.waiting_elements == 0


def test_a_request_that_waits_stays_where_it_is_if_too_many_do() -> None:
    calls = Calls()
    room = DecodingRoom(70_000)
    dispatcher = Dispatcher(services(IMAGE, calls), room=room)
    kind = ListenerKind.CONTROLLER
    topic = CreateTopicsRequest.CreatableTopic(name="a", num_partitions=1, replication_factor=1)
    event = request(CreateTopicsRequest(topics=[topic] * 3_000), 7, kind)
    assert isinstance(event, IncomingRequest)
    taken = len(event.frame) - event.body_offset
    assert 70_000 // 3 < taken < 70_000 // 2
    for number in range(3):
        served(dispatcher, event, connection(kind, number=number))
    assert (room.waiting_elements, room.used_elements) == (2 * taken, taken)
    for reply in calls.replies:
        reply.resolve(CreateTopicsResponse())
    assert (room.waiting_elements, room.used_elements) == (0, 0)


def large_fetch() -> FetchRequest:
    partitions = [FetchRequest.FetchPartition(partition=index) for index in range(MANY_ELEMENTS)]
    return FetchRequest(max_wait_ms=1, topics=[FetchRequest.FetchTopic(topic="t", partitions=partitions)])


class ParkedFetches:
    """A broker whose Fetch requests wait."""

    def __init__(self) -> None:
        self.done: list[Fetched] = []
        self.abandoned: list[int] = []

    def fetch(
        self, _values: FetchValues, _version: int, _may: object, done: Fetched, _: object
    ) -> Callable[[], None]:
        self.done.append(done)
        number = len(self.done)
        return lambda: self.abandoned.append(number)

    @property
    def services(self) -> Services:
        return services(IMAGE, fetch=self.fetch)


def test_a_fetch_that_waits_takes_no_room_of_requests() -> None:
    parked = ParkedFetches()
    slices = Slices()
    room = DecodingRoom()
    dispatcher = Dispatcher(parked.services, slices=slices, room=room)
    outcomes = served(dispatcher, request(large_fetch(), 12), connection())
    assert room.used_elements > 0
    while slices.waiting:
        slices.turn()
    assert (len(parked.done), room.used_elements, room.waiting_elements) == (1, 0, 0)
    parked.done[0](FetchResult(error_code=0, session_id=0, responses=()))
    assert len(outcomes) == 1
    # The connection waits for nothing now.
    dispatcher.connection_ended(connection())
    assert parked.abandoned == []


@pytest.mark.parametrize("is_large", [True, False])
def test_a_fetch_that_waits_is_given_up_with_its_connection(is_large: bool) -> None:
    parked = ParkedFetches()
    dispatcher = Dispatcher(parked.services)
    fetch = large_fetch() if is_large else FetchRequest(max_wait_ms=1)
    for number in (1, 2):
        served(dispatcher, request(fetch, 12), connection(number=number))
    dispatcher.connection_ended(connection(number=2))
    dispatcher.connection_ended(connection(number=2))
    assert parked.abandoned == [2]


def test_a_produce_of_many_bytes_takes_no_room() -> None:
    room = DecodingRoom()
    dispatcher = Dispatcher(services(IMAGE), room=room)
    room.enter(MAX_DECODED_BYTES // BYTES_AN_ELEMENT, lambda: None, "other", "192.0.2.9")
    data = ProduceRequest.PartitionProduceData(index=0, records=bytes(100_000))
    produce = ProduceRequest(
        acks=1, timeout_ms=1, topic_data=[ProduceRequest.TopicProduceData(name="none", partition_data=[data])]
    )
    assert len(served(dispatcher, request(produce, 9), connection())) == 1


def test_a_failing_disk_ends_the_node_in_a_later_turn_too() -> None:
    def broken() -> NoReturn:
        raise StorageError("gone")

    slices = Slices()
    topics = [DescribeConfigsRequest.DescribeConfigsResource(resource_type=8, resource_name="1")]
    asked = DescribeConfigsRequest(resources=topics * 3_000)
    dispatcher = Dispatcher(services(IMAGE, logger_levels=broken), slices=slices)

    def run() -> None:
        served(dispatcher, request(asked, 4), connection())
        while slices.waiting:
            slices.turn()

    with pytest.raises(StorageError, match="gone"):
        run()
