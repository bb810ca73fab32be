"""What a member of a group does with the partitions that it has: it counts on, and commits how far it has come."""

from __future__ import annotations

import abc
import random
from dataclasses import dataclass
from typing import Any

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetCommitRequest, OffsetFetchRequest
from tests.sim.nodes.coordination.client import GROUP, LOOK_AGAIN, CoordinatedClient
from tests.sim.nodes.coordination.promises import GroupPromises
from tests.sim.nodes.data.link import LinkLostError, Place

NO_MEMBER = frozenset(
    {
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_INSTANCE_ID,
        ErrorCode.STALE_MEMBER_EPOCH,
        ErrorCode.REBALANCE_IN_PROGRESS,
    }
)
"""The group has moved on: nothing was committed."""
NO_OFFSET = -1
_NAMES_UP_TO = 9
"""The last versions of OffsetCommit and OffsetFetch with names of topics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Of a member, in its requests."""

    member_id: str
    generation: int
    """Or member epoch."""
    instance_id: str | None
    is_classic: bool


class Work(abc.ABC):
    """The work of one member."""

    def __init__(self, client: CoordinatedClient, group: GroupPromises, rng: random.Random) -> None:
        self.client = client
        self.group = group
        self.rng = rng
        self.positions: dict[Place, int] = {}
        """Of those partitions for which the committed offset is known."""
        self.is_calm = False
        """Whether the faults are over: do what is left, and nothing else."""
        self._commits = 0

    def forget(self) -> None:
        """What the member had is another's now, or may have been meanwhile."""
        self.positions.clear()

    def lose(self, places: frozenset[Place]) -> None:
        """The member gives these up."""
        for place in places:
            self.positions.pop(place, None)

    def crash(self) -> None:
        """The process ends."""
        self.forget()

    @property
    def state(self) -> str:
        """In words."""
        return self.client.name

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be done, as far as it knows itself."""
        return True

    @abc.abstractmethod
    async def step(self, who: Identity, places: frozenset[Place]) -> bool:
        """Do something. Returns whether the member may still be one."""

    # -- offsets -------------------------------------------------------------------------------------------------

    def metadata(self) -> str:
        """Of the next commit."""
        self._commits += 1
        return f"{self.client.name} {self._commits}"

    async def fetch_positions(self, who: Identity, places: frozenset[Place], *, is_stable: bool) -> bool:
        """Ask for the committed offsets of all partitions that have no position. Returns as `step` does."""
        missing = sorted(places - self.positions.keys())
        found = await fetch_offsets(self.client, self.group, missing, who=who, is_stable=is_stable)
        if isinstance(found, ErrorCode):
            return found not in NO_MEMBER
        for place, offset in found.items():
            self.positions[place] = max(offset, 0)
        return True


async def fetch_offsets(
    client: CoordinatedClient,
    group: GroupPromises,
    places: list[Place],
    *,
    who: Identity | None,
    is_stable: bool,
) -> dict[Place, int] | ErrorCode:
    """The committed offsets of partitions, -1 for none, without those of which they are not known yet; or the code for
    the whole group."""
    topics: dict[str, list[int]] = {}
    for name, index in places:
        topics.setdefault(name, []).append(index)
    is_member = who is not None and not who.is_classic
    request = OffsetFetchRequest(
        groups=[
            OffsetFetchRequest.Group(
                group_id=group.group_id,
                member_id=who.member_id if who is not None and is_member else None,
                member_epoch=who.generation if who is not None and is_member else -1,
                topics=[
                    OffsetFetchRequest.Topics(name=name, partition_indexes=indexes)
                    for name, indexes in topics.items()
                ],
            )
        ],
        require_stable=is_stable,
    )
    host = await client.coordinator(GROUP, group.group_id)
    term, sent = group.term(host), trio.current_time()
    # Unless stable offsets are asked for, a coordinator tells what is below its high watermark. After an election, that
    # may be less than the former leader acknowledged, with Apache Kafka as well.
    shows_all = is_stable or group.knows_what_is_committed(host)
    response = await client.ask_coordinator(GROUP, group.group_id, request, version=_NAMES_UP_TO)
    is_newest = term is not None and group.term(host) == term
    (found,) = response.groups
    if found.error_code:
        code = ErrorCode(found.error_code)
        if code in LOOK_AGAIN:
            client.forget(GROUP, group.group_id)
            raise LinkLostError
        if code not in NO_MEMBER:
            group.unexpected(client.name, f"OffsetFetch: {code.name}")
        return code
    offsets: dict[Place, int] = {}
    for topic in found.topics:
        for each in topic.partitions:
            place = (topic.name, each.partition_index)
            if each.error_code == ErrorCode.UNSTABLE_OFFSET_COMMIT:
                group.counts["unstable offsets"] += 1
                continue
            if each.error_code:
                group.unexpected(client.name, f"OffsetFetch of {place}: {each.error_code}")
            offsets[place] = each.committed_offset
            if is_newest and shows_all:
                group.read(place, each.metadata or "", each.committed_offset, sent)
    return offsets


class Counting(Work):
    """Work without records: offsets go up, and that is all. At last, one commit for each partition is left to do."""

    def __init__(self, client: CoordinatedClient, group: GroupPromises, rng: random.Random) -> None:
        super().__init__(client, group, rng)
        self._done: frozenset[Place] | None = None

    @property
    def state(self) -> str:
        """See `Work`."""
        return f"{self.client.name} has committed for {self._done}"

    @property
    def is_done(self) -> bool:
        """See `Work`."""
        return self._done is not None

    def forget(self) -> None:
        """See `Work`."""
        super().forget()
        self._done = None

    async def step(self, who: Identity, places: frozenset[Place]) -> bool:
        """See `Work`."""
        if places - self.positions.keys():
            return await self.fetch_positions(who, places, is_stable=self.rng.random() < 0.5)
        if not places or self._done == places or (not self.is_calm and self.rng.random() < 0.3):
            self._done = places if self.is_calm else None
            return True
        chosen = [each for each in sorted(places) if self.is_calm or self.rng.random() < 0.6] or [min(places)]
        commits = {
            place: self.group.begin_commit(
                place, self.positions[place] + self.rng.randint(1, 9), self.metadata()
            )
            for place in chosen
        }
        topics: dict[str, OffsetCommitRequest.Topic] = {}
        for (name, index), commit in commits.items():
            topic = topics.setdefault(name, OffsetCommitRequest.Topic(name=name, partitions=[]))
            topic.partitions.append(
                OffsetCommitRequest.Partition(
                    partition_index=index,
                    committed_offset=commit.offset,
                    committed_metadata=commit.metadata,
                )
            )
        request = OffsetCommitRequest(
            group_id=self.group.group_id,
            generation_id_or_member_epoch=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
            topics=list(topics.values()),
        )
        try:
            response = await self.client.ask_coordinator(
                GROUP, self.group.group_id, request, version=_NAMES_UP_TO
            )
        except LinkLostError:
            # Nobody knows what has become of them.
            self.lose(frozenset(chosen))
            raise
        return self._take(who, commits, response)

    def _take(self, who: Identity, commits: dict[Place, Any], response: Any) -> bool:
        may_go_on = True
        for topic in response.topics:
            for each in topic.partitions:
                place, code = (topic.name, each.partition_index), ErrorCode(each.error_code)
                commit = commits[place]
                if code is ErrorCode.NONE:
                    self.group.committed(
                        place, commit, who.member_id, who.generation if who.is_classic else None
                    )
                    self.positions[place] = commit.offset
                    continue
                self.positions.pop(place, None)
                if code in NO_MEMBER:
                    commit.is_refused = True
                    may_go_on = False
                elif code in LOOK_AGAIN:
                    self.client.forget(GROUP, self.group.group_id)
                else:
                    self.group.unexpected(self.client.name, f"OffsetCommit for {place}: {code.name}")
        if self.is_calm and self.positions.keys() == frozenset(commits):
            self._done = frozenset(commits)
        return may_go_on
