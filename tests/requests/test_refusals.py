"""One error for all of a request: where each response says it."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterConfigsRequest,
    CreateAclsRequest,
    DescribeConfigsRequest,
    DescribeTopicPartitionsRequest,
    MetadataRequest,
)
from kafkaproto_server.apis.table import TABLE, refuse_at_once
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.requests.error_codes import error_codes
from kafkaproto_server.requests.refusals import Refusal

ID = b"\x07" * 16
HAVE_NO_OWN_ERROR = {
    # Name what is refused in elements of the request; an empty request has nobody to say it of.
    "AlterClientQuotas",
    "AlterReplicaLogDirs",
    "AlterConfigs",
    "AlterUserScramCredentials",
    "ConsumerGroupDescribe",
    "CreateAcls",
    "CreatePartitions",
    "CreateTopics",
    "DeleteAcls",
    "DeleteGroups",
    "DeleteRecords",
    "DeleteTopics",
    "DescribeConfigs",
    "DescribeGroups",
    "DescribeProducers",
    "DescribeShareGroupOffsets",
    "DescribeTopicPartitions",
    "FindCoordinator",
    "IncrementalAlterConfigs",
    "ListOffsets",
    "OffsetCommit",
    "OffsetFetch",
    "OffsetForLeaderEpoch",
    "Produce",
    "StreamsGroupDescribe",
    "WriteTxnMarkers",
    "InitializeShareGroupState",
    "ReadShareGroupState",
    "WriteShareGroupState",
    "DeleteShareGroupState",
    "ReadShareGroupStateSummary",
    "ShareGroupDescribe",
    "DescribeTransactions",
    "TxnOffsetCommit",
}


def refused(request: Message, version: int) -> Any:
    """What a client reads."""
    refusal = Refusal(code=ErrorCode.UNKNOWN_SERVER_ERROR, message="It failed.", version=version)
    response = refuse_at_once(request, refusal)
    received, _ = type(response).decode(response.encode(version), version)
    return received


@pytest.mark.parametrize("kind", ListenerKind)
def test_every_served_request_can_be_refused_in_its_newest_version(kind: ListenerKind) -> None:
    silent = set()
    for key in TABLE[kind]:
        api = api_by_key(key)
        assert api is not None
        response = refused(api.request_class(), api.max_stable_version)
        if ErrorCode.UNKNOWN_SERVER_ERROR not in error_codes(response):
            silent.add(api.request_class.NAME.removesuffix("Request"))
    assert silent <= HAVE_NO_OWN_ERROR


@pytest.mark.parametrize("version", range(14))
def test_metadata_say_it_of_each_topic(version: int) -> None:
    topics = [MetadataRequest.Topic(name=name) for name in ("a", "b")]
    response = refused(MetadataRequest(topics=topics), version)
    assert [(each.name, each.error_code) for each in response.topics] == [("a", -1), ("b", -1)]


def test_metadata_say_it_of_a_topic_that_is_named_by_id() -> None:
    response = refused(MetadataRequest(topics=[MetadataRequest.Topic(name=None, topic_id=ID)]), 12)
    assert [(each.name, each.topic_id, each.error_code) for each in response.topics] == [(None, ID, -1)]


def test_metadata_of_all_topics_say_it_where_they_can() -> None:
    assert refused(MetadataRequest(topics=None), 13).error_code == -1
    assert refused(MetadataRequest(topics=None), 12).topics == []


@pytest.mark.parametrize("version", [1, 4])
def test_descriptions_of_settings_say_it_of_each_resource(version: int) -> None:
    resource = DescribeConfigsRequest.DescribeConfigsResource(resource_type=2, resource_name="a")
    (result,) = refused(DescribeConfigsRequest(resources=[resource]), version).results
    assert (result.resource_type, result.resource_name, result.error_code) == (2, "a", -1)
    assert result.error_message


def test_descriptions_of_partitions_say_it_of_each_topic() -> None:
    request = DescribeTopicPartitionsRequest(topics=[DescribeTopicPartitionsRequest.TopicRequest(name="a")])
    (topic,) = refused(request, 0).topics
    assert (topic.name, topic.error_code) == ("a", -1)


def test_the_controllers_commands_say_it_as_the_controller_does() -> None:
    resource = AlterConfigsRequest.AlterConfigsResource(resource_type=2, resource_name="a")
    (result,) = refused(AlterConfigsRequest(resources=[resource]), 2).responses
    assert (result.resource_name, result.error_code) == ("a", -1)
    creation = CreateAclsRequest.AclCreation(resource_name="a", principal="User:b", host="*")
    assert [each.error_code for each in refused(CreateAclsRequest(creations=[creation]), 3).results] == [-1]
