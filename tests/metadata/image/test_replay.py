"""What each metadata record does to an image, and which records contradict it.

Tests: `metadata.image.apply_cluster`, `metadata.image.apply_configs`, `metadata.image.apply_topics`.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from immutables import Map

from kafkaproto.message import Message
from kafkaproto.messages import (
    AbortTransactionRecord,
    AccessControlEntryRecord,
    BrokerRegistrationChangeRecord,
    ClearElrRecord,
    ClientQuotaRecord,
    ConfigRecord,
    DelegationTokenRecord,
    FeatureLevelRecord,
    FenceBrokerRecord,
    NoOpRecord,
    PartitionChangeRecord,
    PartitionRecord,
    ProducerIdsRecord,
    RegisterBrokerRecord,
    RegisterControllerRecord,
    RemoveAccessControlEntryRecord,
    RemoveDelegationTokenRecord,
    RemoveTopicRecord,
    RemoveUserScramCredentialRecord,
    TopicRecord,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
    UnregisterControllerRecord,
    UserScramCredentialRecord,
    ZkMigrationStateRecord,
)
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.image.entries import (
    MIGRATING_DIRECTORY,
    BrokerRegistration,
    ControllerRegistration,
    DelegationToken,
    FeatureRange,
    PartitionImage,
    QuotaEntity,
    ScramCredential,
)
from kafkaproto_server.metadata.image.errors import ReplayError
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.replay import APPLY, APPLY_IN_STEPS, replay
from kafkaproto_server.metadata.image.snapshot import image_records
from tests.metadata.security.support.acl_making import acl, acl_record

TOPIC_ID = b"t" * 16
DIRECTORIES = tuple(bytes([65 + number]) * 16 for number in range(5))


def replayed(*records: Message, image: ClusterImage = EMPTY_IMAGE) -> ClusterImage:
    for offset, record in enumerate(records):
        image = replay(image, record, offset)
    return image


def register(broker_id: int = 1, **fields: Any) -> RegisterBrokerRecord:
    given: dict[str, Any] = {
        "broker_id": broker_id,
        "incarnation_id": b"i" * 16,
        "broker_epoch": 7,
        "end_points": [RegisterBrokerRecord.BrokerEndpoint(name="L", host="h", port=1, security_protocol=2)],
        "features": [
            RegisterBrokerRecord.BrokerFeature(name="f", min_supported_version=0, max_supported_version=3)
        ],
        "log_dirs": [DIRECTORIES[1], DIRECTORIES[0]],
        **fields,
    }
    return RegisterBrokerRecord(**given)


def partition(index: int = 0, **fields: Any) -> PartitionRecord:
    given: dict[str, Any] = {
        "partition_id": index,
        "topic_id": TOPIC_ID,
        "replicas": [1, 2, 3],
        "isr": [1, 2],
        "leader": 1,
        "leader_epoch": 4,
        "partition_epoch": 9,
        "directories": list(DIRECTORIES[:3]),
        **fields,
    }
    return PartitionRecord(**given)


def change(index: int = 0, **fields: Any) -> PartitionChangeRecord:
    return PartitionChangeRecord(partition_id=index, topic_id=TOPIC_ID, **fields)


TOPIC = TopicRecord(name="t", topic_id=TOPIC_ID)
WITH_PARTITION = replayed(TOPIC, partition())


def changed(**fields: Any) -> PartitionImage:
    """The one partition after a change."""
    return replay(WITH_PARTITION, change(**fields), 2).topics[TOPIC_ID].partitions[0]


BEFORE = WITH_PARTITION.topics[TOPIC_ID].partitions[0]


# --- brokers and controllers ---


def test_a_registered_broker_is_all_that_its_record_says() -> None:
    image = replay(EMPTY_IMAGE, register(rack="r", cordoned_log_dirs=[DIRECTORIES[1]]), 33)
    assert image.brokers[1] == BrokerRegistration(
        broker_id=1,
        incarnation_id=b"i" * 16,
        epoch=7,
        endpoints=(Endpoint(name="L", host="h", port=1, security_protocol=2),),
        features=(FeatureRange(name="f", min_level=0, max_level=3),),
        rack="r",
        fenced=True,
        in_controlled_shutdown=False,
        directories=DIRECTORIES[:2],
        cordoned_directories=(DIRECTORIES[1],),
    )
    assert image.brokers[1].registration_offset == 33


def test_registering_again_replaces_the_registration() -> None:
    image = replayed(register(), register(broker_epoch=8, fenced=False, rack=None))
    assert len(image.brokers) == 1
    assert (image.brokers[1].epoch, image.brokers[1].fenced, image.brokers[1].registration_offset) == (
        8,
        False,
        1,
    )


def test_an_unregistered_broker_is_gone() -> None:
    image = replayed(register(), UnregisterBrokerRecord(broker_id=1, broker_epoch=7))
    assert image == EMPTY_IMAGE


@pytest.mark.parametrize(
    ("old", "value", "new"), [(True, -1, False), (True, 0, True), (False, 0, False), (False, 1, True)]
)
def test_a_registration_change_fences_unfences_or_leaves_alone(old: bool, value: int, new: bool) -> None:
    record = BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=7, fenced=value)
    assert replayed(register(fenced=old), record).brokers[1].fenced is new


def test_old_records_fence_and_unfence() -> None:
    image = replayed(register(), UnfenceBrokerRecord(id=1, epoch=7))
    assert not image.brokers[1].fenced
    image = replay(image, FenceBrokerRecord(id=1, epoch=7), 2)
    assert image.brokers[1].fenced


def test_a_controlled_shutdown_is_not_taken_back_by_a_later_change() -> None:
    record = BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=7, in_controlled_shutdown=1)
    image = replayed(
        register(), record, BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=7, fenced=-1)
    )
    assert image.brokers[1].in_controlled_shutdown


def test_directories_change_only_if_the_record_names_any() -> None:
    registered = replayed(register(cordoned_log_dirs=[]))
    record = BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=7)
    assert replay(registered, record, 1) == registered
    record.log_dirs = [DIRECTORIES[4], DIRECTORIES[3]]
    record.cordoned_log_dirs = [DIRECTORIES[4]]
    broker = replay(registered, record, 1).brokers[1]
    assert broker.directories == DIRECTORIES[3:5]
    assert broker.cordoned_directories == (DIRECTORIES[4],)


def test_an_unregistered_controller_is_gone_and_the_others_stay() -> None:
    both = replayed(RegisterControllerRecord(controller_id=3), RegisterControllerRecord(controller_id=4))
    image = replay(both, UnregisterControllerRecord(controller_id=3), 2)
    assert [*image.controllers] == [4]
    assert replay(image, RegisterControllerRecord(controller_id=3), 3) == both
    assert [record.controller_id for record, _ in image_records(image)] == [4]


def test_a_registered_controller_is_all_that_its_record_says() -> None:
    record = RegisterControllerRecord(
        controller_id=3,
        incarnation_id=b"i" * 16,
        zk_migration_ready=True,
        end_points=[
            RegisterControllerRecord.ControllerEndpoint(name="C", host="h", port=9, security_protocol=0)
        ],
        features=[
            RegisterControllerRecord.ControllerFeature(
                name="f", min_supported_version=1, max_supported_version=2
            )
        ],
    )
    assert replayed(record).controllers == Map(
        {
            3: ControllerRegistration(
                controller_id=3,
                incarnation_id=b"i" * 16,
                endpoints=(Endpoint(name="C", host="h", port=9),),
                features=(FeatureRange(name="f", min_level=1, max_level=2),),
                zk_migration_ready=True,
            )
        }
    )


# --- topics and partitions ---


def test_a_partition_is_all_that_its_record_says() -> None:
    record = partition(
        removing_replicas=[3],
        adding_replicas=[2],
        leader_recovery_state=1,
        eligible_leader_replicas=[3],
        last_known_elr=[2],
    )
    image = replayed(TOPIC, record)
    assert image.topic_by_name("t") is image.topics[TOPIC_ID]
    assert image.partition(TOPIC_ID, 0) == PartitionImage(
        replicas=(1, 2, 3),
        directories=DIRECTORIES[:3],
        isr=(1, 2),
        removing_replicas=(3,),
        adding_replicas=(2,),
        leader=1,
        leader_recovery_state=1,
        leader_epoch=4,
        partition_epoch=9,
        elr=(3,),
        last_known_elr=(2,),
    )


def test_a_partition_from_before_directories_is_migrating() -> None:
    image = replayed(TOPIC, partition(directories=[]))
    assert image.topics[TOPIC_ID].partitions[0].directories == (MIGRATING_DIRECTORY,) * 3


def test_every_change_raises_the_partition_epoch() -> None:
    assert changed() == msgspec.structs.replace(BEFORE, partition_epoch=10)


@pytest.mark.parametrize("leader", [1, 2, -1])
def test_naming_a_leader_raises_the_leader_epoch_even_for_the_same_one(leader: int) -> None:
    assert changed(leader=leader) == msgspec.structs.replace(
        BEFORE, leader=leader, leader_epoch=5, partition_epoch=10
    )


def test_a_change_sets_what_it_names() -> None:
    after = changed(
        isr=[],
        replicas=[2, 1],
        removing_replicas=[2],
        adding_replicas=[1],
        leader_recovery_state=1,
        directories=list(DIRECTORIES[3:5]),
        eligible_leader_replicas=[1],
        last_known_elr=[2],
    )
    assert after == PartitionImage(
        replicas=(2, 1),
        directories=DIRECTORIES[3:5],
        isr=(),
        removing_replicas=(2,),
        adding_replicas=(1,),
        leader=1,
        leader_recovery_state=1,
        leader_epoch=4,
        partition_epoch=10,
        elr=(1,),
        last_known_elr=(2,),
    )


def test_replicas_that_stay_keep_their_directories() -> None:
    assert changed(replicas=[3, 4, 1]).directories == (DIRECTORIES[2], MIGRATING_DIRECTORY, DIRECTORIES[0])


def test_a_removed_topic_takes_its_partitions_and_configs_along() -> None:
    others = replayed(ConfigRecord(resource_type=2, resource_name="u", name="k", value="v"))
    image = replayed(
        TOPIC,
        partition(),
        ConfigRecord(resource_type=2, resource_name="t", name="k", value="v"),
        RemoveTopicRecord(topic_id=TOPIC_ID),
        image=others,
    )
    assert image == others


def test_a_topic_without_configs_can_be_removed() -> None:
    assert replayed(TOPIC, RemoveTopicRecord(topic_id=TOPIC_ID)) == EMPTY_IMAGE


def test_elr_is_cleared_where_there_is_any() -> None:
    image = replayed(
        TOPIC,
        partition(0, eligible_leader_replicas=[3]),
        partition(1, last_known_elr=[3]),
        partition(2),
        ClearElrRecord(topic_name="t"),
    )
    partitions = image.topics[TOPIC_ID].partitions
    assert [(each.elr, each.last_known_elr) for each in partitions.values()] == [((), ())] * 3
    assert [partitions[index].partition_epoch for index in range(3)] == [10, 10, 9]


def test_elr_of_all_topics_is_cleared_at_once() -> None:
    other = TopicRecord(name="u", topic_id=b"u" * 16)
    records = [partition(eligible_leader_replicas=[3]), partition(eligible_leader_replicas=[3])]
    records[1].topic_id = other.topic_id
    image = replayed(TOPIC, other, *records, ClearElrRecord(topic_name=""))
    assert [topic.partitions[0].elr for topic in image.topics.values()] == [(), ()]


# --- settings and security ---


def test_a_config_is_set_replaced_and_deleted() -> None:
    def set_to(name: str, value: str | None) -> ConfigRecord:
        return ConfigRecord(resource_type=4, resource_name="", name=name, value=value)

    image = replayed(set_to("a", "1"), set_to("b", ""), set_to("a", "2"))
    assert image.config(4, "") == Map({"a": "2", "b": ""})
    assert image.config(4, "1") == Map()
    image = replay(image, set_to("a", None), 3)
    assert image.config(4, "") == Map({"b": ""})
    image = replay(image, set_to("a", None), 4)
    assert image.config(4, "") == Map({"b": ""})
    assert replay(image, set_to("b", None), 5) == EMPTY_IMAGE


def test_a_feature_is_set_and_removed_and_the_offset_of_that_kept() -> None:
    image = replay(EMPTY_IMAGE, FeatureLevelRecord(name="metadata.version", feature_level=30), 5)
    assert (image.metadata_version, image.features_offset) == (30, 5)
    image = replay(image, FeatureLevelRecord(name="f", feature_level=2), 6)
    assert image.features == Map({"metadata.version": 30, "f": 2})
    image = replay(image, FeatureLevelRecord(name="f", feature_level=0), 7)
    assert (image.features, image.features_offset) == (Map({"metadata.version": 30}), 7)
    assert replay(image, FeatureLevelRecord(name="f", feature_level=0), 8).features == image.features


def test_a_quota_is_set_and_removed() -> None:
    def quota(key: str, value: float, remove: bool, *entity: tuple[str, str | None]) -> ClientQuotaRecord:
        parts = [ClientQuotaRecord.EntityData(entity_type=kind, entity_name=name) for kind, name in entity]
        return ClientQuotaRecord(entity=parts, key=key, value=value, remove=remove)

    user_and_client = (("user", "u"), ("client-id", None))
    image = replayed(quota("k", 1.5, False, *user_and_client), quota("l", 2.0, False, *user_and_client))
    entity: QuotaEntity = (("client-id", None), ("user", "u"))
    expected: Map[QuotaEntity, Map[str, float]] = Map({entity: Map({"k": 1.5, "l": 2.0})})
    assert image.client_quotas == expected
    # The order in which an entity is spelt out does not matter.
    image = replay(image, quota("k", 0.0, True, *reversed(user_and_client)), 2)
    expected = Map({entity: Map({"l": 2.0})})
    assert image.client_quotas == expected
    assert replay(image, quota("k", 0.0, True, *user_and_client), 3) == image
    assert replay(image, quota("l", 0.0, True, *user_and_client), 3) == EMPTY_IMAGE
    assert replay(image, quota("l", 0.0, True, ("user", None)), 3) == image


def test_producer_ids_are_counted_up() -> None:
    record = ProducerIdsRecord(broker_id=1, broker_epoch=2, next_producer_id=1000)
    assert replayed(record).next_producer_id == 1000


def test_an_acl_is_added_and_removed() -> None:
    # Numbers that differ, so that none can stand in for another.
    numbers = {"resource_type": 2, "pattern_type": 3, "operation": 4, "permission_type": 5}
    image = replayed(acl_record(b"a" * 16, **numbers))
    assert image.acls == Map({b"a" * 16: acl(**numbers)})
    assert replay(image, RemoveAccessControlEntryRecord(id=b"a" * 16), 1) == EMPTY_IMAGE


def test_a_scram_credential_is_set_and_removed() -> None:
    record = UserScramCredentialRecord(
        name="u", mechanism=1, salt=b"s", stored_key=b"k", server_key=b"v", iterations=4096
    )
    image = replayed(record)
    credential = ScramCredential(salt=b"s", stored_key=b"k", server_key=b"v", iterations=4096)
    expected: Map[tuple[int, str], ScramCredential] = Map({(1, "u"): credential})
    assert image.scram_credentials == expected
    assert replay(image, RemoveUserScramCredentialRecord(name="u", mechanism=1), 1) == EMPTY_IMAGE


def test_a_delegation_token_is_set_renewed_and_removed() -> None:
    record = DelegationTokenRecord(
        owner="User:o",
        requester="User:r",
        renewers=["User:x"],
        issue_timestamp=1,
        max_timestamp=3,
        expiration_timestamp=2,
        token_id="i",
    )
    token = DelegationToken(
        owner="User:o",
        requester="User:r",
        renewers=("User:x",),
        issue_timestamp_ms=1,
        max_timestamp_ms=3,
        expiration_timestamp_ms=2,
    )
    image = replayed(record)
    assert image.delegation_tokens == Map({"i": token})
    record.expiration_timestamp = 3
    image = replay(image, record, 1)
    assert image.delegation_tokens["i"].expiration_timestamp_ms == 3
    assert replay(image, RemoveDelegationTokenRecord(token_id="i"), 2) == EMPTY_IMAGE


def test_records_without_content_change_nothing() -> None:
    assert replay(WITH_PARTITION, NoOpRecord(), 2) is WITH_PARTITION
    assert replay(WITH_PARTITION, ZkMigrationStateRecord(zk_migration_state=1), 2) is WITH_PARTITION


# --- contradictions ---


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (
            UnregisterBrokerRecord(broker_id=2, broker_epoch=7),
            "UnregisterBrokerRecord at offset 9: broker 2 is not registered",
        ),
        (
            UnregisterBrokerRecord(broker_id=1, broker_epoch=6),
            "UnregisterBrokerRecord at offset 9: broker 1 is registered with epoch 7, not 6",
        ),
        (
            UnregisterControllerRecord(controller_id=2),
            "UnregisterControllerRecord at offset 9: controller 2 is not registered",
        ),
        (FenceBrokerRecord(id=2, epoch=7), "FenceBrokerRecord at offset 9: broker 2 is not registered"),
        (UnfenceBrokerRecord(id=2, epoch=7), "UnfenceBrokerRecord at offset 9: broker 2 is not registered"),
        (
            BrokerRegistrationChangeRecord(broker_id=2, broker_epoch=7),
            "BrokerRegistrationChangeRecord at offset 9: broker 2 is not registered",
        ),
        (
            BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=7, fenced=2),
            "BrokerRegistrationChangeRecord at offset 9: Fenced is 2, none of 1, 0 and -1",
        ),
        (
            BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=7, in_controlled_shutdown=-1),
            "BrokerRegistrationChangeRecord at offset 9: InControlledShutdown is -1, neither 1 nor 0",
        ),
        (TOPIC, "TopicRecord at offset 9: topic 't' exists"),
        (
            TopicRecord(name="u", topic_id=TOPIC_ID),
            f"TopicRecord at offset 9: topic id {TOPIC_ID.hex()} belongs to another topic",
        ),
        (
            RemoveTopicRecord(topic_id=bytes(16)),
            f"RemoveTopicRecord at offset 9: no topic has the id {'0' * 32}",
        ),
        (
            PartitionRecord(partition_id=0, topic_id=bytes(16)),
            f"PartitionRecord at offset 9: no topic has the id {'0' * 32}",
        ),
        (
            partition(directories=[DIRECTORIES[0]]),
            "PartitionRecord at offset 9: 1 directories for 3 replicas",
        ),
        (
            partition(leader_recovery_state=2),
            "PartitionRecord at offset 9: LeaderRecoveryState is 2, neither 0 nor 1",
        ),
        (
            PartitionChangeRecord(partition_id=0, topic_id=bytes(16)),
            f"PartitionChangeRecord at offset 9: no topic has the id {'0' * 32}",
        ),
        (change(1), "PartitionChangeRecord at offset 9: topic 't' has no partition 1"),
        (
            change(directories=[DIRECTORIES[0]]),
            "PartitionChangeRecord at offset 9: t-0: 1 directories for 3 replicas",
        ),
        (
            change(leader_recovery_state=2),
            "PartitionChangeRecord at offset 9: t-0: LeaderRecoveryState is 2, none of 0, 1 and -1",
        ),
        (ClearElrRecord(topic_name="u"), "ClearElrRecord at offset 9: topic 'u' does not exist"),
        (
            FeatureLevelRecord(name="f", feature_level=-1),
            "FeatureLevelRecord at offset 9: the level of f is -1",
        ),
        (
            FeatureLevelRecord(name="metadata.version", feature_level=0),
            "FeatureLevelRecord at offset 9: metadata.version cannot be removed",
        ),
        (
            ProducerIdsRecord(next_producer_id=999),
            "ProducerIdsRecord at offset 9: the next producer id falls from 1000 to 999",
        ),
        (
            AccessControlEntryRecord(id=b"a" * 16),
            f"AccessControlEntryRecord at offset 9: an ACL with the id {'61' * 16} exists",
        ),
        (
            RemoveAccessControlEntryRecord(id=bytes(16)),
            f"RemoveAccessControlEntryRecord at offset 9: no ACL has the id {'0' * 32}",
        ),
        (
            RemoveUserScramCredentialRecord(name="u", mechanism=2),
            "RemoveUserScramCredentialRecord at offset 9: user 'u' has no credential of mechanism 2",
        ),
        (
            RemoveDelegationTokenRecord(token_id="i"),
            "RemoveDelegationTokenRecord at offset 9: no delegation token has the id 'i'",
        ),
        (
            AbortTransactionRecord(),
            "AbortTransactionRecord at offset 9: record type 25 does not change an image",
        ),
    ],
)
def test_a_record_that_contradicts_the_image_is_named(record: Message, reason: str) -> None:
    image = replayed(
        register(),
        TOPIC,
        partition(),
        ProducerIdsRecord(next_producer_id=1000),
        AccessControlEntryRecord(id=b"a" * 16),
    )
    with pytest.raises(ReplayError) as error:
        replay(image, record, 9)
    assert str(error.value) == reason
    assert (error.value.record_name, error.value.offset) == (record.NAME, 9)


def test_the_table_has_every_record_type_but_the_marks_of_transactions() -> None:
    from kafkaproto.generated.registry import METADATA_RECORDS

    assert sorted({**APPLY, **APPLY_IN_STEPS}) == [
        number for number in sorted(METADATA_RECORDS) if number not in (23, 24, 25)
    ]
