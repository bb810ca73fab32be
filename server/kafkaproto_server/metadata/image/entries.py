"""The entries of an image as immutable values: registrations, topics, partitions, ACLs, credentials, tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
from immutables import Map

from kafkaproto_server.base.types import Endpoint

METADATA_VERSION_FEATURE = "metadata.version"
ELR_FEATURE = "eligible.leader.replicas.version"

# Directory ids that stand for something else than a directory (KIP-858).
# These are DirectoryId.MIGRATING, UNASSIGNED and LOST of Kafka. The first 100 ids are reserved, so
# no broker has such a directory.
MIGRATING_DIRECTORY = bytes(16)
"""The replica was assigned before its broker reported its directories."""
UNASSIGNED_DIRECTORY = bytes(15) + b"\x01"
"""The broker has not chosen a directory yet."""
# The only reserved id that counts as offline (`has_online_directory`).
LOST_DIRECTORY = bytes(15) + b"\x02"
"""The replica is in a directory that the broker can no longer read."""

# Kafka's numbers (KIP-704).
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
    """A broker's registration: its RegisterBrokerRecord and the changes after it."""

    broker_id: int
    incarnation_id: bytes
    """16 bytes, new with each start of the broker's process."""
    epoch: int
    """Broker epoch: the log's next offset when the controller decided on the registration."""
    endpoints: tuple[Endpoint, ...]
    features: tuple[FeatureRange, ...]
    rack: str | None
    fenced: bool
    in_controlled_shutdown: bool
    # In order, so that a record that only lists them in another order makes an equal image.
    directories: tuple[bytes, ...]
    """Online log directories, in ascending order; empty if the broker never reported them."""
    cordoned_directories: tuple[bytes, ...] | None
    """Directories that take no new replicas; None if the broker never reported them."""
    is_migrating_zk_broker: bool = False
    registration_offset: int = -1
    """Offset of the RegisterBrokerRecord. A snapshot does not hold it; its own last offset takes its place then.

    It decides when a broker is caught up. Two nodes need not agree on it, so registrations are compared without it.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BrokerRegistration) and are_equal(self, other, _COMPARED_OF_BROKERS)

    # Equal registrations have one id; there is no need to hash endpoints and features.
    def __hash__(self) -> int:
        return self.broker_id

    def is_active(self) -> bool:
        """Whether the broker may be a member of an ISR: neither fenced nor shutting down."""
        # A broker in controlled shutdown still serves, but what it takes on now it would give up
        # again at once (KIP-841).
        return not self.fenced and not self.in_controlled_shutdown

    def has_online_directory(self, directory_id: bytes) -> bool:
        """Whether a replica in that directory is usable (KIP-858).

        Reserved ids other than LOST count as online: the broker has not said yet which directory holds the replica.
        So does any directory of a broker that never reported its directories.
        """
        # Before the check of the broker's directories: a broker that reported none would otherwise
        # count as having this one.
        if directory_id == LOST_DIRECTORY:
            return False
        if directory_id in (MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY) or not self.directories:
            return True
        return directory_id in self.directories


class ControllerRegistration(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A controller's registration, from its RegisterControllerRecord."""

    controller_id: int
    incarnation_id: bytes
    endpoints: tuple[Endpoint, ...]
    features: tuple[FeatureRange, ...]
    zk_migration_ready: bool = False


class PartitionImage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One partition: its replicas, its ISR, its leader."""

    replicas: tuple[int, ...]
    """Broker ids in order of preference; the first is the preferred leader."""
    directories: tuple[bytes, ...]
    """Directory id of each replica, in the order of ``replicas``."""
    isr: tuple[int, ...]
    removing_replicas: tuple[int, ...] = ()
    adding_replicas: tuple[int, ...] = ()
    leader: int = -1
    """Broker id; -1 if no broker leads."""
    leader_recovery_state: int = RECOVERED
    leader_epoch: int = 0
    # Every change raises it, the leader epoch only a change that names a leader. AlterPartition is
    # checked against both.
    partition_epoch: int = 0
    elr: tuple[int, ...] = ()
    """Eligible leader replicas (KIP-966)."""
    last_known_elr: tuple[int, ...] = ()

    def is_being_reassigned(self) -> bool:
        """Whether replicas are being added or removed (KIP-455)."""
        # Either is enough: a reassignment may only remove, or only add.
        return bool(self.adding_replicas or self.removing_replicas)

    def directory_of(self, broker_id: int) -> bytes:
        """Directory id of one replica; raises ValueError if the broker has no replica."""
        # A search: three replicas are found faster than a map of them is made, and there are very many partitions.
        return self.directories[self.replicas.index(broker_id)]


class TopicImage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One topic and its partitions."""

    name: str
    topic_id: bytes
    # A map and no tuple: a change of one partition copies a path of it, not 200,000 entries.
    partitions: Map[int, PartitionImage]

    def partitions_in_order(self) -> Iterator[tuple[int, PartitionImage]]:
        """(partition index, partition), ascending.

        Indexes are 0, 1, 2 and so on, so nothing needs sorting: a topic may have hundreds of thousands. No controller
        leaves a gap; if there is one, the partitions behind it are sorted.
        """
        partitions = self.partitions
        for index in range(len(partitions)):
            # By index and not by iteration: the map has an order of its own, and sorting a topic of 200,000 takes long.
            partition = partitions.get(index)
            if partition is None:
                for later in sorted(each for each in partitions if each > index):
                    yield later, partitions[later]
                return
            yield index, partition


class AccessControlEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One ACL binding; the numbers are those of Kafka's protocol."""

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


# Times of the wall clock, because holders of tokens read them.
class DelegationToken(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One delegation token; its HMAC is derived from the id and not stored."""

    owner: str
    requester: str
    renewers: tuple[str, ...]
    issue_timestamp_ms: int
    max_timestamp_ms: int
    expiration_timestamp_ms: int


_EMPTY: Map[Any, Any] = Map()


_COMPARED_OF_BROKERS = tuple(
    name for name in BrokerRegistration.__struct_fields__ if name != "registration_offset"
)


def are_equal(one: object, other: object, names: tuple[str, ...]) -> bool:
    """Whether two values are equal in all fields with these names."""
    # Field by field, so that the first difference ends the comparison.
    return all(getattr(one, name) == getattr(other, name) for name in names)
