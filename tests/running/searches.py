"""What ``bin/test --search`` searches: a table of commands, each of which goes on where it ended the last time.

A search has a number that grows with each step: the next seed, or which variant is next. Its command gets the number,
the seconds that the step should take, and a folder of its own. Its exit status and what it printed say what came of it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

from tests.running.parts import NEWCOMERS, ROOT
from tests.running.units import Lane

HOUR_S = 3600.0
NO_TESTS = 5
"""The exit status of pytest if it finds none."""
PYTHON = ".venv/bin/python"


@dataclass(frozen=True, slots=True)
class Found:
    """A failure, and what shows it again."""

    command: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command has ended."""

    command: str
    status: int
    output: str

    @property
    def reason(self) -> str:
        """The last line that it printed."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else f"exit status {self.status}"


Command = Callable[[int, float, Path], Sequence[str]]
Judge = Callable[[Ended], list[Found]]


def by_status(ended: Ended, right: Sequence[int] = (0,)) -> list[Found]:
    """The command failed if its exit status says so."""
    return [] if ended.status in right else [Found(ended.command, ended.reason)]


def by_commands(ended: Ended) -> list[Found]:
    """Each line that is a command of the simulator shows a failed run again; the line before says why it failed."""
    lines = ended.output.splitlines()
    found: dict[str, Found] = {}
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("bin/simulate "):
            found.setdefault(line, Found(line, before.strip()))
    return list(found.values()) or by_status(ended)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One line of the table."""

    name: str
    what: str
    """What it does, in a sentence."""
    command: Command
    first: int = 1
    """The number of the first step."""
    stride: int = 1
    """How much larger the number is after a step: so many seeds or variants it tries."""
    judge: Judge = by_status
    lane: Lane = Lane.COMPUTING
    keeps_work: bool = False
    """Whether the command takes ``--work FOLDER``, in which nodes leave their data and logs."""
    longest_s: float = 2 * HOUR_S
    """A command that takes longer has failed."""


def _seeds(name: str, what: str, level: str, first: int, runs: int) -> Search:
    def command(number: int, _budget_s: float, _folder: Path) -> Sequence[str]:
        return ["bin/simulate", *level.split(), "--seed", str(number), "--runs", str(runs)]

    return Search(name=name, what=what, command=command, first=first, stride=runs, judge=by_commands)


def _seeds_of_cores() -> list[Search]:
    from tests.sim.seeds import MANY

    return [
        _seeds("quorum", "Seeds of the quorum alone.", "", MANY["quorum"].stop, 500),
        _seeds(
            "unknown-node",
            "The same with a node that nobody knows.",
            "--unknown-node",
            MANY["unknown-node"].stop,
            300,
        ),
        _seeds("cluster", "Seeds of both cores.", "--cluster", MANY["cluster"].stop, 300),
        _seeds(
            "cluster-unknown-node",
            "Seeds of both cores with a node that nobody knows.",
            "--cluster-unknown-node",
            1,
            300,
        ),
    ]


BEHIND_TESTS = 10_000
"""Searches begin so many seeds after the first one of each kind, because the tests run the seeds before."""
RUNS_OF_NODES = 20
RUNS_LIKE_A_SEED = 5


def _seeds_of_nodes() -> list[Search]:
    from tests.sim.nodes.coordination.traffic import (
        FIRST_WITH_COORDINATORS,
        FIRST_WITH_DEAD_LETTERS,
        FIRST_WITH_SHARES,
        FIRST_WITH_STREAMS,
    )
    from tests.sim.nodes.data.traffic import FIRST_WITH_RECORDS, WITH_NEW_EPOCHS
    from tests.sim.nodes.directories.options import FIRST_WITH_DIRECTORIES
    from tests.sim.nodes.late.options import WITH_LATE_REQUESTS
    from tests.sim.nodes.late_peers.peer import WITH_LATE_PEERS
    from tests.sim.nodes.swarms import FIRST_OF_SWARMS

    kinds = (
        ("nodes", "the quorum, brokers and administrators", 1),
        ("records", "producers and consumers", FIRST_WITH_RECORDS),
        ("groups", "groups and transactions", FIRST_WITH_COORDINATORS),
        ("shares", "a share group", FIRST_WITH_SHARES),
        ("dead-letters", "a share group with dead letters", FIRST_WITH_DEAD_LETTERS),
        ("streams", "a streams group", FIRST_WITH_STREAMS),
        ("new-epochs", "producers that begin new epochs", WITH_NEW_EPOCHS.start),
        ("directories", "several log directories", FIRST_WITH_DIRECTORIES),
        ("late-peers", "peers whose knowledge is outdated", WITH_LATE_PEERS.start),
        ("late-requests", "requests that come too late, or to the wrong one", WITH_LATE_REQUESTS.start),
        ("swarms", "other loads and faults in each run", FIRST_OF_SWARMS),
    )
    return [
        _seeds(
            f"nodes-{name}",
            f"Seeds of whole nodes with {what}.",
            "--nodes",
            first + BEHIND_TESTS,
            RUNS_OF_NODES,
        )
        for name, what, first in kinds
    ]


def _states_of_nodes() -> list[Search]:
    """States are what `tests.sim.rules` tells of a run: which rules were reached, and when they decided."""
    from tests.sim.rules.runs import read_corpus

    corpus = read_corpus()

    def again(number: int, _budget_s: float, _folder: Path) -> Sequence[str]:
        like = corpus[(number // RUNS_LIKE_A_SEED) % len(corpus)]
        return [
            *("bin/simulate", "--nodes", "--like", str(like)),
            *("--seed", str(number), "--runs", str(RUNS_LIKE_A_SEED)),
        ]

    return [
        Search(
            name="states",
            what="Seeds of whole nodes, to see which ones reach states that no run before them reached.",
            command=lambda _number, _budget_s, _folder: [
                *("bin/simulate", "--rules", "--more", str(RUNS_OF_NODES))
            ],
            stride=RUNS_OF_NODES,
            judge=by_commands,
        ),
        Search(
            name="corpus",
            what="Runs with other dice, and the options of seeds that reached such states.",
            command=again,
            first=0,
            stride=RUNS_LIKE_A_SEED,
            judge=by_commands,
        ),
    ]


def _rarity(level: str) -> Command:
    def command(_number: int, budget_s: float, folder: Path) -> Sequence[str]:
        module = [PYTHON, "-m", "tests.sim.mutations.rarity"]
        return [*module, *level.split(), "--seconds", f"{budget_s:.0f}", str(folder / "rules.json")]

    return command


def _fuzz(_number: int, budget_s: float, folder: Path) -> Sequence[str]:
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    limits = [f"-max_total_time={budget_s:.0f}", f"-artifact_prefix={folder}/"]
    return [PYTHON, "-m", "tests.fuzz.fuzz_requests", *limits, str(corpus)]


def files_with_properties() -> list[str]:
    """Files whose tests draw examples."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [file.relative_to(ROOT).as_posix() for file in files if "from hypothesis" in file.read_text()]


def _explore(number: int, _budget_s: float, _folder: Path) -> Sequence[str]:
    files = files_with_properties()
    selected = [files[number % len(files)], "-m", f"hypothesis and {NEWCOMERS}"]
    profile = ["--hypothesis-profile=explore", f"--hypothesis-seed={number}"]
    return [PYTHON, "-m", "pytest", "-q", *profile, *selected]


def _computing() -> list[Search]:
    return [
        Search(
            name="rules",
            what="Rules of the cores broken, under seeds that are not known to notice.",
            command=_rarity(""),
        ),
        Search(
            name="nodes-rules",
            what="Rules of whole nodes broken, under seeds that are not known to notice.",
            command=_rarity("--nodes"),
        ),
        Search(
            name="plant",
            what="Faults planted at random in the product's syntax trees, which tests or seeds have to notice.",
            command=lambda number, _budget_s, _folder: [
                *("bin/simulate", "--plant", "--number", "20", "--seed", str(number))
            ],
            longest_s=6 * HOUR_S,
        ),
        Search(
            name="properties",
            what="Thousands of random examples for each property, a file at a time.",
            command=_explore,
            judge=partial(by_status, right=(0, NO_TESTS)),
        ),
        Search(name="fuzz", what="Requests changed at random, guided by coverage (atheris).", command=_fuzz),
    ]


def _part(part: str, what: str, *variants: str) -> Search:
    """A part of ``bin/compat``, one variant after the other; ``{number}`` in them is the number of the step."""

    def command(number: int, _budget_s: float, _folder: Path) -> Sequence[str]:
        return ["bin/compat", part, *shlex.split(variants[number % len(variants)].format(number=number))]

    return Search(name=f"compat-{part}", what=what, command=command, lane=Lane.SERVERS, keeps_work=True)


def _chaos(number: int, _budget_s: float, _folder: Path) -> Sequence[str]:
    more = ["--combined"] if number % 2 else []
    return ["bin/chaos", "--seconds", "300", "--seed", str(number), *more]


def _options(*choices: tuple[str, Sequence[object]]) -> list[str]:
    """All combinations of some options' values."""
    return [
        " ".join(f"--{name} {value}" for (name, _), value in zip(choices, values, strict=True))
        for values in product(*(values for _, values in choices))
    ]


def _beside() -> list[Search]:
    from compat.runs.clients_deaths import CLIENTS
    from compat.runs.group_clients import CLIENTS as MEMBERS
    from compat.runs.rolling_upgrade import RELEASES

    stocks, versions = ("stock", (2, 1)), ("kraft-version", (1, 0))
    cuts = [f"--random 20 --seed {{number}} {options}" for options in _options(stocks, versions)]
    return [
        _part("mixed", "Mixed quorums: deaths of leaders.", *_options(("rounds", (1,)), stocks, versions)),
        _part("cut-off", "Mixed quorums on networks that are cut.", *cuts),
        _part("disks", "Controllers' directories change hands.", *_options(("rounds", (1,)), versions)),
        _part("data", "Brokers of both replicate the same records.", *_options(("rounds", (1,)), stocks)),
        _part("groups", "Groups and transactions, coordinated by both in turn.", *_options(stocks)),
        _part(
            "clients-deaths",
            "Clients write while the leader dies.",
            *[f"--megabytes 5 --client '{each}'" for each in CLIENTS],
        ),
        _part(
            "group-clients",
            "Clients in groups while the coordinator dies.",
            *[f"--rounds 1 --client {each}" for each in MEMBERS],
        ),
        _part("configuration", "Properties files of Apache Kafka's users.", ""),
        _part(
            "upgrade",
            "Older releases' nodes become ours, and theirs again.",
            *_options(("from", RELEASES), versions),
        ),
        _part(
            "older-controllers",
            "Our brokers under older releases' controllers.",
            *_options(("release", RELEASES)),
        ),
        _part("our-brokers", "Our brokers on Apache Kafka's controllers.", ""),
        _part("share-state", "A share group of Apache Kafka's whose state we keep.", ""),
        _part("stock-brokers", "Apache Kafka's brokers on our controllers.", ""),
        _part("soak", "Random deaths under load, and everything at once.", "--minutes 3 --seed {number}"),
        _part("suites", "Other projects' own test suites.", "--suite kgo", "--suite kafka-python"),
        Search(
            name="chaos",
            what="Processes, links and disks of three brokers fail under load.",
            command=_chaos,
            lane=Lane.SERVERS,
            keeps_work=True,
        ),
        Search(
            name="admin-difference",
            what="The same random requests to Apache Kafka's controller and ours.",
            command=lambda number, _budget_s, _folder: [
                *(PYTHON, "-m", "compat.admin_difference", "--seed", str(number), "--operations", "300")
            ],
            lane=Lane.SERVERS,
        ),
    ]


def table() -> list[Search]:
    """All searches."""
    return [*_seeds_of_cores(), *_seeds_of_nodes(), *_states_of_nodes(), *_computing(), *_beside()]
