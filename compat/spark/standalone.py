"""A standalone Spark cluster of processes on this machine: a master and workers, by pyspark's own scripts."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pyspark

from compat.ports import free_port
from compat.process import ServerProcess
from kafkaproto_pipeline.jobs.quick_start import lean_spark_home

SPARK_HOME = Path(pyspark.__file__).parent
START_TIMEOUT_S = 60.0
QUICK_JVM = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""For processes that live for seconds: most of their time would go to the optimising compiler and to verifying Spark's
thousands of classes."""
WORKER_MEMORY = "700m"


class StandaloneCluster:
    """A master and workers of one core each.

    ``executor_python`` is for the driver's ``PYSPARK_PYTHON``: this interpreter and its packages without this project,
    so that executors have of it only what a driver sends them. Each start of it leaves a line in ``python_starts``.
    """

    def __init__(self, folder: Path, workers: int = 2) -> None:
        """Starts everything and returns when all workers have registered; everything is written below the folder."""
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        self._folder = folder
        self._home = lean_spark_home(folder / "spark")
        self._starts = folder / "python-starts"
        self.executor_python = self._write_executor_python(folder / "python-of-executors")
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

    def _write_executor_python(self, path: Path) -> Path:
        # Without the module site no .pth file brings the project in: packages come by PYTHONPATH, behind Spark's own.
        packages = sysconfig.get_path("purelib")
        path.write_text(
            "#!/bin/sh\n"
            f"echo \"$PWD\" >>'{self._starts}'\n"
            f'PYTHONPATH="$PYTHONPATH:{packages}" exec \'{sys.executable}\' -S "$@"\n'
        )
        path.chmod(0o755)
        return path

    def python_starts(self) -> list[Path]:
        """The folders that Python was started in, of executors and drivers; an executor's lies below its worker's."""
        return [Path(line) for line in self._starts.read_text().splitlines()] if self._starts.exists() else []

    def work_folder(self, number: int) -> Path:
        """Where a worker, the first being 1, keeps its executors' folders."""
        return self._folder / f"work-{number}"

    def _run(self, name: str, main_class: str, *arguments: str) -> ServerProcess:
        environment = {
            "SPARK_HOME": str(self._home),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": QUICK_JVM,
            "SPARK_LAUNCHER_OPTS": QUICK_JVM,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYTHONPATH": "",
        }
        command = [str(self._home / "bin" / "spark-class"), main_class, *arguments]
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
