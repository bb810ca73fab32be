"""A live quorum as the source: what it sends is what lies in its directories, through the loss of its leader.

Tests: `kafkaproto_pipeline.sources.live_quorum`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat.kafka.stock import StockNode
from compat.ours import OurNode
from compat.ports import free_port
from compat.process import wait_until
from compat.quorum import CLUSTER_ID, Quorum, connect, describe_quorum
from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterClientQuotasRequest, AlterClientQuotasResponse
from kafkaproto_pipeline.datasource import KraftDataSource
from kafkaproto_pipeline.options import SourceOptions, parse_options
from kafkaproto_pipeline.planning.files import Filters, plan_batch
from kafkaproto_pipeline.planning.live import plan_live_batch
from kafkaproto_pipeline.read import read_piece
from kafkaproto_pipeline.sources.directories import InputError
from kafkaproto_pipeline.sources.live_quorum import LiveQuorum
from kafkaproto_pipeline.views.wanted import Wanted
from tests.pipeline.planning.test_stream import Query

PROPERTIES = {"metadata.log.max.record.bytes.between.snapshots": "4000"}
COLUMNS = ("offset", "snapshotIndex", "partitionLeaderEpoch", "timestamp", "recordType", "payload")
WAIT_S = 60.0

Rows = list[dict[str, Any]]


class Living:
    """A quorum of processes to which requests are sent."""

    def __init__(self, quorum: Quorum) -> None:
        self.quorum = quorum
        self.written = 0
        self._client: Client | None = None

    @property
    def servers(self) -> str:
        return ",".join(node.bootstrap_controller for node in self.quorum.nodes.values())

    @property
    def directories(self) -> str:
        nodes = self.quorum.nodes.values()
        return ",".join(str(node.metadata_log_directory) for node in nodes)

    def write(self, count: int) -> None:
        """That many requests, each of which makes a record; all are committed when this returns."""
        for number in range(self.written + 1, self.written + count + 1):
            wait_until(partial(self._alter, f"user-{number}"), WAIT_S, "an active controller")
        self.written += count

    def _alter(self, user: str) -> bool:
        """Whether the quota is set: not where this controller is not, or no more, the active one."""
        entity = AlterClientQuotasRequest.EntityData(entity_type="user", entity_name=user)
        op = AlterClientQuotasRequest.OpData(key="consumer_byte_rate", value=1000.0)
        entry = AlterClientQuotasRequest.EntryData(entity=[entity], ops=[op])
        try:
            if self._client is None:
                address = self.quorum.leader().bootstrap_controller
                self._client = connect(address, timeout_ms=30_000)
            response = self._client.send(AlterClientQuotasRequest(entries=[entry]))
        except OSError:
            self._client = None
            return False
        assert isinstance(response, AlterClientQuotasResponse)
        (code,) = (each.error_code for each in response.entries)
        assert code in (ErrorCode.NONE, ErrorCode.NOT_CONTROLLER)
        if code:
            self.close()
        return not code

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def options(self, **options: object) -> SourceOptions:
        given = {name: str(value) for name, value in options.items()}
        return parse_options({"bootstrap.controllers": self.servers} | given)

    def live_rows(self, **options: object) -> Rows:
        parsed = self.options(**options)
        return rows(parsed, plan_live_batch(parsed, Filters()))

    def file_rows(self, **options: object) -> Rows:
        """The same from the directories of all nodes."""
        given = {name: str(value) for name, value in options.items()}
        parsed = parse_options({"path": self.directories, "replicas": "one"} | given)
        return rows(parsed, plan_batch(parsed, Filters()))


def rows(options: SourceOptions, pieces: Any) -> Rows:
    wanted = Wanted(
        view="records",
        columns=COLUMNS,
        record_types=None,
        start_offset=0,
        end_offset=None,
        start_timestamp_ms=None,
        end_timestamp_ms=None,
        committed_end=0,
        mode="FAILFAST",
    )
    return [row for piece in pieces for batch in read_piece(piece, wanted) for row in batch.to_pylist()]


def users(found: Rows) -> list[str]:
    return [
        f"user-{number}"
        for row in found
        if row["recordType"] == "ClientQuotaRecord"
        for number in [row["payload"].split("user-")[1].split('"')[0]]
    ]


@pytest.fixture(
    params=[
        pytest.param((OurNode, 3), marks=pytest.mark.slow, id="ours"),
        pytest.param((StockNode, 1), marks=[pytest.mark.slow, pytest.mark.jvm], id="stock"),
    ]
)
def living(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Living]:
    make, size = request.param
    with Quorum(make, tmp_path, size, PROPERTIES) as quorum:
        quorum.format()
        quorum.start()
        with closing(Living(quorum)) as living:
            yield living


def test_a_live_quorum_sends_what_its_directories_hold(living: Living) -> None:
    living.write(20)
    found = living.live_rows()
    assert users(found) == [f"user-{number}" for number in range(1, 21)]
    last = found[-1]["offset"]
    assert found == living.file_rows(endOffset=last + 1)
    assert {row["partitionLeaderEpoch"] for row in found} == {found[-1]["partitionLeaderEpoch"]}
    middle = found[len(found) // 2]["offset"]
    assert living.live_rows(startOffset=middle, endOffset=middle + 3) == [
        row for row in found if middle <= row["offset"] < middle + 3
    ]
    assert living.live_rows(asOf=middle) == [row for row in found if row["offset"] <= middle]


def test_a_snapshot_comes_first_where_it_is_asked_for(living: Living) -> None:
    found: Rows = []

    def write_on() -> bool:
        living.write(10)
        found[:] = living.live_rows(asOf="latest")
        # A snapshot may hold all that there is.
        return {row["snapshotIndex"] is None for row in found} == {True, False}

    wait_until(write_on, WAIT_S, "a snapshot and records behind it")
    snapshot = [row for row in found if row["snapshotIndex"] is not None]
    log = [row for row in found if row["snapshotIndex"] is None]
    assert [row["snapshotIndex"] for row in snapshot] == list(range(len(snapshot)))
    assert log[0]["offset"] == snapshot[0]["offset"] + 1
    assert sorted(users(found)) == sorted(f"user-{number}" for number in range(1, living.written + 1))
    point = log[-1]["offset"]
    end = snapshot[0]["offset"] + 1
    assert living.live_rows(includeSnapshots="true", startOffset=end - 1)[: len(snapshot)] == snapshot
    of_files = living.file_rows(includeSnapshots="true", startOffset=end - 1, endOffset=point + 1)
    assert [
        row for row in of_files if row["offset"] == end - 1 and row["snapshotIndex"] is not None
    ] == snapshot
    assert [row for row in of_files if row["offset"] >= end and row["snapshotIndex"] is None] == log


def test_a_stream_goes_on_at_the_next_leader(living: Living) -> None:
    living.write(10)
    query = Query.of(living.options(maxRecordsPerBatch=7), COLUMNS)
    while query.batch(query.reader.getDefaultReadLimit(), is_repeated=True):
        pass
    assert users(query.rows) == [f"user-{number}" for number in range(1, 11)]
    if len(living.quorum.nodes) > 1:
        leader = living.quorum.leader()
        leader.kill()
        living.write(10)
        while query.batch(query.reader.getDefaultReadLimit()):
            pass
        leader.start()
    living.write(5)
    query.restart()
    while query.batch():
        pass
    last = query.start["offset"]
    query.reader.stop()
    assert users(query.rows) == [f"user-{number}" for number in range(1, living.written + 1)]
    assert [row["offset"] for row in query.rows] == list(range(query.rows[0]["offset"], last))
    assert query.rows == living.file_rows(startOffset=query.rows[0]["offset"], endOffset=last)


@pytest.mark.slow
def test_directories_of_a_running_quorum_are_streamed_as_far_as_they_are_committed(tmp_path: Path) -> None:
    with ExitStack() as stack:
        quorum = stack.enter_context(Quorum(OurNode, tmp_path, 3, PROPERTIES))
        quorum.format()
        quorum.start()
        living = stack.enter_context(closing(Living(quorum)))
        query = Query.of(parse_options({"path": f"{tmp_path}/node-*/data"}), COLUMNS)
        leaders = set()
        for _ in range(2):
            living.write(10)
            with connect(quorum.leader().bootstrap_controller) as client:
                high_watermark = describe_quorum(client).high_watermark

            def has_all(end: int = high_watermark) -> bool:
                query.batch()
                return bool(query.start["offset"] >= end)

            wait_until(has_all, WAIT_S, "what is committed to show in the files")
            assert users(query.rows) == [f"user-{number}" for number in range(1, living.written + 1)]
            leader = quorum.leader()
            leaders.add(leader.node_id)
            leader.kill()
        assert len(leaders) == 2
    assert [row["offset"] for row in query.rows] == list(range(query.start["offset"]))
    assert len({row["partitionLeaderEpoch"] for row in query.rows}) > 1


def test_nobody_there_is_said_with_the_addresses() -> None:
    port = free_port()
    with (
        pytest.raises(InputError, match=rf"'bootstrap.controllers': the quorum at 127.0.0.1:{port} did not"),
        LiveQuorum([("127.0.0.1", port)], retry_timeout_s=0.1) as quorum,
    ):
        quorum.state()


@pytest.mark.slow
def test_rows_of_a_live_quorum_tell_its_cluster_and_address(tmp_path: Path) -> None:
    with Quorum(OurNode, tmp_path, 1) as quorum:
        quorum.format()
        quorum.start()
        living = Living(quorum)
        (piece,) = plan_live_batch(living.options(), Filters())
        assert piece.origin.cluster_id == CLUSTER_ID
        assert piece.origin.directory == f"kraft://{living.servers}"
        assert (piece.origin.node_id, piece.origin.file) == (None, None)


@pytest.mark.slow
@pytest.mark.jvm
def test_spark_reads_a_live_quorum(spark: SparkSession, tmp_path: Path) -> None:
    spark.dataSource.register(KraftDataSource)
    with ExitStack() as stack:
        quorum = stack.enter_context(Quorum(OurNode, tmp_path, 1))
        quorum.format()
        quorum.start()
        living = stack.enter_context(closing(Living(quorum)))
        living.write(5)
        df = (
            spark.read.format("kraft")
            .option("bootstrap.controllers", living.servers)
            .option("view", "ClientQuotaRecord")
            .load()
        )
        found = df.where("recordType = 'ClientQuotaRecord'").select("offset", "committed", "value").collect()
    assert [(row["committed"], row["value"]) for row in found] == [(True, 1000.0)] * 5
