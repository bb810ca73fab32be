"""The groups of one partition of ``__consumer_offsets``, as long as this broker leads it.

A group has one of several kinds, and its name stands for all of them: a group that was made by one protocol refuses the
requests of another as long as it has members. What a request says of its group is looked up here; the kinds decide.

A simple group only has offsets: it is a classic group without a protocol, and its offsets are all that is kept of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    ConsumerGroupDescribeResponse,
    GroupMetadataKey,
    GroupMetadataValue,
    LegacyOffsetCommitKey,
    LegacyOffsetCommitValue,
    OffsetCommitKey,
    OffsetCommitValue,
    StreamsGroupDescribeResponse,
    StreamsGroupHeartbeatResponse,
)
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.classic.group import (
    ClassicGroup,
    ClassicState,
    no_group_record,
)
from kafkaproto_server.core.coordinators.groups.classic.groups import ClassicGroups, check_join
from kafkaproto_server.core.coordinators.groups.config import GroupConfig
from kafkaproto_server.core.coordinators.groups.consumer.classic_members import ClassicMembers
from kafkaproto_server.core.coordinators.groups.consumer.commits import PartitionCheck
from kafkaproto_server.core.coordinators.groups.consumer.describe import (
    described_group,
    unknown_group,
    values_of_consumer_group,
)
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.heartbeat import ConsumerGroups
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember
from kafkaproto_server.core.coordinators.groups.consumer.records import CONSUMER_GROUP_KEYS, deletion_records
from kafkaproto_server.core.coordinators.groups.consumer.settings import settings_of
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups, GroupCounts
from kafkaproto_server.core.coordinators.groups.deletion import GroupDeletions
from kafkaproto_server.core.coordinators.groups.describe import (
    described_classic,
    unknown_classic,
    values_of_classic,
)
from kafkaproto_server.core.coordinators.groups.migration import (
    classic_group,
    consumer_records,
    may_become_classic,
    may_become_consumer,
)
from kafkaproto_server.core.coordinators.groups.offset_checks import AnyGroup, check_commit, check_fetch
from kafkaproto_server.core.coordinators.groups.offsets.expiration import (
    CONSUMER_PROTOCOL_TYPE,
    Expiration,
    classic_expiration,
)
from kafkaproto_server.core.coordinators.groups.offsets.offsets import (
    GONE_AT_ONCE,
    OffsetMetadataManager,
    OffsetsLog,
)
from kafkaproto_server.core.coordinators.groups.offsets.rounds import GroupRounds
from kafkaproto_server.core.coordinators.groups.problems import problems_of
from kafkaproto_server.core.coordinators.groups.setup import ConsumerSetup
from kafkaproto_server.core.coordinators.groups.share.describe import values_of_share_group
from kafkaproto_server.core.coordinators.groups.share.heartbeat import ShareGroups
from kafkaproto_server.core.coordinators.groups.share.records import SHARE_GROUP_KEYS
from kafkaproto_server.core.coordinators.groups.share.service import ShareGroupService
from kafkaproto_server.core.coordinators.groups.share.settings import share_settings_of
from kafkaproto_server.core.coordinators.groups.streams.config import streams_settings_of
from kafkaproto_server.core.coordinators.groups.streams.describe import values_of_streams_group
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsGroup
from kafkaproto_server.core.coordinators.groups.streams.heartbeat import StreamsGroups
from kafkaproto_server.core.coordinators.groups.streams.records import STREAMS_GROUP_KEYS
from kafkaproto_server.core.coordinators.groups.streams.validation import check_values
from kafkaproto_server.core.coordinators.groups.subscriptions import is_subscribed, subscribed_topics
from kafkaproto_server.core.coordinators.groups.unloading import let_go
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record, Surroundings
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

FIRST_COMMIT_WITH_NOT_FOUND = 9
"""The first version of OffsetCommit whose clients know GROUP_ID_NOT_FOUND."""


class GroupShard:
    """The coordinator of these groups."""

    def __init__(
        self,
        config: Callable[[], GroupConfig],
        log: OffsetsLog,
        surroundings: Surroundings,
        consumer_setup: ConsumerSetup,
        persister: Persister,
        metrics: GroupMetrics,
    ) -> None:
        """``persister`` keeps the states of share groups' partitions."""
        self._config = config
        self._log = log
        self._surroundings = surroundings
        self._groups: CountedGroups[ClassicGroup] = CountedGroups(ClassicState)
        self._classic = ClassicGroups(config, log, surroundings, self._groups, metrics)
        self._topics = consumer_setup.topics
        self._consumer = ConsumerGroups(
            config=config,
            settings=lambda group_id: settings_of(config(), consumer_setup.own_config(group_id)),
            topics=consumer_setup.topics,
            hash64=consumer_setup.hash64,
            compile_regex=consumer_setup.compile_regex,
            compute=consumer_setup.compute,
            log=log,
            surroundings=surroundings,
            metrics=metrics,
        )
        self._consumer.becomes_classic = self._become_classic
        self._streams = StreamsGroups(
            max_size=lambda: config().streams.max_size,
            settings=lambda group_id: streams_settings_of(
                config().streams, consumer_setup.own_config(group_id)
            ),
            topics=consumer_setup.topics,
            hash64=consumer_setup.hash64,
            compute=consumer_setup.compute,
            log=log,
            surroundings=surroundings,
            metrics=metrics,
        )
        self._classic_members = ClassicMembers(self._consumer, self._topics, surroundings.new_id)
        self._offsets = OffsetMetadataManager(config, log, surroundings, metrics)
        self._classic.has_offsets = self._has_offsets
        self._rounds = GroupRounds(surroundings, self._offsets.count)
        self._deletions = GroupDeletions(
            self._offsets,
            surroundings,
            lambda group_id: self._deletion_of(self._existing(group_id)),
            self._forget,
        )
        share_groups = ShareGroups(
            config=config,
            settings=lambda group_id: share_settings_of(config(), consumer_setup.own_config(group_id)),
            topics=consumer_setup.topics,
            hash64=consumer_setup.hash64,
            compute=consumer_setup.compute,
            log=log,
            surroundings=surroundings,
            metrics=metrics,
            persister=persister,
        )
        self.share = ShareGroupService(share_groups, lambda group_id: self._find(group_id) is not None)

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
                self._groups.discard(key.group)
            else:
                assert isinstance(value, GroupMetadataValue), "it is the key's value"
                self._groups[key.group] = ClassicGroup.from_record(key.group, value)
        elif isinstance(key, CONSUMER_GROUP_KEYS + STREAMS_GROUP_KEYS):
            if value is not None:
                self._forget_simple(key.group_id)
            self._replay_kind(key.group_id, key, value)
            self._know_left(key.group_id)
        elif isinstance(key, SHARE_GROUP_KEYS):
            if value is not None:
                self._forget_simple(key.group_id)
            self.share.groups.replay(key.group_id, key, value)

    def _forget_simple(self, group_id: str) -> None:
        """Records of another kind of group follow. If only offsets are known so far, those of them that are older than
        that group stay with it."""
        classic = self._groups.get(group_id)
        if classic is not None and classic.protocol_type is None:
            del self._groups[group_id]

    def _replay_kind(self, group_id: str, key: Message, value: Message | None) -> None:
        """Take over a record of a group that is no classic one."""
        kind = self._streams if isinstance(key, STREAMS_GROUP_KEYS) else self._consumer
        kind.replay(group_id, key, value)

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        """The end of a producer's transaction is at this offset."""
        self._offsets.marker(producer_id, is_commit, offset)

    def loaded(self) -> Sequence[str]:
        """Everything is read: requests are served from now on. Returns what made no sense, and was mended."""
        kinds = (self._consumer, self._streams, self.share.groups)
        for kind in kinds:
            kind.take_over(self._log.end_offset)
        names = [*self._names(), *self.share.groups.groups]
        self._rounds.look_at_each(names, self._begin_sessions, lambda: None)
        self._expire_later()
        return problems_of((self._groups, *(kind.groups for kind in kinds)))

    def _begin_sessions(self, group_id: str) -> None:
        if group_id in self.share:
            self.share.groups.begin_sessions(self.share.groups.group(group_id))
            return
        group = self._find(group_id)
        if isinstance(group, ConsumerGroup):
            self._consumer.begin_sessions(group)
        elif isinstance(group, StreamsGroup):
            self._streams.begin_sessions(group)
        elif group is not None:
            self._classic.begin_sessions(group)

    def unload(self) -> None:
        """Another broker coordinates these groups now."""
        self._rounds.unload()
        self._deletions.unload()
        self._offsets.unload()
        classic, self._groups = self._groups, self._groups.empty()
        self._classic.unload(self._groups)
        others = (self._consumer.unload(), self.share.groups.unload(), self._streams.unload())
        let_go(
            self._surroundings,
            classic,
            others,
            lambda group: self._classic.end(group, ErrorCode.NOT_COORDINATOR),
        )

    def _know(self, group_id: str) -> None:
        """A group has offsets: it exists."""
        if self._find(group_id) is None and group_id not in self.share:
            self._groups[group_id] = ClassicGroup(group_id=group_id)

    def _know_left(self, group_id: str) -> None:
        """The group may be gone; if its offsets are still there, a simple group is left."""
        if self._offsets.count(group_id) or self._offsets.has_pending(group_id):
            self._know(group_id)

    def _has_offsets(self, group_id: str) -> bool:
        return self._offsets.count(group_id) > 0 or self._offsets.has_pending(group_id)

    def _find(self, group_id: str) -> AnyGroup | None:
        found = self._groups.get(group_id) or self._consumer.groups.get(group_id)
        return found or self._streams.groups.get(group_id)

    def topics_changed(self, names: Sequence[str], *, has_new: bool) -> None:
        """Topics of these names were made, deleted, or have other partitions or racks."""
        if has_new:
            self._consumer.has_new_topics()
        changed = frozenset(names)
        for kind in (self._consumer, self._streams, self.share.groups):
            self._rounds.look_at_each(list(kind.groups), partial(kind.topics_changed, changed), lambda: None)

    # -- members of consumer groups ------------------------------------------------------------------------------

    def consumer_heartbeat(self, values: HeartbeatValues, heard: Heard) -> None:
        """See `ConsumerGroups.heartbeat`; errors are told by ``heard`` as well."""
        try:
            self._deletions.check(values.group_id)
            classic = self._groups.get(values.group_id)
            if values.group_id in self.share or values.group_id in self._streams.groups:
                raise _not_consumer(values.group_id)
            if classic is None:
                self._consumer.heartbeat(values, heard)
            elif values.member_epoch == JOIN_EPOCH and classic.state is ClassicState.EMPTY:
                self._consumer.heartbeat(values, heard, [no_group_record(values.group_id)])
                del self._groups[values.group_id]
            elif values.member_epoch == JOIN_EPOCH and may_become_consumer(classic, self._config()):
                self._become_consumer(classic, values, heard)
            else:
                raise _not_consumer(values.group_id)
        except CoordinatorError as error:
            heard(HeartbeatOutcome(code=error.code, message=error.message))

    def _become_consumer(self, classic: ClassicGroup, values: HeartbeatValues, heard: Heard) -> None:
        """The first member of the new protocol joins a classic group. Raises CoordinatorError."""
        group_id = classic.group_id
        records = [no_group_record(group_id), *consumer_records(classic, self._topics)]
        self._consumer.heartbeat(values, heard, records)
        del self._groups[group_id]
        self._classic.end(classic, ErrorCode.REBALANCE_IN_PROGRESS)
        group = self._consumer.groups[group_id]
        for member in classic.members.values():
            self._consumer.sessions.extend(group, member.member_id, member.session_timeout_ms)

    def _become_classic(self, group: ConsumerGroup, leaving: Sequence[ConsumerMember]) -> bool:
        """The last members of the new protocol are gone: the others go on with theirs. Raises CoordinatorError."""
        if not may_become_classic(group, leaving, self._config()):
            return False
        try:
            classic = classic_group(group, leaving, self._topics, self._surroundings.wall_ms())
        except ValueError:
            return False
        assignments = {each.member_id: each.assignment for each in classic.members.values()}
        end_offset = self._log.append([*deletion_records(group), classic.record(assignments)])
        self._consumer.forget(group.group_id, end_offset)
        self._groups[group.group_id] = classic
        self._classic.begin_sessions(classic)
        self._classic.rebalance(classic)
        return True

    def consumer_described(self, group_id: str) -> ConsumerGroupDescribeResponse.DescribedGroup:
        """A consumer group, or that there is none of this name."""
        group = self._consumer.groups.get(group_id)
        if group is None:
            return unknown_group(group_id)
        return described_group(group, self._topics, self._config().consumer_assignors)

    # -- members of streams groups -------------------------------------------------------------------------------

    def streams_heartbeat(self, values: StreamsHeartbeatValues, heard: StreamsHeard) -> None:
        """See `StreamsGroups.heartbeat`; errors are told by ``heard`` as well."""
        try:
            self._deletions.check(values.group_id)
            group, is_joining = self._find(values.group_id), values.member_epoch == JOIN_EPOCH
            if is_joining and isinstance(group, ClassicGroup) and group.state is ClassicState.EMPTY:
                self._streams.heartbeat(values, heard, [no_group_record(values.group_id)])
                del self._groups[values.group_id]
            elif values.group_id in self.share or isinstance(group, ClassicGroup | ConsumerGroup):
                check_values(values)
                raise CoordinatorError(
                    ErrorCode.GROUP_ID_NOT_FOUND, f"Group {quoted(values.group_id)} is not a streams group."
                )
            else:
                self._streams.heartbeat(values, heard)
        except CoordinatorError as error:
            response = StreamsGroupHeartbeatResponse(error_code=error.code, error_message=error.message)
            heard(StreamsHeartbeatOutcome(response=response))

    def streams_described(self, group_id: str) -> StreamsGroupDescribeResponse.DescribedGroup:
        """A streams group, or that there is none of this name."""
        return self._streams.described(group_id)

    # -- members of classic groups -------------------------------------------------------------------------------

    def join(self, group_id: str, values: JoinValues, joined: Joined) -> None:
        """See `ClassicGroups.join`; errors are told by ``joined`` as well."""
        try:
            check_join(group_id, values, self._config())
            self._deletions.check(group_id)
            if group_id in self.share:
                joined(JoinOutcome(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, UNKNOWN_MEMBER))
                return
            consumer = self._consumer.groups.get(group_id)
            if consumer is not None and consumer.members:
                self._classic_members.join(consumer, values, joined)
                return
            streams = self._streams.groups.get(group_id)
            if streams is not None and streams.members:
                raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
            self._give_way(group_id)
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

    def _give_way(self, group_id: str) -> None:
        """A classic group is to take the place of another kind of group without members. Raises CoordinatorError."""
        group = self._find(group_id)
        if group is not None and not isinstance(group, ClassicGroup):
            records = self._deletion_of(group)
            self._log.append(records)
            self._forget(group_id, records)

    def sync(self, group_id: str, values: SyncValues, synced: Synced) -> None:
        """See `ClassicGroups.sync`; errors are told by ``synced`` as well."""
        consumer = self._consumer.groups.get(group_id)
        try:
            if consumer is not None:
                self._classic_members.sync(consumer, values, synced)
            else:
                self._classic.sync(self._group(group_id), values, synced)
        except CoordinatorError as error:
            synced(SyncOutcome(error.code))

    def heartbeat(self, group_id: str, member_id: str, instance_id: str | None, generation: int) -> ErrorCode:
        consumer = self._consumer.groups.get(group_id)
        try:
            if consumer is not None:
                self._classic_members.heartbeat(consumer, member_id, instance_id, generation)
            else:
                self._classic.heartbeat(self._group(group_id), member_id, instance_id, generation)
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
            check = self._check_commit(group_id, committer)
            for each in partitions:
                check(each.topic_id, each.partition)
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
            check = self._check_commit_in_transaction(group_id, committer)
            for each in partitions:
                check(each.topic_id, each.partition)
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
            self._know_committed(group_id)

    def _check_commit(self, group_id: str, committer: Committer) -> PartitionCheck:
        group = self._committing(group_id)
        if group is None and committer.generation >= 0:
            is_new = committer.version >= FIRST_COMMIT_WITH_NOT_FOUND
            raise CoordinatorError(ErrorCode.GROUP_ID_NOT_FOUND if is_new else ErrorCode.ILLEGAL_GENERATION)
        return self._check_member(group, committer, is_transactional=False)

    def _check_commit_in_transaction(self, group_id: str, committer: Committer) -> PartitionCheck:
        if not group_id:
            raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
        group = self._committing(group_id)
        if group is None and committer.generation >= 0:
            raise CoordinatorError(ErrorCode.ILLEGAL_GENERATION)
        return self._check_member(group, committer, is_transactional=True)

    def _committing(self, group_id: str) -> AnyGroup | None:
        """The group that keeps an offset, or is made for it. Raises CoordinatorError (GROUP_ID_NOT_FOUND)."""
        if group_id in self.share:
            raise _not_consumer(group_id)
        return self._find(group_id)

    def _check_member(
        self, group: AnyGroup | None, committer: Committer, *, is_transactional: bool
    ) -> PartitionCheck:
        """What is to be checked of each partition."""
        return check_commit(group, committer, self._topics, self._classic, is_transactional=is_transactional)

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
        try:
            check_fetch(self._find(group_id), reader)
        except CoordinatorError as error:
            fetched(error.code, ())
        else:
            self._offsets.fetch(group_id, topics, fetched, require_stable=reader.require_stable)

    def delete_offsets(self, group_id: str, topics: Sequence[TopicPartitions], deleted: Results) -> None:
        """See `OffsetMetadataManager.delete`; errors are told by ``deleted`` as well."""
        try:
            if not group_id:
                raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
            group = self._existing(group_id)
            is_used: Callable[[str], bool]
            if isinstance(group, ConsumerGroup):
                is_used = group.subscribed_topics().__contains__
            elif isinstance(group, StreamsGroup):
                is_used = group.reads_topic
            elif group.members and group.protocol_type != CONSUMER_PROTOCOL_TYPE:
                # Nobody knows which topics its members use.
                raise CoordinatorError(ErrorCode.NON_EMPTY_GROUP)
            else:
                is_used = partial(is_subscribed, group)
            self._offsets.delete(group_id, topics, is_used, deleted)
        except CoordinatorError as error:
            deleted(error.code, ())

    # -- groups that end -----------------------------------------------------------------------------------------

    def delete(self, group_id: str, deleted: GroupDeleted) -> None:
        """Delete a group that has no members, with its offsets; errors are told by ``deleted`` as well."""
        try:
            if group_id in self.share:
                self.share.delete_group(group_id, deleted)
                return
        except CoordinatorError as error:
            deleted(error.code)
        else:
            self._deletions.delete(group_id, deleted)

    def _existing(self, group_id: str) -> AnyGroup:
        """Raises CoordinatorError (GROUP_ID_NOT_FOUND)."""
        group = self._find(group_id)
        if group is None:
            raise CoordinatorError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {quoted(group_id)} not found.")
        return group

    def _deletion_of(self, group: AnyGroup) -> list[Record]:
        """The records that remove a group. Raises CoordinatorError (NON_EMPTY_GROUP)."""
        if isinstance(group, ConsumerGroup):
            return self._consumer.delete(group.group_id)
        if isinstance(group, StreamsGroup):
            return self._streams.delete(group.group_id)
        if group.state is not ClassicState.EMPTY:
            raise CoordinatorError(ErrorCode.NON_EMPTY_GROUP)
        return [no_group_record(group.group_id)]

    def _forget(self, group_id: str, records: Sequence[Record]) -> None:
        """The records that remove a group are written."""
        if self._groups.discard(group_id) is None:
            for record in records:
                self._replay_kind(group_id, record.key, record.value)
            self._know_left(group_id)

    def topics_deleted(self, topics: Sequence[tuple[str, bytes]]) -> None:
        """Topics, given by their names and ids, are no more: nor are their offsets and the states of share groups."""
        topic_ids = frozenset(topic_id for _, topic_id in topics)

        def delete(group_id: str) -> int:
            # If that fails, the offsets stay until they expire. They do no harm: a new topic has another id.
            return self._offsets.delete_topics(topics, group_id)

        self._rounds.look_at_each(self._offsets.groups(), delete, lambda: None)
        forget = partial(self.share.groups.topics_deleted, topic_ids)
        self._rounds.look_at_each(list(self.share.groups.groups), forget, lambda: None)

    def _expire_later(self) -> None:
        at_ms = self._surroundings.now_ms() + self._config().offsets_retention_check_interval_ms
        self._surroundings.call_at(
            at_ms, lambda: self._rounds.look_at_each(self._names(), self._expire_group, self._expire_later)
        )

    def _names(self) -> list[str]:
        return [*self._groups, *self._consumer.groups, *self._streams.groups]

    def _expire_group(self, group_id: str) -> int:
        """The number of offsets that have expired. Raises CoordinatorError."""
        group = self._find(group_id)
        if group is None:
            return 0
        if isinstance(group, ConsumerGroup):
            rule: Expiration | None = Expiration(is_subscribed=group.subscribed_topics().__contains__)
        elif isinstance(group, StreamsGroup):
            rule = Expiration(is_subscribed=group.reads_topic)
        else:
            rule = classic_expiration(group, subscribed_topics(group))
        before = self._offsets.count(group_id)
        is_without = self._offsets.expire(group_id, rule)
        expired = before - self._offsets.count(group_id)
        if is_without and not group.members:
            records = self._deletion_of(group)
            self._log.append(records)
            self._forget(group_id, records)
        # There are more, or may be.
        return GONE_AT_ONCE if self._offsets.is_expiring(group_id) else expired

    # -- administrators ------------------------------------------------------------------------------------------

    @property
    def counts(self) -> GroupCounts:
        """How many groups and offsets there are. Read it at once: the numbers go on changing."""
        return GroupCounts(
            classic=self._groups.by_state,
            consumer=self._consumer.groups.by_state,
            share=self.share.groups.groups.by_state,
            streams=self._streams.groups.by_state,
            offsets=self._offsets.size,
        )

    def listed(self) -> Iterator[GroupListing]:
        """All groups, in no order. Each is looked at when its turn comes."""
        for group in tuple(self._groups.values()):
            yield GroupListing(group.group_id, group.protocol_type or "", group.state.value, "classic")
        for each in tuple(self._consumer.groups.values()):
            yield GroupListing(each.group_id, CONSUMER_PROTOCOL_TYPE, each.state.value, "consumer")
        yield from self.share.listed()
        yield from self._streams.listed()

    def described_values(self, group_id: str) -> int:
        """How many values the description of a group holds, about; 0 if there is none of this name."""
        share = self.share.groups.groups.get(group_id)
        if share is not None:
            return values_of_share_group(share)
        group = self._find(group_id)
        if isinstance(group, ConsumerGroup):
            return values_of_consumer_group(group)
        if isinstance(group, StreamsGroup):
            return values_of_streams_group(group)
        return 0 if group is None else values_of_classic(group)

    def described(self, group_id: str) -> DescribedGroup:
        """A classic group, or why there is none of this name."""
        group = self._groups.get(group_id)
        return unknown_classic(group_id) if group is None else described_classic(group)


def _not_consumer(group_id: str) -> CoordinatorError:
    return CoordinatorError(
        ErrorCode.GROUP_ID_NOT_FOUND, f"Group {quoted(group_id)} is not a consumer group."
    )
