"""Members of the classic protocol in consumer groups: while a group changes its protocol, it has members of both kinds.

A JoinGroup does what a heartbeat of a member that joins does, and the response has the member's epoch as generation.
The coordinator assigns, so nobody leads. A SyncGroup fetches what the member has now. A Heartbeat tells the member to
join again whenever there is a next step for it to take: it has to revoke partitions, or may have more.

Apache Kafka has this in classicGroupJoinToConsumerGroup and its siblings in GroupMetadataManager (KIP-848).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerGroupMemberMetadataValue, ConsumerProtocolSubscription
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.heartbeat import ConsumerGroups
from kafkaproto_server.core.coordinators.groups.consumer.member import (
    ConsumerMember,
    ConsumerMemberState,
    indexes_of,
)
from kafkaproto_server.core.coordinators.groups.consumer_protocol import (
    assignment_of,
    owned_by,
    subscription_of,
    version_of,
)
from kafkaproto_server.core.coordinators.groups.membership import dynamic_member, static_member
from kafkaproto_server.core.coordinators.groups.offsets.expiration import CONSUMER_PROTOCOL_TYPE
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.consumer_group_requests import JOIN_EPOCH, HeartbeatOutcome, HeartbeatValues
from kafkaproto_server.requests.group_requests import (
    UNKNOWN_MEMBER,
    Joined,
    JoinOutcome,
    JoinValues,
    Synced,
    SyncOutcome,
    SyncValues,
)


class ClassicMembers:
    """The requests of these members, for the groups of one partition of the internal topic."""

    def __init__(self, groups: ConsumerGroups, topics: Topics, new_id: Callable[[], str]) -> None:
        self._groups = groups
        self._topics = topics
        self._new_id = new_id

    def join(self, group: ConsumerGroup, values: JoinValues, joined: Joined) -> None:
        """Take a member in, or its next step. ``joined`` is called when that is committed. Raises CoordinatorError."""
        _check_protocols(group, values)
        member_id = values.member_id or self._new_id()
        is_new = values.member_id == UNKNOWN_MEMBER
        if is_new and values.needs_known_id and values.group_instance_id is None:
            raise CoordinatorError(ErrorCode.MEMBER_ID_REQUIRED, member_id)
        if not is_new and values.group_instance_id is not None:
            static_member(group, values.group_instance_id, member_id)
        subscription = _subscription(values)
        heartbeat = HeartbeatValues(
            group_id=group.group_id,
            member_id=member_id,
            member_epoch=JOIN_EPOCH,
            instance_id=values.group_instance_id,
            rack_id=subscription.rack_id,
            rebalance_timeout_ms=values.rebalance_timeout_ms,
            subscribed_topic_names=tuple(subscription.topics),
            subscribed_topic_regex="",
            topic_partitions=owned_by(subscription, self._topics),
            client_id=values.client_id,
            client_host=values.client_host,
            classic_protocols=values.protocols,
            classic_session_timeout_ms=values.session_timeout_ms,
        )

        def heard(outcome: HeartbeatOutcome) -> None:
            is_fine = outcome.code is ErrorCode.NONE
            joined(
                JoinOutcome(
                    code=outcome.code,
                    member_id=member_id,
                    generation=outcome.member_epoch if is_fine else -1,
                    protocol_type=CONSUMER_PROTOCOL_TYPE if is_fine else None,
                    protocol=values.protocols[0][0] if is_fine else None,
                )
            )

        self._groups.take(heartbeat, heard)
        # It has to fetch its assignment.
        self._groups.sessions.expect_request(group, member_id, values.rebalance_timeout_ms)

    def sync(self, group: ConsumerGroup, values: SyncValues, synced: Synced) -> None:
        """What the member has. ``synced`` is called when that is committed. Raises CoordinatorError."""
        member, metadata = self._member(group, values.member_id, values.group_instance_id, values.generation)
        protocol = metadata.supported_protocols[0]
        if values.protocol_type not in (None, CONSUMER_PROTOCOL_TYPE) or values.protocol not in (
            None,
            protocol.name,
        ):
            raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if group.epoch > member.epoch and member.state is not ConsumerMemberState.UNREVOKED_PARTITIONS:
            self._groups.sessions.maybe_expect_request(group, member.member_id, member.rebalance_timeout_ms)
            raise CoordinatorError(ErrorCode.REBALANCE_IN_PROGRESS)
        self._groups.sessions.expect_request(group, member.member_id, None)
        self._groups.sessions.extend(group, member.member_id, metadata.session_timeout_ms)
        try:
            version = version_of(bytes(protocol.metadata))
        except ValueError as error:
            # Not from a JoinGroup: that would have been refused.
            raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, str(error)) from error
        assignment = assignment_of(indexes_of(member.assigned), self._topics, version)
        outcome = SyncOutcome(ErrorCode.NONE, assignment, CONSUMER_PROTOCOL_TYPE, protocol.name)
        self._groups.when_committed(
            lambda code: synced(outcome if code is ErrorCode.NONE else SyncOutcome(code))
        )

    def heartbeat(
        self, group: ConsumerGroup, member_id: str, instance_id: str | None, generation: int
    ) -> None:
        """The member lives. Raises CoordinatorError, also if it has to join again."""
        member, metadata = self._member(group, member_id, instance_id, generation)
        self._groups.sessions.extend(group, member.member_id, metadata.session_timeout_ms)
        if (
            member.epoch < group.epoch
            or member.state is ConsumerMemberState.UNREVOKED_PARTITIONS
            or (member.state is ConsumerMemberState.UNRELEASED_PARTITIONS and not _waits(group, member))
        ):
            self._groups.sessions.maybe_expect_request(group, member.member_id, member.rebalance_timeout_ms)
            raise CoordinatorError(ErrorCode.REBALANCE_IN_PROGRESS)

    def leave(self, group: ConsumerGroup, members: Sequence[tuple[str, str | None]]) -> list[ErrorCode]:
        """Members leave together, each named by its id or its instance id. Returns the result for each.

        Members of the new protocol may be among them: that is how an administrator removes members.
        """
        results: list[ErrorCode] = []
        leaving: dict[str, ConsumerMember] = {}
        for member_id, instance_id in members:
            try:
                member = _named(group, member_id, instance_id)
            except CoordinatorError as error:
                results.append(error.code)
            else:
                leaving[member.member_id] = member
                results.append(ErrorCode.NONE)
        if leaving:
            try:
                self._groups.remove(group, *leaving.values())
            except CoordinatorError as error:
                return [error.code if each is ErrorCode.NONE else each for each in results]
        return results

    @staticmethod
    def _member(
        group: ConsumerGroup, member_id: str, instance_id: str | None, generation: int
    ) -> tuple[ConsumerMember, ConsumerGroupMemberMetadataValue.ClassicMemberMetadata]:
        """A member of the classic protocol in this generation. Raises CoordinatorError."""
        if instance_id is None:
            member = dynamic_member(group, member_id)
        else:
            member = static_member(group, instance_id, member_id)
        if member.classic_metadata is None:
            raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)
        if generation != member.epoch:
            raise CoordinatorError(ErrorCode.ILLEGAL_GENERATION)
        return member, member.classic_metadata


def _named(group: ConsumerGroup, member_id: str, instance_id: str | None) -> ConsumerMember:
    """The member that a LeaveGroup names. Raises CoordinatorError."""
    if instance_id is None:
        return dynamic_member(group, member_id)
    # An administrator names static members by their instance ids alone.
    return static_member(group, instance_id, member_id or group.static_ids.get(instance_id, ""))


def _check_protocols(group: ConsumerGroup, values: JoinValues) -> None:
    """Raises CoordinatorError unless all members of the classic protocol have one protocol in common with this one."""
    others = [
        each.classic_metadata
        for member_id, each in group.members.items()
        if each.classic_metadata is not None and member_id != values.member_id
    ]
    supported = Counter(protocol.name for each in others for protocol in each.supported_protocols)
    is_common = any(supported[name] == len(others) for name, _ in values.protocols)
    if values.protocol_type != CONSUMER_PROTOCOL_TYPE or not is_common:
        raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _subscription(values: JoinValues) -> ConsumerProtocolSubscription:
    """What the member says with the protocol that it likes most. Raises CoordinatorError."""
    try:
        return subscription_of(values.protocols[0][1])
    except ValueError as error:
        raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, str(error)) from error


def _waits(group: ConsumerGroup, member: ConsumerMember) -> bool:
    """Whether others have not given up all that the member is to have."""
    target = group.target_of(member.member_id, member.instance_id)
    return any(
        index not in member.assigned.get(topic_id, {}) and (topic_id, index) in group.owners
        for topic_id, indexes in target.items()
        for index in indexes
    )
