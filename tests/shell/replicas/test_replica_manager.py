"""A broker's replicas as a whole: who may join an ISR (KIP-841, KIP-903), what is answered once a log is closed, what
is done again and again, and where other brokers are reached.

Tests: `shell.replicas.files.directory_failures`, `shell.replicas.files.hosted_settings`, `shell.replicas.isr_checks`,
`shell.replicas.known_brokers`, `shell.replicas.local_node`, `shell.replicas.missing_replicas`,
`shell.replicas.replica_settings`, `shell.replicas.roles`.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    DeleteRecordsRequest,
    DeleteTopicsRequest,
    RegisterBrokerRecord,
    WriteTxnMarkersRequest,
)
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.replay import replay
from kafkaproto_server.shell.replicas.files.directory_failures import DirectoryFailures
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.storage.errors import CorruptFileError
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch, only_partition, wanted
from tests.apis.support.replicas import BrokerReplicas
from tests.node.support.controllers import TrioClock

WORKS, FAILED = b"w" * 16, b"f" * 16
"""Directories of broker 2."""
LONG_MS = 60_000


Endpoint = RegisterBrokerRecord.BrokerEndpoint


def image(*, fenced: bool = False, leaves: bool = False, endpoints: Sequence[Endpoint] = ()) -> ClusterImage:
    """Of a cluster with broker 2, in epoch 9."""
    record = RegisterBrokerRecord(
        broker_id=2,
        incarnation_id=bytes(16),
        broker_epoch=9,
        fenced=fenced,
        in_controlled_shutdown=leaves,
        log_dirs=[WORKS],
        end_points=list(endpoints),
    )
    return replay(EMPTY_IMAGE, record, 9)


@pytest.mark.parametrize(
    ("epoch", "found", "directory_id", "may_join"),
    [
        (9, image(), WORKS, True),
        (9, image(), FAILED, False),
        (-1, image(), WORKS, True),
        (8, image(), WORKS, False),
        (9, image(fenced=True), WORKS, False),
        (9, image(leaves=True), WORKS, False),
        (9, EMPTY_IMAGE, WORKS, False),
    ],
)
def test_who_may_join_an_isr(epoch: int, found: ClusterImage, directory_id: bytes, may_join: bool) -> None:
    broker = BrokerReplicas(1, lambda: found)
    assert broker.manager.brokers.is_eligible(2, epoch, directory_id) is may_join


def test_a_replica_whose_log_is_closed_leads_no_more() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    assert broker.produce("t", batch(b"a")).error_code == 0
    broker.replicas.manager.replicas.clean_stop.begin(lambda: None)
    delete = DeleteRecordsRequest.DeleteRecordsTopic(
        name="t",
        partitions=[DeleteRecordsRequest.DeleteRecordsPartition(partition_index=0, offset=1)],
    )
    marker = WriteTxnMarkersRequest.WritableTxnMarker(
        producer_id=1,
        topics=[WriteTxnMarkersRequest.WritableTxnMarkerTopic(name="t", partition_indexes=[0])],
    )
    deleted = broker.ask(DeleteRecordsRequest(topics=[delete], timeout_ms=1000), 2)
    (marked,) = broker.ask(WriteTxnMarkersRequest(markers=[marker]), 1).markers
    responses = (
        broker.produce("t", batch(b"b")),
        broker.fetch("t", wanted(0, 0)),
        *(broker.offset("t", timestamp) for timestamp in (-1, -2, -3, 1)),
        only_partition(deleted.topics),
        only_partition(marked.topics),
    )
    assert [each.error_code for each in responses] == [ErrorCode.NOT_LEADER_OR_FOLLOWER] * len(responses)


def test_who_uses_a_partition_hears_that_its_log_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    manager = broker.replicas.manager
    (hosted,) = manager.replicas
    heard: list[object] = []
    monkeypatch.setattr(broker.replicas, "role_changed", heard.append)
    manager.replicas.failed(hosted, CorruptFileError("/logs/t-0", "is damaged"))
    assert heard == [hosted]


@pytest.mark.parametrize("is_deleted", [True, False])
def test_no_change_of_an_isr_is_asked_for_once_its_leader_is_gone(is_deleted: bool) -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    broker.report()
    manager = broker.replicas.manager
    (hosted,) = manager.replicas
    broker.produce("t", batch(b"a"))
    broker.replicas.pass_time(LONG_MS)
    hosted.partition.maybe_shrink_isr(broker.replicas.clock.now_ms())
    changes = manager.isr_changes._changes
    assert changes.due_ms is not None
    if is_deleted:
        topics = [DeleteTopicsRequest.DeleteTopicState(name="t")]
        broker.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
        broker.report()
    else:
        broker.replicas.directory_failed("/logs", "EIO")
    assert changes.due_ms is None


def test_who_uses_a_partition_hears_that_its_directory_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    manager = broker.replicas.manager
    (hosted,) = manager.replicas
    heard: list[object] = []
    monkeypatch.setattr(broker.replicas, "role_changed", heard.append)
    broker.replicas.directory_failed("/logs", "EIO")
    assert heard == [hosted]


def test_a_replica_is_copied_from_another_broker_while_it_follows_that_one() -> None:
    broker = DataBroker()
    copied: set[tuple[bytes, int]] = set()

    def follow(hosted: Hosted) -> None:
        copied.add((hosted.partition.topic_id, hosted.partition.index))

    broker.replicas.manager._roles.fetchers = cast(
        Any, SimpleNamespace(follow=follow, unfollow=copied.discard)
    )
    topic_id = broker.topic("t", [ME, OTHER])
    broker.replicas.follow()
    assert copied == set()
    broker.harness.heartbeat(ME, want_fence=True)
    broker.replicas.follow()
    assert copied == {(topic_id, 0)}
    broker.harness.heartbeat(ME)
    broker.lead_anew("t")
    assert copied == set()


@pytest.mark.trio
async def test_what_is_due_is_called_while_a_broker_has_replicas(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def start(task_status: trio.TaskStatus[None]) -> None:
        task_status.started()

    broker = BrokerReplicas(1, lambda: EMPTY_IMAGE)
    manager = broker.manager
    # Neither threads nor fetchers have anything to do.
    monkeypatch.setattr(broker.workers, "run", start)
    monkeypatch.setattr(manager.fetchers, "run", start, raising=False)
    called = trio.Event()
    async with trio.open_nursery() as nursery:
        await nursery.start(manager.run)
        manager.call_at(broker.clock.now_ms(), called.set)
        with trio.fail_after(1):
            await called.wait()
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_leaders_look_at_their_followers_from_time_to_time(autojump_clock: MockClock) -> None:
    broker = BrokerReplicas(1, lambda: EMPTY_IMAGE, static_config={"replica.lag.time.max.ms": "3000"})
    manager = broker.manager
    looks: dict[str, list[int]] = {"expand": [], "shrink": []}

    def look(name: str) -> None:
        looks[name].append(TrioClock().now_ms())

    partition = SimpleNamespace(
        maybe_expand_isr=lambda: look("expand"), maybe_shrink_isr=lambda now_ms: look("shrink")
    )
    manager.replicas.by_id[bytes(16), 0] = cast(Any, SimpleNamespace(partition=partition))
    with trio.move_on_after(3.2):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(manager._isr_checks.expand)
            nursery.start_soon(manager._isr_checks.shrink)
    assert looks == {"expand": [500, 1000, 1500, 2000, 2500, 3000], "shrink": [1500, 3000]}


@pytest.mark.trio
async def test_leaders_do_not_look_for_eligible_followers_all_the_time(autojump_clock: MockClock) -> None:
    broker = BrokerReplicas(1, lambda: EMPTY_IMAGE, static_config={"replica.fetch.wait.max.ms": "10"})
    manager = broker.manager
    looks: list[int] = []
    partition = SimpleNamespace(maybe_expand_isr=lambda: looks.append(TrioClock().now_ms()))
    manager.replicas.by_id[bytes(16), 0] = cast(Any, SimpleNamespace(partition=partition))
    with trio.move_on_after(0.35):
        await manager._isr_checks.expand()
    assert looks == [100, 200, 300]


@pytest.mark.trio
async def test_each_failure_of_a_directory_is_reported(autojump_clock: MockClock) -> None:
    reported: list[tuple[str, str]] = []
    failed = DirectoryFailures(lambda path, problem: reported.append((path, problem)))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(failed.run)
        for failures in ([("/a", "EIO"), ("/b", "EROFS")], [("/c", "EIO")]):
            for path, problem in failures:
                failed.note(path, problem)
            await wait_all_tasks_blocked()
            assert sorted(reported) == failures
            reported.clear()
        nursery.cancel_scope.cancel()


def test_a_broker_is_reached_at_its_listener_for_brokers_unless_it_is_fenced() -> None:
    other = Endpoint(name="OTHER", host="h", port=1, security_protocol=0)
    both = (other, Endpoint(name="PLAINTEXT", host="h", port=2, security_protocol=0))
    images = [
        image(endpoints=both),
        image(endpoints=both, fenced=True),
        image(endpoints=(other,)),
        EMPTY_IMAGE,
    ]
    ports = []
    for each in images:
        endpoint = BrokerReplicas(1, lambda each=each: each).manager.brokers.endpoint(2)  # type: ignore[misc]
        ports.append(endpoint and endpoint.port)
    assert ports == [2, None, None, None]
