"""Envelopes: what is inside is served as its client's own request, and what is wrong with them has stock's codes.

Bytes in hexadecimal are those of stock 4.3.1 nodes; the codes, and which of two faults counts, were seen there too.

Tests: `apis.raft.describe_quorum`, `requests.context`.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import ProtocolError
from kafkaproto.headers import encode_request_header
from kafkaproto.message import Message
from kafkaproto.messages import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    CreateDelegationTokenRequest,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    EnvelopeRequest,
    EnvelopeResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
    MetadataRequest,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from kafkaproto.support import joined
from kafkaproto_server.apis.cluster.envelope import (
    decode_principal,
    encode_principal,
    handle_envelope,
)
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.apis.table import APIS
from kafkaproto_server.base.error_texts import MAX_QUOTED_LENGTH
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.security.authorizer import Authorizer, LoadingAuthorizer
from kafkaproto_server.requests.context import (
    HandlerResult,
    InnerRequest,
    NoResponse,
    RefusedRequestError,
    Response,
)
from kafkaproto_server.requests.error_codes import error_codes
from tests.apis.support.services import Calls, context, responses_of, services, settled
from tests.messages.support.random_messages import random_message
from tests.metadata.security.support.acl_making import acl, authorizer

STOCK_REQUEST = bytes.fromhex(
    "17002e000000000065000566616374730000001388000014000005557365720a414e4f4e594d4f55530000057f00000100"
)
"""An envelope's body with a ListPartitionReassignments of ``User:ANONYMOUS`` at 127.0.0.1 inside."""

ANONYMOUS_PRINCIPAL = bytes.fromhex("000005557365720a414e4f4e594d4f55530000")
CREATE_TOPICS, LIST_REASSIGNMENTS, DESCRIBE_QUORUM = 19, 46, 55
FORWARDED = {key for key, api in APIS.items() if api.broker is not None and api.broker.is_forwarded}
CREATE = CreateTopicsRequest(
    topics=[CreateTopicsRequest.CreatableTopic(name="q", num_partitions=1, replication_factor=1)]
)
QUORUM = DescribeQuorumRequest(
    topics=[
        DescribeQuorumRequest.TopicData(
            topic_name="__cluster_metadata",
            partitions=[DescribeQuorumRequest.PartitionData(partition_index=0)],
        )
    ]
)


def wrapped(request: Message, version: int, **changes: Any) -> EnvelopeRequest:
    """An envelope with a request inside, whose parts may be replaced."""
    assert request.API_KEY is not None
    header = encode_request_header(
        api_key=request.API_KEY, api_version=version, correlation_id=101, client_id="facts"
    )
    fields = {
        "request_data": header + request.encode(version),
        "request_principal": ANONYMOUS_PRINCIPAL,
        "client_host_address": bytes([127, 0, 0, 1]),
        **changes,
    }
    return EnvelopeRequest(**fields)


def send(
    envelope: EnvelopeRequest, calls: Calls | None = None, **changes: Any
) -> Response | Deferred[Response]:
    """Dispatch an envelope that came on a controller listener, once through its bytes."""
    request, _ = EnvelopeRequest.decode(envelope.encode(0), 0)
    asked = context(
        request,
        kind=ListenerKind.CONTROLLER,
        listener_name="CONTROLLER",
        principal="User:broker",
        client_id="10",
    )
    response: Response | Deferred[Response] = settled(
        dispatch(request, asked, services(calls=calls, **changes))
    )
    return response


def refused(envelope: EnvelopeRequest) -> ErrorCode:
    """The error of an envelope, which has no response inside."""
    response = send(envelope)
    assert isinstance(response, EnvelopeResponse)
    assert response.response_data is None
    return ErrorCode(response.error_code)


def decided(reply: Response | Deferred[Response]) -> list[Response]:
    """What a deferred reply has come to, if it has."""
    assert isinstance(reply, Deferred)
    return responses_of(reply)


# --- the principal ---


def test_a_principal_travels_as_kafkas_default_one() -> None:
    assert encode_principal("User:ANONYMOUS") == ANONYMOUS_PRINCIPAL
    assert decode_principal(ANONYMOUS_PRINCIPAL) == ("User:ANONYMOUS", False)


@pytest.mark.parametrize("principal", ["User:alice", "User:CN=a:b,O=c", "Group:größe", ":"])
def test_a_principal_survives_the_way(principal: str) -> None:
    assert decode_principal(encode_principal(principal)) == (principal, False)
    by_token = encode_principal(principal, token_authenticated=True)
    assert decode_principal(by_token) == (principal, True)


@pytest.mark.parametrize(
    "data", ["", "00", "0000", "0001" + ANONYMOUS_PRINCIPAL[2:].hex(), "ffff", "0000056162"]
)
def test_bytes_that_are_no_principal_are_refused(data: str) -> None:
    with pytest.raises(ProtocolError):
        decode_principal(bytes.fromhex(data))
    envelope = wrapped(CREATE, 7, request_principal=bytes.fromhex(data))
    assert refused(envelope) is ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE


# --- what is refused ---


def test_stocks_own_envelope_is_read_and_answered() -> None:
    envelope, end = EnvelopeRequest.decode(STOCK_REQUEST, 0)
    assert end == len(STOCK_REQUEST)
    assert joined(envelope.request_principal or b"") == ANONYMOUS_PRINCIPAL
    response = send(envelope)
    assert isinstance(response, EnvelopeResponse)
    # The correlation id, no tags; no throttling, no error, no message, no topics, no tags.
    assert joined(response.response_data or b"")[-10:] == bytes.fromhex(
        "00" + "00000000" + "0000" + "00" + "01" + "00"
    )


def test_an_envelope_without_a_principal_is_refused() -> None:
    envelope = wrapped(CREATE, 7, request_principal=None)
    assert refused(envelope) is ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE


@pytest.mark.parametrize("size", [0, 3, 5, 15, 17])
def test_an_address_of_another_length_than_ips_have_is_refused(size: int) -> None:
    assert refused(wrapped(CREATE, 7, client_host_address=bytes(size))) is ErrorCode.INVALID_REQUEST


GOOD = joined(wrapped(QUORUM, 2).request_data)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", ErrorCode.UNSUPPORTED_VERSION),
        (GOOD[:3], ErrorCode.UNSUPPORTED_VERSION),
        (b"\x03\xe7" + GOOD[2:], ErrorCode.UNSUPPORTED_VERSION),
        (b"\xff\xff" + GOOD[2:], ErrorCode.UNSUPPORTED_VERSION),
        (b"\x00\x04\x00\x00" + GOOD[4:], ErrorCode.UNSUPPORTED_VERSION),
        (GOOD[:2] + b"\x00\x63" + GOOD[4:], ErrorCode.UNSUPPORTED_VERSION),
        (GOOD[:2] + b"\xff\xff" + GOOD[4:], ErrorCode.UNSUPPORTED_VERSION),
        (GOOD[:-3], ErrorCode.UNSUPPORTED_VERSION),
        (joined(wrapped(MetadataRequest(topics=None), 12).request_data), ErrorCode.INVALID_REQUEST),
        (b"\x00\x03\x00\x63" + GOOD[4:], ErrorCode.INVALID_REQUEST),
        (b"\x00\x12" + GOOD[2:], ErrorCode.INVALID_REQUEST),
        (b"\x00\x3a\x00\x00" + GOOD[4:], ErrorCode.INVALID_REQUEST),
        (b"\x00\x3f" + GOOD[2:], ErrorCode.INVALID_REQUEST),
    ],
    ids=[
        "nothing",
        "part of a header",
        "unknown key",
        "negative key",
        "retired key",
        "version too high",
        "negative version",
        "truncated body",
        "Metadata",
        "an unknown version of Metadata",
        "ApiVersions",
        "an envelope",
        "a heartbeat",
    ],
)
def test_a_request_that_cannot_be_served_from_an_envelope_is_refused(data: bytes, code: ErrorCode) -> None:
    assert refused(wrapped(QUORUM, 2, request_data=data)) is code


def test_a_refusal_in_the_log_has_no_more_than_the_beginning_of_the_clients_id(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(*_: object) -> HandlerResult:
        raise RefusedRequestError("not today", where="CreateTopicsRequest")

    header = encode_request_header(api_key=19, api_version=7, correlation_id=1, client_id="x" * 30_000)
    envelope = wrapped(CREATE, 7, request_data=header + CREATE.encode(7))
    asked = context(envelope, kind=ListenerKind.CONTROLLER, listener_name="CONTROLLER")
    inner = handle_envelope(envelope, asked, services())
    assert isinstance(inner, InnerRequest)
    assert inner.serve_by(refuse) == EnvelopeResponse(error_code=ErrorCode.INVALID_REQUEST)
    (line,) = caplog.messages
    assert "not today" in line
    assert len(line) < 2 * MAX_QUOTED_LENGTH


def test_of_two_faults_the_principal_counts_before_the_address_and_that_before_the_request() -> None:
    faults: dict[str, Any] = {"request_principal": None, "client_host_address": b"123", "request_data": b""}
    assert refused(wrapped(QUORUM, 2, **faults)) is ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE
    del faults["request_principal"]
    assert refused(wrapped(QUORUM, 2, **faults)) is ErrorCode.INVALID_REQUEST
    del faults["client_host_address"]
    assert refused(wrapped(QUORUM, 2, **faults)) is ErrorCode.UNSUPPORTED_VERSION


# --- what is served ---


@pytest.mark.parametrize(
    ("address", "host"), [(bytes([10, 1, 2, 3]), "10.1.2.3"), (bytes(15) + b"\x01", "::1")]
)
def test_the_request_inside_is_served_under_its_clients_name(address: bytes, host: str) -> None:
    calls = Calls()
    data = joined(wrapped(CREATE, 5).request_data) + b"trailing bytes"
    send(
        wrapped(
            CREATE,
            5,
            request_data=data,
            request_principal=encode_principal("User:bob"),
            client_host_address=address,
        ),
        calls,
    )
    ((request, asked),) = calls.submitted
    assert request == CREATE
    assert (asked.listener_kind, asked.listener_name) == (ListenerKind.CONTROLLER, "CONTROLLER")
    assert (asked.api_key, asked.api_version) == (CREATE_TOPICS, 5)
    assert (asked.correlation_id, asked.client_id) == (101, "facts")
    assert (asked.principal, asked.client_address, asked.client_host) == ("User:bob", address, host)


def test_the_response_inside_has_the_bytes_that_its_client_would_get_from_stock() -> None:
    calls = Calls()
    found = decided(send(wrapped(CREATE, 7), calls))
    assert found == []
    result = CreateTopicsResponse.CreatableTopicResult(
        name="q", error_code=ErrorCode.REQUEST_TIMED_OUT, error_message=None, configs=[]
    )
    calls.replies[0].resolve(CreateTopicsResponse(topics=[result]))
    (response,) = found
    assert isinstance(response, EnvelopeResponse)
    assert joined(response.response_data or b"") == bytes.fromhex(
        "0000006500 00000000 02 0271 00000000000000000000000000000000 0007 00 ffffffff ffff 01 00 00"
    )
    assert response.error_code == 0
    # All of a stock controller's answer, with the body of another inner response.
    small = EnvelopeResponse(response_data=[bytes.fromhex("0000006500000000000000000100")])
    assert small.encode(0) == bytes.fromhex("0f 0000006500000000000000000100 0000 00")


def test_a_request_that_is_answered_at_once_needs_no_waiting() -> None:
    response = send(wrapped(QUORUM, 0), quorum_response=DescribeQuorumResponse())
    assert isinstance(response, EnvelopeResponse)
    assert joined(response.response_data or b"") == bytes.fromhex("00000065 00 0000 01 00")


def quorum_error(code: ErrorCode) -> DescribeQuorumResponse:
    partition = DescribeQuorumResponse.PartitionData(partition_index=0, error_code=code)
    return DescribeQuorumResponse(
        topics=[DescribeQuorumResponse.TopicData(topic_name="__cluster_metadata", partitions=[partition])]
    )


def test_a_node_that_does_not_lead_says_so_on_the_envelope() -> None:
    response = send(wrapped(QUORUM, 2), quorum_response=quorum_error(ErrorCode.NOT_LEADER_OR_FOLLOWER))
    assert response == EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER)
    calls = Calls()
    reply = send(wrapped(CREATE, 7), calls)
    result = CreateTopicsResponse.CreatableTopicResult(name="q", error_code=ErrorCode.NOT_CONTROLLER)
    calls.replies[0].resolve(CreateTopicsResponse(topics=[result]))
    assert decided(reply) == [EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER)]


@pytest.mark.parametrize(
    ("request_message", "response"),
    [
        (
            IncrementalAlterConfigsRequest(),
            IncrementalAlterConfigsResponse(
                responses=[IncrementalAlterConfigsResponse.AlterConfigsResourceResponse(error_code=41)]
            ),
        ),
        (UpdateFeaturesRequest(), UpdateFeaturesResponse(error_code=41)),
    ],
)
def test_whichever_place_says_that_another_controller_is_active_the_envelope_says_it(
    request_message: Message, response: Message
) -> None:
    calls = Calls()
    reply = send(wrapped(request_message, 1), calls)
    calls.replies[0].resolve(response)
    assert decided(reply) == [EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER)]


@pytest.mark.parametrize("request_message", [AddRaftVoterRequest(), RemoveRaftVoterRequest()])
def test_a_change_of_voters_that_meets_no_leader_is_the_clients_business(request_message: Message) -> None:
    calls = Calls()
    reply = send(wrapped(request_message, 0), calls)
    (asked,) = calls.asked_of_quorum
    assert asked[0] == request_message
    response_class = AddRaftVoterResponse if request_message.API_KEY == 80 else RemoveRaftVoterResponse
    calls.replies[0].resolve(response_class(error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER))
    (response,) = decided(reply)
    assert isinstance(response, EnvelopeResponse)
    assert response.error_code == 0
    decoded, _ = response_class.decode(joined(response.response_data or b""), 0, 5)
    assert decoded.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize("code", [ErrorCode.NOT_CONTROLLER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION])
def test_other_errors_are_the_clients_business(code: ErrorCode) -> None:
    response = send(wrapped(QUORUM, 2), quorum_response=quorum_error(code))
    assert isinstance(response, EnvelopeResponse)
    assert response.error_code == 0
    decoded, _ = DescribeQuorumResponse.decode(joined(response.response_data or b""), 2, 5)
    assert decoded.topics[0].partitions[0].error_code == code


def test_where_the_client_gets_no_response_the_broker_gets_none() -> None:
    calls = Calls()
    reply = send(wrapped(CREATE, 7), calls)
    calls.replies[0].resolve(NoResponse(reason="too many wait"))
    assert decided(reply) == [NoResponse(reason="too many wait")]


def test_a_response_of_ours_that_cannot_be_sent_costs_only_this_client_its_response(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = DescribeQuorumResponse(error_message="x" * 40_000)
    response = send(wrapped(QUORUM, 2), quorum_response=broken)
    assert response == EnvelopeResponse(error_code=ErrorCode.UNKNOWN_SERVER_ERROR)
    assert "DescribeQuorumResponse.error_message" in caplog.text


@pytest.mark.parametrize(
    "api_key",
    sorted(FORWARDED - {LIST_REASSIGNMENTS}),
)
def test_every_forwarded_request_of_every_version_comes_out_as_it_went_in(api_key: int) -> None:
    api = api_by_key(api_key)
    assert api is not None
    rng = random.Random(api_key)
    for version in range(api.min_version, api.max_version + 1):
        for _ in range(10):
            request = random_message(api.request_class, version, rng)
            calls = Calls()
            # One whose principal is proven, to nodes with an authorizer that has nothing against anybody.
            envelope = wrapped(request, version, request_principal=encode_principal("User:alice"))
            nothing_against = authorizer(allow_everyone_if_no_acl_found=True)
            send(
                envelope,
                calls,
                quorum_response=DescribeQuorumResponse(),
                authorizer=lambda found=nothing_against: found,
            )
            asked_of = (*calls.submitted, *calls.described_quorum, *calls.asked_of_quorum)
            seen = [asked for asked, _ in asked_of]
            assert seen == [api.request_class.decode(request.encode(version), version)[0]]


# --- who may ---


def guard(principal: str, operation: Operation) -> Authorizer:
    """Lets one principal do one thing to the cluster."""
    entry = acl(
        resource_type=ResourceType.CLUSTER,
        resource_name="kafka-cluster",
        principal=principal,
        operation=operation,
    )
    return authorizer(entry)


def test_an_envelope_of_who_is_no_node_is_refused() -> None:
    calls = Calls()
    by_client = guard("User:ANONYMOUS", Operation.ALL)
    response = send(wrapped(CREATE, 7), calls, authorizer=lambda: by_client)
    assert response == EnvelopeResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    assert calls.submitted == []


@pytest.mark.parametrize("size", [1, 10_000])
def test_before_the_acls_are_known_no_envelope_is_opened_for_anybody(size: int) -> None:
    """The other voters' hosts may send what voters need, and super users everything: neither needs an envelope."""
    calls = Calls()
    request = CreateTopicsRequest(topics=[CreateTopicsRequest.CreatableTopic(name="t")] * size)
    for guard_ in (
        LoadingAuthorizer(frozenset({"User:root"}), frozenset({"10.0.0.7"})),
        LoadingAuthorizer(frozenset({"User:root", "User:broker"}), frozenset()),
    ):
        envelope = wrapped(request, 7, request_principal=encode_principal("User:root"))
        response = send(envelope, calls, authorizer=lambda guard_=guard_: guard_)
        assert response == EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER)
    assert calls.submitted == []


def test_it_is_the_client_in_the_envelope_who_must_be_allowed_what_it_asks() -> None:
    calls = Calls()
    by_broker = guard("User:broker", Operation.ALL)
    received = send(wrapped(CREATE, 7), calls, authorizer=lambda: by_broker)
    assert isinstance(received, EnvelopeResponse)
    assert (received.error_code, calls.submitted) == (0, [])
    data = joined(received.response_data or b"")
    response, _ = CreateTopicsResponse.decode(data, 7, 5)
    assert [topic.error_code for topic in response.topics] == [ErrorCode.TOPIC_AUTHORIZATION_FAILED]


@pytest.mark.parametrize("by_token", [False, True])
def test_a_token_proves_who_its_client_is_but_gets_it_no_other_token(by_token: bool) -> None:
    calls = Calls()
    principal = encode_principal("User:alice", token_authenticated=by_token)
    response = send(wrapped(CreateDelegationTokenRequest(), 1, request_principal=principal), calls)
    assert len(calls.submitted) == (0 if by_token else 1)
    assert isinstance(response, EnvelopeResponse) is by_token


# --- errors at any depth ---


def test_an_error_is_found_on_top_and_in_lists_at_any_depth_and_nowhere_else() -> None:
    deep = quorum_error(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER in error_codes(deep)
    assert ErrorCode.NOT_CONTROLLER not in error_codes(deep)
    assert ErrorCode.NOT_CONTROLLER in error_codes(DescribeQuorumResponse(error_code=41))
    # The number alone is no error.
    partition = DescribeQuorumResponse.PartitionData(partition_index=41, leader_id=41)
    quiet = DescribeQuorumResponse(
        topics=[DescribeQuorumResponse.TopicData(topic_name="x", partitions=[partition])]
    )
    assert ErrorCode.NOT_CONTROLLER not in error_codes(quiet)
