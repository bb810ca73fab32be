"""Log directories and logs, ours read by Apache Kafka's own tools and Kafka's read by ours.

Every way to format is tried with both tools: the same ones are refused, the rest leave the same files with the same
records, apart from what is random or the time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compat.kafka.tools import run_tool
from kafkaproto import uuids
from kafkaproto.log import iterate_offset_index, iterate_time_index
from kafkaproto.messages import VotersRecord
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto.snapshot import ControlRecord
from kafkaproto_server.base.types import METADATA_TOPIC_ID
from kafkaproto_server.shell.storage.directories.meta_properties import read_log_directory
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.metadata.bootstrap import read_bootstrap
from kafkaproto_server.shell.storage.metadata.snapshot_file import read_snapshot_file
from kafkaproto_server.tools.storage.storage import main
from tests.tools.support.in_process import run

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"
VOTERS = "1@127.0.0.1:9093:JEXY6aqzQY-32P5TStzaFg,2@localhost:9094:MvDxzVmcRsaTz33bUuRU6A"
SALTED = 'SCRAM-SHA-512=[name=alice,iterations=8192,salt="N3E=",saltedpassword="YCE="]'
BOTH_ROLES = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "listeners": "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.bootstrap.servers": "127.0.0.1:9093",
}
BROKER = {**BOTH_ROLES, "process.roles": "broker", "listeners": "PLAINTEXT://127.0.0.1:9092"}
STATIC = {key: value for key, value in BOTH_ROLES.items() if key != "controller.quorum.bootstrap.servers"}
STATIC["controller.quorum.voters"] = "1@127.0.0.1:9093"


def configuration(directory: Path, properties: dict[str, str], count: int = 1) -> tuple[Path, list[Path]]:
    """A properties file in ``directory``, and the log directories that it names."""
    data = [directory / f"data{number}" for number in range(count)]
    path = directory / "server.properties"
    lines = [f"{key}={value}" for key, value in properties.items()]
    path.write_text("\n".join([*lines, "log.dirs=" + ",".join(map(str, data))]) + "\n")
    return path, data


Run = Callable[..., tuple[int, str, str]]
"""Takes arguments of a tool; the exit code, standard output and standard error."""


@pytest.fixture
def run_ours(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs our tool."""
    return lambda *arguments: run(main, arguments, capsys)


def run_stock(*arguments: str) -> tuple[int, str, str]:
    result = run_tool("kafka-storage", *arguments)
    return result.exit_code, result.stdout, result.stderr


def files_below(directory: Path) -> list[str]:
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def what_was_written(data: Path) -> dict[str, Any]:
    """The meaning of every file of a formatted log directory, without what is random."""
    disk = OsDisk()
    properties = read_log_directory(disk, str(data)).properties
    assert properties is not None
    own_id = properties.directory_id
    assert own_id is not None
    voters: list[Any] = []
    for path in data.glob("__cluster_metadata-0/*.checkpoint"):
        for record in read_snapshot_file(disk, str(path)):
            if not isinstance(record, ControlRecord):
                continue
            message = record.message
            if isinstance(message, VotersRecord):
                for voter in message.voters:
                    if voter.voter_directory_id == own_id:
                        voter.voter_directory_id = bytes(range(16))
            voters.append(message if record.type.name != "SNAPSHOT_HEADER" else record.type)
    return {
        "files": files_below(data),
        # What the owner may do; a node of ours lets nobody else read.
        "modes": [oct((data / name).stat().st_mode & 0o700) for name in files_below(data)],
        "properties": (properties.version, properties.cluster_id, properties.node_id),
        "records": read_bootstrap(disk, str(data)),
        "voters": voters,
    }


FORMATS: list[tuple[str, dict[str, str], int, tuple[str, ...]]] = [
    ("standalone", BOTH_ROLES, 2, ("-s",)),
    ("joining", BOTH_ROLES, 1, ("-N",)),
    ("listed", BOTH_ROLES, 2, ("-I", VOTERS)),
    ("listed-but-not-in-it", {**BOTH_ROLES, "node.id": "7"}, 1, ("-I", VOTERS)),
    ("static", STATIC, 1, ()),
    ("broker", BROKER, 1, ()),
    ("several-static", {**STATIC, "controller.quorum.voters": "1@127.0.0.1:9093,2@localhost:9094"}, 1, ()),
    ("several-servers", {**BROKER, "controller.quorum.bootstrap.servers": "a:1,b:2,c:3"}, 1, ()),
    ("joining-by-itself", {**BOTH_ROLES, "controller.quorum.auto.join.enable": "true"}, 1, ("-N",)),
    ("joining-broker", BROKER, 1, ("-N",)),
    ("joining-and-static", STATIC, 1, ("-N",)),
    ("listed-and-static", STATIC, 1, ("-I", VOTERS)),
    ("listed-elsewhere", BOTH_ROLES, 1, ("-I", VOTERS.replace("9093", "9999"))),
    ("listed-twice", BOTH_ROLES, 1, ("-I", f"{VOTERS},1@localhost:9095:u3EhW8WPQ1Wi5kSNYpTrJw")),
    ("broker-listed", {**BROKER, "node.id": "7"}, 1, ("-I", VOTERS)),
    ("older-release", BOTH_ROLES, 1, ("-s", "-r", "4.0-IV1")),
    (
        "features",
        BOTH_ROLES,
        1,
        ("-s", "-f", "metadata.version=26", "-f", "eligible.leader.replicas.version=0"),
    ),
    ("user", BOTH_ROLES, 1, ("-s", "-S", SALTED)),
    ("nothing-said", BOTH_ROLES, 1, ()),
    ("standalone-and-static", STATIC, 1, ("-s",)),
    ("standalone-broker", BROKER, 1, ("-s",)),
    ("two-ways", BOTH_ROLES, 1, ("-s", "-N")),
    ("kraft-version-0", BOTH_ROLES, 1, ("-s", "-f", "kraft.version=0")),
    ("kraft-version-1-static", STATIC, 1, ("-f", "kraft.version=1")),
    ("unknown-release", BOTH_ROLES, 1, ("-s", "-r", "4.5-IV0")),
    ("unknown-feature", BOTH_ROLES, 1, ("-s", "-f", "foo=1")),
    (
        "missing-dependency",
        BOTH_ROLES,
        1,
        ("-s", "-r", "3.9-IV0", "-f", "eligible.leader.replicas.version=1"),
    ),
    ("ambiguous", BOTH_ROLES, 1, ("-s", "-r", "4.0", "-f", "metadata.version=22")),
    ("bad-voters", BOTH_ROLES, 1, ("-I", "1@127.0.0.1:9093")),
]


@pytest.mark.parametrize(
    ("properties", "count", "arguments"), [case[1:] for case in FORMATS], ids=[case[0] for case in FORMATS]
)
def test_both_tools_format_alike(
    tmp_path: Path, run_ours: Run, properties: dict[str, str], count: int, arguments: tuple[str, ...]
) -> None:
    results: list[tuple[int, list[str], list[Any]]] = []
    for run_tool_of, name in ((run_stock, "stock"), (run_ours, "ours")):
        directory = tmp_path / name
        directory.mkdir()
        config, data = configuration(directory, properties, count)
        code, out, err = run_tool_of("format", "-c", str(config), "-t", CLUSTER, *arguments)
        # Stock goes through the directories in the order of a hash table.
        said = sorted(
            line.replace(str(directory), "") for line in out.splitlines() if line.startswith("Formatting ")
        )
        written: list[Any] = [what_was_written(path) if code == 0 else path.exists() for path in data]
        results.append((code, said, written))
        assert code == 0 or err
    assert results[0] == results[1]


def test_stock_info_reads_what_we_formatted_and_ours_what_stock_did(tmp_path: Path, run_ours: Run) -> None:
    for name, formats in (("ours", run_ours), ("stock", run_stock)):
        directory = tmp_path / name
        directory.mkdir()
        config, data = configuration(directory, BOTH_ROLES, 2)
        assert formats("format", "-c", str(config), "-t", CLUSTER, "-s")[0] == 0
        assert_same_info(run_ours, config, data, exit_code=0)
        (data[1] / "meta.properties").unlink()
        assert_same_info(run_ours, config, data, exit_code=1)


def assert_same_info(run_ours: Run, config: Path, data: list[Path], *, exit_code: int) -> None:
    """Both tools say the same of these directories, but for the ids, which ours puts before what is wrong."""
    stock, ours = run_stock("info", "-c", str(config)), run_ours("info", "-c", str(config))
    ids = []
    for path in data:
        properties = read_log_directory(OsDisk(), str(path)).properties
        if properties is not None:
            assert properties.directory_id is not None
            ids.append(f"  {path}: {uuids.to_text(properties.directory_id)}\n")
    added = f"Found directory id{'' if len(ids) == 1 else 's'}:\n{''.join(ids)}\n"
    said, heading, problems = stock[1].partition("Found problem")
    assert (ours[0], ours[1]) == (stock[0], said + added + heading + problems)
    assert stock[0] == exit_code


def dump(path: Path) -> str:
    """What kafka-dump-log prints of a file; it must have found nothing to complain of."""
    result = run_tool("kafka-dump-log", "--cluster-metadata-decoder", "--files", str(path))
    output = result.output()
    assert "isvalid: false" not in output
    for complaint in (
        "Mismatches",
        "out of order",
        "non-consecutive",
        "Found timestamp mismatch",
        "trailing",
    ):
        assert complaint.lower() not in output.lower(), output
    return output


def test_stock_dumps_the_files_of_formatting(tmp_path: Path, run_ours: Run) -> None:
    config, (data,) = configuration(tmp_path, BOTH_ROLES)
    assert run_ours("format", "-c", str(config), "-t", CLUSTER, "-s")[0] == 0
    voters = dump(data / "__cluster_metadata-0" / "00000000000000000000-0000000000.checkpoint")
    payloads = re.findall(r"payload: (\{.*\})", voters)
    expected = [record.to_json(0) for record in read_bootstrap(OsDisk(), str(data))]
    assert [json.loads(payload)["data"] for payload in payloads] == expected
    assert "Snapshot end offset: 0, epoch: 0" in voters
    assert 'KRaftVersion {"version":0,"kRaftVersion":1}' in voters
    properties = read_log_directory(OsDisk(), str(data)).properties
    assert properties is not None
    assert properties.directory_id is not None
    assert f'"voterId":1,"voterDirectoryId":"{uuids.to_text(properties.directory_id)}"' in voters


def metadata_batch(offset: int) -> bytes:
    values = [bytes.fromhex("01140000"), bytes.fromhex("010c00116d657461646174612e76657273696f6e001e00")]
    for value in values:
        decode_metadata_record(value)
    return build_batch(
        [NewRecord(None, value) for value in values],
        base_offset=offset,
        partition_leader_epoch=1 + offset // 100,
        timestamp_ms=1_795_242_529_000 + offset,
    )


def test_stock_dumps_a_log_of_several_segments_with_its_indexes(tmp_path: Path) -> None:
    directory = tmp_path / "__cluster_metadata-0"
    config = LogConfig(segment_bytes=20_000, index_interval_bytes=1_000)
    log = Log.open(OsDisk(), str(directory), topic_id=METADATA_TOPIC_ID, config=config)
    for offset in range(0, 1_200, 2):
        log.append([metadata_batch(offset)])
    log.truncate_to(700)
    for offset in range(700, 900, 2):
        log.append([metadata_batch(offset)])
    log.close()
    log = Log.open(OsDisk(), str(directory), topic_id=METADATA_TOPIC_ID, config=config)
    log.append([metadata_batch(900)])
    log.close()
    offsets: list[int] = []
    for path in sorted(directory.glob("*.log")):
        output = dump(path)
        offsets += map(int, re.findall(r"^\| offset: (\d+) ", output, re.MULTILINE))
        base = int(path.stem)
        index = path.with_suffix(".index")
        found = re.findall(r"^offset: (\d+) position: (\d+)$", dump(index), re.MULTILINE)
        entries = list(iterate_offset_index(index.read_bytes(), base))
        assert entries
        assert [(int(offset), int(position)) for offset, position in found] == entries
        times = path.with_suffix(".timeindex")
        found = re.findall(r"^timestamp: (\d+) offset: (\d+)$", dump(times), re.MULTILINE)
        assert [(int(time), int(offset)) for time, offset in found] == list(
            iterate_time_index(times.read_bytes(), base)
        )
    assert len(list(directory.glob("*.log"))) > 2
    assert offsets == list(range(902))
    for path in directory.glob("*.snapshot"):
        dump(path)
