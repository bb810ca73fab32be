"""A live quorum as the source: its leader's log and snapshots, over the wire.

The reader fetches as an observer that is no replica (replica id -1), which no leader counts. The leader sends its log
up to the end. Records above its high watermark are left out here, so everything that is read is committed. Leaders may
change meanwhile: the reader looks for the new leader and resumes at the next offset, with the epoch of the record
before it. So a leader without that record says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.errors import ProtocolError
from kafkaproto.messages import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
)
from kafkaproto.records.batch import iterate_batches
from kafkaproto.snapshot import SnapshotId
from kafkaproto.support import joined
from kafkaproto_pipeline.sources.directories import InputError
from kafkaproto_server.base.types import METADATA_TOPIC, METADATA_TOPIC_ID

RETRY_TIMEOUT_S = 15.0
"""How long to look for a leader that responds: several elections."""
RETRY_INTERVAL_S = 0.2
REQUEST_TIMEOUT_MS = 10_000
FETCH_BYTES = 8 * 1024 * 1024
"""Bytes requested at a time; the largest batch of a metadata log."""
MAX_SNAPSHOT_BYTES = 1 << 31
"""If a leader says that its snapshot is larger, the response is refused."""

_CONTROLLERS = 2
"""Endpoint type of DescribeCluster."""
_ASK_AGAIN = (
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.NOT_CONTROLLER,
    ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.UNKNOWN_LEADER_EPOCH,
    ErrorCode.BROKER_NOT_AVAILABLE,
    # A controller of Apache Kafka that has just started does not know the metadata.version yet.
    ErrorCode.UNSUPPORTED_VERSION,
    ErrorCode.UNKNOWN_SERVER_ERROR,
)

Address = tuple[str, int]
T = TypeVar("T")


class UnreachableError(InputError):
    """No leader responded within the retry timeout."""


class _AskAgain(Exception):
    """No usable response now; there may be one in a moment, or from another controller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveState:
    """The state of the log according to the quorum's leader."""

    cluster_id: str | None
    high_watermark: int
    start: int
    """The first offset that can be read."""
    snapshot: SnapshotId | None
    """The newest snapshot, if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Some whole batches, all of them committed."""

    data: bytes
    next_offset: int
    epoch: int
    """Epoch of the last record."""


class LiveQuorum:
    """A connection to the current leader of the quorum; a context manager."""

    def __init__(
        self,
        servers: Sequence[Address],
        *,
        retry_timeout_s: float = RETRY_TIMEOUT_S,
        request_timeout_ms: int = REQUEST_TIMEOUT_MS,
    ) -> None:
        self._servers = list(servers)
        self.retry_timeout_s = retry_timeout_s
        self._request_timeout_ms = request_timeout_ms
        self._client: Client | None = None
        self._cluster_id: str | None = None
        self._leader_epoch = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def state(self) -> LiveState:
        """The current state of the leader's log. Raises InputError."""
        return self._patiently(self._state)

    def _state(self) -> LiveState:
        partition = self._with_high_watermark(0, 0, 1)
        snapshot = _snapshot_id(partition)
        start = 0
        if snapshot is not None:
            start = self._readable_start(partition.log_start_offset, snapshot, partition.high_watermark)
        return LiveState(
            cluster_id=self._cluster_id,
            start=start,
            high_watermark=partition.high_watermark,
            snapshot=snapshot,
        )

    def _readable_start(self, log_start: int, snapshot: SnapshotId, high_watermark: int) -> int:
        """The first offset that a leader with a snapshot sends.

        The leader responds with the snapshot to a Fetch at offset 0, and to a Fetch at its log start without the right
        epoch of the record before. So the next offset is fetched; its batch may also hold the offset at the start.
        """
        if log_start == snapshot.end_offset or log_start + 1 >= high_watermark:
            return snapshot.end_offset
        partition = self._fetch(log_start + 1, -1, 1)
        first = next(iterate_batches(joined(partition.records or b"")), None)
        return snapshot.end_offset if first is None else max(first.base_offset, log_start)

    def read(self, start: int, end: int, epoch: int = -1, max_bytes: int = FETCH_BYTES) -> Iterator[Chunk]:
        """The batches that hold the offsets from ``start`` to below ``end``, all of which are committed.

        ``epoch`` is that of the record before ``start``, -1 if it is not known. ``max_bytes`` is requested at a time;
        the leader sends at least one batch. Raises InputError.
        """
        offset = start
        while offset < end:
            partition = self._patiently(partial(self._fetch_around, offset, epoch, max_bytes))
            self._check_still_there(partition, offset)
            chunk = _committed_batches(partition, end)
            if chunk is None or chunk.next_offset <= offset:
                raise InputError(
                    f"{self._name()}: the quorum's log is committed to offset {partition.high_watermark - 1}; "
                    f"offset {offset}, which it committed before, is not there"
                )
            yield chunk
            offset, epoch = chunk.next_offset, chunk.epoch

    def read_snapshot(self, snapshot_id: SnapshotId) -> bytes:
        """A snapshot's bytes. Raises InputError, also if the leader does not have the snapshot any more."""
        content = bytearray()
        while True:
            piece, size = self._patiently(partial(self._fetch_piece, snapshot_id, len(content)))
            content += piece
            if len(content) >= size:
                return bytes(content)
            if not piece:
                raise InputError(
                    f"{self._name()}: the leader sends {len(content)} bytes of a snapshot of {size}"
                )

    def epoch_of(self, offset: int) -> int:
        """The epoch of a committed record that is in the log. Raises InputError."""
        for chunk in self.read(offset, offset + 1, max_bytes=1):
            return chunk.epoch
        return -1

    # -- requests ------------------------------------------------------------------------------------------------

    def _name(self) -> str:
        return "unreachable" if self._client is None else f"{self._client.host}:{self._client.port}"

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """The result of ``attempt``, which is repeated until it succeeds. Raises UnreachableError after the retry
        timeout.
        """
        deadline = time.monotonic() + self.retry_timeout_s
        while True:
            try:
                return attempt()
            except (_AskAgain, OSError, ProtocolError) as error:
                self.close()
                # Ask another controller next; it may know the leader.
                self._servers.append(self._servers.pop(0))
                if time.monotonic() >= deadline:
                    servers = ", ".join(f"{host}:{port}" for host, port in sorted(self._servers))
                    raise UnreachableError(
                        f"option 'bootstrap.controllers': the quorum at {servers} did not answer for "
                        f"{self.retry_timeout_s:.0f} s: {error}"
                    ) from error
                time.sleep(RETRY_INTERVAL_S)

    def _leader(self) -> Client:
        if self._client is not None:
            return self._client
        with Client.bootstrap(self._servers, timeout_ms=self._request_timeout_ms) as client:
            cluster = client.send(DescribeClusterRequest(endpoint_type=_CONTROLLERS))
            assert isinstance(cluster, DescribeClusterResponse)
            if cluster.error_code == ErrorCode.MISMATCHED_ENDPOINT_TYPE:
                raise InputError(
                    f"option 'bootstrap.controllers': {client.host}:{client.port} is the port of a broker; give "
                    "those of controllers, as controller.quorum.bootstrap.servers or controller.quorum.voters name them"
                )
            _check(cluster.error_code, client)
        if self._cluster_id not in (None, cluster.cluster_id):
            raise InputError(
                f"{client.host}:{client.port} is of cluster {cluster.cluster_id}, another controller of "
                f"{self._cluster_id}; read one at a time"
            )
        self._cluster_id = cluster.cluster_id
        leader = next((node for node in cluster.brokers if node.broker_id == cluster.controller_id), None)
        if leader is None:
            raise _AskAgain("the quorum has no leader that is registered")
        client = Client.connect(leader.host, leader.port, timeout_ms=self._request_timeout_ms)
        try:
            self._leader_epoch = _leader_epoch(client)
        except BaseException:
            client.close()
            raise
        self._client = client
        return client

    def _with_high_watermark(
        self, offset: int, epoch: int, max_bytes: int = FETCH_BYTES
    ) -> FetchResponse.PartitionData:
        partition = self._fetch(offset, epoch, max_bytes)
        if partition.high_watermark < 0:
            # A new leader does not know its high watermark before it has committed a record of its epoch.
            raise _AskAgain(f"{self._name()}: the leader does not know its high watermark yet")
        return partition

    def _fetch_around(self, offset: int, epoch: int, max_bytes: int) -> FetchResponse.PartitionData:
        """A Fetch of the batch that holds an offset, even if a leader with snapshots does not send it at the first
        request.

        The leader responds with a snapshot if the given epoch is older than its first snapshot; the leader's own epoch
        works then. At its log start it requires the epoch of the record before, and at offset 0 it sends no record at
        all. But the batch there may also hold the next offset, so that offset is fetched.
        """
        partition = self._with_high_watermark(offset, epoch, max_bytes)
        if _snapshot_id(partition) is None or offset < partition.log_start_offset:
            return partition
        if offset > partition.log_start_offset:
            return self._with_high_watermark(offset, -1, max_bytes)
        following = self._with_high_watermark(offset + 1, -1, max_bytes)
        first = next(iterate_batches(joined(following.records or b"")), None)
        return partition if first is None or first.base_offset > offset else following

    def _fetch(self, offset: int, epoch: int, max_bytes: int) -> FetchResponse.PartitionData:
        """One Fetch. If the epoch of the record before is not known, the leader's own is sent; for committed offsets
        that works.
        """
        leader = self._leader()
        partition = FetchRequest.FetchPartition(
            partition=0,
            current_leader_epoch=self._leader_epoch,
            fetch_offset=offset,
            last_fetched_epoch=self._leader_epoch if epoch < 0 else epoch,
            log_start_offset=-1,
            partition_max_bytes=max_bytes,
        )
        topic = FetchRequest.FetchTopic(
            topic=METADATA_TOPIC, topic_id=METADATA_TOPIC_ID, partitions=[partition]
        )
        request = FetchRequest(
            cluster_id=self._cluster_id, max_wait_ms=0, min_bytes=0, max_bytes=max_bytes, topics=[topic]
        )
        response = leader.send(request)
        assert isinstance(response, FetchResponse)
        _check(response.error_code, leader)
        answer = _only_partition("Fetch", [each.partitions for each in response.responses], leader)
        _check(answer.error_code, leader)
        return answer

    def _fetch_piece(self, snapshot_id: SnapshotId, position: int) -> tuple[bytes, int]:
        """Bytes of a snapshot from a position on, and its size."""
        leader = self._leader()
        partition = FetchSnapshotRequest.PartitionSnapshot(
            partition=0,
            current_leader_epoch=self._leader_epoch,
            snapshot_id=FetchSnapshotRequest.SnapshotId(
                end_offset=snapshot_id.end_offset, epoch=snapshot_id.epoch
            ),
            position=position,
        )
        topic = FetchSnapshotRequest.TopicSnapshot(name=METADATA_TOPIC, partitions=[partition])
        request = FetchSnapshotRequest(
            cluster_id=self._cluster_id, replica_id=-1, max_bytes=FETCH_BYTES, topics=[topic]
        )
        response = leader.send(request)
        assert isinstance(response, FetchSnapshotResponse)
        _check(response.error_code, leader)
        answer = _only_partition("FetchSnapshot", [each.partitions for each in response.topics], leader)
        _check(answer.error_code, leader)
        if not 0 < answer.size <= MAX_SNAPSHOT_BYTES:
            raise InputError(f"{self._name()}: a snapshot of {answer.size} bytes is not believed")
        return joined(answer.unaligned_records or b""), answer.size

    def _check_still_there(self, partition: FetchResponse.PartitionData, offset: int) -> None:
        snapshot = _snapshot_id(partition)
        if snapshot is not None:
            raise InputError(
                f"{self._name()}: offset {offset} is not in the quorum's log any more, which begins at "
                f"{partition.log_start_offset}; its newest snapshot ends at {snapshot.end_offset}"
            )
        if partition.diverging_epoch.epoch >= 0:
            raise InputError(
                f"{self._name()}: the quorum has lost what it had committed before offset {offset}: its log parts "
                f"at {partition.diverging_epoch.end_offset}"
            )


def _leader_epoch(client: Client) -> int:
    partition = DescribeQuorumRequest.PartitionData(partition_index=0)
    topic = DescribeQuorumRequest.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])
    response = client.send(DescribeQuorumRequest(topics=[topic]))
    assert isinstance(response, DescribeQuorumResponse)
    _check(response.error_code, client)
    answer = _only_partition("DescribeQuorum", [each.partitions for each in response.topics], client)
    _check(answer.error_code, client)
    return answer.leader_epoch


def _committed_batches(partition: FetchResponse.PartitionData, end: int) -> Chunk | None:
    """The batches of a response that are committed and hold offsets below ``end``; None if there are none."""
    data = joined(partition.records or b"")
    size, next_offset, epoch = 0, -1, -1
    for batch in iterate_batches(data):
        if batch.next_offset > partition.high_watermark or batch.base_offset >= end:
            break
        batch.check()
        size += batch.size_in_bytes
        next_offset, epoch = batch.next_offset, batch.partition_leader_epoch
    return Chunk(data=bytes(data[:size]), next_offset=next_offset, epoch=epoch) if size else None


def _snapshot_id(partition: FetchResponse.PartitionData) -> SnapshotId | None:
    found = partition.snapshot_id
    return None if found.epoch < 0 else SnapshotId(epoch=found.epoch, end_offset=found.end_offset)


def _only_partition(request: str, topics: Sequence[Sequence[T]], leader: Client) -> T:
    """The response for the one partition that was requested. Raises InputError if the response has other partitions."""
    if len(topics) != 1 or len(topics[0]) != 1:
        raise InputError(
            f"{leader.host}:{leader.port}: the answer to {request} is not about {METADATA_TOPIC} alone"
        )
    return topics[0][0]


def _check(error_code: int, server: Client) -> None:
    if error_code:
        info = describe(error_code)
        text = f"{server.host}:{server.port}: {info.name}: {info.message}"
        raise _AskAgain(text) if info.code in _ASK_AGAIN else InputError(text)
