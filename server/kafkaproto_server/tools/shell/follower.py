"""A running quorum as a source of metadata: read from its leader, which may change meanwhile."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypeVar

from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.errors import ProtocolError
from kafkaproto.messages import (
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
)
from kafkaproto.records.batch import iterate_batches
from kafkaproto.snapshot import SnapshotId, read_snapshot
from kafkaproto.support import joined
from kafkaproto_server.base.types import METADATA_LOG_NAME, METADATA_TOPIC, METADATA_TOPIC_ID
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.tools.quorum.access import QuorumAccess
from kafkaproto_server.tools.shell.sources import ImageReplay, SourceError, image_of_records

RETRY_TIMEOUT_S = 15.0
"""How long to look for a leader that responds: several elections."""
RETRY_INTERVAL_S = 0.2
TIMEOUT_MS = 10_000
"""For one request."""
FETCH_BYTES = 8 * 1024 * 1024
"""Bytes per request: the largest batch of a metadata log."""

_LEADER_IS_ELSEWHERE = (
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.UNKNOWN_LEADER_EPOCH,
    ErrorCode.BROKER_NOT_AVAILABLE,
    # A leader of Apache Kafka that has replaced a snapshot meanwhile responds with this error; the next Fetch names the
    # new snapshot.
    ErrorCode.SNAPSHOT_NOT_FOUND,
    ErrorCode.UNKNOWN_SERVER_ERROR,
)

T = TypeVar("T")


class _AskAgain(Exception):
    """This leader does not respond now; another one may."""


class QuorumFollower:
    """Follows the metadata log of a quorum as far as it is committed; ``refresh`` reads what is new."""

    def __init__(self, access: QuorumAccess, at: int | None) -> None:
        """If ``at`` is given, it ends at that offset."""
        self._access = access
        self._at = at
        self._replay = ImageReplay("the quorum's log", at)
        self._epoch = -1
        self._client: Client | None = None

    @property
    def image(self) -> ClusterImage:
        """The image as far as it was read."""
        return self._replay.image

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def refresh(self) -> None:
        """Read all that is committed by now. Raises SourceError, ClickException."""
        deadline = time.monotonic() + RETRY_TIMEOUT_S
        while True:
            try:
                while not self._replay.is_done and self._fetch():
                    pass
                return
            except (_AskAgain, OSError, ProtocolError) as error:
                self.close()
                if time.monotonic() >= deadline:
                    raise SourceError(str(error)) from error
                time.sleep(RETRY_INTERVAL_S)

    # -- requests ------------------------------------------------------------------------------------------------

    def _leader(self) -> Client:
        if self._client is None:
            quorum = self._access.describe()
            addresses = [address for _, address in quorum.leader_addresses]
            if not addresses:
                raise _AskAgain("the quorum does not say where its leader is")
            self._epoch = quorum.partition.leader_epoch
            self._client = Client.bootstrap(addresses, timeout_ms=TIMEOUT_MS)
        return self._client

    def _fetch(self) -> bool:
        """Read further with one Fetch. Returns whether there is more."""
        leader = self._leader()
        response = leader.send(self._fetch_request())
        assert isinstance(response, FetchResponse)
        _check(response.error_code, leader)
        partition = _only_partition("Fetch", [each.partitions for each in response.responses], leader)
        _check(partition.error_code, leader)
        if partition.snapshot_id.epoch >= 0:
            self._load_snapshot(
                SnapshotId(epoch=partition.snapshot_id.epoch, end_offset=partition.snapshot_id.end_offset)
            )
            return True
        if partition.diverging_epoch.epoch >= 0:
            raise SourceError(f"the quorum has lost what was committed at {self._replay.next_offset - 1}")
        return self._take(partition)

    def _take(self, partition: FetchResponse.PartitionData) -> bool:
        before = self._replay.next_offset
        for batch in iterate_batches(joined(partition.records or b"")):
            if batch.next_offset > partition.high_watermark or self._replay.is_done:
                break
            batch.check()
            self._replay.take(batch)
        if self._at is not None and partition.high_watermark <= self._at:
            raise SourceError(
                f"the quorum's log is committed to offset {partition.high_watermark - 1}; "
                f"there is no offset {self._at} yet"
            )
        return before < self._replay.next_offset < partition.high_watermark

    def _fetch_request(self) -> FetchRequest:
        partition = FetchRequest.FetchPartition(
            partition=0,
            current_leader_epoch=self._epoch,
            fetch_offset=self._replay.next_offset,
            last_fetched_epoch=max(self._replay.epoch, 0),
            log_start_offset=-1,
            partition_max_bytes=FETCH_BYTES,
        )
        topic = FetchRequest.FetchTopic(
            topic=METADATA_TOPIC, topic_id=METADATA_TOPIC_ID, partitions=[partition]
        )
        return FetchRequest(max_wait_ms=0, min_bytes=0, max_bytes=FETCH_BYTES, topics=[topic])

    def _load_snapshot(self, snapshot_id: SnapshotId) -> None:
        if self._at is not None and snapshot_id.end_offset > self._at + 1:
            raise SourceError(
                f"the quorum's log does not hold offset {self._at} any more: it serves the snapshot of offset "
                f"{snapshot_id.end_offset - 1} and what follows; a node's directory may hold older ones"
            )
        content = bytearray()
        while True:
            piece, size = self._fetch_piece(snapshot_id, len(content))
            content += piece
            if len(content) >= size:
                break
            if not piece:
                raise _AskAgain("the leader sends no more of its snapshot")
        where = f"snapshot {snapshot_id.end_offset}-{snapshot_id.epoch}"
        self._replay.load_snapshot(image_of_records(read_snapshot(content), where, snapshot_id))

    def _fetch_piece(self, snapshot_id: SnapshotId, position: int) -> tuple[bytes, int]:
        """Bytes of a snapshot from a position on, and its size."""
        partition = FetchSnapshotRequest.PartitionSnapshot(
            partition=0,
            current_leader_epoch=self._epoch,
            snapshot_id=FetchSnapshotRequest.SnapshotId(
                end_offset=snapshot_id.end_offset, epoch=snapshot_id.epoch
            ),
            position=position,
        )
        topic = FetchSnapshotRequest.TopicSnapshot(name=METADATA_TOPIC, partitions=[partition])
        leader = self._leader()
        response = leader.send(FetchSnapshotRequest(replica_id=-1, max_bytes=FETCH_BYTES, topics=[topic]))
        assert isinstance(response, FetchSnapshotResponse)
        _check(response.error_code, leader)
        answer = _only_partition("FetchSnapshot", [each.partitions for each in response.topics], leader)
        _check(answer.error_code, leader)
        return joined(answer.unaligned_records or b""), answer.size


def _only_partition(request: str, topics: Sequence[Sequence[T]], leader: Client) -> T:
    """The one partition in a response, from its topics' partitions. Raises SourceError unless there is exactly one."""
    if len(topics) != 1 or len(topics[0]) != 1:
        raise SourceError(
            f"{leader.host}:{leader.port}: the answer to {request} is not about {METADATA_LOG_NAME}"
        )
    return topics[0][0]


def _check(error_code: int, leader: Client) -> None:
    if error_code:
        info = describe(error_code)
        text = f"{leader.host}:{leader.port}: {info.name}: {info.message}"
        raise _AskAgain(text) if info.code in _LEADER_IS_ELSEWHERE else SourceError(text)
