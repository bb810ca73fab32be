"""The kafka-metadata-shell command line: on snapshots, on directories, on a running quorum, as text and as JSON.

What Kafka's own shell says of the same snapshot is in golden/metadata_shell.txt, and asked anew in
tests/compat/test_metadata_shell.py.

Tests: `tools.command_line`, `tools.shell.commands`, `tools.shell.follower`, `tools.shell.nodes`, `tools.shell.paths`,
`tools.shell.sources`, `tools.shell.text`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    DescribeClusterResponse,
    DescribeQuorumResponse,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
)
from kafkaproto.records.batch import build_batch
from kafkaproto_server.base.types import METADATA_LOG_NAME, METADATA_TOPIC, METADATA_TOPIC_ID
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.tools.shell import follower as metadata_follower
from kafkaproto_server.tools.shell import metadata_shell
from kafkaproto_server.tools.shell import nodes as metadata_nodes
from kafkaproto_server.tools.shell.commands import InvalidCommand, Shell, run_line
from kafkaproto_server.tools.shell.metadata_shell import completions, main
from kafkaproto_server.tools.shell.nodes import FileNode, root
from kafkaproto_server.tools.shell.sources import load_file
from tests.tools.support.in_process import run
from tests.tools.support.metadata_shell_files import (
    APPEND_TIME_MS,
    EPOCH,
    FIRST_LATER_OFFSET,
    LOG_END_OFFSET,
    SNAPSHOT_ID,
    SNAPSHOT_NAME,
    encoded,
    later_records,
    make_log,
    metadata_records,
    quota,
    snapshot_bytes,
    write_snapshot,
)
from tests.tools.support.metadata_shell_golden import FIRST_LINE, exchanges
from tests.tools.support.scripted_server import Responses, ScriptedServer, serving

RETENTION = "/image/configs/TOPIC:orders/retention.ms"


class Tool:
    """Runs the tool in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        return run(main, arguments, self._capsys)

    def output(self, *arguments: str) -> str:
        """Standard output of a run that succeeds."""
        code, out, err = self.run(*arguments)
        assert (code, err) == (0, "")
        return out

    def json(self, *arguments: str) -> list[Any]:
        """The objects that a run prints which succeeds."""
        return [json.loads(line) for line in self.output("--json", *arguments).splitlines()]

    def error(self, *arguments: str) -> str:
        """What a run says that fails."""
        code, out, err = self.run(*arguments)
        assert (code, out) == (1, "")
        return err


@pytest.fixture
def tool(capsys: pytest.CaptureFixture[str]) -> Tool:
    return Tool(capsys)


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    return str(write_snapshot(tmp_path))


@pytest.fixture
def shell(snapshot: str) -> tuple[Shell, list[str]]:
    """A shell on the snapshot, and the list that takes its output."""
    written: list[str] = []
    return Shell(root=root(load_file(OsDisk(), snapshot, None), secrets=True), write=written.append), written


# -- a snapshot ----------------------------------------------------------------------------------------------------


def test_a_session_is_word_for_word_that_of_kafka(shell: tuple[Shell, list[str]]) -> None:
    session, written = shell
    run_line(session, FIRST_LINE)
    for exchange in exchanges():
        written.clear()
        try:
            run_line(session, exchange.command)
        except InvalidCommand as error:
            written.append(f"{error}\n")
        assert "".join(written) == exchange.output, exchange.command


def test_one_command_on_the_command_line(tool: Tool, snapshot: str) -> None:
    assert tool.output("-s", snapshot, "ls", "/image/topics") == "byId\nbyName\n"


def test_what_is_not_there_makes_the_exit_code_1(tool: Tool, snapshot: str) -> None:
    assert tool.run("-s", snapshot, "cat", "/no") == (1, "cat: /no: No such file or directory.\n", "")


@pytest.mark.parametrize("command", ["cd", "pwd", "history", "help", "man", "exit"])
def test_what_is_about_the_prompt_needs_the_prompt(tool: Tool, snapshot: str, command: str) -> None:
    assert "(choose from 'cat', 'find', 'ls', 'tree')" in tool.error("-s", snapshot, command)


def test_where_the_snapshot_stands_in_the_log(tool: Tool, snapshot: str) -> None:
    assert tool.output("-s", snapshot, "cat", "/image/provenance") == (
        "offset 59, epoch 7, time 2026-09-21T14:13:20.123Z[UTC]\n"
    )


def test_the_digest_is_that_of_the_image(tool: Tool, snapshot: str) -> None:
    expected = digest(load_file(OsDisk(), snapshot, None)).hex()
    assert tool.output("-s", snapshot, "cat", "/local/digest") == f"{expected}\n"


def test_quotas_of_default_entities_are_shown(tool: Tool, tmp_path: Path) -> None:
    quotas = [
        quota([("user", None)], "consumer_byte_rate", 1.0),
        quota([("client-id", None), ("user", "a")], "consumer_byte_rate", 2.0),
        quota([("client-id", None), ("user", None)], "consumer_byte_rate", 3.0),
    ]
    path = write_snapshot(tmp_path, [metadata_records()[0], *quotas])
    assert tool.output("-s", str(path), "tree", "/image/clientQuotas") == (
        "clientId_user:\n  consumer_byte_rate:\n    3.0\n"
        "clientId_user(a):\n  consumer_byte_rate:\n    2.0\n"
        "user:\n  consumer_byte_rate:\n    1.0\n"
    )


def test_an_offset_that_a_snapshot_is_not_of(tool: Tool, snapshot: str) -> None:
    assert tool.output("-s", snapshot, "--at", "59", "ls", "/") == "image\nlocal\n"
    assert "holds the state at offset 59 and no other" in tool.error("-s", snapshot, "--at", "58", "ls")


def test_files_of_another_kind_are_refused(tool: Tool, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    path.write_bytes(b"")
    assert f"{path} is neither a snapshot" in (error := tool.error("-s", str(path), "ls"))
    assert "it is empty" in error
    path.write_bytes(bytes(100))
    assert f"{path} is neither a snapshot" in (error := tool.error("-s", str(path), "ls"))
    assert "at byte 0: " in error
    assert "holds neither snapshots nor a log" in tool.error("-s", str(tmp_path), "ls")
    assert "No such file" in tool.error("-s", str(tmp_path / SNAPSHOT_NAME), "ls")


def test_a_damaged_snapshot_is_refused(tool: Tool, snapshot: str) -> None:
    content = bytearray(Path(snapshot).read_bytes())
    content[-100] ^= 1
    Path(snapshot).write_bytes(content)
    assert f"{snapshot} at byte 100: this is no whole snapshot" in tool.error("-s", snapshot, "ls")


def test_a_snapshot_is_known_by_its_content_whatever_it_is_called(tool: Tool, tmp_path: Path) -> None:
    path = write_snapshot(tmp_path).rename(tmp_path / "bootstrap.checkpoint")
    assert tool.output("-s", str(path), "ls", "/image/topics/byName") == "a.b_c-d\norders\n"
    assert tool.output("-s", str(path), "cat", "/image/provenance").startswith(f"offset -1, epoch {EPOCH}, ")
    assert f"{path} is a snapshot whose name" in tool.error("-s", str(path), "--at", "59", "ls")


def test_exactly_one_source(tool: Tool, snapshot: str) -> None:
    assert "give one of" in tool.error("ls")
    assert "give one of" in tool.error("-s", snapshot, "--bootstrap-server", "127.0.0.1:1", "ls")
    assert "'nowhere' is not HOST:PORT" in tool.error("--bootstrap-server", "nowhere", "ls")


def test_looking_at_one_topic_makes_nothing_of_the_others(
    monkeypatch: pytest.MonkeyPatch, snapshot: str
) -> None:
    made: list[str] = []

    def make(image: ClusterImage, topic: TopicImage) -> FileNode:
        made.append(topic.name)
        return FileNode(str, str)

    monkeypatch.setattr(metadata_nodes, "_topic", make)
    session = Shell(root=root(load_file(OsDisk(), snapshot, None), secrets=True), write=lambda _: None)
    run_line(session, "cat /image/topics/byName/orders")
    assert made == ["orders"]


# -- JSON ----------------------------------------------------------------------------------------------------------


def test_json_of_listings_and_paths(tool: Tool, snapshot: str) -> None:
    assert tool.json("-s", snapshot, "ls", "/image/topics", "/image/provenance") == [
        {"path": "/image/topics", "type": "directory", "children": ["byId", "byName"]},
        {"path": "/image/provenance", "type": "file"},
    ]
    assert tool.json("-s", snapshot, "find", "/image/producerIds") == [
        {"path": "/image/producerIds", "type": "directory"},
        {"path": "/image/producerIds/nextProducerId", "type": "file"},
    ]


def test_json_of_contents_is_that_of_the_records(tool: Tool, snapshot: str) -> None:
    paths = ("/image/topics/byName/orders/11", "/image/cluster/brokers/9", "/image/provenance", RETENTION)
    partition, broker, provenance, retention = (
        each["value"] for each in tool.json("-s", snapshot, "cat", *paths)
    )
    assert partition["partitionId"] == 11
    assert partition["replicas"] == [10, 9]
    assert partition["leaderEpoch"] == 11
    assert broker["brokerId"] == 9
    assert broker["fenced"] is True
    assert provenance == {"offset": 59, "epoch": EPOCH, "timestampMs": APPEND_TIME_MS}
    assert retention == "1000"


def test_json_of_everything(tool: Tool, snapshot: str) -> None:
    (tree,) = (each["tree"] for each in tool.json("-s", snapshot, "tree", "/image"))
    assert tree["features"] == {
        "finalized_eligible.leader.replicas.version": 1,
        "finalized_group.version": 1,
        "metadataVersion": "4.3-IV0",
    }
    assert tree["clientQuotas"]["user(alice)"] == {
        "producer_byte_rate": 10485760.0,
        "request_percentage": 12.5,
    }
    assert tree["scram"]["SCRAM-SHA-256"]["alice"]["iterations"] == 8192
    assert {acl["resourceName"] for acl in tree["acls"]["byId"].values()} == {"orders", "kafka-cluster"}
    assert tree["delegationToken"]["second"]["owner"] == "User:alice"
    assert tree["cluster"]["controllers"]["3"]["controllerId"] == 3


def test_json_of_what_is_not_there(tool: Tool, snapshot: str) -> None:
    code, out, err = tool.run("-s", snapshot, "--json", "cat", "/no", "/image")
    assert (code, err) == (1, "")
    assert [json.loads(line) for line in out.splitlines()] == [
        {"command": "cat", "path": "/no", "error": "No such file or directory"},
        {"command": "cat", "path": "/image", "error": "Is a directory"},
    ]


# -- a directory ---------------------------------------------------------------------------------------------------


@pytest.fixture
def log_directory(tmp_path: Path) -> str:
    make_log(tmp_path / "log")
    return str(tmp_path / "log")


def test_a_directory_is_shown_as_of_the_end_of_its_log(tool: Tool, log_directory: str) -> None:
    assert tool.output("-s", log_directory, "cat", RETENTION) == "19\n"
    assert (
        tool.json("-s", log_directory, "cat", "/image/provenance")[0]["value"]["offset"] == LOG_END_OFFSET - 1
    )


@pytest.mark.parametrize("at", [0, 7, 19])
def test_a_directory_is_shown_as_of_an_offset(tool: Tool, log_directory: str, at: int) -> None:
    offset = FIRST_LATER_OFFSET + at
    assert tool.output("-s", log_directory, "--at", str(offset), "cat", RETENTION) == f"{at}\n"


def test_a_nodes_data_directory_is_shown_as_the_log_in_it(tool: Tool, log_directory: str) -> None:
    inner = Path(log_directory).with_name("data") / METADATA_LOG_NAME
    inner.parent.mkdir()
    Path(log_directory).rename(inner)
    assert tool.output("-s", f"{inner.parent}/", "cat", RETENTION) == "19\n"
    assert tool.output("-s", str(inner.parent), "--at", str(FIRST_LATER_OFFSET), "cat", RETENTION) == "0\n"


def test_an_offset_within_a_batch(tool: Tool, log_directory: str) -> None:
    # Offset 0 is a control batch, 1 to 3 are the levels of features.
    code, out, _ = tool.run("-s", log_directory, "--at", "2", "ls", "/image/features", RETENTION)
    assert code == 1
    assert out == f"ls: {RETENTION}: no such file or directory.\nfinalized_group.version\nmetadataVersion\n"


def test_the_newest_snapshot_up_to_the_offset_is_what_replaying_begins_with(
    tool: Tool, log_directory: str
) -> None:
    # The snapshot has what the log says, but for one thing, so that it shows where it is used.
    other = quota([("user", "told-by-the-snapshot")], "producer_byte_rate", 1.0)
    write_snapshot(Path(log_directory), [*metadata_records(), other])
    end_offset = SNAPSHOT_ID.end_offset
    quotas = "/image/clientQuotas"
    assert "told-by" not in tool.output("-s", log_directory, "--at", str(end_offset - 2), "ls", quotas)
    for offset in (end_offset - 1, LOG_END_OFFSET - 1):
        assert "told-by" in tool.output("-s", log_directory, "--at", str(offset), "ls", quotas)


def test_an_offset_that_is_not_there_yet(tool: Tool, log_directory: str) -> None:
    error = tool.error("-s", log_directory, "--at", str(LOG_END_OFFSET), "ls")
    assert f"ends at offset {LOG_END_OFFSET - 1}; there is no offset {LOG_END_OFFSET} yet" in error


def test_an_offset_that_is_not_there_any_more(tool: Tool, log_directory: str) -> None:
    write_snapshot(Path(log_directory))
    segments = sorted(Path(log_directory).glob("*.log"))
    for segment in segments[:-1]:
        segment.unlink()
    error = tool.error("-s", log_directory, "--at", "3", "ls")
    assert f"{log_directory} does not hold offset 3 any more: it begins at 59" in error


def test_a_hole_in_the_log_is_named(tool: Tool, log_directory: str) -> None:
    segments = sorted(Path(log_directory).glob("*.log"))
    assert len(segments) >= 3
    segments[1].unlink()
    assert "has no record of offset" in tool.error("-s", log_directory, "ls")


def test_a_torn_batch_at_the_end_is_left_out_and_damage_is_not(tool: Tool, log_directory: str) -> None:
    last = sorted(Path(log_directory).glob("*.log"))[-1]
    content = last.read_bytes()
    last.write_bytes(content[:-5])
    assert tool.output("-s", log_directory, "cat", RETENTION) == "18\n"
    last.write_bytes(content[:-5] + b"xxxxx")
    error = tool.error("-s", log_directory, "cat", RETENTION)
    assert "is damaged at byte" in error
    assert f"--at {LOG_END_OFFSET - 2} shows" in error


def test_a_single_segment(tool: Tool, log_directory: str) -> None:
    first, second, *_ = sorted(Path(log_directory).glob("*.log"))
    # It holds the control batch alone; what follows is larger than a segment.
    assert tool.output("-s", str(first), "cat", "/image/provenance").startswith("offset 0, epoch 7")
    assert "has no record of offset 0" in tool.error("-s", str(second), "ls")
    copy = second.with_name("copy")
    copy.write_bytes(first.read_bytes() + second.read_bytes())
    assert tool.output("-s", str(copy), "ls", "/image/topics/byName") == "a.b_c-d\norders\n"


# -- the prompt ----------------------------------------------------------------------------------------------------


def test_the_prompt_takes_lines_until_exit(
    tool: Tool, snapshot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sys.stdin", io.StringIO("cd image\npwd\nnonsense\n\nls 'x\nman ls\nhelp\nexit\npwd\n")
    )
    out = tool.output("-s", snapshot)
    assert "/image\n" in out
    assert "invalid choice: 'nonsense'" in out
    assert "No closing quotation" in out
    assert "usage: ls [targets [targets ...]]" in out
    assert "tree                 Print everything below" in out
    assert out.count("/image\n") == 1


def test_the_prompt_ends_with_its_input(tool: Tool, snapshot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("pwd"))
    assert tool.output("-s", snapshot).endswith("/\n>> \n")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_explains_itself(shell: tuple[Shell, list[str]], option: str) -> None:
    session, written = shell
    run_line(session, f"ls /image {option} -x")
    assert "".join(written) == (
        "usage:  ls [-h] [targets [targets ...]]\n\n"
        "positional arguments:\n  targets                Paths of directories; this one where none is given.\n\n"
        "optional arguments:\n  -h, --help             Show this.\n"
    )
    written.clear()
    run_line(session, f"pwd {option}")
    assert "".join(written) == (
        "usage:  pwd [-h]\n\noptional arguments:\n  -h, --help             Show this.\n"
    )


def test_ctrl_c_ends_a_command_and_not_the_prompt(
    tool: Tool, snapshot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata_shell, "run_line", Mock(side_effect=[KeyboardInterrupt, None]))
    monkeypatch.setattr("sys.stdin", io.StringIO("tree /\nls\n"))
    assert tool.output("-s", snapshot).count(metadata_shell.PROMPT) == 3


def test_ctrl_c_while_loading_ends_the_tool_without_a_word(
    tool: Tool, snapshot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata_shell, "load_file", Mock(side_effect=KeyboardInterrupt))
    assert tool.run("-s", snapshot, "ls") == (130, "", "\n")


def test_names_are_listed_in_columns_on_a_terminal(shell: tuple[Shell, list[str]]) -> None:
    session, written = shell
    session.columns = 20
    run_line(session, "ls /image/topics/byName/orders")
    lines = "".join(written).splitlines()
    assert all(len(line) <= 20 for line in lines)
    # Down each column, then to the next one.
    assert " ".join(line.split()[0] for line in lines) == "0 1 10 11 2"
    assert sorted(" ".join(lines).split()) == sorted([*map(str, range(12)), "id", "name"])


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("", "c", ["cat ", "cd "]),
        ("man ", "hi", ["history "]),
        ("ls ", "/im", ["/image/"]),
        ("ls ", "/image/to", ["/image/topics/"]),
        (
            "cat ",
            "/image/topics/byName/orders/1",
            [f"/image/topics/byName/orders/{n}" for n in ("1", "10", "11")],
        ),
        ("ls ", "im", ["image/"]),
        ("ls ", "/nowhere/x", []),
        ("cat ", "/image/provenance/x", []),
    ],
)
def test_completion(shell: tuple[Shell, list[str]], before: str, text: str, expected: list[str]) -> None:
    assert completions(shell[0], before, text) == expected


# -- a running quorum ----------------------------------------------------------------------------------------------


class Leader:
    """A quorum's leader, with a snapshot of `metadata_records` and a log of `later_records` behind it."""

    def __init__(self) -> None:
        self.snapshot = snapshot_bytes(metadata_records())
        self.high_watermark = SNAPSHOT_ID.end_offset + len(later_records())
        self.piece_bytes = 1000
        self.refusals: list[ErrorCode] = []

    @contextmanager
    def serve(self) -> Iterator[ScriptedServer]:
        responses: Responses = {
            1: self._fetch,
            59: self._fetch_snapshot,
            55: lambda _: self._describe_quorum(server.port),
            60: lambda _: self._describe_cluster(server.port),
        }
        with serving(responses) as server:
            yield server

    def _describe_cluster(self, port: int) -> Message:
        node = DescribeClusterResponse.DescribeClusterBroker(broker_id=1, host="127.0.0.1", port=port)
        return DescribeClusterResponse(cluster_id="c", controller_id=1, brokers=[node])

    def _describe_quorum(self, port: int) -> Message:
        voter = DescribeQuorumResponse.ReplicaState(replica_id=1, log_end_offset=self.high_watermark)
        partition = DescribeQuorumResponse.PartitionData(
            partition_index=0, leader_id=1, leader_epoch=EPOCH, current_voters=[voter]
        )
        listener = DescribeQuorumResponse.Listener(name="CONTROLLER", host="127.0.0.1", port=port)
        return DescribeQuorumResponse(
            topics=[DescribeQuorumResponse.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])],
            nodes=[DescribeQuorumResponse.Node(node_id=1, listeners=[listener])],
        )

    def _fetch(self, request: Message) -> Message:
        assert isinstance(request, FetchRequest)
        asked = request.topics[0].partitions[0]
        response = FetchResponse.PartitionData(partition_index=0, high_watermark=self.high_watermark)
        if self.refusals:
            response.error_code = self.refusals.pop(0)
        elif asked.fetch_offset < SNAPSHOT_ID.end_offset:
            response.snapshot_id = FetchResponse.SnapshotId(
                end_offset=SNAPSHOT_ID.end_offset, epoch=SNAPSHOT_ID.epoch
            )
        else:
            assert asked.last_fetched_epoch == EPOCH
            first = asked.fetch_offset - SNAPSHOT_ID.end_offset
            # Two batches at a time, what is not committed too.
            response.records = b"".join(
                build_batch(
                    [(None, value, ())],
                    base_offset=SNAPSHOT_ID.end_offset + index,
                    partition_leader_epoch=EPOCH,
                    timestamp_ms=5,
                )
                for index, value in list(enumerate(encoded(later_records())))[first : first + 2]
            )
        return FetchResponse(
            responses=[
                FetchResponse.FetchableTopicResponse(topic_id=METADATA_TOPIC_ID, partitions=[response])
            ]
        )

    def _fetch_snapshot(self, request: Message) -> Message:
        assert isinstance(request, FetchSnapshotRequest)
        asked = request.topics[0].partitions[0]
        response = FetchSnapshotResponse.PartitionSnapshot(
            index=0,
            size=len(self.snapshot),
            position=asked.position,
            unaligned_records=self.snapshot[asked.position : asked.position + self.piece_bytes],
        )
        return FetchSnapshotResponse(
            topics=[FetchSnapshotResponse.TopicSnapshot(name=METADATA_TOPIC, partitions=[response])]
        )


@pytest.fixture
def leader(monkeypatch: pytest.MonkeyPatch) -> Leader:
    monkeypatch.setattr(metadata_follower, "RETRY_TIMEOUT_S", 1.0)
    monkeypatch.setattr(metadata_follower, "RETRY_INTERVAL_S", 0.01)
    return Leader()


@pytest.mark.parametrize("option", ["--bootstrap-server", "--bootstrap-controller"])
def test_a_running_quorum_is_read_by_snapshot_and_log(tool: Tool, leader: Leader, option: str) -> None:
    with leader.serve() as server:
        assert tool.output(option, server.address, "cat", RETENTION) == "19\n"
        replicas = {
            each.replica_id for each in server.asked if isinstance(each, FetchRequest | FetchSnapshotRequest)
        }
    assert replicas == {-1}


def test_what_is_not_committed_is_not_shown(tool: Tool, leader: Leader) -> None:
    leader.high_watermark -= 3
    with leader.serve() as server:
        assert tool.output("--bootstrap-controller", server.address, "cat", RETENTION) == "16\n"


def test_a_running_quorum_as_of_an_offset(tool: Tool, leader: Leader) -> None:
    with leader.serve() as server:
        arguments = ("--bootstrap-controller", server.address, "--at")
        at = str(SNAPSHOT_ID.end_offset + 4)
        assert tool.output(*arguments, at, "cat", RETENTION) == "4\n"
        error = tool.error(*arguments, str(SNAPSHOT_ID.end_offset - 2), "ls")
        assert "does not hold offset 58 any more: it serves the snapshot of offset 59" in error
        error = tool.error(*arguments, str(leader.high_watermark), "ls")
        assert f"committed to offset {leader.high_watermark - 1}; there is no offset" in error


def test_each_command_at_the_prompt_shows_what_is_committed_by_then(
    tool: Tool, leader: Leader, monkeypatch: pytest.MonkeyPatch
) -> None:
    leader.high_watermark -= 5

    class Lines(io.StringIO):
        # A text stream's lines are text, which the library's types do not allow for.
        def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
            line = super().readline()
            leader.high_watermark += 1
            return line

    monkeypatch.setattr("sys.stdin", Lines(f"cat {RETENTION}\ncat {RETENTION}\nexit\n"))
    with leader.serve() as server:
        out = tool.output("--bootstrap-controller", server.address)
    assert [line for line in out.replace(">> ", "").splitlines() if line.isdigit()] == ["15", "16"]


def test_a_leader_that_has_gone_is_looked_for_again(tool: Tool, leader: Leader) -> None:
    leader.refusals = [ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH]
    with leader.serve() as server:
        assert tool.output("--bootstrap-controller", server.address, "cat", RETENTION) == "19\n"


def test_a_refusal_that_stays_is_told(tool: Tool, leader: Leader) -> None:
    leader.refusals = [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 1000
    with leader.serve() as server:
        assert "NOT_LEADER_OR_FOLLOWER" in tool.error("--bootstrap-controller", server.address, "ls")
        leader.refusals = [ErrorCode.CLUSTER_AUTHORIZATION_FAILED]
        assert "CLUSTER_AUTHORIZATION_FAILED" in tool.error("--bootstrap-controller", server.address, "ls")


def test_nobody_there(tool: Tool, leader: Leader) -> None:
    assert "cannot connect to 127.0.0.1:1" in tool.error("--bootstrap-server", "127.0.0.1:1", "ls")
