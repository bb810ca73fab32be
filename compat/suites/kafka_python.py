"""kafka-python's integration tests, from the source distribution of the installed release."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from compat.suites.outcomes import Outcome, Verdict, in_order

DOWNLOAD_TIMEOUT_S = 300
RUN_TIMEOUT_S = 1200
FOLDER = "test/integration"
# What kafka-python takes a server of our versions of requests for.
KAFKA_VERSION = "4.3.0"
# The distribution leaves this file out; its tests need no more of it for a broker that runs already.
SERVICE = '''"""Stands in for what runs Kafka as a child process."""


class SpawnedService:
    """Never made: the broker runs already."""


class ExternalService:
    """A broker that runs already."""

    def __init__(self, host, port):
        """Where it listens."""
        self.host = host
        self.port = port
'''


def read_outcomes(junit: str) -> dict[str, Outcome]:
    """What pytest's JUnit file says, by test: its file without the ending, two colons and its name."""
    outcomes = {}
    for case in ElementTree.fromstring(junit).iter("testcase"):
        name = f"{case.attrib['classname'].rpartition('.')[2]}::{case.attrib['name']}"
        verdict, detail = Verdict.PASSED, ""
        for child in case:
            if child.tag in ("failure", "error", "skipped"):
                verdict = Verdict.SKIPPED if child.tag == "skipped" else Verdict.FAILED
                detail = child.attrib.get("message", "").partition("\n")[0]
        outcomes[name] = Outcome(name=name, verdict=verdict, detail=detail)
    return outcomes


class KafkaPython:
    """See `Suite`. It wants a sole broker with the id 0 and an authorizer that allows what no ACL denies."""

    left_out_file = "kafka-python"

    def __init__(self, server: str, cache: Path) -> None:
        """Downloads and unpacks the source unless it is in the cache; raises CalledProcessError."""
        self._server = server
        version = importlib.metadata.version("kafka-python")
        self.title = f"kafka-python {version}"
        self._source = cache / f"kafka_python-{version}"
        if not self._source.exists():
            _download(version, cache)
        (self._source / "test" / "__init__.py").touch()
        (self._source / "test" / "service.py").write_text(SERVICE)
        self._kafka_root = cache / "no-kafka"
        self._kafka_root.mkdir(exist_ok=True)

    def tests(self) -> list[str]:
        """See Suite. Those of TLS and SASL start brokers of their own, so they are none of them."""
        done = self._pytest("--collect-only", "-q", timeout_s=DOWNLOAD_TIMEOUT_S)
        names = [line.removeprefix(f"{FOLDER}/") for line in done.splitlines() if line.startswith(FOLDER)]
        return [name.replace(".py::", "::") for name in names]

    def run(self, tests: Sequence[str], folder: Path) -> list[Outcome]:
        """See Suite."""
        report = folder / "kafka-python.xml"
        named = [f"{FOLDER}/{name.replace('::', '.py::')}" for name in tests]
        printed = self._pytest(f"--junitxml={report}", *named, timeout_s=RUN_TIMEOUT_S)
        (folder / "kafka-python.log").write_text(printed)
        return in_order(tests, read_outcomes(report.read_text()))

    def _pytest(self, *arguments: str, timeout_s: int) -> str:
        host_and_port = f"kafka://{self._server}"
        environment = {
            **os.environ,
            "KAFKA_VERSION": KAFKA_VERSION,
            "KAFKA_URI": host_and_port,
            "KAFKA_ROOT": str(self._kafka_root),
        }
        files = [] if any("::" in each for each in arguments) else [
            f"{FOLDER}/test_{part}_integration.py" for part in ("admin", "consumer", "producer")
        ]  # fmt: skip
        command = [
            sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "addopts=", "-o", "log_level=ERROR",
            "-W", "ignore", *arguments, *files,
        ]  # fmt: skip
        done = subprocess.run(
            command,
            cwd=self._source,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=timeout_s,
        )
        return done.stdout


def _download(version: str, cache: Path) -> None:
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation",
        "--no-binary", ":all:", "--dest", str(cache), f"kafka-python=={version}",
    ]  # fmt: skip
    subprocess.run(command, check=True, timeout=DOWNLOAD_TIMEOUT_S)
    with tarfile.open(cache / f"kafka_python-{version}.tar.gz") as archive:
        archive.extractall(cache, filter="data")
