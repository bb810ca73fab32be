"""Clients' requests on their way from a broker to the active controller and back (KIP-590)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.headers import decode_request_header, encode_response_header
from kafkaproto.message import Message
from kafkaproto.messages import (
    AddRaftVoterRequest,
    AlterPartitionReassignmentsResponse,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DescribeQuorumRequest,
    EnvelopeRequest,
    EnvelopeResponse,
    ListPartitionReassignmentsRequest,
    RemoveRaftVoterRequest,
)
from kafkaproto.support import joined
from kafkaproto_server.apis.serving import SHORT_BODY_BYTES
from kafkaproto_server.apis.table import refuse_at_once
from kafkaproto_server.base.file_part import as_buffers
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.requests.context import Encoded, NoResponse, Response, UnreadRequest
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.shell.to_controller.channel import ControllerChannel, ControllerUnavailable
from kafkaproto_server.shell.to_controller.forwarding import (
    FORWARD_TIMEOUT_MS,
    MAX_TOPICS_IN_CREATION,
    RESPONSE_MARGIN_MS,
    Forwarder,
    error_on_top,
)
from tests.apis.cluster.test_envelope import STOCK_REQUEST
from tests.apis.support.services import context, responses_of
from tests.node.support.controllers import SERVED, MiddleRng, ScriptedChannel, ScriptedController
from tests.node.support.waiting import wait_decided
from tests.shell.net.support.connections import listening

pytestmark = pytest.mark.trio


def creation(*names: str) -> CreateTopicsRequest:
    topics = [
        CreateTopicsRequest.CreatableTopic(name=name, num_partitions=-1, replication_factor=-1)
        for name in names
    ]
    return CreateTopicsRequest(topics=topics, timeout_ms=30_000)


def created(*names: str, error: int = 0) -> CreateTopicsResponse:
    results = [
        CreateTopicsResponse.CreatableTopicResult(name=name, error_code=error, configs=[]) for name in names
    ]
    return CreateTopicsResponse(topics=results)


def envelope_of(response: Message, version: int, correlation_id: int = 101) -> EnvelopeResponse:
    """As a controller wraps a response for topics."""
    header_version = 1 if version >= 5 else 0
    return EnvelopeResponse(
        response_data=[encode_response_header(correlation_id, header_version), response.encode(version)]
    )


def inner(envelope: Message) -> tuple[int, int, CreateTopicsRequest]:
    """Api key, version and content of the request for topics in an envelope."""
    assert isinstance(envelope, EnvelopeRequest)
    data = joined(envelope.request_data)
    header, offset = decode_request_header(data)
    request, end = CreateTopicsRequest.decode(data, header.api_version, offset)
    assert end == len(data)
    return header.api_key, header.api_version, request


class Script:
    """Answers envelopes with what is put in; waits while there is nothing."""

    def __init__(self) -> None:
        self.put, self._take = trio.open_memory_channel[Message | Exception](100)

    async def __call__(self, request: Message) -> Message:
        response = await self._take.receive()
        if isinstance(response, Exception):
            raise response
        return response


@asynccontextmanager
async def forwarding() -> AsyncIterator[tuple[Forwarder, ScriptedChannel, Script]]:
    async with forwarding_by_two() as (forwarder, channel, _, script):
        yield forwarder, channel, script


@asynccontextmanager
async def forwarding_by_two() -> AsyncIterator[tuple[Forwarder, ScriptedChannel, ScriptedChannel, Script]]:
    """The channel of clients' requests comes first, then that of topics that clients missed."""
    script = Script()
    channel, creation_channel = ScriptedChannel(script), ScriptedChannel(script)
    async with trio.open_nursery() as nursery:
        forwarder = Forwarder(nursery, channel, creation_channel=creation_channel)
        yield forwarder, channel, creation_channel, script
        nursery.cancel_scope.cancel()


async def answered(request: Message, version: int, response: Message | Exception) -> Response:
    """What a client gets whose envelope is answered like this."""
    async with forwarding() as (forwarder, _, script):
        script.put.send_nowait(response)
        return await wait_decided(forwarder.forward(request, context(request, version)))


async def test_a_request_is_wrapped_in_stocks_bytes() -> None:
    async with forwarding() as (forwarder, channel, _):
        asked = context(
            ListPartitionReassignmentsRequest(),
            0,
            correlation_id=0x65,
            client_id="facts",
            principal="User:ANONYMOUS",
            client_address=bytes([127, 0, 0, 1]),
        )
        forwarder.forward(ListPartitionReassignmentsRequest(topics=None, timeout_ms=5_000), asked)
        await wait_all_tasks_blocked()
        assert [envelope.encode(0) for envelope in channel.asked] == [STOCK_REQUEST]


@pytest.mark.parametrize(
    ("request_", "limit_ms"),
    [
        (CreateTopicsRequest(timeout_ms=5_000), 5_000 + RESPONSE_MARGIN_MS),
        (CreateTopicsRequest(timeout_ms=70_000), FORWARD_TIMEOUT_MS),
        (CreateTopicsRequest(timeout_ms=0), FORWARD_TIMEOUT_MS),
        (CreateTopicsRequest(timeout_ms=-1), FORWARD_TIMEOUT_MS),
        (DescribeQuorumRequest(), FORWARD_TIMEOUT_MS),
    ],
    ids=repr,
)
async def test_a_request_is_tried_for_as_long_as_its_client_gives_it(
    request_: Message, limit_ms: int
) -> None:
    async with forwarding() as (forwarder, channel, _):
        forwarder.forward(request_, context(request_, request_.MIN_VERSION))
        await wait_all_tasks_blocked()
        assert channel.timeouts_ms == [limit_ms]


@pytest.mark.parametrize("version", [5, 7])
async def test_the_response_inside_is_the_clients(version: int) -> None:
    response = created("a")
    received = await answered(creation("a"), version, envelope_of(response, version))
    assert isinstance(received, CreateTopicsResponse)
    assert received.encode(version) == response.encode(version)


async def test_a_version_that_the_controller_does_not_know_closes_the_clients_connection() -> None:
    response = await answered(creation("a"), 7, EnvelopeResponse(error_code=ErrorCode.UNSUPPORTED_VERSION))
    assert response == NoResponse(reason="the active controller does not know CreateTopicsRequest v7")


@pytest.mark.parametrize(
    "response",
    [
        EnvelopeResponse(error_code=ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE),
        EnvelopeResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
        EnvelopeResponse(),
        EnvelopeResponse(response_data=b""),
        EnvelopeResponse(response_data=b"\x00\x00\x00\x65\x00\xff\xff"),
    ],
    ids=["principal", "not allowed", "nothing inside", "no header inside", "no response inside"],
)
async def test_what_else_is_wrong_with_an_envelope_the_client_cannot_help(response: EnvelopeResponse) -> None:
    received = await answered(creation("a", "b"), 7, response)
    assert isinstance(received, CreateTopicsResponse)
    assert [(topic.name, topic.error_code) for topic in received.topics] == [
        ("a", ErrorCode.UNKNOWN_SERVER_ERROR),
        ("b", ErrorCode.UNKNOWN_SERVER_ERROR),
    ]


async def test_a_response_that_is_none_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    await answered(creation("a"), 7, EnvelopeResponse(response_data=b"\x00\x00\x00\x65\x00\xff\xff"))
    assert "response to CreateTopicsRequest is malformed: CreateTopicsResponse" in caplog.text


async def test_without_a_controller_the_request_times_out(caplog: pytest.LogCaptureFixture) -> None:
    response = await answered(creation("a"), 7, ControllerUnavailable("nobody is there"))
    assert isinstance(response, CreateTopicsResponse)
    assert [topic.error_code for topic in response.topics] == [ErrorCode.REQUEST_TIMED_OUT]
    assert "nobody is there" in caplog.text


async def test_a_failure_that_nobody_foresaw_costs_the_one_request_its_response() -> None:
    async with forwarding() as (forwarder, channel, script):
        failures: list[Exception] = []
        script.put.send_nowait(ZeroDivisionError("a mistake"))
        forwarder.forward(creation("a"), context(creation("a"), 7)).on_done(lambda _: None, failures.append)
        await wait_all_tasks_blocked()
        assert [type(each) for each in failures] == [ZeroDivisionError]
        # The nursery of all requests goes on.
        forwarder.forward(creation("b"), context(creation("b"), 7))
        await wait_all_tasks_blocked()
        assert len(channel.asked) == 2


async def test_a_client_id_that_does_not_fit_any_more_costs_its_client_the_connection() -> None:
    """Bytes that are not UTF-8 are replaced by a character of three bytes each when they are read."""
    async with forwarding() as (forwarder, channel, _):
        asked = context(creation("a"), 7, client_id="\ufffd" * 20_000)
        response = await wait_decided(forwarder.forward(creation("a"), asked))
        assert isinstance(response, NoResponse)
        assert "client_id" in response.reason
        assert channel.asked == []


@pytest.mark.parametrize(
    "request_",
    [
        creation("a"),
        DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(name="a")]),
        CreatePartitionsRequest(topics=[CreatePartitionsRequest.CreatePartitionsTopic(name="a", count=2)]),
        DescribeQuorumRequest(),
        AddRaftVoterRequest(),
        RemoveRaftVoterRequest(),
        ListPartitionReassignmentsRequest(),
    ],
    ids=lambda request: request.NAME,
)
async def test_every_forwarded_request_can_be_refused(request_: Message) -> None:
    refusal = Refusal(
        code=ErrorCode.REQUEST_TIMED_OUT,
        message=describe(ErrorCode.REQUEST_TIMED_OUT).message,
        version=type(request_).MAX_VERSION,
    )
    response = refuse_at_once(request_, refusal)
    assert response.API_KEY == request_.API_KEY
    if hasattr(response, "error_code"):
        assert response.error_code == ErrorCode.REQUEST_TIMED_OUT
    else:
        names: tuple[str, ...] = response.__slots__
        lists = [value for name in names if isinstance(value := getattr(response, name), list)]
        assert [[(each.name, each.error_code) for each in results] for results in lists] == [
            [("a", ErrorCode.REQUEST_TIMED_OUT)]
        ]


async def test_the_versions_of_the_controller_are_those_of_the_channel() -> None:
    async with forwarding() as (forwarder, channel, _):
        assert forwarder.controller_versions() is None
        channel.versions = SERVED
        assert forwarder.controller_versions() == SERVED


async def test_a_topic_that_is_being_created_is_not_asked_for_again(caplog: pytest.LogCaptureFixture) -> None:
    async with forwarding_by_two() as (forwarder, others, channel, script):

        async def create(*names: str) -> list[tuple[int, int, list[str]]]:
            """What is asked of the controller for a client that missed these topics."""
            before = len(channel.asked)
            request = creation(*names)
            forwarder.create_topics(request, context(version=12, api_key=3))
            await wait_all_tasks_blocked()
            envelopes = [inner(envelope) for envelope in channel.asked[before:]]
            return [(key, version, [topic.name for topic in each.topics]) for key, version, each in envelopes]

        # Of a version whose response leaves out configs, though the client's own request was a Metadata of version 12.
        assert await create("a", "b") == [(19, 4, ["a", "b"])]
        assert await create("b", "a") == []
        assert await create("c", "b") == [(19, 4, ["c"])]
        # Answered, with success or failure: a topic that is missed again is asked for again.
        script.put.send_nowait(envelope_of(created("a", "b"), 4))
        assert await create("c") == []
        assert await create("a") == [(19, 4, ["a"])]
        script.put.send_nowait(ControllerUnavailable("nobody is there"))
        assert await create("a") == []
        assert await create("c") == [(19, 4, ["c"])]
        # Also where we made a mistake, which is logged.
        script.put.send_nowait(ZeroDivisionError("a mistake"))
        assert await create("a") == []
        assert await create("a") == [(19, 4, ["a"])]
        assert "the automatic creation of topics failed: ZeroDivisionError" in caplog.text
        assert others.asked == []


async def test_of_the_topics_that_clients_miss_only_so_many_are_asked_for_at_a_time() -> None:
    async with forwarding_by_two() as (forwarder, others, channel, script):

        async def create(names: list[str]) -> list[str]:
            before = len(channel.asked)
            forwarder.create_topics(creation(*names), context(version=12, api_key=3))
            await wait_all_tasks_blocked()
            return [topic.name for envelope in channel.asked[before:] for topic in inner(envelope)[2].topics]

        many = [f"missed-{number}" for number in range(MAX_TOPICS_IN_CREATION + 1)]
        assert await create(many[:10]) == many[:10]
        # Whatever asks for more, each of them only once, gets no more in.
        assert await create(many) == many[10:-1]
        assert await create(["another"]) == []
        # The others' requests have a channel of their own, and wait for none of it.
        forwarder.forward(creation("a"), context(creation("a"), 7))
        await wait_all_tasks_blocked()
        assert len(others.asked) == 1
        script.put.send_nowait(envelope_of(created(*many[:10]), 4))
        await wait_all_tasks_blocked()
        assert await create(["another"]) == ["another"]


async def test_a_request_finds_its_way_through_an_envelope_that_says_not_controller() -> None:
    """The whole way, on a real connection."""
    responses = iter([EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER), envelope_of(created("a"), 7)])

    async def answer(request: Message) -> Message:
        await trio.lowlevel.checkpoint()
        return next(responses)

    controller = ScriptedController(answer)
    async with listening(controller, served_versions=SERVED.get) as (_, port):
        endpoint = Endpoint(name="CONTROLLER", host="127.0.0.1", port=port)
        channel = ControllerChannel(client_id="1", locate=lambda: endpoint, news=trio.Event, rng=MiddleRng())
        async with trio.open_nursery() as nursery:
            forwarder = Forwarder(nursery, channel, creation_channel=channel)
            reply: Deferred[Response] = forwarder.forward(creation("a"), context(creation("a"), 7))
            assert await wait_decided(reply) == created("a")
        channel.close()
    first, second = controller.asked
    assert first == second
    assert inner(first) == (19, 7, creation("a"))


# --- what goes on as it came ---


def unread(request: Message, version: int, *, is_short: bool) -> UnreadRequest:
    """A request as it came, with a header that no encoder of ours would write."""
    header = bytes.fromhex("0013 0007 00000065 0002 ff fe 00")
    message = request if is_short else None
    frame = header + request.encode(version)
    assert request.API_KEY is not None
    return UnreadRequest(api_key=request.API_KEY, frame=frame, body_offset=len(header), message=message)


async def passed_on(request: UnreadRequest, response: Message | Exception) -> Any:
    """What a client gets, decoded if it is encoded; steps are taken."""
    async with forwarding() as (forwarder, channel, script):
        script.put.send_nowait(response)
        asked = context(CreateTopicsRequest(), 7)
        reply = await wait_decided(forwarder.forward(request, asked))
        (envelope,) = channel.asked
        assert isinstance(envelope, EnvelopeRequest)
        assert joined(envelope.request_data) == request.frame
        (received,) = responses_of(reply)
        return received


@pytest.mark.parametrize("is_short", [True, False])
async def test_a_request_and_its_response_pass_with_the_bytes_they_have(is_short: bool) -> None:
    response = created("a", error=36)
    received = await passed_on(unread(creation("a"), 7, is_short=is_short), envelope_of(response, 7))
    assert isinstance(received, Encoded)
    assert joined(as_buffers(received.buffers)) == response.encode(7)
    assert received.errors == {36: 1}


async def test_a_long_response_is_not_decoded() -> None:
    body = b"\xff" * (SHORT_BODY_BYTES + 1)
    header = encode_response_header(101, 1)
    response = await passed_on(
        unread(creation("a"), 7, is_short=False), EnvelopeResponse(response_data=[header, body])
    )
    assert isinstance(response, Encoded)
    assert joined(as_buffers(response.buffers)) == body


async def test_the_error_on_top_of_a_long_response_is_counted() -> None:
    response = AlterPartitionReassignmentsResponse(error_code=41)
    api = api_by_key(45)
    assert api is not None
    for version in (0, 1):
        data = b"\0" * 5 + response.encode(version)
        assert error_on_top(data, 5, api, version) == {41: 1}
    creations = api_by_key(19)
    assert creations is not None
    assert error_on_top(created("a").encode(7), 0, creations, 7) == {}


@pytest.mark.parametrize("is_short", [True, False])
async def test_without_a_controller_all_that_a_request_asks_for_times_out(is_short: bool) -> None:
    names = [str(number) for number in range(100)]
    response = await passed_on(
        unread(creation(*names), 7, is_short=is_short), ControllerUnavailable("nobody is there")
    )
    assert isinstance(response, CreateTopicsResponse)
    assert [topic.name for topic in response.topics] == names
    assert {topic.error_code for topic in response.topics} == {ErrorCode.REQUEST_TIMED_OUT}


async def test_what_the_controller_refuses_to_read_costs_its_client_the_connection() -> None:
    refused = EnvelopeResponse(error_code=ErrorCode.INVALID_REQUEST)
    response = await passed_on(unread(creation("a"), 7, is_short=False), refused)
    assert response == NoResponse(reason="the active controller does not take this CreateTopicsRequest")
