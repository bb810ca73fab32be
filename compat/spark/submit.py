"""Runs driver programs by pyspark's own `spark-submit`, as a user would, without this project's tree on the path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from compat.spark.standalone import QUICK_JVM, SPARK_HOME, SPARK_SUBMIT

TIMEOUT_S = 600.0
"""It takes a quarter of a minute on a machine that has nothing else to do."""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "600m",
    "spark.driver.extraJavaOptions": QUICK_JVM,
    "spark.executor.memory": "500m",
    "spark.executor.extraJavaOptions": QUICK_JVM,
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.log.level": "ERROR",
    # No task before every worker has its executor.
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
}


def submit(
    program: Path,
    *arguments: str,
    master: str,
    folder: Path,
    py_files: Path | None = None,
    jars: Sequence[Path] = (),
) -> dict[str, Any]:
    """What the program prints last, which is a JSON object; AssertionError with its last words if it fails.

    It runs in the folder, and Spark's own files go there.
    """
    command = [str(SPARK_SUBMIT), "--master", master]
    if py_files is not None:
        command += ["--py-files", str(py_files)]
    if jars:
        command += ["--jars", ",".join(map(str, jars))]
    for key, value in SETTINGS.items():
        command += ["--conf", f"{key}={value}"]
    environment = {
        **os.environ,
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_LAUNCHER_OPTS": QUICK_JVM,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": "",
    }
    done = subprocess.run(
        [*command, str(program), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
