"""What administrators do with the offsets of a share group, and how a group ends (KIP-1226, KIP-932).

Its offsets are the start offsets of its partitions' states, which the share coordinators keep. So each request becomes
requests to the persister, and whatever changes a state is written in the group's own record before: whoever takes over
knows what may be half done. Members must be gone before anything changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroup
from kafkaproto_server.core.coordinators.groups.share.heartbeat import ShareGroups
from kafkaproto_server.core.coordinators.groups.share.initialization import (
    MAX_PARTITIONS,
    NO_STATES,
    first_error,
    partition_count,
)
from kafkaproto_server.core.coordinators.groups.share.partitions import StatePartitions, TopicStates, combined
from kafkaproto_server.core.coordinators.groups.share.records import deletion_records, states_record
from kafkaproto_server.core.coordinators.groups.share.state_requests import Results, ask_for_all
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.share_group_requests import (
    AlteredPartition,
    AlteredTopic,
    DeletedTopic,
    NewOffsets,
    ShareOffsetsAltered,
    ShareOffsetsDeleted,
    TopicIdPartition,
)
from kafkaproto_server.requests.share_state import Done

_MISSING = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
Told = Callable[[ErrorCode], None]


class ShareOffsets:
    """The offsets of the share groups of one partition of the internal topic."""

    def __init__(self, groups: ShareGroups) -> None:
        self._groups = groups

    def initialized(self, group_id: str) -> list[TopicIdPartition]:
        """The partitions of a group that have a state; none if there is no such group."""
        group = self._groups.groups.get(group_id)
        if group is None or group.states is None:
            return []
        initialized = group.states.initialized
        return [
            TopicIdPartition(topic_id, index)
            for topic_id in sorted(initialized)
            for index in sorted(initialized[topic_id].partitions)
        ]

    # -- AlterShareGroupOffsets ----------------------------------------------------------------------------------

    def alter(self, group_id: str, offsets: NewOffsets, altered: ShareOffsetsAltered) -> None:
        """Have a group begin at other offsets. A group that does not exist is made.

        Raises CoordinatorError (NON_EMPTY_GROUP).
        """
        if group_id in self._groups.groups:
            group = self._groups.empty_group(group_id)
        else:
            group = ShareGroup(group_id)
        topics, partitions, states = self._places(offsets)
        if not states:
            altered(ErrorCode.NONE, None, topics)
            return
        changed = (group.states or NO_STATES).with_initializing(states)
        if partition_count(combined(changed.initialized, changed.initializing)) > MAX_PARTITIONS:
            raise CoordinatorError(
                ErrorCode.INVALID_REQUEST, f"A share group has at most {MAX_PARTITIONS} partitions."
            )
        self._groups.write_states(group_id, changed)
        group = self._groups.groups[group_id]

        def committed(code: ErrorCode) -> None:
            if code is not ErrorCode.NONE:
                altered(code, None, ())
            else:
                self._reset(group, topics, partitions, altered)

        self._groups.when_committed(committed)

    def _places(
        self, offsets: NewOffsets
    ) -> tuple[list[AlteredTopic], dict[TopicIdPartition, int], dict[bytes, TopicStates]]:
        """What the response says so far, the new offsets, and the states for them."""
        topics: list[AlteredTopic] = []
        partitions: dict[TopicIdPartition, int] = {}
        states: dict[bytes, TopicStates] = {}
        for name, by_index in offsets.items():
            view = self._groups.topics.by_name(name)
            count = 0 if view is None else view.partition_count
            topic_id = ZERO_UUID if view is None else view.topic_id
            known = {index: offset for index, offset in by_index.items() if 0 <= index < count}
            results = [
                AlteredPartition(index, ErrorCode.NONE)
                if index in known
                else AlteredPartition(
                    index, _MISSING, f"There is no partition {index} of topic {quoted(name)}."
                )
                for index in by_index
            ]
            topics.append(AlteredTopic(name, topic_id, results))
            partitions.update({TopicIdPartition(topic_id, index): offset for index, offset in known.items()})
            if known:
                states[topic_id] = TopicStates(name, frozenset(known))
        return topics, partitions, states

    def _reset(
        self,
        group: ShareGroup,
        topics: Sequence[AlteredTopic],
        partitions: Mapping[TopicIdPartition, int],
        altered: ShareOffsetsAltered,
    ) -> None:
        def done(results: Results) -> None:
            if first_error(results) is ErrorCode.NONE:
                self._groups.keep_initialized(group, results)
                altered(ErrorCode.NONE, None, topics)
            else:
                # They stay where they are noted: if the group is deleted, they are deleted, too.
                altered(ErrorCode.NONE, None, [_with_results(topic, results) for topic in topics])

        self._groups.initialize(group, group.epoch, partitions, done)

    # -- DeleteShareGroupOffsets ---------------------------------------------------------------------------------

    def delete(self, group_id: str, names: Sequence[str], deleted: ShareOffsetsDeleted) -> None:
        """Delete the states of topics. Raises CoordinatorError (GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP)."""
        group = self._groups.empty_group(group_id)
        if group.states is None:
            # There is nothing to delete, and nothing is said of any topic, as in Apache Kafka.
            deleted(ErrorCode.NONE, None, ())
            return
        failed, partitions, deleting = self._doomed(group.states, names)
        if deleting:
            self._groups.write_states(group_id, group.states.with_deleting(deleting))

        def committed(code: ErrorCode) -> None:
            if code is not ErrorCode.NONE:
                deleted(code, None, ())
            elif not partitions:
                deleted(ErrorCode.NONE, None, failed)
            else:
                self._ask_to_delete(group_id, partitions, partial(self._deleted, group, failed, deleted))

        self._groups.when_committed(committed)

    def _doomed(
        self, states: StatePartitions, names: Sequence[str]
    ) -> tuple[list[DeletedTopic], list[TopicIdPartition], dict[bytes, str]]:
        """Topics that have no states, the partitions that have, and the names of their topics by id."""
        failed: list[DeletedTopic] = []
        partitions: list[TopicIdPartition] = []
        deleting: dict[bytes, str] = {}
        for name in dict.fromkeys(names):
            view = self._groups.topics.by_name(name)
            if view is None:
                message = f"There is no topic {quoted(name)}."
                failed.append(DeletedTopic(name, ZERO_UUID, _MISSING, message))
            elif view.topic_id in states.initialized or view.topic_id in states.deleting:
                topic = states.initialized.get(view.topic_id)
                indexes = range(view.partition_count) if topic is None else sorted(topic.partitions)
                partitions += [TopicIdPartition(view.topic_id, index) for index in indexes]
                deleting[view.topic_id] = name
            else:
                message = f"The group has no offsets of topic {quoted(name)}."
                failed.append(DeletedTopic(name, ZERO_UUID, _MISSING, message))
        return failed, partitions, deleting

    def _ask_to_delete(
        self, group_id: str, partitions: Sequence[TopicIdPartition], done: Callable[[Results], None]
    ) -> None:
        def ask(partition: TopicIdPartition, asked: Done) -> None:
            self._groups.persister.delete(group_id, *partition, asked)

        ask_for_all(self._groups.surroundings, partitions, ask, done)

    def _deleted(
        self,
        group: ShareGroup,
        failed: Sequence[DeletedTopic],
        deleted: ShareOffsetsDeleted,
        results: Results,
    ) -> None:
        """The share coordinators have responded: what is deleted is forgotten."""
        codes: dict[bytes, ErrorCode] = {}
        for (topic_id, _), result in results.items():
            if codes.get(topic_id, ErrorCode.NONE) is ErrorCode.NONE:
                codes[topic_id] = result.code
        found = [*failed]
        for topic_id, code in codes.items():
            view = self._groups.topics.by_id(topic_id)
            message = None if code is ErrorCode.NONE else code.message
            found.append(DeletedTopic(None if view is None else view.name, topic_id, code, message))
        gone = [topic_id for topic_id, code in codes.items() if code is ErrorCode.NONE]
        try:
            if not self._groups.is_current(group):
                raise CoordinatorError(ErrorCode.NOT_COORDINATOR)
            if gone and group.states is not None:
                self._groups.write_states(group.group_id, group.states.without_deleting(gone))
        except CoordinatorError as error:
            deleted(error.code, error.message, ())
            return

        def committed(code: ErrorCode) -> None:
            deleted(code, None, found if code is ErrorCode.NONE else ())

        self._groups.when_committed(committed)

    # -- groups that end -----------------------------------------------------------------------------------------

    def delete_group(self, group_id: str, deleted: Told) -> None:
        """Delete a group: the states of its partitions first. Raises CoordinatorError (NON_EMPTY_GROUP)."""
        group = self._groups.empty_group(group_id)
        if group.states is None:
            self._delete_record(group, deleted)
            return
        doomed = self._all_states(group.states)
        names = {topic_id: topic.name for topic_id, topic in doomed.items()}
        self._groups.write(group_id, [states_record(group_id, StatePartitions(deleting=names))])
        partitions = [
            TopicIdPartition(topic_id, index)
            for topic_id in sorted(doomed)
            for index in sorted(doomed[topic_id].partitions)
        ]

        def done(results: Results) -> None:
            code = first_error(results)
            if code is not ErrorCode.NONE:
                deleted(code)
                return
            try:
                if not self._groups.is_current(group):
                    raise CoordinatorError(ErrorCode.NOT_COORDINATOR)
                self._delete_record(self._groups.empty_group(group_id), deleted)
            except CoordinatorError as error:
                deleted(error.code)

        def committed(code: ErrorCode) -> None:
            if code is ErrorCode.NONE:
                self._ask_to_delete(group_id, partitions, done)
            else:
                deleted(code)

        self._groups.when_committed(committed)

    def _all_states(self, states: StatePartitions) -> dict[bytes, TopicStates]:
        """All that may be there, also of topics whose states were to be deleted before."""
        again = {}
        for topic_id in states.deleting:
            view = self._groups.topics.by_id(topic_id)
            if view is not None:
                again[topic_id] = TopicStates(view.name, frozenset(range(view.partition_count)))
        return combined(combined(states.initialized, states.initializing), again)

    def _delete_record(self, group: ShareGroup, deleted: Told) -> None:
        self._groups.write(group.group_id, deletion_records(group))
        self._groups.when_committed(deleted)


def _with_results(topic: AlteredTopic, results: Results) -> AlteredTopic:
    """What the response says of a topic if a state could not be initialized."""
    partitions = []
    for each in topic.partitions:
        result = results.get(TopicIdPartition(topic.topic_id, each.partition))
        if each.code is ErrorCode.NONE and result is not None:
            each = AlteredPartition(each.partition, result.code, result.message)
        partitions.append(each)
    return topic._replace(partitions=partitions)
