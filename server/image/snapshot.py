"""An image as an ordered list of records, and back: the data part of a KRaft snapshot.

The order is that of stock snapshots: metadata.version before everything (it decides how the rest is read),
the other features, brokers, controllers, each topic followed by its partitions, configs, quotas, producer
ids, ACLs, SCRAM credentials, delegation tokens. Within each kind it is ours: by name or id, so that two
nodes write the same bytes for the same image.

Records come out one at a time, so a snapshot of a large image can be written in slices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kafkaproto.messages import (
    AccessControlEntryRecord,
    ClientQuotaRecord,
    ConfigRecord,
    DelegationTokenRecord,
    FeatureLevelRecord,
    ProducerIdsRecord,
    TopicRecord,
    UserScramCredentialRecord,
)
from server.image.apply_settings import quota_entity_order
from server.image.image import EMPTY_IMAGE, METADATA_VERSION_FEATURE, ClusterImage, QuotaEntity
from server.image.records import (
    partition_record,
    record_version,
    register_broker_record,
    register_controller_record,
)
from server.image.replay import replay


def image_records(image: ClusterImage) -> Iterator[tuple[Any, int]]:
    """(record message, record version) of everything in the image, in the order of a snapshot."""
    for record in _messages(image):
        yield record, record_version(record, image.metadata_version)


def image_from_records(records: Iterable[Any], *, offset: int, epoch: int, timestamp_ms: int) -> ClusterImage:
    """The image that a snapshot's records describe.

    ``offset`` is the last offset that the snapshot contains, ``epoch`` that offset's leader epoch and
    ``timestamp_ms`` the append time that its header names. Raises ReplayError where a record contradicts
    those before it.
    """
    image = EMPTY_IMAGE
    for record in records:
        image = replay(image, record, offset)
    return image.at(offset, epoch, timestamp_ms)


def _messages(image: ClusterImage) -> Iterator[Any]:
    yield from _feature_records(image)
    for broker in image.brokers_in_order():
        yield register_broker_record(broker, image.metadata_version)
    for controller in image.controllers_in_order():
        yield register_controller_record(controller)
    yield from _topic_records(image)
    for resource_type, resource_name in sorted(image.configs):
        values = image.configs[resource_type, resource_name]
        for key in sorted(values):
            yield ConfigRecord(
                resource_type=resource_type, resource_name=resource_name, name=key, value=values[key]
            )
    yield from _quota_records(image)
    if image.next_producer_id > 0:
        # Which broker got the last block is not kept, as in stock snapshots.
        yield ProducerIdsRecord(broker_id=-1, broker_epoch=-1, next_producer_id=image.next_producer_id)
    yield from _security_records(image)


def _feature_records(image: ClusterImage) -> Iterator[Any]:
    def metadata_version_first(name: str) -> tuple[bool, str]:
        return name != METADATA_VERSION_FEATURE, name

    for name in sorted(image.features, key=metadata_version_first):
        yield FeatureLevelRecord(name=name, feature_level=image.features[name])


def _topic_records(image: ClusterImage) -> Iterator[Any]:
    for topic in image.topics_in_order():
        yield TopicRecord(name=topic.name, topic_id=topic.topic_id)
        for index, partition in topic.partitions_in_order():
            yield partition_record(topic.topic_id, index, partition, image.metadata_version)


def _quota_records(image: ClusterImage) -> Iterator[Any]:
    def entity_order(entity: QuotaEntity) -> list[tuple[str, bool, str]]:
        return [quota_entity_order(pair) for pair in entity]

    for entity in sorted(image.client_quotas, key=entity_order):
        values = image.client_quotas[entity]
        for key in sorted(values):
            yield ClientQuotaRecord(
                entity=[
                    ClientQuotaRecord.EntityData(entity_type=entity_type, entity_name=name)
                    for entity_type, name in entity
                ],
                key=key,
                value=values[key],
            )


def _security_records(image: ClusterImage) -> Iterator[Any]:
    for acl_id in sorted(image.acls):
        acl = image.acls[acl_id]
        yield AccessControlEntryRecord(
            id=acl_id,
            resource_type=acl.resource_type,
            resource_name=acl.resource_name,
            pattern_type=acl.pattern_type,
            principal=acl.principal,
            host=acl.host,
            operation=acl.operation,
            permission_type=acl.permission_type,
        )
    for mechanism, user in sorted(image.scram_credentials):
        credential = image.scram_credentials[mechanism, user]
        yield UserScramCredentialRecord(
            name=user,
            mechanism=mechanism,
            salt=credential.salt,
            stored_key=credential.stored_key,
            server_key=credential.server_key,
            iterations=credential.iterations,
        )
    for token_id in sorted(image.delegation_tokens):
        token = image.delegation_tokens[token_id]
        yield DelegationTokenRecord(
            owner=token.owner,
            requester=token.requester,
            renewers=list(token.renewers),
            issue_timestamp=token.issue_timestamp_ms,
            max_timestamp=token.max_timestamp_ms,
            expiration_timestamp=token.expiration_timestamp_ms,
            token_id=token_id,
        )
