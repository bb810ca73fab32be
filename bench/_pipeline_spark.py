"""Measures Spark: `python -m bench._pipeline_spark noop|state NODE CORES [OFFSET]`; prints a line of JSON.

``noop`` reads every column of the `typed` view into nothing. ``state`` makes every table of the job `state` as of the
offset, one after the other. Spark's memory is that of the driver's JVM, where in local mode the tasks run, too.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from pipeline.datasource import KraftDataSource
from pipeline.jobs import state

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROOT = Path(__file__).resolve().parents[1]
DRIVER_MEMORY = "1g"


def session(cores: int) -> SparkSession:
    """A local session whose workers find the tree."""
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master(f"local[{cores}]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", DRIVER_MEMORY)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    spark.dataSource.register(KraftDataSource)
    return spark


def into_nothing(frame: DataFrame) -> None:
    """Have every row and column of a frame made."""
    frame.write.format("noop").mode("overwrite").save()


def run(spark: SparkSession, what: str, node: str, offset: str) -> None:
    """What is measured."""
    if what == "noop":
        into_nothing(spark.read.format("kraft").option("view", "typed").load(node))
        return
    job = state.JOB
    reader = spark.read.format("kraft").option("view", job.view)
    reader = reader.option("recordTypes", ",".join(job.record_types)).option("replicas", "one")
    frame = reader.options(**job.source_options).option("asOf", offset).load(node)
    for transform in job.tables.values():
        into_nothing(transform(frame))


def jvm_mb(spark: SparkSession) -> tuple[float, float]:
    """The most that the JVM was resident, and its heap after a collection, in megabytes."""
    java: Any = spark.sparkContext._jvm
    pid = java.java.lang.ProcessHandle.current().pid()
    status = Path(f"/proc/{pid}/status").read_text()
    peak = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    assert peak is not None, status
    runtime = java.java.lang.Runtime.getRuntime()
    java.java.lang.System.gc()
    heap = runtime.totalMemory() - runtime.freeMemory()
    return int(peak[1]) / 1024, heap / 1e6


def main() -> None:
    """Start, measure, print."""
    what, node, cores = sys.argv[1], sys.argv[2], int(sys.argv[3])
    spark = session(cores)
    # The first query of a session takes seconds for Spark's own classes.
    spark.range(1).count()
    started = time.perf_counter()
    run(spark, what, node, sys.argv[4] if len(sys.argv) > 4 else "latest")
    seconds = time.perf_counter() - started
    resident, heap = jvm_mb(spark)
    print(json.dumps({"seconds": seconds, "jvm_mb": resident, "heap_mb": heap}))
    spark.stop()


if __name__ == "__main__":
    main()
