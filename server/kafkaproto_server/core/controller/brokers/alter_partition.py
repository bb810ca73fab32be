"""AlterPartition (56, v2-3): a partition's leader reports the new ISR, and when it has recovered.

Partitions are checked one by one, in Kafka's order of checks. `partition_change` decides on those that pass: the change
may complete a reassignment and so move the leader; the sender learns that by NEW_LEADER_ELECTED.

Apache Kafka's controllers resign over an unknown recovery state; here the partition gets INVALID_REQUEST. If a request
names a partition twice, the second mention is checked against the result of the first.

Apache Kafka: ``ReplicationControlManager.alterPartition``.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterPartitionRequest, AlterPartitionResponse
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.partitions.partitions import Goal, PartitionChanges
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.metadata.image.entries import RECOVERED, RECOVERING, PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage

_FIRST_VERSION_WITH_EPOCHS = 3
"""From here on each member of the ISR comes with the broker epoch under which it fetched."""
_ANY_EPOCH = -1

_PartitionData = AlterPartitionRequest.PartitionData
_PartitionResult = AlterPartitionResponse.PartitionData


def alter_partition(situation: Situation, request: AlterPartitionRequest) -> Steps[CommandResult]:
    """Make the valid changes; raises ApiError (STALE_BROKER_EPOCH) unless the sender is registered with its epoch."""
    broker = situation.image.brokers.get(request.broker_id)
    # A leader from before a restart must not shrink or grow the ISR in the name of the new
    # incarnation.
    if broker is None or broker.epoch != request.broker_epoch:
        raise ApiError(ErrorCode.STALE_BROKER_EPOCH)
    changes = PartitionChanges(situation.image, situation.topic_configs())
    topics = []
    for asked in request.topics:
        topic = situation.image.topics.get(asked.topic_id)
        results = []
        for data in asked.partitions:
            members = _members(data, situation.version)
            try:
                results.append(_alter(situation.image, changes, topic, data, members, request.broker_id))
            except ApiError as error:
                results.append(_PartitionResult(partition_index=data.partition_index, error_code=error.code))
            yield
        topics.append(AlterPartitionResponse.TopicData(topic_id=asked.topic_id, partitions=results))
    return CommandResult(
        # Each partition is a change of its own, and a leader that lost a follower reports them all at once.
        response=AlterPartitionResponse(topics=topics),
        records=changes.records,
        atomic=False,
    )


def _members(data: _PartitionData, version: int) -> dict[int, int] | None:
    """The broker epochs of the requested ISR, by broker id in order; None if a broker comes twice."""
    if version < _FIRST_VERSION_WITH_EPOCHS:
        # Version 2 has no epochs: a broker that restarted and lost its log could then join by its
        # id alone. KIP-903 added them for that reason.
        pairs = [(broker_id, _ANY_EPOCH) for broker_id in data.new_isr]
    else:
        pairs = [(state.broker_id, state.broker_epoch) for state in data.new_isr_with_epochs]
    members = dict(pairs)
    return members if len(members) == len(pairs) else None


def _alter(
    image: ClusterImage,
    changes: PartitionChanges,
    topic: TopicImage | None,
    data: _PartitionData,
    members: dict[int, int] | None,
    sender: int,
) -> _PartitionResult:
    # This order of checks is that of Kafka's ReplicationControlManager. Leaders act on the code:
    # they retry some errors, and drop the request for others.
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID)
    partition = changes.partition(topic, data.partition_index)
    if partition is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    _check_sender(partition, data, sender)
    isr = _checked_isr(image, partition, data, members)
    # A recovery state that is the present one changes nothing: leaders repeat it in each request.
    goal = Goal(isr=isr, recovery_state=data.leader_recovery_state)
    partition = changes.change(topic, data.partition_index, goal) or partition
    # The record is written nevertheless: the change completed a reassignment, and the leader was
    # among the removed replicas. The sender must not believe that it still leads.
    if partition.leader != sender:
        raise ApiError(ErrorCode.NEW_LEADER_ELECTED)
    return _PartitionResult(
        partition_index=data.partition_index,
        leader_id=partition.leader,
        leader_epoch=partition.leader_epoch,
        isr=list(partition.isr),
        leader_recovery_state=partition.leader_recovery_state,
        partition_epoch=partition.partition_epoch,
    )


def _check_sender(partition: PartitionImage, data: _PartitionData, sender: int) -> None:
    """Raise ApiError unless the sender leads the partition and knows its present epochs."""
    # Check this first: the other errors would make the leader give up its change. After
    # NOT_CONTROLLER it asks the newer controller.
    if data.leader_epoch > partition.leader_epoch or data.partition_epoch > partition.partition_epoch:
        # The sender knows later epochs than this controller, so another controller must have made them.
        raise ApiError(ErrorCode.NOT_CONTROLLER)
    # Before the check of the leader: a deposed leader has to learn that its epoch is over.
    if data.leader_epoch < partition.leader_epoch:
        raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
    if sender != partition.leader:
        raise ApiError(ErrorCode.INVALID_REQUEST)
    # The partition epoch makes this a compare-and-set: the leader has not seen a change, and its
    # ISR may contain replicas that the change removed.
    if data.partition_epoch < partition.partition_epoch:
        raise ApiError(ErrorCode.INVALID_UPDATE_VERSION)


def _checked_isr(
    image: ClusterImage, partition: PartitionImage, data: _PartitionData, members: dict[int, int] | None
) -> tuple[int, ...]:
    """The requested ISR; raises ApiError unless the partition may have it."""
    # The leader cannot leave the ISR by its own request: the controller would have to elect another
    # one.
    if members is None or not members.keys() <= {*partition.replicas} or partition.leader not in members:
        raise ApiError(ErrorCode.INVALID_REQUEST)
    state = data.leader_recovery_state
    if state not in (RECOVERED, RECOVERING):
        raise ApiError(ErrorCode.INVALID_REQUEST)
    # While a leader recovers from an unclean election (KIP-704), its log may still change. So no
    # follower counts as in sync, and RECOVERED never goes back by request.
    if state == RECOVERING and (len(members) > 1 or partition.leader_recovery_state == RECOVERED):
        raise ApiError(ErrorCode.INVALID_REQUEST)
    # KIP-841: a fenced broker, or one in controlled shutdown, must not come back into the ISR
    # through a leader that has not read of the fencing yet.
    for broker_id, broker_epoch in members.items():
        broker = image.brokers.get(broker_id)
        if broker is None or not broker.is_active():
            raise ApiError(ErrorCode.INELIGIBLE_REPLICA)
        if broker_epoch not in (_ANY_EPOCH, broker.epoch):
            raise ApiError(ErrorCode.INELIGIBLE_REPLICA)
    # In the order of the request, as in Kafka: the ISR has no order that means anything.
    return tuple(members)
