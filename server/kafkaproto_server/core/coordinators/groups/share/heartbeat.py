"""The decisions for members of share groups (KIP-932): a heartbeat takes a member in, updates it, or lets it go.

What is done with a heartbeat, in this order: the member is taken in or updated; if its subscription, topics, or the
initialized partitions have changed, the group epoch grows; if it is ahead of the assignment epoch, and the last
assignment is old enough, all initialized partitions are assigned anew; the member gets its part; states of partitions
that have none are asked for. All records of one heartbeat are appended in one batch and replayed, and the response
leaves when they are committed.

The assignment of a large group is computed in a thread; until it is there, members keep what they have, as they do if
the last assignment is too new. That depends on the size alone, whatever `share.assignor.offload.enable` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.config import GroupConfig
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
from kafkaproto_server.core.coordinators.groups.membership import check_room, dynamic_member
from kafkaproto_server.core.coordinators.groups.sessions import MemberSessionWatch, SessionWatches
from kafkaproto_server.core.coordinators.groups.settings import GroupSettings
from kafkaproto_server.core.coordinators.groups.share import records as write
from kafkaproto_server.core.coordinators.groups.share.change import ShareChange
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroup, ShareGroupState
from kafkaproto_server.core.coordinators.groups.share.initialization import (
    NO_STATES,
    by_topic,
    first_error,
    missing_states,
    name_of,
    start_offsets,
)
from kafkaproto_server.core.coordinators.groups.share.member import ShareGroupMember
from kafkaproto_server.core.coordinators.groups.share.partitions import StatePartitions
from kafkaproto_server.core.coordinators.groups.share.state_requests import Results, ask_for_all
from kafkaproto_server.core.coordinators.groups.share.targets import (
    ShareQuestion,
    records_of_targets,
    share_question,
)
from kafkaproto_server.core.coordinators.groups.share.validation import check_values
from kafkaproto_server.core.coordinators.groups.topics import NO_TOPIC_HASH, Hash64, Topics, group_hash
from kafkaproto_server.core.coordinators.values import (
    Compute,
    CoordinatorError,
    CoordinatorLog,
    Record,
    Surroundings,
)
from kafkaproto_server.requests.consumer_group_requests import JOIN_EPOCH, LEAVE_EPOCH, Partitions
from kafkaproto_server.requests.share_group_requests import (
    ShareHeard,
    ShareHeartbeatOutcome,
    ShareHeartbeatValues,
    TopicIdPartition,
)
from kafkaproto_server.requests.share_state import Done, Persister

SIZE_AT_ONCE = 2_000
"""Partitions, and topics of members, that are assigned at once: about 10 ms. With more, it is done beside the loop."""
TOPICS_REFRESH_INTERVAL_MS = 2_147_483_647
"""How long a group relies on being told of changed topics before it looks itself."""


class ShareGroups:
    """The share groups of one partition of the internal topic."""

    def __init__(
        self,
        *,
        config: Callable[[], GroupConfig],
        settings: Callable[[str], GroupSettings],
        topics: Topics,
        hash64: Hash64,
        compute: Compute,
        log: CoordinatorLog,
        surroundings: Surroundings,
        metrics: GroupMetrics,
        persister: Persister,
    ) -> None:
        """``settings`` returns the settings of a group (`share_settings_of`)."""
        self.groups: CountedGroups[ShareGroup] = CountedGroups(ShareGroupState)
        self._metrics = metrics
        self.topics = topics
        self.surroundings = surroundings
        self.persister = persister
        self._config = config
        self._settings = settings
        self._hash64 = hash64
        self._compute = compute
        self._log = log
        self._sessions: SessionWatches[ShareGroup, ShareGroupMember, MemberSessionWatch] = SessionWatches(
            surroundings, self.is_current, self._remove, MemberSessionWatch
        )
        self._last_end_offset = 0

    # -- life ----------------------------------------------------------------------------------------------------

    def replay(self, group_id: str, key: Message, value: Message | None) -> None:
        """Take over a record of a group: while the partition is read, and after each append."""
        group = self.groups.get(group_id)
        if group is None:
            if value is None:
                return
            group = self.groups[group_id] = ShareGroup(group_id)
        if not group.replay(key, value, self.surroundings.now_ms()):
            del self.groups[group_id]
        else:
            self.groups.changed(group)

    def take_over(self, end_offset: int) -> None:
        """Everything up to an offset is read."""
        if self.groups:
            self._last_end_offset = end_offset

    def begin_sessions(self, group: ShareGroup) -> None:
        """All members of a group have their whole sessions from now on."""
        timeout_ms = self._settings(group.group_id).session_timeout_ms
        for member_id in group.members:
            self._sessions.extend(group, member_id, timeout_ms)

    def unload(self) -> CountedGroups[ShareGroup]:
        """Another broker coordinates these groups now. Returns them, to be freed some at a time."""
        groups, self.groups = self.groups, self.groups.empty()
        return groups

    def topics_changed(self, changed: frozenset[str], group_id: str) -> None:
        """Topics of these names were made, deleted, or have other partitions or racks. A group that uses one of them
        looks at its topics again."""
        group = self.groups.get(group_id)
        if group is not None and not changed.isdisjoint(group.subscribed_topics()):
            group.refresh_at_ms = None

    def topics_deleted(self, topic_ids: Iterable[bytes], group_id: str) -> None:
        """Topics are no more: nor are the states of their partitions. Raises CoordinatorError."""
        group = self.groups.get(group_id)
        if group is None or group.states is None:
            return
        states = group.states.without_topics(topic_ids)
        if states != group.states:
            self.write_states(group_id, states)

    def is_current(self, group: ShareGroup) -> bool:
        """Whether the group is still there, and this broker its coordinator."""
        return self.groups.get(group.group_id) is group

    def group(self, group_id: str) -> ShareGroup:
        """A group. Raises CoordinatorError (GROUP_ID_NOT_FOUND)."""
        group = self.groups.get(group_id)
        if group is None:
            raise CoordinatorError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"There is no share group {quoted(group_id)}."
            )
        return group

    def empty_group(self, group_id: str) -> ShareGroup:
        """A group without members. Raises CoordinatorError (GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP)."""
        group = self.group(group_id)
        if group.members:
            raise CoordinatorError(ErrorCode.NON_EMPTY_GROUP)
        return group

    # -- ShareGroupHeartbeat -------------------------------------------------------------------------------------

    def heartbeat(self, values: ShareHeartbeatValues, heard: ShareHeard) -> None:
        """Take a heartbeat. ``heard`` gets the response when what it says is committed. Raises CoordinatorError."""
        check_values(values)
        if values.member_epoch == LEAVE_EPOCH:
            group = self.group(values.group_id)
            self._remove(group, dynamic_member(group, values.member_id))
            outcome = ShareHeartbeatOutcome(
                code=ErrorCode.NONE, member_id=values.member_id, member_epoch=values.member_epoch
            )
            self._respond_when_committed(heard, outcome, {})
            return
        if values.member_epoch == JOIN_EPOCH and values.group_id not in self.groups:
            # It is kept by its records only.
            group = ShareGroup(values.group_id)
        else:
            group = self.group(values.group_id)
        self._take(group, values, heard)

    def _take(self, group: ShareGroup, values: ShareHeartbeatValues, heard: ShareHeard) -> None:
        """Take a heartbeat of a member that joins or lives."""
        check_room(group, self._config().share_max_size, is_known=values.member_id in group.members)
        change = ShareChange(group, values)
        self._maybe_grow_epoch(change)
        target_epoch, target = self._target(change)
        change.step(target_epoch, target, self.topics)
        offsets = self._maybe_initialize(change)
        has_new_epoch = change.has_new_epoch
        if change.records:
            self.write(group.group_id, change.records)
        self._metrics.share_rebalances += has_new_epoch
        group = self.groups[group.group_id]
        if change.question is not None:
            self._assign_later(group, change.epoch, change.question)
        if change.names is not None:
            group.refresh_at_ms = self.surroundings.now_ms() + TOPICS_REFRESH_INTERVAL_MS
        settings = self._settings(group.group_id)
        self._sessions.extend(group, values.member_id, settings.session_timeout_ms)
        is_told = (
            values.member_epoch == JOIN_EPOCH
            or values.subscribed_topic_names is not None
            or change.has_other_partitions
        )
        outcome = ShareHeartbeatOutcome(
            code=ErrorCode.NONE,
            member_id=change.member.member_id,
            member_epoch=change.member.epoch,
            heartbeat_interval_ms=settings.heartbeat_interval_ms,
            assignment=change.member.assigned if is_told else None,
        )
        self._respond_when_committed(heard, outcome, offsets, group, change.epoch)

    def _maybe_grow_epoch(self, change: ShareChange) -> None:
        """If the member, topics or initialized partitions have changed, the next assignment is for another epoch."""
        group = change.group
        has_changed = change.has_new_names or (
            group.assignment_epoch >= group.epoch and group.is_assignment_pending()
        )
        is_due = group.refresh_at_ms is None or group.refresh_at_ms <= self.surroundings.now_ms()
        if not has_changed and not is_due:
            return
        metadata_hash = self._hash_of(change.look_at_names())
        if has_changed or metadata_hash != group.metadata_hash:
            change.epoch += 1
            change.records.append(write.epoch_record(group.group_id, change.epoch, metadata_hash))

    def _hash_of(self, names: Iterable[str]) -> int:
        hashes = {name: self.topics.hash_of(name) for name in names}
        existing = {name: each for name, each in hashes.items() if each != NO_TOPIC_HASH}
        return group_hash(self._hash64, existing)

    def _target(self, change: ShareChange) -> tuple[int, Partitions]:
        """The assignment epoch and the member's target: new ones if they are due."""
        group, member_id = change.group, change.member.member_id
        if (
            change.epoch > group.assignment_epoch
            and not group.is_assigning
            and self._is_assignment_due(group)
        ):
            asked = share_question(group, change.members(), self.topics)
            if asked.size <= SIZE_AT_ONCE:
                targets = asked.answer()
                wall_ms = self.surroundings.wall_ms()
                change.records += records_of_targets(group, targets, change.epoch, wall_ms)
                return change.epoch, targets[member_id]
            change.question = asked
        return group.assignment_epoch, group.target_of(member_id)

    def _assign_later(self, group: ShareGroup, epoch: int, asked: ShareQuestion) -> None:
        """Have the targets of a group computed for its epoch. Until they are there, members keep what they have."""
        group.is_assigning = True

        def assigned(targets: Mapping[str, Partitions]) -> None:
            group.is_assigning = False
            # The group may be empty now: then a later epoch is assigned.
            if not self.is_current(group) or epoch <= group.assignment_epoch:
                return
            present = {member_id: each for member_id, each in targets.items() if member_id in group.members}
            # If they cannot be written, one of the next heartbeats begins again.
            with suppress(CoordinatorError):
                wall_ms = self.surroundings.wall_ms()
                self.write(group.group_id, records_of_targets(group, present, epoch, wall_ms))

        self._compute(asked.answer, assigned)

    def _is_assignment_due(self, group: ShareGroup) -> bool:
        """Not right after the last one: that way, many members that join together get one assignment (KIP-1263)."""
        passed_ms = self.surroundings.wall_ms() - group.assignment_wall_ms
        # A time in the future is another broker's clock's, and says nothing.
        return not 0 <= passed_ms < self._settings(group.group_id).assignment_interval_ms

    def _remove(self, group: ShareGroup, member: ShareGroupMember) -> None:
        """Remove a member that leaves, or whose session has ended. Raises CoordinatorError."""
        group_id = group.group_id
        records = write.removal_records(group_id, member.member_id)
        metadata_hash = self._hash_of(group.subscribed_topics(without=[member]))
        records.append(write.epoch_record(group_id, group.epoch + 1, metadata_hash))
        if len(group.members) == 1:
            # Nobody is there to be assigned anything. Whoever joins next need not wait.
            records.append(write.target_epoch_record(group_id, group.epoch + 1, 0))
        self.write(group_id, records)

    # -- states of partitions ------------------------------------------------------------------------------------

    def _maybe_initialize(self, change: ShareChange) -> Mapping[TopicIdPartition, int]:
        """The partitions whose states are to be initialized, each with its start offset."""
        group = change.group
        missing = missing_states(
            group,
            change.subscribed_topics(),
            self.topics,
            now_ms=self.surroundings.now_ms(),
            retry_interval_ms=self._config().share_initialize_retry_interval_ms,
        )
        if not missing:
            return {}
        states = (group.states or NO_STATES).with_initializing(missing)
        change.records.append(self.states_record(group.group_id, states))
        return start_offsets(group.states, missing)

    def states_record(self, group_id: str, states: StatePartitions) -> Record:
        """The record, with the names that topics have now."""
        return write.states_record(group_id, states.with_names(partial(name_of, self.topics)))

    def write_states(self, group_id: str, states: StatePartitions) -> None:
        """Write which partitions have a state. Raises CoordinatorError."""
        self.write(group_id, [self.states_record(group_id, states)])

    def initialize(
        self,
        group: ShareGroup,
        state_epoch: int,
        offsets: Mapping[TopicIdPartition, int],
        done: Callable[[Results], None],
    ) -> None:
        """Have states initialized. ``done`` gets the results."""

        def ask(partition: TopicIdPartition, asked: Done) -> None:
            self.persister.initialize(group.group_id, *partition, state_epoch, offsets[partition], asked)

        ask_for_all(self.surroundings, list(offsets), ask, done)

    def keep_initialized(self, group: ShareGroup, results: Results) -> None:
        """Write what came of that. If one of the states could not be initialized, all are to be begun anew: with some
        of them known, the others would be read from their first record on."""
        if not self.is_current(group):
            return
        states, indexes = group.states or NO_STATES, by_topic(results)
        if first_error(results) is ErrorCode.NONE:
            states = states.with_initialized(indexes, partial(name_of, self.topics))
        elif not states.initializing:
            return
        else:
            states = states.without_initializing(indexes)
        # If that cannot be written, they are initialized once more after a while.
        with suppress(CoordinatorError):
            self.write_states(group.group_id, states)

    # -- the log -------------------------------------------------------------------------------------------------

    def write(self, group_id: str, records: Sequence[Record]) -> None:
        """Append records and take them over. Raises CoordinatorError, after which nothing has changed."""
        self._last_end_offset = self._log.append(records)
        for record in records:
            self.replay(group_id, record.key, record.value)

    def _respond_when_committed(
        self,
        heard: ShareHeard,
        outcome: ShareHeartbeatOutcome,
        offsets: Mapping[TopicIdPartition, int],
        group: ShareGroup | None = None,
        state_epoch: int = 0,
    ) -> None:
        """Respond; what is to be initialized is known to whoever takes over then, and is begun."""

        def committed(code: ErrorCode) -> None:
            heard(outcome if code is ErrorCode.NONE else ShareHeartbeatOutcome(code=code))
            if code is ErrorCode.NONE and offsets and group is not None:
                self.initialize(group, state_epoch, offsets, partial(self.keep_initialized, group))

        self.when_committed(committed)

    def when_committed(self, call: Callable[[ErrorCode], None]) -> None:
        """Call ``call`` when all records up to now are committed: a response that needed no record of its own may show
        what earlier records said."""
        self._log.when_committed(self._last_end_offset, call)
