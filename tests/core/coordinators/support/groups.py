"""A coordinator of groups of all kinds for tests, and what its members ask."""

from __future__ import annotations

from typing import Any

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import StreamsGroupHeartbeatResponse
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.classic.config import ClassicGroupConfig
from kafkaproto_server.core.coordinators.groups.config import GroupConfigs
from kafkaproto_server.core.coordinators.groups.consumer.settings import ConsumerGroupConfig
from kafkaproto_server.core.coordinators.groups.offsets.config import OffsetsConfig
from kafkaproto_server.core.coordinators.groups.setup import ModernSetup
from kafkaproto_server.core.coordinators.groups.shard import GroupShard
from kafkaproto_server.core.coordinators.groups.share.settings import ShareGroupConfig
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsConfig
from kafkaproto_server.requests.consumer_group_requests import HeartbeatOutcome, HeartbeatValues
from kafkaproto_server.requests.group_requests import (
    DescribedGroup,
    JoinOutcome,
    JoinValues,
    SyncOutcome,
    SyncValues,
)
from kafkaproto_server.requests.offset_requests import (
    NO_RETENTION_TIME,
    Committer,
    OffsetCommitPartition,
    OffsetReader,
    ProducerKey,
    TopicPartitions,
)
from kafkaproto_server.requests.streams_group_requests import StreamsHeartbeatOutcome, StreamsHeartbeatValues
from tests.core.coordinators.support.consumers import MadeUpTopics, compile_regex
from tests.core.coordinators.support.offsets import Fetched, Seen, Told
from tests.core.coordinators.support.persister import MemoryPersister
from tests.core.coordinators.support.streams import joining
from tests.core.coordinators.support.world import World

GROUP = "group"
DELAY_MS = 3_000
REBALANCE_MS = 60_000
SESSION_MS = 10_000
AT_ONCE = StreamsConfig(initial_rebalance_delay_ms=0, assignment_interval_ms=0)
"""Streams groups are assigned at once."""
RANGE = (("range", b"subscription"),)


class Groups:
    """The coordinator. Its log commits at once, unless a test says otherwise."""

    def __init__(self, **config: Any) -> None:
        self.world = World()
        self.log = self.world.log
        self.log.commits_at_once = True
        self.config: dict[str, Any] = {
            "classic": ClassicGroupConfig(),
            "offsets": OffsetsConfig(),
            "consumer": ConsumerGroupConfig(),
            "share": ShareGroupConfig(),
            "streams": AT_ONCE,
        }
        self.configure(**{"initial_rebalance_delay_ms": DELAY_MS, **config})
        self.topics = MadeUpTopics({"a": 2})
        self.own_config: dict[str, str] = {}
        self.persister = MemoryPersister(self.world.call_at, self.world.now_ms)
        self.metrics = GroupMetrics()
        self.shard = self._new()
        self.shard.loaded()

    def _new(self) -> GroupShard:
        setup = ModernSetup(self.topics, lambda group_id: self.own_config, compile_regex)
        configs = GroupConfigs(
            classic=lambda: self.config["classic"],
            offsets=lambda: self.config["offsets"],
            consumer=lambda: self.config["consumer"],
            share=lambda: self.config["share"],
            streams=lambda: self.config["streams"],
        )
        return GroupShard(configs, self.log, self.world, setup, self.persister, self.metrics)

    def configure(self, **values: Any) -> None:
        """Change settings: those of a kind begin with its name, the others are of classic groups."""
        for name, value in values.items():
            kind, _, field = name.partition("_")
            if kind not in self.config:
                kind, field = "classic", name
            self.config[kind] = msgspec.structs.replace(self.config[kind], **{field: value})

    def move(self, *, keeps_uncommitted: bool = False) -> None:
        """Another broker coordinates the groups: it has what is committed, or all there is, and reads it."""
        old, self.shard = self.shard, self._new()
        if not keeps_uncommitted:
            self.log.lose_uncommitted()
        old.unload()
        for entry in self.log.entries:
            if entry.is_commit is not None:
                self.shard.marker(entry.producer_id, entry.is_commit, entry.offset)
            else:
                self.shard.replay(*self.log.decoded(entry), entry.offset, entry.producer_id)
        self.shard.loaded()

    def advance(self, by_ms: int) -> None:
        """Let time pass."""
        self.world.advance(by_ms)

    # -- members of classic groups

    def join(self, member_id: str = "", *, group: str = GROUP, **fields: Any) -> list[JoinOutcome]:
        """JoinGroup. Returns the list that gets the response."""
        values = {
            "member_id": member_id,
            "group_instance_id": None,
            "client_id": "client",
            "client_host": "/10.0.0.7",
            "protocol_type": "consumer",
            "protocols": RANGE,
            "session_timeout_ms": SESSION_MS,
            "rebalance_timeout_ms": REBALANCE_MS,
            "needs_known_id": False,
            "knows_skipping": True,
        }
        joined: list[JoinOutcome] = []
        self.shard.join(group, JoinValues(**{**values, **fields}), joined.append)
        return joined

    def refusal(self, member_id: str = "", **fields: Any) -> ErrorCode:
        """The code of a JoinGroup that is refused at once."""
        (joined,) = self.join(member_id, **fields)
        return joined.code

    def sync(
        self, member_id: str, generation: int, assignments: dict[str, bytes] | None = None, **fields: Any
    ) -> list[SyncOutcome]:
        """SyncGroup. Returns the list that gets the response."""
        values = {
            "member_id": member_id,
            "group_instance_id": None,
            "generation": generation,
            "protocol_type": "consumer",
            "protocol": "range",
            "assignments": tuple((assignments or {}).items()),
        }
        synced: list[SyncOutcome] = []
        self.shard.sync(GROUP, SyncValues(**{**values, **fields}), synced.append)
        return synced

    def beat(self, member_id: str, generation: int, instance_id: str | None = None) -> ErrorCode:
        """Heartbeat."""
        return self.shard.heartbeat(GROUP, member_id, instance_id, generation)

    def leave(self, *members: tuple[str, str | None]) -> list[ErrorCode]:
        """LeaveGroup."""
        return self.shard.leave(GROUP, members)

    def joined(self, count: int, **fields: Any) -> list[JoinOutcome]:
        """So many members that join an empty group together; the first leads."""
        responses = [self.join(**fields) for _ in range(count)]
        # Members that come put the end of the first delay off.
        self.advance(2 * DELAY_MS)
        return [response for (response,) in responses]

    def stable(self, count: int, **fields: Any) -> list[str]:
        """The ids of so many members of a stable group in its first generation; the first leads."""
        ids = [each.member_id for each in self.joined(count, **fields)]
        instance_id = fields.get("group_instance_id")
        synced = [self.sync(each, 1, group_instance_id=instance_id) for each in ids[1:]]
        assignments = {each: each.encode() for each in ids}
        synced.append(self.sync(ids[0], 1, assignments, group_instance_id=instance_id))
        assert all(each[0].code is ErrorCode.NONE for each in synced)
        assert self.described().state == "Stable"
        return ids

    def described(self, group: str = GROUP) -> DescribedGroup:
        """DescribeGroups."""
        return self.shard.described(group)

    # -- members of consumer groups

    def consumer(
        self, member_id: str = "m", epoch: int = 0, *, group: str = GROUP, **fields: Any
    ) -> HeartbeatOutcome:
        """ConsumerGroupHeartbeat of a member, by default of one that joins."""
        joining = {
            "rebalance_timeout_ms": REBALANCE_MS,
            "topic_partitions": {},
            "subscribed_topic_names": ("a",),
        }
        values = {"group_id": group, "member_id": member_id, "member_epoch": epoch}
        heard: list[HeartbeatOutcome] = []
        self.shard.consumer_heartbeat(
            HeartbeatValues(**{**values, **({} if epoch else joining), **fields}), heard.append
        )
        (outcome,) = heard
        return outcome

    # -- members of streams groups

    def streams(
        self, member_id: str = "m", epoch: int = 0, *, group: str = GROUP, **fields: Any
    ) -> StreamsGroupHeartbeatResponse:
        """StreamsGroupHeartbeat of a member, by default of one that joins."""
        values = {"group_id": group, "member_id": member_id, "member_epoch": epoch}
        heard: list[StreamsHeartbeatOutcome] = []
        self.shard.streams_heartbeat(
            StreamsHeartbeatValues(**{**values, **({} if epoch else joining(member_id)), **fields}),
            heard.append,
        )
        return heard[0].response

    # -- offsets

    def commit(
        self,
        *partitions: OffsetCommitPartition,
        group: str = GROUP,
        retention_ms: int = NO_RETENTION_TIME,
        **committer: Any,
    ) -> Told:
        """OffsetCommit; of nobody in particular unless ``committer`` says so."""
        told = Told()
        who = Committer(**{"version": 9, **committer})
        self.shard.commit(group, who, partitions, retention_ms, told)
        return told

    def commit_in_transaction(
        self, producer_id: int, *partitions: OffsetCommitPartition, group: str = GROUP, **committer: Any
    ) -> Told:
        """TxnOffsetCommit."""
        told = Told()
        who = Committer(**{"version": 3, **committer})
        producer = ProducerKey(producer_id=producer_id, producer_epoch=0)
        self.shard.commit_in_transaction(group, who, partitions, producer, told)
        return told

    def end(self, producer_id: int, *, is_commit: bool) -> None:
        """The marker of a producer's transaction is written."""
        offset = self.log.append_marker(producer_id, is_commit)
        self.shard.marker(producer_id, is_commit, offset)

    def fetch(self, group: str = GROUP, *, is_stable: bool = False, **reader: Any) -> Fetched | ErrorCode:
        """OffsetFetch of all offsets: what there is, or the error."""
        seen = Seen()
        self.shard.fetch(group, OffsetReader(**{"require_stable": is_stable, **reader}), None, seen)
        assert seen.code is not None
        return seen.offsets if seen.code is ErrorCode.NONE else seen.code

    def delete_offsets(self, topic: str, *partitions: int, group: str = GROUP) -> Told:
        """OffsetDelete."""
        told = Told()
        self.shard.delete_offsets(group, [TopicPartitions(topic=topic, partitions=partitions)], told)
        return told

    def delete(self, group: str = GROUP) -> ErrorCode:
        """DeleteGroups."""
        codes: list[ErrorCode] = []
        self.shard.delete(group, codes.append)
        (code,) = codes
        return code

    def listed(self) -> list[tuple[str, str, str, str]]:
        """ListGroups: id, protocol type, state and type of each group."""
        return sorted(
            (each.group_id, each.protocol_type, each.state, each.group_type) for each in self.shard.listed()
        )
