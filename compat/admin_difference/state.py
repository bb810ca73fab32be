"""What the records of a metadata log add up to, in a form in which two clusters can be compared.

A replay of its own, on purpose: the server's replay is part of what is compared. What is random or counts offsets
(topic ids, ids of access control entries, broker epochs) is kept beside the entries, which name things by their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kafkaproto.log import BatchScan
from kafkaproto.message import Message
from kafkaproto.records.metadata import decode_metadata_record

Key = tuple[Hashable, ...]

NO_CHANGE_OF_LEADER = -2
TOPIC_RESOURCE = 2
BROKER_RESOURCE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """A partition's registration."""

    replicas: tuple[int, ...]
    directories: tuple[bytes, ...]
    isr: tuple[int, ...]
    eligible: tuple[int, ...]
    last_known: tuple[int, ...]
    adding: tuple[int, ...]
    removing: tuple[int, ...]
    leader: int
    leader_epoch: int
    partition_epoch: int = field(compare=False)
    """Each has its own: the stock controller writes further records that only clear an eligible leader which is no
    replica any more, and two where ours writes one for a replica in a directory that is not online."""
    recovery_state: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """A broker's registration, without its epoch."""

    incarnation_id: bytes
    listeners: tuple[tuple[str, str, int, int], ...]
    features: tuple[tuple[str, int, int], ...]
    rack: str | None
    directories: tuple[bytes, ...]
    cordoned: tuple[bytes, ...]
    fenced: bool
    in_controlled_shutdown: bool


@dataclass(slots=True)
class State:
    """Everything the records so far say."""

    own_id: int
    """The controller's; its own registration is left out, because it names ports."""
    entries: dict[Key, object] = field(default_factory=dict)
    topic_names: dict[bytes, str] = field(default_factory=dict)
    """By topic id; also of topics that are gone."""
    topic_ids: dict[str, bytes] = field(default_factory=dict)
    broker_epochs: dict[int, int] = field(default_factory=dict)
    next_offset: int = 0
    dropped: dict[Key, set[int]] = field(default_factory=dict)
    """By partition, replicas that it had once."""
    cleared: set[int] = field(default_factory=set)
    """Brokers that were eligible to lead when all eligibility was cleared."""
    abandoned: set[bytes] = field(default_factory=set)
    """Directories that held replicas of a partition whose topic was deleted while none was in sync."""
    _acls: dict[bytes, Key] = field(default_factory=dict)

    def partition(self, topic: str, index: int) -> Partition | None:
        """None if there is no such partition."""
        found = self.entries.get(("partition", topic, index))
        assert found is None or isinstance(found, Partition)
        return found

    def partitions(self) -> dict[tuple[str, int], Partition]:
        """All of them, by topic and index."""
        return {
            (str(key[1]), int(str(key[2]))): value
            for key, value in sorted(self.entries.items(), key=repr)
            if isinstance(value, Partition)
        }

    def config(self, topic: str, key: str, default: str) -> str:
        """A topic's value, else the cluster's."""
        of_cluster = self.entries.get(("config", BROKER_RESOURCE, "", key), default)
        return str(self.entries.get(("config", TOPIC_RESOURCE, topic, key), of_cluster))

    def broker(self, broker_id: int) -> Broker | None:
        """None if it is not registered."""
        found = self.entries.get(("broker", broker_id))
        assert found is None or isinstance(found, Broker)
        return found

    def read_on(self, segment: Path, position: int) -> int:
        """Take in the whole batches that a log's file has from a byte on; where the next one will begin."""
        with segment.open("rb") as file:
            file.seek(position)
            scan = BatchScan(file.read(), next_offset=self.next_offset)
        for batch in scan:
            if not batch.is_control:
                for record in batch.records():
                    assert record.value is not None
                    self.apply(decode_metadata_record(record.value)[0])
            self.next_offset = batch.next_offset
        return position + scan.valid_end

    def apply(self, record: Message) -> None:
        """Take in the next record; raises KeyError for a type that no operation here can cause."""
        _APPLY[record.NAME](self, record)


def _topic(state: State, record: Any) -> None:
    state.topic_names[record.topic_id] = record.name
    state.topic_ids[record.name] = record.topic_id
    state.entries["topic", record.name] = True


def _remove_topic(state: State, record: Any) -> None:
    name = state.topic_names[record.topic_id]
    del state.topic_ids[name]
    gone = [
        key
        for key in state.entries
        if key in {("topic", name)}
        or key[:2] == ("partition", name)
        or key[:3] == ("config", TOPIC_RESOURCE, name)
    ]
    for key in gone:
        value = state.entries.pop(key)
        if isinstance(value, Partition) and not value.isr:
            state.abandoned.update(value.directories)


def _partition(state: State, record: Any) -> None:
    key = ("partition", state.topic_names[record.topic_id], record.partition_id)
    state.dropped[key] = set()
    state.entries[key] = Partition(
        replicas=tuple(record.replicas),
        directories=tuple(record.directories),
        isr=tuple(record.isr),
        eligible=tuple(record.eligible_leader_replicas or ()),
        last_known=tuple(record.last_known_elr or ()),
        adding=tuple(record.adding_replicas),
        removing=tuple(record.removing_replicas),
        leader=record.leader,
        leader_epoch=record.leader_epoch,
        partition_epoch=record.partition_epoch,
        recovery_state=record.leader_recovery_state,
    )


_LISTS: Mapping[str, str] = {
    "replicas": "replicas",
    "directories": "directories",
    "isr": "isr",
    "eligible": "eligible_leader_replicas",
    "last_known": "last_known_elr",
    "adding": "adding_replicas",
    "removing": "removing_replicas",
}
"""Our name of a list -> the record's."""


def _partition_change(state: State, record: Any) -> None:
    key = ("partition", state.topic_names[record.topic_id], record.partition_id)
    old = state.entries[key]
    assert isinstance(old, Partition)
    changes: dict[str, Any] = {
        ours: tuple(value)
        for ours, theirs in _LISTS.items()
        if (value := getattr(record, theirs)) is not None
    }
    if record.leader != NO_CHANGE_OF_LEADER:
        changes |= {"leader": record.leader, "leader_epoch": old.leader_epoch + 1}
    if record.leader_recovery_state >= 0:
        changes["recovery_state"] = record.leader_recovery_state
    new = replace(old, **changes, partition_epoch=old.partition_epoch + 1)
    state.dropped[key] |= {*old.replicas} - {*new.replicas}
    # The stock controller may keep a replica that a reassignment took away as an eligible leader.
    state.entries[key] = replace(new, eligible=tuple(one for one in new.eligible if one in new.replicas))


def _clear_elr(state: State, record: Any) -> None:
    for key, value in state.entries.items():
        if isinstance(value, Partition) and record.topic_name in {"", key[1]}:
            state.cleared.update(value.eligible)
            state.entries[key] = replace(value, eligible=(), last_known=())


def _register_broker(state: State, record: Any) -> None:
    state.broker_epochs[record.broker_id] = record.broker_epoch
    state.entries["broker", record.broker_id] = Broker(
        incarnation_id=record.incarnation_id,
        listeners=tuple(
            sorted((end.name, end.host, end.port, end.security_protocol) for end in record.end_points)
        ),
        features=tuple(
            sorted(
                (one.name, one.min_supported_version, one.max_supported_version) for one in record.features
            )
        ),
        rack=record.rack,
        directories=tuple(sorted(record.log_dirs)),
        cordoned=tuple(sorted(record.cordoned_log_dirs or ())),
        fenced=record.fenced,
        in_controlled_shutdown=record.in_controlled_shutdown,
    )


def _broker_change(state: State, record: Any) -> None:
    key = ("broker", record.broker_id)
    broker = state.entries[key]
    assert isinstance(broker, Broker)
    changes: dict[str, Any] = {}
    if record.fenced:
        changes["fenced"] = record.fenced > 0
    if record.in_controlled_shutdown:
        changes["in_controlled_shutdown"] = record.in_controlled_shutdown > 0
    if record.log_dirs:
        changes["directories"] = tuple(sorted(record.log_dirs))
    if record.cordoned_log_dirs is not None:
        changes["cordoned"] = tuple(sorted(record.cordoned_log_dirs))
    state.entries[key] = replace(broker, **changes)


def _unregister_broker(state: State, record: Any) -> None:
    del state.entries["broker", record.broker_id]
    del state.broker_epochs[record.broker_id]


def _register_controller(state: State, record: Any) -> None:
    if record.controller_id != state.own_id:
        state.entries["controller", record.controller_id] = record.incarnation_id


def _unregister_controller(state: State, record: Any) -> None:
    state.entries.pop(("controller", record.controller_id), None)


def _config(state: State, record: Any) -> None:
    _set(state, ("config", record.resource_type, record.resource_name, record.name), record.value)


def _feature(state: State, record: Any) -> None:
    _set(state, ("feature", record.name), record.feature_level or None)


def _acl(state: State, record: Any) -> None:
    key = (
        "acl",
        record.resource_type,
        record.resource_name,
        record.pattern_type,
        record.principal,
        record.host,
        record.operation,
        record.permission_type,
    )
    state._acls[record.id] = key
    state.entries[key] = Counter(state._acls.values())[key]


def _remove_acl(state: State, record: Any) -> None:
    key = state._acls.pop(record.id)
    _set(state, key, Counter(state._acls.values())[key] or None)


def _quota(state: State, record: Any) -> None:
    entity = tuple(sorted((one.entity_type, one.entity_name or "<default>") for one in record.entity))
    _set(state, ("quota", entity, record.key), None if record.remove else record.value)


def _scram(state: State, record: Any) -> None:
    value = (record.salt, record.stored_key, record.server_key, record.iterations)
    state.entries["scram", record.name, record.mechanism] = value


def _remove_scram(state: State, record: Any) -> None:
    state.entries.pop(("scram", record.name, record.mechanism), None)


def _producer_ids(state: State, record: Any) -> None:
    state.entries["producer ids",] = (record.broker_id, record.next_producer_id)


def _nothing(state: State, record: Any) -> None:
    """Says nothing of the cluster; what stands in a metadata transaction here is never aborted."""


def _set(state: State, key: Key, value: object) -> None:
    if value is None:
        state.entries.pop(key, None)
    else:
        state.entries[key] = value


_APPLY: Mapping[str, Callable[[State, Any], None]] = {
    "AccessControlEntryRecord": _acl,
    "BeginTransactionRecord": _nothing,
    "BrokerRegistrationChangeRecord": _broker_change,
    "ClearElrRecord": _clear_elr,
    "ClientQuotaRecord": _quota,
    "ConfigRecord": _config,
    "EndTransactionRecord": _nothing,
    "FeatureLevelRecord": _feature,
    "NoOpRecord": _nothing,
    "PartitionChangeRecord": _partition_change,
    "PartitionRecord": _partition,
    "ProducerIdsRecord": _producer_ids,
    "RegisterBrokerRecord": _register_broker,
    "RegisterControllerRecord": _register_controller,
    "RemoveAccessControlEntryRecord": _remove_acl,
    "RemoveTopicRecord": _remove_topic,
    "RemoveUserScramCredentialRecord": _remove_scram,
    "TopicRecord": _topic,
    "UnregisterBrokerRecord": _unregister_broker,
    "UnregisterControllerRecord": _unregister_controller,
    "UserScramCredentialRecord": _scram,
}
