"""Quorums of several nodes in one event loop: elections, crashes, restarts, hand-over, brokers that only observe."""

from __future__ import annotations

import errno

import pytest
import trio

from kafkaproto.messages import IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse
from kafkaproto_server.core.controller.values.events import CommandContext
from kafkaproto_server.requests.context import NoResponse
from kafkaproto_server.shell.net import passes
from kafkaproto_server.shell.net.passes import Passes
from kafkaproto_server.shell.quorum.disk_worker import DiskFailureError
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.serving.slices import Slices
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore
from tests.node.support.nodes import Nodes, running_nodes
from tests.node.support.waiting import wait_decided

pytestmark = pytest.mark.trio

BROKER_RESOURCE = 4
KEY = "log.retention.ms"
METADATA_DIRECTORY = "/data/node/__cluster_metadata-0"


async def write(driver: QuorumDriver, number: int) -> bool:
    """Have the controller write a number; whether it was acknowledged."""
    config = IncrementalAlterConfigsRequest.AlterableConfig(name=KEY, config_operation=0, value=str(number))
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=BROKER_RESOURCE, resource_name="", configs=[config]
    )
    response = await wait_decided(
        driver.submit(IncrementalAlterConfigsRequest(resources=[resource]), 1, CommandContext())
    )
    assert not isinstance(response, NoResponse)
    assert isinstance(response, IncrementalAlterConfigsResponse)
    return response.responses[0].error_code == 0


def written(driver: QuorumDriver | None) -> int:
    """The number that a node sees; 0 for none."""
    if driver is None:
        return 0
    values = driver.published.image.configs.get((BROKER_RESOURCE, ""))
    return 0 if values is None else int(values.get(KEY, "0"))


async def until_all_see(nodes: Nodes, number: int) -> None:
    """Wait until every running node's image has the number."""
    await nodes.until(lambda: all(written(nodes.quorum(each)) == number for each in nodes.running))


async def test_three_voters_elect_a_leader_and_share_what_it_commits() -> None:
    async with running_nodes() as nodes:
        leader, driver = await nodes.until_active()
        assert await write(driver, 1)
        await until_all_see(nodes, 1)
        for node_id in nodes.controller_ids:
            quorum = nodes.quorum(node_id)
            assert quorum is not None
            assert quorum.follows_leader
            assert quorum.published.leader.leader_id == leader
            assert quorum.kraft_version == 1
            assert (quorum.published.active_epoch is None) == (node_id != leader)
            endpoint = quorum.leader_endpoint("CONTROLLER")
            assert endpoint is not None
            assert endpoint.port == nodes.ports[leader]
        await nodes.until(
            lambda: all(len(written_controllers(nodes, each)) == 3 for each in nodes.controller_ids)
        )


async def test_nodes_whose_passes_are_over_at_once_serve_each_other_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(passes, "PASS_S", 0.0)
    waited: list[str] = []
    turns: list[int] = []
    wait_turn, turn = Passes.wait_turn, Slices.turn

    async def noted_wait_turn(each: Passes, host: str) -> None:
        assert each.is_over
        waited.append(host)
        await wait_turn(each, host)

    def noted_turn(each: Slices) -> None:
        turns.append(each.waiting)
        turn(each)

    monkeypatch.setattr(Passes, "wait_turn", noted_wait_turn)
    monkeypatch.setattr(Slices, "turn", noted_turn)
    async with running_nodes() as nodes:
        _, driver = await nodes.until_active()
        assert await write(driver, 1)
        await until_all_see(nodes, 1)
    assert {*waited} == {"127.0.0.1"}
    assert sum(turns) >= len(waited) // 2


def written_controllers(nodes: Nodes, node_id: int) -> tuple[int, ...]:
    driver = nodes.quorum(node_id)
    return () if driver is None else tuple(sorted(driver.published.image.controllers))


async def test_a_write_is_acknowledged_only_by_a_majority() -> None:
    async with running_nodes() as nodes:
        leader, driver = await nodes.until_active()
        for other in set(nodes.controller_ids) - {leader}:
            await nodes.crash(other)
        with trio.move_on_after(0.5) as waiting:
            await write(driver, 1)
        assert waiting.cancelled_caught
        assert written(driver) == 0


async def test_the_leaders_crash_loses_nothing_that_was_acknowledged_and_another_leads_at_once() -> None:
    async with running_nodes() as nodes:
        number = 0
        for _ in range(4):
            leader, driver = await nodes.until_active()
            for _ in range(20):
                number += 1
                assert await write(driver, number)
            begin = trio.current_time()
            await nodes.crash(leader)
            _, driver = await nodes.until_active(other_than=[leader])
            # The fetch timeout of two seconds played no part in that.
            assert trio.current_time() - begin < 1.9
            assert written(driver) == number
            nodes.start(leader)
            await until_all_see(nodes, number)


async def test_a_graceful_stop_hands_over() -> None:
    async with running_nodes() as nodes:
        leader, driver = await nodes.until_active()
        assert await write(driver, 7)
        begin = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(nodes.stop, leader)
            successor, driver = await nodes.until_active(other_than=[leader])
            assert trio.current_time() - begin < 1.0
        assert successor != leader
        assert written(driver) == 7
        assert await write(driver, 8)


async def test_what_was_not_committed_is_cut_off_when_its_leader_comes_back() -> None:
    async with running_nodes() as nodes:
        leader, driver = await nodes.until_active()
        assert await write(driver, 1)
        await until_all_see(nodes, 1)
        others = [each for each in nodes.controller_ids if each != leader]
        for other in others:
            await nodes.crash(other)
        with trio.move_on_after(0.3):
            await write(driver, 2)
        await nodes.crash(leader)
        nodes.start(*others)
        _, successor = await nodes.until_active()
        assert written(successor) == 1
        assert await write(successor, 3)
        nodes.start(leader)
        await until_all_see(nodes, 3)


async def test_a_restarted_quorum_remembers() -> None:
    async with running_nodes() as nodes:
        _, driver = await nodes.until_active()
        assert await write(driver, 5)
        epoch = driver.published.leader.epoch
        for node_id in nodes.controller_ids:
            await nodes.crash(node_id)
        nodes.start(*nodes.controller_ids)
        _, driver = await nodes.until_active()
        assert driver.published.leader.epoch > epoch
        assert written(driver) == 5


async def test_a_broker_alone_follows_as_an_observer() -> None:
    async with running_nodes(brokers=1) as nodes:
        (broker,) = nodes.broker_ids
        nodes.start(broker)
        leader, driver = await nodes.until_active()
        await nodes.until(lambda: nodes.running[broker].node.is_ready)
        assert broker in driver.published.image.brokers
        assert await write(driver, 1)
        await until_all_see(nodes, 1)
        observer = nodes.quorum(broker)
        assert observer is not None
        assert observer.statistics().current_state == "observer"
        await nodes.crash(leader)
        _, driver = await nodes.until_active(other_than=[leader])
        assert await write(driver, 2)
        await nodes.until(lambda: written(nodes.quorum(broker)) == 2)
        assert observer.metrics.flushes.count == 0


async def test_a_disk_that_fails_takes_its_node_out_and_the_others_go_on() -> None:
    failure: list[BaseException] = []
    async with running_nodes() as nodes:
        leader, driver = await nodes.until_active()
        assert await write(driver, 1)
        nodes.running[leader].failures = failure
        nodes.disks[leader].fail("sync", ".log", errno.EIO)
        with trio.move_on_after(1):
            await write(driver, 2)
        await nodes.running[leader].ended.wait()
        del nodes.running[leader]
        _, driver = await nodes.until_active(other_than=[leader])
        assert await write(driver, 3)
        await until_all_see(nodes, 3)
    (error,) = failure
    assert isinstance(error, DiskFailureError)
    assert "sync failed" in str(error)


async def test_commits_and_flushes_are_counted() -> None:
    async with running_nodes() as nodes:
        leader, driver = await nodes.until_active()
        for number in range(1, 11):
            assert await write(driver, number)
        assert driver.metrics.commits.count >= 10
        assert driver.metrics.flushes.count > 0
        assert driver.metrics.appended_records >= 10
        (follower,) = [each for each in nodes.controller_ids if each != leader][:1]
        other = nodes.quorum(follower)
        assert other is not None
        assert other.metrics.fetched_records >= 10
        assert other.peer_statistics()[leader].requests["Fetch"] > 0


def latest_snapshot(nodes: Nodes, node_id: int) -> int:
    """Where a node's newest snapshot ends; 0 for none."""
    ids = SnapshotStore(nodes.disks[node_id], METADATA_DIRECTORY).ids()
    return ids[-1].end_offset if ids else 0


async def test_a_new_voter_fetches_a_snapshot_and_starts_from_it_ever_after() -> None:
    async with running_nodes(
        brokers=1, metadata__log__max__record__bytes__between__snapshots="2000"
    ) as nodes:
        (broker,) = nodes.broker_ids
        leader, driver = await nodes.until_active()
        number = 0
        while latest_snapshot(nodes, leader) == 0:
            number += 1
            assert await write(driver, number)
        nodes.start(broker)
        await until_all_see(nodes, number)
        begins = latest_snapshot(nodes, broker)
        assert begins > 0
        log = nodes.disks[broker].list_directory(METADATA_DIRECTORY)
        assert f"{begins:020d}.log" in log
        assert "00000000000000000000.log" not in log
        for _ in range(3):
            await nodes.crash(broker)
            number += 1
            assert await write(driver, number)
            nodes.start(broker)
            await until_all_see(nodes, number)


async def test_a_follower_that_was_away_for_long_is_brought_back_by_a_snapshot() -> None:
    async with running_nodes(
        metadata__log__max__record__bytes__between__snapshots="2000", metadata__max__retention__bytes="1"
    ) as nodes:
        leader, driver = await nodes.until_active()
        assert await write(driver, 1)
        await until_all_see(nodes, 1)
        away = next(each for each in nodes.controller_ids if each != leader)
        await nodes.crash(away)
        number, snapshots = 1, 0
        while snapshots < 2:
            before = latest_snapshot(nodes, leader)
            while latest_snapshot(nodes, leader) == before:
                number += 1
                assert await write(driver, number)
            snapshots += 1
        start = await nodes.clean_log(leader)
        assert start > 10
        nodes.start(away)
        await until_all_see(nodes, number)
        assert latest_snapshot(nodes, away) >= start
        await nodes.crash(leader)
        _, driver = await nodes.until_active(other_than=[leader])
        assert await write(driver, number + 1)
        nodes.start(leader)
        await until_all_see(nodes, number + 1)


async def test_a_controller_without_initial_voters_joins_by_itself_and_counts() -> None:
    async with running_nodes(
        controllers=1,
        joiners=1,
        controller__quorum__auto__join__enable="true",
        controller__quorum__fetch__timeout__ms="500",
    ) as nodes:
        (joiner,) = nodes.joiner_ids
        _, driver = await nodes.until_active()
        assert await write(driver, 1)
        nodes.start(joiner)
        await nodes.until(lambda: driver.statistics().number_of_voters == 2)
        await until_all_see(nodes, 1)
        new_voter = nodes.quorum(joiner)
        assert new_voter is not None
        await nodes.until(lambda: new_voter.statistics().current_state == "follower")
        await nodes.crash(joiner)
        with trio.move_on_after(0.3) as waiting:
            await write(driver, 2)
        assert waiting.cancelled_caught
        nodes.start(joiner)
        await nodes.until(lambda: written(driver) == 2)


async def test_a_replica_that_lagged_shows_nothing_before_it_has_what_its_leader_called_committed() -> None:
    async with running_nodes(controller__quorum__fetch__max__bytes="200") as nodes:
        _, driver = await nodes.until_active()
        follower = next(each for each in nodes.controller_ids if nodes.quorum(each) is not driver)
        await nodes.crash(follower)
        for number in range(1, 51):
            assert await write(driver, number)
        nodes.start(follower)
        await nodes.until(lambda: nodes.quorum(follower) is not None)
        lagging = nodes.quorum(follower)
        assert lagging is not None
        assert not lagging.published.is_current
        assert written(lagging) == 0
        seen: list[int] = []
        while not seen:
            await lagging.published.changed.wait()
            seen += [written(lagging)] if lagging.published.is_current else []
        # Many Fetches brought that, and each moved this replica's own high watermark to the end of its log.
        assert seen == [50]


async def test_voters_that_no_acl_could_let_in_yet_form_a_quorum() -> None:
    """Each learns of the ACLs only once all three have agreed on what is committed."""
    authorizer = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
    async with running_nodes(
        authorizer__class__name=authorizer, allow__everyone__if__no__acl__found="true"
    ) as nodes:
        _, driver = await nodes.until_active()
        assert driver.peer_hosts() == {"127.0.0.1"}
        assert await write(driver, 1)
        await until_all_see(nodes, 1)
