"""The groups of one partition of ``__consumer_offsets``, as long as this broker leads it.

A group has one of several kinds, and its name stands for all of them: a group that was made by one protocol refuses the
requests of another as long as it has members. What a request says of its group is looked up here; the kinds decide.

Apache Kafka has this in GroupCoordinatorShard and, as far as it is about the kind of a group, in GroupMetadataManager.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    ConsumerGroupDescribeResponse,
    GroupMetadataKey,
    LegacyOffsetCommitKey,
    LegacyOffsetCommitValue,
    OffsetCommitKey,
    OffsetCommitValue,
    StreamsGroupDescribeResponse,
    StreamsGroupHeartbeatResponse,
)
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup
from kafkaproto_server.core.coordinators.groups.classic.groups import check_join
from kafkaproto_server.core.coordinators.groups.cleanup import GroupCleanup
from kafkaproto_server.core.coordinators.groups.config import GroupConfigs
from kafkaproto_server.core.coordinators.groups.consumer.classic_members import ClassicMembers
from kafkaproto_server.core.coordinators.groups.counted import GroupCounts
from kafkaproto_server.core.coordinators.groups.deletion import GroupDeletions
from kafkaproto_server.core.coordinators.groups.kinds import not_of_kind
from kafkaproto_server.core.coordinators.groups.migration import Migrations
from kafkaproto_server.core.coordinators.groups.offsets.logged import OffsetsLog
from kafkaproto_server.core.coordinators.groups.offsets.rounds import GroupRounds
from kafkaproto_server.core.coordinators.groups.setup import ModernSetup
from kafkaproto_server.core.coordinators.groups.share.service import ShareGroupService
from kafkaproto_server.core.coordinators.groups.streams.validation import check_values
from kafkaproto_server.core.coordinators.groups.table import GroupTable
from kafkaproto_server.core.coordinators.groups.unloading import let_go
from kafkaproto_server.core.coordinators.values import ComputingSurroundings, CoordinatorError
from kafkaproto_server.requests.consumer_group_requests import (
    JOIN_EPOCH,
    Heard,
    HeartbeatOutcome,
    HeartbeatValues,
)
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
from kafkaproto_server.requests.share_state import Persister
from kafkaproto_server.requests.streams_group_requests import (
    StreamsHeard,
    StreamsHeartbeatOutcome,
    StreamsHeartbeatValues,
)


class GroupShard:
    """The coordinator of these groups."""

    def __init__(
        self,
        configs: GroupConfigs,
        log: OffsetsLog,
        surroundings: ComputingSurroundings,
        setup: ModernSetup,
        persister: Persister,
        metrics: GroupMetrics,
    ) -> None:
        """``persister`` keeps the states of share groups' partitions."""
        self._configs = configs
        self._surroundings = surroundings
        self._table = GroupTable(configs, log, surroundings, setup, persister, metrics)
        self._classic = self._table.classic
        self._consumer = self._table.consumer
        self._streams = self._table.streams
        self._share = self._table.share
        self._offsets = self._table.offsets
        self._classic_members = ClassicMembers(self._consumer, setup.topics, surroundings.new_id)
        self._migrations = Migrations(self._classic, self._consumer, configs, log)
        self._consumer.becomes_classic = self._migrations.downgrade
        self._rounds = GroupRounds(surroundings, self._offsets.logged.count)
        self._cleanup = GroupCleanup(self._table, self._rounds, configs.offsets, surroundings)
        self._deletions = GroupDeletions(
            self._offsets, surroundings, self._table.deletion_records, self._table.forget
        )
        self.share = ShareGroupService(
            self._share, lambda group_id: self._table.kind_of(group_id) not in (None, self._share)
        )

    # -- life ----------------------------------------------------------------------------------------------------

    def replay(self, key: Message, value: Message | None, offset: int, producer_id: int) -> None:
        """Take a record over, while the partition is read."""
        if isinstance(key, OffsetCommitKey | LegacyOffsetCommitKey):
            assert value is None or isinstance(value, OffsetCommitValue | LegacyOffsetCommitValue), (
                "of that key"
            )
            self._offsets.logged.replay(key, value, offset, producer_id)
            if value is not None:
                self._table.know(key.group)
        elif isinstance(key, GroupMetadataKey):
            self._classic.replay(key.group, key, value)
        else:
            self._table.replay(key, value)

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        """The end of a producer's transaction is at this offset."""
        self._offsets.logged.marker(producer_id, is_commit, offset)

    def loaded(self) -> Sequence[str]:
        """Everything is read: requests are served from now on. Returns what made no sense, and was mended."""
        problems = self._table.take_over()
        self._rounds.look_at_each(self._table.names(), self._table.begin_sessions, lambda: None)
        self._cleanup.expire_later()
        return problems

    def unload(self) -> None:
        """Another broker coordinates these groups now."""
        self._rounds.unload()
        self._deletions.unload()
        self._offsets.logged.unload()
        let_go(
            self._surroundings,
            self._classic.unload(),
            [kind.unload() for kind in self._table.modern],
            lambda group: self._classic.end(group, ErrorCode.NOT_COORDINATOR),
        )

    def topics_changed(self, names: Sequence[str], *, has_new: bool) -> None:
        """Topics of these names were made, deleted, or have other partitions or racks."""
        if has_new:
            self._consumer.regexes.has_new_topics()
        changed = frozenset(names)
        for kind in self._table.modern:
            self._rounds.look_at_each(list(kind.groups), partial(kind.topics_changed, changed), lambda: None)

    # -- members of consumer groups and of streams groups --------------------------------------------------------

    def consumer_heartbeat(self, values: HeartbeatValues, heard: Heard) -> None:
        """See `ConsumerGroups.heartbeat`; errors are told by ``heard`` as well."""
        group_id = values.group_id
        try:
            self._deletions.check(group_id)
            kind = self._table.kind_of(group_id)
            if kind is None or kind is self._consumer:
                self._consumer.heartbeat(values, heard)
            elif values.member_epoch == JOIN_EPOCH and self._classic.is_empty(group_id):
                self._consumer.heartbeat(values, heard, self._classic.deletion_records(group_id))
                del self._classic.groups[group_id]
            elif values.member_epoch == JOIN_EPOCH and self._migrations.may_upgrade(group_id):
                self._migrations.upgrade(values, heard)
            else:
                raise not_of_kind(group_id, "consumer")
        except CoordinatorError as error:
            heard(HeartbeatOutcome(code=error.code, message=error.message))

    def streams_heartbeat(self, values: StreamsHeartbeatValues, heard: StreamsHeard) -> None:
        """See `StreamsGroups.heartbeat`; errors are told by ``heard`` as well."""
        group_id = values.group_id
        try:
            self._deletions.check(group_id)
            kind = self._table.kind_of(group_id)
            if kind is None or kind is self._streams:
                self._streams.heartbeat(values, heard)
            elif values.member_epoch == JOIN_EPOCH and self._classic.is_empty(group_id):
                self._streams.heartbeat(values, heard, self._classic.deletion_records(group_id))
                del self._classic.groups[group_id]
            else:
                check_values(values)
                raise not_of_kind(group_id, "streams")
        except CoordinatorError as error:
            response = StreamsGroupHeartbeatResponse(error_code=error.code, error_message=error.message)
            heard(StreamsHeartbeatOutcome(response=response))

    # -- members of classic groups -------------------------------------------------------------------------------

    def join(self, group_id: str, values: JoinValues, joined: Joined) -> None:
        """See `ClassicGroups.join`; errors are told by ``joined`` as well."""
        try:
            check_join(group_id, values, self._configs.classic())
            self._deletions.check(group_id)
            kind = self._table.kind_of(group_id)
            if kind is not None and not kind.keeps_offsets:
                joined(JoinOutcome(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, UNKNOWN_MEMBER))
                return
            consumer = self._consumer.groups.get(group_id)
            if consumer is not None and consumer.members:
                self._classic_members.join(consumer, values, joined)
                return
            if kind is not None and kind is not self._classic:
                if kind.groups[group_id].members:
                    raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
                # A classic group takes its place.
                self._table.remove(group_id)
            group = self._classic.groups.get(group_id)
            if group is None:
                if values.member_id != UNKNOWN_MEMBER:
                    raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)
                group = self._classic.groups[group_id] = ClassicGroup(group_id=group_id)
            self._classic.join(group, values, joined)
        except CoordinatorError as error:
            is_new_id = error.code is ErrorCode.MEMBER_ID_REQUIRED
            member_id = error.message or "" if is_new_id else values.member_id
            joined(JoinOutcome(error.code, member_id))

    def sync(self, group_id: str, values: SyncValues, synced: Synced) -> None:
        """See `ClassicGroups.sync`; errors are told by ``synced`` as well."""
        consumer = self._consumer.groups.get(group_id)
        try:
            if consumer is not None:
                self._classic_members.sync(consumer, values, synced)
            else:
                self._classic.sync(self._classic.existing(group_id), values, synced)
        except CoordinatorError as error:
            synced(SyncOutcome(error.code))

    def heartbeat(self, group_id: str, member_id: str, instance_id: str | None, generation: int) -> ErrorCode:
        consumer = self._consumer.groups.get(group_id)
        try:
            if consumer is not None:
                self._classic_members.heartbeat(consumer, member_id, instance_id, generation)
            else:
                self._classic.heartbeat(self._classic.existing(group_id), member_id, instance_id, generation)
        except CoordinatorError as error:
            return error.code
        return ErrorCode.NONE

    def leave(self, group_id: str, members: Sequence[tuple[str, str | None]]) -> list[ErrorCode]:
        """See `ClassicGroups.leave`. Raises CoordinatorError."""
        if not group_id:
            raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
        consumer = self._consumer.groups.get(group_id)
        if consumer is not None:
            return self._classic_members.leave(consumer, members)
        group = self._classic.groups.get(group_id)
        if group is None:
            return [ErrorCode.UNKNOWN_MEMBER_ID] * len(members)
        return self._classic.leave(group, members)

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
            self._table.check_commit(group_id, committer, partitions, is_transactional=False)
            self._offsets.commit(group_id, partitions, committed, retention_time_ms=retention_time_ms)
        except CoordinatorError as error:
            committed(error.code, ())
        else:
            self._table.know_left(group_id)

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
            if not group_id:
                raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
            self._table.check_commit(group_id, committer, partitions, is_transactional=True)
            self._offsets.commit_in_transaction(
                group_id,
                partitions,
                committed,
                producer_id=producer.producer_id,
                producer_epoch=producer.producer_epoch,
            )
        except CoordinatorError as error:
            # Producers know no other error for an epoch that is not the member's.
            is_stale = error.code is ErrorCode.STALE_MEMBER_EPOCH
            committed(ErrorCode.ILLEGAL_GENERATION if is_stale else error.code, ())
        else:
            self._table.know_left(group_id)

    def fetch(
        self,
        group_id: str,
        reader: OffsetReader,
        topics: Sequence[TopicPartitions] | None,
        fetched: OffsetsFetched,
    ) -> None:
        """See `OffsetFetches.fetch`. A group that does not exist has no offsets."""
        try:
            self._table.check_fetch(group_id, reader)
        except CoordinatorError as error:
            fetched(error.code, ())
        else:
            self._offsets.fetches.fetch(group_id, topics, fetched, require_stable=reader.require_stable)

    def delete_offsets(self, group_id: str, topics: Sequence[TopicPartitions], deleted: Results) -> None:
        """See `OffsetMetadataManager.delete`; errors are told by ``deleted`` as well."""
        try:
            if not group_id:
                raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
            is_used = self._table.existing(group_id).uses_topic(group_id)
            self._offsets.delete(group_id, topics, is_used, deleted)
        except CoordinatorError as error:
            deleted(error.code, ())

    def topics_deleted(self, topics: Sequence[tuple[str, bytes]]) -> None:
        """Topics, given by their names and ids, are no more: nor are their offsets and the states of share groups."""
        self._cleanup.topics_deleted(topics)
        topic_ids = frozenset(topic_id for _, topic_id in topics)
        forget = partial(self._share.topics_deleted, topic_ids)
        self._rounds.look_at_each(list(self._share.groups), forget, lambda: None)

    # -- administrators ------------------------------------------------------------------------------------------

    def delete(self, group_id: str, deleted: GroupDeleted) -> None:
        """Delete a group that has no members, with its offsets; errors are told by ``deleted`` as well."""
        try:
            if self._table.kind_of(group_id) is self._share:
                self.share.delete_group(group_id, deleted)
                return
        except CoordinatorError as error:
            deleted(error.code)
        else:
            self._deletions.delete(group_id, deleted)

    @property
    def counts(self) -> GroupCounts:
        """How many groups and offsets there are. Read it at once: the numbers go on changing."""
        return self._table.counts()

    def listed(self) -> Iterator[GroupListing]:
        """All groups, in no order. Each is looked at when its turn comes."""
        return self._table.listed()

    def described_values(self, group_id: str) -> int:
        """How many values the description of a group holds, about; 0 if there is none of this name."""
        return self._table.described_values(group_id)

    def described(self, group_id: str) -> DescribedGroup:
        """A classic group, or why there is none of this name."""
        return self._classic.described(group_id)

    def consumer_described(self, group_id: str) -> ConsumerGroupDescribeResponse.DescribedGroup:
        """A consumer group, or that there is none of this name."""
        return self._consumer.described(group_id)

    def streams_described(self, group_id: str) -> StreamsGroupDescribeResponse.DescribedGroup:
        """A streams group, or that there is none of this name."""
        return self._streams.described(group_id)
