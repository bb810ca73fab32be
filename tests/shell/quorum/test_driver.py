"""The task that drives both cores, on a disk in memory that fails and forgets when told to.

Tests: `shell.quorum.host`, `shell.quorum.peers`.
"""

from __future__ import annotations

import errno
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

import pytest
import trio
import trio.testing

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    FeatureLevelRecord,
    IncrementalAlterConfigsRequest,
    UpdateFeaturesResponse,
)
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import METADATA_TOPIC_ID, Endpoint, ReplicaKey
from kafkaproto_server.config.node_config import default_config
from kafkaproto_server.core.controller.machine.controller import Controller
from kafkaproto_server.core.controller.values.events import CommandContext
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.values.messages import FetchRequest
from kafkaproto_server.metadata.features import supported_ranges
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE
from kafkaproto_server.metadata.image.replay import replay
from kafkaproto_server.node.startup import OpenedNode, open_node
from kafkaproto_server.requests.context import NoResponse, Response
from kafkaproto_server.shell.process.system import SystemClock
from kafkaproto_server.shell.quorum import driver as quorum_module
from kafkaproto_server.shell.quorum.disk_worker import DiskFailureError
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.quorum.image import metadata_feed
from kafkaproto_server.shell.quorum.image.published import UnsupportedFeatureError, check_features
from kafkaproto_server.shell.quorum.metrics import SnapshotMetrics
from kafkaproto_server.shell.storage.directories.format import FormatRequest, format_directories
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotWriter
from tests.core.controller.support.harness import controller_registration_request, update_features_request
from tests.node.support.nodes import CLUSTER_ID, SeededRng
from tests.node.support.waiting import wait_decided
from tests.sim.disk import MemoryDisk

WAIT_S = 10.0
ENDPOINT = Endpoint(name="CONTROLLER", host="127.0.0.1", port=19093)
LOG_SUFFIX = "00000000000000000000.log"


@pytest.fixture
def disk() -> MemoryDisk:
    memory = MemoryDisk()
    memory.make_directory("/data")
    memory.sync_directory("/")
    return memory


def open_on(disk: MemoryDisk, seed: int = 1, /, **changes: str) -> OpenedNode:
    """A node on the disk, formatted on the first time; ``changes`` to its configuration have _ for dots."""
    settings = {"log.dirs": "/data/node", "metadata.max.idle.interval.ms": "0"}
    settings |= {name.replace("_", "."): value for name, value in changes.items()}
    return open_node(
        default_config(settings),
        controller_endpoints=(ENDPOINT,),
        format_if_new=True,
        disk=disk,
        clock=SystemClock(),
        rng=SeededRng(seed),
    )


def format_with_static_voters(disk: MemoryDisk) -> None:
    """What a node is formatted to whose voters ``controller.quorum.voters`` names: kraft.version is 0."""
    request = FormatRequest(
        cluster_id=CLUSTER_ID,
        node_id=1,
        directories=("/data/node",),
        metadata_directory="/data/node",
        is_controller=True,
        has_static_voters=True,
    )
    format_directories(
        disk, request, wall_ms=lambda: 1000, new_uuid=SeededRng(1).uuid, report=lambda line: None
    )


@asynccontextmanager
async def running_node(disk: MemoryDisk, **changes: str) -> AsyncIterator[OpenedNode]:
    """A node whose driver runs, leads, and is stopped in order afterwards."""
    opened = open_on(disk, **changes)
    driver = opened.quorum
    with trio.fail_after(WAIT_S):
        async with trio.open_nursery() as nursery:
            await nursery.start(driver.run)
            await driver.wait_until_follows_leader()
            yield opened
            await driver.stop()
    opened.release()


@asynccontextmanager
async def running(disk: MemoryDisk, **changes: str) -> AsyncIterator[QuorumDriver]:
    """The driver of a `running_node`."""
    async with running_node(disk, **changes) as opened:
        yield opened.quorum


def create(driver: QuorumDriver, *names: str) -> Deferred[Response]:
    """Ask for topics of one partition."""
    topics = [
        CreateTopicsRequest.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
        for name in names
    ]
    return driver.submit(CreateTopicsRequest(topics=topics, timeout_ms=5_000), 7, CommandContext())


def alter(driver: QuorumDriver, value: str) -> Deferred[Response]:
    """Set a key of all brokers."""
    config = IncrementalAlterConfigsRequest.AlterableConfig(
        name="log.retention.ms", config_operation=0, value=value
    )
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=4, resource_name="", configs=[config]
    )
    return driver.submit(IncrementalAlterConfigsRequest(resources=[resource]), 1, CommandContext())


def describe(driver: QuorumDriver) -> DescribeQuorumResponse.PartitionData:
    partition = DescribeQuorumRequest.PartitionData(partition_index=0)
    topic = DescribeQuorumRequest.TopicData(topic_name="__cluster_metadata", partitions=[partition])
    response = driver.describe_quorum(DescribeQuorumRequest(topics=[topic]), 2)
    assert isinstance(response, DescribeQuorumResponse)
    return response.topics[0].partitions[0]


async def wait_for_features(driver: QuorumDriver) -> None:
    while not driver.published.image.features:
        await driver.published.changed.wait()


@pytest.mark.trio
async def test_a_new_node_leads_and_publishes_its_bootstrap_records(disk: MemoryDisk) -> None:
    async with running(disk) as driver:
        await wait_for_features(driver)
        assert driver.published.image.metadata_version == 33
        assert driver.published.leader.leader_id == 1
        assert driver.kraft_version == 1
        assert driver.leader_endpoint("CONTROLLER") == ENDPOINT
        assert driver.leader_endpoint("ELSEWHERE") is None
        partition = describe(driver)
        assert (partition.error_code, partition.leader_id, partition.leader_epoch) == (0, 1, 1)
        assert partition.high_watermark == driver.published.image.offset + 1


@pytest.mark.trio
async def test_what_was_committed_is_there_after_a_clean_restart_and_after_a_crash(disk: MemoryDisk) -> None:
    async with running(disk) as driver:
        await wait_for_features(driver)
        before = driver.published.image
    for restart in range(3):
        if restart:
            disk.crash(SeededRng(restart))
        async with running(disk) as driver:
            assert driver.published.image.features == before.features
            assert describe(driver).leader_epoch == 2 + restart


@pytest.mark.trio
async def test_what_was_published_survives_a_power_loss_in_the_middle_of_work(disk: MemoryDisk) -> None:
    for life in range(5):
        opened = open_on(disk, life)
        with trio.fail_after(WAIT_S):
            async with trio.open_nursery() as nursery:
                await nursery.start(opened.quorum.run)
                await wait_for_features(opened.quorum)
                published = opened.quorum.published.image
                epoch = describe(opened.quorum).leader_epoch
                nursery.cancel_scope.cancel()
        assert epoch == life + 1
        disk.crash(SeededRng(life))
        log = Log.open(disk, "/data/node/__cluster_metadata-0", topic_id=METADATA_TOPIC_ID)
        assert log.log_end_offset > published.offset


@pytest.mark.trio
async def test_a_long_log_is_handed_over_in_pieces(disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(disk) as driver:
        await wait_for_features(driver)
        before = driver.published.image
    monkeypatch.setattr(metadata_feed, "READ_BYTES", 1)
    monkeypatch.setattr(metadata_feed, "SLICE_MS", 0.0)
    async with running(disk) as driver:
        assert driver.published.image.features == before.features


@pytest.mark.trio
async def test_a_command_is_answered(disk: MemoryDisk) -> None:
    async with running(disk) as driver:
        response = await wait_decided(create(driver, "a"))
        assert isinstance(response, CreateTopicsResponse)
        # Nobody has registered: there is nowhere to put a replica.
        assert response.topics[0].error_code == ErrorCode.INVALID_REPLICATION_FACTOR


@pytest.mark.trio
@pytest.mark.parametrize("operation", ["write", "sync"])
async def test_a_disk_that_fails_ends_the_node_and_nothing_is_promised(
    disk: MemoryDisk, operation: str
) -> None:
    driver = open_on(disk).quorum
    disk.fail(operation, LOG_SUFFIX, errno.EIO)
    with trio.fail_after(WAIT_S), pytest.RaisesGroup(DiskFailureError, flatten_subgroups=True):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.run)
    assert driver.published.active_epoch is None
    assert driver.published.image is EMPTY_IMAGE


@pytest.mark.trio
async def test_a_vote_that_cannot_be_written_leads_nowhere(disk: MemoryDisk) -> None:
    driver = open_on(disk).quorum
    disk.fail("sync", "quorum-state.tmp", errno.EIO)
    with trio.fail_after(WAIT_S), pytest.RaisesGroup(DiskFailureError, flatten_subgroups=True):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.run)
    assert driver.published.leader.leader_id == -1


@pytest.mark.trio
async def test_too_many_waiting_commands_are_turned_away(
    disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quorum_module, "MAX_WAITING_REQUESTS", 3)
    async with running(disk) as driver:
        replies = [create(driver, f"topic-{number}") for number in range(5)]
        responses = [await wait_decided(reply) for reply in replies]
        assert [isinstance(response, NoResponse) for response in responses] == [False] * 3 + [True] * 2
        again = await wait_decided(create(driver, "again"))
        assert isinstance(again, CreateTopicsResponse)


@pytest.mark.trio
async def test_too_many_waiting_requests_of_replicas_are_turned_away(
    disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quorum_module, "MAX_WAITING_REQUESTS", 2)
    async with running(disk) as driver:
        await wait_for_features(driver)
        end = describe(driver).high_watermark
        fetch = FetchRequest(
            replica=ReplicaKey(id=9),
            epoch=1,
            fetch_offset=end,
            last_fetched_epoch=1,
            max_wait_ms=60_000,
            max_bytes=1_000,
            high_watermark=end,
        )
        reasons = []
        for _ in range(3):
            reasons.append(driver._take_request(fetch, "CONTROLLER", lambda response: None))
            await trio.testing.wait_all_tasks_blocked()
        assert reasons == [None, None, "2 requests wait for the quorum already"]


@pytest.mark.trio
async def test_an_active_controller_is_not_fed_what_it_has_appended(
    disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(disk) as driver:
        await wait_for_features(driver)
        with monkeypatch.context() as patched:
            # As while the high watermark is inside of the control batches that the controller counts as one.
            patched.setattr(metadata_feed.MetadataFeed, "can_step", True)
            assert not driver._committed.can_step


@pytest.mark.trio
async def test_commands_that_wait_together_share_a_batch(
    disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All of them within one turn, however busy the machine is.
    monkeypatch.setattr("kafkaproto_server.shell.quorum.loop.TURN_MS", 60_000.0)
    async with running(disk) as driver:
        await wait_for_features(driver)
        appended = driver.metrics.appended_records
        synced = driver.metrics.flushes.count
        replies = [alter(driver, str(number)) for number in range(1, 21)]
        for reply in replies:
            await wait_decided(reply)
        assert driver.metrics.appended_records == appended + 20
        assert driver.metrics.flushes.count == synced + 1


@pytest.mark.trio
async def test_kraft_version_is_raised_among_commands_that_wait_with_it(
    disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All of them within one turn: decided on, before the quorum appends control records of its own.
    monkeypatch.setattr("kafkaproto_server.shell.quorum.loop.TURN_MS", 60_000.0)
    format_with_static_voters(disk)
    voters = "1@127.0.0.1:19093"
    async with running(disk, controller_quorum_voters=voters) as driver:
        await wait_for_features(driver)
        assert driver.kraft_version == 0
        registration = controller_registration_request(controller_id=1)
        await wait_decided(driver.submit(registration, 0, CommandContext()))
        upgrade = update_features_request(("kraft.version", 1, 1))
        replies = [
            alter(driver, "1"),
            driver.submit(upgrade, 2, CommandContext()),
            alter(driver, "2"),
            driver.submit(upgrade, 2, CommandContext()),
            alter(driver, "3"),
        ]
        responses = [await wait_decided(reply) for reply in replies]
        for response in responses[1::2]:
            assert isinstance(response, UpdateFeaturesResponse)
            assert response.error_code == ErrorCode.NONE
        assert driver.kraft_version == 1
        assert driver.published.image.config(4, "")["log.retention.ms"] == "3"
    async with running(disk, controller_quorum_voters=voters) as driver:
        assert driver.kraft_version == 1
        assert driver.published.image.config(4, "")["log.retention.ms"] == "3"


def register(node: OpenedNode) -> Deferred[Response]:
    """Ask for broker 1 to be registered."""
    driver = node.quorum
    request = BrokerRegistrationRequest(
        broker_id=1,
        cluster_id=node.cluster_id,
        incarnation_id=b"\x07" * 16,
        listeners=[BrokerRegistrationRequest.Listener(name="PLAINTEXT", host="127.0.0.1", port=9092)],
        features=[
            BrokerRegistrationRequest.Feature(
                name=name, min_supported_version=lowest, max_supported_version=highest
            )
            for name, (lowest, highest) in supported_ranges().items()
        ],
        log_dirs=[b"\x08" * 16],
    )
    return driver.submit(request, 4, CommandContext())


def heartbeat(driver: QuorumDriver, *, epoch: int) -> Deferred[Response]:
    """Say that broker 1 is there and has read everything."""
    request = BrokerHeartbeatRequest(
        broker_id=1, broker_epoch=epoch, current_metadata_offset=1_000_000, want_fence=False
    )
    return driver.submit(request, 2, CommandContext())


@pytest.mark.trio
async def test_a_heartbeat_is_answered_on_the_spot_or_when_what_it_changes_is_committed(
    disk: MemoryDisk,
) -> None:
    async with running_node(disk) as node:
        driver = node.quorum
        await wait_for_features(driver)
        registered = await wait_decided(register(node))
        assert isinstance(registered, BrokerRegistrationResponse)
        assert registered.error_code == ErrorCode.NONE
        await trio.testing.wait_all_tasks_blocked()
        assert driver.published.image.brokers[1].fenced
        responses: list[Response] = []

        unfencing = heartbeat(driver, epoch=registered.broker_epoch)
        unfencing.on_done(responses.append)
        assert not responses
        await wait_decided(unfencing)
        assert not driver.published.image.brokers[1].fenced
        await trio.testing.wait_all_tasks_blocked()

        heartbeat(driver, epoch=registered.broker_epoch).on_done(responses.append)
        heartbeat(driver, epoch=registered.broker_epoch + 1).on_done(responses.append)
        assert [
            response.error_code for response in responses if isinstance(response, BrokerHeartbeatResponse)
        ] == [
            ErrorCode.NONE,
            ErrorCode.NONE,
            ErrorCode.STALE_BROKER_EPOCH,
        ]


@pytest.mark.trio
async def test_a_core_that_fails_over_a_heartbeat_ends_the_driver_and_not_who_asked(
    disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> NoReturn:
        raise AssertionError("the core contradicts itself")

    driver = open_on(disk).quorum
    with (
        trio.fail_after(WAIT_S),
        pytest.RaisesGroup(
            pytest.RaisesExc(AssertionError, match="contradicts itself"), flatten_subgroups=True
        ),
    ):
        async with trio.open_nursery() as nursery:
            await nursery.start(driver.run)
            await driver.wait_until_follows_leader()
            await trio.testing.wait_all_tasks_blocked()
            monkeypatch.setattr(Controller, "_handle_command", fail)
            heartbeat(driver, epoch=1)


@pytest.mark.trio
async def test_a_core_that_contradicts_itself_leaves_its_state_in_the_log(
    disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: RaftNode, event: object, now_ms: int) -> NoReturn:
        raise AssertionError("two leaders")

    with pytest.RaisesGroup(AssertionError, flatten_subgroups=True):
        async with running(disk) as driver:
            await wait_for_features(driver)
            monkeypatch.setattr(RaftNode, "handle", fail)
            alter(driver, "1")
            await trio.sleep_forever()
    (last_words,) = [each.message for each in caplog.records if each.levelno == logging.CRITICAL]
    assert last_words.startswith("the Raft core failed: append requested epoch=1")
    assert "its state: leader epoch=1" in last_words


@pytest.mark.trio
async def test_the_quorum_can_be_traced(disk: MemoryDisk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="kafkaproto.server.quorum.trace")
    async with running(disk) as driver:
        await wait_for_features(driver)
    lines = [each.message for each in caplog.records if each.name.endswith(".trace")]
    assert any(line.startswith("< append requested epoch=1") for line in lines)
    assert any("became leader epoch=1" in line for line in lines)


@pytest.mark.trio
async def test_after_the_stop_nobody_leads(disk: MemoryDisk) -> None:
    async with running(disk) as driver:
        assert driver.follows_leader
    assert not driver.follows_leader
    partition = describe(driver)
    assert partition.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


class HeldSnapshot:
    """The first snapshot, which a thread writes until ``may_end``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._has_begun, self.may_end = threading.Event(), threading.Event()
        monkeypatch.setattr(SnapshotWriter, "sync", self._sync)

    def _sync(self) -> None:
        self._has_begun.set()
        assert self.may_end.wait(WAIT_S)

    @asynccontextmanager
    async def being_written(self, disk: MemoryDisk) -> AsyncIterator[QuorumDriver]:
        async with running(disk, metadata_log_max_record_bytes_between_snapshots="1") as driver:
            create(driver, "topic")
            await trio.to_thread.run_sync(self._has_begun.wait, WAIT_S)
            yield driver


@pytest.mark.trio
async def test_a_snapshot_does_not_count_while_it_is_being_written(
    disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = HeldSnapshot(monkeypatch)
    async with held.being_written(disk) as driver:
        assert driver.snapshot_metrics() == SnapshotMetrics(
            loaded=0, written=0, failed=0, latest_bytes=0, latest_age_ms=0
        )
        held.may_end.set()


@pytest.mark.trio
async def test_it_has_stopped_once_the_thread_that_writes_a_snapshot_has_ended(
    disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = HeldSnapshot(monkeypatch)
    async with held.being_written(disk) as driver:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.stop)
            while any(
                "__cluster_metadata" in str(each) for each in disk.open_files if ".part" not in str(each)
            ):
                await trio.sleep(0.001)
            await trio.testing.wait_all_tasks_blocked()
            # The log is closed, and the snapshot is not.
            assert disk.open_files
            assert nursery.child_tasks
            held.may_end.set()
        assert not disk.open_files


def test_features_beyond_this_release_are_refused() -> None:
    known = replay(EMPTY_IMAGE, FeatureLevelRecord(name="metadata.version", feature_level=30), 0)
    check_features(known)
    for level in (21, 33):
        check_features(replay(known, FeatureLevelRecord(name="metadata.version", feature_level=level), 1))
    newer = replay(known, FeatureLevelRecord(name="metadata.version", feature_level=34), 1)
    with pytest.raises(UnsupportedFeatureError, match=r"metadata\.version at level 34; .* 21 to 33"):
        check_features(newer)
    unknown = replay(known, FeatureLevelRecord(name="elsewhere.version", feature_level=1), 1)
    with pytest.raises(UnsupportedFeatureError, match=r"elsewhere\.version at level 1; .* 0 to 0"):
        check_features(unknown)
