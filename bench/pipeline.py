"""How fast the pipeline reads a large metadata log, beside stock `kafka-dump-log --cluster-metadata-decoder`.

The log is a synthetic history, made once and kept in the system's folder for temporary files. Measured are: decoding to
typed Arrow record batches in one process and in two, without Spark; the same with two columns only; the stock tool on
the same file; all columns through Spark into nothing, on one core and on two; and the job `state` at the end of the
log, and of half of it, with what memory its driver's JVM took. The file is read through before, so that no disk is
measured. Parts that share the machine's cores with nothing else give the better figures.

The part `user` measures what a user waits for: each job on a log of some 3,000 records, from the command to its end;
and Spark's count() and the view `typed` into nothing on the large log, in a new session each, beside the stock tool.
`count()` of the default view decodes all its columns, as Spark does not tell a source in Python which ones it needs.

    bin/bench pipeline [--records 10000000] [--seed 1] [--parts PART,...] [--append MACHINE]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from compat.kafka.jvm import java_command
from compat.kafka.tools import MAIN_CLASSES
from kafkaproto.log import segment_file_name
from kafkaproto_pipeline.synthetic import HistoryOptions, generate

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).with_name("results.jsonl")
PARTS = ("decode", "columns", "stock", "spark", "state", "user")
SMALL_RECORDS = 3_039
JOBS = ("state", "history", "health", "consistency", "report")
STOCK_OPTIONS = ("-Xmx256m", "-server")
"""As Kafka's own script starts its tools."""
RECORD_LINE = b"\n| offset: "
MADE = "made.json"
"""Stands beside the nodes once a history is complete."""
READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One line of the table."""

    what: str
    records: int
    seconds: float
    cpu_seconds: float | None
    """Processor time of all processes together; of Spark's it is not taken."""
    resident_mb: float | None
    """Of the process that decodes: of the largest where there are several, of the driver's JVM where it is Spark."""

    @property
    def rate(self) -> float:
        """Records a second."""
        return self.records / self.seconds

    def line(self) -> str:
        """For the table."""
        resident = "" if self.resident_mb is None else f"{self.resident_mb:.0f}"
        cpu = "" if self.cpu_seconds is None else f"{self.cpu_seconds:.1f}"
        return (
            f"{self.what:58}{self.records:>12,}{self.seconds:>9.1f}{cpu:>9}{self.rate:>12,.0f}{resident:>13}"
        )

    def result(self) -> dict[str, float | None]:
        """For results.jsonl."""
        return {
            "records": self.records,
            "seconds": round(self.seconds, 1),
            "cpu seconds": None if self.cpu_seconds is None else round(self.cpu_seconds, 1),
            "records a second": round(self.rate),
            "resident MB": None if self.resident_mb is None else round(self.resident_mb),
        }


def history(records: int, seed: int) -> Path:
    """The data directory of a node with so many records; made where it is not there yet."""
    folder = Path(tempfile.gettempdir()) / f"kafkaproto-bench-history-{seed}-{records}"
    if not (folder / MADE).exists():
        shutil.rmtree(folder, ignore_errors=True)
        started = time.monotonic()
        options = HistoryOptions(seed=seed, records=records, snapshot_bytes=0)
        made = generate(folder, options)
        seconds = time.monotonic() - started
        print(f"made {made.records:,} records, {made.bytes / 1e6:,.0f} MB, in {seconds:.0f} s", flush=True)
        (folder / MADE).write_text(json.dumps({"records": made.records, "bytes": made.bytes}))
    return folder / "node-1"


def small_history(seed: int) -> Path:
    """The data directory of a node with few records, and with snapshots."""
    folder = Path(tempfile.gettempdir()) / f"kafkaproto-bench-history-{seed}-{SMALL_RECORDS}-with-snapshots"
    if not (folder / MADE).exists():
        shutil.rmtree(folder, ignore_errors=True)
        made = generate(folder, HistoryOptions(seed=seed, records=SMALL_RECORDS))
        (folder / MADE).write_text(json.dumps({"records": made.records, "bytes": made.bytes}))
    return folder / "node-1"


def log_file(node: Path) -> Path:
    """Its only segment."""
    return node / "__cluster_metadata-0" / segment_file_name(0)


def made_records(node: Path) -> int:
    """How many records the log has."""
    found: int = json.loads((node.parent / MADE).read_text())["records"]
    return found


def read_through(path: Path) -> None:
    """Have the file in memory before anything is measured."""
    with path.open("rb", buffering=0) as file:
        while file.read(READ_BYTES):
            pass


def worker(module: str, *arguments: str) -> dict[str, Any]:
    """Run one of the measuring programs beside this file, in a process of its own, to its last line, which is JSON."""
    command = [sys.executable, "-m", f"bench.{module}", *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[1:])} ended with {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def decoded(node: Path, processes: int, columns: str) -> Measured:
    """Our decoder without Spark."""
    found = worker("_pipeline_decode", str(node), str(processes), columns)
    count = made_records(node)
    if found["rows"] != count:
        raise SystemExit(f"decoded {found['rows']} rows of {count}")
    shown = "all columns" if columns == "all" else columns
    return Measured(
        what=f"decode, {processes} process{'es' * (processes > 1)}, {shown}",
        records=count,
        seconds=found["seconds"],
        cpu_seconds=found["cpu_seconds"],
        resident_mb=found["resident_mb"],
    )


def stock(node: Path) -> Measured:
    """Apache Kafka's tool, what it prints thrown away by us as it comes."""
    arguments = ["--cluster-metadata-decoder", "--files", str(log_file(node))]
    command = java_command(MAIN_CLASSES["kafka-dump-log"], arguments, STOCK_OPTIONS)
    started = time.perf_counter()
    tool = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert tool.stdout is not None
    count = 0
    tail = b""
    while data := tool.stdout.read(READ_BYTES):
        data = tail + data
        count += data.count(RECORD_LINE)
        # Shorter than what is looked for, so that nothing counts twice.
        tail = data[-(len(RECORD_LINE) - 1) :]
    _, status, usage = os.wait4(tool.pid, 0)
    tool.returncode = os.waitstatus_to_exitcode(status)
    tool.stdout.close()
    seconds = time.perf_counter() - started
    if tool.returncode or count != made_records(node):
        raise SystemExit(f"kafka-dump-log ended with {tool.returncode} and showed {count} records")
    return Measured(
        what="kafka-dump-log",
        records=count,
        seconds=seconds,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        resident_mb=usage.ru_maxrss / 1024,
    )


def job(name: str, node: Path) -> Measured:
    """A job as a user runs it: a process from its command to its end."""
    with tempfile.TemporaryDirectory() as folder:
        page = ["--output", f"{folder}/report.html"] if name == "report" else []
        command = [sys.executable, "-P", "-m", "kafkaproto_pipeline.jobs", name, *page, str(node)]
        started = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{name} ended with {done.returncode}")
    return Measured(
        what=f"metadata-pipeline {name}",
        records=made_records(node),
        seconds=seconds,
        cpu_seconds=None,
        resident_mb=None,
    )


READS = {"noop": "all columns of view typed", "count": "count()", "offsets": "count() of column offset"}


def spark(node: Path, cores: int, what: str = "noop") -> Measured:
    """The rows through Spark."""
    found = worker("_pipeline_spark", what, str(node), str(cores))
    return Measured(
        what=f"Spark, local[{cores}], {READS[what]}",
        records=made_records(node),
        seconds=found["seconds"],
        cpu_seconds=None,
        resident_mb=found["jvm_mb"],
    )


def state(node: Path, share: float) -> Measured:
    """The job `state` at the end of that share of the log."""
    end = int(made_records(node) * share)
    found = worker("_pipeline_spark", "state", str(node), "2", str(end - 1))
    return Measured(
        what=f"state, local[2], {share:.0%} of the log; heap {found['heap_mb']:.0f} MB",
        records=end,
        seconds=found["seconds"],
        cpu_seconds=None,
        resident_mb=found["jvm_mb"],
    )


def measurements(node: Path, seed: int) -> dict[str, list[Callable[[], Measured]]]:
    """What each part measures."""
    few = "offset,PartitionChangeRecord.leader"
    return {
        "decode": [lambda: decoded(node, 1, "all"), lambda: decoded(node, 2, "all")],
        "columns": [lambda: decoded(node, 1, few)],
        "stock": [lambda: stock(node)],
        "spark": [lambda: spark(node, 1), lambda: spark(node, 2)],
        "state": [lambda: state(node, 0.5), lambda: state(node, 1.0)],
        "user": [
            *(partial(job, name, small_history(seed)) for name in JOBS),
            lambda: stock(node),
            *(partial(spark, node, 2, what) for what in ("count", "noop", "offsets")),
        ],
    }


def append(machine: str, command: str, results: dict[str, Any]) -> None:
    """One more line of results.jsonl."""
    described = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    line = {"commit": described.stdout.strip(), "machine": machine, "command": command, "results": results}
    with RESULTS.open("a") as file:
        file.write(json.dumps(line) + "\n")


def main() -> None:
    """Measure, print the table, then one line of JSON."""
    parser = argparse.ArgumentParser(prog="bin/bench pipeline", description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=10_000_000, help="default: 10000000")
    parser.add_argument("--seed", type=int, default=1, help="of the history; default: 1")
    parser.add_argument("--parts", type=lambda text: text.split(","), default=list(PARTS))
    parser.add_argument("--append", metavar="MACHINE", help="append to results.jsonl, naming this machine")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.parts) - set(PARTS))
    if unknown:
        parser.error(f"unknown parts {', '.join(unknown)}; allowed: {', '.join(PARTS)}")
    node = history(arguments.records, arguments.seed)
    read_through(log_file(node))
    print(f"{'':58}{'records':>12}{'seconds':>9}{'cpu s':>9}{'records/s':>12}{'resident MB':>13}")
    results = {}
    for part in arguments.parts:
        for measure in measurements(node, arguments.seed)[part]:
            measured = measure()
            print(measured.line(), flush=True)
            results[measured.what] = measured.result()
    print(json.dumps(results))
    if arguments.append:
        append(arguments.append, f"bin/bench pipeline {' '.join(sys.argv[1:])}".strip(), results)


if __name__ == "__main__":
    main()
