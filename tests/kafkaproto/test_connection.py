"""Both ends of a connection: facing each other, in order, and against peers that break the protocol."""

from __future__ import annotations

import struct
import tomllib
from pathlib import Path

import pytest

import kafkaproto
from kafkaproto import api
from kafkaproto.connection import (
    SOFTWARE_NAME,
    SOFTWARE_VERSION,
    ClientConnection,
    IncomingRequest,
    IncomingResponse,
    Negotiated,
    ServerConnection,
    UnsupportedApiVersions,
)
from kafkaproto.errors import RemoteProtocolError, UnsupportedVersionError
from kafkaproto.frame import NEED_DATA
from kafkaproto.messages import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    DescribeClusterRequest,
    DescribeClusterResponse,
    InitProducerIdRequest,
    VoteRequest,
    VoteResponse,
)
from kafkaproto.primitives import Buffer
from tests.fuzz.support.golden_requests import GOLDEN_REQUESTS

SERVED = {18: (0, 4), 52: (0, 2), 60: (0, 1), 22: (0, 9)}


def framed(payload: bytes) -> bytes:
    return struct.pack(">i", len(payload)) + payload


def server(served: dict[int, tuple[int, int]] = SERVED) -> ServerConnection:
    return ServerConnection(served.get, max_request_size=10_000)


def received(connection: ServerConnection) -> IncomingRequest:
    event = connection.next_event()
    assert isinstance(event, IncomingRequest)
    return event


def served_response(served: dict[int, tuple[int, int]] = SERVED, error_code: int = 0) -> ApiVersionsResponse:
    return ApiVersionsResponse(
        error_code=error_code,
        api_keys=[
            ApiVersionsResponse.ApiVersion(api_key=key, min_version=low, max_version=high)
            for key, (low, high) in served.items()
        ],
    )


class Pair:
    """A client and a server that face each other; the server answers ApiVersions as it is told to."""

    def __init__(self, served: dict[int, tuple[int, int]] = SERVED) -> None:
        self.served = served
        self.server = server(served)
        self.client = ClientConnection(client_id="me")
        self.api_versions_seen: list[int] = []

    def to_server(self) -> None:
        for buffer in self.client.data_to_send():
            self.server.receive(buffer)

    def to_client(self, correlation_id: int, body: bytes) -> None:
        for buffer in self.server.send_response(correlation_id, [body]):
            self.client.receive(buffer)

    def negotiate(self) -> Negotiated:
        while True:
            self.to_server()
            request = self.server.next_event()
            assert request is not NEED_DATA
            self.api_versions_seen.append(request.api_version)
            if isinstance(request, UnsupportedApiVersions):
                refusal = served_response({18: self.served[18]}, error_code=35)
                self.to_client(request.correlation_id, refusal.encode(0))
            else:
                response = served_response(self.served).encode(request.api_version)
                self.to_client(request.correlation_id, response)
            event = self.client.next_event()
            if isinstance(event, Negotiated):
                return event
            assert event is NEED_DATA


# The server's end.


def test_a_request_comes_out_with_its_header_taken_apart_and_its_body_untouched() -> None:
    frame = GOLDEN_REQUESTS["Vote v2"]
    connection = server()
    connection.receive(framed(frame))
    request = received(connection)
    assert request.api_key == 52
    assert request.api_version == 2
    assert request.correlation_id == 0x4E
    assert request.client_id == "raft-client-3"
    assert request.frame == frame
    vote, end = VoteRequest.decode(request.frame, request.api_version, request.body_offset)
    assert end == len(frame)
    assert vote.voter_id == 2
    assert connection.next_event() is NEED_DATA


def test_requests_come_out_in_order_and_one_at_a_time_however_they_are_cut() -> None:
    stream = b"".join(framed(GOLDEN_REQUESTS[name]) for name in ("Vote v2", "ApiVersions v4"))
    connection = server()
    keys = []
    for position in range(len(stream)):
        connection.receive(stream[position : position + 1])
        while (event := connection.next_event()) is not NEED_DATA:
            assert isinstance(event, IncomingRequest)
            keys.append((position, event.api_key))
    assert keys == [(len(GOLDEN_REQUESTS["Vote v2"]) + 3, 52), (len(stream) - 1, 18)]


def test_a_response_is_framed_with_the_header_version_of_its_api() -> None:
    connection = server()
    connection.receive(framed(GOLDEN_REQUESTS["Vote v2"]) + framed(GOLDEN_REQUESTS["ApiVersions v4"]))
    vote, versions = received(connection), received(connection)
    body: Buffer = memoryview(b"body")
    buffers = connection.send_response(vote.correlation_id, [body, b"more"])
    assert b"".join(buffers) == bytes.fromhex("0000000d 0000004e 00") + b"bodymore"
    assert any(buffer is body for buffer in buffers)
    # ApiVersions answers carry no tagged fields in their header, whatever their version.
    response = connection.send_response(versions.correlation_id, [b"body"])
    assert b"".join(response) == bytes.fromhex("00000008 00000015") + b"body"


def test_responses_out_of_order_and_responses_to_nothing_are_our_own_mistake() -> None:
    connection = server()
    connection.receive(framed(GOLDEN_REQUESTS["Vote v2"]) + framed(GOLDEN_REQUESTS["ApiVersions v4"]))
    first, second = received(connection), received(connection)
    with pytest.raises(AssertionError, match="is to be answered before"):
        connection.send_response(second.correlation_id, [])
    other = server()
    other.receive(framed(GOLDEN_REQUESTS["Vote v2"]))
    with pytest.raises(AssertionError, match="no request to answer"):
        other.send_response(first.correlation_id, [])


def test_a_request_that_gets_no_response_lets_the_next_one_be_answered() -> None:
    connection = server()
    connection.receive(framed(GOLDEN_REQUESTS["Vote v2"]) + framed(GOLDEN_REQUESTS["ApiVersions v4"]))
    first, second = received(connection), received(connection)
    connection.skip_response(first.correlation_id)
    assert connection.send_response(second.correlation_id, [b"x"])


@pytest.mark.parametrize("version", [5, 99, -1, 32767, -32768])
def test_an_unsupported_api_versions_request_says_so_and_is_answered_in_version_0(version: int) -> None:
    connection = server()
    # What stands behind the client id is garbage: in a version that nobody knows it could be anything.
    connection.receive(framed(struct.pack(">hhih", 18, version, 7, 2) + b"me" + b"\xff" * 5))
    event = connection.next_event()
    assert event == UnsupportedApiVersions(api_version=version, correlation_id=7, client_id="me")
    refusal = served_response({18: (0, 4)}, error_code=35).encode(0)
    assert b"".join(connection.send_response(7, [refusal])) == bytes.fromhex(
        "00000010 00000007 0023 00000001 0012 0000 0004"
    )


def test_an_unsupported_api_versions_request_with_a_broken_client_id_is_refused() -> None:
    connection = server()
    connection.receive(framed(struct.pack(">hhih", 18, 99, 7, 200) + b"me"))
    with pytest.raises(RemoteProtocolError, match="client_id"):
        connection.next_event()


@pytest.mark.parametrize(
    ("api_key", "version", "complaint"),
    [
        (3, 12, "api key 3 is not served here"),
        (4, 0, "api key 4 is not served here"),
        (999, 0, "api key 999 is not served here"),
        (-1, 0, "api key -1 is not served here"),
        (60, 2, "DescribeCluster version 2 is not served here, versions 0 to 1 are"),
        (52, -1, "Vote version -1 is not served here, versions 0 to 2 are"),
    ],
)
def test_keys_and_versions_that_are_not_served_are_refused(
    api_key: int, version: int, complaint: str
) -> None:
    connection = server()
    connection.receive(framed(struct.pack(">hhih", api_key, version, 7, -1) + b"\0"))
    with pytest.raises(RemoteProtocolError, match=f"^{complaint}$"):
        connection.next_event()


@pytest.mark.parametrize("size", [0, -1, 10_001, 2**31 - 1])
def test_a_size_out_of_bounds_is_refused(size: int) -> None:
    connection = server()
    connection.receive(struct.pack(">i", size))
    with pytest.raises(RemoteProtocolError, match=str(size)):
        connection.next_event()


def test_a_request_above_the_limit_of_its_api_is_refused_once_four_bytes_of_it_are_there() -> None:
    asked: list[int] = []

    def limit(api_key: int) -> int:
        asked.append(api_key)
        return 50

    connection = ServerConnection(SERVED.get, max_request_size=10_000, frame_limit=limit)
    begin = struct.pack(">ihh", 51, 52, 2)
    connection.receive(begin[:7])
    assert connection.next_event() is NEED_DATA
    assert asked == []
    connection.receive(begin[7:])
    for _ in range(2):
        with pytest.raises(
            RemoteProtocolError, match=r"^Vote version 2: a request of 51 bytes .* allowed are 50$"
        ):
            connection.next_event()
    assert asked == [52] * 2


def test_the_limit_of_an_api_holds_for_requests_that_arrive_whole_and_lets_others_pass() -> None:
    largest = len(GOLDEN_REQUESTS["Vote v2"])
    connection = ServerConnection(
        SERVED.get, max_request_size=10_000, frame_limit=lambda key: largest if key == 52 else 1
    )
    connection.receive(framed(GOLDEN_REQUESTS["Vote v2"]))
    assert received(connection).api_key == 52
    connection.receive(framed(GOLDEN_REQUESTS["ApiVersions v4"]))
    with pytest.raises(RemoteProtocolError, match=r"^ApiVersions version 4: a request of .* allowed are 1$"):
        connection.next_event()


def test_the_limit_is_asked_once_for_a_request_that_arrives_in_pieces() -> None:
    asked: list[int] = []

    def limit(key: int) -> int:
        asked.append(key)
        return 1000

    connection = ServerConnection(SERVED.get, max_request_size=10_000, frame_limit=limit)
    for _ in range(2):
        for byte in framed(GOLDEN_REQUESTS["Vote v2"])[:-1]:
            connection.receive(bytes([byte]))
            assert connection.next_event() is NEED_DATA
        connection.receive(GOLDEN_REQUESTS["Vote v2"][-1:])
        assert received(connection).api_key == 52
    # Once when it began, once when it was whole.
    assert asked == [52] * 4


def test_a_request_that_is_not_served_is_refused_before_its_body_is_there() -> None:
    connection = server()
    connection.receive(struct.pack(">ihh", 9_999, 3, 12))
    with pytest.raises(RemoteProtocolError, match=r"^api key 3 is not served here$"):
        connection.next_event()


def test_a_server_can_tell_a_half_request_from_the_end_of_a_stream() -> None:
    connection = server()
    assert not connection.is_inside_request
    assert connection.missing_bytes == 4
    connection.receive(framed(GOLDEN_REQUESTS["Vote v2"])[:-1])
    assert connection.next_event() is NEED_DATA
    assert connection.missing_bytes == 1
    assert connection.is_inside_request
    assert connection.buffered_bytes == len(GOLDEN_REQUESTS["Vote v2"]) - 1


# The client's end, mostly facing the server's.


def test_a_client_introduces_itself_at_once_and_learns_what_is_served() -> None:
    pair = Pair()
    assert pair.client.served_versions is None
    (size_prefix, header, body) = pair.client.data_to_send()
    assert pair.client.data_to_send() == []
    pair.server.receive(b"".join([size_prefix, header, body]))
    request = received(pair.server)
    hello, _ = ApiVersionsRequest.decode(request.frame, request.api_version, request.body_offset)
    assert hello.client_software_name == SOFTWARE_NAME
    assert hello.client_software_version == SOFTWARE_VERSION
    assert request.client_id == "me"
    pair.to_client(request.correlation_id, served_response().encode(4))
    event = pair.client.next_event()
    assert isinstance(event, Negotiated)
    assert len(event.api_versions.api_keys) == len(SERVED)
    assert pair.client.served_versions == {key: tuple(versions) for key, versions in SERVED.items()}


def test_the_software_version_is_that_of_the_package() -> None:
    project = Path(kafkaproto.__file__).parent.parent / "pyproject.toml"
    assert tomllib.loads(project.read_text())["project"]["version"] == SOFTWARE_VERSION


def test_requests_are_answered_at_the_highest_common_version() -> None:
    pair = Pair()
    pair.negotiate()
    assert pair.client.version_for(DescribeClusterRequest) == 1
    vote_id = pair.client.send_request(VoteRequest(cluster_id="c"))
    describe_id = pair.client.send_request(DescribeClusterRequest())
    old_id = pair.client.send_request(DescribeClusterRequest(), 0)
    pair.to_server()
    for expected_version, response in (
        (2, VoteResponse(error_code=3)),
        (1, DescribeClusterResponse(cluster_id="one")),
        (0, DescribeClusterResponse(cluster_id="two")),
    ):
        request = received(pair.server)
        assert request.api_version == expected_version
        pair.to_client(request.correlation_id, response.encode(expected_version))
    events = [pair.client.next_event() for _ in range(3)]
    assert pair.client.next_event() is NEED_DATA
    responses = [event for event in events if isinstance(event, IncomingResponse)]
    assert responses == events
    assert [received.correlation_id for received in responses] == [vote_id, describe_id, old_id]
    assert [received.api_version for received in responses] == [2, 1, 0]
    voted, *described = (received.response for received in responses)
    assert isinstance(voted, VoteResponse)
    assert voted.error_code == 3
    clusters = [each.cluster_id for each in described if isinstance(each, DescribeClusterResponse)]
    assert clusters == ["one", "two"]


@pytest.mark.parametrize(("highest", "asked"), [(4, [4]), (3, [4, 3]), (0, [4, 0]), (2, [4, 2])])
def test_a_server_that_does_not_know_the_version_is_asked_again(highest: int, asked: list[int]) -> None:
    pair = Pair({**SERVED, 18: (0, highest)})
    pair.negotiate()
    assert pair.api_versions_seen == asked
    assert pair.client.version_for(VoteRequest) == 2


def answer_by_hand(client: ClientConnection, body: bytes, correlation_id: int) -> None:
    client.data_to_send()
    client.receive(framed(struct.pack(">i", correlation_id) + body))


def test_a_refusal_that_lists_nothing_is_followed_by_version_0() -> None:
    client = ClientConnection(client_id=None)
    answer_by_hand(client, bytes.fromhex("0023 00000000"), 0)
    assert client.next_event() is NEED_DATA
    again = b"".join(client.data_to_send())
    assert again == framed(struct.pack(">hhih", 18, 0, 1, -1))
    answer_by_hand(client, bytes.fromhex("0000 00000001 0034 0000 0001"), 1)
    assert isinstance(client.next_event(), Negotiated)
    assert client.version_for(VoteRequest) == 1


def test_a_server_that_refuses_even_version_0_is_given_up() -> None:
    client = ClientConnection(client_id=None)
    answer_by_hand(client, bytes.fromhex("0023 00000000"), 0)
    assert client.next_event() is NEED_DATA
    answer_by_hand(client, bytes.fromhex("0023 00000000"), 1)
    with pytest.raises(RemoteProtocolError, match="error 35 UNSUPPORTED_VERSION"):
        client.next_event()


def test_a_refusal_that_repeats_the_version_just_tried_does_not_go_round_for_ever() -> None:
    client = ClientConnection(client_id=None)
    asked = []
    for correlation_id in range(5):
        sent = b"".join(client.data_to_send())
        asked.append(struct.unpack_from(">h", sent, 6)[0])
        answer_by_hand(client, bytes.fromhex("0023 00000001 0012 0000 0004"), correlation_id)
        if correlation_id < 4:
            assert client.next_event() is NEED_DATA
    with pytest.raises(RemoteProtocolError, match="UNSUPPORTED_VERSION"):
        client.next_event()
    assert asked == [4, 3, 2, 1, 0]


def test_another_error_in_the_response_to_api_versions_is_final() -> None:
    client = ClientConnection(client_id=None)
    answer_by_hand(client, bytes.fromhex("002a 01 00000000 00"), 0)
    with pytest.raises(RemoteProtocolError, match="error 42 INVALID_REQUEST"):
        client.next_event()


def test_a_request_without_a_common_version_is_refused_before_anything_is_sent() -> None:
    pair = Pair({18: (0, 4), 52: (7, 9)})
    pair.negotiate()
    with pytest.raises(UnsupportedVersionError, match="the server knows 7 to 9, we know 0 to 2"):
        pair.client.send_request(VoteRequest())
    with pytest.raises(UnsupportedVersionError, match="DescribeClusterRequest: the server does not serve"):
        pair.client.send_request(DescribeClusterRequest())
    with pytest.raises(UnsupportedVersionError, match="version 6 is not among the server's"):
        pair.client.send_request(VoteRequest(), 6)
    assert pair.client.data_to_send() == []


def test_a_version_that_is_not_released_is_used_only_when_asked_for() -> None:
    pair = Pair()
    pair.negotiate()
    info = api.api_by_key(22)
    assert info is not None
    assert info.latest_version_unstable
    assert pair.client.version_for(InitProducerIdRequest) == info.max_version - 1
    pair.client.send_request(InitProducerIdRequest(), info.max_version)
    pair.to_server()
    assert received(pair.server).api_version == info.max_version


def test_a_request_before_the_versions_are_known_is_our_own_mistake() -> None:
    client = ClientConnection(client_id=None)
    with pytest.raises(AssertionError, match="before the server said"):
        client.send_request(VoteRequest())


def test_a_response_with_the_wrong_correlation_id_is_refused() -> None:
    client = ClientConnection(client_id=None)
    answer_by_hand(client, b"\0" * 20, 5)
    with pytest.raises(RemoteProtocolError, match="correlation id 5, that of request 0 is due"):
        client.next_event()


def test_a_response_that_nobody_waits_for_is_refused() -> None:
    pair = Pair()
    pair.negotiate()
    pair.client.receive(framed(b"\0" * 8))
    with pytest.raises(RemoteProtocolError, match="no request waits for"):
        pair.client.next_event()


def test_a_response_larger_than_allowed_is_refused() -> None:
    client = ClientConnection(client_id=None, max_response_size=100)
    client.receive(struct.pack(">i", 101))
    with pytest.raises(RemoteProtocolError, match="101"):
        client.next_event()


def test_a_response_whose_body_is_cut_short_is_refused() -> None:
    pair = Pair()
    pair.negotiate()
    correlation_id = pair.client.send_request(VoteRequest())
    pair.client.receive(framed(struct.pack(">i", correlation_id) + b"\0\0"))
    with pytest.raises(RemoteProtocolError, match="VoteResponse"):
        pair.client.next_event()
