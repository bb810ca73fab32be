"""The kafka-dump-log command line: its lines, its JSON, what it says of damage.

What stock Kafka prints of the same files is compared in tests/compat/test_dump_log.py.

Tests: `tools.dump.dumped_files`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kafkaproto.connection import SOFTWARE_VERSION
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.tools.dump.dump_log import main
from tests.support.old_logs import FOLDER
from tests.tools.support.in_process import run
from tests.tools.support.log_files import SNAPSHOT_NAME, make_broker_files, make_metadata_log

FIRST = f"{0:020}"


class Tool:
    """Runs the tool in this process, in the directory of the files."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def run(self, *arguments: str) -> tuple[int, list[str], list[str]]:
        """Exit code, lines of standard output, lines of standard error."""
        code, out, err = run(main, arguments, self._capsys)
        return code, out.splitlines(), err.splitlines()

    def lines(self, *arguments: str) -> list[str]:
        """What a run prints that has nothing to complain about."""
        code, out, err = self.run(*arguments)
        assert (code, err) == (0, [])
        return out

    def json(self, *arguments: str) -> list[Any]:
        """The objects that it prints."""
        return [json.loads(line) for line in self.lines("--json", *arguments)]


@pytest.fixture
def tool(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Tool:
    make_metadata_log(tmp_path / "metadata")
    make_broker_files(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    return Tool(capsys)


def test_batches_are_shown_by_their_headers(tool: Tool) -> None:
    dumping, start, first, second, *_ = tool.lines("--files", f"metadata/{FIRST}.log")
    assert dumping == f"Dumping metadata/{FIRST}.log"
    assert start == "Log starting offset: 0"
    assert first.startswith(
        "baseOffset: 0 lastOffset: 0 count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 "
        "partitionLeaderEpoch: 0 isTransactional: false isControl: true deleteHorizonMs: OptionalLong.empty "
        "position: 0 CreateTime: 1000 size: 91 magic: 2 compresscodec: none crc: "
    )
    assert first.endswith(" isvalid: true")
    assert " position: 91 " in second


def test_records_of_the_metadata_log_are_shown_as_json(tool: Tool) -> None:
    lines = tool.lines("--cluster-metadata-decoder", "--files", f"metadata/{FIRST}.log")
    assert lines[3] == (
        "| offset: 0 CreateTime: 1000 keySize: 4 valueSize: 19 sequence: -1 headerKeys: [] LeaderChange: "
        '{"version":0,"leaderId":1,"voters":[{"voterId":1}],"grantingVoters":[{"voterId":1}]}'
    )
    assert lines[5].endswith(
        ' payload: {"type":"FEATURE_LEVEL_RECORD","version":0,"data":{"name":"metadata.version","featureLevel":30}}'
    )
    assert '"entityName":"größe"' in lines[8]
    assert '"value":1.048576E7' in lines[8]
    assert lines[9].endswith(' payload: {"type":"NO_OP_RECORD","version":0,"data":{}}')


def test_snapshots_are_shown_with_their_control_records(tool: Tool) -> None:
    lines = tool.lines("--cluster-metadata-decoder", "--files", f"metadata/{SNAPSHOT_NAME}")
    assert lines[1] == "Snapshot end offset: 50, epoch: 1"
    assert lines[3].endswith('SnapshotHeader {"version":0,"lastContainedLogTimestamp":77}')
    assert lines[4].endswith('KRaftVersion {"version":0,"kRaftVersion":1}')
    assert (
        lines[5]
        .partition("headerKeys: [] ")[2]
        .startswith('KRaftVoters {"version":0,"voters":[{"voterId":1,')
    )
    assert lines[-1].endswith('SnapshotFooter {"version":0}')
    assert tool.lines("--files", "metadata/bootstrap.checkpoint")[1] == "KRaft bootstrap snapshot"


def test_metadata_of_records_can_be_left_out(tool: Tool) -> None:
    arguments = ("--cluster-metadata-decoder", "--skip-record-metadata", "--files", f"metadata/{FIRST}.log")
    lines = tool.lines(*arguments)
    assert lines[3] == ""
    assert lines[9] == '| payload: {"type":"NO_OP_RECORD","version":0,"data":{}}'


def test_keys_and_values_are_shown_as_text(tool: Tool) -> None:
    code, lines, errors = tool.run("--print-data-log", "--files", f"data/{100:020}.log")
    assert code == 0
    assert lines[3:5] == [
        "| offset: 100 CreateTime: 1234 keySize: 3 valueSize: 5 sequence: 2147483647 headerKeys: [h1,h2] "
        "key: key payload: value",
        "| offset: 101 CreateTime: 1240 keySize: -1 valueSize: -1 sequence: 0 headerKeys: []",
    ]
    assert lines[6].endswith(
        "LogAppendTime: 1300 keySize: 6 valueSize: 0 sequence: -1 headerKeys: [] key: key ä payload: "
    )
    assert "deleteHorizonMs: OptionalLong[1500]" in lines[7]
    assert lines[10].endswith(" endTxnMarker: ABORT coordinatorEpoch: 3")
    assert lines[12].endswith(" endTxnMarker: COMMIT coordinatorEpoch: 3")
    assert errors == [
        f"Non-consecutive offsets in {Path.cwd()}/data/{100:020}.log",
        "  101 is followed by 110",
    ]


def test_what_is_no_text_is_shown_as_java_reads_it(tool: Tool) -> None:
    """Java has one U+FFFD for what would be a surrogate, whole or cut off, and otherwise as many as Python."""
    value = b"a\xed\xa0\x80b\xed\xbfc\xed\x9f\xbfd\xf0\x90\x80e\xc0\x80f\xed"
    path = Path(f"{FIRST}.log")
    path.write_bytes(build_batch([NewRecord(None, value)], base_offset=0, timestamp_ms=1))
    shown = tool.lines("--print-data-log", "--files", str(path))[-1]
    assert shown.endswith(" payload: a\ufffdb\ufffdc\ud7ffd\ufffde\ufffd\ufffdf\ufffd")


def test_indexes_of_our_log_agree_with_it(tool: Tool) -> None:
    bases = sorted(path.stem for path in Path("metadata").glob("*.index"))
    assert len(bases) > 1
    paths = ",".join(f"metadata/{base}.{kind}" for base in bases for kind in ("index", "timeindex"))
    lines = tool.lines("--files", paths)
    assert sum(line.startswith("offset: ") for line in lines) > 3
    # The last segment has one batch, which needs no entry.
    empty = f"metadata/{bases[-1]}.index is empty."
    verified = tool.lines("--verify-index-only", "--files", paths)
    assert [line for line in verified if line != empty] == [f"Dumping {path}" for path in paths.split(",")]
    sane = tool.lines("--index-sanity-check", "--files", paths)
    assert sum(line.endswith("passed sanity check.") or line == empty for line in sane) == 2 * len(bases)


def test_the_index_of_a_segment_that_is_written_to_ends_where_zeros_begin(tool: Tool) -> None:
    path = Path(f"metadata/{FIRST}.index")
    before = tool.lines("--files", str(path))
    path.write_bytes(path.read_bytes() + bytes(800))
    assert tool.lines("--files", str(path)) == before


def test_indexes_that_contradict_their_log_are_reported(tool: Tool) -> None:
    code, _, errors = tool.run("--verify-index-only", "--files", f"data/{FIRST}.index,data/{FIRST}.timeindex")
    assert code == 0
    index, times = (f"{Path.cwd()}/data/{FIRST}.{kind}" for kind in ("index", "timeindex"))
    assert errors == [
        f"Mismatches in :{index}",
        "  Index offset: 6, log offset: 7",
        "  Index offset: 4, log offset: 3",
        f"Found timestamp mismatch in :{times}",
        "  Index timestamp: 1001, log timestamp: 1002",
        "  Index timestamp: 1001, log timestamp: 1004",
        "  Index timestamp: 990, log timestamp: 1006",
        f"Found out of order timestamp in :{times}",
        "  Index timestamp: 1001, Previously indexed timestamp: 1001",
        "  Index timestamp: 990, Previously indexed timestamp: 1001",
        f"The following indexed offsets are not found in :{times}",
        "Indexed offset: 8, found log offset: 9",
        "Indexed offset: 99, found log offset: -1",
    ]


def test_producer_states_and_aborted_transactions_are_shown(tool: Tool) -> None:
    assert tool.lines("--files", f"data/{62:020}.snapshot,data/{100:020}.txnindex")[1:] == [
        "producerId: 7 producerEpoch: 2 coordinatorEpoch: 4 currentTxnFirstOffset: OptionalLong.empty "
        "lastTimestamp: 1700 firstSequence: 6 lastSequence: 9 lastOffset: 105 offsetDelta: 3 timestamp: 1700",
        "producerId: 8 producerEpoch: 0 coordinatorEpoch: -1 currentTxnFirstOffset: OptionalLong[77] lastTimestamp: -1",
        f"Dumping data/{100:020}.txnindex",
        "version: 0 producerId: 4 firstOffset: 100 lastOffset: 112 lastStableOffset: 100",
    ]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            ["--deep-iteration", "--files", f"data/{200:020}.log"],
            f"data/{200:020}.log, batch at byte 112: record batch",
        ),
        (["--files", f"data/{400:020}.log"], f"data/{400:020}.log at byte 112: no record batch has length 0"),
        (
            ["--files", f"data/{63:020}.snapshot"],
            f"data/{63:020}.snapshot: the crc says 5, that of the content is",
        ),
        (["--files", "data/nothing.log"], "data/nothing.log: its name is not that of a segment"),
        (["--files", f"data/{9:020}.log"], "No such file"),
        (
            ["--max-message-size", "50", "--files", f"data/{FIRST}.index"],
            f"{FIRST}.log at byte 0, which data/",
        ),
        ([], "Missing option '--files'"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_the_place(
    tool: Tool, arguments: list[str], reason: str
) -> None:
    code, _, errors = tool.run(*arguments)
    assert code == 1
    assert reason in "\n".join(errors)


def test_an_invalid_batch_and_a_torn_end_are_shown(tool: Tool) -> None:
    lines = tool.lines("--files", f"data/{200:020}.log")
    assert [line.rpartition(" ")[2] for line in lines[2:]] == ["true", "false", "true"]
    assert (
        tool.lines("--files", f"data/{300:020}.log")[-1]
        == f"Found 50 invalid bytes at the end of {300:020}.log"
    )


def test_only_so_many_bytes_of_a_log_are_read(tool: Tool) -> None:
    everything = tool.lines("--files", f"metadata/{FIRST}.log")
    assert tool.lines("--max-bytes", "91", "--files", f"metadata/{FIRST}.log") == everything[:3]
    assert tool.lines("--max-bytes", "90", "--files", f"metadata/{FIRST}.log") == everything[:2]


def test_files_of_no_known_kind_are_left_out(tool: Tool) -> None:
    code, lines, errors = tool.run("--files", f"metadata/leader-epoch-checkpoint,data/{500:020}.index")
    assert code == 0
    assert errors == ["Ignoring unknown file metadata/leader-epoch-checkpoint"]
    assert lines[-1] == f"data/{500:020}.index is empty."


def test_several_lists_of_files(tool: Tool) -> None:
    log, index = f"metadata/{FIRST}.log", f"metadata/{FIRST}.index"
    both = tool.lines("--files", f"{log}, {index},")
    assert both == tool.lines("--files", log) + tool.lines("--files", index)
    assert both == tool.lines("--files", log, "--files", index)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            ["--offsets-decoder"],
            "--offsets-decoder is not taken: it is for the records of __consumer_offsets",
        ),
        (["--value-decoder-class", "a.b.C"], "--value-decoder-class is not taken: it names a Java class"),
    ],
)
def test_options_of_kafka_about_other_topics_are_refused_with_the_reason(
    tool: Tool, arguments: list[str], reason: str
) -> None:
    code, lines, errors = tool.run("--files", f"metadata/{FIRST}.log", *arguments)
    assert (code, lines) == (1, [])
    assert reason in errors[-1]


def test_the_version_is_told(tool: Tool) -> None:
    assert tool.lines("--version") == [SOFTWARE_VERSION]


def test_json_has_everything_that_the_lines_have(tool: Tool) -> None:
    objects = tool.json(
        "--cluster-metadata-decoder", "--files", f"metadata/{FIRST}.log,metadata/{FIRST}.index"
    )
    batches = [each["batch"] for each in objects if "batch" in each]
    records = [each["record"] for each in objects if "record" in each]
    assert batches[0]["isControl"] is True
    assert batches[0]["deleteHorizonMs"] is None
    assert records[0]["LeaderChange"]["leaderId"] == 1
    assert records[1]["payload"]["data"] == {"name": "metadata.version", "featureLevel": 30}
    assert len(records) == batches[-1]["lastOffset"] + 1
    entries = [each["indexEntry"] for each in objects if "indexEntry" in each]
    assert {"offset", "position"} == set(entries[0])
    assert {each["file"] for each in objects} == {f"metadata/{FIRST}.log", f"metadata/{FIRST}.index"}
    problems = tool.json("--verify-index-only", "--files", f"data/{FIRST}.index")
    assert {"file": f"data/{FIRST}.index", "problem": {"text": "Index offset: 4, log offset: 3"}} in problems


def test_logs_of_old_brokers_are_shown_as_by_kafka(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """kafka-dump-log of Apache Kafka 4.3.1 has printed the golden lines (tests/compat/test_dump_log.py has more)."""
    golden = (Path(__file__).parents[1] / "golden" / "dump_log_old_formats.txt").read_text().splitlines()
    monkeypatch.chdir(FOLDER)
    names = [line.removeprefix("Dumping ") for line in golden if line.startswith("Dumping ")]
    tool = Tool(capsys)
    # On standard error are the entries of the indexes that are not as they should be.
    assert [line for name in names for line in tool.run("--print-data-log", "--files", name)[1]] == golden
    assert tool.json("--files", names[0])[0]["batch"]["offset"] == 39
