"""Members of share groups (KIP-932): they heartbeat, fetch from the leaders of what they are assigned, and acknowledge
records one by one; and they crash, pause for longer than they may keep records, and leave."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    ShareAcknowledgeRequest,
    ShareFetchRequest,
    ShareFetchResponse,
    ShareGroupHeartbeatRequest,
)
from tests.sim.nodes.coordination.client import GROUP, LOOK_AGAIN, CoordinatedClient
from tests.sim.nodes.coordination.share_promises import (
    ACCEPT,
    REJECT,
    RELEASE,
    Acquisition,
    SharePromises,
)
from tests.sim.nodes.data.consumers import pieces
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import LinkLostError, Place
from tests.sim.nodes.data.logs import batch_at
from tests.sim.nodes.host import Host

HEARTBEAT_S = 0.3
LOCK_S = 2.0
"""How long a record stays with a member."""
_JOINS, _LEAVES = 0, -1
"""Member epochs."""
_OPENS, _CLOSES = 0, -1
"""Epochs of share sessions."""
_NO_MEMBER = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH})
_NO_SESSION = frozenset({ErrorCode.SHARE_SESSION_NOT_FOUND, ErrorCode.INVALID_SHARE_SESSION_EPOCH})
_MOVED = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.FENCED_STATE_EPOCH,
    }
)
"""Another broker leads, or the leader does not know its records yet."""
_UNKNOWN = _MOVED | LOOK_AGAIN | {ErrorCode.REQUEST_TIMED_OUT, ErrorCode.UNKNOWN_SERVER_ERROR}
"""After these, nobody knows what an acknowledgement has done."""

Key = tuple[Place, int]
"""Partition and offset."""


@dataclass(slots=True)
class _Session:
    """With one broker."""

    epoch: int = _OPENS
    places: set[Place] = field(default_factory=set)
    held: dict[Key, Acquisition] = field(default_factory=dict)
    """Records that it has, and has not acknowledged."""


class ShareMember:
    """One client, and all members that it is in its life."""

    def __init__(
        self,
        client: CoordinatedClient,
        promises: SharePromises,
        ledger: Ledger,
        rng: random.Random,
        topics: Iterable[str],
        *,
        weights: tuple[int, int, int] = (16, 3, 1),
    ) -> None:
        """``weights``: how often it accepts, releases and rejects records."""
        self.client = client
        self.is_calm = False
        self.is_over = False
        self.has_ended = False
        self.assigned: frozenset[Place] = frozenset()
        self.epoch = _JOINS
        self._promises = promises
        self._ledger = ledger
        self._rng = rng
        self._topics = tuple(topics)
        self._weights = weights
        self._member_id = self._new_id()
        self._says_all = True
        """Whether the next heartbeat has the subscription: the response to the last one, which may have had a new
        assignment, is lost."""
        self._sessions: dict[int, _Session] = {}

    @property
    def state(self) -> str:
        """In words."""
        held = {host: sorted(session.held) for host, session in self._sessions.items()}
        return f"{self.client.name} is in epoch {self.epoch}, has {sorted(self.assigned)}, holds {held}"

    def _new_id(self) -> str:
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))

    async def run(self) -> None:
        """Be a member, until it is over."""
        beat_s = 0.0
        while not self.is_over:
            try:
                if not self.client.view.topic_ids.keys() >= set(self._topics) or self._rng.random() < 0.05:
                    await self.client.learn(list(self._topics))
                if trio.current_time() >= beat_s:
                    await self._heartbeat()
                    beat_s = trio.current_time() + self._rng.uniform(0.3, 1.0) * HEARTBEAT_S
                if self.epoch > 0:
                    await self._work()
                if not self.is_calm:
                    await self._misbehave()
                await trio.sleep(self._rng.uniform(0.02, 0.2))
            except LinkLostError:
                await trio.sleep(self._rng.uniform(0.05, 0.4))
        self.client.close()
        self.has_ended = True

    def _begin_anew(self) -> None:
        self.epoch, self.assigned, self._says_all = _JOINS, frozenset(), True
        self._sessions.clear()

    async def _misbehave(self) -> None:
        chance = self._rng.random()
        if chance < 0.01:
            self.client.close()
            self._begin_anew()
            self._member_id = self._new_id()
            self._promises.counts["members crashed"] += 1
            await trio.sleep(self._rng.uniform(0, 2 * LOCK_S))
        elif chance < 0.02:
            # It comes back with records that others may have by then.
            self._promises.counts["members paused"] += 1
            await trio.sleep(self._rng.uniform(0.5, 2) * LOCK_S)
        elif chance < 0.025:
            await self._leave()

    # -- membership ----------------------------------------------------------------------------------------------

    def _request(self, epoch: int) -> ShareGroupHeartbeatRequest:
        request = ShareGroupHeartbeatRequest(
            group_id=self._promises.group_id, member_id=self._member_id, member_epoch=epoch
        )
        if self._says_all and epoch >= _JOINS:
            request.subscribed_topic_names = list(self._topics)
        return request

    async def _heartbeat(self) -> None:
        request, self._says_all = self._request(self.epoch), True
        response = await self.client.ask_coordinator(GROUP, self._promises.group_id, request)
        code = ErrorCode(response.error_code)
        if code in LOOK_AGAIN:
            self.client.forget(GROUP, self._promises.group_id)
        elif code in _NO_MEMBER:
            self._begin_anew()
        elif code is not ErrorCode.NONE:
            self._promises.unexpected(self.client.name, f"ShareGroupHeartbeat: {code.name}")
            # Excused: the group is lost with its partition. Whoever runs the client starts it again.
            self._begin_anew()
        else:
            self.epoch, self._says_all = response.member_epoch, False
            if response.assignment is not None:
                self.assigned = self._places(response.assignment.topic_partitions)
                self._promises.counts["share assignments"] += 1

    def _places(self, topics: Iterable[Any]) -> frozenset[Place]:
        names = {topic_id: name for name, topic_id in self.client.view.topic_ids.items()}
        return frozenset((names[each.topic_id], index) for each in topics for index in each.partitions)

    async def _leave(self) -> None:
        for host_id, session in list(self._sessions.items()):
            if session.epoch != _OPENS:
                await self._acknowledge(self.client.host(host_id), session, closes=True)
        request = self._request(_LEAVES)
        self._begin_anew()
        self._member_id = self._new_id()
        self._promises.counts["members left"] += 1
        await self.client.ask_coordinator(GROUP, self._promises.group_id, request)
        await trio.sleep(self._rng.uniform(0, 1))

    # -- records -------------------------------------------------------------------------------------------------

    async def _work(self) -> None:
        """Fetch from a leader, or only acknowledge."""
        leaders: dict[int, set[Place]] = {}
        for place in sorted(self.assigned):
            leader = self.client.view.leaders.get(place, (-1, -1))[0]
            leaders.setdefault(leader, set()).add(place)
        leaders.pop(-1, None)
        if not leaders:
            await self.client.learn(list(self._topics))
            return
        host_id = self._rng.choice(sorted(leaders))
        host = self.client.host(host_id)
        session = self._sessions.setdefault(host_id, _Session())
        try:
            if session.epoch != _OPENS and session.held and self._rng.random() < 0.3:
                await self._acknowledge(host, session)
            else:
                await self._fetch(host, session, leaders[host_id])
        except LinkLostError:
            # The broker ends the session with the connection.
            self._sessions.pop(host_id, None)
            raise

    def _chosen(self, session: _Session) -> dict[Key, int]:
        """What is done with some of the records that it has; the others stay, perhaps for too long."""
        if session.epoch == _OPENS:
            return {}
        if self.is_calm:
            return dict.fromkeys(session.held, ACCEPT)
        kinds = (ACCEPT, RELEASE, REJECT)
        return {
            key: self._rng.choices(kinds, self._weights)[0]
            for key in session.held
            if self._rng.random() < 0.8
        }

    async def _fetch(self, host: Host, session: _Session, places: set[Place]) -> None:
        ids, chosen = self.client.view.topic_ids, self._chosen(session)
        new = places if session.epoch == _OPENS else places - session.places
        gone = session.places - places
        request = ShareFetchRequest(
            group_id=self._promises.group_id,
            member_id=self._member_id,
            share_session_epoch=session.epoch,
            max_wait_ms=300 if self.is_calm else self._rng.choice((0, 50, 300)),
            min_bytes=1 if self.is_calm else self._rng.choice((0, 1)),
            max_bytes=1 << 20 if self.is_calm else self._rng.choice((500, 1 << 20)),
            max_records=500 if self.is_calm else self._rng.choice((1, 5, 500)),
            batch_size=self._rng.choice((1, 5, 500)),
            topics=_topics(ShareFetchRequest, ids, new | {place for place, _ in chosen}, chosen),
            forgotten_topics_data=[
                ShareFetchRequest.ForgottenTopic(topic_id=ids[name], partitions=[index])
                for name, index in sorted(gone)
            ],
        )
        sent = trio.current_time()
        response = await self._ask(host, request, session, chosen)
        if response is None:
            return
        # What it has acknowledged is in the session, too.
        session.places = places | {place for place, _ in chosen}
        names = {topic_id: name for name, topic_id in ids.items()}
        for topic in response.responses:
            for each in topic.partitions:
                place = (names[topic.topic_id], each.partition_index)
                self._settle(session, place, chosen, each.acknowledge_error_code, sent)
                self._take(session, place, each, sent)
        # A broker that names a partition in no response has nothing to say of it, not even of acknowledgements.
        left = sorted({place for place, _ in chosen})
        if left:
            self._promises.unexpected(self.client.name, f"acknowledgements of {left} are not answered")

    async def _acknowledge(self, host: Host, session: _Session, *, closes: bool = False) -> None:
        chosen, ids = self._chosen(session), self.client.view.topic_ids
        if not chosen and not closes:
            return
        request = ShareAcknowledgeRequest(
            group_id=self._promises.group_id,
            member_id=self._member_id,
            share_session_epoch=_CLOSES if closes else session.epoch,
            topics=_topics(ShareAcknowledgeRequest, ids, {place for place, _ in chosen}, chosen),
        )
        sent = trio.current_time()
        response = await self._ask(host, request, session, chosen)
        if response is None:
            return
        names = {topic_id: name for name, topic_id in ids.items()}
        for topic in response.responses:
            for each in topic.partitions:
                place = (names[topic.topic_id], each.partition_index)
                self._settle(session, place, chosen, each.error_code, sent)

    async def _ask(self, host: Host, request: Any, session: _Session, chosen: Mapping[Key, int]) -> Any:
        """The response, unless the session is over."""
        try:
            response = await self.client.ask(host, request)
        except LinkLostError:
            self._is_unknown(chosen)
            self._promises.lost_fetches += isinstance(request, ShareFetchRequest)
            raise
        code = ErrorCode(response.error_code)
        if code is ErrorCode.NONE:
            session.epoch += 1
            return response
        if code not in _NO_SESSION and code is not ErrorCode.SHARE_SESSION_LIMIT_REACHED:
            if code in _UNKNOWN:
                self._is_unknown(chosen)
            else:
                self._promises.unexpected(self.client.name, f"{type(request).__name__}: {code.name}")
        self._sessions.pop(host.id, None)
        return None

    def _is_unknown(self, chosen: Mapping[Key, int]) -> None:
        for (place, offset), kind in chosen.items():
            self._promises.may_be_acknowledged(place, offset, kind)

    def _settle(
        self, session: _Session, place: Place, chosen: dict[Key, int], error_code: int, sent: float
    ) -> None:
        """What became of the acknowledgements of one partition."""
        code = ErrorCode(error_code)
        for key in [each for each in chosen if each[0] == place]:
            kind, acquisition = chosen.pop(key), session.held.pop(key)
            if code is ErrorCode.NONE:
                self._promises.acknowledged(*key, acquisition, kind, sent)
            elif code in _UNKNOWN:
                self._promises.may_be_acknowledged(*key, kind)
            elif code is ErrorCode.INVALID_RECORD_STATE:
                self._promises.counts["records lost to others"] += 1
            else:
                self._promises.unexpected(self.client.name, f"acknowledging {key}: {code.name}")

    def _take(
        self, session: _Session, place: Place, data: ShareFetchResponse.PartitionData, sent: float
    ) -> None:
        """Keep the records that a response has brought."""
        code = ErrorCode(data.error_code)
        if code in _MOVED | LOOK_AGAIN:
            self.client.view.leaders.pop(place, None)
            return
        if code is not ErrorCode.NONE:
            self._promises.unexpected(self.client.name, f"ShareFetch of {place}: {code.name}")
            return
        found: set[int] = set()
        records, at = b"".join(pieces(data)), 0
        while (part := batch_at(records, at)) is not None:
            batch, size = part
            at += size
            self._ledger.consumed(place, batch)
            found.update(range(batch.base_offset, batch.next_offset))
        for acquired in data.acquired_records:
            for offset in range(acquired.first_offset, acquired.last_offset + 1):
                if offset not in found:
                    self._promises.violated(
                        f"{self.client.name} acquires {place} {offset}, and does not get it"
                    )
                session.held[place, offset] = self._promises.acquired(
                    place, offset, acquired.delivery_count, self._member_id, sent
                )


def _topics(
    request: Any, ids: Mapping[str, bytes], places: Iterable[Place], chosen: Mapping[Key, int]
) -> list[Any]:
    """Partitions of a request, with what is acknowledged of each."""
    is_fetch = request is ShareFetchRequest
    topic_type = request.FetchTopic if is_fetch else request.AcknowledgeTopic
    partition_type = request.FetchPartition if is_fetch else request.AcknowledgePartition
    topics: dict[str, Any] = {}
    for name, index in sorted(places):
        topic = topics.setdefault(name, topic_type(topic_id=ids[name], partitions=[]))
        batches = [
            request.AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=kinds)
            for first, last, kinds in _runs(
                {at: kind for (place, at), kind in chosen.items() if place == (name, index)}
            )
        ]
        topic.partitions.append(partition_type(partition_index=index, acknowledgement_batches=batches))
    return list(topics.values())


def _runs(kinds: Mapping[int, int]) -> list[tuple[int, int, list[int]]]:
    """First and last offset of each run of offsets without gap, with a kind for each of them."""
    runs: list[tuple[int, int, list[int]]] = []
    for offset in sorted(kinds):
        if runs and runs[-1][1] == offset - 1:
            first, _, before = runs[-1]
            runs[-1] = (first, offset, [*before, kinds[offset]])
        else:
            runs.append((offset, offset, [kinds[offset]]))
    return runs
