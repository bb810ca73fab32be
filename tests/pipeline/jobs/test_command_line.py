"""The command line: wrong use before Spark starts, tables as files and on the screen, exit codes, the package."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from kafkaproto_pipeline.jobs import command_line
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
        (["history", "--bootstrap-controllers", "h"], 2, "host:port"),
        (["history", "no/such/place"], 1, "there is no such file or directory"),
        (["history", "--table", "nothing", "x"], 2, "tables are leadership, isr"),
        (["history", "--from", "yesterday", "x"], 2, "ISO-8601"),
        (["history", "--from", "9", "--to", "3", "x"], 2, "'endOffset' is 3"),
        (["history", "--format", "xml", "x"], 2, "'parquet', 'csv', 'json'"),
        (["history", "--conf", "novalue", "x"], 2, "KEY=VALUE"),
        (["state", "--at", "now-ish", "x"], 2, "latest, an offset"),
        (["consistency", "--from", "3", "x"], 2, "No such option"),
        (["compact", "x"], 2, "--output"),
        (["watch", "x", "--to-topic", "t"], 2, "--bootstrap-server"),
        (["watch", "x", "--from", "noon"], 2, "ISO 8601"),
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
        "kafkaproto_server/image/replay.py",
        "kafkaproto_server/types.py",
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
    assert f"records of {len(copies)} replicas" in result.output
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
    assert len(failed.output.strip().splitlines()) == 1, failed.output
    failed = call("state", "--at", "340", str(copies[1]))
    assert failed.exit_code == 1, failed.output
    assert re.search(
        rf"{place.path.name}, byte {place.position}, offset {place.batch.base_offset}: ", failed.output
    ), failed.output
    assert len(failed.output.strip().splitlines()) == 1, failed.output


@pytest.mark.jvm
def test_a_state_says_what_point_it_is_of(spark: SparkSession, nodes: list[str]) -> None:
    result = call("state", "--at", "100", "--table", "features", nodes[0])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("as of offset 100, epoch "), result.output
