"""Members of one group as a client library has them, in one process: a connection each, frames and no library.

A `Crowd` has a request of each member under way at a time, and waits for all of them. What the clients cost is the same
for every server.
"""

from __future__ import annotations

import selectors
import socket
import struct
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bench._raw_clients import connected, frame
from bench._writers import RefusedWriteError
from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.message import Message
from kafkaproto.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    HeartbeatRequest,
    HeartbeatResponse,
    JoinGroupRequest,
    JoinGroupResponse,
    LeaveGroupRequest,
    LeaveGroupResponse,
    SyncGroupRequest,
    SyncGroupResponse,
)

JOIN_VERSION = 9
SYNC_VERSION = 5
HEARTBEAT_VERSION = 4
LEAVE_VERSION = 5
CONSUMER_VERSION = 1
SESSION_TIMEOUT_MS = 45_000
REBALANCE_TIMEOUT_MS = 300_000
"""As consumers have them by default."""
RESPONSES_TIMEOUT_S = 120.0
GROUP = "crowd"
LEAVES = -1
"""The epoch with which a member of a consumer group leaves."""


class Crowd:
    """Connections that are all asked before the first response is waited for."""

    def __init__(self, address: str, count: int) -> None:
        self._streams = [connected(address) for _ in range(count)]
        self._received = [bytearray() for _ in range(count)]
        self._asked: dict[int, tuple[type[Message], int, int]] = {}
        """The responses that are due, by connection: class, version, and where the body begins."""
        self._come: dict[int, Message] = {}
        """Responses that nobody has taken yet."""
        self._selector = selectors.DefaultSelector()
        for number, stream in enumerate(self._streams):
            self._selector.register(stream, selectors.EVENT_READ, number)

    def send(self, number: int, request: Message, version: int) -> None:
        """Send a request on a connection that has none under way. Raises OSError."""
        assert number not in self._asked, "one request at a time"
        assert request.API_KEY is not None
        api = api_by_key(request.API_KEY)
        assert api is not None
        begin = 4 + (api.response_header_version(version) >= 1)
        self._asked[number] = (api.response_class, version, begin)
        self._streams[number].sendall(frame(request, version))

    def receive(self, of: Collection[int] | None = None) -> dict[int, Message]:
        """The responses that are due on some connections, or on all. Raises TimeoutError, EOFError, OSError."""
        wanted = set(self._asked if of is None else of)
        until = time.perf_counter() + RESPONSES_TIMEOUT_S
        while not wanted <= self._come.keys():
            left = until - time.perf_counter()
            if left <= 0:
                raise TimeoutError(
                    f"of {len(wanted)} responses, {len(wanted - self._come.keys())} did not come"
                )
            for key, _ in self._selector.select(left):
                self._take(key.data, key.fileobj)
        return {number: self._come.pop(number) for number in wanted}

    def exchange(self, requests: Mapping[int, Message], version: int) -> dict[int, Message]:
        """Send requests, and return the responses. Raises TimeoutError, EOFError, OSError."""
        for number, request in requests.items():
            self.send(number, request, version)
        return self.receive(requests.keys())

    def close(self) -> None:
        """Close all connections."""
        self._selector.close()
        for stream in self._streams:
            stream.close()

    def _take(self, number: int, stream: object) -> None:
        assert isinstance(stream, socket.socket)
        received = self._received[number]
        data = stream.recv(1 << 20)
        if not data:
            raise EOFError("the broker closed a connection")
        received += data
        if len(received) < 4 or len(received) < 4 + struct.unpack_from(">i", received)[0]:
            return
        response_class, version, begin = self._asked.pop(number)
        self._come[number], _ = response_class.decode(bytes(received[4:]), version, begin)
        received.clear()


def check(code: int, *allowed: ErrorCode) -> None:
    """Raise RefusedWriteError unless a code is NONE or allowed."""
    if code != ErrorCode.NONE and code not in allowed:
        raise RefusedWriteError(describe(code).name)


class ClassicMembers:
    """Members of a classic group. The first one to join is its leader and assigns one partition to each member."""

    def __init__(self, crowd: Crowd, topic: str) -> None:
        self._crowd = crowd
        self._topic = topic
        subscription = ConsumerProtocolSubscription(topics=[topic])
        self._metadata = struct.pack(">h", 1) + subscription.encode(1)
        self._ids: dict[int, str] = {}
        self._joining: set[int] = set()
        self._generation = -1

    def begin(self, numbers: Iterable[int]) -> None:
        """Let the broker give ids to new members."""
        numbers = list(numbers)
        for number, response in self._crowd.exchange(
            {each: self._join("") for each in numbers}, JOIN_VERSION
        ).items():
            assert isinstance(response, JoinGroupResponse)
            check(response.error_code, ErrorCode.MEMBER_ID_REQUIRED)
            self._ids[number] = response.member_id

    def leave(self, number: int) -> None:
        """A member leaves."""
        member = LeaveGroupRequest.MemberIdentity(member_id=self._ids.pop(number))
        request = LeaveGroupRequest(group_id=GROUP, members=[member])
        (response,) = self._crowd.exchange({number: request}, LEAVE_VERSION).values()
        assert isinstance(response, LeaveGroupResponse)
        check(response.error_code)

    def join(self, number: int) -> None:
        """A member that has an id joins. Its response comes with those of `rebalance`."""
        self._crowd.send(number, self._join(self._ids[number]), JOIN_VERSION)
        self._joining.add(number)

    def hear(self) -> None:
        """The members send heartbeats until all have heard that they have to join."""
        left = self._ids.keys() - self._joining
        while left:
            requests: dict[int, Message] = {
                number: HeartbeatRequest(
                    group_id=GROUP, generation_id=self._generation, member_id=self._ids[number]
                )
                for number in left
            }
            for number, response in self._crowd.exchange(requests, HEARTBEAT_VERSION).items():
                assert isinstance(response, HeartbeatResponse)
                check(response.error_code, ErrorCode.REBALANCE_IN_PROGRESS)
                if response.error_code == ErrorCode.REBALANCE_IN_PROGRESS:
                    left.discard(number)

    def rebalance(self) -> float:
        """All join and get their assignments. Returns seconds from the last request to join to the last assignment."""
        for number in self._ids.keys() - self._joining:
            self.join(number)
        begin = time.perf_counter()
        self._joining.clear()
        joined = self._crowd.receive()
        for response in joined.values():
            assert isinstance(response, JoinGroupResponse)
            check(response.error_code)
            self._generation = response.generation_id
            if response.members:
                assert len(response.members) == len(self._ids), "all members are in the generation"
                assignments = self._assign(each.member_id for each in response.members)
        requests: dict[int, Message] = {}
        for number, response in joined.items():
            assert isinstance(response, JoinGroupResponse)
            requests[number] = SyncGroupRequest(
                group_id=GROUP,
                generation_id=self._generation,
                member_id=response.member_id,
                protocol_type="consumer",
                protocol_name="range",
                assignments=assignments if response.leader == response.member_id else [],
            )
        for synced in self._crowd.exchange(requests, SYNC_VERSION).values():
            assert isinstance(synced, SyncGroupResponse)
            check(synced.error_code)
            assert synced.assignment, "each member gets a partition"
        return time.perf_counter() - begin

    def _assign(self, members: Iterable[str]) -> list[SyncGroupRequest.Assignment]:
        return [
            SyncGroupRequest.Assignment(member_id=member_id, assignment=self._assignment(index))
            for index, member_id in enumerate(members)
        ]

    def _assignment(self, index: int) -> bytes:
        partition = ConsumerProtocolAssignment.TopicPartition(topic=self._topic, partitions=[index])
        return struct.pack(">h", 1) + ConsumerProtocolAssignment(assigned_partitions=[partition]).encode(1)

    def _join(self, member_id: str) -> JoinGroupRequest:
        return JoinGroupRequest(
            group_id=GROUP,
            session_timeout_ms=SESSION_TIMEOUT_MS,
            rebalance_timeout_ms=REBALANCE_TIMEOUT_MS,
            member_id=member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequest.Protocol(name="range", metadata=self._metadata)],
        )


@dataclass(slots=True)
class _Consumer:
    """A member of a consumer group, as it knows itself."""

    member_id: str
    epoch: int = 0
    owned: list[tuple[bytes, list[int]]] = field(default_factory=list)
    has_changed: bool = True
    """Whether its next heartbeat says what it owns."""

    @property
    def count(self) -> int:
        return sum(len(partitions) for _, partitions in self.owned)


class ConsumerMembers:
    """Members of a consumer group (KIP-848)."""

    def __init__(self, crowd: Crowd, topic: str, partitions: int) -> None:
        self._crowd = crowd
        self._topic = topic
        self._partitions = partitions
        self._members: dict[int, _Consumer] = {}

    def join(self, numbers: Iterable[int]) -> None:
        """New members join, and take what they are given."""
        new = {number: _Consumer(f"member-{number:06}") for number in numbers}
        self._members |= new
        self._heartbeat(new)

    def leave(self, numbers: Iterable[int]) -> None:
        """Members leave."""
        requests: dict[int, Message] = {
            number: ConsumerGroupHeartbeatRequest(
                group_id=GROUP, member_id=self._members.pop(number).member_id, member_epoch=LEAVES
            )
            for number in numbers
        }
        for response in self._crowd.exchange(requests, CONSUMER_VERSION).values():
            assert isinstance(response, ConsumerGroupHeartbeatResponse)
            check(response.error_code)

    def settle(self, at_most: int) -> int:
        """All send heartbeats, again and again, until each partition is owned and all have the same epoch. Returns how
        many each has sent. Raises TimeoutError after ``at_most``."""
        for number in range(1, at_most + 1):
            self._heartbeat(self._members)
            if self._is_stable():
                return number
        raise TimeoutError(f"not stable after {at_most} heartbeats of each member")

    def _is_stable(self) -> bool:
        members = self._members.values()
        return (
            sum(each.count for each in members) == self._partitions
            and max(each.count for each in members) - min(each.count for each in members) <= 1
            and len({each.epoch for each in members}) == 1
            and not any(each.has_changed for each in members)
        )

    def _heartbeat(self, members: Mapping[int, _Consumer]) -> None:
        requests: dict[int, Message] = {number: self._request(each) for number, each in members.items()}
        for number, response in self._crowd.exchange(requests, CONSUMER_VERSION).items():
            assert isinstance(response, ConsumerGroupHeartbeatResponse)
            check(response.error_code)
            member = members[number]
            member.epoch = response.member_epoch
            if response.assignment is not None:
                member.owned = [
                    (each.topic_id, list(each.partitions)) for each in response.assignment.topic_partitions
                ]
                member.has_changed = True

    def _request(self, member: _Consumer) -> ConsumerGroupHeartbeatRequest:
        is_new = member.epoch == 0
        owned: Sequence[tuple[bytes, list[int]]] | None = member.owned if member.has_changed else None
        member.has_changed = False
        return ConsumerGroupHeartbeatRequest(
            group_id=GROUP,
            member_id=member.member_id,
            member_epoch=member.epoch,
            rebalance_timeout_ms=REBALANCE_TIMEOUT_MS if is_new else -1,
            subscribed_topic_names=[self._topic] if is_new else None,
            server_assignor="uniform" if is_new else None,
            topic_partitions=None
            if owned is None
            else [
                ConsumerGroupHeartbeatRequest.TopicPartitions(topic_id=topic_id, partitions=partitions)
                for topic_id, partitions in owned
            ],
        )
