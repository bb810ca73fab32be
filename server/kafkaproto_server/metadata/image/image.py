"""The cluster's metadata at one offset of the metadata log, as an immutable value (Kafka's `MetadataImage`).

Only `metadata.image.replay` changes an image, by making a new one. Every container is a persistent map or a tuple, so
the images of two offsets share everything that did not change between them. This lets the controller respond from
committed state, drop uncommitted state, and write a snapshot while changes continue.

The maps iterate in hash order, which for strings and bytes differs from process to process. So everything that leaves
the process in some order must be sorted first; the `*_in_order` methods do that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from immutables import Map

from kafkaproto_server.metadata.image.acl_index import NO_ACLS, AclIndex
from kafkaproto_server.metadata.image.entries import (
    ELR_FEATURE,
    METADATA_VERSION_FEATURE,
    AccessControlEntry,
    BrokerRegistration,
    ConfigResource,
    ControllerRegistration,
    DelegationToken,
    PartitionImage,
    QuotaEntity,
    ScramCredential,
    TopicImage,
    are_equal,
)
from kafkaproto_server.metadata.image.partition_counts import NO_PARTITIONS, PartitionCounts

_EMPTY: Map[Any, Any] = Map()


class ClusterImage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """All metadata of the cluster as of one offset."""

    offset: int = -1
    """Last offset of the log that the image contains; -1 if it contains none."""
    epoch: int = -1
    """Leader epoch of the batch that ends at ``offset``."""
    timestamp_ms: int = -1
    """Append time of that batch."""
    features: Map[str, int] = _EMPTY
    """Finalized level by feature name. It includes metadata.version, but not kraft.version, which the quorum keeps."""
    # Kept apart from `offset`: a controller reports the offset of the last change of a feature to
    # clients, not that of its image.
    features_offset: int = -1
    """Last offset of the last batch that set a feature: the epoch of finalized features that clients see."""
    brokers: Map[int, BrokerRegistration] = _EMPTY
    controllers: Map[int, ControllerRegistration] = _EMPTY
    topics: Map[bytes, TopicImage] = _EMPTY
    """Topics by topic id."""
    # Here and not in the controller: an image that is given up takes its counts with it.
    partition_counts: PartitionCounts = NO_PARTITIONS
    """Counts over all topics. They follow from the topics, so images are compared without them."""
    topic_ids: Map[str, bytes] = _EMPTY
    """Topic id by topic name."""
    ambiguous_names: Map[str, tuple[str, ...]] = _EMPTY
    """Topic names that contain '.' or '_', by the name that metrics show; it follows from ``topic_ids``."""
    configs: Map[ConfigResource, Map[str, str]] = _EMPTY
    """Values that were set, by resource and key; a resource without values has no entry."""
    # By entity and not by user: brokers look up eight entities for a client, the most exact first.
    client_quotas: Map[QuotaEntity, Map[str, float]] = _EMPTY
    # Only where the next block begins: which broker got which one matters to nobody (KIP-730).
    next_producer_id: int = 0
    """The first producer id that is in no block handed out so far."""
    acls: Map[bytes, AccessControlEntry] = _EMPTY
    """ACL bindings by their ids."""
    acl_counts: Map[AccessControlEntry, int] = _EMPTY
    """How many ids each ACL has: one, unless a controller of another make wrote more. It follows from ``acls``."""
    acl_index: AclIndex = NO_ACLS
    """It follows from ``acls``, too."""
    scram_credentials: Map[tuple[int, str], ScramCredential] = _EMPTY
    """By (mechanism, user name)."""
    delegation_tokens: Map[str, DelegationToken] = _EMPTY
    """By token id."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterImage) and are_equal(self, other, _COMPARED_OF_IMAGES)

    def __hash__(self) -> int:
        # Equal images have equal offsets, so this is enough. To hash all content would go through
        # every partition.
        return self.offset

    @property
    def metadata_version(self) -> int:
        """Finalized level of metadata.version; 0 before the bootstrap records."""
        return self.features.get(METADATA_VERSION_FEATURE, 0)

    @property
    def elr_enabled(self) -> bool:
        """Whether eligible leader replicas (KIP-966) are enabled."""
        return self.features.get(ELR_FEATURE, 0) > 0

    def at(self, offset: int, epoch: int, timestamp_ms: int) -> ClusterImage:
        """The same content with another offset, epoch and timestamp."""
        return msgspec.structs.replace(self, offset=offset, epoch=epoch, timestamp_ms=timestamp_ms)

    def topic_by_name(self, name: str) -> TopicImage | None:
        """The topic with that name; None if there is none."""
        # No default below: an id without its topic would be a fault of replay, and no missing topic.
        topic_id = self.topic_ids.get(name)
        return None if topic_id is None else self.topics[topic_id]

    def partition(self, topic_id: bytes, index: int) -> PartitionImage | None:
        """One partition; None if the topic or the partition does not exist."""
        topic = self.topics.get(topic_id)
        return None if topic is None else topic.partitions.get(index)

    def config(self, resource_type: int, resource_name: str) -> Map[str, str]:
        """The values that were set for one resource."""
        return self.configs.get((resource_type, resource_name), _EMPTY)

    def topics_in_order(self) -> Iterator[TopicImage]:
        """Topics in order of their names."""
        # Only for what is small or rare: a sort of all names takes a tenth of a second on a large cluster (`sorting`).
        for name in sorted(self.topic_ids):
            yield self.topics[self.topic_ids[name]]

    def brokers_in_order(self) -> Iterator[BrokerRegistration]:
        """Brokers in order of their ids."""
        for broker_id in sorted(self.brokers):
            yield self.brokers[broker_id]

    def controllers_in_order(self) -> Iterator[ControllerRegistration]:
        """Controllers in order of their ids."""
        for controller_id in sorted(self.controllers):
            yield self.controllers[controller_id]


EMPTY_IMAGE = ClusterImage()
"""The image before the first record."""


_COMPARED_OF_IMAGES = tuple(
    name
    for name in ClusterImage.__struct_fields__
    # A snapshot does not hold the offset of the last feature change, so a node that starts from one
    # has another value.
    if name not in ("features_offset", "partition_counts", "ambiguous_names", "acl_counts", "acl_index")
)
