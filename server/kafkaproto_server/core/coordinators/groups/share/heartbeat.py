"""The decisions for members of share groups (KIP-932): a heartbeat takes a member in, updates it, or lets it go.

What is done with a heartbeat, in this order: the member is taken in or updated; if its subscription, topics, or the
initialized partitions have changed, the group epoch grows; if it is ahead of the assignment epoch, and the last
assignment is old enough, all initialized partitions are assigned anew; the member gets its part; states of partitions
that have none are asked for. All records of one heartbeat are appended in one batch and replayed, and the response
leaves when they are committed.

While the assignment of a large group is computed, members keep what they have, as they do if the last assignment is too
new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.kinds import PartitionCheck, not_of_kind
from kafkaproto_server.core.coordinators.groups.membership import check_room, dynamic_member
from kafkaproto_server.core.coordinators.groups.modern.groups import SIZE_AT_ONCE, ModernGroups
from kafkaproto_server.core.coordinators.groups.modern.targets import records_of_targets
from kafkaproto_server.core.coordinators.groups.sessions import MemberSessionWatch, SessionWatches
from kafkaproto_server.core.coordinators.groups.share import records as write
from kafkaproto_server.core.coordinators.groups.share.change import ShareChange
from kafkaproto_server.core.coordinators.groups.share.describe import values_of_share_group
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
from kafkaproto_server.core.coordinators.groups.share.records import SHARE_GROUP_KEYS
from kafkaproto_server.core.coordinators.groups.share.settings import ShareGroupSettings
from kafkaproto_server.core.coordinators.groups.share.state_requests import Results, ask_for_all
from kafkaproto_server.core.coordinators.groups.share.targets import share_question
from kafkaproto_server.core.coordinators.groups.share.validation import check_values
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.core.coordinators.values import (
    ComputingSurroundings,
    CoordinatorError,
    CoordinatorLog,
    Record,
)
from kafkaproto_server.requests.consumer_group_requests import JOIN_EPOCH, LEAVE_EPOCH, Partitions
from kafkaproto_server.requests.offset_requests import Committer, OffsetReader
from kafkaproto_server.requests.share_group_requests import (
    ShareHeard,
    ShareHeartbeatOutcome,
    ShareHeartbeatValues,
    TopicIdPartition,
)
from kafkaproto_server.requests.share_state import Done, Persister

TOPICS_REFRESH_INTERVAL_MS = 2_147_483_647
"""How long a group relies on being told of changed topics before it looks itself."""


class ShareGroups(ModernGroups[ShareGroup, ShareGroupSettings]):
    """The share groups of one partition of the internal topic. Implements `GroupKind`."""

    kind = "share"
    states = ShareGroupState
    key_types = SHARE_GROUP_KEYS
    keeps_offsets = False

    def __init__(
        self,
        *,
        settings: Callable[[str], ShareGroupSettings],
        topics: Topics,
        log: CoordinatorLog,
        surroundings: ComputingSurroundings,
        metrics: GroupMetrics,
        persister: Persister,
    ) -> None:
        """``settings`` returns the settings of a group (`share_group_settings_of`)."""
        super().__init__(settings, topics, log, surroundings, metrics)
        self.persister = persister
        self.sessions: SessionWatches[ShareGroup, ShareGroupMember, MemberSessionWatch] = SessionWatches(
            surroundings, self.is_current, self._remove, MemberSessionWatch
        )

    # -- what is asked of each kind ------------------------------------------------------------------------------

    def _new_group(self, group_id: str) -> ShareGroup:
        return ShareGroup(group_id)

    def _replay(self, group: ShareGroup, key: Message, value: Message | None) -> bool:
        return group.replay(key, value, self.surroundings.now_ms())

    def deletion_records(self, group_id: str) -> list[Record]:
        """The records that remove a group without members; its states have to be gone before."""
        return write.deletion_records(self.empty_group(group_id))

    def check_commit(self, group_id: str, committer: Committer, *, is_transactional: bool) -> PartitionCheck:
        """Its offsets are the start offsets of its partitions' states."""
        raise not_of_kind(group_id, "consumer")

    def check_fetch(self, group_id: str, reader: OffsetReader) -> None:
        """It has none, and nobody is refused."""

    def uses_topic(self, group_id: str) -> Callable[[str], bool]:
        raise CoordinatorError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {quoted(group_id)} not found.")

    def expiration(self, group_id: str) -> None:
        """Nothing expires."""

    def described_values(self, group_id: str) -> int:
        return values_of_share_group(self.groups[group_id])

    # -- topics --------------------------------------------------------------------------------------------------

    def topics_deleted(self, topic_ids: Iterable[bytes], group_id: str) -> None:
        """Topics are no more: nor are the states of their partitions. Raises CoordinatorError."""
        group = self.groups.get(group_id)
        if group is None or group.states is None:
            return
        states = group.states.without_topics(topic_ids)
        if states != group.states:
            self.write_states(group_id, states)

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
        settings = self._settings(group.group_id)
        check_room(group, settings.max_size, is_known=values.member_id in group.members)
        change = ShareChange(group, values)
        self._maybe_grow_epoch(change)
        target_epoch, target = self._target(change, settings)
        change.step(target_epoch, target, self.topics)
        offsets = self._maybe_initialize(change, settings)
        has_new_epoch = change.has_new_epoch
        if change.records:
            self.write(group.group_id, change.records)
        self._metrics.share_rebalances += has_new_epoch
        group = self.groups[group.group_id]
        if change.question is not None:
            self._assign_later(group, change.epoch, change.question, change.question.answer)
        if change.names is not None:
            group.refresh_at_ms = self.surroundings.now_ms() + TOPICS_REFRESH_INTERVAL_MS
        self.sessions.extend(group, values.member_id, settings.session_timeout_ms)
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
        metadata_hash = self.topics.hash_of_all(change.look_at_names())
        if has_changed or metadata_hash != group.metadata_hash:
            change.epoch += 1
            change.records.append(write.epoch_record(group.group_id, change.epoch, metadata_hash))

    def _target(self, change: ShareChange, settings: ShareGroupSettings) -> tuple[int, Partitions]:
        """The assignment epoch and the member's target: new ones if they are due."""
        group, member_id = change.group, change.member.member_id
        if (
            change.epoch > group.assignment_epoch
            and not group.is_assigning
            and self._is_assignment_due(group, settings)
        ):
            asked = share_question(group, change.members(), self.topics)
            if asked.size <= SIZE_AT_ONCE:
                targets = asked.answer()
                change.records += self._target_records(group, targets, change.epoch)
                return change.epoch, targets[member_id]
            change.question = asked
        return group.assignment_epoch, group.target_of(member_id)

    def _target_records(
        self, group: ShareGroup, targets: Mapping[str, Partitions], epoch: int
    ) -> list[Record]:
        wall_ms = self.surroundings.wall_ms()
        return records_of_targets(write.TARGETS, group.group_id, group.targets, targets, epoch, wall_ms)

    def _remove(self, group: ShareGroup, member: ShareGroupMember) -> None:
        """Remove a member that leaves, or whose session has ended. Raises CoordinatorError."""
        group_id = group.group_id
        records = write.removal_records(group_id, member.member_id)
        metadata_hash = self.topics.hash_of_all(group.subscribed_topics(without=[member]))
        records.append(write.epoch_record(group_id, group.epoch + 1, metadata_hash))
        if len(group.members) == 1:
            # Nobody is there to be assigned anything. Whoever joins next need not wait.
            records.append(write.target_epoch_record(group_id, group.epoch + 1, 0))
        self.write(group_id, records)

    # -- states of partitions ------------------------------------------------------------------------------------

    def _maybe_initialize(
        self, change: ShareChange, settings: ShareGroupSettings
    ) -> Mapping[TopicIdPartition, int]:
        """The partitions whose states are to be initialized, each with its start offset."""
        group = change.group
        missing = missing_states(
            group,
            change.subscribed_topics(),
            self.topics,
            now_ms=self.surroundings.now_ms(),
            retry_interval_ms=settings.initialize_retry_interval_ms,
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

    # -- responses------------------------------------------------------------------------------------------------

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
