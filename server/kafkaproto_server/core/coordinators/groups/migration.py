"""Groups that change their protocol while their members stay (KIP-848): `group.consumer.migration.policy`.

A classic group becomes a consumer group when the first member of the new protocol joins. Its other members stay as
they are, with their generation as epoch and what they were assigned last, and are told to join again. A consumer group
becomes a classic group when its last member of the new protocol is gone; the others are told to join again.

Apache Kafka has this in convertToConsumerGroup and convertToClassicGroup of GroupMetadataManager. There, members of the
classic group are assigned their target. Here it is what they hold, as they do until they join again: a member of the
new protocol may join before that, and is not to get what another member has not given up.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerGroupMemberMetadataValue
from kafkaproto_server.core.coordinators.groups.classic.group import (
    ClassicGroup,
    ClassicMember,
    ClassicState,
    no_group_record,
)
from kafkaproto_server.core.coordinators.groups.classic.groups import ClassicGroups
from kafkaproto_server.core.coordinators.groups.config import GroupConfigs
from kafkaproto_server.core.coordinators.groups.consumer import records as write
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.heartbeat import ConsumerGroups
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember, indexes_held
from kafkaproto_server.core.coordinators.groups.consumer.settings import ConsumerGroupConfig
from kafkaproto_server.core.coordinators.groups.consumer_protocol import (
    assignment_of,
    partitions_in,
    subscription_of,
    version_of,
)
from kafkaproto_server.core.coordinators.groups.offsets.expiration import CONSUMER_PROTOCOL_TYPE
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.core.coordinators.values import CoordinatorError, CoordinatorLog, Record
from kafkaproto_server.requests.consumer_group_requests import Heard, HeartbeatValues

UPGRADES, DOWNGRADES = frozenset({"upgrade", "bidirectional"}), frozenset({"downgrade", "bidirectional"})
"""The policies that let groups become consumer groups, and classic groups."""


class Migrations:
    """The groups of one partition that change their protocol."""

    def __init__(
        self, classic: ClassicGroups, consumer: ConsumerGroups, configs: GroupConfigs, log: CoordinatorLog
    ) -> None:
        self._classic = classic
        self._consumer = consumer
        self._configs = configs
        self._log = log

    def may_upgrade(self, group_id: str) -> bool:
        """Whether there is a classic group of this name that may become a consumer group with its members."""
        classic = self._classic.groups.get(group_id)
        return classic is not None and may_become_consumer(classic, self._configs.consumer())

    def upgrade(self, values: HeartbeatValues, heard: Heard) -> None:
        """The first member of the new protocol joins a classic group. Raises CoordinatorError."""
        group_id = values.group_id
        classic = self._classic.groups[group_id]
        records = [no_group_record(group_id), *consumer_records(classic, self._consumer.topics)]
        self._consumer.heartbeat(values, heard, records)
        del self._classic.groups[group_id]
        self._classic.end(classic, ErrorCode.REBALANCE_IN_PROGRESS)
        group = self._consumer.groups[group_id]
        for member in classic.members.values():
            self._consumer.sessions.extend(group, member.member_id, member.session_timeout_ms)

    def downgrade(self, group: ConsumerGroup, leaving: Sequence[ConsumerMember]) -> bool:
        """The last members of the new protocol are gone: the others go on with theirs. Raises CoordinatorError."""
        policy, max_size = self._configs.consumer().migration_policy, self._configs.classic().max_size
        if not may_become_classic(group, leaving, policy, max_size):
            return False
        wall_ms = self._consumer.surroundings.wall_ms()
        try:
            classic = classic_group(group, leaving, self._consumer.topics, wall_ms)
        except ValueError:
            return False
        assignments = {each.member_id: each.assignment for each in classic.members.values()}
        end_offset = self._log.append([*write.deletion_records(group), classic.record(assignments)])
        self._consumer.forget(group.group_id, end_offset)
        self._classic.groups[group.group_id] = classic
        self._classic.begin_sessions(group.group_id)
        self._classic.rebalances.rebalance(classic)
        return True


def may_become_consumer(group: ClassicGroup, config: ConsumerGroupConfig) -> bool:
    """Whether a classic group with members may become a consumer group."""
    return (
        config.migration_policy in UPGRADES
        and group.protocol_type == CONSUMER_PROTOCOL_TYPE
        and len(group.members) <= config.max_size
    )


def consumer_records(group: ClassicGroup, topics: Topics) -> list[Record]:
    """The records that make a consumer group of the members of a classic one.

    Raises CoordinatorError (GROUP_ID_NOT_FOUND) if what a member says cannot be read.
    """
    group_id, epoch = group.group_id, group.generation
    try:
        members = [_consumer_member(group, each, topics) for each in group.members.values()]
    except ValueError as error:
        message = f"Cannot upgrade the classic group to a consumer group: {error}."
        raise CoordinatorError(ErrorCode.GROUP_ID_NOT_FOUND, message) from error
    targets = [
        write.target_record(
            group_id, each.member_id, {key: tuple(sorted(own)) for key, own in each.assigned.items()}
        )
        for each in members
    ]
    return [
        *(write.member_record(group_id, each) for each in members),
        write.epoch_record(group_id, epoch, 0),
        *targets,
        # Whoever joins need not wait.
        write.target_epoch_record(group_id, epoch, 0),
        *(write.current_record(group_id, each) for each in members),
    ]


def _consumer_member(group: ClassicGroup, member: ClassicMember, topics: Topics) -> ConsumerMember:
    """Raises ValueError."""
    metadata = dict(member.protocols).get(group.protocol or "", member.protocols[0][1])
    subscription = subscription_of(metadata)
    return ConsumerMember(
        member_id=member.member_id,
        instance_id=member.group_instance_id,
        rack_id=subscription.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=tuple(sorted(set(subscription.topics))),
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        classic_metadata=ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
            session_timeout_ms=member.session_timeout_ms,
            supported_protocols=[
                ConsumerGroupMemberMetadataValue.ClassicProtocol(name=name, metadata=each)
                for name, each in member.protocols
            ],
        ),
        epoch=group.generation,
        previous_epoch=group.generation,
        assigned={
            topic_id: dict.fromkeys(indexes, group.generation)
            for topic_id, indexes in partitions_in(member.assignment, topics).items()
        },
    )


def may_become_classic(
    group: ConsumerGroup, leaving: Sequence[ConsumerMember], policy: str, max_size: int
) -> bool:
    """Whether a consumer group becomes a classic one if these members are gone: all others use the classic protocol.
    ``max_size`` is that of a classic group."""
    gone = {each.member_id for each in leaving}
    others = [each for member_id, each in group.members.items() if member_id not in gone]
    return (
        policy in DOWNGRADES
        and not all(each.is_classic for each in leaving)
        and 0 < len(others) <= max_size
        and all(each.is_classic for each in others)
    )


def classic_group(
    group: ConsumerGroup, leaving: Sequence[ConsumerMember], topics: Topics, wall_ms: int
) -> ClassicGroup:
    """The classic group of all members but these. Raises ValueError if what a member says cannot be read."""
    gone = {each.member_id for each in leaving}
    found = ClassicGroup(
        group_id=group.group_id,
        state=ClassicState.STABLE,
        state_since_ms=wall_ms,
        generation=group.epoch,
        protocol_type=CONSUMER_PROTOCOL_TYPE,
    )
    for member_id, member in sorted(group.members.items()):
        if member_id in gone:
            continue
        metadata = member.classic_metadata
        assert metadata is not None, "all others use the classic protocol"
        protocols = tuple((each.name, bytes(each.metadata)) for each in metadata.supported_protocols)
        found.add(
            ClassicMember(
                member_id=member_id,
                group_instance_id=member.instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                rebalance_timeout_ms=member.rebalance_timeout_ms,
                session_timeout_ms=metadata.session_timeout_ms,
                protocols=protocols,
                assignment=assignment_of(indexes_held(member), topics, version_of(protocols[0][1])),
                is_new=False,
            )
        )
    if not found.has_common_protocol:
        raise ValueError("no protocol is supported by all members")
    found.protocol = found.choose_protocol()
    return found
