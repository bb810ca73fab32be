"""The state of the synthetic cluster: brokers, topics, partitions, settings.

Every change is made by a method that also returns the record of it, so that the log agrees with the state. The rules
are the controller's: the ISR lies within the replicas and the leader within the ISR; members that leave an ISR below
its minimum stay eligible (KIP-966); a broker that is fenced or whose directory is gone neither leads nor is in sync.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec
from immutables import Map

from kafkaproto.messages import (
    BrokerRegistrationChangeRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    RemoveTopicRecord,
)
from kafkaproto_pipeline.synthetic.log import METADATA_VERSION
from kafkaproto_server.metadata.image.apply_topics import NO_LEADER_CHANGE, NO_RECOVERY_STATE_CHANGE
from kafkaproto_server.metadata.image.entries import (
    RECOVERED,
    TOPIC_RESOURCE,
    AccessControlEntry,
    BrokerRegistration,
    ConfigResource,
    ControllerRegistration,
    DelegationToken,
    PartitionImage,
    QuotaEntity,
    ScramCredential,
    TopicImage,
)
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.records import partition_record, register_broker_record

NO_LEADER = -1
MIN_IN_SYNC = 2
"""min.insync.replicas of all topics; of those with a single replica it is 1."""


@dataclass(slots=True, kw_only=True, eq=False)
class SyntheticTopic:
    name: str
    topic_id: bytes
    partitions: list[SyntheticPartition] = field(default_factory=list)


@dataclass(slots=True, kw_only=True, eq=False)
class SyntheticPartition:
    """A partition as the records so far describe it. Lists are replaced, never changed."""

    topic: SyntheticTopic
    index: int
    replicas: list[int]
    directories: list[bytes]
    isr: list[int]
    leader: int
    adding: list[int] = field(default_factory=list)
    removing: list[int] = field(default_factory=list)
    elr: list[int] = field(default_factory=list)
    last_known_elr: list[int] = field(default_factory=list)
    leader_epoch: int = 0
    partition_epoch: int = 0
    recovery_state: int = RECOVERED
    place: int = -1
    """Where in the cluster's list of partitions."""

    @property
    def min_in_sync(self) -> int:
        """Below it, members that leave the ISR stay eligible."""
        return min(MIN_IN_SYNC, len(self.replicas))

    def image(self) -> PartitionImage:
        """The same as a part of an image."""
        return PartitionImage(
            replicas=tuple(self.replicas),
            directories=tuple(self.directories),
            isr=tuple(self.isr),
            removing_replicas=tuple(self.removing),
            adding_replicas=tuple(self.adding),
            leader=self.leader,
            leader_recovery_state=self.recovery_state,
            leader_epoch=self.leader_epoch,
            partition_epoch=self.partition_epoch,
            elr=tuple(self.elr),
            last_known_elr=tuple(self.last_known_elr),
        )


class SyntheticCluster:
    """The state, and what changes it."""

    def __init__(self) -> None:
        self.features: dict[str, int] = {}
        self.brokers: dict[int, BrokerRegistration] = {}
        self.controllers: dict[int, ControllerRegistration] = {}
        self.topics: dict[str, SyntheticTopic] = {}
        self.partitions: list[SyntheticPartition] = []
        """All of them, in no order that means anything, so that one can be picked at random."""
        self.hosted: dict[int, dict[SyntheticPartition, None]] = {}
        """The partitions that each broker has a replica of."""
        self.configs: dict[ConfigResource, dict[str, str]] = {}
        self.quotas: dict[QuotaEntity, dict[str, float]] = {}
        self.acls: dict[bytes, AccessControlEntry] = {}
        self.credentials: dict[tuple[int, str], ScramCredential] = {}
        self.tokens: dict[str, DelegationToken] = {}
        self.next_producer_id = 0

    # Brokers.

    def register(self, registration: BrokerRegistration) -> RegisterBrokerRecord:
        """A broker comes, or comes again."""
        self.brokers[registration.broker_id] = registration
        self.hosted.setdefault(registration.broker_id, {})
        return register_broker_record(registration, METADATA_VERSION)

    def unfence(self, broker_id: int) -> list[BrokerRegistrationChangeRecord]:
        """A registered broker may serve. As controllers of this level do, the record also has its
        cordoned directories.
        """
        broker = self.brokers[broker_id]
        self.brokers[broker_id] = msgspec.structs.replace(broker, fenced=False, cordoned_directories=())
        return [
            self._registration_change(broker, fenced=-1),
            self._registration_change(broker, cordoned_log_dirs=[]),
        ]

    def fence(self, broker_id: int) -> BrokerRegistrationChangeRecord:
        """A broker's session is over."""
        broker = self.brokers[broker_id]
        self.brokers[broker_id] = msgspec.structs.replace(broker, fenced=True)
        return self._registration_change(broker, fenced=1)

    def begin_shutdown(self, broker_id: int) -> BrokerRegistrationChangeRecord:
        """A broker asked to be relieved of its leaderships."""
        broker = self.brokers[broker_id]
        self.brokers[broker_id] = msgspec.structs.replace(broker, in_controlled_shutdown=True)
        return self._registration_change(broker, in_controlled_shutdown=1)

    def lose_directory(self, broker_id: int, directory: bytes) -> BrokerRegistrationChangeRecord:
        """A broker cannot use one of its directories any more; it has another."""
        broker = self.brokers[broker_id]
        left = tuple(each for each in broker.directories if each != directory)
        assert left, f"broker {broker_id} has no directory left"
        self.brokers[broker_id] = msgspec.structs.replace(broker, directories=left)
        return self._registration_change(broker, log_dirs=list(left))

    def active_brokers(self) -> list[int]:
        """Ids of those that may lead, ascending."""
        return [broker_id for broker_id in sorted(self.brokers) if self.brokers[broker_id].is_active()]

    def is_usable(self, partition: SyntheticPartition, broker_id: int) -> bool:
        """Whether that replica may be in sync: its broker is active and its directory there."""
        broker = self.brokers[broker_id]
        if not broker.is_active():
            return False
        return partition.directories[partition.replicas.index(broker_id)] in broker.directories

    def _registration_change(
        self,
        broker: BrokerRegistration,
        *,
        fenced: int = 0,
        in_controlled_shutdown: int = 0,
        log_dirs: list[bytes] | None = None,
        cordoned_log_dirs: list[bytes] | None = None,
    ) -> BrokerRegistrationChangeRecord:
        return BrokerRegistrationChangeRecord(
            broker_id=broker.broker_id,
            broker_epoch=broker.epoch,
            fenced=fenced,
            in_controlled_shutdown=in_controlled_shutdown,
            log_dirs=log_dirs or [],
            cordoned_log_dirs=cordoned_log_dirs,
        )

    # Topics and partitions.

    def add_partition(self, partition: SyntheticPartition) -> PartitionRecord:
        """A partition of a topic that exists."""
        partition.place = len(self.partitions)
        self.partitions.append(partition)
        partition.topic.partitions.append(partition)
        for broker_id in partition.replicas:
            self.hosted[broker_id][partition] = None
        topic_id = partition.topic.topic_id
        return partition_record(topic_id, partition.index, partition.image(), METADATA_VERSION)

    def remove_topic(self, topic: SyntheticTopic) -> RemoveTopicRecord:
        """A topic goes, its partitions and configs with it."""
        del self.topics[topic.name]
        self.configs.pop((TOPIC_RESOURCE, topic.name), None)
        for partition in topic.partitions:
            last = self.partitions.pop()
            if last is not partition:
                self.partitions[partition.place] = last
                last.place = partition.place
            partition.place = -1
            for broker_id in partition.replicas:
                del self.hosted[broker_id][partition]
        return RemoveTopicRecord(topic_id=topic.topic_id)

    def change(
        self,
        partition: SyntheticPartition,
        *,
        isr: list[int] | None = None,
        leader: int = NO_LEADER_CHANGE,
        replicas: list[int] | None = None,
        directories: list[bytes] | None = None,
        adding: list[int] | None = None,
        removing: list[int] | None = None,
        recovery_state: int = NO_RECOVERY_STATE_CHANGE,
    ) -> PartitionChangeRecord:
        """Some of a partition changes; who is eligible follows from the ISR."""
        record = PartitionChangeRecord(
            partition_id=partition.index,
            topic_id=partition.topic.topic_id,
            isr=isr,
            leader=leader,
            replicas=replicas,
            adding_replicas=adding,
            removing_replicas=removing,
            leader_recovery_state=recovery_state,
            directories=directories,
        )
        if replicas is not None:
            assert directories is not None, "replicas come with directories"
            self._move(partition, replicas)
        if directories is not None:
            partition.directories = directories
        if adding is not None:
            partition.adding = adding
        if removing is not None:
            partition.removing = removing
        if recovery_state != NO_RECOVERY_STATE_CHANGE:
            partition.recovery_state = recovery_state
        if isr is not None or replicas is not None:
            self._set_isr(partition, partition.isr if isr is None else isr, record)
        if leader != NO_LEADER_CHANGE:
            partition.leader = leader
            partition.leader_epoch += 1
        partition.partition_epoch += 1
        return record

    def _move(self, partition: SyntheticPartition, replicas: list[int]) -> None:
        for broker_id in partition.replicas:
            del self.hosted[broker_id][partition]
        for broker_id in replicas:
            self.hosted[broker_id][partition] = None
        partition.replicas = replicas

    def _set_isr(self, partition: SyntheticPartition, isr: list[int], record: PartitionChangeRecord) -> None:
        elr: list[int] = []
        last_known_elr: list[int] = []
        if len(isr) < partition.min_in_sync:
            candidates = dict.fromkeys((*partition.elr, *partition.isr))
            elr = [each for each in candidates if each not in isr and each in partition.replicas]
            if not isr:
                last_known_elr = partition.last_known_elr or [partition.leader]
        partition.isr = isr
        if elr != partition.elr:
            partition.elr = record.eligible_leader_replicas = elr
        if last_known_elr != partition.last_known_elr:
            partition.last_known_elr = record.last_known_elr = last_known_elr

    def leave(
        self, broker_id: int, partitions: Iterable[SyntheticPartition] | None = None
    ) -> Iterator[PartitionChangeRecord]:
        """A broker that is no longer usable leaves the ISR of all its partitions, or of these. If it led a partition,
        another replica leads it, or none if none can.
        """
        for partition in self.hosted[broker_id] if partitions is None else partitions:
            if broker_id in partition.isr:
                isr = [each for each in partition.isr if each != broker_id]
                if partition.leader != broker_id:
                    yield self.change(partition, isr=isr)
                else:
                    yield self._with_another_leader(partition, isr)

    def _with_another_leader(self, partition: SyntheticPartition, isr: list[int]) -> PartitionChangeRecord:
        for candidate in partition.replicas:
            if candidate in isr:
                return self.change(partition, isr=isr, leader=candidate)
        for candidate in partition.elr:
            if self.is_usable(partition, candidate):
                return self.change(partition, isr=[candidate], leader=candidate)
        return self.change(partition, isr=isr, leader=NO_LEADER)

    def waiting_for(self, broker_id: int) -> list[SyntheticPartition]:
        """The partitions without a leader for which this broker is eligible."""
        return [
            partition
            for partition in self.hosted[broker_id]
            if partition.leader == NO_LEADER
            and (broker_id in partition.isr or broker_id in partition.elr)
            and self.is_usable(partition, broker_id)
        ]

    def image(self) -> ClusterImage:
        """The state as an image; it does not know its offset."""
        return msgspec.structs.replace(
            EMPTY_IMAGE,
            features=Map(self.features),
            brokers=Map(self.brokers),
            controllers=Map(self.controllers),
            topics=Map({topic.topic_id: _topic_image(topic) for topic in self.topics.values()}),
            topic_ids=Map({topic.name: topic.topic_id for topic in self.topics.values()}),
            configs=Map({resource: Map(values) for resource, values in self.configs.items()}),
            client_quotas=Map({entity: Map(values) for entity, values in self.quotas.items()}),
            next_producer_id=self.next_producer_id,
            acls=Map(self.acls),
            scram_credentials=Map(self.credentials),
            delegation_tokens=Map(self.tokens),
        )


def _topic_image(topic: SyntheticTopic) -> TopicImage:
    partitions = Map({partition.index: partition.image() for partition in topic.partitions})
    return TopicImage(name=topic.name, topic_id=topic.topic_id, partitions=partitions)
