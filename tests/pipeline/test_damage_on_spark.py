"""The rule of `damage`, for what Spark returns: batch reads, tables of the state and streams of damaged copies.

`test_damage` runs many seeds without Spark. A few seeds here show that no row, no error and no end of a stream is lost
on the way through Spark's workers, and that Spark says what the classes of the source say.
"""

from __future__ import annotations

import json
import random
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import SparkSession

from kafkaproto_pipeline.datasource import KraftDataSource
from kafkaproto_pipeline.jobs.session import cause
from tests.pipeline.damage import Judge, Progress, Row, ToldError, Whole, paths_of
from tests.pipeline.test_damage import drawn, three_wholes

pytestmark = pytest.mark.jvm

SEEDS = (6, 23, 33, 48)
"""Batches damaged in the middle, an end that is missing, a log that is gone, a wrong base offset."""
_OURS = re.compile(r"\b(?:InputError|LackingError|CorruptInputError): ")
_WAIT_S = 120


class OnSpark:
    """Reads with ``format("kraft")``."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark = spark
        self._folder = folder

    def batch(self, nodes: Sequence[Path], options: Mapping[str, str]) -> list[Row]:
        """All rows of ``spark.read``."""
        try:
            df = self._spark.read.format("kraft").options(**options).load([str(node) for node in nodes])
            return [row.asDict(recursive=True) for row in df.collect()]
        except PySparkException as error:
            raise told(error) from error

    def stream(
        self, nodes: Sequence[Path], options: Mapping[str, str], limit: int | None
    ) -> tuple[list[Row], list[Progress]]:
        """All rows of ``spark.readStream`` up to the end that the log has when the query starts."""
        name = f"stream_{uuid.uuid4().hex}"
        reader = self._spark.readStream.format("kraft").options(**options).option("paths", paths_of(nodes))
        if limit is not None:
            reader = reader.option("maxRecordsPerBatch", str(limit))
        writer = reader.load().writeStream.format("memory").queryName(name)
        query = (
            writer.option("checkpointLocation", str(self._folder / name)).trigger(availableNow=True).start()
        )
        try:
            assert query.awaitTermination(_WAIT_S), "the stream does not come to its end"
            found = [row.asDict(recursive=True) for row in self._spark.table(name).collect()]
            ends = [each.sources[0].endOffset for each in query.recentProgress]
            return found, [json.loads(end) for end in ends if end]
        except StreamingQueryException as error:
            raise told(error) from error
        finally:
            query.stop()
            self._spark.catalog.dropTempView(name)


def told(error: PySparkException) -> Exception:
    """The error that says what is lacking; Spark's own, if it is none of ours."""
    return ToldError(cause(error)) if _OURS.search(str(error)) else error


@pytest.fixture(scope="module")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Whole, ...]:
    return three_wholes(tmp_path_factory)


@pytest.mark.parametrize("seed", SEEDS)
def test_spark_lacks_nothing_without_a_word(
    seed: int, wholes: tuple[Whole, ...], spark: SparkSession, tmp_path: Path
) -> None:
    spark.dataSource.register(KraftDataSource)
    damage, judge = drawn(random.Random(seed), wholes, tmp_path / "nodes")
    on_spark = replace(judge, reader=OnSpark(spark, tmp_path))
    try:
        plain, through_spark = (answers(each, seed) for each in (judge, on_spark))
    except Exception as error:
        raise AssertionError(f"seed {seed}: {'; '.join(damage.told)}") from error
    # Several tasks run at once. So of several damaged places FAILFAST may name another one.
    assert set(filter(through_spark.get, through_spark)) == set(filter(plain.get, plain)), damage.told
    for name in ("records", "topics", "stream", "stream from snapshots"):
        assert sorted(through_spark[name].split("; ")) == sorted(plain[name].split("; ")), name


def answers(judge: Judge, seed: int) -> dict[str, str]:
    """What each kind of answer says that it lacks."""
    rng = random.Random(seed)
    return {
        "records": judge.records(mode="PERMISSIVE", replicas="one", splitBytes="4096"),
        "records FAILFAST": judge.records(mode="FAILFAST", replicas="one"),
        "topics": judge.state("topics", None),
        "stream": judge.stream(rng),
        "stream FAILFAST": judge.stream(rng, mode="FAILFAST"),
        "stream from snapshots": judge.stream(rng, onMissingOffsets="snapshot"),
    }
