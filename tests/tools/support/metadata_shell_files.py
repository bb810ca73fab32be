"""Metadata to walk through: an image with everything that one can hold, as a snapshot and as a log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kafkaproto.message import Message
from kafkaproto.messages import (
    ClientQuotaRecord,
    ConfigRecord,
    DelegationTokenRecord,
    FeatureLevelRecord,
    LeaderChangeMessage,
    PartitionRecord,
    ProducerIdsRecord,
    RegisterBrokerRecord,
    RegisterControllerRecord,
    TopicRecord,
    UserScramCredentialRecord,
)
from kafkaproto.records.batch import build_batch
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.snapshot import SnapshotId, build_snapshot, snapshot_file_name
from kafkaproto_server.base.types import METADATA_TOPIC_ID
from kafkaproto_server.metadata.image.records import record_version
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from tests.metadata.security.support.acl_making import acl_record

EPOCH = 7
APPEND_TIME_MS = 1_790_000_000_123
SNAPSHOT_ID = SnapshotId(epoch=EPOCH, end_offset=60)
SNAPSHOT_NAME = snapshot_file_name(SNAPSHOT_ID)
METADATA_VERSION = 30

FIRST_TOPIC = bytes(range(16))
SECOND_TOPIC = bytes(range(0xF0, 0x100))


def _id(number: int) -> bytes:
    """A directory's or a process's id; those above 127 are negative numbers to Java."""
    return bytes([number]) * 16


def _brokers() -> list[Message]:
    endpoint = RegisterBrokerRecord.BrokerEndpoint
    feature = RegisterBrokerRecord.BrokerFeature
    return [
        RegisterBrokerRecord(
            broker_id=10,
            incarnation_id=_id(1),
            broker_epoch=5,
            end_points=[
                endpoint(name="PLAINTEXT", host="one.example", port=9092, security_protocol=0),
                endpoint(name="SECURE", host="::1", port=9093, security_protocol=3),
                endpoint(name="INNER", host="one.example", port=9094, security_protocol=2),
                endpoint(name="TLS", host="one.example", port=9095, security_protocol=1),
            ],
            features=[
                feature(name="metadata.version", min_supported_version=7, max_supported_version=30),
                feature(name="group.version", min_supported_version=0, max_supported_version=1),
            ],
            rack="rack-a",
            fenced=False,
            log_dirs=[_id(0x91), _id(0x21), _id(0x22)],
            cordoned_log_dirs=[_id(0x22)],
        ),
        RegisterBrokerRecord(
            broker_id=9,
            incarnation_id=_id(2),
            broker_epoch=6,
            end_points=[endpoint(name="PLAINTEXT", host="two.example", port=9092, security_protocol=0)],
            fenced=True,
            in_controlled_shutdown=True,
            log_dirs=[],
        ),
    ]


def _controller() -> Message:
    return RegisterControllerRecord(
        controller_id=3,
        incarnation_id=_id(0xFE),
        end_points=[
            RegisterControllerRecord.ControllerEndpoint(
                name="CONTROLLER", host="three.example", port=9093, security_protocol=0
            ),
            RegisterControllerRecord.ControllerEndpoint(
                name="ALSO", host="three.example", port=9094, security_protocol=1
            ),
        ],
        features=[
            RegisterControllerRecord.ControllerFeature(
                name="kraft.version", min_supported_version=0, max_supported_version=1
            ),
        ],
    )


def _topics() -> list[Message]:
    directories = [_id(0x21), bytes(15) + b"\x01"]
    partitions: list[Message] = [
        PartitionRecord(
            partition_id=index,
            topic_id=FIRST_TOPIC,
            replicas=[10, 9],
            isr=[10],
            leader=10,
            leader_epoch=index,
            partition_epoch=2 * index,
            directories=directories,
        )
        for index in range(12)
    ]
    return [
        TopicRecord(name="orders", topic_id=FIRST_TOPIC),
        *partitions,
        TopicRecord(name="a.b_c-d", topic_id=SECOND_TOPIC),
        PartitionRecord(
            partition_id=0,
            topic_id=SECOND_TOPIC,
            replicas=[9, 10],
            isr=[],
            removing_replicas=[9],
            adding_replicas=[10],
            leader=-1,
            leader_recovery_state=1,
            leader_epoch=4,
            partition_epoch=9,
            directories=[bytes(16), bytes(15) + b"\x02"],
            eligible_leader_replicas=[10],
            last_known_elr=[9, 10],
        ),
    ]


def _configs() -> list[Message]:
    return [
        ConfigRecord(resource_type=kind, resource_name=name, name=key, value=value)
        for kind, name, key, value in (
            (2, "orders", "retention.ms", "1000"),
            (2, "orders", "cleanup.policy", "compact,delete"),
            (2, "a.b_c-d", "retention.bytes", ""),
            (4, "", "min.insync.replicas", "2"),
            (4, "10", "log.cleaner.threads", "3"),
            (4, "10", "ssl.keystore.password", "hush"),
            (16, "clients/of mine", "interval.ms", "5000"),
            (32, "gruppe ä", "consumer.session.timeout.ms", "50000"),
        )
    ]


def quota(pairs: Sequence[tuple[str, str | None]], key: str, value: float) -> Message:
    """A quota of an entity; None is the default one."""
    entity = [ClientQuotaRecord.EntityData(entity_type=kind, entity_name=name) for kind, name in pairs]
    return ClientQuotaRecord(entity=entity, key=key, value=value)


def _quotas() -> list[Message]:
    return [
        quota(pairs, key, value)
        for pairs, key, value in (
            ([("user", "alice")], "producer_byte_rate", 10485760.0),
            ([("user", "alice")], "request_percentage", 12.5),
            ([("client-id", "x"), ("user", "alice")], "consumer_byte_rate", 1e21),
            ([("user", "bo(b)\\")], "consumer_byte_rate", 1e-7),
            ([("ip", "127.0.0.1")], "connection_creation_rate", 17.0),
        )
    ]


def _security() -> list[Message]:
    return [
        acl_record(_id(0x41), resource_name="orders"),
        acl_record(
            _id(0xC1),
            resource_type=4,
            resource_name="kafka-cluster",
            pattern_type=4,
            principal="User:CN=bob,O='x'",
            host="10.0.0.1",
            operation=12,
            permission_type=2,
        ),
        UserScramCredentialRecord(
            name="alice", mechanism=1, salt=b"salt", stored_key=b"\x80stored", server_key=b"", iterations=8192
        ),
        UserScramCredentialRecord(
            name="bob/c", mechanism=2, salt=b"more", stored_key=b"key", server_key=b"key", iterations=4096
        ),
        DelegationTokenRecord(
            owner="User:alice",
            requester="User:bob",
            renewers=["User:carol", "User:dave"],
            issue_timestamp=APPEND_TIME_MS,
            max_timestamp=APPEND_TIME_MS + 2000,
            expiration_timestamp=APPEND_TIME_MS + 1000,
            token_id="uAxbA0SlTpabOMnwsHeQUQ",
        ),
        DelegationTokenRecord(
            owner="User:alice",
            requester="User:alice",
            renewers=[],
            issue_timestamp=1,
            max_timestamp=2,
            expiration_timestamp=3,
            token_id="second",
        ),
    ]


def metadata_records() -> list[Message]:
    """An image's records with everything in them that its kinds allow."""
    return [
        FeatureLevelRecord(name="metadata.version", feature_level=METADATA_VERSION),
        FeatureLevelRecord(name="group.version", feature_level=1),
        FeatureLevelRecord(name="eligible.leader.replicas.version", feature_level=1),
        *_brokers(),
        _controller(),
        *_topics(),
        *_configs(),
        *_quotas(),
        ProducerIdsRecord(broker_id=-1, broker_epoch=-1, next_producer_id=3000),
        *_security(),
    ]


def encoded(records: Sequence[Message]) -> list[bytes]:
    """Framed, as they lie in a log of `METADATA_VERSION`."""
    return [encode_metadata_record(each, record_version(each, METADATA_VERSION)) for each in records]


def snapshot_bytes(records: list[Message]) -> bytes:
    """The snapshot `SNAPSHOT_ID` of these records."""
    return b"".join(
        build_snapshot(
            encoded(records),
            epoch=EPOCH,
            timestamp_ms=APPEND_TIME_MS + 5000,
            last_contained_log_timestamp=APPEND_TIME_MS,
        )
    )


def write_snapshot(directory: Path, records: list[Message] | None = None) -> Path:
    """A snapshot in a directory, of `metadata_records` unless said otherwise."""
    path = directory / SNAPSHOT_NAME
    path.write_bytes(snapshot_bytes(metadata_records() if records is None else records))
    return path


def make_log(directory: Path) -> None:
    """A metadata log from offset 0 on: a control batch, `metadata_records` in one batch, each of `later_records` in a
    batch of its own. Ends at offset `LOG_END_OFFSET`."""
    log = Log.open(OsDisk(), str(directory), topic_id=METADATA_TOPIC_ID, config=LogConfig(segment_bytes=3500))
    change = LeaderChangeMessage(leader_id=1, voters=[], granting_voters=[])
    key, value = encode_control_record(ControlRecordType.LEADER_CHANGE, change)
    log.append(
        [
            build_batch(
                [(key, value, ())], base_offset=0, partition_leader_epoch=EPOCH, timestamp_ms=1, control=True
            )
        ]
    )
    for records in (metadata_records(), *([record] for record in later_records())):
        values = encoded(records)
        batch = build_batch(
            [(None, each, ()) for each in values],
            base_offset=log.log_end_offset,
            partition_leader_epoch=EPOCH,
            timestamp_ms=APPEND_TIME_MS + log.log_end_offset,
        )
        log.append([batch])
    assert log.log_end_offset == LOG_END_OFFSET
    log.close()


def later_records() -> list[Message]:
    """What happens behind `metadata_records`: twenty times another value of one key."""
    return [
        ConfigRecord(resource_type=2, resource_name="orders", name="retention.ms", value=str(number))
        for number in range(20)
    ]


FIRST_LATER_OFFSET = 1 + len(metadata_records())
LOG_END_OFFSET = FIRST_LATER_OFFSET + len(later_records())
