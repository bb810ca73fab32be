"""Kafka's JSON form of messages: text as Kafka wrote it, back again for every message, and what cannot be read.

`tests/oracles/test_java.py` compares it with Kafka's own code, for every message and version.
"""

from __future__ import annotations

import json
import random
import zlib
from typing import Any

import pytest

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError, UnsupportedVersionError
from kafkaproto.message import Message
from kafkaproto.messages import (
    BeginTransactionRecord,
    BrokerRegistrationChangeRecord,
    ClientQuotaRecord,
    ConsumerGroupHeartbeatResponse,
    EnvelopeResponse,
    FetchRequest,
    FetchSnapshotResponse,
    MetadataResponse,
    PartitionChangeRecord,
    ProduceRequest,
    QuorumStateData,
    RegisterBrokerRecord,
    TopicRecord,
    VotersRecord,
)
from tests.messages.support.random_messages import (
    all_message_classes,
    drop_unknown_tags,
    random_message,
    versions_of,
)

NO_UUID = "A" * 22
NOT_READ_BACK = ("only the size of the records is given", "must be a float64, is 'Infinity'")
"""What the JSON form shows but cannot be read from."""


def compact(document: object) -> str:
    """As Kafka prints JSON and writes it into files."""
    return json.dumps(document, separators=(",", ":"))


# quorum-state files of Apache Kafka 4.3.1: leader, a follower that voted for it, a voter that knows no leader; a leader
# among static voters, and a broker.
@pytest.mark.parametrize(
    "text",
    [
        f'{{"leaderId":1,"leaderEpoch":2,"votedId":-1,"votedDirectoryId":"{NO_UUID}","data_version":1}}',
        '{"leaderId":1,"leaderEpoch":2,"votedId":1,"votedDirectoryId":"KYWObkDYTxCpg7RskgNtOg","data_version":1}',
        '{"leaderId":-1,"leaderEpoch":5,"votedId":2,"votedDirectoryId":"_oUyWYPHQnmiJx4wkmJxxg","data_version":1}',
        '{"clusterId":"","leaderId":2,"leaderEpoch":1,"votedId":-1,"appliedOffset":0,'
        '"currentVoters":[{"voterId":1},{"voterId":2},{"voterId":3}],"data_version":0}',
        '{"clusterId":"","leaderId":1,"leaderEpoch":2,"votedId":-1,"appliedOffset":0,'
        '"currentVoters":[],"data_version":0}',
    ],
)
def test_quorum_state_is_read_and_written_as_kafka_does(text: str) -> None:
    document = json.loads(text)
    version = document["data_version"]
    state = QuorumStateData.from_json(document, version)
    assert (state.leader_id, state.leader_epoch) == (document["leaderId"], document["leaderEpoch"])
    assert compact({**state.to_json(version), "data_version": version}) == text


# What the JSON converters in the jars of Apache Kafka 4.3.1 print for bytes that live nodes had written or sent.
@pytest.mark.parametrize(
    ("kind", "version", "encoded", "text"),
    [
        (
            TopicRecord,
            0,
            "03646474c619002d5e4dd084eaa9859a65378600",
            '{"name":"dd","topicId":"dMYZAC1eTdCE6qmFmmU3hg"}',
        ),
        (
            PartitionChangeRecord,
            2,
            "00000000c30c63778394481996441f9a85162d9c040001010104ffffffff0605020000000b0705020000000b",
            '{"partitionId":0,"topicId":"wwxjd4OUSBmWRB-ahRYtnA","isr":[],"leader":-1,'
            '"eligibleLeaderReplicas":[11],"lastKnownElr":[11]}',
        ),
        (
            BrokerRegistrationChangeRecord,
            0,
            "0000000a000000000000000c010001ff",
            '{"brokerId":10,"brokerEpoch":12,"fenced":-1}',
        ),
        (
            BrokerRegistrationChangeRecord,
            3,
            "0000000a000000000000000c01030101",
            '{"brokerId":10,"brokerEpoch":12,"cordonedLogDirs":[]}',
        ),
        (
            BeginTransactionRecord,
            0,
            "01001212426f6f747374726170207265636f726473",
            '{"name":"Bootstrap records"}',
        ),
        (
            VotersRecord,
            0,
            "000002000000014e2b3111edc84929a21d44883400a396020b434f4e54524f4c4c45520a3132372e302e302e31526d"
            "0000000001000000",
            '{"version":0,"voters":[{"voterId":1,"voterDirectoryId":"TisxEe3ISSmiHUSINACjlg","endpoints":[{"name":'
            '"CONTROLLER","host":"127.0.0.1","port":21101}],"kRaftVersionFeature":{"minSupportedVersion":0,'
            '"maxSupportedVersion":1}}]}',
        ),
        (
            EnvelopeResponse,
            0,
            "0f0000006500000000000000000100000000",
            '{"responseData":"AAAAZQAAAAAAAAAAAQA=","errorCode":0}',
        ),
    ],
)
def test_bytes_of_stock_nodes_are_shown_as_kafka_shows_them(
    kind: type[Message], version: int, encoded: str, text: str
) -> None:
    message, _ = kind.decode(bytes.fromhex(encoded), version)
    assert compact(message.to_json(version)) == text
    assert kind.from_json(json.loads(text), version) == message


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_what_is_shown_can_be_read_back(kind: type[Message]) -> None:
    for version in versions_of(kind):
        rng = random.Random(zlib.crc32(f"json {kind.NAME} {version}".encode()))
        for message in [kind(), *(random_message(kind, version, rng) for _ in range(3))]:
            drop_unknown_tags(kind.schema().root, message)
            text = json.dumps(message.to_json(version))
            try:
                read = kind.from_json(json.loads(text), version)
            except RemoteProtocolError as error:
                if not error.reason.startswith(NOT_READ_BACK):
                    raise
            else:
                assert read == message


# -- what a form leaves out or cannot hold -------------------------------------------------------------------------


def test_of_records_the_size_is_shown() -> None:
    partitions = [
        ProduceRequest.PartitionProduceData(index=0, records=bytes(10)),
        ProduceRequest.PartitionProduceData(index=1, records=[bytes(10), memoryview(bytes(5))]),
        ProduceRequest.PartitionProduceData(index=2, records=None),
    ]
    topic = ProduceRequest.TopicProduceData(name="t", partition_data=partitions)
    document = ProduceRequest(topic_data=[topic]).to_json(9)
    assert document["topicData"][0]["partitionData"] == [
        {"index": 0, "recordsSizeInBytes": 10},
        {"index": 1, "recordsSizeInBytes": 15},
        {"index": 2, "records": None},
    ]
    with pytest.raises(RemoteProtocolError, match="only the size") as caught:
        ProduceRequest.from_json(document, 9)
    assert caught.value.where == "ProduceRequest.topicData[0].partitionData[0].records"


def test_bytes_are_base64_also_of_several_buffers() -> None:
    assert EnvelopeResponse(response_data=[b"\xfb", b"\xff"]).to_json(0)["responseData"] == "+/8="
    assert EnvelopeResponse(response_data=None).to_json(0)["responseData"] is None


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.5, 1.5), (float("inf"), "Infinity"), (float("-inf"), "-Infinity"), (float("nan"), "NaN")],
)
def test_floats_that_are_no_finite_number_are_text(value: float, shown: object) -> None:
    assert ClientQuotaRecord(value=value).to_json(0)["value"] == shown


def test_fields_that_the_version_lacks_are_left_out_or_refused() -> None:
    assert "throttleTimeMs" not in MetadataResponse(throttle_time_ms=5).to_json(0)
    fetch = FetchRequest(
        topics=[FetchRequest.FetchTopic(partitions=[FetchRequest.FetchPartition(last_fetched_epoch=3)])]
    )
    with pytest.raises(UnsupportedVersionError) as caught:
        fetch.to_json(11)
    assert caught.value.where == "FetchRequest.topics[0].partitions[0].last_fetched_epoch"
    with pytest.raises(LocalProtocolError, match="is null, but may not be in version 11") as null:
        MetadataResponse(topics=[MetadataResponse.Topic(name=None)]).to_json(11)
    assert null.value.where == "MetadataResponse.topics[0].name"


def test_a_null_struct_is_null() -> None:
    document = ConsumerGroupHeartbeatResponse(assignment=None).to_json(0)
    assert document["assignment"] is None
    assert ConsumerGroupHeartbeatResponse.from_json(document, 0).assignment is None


GOOD: dict[str, Any] = {
    "brokerId": 1,
    "incarnationId": NO_UUID,
    "brokerEpoch": 2,
    "endPoints": [{"name": "n", "host": "h", "port": 9092, "securityProtocol": 0}],
    "features": [],
    "rack": None,
    "fenced": True,
}


@pytest.mark.parametrize(
    ("change", "reason", "where"),
    [
        ({"brokerId": 2**31}, "2147483648 does not fit int32", "brokerId"),
        ({"brokerId": -(2**31) - 1}, "-2147483649 does not fit int32", "brokerId"),
        ({"brokerId": "1"}, "must be a int32, is '1'", "brokerId"),
        ({"brokerId": True}, "must be a int32, is True", "brokerId"),
        ({"brokerId": None}, "is null, but may not be in version 0", "brokerId"),
        ({"fenced": 1}, "must be a bool, is 1", "fenced"),
        ({"rack": 5}, "must be a string, is 5", "rack"),
        ({"incarnationId": "short"}, "'short' is not a UUID", "incarnationId"),
        ({"incarnationId": 5}, "must be a uuid, is 5", "incarnationId"),
        ({"endPoints": {}}, "must be a list", "endPoints"),
        ({"endPoints": [5]}, "must be an object", "endPoints[0]"),
        ({"endPoints": [{}]}, "is missing", "endPoints[0].name"),
        (
            {"endPoints": [GOOD["endPoints"][0] | {"port": 65536}]},
            "65536 does not fit uint16",
            "endPoints[0].port",
        ),
        ({"endPoints": [GOOD["endPoints"][0] | {"port": -1}]}, "-1 does not fit uint16", "endPoints[0].port"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_path(
    change: dict[str, Any], reason: str, where: str
) -> None:
    assert RegisterBrokerRecord.from_json(GOOD, 0).broker_epoch == 2
    with pytest.raises(RemoteProtocolError) as caught:
        RegisterBrokerRecord.from_json(GOOD | change, 0)
    assert caught.value.where == f"RegisterBrokerRecord.{where}"
    assert caught.value.reason.startswith(reason)


def test_what_is_missing_is_named_and_what_is_too_much_is_not_looked_at() -> None:
    for name in GOOD:
        with pytest.raises(RemoteProtocolError, match="is missing") as caught:
            RegisterBrokerRecord.from_json({key: value for key, value in GOOD.items() if key != name}, 0)
        assert caught.value.where == f"RegisterBrokerRecord.{name}"
    assert RegisterBrokerRecord.from_json(GOOD | {"other": 1}, 0) == RegisterBrokerRecord.from_json(GOOD, 0)
    # Tagged fields may be missing; a field of another version is one too many.
    assert (
        RegisterBrokerRecord.from_json(GOOD | {"inControlledShutdown": True}, 0).in_controlled_shutdown
        is False
    )
    assert RegisterBrokerRecord.from_json(
        GOOD | {"inControlledShutdown": True, "isMigratingZkBroker": False, "logDirs": [NO_UUID]}, 3
    ).log_dirs == [bytes(16)]


@pytest.mark.parametrize("document", [None, [], "text", 5])
def test_a_document_must_be_an_object(document: object) -> None:
    with pytest.raises(RemoteProtocolError, match="must be an object") as caught:
        TopicRecord.from_json(document, 0)
    assert caught.value.where == "TopicRecord"


def test_bytes_and_floats_and_records_are_read_with_care() -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        EnvelopeResponse.from_json({"responseData": "?", "errorCode": 0}, 0)
    assert caught.value.where == "EnvelopeResponse.responseData"
    quota = {"entity": [], "key": "k", "value": 2, "remove": False}
    assert ClientQuotaRecord.from_json(quota, 0).value == 2.0
    partition = {
        "index": 0,
        "errorCode": 0,
        "snapshotId": {"endOffset": 1, "epoch": 1},
        "size": 0,
        "position": 0,
    }
    response = {"throttleTimeMs": 0, "errorCode": 0, "topics": [{"name": "t", "partitions": [partition]}]}
    with pytest.raises(RemoteProtocolError, match="is missing") as missing:
        FetchSnapshotResponse.from_json(response, 0)
    assert missing.value.where == "FetchSnapshotResponse.topics[0].partitions[0].unalignedRecords"
    partition["unalignedRecords"] = "AAAA"
    with pytest.raises(RemoteProtocolError, match="records are not written as JSON"):
        FetchSnapshotResponse.from_json(response, 0)
