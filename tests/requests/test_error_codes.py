"""Error codes of answers, found in every response that has a place for them."""

from __future__ import annotations

from kafkaproto.api import api_by_key, api_keys
from kafkaproto.messages import (
    ApiVersionsResponse,
    CreateTopicsResponse,
    DescribeQuorumResponse,
    EnvelopeResponse,
    FetchResponse,
    VoteResponse,
)
from kafkaproto_server.requests.error_codes import error_codes


def test_a_code_on_top_and_those_below_are_all_found() -> None:
    partitions = [
        DescribeQuorumResponse.PartitionData(error_code=6),
        DescribeQuorumResponse.PartitionData(error_code=0),
    ]
    topic = DescribeQuorumResponse.TopicData(partitions=partitions)
    assert list(error_codes(DescribeQuorumResponse(error_code=31, topics=[topic, topic]))) == [31, 6, 0, 6, 0]


def test_a_response_without_elements_or_with_null_for_them_has_what_is_on_top() -> None:
    assert list(error_codes(CreateTopicsResponse(topics=[]))) == []
    assert list(error_codes(EnvelopeResponse(error_code=41))) == [41]
    assert list(error_codes(ApiVersionsResponse(error_code=35))) == [35]


def test_the_quorums_own_responses_tell_the_partitions_code() -> None:
    partition = VoteResponse.PartitionData(error_code=74)
    assert list(error_codes(VoteResponse(topics=[VoteResponse.TopicData(partitions=[partition])]))) == [0, 74]
    fetched = FetchResponse.PartitionData(partition_index=0, error_code=6)
    response = FetchResponse(responses=[FetchResponse.FetchableTopicResponse(partitions=[fetched])])
    assert list(error_codes(response)) == [0, 6]


def test_every_answer_that_exists_can_be_looked_through() -> None:
    for key in api_keys():
        api = api_by_key(key)
        assert api is not None
        response = api.response_class()
        expected = [response.error_code] if hasattr(response, "error_code") else []
        assert list(error_codes(response)) == expected
