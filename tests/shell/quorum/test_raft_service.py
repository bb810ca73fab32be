"""Requests of other replicas: who gets them, where the data of responses comes from, what happens if it is gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkaproto.messages import FetchResponse, FetchSnapshotResponse
from kafkaproto.records.batch import build_batch
from kafkaproto.snapshot import SnapshotId
from kafkaproto_server.base.types import LeaderAndEpoch, OffsetAndEpoch
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    InboundRequest,
    LogRange,
    OutboundRequest,
    OutboundResponse,
    PendingFetchResponse,
    PendingFetchSnapshotResponse,
    SnapshotRange,
)
from kafkaproto_server.requests.context import NoResponse
from kafkaproto_server.shell.quorum.log_tail import TailBatch
from kafkaproto_server.shell.quorum.raft_service import RaftService
from kafkaproto_server.shell.storage.errors import OffsetOutOfRangeError
from tests.core.raft.support.golden_messages import CLUSTER_ID
from tests.core.raft.wire.test_outbound import FETCH, FETCH_SNAPSHOT, sent

LEADER = LeaderAndEpoch(leader_id=2, epoch=4)
SNAPSHOT = OffsetAndEpoch(offset=10, epoch=2)
VERSIONS = {FETCH: 17, FETCH_SNAPSHOT: 1}
BATCHES = [
    build_batch([(None, b"v", ())] * 2, base_offset=offset, partition_leader_epoch=4, timestamp_ms=1)
    for offset in (10, 12, 14)
]


@dataclass
class World:
    """The core, the log, snapshots and the thread that reads them."""

    answer: OutboundResponse | None = None
    turned_away: str | None = None
    asked: list[tuple[InboundRequest, str]] = field(default_factory=list)
    tail: list[TailBatch] | None = None
    log: bytes | None = b"".join(BATCHES)
    snapshot: bytes | None = b"snapshot"
    reads: list[Any] = field(default_factory=list)

    def ask(
        self, request: InboundRequest, listener: str, answered: Callable[[OutboundResponse], None]
    ) -> str | None:
        self.asked.append((request, listener))
        if self.answer is not None:
            answered(self.answer)
        return self.turned_away

    def read(self, *where: Any) -> Any:
        self.reads.append(where)
        return self.tail

    def read_log(self, offset: int, max_bytes: int) -> bytes:
        self.reads.append((offset, max_bytes))
        if self.log is None:
            raise OffsetOutOfRangeError("/log", offset, 20, 30)
        return self.log

    def read_at(self, snapshot: SnapshotId, position: int, length: int) -> bytes:
        self.reads.append((snapshot, position, length))
        if self.snapshot is None:
            raise FileNotFoundError
        return self.snapshot

    def serve(self, request: OutboundRequest, cluster_id: str = CLUSTER_ID) -> Any:
        service = RaftService(
            cluster_id=cluster_id,
            ask=self.ask,
            log=cast(
                Any,
                SimpleNamespace(
                    storage=SimpleNamespace(
                        log=SimpleNamespace(read=self.read_log),
                        snapshots=SimpleNamespace(read_at=self.read_at),
                    ),
                    tail=SimpleNamespace(read=self.read),
                    worker=SimpleNamespace(call=lambda work, done: done(work())),
                ),
            ),
        )
        version = VERSIONS[request]
        context = SimpleNamespace(api_version=version, listener_name="CONTROLLER")
        found: list[Any] = []
        service.serve(sent(request, version), cast(Any, context)).on_done(found.append, found.append)
        return found[0] if found else None


def fetched(end_offset: int = 14) -> PendingFetchResponse:
    read = LogRange(offset=10, end_offset=end_offset, max_bytes=1000)
    return PendingFetchResponse(leader=LEADER, log_start_offset=0, high_watermark=12, read=read)


def records(response: Any) -> bytes:
    assert isinstance(response, FetchResponse)
    found = response.responses[0].partitions[0].records
    assert response.responses[0].partitions[0].high_watermark == 12
    return joined(found)


def joined(data: Any) -> bytes:
    """What a response has in one buffer or in several."""
    return b"".join(map(bytes, data)) if isinstance(data, list) else bytes(data or b"")


def test_the_core_is_asked_and_its_answer_is_the_response() -> None:
    world = World()
    assert world.serve(FETCH) is None
    [(request, listener)] = world.asked
    assert (type(request), listener) == (type(FETCH), "CONTROLLER")
    world.answer = PendingFetchResponse(leader=LEADER, log_start_offset=0, high_watermark=12)
    assert records(world.serve(FETCH)) == b""
    assert world.reads == []


def test_another_cluster_does_not_reach_the_core() -> None:
    world = World(answer=fetched())
    assert world.serve(FETCH, "another").error_code == RaftError.INCONSISTENT_CLUSTER_ID
    assert world.asked == []


def test_who_is_turned_away_gets_no_response() -> None:
    assert World(turned_away="too many").serve(FETCH) == NoResponse(reason="too many")


def test_an_answer_that_cannot_be_encoded_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any) -> None:
        raise ValueError("a string is too long")

    monkeypatch.setattr("kafkaproto_server.shell.quorum.raft_service.wire.encode_response", fail)
    assert isinstance(World(answer=fetched()).serve(FETCH), ValueError)


def test_the_newest_records_come_from_memory() -> None:
    tail = [TailBatch(base_offset=10, next_offset=12, payload=BATCHES[0])]
    world = World(answer=fetched(), tail=tail)
    assert records(world.serve(FETCH)) == BATCHES[0]
    assert world.reads == [(10, 14, 1000)]


@pytest.mark.parametrize(("end_offset", "count"), [(16, 3), (14, 2), (13, 1), (12, 1), (11, 0)])
def test_older_records_come_from_the_log_in_whole_batches_up_to_what_the_core_allows(
    end_offset: int, count: int
) -> None:
    world = World(answer=fetched(end_offset))
    assert records(world.serve(FETCH)) == b"".join(BATCHES[:count])
    assert world.reads == [(10, end_offset, 1000), (10, 1000)]


def test_what_was_deleted_meanwhile_is_no_error() -> None:
    assert records(World(answer=fetched(), log=None).serve(FETCH)) == b""


@pytest.mark.parametrize("is_there", [True, False])
def test_a_part_of_a_snapshot_is_read_unless_it_is_gone(is_there: bool) -> None:
    read = SnapshotRange(snapshot=SNAPSHOT, position=3, length=8)
    answer = PendingFetchSnapshotResponse(leader=LEADER, snapshot=SNAPSHOT, size=20, position=3, read=read)
    world = World(answer=answer)
    if not is_there:
        world.snapshot = None
    response = world.serve(FETCH_SNAPSHOT)
    assert isinstance(response, FetchSnapshotResponse)
    [partition] = response.topics[0].partitions
    assert joined(partition.unaligned_records) == (b"snapshot" if is_there else b"")
    assert partition.error_code == (RaftError.NONE if is_there else RaftError.SNAPSHOT_NOT_FOUND)
    assert world.reads == [(SnapshotId(end_offset=10, epoch=2), 3, 8)]


def test_nothing_is_read_of_a_snapshot_if_the_core_refuses() -> None:
    refused = PendingFetchSnapshotResponse(
        error=RaftError.POSITION_OUT_OF_RANGE, leader=LEADER, snapshot=SNAPSHOT
    )
    world = World(answer=refused)
    assert world.serve(FETCH_SNAPSHOT).topics[0].partitions[0].error_code == refused.error
    assert world.reads == []
