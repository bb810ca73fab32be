"""The command line: wrong use before Spark starts, tables as files and on the screen, exit codes, the package.

Tests: `kafkaproto_pipeline.jobs.frames`, `kafkaproto_pipeline.jobs.session`, `kafkaproto_pipeline.jobs.summary`.
"""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click import ClickException
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from kafkaproto_pipeline.jobs import command_line, output
from kafkaproto_pipeline.jobs.command_line import as_given
from kafkaproto_pipeline.jobs.session import cause
from kafkaproto_pipeline.synthetic import HistoryOptions, generate
from tests.pipeline import planting

ROOT = Path(__file__).resolve().parents[3]
OPTIONS = HistoryOptions(seed=3, records=1200, replicas=2, brokers=4, partitions=20, segment_bytes=1 << 20)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Directories of two replicas; nobody may change them."""
    made = generate(tmp_path_factory.mktemp("commanded"), OPTIONS)
    return [str(node) for node in made.nodes]


@pytest.fixture
def without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A machine without Java: what asks for Spark fails at once."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SparkSession, "getActiveSession", classmethod(lambda _: None))
        yield


def call(*arguments: str) -> Result:
    """Run a command line in this process."""
    return CliRunner().invoke(command_line.cli, arguments)


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["history"], 2, "give the directories of nodes, or --bootstrap-controllers"),
        (["history", "x", "--bootstrap-controllers", "h:1"], 2, "not both"),
        (
            ["history", "--bootstrap-controllers", "h"],
            2,
            "--bootstrap-controllers is 'h'; allowed is host:port",
        ),
        (["history", "no/such/place"], 1, "there is no such file or directory"),
        (["history", "--table", "nothing", "x"], 2, "tables are events, topics"),
        (["history", "--from", "yesterday", "x"], 2, "--from is 'yesterday'; allowed is ISO-8601"),
        (["history", "--from", "9", "--to", "3", "x"], 2, "--to is 3, allowed is --from (9) or more"),
        (["history", "--format", "xml", "x"], 2, "'parquet', 'csv', 'json'"),
        (["history", "--conf", "novalue", "x"], 2, "KEY=VALUE"),
        (["state", "--at", "now-ish", "x"], 2, "--at is 'now-ish'; allowed is latest, an offset"),
        (["consistency", "--from", "3", "x"], 2, "No such option"),
        (["compact", "x"], 2, "--output"),
        (["watch", "x", "--to-topic", "t"], 2, "--bootstrap-server"),
        (["watch", "x", "--from", "noon"], 2, "ISO 8601"),
        (["watch", "--bootstrap-controllers", "h:1", "--uncommitted"], 2, "--uncommitted is for files"),
        (["nojob"], 2, "No such command"),
    ],
)
@pytest.mark.usefixtures("without_java")
def test_wrong_use_is_told_before_spark_starts(arguments: list[str], code: int, text: str) -> None:
    result = call(*arguments)
    assert result.exit_code == code, result.output
    assert text in result.output
    assert "Traceback" not in result.output


def test_output_that_is_there_already_is_not_touched(nodes: list[str], tmp_path: Path) -> None:
    (tmp_path / "leadership").mkdir()
    result = call("history", "--output", str(tmp_path), *nodes)
    assert result.exit_code == 2
    assert f"{tmp_path}/leadership is there already" in result.output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["state", "--output", "{file}/below/it"], "{file}/below/it cannot be written: Not a directory"),
        (["history", "--output", "/proc/x"], "/proc/x cannot be written: "),
        (["compact", "--output", "/proc/x"], "/proc/x cannot be written: "),
        (["report", "--output", "{file}/page.html"], "{file} cannot be written: Not a directory"),
        (["report", "--output", "/proc/version"], "/proc cannot be written: "),
    ],
)
@pytest.mark.usefixtures("without_java")
def test_output_that_cannot_be_written_is_told_before_spark_starts(
    nodes: list[str], tmp_path: Path, arguments: list[str], reason: str
) -> None:
    (tmp_path / "file").touch()
    result = call(*(each.format(file=tmp_path / "file") for each in arguments), *nodes)
    assert result.exit_code == 1
    assert f"Error: {reason.format(file=tmp_path / 'file')}" in result.output


def test_output_that_can_be_written_is_not_made_by_the_check(tmp_path: Path) -> None:
    output.check_folder(tmp_path / "some" / "folder")
    output.check_file(tmp_path / "some" / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_texts_of_the_source_name_the_options_of_the_command() -> None:
    assert as_given("option 'asOf' is 5, and the log ends with offset 3") == (
        "--at is 5, and the log ends with offset 3"
    )
    assert as_given("'endOffset' cannot be given; startOffset=9 reads what follows") == (
        "--to cannot be given; --from 9 reads what follows"
    )
    given = "the option 'startTimestamp' or a 'topic' named asOf"
    assert as_given(given) == "the --from or a 'topic' named asOf"


def damaged_behind(nodes: list[str], tmp_path: Path) -> tuple[str, planting.Place]:
    """A copy of a node whose log has a wrong length in a batch behind its newest snapshot."""
    (copy,) = planting.copy_nodes(nodes[:1], tmp_path)
    place = planting.find(copy, planting.batches(planting.segments(copy)[-1])[-2].base_offset)
    data = bytearray(place.batch.raw)
    data[8] ^= 64
    planting.put(place, bytes(data))
    return str(copy), place


@pytest.mark.usefixtures("without_java")
def test_no_snapshot_is_written_of_a_state_that_something_lies_behind(
    nodes: list[str], tmp_path: Path
) -> None:
    copy, place = damaged_behind(nodes, tmp_path)
    result = call("compact", "--output", str(tmp_path / "out"), copy)
    last = place.batch.base_offset - 1
    assert result.exit_code == 1
    assert "warning: cannot be read: " in result.output
    assert f"Error: nothing was written: the state after offset {last} cannot be told: " in result.output
    assert f"{place.path.name}, byte {place.position}, offset {last + 1}: " in result.output
    assert f"--at {last} gives the newest state that can be told" in result.output
    assert not (tmp_path / "out").exists()


def test_the_newest_state_is_that_which_can_be_told(
    nodes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy, place = damaged_behind(nodes, tmp_path)
    last = place.batch.base_offset - 1
    reading = command_line.Reading(paths=(copy,), bootstrap_controllers=None, at="latest")
    options = {"view": "state", "asOf": "latest"}
    assert reading.answerable(options)["asOf"] == str(last)
    assert f"the state after offset {last} cannot be told: " in capsys.readouterr().err
    asked = command_line.Reading(paths=(copy,), bootstrap_controllers=None, at=str(last + 1))
    with pytest.raises(ClickException, match=f"--at {last} gives"):
        asked.answerable({"view": "state", "asOf": str(last + 1)})
    assert asked.answerable({"view": "state", "asOf": str(last)})["asOf"] == str(last)


@pytest.mark.usefixtures("without_java")
def test_missing_java_is_one_line(nodes: list[str]) -> None:
    result = call("state", *nodes)
    assert result.exit_code == 1
    assert (
        "Error: Spark needs a Java runtime, 17 or later: neither JAVA_HOME nor PATH leads to one"
        in result.output
    )


def test_help_needs_neither_spark_nor_its_import() -> None:
    code = "import sys; from kafkaproto_pipeline.jobs.command_line import cli; cli(['--help'], standalone_mode=False);"
    checked = f"{code} assert not {{'pyspark', 'pandas', 'plotly'}} & set(sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", checked], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 0, result.stderr
    for job in (*command_line.TABLE_JOBS, "compact", "watch", "report", "synthetic", "package"):
        assert f"\n  {job}" in result.stdout


def test_package_holds_what_executors_import(tmp_path: Path) -> None:
    archive = tmp_path / "out.zip"
    result = call("package", str(archive))
    assert result.exit_code == 0, result.output
    with zipfile.ZipFile(archive) as opened:
        names = set(opened.namelist())
    assert {
        "kafkaproto_pipeline/datasource.py",
        "kafkaproto/log.py",
        "kafkaproto_server/metadata/image/replay.py",
        "kafkaproto_server/base/types.py",
    } <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith("kafkaproto_server/node")]
    code = "import kafkaproto_pipeline.datasource; from kafkaproto_pipeline.jobs import consistency, state; "
    code += "from kafkaproto_pipeline.jobs.report import job"
    imported = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(archive)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert imported.returncode == 0, imported.stderr


def test_causes_are_found_in_what_spark_says() -> None:
    told = (
        "[PYTHON_DATA_SOURCE_ERROR] Failed to plan Python data source read in Python: Traceback (most recent\n"
        '  File "plan.py", line 7, in partitions\n'
        "kafkaproto_pipeline.sources.directories.InputError: /data/1: offsets 3 to 8 are missing\n"
        "\tat org.apache.Foo.bar(Foo.java:3)"
    )
    assert cause(ValueError(told)) == "/data/1: offsets 3 to 8 are missing"
    assert cause(ValueError("plain\n\tat java")) == "plain"
    assert cause(ValueError()) == "ValueError"


class JavaError(Exception):
    """A failure of Java, as Py4J hands it over."""

    def __init__(self, message: str | None, inner: JavaError | None = None) -> None:
        super().__init__("An error occurred while calling o711.save.")
        self.java_exception, self.message, self.inner = self, message, inner

    def getCause(self) -> JavaError | None:
        return self.inner

    def getMessage(self) -> str | None:
        return self.message

    def toString(self) -> str:
        return "java.io.EOFException"


def test_the_innermost_cause_in_java_is_told() -> None:
    inner = JavaError("Mkdirs failed to create file:/proc/x\n\tat java")
    assert cause(JavaError("Job aborted.", inner)) == "Mkdirs failed to create file:/proc/x"
    assert cause(JavaError("Job aborted.", JavaError(None))) == "java.io.EOFException"


def records_in(nodes: list[str], files: Callable[[Path], list[Path]]) -> int:
    """The records in the nodes' segments, or in their snapshots."""
    paths = [path for node in nodes for path in files(Path(node))]
    return sum(batch.record_count for path in paths for batch in planting.batches(path))


@pytest.mark.jvm
def test_tables_are_written_and_shown_differences_are_exit_code_one_and_damage_a_warning(
    spark: SparkSession, nodes: list[str], tmp_path: Path
) -> None:
    copies = planting.copy_nodes(nodes, tmp_path)
    place = planting.find(copies[1], 320)
    data = bytearray(place.batch.raw)
    data[-1] ^= 1
    planting.put(place, bytes(data))
    out = tmp_path / "out"
    arguments = ["--table", "differences", "--rows", "1", "--format", "csv", "--output", str(out)]
    result = call("consistency", *arguments, *map(str, copies))
    assert result.exit_code == command_line.EXIT_DIFFERENCES, result.output
    counted = re.search(
        r"^([\d,]+) records in the log of 2 replicas, ([\d,]+) in snapshots$", result.output, re.M
    )
    assert counted is not None, result.output
    logs, snapshots = (int(each.replace(",", "")) for each in counted.groups())
    assert logs == records_in(nodes, planting.segments) - place.batch.record_count
    assert snapshots == records_in(nodes, planting.snapshots)
    assert "warning: 1 damaged batches or records were left out; the first: " in result.output
    assert f"{copies[1]}/{planting.LOG}/{place.path.name}, byte {place.position}" in result.output
    (table,) = out.iterdir()
    written = [row for path in table.glob("*.csv") for row in csv.DictReader(path.read_text().splitlines())]
    shown = f"differences  {len(written)} row"
    assert shown in result.output
    assert any("corrupt batch" in row.values() for row in written)
    failed = call("history", "--mode", "failfast", "--table", "quorum", str(copies[1]))
    assert failed.exit_code == 1
    assert f"byte {place.position}" in failed.output
    assert "Traceback" not in failed.output
    assert failed.output.strip().splitlines()[-1].startswith("Error: "), failed.output
    assert failed.output.count("Error") == 1, failed.output
    failed = call("state", "--at", "340", str(copies[1]))
    assert failed.exit_code == 1, failed.output
    assert re.search(
        rf"{place.path.name}, byte {place.position}, offset {place.batch.base_offset}: ", failed.output
    ), failed.output
    assert failed.output.strip().splitlines()[-1].startswith("Error: "), failed.output
    assert failed.output.count("Error") == 1, failed.output


@pytest.mark.jvm
def test_a_state_says_what_point_it_is_of(spark: SparkSession, nodes: list[str]) -> None:
    result = call("state", "--at", "100", "--table", "features", nodes[0])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("as of offset 100, epoch "), result.output


@pytest.mark.jvm
def test_progress_without_a_terminal_is_lines_of_stderr(spark: SparkSession, nodes: list[str]) -> None:
    result = call("history", "--table", "quorum", "--table", "voters", "--rows", "1", nodes[0])
    assert result.exit_code == 0, result.output
    told = [line for line in result.stderr.splitlines() if not re.search(r": \d+ s$", line)]
    assert told == ["starting Spark", "looking through the records", "quorum (1 of 2)", "voters (2 of 2)"]
    assert "starting" not in result.stdout
