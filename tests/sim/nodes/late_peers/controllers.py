"""Late requests of brokers and controllers to the active controller."""

from __future__ import annotations

from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AllocateProducerIdsRequest,
    AlterPartitionRequest,
    AssignReplicasToDirsRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    ControllerRegistrationRequest,
    UnregisterBrokerRequest,
    UnregisterControllerRequest,
)
from kafkaproto_server.core.controller.brokers.registration import MAX_DIRECTORIES, MAX_LISTENERS
from kafkaproto_server.metadata.image.entries import RECOVERED, RECOVERING, BrokerRegistration
from tests.sim.metadata.node import CLUSTER_ID
from tests.sim.nodes.host import CONTROLLER_PORT, Host
from tests.sim.nodes.late_peers.cases import (
    UNKNOWN_ID,
    UNKNOWN_INDEX,
    UNKNOWN_UUID,
    Asked,
    Base,
    Case,
    Known,
    NotNowError,
    cases,
    newer,
    older,
    same,
    to,
    twice,
)

_STALE = (ErrorCode.STALE_BROKER_EPOCH,)
_INVALID = (ErrorCode.INVALID_REQUEST,)
_UNFIT = (ErrorCode.INVALID_REGISTRATION,)
_NEWEST_TOPICS = 20
_MANY_DIRECTORIES = [bytes([7]) * 14 + number.to_bytes(2, "big") for number in range(MAX_DIRECTORIES + 1)]
_NO_PARTITION = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,)


def _broker(known: Known) -> BrokerRegistration:
    """One that has a host: administrators register others."""
    brokers = [each for host in known.all_hosts if (each := known.image.brokers.get(host.id)) is not None]
    if not brokers:
        raise NotNowError
    return known.rng.choice(brokers)


def _asked(known: Known, request: Any) -> Asked:
    return Asked(host=known.controller(), port=CONTROLLER_PORT, request=request)


def _block(known: Known) -> Asked:
    broker = _broker(known)
    request = AllocateProducerIdsRequest(broker_id=broker.broker_id, broker_epoch=broker.epoch)
    return _asked(known, request)


def _heartbeat(known: Known) -> Asked:
    broker = _broker(known)
    request = BrokerHeartbeatRequest(
        broker_id=broker.broker_id,
        broker_epoch=broker.epoch,
        current_metadata_offset=known.image.offset,
        want_shut_down=known.rng.random() < 0.3,
    )
    return _asked(known, request)


def _assignment(known: Known) -> Asked:
    topic, index, partition = known.partition()
    broker_id = known.rng.choice(partition.replicas)
    broker = known.image.brokers.get(broker_id)
    if broker is None:
        raise NotNowError
    kind = AssignReplicasToDirsRequest
    placed = kind.TopicData(topic_id=topic.topic_id, partitions=[kind.PartitionData(partition_index=index)])
    request = kind(
        broker_id=broker_id,
        broker_epoch=broker.epoch,
        directories=[kind.DirectoryData(id=broker.directories[0], topics=[placed])],
    )
    return _asked(known, request)


def _foreign_assignment(known: Known) -> Asked:
    """Of a replica that the broker does not have."""
    broker = _broker(known)
    found = [
        (topic.topic_id, index)
        for topic in list(known.image.topics_in_order())[-_NEWEST_TOPICS:]
        for index, partition in topic.partitions_in_order()
        if broker.broker_id not in partition.replicas
    ]
    if not found:
        raise NotNowError
    topic_id, index = known.rng.choice(found)
    kind = AssignReplicasToDirsRequest
    placed = kind.TopicData(topic_id=topic_id, partitions=[kind.PartitionData(partition_index=index)])
    request = kind(
        broker_id=broker.broker_id,
        broker_epoch=broker.epoch,
        directories=[kind.DirectoryData(id=broker.directories[0], topics=[placed])],
    )
    return _asked(known, request)


def _new_isr(known: Known) -> Asked:
    topic, index, partition = known.partition()
    kind, brokers = AlterPartitionRequest, known.image.brokers
    data = kind.PartitionData(
        partition_index=index,
        leader_epoch=partition.leader_epoch,
        new_isr_with_epochs=[
            kind.BrokerState(broker_id=each, broker_epoch=brokers[each].epoch)
            for each in sorted(partition.isr, key=lambda each: each != partition.leader)
        ],
        leader_recovery_state=partition.leader_recovery_state,
        partition_epoch=partition.partition_epoch,
    )
    request = kind(
        broker_id=partition.leader,
        broker_epoch=brokers[partition.leader].epoch,
        topics=[kind.TopicData(topic_id=topic.topic_id, partitions=[data])],
    )
    return _asked(known, request)


def _new_isr_by_ids(known: Known) -> Asked:
    asked = _new_isr(known)
    data = asked.request.topics[0].partitions[0]
    data.new_isr = [each.broker_id for each in data.new_isr_with_epochs]
    data.new_isr_with_epochs = []
    return asked


def _new_isr_of_a_follower(known: Known) -> Asked:
    """Of one that believes that it leads."""
    asked = _new_isr(known)
    request = asked.request
    others = [
        each
        for each in request.topics[0].partitions[0].new_isr_with_epochs
        if each.broker_id != request.broker_id
    ]
    if not others:
        raise NotNowError
    follower = known.rng.choice(others)
    request.broker_id, request.broker_epoch = follower.broker_id, follower.broker_epoch
    return asked


def _member(right: Any, known: Known, host: Host) -> Any:
    """A member of an ISR that is no replica."""
    return [*right, AlterPartitionRequest.BrokerState(broker_id=UNKNOWN_ID, broker_epoch=7)]


def _without_the_leader(right: Any, known: Known, host: Host) -> Any:
    """It comes first."""
    if len(right) == 1:
        raise NotNowError
    return right[1:]


def _recovering(right: int, known: Known, host: Host) -> int:
    """Of a leader that has recovered."""
    if right != RECOVERED:
        raise NotNowError
    return RECOVERING


def _registration(known: Known) -> Asked:
    """Another process with the id of a broker, or with one that nobody has."""
    broker = _broker(known)
    kind = BrokerRegistrationRequest
    request = kind(
        broker_id=known.rng.choice((broker.broker_id, UNKNOWN_ID)),
        cluster_id=CLUSTER_ID,
        incarnation_id=UNKNOWN_UUID,
        listeners=[
            kind.Listener(name=each.name, host=each.host, port=each.port, security_protocol=0)
            for each in broker.endpoints
        ],
        features=[
            kind.Feature(
                name=each.name, min_supported_version=each.min_level, max_supported_version=each.max_level
            )
            for each in broker.features
        ],
        log_dirs=[UNKNOWN_UUID],
        previous_broker_epoch=broker.epoch,
    )
    return _asked(known, request)


def _directory_of_another(right: Any, known: Known, host: Host) -> list[bytes]:
    """A directory that belongs to another broker than any that may be asked for: all of them have it."""
    found = {broker.directories[0] for broker in known.image.brokers_in_order() if broker.directories}
    if len(found) < 2:
        raise NotNowError
    return sorted(found)


def _listeners(right: Any, known: Known, host: Host) -> Any:
    """More than any node has."""
    kind = BrokerRegistrationRequest.Listener
    return [
        kind(name=f"L{number}", host="nowhere", port=1, security_protocol=0)
        for number in range(MAX_LISTENERS + 1)
    ]


def _without_metadata_version(right: Any, known: Known, host: Host) -> Any:
    return [each for each in right if each.name != "metadata.version"]


def _only_old_levels(right: Any, known: Known, host: Host) -> Any:
    for each in right:
        if each.name == "metadata.version":
            each.min_supported_version, each.max_supported_version = 1, 2
    return right


def _controller_registration(known: Known) -> Asked:
    controllers = list(known.image.controllers_in_order())
    if not controllers:
        raise NotNowError
    controller = known.rng.choice(controllers)
    kind = ControllerRegistrationRequest
    request = kind(
        controller_id=UNKNOWN_ID,
        incarnation_id=UNKNOWN_UUID,
        listeners=[
            kind.Listener(name=each.name, host=each.host, port=each.port, security_protocol=0)
            for each in controller.endpoints
        ],
        features=[
            kind.Feature(
                name=each.name, min_supported_version=each.min_level, max_supported_version=each.max_level
            )
            for each in controller.features
        ],
    )
    return _asked(known, request)


_BLOCK, _HEARTBEAT = Base(make=_block), Base(make=_heartbeat)
_PLACED = Base(make=_assignment, errors=(*_STALE, ErrorCode.UNKNOWN_TOPIC_ID))
_MOVED_ON = (
    *_STALE,
    ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.INVALID_UPDATE_VERSION,
    ErrorCode.UNKNOWN_TOPIC_ID,
)
_ISR = Base(make=_new_isr, errors=_MOVED_ON)
_REGISTERED = Base(make=_registration, errors=(ErrorCode.DUPLICATE_BROKER_REGISTRATION,))

_ISR_FIELD = "topics.partitions.new_isr_with_epochs"

CASES: tuple[Case, ...] = (
    *cases(
        "AllocateProducerIds",
        _BLOCK,
        ("broker_epoch", "older", older, _STALE),
        ("broker_epoch", "newer", newer, _STALE),
        ("broker_id", "unknown", to(UNKNOWN_ID), _STALE),
    ),
    *cases(
        "BrokerHeartbeat",
        _HEARTBEAT,
        ("broker_epoch", "older", older, _STALE),
        ("broker_epoch", "newer", newer, _STALE),
        ("broker_id", "unknown", to(UNKNOWN_ID), _STALE),
    ),
    *cases(
        "AssignReplicasToDirs",
        _PLACED,
        ("broker_epoch", "older", older, ()),
        ("broker_epoch", "newer", newer, ()),
        ("broker_id", "unknown", to(UNKNOWN_ID), ()),
        ("directories.topics.topic_id", "unknown", to(UNKNOWN_UUID), ()),
        ("directories.topics.partitions.partition_index", "unknown", to(UNKNOWN_INDEX), _NO_PARTITION),
    ),
    *cases(
        "AssignReplicasToDirs of another's replica",
        Base(make=_foreign_assignment, errors=_PLACED.errors),
        ("", "", same, _NO_PARTITION),
    ),
    *cases(
        "AlterPartition",
        _ISR,
        ("broker_epoch", "older", older, ()),
        ("broker_epoch", "newer", newer, ()),
        ("broker_id", "unknown", to(UNKNOWN_ID), ()),
        ("topics.topic_id", "unknown", to(UNKNOWN_UUID), ()),
        ("topics.partitions.partition_index", "unknown", to(UNKNOWN_INDEX), _NO_PARTITION),
        ("topics.partitions.leader_epoch", "older", older, ()),
        ("topics.partitions.leader_epoch", "newer", newer, ()),
        ("topics.partitions.partition_epoch", "older", older, ()),
        ("topics.partitions.partition_epoch", "newer", newer, ()),
        (_ISR_FIELD, "empty", to([]), _INVALID),
        (_ISR_FIELD, "with no replica", _member, _INVALID),
        (_ISR_FIELD, "without the leader", _without_the_leader, _INVALID),
        (_ISR_FIELD, "twice", twice, _INVALID),
        (f"{_ISR_FIELD}.broker_epoch", "newer", newer, (ErrorCode.INELIGIBLE_REPLICA,)),
        ("topics.partitions.leader_recovery_state", "unknown", to(5), _INVALID),
        ("topics.partitions.leader_recovery_state", "recovering", _recovering, _INVALID),
    ),
    *cases(
        "AlterPartition by a follower",
        Base(make=_new_isr_of_a_follower, errors=_MOVED_ON),
        ("", "", same, _INVALID),
    ),
    *cases(
        "AlterPartition of version 2",
        Base(make=_new_isr_by_ids, errors=_MOVED_ON),
        ("topics.partitions.new_isr", "twice", twice, _INVALID),
        ("topics.partitions.new_isr", "with no replica", to([UNKNOWN_ID]), _INVALID),
        version=2,
    ),
    *cases(
        "BrokerRegistration",
        _REGISTERED,
        ("cluster_id", "of another cluster", to("another"), (ErrorCode.INCONSISTENT_CLUSTER_ID,)),
        ("broker_id", "negative", to(-1), _INVALID),
        ("is_migrating_zk_broker", "", to(True), (ErrorCode.BROKER_ID_NOT_REGISTERED,)),
        ("log_dirs", "empty", to([]), _UNFIT),
        ("log_dirs", "twice", twice, _UNFIT),
        ("log_dirs", "reserved", to([bytes(15) + b"\1"]), _UNFIT),
        ("log_dirs", "of another broker", _directory_of_another, _UNFIT),
        ("log_dirs", "too many", to(_MANY_DIRECTORIES), _UNFIT),
        ("listeners", "twice", twice, _INVALID),
        ("listeners", "too many", _listeners, _INVALID),
        ("listeners.security_protocol", "unknown", to(9), _INVALID),
        ("features", "twice", twice, _INVALID),
        ("features", "without metadata.version", _without_metadata_version, _UNFIT),
        ("features", "of an old process", _only_old_levels, (ErrorCode.UNSUPPORTED_VERSION,)),
        ("features.min_supported_version", "impossible", to(2**15 - 1), _INVALID),
    ),
    *cases(
        "ControllerRegistration",
        Base(make=_controller_registration),
        ("controller_id", "negative", to(-1), _INVALID),
        ("listeners", "twice", twice, _INVALID),
        ("listeners.security_protocol", "unknown", to(9), _INVALID),
        ("features", "twice", twice, _INVALID),
        ("features.min_supported_version", "impossible", to(2**15 - 1), _INVALID),
    ),
    *cases(
        "UnregisterBroker",
        Base(make=lambda known: _asked(known, UnregisterBrokerRequest(broker_id=UNKNOWN_ID))),
        ("broker_id", "unknown", same, (ErrorCode.BROKER_ID_NOT_REGISTERED,)),
    ),
    *cases(
        "UnregisterController",
        Base(make=lambda known: _asked(known, UnregisterControllerRequest(controller_id=UNKNOWN_ID))),
        ("controller_id", "unknown", same, (ErrorCode.CONTROLLER_ID_NOT_REGISTERED,)),
    ),
)
