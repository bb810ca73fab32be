"""A quick start of Spark: what Java is told, where its classes are kept, and that they are used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkaproto_pipeline.jobs import quick_start
from kafkaproto_pipeline.synthetic import HistoryOptions, generate

ROOT = Path(__file__).resolve().parents[3]
NO_PROCESS = 2**22 + 1
"""More than the largest process id of Linux."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and a Java that nobody starts."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("SPARK_HOME", raising=False)
    return tmp_path / "cache" / "kafkaproto"


def prepared(tmp_path: Path, *, may_keep: bool = True, may_write: bool = True) -> quick_start.QuickStart:
    folder = tmp_path / "temporary"
    folder.mkdir(exist_ok=True)
    return quick_start.prepared(folder, may_keep=may_keep, may_write=may_write)


def test_the_first_run_writes_and_later_ones_use(cache: Path, tmp_path: Path) -> None:
    first = prepared(tmp_path)
    assert first.keeps_classes
    assert f"-XX:ArchiveClassesAtExit={first.written}" in first.java_options
    assert (first.home / "jars").is_dir()
    assert first.archive is not None
    first.archive.write_bytes(b"classes")
    later = prepared(tmp_path)
    assert not later.keeps_classes
    assert later.home == first.home
    assert f"-XX:SharedArchiveFile={first.archive}" in later.java_options
    assert first.archive.parent.parent == cache


def test_a_run_that_may_not_write_uses_what_is_there(cache: Path, tmp_path: Path) -> None:
    start = prepared(tmp_path, may_write=False)
    assert not start.keeps_classes
    assert start.java_options == ""
    assert start.archive is not None
    start.archive.write_bytes(b"classes")
    assert f"-XX:SharedArchiveFile={start.archive}" in prepared(tmp_path, may_write=False).java_options


def test_a_run_that_may_not_keep_leaves_nothing(cache: Path, tmp_path: Path) -> None:
    start = prepared(tmp_path, may_keep=False)
    assert start.java_options == ""
    assert not cache.exists()
    assert start.home.parent == tmp_path / "temporary"


def test_a_spark_of_the_users_own_is_left_alone(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", "/somewhere")
    start = prepared(tmp_path)
    assert start.java_options == ""
    with start.environment():
        assert os.environ["SPARK_HOME"] == "/somewhere"
    assert not cache.exists()


def test_a_folder_that_others_can_write_into_is_not_trusted(cache: Path, tmp_path: Path) -> None:
    first = prepared(tmp_path)
    assert first.archive is not None
    first.archive.parent.chmod(0o777)
    assert prepared(tmp_path).java_options == ""


def test_another_java_has_its_own_classes(cache: Path, tmp_path: Path) -> None:
    first = prepared(tmp_path)
    os.utime(tmp_path / "java" / "bin" / "java", (1, 1))
    assert prepared(tmp_path).archive != first.archive


def test_what_a_killed_run_wrote_is_removed(cache: Path, tmp_path: Path) -> None:
    first = prepared(tmp_path)
    assert first.archive is not None
    first.archive.write_bytes(b"classes")
    killed = first.archive.with_name(f"classes.jsa.{NO_PROCESS}")
    killed.write_bytes(b"half")
    running = first.archive.with_name(f"classes.jsa.{os.getpid()}")
    running.write_bytes(b"being written")
    prepared(tmp_path)
    assert not killed.exists()
    assert running.exists()


def test_a_run_that_fails_keeps_nothing(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_start, "_end_java", lambda: True)
    start = prepared(tmp_path)
    assert start.written is not None
    assert start.archive is not None
    start.written.write_bytes(b"classes")
    start.end(is_kept=False)
    assert list(start.archive.parent.glob("classes*")) == []
    start.written.write_bytes(b"classes")
    start.end(is_kept=True)
    assert list(start.archive.parent.glob("classes*")) == [start.archive]


@pytest.mark.jvm
@pytest.mark.slow
def test_spark_starts_from_the_classes_of_the_first_run(tmp_path: Path) -> None:
    node = generate(tmp_path / "made", HistoryOptions(seed=1, records=100)).nodes[0]
    loaded = tmp_path / "loaded.txt"
    environment = {name: value for name, value in os.environ.items() if name != "SPARK_HOME"}
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    command = [
        sys.executable,
        "-P",
        "-m",
        "kafkaproto_pipeline.jobs",
        "state",
        "--table",
        "topics",
        "--rows",
        "0",
    ]
    for options, told in (([], True), (["--conf", f"{OPTION}=-Xlog:class+load:file={loaded}"], False)):
        done = subprocess.run(
            [*command, *options, str(node)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
        assert done.returncode == 0, done.stderr
        assert ("first use: keeping Spark's classes" in done.stderr) == told
        # Nothing of what Java says of its archive is in the output.
        assert done.stdout.splitlines()[1:] == ["topics  1 row"], done.stdout
    context = [line for line in loaded.read_text().splitlines() if " org.apache.spark.SparkContext " in line]
    assert context
    assert all("shared objects file (top)" in line for line in context), context
    (archive,) = (tmp_path / "cache").rglob("classes.jsa*")
    assert archive.name == quick_start.ARCHIVE


OPTION = "spark.driver.extraJavaOptions"
