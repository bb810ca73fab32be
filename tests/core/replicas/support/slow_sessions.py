"""A slow model of fetch sessions: it keeps everything, and reads all partitions of a session for each request."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.data import PartitionResult
from kafkaproto_server.requests.fetch_requests import FetchValues, PartitionFetch, PartitionKey
from tests.core.replicas.support.fetch_world import World

Response = tuple[int, bool, list[tuple[PartitionFetch, PartitionResult]]]
"""Error, whether there is a session, partitions."""


@dataclass
class SlowPartition:
    """What a session knows of a partition."""

    fetch: PartitionFetch
    high_watermark: int = -1
    log_start_offset: int = -1


class SlowSession:
    """One session; its partitions are in order."""

    def __init__(self, uses_topic_ids: bool) -> None:
        self.uses_topic_ids = uses_topic_ids
        self.epoch = 1
        self.partitions: list[tuple[PartitionKey, SlowPartition]] = []

    def find(self, key: PartitionKey) -> SlowPartition | None:
        return next((each for name, each in self.partitions if name == key), None)


class SlowSessions:
    """The sessions of a broker by the ids that the tested sessions gave them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.sessions: dict[int, SlowSession] = {}

    def fetch(self, request: FetchValues, max_bytes: int) -> tuple[Response, SlowSession | None]:
        """The response, and the session that begins with it."""
        if request.session_epoch in (0, -1):
            self.sessions.pop(request.session_id, None)
            return self._full(request, max_bytes, with_session=request.session_epoch == 0)
        session = self.sessions.get(request.session_id)
        if session is None:
            return (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, False, []), None
        if session.epoch != request.session_epoch:
            return (ErrorCode.INVALID_FETCH_SESSION_EPOCH, False, []), None
        if session.uses_topic_ids != request.uses_topic_ids:
            return (ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR, False, []), None
        for key, fetch in request.partitions.items():
            known = session.find(key)
            if known is None:
                session.partitions.append((key, SlowPartition(fetch)))
            else:
                known.fetch = fetch
        session.partitions = [each for each in session.partitions if each[0] not in request.forgotten]
        if not session.partitions:
            del self.sessions[request.session_id]
            return self._full(request, max_bytes, with_session=False)
        session.epoch = 1 if session.epoch == 2**31 - 1 else session.epoch + 1
        return (0, True, self._incremental(session, max_bytes)), None

    def _full(
        self, request: FetchValues, max_bytes: int, *, with_session: bool
    ) -> tuple[Response, SlowSession | None]:
        fetches = list(request.partitions.values())
        pairs = list(zip(fetches, self._world.read(fetches, max_bytes), strict=True))
        if not with_session:
            return (0, False, pairs), None
        session = SlowSession(request.uses_topic_ids)
        session.partitions = [
            (key, SlowPartition(fetch, result.high_watermark, result.log_start_offset))
            for key, (fetch, result) in zip(request.partitions, pairs, strict=True)
        ]
        return (0, True, pairs), session

    def _incremental(
        self, session: SlowSession, max_bytes: int
    ) -> list[tuple[PartitionFetch, PartitionResult]]:
        said = []
        sent = []
        partitions = list(session.partitions)
        results = self._world.read([each.fetch for _, each in partitions], max_bytes)
        for entry, result in zip(partitions, results, strict=True):
            known = entry[1]
            if (
                result.records_bytes
                or result.error_code
                or known.high_watermark != result.high_watermark
                or known.log_start_offset != result.log_start_offset
            ):
                said.append((known.fetch, result))
            known.high_watermark = -1 if result.error_code else result.high_watermark
            known.log_start_offset = result.log_start_offset
            if result.records_bytes:
                sent.append(entry)
        session.partitions = [each for each in session.partitions if each not in sent] + sent
        return said
