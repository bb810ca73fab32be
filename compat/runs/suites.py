"""The test suites of other projects against our server, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from compat.runs.telling import Tell
from compat.suites.clusters import our_brokers, sole_node, with_foreign_coordinator
from compat.suites.franz_go import FranzGo
from compat.suites.kafka_python import KafkaPython
from compat.suites.librdkafka import DEFAULT_SCENARIO, Librdkafka
from compat.suites.outcomes import Outcome, Suite, SuiteFailedError, run_suite

CACHE = Path(__file__).parents[1] / ".cache" / "suites"
NO_AUTO_CREATE = "noautocreate"

Run = Callable[[Suite, Path], list[Outcome]]


def run(
    folder: Path, *, names: tuple[str, ...], librdkafka: Path | None, is_all: bool, only: str, tell: Tell
) -> None:
    """Runs the suites of these names; raises SuiteFailedError, after the last, if one failed.

    `librdkafka` is the folder of librdkafka with built tests, for the suite of that name; `is_all` and `only` are those
    of `run_suite`.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    suites = available(librdkafka)
    run_one = partial(run_suite, tell=tell, is_all=is_all, only=only)
    failures = []
    for name in names:
        tell(f"suite {name}")
        try:
            suites[name](run_one, folder / name)
        except SuiteFailedError as error:
            failures.append(str(error))
    if failures:
        raise SuiteFailedError("\n".join(failures))


def available(librdkafka: Path | None) -> Mapping[str, Callable[[Run, Path], None]]:
    """What runs each suite that can be run, by name; librdkafka's only if its folder is given."""
    always = {"kgo": _kgo, "kafka-python": _kafka_python}
    if librdkafka is None:
        return always
    return {
        **always,
        "librdkafka": partial(_librdkafka, librdkafka, DEFAULT_SCENARIO),
        "librdkafka-noautocreate": partial(_librdkafka, librdkafka, NO_AUTO_CREATE),
    }


def _kgo(run_one: Run, folder: Path) -> None:
    with our_brokers(folder / "cluster") as servers:
        run_one(FranzGo(servers, CACHE), folder)


def _kafka_python(run_one: Run, folder: Path) -> None:
    with sole_node(folder / "node") as server:
        run_one(KafkaPython(server, CACHE), folder)


def _librdkafka(source: Path, scenario: str, run_one: Run, folder: Path) -> None:
    can_auto_create = scenario != NO_AUTO_CREATE
    with with_foreign_coordinator(folder / "cluster", can_auto_create=can_auto_create) as (servers, first):
        run_one(Librdkafka(source, servers, first, scenario, folder), folder)
