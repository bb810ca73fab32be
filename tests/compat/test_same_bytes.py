"""Frames that a well-meaning client would not send, and Apache Kafka's way with them: answered, or hung up on.

After the frame under test comes a plain ApiVersions request on the same connection, to see whether it lives on.
"""

import struct

import pytest

from compat.node import Node
from compat.probe import ClosedByServerError, Probe
from tests.compat.support.responses import CLOSED

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

METADATA, API_VERSIONS, CREATE_TOPICS, DESCRIBE_CONFIGS, VOTE, DESCRIBE_CLUSTER = 3, 18, 19, 32, 52, 60
CORRELATION_ID = 7
LAST_CORRELATION_ID = 8
SIZE_LIMIT = 100 * 1024 * 1024


def header(key: int, version: int, client_id: bytes | None = b"probe", size: int | None = None) -> bytes:
    """A request header without its tagged fields; `size` lies about the length of the client id."""
    real_size = -1 if client_id is None else len(client_id)
    fixed = struct.pack(">hhih", key, version, CORRELATION_ID, real_size if size is None else size)
    return fixed + (client_id or b"")


def framed(payload: bytes) -> bytes:
    """The bytes after their length."""
    return struct.pack(">i", len(payload)) + payload


PLAIN_API_VERSIONS = framed(struct.pack(">hhih", API_VERSIONS, 0, LAST_CORRELATION_ID, -1))
# ApiVersions version 3: header tags, then name and version of the client software, then body tags.
CLIENT_SOFTWARE = b"\x06probe" + b"\x021"
NO_TAGS = b"\x00"
# One tagged field, number 99, of two bytes.
AN_UNKNOWN_TAG = b"\x01\x63\x02\xab\xcd"
# DescribeCluster version 1: no operations, endpoint type 1.
CLUSTER_BODY = b"\x00\x01"
ALL_TOPICS_V1 = struct.pack(">i", -1)

FRAMES: dict[str, bytes] = {
    "an unknown key": framed(header(9999, 0)),
    "a negative key": framed(header(-1, 0)),
    "a key that was removed": framed(header(4, 7) + NO_TAGS),
    "a key of broker listeners": framed(header(METADATA, 1) + ALL_TOPICS_V1),
    "a version too high": framed(header(DESCRIBE_CLUSTER, 99) + NO_TAGS + CLUSTER_BODY + NO_TAGS),
    "a version too low": framed(header(CREATE_TOPICS, 1) + struct.pack(">ii?", 0, 1000, False)),
    "version minus one": framed(header(DESCRIBE_CONFIGS, -1) + struct.pack(">i", 0)),
    "an empty frame": framed(b""),
    "a negative length": struct.pack(">i", -1),
    "the smallest length": struct.pack(">i", -(2**31)),
    "the largest length": struct.pack(">i", 2**31 - 1),
    "a length just above the limit": struct.pack(">i", SIZE_LIMIT + 1),
    "an HTTP request": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "half a header": framed(header(API_VERSIONS, 0)[:5]),
    "a client id longer than the frame": framed(header(API_VERSIONS, 0, b"abc", size=300)),
    "a client id of a negative length": framed(header(API_VERSIONS, 0, b"", size=-5)),
    "no client id": framed(header(API_VERSIONS, 0, None)),
    "a client id that is not UTF-8": framed(header(API_VERSIONS, 0, b"\xff\xfe")),
    "a header without tagged fields": framed(header(API_VERSIONS, 3)),
    "a body that is missing": framed(header(API_VERSIONS, 3) + NO_TAGS),
    "a body that breaks off": framed(header(DESCRIBE_CLUSTER, 1) + NO_TAGS + CLUSTER_BODY[:1]),
    "bytes after the body": framed(header(API_VERSIONS, 0) + b"more"),
    "unknown tags in header and body": framed(
        header(API_VERSIONS, 3) + AN_UNKNOWN_TAG + CLIENT_SOFTWARE + AN_UNKNOWN_TAG
    ),
    "a tag that breaks off": framed(header(API_VERSIONS, 3) + NO_TAGS + CLIENT_SOFTWARE + b"\x01\x63\x7f"),
    "more tags than bytes": framed(header(API_VERSIONS, 3) + NO_TAGS + CLIENT_SOFTWARE + b"\x7f"),
    "a string longer than the frame": framed(header(API_VERSIONS, 3) + NO_TAGS + b"\x7fprobe"),
    "a null where none may be": framed(header(API_VERSIONS, 3) + NO_TAGS + b"\x00\x021" + NO_TAGS),
    "a varint without an end": framed(header(API_VERSIONS, 3) + NO_TAGS + b"\xff" * 12),
    "a client without a name": framed(header(API_VERSIONS, 3) + NO_TAGS + b"\x01\x021" + NO_TAGS),
    "a client with a bad name": framed(header(API_VERSIONS, 3) + NO_TAGS + b"\x04a b\x021" + NO_TAGS),
    "a client with a bad version": framed(header(API_VERSIONS, 4) + NO_TAGS + b"\x02a\x03-1" + NO_TAGS),
    "a negative count": framed(header(METADATA, 1) + struct.pack(">i", -2)),
    "a count of two thousand million": framed(header(METADATA, 1) + struct.pack(">i", 2**31 - 1)),
    "a count of a thousand million, compact": framed(header(METADATA, 9) + NO_TAGS + b"\x80\x94\xeb\xdc\x03"),
    "a compact count beyond 31 bits": framed(
        header(METADATA, 9) + NO_TAGS + b"\xff\xff\xff\xff\x0f\x00\x00\x00\x00"
    ),
    "a topic name that is not UTF-8": framed(header(METADATA, 1) + struct.pack(">ih", 1, 2) + b"\xff\xfe"),
    "a topic name of a negative length": framed(header(METADATA, 1) + struct.pack(">ih", 1, -1)),
    "a boolean of two": framed(header(DESCRIBE_CLUSTER, 0) + NO_TAGS + b"\x02" + NO_TAGS),
}

# Nonsense that Kafka reads as something else: -1 elements as null, a broken character as a replacement character.
# Hanging up on it is as good.
MAY_BE_HUNG_UP_ON = {"a compact count beyond 31 bits", "a topic name that is not UTF-8"}

# What Kafka 4.4.0 says after the correlation id to versions of ApiVersions that it does not know: error 35, then one
# entry, key 18 with versions 0 to 5, in the form of version 0. And to a client that names itself badly: error 42.
TOO_HIGH = bytes.fromhex("0023 00000001 0012 0000 0005")
BAD_NAME = bytes.fromhex("002a 01 00000000 00")


def outcome(address: str, frame: bytes) -> list[str]:
    """The correlation ids of what came back to the frame and the plain request after it, and CLOSED at the end."""
    seen = []
    try:
        with Probe(address) as probe:
            probe.send(frame)
            probe.send(PLAIN_API_VERSIONS)
            while str(LAST_CORRELATION_ID) not in seen:
                (correlation_id,) = struct.unpack_from(">i", probe.receive_frame())
                seen.append(str(correlation_id))
    except (ClosedByServerError, ConnectionError):
        seen.append(CLOSED)
    return seen


@pytest.fixture(params=["broker", "controller"])
def listener(request: pytest.FixtureRequest) -> str:
    """Every case goes to both listeners."""
    return str(request.param)


def address(node: Node, listener: str) -> str:
    """Where the node listens."""
    return node.bootstrap_server if listener == "broker" else node.bootstrap_controller


@pytest.mark.parametrize("name", FRAMES)
def test_a_strange_frame_is_treated_as_kafka_treats_it(
    node: Node, stock_node: Node, listener: str, name: str
) -> None:
    right = [outcome(address(stock_node, listener), FRAMES[name])]
    if name in MAY_BE_HUNG_UP_ON:
        right.append([CLOSED])
    assert outcome(address(node, listener), FRAMES[name]) in right


def test_a_broker_listener_hangs_up_on_a_vote(node: Node, stock_node: Node) -> None:
    vote = framed(header(VOTE, 0) + NO_TAGS + b"\x00\x01" + NO_TAGS)
    assert [outcome(asked.bootstrap_server, vote) for asked in (stock_node, node)] == [[CLOSED], [CLOSED]]


@pytest.mark.parametrize("version", [6, 99, -1])
def test_an_unknown_version_of_api_versions_is_told_the_known_ones(
    node: Node, stock_node: Node, listener: str, version: int
) -> None:
    request = header(API_VERSIONS, version) + NO_TAGS
    for asked in (stock_node, node):
        with Probe(address(asked, listener)) as probe:
            assert probe.exchange(request) == struct.pack(">i", CORRELATION_ID) + TOO_HIGH
            # The client now knows better and asks again on the same connection.
            assert probe.exchange(header(API_VERSIONS, 0)).startswith(struct.pack(">ih", CORRELATION_ID, 0))


def test_a_client_with_a_bad_name_is_told_so(node: Node, stock_node: Node, listener: str) -> None:
    request = header(API_VERSIONS, 3) + NO_TAGS + b"\x04a b\x021" + NO_TAGS
    for asked in (stock_node, node):
        with Probe(address(asked, listener)) as probe:
            assert probe.exchange(request) == struct.pack(">i", CORRELATION_ID) + BAD_NAME


def test_pipelined_requests_are_answered_in_order(node: Node, stock_node: Node, listener: str) -> None:
    wanted = list(range(100))
    requests = [struct.pack(">hhih", API_VERSIONS, 0, number, -1) for number in wanted]
    for asked in (stock_node, node):
        with Probe(address(asked, listener)) as probe:
            probe.send(b"".join(framed(request) for request in requests))
            responses = [probe.receive_frame() for _ in wanted]
        assert [struct.unpack_from(">i", response)[0] for response in responses] == wanted


def test_a_frame_that_arrives_byte_by_byte_is_a_frame(node: Node, stock_node: Node, listener: str) -> None:
    for asked in (stock_node, node):
        with Probe(address(asked, listener)) as probe:
            for position in range(len(PLAIN_API_VERSIONS)):
                probe.send(PLAIN_API_VERSIONS[position : position + 1])
            assert probe.receive_frame().startswith(struct.pack(">ih", LAST_CORRELATION_ID, 0))
