"""What nodes say on /metrics: names that dashboards know, and what known traffic must make of them.

The pages are read by the Prometheus library's own parser.

Tests: `node.observability.observed`, `node.observability.page`, `node.observability.quorum_metrics`.
"""

from __future__ import annotations

import resource
import socket
import sys
import urllib.request
from contextlib import AsyncExitStack
from functools import partial

import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families

from compat.ports import free_port
from kafkaproto.client import Client
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from tests.node.support.nodes import Nodes, running_nodes

pytestmark = pytest.mark.trio

HTTP = "127.0.0.1:0"

LEADER_NAMES = """
kafka_server_raft_metrics_current_state_info kafka_server_raft_metrics_current_leader
kafka_server_raft_metrics_current_vote kafka_server_raft_metrics_current_vote_directory_id_info
kafka_server_raft_metrics_current_epoch kafka_server_raft_metrics_high_watermark
kafka_server_raft_metrics_log_end_offset kafka_server_raft_metrics_log_end_epoch
kafka_server_raft_metrics_number_of_voters kafka_server_raft_metrics_number_of_observers
kafka_server_raft_metrics_number_unknown_voter_connections kafka_server_raft_metrics_uncommitted_voter_change
kafka_server_raft_metrics_election_latency_avg kafka_server_raft_metrics_election_latency_max
kafka_server_raft_metrics_timeout_expirations_total kafka_server_raft_metrics_elections_started_total
kafka_server_raft_metrics_commit_latency_avg kafka_server_raft_metrics_commit_latency_max
kafka_server_raft_metrics_fetch_records_rate kafka_server_raft_metrics_append_records_rate
kafka_server_raft_metrics_poll_idle_ratio_avg kafka_log_logflushstats_logflushrateandtimems_count
kafka_server_raft_channel_metrics_request_total kafka_server_raft_channel_metrics_request_rate
kafka_server_raft_channel_metrics_outgoing_byte_total kafka_server_raft_channel_metrics_outgoing_byte_rate
kafka_controller_kafkacontroller_activecontrollercount kafka_controller_kafkacontroller_activebrokercount
kafka_controller_kafkacontroller_fencedbrokercount kafka_controller_kafkacontroller_controlledshutdownbrokercount
kafka_controller_kafkacontroller_globaltopiccount kafka_controller_kafkacontroller_globalpartitioncount
kafka_controller_kafkacontroller_offlinepartitionscount kafka_controller_kafkacontroller_preferredreplicaimbalancecount
kafka_controller_kafkacontroller_ignoredstaticvoters kafka_controller_kafkacontroller_lastappliedrecordoffset
kafka_controller_kafkacontroller_lastcommittedrecordoffset kafka_controller_kafkacontroller_lastappliedrecordtimestamp
kafka_controller_kafkacontroller_lastappliedrecordlagms
kafka_controller_kafkacontroller_metadataerrorcount kafka_controller_kafkacontroller_newactivecontrollerscount
kafka_controller_kafkacontroller_timedoutbrokerheartbeatcount
kafka_controller_kafkacontroller_eventqueueoperationsstartedcount
kafka_controller_kafkacontroller_eventqueueoperationstimedoutcount
kafka_controller_kafkacontroller_timesincelastheartbeatreceivedms
kafka_controller_controllereventmanager_eventqueuetimems_count
kafka_controller_controllereventmanager_eventqueueprocessingtimems_count
kafka_controller_controllereventmanager_avgidleratio
kafka_controller_controllerstats_uncleanleaderelections_total
kafka_controller_controllerstats_electionfromeligibleleaderreplicas_total
kafka_controller_kafkacontroller_metadatalag kafka_controller_kafkacontroller_metadatacommitlatencyms_count
kafka_controller_kafkacontroller_metadatacommitrate_total kafka_controller_kafkacontroller_metadatasnapshotlag
kafka_controller_kafkacontroller_controllerrequestsrate_total kafkaproto_broker_deaths_proven_total
kafka_server_metadataloader_currentmetadataversion kafka_server_metadataloader_currentcontrollerid
kafka_server_metadataloader_finalizedlevel
kafka_server_metadataloader_handleloadsnapshotcount
kafka_server_snapshotemitter_latestsnapshotgeneratedbytes kafka_server_snapshotemitter_latestsnapshotgeneratedagems
kafka_network_requestmetrics_requests_total kafka_network_requestmetrics_errors_total
kafka_network_requestmetrics_requestqueuetimems kafka_network_requestmetrics_localtimems
kafka_network_requestmetrics_remotetimems kafka_network_requestmetrics_responsequeuetimems
kafka_network_requestmetrics_responsesendtimems kafka_network_requestmetrics_totaltimems
kafka_network_requestchannel_requestqueuesize kafka_network_requestchannel_responsequeuesize
kafka_server_socket_server_metrics_connection_count
process_start_time_seconds process_cpu_seconds_total process_resident_memory_bytes process_open_fds process_max_fds
kafkaproto_event_loop_stall_ms_bucket kafkaproto_event_loop_idle_ratio
""".split()


BROKER_NAMES = """
kafka_server_kafkaserver_brokerstate kafka_controller_kafkaserver_metadatalag
kafka_server_broker_metadata_metrics_last_applied_record_offset
kafka_server_broker_metadata_metrics_last_applied_record_timestamp
kafka_server_broker_metadata_metrics_last_applied_record_lag_ms
kafka_server_broker_metadata_metrics_metadata_load_error_count
kafka_server_broker_metadata_metrics_metadata_apply_error_count
org_apache_kafka_server_assignmentsmanager_queuedreplicatodirassignments kafkaproto_broker_session_over
kafka_log_logcleaner_max_clean_time_secs kafka_log_logcleanermanager_uncleanable_partitions_count
kafka_server_leaderreplication_byte_rate kafka_server_followerreplication_byte_rate
kafka_server_produce_byte_rate kafka_server_fetch_throttle_time_count
kafka_server_controllermutation_throttle_time_count
kafka_server_snapshotemitter_latestsnapshotgeneratedbytes kafka_server_snapshotemitter_latestsnapshotgeneratedagems
kafka_server_group_coordinator_metrics_consumer_group_count kafka_server_group_coordinator_metrics_offset_commit_rate
kafka_coordinator_group_groupmetadatamanager_numgroups kafka_server_replicamanager_produceridcount
kafka_server_share_coordinator_metrics_write_total kafka_server_transaction_coordinator_metrics_partition_load_time_avg
kafka_coordinator_transaction_transactionmarkerchannelmanager_unknowndestinationqueuesize
kafka_server_sharegroupmetrics_recordacknowledgements_total
kafka_server_brokertopicmetrics_bytesin_total kafka_server_delayedoperationpurgatory_purgatorysize
kafka_server_replicamanager_partitionswithlatetransactionscount
""".split()


class Samples:
    """One page, parsed."""

    def __init__(self, text: str) -> None:
        self.values: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
        for family in text_string_to_metric_families(text):
            assert family.documentation, family.name
            for sample in family.samples:
                key = sample.name, tuple(sorted(sample.labels.items()))
                assert key not in self.values, f"{key} is told twice"
                self.values[key] = sample.value

    @property
    def names(self) -> set[str]:
        return {name for name, _ in self.values}

    def __call__(self, name: str, **labels: str) -> float:
        return self.values[name, tuple(sorted(labels.items()))]

    def raft(self, name: str, **labels: str) -> float:
        return self(f"kafka_server_raft_metrics_{name}", **labels)

    def controller(self, name: str) -> float:
        return self(f"kafka_controller_kafkacontroller_{name}")


async def look(nodes: Nodes, node_id: int) -> Samples:
    """The page of a node."""
    metrics = nodes.running[node_id].node._metrics
    assert metrics is not None
    response = await metrics.page()
    assert response.status == 200
    return Samples(response.body)


async def create(nodes: Nodes, node_id: int, *topics: CreateTopicsRequest.CreatableTopic) -> list[int]:
    """Error codes of topics that one request to a controller asks for."""

    def ask() -> list[int]:
        with Client.connect("127.0.0.1", nodes.ports[node_id]) as client:
            response = client.send(CreateTopicsRequest(topics=list(topics)), 7)
        assert isinstance(response, CreateTopicsResponse)
        return [topic.error_code for topic in response.topics]

    return await trio.to_thread.run_sync(ask)


def topic(name: str, partitions: int) -> CreateTopicsRequest.CreatableTopic:
    return CreateTopicsRequest.CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)


@pytest.mark.slow
async def test_a_leader_tells_what_known_traffic_did() -> None:
    async with running_nodes(controllers=3, brokers=1, http__listener=HTTP) as nodes:
        leader, driver = await nodes.until_active()
        nodes.start(*nodes.broker_ids)
        await nodes.until(
            lambda: any(not broker.fenced for broker in driver.published.image.brokers.values())
        )
        before = await look(nodes, leader)
        assert await create(nodes, leader, topic("a", 3), topic("b", 1)) == [0, 0]
        assert await create(nodes, leader, topic("a", 1)) == [36]
        after = await look(nodes, leader)
        follower = await look(nodes, next(each for each in nodes.controller_ids if each != leader))
        (broker_id,) = nodes.broker_ids
        broker = await look(nodes, broker_id)

    assert [name for name in LEADER_NAMES if name not in after.names] == []
    assert after.controller("globaltopiccount") == 2
    assert after.controller("globalpartitioncount") == 4
    assert after.controller("offlinepartitionscount") == 0
    assert after.controller("activebrokercount") == 1
    assert [page.controller("activecontrollercount") for page in (after, follower)] == [1, 0]
    requests = partial(after, request="CreateTopics")
    assert requests("kafka_network_requestmetrics_requests_total", version="7") == 2
    assert requests("kafka_network_requestmetrics_errors_total", error="NONE") == 2
    assert requests("kafka_network_requestmetrics_errors_total", error="TOPIC_ALREADY_EXISTS") == 1
    assert requests("kafka_network_requestmetrics_totaltimems_count") == 2
    assert_spans_add_up(after, "CreateTopics")
    # Two topics and four partitions; a NoOpRecord may have come in between.
    assert after.raft("append_records_total") - before.raft("append_records_total") >= 6
    assert after.raft("commit_latency_count") > before.raft("commit_latency_count")
    assert after("kafka_log_logflushstats_logflushrateandtimems_count") > 0
    assert after.raft("high_watermark") >= before.raft("high_watermark") + 6
    assert broker.raft("current_state_info", state="observer") == 1
    assert "kafka_controller_kafkacontroller_globaltopiccount" not in broker.names
    assert [name for name in BROKER_NAMES if name not in broker.names] == []
    assert broker("kafka_server_kafkaserver_brokerstate") == 3
    since = after("kafka_controller_kafkacontroller_timesincelastheartbeatreceivedms", broker=str(broker_id))
    assert 0 <= since < 9000
    queued = "kafka_controller_controllereventmanager_eventqueuetimems_count"
    # Two requests for topics, and what the broker asked for.
    assert after(queued) >= before(queued) + 2
    assert after.controller("newactivecontrollerscount") == 1
    assert after.controller("metadatalag") == 0
    assert after.controller("metadatacommitlatencyms_count") == after.raft("commit_latency_count")


def assert_spans_add_up(page: Samples, request: str) -> None:
    """The spans of a request are parts of its time, and what is left over is little."""
    parts = ("requestqueuetimems", "localtimems", "remotetimems", "responsequeuetimems", "responsesendtimems")
    total = page("kafka_network_requestmetrics_totaltimems_sum", request=request)
    found = sum(page(f"kafka_network_requestmetrics_{part}_sum", request=request) for part in parts)
    assert 0.5 * total <= found <= total
    assert page("kafka_network_requestmetrics_remotetimems_sum", request=request) > 0


@pytest.mark.slow
async def test_leader_and_followers_agree_on_the_quorum_and_differ_in_what_they_are() -> None:
    async with running_nodes(controllers=3, http__listener=HTTP) as nodes:
        leader, driver = await nodes.until_active()
        await nodes.until(lambda: driver.published.high_watermark > 3)
        pages = {node_id: await look(nodes, node_id) for node_id in nodes.controller_ids}
        epoch = driver.published.leader.epoch

    for node_id, page in pages.items():
        state = "leader" if node_id == leader else "follower"
        assert page.raft("current_state_info", state=state) == 1
        assert page.raft("current_leader") == leader
        assert page.raft("current_epoch") == epoch
        assert page.raft("number_of_voters") == 3
        assert page.raft("number_unknown_voter_connections") == 0
        assert page("kafka_server_metadataloader_currentcontrollerid") == leader
        assert page("kafka_server_metadataloader_finalizedlevel", featureName="kraft.version") == 1
        is_leader = node_id == leader
        assert ("kafka_server_raft_metrics_number_of_observers" in page.names) == is_leader
        assert ("kafka_server_raft_metrics_uncommitted_voter_change" in page.names) == is_leader
        assert (page.raft("append_records_total") > 0) == is_leader
        assert (page.raft("fetch_records_total") > 0) == (not is_leader)
        peer = partial(page, "kafka_server_raft_channel_metrics_request_total", request="Fetch")
        if not is_leader:
            assert peer(node_id=str(leader)) > 0
            for direction in ("outgoing", "incoming"):
                name = f"kafka_server_raft_channel_metrics_{direction}_byte_total"
                assert page(name, node_id=str(leader)) > 0
    assert pages[leader].raft("elections_won_total") == 1
    assert pages[leader]("kafka_network_requestmetrics_requests_total", request="Fetch", version="18") > 0


@pytest.mark.slow
async def test_a_follower_whose_peers_fall_silent_counts_its_timeouts() -> None:
    async with (
        running_nodes(
            controllers=3, http__listener=HTTP, controller__quorum__fetch__timeout__ms="400"
        ) as nodes,
        AsyncExitStack() as stack,
    ):
        leader, _ = await nodes.until_active()
        survivor = next(each for each in nodes.controller_ids if each != leader)
        # While it still follows: one that has begun to ask for votes goes on with that.
        await nodes.crash(survivor)
        for node_id in set(nodes.controller_ids) - {survivor}:
            await nodes.crash(node_id)
        # They take connections and say nothing.
        for node_id in nodes.controller_ids:
            if node_id != survivor:
                stack.enter_context(socket.create_server(("127.0.0.1", nodes.ports[node_id])))
        nodes.start(survivor)
        await nodes.until(lambda: nodes.running[survivor].node._metrics is not None)
        with trio.fail_after(20):
            while (page := await look(nodes, survivor)).raft(
                "timeout_expirations_total", timer_name="election"
            ) < 2:
                await trio.sleep(0.05)

    assert page.raft("timeout_expirations_total", timer_name="fetch") >= 1
    assert page.raft("elections_won_total") == 0
    assert page.controller("activecontrollercount") == 0


@pytest.mark.slow
async def test_a_snapshot_is_told_of_by_who_wrote_it_and_by_who_starts_from_it() -> None:
    async with running_nodes(
        controllers=1,
        http__listener=HTTP,
        # Every record makes one due.
        metadata__log__max__record__bytes__between__snapshots="1",
    ) as nodes:
        _, driver = await nodes.until_active()
        await nodes.until(lambda: driver.snapshot_metrics().written > 0)
        written = await look(nodes, 1)
        await nodes.stop(1)
        nodes.start(1)
        await nodes.until_active()
        started = await look(nodes, 1)

    assert written("kafkaproto_snapshots_written_total") >= 1
    lag = written("kafka_controller_kafkacontroller_metadatasnapshotlag")
    assert lag < written("kafka_controller_kafkacontroller_metadatacommitrate_total")
    assert written("kafka_server_snapshotemitter_latestsnapshotgeneratedbytes") > 0
    assert written("kafka_server_snapshotemitter_latestsnapshotgeneratedagems") >= 0
    assert written("kafka_server_metadataloader_handleloadsnapshotcount") == 0
    assert started("kafka_server_metadataloader_handleloadsnapshotcount") == 1


@pytest.mark.slow
async def test_the_page_is_served_over_http() -> None:
    port = free_port()

    def fetch() -> tuple[str, str]:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as response:
            return response.headers["Content-Type"], response.read().decode()

    async with running_nodes(controllers=1, http__listener=f"127.0.0.1:{port}") as nodes:
        await nodes.until_active()
        content_type, text = await trio.to_thread.run_sync(fetch)
    assert content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert Samples(text).raft("current_leader") == 1


async def test_the_process_says_since_when_it_runs_and_what_it_uses() -> None:
    async with running_nodes(controllers=1, http__listener=HTTP) as nodes:
        leader, _ = await nodes.until_active()
        page = await look(nodes, leader)
        begun = page("process_start_time_seconds")
        assert 0 < begun <= (await look(nodes, leader))("process_start_time_seconds") == begun
        soft_limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        assert 0 < page("process_open_fds") <= page("process_max_fds") == soft_limit
        assert page("process_resident_memory_bytes") > 2**20


async def test_a_node_without_http_listener_does_not_load_the_library() -> None:
    modules = "kafkaproto_server.__main__, kafkaproto_server.node.node"
    code = f"import sys, {modules}; sys.exit('prometheus_client' in sys.modules)"
    done = await trio.run_process([sys.executable, "-c", code], check=False)
    assert done.returncode == 0
