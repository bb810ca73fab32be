"""The groups of one partition of ``__consumer_offsets``, as long as this broker leads it.

A group has one of several kinds, and its name stands for all of them: a group that was made by one protocol refuses the
requests of another as long as it has members. What a request says of its group is looked up here; the kinds decide.

A simple group only has offsets: it is a classic group without a protocol, and its offsets are all that is kept of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    GroupMetadataKey,
    GroupMetadataValue,
    LegacyOffsetCommitKey,
    LegacyOffsetCommitValue,
    OffsetCommitKey,
    OffsetCommitValue,
)
from kafkaproto_server.coordinator.groups.classic import ClassicGroups
from kafkaproto_server.coordinator.groups.classic_group import ClassicGroup, ClassicState
from kafkaproto_server.coordinator.groups.config import GroupConfig
from kafkaproto_server.coordinator.groups.describe import described_classic, unknown_classic
from kafkaproto_server.coordinator.groups.offset_expiration import (
    CONSUMER_PROTOCOL_TYPE,
    Expiration,
    classic_expiration,
)
from kafkaproto_server.coordinator.groups.offsets import OffsetMetadataManager, OffsetsLog
from kafkaproto_server.coordinator.groups.subscriptions import is_subscribed, subscribed_topics
from kafkaproto_server.coordinator.values import CoordinatorError, Record, Surroundings
from kafkaproto_server.requests.group_requests import (
    UNKNOWN_MEMBER,
    DescribedGroup,
    GroupListing,
    Joined,
    JoinOutcome,
    JoinValues,
    Synced,
    SyncOutcome,
    SyncValues,
)
from kafkaproto_server.requests.offset_requests import (
    Committer,
    GroupDeleted,
    OffsetCommitPartition,
    OffsetReader,
    OffsetsFetched,
    ProducerKey,
    Results,
    TopicPartitions,
)

FIRST_COMMIT_WITH_NOT_FOUND = 9
"""The first version of OffsetCommit whose clients know GROUP_ID_NOT_FOUND."""
MAX_STRING_BYTES = 2**15 - 1
"""The longest string that a record holds."""
GROUPS_AT_ONCE = 100
"""How many groups are looked at for expired offsets in one turn."""


class GroupShard:
    """The coordinator of these groups."""

    def __init__(
        self, config: Callable[[], GroupConfig], log: OffsetsLog, surroundings: Surroundings
    ) -> None:
        self._config = config
        self._log = log
        self._surroundings = surroundings
        self._groups: dict[str, ClassicGroup] = {}
        self._classic = ClassicGroups(
            config, log, surroundings, lambda group: self._groups.get(group.group_id) is group
        )
        self._offsets = OffsetMetadataManager(config, log, surroundings)
        self._is_over = False

    # -- life ----------------------------------------------------------------------------------------------------

    def replay(self, key: Message, value: Message | None, offset: int, producer_id: int) -> None:
        """Take a record over, while the partition is read."""
        if isinstance(key, OffsetCommitKey | LegacyOffsetCommitKey):
            assert value is None or isinstance(value, OffsetCommitValue | LegacyOffsetCommitValue), (
                "of that key"
            )
            self._offsets.replay(key, value, offset, producer_id)
            if value is not None:
                self._know(key.group)
        elif isinstance(key, GroupMetadataKey):
            if value is None:
                self._groups.pop(key.group, None)
            else:
                assert isinstance(value, GroupMetadataValue), "it is the key's value"
                self._groups[key.group] = ClassicGroup.from_record(key.group, value)

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        """The end of a producer's transaction is at this offset."""
        self._offsets.marker(producer_id, is_commit, offset)

    def loaded(self) -> None:
        """Everything is read: requests are served from now on."""
        for group in self._groups.values():
            self._classic.begin_sessions(group)
        self._expire_later()

    def unload(self) -> None:
        """Another broker coordinates these groups now."""
        self._is_over = True
        groups, self._groups = self._groups, {}
        for group in groups.values():
            self._classic.end(group, ErrorCode.NOT_COORDINATOR)

    def _know(self, group_id: str) -> None:
        """A group has offsets: it exists."""
        if group_id not in self._groups:
            self._groups[group_id] = ClassicGroup(group_id=group_id)

    # -- members of classic groups -------------------------------------------------------------------------------

    def join(self, group_id: str, values: JoinValues, joined: Joined) -> None:
        """See `ClassicGroups.join`; errors are told by ``joined`` as well."""
        try:
            self._check_join(group_id, values)
            group = self._groups.get(group_id)
            if group is None:
                if values.member_id != UNKNOWN_MEMBER:
                    raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)
                group = self._groups[group_id] = ClassicGroup(group_id=group_id)
            self._classic.join(group, values, joined)
        except CoordinatorError as error:
            is_new_id = error.code is ErrorCode.MEMBER_ID_REQUIRED
            member_id = error.message or "" if is_new_id else values.member_id
            joined(JoinOutcome(error.code, member_id))

    def _check_join(self, group_id: str, values: JoinValues) -> None:
        if not group_id:
            raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
        _check_group_id(group_id)
        config = self._config()
        if not config.min_session_timeout_ms <= values.session_timeout_ms <= config.max_session_timeout_ms:
            raise CoordinatorError(ErrorCode.INVALID_SESSION_TIMEOUT)
        if not values.protocol_type or not values.protocols:
            raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        kept = values.protocol_type, values.group_instance_id or "", *(name for name, _ in values.protocols)
        if any(_is_too_long(each) for each in kept):
            raise CoordinatorError(ErrorCode.INVALID_REQUEST)

    def sync(self, group_id: str, values: SyncValues, synced: Synced) -> None:
        """See `ClassicGroups.sync`; errors are told by ``synced`` as well."""
        try:
            self._classic.sync(self._group(group_id), values, synced)
        except CoordinatorError as error:
            synced(SyncOutcome(error.code))

    def heartbeat(self, group_id: str, member_id: str, instance_id: str | None, generation: int) -> ErrorCode:
        """See `ClassicGroups.heartbeat`."""
        try:
            self._classic.heartbeat(self._group(group_id), member_id, instance_id, generation)
        except CoordinatorError as error:
            return error.code
        return ErrorCode.NONE

    def leave(self, group_id: str, members: Sequence[tuple[str, str | None]]) -> list[ErrorCode]:
        """See `ClassicGroups.leave`. Raises CoordinatorError."""
        if not group_id:
            raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
        group = self._groups.get(group_id)
        if group is None:
            return [ErrorCode.UNKNOWN_MEMBER_ID] * len(members)
        return self._classic.leave(group, members)

    def _group(self, group_id: str) -> ClassicGroup:
        """A group with members, or that had some. Raises CoordinatorError."""
        if not group_id:
            raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
        group = self._groups.get(group_id)
        if group is None:
            raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)
        return group

    # -- offsets -------------------------------------------------------------------------------------------------

    def commit(
        self,
        group_id: str,
        committer: Committer,
        partitions: Sequence[OffsetCommitPartition],
        retention_time_ms: int,
        committed: Results,
    ) -> None:
        """See `OffsetMetadataManager.commit`; errors are told by ``committed`` as well."""
        try:
            self._check_commit(group_id, committer)
            self._offsets.commit(group_id, partitions, committed, retention_time_ms=retention_time_ms)
        except CoordinatorError as error:
            committed(error.code, ())
        else:
            self._know_committed(group_id)

    def commit_in_transaction(
        self,
        group_id: str,
        committer: Committer,
        partitions: Sequence[OffsetCommitPartition],
        producer: ProducerKey,
        committed: Results,
    ) -> None:
        """See `OffsetMetadataManager.commit_in_transaction`; errors are told by ``committed`` as well."""
        try:
            self._check_commit_in_transaction(group_id, committer)
            self._offsets.commit_in_transaction(
                group_id,
                partitions,
                committed,
                producer_id=producer.producer_id,
                producer_epoch=producer.producer_epoch,
            )
        except CoordinatorError as error:
            committed(error.code, ())
        else:
            self._know_committed(group_id)

    def _check_commit(self, group_id: str, committer: Committer) -> None:
        _check_group_id(group_id)
        group = self._groups.get(group_id)
        if group is not None:
            self._classic.check_commit(group, committer, is_transactional=False)
        elif committer.generation >= 0:
            is_new = committer.version >= FIRST_COMMIT_WITH_NOT_FOUND
            raise CoordinatorError(ErrorCode.GROUP_ID_NOT_FOUND if is_new else ErrorCode.ILLEGAL_GENERATION)

    def _check_commit_in_transaction(self, group_id: str, committer: Committer) -> None:
        if not group_id:
            raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
        _check_group_id(group_id)
        group = self._groups.get(group_id)
        if group is not None:
            self._classic.check_commit(group, committer, is_transactional=True)
        elif committer.generation >= 0:
            raise CoordinatorError(ErrorCode.ILLEGAL_GENERATION)

    def _know_committed(self, group_id: str) -> None:
        if self._offsets.count(group_id) or self._offsets.has_pending(group_id):
            self._know(group_id)

    def fetch(
        self,
        group_id: str,
        reader: OffsetReader,
        topics: Sequence[TopicPartitions] | None,
        fetched: OffsetsFetched,
    ) -> None:
        """See `OffsetMetadataManager.fetch`. A group that does not exist has no offsets."""
        self._offsets.fetch(group_id, topics, fetched, require_stable=reader.require_stable)

    def delete_offsets(self, group_id: str, topics: Sequence[TopicPartitions], deleted: Results) -> None:
        """See `OffsetMetadataManager.delete`; errors are told by ``deleted`` as well."""
        try:
            group = self._existing(group_id)
            if group.members and group.protocol_type != CONSUMER_PROTOCOL_TYPE:
                # Nobody knows which topics its members use.
                raise CoordinatorError(ErrorCode.NON_EMPTY_GROUP)
            self._offsets.delete(group_id, topics, lambda topic: is_subscribed(group, topic), deleted)
        except CoordinatorError as error:
            deleted(error.code, ())

    # -- groups that end -----------------------------------------------------------------------------------------

    def delete(self, group_id: str, deleted: GroupDeleted) -> None:
        """Delete a group that has no members, with its offsets; errors are told by ``deleted`` as well."""
        try:
            group = self._existing(group_id)
            if group.state is not ClassicState.EMPTY:
                raise CoordinatorError(ErrorCode.NON_EMPTY_GROUP)
            self._offsets.delete_group(group_id, deleted, last=[_no_group_record(group_id)])
        except CoordinatorError as error:
            deleted(error.code)
        else:
            del self._groups[group_id]

    def _existing(self, group_id: str) -> ClassicGroup:
        """Raises CoordinatorError (GROUP_ID_NOT_FOUND)."""
        group = self._groups.get(group_id)
        if group is None:
            raise CoordinatorError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
        return group

    def topics_deleted(self, topics: Sequence[tuple[str, bytes]]) -> None:
        """Topics, given by their names and ids, are no more: nor are their offsets."""

        def delete(group_id: str) -> None:
            # If that fails, the offsets stay until they expire. They do no harm: a new topic has another id.
            self._offsets.delete_topics(topics, [group_id])

        self._look_at_each(self._offsets.groups(), delete, lambda: None)

    def _expire_later(self) -> None:
        at_ms = self._surroundings.now_ms() + self._config().offsets_retention_check_interval_ms
        self._surroundings.call_at(
            at_ms, lambda: self._look_at_each(list(self._groups), self._expire_group, self._expire_later)
        )

    def _look_at_each(
        self, group_ids: Iterable[str], look: Callable[[str], None], done: Callable[[], None]
    ) -> None:
        """Call ``look`` with each group, some at a time; go on if it raises CoordinatorError."""
        rest = iter(group_ids)

        def look_at_some() -> None:
            if self._is_over:
                return
            some = list(islice(rest, GROUPS_AT_ONCE))
            for group_id in some:
                with suppress(CoordinatorError):
                    look(group_id)
            if some:
                self._surroundings.call_at(self._surroundings.now_ms() + 1, look_at_some)
            else:
                done()

        look_at_some()

    def _expire_group(self, group_id: str) -> None:
        group = self._groups.get(group_id)
        if group is None:
            return
        is_without = self._offsets.expire(group_id, self._expiration(group))
        if is_without and group.state is ClassicState.EMPTY:
            self._log.append([_no_group_record(group_id)])
            del self._groups[group_id]

    @staticmethod
    def _expiration(group: ClassicGroup) -> Expiration | None:
        return classic_expiration(group, subscribed_topics(group))

    # -- administrators ------------------------------------------------------------------------------------------

    def listed(self) -> Iterator[GroupListing]:
        """All groups, in no order."""
        for group in self._groups.values():
            yield GroupListing(group.group_id, group.protocol_type or "", group.state.value, "Classic")

    def described(self, group_id: str) -> DescribedGroup:
        """A classic group, or why there is none of this name."""
        group = self._groups.get(group_id)
        return unknown_classic(group_id) if group is None else described_classic(group)


def _no_group_record(group_id: str) -> Record:
    return Record(GroupMetadataKey(group=group_id), None)


def _is_too_long(text: str) -> bool:
    return len(text) > MAX_STRING_BYTES // 4 and len(text.encode(errors="surrogatepass")) > MAX_STRING_BYTES


def _check_group_id(group_id: str) -> None:
    """Raises CoordinatorError (INVALID_GROUP_ID) if no record can name the group."""
    if _is_too_long(group_id):
        raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
