"""The test suites of other projects against our server, or against Apache Kafka alone, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from compat.kafka.stock import small_stock_node
from compat.ours import OurNode
from compat.quorum import NodeClass
from compat.runs.telling import Tell
from compat.suites.clusters import sole_node, three_brokers
from compat.suites.franz_go import FranzGo
from compat.suites.kafka_python import KafkaPython
from compat.suites.librdkafka import DEFAULT_SCENARIO, Librdkafka
from compat.suites.outcomes import Outcome, Suite, SuiteFailedError, run_suite

CACHE = Path(__file__).parents[1] / ".cache" / "suites"
NO_AUTO_CREATE = "noautocreate"

Run = Callable[[Suite, Path], list[Outcome]]


def run(
    folder: Path,
    *,
    names: tuple[str, ...],
    librdkafka: Path | None,
    is_all: bool,
    only: str,
    tell: Tell,
    is_stock: bool = False,
) -> None:
    """Runs the suites of these names; raises SuiteFailedError, after the last, if one failed.

    `librdkafka` is the folder of librdkafka with built tests, for the suite of that name; `is_all` and `only` are those
    of `run_suite`. With `is_stock` every node is one of Apache Kafka: what fails there too is not our server's fault.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    suites = available(librdkafka, is_stock=is_stock)
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


def available(
    librdkafka: Path | None, *, is_stock: bool = False
) -> Mapping[str, Callable[[Run, Path], None]]:
    """What runs each suite that can be run, by name; librdkafka's only if its folder is given."""
    make_node = small_stock_node if is_stock else OurNode
    always = {"kgo": partial(_kgo, make_node), "kafka-python": partial(_kafka_python, make_node)}
    if librdkafka is None:
        return always
    return {
        **always,
        "librdkafka": partial(_librdkafka, librdkafka, DEFAULT_SCENARIO, make_node),
        "librdkafka-noautocreate": partial(_librdkafka, librdkafka, NO_AUTO_CREATE, make_node),
    }


def _kgo(make_node: NodeClass, run_one: Run, folder: Path) -> None:
    with three_brokers(folder / "cluster", make_node) as servers:
        run_one(FranzGo(servers, CACHE), folder)


def _kafka_python(make_node: NodeClass, run_one: Run, folder: Path) -> None:
    with sole_node(folder / "node", make_node) as server:
        run_one(KafkaPython(server, CACHE), folder)


def _librdkafka(source: Path, scenario: str, make_node: NodeClass, run_one: Run, folder: Path) -> None:
    can_auto_create = scenario != NO_AUTO_CREATE
    with three_brokers(folder / "cluster", make_node, can_auto_create=can_auto_create) as servers:
        run_one(Librdkafka(source, servers, scenario, folder), folder)
