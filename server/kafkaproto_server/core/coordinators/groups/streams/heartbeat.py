"""The decisions for streams groups (KIP-1071): a heartbeat brings a member one step nearer to its part of the target.

What is done with a heartbeat, in this order: the member is taken in or updated; the first member brings the topology of
the application; if topics have changed, it follows from them anew how many tasks there are; if members, topics or
settings have changed, the group epoch grows; if it is ahead of the assignment epoch, and nothing says to wait, all
tasks are assigned anew; the member takes its next step. All records of one heartbeat are appended in one batch and
replayed, and the response leaves when they are committed.

A new group waits for more members for a while (`streams.initial.rebalance.delay.ms`). The assignment of a large group
is computed in a thread, whatever `streams.assignor.offload.enable` says. Until it is there, members keep what they
have.

Apache Kafka 4.4.0 makes no warm-up tasks, and neither does this. If a later release has made some, they are revoked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import StreamsGroupDescribeResponse, StreamsGroupHeartbeatResponse
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
from kafkaproto_server.core.coordinators.groups.membership import (
    check_room,
    dynamic_member,
    is_leaving,
    static_member,
)
from kafkaproto_server.core.coordinators.groups.revocations import RevocationWatch, RevocationWatches
from kafkaproto_server.core.coordinators.groups.streams import records as write
from kafkaproto_server.core.coordinators.groups.streams.change import StreamsChange
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsSettings
from kafkaproto_server.core.coordinators.groups.streams.describe import described_group, unknown_group
from kafkaproto_server.core.coordinators.groups.streams.endpoints import endpoint_parts
from kafkaproto_server.core.coordinators.groups.streams.group import (
    NO_EPOCH,
    NO_TARGET,
    StreamsGroup,
    StreamsState,
    TaskOffsets,
)
from kafkaproto_server.core.coordinators.groups.streams.internal_topics import ConfiguredTopology, configure
from kafkaproto_server.core.coordinators.groups.streams.member import StreamsMember
from kafkaproto_server.core.coordinators.groups.streams.status import Status, StatusCode
from kafkaproto_server.core.coordinators.groups.streams.targets import StreamsQuestion, records_of_targets
from kafkaproto_server.core.coordinators.groups.streams.topology import Topology
from kafkaproto_server.core.coordinators.groups.streams.validation import (
    check_tasks,
    check_values,
    offsets_of,
)
from kafkaproto_server.core.coordinators.groups.topics import NO_TOPIC_HASH, Hash64, Topics, group_hash
from kafkaproto_server.core.coordinators.values import (
    Compute,
    CoordinatorError,
    CoordinatorLog,
    Record,
    Surroundings,
)
from kafkaproto_server.requests.group_requests import GroupListing
from kafkaproto_server.requests.streams_group_requests import (
    JOIN_EPOCH,
    LEAVE_STATIC_EPOCH,
    Offsets,
    StreamsHeard,
    StreamsHeartbeatOutcome,
    StreamsHeartbeatValues,
    TaskSets,
)

PROTOCOL_TYPE = "streams"
"""Protocol type and type of these groups in lists."""
SIZE_AT_ONCE = 2_000
"""Tasks and members that are assigned at once: about 10 ms. With more, it is done beside the loop."""
FIRST_VERSION_WITH_TAGS = 1
"""The first version of the request whose members know that tags can be missing."""

_Response = StreamsGroupHeartbeatResponse


class StreamsGroups:
    """The streams groups of one partition of the internal topic."""

    def __init__(
        self,
        *,
        max_size: Callable[[], int],
        settings: Callable[[str], StreamsSettings],
        topics: Topics,
        hash64: Hash64,
        compute: Compute,
        log: CoordinatorLog,
        surroundings: Surroundings,
        metrics: GroupMetrics,
    ) -> None:
        """``max_size`` is that of each group, ``settings`` returns the settings of a group."""
        self.groups: CountedGroups[StreamsGroup] = CountedGroups(StreamsState)
        self._metrics = metrics
        self._max_size = max_size
        self._settings = settings
        self._topics = topics
        self._hash64 = hash64
        self._compute = compute
        self._log = log
        self._surroundings = surroundings
        self.sessions: RevocationWatches[StreamsGroup, StreamsMember, RevocationWatch] = RevocationWatches(
            surroundings, self._is_current, self.remove, RevocationWatch
        )
        self._delays: dict[str, object] = {}
        """Groups that wait for more members."""
        self._last_end_offset = 0

    # -- life ----------------------------------------------------------------------------------------------------

    def replay(self, group_id: str, key: Message, value: Message | None) -> None:
        """Take over a record of a group: while the partition is read, and after each append."""
        group = self.groups.get(group_id)
        if group is None:
            if value is None:
                return
            group = self.groups[group_id] = StreamsGroup(group_id)
        if not group.replay(key, value):
            del self.groups[group_id]
            self._delays.pop(group_id, None)
        else:
            self.groups.changed(group)

    def take_over(self, end_offset: int) -> None:
        """Everything up to an offset is read."""
        if self.groups:
            self._last_end_offset = end_offset

    def begin_sessions(self, group: StreamsGroup) -> None:
        """All members of a group have their whole sessions from now on."""
        timeout_ms = self._settings(group.group_id).session_timeout_ms
        for member in group.members.values():
            self.sessions.extend(group, member.member_id, timeout_ms)
            self.sessions.expect_revocation(group, member)

    def unload(self) -> CountedGroups[StreamsGroup]:
        """Another broker coordinates these groups now. Returns them, to be freed some at a time."""
        groups, self.groups = self.groups, self.groups.empty()
        self._delays = {}
        return groups

    def topics_changed(self, changed: frozenset[str], group_id: str) -> None:
        """Topics of these names were made, deleted, or have other partitions or racks. A group that needs one of them
        looks at its topics again."""
        group = self.groups.get(group_id)
        if group is not None and group.requires_any(changed):
            group.is_fresh = False

    def delete(self, group_id: str) -> list[Record]:
        """The records that remove a group without members; whoever asks for them appends and replays them.

        Raises CoordinatorError (GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP).
        """
        if self._group(group_id).members:
            raise CoordinatorError(ErrorCode.NON_EMPTY_GROUP)
        return write.deletion_records(group_id)

    def listed(self) -> Iterator[GroupListing]:
        """All groups, in no order. Each is looked at when its turn comes."""
        for each in tuple(self.groups.values()):
            yield GroupListing(each.group_id, PROTOCOL_TYPE, each.state.value, PROTOCOL_TYPE)

    def described(self, group_id: str) -> StreamsGroupDescribeResponse.DescribedGroup:
        """A group, or that there is none of this name."""
        group = self.groups.get(group_id)
        return unknown_group(group_id) if group is None else described_group(group)

    def _is_current(self, group: StreamsGroup) -> bool:
        return self.groups.get(group.group_id) is group

    def _group(self, group_id: str) -> StreamsGroup:
        group = self.groups.get(group_id)
        if group is None:
            raise CoordinatorError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"There is no streams group {quoted(group_id)}."
            )
        return group

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
        if values.member_epoch == JOIN_EPOCH:
            # A new group is kept by its records only: what is noted here in memory is lost, as in Apache Kafka.
            group = self.groups[group_id] if is_known else StreamsGroup(group_id)
            has_place = values.member_id in group.members or values.instance_id in group.static_ids
            check_room(group, self._max_size(), is_known=has_place)
        else:
            group = self._group(group_id)
        settings = self._settings(group_id)
        change = StreamsChange(group, list(before))
        change.find_member(values)
        has_changed = change.update_member(values)
        topology = change.update_topology(values)
        change.note_stale_topology()
        metadata_hash, configured = self._configured(group, topology)
        if configured.is_ready:
            check_tasks(configured, values)
        self._note_offsets(group, topology, values)
        is_refined = self._maybe_grow_epoch(
            change, settings, metadata_hash, configured, has_changed=has_changed
        )
        self._maybe_delay(group, settings)
        target_epoch, target = self._target(change, settings, configured, is_refined=is_refined)
        change.step(target_epoch, target, values.owned)
        has_new_epoch = change.epoch != group.epoch
        if change.records:
            self._write(group_id, change.records)
        self._metrics.streams_rebalances += has_new_epoch
        group.is_fresh = True
        current = self.groups[group_id]
        self.sessions.extend(current, values.member_id, settings.session_timeout_ms)
        if change.has_stepped:
            self.sessions.expect_revocation(current, change.member)
        if values.shutdown_application:
            _note_shutdown(group, values.member_id)
        response = self._response(change, values, settings, configured, is_known=is_known)
        self._respond_when_committed(heard, response, configured)

    def _configured(self, group: StreamsGroup, topology: Topology) -> tuple[int, ConfiguredTopology]:
        """The hash of the topics of a topology, and what follows from them."""
        configured, metadata_hash = group.configured, group.metadata_hash
        if configured is not None and group.is_fresh:
            return metadata_hash, configured
        hashes = {name: self._topics.hash_of(name) for name in topology.required_topics}
        existing = {name: each for name, each in hashes.items() if each != NO_TOPIC_HASH}
        metadata_hash = group_hash(self._hash64, existing)
        if configured is None or metadata_hash != group.metadata_hash:
            configured = configure(topology, self._topics)
            group.configure(configured)
        return metadata_hash, configured

    def _note_offsets(self, group: StreamsGroup, topology: Topology, values: StreamsHeartbeatValues) -> None:
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

    def _maybe_grow_epoch(
        self,
        change: StreamsChange,
        settings: StreamsSettings,
        metadata_hash: int,
        configured: ConfiguredTopology,
        *,
        has_changed: bool,
    ) -> bool:
        """If the member, topics or settings have changed, the next assignment is for another group epoch.

        Returns whether it grows only because a member of a stable group has not what the target gives it.
        """
        group, member = change.group, change.member
        validated_epoch = configured.epoch if configured.is_ready else NO_EPOCH
        configs = settings.assignment_configs
        is_due = (
            has_changed
            or metadata_hash != group.metadata_hash
            or validated_epoch != group.validated_topology_epoch
            or configs != group.assignment_configs
        )
        is_refined = (
            not is_due
            and group.state is StreamsState.STABLE
            and group.targets.get(member.member_id, NO_TARGET) != member.assigned.without_epochs()
        )
        if is_due or is_refined:
            change.epoch += 1
            change.records.append(
                write.epoch_record(
                    group,
                    change.epoch,
                    metadata_hash=metadata_hash,
                    validated_topology_epoch=validated_epoch,
                    assignment_configs=configs,
                )
            )
        return is_refined

    # -- targets -------------------------------------------------------------------------------------------------

    def _maybe_delay(self, group: StreamsGroup, settings: StreamsSettings) -> None:
        """The first member of a group waits for others."""
        delay_ms = settings.initial_rebalance_delay_ms
        if group.members or delay_ms <= 0 or group.group_id in self._delays:
            return
        mark = self._delays[group.group_id] = object()
        self._surroundings.call_at(
            self._surroundings.now_ms() + delay_ms, partial(self._end_delay, group.group_id, mark)
        )

    def _end_delay(self, group_id: str, mark: object) -> None:
        """A group has waited. If its topology is known, its tasks are assigned now, else with the next heartbeat."""
        if self._delays.get(group_id) is not mark:
            return
        del self._delays[group_id]
        group = self.groups.get(group_id)
        if group is None or not group.members or group.configured is None:
            return
        if group.epoch <= group.assignment_epoch or not self._is_assignment_due(group):
            return
        asked = StreamsQuestion(
            dict(sorted(group.members.items())),
            dict(group.task_offsets),
            group.configured,
            group.assignment_configs,
        )
        self._assign_later(group, group.epoch, asked)

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
        if not self._is_assignment_due(group):
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
            group, change.targets(), targets, change.epoch, self._surroundings.wall_ms()
        )
        return change.epoch, targets[change.member.member_id]

    def _wait(self, change: StreamsChange, detail: str, target: TaskSets) -> TaskSets:
        """Tell the member that the next assignment is yet to come."""
        change.statuses.append(Status(StatusCode.ASSIGNMENT_DELAYED, detail))
        return target

    def _assign_later(self, group: StreamsGroup, epoch: int, asked: StreamsQuestion) -> None:
        """Have the targets of a group computed for its epoch. Until they are there, members keep what they have."""
        group.is_assigning = True

        def assigned(targets: Mapping[str, TaskSets]) -> None:
            group.is_assigning = False
            # The group may be empty now: then a later epoch is assigned.
            if not self._is_current(group) or epoch <= group.assignment_epoch:
                return
            present = asked.for_present(targets, group.members)
            wall_ms = self._surroundings.wall_ms()
            # If they cannot be written, one of the next heartbeats begins again.
            with suppress(CoordinatorError):
                self._write(group.group_id, records_of_targets(group, group.targets, present, epoch, wall_ms))

        self._compute(asked.answer, assigned)

    def _is_assignment_due(self, group: StreamsGroup) -> bool:
        """Not right after the last one: that way, many members that join together get one assignment (KIP-1263)."""
        passed_ms = self._surroundings.wall_ms() - group.assignment_wall_ms
        # A time in the future is another broker's clock's, and says nothing.
        return not 0 <= passed_ms < self._settings(group.group_id).assignment_interval_ms

    # -- members that leave --------------------------------------------------------------------------------------

    def _leave(self, values: StreamsHeartbeatValues, heard: StreamsHeard) -> None:
        group = self._group(values.group_id)
        if values.shutdown_application:
            _note_shutdown(group, values.member_id)
        if values.instance_id is None:
            member = dynamic_member(group, values.member_id)
        else:
            member = static_member(group, values.instance_id, values.member_id)
        if values.member_epoch == LEAVE_STATIC_EPOCH:
            self._write(group.group_id, [write.current_record(group.group_id, member.away())])
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
        self._write(group_id, records)

    # -- responses -----------------------------------------------------------------------------------------------

    def _response(
        self,
        change: StreamsChange,
        values: StreamsHeartbeatValues,
        settings: StreamsSettings,
        configured: ConfiguredTopology,
        *,
        is_known: bool,
    ) -> _Response:
        group, member = change.group, change.member
        if change.question is not None and is_known:
            self._assign_later(group, change.epoch, change.question)
        response = _Response(
            member_id=member.member_id,
            member_epoch=member.epoch,
            heartbeat_interval_ms=settings.heartbeat_interval_ms,
            task_offset_interval_ms=settings.task_offset_interval_ms,
            acceptable_recovery_lag=settings.acceptable_recovery_lag,
            status=[],
        )
        if values.member_epoch == JOIN_EPOCH or change.has_other_tasks:
            tasks = member.assigned.without_epochs()
            response.active_tasks, response.standby_tasks, response.warmup_tasks = (
                [
                    _Response.TaskIds(subtopology_id=each, partitions=sorted(partitions))
                    for each, partitions in sorted(role.items())
                ]
                for role in (tasks.active, tasks.standby, tasks.warmup)
            )
        if change.has_other_endpoint or (change.has_other_tasks and member.user_endpoint is not None):
            group.endpoint_epoch += 1
        if group.endpoint_epoch != values.endpoint_epoch:
            response.partitions_by_user_endpoint = endpoint_parts(
                group, member, change.replaced_id, self._topics
            )
        if is_known:
            response.endpoint_information_epoch = group.endpoint_epoch
        response.status = [
            _Response.Status(status_code=code, status_detail=detail)
            for code, detail in self._statuses(change, values, settings, configured)
        ]
        return response

    def _statuses(
        self,
        change: StreamsChange,
        values: StreamsHeartbeatValues,
        settings: StreamsSettings,
        configured: ConfiguredTopology,
    ) -> list[Status]:
        found = list(change.statuses)
        if configured.problem is not None:
            found.append(configured.problem)
        asked_by = change.group.shutdown_member_id
        if asked_by is not None:
            detail = f"Member {quoted(asked_by)} asked the application to shut down."
            found.append(Status(StatusCode.SHUTDOWN_APPLICATION, detail))
        known = dict(change.member.client_tags)
        missing = [each for each in settings.rack_aware_tags if each not in known]
        if missing and values.version >= FIRST_VERSION_WITH_TAGS:
            detail = f"The member lacks the client tags {', '.join(map(quoted, missing))}."
            found.append(Status(StatusCode.MISSING_CLIENT_TAGS, detail))
        return found

    # -- the log -------------------------------------------------------------------------------------------------

    def _write(self, group_id: str, records: Sequence[Record]) -> None:
        """Append records and take them over. Raises CoordinatorError, after which nothing has changed."""
        self._last_end_offset = self._log.append(records)
        for record in records:
            self.replay(group_id, record.key, record.value)

    def _respond_when_committed(
        self, heard: StreamsHeard, response: _Response, configured: ConfiguredTopology | None = None
    ) -> None:
        missing = () if configured is None else configured.missing

        def committed(code: ErrorCode) -> None:
            if code is ErrorCode.NONE:
                heard(StreamsHeartbeatOutcome(response=response, missing_topics=missing))
            else:
                heard(StreamsHeartbeatOutcome(response=_Response(error_code=code)))

        self._log.when_committed(self._last_end_offset, committed)


def _note_shutdown(group: StreamsGroup, member_id: str) -> None:
    """The first member that asks for it is named."""
    if group.shutdown_member_id is None:
        group.shutdown_member_id = member_id
