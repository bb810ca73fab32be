"""The one Spark session of a test run, and what its tests need around it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compat.spark.standalone import QUICK_JVM
from kafkaproto_pipeline.jobs.quick_start import lean_spark_home
from tests.pipeline.histories import our_history, stock_history, synthetic_history

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["our_history", "spark", "stock_history", "synthetic_history"]

ROOT = Path(__file__).resolve().parents[2]
QUICK_QUERIES = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""Plans are neither compiled nor changed on the way: less than half the processor time. `metadata-pipeline` as a
process of its own, which other tests start, has Spark's defaults."""


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A local session of two cores that writes nothing outside the test's directory."""
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(lean_spark_home(folder / "home")))
        patch.setenv("SPARK_LAUNCHER_OPTS", QUICK_JVM)
        # Workers are processes of their own: they take the interpreter and the tree from here.
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        patch.setenv("PYTHONPATH", os.pathsep.join(path))
        builder = (
            SparkSession.builder.master("local[2]")
            .appName("kafkaproto tests")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "4")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
            .config("spark.local.dir", str(folder / "local"))
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.memory", "1g")
            .config("spark.driver.extraJavaOptions", QUICK_JVM)
            .config("spark.log.level", "ERROR")
            .config("spark.sql.streaming.forceDeleteTempCheckpointLocation", "true")
        )
        for key, value in QUICK_QUERIES.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        try:
            yield session
        finally:
            session.stop()
