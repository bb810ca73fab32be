"""Share sessions as a broker serves them (KIP-932): which partitions a member fetches from this broker.

A session belongs to a member of a group, and to the connection on which it began. A request with epoch 0 begins it,
one with -1 ends it, and each one between has the next epoch. A ShareFetch names only partitions that are new to the
session, and those that the member drops. When the session or its connection ends, its records are released.

Apache Kafka: ``ShareSessionCache``, ``ShareSession``, ``ShareSessionContext``.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import Final, NamedTuple

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.share_requests import ShareError, TopicPartitionId

_MAX_EPOCH: Final = 2**31 - 1

MAX_PARTITIONS: Final = 500_000
"""How many partitions all sessions have together: the names of partitions that do not exist cost memory, too."""


class SessionKey(NamedTuple):
    """A member of a group."""

    group_id: str
    member_id: str


class ShareSession:
    __slots__ = ("connection", "epoch", "key", "names", "partitions")

    def __init__(self, key: SessionKey, connection: Hashable, partitions: Iterable[TopicPartitionId]) -> None:
        self.key = key
        self.connection = connection
        self.epoch = 1
        """Of the request that is expected next."""
        self.partitions: dict[TopicPartitionId, bool] = dict.fromkeys(partitions, False)
        """In their order; whether the next response has to have the partition even if there is nothing to say."""
        self.names: dict[bytes, str] = {}
        """Those that its topics have, or had, by their ids."""

    def update(self, added: Iterable[TopicPartitionId], forgotten: Collection[TopicPartitionId]) -> None:
        """Take what a request names, and drop what it forgets."""
        for each in added:
            # A partition that the session has keeps its place, and what it owes.
            self.partitions.setdefault(each, True)
        for each in forgotten:
            self.partitions.pop(each, None)
        # Names are kept by topic: only a look at all partitions tells whether one of a topic is left.
        if forgotten:
            topic_ids = {topic_id for topic_id, _ in self.partitions}
            self.names = {each: name for each, name in self.names.items() if each in topic_ids}

    def must_say(self, partition: TopicPartitionId, *, has_records: bool, has_error: bool) -> bool:
        """Whether a response has a partition. After an error the next response has it, too: that the error is over is
        news."""
        is_owed = self.partitions.get(partition, True)
        if partition in self.partitions:
            self.partitions[partition] = has_error
        return is_owed or has_records or has_error


class ShareSessions:
    """All share sessions of a broker."""

    __slots__ = ("_members", "_of_connection", "_sessions", "partition_count")

    def __init__(self) -> None:
        self._sessions: dict[SessionKey, ShareSession] = {}
        # How many sessions each group has.
        self._members: dict[str, int] = {}
        self._of_connection: dict[Hashable, set[SessionKey]] = {}
        self.partition_count = 0
        """How many partitions the sessions have together."""

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> Iterator[ShareSession]:
        return iter(self._sessions.values())

    def get(self, key: SessionKey) -> ShareSession | None:
        """The session of a member; None if it has none."""
        return self._sessions.get(key)

    def begin(
        self,
        key: SessionKey,
        connection: Hashable,
        partitions: Collection[TopicPartitionId],
        max_sessions: int,
    ) -> ShareSession:
        """Begin a session. One that the member has is forgotten; its records stay acquired.

        Raises ShareError with SHARE_SESSION_LIMIT_REACHED if there are too many.
        """
        # First of all, as a member that begins anew must not be refused because of its own former session.
        self.remove(key)
        if len(self._sessions) >= max_sessions:
            raise ShareError(ErrorCode.SHARE_SESSION_LIMIT_REACHED)
        self._check_room(partitions)
        session = ShareSession(key, connection, partitions)
        self._sessions[key] = session
        self._members[key.group_id] = self._members.get(key.group_id, 0) + 1
        self._of_connection.setdefault(connection, set()).add(key)
        self.partition_count += len(session.partitions)
        return session

    def _check_room(self, partitions: Collection[TopicPartitionId]) -> None:
        if self.partition_count + len(partitions) > MAX_PARTITIONS:
            raise ShareError(ErrorCode.SHARE_SESSION_LIMIT_REACHED)

    def check(self, key: SessionKey) -> ShareSession:
        """The session of a member. Raises ShareError with SHARE_SESSION_NOT_FOUND if it has none."""
        session = self._sessions.get(key)
        if session is None:
            raise ShareError(ErrorCode.SHARE_SESSION_NOT_FOUND)
        return session

    def proceed(self, key: SessionKey, epoch: int) -> ShareSession:
        """A request continues a session.

        Raises ShareError: SHARE_SESSION_NOT_FOUND, or INVALID_SHARE_SESSION_EPOCH if another epoch is expected.
        """
        session = self.check(key)
        # The member has lost a response, or its request was repeated. What it acknowledged may be taken already.
        if session.epoch != epoch:
            raise ShareError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
        session.epoch = next_epoch(epoch)
        return session

    def update(
        self,
        session: ShareSession,
        added: Collection[TopicPartitionId],
        forgotten: Collection[TopicPartitionId],
    ) -> None:
        """A request changes the partitions of a session. Raises ShareError as `begin`."""
        self._check_room(added)
        before = len(session.partitions)
        session.update(added, forgotten)
        self.partition_count += len(session.partitions) - before

    def remove(self, key: SessionKey) -> ShareSession | None:
        """Forget a session. Returns it, or None if there was none."""
        session = self._sessions.pop(key, None)
        if session is not None:
            self.partition_count -= len(session.partitions)
            assert self.partition_count >= 0, "more partitions left than had joined"
            left = self._members[key.group_id] - 1
            if left:
                self._members[key.group_id] = left
            else:
                del self._members[key.group_id]
            keys = self._of_connection[session.connection]
            assert key in keys, "a session is known by its connection"
            keys.discard(key)
            if not keys:
                del self._of_connection[session.connection]
        return session

    def has_members(self, group_id: str) -> bool:
        """Whether a group has sessions."""
        return group_id in self._members

    def of_connection(self, connection: Hashable) -> list[SessionKey]:
        """The sessions that began on a connection."""
        # Sorted: the order of a set is another one in each process.
        return sorted(self._of_connection.get(connection, ()))


def next_epoch(epoch: int) -> int:
    """The epoch of the request after the one with ``epoch``: 1 follows the largest int32."""
    return 1 if epoch == _MAX_EPOCH else epoch + 1


def rotated(partitions: list[TopicPartitionId], epoch: int) -> list[TopicPartitionId]:
    """The partitions in the order in which the request with an epoch fetches them, so that each is first at times."""
    if len(partitions) < 2 or epoch < 1:
        return partitions
    # Another one is first in each request. Otherwise the first one's records would fill each response.
    begin = epoch % len(partitions)
    return partitions[begin:] + partitions[:begin]
