"""Seeds of whole nodes, and the promise that a seed is one run."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from kafkaproto_server.core.coordinators.transactions import ends, producer_initialization, transaction
from kafkaproto_server.core.log_state import producer_state_entry
from tests.running.counting import NODES, count_run
from tests.sim.nodes.coordination.traffic import (
    FIRST_WITH_COORDINATORS,
    FIRST_WITH_DEAD_LETTERS,
    FIRST_WITH_SHARES,
    FIRST_WITH_STREAMS,
)
from tests.sim.nodes.data.traffic import FIRST_WITH_RECORDS, WITH_NEW_EPOCHS
from tests.sim.nodes.directories.options import FAULTS, FIRST_WITH_DIRECTORIES
from tests.sim.nodes.run import EARLY_LIMITS, NodesResult, _surroundings, run
from tests.sim.nodes.runner import report
from tests.sim.nodes.swarms import FIRST_OF_SWARMS, draw
from tests.sim.runner import known_seeds

FIRST_SEED = 1027
"""Of those that `test_every_invariant_holds` runs. A topic of thousands of partitions takes as long as ten other runs,
and none of these seeds has one; the mutation of S5 runs a seed that has, with and without its change."""
SEEDS_A_TEST = 4
ROOT = Path(__file__).parents[3]


def check(result: NodesResult) -> None:
    assert result.invariant is None, report(result)
    assert result.requests
    assert result.events > 100
    count_run(NODES, result.simulated_s, result.records["acknowledged"])


def test_every_invariant_holds_in_a_few_runs() -> None:
    for seed in range(1, 5):
        check(run(seed))


def test_records_hold_in_a_run() -> None:
    result = run(FIRST_WITH_RECORDS + 1)
    check(result)
    assert result.records["acknowledged"] > 20
    assert result.records["consumed"] > 20


@pytest.mark.simulation
def test_producers_that_begin_new_epochs_hold_in_some_runs() -> None:
    begun: Counter[str] = Counter()
    for seed in (WITH_NEW_EPOCHS[4], WITH_NEW_EPOCHS[8]):
        result = run(seed)
        check(result)
        begun += result.records
    for what in ("batches out of order", "epochs begun", "written in two epochs"):
        assert begun[what] > 0, what


def test_groups_and_transactions_hold_in_a_run() -> None:
    result = run(FIRST_WITH_COORDINATORS + 15)
    check(result)
    for what in ("offsets committed", "offsets fetched", "transactions committed", "committed records read"):
        assert result.records[what] > 10, what


@pytest.mark.simulation
def test_log_directories_hold_in_a_run() -> None:
    # One directory fails alone there, and most faults of directories have happened.
    for seed in (4, 65, 497, 545):
        result = run(FIRST_WITH_DIRECTORIES + seed)
        check(result)
        assert result.records["replicas moved"] > 0


@pytest.mark.simulation
def test_share_groups_hold_in_a_run() -> None:
    result = run(FIRST_WITH_SHARES + 1)
    check(result)
    for what in ("records acquired", "records acknowledged", "members moved"):
        assert result.records[what] > 0, what


@pytest.mark.simulation
def test_dead_letters_hold_in_a_run() -> None:
    result = run(FIRST_WITH_DEAD_LETTERS + 2)
    check(result)
    assert result.records["dead letters"] > 0


@pytest.mark.simulation
def test_streams_groups_hold_in_a_run() -> None:
    result = run(FIRST_WITH_STREAMS + 8)
    check(result)
    for what in ("consumer assignments", "offsets deleted", "GROUP_SUBSCRIBED_TO_TOPIC to OffsetDelete"):
        assert result.records[what] > 0, what


@pytest.mark.simulation
def test_swarms_hold_in_some_runs() -> None:
    begun: Counter[str] = Counter()
    for seed in (97, 178):
        result = run(FIRST_OF_SWARMS + seed)
        check(result)
        begun += result.records + result.faults
    for what in ("PRODUCER_FENCED to InitProducerId", "kill at an event", "start at an event"):
        assert begun[what] > 0, what


def test_swarms_have_several_directories_only_with_records() -> None:
    drawn = [draw(FIRST_OF_SWARMS + number) for number in range(200)]
    assert any(each.segment_bytes_of_topics is None for each in drawn)
    with_directories = [each for each in drawn if each.directories is not None]
    assert with_directories
    assert all(each.segment_bytes_of_topics is not None for each in with_directories)


def test_limits_come_early_for_as_long_as_a_run_takes() -> None:
    def last_epochs() -> set[int]:
        named = {vars(module)["MAX_EPOCH"] for module in (ends, producer_initialization)}
        return {*named, transaction.MAX_EPOCH, producer_state_entry._MAX_PRODUCER_EPOCH}

    before = last_epochs()
    with _surroundings(1024, None, EARLY_LIMITS):
        # What gives epochs out and what takes them has one limit.
        assert last_epochs() == {5}
    assert last_epochs() == before == {2**15 - 1}
    early = [draw(FIRST_OF_SWARMS + number).has_early_limits for number in range(50)]
    assert 5 < sum(early) < 30


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("seed", "cause"), [(seed, cause) for seed, level, cause in known_seeds() if level == "nodes"]
)
def test_seed_that_failed_once_holds(seed: int, cause: str) -> None:
    result = run(seed)
    assert result.invariant is None, f"{cause}\n{report(result)}"


@pytest.mark.simulation
@pytest.mark.parametrize("first", range(FIRST_SEED, FIRST_SEED + 13 * SEEDS_A_TEST, SEEDS_A_TEST))
def test_every_invariant_holds(first: int) -> None:
    for seed in range(first, first + SEEDS_A_TEST):
        check(run(seed))


def test_a_seed_is_one_run_whatever_the_order_of_sets() -> None:
    # Static voters and three strangers; then a cluster of five voters; then records; then groups of all kinds.
    seeds = (506, 507, FIRST_WITH_RECORDS + 1, FIRST_WITH_SHARES + 1, FIRST_WITH_STREAMS + 4)
    code = f"from tests.sim.nodes.run import run\nfor seed in {seeds}: print(seed, run(seed).digest)"
    path = os.pathsep.join([*sys.path[1:], str(ROOT)])
    found = [
        subprocess.run(
            [sys.executable, "-P", "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in (1, 2)
    ]
    assert found[0] == found[1]
    assert len(found[0].splitlines()) == len(seeds)


def test_a_run_leaves_the_log_of_the_process_as_it_was() -> None:
    loggers = [logging.getLogger(f"kafkaproto{suffix}") for suffix in ("", ".server", ".server.controller")]
    before = [each.isEnabledFor(logging.WARNING) for each in loggers]
    with _surroundings(300):
        assert not any(each.isEnabledFor(logging.WARNING) for each in loggers)
    assert [each.isEnabledFor(logging.WARNING) for each in loggers] == before


def test_a_run_leaves_nothing_in_memory() -> None:
    """One after the other, hundreds of runs would take gigabytes, and be slow."""

    def objects() -> int:
        return len(gc.get_objects()) + gc.get_freeze_count()

    run(1)
    before = objects()
    run(1)
    assert objects() < before + 1000


def test_seeds_draw_everything() -> None:
    options = [draw(seed) for seed in range(60)]
    assert {each.layout for each in options} == {
        "one",
        "one and brokers",
        "three combined",
        "three and two",
        "three, a joiner and one",
        "five and one",
    }
    assert {each.has_static_voters for each in options} == {False, True}
    assert {each.strangers for each in options} == {0, 1, 3}
    assert {each.data is None for each in options} == {False, True}
    assert all(draw(FIRST_WITH_RECORDS + seed).data is not None for seed in range(20))
    assert all(each.coordination is None for each in options)
    kinds = [draw(seed).data for seed in WITH_NEW_EPOCHS[:20]]
    assert {is_java for each in kinds if each is not None for is_java in each.are_java} == {True, False}
    assert all(each is not None and len(each.are_java) == each.idempotent for each in kinds)
    assert draw(WITH_NEW_EPOCHS.start - 1).coordination
    assert draw(WITH_NEW_EPOCHS.stop).data is not None
    assert draw(FIRST_WITH_COORDINATORS - 1).coordination is None
    found = [draw(FIRST_WITH_COORDINATORS + seed).coordination for seed in range(40)]
    groups = [each for each in found if each is not None]
    assert len(groups) == len(found)
    assert {each.workers for each in groups} == {0, 2, 3}
    assert {(each.are_workers_classic, each.has_zombies) for each in groups} == {
        (is_classic, has_zombies) for is_classic in (True, False) for has_zombies in (True, False)
    }
    assert {each.cleans for each in groups} == {True, False}
    assert all(each.streams is None for each in groups)
    drawn = [draw(FIRST_WITH_STREAMS + seed).coordination for seed in range(60)]
    streams = [each.streams for each in drawn if each is not None and each.streams is not None]
    assert len(streams) == len(drawn)
    assert {each.kind for each in streams} == {"stateless", "stateful", "two", "repartitioned"}
    assert {(each.standby_replicas, each.has_endpoints) for each in streams} == {
        (replicas, has_endpoints) for replicas in (0, 1) for has_endpoints in (True, False)
    }
    assert len({name for each in options for name in each.faults}) == 17
    found_directories = [draw(FIRST_WITH_DIRECTORIES + seed) for seed in range(40)]
    assert draw(FIRST_WITH_DIRECTORIES - 1).directories is None
    drawn_directories = [each.directories for each in found_directories if each.directories is not None]
    assert len(drawn_directories) == len(found_directories)
    assert all(each.coordination is None and each.data is not None for each in found_directories)
    assert {count for each in drawn_directories for count in each.counts} == {1, 2, 3}
    assert all(max(each.counts) > 1 for each in drawn_directories)
    assert {name for each in drawn_directories for name in each.faults} == set(FAULTS)
    assert {each.loses_one_at_last for each in drawn_directories} == {True, False}
    assert {each.moves for each in drawn_directories} == {True, False}
