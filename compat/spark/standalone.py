"""A standalone Spark cluster of processes on this machine: a master and some workers, by pyspark's own scripts."""

from __future__ import annotations

import sys
from pathlib import Path

import pyspark

from compat.process import ServerProcess, free_ports

SPARK_HOME = Path(pyspark.__file__).parent
SPARK_CLASS = SPARK_HOME / "bin" / "spark-class"
SPARK_SUBMIT = SPARK_HOME / "bin" / "spark-submit"
START_TIMEOUT_S = 60.0
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
WORKER_MEMORY = "700m"


class StandaloneCluster:
    """A master and workers of one core each; executors run the Python that runs this, without this project's tree."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        """Starts everything and returns when all workers have registered; everything is written below the folder."""
        (port,) = free_ports(1)
        self.url = f"spark://127.0.0.1:{port}"
        self._folder = folder
        self._processes: list[ServerProcess] = []
        try:
            master = self._run(
                "master",
                "org.apache.spark.deploy.master.Master",
                *("--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"),
            )
            master.wait_for_line(master.err_path, "I have been elected leader", START_TIMEOUT_S)
            started = [
                self._run(
                    f"worker-{number}",
                    "org.apache.spark.deploy.worker.Worker",
                    *("--host", "127.0.0.1", "--cores", "1", "--memory", WORKER_MEMORY),
                    *("--webui-port", "0", "--work-dir", str(folder / f"work-{number}"), self.url),
                )
                for number in range(1, workers + 1)
            ]
            for worker in started:
                worker.wait_for_line(worker.err_path, "Successfully registered with master", START_TIMEOUT_S)
        except BaseException:
            self.close()
            raise

    def _run(self, name: str, main_class: str, *arguments: str) -> ServerProcess:
        environment = {
            "SPARK_HOME": str(SPARK_HOME),
            "SPARK_DAEMON_MEMORY": "256m",
            # They do little and live for seconds, so the optimising compiler would only cost.
            "SPARK_DAEMON_JAVA_OPTS": QUICK_JVM,
            "SPARK_LAUNCHER_OPTS": QUICK_JVM,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": "",
        }
        command = [str(SPARK_CLASS), main_class, *arguments]
        process = ServerProcess(command, self._folder / name, self._folder, environment)
        self._processes.append(process)
        return process

    def close(self) -> None:
        """Ends workers first, so that they end their executors."""
        for process in reversed(self._processes):
            if process.is_running:
                process.terminate(START_TIMEOUT_S)

    def __enter__(self) -> StandaloneCluster:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()
