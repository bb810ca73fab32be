"""Replays the records of configs, features, quotas, producer ids and security: each function returns the image after
one record.

`metadata.image.replay` has the table of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

import msgspec
from immutables import Map

from kafkaproto_server.metadata.image.acl_index import with_acl, without_acl
from kafkaproto_server.metadata.image.entries import (
    METADATA_VERSION_FEATURE,
    QUOTA_ENTITY_TYPES,
    AccessControlEntry,
    DelegationToken,
    QuotaEntity,
    ScramCredential,
)
from kafkaproto_server.metadata.image.errors import Contradiction
from kafkaproto_server.metadata.image.image import ClusterImage

if TYPE_CHECKING:
    from kafkaproto import messages


def set_config(image: ClusterImage, record: messages.ConfigRecord, offset: int) -> ClusterImage:
    resource = (record.resource_type, record.resource_name)
    # Not checked by name: a controller of a later release may record keys that this one does not know.
    values = image.config(*resource)
    # An empty text is a value; only null deletes.
    if record.value is not None:
        return msgspec.structs.replace(
            image, configs=image.configs.set(resource, values.set(record.name, record.value))
        )
    # Not a contradiction: Kafka records the deletion of a key of a broker even if it was not set.
    if record.name not in values:
        return image
    values = values.delete(record.name)
    # An empty entry would make images unequal that hold the same, and a snapshot does not hold it.
    configs = image.configs.set(resource, values) if values else image.configs.delete(resource)
    return msgspec.structs.replace(image, configs=configs)


def set_feature_level(image: ClusterImage, record: messages.FeatureLevelRecord, offset: int) -> ClusterImage:
    name, level = record.name, record.feature_level
    # The record has it signed, and a level below "off" means nothing.
    if level < 0:
        raise Contradiction(f"the level of {name} is {level}")
    if level > 0:
        features = image.features.set(name, level)
    elif name == METADATA_VERSION_FEATURE:
        # Every later record is written in the version that this level gives. At 0, the next active
        # controller would take the log for a new one.
        raise Contradiction("metadata.version cannot be removed")
    else:
        # Level 0 is the absence of the feature. A snapshot has no record of it.
        features = image.features.delete(name) if name in image.features else image.features
    # Even if the level is the same: Kafka writes it again and so do we, and clients see a new epoch.
    return msgspec.structs.replace(image, features=features, features_offset=offset)


def quota_entity_order(pair: tuple[str, str | None]) -> tuple[str, bool, str]:
    """Sort key of an entity's (type, name) pair: by type, the default entity before the named ones."""
    entity_type, name = pair
    return entity_type, name is not None, name or ""


def quota_entity(pairs: Iterable[tuple[str, str | None]]) -> QuotaEntity:
    """The entity that has these (type, name) pairs. More pairs than an entity can have are cut to one too many; what is
    left is no valid entity either."""
    # Sorted, so that one entity has one key, in whatever order a request or record names its parts.
    return tuple(sorted(islice(pairs, len(QUOTA_ENTITY_TYPES) + 1), key=quota_entity_order))


def set_client_quota(image: ClusterImage, record: messages.ClientQuotaRecord, offset: int) -> ClusterImage:
    entity = quota_entity((each.entity_type, each.entity_name) for each in record.entity)
    values = image.client_quotas.get(entity, Map())
    if not record.remove:
        # Not checked either: brokers take no notice of a key that they do not know.
        changed = values.set(record.key, record.value)
        return msgspec.structs.replace(image, client_quotas=image.client_quotas.set(entity, changed))
    # As with configs: Kafka may record the removal of what is not there.
    if record.key not in values:
        return image
    values = values.delete(record.key)
    quotas = image.client_quotas.set(entity, values) if values else image.client_quotas.delete(entity)
    return msgspec.structs.replace(image, client_quotas=quotas)


def set_producer_ids(image: ClusterImage, record: messages.ProducerIdsRecord, offset: int) -> ClusterImage:
    # The same ids would be handed out again, and two producers with one id would fence each other.
    if record.next_producer_id < image.next_producer_id:
        raise Contradiction(
            f"the next producer id falls from {image.next_producer_id} to {record.next_producer_id}"
        )
    return msgspec.structs.replace(image, next_producer_id=record.next_producer_id)


def add_acl(image: ClusterImage, record: messages.AccessControlEntryRecord, offset: int) -> ClusterImage:
    # The controller never draws an id that is taken, so log and reader disagree about the past.
    if record.id in image.acls:
        raise Contradiction(f"an ACL with the id {record.id.hex()} exists")
    entry = AccessControlEntry(
        resource_type=record.resource_type,
        resource_name=record.resource_name,
        pattern_type=record.pattern_type,
        principal=record.principal,
        host=record.host,
        operation=record.operation,
        permission_type=record.permission_type,
    )
    return msgspec.structs.replace(
        image,
        acls=image.acls.set(record.id, entry),
        acl_counts=image.acl_counts.set(entry, image.acl_counts.get(entry, 0) + 1),
        # With the ACLs in one image, so that no decision sees the one without the other.
        acl_index=with_acl(image.acl_index, record.id, entry),
    )


def remove_acl(
    image: ClusterImage, record: messages.RemoveAccessControlEntryRecord, offset: int
) -> ClusterImage:
    if record.id not in image.acls:
        raise Contradiction(f"no ACL has the id {record.id.hex()}")
    entry = image.acls[record.id]
    # Two ids may stand for one ACL if another controller wrote them. It applies until both are
    # removed.
    others = image.acl_counts[entry] - 1
    assert others >= 0, f"an ACL has {others} ids left"
    counts = image.acl_counts.set(entry, others) if others else image.acl_counts.delete(entry)
    return msgspec.structs.replace(
        image,
        acls=image.acls.delete(record.id),
        acl_counts=counts,
        acl_index=without_acl(image.acl_index, record.id, entry),
    )


def set_scram_credential(
    image: ClusterImage, record: messages.UserScramCredentialRecord, offset: int
) -> ClusterImage:
    credential = ScramCredential(
        salt=record.salt,
        stored_key=record.stored_key,
        server_key=record.server_key,
        iterations=record.iterations,
    )
    # By mechanism and name: a user may have one of each (KIP-554).
    credentials = image.scram_credentials.set((record.mechanism, record.name), credential)
    return msgspec.structs.replace(image, scram_credentials=credentials)


def remove_scram_credential(
    image: ClusterImage, record: messages.RemoveUserScramCredentialRecord, offset: int
) -> ClusterImage:
    key = (record.mechanism, record.name)
    # The controller refuses such a request, so log and reader disagree about the past.
    if key not in image.scram_credentials:
        raise Contradiction(f"user {record.name!r} has no credential of mechanism {record.mechanism}")
    return msgspec.structs.replace(image, scram_credentials=image.scram_credentials.delete(key))


def set_delegation_token(
    image: ClusterImage, record: messages.DelegationTokenRecord, offset: int
) -> ClusterImage:
    # A renewal is the whole token again: the record replaces the one before.
    token = DelegationToken(
        owner=record.owner,
        requester=record.requester,
        renewers=tuple(record.renewers),
        issue_timestamp_ms=record.issue_timestamp,
        max_timestamp_ms=record.max_timestamp,
        expiration_timestamp_ms=record.expiration_timestamp,
    )
    return msgspec.structs.replace(
        image, delegation_tokens=image.delegation_tokens.set(record.token_id, token)
    )


def remove_delegation_token(
    image: ClusterImage, record: messages.RemoveDelegationTokenRecord, offset: int
) -> ClusterImage:
    # A controller removes only what its image has.
    if record.token_id not in image.delegation_tokens:
        raise Contradiction(f"no delegation token has the id {record.token_id!r}")
    return msgspec.structs.replace(image, delegation_tokens=image.delegation_tokens.delete(record.token_id))
