"""Measures Spark: `python -m bench._pipeline_spark WHAT NODE CORES [OFFSET]`; prints a line of JSON.

WHAT is one of: ``count``, the number of rows of the default view; ``offsets``, that of its column ``offset`` alone;
``noop``, every column of the `typed` view into nothing; ``state``, every table of the job `state` as of the offset, one
after the other. Spark's memory is that of the driver's JVM, where in local mode the tasks run, too.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafkaproto_pipeline.jobs import state
from kafkaproto_pipeline.jobs.session import spark_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DRIVER_MEMORY = "1g"


def into_nothing(frame: DataFrame) -> None:
    """Have every row and column of a frame made."""
    frame.write.format("noop").mode("overwrite").save()


def run(spark: SparkSession, what: str, node: str, offset: str) -> None:
    """What is measured."""
    if what in ("count", "offsets"):
        options = {} if what == "count" else {"columns": "offset"}
        spark.read.format("kraft").options(**options).load(node).count()
        return
    if what == "noop":
        into_nothing(spark.read.format("kraft").option("view", "typed").load(node))
        return
    job = state.JOB
    reader = spark.read.format("kraft").option("view", job.view)
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
    with spark_session(f"local[{cores}]", {"spark.driver.memory": DRIVER_MEMORY}) as spark:
        # The first query of a session takes seconds for Spark's own classes.
        spark.range(1).count()
        started = time.perf_counter()
        run(spark, what, node, sys.argv[4] if len(sys.argv) > 4 else "latest")
        seconds = time.perf_counter() - started
        resident, heap = jvm_mb(spark)
    print(json.dumps({"seconds": seconds, "jvm_mb": resident, "heap_mb": heap}))


if __name__ == "__main__":
    main()
