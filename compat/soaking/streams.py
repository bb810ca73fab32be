"""A streams group by raw requests: two members, of which the older one makes room for another from time to time.

Members say that they have the tasks that they are told to have, as an application does. Nobody may be told to have a
task while another one still says that it has it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from compat.soaking.load import Ground, Lines, Load, RefusedError, check_code
from compat.soaking.places import GROUP, coordinator_of
from compat.soaking.records import KEPT, PARTITIONS
from compat.soaking.tally import SoakLossError
from kafkaproto.messages import StreamsGroupHeartbeatRequest, StreamsGroupHeartbeatResponse

NAME = "streaming"
SUBTOPOLOGY = "0"
LEAVES = -1
UNKNOWN_MEMBER, FENCED_EPOCH = 25, 110
VERSION = 1
Heartbeat = StreamsGroupHeartbeatRequest


@dataclass(slots=True, kw_only=True)
class Member:
    """What a member knows of itself."""

    member_id: str
    epoch: int = 0
    tasks: set[int] = field(default_factory=set)


class Streaming(Load):
    """A heartbeat of each member a step."""

    INTERVAL_S = 2.0
    STEPS_OF_A_MEMBER = 15

    def __init__(self, ground: Ground) -> None:
        """No member yet."""
        super().__init__("streams group", ground)
        self._lines = Lines(ground.brokers)
        self._number = 0
        self._steps_done = 0
        self.shared = 0
        """How often all tasks had a member."""
        self._members = [self._next(), self._next()]

    def _next(self) -> Member:
        self._number += 1
        return Member(member_id=f"member-{self.ground.seed}-{self._number}")

    def step(self) -> None:
        """See Load."""
        self._steps_done += 1
        coordinator = coordinator_of(self._lines, GROUP, NAME)
        for member in self._members:
            self._beat(coordinator, member)
        if self._steps_done % self.STEPS_OF_A_MEMBER == 0:
            oldest = self._members.pop(0)
            self._members.append(self._next())
            self._leave(coordinator, oldest)

    def _beat(self, coordinator: str, member: Member) -> None:
        told = [Heartbeat.TaskIds(subtopology_id=SUBTOPOLOGY, partitions=sorted(member.tasks))]
        request = Heartbeat(
            group_id=NAME,
            member_id=member.member_id,
            member_epoch=member.epoch,
            active_tasks=told if member.tasks else [],
            standby_tasks=[],
            warmup_tasks=[],
        )
        if member.epoch == 0:
            request.rebalance_timeout_ms = 60_000
            request.process_id = f"process-{member.member_id}"
            request.endpoint_information_epoch = -1
            request.topology = _topology()
        response = self._lines.ask(coordinator, request, VERSION)
        assert isinstance(response, StreamsGroupHeartbeatResponse)
        if response.error_code in (UNKNOWN_MEMBER, FENCED_EPOCH):
            # It was missed for too long, on a machine with much other work; it joins again.
            member.epoch = 0
            member.tasks.clear()
            raise RefusedError(f"StreamsGroupHeartbeat: error {response.error_code}")
        check_code("StreamsGroupHeartbeat", response.error_code)
        member.epoch = response.member_epoch
        if response.active_tasks is not None:
            member.tasks = {one for each in response.active_tasks for one in each.partitions}
        self._check()
        self.done += 1

    def _check(self) -> None:
        owned = [one for each in self._members for one in each.tasks]
        if len(owned) != len(set(owned)):
            raise SoakLossError(f"{self.name}: a task has two members: {sorted(owned)}")
        self.shared += len(owned) == PARTITIONS

    def _leave(self, coordinator: str, member: Member) -> None:
        request = Heartbeat(group_id=NAME, member_id=member.member_id, member_epoch=LEAVES)
        response = self._lines.ask(coordinator, request, VERSION)
        assert isinstance(response, StreamsGroupHeartbeatResponse)
        check_code("StreamsGroupHeartbeat of one that leaves", response.error_code, UNKNOWN_MEMBER)

    def close(self) -> None:
        """See Load."""
        self._lines.close()


def _topology() -> Heartbeat.Topology:
    changelog = Heartbeat.TopicInfo(name=f"{NAME}-store-changelog", partitions=0, replication_factor=3)
    subtopology = Heartbeat.Subtopology(
        subtopology_id=SUBTOPOLOGY, source_topics=[KEPT], state_changelog_topics=[changelog]
    )
    return Heartbeat.Topology(epoch=1, subtopologies=[subtopology])
