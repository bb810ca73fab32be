"""An administrator who deletes offsets (KIP-496): of a group without members, for which it commits as well, and of
groups whose members may be subscribed to the topic."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetDeleteRequest, OffsetDeleteResponse
from tests.sim.nodes.coordination.client import GROUP, LOOK_AGAIN, CoordinatedClient
from tests.sim.nodes.coordination.offsets import Commit
from tests.sim.nodes.coordination.promises import GroupPromises
from tests.sim.nodes.coordination.work import Counting, Identity, fetch_offsets
from tests.sim.nodes.data.link import LinkLostError, Place

PAUSE_S = 0.1
"""Mean."""
_NOBODY = Identity(member_id="", generation=-1, instance_id=None, is_classic=True)
"""As a consumer without group management commits."""
_REFUSALS = frozenset({ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION})
"""Of one partition. A broker does not know a topic yet that another one knows."""


class OffsetAdministrator:
    """One client."""

    def __init__(
        self,
        client: CoordinatedClient,
        alone: GroupPromises,
        others: Iterable[GroupPromises],
        rng: random.Random,
        places: Sequence[Place],
    ) -> None:
        """``alone`` is the group without members."""
        self.client = client
        self.is_over = False
        self._alone = alone
        self._others = tuple(others)
        self._rng = rng
        self._places = places
        self._work = Counting(client, alone, random.Random(rng.getrandbits(64)))

    async def run(self) -> None:
        """Do one thing after the other."""
        while not self.is_over:
            await trio.sleep(self._rng.expovariate(1 / PAUSE_S))
            try:
                await self._act()
            except LinkLostError:
                continue
        self.client.close()

    async def _act(self) -> None:
        chance = self._rng.random()
        group = self._alone if chance < 0.75 or not self._others else self._rng.choice(self._others)
        if chance < 0.4:
            await self._work.step(_NOBODY, frozenset(self._some()))
        elif self._rng.random() < 0.7:
            await self._delete(group, self._some())
        else:
            await fetch_offsets(self.client, group, self._some(), who=None, is_stable=True)

    def _some(self) -> list[Place]:
        return sorted(self._rng.sample(self._places, self._rng.randint(1, 2)))

    async def _delete(self, group: GroupPromises, places: Sequence[Place]) -> None:
        topics: dict[str, OffsetDeleteRequest.Topic] = {}
        for name, index in places:
            topic = topics.setdefault(name, OffsetDeleteRequest.Topic(name=name, partitions=[]))
            topic.partitions.append(OffsetDeleteRequest.Partition(partition_index=index))
        request = OffsetDeleteRequest(group_id=group.group_id, topics=list(topics.values()))
        host = await self.client.coordinator(GROUP, group.group_id)
        term = group.term(host)
        deletions = {place: group.begin_deletion(place) for place in places}
        self._work.lose(frozenset(places))
        response = await self.client.ask_coordinator(GROUP, group.group_id, request)
        is_newest = term is not None and group.term(host) == term
        code = ErrorCode(response.error_code)
        if code in LOOK_AGAIN:
            # It may be done all the same.
            self.client.forget(GROUP, group.group_id)
        elif code is ErrorCode.GROUP_ID_NOT_FOUND:
            _refuse(deletions.values())
        elif code is not ErrorCode.NONE:
            group.unexpected(self.client.name, f"OffsetDelete: {code.name}")
        else:
            self._settle(group, deletions, response, is_newest=is_newest)

    def _settle(
        self,
        group: GroupPromises,
        deletions: dict[Place, Commit],
        response: OffsetDeleteResponse,
        *,
        is_newest: bool,
    ) -> None:
        for topic in response.topics:
            for each in topic.partitions:
                place, code = (topic.name, each.partition_index), ErrorCode(each.error_code)
                deletion = deletions[place]
                if code in _REFUSALS:
                    group.counts[f"{code.name} to OffsetDelete"] += 1
                    _refuse([deletion])
                elif code is not ErrorCode.NONE:
                    group.unexpected(self.client.name, f"OffsetDelete for {place}: {code.name}")
                else:
                    deletion.answered = trio.current_time()
                    if is_newest:
                        group.deleted(place, deletion.sent)


def _refuse(deletions: Iterable[Commit]) -> None:
    for each in deletions:
        each.is_refused = True
