"""The cluster's metadata at one offset of the metadata log, as an immutable value.

Nothing changes an image but `image.replay`, which makes a new one. Every container is a persistent map
or a tuple, so the images of two offsets share all that did not change between them. That is how the
controller answers from committed state, drops uncommitted state and lets a snapshot be written while changes
go on.

The maps iterate in hash order, which differs from process to process for strings and bytes. Whatever leaves
the process in some order must therefore be sorted first; the `*_in_order` methods do that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
from immutables import Map

from kafkaproto_server.image.acl_index import NO_ACLS, AclIndex
from kafkaproto_server.image.partition_counts import NO_PARTITIONS, PartitionCounts
from kafkaproto_server.types import Endpoint

METADATA_VERSION_FEATURE = "metadata.version"
ELR_FEATURE = "eligible.leader.replicas.version"

# Directory ids that stand for something else than a directory (KIP-858).
MIGRATING_DIRECTORY = bytes(16)
"""The replica was assigned before its broker told its directories."""
UNASSIGNED_DIRECTORY = bytes(15) + b"\x01"
"""The broker has still to choose a directory."""
LOST_DIRECTORY = bytes(15) + b"\x02"
"""The replica lies in a directory that the broker cannot read any more."""

RECOVERED = 0
RECOVERING = 1
"""LeaderRecoveryState of a partition whose leader was elected uncleanly and has not yet recovered."""

# Resource types of ConfigRecord and of the config requests.
TOPIC_RESOURCE = 2
BROKER_RESOURCE = 4
BROKER_LOGGER_RESOURCE = 8
CLIENT_METRICS_RESOURCE = 16
GROUP_RESOURCE = 32

ConfigResource: TypeAlias = tuple[int, str]
"""(resource type, resource name); the name "" of a broker resource stands for the cluster's default."""
QuotaEntity: TypeAlias = tuple[tuple[str, str | None], ...]
"""(entity type, entity name) pairs in order of their types; the name None is the default entity."""
QUOTA_USER, QUOTA_CLIENT_ID, QUOTA_IP = QUOTA_ENTITY_TYPES = ("user", "client-id", "ip")


class FeatureRange(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The levels of one feature that a node supports, both ends included."""

    name: str
    min_level: int
    max_level: int


class BrokerRegistration(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A broker as its RegisterBrokerRecord and the changes after it describe it."""

    broker_id: int
    incarnation_id: bytes
    """16 bytes, new with each start of the broker's process."""
    epoch: int
    """Broker epoch: the offset that was next in the log when the registration was decided."""
    endpoints: tuple[Endpoint, ...]
    features: tuple[FeatureRange, ...]
    rack: str | None
    fenced: bool
    in_controlled_shutdown: bool
    directories: tuple[bytes, ...]
    """Online log directories, in ascending order; empty where the broker never told them."""
    cordoned_directories: tuple[bytes, ...] | None
    """Directories that take no new replicas; None where the broker never told them."""
    is_migrating_zk_broker: bool = False
    registration_offset: int = -1
    """Where the RegisterBrokerRecord lies; a snapshot does not say, so its own last offset stands in there.

    It decides when a broker is caught up, and is no part of what two nodes must agree on.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BrokerRegistration) and _are_equal(self, other, _COMPARED_OF_BROKERS)

    def __hash__(self) -> int:
        return self.broker_id

    def is_active(self) -> bool:
        """Whether the broker may be a member of an ISR: neither fenced nor shutting down."""
        return not self.fenced and not self.in_controlled_shutdown

    def has_online_directory(self, directory_id: bytes) -> bool:
        """Whether a replica in that directory is usable (KIP-858).

        Reserved ids other than LOST count as online: the broker has still to say where such a replica lies.
        So does any directory of a broker that never told its directories.
        """
        if directory_id == LOST_DIRECTORY:
            return False
        if directory_id in (MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY) or not self.directories:
            return True
        return directory_id in self.directories


class ControllerRegistration(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A controller as its RegisterControllerRecord describes it."""

    controller_id: int
    incarnation_id: bytes
    endpoints: tuple[Endpoint, ...]
    features: tuple[FeatureRange, ...]
    zk_migration_ready: bool = False


class PartitionImage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One partition: who holds it, who is in sync, who leads."""

    replicas: tuple[int, ...]
    """Broker ids in order of preference; the first is the preferred leader."""
    directories: tuple[bytes, ...]
    """Directory id of each replica, in the order of ``replicas``."""
    isr: tuple[int, ...]
    removing_replicas: tuple[int, ...] = ()
    adding_replicas: tuple[int, ...] = ()
    leader: int = -1
    """Broker id, -1 where nobody leads."""
    leader_recovery_state: int = RECOVERED
    leader_epoch: int = 0
    partition_epoch: int = 0
    elr: tuple[int, ...] = ()
    """Eligible leader replicas (KIP-966)."""
    last_known_elr: tuple[int, ...] = ()

    def is_being_reassigned(self) -> bool:
        """Whether replicas are being added or are to go (KIP-455)."""
        return bool(self.adding_replicas or self.removing_replicas)

    def directory_of(self, broker_id: int) -> bytes:
        """Directory id of one replica; raises ValueError where the broker holds none."""
        return self.directories[self.replicas.index(broker_id)]


class TopicImage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One topic and its partitions."""

    name: str
    topic_id: bytes
    partitions: Map[int, PartitionImage]

    def partitions_in_order(self) -> Iterator[tuple[int, PartitionImage]]:
        """(partition index, partition), ascending.

        Indexes are 0, 1, 2 and so on, so nothing is sorted: a topic may have hundreds of thousands. A gap, which no
        controller makes, has what is behind it sorted all the same.
        """
        partitions = self.partitions
        for index in range(len(partitions)):
            partition = partitions.get(index)
            if partition is None:
                for later in sorted(each for each in partitions if each > index):
                    yield later, partitions[later]
                return
            yield index, partition


class AccessControlEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One ACL binding; the numbers are those of Kafka's wire."""

    resource_type: int
    resource_name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission_type: int


class ScramCredential(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a server keeps of a user's SCRAM password (RFC 5802)."""

    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int


class DelegationToken(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One delegation token; its HMAC is derived from the id and not kept."""

    owner: str
    requester: str
    renewers: tuple[str, ...]
    issue_timestamp_ms: int
    max_timestamp_ms: int
    expiration_timestamp_ms: int


_EMPTY: Map[Any, Any] = Map()


class ClusterImage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """All metadata of the cluster as of one offset."""

    offset: int = -1
    """Last offset of the log that is contained, -1 where nothing is."""
    epoch: int = -1
    """Leader epoch of the batch that ends at ``offset``."""
    timestamp_ms: int = -1
    """Append time of that batch."""
    features: Map[str, int] = _EMPTY
    """Finalized level by feature name, metadata.version included, kraft.version (the quorum's own) not."""
    features_offset: int = -1
    """Last offset of the last batch that set a feature: the epoch of finalized features that clients see."""
    brokers: Map[int, BrokerRegistration] = _EMPTY
    controllers: Map[int, ControllerRegistration] = _EMPTY
    topics: Map[bytes, TopicImage] = _EMPTY
    """Topics by topic id."""
    partition_counts: PartitionCounts = NO_PARTITIONS
    """Of all topics; it follows from them, so images are not compared by it."""
    topic_ids: Map[str, bytes] = _EMPTY
    """Topic id by topic name."""
    ambiguous_names: Map[str, tuple[str, ...]] = _EMPTY
    """Topic names that contain '.' or '_', by the name that metrics show; it follows from ``topic_ids``."""
    configs: Map[ConfigResource, Map[str, str]] = _EMPTY
    """Values that were set, by resource and key; a resource without any has no entry."""
    client_quotas: Map[QuotaEntity, Map[str, float]] = _EMPTY
    next_producer_id: int = 0
    """The first producer id that no block handed out contains."""
    acls: Map[bytes, AccessControlEntry] = _EMPTY
    """ACL bindings by their ids."""
    acl_counts: Map[AccessControlEntry, int] = _EMPTY
    """How many ids each ACL has, which is one but for what others wrote; it follows from ``acls``."""
    acl_index: AclIndex = NO_ACLS
    """It follows from ``acls`` as well."""
    scram_credentials: Map[tuple[int, str], ScramCredential] = _EMPTY
    """By (mechanism, user name)."""
    delegation_tokens: Map[str, DelegationToken] = _EMPTY
    """By token id."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterImage) and _are_equal(self, other, _COMPARED_OF_IMAGES)

    def __hash__(self) -> int:
        return self.offset

    @property
    def metadata_version(self) -> int:
        """Finalized level of metadata.version, 0 before the bootstrap records are there."""
        return self.features.get(METADATA_VERSION_FEATURE, 0)

    @property
    def elr_enabled(self) -> bool:
        """Whether eligible leader replicas (KIP-966) are kept."""
        return self.features.get(ELR_FEATURE, 0) > 0

    def at(self, offset: int, epoch: int, timestamp_ms: int) -> ClusterImage:
        """The same content as of another position of the log."""
        return msgspec.structs.replace(self, offset=offset, epoch=epoch, timestamp_ms=timestamp_ms)

    def topic_by_name(self, name: str) -> TopicImage | None:
        """The topic of that name, None where there is none."""
        topic_id = self.topic_ids.get(name)
        return None if topic_id is None else self.topics[topic_id]

    def partition(self, topic_id: bytes, index: int) -> PartitionImage | None:
        """One partition, None where the topic or the partition does not exist."""
        topic = self.topics.get(topic_id)
        return None if topic is None else topic.partitions.get(index)

    def config(self, resource_type: int, resource_name: str) -> Map[str, str]:
        """The values set on one resource."""
        return self.configs.get((resource_type, resource_name), _EMPTY)

    def topics_in_order(self) -> Iterator[TopicImage]:
        """Topics in order of their names."""
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


_COMPARED_OF_BROKERS = tuple(
    name for name in BrokerRegistration.__struct_fields__ if name != "registration_offset"
)
_COMPARED_OF_IMAGES = tuple(
    name
    for name in ClusterImage.__struct_fields__
    if name not in ("features_offset", "partition_counts", "ambiguous_names", "acl_counts", "acl_index")
)


def _are_equal(one: object, other: object, names: tuple[str, ...]) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in names)
