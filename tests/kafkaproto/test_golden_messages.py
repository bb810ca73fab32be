"""Requests and responses of stock Apache Kafka 4.3.1 nodes: read with nothing left over, written again byte for byte.

Record batches and metadata records of such nodes are in tests/kafkaproto/records/.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.api import ApiInfo, api_by_key, api_keys
from kafkaproto.headers import decode_request_header, decode_response_header
from kafkaproto.interpret import decode_slowly, encode_slowly
from kafkaproto.message import Message
from kafkaproto.messages import (
    FetchRequest,
    FetchResponse,
    RequestHeader,
    ResponseHeader,
    UpdateRaftVoterResponse,
    VoteRequest,
    VoteResponse,
)
from kafkaproto.uuids import from_text
from tests.fuzz.support.golden_requests import GOLDEN_REQUESTS
from tests.kafkaproto.support.golden_responses import GOLDEN_RESPONSES

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"


def check(kind: type[Message], version: int, frame: bytes, start: int) -> Any:
    """Read a message to the end of its frame, with both decoders, and write it again."""
    message, end = kind.decode(frame, version, start)
    assert end == len(frame)
    assert decode_slowly(kind.schema(), frame, version, start) == (message, end)
    assert message.encode(version) == frame[start:]
    assert encode_slowly(kind.schema(), message, version) == frame[start:]
    return message


def request(name: str) -> Any:
    """A golden request's body; its header is checked on the way."""
    frame = GOLDEN_REQUESTS[name]
    header, start = decode_request_header(frame)
    api = api_by_key(header.api_key)
    assert api is not None
    header_version = api.request_header_version(header.api_version)
    generated, end = RequestHeader.decode(frame, header_version)
    assert (end, generated.encode(header_version)) == (start, frame[:start])
    assert generated.client_id == header.client_id
    return check(api.request_class, header.api_version, frame, start)


def response(name: str) -> Any:
    """A golden response's body; its header is checked on the way."""
    frame = GOLDEN_RESPONSES[name]
    word, version_word, *_ = name.split()
    api, version = api_by_name(word), int(version_word.removeprefix("v"))
    header_version = api.response_header_version(version)
    _, start = decode_response_header(frame, header_version)
    generated, end = ResponseHeader.decode(frame, header_version)
    assert (end, generated.encode(header_version)) == (start, frame[:start])
    return check(api.response_class, version, frame, start)


def api_by_name(name: str) -> ApiInfo:
    """An api by its name."""
    (found,) = [api for api in map(api_by_key, api_keys()) if api is not None and api.name == name]
    return found


@pytest.mark.parametrize("name", GOLDEN_REQUESTS)
def test_requests_of_stock_nodes(name: str) -> None:
    request(name)


@pytest.mark.parametrize("name", GOLDEN_RESPONSES)
def test_responses_of_stock_nodes(name: str) -> None:
    response(name)


def test_what_a_stock_node_asks_for_a_vote() -> None:
    partition = VoteRequest.PartitionData(
        replica_id=3,
        replica_directory_id=bytes.fromhex("3feded0e34d644da8f91e9d5fa7d061a"),
        voter_directory_id=bytes.fromhex("193b03df81fb4b45b8d6e6262a231284"),
        pre_vote=True,
    )
    topic = VoteRequest.TopicData(topic_name="__cluster_metadata", partitions=[partition])
    assert request("Vote v2") == VoteRequest(cluster_id=CLUSTER_ID, voter_id=2, topics=[topic])
    granted = VoteResponse.PartitionData(leader_id=-1, vote_granted=True)
    received = VoteResponse.TopicData(topic_name="__cluster_metadata", partitions=[granted])
    assert response("Vote v2") == VoteResponse(topics=[received])


def test_what_a_stock_node_fetches_and_is_told() -> None:
    partition = FetchRequest.FetchPartition(
        current_leader_epoch=0,
        last_fetched_epoch=0,
        log_start_offset=-1,
        replica_directory_id=bytes.fromhex("3feded0e34d644da8f91e9d5fa7d061a"),
        high_watermark=-1,
    )
    topic = FetchRequest.FetchTopic(topic_id=from_text("AAAAAAAAAAAAAAAAAAAAAQ"), partitions=[partition])
    assert request("raft Fetch v18") == FetchRequest(
        cluster_id=CLUSTER_ID,
        replica_state=FetchRequest.ReplicaState(replica_id=3),
        max_wait_ms=500,
        max_bytes=1024 * 1024,
        topics=[topic],
    )
    told = response("Fetch v18").responses[0].partitions[0]
    assert (told.error_code, told.high_watermark) == (6, -1)
    assert told.current_leader == FetchResponse.LeaderIdAndEpoch(leader_id=-1, leader_epoch=0)
    assert told.diverging_epoch == FetchResponse.EpochEndOffset()


def test_where_a_stock_node_says_the_leader_is() -> None:
    leader = UpdateRaftVoterResponse.CurrentLeader(leader_id=3, leader_epoch=1, host="127.0.0.1", port=21513)
    assert response("UpdateRaftVoter v0").current_leader == leader
    (endpoint,) = response("Vote v2 refused").node_endpoints
    assert (endpoint.node_id, endpoint.host, endpoint.port) == (3, "127.0.0.1", 21313)
