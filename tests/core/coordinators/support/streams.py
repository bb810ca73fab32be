"""A coordinator of streams groups with made-up topics, and members that act as Kafka Streams does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import StreamsGroupHeartbeatResponse, StreamsGroupTopologyValue
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsConfig, streams_settings_of
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsGroup
from kafkaproto_server.core.coordinators.groups.streams.heartbeat import StreamsGroups
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.streams_group_requests import StreamsHeartbeatOutcome, StreamsHeartbeatValues
from tests.core.coordinators.support.consumers import MadeUpTopics
from tests.core.coordinators.support.world import World

GROUP = "group"
SESSION_MS = 45_000
REBALANCE_MS = 60_000
INTERVAL_MS = 5_000
"""Between two heartbeats."""

Response = StreamsGroupHeartbeatResponse
Value = StreamsGroupTopologyValue
Owned = Mapping[str, Mapping[str, Iterable[int]]]
"""Partitions by role and subtopology."""


def subtopology(
    subtopology_id: str,
    sources: Sequence[str] = (),
    *,
    changelogs: Iterable[str] = (),
    sinks: Iterable[str] = (),
    repartition: Mapping[str, int] | None = None,
    copartition: Iterable[tuple[list[int], list[int]]] = (),
) -> Value.Subtopology:
    """A subtopology; ``copartition`` has indexes of source and repartition topics."""
    return Value.Subtopology(
        subtopology_id=subtopology_id,
        source_topics=list(sources),
        source_topic_regex=[],
        state_changelog_topics=[Value.TopicInfo(name=each) for each in changelogs],
        repartition_sink_topics=list(sinks),
        repartition_source_topics=[
            Value.TopicInfo(name=name, partitions=count) for name, count in (repartition or {}).items()
        ],
        copartition_groups=[
            Value.CopartitionGroup(source_topics=plain, repartition_source_topics=repartitioned)
            for plain, repartitioned in copartition
        ],
    )


def topology(*subtopologies: Value.Subtopology, epoch: int = 1) -> Value:
    """A topology."""
    return Value(epoch=epoch, subtopologies=list(subtopologies))


PLAIN = topology(subtopology("0", ["a"]))
STATEFUL = topology(subtopology("0", ["a"], changelogs=["a-changelog"]))


class Coordinator:
    """A coordinator whose log commits at once, and that assigns at once, unless a test says otherwise."""

    def __init__(self, counts: dict[str, int] | None = None, **config: Any) -> None:
        self.world = World()
        self.world.log.commits_at_once = True
        self.topics = MadeUpTopics({"a": 2, "a-changelog": 2} if counts is None else counts)
        given = {"initial_rebalance_delay_ms": 0, "assignment_interval_ms": 0, **config}
        self.config = StreamsConfig(**given)
        self.own_config: dict[str, str] = {}
        self.groups = self._new()

    def _new(self) -> StreamsGroups:
        return StreamsGroups(
            settings=lambda group_id: streams_settings_of(self.config, self.own_config),
            topics=self.topics,
            log=self.world.log,
            surroundings=self.world,
            metrics=GroupMetrics(),
        )

    @property
    def group(self) -> StreamsGroup:
        """The group of most tests."""
        return self.groups.groups[GROUP]

    def send(self, **fields: Any) -> list[StreamsHeartbeatOutcome]:
        """A heartbeat. Returns the list that gets the response."""
        heard: list[StreamsHeartbeatOutcome] = []
        self.groups.heartbeat(StreamsHeartbeatValues(**{"group_id": GROUP, **fields}), heard.append)
        return heard

    def beat(self, member_id: str, epoch: int, **fields: Any) -> Response:
        """A heartbeat and its response."""
        (outcome,) = self.send(member_id=member_id, member_epoch=epoch, **fields)
        return outcome.response

    def join(self, member_id: str, value: Value = PLAIN, **fields: Any) -> Response:
        """A member joins."""
        return self.beat(member_id, 0, **{**joining(member_id, value), **fields})

    def refusal(self, **fields: Any) -> ErrorCode:
        """The code with which a heartbeat is refused."""
        try:
            self.send(**fields)
        except CoordinatorError as error:
            return error.code
        return ErrorCode.NONE

    def records_of(self, act: Callable[[], object]) -> list[tuple[Message, Message | None]]:
        """The records that are written meanwhile."""
        before = len(self.world.log.records())
        act()
        return self.world.log.records()[before:]

    def move(self, records: Iterable[tuple[Message, Message | None]] | None = None) -> None:
        """Another broker coordinates the group: it reads the log, or these records."""
        old, self.groups = self.groups, self._new()
        old.unload()
        for key, value in self.world.log.records() if records is None else records:
            self.groups.replay(GROUP, key, value)
        self.groups.take_over(self.world.log.end_offset)
        for group_id in self.groups.groups:
            self.groups.begin_sessions(group_id)

    def change_topic(self, name: str, count: int | None) -> None:
        """A topic changes, and the coordinator is told so."""
        self.topics.change(name, count)
        for group_id in self.groups.groups:
            self.groups.topics_changed(frozenset([name]), group_id)


def joining(member_id: str, value: Value = PLAIN) -> dict[str, Any]:
    """What a member that joins has to say."""
    return {
        "rebalance_timeout_ms": REBALANCE_MS,
        "topology": value,
        "process_id": f"p-{member_id}",
        "active_tasks": [],
        "standby_tasks": [],
        "warmup_tasks": [],
        "endpoint_epoch": -1,
    }


def owned(**roles: Mapping[str, Iterable[int]]) -> dict[str, Any]:
    """What a member reports of its tasks."""
    return {
        f"{role}_tasks": [(each, sorted(partitions)) for each, partitions in roles.get(role, {}).items()]
        for role in ("active", "standby", "warmup")
    }


def told(response: Response) -> dict[str, dict[str, list[int]]] | None:
    """The tasks in a response, by role; None if there are none."""
    if response.active_tasks is None:
        return None
    return {
        role: {each.subtopology_id: each.partitions for each in getattr(response, f"{role}_tasks")}
        for role in ("active", "standby", "warmup")
    }


def statuses(response: Response) -> list[int]:
    """The codes of the statuses in a response."""
    return [each.status_code for each in response.status or ()]


def persistent(group: StreamsGroup | None) -> object:
    """What of a group has to survive."""
    if group is None:
        return None
    return (
        group.epoch,
        group.metadata_hash,
        group.validated_topology_epoch,
        group.assignment_configs,
        group.assignment_epoch,
        group.assignment_wall_ms,
        group.topology,
        group.members,
        group.static_ids,
        group.targets,
        group.active_owners,
        group.standby_owners,
        group.warmup_owners,
    )


BEGINS_ANEW = {
    ErrorCode.FENCED_MEMBER_EPOCH,
    ErrorCode.UNKNOWN_MEMBER_ID,
    ErrorCode.GROUP_ID_NOT_FOUND,
    # After a response was lost twice, until its session ends.
    ErrorCode.UNRELEASED_INSTANCE_ID,
    ErrorCode.FENCED_INSTANCE_ID,
}
"""After these a member joins again."""


class Client:
    """A member: it gives up tasks before it says so, and takes what it is told."""

    def __init__(
        self, coordinator: Coordinator, name: str, process_id: str, value: Value, *, is_static: bool = False
    ) -> None:
        self.coordinator = coordinator
        self.name = name
        self.process_id = process_id
        self.value = value
        self.instance_id = name if is_static else None
        self.life = 0
        self.epoch = 0
        self.heard_ms = 0
        """When the coordinator took its last heartbeat."""
        self.wanted: dict[str, dict[str, list[int]]] = {}
        self.owned = self.wanted

    @property
    def member_id(self) -> str:
        """Another one with each life."""
        return f"{self.name}-{self.life}"

    def active(self) -> set[tuple[str, int]]:
        """The active tasks that it runs."""
        return {(each, index) for each, indexes in self.owned.get("active", {}).items() for index in indexes}

    def beat(self, *, is_lost: bool = False, is_slow: bool = False, is_silent: bool = False) -> None:
        """A heartbeat. The response may be lost; the member may be slow to give up tasks, or not report them."""
        fields: dict[str, Any] = {} if is_silent else owned(**self.owned)
        if self.epoch == 0:
            fields = {
                **joining(self.member_id, self.value),
                "process_id": self.process_id,
                # As long as it takes.
                "rebalance_timeout_ms": 1_000 * SESSION_MS,
            }
        heard: list[StreamsHeartbeatOutcome] = []
        values = StreamsHeartbeatValues(
            group_id=GROUP,
            member_id=self.member_id,
            member_epoch=self.epoch,
            instance_id=self.instance_id,
            **fields,
        )
        try:
            self.coordinator.groups.heartbeat(values, heard.append)
        except CoordinatorError as error:
            if error.code not in BEGINS_ANEW:
                raise
            self.begin_anew()
            return
        self.heard_ms = self.coordinator.world.now_ms()
        if is_lost:
            return
        response = heard[0].response
        self.epoch = response.member_epoch
        self.wanted = told(response) or self.wanted
        if not is_slow:
            self.owned = self.wanted

    def leave(self, epoch: int = -1) -> None:
        """Leave, for a while with -2; nothing is left running."""
        self.coordinator.refusal(member_id=self.member_id, member_epoch=epoch, instance_id=self.instance_id)
        self.begin_anew()

    def begin_anew(self) -> None:
        """It gives up everything and joins again, as a new member."""
        self.epoch, self.wanted = 0, {}
        self.owned = self.wanted
        self.life += 1
