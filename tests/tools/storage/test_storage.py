"""The kafka-storage command line: what it prints, and with which exit code it ends."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kafkaproto import uuids
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.metadata.bootstrap import read_bootstrap
from kafkaproto_server.tools.storage.storage import main
from tests.tools.support.in_process import run

CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"
VOTERS = "1@127.0.0.1:9093:JEXY6aqzQY-32P5TStzaFg"


class Tool:
    """Runs the tool in this process."""

    def __init__(self, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.directory = directory
        self._capsys = capsys

    def config(self, **changes: str) -> str:
        """Path of a properties file of a node with both roles; keys are written with underscores for dots."""
        properties = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "listeners": "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.bootstrap.servers": "127.0.0.1:9093",
            "log.dirs": f"{self.directory}/data",
        }
        properties.update({key.replace("_", "."): value for key, value in changes.items()})
        path = self.directory / "server.properties"
        path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        return str(path)

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        return run(main, arguments, self._capsys)


@pytest.fixture
def tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Tool:
    return Tool(tmp_path, capsys)


def test_random_uuids_are_uuids_that_can_stand_in_a_command_line(tool: Tool) -> None:
    seen = set()
    for _ in range(50):
        code, out, err = tool.run("random-uuid")
        assert (code, err) == (0, "")
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{21}\n", out)
        seen.add(uuids.from_text(out.strip()))
    assert len(seen) == 50


def test_a_directory_is_formatted_and_told_about(tool: Tool) -> None:
    config = tool.config()
    data = tool.directory / "data"
    code, out, err = tool.run("format", "--standalone", "-t", CLUSTER, "-c", config)
    assert (code, err) == (0, "")
    assert out.endswith(
        f"Formatting dynamic metadata voter directory {data} with metadata.version 4.4-IV2.\n"
    )
    code, out, err = tool.run("info", "--config", config)
    assert (code, err) == (0, "")
    assert re.fullmatch(
        rf"Found log directory:\n  {data}\n\n"
        rf"Found metadata: {{cluster.id={CLUSTER}, directory.id=[\w-]{{22}}, node.id=1, version=1}}\n\n",
        out,
    )


def ids(tool: Tool, *names: str) -> dict[str, str]:
    """directory.id by path."""
    found = {}
    for path in (tool.directory / name for name in names):
        lines = (path / "meta.properties").read_text().splitlines()
        found[str(path)] = dict(line.split("=") for line in lines if "=" in line)["directory.id"]
    return found


def test_all_directories_are_formatted_and_told_with_their_ids(tool: Tool) -> None:
    root = tool.directory
    config = tool.config(log_dirs=f"{root}/b,{root}/a", metadata_log_dir=f"{root}/m")
    code, out, err = tool.run("format", "--standalone", "-t", CLUSTER, "-c", config)
    assert (code, err) == (0, "")
    assert out.splitlines()[1:] == [
        f"Formatting data directory {root}/b with metadata.version 4.4-IV2.",
        f"Formatting data directory {root}/a with metadata.version 4.4-IV2.",
        f"Formatting dynamic metadata voter directory {root}/m with metadata.version 4.4-IV2.",
    ]
    own = ids(tool, "a", "b", "m")
    assert len(frozenset(own.values())) == 3
    code, out, err = tool.run("info", "-c", config)
    assert (code, err) == (0, "")
    # Stock 4.3.1 prints the first two parts, and tells no other directory's id than the first one's.
    assert out == (
        f"Found log directories:\n  {root}/a\n  {root}/b\n  {root}/m\n\n"
        f"Found metadata: {{cluster.id={CLUSTER}, directory.id={own[f'{root}/a']}, node.id=1, version=1}}\n\n"
        "Found directory ids:\n" + "".join(f"  {path}: {text}\n" for path, text in own.items()) + "\n"
    )


def test_a_directory_that_was_added_is_formatted_beside_the_others(tool: Tool) -> None:
    root = tool.directory
    assert tool.run("format", "-s", "-t", CLUSTER, "-c", tool.config(log_dirs=f"{root}/a"))[0] == 0
    before = ids(tool, "a")
    config = tool.config(log_dirs=f"{root}/a,{root}/b")
    code, _, err = tool.run("format", "-s", "-t", CLUSTER, "-c", config)
    assert code == 1
    assert f"{root}/a is already formatted. Use --ignore-formatted" in err
    assert not (root / "b").exists()
    assert tool.run("format", "-s", "-g", "-t", CLUSTER, "-c", config)[0] == 0
    after = ids(tool, "a", "b")
    assert before.items() <= after.items()
    assert len(frozenset(after.values())) == 2
    assert not (root / "b" / "__cluster_metadata-0").exists()


def test_a_copied_directory_is_told_with_both_paths(tool: Tool) -> None:
    root = tool.directory
    config = tool.config(log_dirs=f"{root}/a,{root}/b")
    assert tool.run("format", "-s", "-t", CLUSTER, "-c", config)[0] == 0
    shutil.copy(root / "a" / "meta.properties", root / "b" / "meta.properties")
    code, out, _ = tool.run("info", "-c", config)
    assert code == 1
    assert (
        f"{root}/b/meta.properties: directory.id {ids(tool, 'a')[f'{root}/a']} is also that of {root}/a"
        in out
    )


def test_info_tells_every_problem(tool: Tool) -> None:
    a, b = tool.directory / "a", tool.directory / "b"
    config = tool.config(log_dirs=f"{a},{b}")
    assert tool.run("info", "-c", config) == (
        1,
        f"Found problems:\n  {a} does not exist\n  {b} does not exist\n\n",
        "",
    )
    a.mkdir()
    assert tool.run("info", "-c", config)[1] == (
        f"Found log directory:\n  {a}\n\nFound problems:\n  {a} is not formatted.\n  {b} does not exist\n\n"
    )
    assert tool.run("format", "-N", "-t", CLUSTER, "-c", config)[0] == 0
    (b / "meta.properties").write_text("version=9")
    code, out, _ = tool.run("info", "-c", config)
    assert code == 1
    assert out.startswith(f"Found log directories:\n  {a}\n  {b}\n\nFound metadata: {{cluster.id={CLUSTER}, ")
    assert f"Found problem:\n  {b}/meta.properties: version is 9" in out
    config = tool.config(log_dirs=str(a), node_id="8")
    code, out, _ = tool.run("info", "-c", config)
    assert code == 1
    assert (
        f"Found problem:\n  {a}/meta.properties: stored node id 1 does not match the configured node.id 8"
        in out
    )


def test_the_rules_of_the_first_voters(tool: Tool) -> None:
    config = tool.config()
    code, _, err = tool.run("format", "-t", CLUSTER, "-c", config)
    assert code == 1
    assert (
        "you must specify one of the following: --standalone, --initial-controllers, or --no-initial" in err
    )
    code, _, err = tool.run("format", "-t", CLUSTER, "-c", config, "-s", "-I", VOTERS)
    assert code == 1
    assert "--initial-controllers is not allowed with --standalone" in err
    code, out, _ = tool.run("format", "-t", CLUSTER, "-c", config, "-I", VOTERS)
    assert code == 0
    assert "Formatting dynamic metadata voter directory" in out
    assert "JEXY6aqzQY-32P5TStzaFg" in (tool.directory / "data" / "meta.properties").read_text()
    code, _, err = tool.run("format", "-t", CLUSTER, "-c", config, "-I", VOTERS)
    assert code == 1
    assert "is already formatted. Use --ignore-formatted" in err
    code, out, _ = tool.run("format", "-t", CLUSTER, "-c", config, "-I", VOTERS, "-g")
    assert (code, out) == (0, "All of the log directories are already formatted.\n")


def test_features_and_users(tool: Tool) -> None:
    config = tool.config(unknown_key="1")
    arguments = ("format", "-N", "-t", CLUSTER, "-c", config, "-r", "4.1", "-f", "group.version=0")
    user = "SCRAM-SHA-256=[name=alice,password=alice-secret]"
    code, out, err = tool.run(*arguments, "-f", "transaction.version=1", "-S", user)
    assert code == 0
    assert "unknown.key" in err
    assert "metadata.version 4.1-IV1." in out
    assert "alice-secret" not in out + err
    records = [record.to_json(0) for record in read_bootstrap(OsDisk(), f"{tool.directory}/data")]
    assert [record["name"] for record in records] == [
        "metadata.version",
        "eligible.leader.replicas.version",
        "transaction.version",
        "alice",
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-f", "group.version"), "Invalid feature format: group.version. Expected format: 'feature=level'"),
        (("-f", "group.version=x"), "Invalid feature format"),
        (("-f", "=1"), "Invalid feature format"),
        (("-f", "foo=1"), "Unsupported feature: foo"),
        (("-S", "SCRAM-SHA-1=[]"), "mechanism SCRAM-SHA-1 is not supported"),
        (("-r", "2.8"), "Unknown metadata.version '2.8'"),
    ],
)
def test_what_cannot_be_formatted_is_told_and_nothing_is_made(
    tool: Tool, arguments: tuple[str, ...], complaint: str
) -> None:
    code, out, err = tool.run("format", "-s", "-t", CLUSTER, "-c", tool.config(), *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert complaint in err
    assert not (tool.directory / "data").exists()


def test_a_configuration_that_cannot_be_read_or_is_wrong_is_told(tool: Tool) -> None:
    code, _, err = tool.run("info", "-c", f"{tool.directory}/missing.properties")
    assert code == 1
    assert "missing.properties" in err
    code, _, err = tool.run("format", "-s", "-t", CLUSTER, "-c", tool.config(node_id="x"))
    assert code == 1
    assert "node.id" in err


def test_a_directory_that_cannot_be_made_is_told(tool: Tool) -> None:
    (tool.directory / "file").write_text("")
    config = tool.config(log_dirs=f"{tool.directory}/file/data")
    code, _, err = tool.run("format", "-s", "-t", CLUSTER, "-c", config)
    assert code == 1
    assert f"{tool.directory}/file" in err


def test_a_wrong_command_line_is_exit_code_1(tool: Tool) -> None:
    for arguments in ((), ("nonsense",), ("format", "-s"), ("feature-dependencies",), ("info", "--what")):
        code, _, err = tool.run(*arguments)
        assert code == 1, arguments
        assert "Usage: kafka-storage" in err, arguments
    assert tool.run("--help")[0] == 0
    assert tool.run("format", "-h")[0] == 0


def test_version_mapping_is_kafkas(tool: Tool) -> None:
    newest = (
        "metadata.version=33 (4.4-IV2)\nkraft.version=1\ntransaction.version=2\ngroup.version=1\n"
        "eligible.leader.replicas.version=1\nshare.version=2\nstreams.version=1\n"
    )
    assert tool.run("version-mapping") == (0, newest, "")
    code, out, _ = tool.run("version-mapping", "--release-version", "3.3-IV3")
    assert code == 0
    assert out.startswith("metadata.version=7 (3.3-IV3)\nkraft.version=0\n")
    assert tool.run("version-mapping", "-r", "4.1")[1].startswith("metadata.version=27 (4.1)\n")
    code, out, err = tool.run("version-mapping", "-r", "9.9")
    assert (code, out) == (1, "")
    assert "Unknown metadata.version '9.9'. Supported metadata.version are: 3.3-IV3, " in err


def stock_responses() -> list[tuple[str, str, int]]:
    """(arguments, output, exit code) of each command of the recording."""
    text = (Path(__file__).parents[1] / "golden" / "storage_levels.txt").read_text()
    responses = []
    for block in text.split("$ kafka-storage ")[1:]:
        arguments, _, rest = block.partition("\n")
        output, _, code = rest.strip().rpartition("exit code ")
        responses.append((arguments, output, int(code)))
    return responses


@pytest.mark.parametrize(("arguments", "output", "code"), stock_responses(), ids=lambda each: str(each)[:60])
def test_levels_are_told_as_stock_tells_them(tool: Tool, arguments: str, output: str, code: int) -> None:
    told = tool.run(*arguments.split())
    assert told[0] == code
    if code == 0:
        assert told[1:] == (output, "")
    else:
        # Our own words, on standard error; the value at fault stands in both.
        assert told[1] == ""
        assert any(word in told[2] and word in output for word in re.split(r"[ =]", arguments)[2:])


def test_feature_dependencies_are_kafkas(tool: Tool) -> None:
    arguments = (
        "-f",
        "eligible.leader.replicas.version=1",
        "-f",
        "metadata.version=30",
        "-f",
        "transaction.version=2",
    )
    assert tool.run("feature-dependencies", *arguments) == (
        0,
        "eligible.leader.replicas.version=1 requires:\n    metadata.version=23 (4.0-IV1)\n"
        "metadata.version=30 (4.3-IV0) has no dependencies.\ntransaction.version=2 has no dependencies.\n",
        "",
    )
    for wrong in ("foo=2", "transaction.version=7", "transaction.version", "metadata.version=5"):
        code, _, err = tool.run("feature-dependencies", "-f", wrong)
        assert code == 1
        assert wrong.partition("=")[0] in err


@pytest.mark.slow
def test_the_module_is_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kafkaproto_server.tools.storage.storage", "random-uuid"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(done.stdout.strip()) == 22


def test_the_loss_of_a_log_is_accepted(tool: Tool) -> None:
    config = tool.config()
    assert tool.run("format", "--config", config, "--cluster-id", CLUSTER, "--standalone")[0] == 0
    directory = tool.directory / "data" / "t-0"
    directory.mkdir()
    topic = ("accept-log", "--config", config, "--topic", "t", "--partition", "0")
    code, _, err = tool.run(*topic)
    assert code == 1
    assert f"{directory}/partition.metadata is gone or not valid" in err
    (directory / f"{0:020}.index").write_bytes(bytes(8))
    code, out, err = tool.run(*topic, "--topic-id", CLUSTER)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"Wrote {directory}/partition.metadata.",
        f"{directory} holds records from offset 0 to 0 (exclusive).",
    ]
    assert (directory / "partition.metadata").read_text() == f"version: 0\ntopic_id: {CLUSTER}"
