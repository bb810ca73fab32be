"""A small input gives the tables that a large one does: local frames against frames that Spark's tasks read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kafkaproto_pipeline.datasource import KraftDataSource
from kafkaproto_pipeline.jobs import frames, state
from kafkaproto_pipeline.jobs.frames import open_frames
from kafkaproto_pipeline.jobs.health.job import JOB as HEALTH
from kafkaproto_pipeline.jobs.history.job import JOB as HISTORY
from kafkaproto_pipeline.jobs.job import Job
from kafkaproto_pipeline.jobs.output import FORMATS
from kafkaproto_pipeline.jobs.tables import TableMaker
from kafkaproto_pipeline.sources.directories import InputError
from kafkaproto_pipeline.synthetic import HistoryOptions, generate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

OPTIONS = HistoryOptions(seed=5, records=900, brokers=4, partitions=16)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The directory of a node with a short log and its snapshots."""
    return str(generate(tmp_path_factory.mktemp("small"), OPTIONS).nodes[0])


def source_options(job: Job) -> dict[str, str]:
    """The options that the command line gives."""
    options = {"view": job.view, **job.source_options}
    if job.record_types:
        options["recordTypes"] = ",".join(job.record_types)
    if "asOf" not in options:
        options["replicas"] = "one"
    return options


def rows(df: DataFrame) -> list[dict[str, Any]]:
    """All rows, in an order of their own."""
    found: list[dict[str, Any]] = df.toArrow().to_pylist()
    return sorted(found, key=str)


@pytest.mark.parametrize("job", [state.JOB, HISTORY, HEALTH], ids=lambda job: job.name)
def test_tables_are_the_same(spark: SparkSession, node: str, job: Job) -> None:
    spark.dataSource.register(KraftDataSource)
    options = source_options(job)
    opened = open_frames([node], options, may_be_small=True)
    assert opened.are_small
    small = opened.load(spark, options)
    large = open_frames([node], options, may_be_small=False).load(spark, options)
    assert small.isLocal()
    assert not large.isLocal()
    assert small.schema == large.schema
    assert {name: rows(make(small)) for name, make in job.tables.items()} == {
        name: rows(make(large)) for name, make in job.tables.items()
    }


def test_an_input_is_small_by_the_bytes_that_are_to_be_read(
    node: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = source_options(HISTORY)
    size = sum(path.stat().st_size for path in Path(node).rglob("*.log"))
    size += sum(path.stat().st_size for path in Path(node).rglob("*.checkpoint"))
    monkeypatch.setattr(frames, "SMALL_BYTES", size)
    assert open_frames([node], options, may_be_small=True).are_small
    monkeypatch.setattr(frames, "SMALL_BYTES", size - 1)
    assert not open_frames([node], options, may_be_small=True).are_small
    # The state is made of the newest snapshot and what follows it.
    assert open_frames([node], source_options(state.JOB), may_be_small=True).are_small


def test_rows_that_are_too_many_after_all_are_left_to_tasks(
    spark: SparkSession, node: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark.dataSource.register(KraftDataSource)
    options = source_options(HISTORY)
    opened = open_frames([node], options, may_be_small=True)
    assert opened.load(spark, options).isLocal()
    monkeypatch.setattr(frames, "MOST_LOCAL_BYTES", 1)
    assert not opened.load(spark, options).isLocal()


def test_what_cannot_be_read_is_told_before_spark_starts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or directory"):
        open_frames([str(tmp_path / "nothing")], source_options(HISTORY), may_be_small=True)


@pytest.mark.parametrize("file_format", FORMATS)
def test_tables_that_are_written_are_the_same(
    spark: SparkSession, node: str, tmp_path: Path, file_format: str
) -> None:
    spark.dataSource.register(KraftDataSource)
    options = source_options(state.JOB)
    shown = {}
    for is_small in (True, False):
        opened = open_frames([node], options, may_be_small=is_small)
        maker = TableMaker(
            spark=spark,
            rows=3,
            order=state.JOB.order,
            folder=tmp_path / str(is_small),
            file_format=file_format,
            is_small=is_small,
        )
        df = opened.load(spark, options)
        made = maker.tables(state.JOB.tables, ["topics", "partitions"], df, print, shows_secrets=False)
        shown[is_small] = [(table.name, table.count, table.rows) for table in made]
        for name, *_ in shown[is_small]:
            assert list((tmp_path / str(is_small) / name).glob(f"*.{file_format}"))
    assert shown[True] == shown[False]
    assert [name for name, *_ in shown[True]] == ["topics", "partitions"]
