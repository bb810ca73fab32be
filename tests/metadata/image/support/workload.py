"""Random metadata records that make sense on an image, of every type that changes one."""

from __future__ import annotations

import random
from collections.abc import Callable

from kafkaproto.message import Message
from kafkaproto.messages import (
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
from kafkaproto_server.metadata.image.image import ClusterImage

Random = random.Random
Maker = Callable[[Random, ClusterImage, int], Message | None]

_NAMES = ("a", "b", "c", "d.e", "ä")


def metadata_version_record(level: int = 30) -> Message:
    """What every log starts with."""
    return FeatureLevelRecord(name="metadata.version", feature_level=level)


def random_record(rng: Random, image: ClusterImage, offset: int) -> Message:
    """A record that does not contradict the image."""
    while True:
        record = rng.choice(_MAKERS)(rng, image, offset)
        if record is not None:
            return record


def random_records(rng: Random, count: int) -> list[Message]:
    """A log of records, metadata.version first."""
    from kafkaproto_server.metadata.image.replay import replay

    records = [metadata_version_record()]
    image = replay(ClusterImage(), records[0], 0)
    for offset in range(1, count):
        records.append(random_record(rng, image, offset))
        image = replay(image, records[-1], offset)
    return records


def _directory(rng: Random) -> bytes:
    return rng.randbytes(16)


def _some(rng: Random, items: list[int]) -> list[int]:
    return rng.sample(items, rng.randint(0, len(items)))


def _register_broker(rng: Random, image: ClusterImage, offset: int) -> Message:
    return RegisterBrokerRecord(
        broker_id=rng.randint(0, 5),
        incarnation_id=rng.randbytes(16),
        broker_epoch=offset,
        end_points=[
            RegisterBrokerRecord.BrokerEndpoint(name=name, host="h", port=9092 + i, security_protocol=i)
            for i, name in enumerate(("PLAINTEXT", "SSL")[: rng.randint(0, 2)])
        ],
        features=[
            RegisterBrokerRecord.BrokerFeature(
                name="metadata.version", min_supported_version=7, max_supported_version=30
            )
        ],
        rack=rng.choice((None, "r1", "")),
        fenced=rng.random() < 0.5,
        in_controlled_shutdown=rng.random() < 0.2,
        log_dirs=[_directory(rng) for _ in range(rng.randint(0, 2))],
        cordoned_log_dirs=rng.choice((None, [], [_directory(rng)])),
    )


def _any_broker(rng: Random, image: ClusterImage) -> tuple[int, int] | None:
    """(broker id, broker epoch) of a registered broker."""
    if not image.brokers:
        return None
    broker_id = rng.choice(sorted(image.brokers))
    return broker_id, image.brokers[broker_id].epoch


def _unregister_broker(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    broker = _any_broker(rng, image)
    return None if broker is None else UnregisterBrokerRecord(broker_id=broker[0], broker_epoch=broker[1])


def _change_broker(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    broker = _any_broker(rng, image)
    if broker is None:
        return None
    return BrokerRegistrationChangeRecord(
        broker_id=broker[0],
        broker_epoch=broker[1],
        fenced=rng.randint(-1, 1),
        in_controlled_shutdown=rng.randint(0, 1),
        log_dirs=[_directory(rng) for _ in range(rng.randint(0, 2))],
        cordoned_log_dirs=rng.choice((None, [], [_directory(rng)])),
    )


def _fence_broker(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    broker = _any_broker(rng, image)
    return None if broker is None else FenceBrokerRecord(id=broker[0], epoch=broker[1])


def _unfence_broker(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    broker = _any_broker(rng, image)
    return None if broker is None else UnfenceBrokerRecord(id=broker[0], epoch=broker[1])


def _register_controller(rng: Random, image: ClusterImage, offset: int) -> Message:
    return RegisterControllerRecord(
        controller_id=rng.randint(0, 3),
        incarnation_id=rng.randbytes(16),
        zk_migration_ready=rng.random() < 0.5,
        end_points=[
            RegisterControllerRecord.ControllerEndpoint(
                name="CONTROLLER", host="h", port=9093, security_protocol=0
            )
        ],
        features=[
            RegisterControllerRecord.ControllerFeature(
                name="kraft.version", min_supported_version=0, max_supported_version=1
            )
        ],
    )


def _unregister_controller(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    if not image.controllers:
        return None
    return UnregisterControllerRecord(controller_id=rng.choice(sorted(image.controllers)))


def _add_topic(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    name = rng.choice(_NAMES)
    return None if name in image.topic_ids else TopicRecord(name=name, topic_id=rng.randbytes(16))


def _any_topic_id(rng: Random, image: ClusterImage) -> bytes | None:
    return image.topic_ids[rng.choice(sorted(image.topic_ids))] if image.topic_ids else None


def _remove_topic(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    topic_id = _any_topic_id(rng, image)
    return None if topic_id is None or rng.random() < 0.7 else RemoveTopicRecord(topic_id=topic_id)


def _set_partition(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    topic_id = _any_topic_id(rng, image)
    if topic_id is None:
        return None
    replicas = rng.sample(range(6), rng.randint(1, 4))
    isr = _some(rng, replicas)
    elr = rng.choice((None, [], _some(rng, replicas)))
    return PartitionRecord(
        partition_id=len(image.topics[topic_id].partitions),
        topic_id=topic_id,
        replicas=replicas,
        isr=isr,
        removing_replicas=_some(rng, replicas),
        adding_replicas=_some(rng, replicas),
        leader=rng.choice([*isr, -1]),
        leader_recovery_state=rng.randint(0, 1),
        leader_epoch=rng.randint(0, 9),
        partition_epoch=rng.randint(0, 9),
        directories=[_directory(rng) for _ in replicas],
        eligible_leader_replicas=elr,
        last_known_elr=rng.choice((None, [], _some(rng, replicas))),
    )


def _change_partition(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    topic_id = _any_topic_id(rng, image)
    if topic_id is None or not image.topics[topic_id].partitions:
        return None
    index = rng.choice(sorted(image.topics[topic_id].partitions))
    old = list(image.topics[topic_id].partitions[index].replicas)
    replicas = rng.choice((None, rng.sample(range(6), rng.randint(1, 4))))
    current = old if replicas is None else replicas
    # New replicas never come without directories once brokers tell theirs.
    directories = None if replicas is None and rng.random() < 0.7 else [_directory(rng) for _ in current]
    return PartitionChangeRecord(
        partition_id=index,
        topic_id=topic_id,
        isr=rng.choice((None, _some(rng, current))),
        leader=rng.choice([-2, -1, *current]),
        replicas=replicas,
        removing_replicas=rng.choice((None, [], _some(rng, current))),
        adding_replicas=rng.choice((None, [], _some(rng, current))),
        leader_recovery_state=rng.randint(-1, 1),
        directories=directories,
        eligible_leader_replicas=rng.choice((None, [], _some(rng, current))),
        last_known_elr=rng.choice((None, [], _some(rng, current))),
    )


def _clear_elr(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    if rng.random() < 0.3:
        return ClearElrRecord(topic_name="")
    return ClearElrRecord(topic_name=rng.choice(sorted(image.topic_ids))) if image.topic_ids else None


def _set_config(rng: Random, image: ClusterImage, offset: int) -> Message:
    resource_type, names = rng.choice(((2, _NAMES), (4, ("", "1")), (32, ("g",))))
    return ConfigRecord(
        resource_type=resource_type,
        resource_name=rng.choice(names),
        name=rng.choice(("retention.ms", "min.insync.replicas")),
        value=rng.choice((None, "1", "2", "")),
    )


def _set_feature_level(rng: Random, image: ClusterImage, offset: int) -> Message:
    name = rng.choice(("group.version", "eligible.leader.replicas.version", "share.version"))
    return FeatureLevelRecord(name=name, feature_level=rng.randint(0, 1))


def _set_client_quota(rng: Random, image: ClusterImage, offset: int) -> Message:
    types = rng.choice((["user"], ["client-id"], ["client-id", "user"], ["user", "client-id"], ["ip"]))
    return ClientQuotaRecord(
        entity=[
            ClientQuotaRecord.EntityData(entity_type=each, entity_name=rng.choice((None, "x")))
            for each in types
        ],
        key=rng.choice(("producer_byte_rate", "consumer_byte_rate")),
        value=rng.choice((1.0, 1024.5)),
        remove=rng.random() < 0.3,
    )


def _set_producer_ids(rng: Random, image: ClusterImage, offset: int) -> Message:
    return ProducerIdsRecord(broker_id=1, broker_epoch=2, next_producer_id=image.next_producer_id + 1000)


def _add_acl(rng: Random, image: ClusterImage, offset: int) -> Message:
    return AccessControlEntryRecord(
        id=rng.randbytes(16),
        resource_type=rng.randint(2, 6),
        resource_name=rng.choice(_NAMES),
        pattern_type=rng.randint(3, 4),
        principal="User:x",
        host="*",
        operation=rng.randint(2, 12),
        permission_type=rng.randint(2, 3),
    )


def _remove_acl(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    return RemoveAccessControlEntryRecord(id=rng.choice(sorted(image.acls))) if image.acls else None


def _set_scram_credential(rng: Random, image: ClusterImage, offset: int) -> Message:
    return UserScramCredentialRecord(
        name=rng.choice(_NAMES),
        mechanism=rng.randint(1, 2),
        salt=rng.randbytes(8),
        stored_key=rng.randbytes(8),
        server_key=rng.randbytes(8),
        iterations=4096,
    )


def _remove_scram_credential(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    if not image.scram_credentials:
        return None
    mechanism, name = rng.choice(sorted(image.scram_credentials))
    return RemoveUserScramCredentialRecord(name=name, mechanism=mechanism)


def _set_delegation_token(rng: Random, image: ClusterImage, offset: int) -> Message:
    return DelegationTokenRecord(
        owner="User:o",
        requester="User:r",
        renewers=rng.choice(([], ["User:x", "User:y"])),
        issue_timestamp=1,
        max_timestamp=9,
        expiration_timestamp=rng.randint(2, 9),
        token_id=rng.choice(_NAMES),
    )


def _remove_delegation_token(rng: Random, image: ClusterImage, offset: int) -> Message | None:
    if not image.delegation_tokens:
        return None
    return RemoveDelegationTokenRecord(token_id=rng.choice(sorted(image.delegation_tokens)))


def _no_op(rng: Random, image: ClusterImage, offset: int) -> Message:
    return rng.choice((NoOpRecord(), ZkMigrationStateRecord(zk_migration_state=0)))


_MAKERS: tuple[Maker, ...] = (
    _register_broker,
    _unregister_broker,
    _change_broker,
    _fence_broker,
    _unfence_broker,
    _register_controller,
    _unregister_controller,
    _add_topic,
    _remove_topic,
    _set_partition,
    _set_partition,
    _change_partition,
    _change_partition,
    _change_partition,
    _clear_elr,
    _set_config,
    _set_feature_level,
    _set_client_quota,
    _set_producer_ids,
    _add_acl,
    _remove_acl,
    _set_scram_credential,
    _remove_scram_credential,
    _set_delegation_token,
    _remove_delegation_token,
    _no_op,
)
