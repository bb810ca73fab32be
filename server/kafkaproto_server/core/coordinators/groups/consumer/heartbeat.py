"""The decisions for consumer groups (KIP-848): a heartbeat brings a member one step nearer to its part of the target.

What is done with a heartbeat, in this order: the member is taken in or updated; if members, subscriptions or topics
have changed, the group epoch grows; if it is ahead of the assignment epoch, and the last assignment is old enough, all
partitions are assigned anew; the member takes its next step. All records of one heartbeat are appended in one batch and
replayed, and the response leaves when they are committed.

While the assignment of a large group is computed, members keep what they have, as they do if the last assignment is too
new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import ConsumerGroupDescribeResponse
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.consumer import records as write
from kafkaproto_server.core.coordinators.groups.consumer.assignors import ASSIGNORS
from kafkaproto_server.core.coordinators.groups.consumer.change import ConsumerChange
from kafkaproto_server.core.coordinators.groups.consumer.commits import check_commit, check_fetch
from kafkaproto_server.core.coordinators.groups.consumer.describe import (
    described_group,
    unknown_group,
    values_of_consumer_group,
)
from kafkaproto_server.core.coordinators.groups.consumer.group import (
    ConsumerGroup,
    ConsumerState,
    ResolvedRegex,
)
from kafkaproto_server.core.coordinators.groups.consumer.member import NOTHING, ConsumerMember, indexes_of
from kafkaproto_server.core.coordinators.groups.consumer.records import CONSUMER_GROUP_KEYS
from kafkaproto_server.core.coordinators.groups.consumer.regex_resolver import RegexResolver
from kafkaproto_server.core.coordinators.groups.consumer.sessions import Sessions
from kafkaproto_server.core.coordinators.groups.consumer.settings import ConsumerGroupSettings
from kafkaproto_server.core.coordinators.groups.consumer.targets import preferred_assignor, question
from kafkaproto_server.core.coordinators.groups.consumer.validation import check_values
from kafkaproto_server.core.coordinators.groups.consumer.values import Assignor, RegexCompiler
from kafkaproto_server.core.coordinators.groups.kinds import PartitionCheck
from kafkaproto_server.core.coordinators.groups.membership import (
    check_room,
    dynamic_member,
    is_leaving,
    static_member,
)
from kafkaproto_server.core.coordinators.groups.modern.groups import SIZE_AT_ONCE, ModernGroups
from kafkaproto_server.core.coordinators.groups.modern.targets import records_of_targets
from kafkaproto_server.core.coordinators.groups.offsets.expiration import Expiration
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.core.coordinators.values import (
    ComputingSurroundings,
    CoordinatorError,
    CoordinatorLog,
    Record,
)
from kafkaproto_server.requests.consumer_group_requests import (
    JOIN_EPOCH,
    LEAVE_STATIC_EPOCH,
    Heard,
    HeartbeatOutcome,
    HeartbeatValues,
    Partitions,
)
from kafkaproto_server.requests.offset_requests import Committer, OffsetReader

FIRST_EPOCH = 2
"""The epoch of a new group, as Apache Kafka 4.4.0 has it. Groups of earlier releases began with 1."""
TOPICS_REFRESH_INTERVAL_MS = 3_600_000
"""How long a group relies on being told of changed topics before it looks itself."""


class ConsumerGroups(ModernGroups[ConsumerGroup, ConsumerGroupSettings]):
    """The consumer groups of one partition of the internal topic. Implements `GroupKind`."""

    kind = "consumer"
    states = ConsumerState
    key_types = CONSUMER_GROUP_KEYS
    keeps_offsets = True
    sessions: Sessions

    def __init__(
        self,
        *,
        settings: Callable[[str], ConsumerGroupSettings],
        topics: Topics,
        compile_regex: RegexCompiler,
        log: CoordinatorLog,
        surroundings: ComputingSurroundings,
        metrics: GroupMetrics,
        assignors: Mapping[str, Assignor] = ASSIGNORS,
    ) -> None:
        """``settings`` returns the settings of a group (`consumer_settings_of`)."""
        super().__init__(settings, topics, log, surroundings, metrics)
        self._assignors = assignors
        self.sessions = Sessions(surroundings, self.is_current, self.remove)
        self.becomes_classic: Callable[[ConsumerGroup, Sequence[ConsumerMember]], bool] = (
            lambda group, members: False
        )
        """Whether the group has become a classic one because these members are gone. Raises CoordinatorError."""
        self.regexes = RegexResolver(
            topics, surroundings, compile_regex, self.is_current, self._keep_resolved
        )

    # -- what is asked of each kind ------------------------------------------------------------------------------

    def _new_group(self, group_id: str) -> ConsumerGroup:
        return ConsumerGroup(group_id)

    def _replay(self, group: ConsumerGroup, key: Message, value: Message | None) -> bool:
        return group.replay(key, value)

    def take_over(self, end_offset: int) -> None:
        super().take_over(end_offset)
        self.regexes.has_new_topics()

    def _session_timeout_ms(self, member: ConsumerMember, timeout_ms: int) -> int:
        classic = member.classic_metadata
        return timeout_ms if classic is None else classic.session_timeout_ms

    def deletion_records(self, group_id: str) -> list[Record]:
        """The records that remove a group without members; whoever asks for them appends and replays them.

        Raises CoordinatorError (GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP).
        """
        return write.deletion_records(self.empty_group(group_id))

    def check_commit(self, group_id: str, committer: Committer, *, is_transactional: bool) -> PartitionCheck:
        return check_commit(
            self.groups[group_id],
            member_id=committer.member_id,
            member_epoch=committer.generation,
            instance_id=committer.group_instance_id,
            version=committer.version,
            is_transactional=is_transactional,
        )

    def check_fetch(self, group_id: str, reader: OffsetReader) -> None:
        check_fetch(self.groups[group_id], member_id=reader.member_id, member_epoch=reader.member_epoch)

    def uses_topic(self, group_id: str) -> Callable[[str], bool]:
        return self.groups[group_id].subscribed_topics().__contains__

    def expiration(self, group_id: str) -> Expiration:
        return Expiration(is_subscribed=self.uses_topic(group_id))

    def described(self, group_id: str) -> ConsumerGroupDescribeResponse.DescribedGroup:
        """A group, or that there is none of this name."""
        group = self.groups.get(group_id)
        if group is None:
            return unknown_group(group_id)
        return described_group(group, self.topics, self._settings(group_id).assignors)

    def described_values(self, group_id: str) -> int:
        return values_of_consumer_group(self.groups[group_id])

    # -- ConsumerGroupHeartbeat ----------------------------------------------------------------------------------

    def heartbeat(self, values: HeartbeatValues, heard: Heard, before: Sequence[Record] = ()) -> None:
        """Take a heartbeat. ``heard`` gets the response when what it says is committed.

        ``before`` are records to write in front of the first of a new group: they remove a group of another kind that
        has this name, and no members. Whoever gives them takes them over as well.

        Raises CoordinatorError.
        """
        settings = self._settings(values.group_id)
        check_values(values, self._assignor_names(settings))
        if is_leaving(values.member_epoch):
            self._leave(values, heard)
        else:
            self._take(values, settings, heard, before)

    def take(self, values: HeartbeatValues, heard: Heard) -> None:
        """Take a heartbeat of a member that joins, and of which nothing is to be checked. See `heartbeat`."""
        self._take(values, self._settings(values.group_id), heard)

    def _assignor_names(self, settings: ConsumerGroupSettings) -> list[str]:
        return [name for name in settings.assignors if name in self._assignors]

    def _take(
        self,
        values: HeartbeatValues,
        settings: ConsumerGroupSettings,
        heard: Heard,
        before: Sequence[Record] = (),
    ) -> None:
        """Take a heartbeat of a member that joins or lives; see `heartbeat`."""
        if values.member_epoch == JOIN_EPOCH and values.group_id not in self.groups:
            # It is kept by its records only, of which there may be some.
            group = ConsumerGroup(values.group_id)
            for record in before:
                group.replay(record.key, record.value)
        else:
            group = self.group(values.group_id)
        check_room(group, settings.max_size, is_known=values.member_id in group.members)
        change = ConsumerChange(group, list(before))
        member_id = values.member_id or self.surroundings.new_id()
        change.find_member(values, member_id)
        change.update_member(values, self.regexes.compile_regex)
        self._maybe_grow_epoch(change, settings)
        target_epoch, target = self._target(change, settings)
        change.step(target_epoch, target, values.topic_partitions, self.topics)
        has_new_epoch = change.epoch != group.epoch
        if change.records:
            self.write(group.group_id, change.records)
        self._metrics.consumer_rebalances += has_new_epoch
        group = self.groups[group.group_id]
        if change.question is not None:
            answer = partial(change.question.answer, self._assignors[change.assignor])
            self._assign_later(group, change.epoch, change.question, answer)
        if change.is_refreshed:
            group.refresh_at_ms = self.surroundings.now_ms() + TOPICS_REFRESH_INTERVAL_MS
        self.sessions.extend(
            group, member_id, values.classic_session_timeout_ms or settings.session_timeout_ms
        )
        if change.has_stepped:
            self.sessions.expect_revocation(group, change.member)
        self.regexes.maybe_resolve(group, settings.regex_refresh_interval_ms, values.may_describe)
        self._respond_when_committed(heard, _outcome(values, change, settings.heartbeat_interval_ms))

    def _maybe_grow_epoch(self, change: ConsumerChange, settings: ConsumerGroupSettings) -> None:
        """If the member or topics have changed, the next assignment is for another group epoch."""
        group = change.group
        has_changed = (
            group.epoch == 0
            or change.has_new_names
            or change.has_resolved_regex
            or self._is_another_assignor_preferred(change, settings)
        )
        is_due = group.refresh_at_ms is None or group.refresh_at_ms <= self.surroundings.now_ms()
        if not has_changed and not is_due:
            return
        metadata_hash = self.topics.hash_of_all(
            group.subscribed_topics(without=change.replaced(), plus=change.member)
        )
        if has_changed or metadata_hash != group.metadata_hash:
            change.epoch = max(change.epoch + 1, FIRST_EPOCH)
            change.records.append(write.epoch_record(group.group_id, change.epoch, metadata_hash))
        if group.has_partition_metadata:
            change.records.append(write.no_partition_metadata_record(group.group_id))
        change.is_refreshed = True

    def _is_another_assignor_preferred(self, change: ConsumerChange, settings: ConsumerGroupSettings) -> bool:
        """Whether the member makes the majority want another assignor (KAFKA-20434)."""
        if not change.has_new_assignor:
            return False
        names = self._assignor_names(settings)
        before = preferred_assignor(change.group.members, names)
        return preferred_assignor(change.members(), names) != before

    def _target(self, change: ConsumerChange, settings: ConsumerGroupSettings) -> tuple[int, Partitions]:
        """The assignment epoch and the member's target: new ones if they are due."""
        group, member = change.group, change.member
        if (
            change.epoch > group.assignment_epoch
            and not group.is_assigning
            and self._is_assignment_due(group, settings)
        ):
            members = change.members()
            name = preferred_assignor(members, self._assignor_names(settings))
            asked = question(group, members, self.topics)
            # The first member of a group has to get an epoch, and so has its target at once.
            if asked.size <= SIZE_AT_ONCE or group.assignment_epoch <= 0:
                targets = asked.answer(self._assignors[name])
                change.records += self._target_records(group, targets, change.epoch)
                return change.epoch, targets[member.member_id]
            change.question, change.assignor = asked, name
        return group.assignment_epoch, group.target_of(member.member_id, member.instance_id)

    def _target_records(
        self, group: ConsumerGroup, targets: Mapping[str, Partitions], epoch: int
    ) -> list[Record]:
        wall_ms = self.surroundings.wall_ms()
        return records_of_targets(write.TARGETS, group.group_id, group.targets, targets, epoch, wall_ms)

    # -- members that leave --------------------------------------------------------------------------------------

    def _leave(self, values: HeartbeatValues, heard: Heard) -> None:
        group = self.group(values.group_id)
        if values.instance_id is None:
            member = dynamic_member(group, values.member_id)
        else:
            member = static_member(group, values.instance_id, values.member_id)
        if values.member_epoch == LEAVE_STATIC_EPOCH:
            # It keeps its partitions until its session ends; what it was about to revoke is free.
            gone = msgspec.structs.replace(member, epoch=LEAVE_STATIC_EPOCH, revoking=NOTHING)
            self.write(group.group_id, [write.current_record(group.group_id, gone)])
        else:
            self.remove(group, member)
        outcome = HeartbeatOutcome(
            code=ErrorCode.NONE, member_id=member.member_id, member_epoch=values.member_epoch
        )
        self._respond_when_committed(heard, outcome)

    def remove(self, group: ConsumerGroup, *members: ConsumerMember) -> None:
        """Remove members, each given once; their partitions are free at once. Raises CoordinatorError."""
        if self.becomes_classic(group, members):
            return
        group_id = group.group_id
        records = [record for each in members for record in write.removal_records(group_id, each.member_id)]
        regexes = Counter(each.subscribed_topic_regex for each in members if each.subscribed_topic_regex)
        records += (
            write.no_regex_record(group_id, regex)
            for regex, count in regexes.items()
            if group.regex_counts[regex] == count
        )
        metadata_hash = self.topics.hash_of_all(group.subscribed_topics(without=members))
        records.append(write.epoch_record(group_id, group.epoch + 1, metadata_hash))
        if len(group.members) == len(members):
            # Nobody is there to be assigned anything (KAFKA-20442). Whoever joins next need not wait.
            records.append(write.target_epoch_record(group_id, group.epoch + 1, 0))
        self.write(group_id, records)

    def _keep_resolved(self, group: ConsumerGroup, found: Mapping[str, frozenset[str]], version: int) -> None:
        """What the expressions of a group match is known, as of a version of the metadata."""
        group_id, wall_ms = group.group_id, self.surroundings.wall_ms()
        records = []
        has_changed = False
        regexes = dict(group.regexes)
        for regex, names in found.items():
            if regex not in group.regex_counts:
                # Nobody subscribes to it any more.
                continue
            old = group.regexes.get(regex)
            has_changed = has_changed or names != (frozenset() if old is None else old.topics)
            regexes[regex] = ResolvedRegex(topics=names, version=version, wall_ms=wall_ms)
            records.append(write.regex_record(group_id, regex, names, version, wall_ms))
        metadata_hash = self.topics.hash_of_all(group.subscribed_topics(regexes=regexes))
        if has_changed or metadata_hash != group.metadata_hash:
            has_changed = True
            records.append(write.epoch_record(group_id, group.epoch + 1, metadata_hash))
        if not records:
            return
        try:
            self.write(group_id, records)
        except CoordinatorError:
            # One of the next heartbeats tries again.
            return
        if has_changed:
            self._metrics.consumer_rebalances += 1
            group.refresh_at_ms = self.surroundings.now_ms() + TOPICS_REFRESH_INTERVAL_MS

    # -- the log -------------------------------------------------------------------------------------------------

    def _respond_when_committed(self, heard: Heard, outcome: HeartbeatOutcome) -> None:
        self.when_committed(
            lambda code: heard(outcome if code is ErrorCode.NONE else HeartbeatOutcome(code=code))
        )

    def forget(self, group_id: str, end_offset: int) -> None:
        """A group has become one of another kind; the records that say so end at an offset."""
        del self.groups[group_id]
        self._last_end_offset = end_offset


def _outcome(values: HeartbeatValues, change: ConsumerChange, heartbeat_interval_ms: int) -> HeartbeatOutcome:
    """The assignment is told to members that join or ask for everything, and when it has changed."""
    is_told = values.member_epoch == JOIN_EPOCH or values.is_full or change.has_other_partitions
    return HeartbeatOutcome(
        code=ErrorCode.NONE,
        member_id=change.member.member_id,
        member_epoch=change.member.epoch,
        heartbeat_interval_ms=heartbeat_interval_ms,
        assignment=indexes_of(change.member.assigned) if is_told else None,
    )
