"""A job on a Spark cluster of its own processes: executors have of this project only what they are sent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from compat.spark.standalone import QUICK_JVM, SPARK_HOME, StandaloneCluster
from kafkaproto import uuids
from kafkaproto_pipeline.jobs.quick_start import lean_spark_home
from kafkaproto_pipeline.synthetic import HistoryOptions, generate
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.pipeline.conftest import QUICK_QUERIES

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ROOT / "bin" / "metadata-pipeline"
TIMEOUT_S = 300.0
WORKERS = 2
OPTIONS = HistoryOptions(
    seed=8, records=2500, brokers=5, partitions=60, segment_bytes=1 << 16, snapshot_bytes=0
)
SETTINGS = {
    "spark.driver.memory": "600m",
    "spark.driver.extraJavaOptions": QUICK_JVM,
    "spark.executor.memory": "500m",
    "spark.executor.extraJavaOptions": QUICK_JVM,
    "spark.sql.shuffle.partitions": "2",
    # No task before every worker has its executor.
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
    **QUICK_QUERIES,
}


def as_arguments(settings: Mapping[str, str]) -> list[str]:
    """Settings as `spark-submit` and our command take them."""
    return [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]


def run(command: Sequence[str | Path], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command that has to succeed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "SPARK_LAUNCHER_OPTS": QUICK_JVM, "SPARK_LOCAL_DIRS": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done


def written(output: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """The rows of the table `partitions` that a job has written, by topic and partition."""
    lines = [line for path in output.glob("partitions/*.json") for line in path.read_text().splitlines()]
    rows = {(row["topicName"], row["partitionId"]): row for row in map(json.loads, lines)}
    assert len(rows) == len(lines)
    return rows


def replayed(image: ClusterImage) -> dict[tuple[str, int], dict[str, Any]]:
    """The same as the server's own replay of the log has it, which is what a local run gives (`test_state`)."""
    return {
        (topic.name, number): {
            "topicName": topic.name,
            "topicId": uuids.to_text(topic.topic_id),
            "partitionId": number,
            "replicas": list(each.replicas),
            "directories": [uuids.to_text(directory) for directory in each.directories],
            "isr": list(each.isr),
            "removingReplicas": list(each.removing_replicas),
            "addingReplicas": list(each.adding_replicas),
            "leader": each.leader,
            "leaderRecoveryState": ("RECOVERED", "RECOVERING")[each.leader_recovery_state],
            "leaderEpoch": each.leader_epoch,
            "partitionEpoch": each.partition_epoch,
            "eligibleLeaderReplicas": list(each.elr),
            "lastKnownElr": list(each.last_known_elr),
        }
        for topic in image.topics.values()
        for number, each in topic.partitions.items()
    }


def test_any_master_gives_the_rows_of_a_local_run(tmp_path: Path) -> None:
    made = generate(tmp_path / "history", OPTIONS)
    (node,) = map(str, made.nodes)
    archive, spread, submitted = (tmp_path / name for name in ("out.zip", "spread", "submitted"))
    job = ["state", "--table", "partitions", "--rows", "0", "--format", "json", "--output"]
    run([COMMAND, "package", archive], tmp_path)
    with StandaloneCluster(tmp_path, WORKERS) as cluster:
        # What this interpreter is given on executors has no path to the project: all of it comes from the package.
        python = {"PYSPARK_PYTHON": str(cluster.executor_python)}
        ours = run(
            [COMMAND, *job, spread, "--master", cluster.url, *as_arguments(SETTINGS), node],
            tmp_path,
            **python,
        )
        on_executors = cluster.python_starts()
    # To submit is the same on any master, and one without executors of its own starts sooner.
    python |= {"PYSPARK_DRIVER_PYTHON": sys.executable, "PYTHONPATH": ""}
    python["SPARK_HOME"] = str(lean_spark_home(tmp_path / "spark-of-submit"))
    submit = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", "local[2]", "--py-files", str(archive)]
    program = ROOT / "pipeline" / "kafkaproto_pipeline" / "jobs" / "__main__.py"
    run([*submit, *as_arguments(SETTINGS), program, *job, submitted, node], tmp_path, **python)
    expected = replayed(made.image)
    assert written(spread) == expected
    assert written(submitted) == expected
    for number in range(1, WORKERS + 1):
        assert any(each.is_relative_to(cluster.work_folder(number)) for each in on_executors)
    # A whole process shows its table, and of Java nothing but what it is waited for.
    assert f"partitions  {len(expected)} rows  {spread / 'partitions'}\n" in ours.stdout
    progress = ("starting Spark", "looking through the records", "partitions (1 of 1)")
    assert [line for line in ours.stderr.splitlines() if not line.startswith(progress)] == []
