"""kgo's own tests: the Go module that `compat/go/go.mod` pins comes with them."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from compat.suites.outcomes import Outcome, Verdict, in_order

GO = Path(__file__).parents[1] / "go"
PACKAGE = "github.com/twmb/franz-go/pkg/kgo"
BUILD_TIMEOUT_S = 600
RUN_TIMEOUT_S = 1800
# Each of the nine ETL tests writes so many records and copies them through three groups; 500,000 by default.
RECORDS = 20_000

# The helpers by which kgo's tests come by a client or a topic. A test without any of them needs no broker.
USES_BROKER = re.compile(
    r"\b(newTestClient|testClientOpts|getSeedBrokers|adm|tmp\w*Topic\w*|internalTopic)\(|\bscramSeeds\b"
)
TEST_FUNCTION = re.compile(r"(Test\w+)\(\w+ \*testing\.T\)")
# Of whole tests; what is indented is a part of one, or what a test says, with its line. At last they tidy up.
ENDED = re.compile(
    r"(?:^ +\w+\.go:\d+: (.*)\n)??(?:^ +\w+\.go:\d+: deleting .*\n)*^--- (PASS|FAIL|SKIP): (\w+)",
    re.MULTILINE,
)
VERDICTS = {"PASS": Verdict.PASSED, "FAIL": Verdict.FAILED, "SKIP": Verdict.SKIPPED}


def broker_tests(source: str) -> list[str]:
    """The tests of one Go file that talk to a broker."""
    functions = re.split(r"^func ", source, flags=re.MULTILINE)[1:]
    starts = [(TEST_FUNCTION.match(function), function) for function in functions]
    return [start[1] for start, function in starts if start and USES_BROKER.search(function)]


def read_outcomes(printed: str) -> dict[str, Outcome]:
    """What `go test -v` printed, by test; one that was skipped with the reason, the last that it said."""
    return {
        name: Outcome(name=name, verdict=VERDICTS[word], detail=said if word == "SKIP" else "")
        for said, word, name in ENDED.findall(printed)
    }


class FranzGo:
    """See `Suite`."""

    left_out_file = "kgo"

    def __init__(self, servers: str, cache: Path) -> None:
        """Builds the tests into the cache, where Go's own cache makes a repeat quick; raises CalledProcessError."""
        self._servers = servers
        self._binary = cache / "kgo.test"
        subprocess.run(
            ["go", "test", "-c", "-o", self._binary, PACKAGE], cwd=GO, check=True, timeout=BUILD_TIMEOUT_S
        )
        self._package = Path(_go_list("{{.Dir}}", PACKAGE))
        self.title = f"franz-go's kgo {_go_list('{{.Module.Version}}', PACKAGE)}"

    def tests(self) -> list[str]:
        """See Suite."""
        sources = sorted(self._package.glob("*_test.go"))
        return [name for source in sources for name in broker_tests(source.read_text())]

    def run(self, tests: Sequence[str], folder: Path) -> list[Outcome]:
        """See Suite. All run together, as kgo's tests are made to do."""
        log = folder / "kgo.log"
        environment = {
            **os.environ,
            "KGO_SEEDS": self._servers,
            "KGO_LOG_LEVEL": "none",
            "KGO_TEST_RECORDS": str(RECORDS),
        }
        pattern = f"^({'|'.join(tests)})$"
        command = [str(self._binary), "-test.v", "-test.run", pattern, "-test.timeout", f"{RUN_TIMEOUT_S}s"]
        with log.open("wb") as output:
            subprocess.run(
                command,
                cwd=self._package,
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
        return in_order(tests, read_outcomes(log.read_text(errors="replace")))


def _go_list(template: str, package: str) -> str:
    command = ["go", "list", "-f", template, package]
    done = subprocess.run(
        command, cwd=GO, check=True, stdout=subprocess.PIPE, text=True, timeout=BUILD_TIMEOUT_S
    )
    return done.stdout.strip()
