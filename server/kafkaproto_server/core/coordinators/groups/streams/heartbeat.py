"""The decisions for streams groups (KIP-1071): a heartbeat brings a member one step nearer to its part of the target.

What is done with a heartbeat, in this order: the member is taken in or updated; the first member brings the topology of
the application; if topics have changed, it follows from them anew how many tasks there are; if members, topics or
settings have changed, the group epoch grows; if it is ahead of the assignment epoch, and nothing says to wait, all
tasks are assigned anew; the member takes its next step. All records of one heartbeat are appended in one batch and
replayed, and the response leaves when they are committed.

A new group waits for more members for a while (`streams.initial.rebalance.delay.ms`).

Apache Kafka 4.4.0 makes no warm-up tasks, and neither does this. If a later release has made some, they are revoked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import StreamsGroupDescribeResponse, StreamsGroupHeartbeatResponse
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
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
from kafkaproto_server.core.coordinators.groups.revocations import RevocationWatch, RevocationWatches
from kafkaproto_server.core.coordinators.groups.streams import records as write
from kafkaproto_server.core.coordinators.groups.streams.change import StreamsChange
from kafkaproto_server.core.coordinators.groups.streams.commits import check_commit, check_fetch
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsSettings
from kafkaproto_server.core.coordinators.groups.streams.describe import (
    described_group,
    unknown_group,
    values_of_streams_group,
)
from kafkaproto_server.core.coordinators.groups.streams.group import (
    NO_TARGET,
    StreamsGroup,
    StreamsState,
    TaskOffsets,
)
from kafkaproto_server.core.coordinators.groups.streams.internal_topics import ConfiguredTopology, configure
from kafkaproto_server.core.coordinators.groups.streams.member import StreamsMember
from kafkaproto_server.core.coordinators.groups.streams.records import STREAMS_GROUP_KEYS
from kafkaproto_server.core.coordinators.groups.streams.responses import heartbeat_response
from kafkaproto_server.core.coordinators.groups.streams.status import Status, StatusCode
from kafkaproto_server.core.coordinators.groups.streams.targets import StreamsQuestion, in_order
from kafkaproto_server.core.coordinators.groups.streams.topology import Topology
from kafkaproto_server.core.coordinators.groups.streams.validation import (
    check_tasks,
    check_values,
    offsets_of,
)
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.core.coordinators.values import (
    ComputingSurroundings,
    CoordinatorLog,
    Record,
)
from kafkaproto_server.requests.offset_requests import Committer, OffsetReader
from kafkaproto_server.requests.streams_group_requests import (
    JOIN_EPOCH,
    LEAVE_STATIC_EPOCH,
    Offsets,
    StreamsHeard,
    StreamsHeartbeatOutcome,
    StreamsHeartbeatValues,
    TaskSets,
)

_Response = StreamsGroupHeartbeatResponse


class StreamsGroups(ModernGroups[StreamsGroup, StreamsSettings]):
    """The streams groups of one partition of the internal topic. Implements `GroupKind`."""

    kind = "streams"
    states = StreamsState
    key_types = STREAMS_GROUP_KEYS
    keeps_offsets = True

    def __init__(
        self,
        *,
        settings: Callable[[str], StreamsSettings],
        topics: Topics,
        log: CoordinatorLog,
        surroundings: ComputingSurroundings,
        metrics: GroupMetrics,
    ) -> None:
        """``settings`` returns the settings of a group (`streams_settings_of`)."""
        super().__init__(settings, topics, log, surroundings, metrics)
        self.sessions: RevocationWatches[StreamsGroup, StreamsMember, RevocationWatch] = RevocationWatches(
            surroundings, self.is_current, self.remove, RevocationWatch
        )
        self._delays: dict[str, object] = {}
        """Groups that wait for more members."""

    # -- what is asked of each kind ------------------------------------------------------------------------------

    def _new_group(self, group_id: str) -> StreamsGroup:
        return StreamsGroup(group_id)

    def _replay(self, group: StreamsGroup, key: Message, value: Message | None) -> bool:
        return group.replay(key, value)

    def _forget(self, group_id: str) -> None:
        super()._forget(group_id)
        self._delays.pop(group_id, None)

    def unload(self) -> CountedGroups[StreamsGroup]:
        self._delays = {}
        return super().unload()

    def deletion_records(self, group_id: str) -> list[Record]:
        """The records that remove a group without members; whoever asks for them appends and replays them.

        Raises CoordinatorError (GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP).
        """
        return write.deletion_records(self.empty_group(group_id).group_id)

    def check_commit(self, group_id: str, committer: Committer, *, is_transactional: bool) -> PartitionCheck:
        return check_commit(
            self.groups[group_id],
            self.topics,
            member_id=committer.member_id,
            member_epoch=committer.generation,
            instance_id=committer.group_instance_id,
            version=committer.version,
            is_transactional=is_transactional,
        )

    def check_fetch(self, group_id: str, reader: OffsetReader) -> None:
        check_fetch(self.groups[group_id], member_id=reader.member_id, member_epoch=reader.member_epoch)

    def uses_topic(self, group_id: str) -> Callable[[str], bool]:
        return self.groups[group_id].reads_topic

    def expiration(self, group_id: str) -> Expiration:
        return Expiration(is_subscribed=self.uses_topic(group_id))

    def described(self, group_id: str) -> StreamsGroupDescribeResponse.DescribedGroup:
        """A group, or that there is none of this name."""
        group = self.groups.get(group_id)
        return unknown_group(group_id) if group is None else described_group(group)

    def described_values(self, group_id: str) -> int:
        return values_of_streams_group(self.groups[group_id])

    # -- StreamsGroupHeartbeat -----------------------------------------------------------------------------------

    def heartbeat(
        self, values: StreamsHeartbeatValues, heard: StreamsHeard, before: Sequence[Record] = ()
    ) -> None:
        """Take a heartbeat. ``heard`` gets the response when what it says is committed.

        ``before`` are records to write in front of the first of a new group: they remove a group of another kind that
        has this name, and no members. Whoever gives them takes them over as well.

        Raises CoordinatorError.
        """
        check_values(values)
        if is_leaving(values.member_epoch):
            self._leave(values, heard)
        else:
            self._take(values, heard, before)

    def _take(self, values: StreamsHeartbeatValues, heard: StreamsHeard, before: Sequence[Record]) -> None:
        """Take a heartbeat of a member that joins or lives."""
        group_id = values.group_id
        is_known = group_id in self.groups
        settings = self._settings(group_id)
        if values.member_epoch == JOIN_EPOCH:
            # A new group is kept by its records only: what is noted here in memory is lost, as in Apache Kafka.
            group = self.groups[group_id] if is_known else StreamsGroup(group_id)
            has_place = values.member_id in group.members or values.instance_id in group.static_ids
            check_room(group, settings.max_size, is_known=has_place)
        else:
            group = self.group(group_id)
        change = StreamsChange(group, list(before))
        change.find_member(values)
        has_changed = change.update_member(values)
        topology = change.update_topology(values)
        change.note_stale_topology()
        metadata_hash, configured = self._configured(group, topology)
        if configured.is_ready:
            check_tasks(configured, values)
        _note_offsets(group, topology, values)
        is_refined = change.maybe_grow_epoch(settings, metadata_hash, configured, has_changed=has_changed)
        self._maybe_delay(group, settings)
        target_epoch, target = self._target(change, settings, configured, is_refined=is_refined)
        change.step(target_epoch, target, values.owned)
        has_new_epoch = change.epoch != group.epoch
        if change.records:
            self.write(group_id, change.records)
        self._metrics.streams_rebalances += has_new_epoch
        group.is_fresh = True
        current = self.groups[group_id]
        self.sessions.extend(current, values.member_id, settings.session_timeout_ms)
        if change.has_stepped:
            self.sessions.expect_revocation(current, change.member)
        if values.shutdown_application:
            _note_shutdown(group, values.member_id)
        if change.question is not None and is_known:
            self._assign_later(group, change.epoch, change.question, change.question.answer)
        response = heartbeat_response(change, values, settings, configured, self.topics, is_known=is_known)
        self._respond_when_committed(heard, response, configured)

    def _configured(self, group: StreamsGroup, topology: Topology) -> tuple[int, ConfiguredTopology]:
        """The hash of the topics of a topology, and what follows from them."""
        configured, metadata_hash = group.configured, group.metadata_hash
        if configured is not None and group.is_fresh:
            return metadata_hash, configured
        metadata_hash = self.topics.hash_of_all(topology.required_topics)
        if configured is None or metadata_hash != group.metadata_hash:
            configured = configure(topology, self.topics)
            group.configure(configured)
        return metadata_hash, configured

    # -- targets -------------------------------------------------------------------------------------------------

    def _maybe_delay(self, group: StreamsGroup, settings: StreamsSettings) -> None:
        """The first member of a group waits for others."""
        delay_ms = settings.initial_rebalance_delay_ms
        if group.members or delay_ms <= 0 or group.group_id in self._delays:
            return
        mark = self._delays[group.group_id] = object()
        self.surroundings.call_at(
            self.surroundings.now_ms() + delay_ms, partial(self._end_delay, group.group_id, mark)
        )

    def _end_delay(self, group_id: str, mark: object) -> None:
        """A group has waited. If its topology is known, its tasks are assigned now, else with the next heartbeat."""
        if self._delays.get(group_id) is not mark:
            return
        del self._delays[group_id]
        group = self.groups.get(group_id)
        if group is None or not group.members or group.configured is None:
            return
        if group.epoch <= group.assignment_epoch or not self._is_assignment_due(
            group, self._settings(group_id)
        ):
            return
        asked = StreamsQuestion(
            dict(sorted(group.members.items())),
            dict(group.task_offsets),
            group.configured,
            group.assignment_configs,
        )
        self._assign_later(group, group.epoch, asked, asked.answer)

    def _target(
        self,
        change: StreamsChange,
        settings: StreamsSettings,
        configured: ConfiguredTopology,
        *,
        is_refined: bool,
    ) -> tuple[int, TaskSets]:
        """The assignment epoch and the member's target: new ones if they are due."""
        group = change.group
        if group.group_id in self._delays:
            return group.assignment_epoch, self._wait(change, "The group waits for more members.", NO_TARGET)
        target = group.targets.get(change.replaced_id or change.member.member_id, NO_TARGET)
        if change.epoch <= group.assignment_epoch:
            return group.assignment_epoch, target
        if is_refined:
            change.records.append(
                write.target_epoch_record(group.group_id, change.epoch, group.assignment_wall_ms)
            )
            return change.epoch, target
        if group.is_assigning:
            return group.assignment_epoch, self._wait(change, "The next assignment is computed.", target)
        if not self._is_assignment_due(group, settings):
            return group.assignment_epoch, self._wait(
                change, "The last assignment is too new for the next one.", target
            )
        asked = StreamsQuestion(
            change.members(), dict(group.task_offsets), configured, settings.assignment_configs
        )
        if asked.size > SIZE_AT_ONCE:
            change.question = asked
            return group.assignment_epoch, self._wait(change, "The next assignment is computed.", target)
        targets = asked.answer()
        change.records += records_of_targets(
            write.TARGETS,
            group.group_id,
            change.targets(),
            in_order(targets),
            change.epoch,
            self.surroundings.wall_ms(),
        )
        return change.epoch, targets[change.member.member_id]

    def _wait(self, change: StreamsChange, detail: str, target: TaskSets) -> TaskSets:
        """Tell the member that the next assignment is yet to come."""
        change.statuses.append(Status(StatusCode.ASSIGNMENT_DELAYED, detail))
        return target

    def _target_records(
        self, group: StreamsGroup, targets: Mapping[str, TaskSets], epoch: int
    ) -> list[Record]:
        wall_ms = self.surroundings.wall_ms()
        return records_of_targets(
            write.TARGETS, group.group_id, group.targets, in_order(targets), epoch, wall_ms
        )

    # -- members that leave --------------------------------------------------------------------------------------

    def _leave(self, values: StreamsHeartbeatValues, heard: StreamsHeard) -> None:
        group = self.group(values.group_id)
        if values.shutdown_application:
            _note_shutdown(group, values.member_id)
        if values.instance_id is None:
            member = dynamic_member(group, values.member_id)
        else:
            member = static_member(group, values.instance_id, values.member_id)
        if values.member_epoch == LEAVE_STATIC_EPOCH:
            self.write(group.group_id, [write.current_record(group.group_id, member.away())])
        else:
            self.remove(group, member)
        response = _Response(member_id=member.member_id, member_epoch=values.member_epoch, status=[])
        self._respond_when_committed(heard, response)

    def remove(self, group: StreamsGroup, member: StreamsMember) -> None:
        """Remove a member; its tasks are free at once. Raises CoordinatorError."""
        group_id, epoch = group.group_id, group.epoch + 1
        records = write.removal_records(group_id, member.member_id)
        records.append(
            write.epoch_record(
                group,
                epoch,
                metadata_hash=group.metadata_hash,
                validated_topology_epoch=group.validated_topology_epoch,
                assignment_configs=group.assignment_configs,
            )
        )
        if len(group.members) == 1:
            # Nobody is there to be assigned anything. Whoever joins next need not wait for the interval.
            records.append(write.target_epoch_record(group_id, epoch, 0))
        self.write(group_id, records)

    def _respond_when_committed(
        self, heard: StreamsHeard, response: _Response, configured: ConfiguredTopology | None = None
    ) -> None:
        missing = () if configured is None else configured.missing

        def committed(code: ErrorCode) -> None:
            if code is ErrorCode.NONE:
                heard(StreamsHeartbeatOutcome(response=response, missing_topics=missing))
            else:
                heard(StreamsHeartbeatOutcome(response=_Response(error_code=code)))

        self.when_committed(committed)


def _note_offsets(group: StreamsGroup, topology: Topology, values: StreamsHeartbeatValues) -> None:
    """How far a member says its states are. Raises CoordinatorError (INVALID_REQUEST)."""
    if values.task_offsets is None and values.task_end_offsets is None:
        return
    old = group.task_offsets.get(values.member_id, TaskOffsets())

    def known(reported: Offsets) -> Mapping[tuple[str, int], int]:
        found = offsets_of(reported)
        return {task: offset for task, offset in found.items() if task[0] in topology.subtopologies}

    group.task_offsets[values.member_id] = TaskOffsets(
        old.offsets if values.task_offsets is None else known(values.task_offsets),
        old.end_offsets if values.task_end_offsets is None else known(values.task_end_offsets),
    )


def _note_shutdown(group: StreamsGroup, member_id: str) -> None:
    """The first member that asks for it is named."""
    if group.shutdown_member_id is None:
        group.shutdown_member_id = member_id
