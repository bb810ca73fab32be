"""Local clusters as directories: what is laid out, what is taken up again, what is refused. Their processes are tried
in ``tests/integration``.

Tests: `tools.cluster.cluster_layout`.
"""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner, Result

from kafkaproto import uuids
from kafkaproto.api import ApiKey
from kafkaproto.message import Message
from kafkaproto.messages import MetadataResponse, VotersRecord
from kafkaproto.records.control import ControlRecordType
from kafkaproto.snapshot import ControlRecord
from kafkaproto_server.config.node_config import Config, check_supported
from kafkaproto_server.shell.storage.directories.meta_properties import read_log_directory
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
from kafkaproto_server.tools.cluster.cluster_layout import (
    ClusterLayout,
    LayoutError,
    Shape,
    make_layout,
    read_layout,
)
from kafkaproto_server.tools.cluster.local_cluster import main, wait_until_each_names_all
from tests.tools.support.scripted_server import serving


def make(folder: Path, shape: Shape, *, is_static: bool = False) -> ClusterLayout:
    return make_layout(folder, shape, base_port=0, is_static=is_static)


def configs(layout: ClusterLayout) -> dict[int, Config]:
    """What each node will make of its properties; all of it has to be supported."""
    found = {}
    for node in layout.nodes:
        found[node.node_id] = Config.load(str(layout.properties_path(node)), {})
        check_supported(found[node.node_id])
        assert found[node.node_id].warnings == ()
    return found


def first_voters(layout: ClusterLayout, node_id: int) -> dict[int, tuple[bytes, str, int]] | None:
    """Directory id, host and port by voter id, as a node's 0-0 snapshot has them; None if it has none."""
    log_directory = f"{layout.directory}/node-{node_id}/data/__cluster_metadata-0"
    store = SnapshotStore(OsDisk(), log_directory)
    if not Path(store.path(BOOTSTRAP_SNAPSHOT_ID)).exists():
        return None
    for record in store.read(BOOTSTRAP_SNAPSHOT_ID):
        if isinstance(record, ControlRecord) and record.type is ControlRecordType.KRAFT_VOTERS:
            assert isinstance(record.message, VotersRecord)
            return {
                each.voter_id: (each.voter_directory_id, each.endpoints[0].host, each.endpoints[0].port)
                for each in record.message.voters
            }
    return None


def directory_id(layout: ClusterLayout, node_id: int) -> bytes:
    found = read_log_directory(OsDisk(), f"{layout.directory}/node-{node_id}/data").properties
    assert found is not None
    assert (found.cluster_id, found.node_id) == (layout.cluster_id, node_id)
    assert found.directory_id is not None
    return found.directory_id


def test_nodes_with_both_roles_are_each_others_voters(tmp_path: Path) -> None:
    layout = make(tmp_path / "c", Shape(combined=3))
    nodes = configs(layout)
    assert sorted(nodes) == [1, 2, 3]
    assert all(node.is_broker and node.is_controller for node in nodes.values())
    voters = {
        each.node_id: (directory_id(layout, each.node_id), "127.0.0.1", each.controller_port)
        for each in layout.nodes
    }
    for node_id, node in nodes.items():
        assert first_voters(layout, node_id) == voters
        servers = ",".join(f"{each.host}:{each.port}" for each in node.controller_quorum_bootstrap_servers)
        assert servers == layout.bootstrap_controllers
    assert [node.broker_listeners[0].port for node in nodes.values()] == [
        int(each.rpartition(":")[2]) for each in layout.bootstrap_servers.split(",")
    ]


def test_nodes_of_one_role_each_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    layout = make(tmp_path / "c", Shape(controllers=3, brokers=2))
    nodes = configs(layout)
    assert {node_id: node.process_roles for node_id, node in nodes.items()} == {
        1: ("controller",),
        2: ("controller",),
        3: ("controller",),
        101: ("broker",),
        102: ("broker",),
    }
    assert set(first_voters(layout, 2) or {}) == {1, 2, 3}
    assert first_voters(layout, 101) is None
    assert directory_id(layout, 101) != directory_id(layout, 102)


def test_without_brokers_there_is_nothing_for_clients(tmp_path: Path) -> None:
    layout = make(tmp_path / "c", Shape(controllers=1))
    assert (layout.bootstrap_servers, len(layout.nodes)) == ("", 1)
    assert set(configs(layout)) == {1}


def test_static_voters_stand_in_the_properties_alone(tmp_path: Path) -> None:
    layout = make(tmp_path / "c", Shape(controllers=2, brokers=1), is_static=True)
    for node_id, node in configs(layout).items():
        assert [voter.key.id for voter in node.controller_quorum_voters] == [1, 2]
        assert node.controller_quorum_bootstrap_servers == ()
        assert first_voters(layout, node_id) is None


@pytest.mark.parametrize(("brokers", "copies", "isr"), [(1, "1", "1"), (2, "2", "1"), (3, "3", "2")])
def test_fewer_than_three_brokers_keep_fewer_copies_of_internal_topics(
    brokers: int, copies: str, isr: str, tmp_path: Path
) -> None:
    node = configs(make(tmp_path / "c", Shape(combined=brokers)))[1]
    assert node.value_of("offsets.topic.replication.factor") == copies
    assert node.value_of("transaction.state.log.replication.factor") == copies
    assert node.value_of("transaction.state.log.min.isr") == isr


def two_free_ports() -> int:
    """The first of two ports in a row that nobody has."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            with contextlib.suppress(OSError, OverflowError):
                second.bind(("127.0.0.1", port + 1))
                return port


def test_ports_follow_the_base_with_brokers_first(tmp_path: Path) -> None:
    base = two_free_ports()
    layout = make_layout(tmp_path / "c", Shape(controllers=1, brokers=1), base_port=base, is_static=False)
    assert layout.base_port == base
    assert layout.bootstrap_servers == f"127.0.0.1:{base}"
    assert layout.bootstrap_controllers == f"127.0.0.1:{base + 1}"


def test_a_port_that_is_taken_is_named_before_anything_is_made(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LayoutError, match=f"port {port} of 127.0.0.1 is not to be had"):
            make_layout(tmp_path / "c", Shape(combined=1), base_port=port, is_static=False)
    assert not (tmp_path / "c").exists()
    with pytest.raises(LayoutError, match="port 65536"):
        make_layout(tmp_path / "c", Shape(combined=1), base_port=65535, is_static=False)


@pytest.mark.parametrize("shape", [Shape(combined=2), Shape(controllers=1, brokers=2)], ids=str)
@pytest.mark.parametrize("is_static", [True, False])
def test_what_was_laid_out_is_read_back(shape: Shape, is_static: bool, tmp_path: Path) -> None:
    made = make(tmp_path, shape, is_static=is_static)
    assert read_layout(tmp_path) == made
    assert made.shape == shape
    assert len(uuids.from_text(made.cluster_id)) == 16


def test_an_empty_directory_holds_no_cluster_and_anything_else_is_left_alone(tmp_path: Path) -> None:
    assert read_layout(tmp_path / "none") is None
    assert read_layout(tmp_path) is None
    (tmp_path / "precious").touch()
    with pytest.raises(LayoutError, match=r"holds something, and no cluster.json"):
        read_layout(tmp_path)
    with pytest.raises(LayoutError, match="holds something"):
        read_layout(tmp_path / "precious")


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"cluster_id": "x", "is_static": false, "nodes": [{}]}']
)
def test_a_record_that_is_none_is_named(content: str, tmp_path: Path) -> None:
    (tmp_path / "cluster.json").write_text(content)
    with pytest.raises(LayoutError, match=r"cluster.json does not describe a cluster"):
        read_layout(tmp_path)


def test_a_cluster_is_ready_once_each_broker_names_all_of_them() -> None:
    """Brokers read the metadata log each for itself, so that one of them may be the last to know of another."""
    named = {1: [[1], [1, 2]], 2: [[2], [2], [1, 2]]}

    def answer(node_id: int) -> Callable[[Message], Message]:
        def next_response(request: Message) -> Message:
            found = named[node_id].pop(0)
            return MetadataResponse(brokers=[MetadataResponse.Broker(node_id=each) for each in found])

        return next_response

    async def wait(brokers: Mapping[int, str]) -> None:
        with trio.fail_after(10):
            await wait_until_each_names_all(brokers)

    with (
        serving({ApiKey.METADATA: answer(1)}) as first,
        serving({ApiKey.METADATA: answer(2)}) as second,
    ):
        trio.run(wait, {1: first.address, 2: second.address})
    assert named == {1: [], 2: []}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--nodes", "3"], "--nodes 3: "),
        (["--controllers", "2"], "--controllers 2 --brokers 3: "),
        (["--brokers", "0"], "--controllers 3 --brokers 0: "),
        (["--base-port", "1"], "--base-port 1: "),
        (["--static"], "--static: "),
    ],
)
def test_a_cluster_that_is_there_is_not_made_another(options: list[str], words: str, tmp_path: Path) -> None:
    layout = make(tmp_path, Shape(controllers=1, brokers=1))
    result = run("--data", str(tmp_path), *options)
    assert result.exit_code == 1
    assert words in result.stderr
    assert f"holds a cluster of --controllers 1 --brokers 1, --base-port {layout.base_port}" in result.stderr
    assert read_layout(tmp_path) == layout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--nodes", "0"], "0 is not in the range"),
        (["--controllers", "0"], "0 is not in the range"),
        (["--brokers", "-1"], "-1 is not in the range"),
        (["--base-port", "65536"], "65536 is not in the range"),
        (["--nodes", "1", "--brokers", "0"], "--nodes is for nodes with both roles"),
        (["--ephemeral", "--data", "x"], "--ephemeral and --data do not go together"),
        (["x"], "unexpected extra argument"),
    ],
)
def test_a_wrong_use_is_told_in_words(options: list[str], words: str) -> None:
    result = run(*options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


def test_the_record_is_written_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster that was half made does not pass for one."""

    def fail(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("kafkaproto_server.tools.cluster.cluster_layout.format_directories", fail)
    result = run("--data", str(tmp_path / "c"), "--base-port", "0")
    assert (result.exit_code, result.stderr) == (1, "Error: no space left\n")
    monkeypatch.undo()
    assert "holds something, and no cluster.json" in run("--data", str(tmp_path / "c")).stderr


def test_the_record_says_what_people_want_to_know(tmp_path: Path) -> None:
    layout = make(tmp_path, Shape(combined=1))
    record = json.loads((tmp_path / "cluster.json").read_text())
    assert record == {
        "cluster_id": layout.cluster_id,
        "is_static": False,
        "nodes": [
            {
                "node_id": 1,
                "broker_port": layout.nodes[0].broker_port,
                "controller_port": layout.nodes[0].controller_port,
            }
        ],
    }
