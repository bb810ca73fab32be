"""The decisions for consumer groups (KIP-848): a heartbeat brings a member one step nearer to its part of the target.

What is done with a heartbeat, in this order: the member is taken in or updated; if members, subscriptions or topics
have changed, the group epoch grows; if it is ahead of the assignment epoch, and the last assignment is old enough, all
partitions are assigned anew; the member takes its next step. All records of one heartbeat are appended in one batch and
replayed, and the response leaves when they are committed.

The assignment of a large group is computed in a thread; until it is there, members keep what they have, as they do if
the last assignment is too new. That depends on the size alone, whatever `consumer.assignor.offload.enable` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.config import GroupConfig
from kafkaproto_server.core.coordinators.groups.consumer import records as write
from kafkaproto_server.core.coordinators.groups.consumer.assignors import ASSIGNORS
from kafkaproto_server.core.coordinators.groups.consumer.change import ConsumerChange
from kafkaproto_server.core.coordinators.groups.consumer.group import (
    ConsumerGroup,
    ConsumerState,
    ResolvedRegex,
)
from kafkaproto_server.core.coordinators.groups.consumer.member import NOTHING, ConsumerMember, indexes_of
from kafkaproto_server.core.coordinators.groups.consumer.regexes import needs_resolution, resolve
from kafkaproto_server.core.coordinators.groups.consumer.sessions import Sessions
from kafkaproto_server.core.coordinators.groups.consumer.targets import (
    ConsumerQuestion,
    preferred_assignor,
    question,
    records_of_targets,
)
from kafkaproto_server.core.coordinators.groups.consumer.validation import check_values
from kafkaproto_server.core.coordinators.groups.consumer.values import (
    Assignor,
    RegexCompiler,
)
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
from kafkaproto_server.core.coordinators.groups.membership import (
    check_room,
    dynamic_member,
    is_leaving,
    static_member,
)
from kafkaproto_server.core.coordinators.groups.settings import GroupSettings
from kafkaproto_server.core.coordinators.groups.topics import NO_TOPIC_HASH, Hash64, Topics, group_hash
from kafkaproto_server.core.coordinators.values import (
    Compute,
    CoordinatorError,
    CoordinatorLog,
    Record,
    Surroundings,
)
from kafkaproto_server.requests.consumer_group_requests import (
    JOIN_EPOCH,
    LEAVE_STATIC_EPOCH,
    Heard,
    HeartbeatOutcome,
    HeartbeatValues,
    Partitions,
)

REGEX_COST_AT_ONCE = 2_000_000
"""How much is matched against regular expressions in one turn, in units of `Matcher.cost`: 20 ms at most."""
SIZE_AT_ONCE = 2_000
"""Partitions, and topics of members, that are assigned at once: about 10 ms. With more, it is done beside the loop."""
FIRST_EPOCH = 2
"""The epoch of a new group, as Apache Kafka 4.4.0 has it. Groups of earlier releases began with 1."""
TOPICS_REFRESH_INTERVAL_MS = 3_600_000
"""How long a group relies on being told of changed topics before it looks itself."""


class ConsumerGroups:
    """The consumer groups of one partition of the internal topic."""

    def __init__(
        self,
        *,
        config: Callable[[], GroupConfig],
        settings: Callable[[str], GroupSettings],
        topics: Topics,
        hash64: Hash64,
        compile_regex: RegexCompiler,
        compute: Compute,
        log: CoordinatorLog,
        surroundings: Surroundings,
        metrics: GroupMetrics,
        assignors: Mapping[str, Assignor] = ASSIGNORS,
    ) -> None:
        """``settings`` returns the settings of a group (`settings_of`)."""
        self.groups: CountedGroups[ConsumerGroup] = CountedGroups(ConsumerState)
        self._metrics = metrics
        self._config = config
        self._settings = settings
        self._topics = topics
        self._hash64 = hash64
        self._compile_regex = compile_regex
        self._compute = compute
        self._log = log
        self._surroundings = surroundings
        self._assignors = assignors
        self.sessions = Sessions(surroundings, self._is_current, self.remove)
        self.becomes_classic: Callable[[ConsumerGroup, Sequence[ConsumerMember]], bool] = (
            lambda group, members: False
        )
        """Whether the group has become a classic one because these members are gone. Raises CoordinatorError."""
        self._last_end_offset = 0
        self._version_with_new_topics = -1

    # -- life ----------------------------------------------------------------------------------------------------

    def replay(self, group_id: str, key: Message, value: Message | None) -> None:
        """Take over a record of a group: while the partition is read, and after each append."""
        group = self.groups.get(group_id)
        if group is None:
            if value is None:
                return
            group = self.groups[group_id] = ConsumerGroup(group_id)
        if not group.replay(key, value):
            del self.groups[group_id]
        else:
            self.groups.changed(group)

    def take_over(self, end_offset: int) -> None:
        """Everything up to an offset is read."""
        if self.groups:
            self._last_end_offset = end_offset
        self._version_with_new_topics = self._topics.version()

    def begin_sessions(self, group: ConsumerGroup) -> None:
        """All members of a group have their whole sessions from now on."""
        timeout_ms = self._settings(group.group_id).session_timeout_ms
        for member in group.members.values():
            classic = member.classic_metadata
            self.sessions.extend(
                group, member.member_id, timeout_ms if classic is None else classic.session_timeout_ms
            )
            self.sessions.expect_revocation(group, member)

    def unload(self) -> CountedGroups[ConsumerGroup]:
        """Another broker coordinates these groups now. Returns them, to be freed some at a time."""
        groups, self.groups = self.groups, self.groups.empty()
        return groups

    def has_new_topics(self) -> None:
        """Regular expressions may match topics that they did not match before."""
        self._version_with_new_topics = self._topics.version()

    def topics_changed(self, changed: frozenset[str], group_id: str) -> None:
        """Topics of these names were made, deleted, or have other partitions or racks. A group that uses one of them
        looks at its topics again."""
        group = self.groups.get(group_id)
        if group is not None and not changed.isdisjoint(group.subscribed_topics()):
            group.refresh_at_ms = None

    def delete(self, group_id: str) -> list[Record]:
        """The records that remove a group without members; whoever asks for them appends and replays them.

        Raises CoordinatorError (GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP).
        """
        group = self._group(group_id)
        if group.members:
            raise CoordinatorError(ErrorCode.NON_EMPTY_GROUP)
        return write.deletion_records(group)

    def _is_current(self, group: ConsumerGroup) -> bool:
        return self.groups.get(group.group_id) is group

    # -- ConsumerGroupHeartbeat ----------------------------------------------------------------------------------

    def heartbeat(self, values: HeartbeatValues, heard: Heard, before: Sequence[Record] = ()) -> None:
        """Take a heartbeat. ``heard`` gets the response when what it says is committed.

        ``before`` are records to write in front of the first of a new group: they remove a group of another kind that
        has this name, and no members. Whoever gives them takes them over as well.

        Raises CoordinatorError.
        """
        check_values(values, self._assignor_names())
        if is_leaving(values.member_epoch):
            self._leave(values, heard)
        else:
            self.take(values, heard, before)

    def _assignor_names(self) -> list[str]:
        return [name for name in self._config().consumer_assignors if name in self._assignors]

    def _group(self, group_id: str) -> ConsumerGroup:
        group = self.groups.get(group_id)
        if group is None:
            raise CoordinatorError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"There is no consumer group {quoted(group_id)}."
            )
        return group

    def take(self, values: HeartbeatValues, heard: Heard, before: Sequence[Record] = ()) -> None:
        """Take a heartbeat of a member that joins or lives; see `heartbeat`."""
        if values.member_epoch == JOIN_EPOCH and values.group_id not in self.groups:
            # It is kept by its records only, of which there may be some.
            group = ConsumerGroup(values.group_id)
            for record in before:
                group.replay(record.key, record.value)
        else:
            group = self._group(values.group_id)
        check_room(group, self._config().consumer_max_size, is_known=values.member_id in group.members)
        change = ConsumerChange(group, list(before))
        member_id = values.member_id or self._surroundings.new_id()
        change.find_member(values, member_id)
        change.update_member(values, self._compile_regex)
        self._maybe_grow_epoch(change)
        target_epoch, target = self._target(change)
        change.step(target_epoch, target, values.topic_partitions, self._topics)
        has_new_epoch = change.epoch != group.epoch
        if change.records:
            self._write(group.group_id, change.records)
        self._metrics.consumer_rebalances += has_new_epoch
        group = self.groups[group.group_id]
        if change.question is not None:
            self._assign_later(group, change.epoch, change.question, change.assignor)
        settings = self._settings(group.group_id)
        if change.is_refreshed:
            group.refresh_at_ms = self._surroundings.now_ms() + TOPICS_REFRESH_INTERVAL_MS
        self.sessions.extend(
            group, member_id, values.classic_session_timeout_ms or settings.session_timeout_ms
        )
        if change.has_stepped:
            self.sessions.expect_revocation(group, change.member)
        self._maybe_resolve_regexes(group, values.may_describe)
        self._respond_when_committed(heard, _outcome(values, change, settings.heartbeat_interval_ms))

    def _maybe_grow_epoch(self, change: ConsumerChange) -> None:
        """If the member or topics have changed, the next assignment is for another group epoch."""
        group = change.group
        has_changed = (
            group.epoch == 0
            or change.has_new_names
            or change.has_resolved_regex
            or self._is_another_assignor_preferred(change)
        )
        is_due = group.refresh_at_ms is None or group.refresh_at_ms <= self._surroundings.now_ms()
        if not has_changed and not is_due:
            return
        metadata_hash = self._hash_of(group.subscribed_topics(without=change.replaced(), plus=change.member))
        if has_changed or metadata_hash != group.metadata_hash:
            change.epoch = max(change.epoch + 1, FIRST_EPOCH)
            change.records.append(write.epoch_record(group.group_id, change.epoch, metadata_hash))
        if group.has_partition_metadata:
            change.records.append(write.no_partition_metadata_record(group.group_id))
        change.is_refreshed = True

    def _is_another_assignor_preferred(self, change: ConsumerChange) -> bool:
        """Whether the member makes the majority want another assignor (KAFKA-20434)."""
        if not change.has_new_assignor:
            return False
        names = self._assignor_names()
        before = preferred_assignor(change.group.members, names)
        return preferred_assignor(change.members(), names) != before

    def _hash_of(self, names: Iterable[str]) -> int:
        hashes = {name: self._topics.hash_of(name) for name in names}
        existing = {name: each for name, each in hashes.items() if each != NO_TOPIC_HASH}
        return group_hash(self._hash64, existing)

    def _target(self, change: ConsumerChange) -> tuple[int, Partitions]:
        """The assignment epoch and the member's target: new ones if they are due."""
        group, member = change.group, change.member
        if (
            change.epoch > group.assignment_epoch
            and not group.is_assigning
            and self._is_assignment_due(group)
        ):
            members = change.members()
            name = preferred_assignor(members, self._assignor_names())
            asked = question(group, members, self._topics)
            # The first member of a group has to get an epoch, and so has its target at once.
            if asked.size <= SIZE_AT_ONCE or group.assignment_epoch <= 0:
                targets = asked.answer(self._assignors[name])
                wall_ms = self._surroundings.wall_ms()
                change.records += records_of_targets(group, targets, change.epoch, wall_ms)
                return change.epoch, targets[member.member_id]
            change.question, change.assignor = asked, name
        return group.assignment_epoch, group.target_of(member.member_id, member.instance_id)

    def _assign_later(self, group: ConsumerGroup, epoch: int, asked: ConsumerQuestion, assignor: str) -> None:
        """Have the targets of a group computed for its epoch. Until they are there, members keep what they have."""
        group.is_assigning = True
        assign = self._assignors[assignor]

        def assigned(targets: Mapping[str, Partitions]) -> None:
            group.is_assigning = False
            # The group may be empty now: then a later epoch is assigned.
            if not self._is_current(group) or epoch <= group.assignment_epoch:
                return
            present = asked.for_present(targets, group.members)
            # If they cannot be written, one of the next heartbeats begins again.
            with suppress(CoordinatorError):
                wall_ms = self._surroundings.wall_ms()
                self._write(group.group_id, records_of_targets(group, present, epoch, wall_ms))

        self._compute(lambda: asked.answer(assign), assigned)

    def _is_assignment_due(self, group: ConsumerGroup) -> bool:
        """Not right after the last one: that way, many members that join together get one assignment (KIP-1263)."""
        passed_ms = self._surroundings.wall_ms() - group.assignment_wall_ms
        # A time in the future is another broker's clock's, and says nothing.
        return not 0 <= passed_ms < self._settings(group.group_id).assignment_interval_ms

    # -- members that leave --------------------------------------------------------------------------------------

    def _leave(self, values: HeartbeatValues, heard: Heard) -> None:
        group = self._group(values.group_id)
        if values.instance_id is None:
            member = dynamic_member(group, values.member_id)
        else:
            member = static_member(group, values.instance_id, values.member_id)
        if values.member_epoch == LEAVE_STATIC_EPOCH:
            # It keeps its partitions until its session ends; what it was about to revoke is free.
            gone = msgspec.structs.replace(member, epoch=LEAVE_STATIC_EPOCH, revoking=NOTHING)
            self._write(group.group_id, [write.current_record(group.group_id, gone)])
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
        metadata_hash = self._hash_of(group.subscribed_topics(without=members))
        records.append(write.epoch_record(group_id, group.epoch + 1, metadata_hash))
        if len(group.members) == len(members):
            # Nobody is there to be assigned anything (KAFKA-20442). Whoever joins next need not wait.
            records.append(write.target_epoch_record(group_id, group.epoch + 1, 0))
        self._write(group_id, records)

    # -- regular expressions -------------------------------------------------------------------------------------

    def _maybe_resolve_regexes(self, group: ConsumerGroup, may_describe: Callable[[str], bool]) -> None:
        """A heartbeat does not wait for that; what is found shows in the next ones."""
        if needs_resolution(
            group,
            wall_ms=self._surroundings.wall_ms(),
            refresh_interval_ms=self._config().consumer_regex_refresh_interval_ms,
            version_with_new_topics=self._version_with_new_topics,
        ):
            group.is_resolving = True
            now_ms = self._surroundings.now_ms()
            self._surroundings.call_at(now_ms, partial(self._resolve_regexes, group, may_describe))

    def _resolve_regexes(self, group: ConsumerGroup, may_describe: Callable[[str], bool]) -> None:
        version = self._topics.version()
        steps = resolve(sorted(group.regex_counts), self._topics.names(), self._compile_regex, may_describe)
        next_cost = 0

        def go_on() -> None:
            nonlocal next_cost
            if not self._is_current(group):
                return
            cost = next_cost
            try:
                while True:
                    next_cost = next(steps)
                    cost += next_cost
                    if cost > REGEX_COST_AT_ONCE:
                        break
            except StopIteration as end:
                group.is_resolving = False
                self._keep_resolved(group, end.value, version)
            else:
                self._surroundings.call_at(self._surroundings.now_ms() + 1, go_on)

        go_on()

    def _keep_resolved(self, group: ConsumerGroup, found: Mapping[str, frozenset[str]], version: int) -> None:
        """What the expressions of a group match is known, as of a version of the metadata."""
        group_id, wall_ms = group.group_id, self._surroundings.wall_ms()
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
        metadata_hash = self._hash_of(group.subscribed_topics(regexes=regexes))
        if has_changed or metadata_hash != group.metadata_hash:
            has_changed = True
            records.append(write.epoch_record(group_id, group.epoch + 1, metadata_hash))
        if not records:
            return
        try:
            self._write(group_id, records)
        except CoordinatorError:
            # One of the next heartbeats tries again.
            return
        if has_changed:
            self._metrics.consumer_rebalances += 1
            group.refresh_at_ms = self._surroundings.now_ms() + TOPICS_REFRESH_INTERVAL_MS

    # -- the log -------------------------------------------------------------------------------------------------

    def _write(self, group_id: str, records: Sequence[Record]) -> None:
        """Append records and take them over. Raises CoordinatorError, after which nothing has changed."""
        self._last_end_offset = self._log.append(records)
        for record in records:
            self.replay(group_id, record.key, record.value)

    def _respond_when_committed(self, heard: Heard, outcome: HeartbeatOutcome) -> None:
        self.when_committed(
            lambda code: heard(outcome if code is ErrorCode.NONE else HeartbeatOutcome(code=code))
        )

    def when_committed(self, call: Callable[[ErrorCode], None]) -> None:
        """Call ``call`` when all records up to now are committed: a response that needed no record of its own may show
        what earlier records said."""
        self._log.when_committed(self._last_end_offset, call)

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
