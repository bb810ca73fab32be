"""The account of a chaos run on planted faults, and a run of half a minute."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from compat.chaos import run as chaos
from compat.chaos.account import (
    DamagedValueError,
    Found,
    Log,
    Promised,
    Written,
    account,
    in_offset_order,
    make_value,
    missed,
    read_value,
)
from compat.chaos.load import SIGN_OF_LIFE_MS, LibrdkafkaReading, Load, begun, consume_to
from compat.chaos.workers import READERS, Worker
from compat.node import combined_properties
from compat.ours import OurNode
from compat.runs.telling import in_silence
from compat.topic_logs import LogsDifferError, compare_logs, producer_epochs
from tests.compat.support.nodes import make_node

PLACE = ("topic", 0)


def written(number: int, session: int = 1) -> Written:
    return Written("p", session, number)


def accounted(
    acknowledged: list[tuple[int, int]], log: list[tuple[int, int]], *, is_idempotent: bool = True
) -> list[str]:
    """Violations; pairs are (offset, number)."""
    promised = Promised(name="p", is_idempotent=is_idempotent)
    promised.acknowledged[PLACE] = [(offset, written(number)) for offset, number in acknowledged]
    records: Log = {PLACE: {offset: written(number) for offset, number in log}}
    return account(promised, records, {}).violations(promised)


def test_what_was_acknowledged_and_is_there_is_right() -> None:
    assert accounted([(0, 0), (2, 2), (-1, 3)], [(0, 0), (1, 1), (2, 2), (3, 3)]) == []


@pytest.mark.parametrize(
    ("acknowledged", "log", "what"),
    [
        ([(0, 0), (1, 1)], [(0, 0)], "1 records lost, first number 1 of session 1 at topic-0 offset 1"),
        ([(0, 0)], [(0, 7)], "1 records lost, first number 0 of session 1 at topic-0 offset 0"),
        ([(-1, 5)], [(0, 0)], "1 records lost, first number 5 of session 1 at topic-0 offset -1"),
        ([(0, 0)], [(0, 0), (1, 0)], "1 records doubled, first number 0 of session 1 at topic-0 offset 1"),
        (
            [(0, 1)],
            [(0, 1), (1, 0)],
            "1 records out of order, first number 0 of session 1 at topic-0 offset 1",
        ),
    ],
)
def test_each_violation_is_noticed(
    acknowledged: list[tuple[int, int]], log: list[tuple[int, int]], what: str
) -> None:
    assert accounted(acknowledged, log) == [f"p: {what}"]


def test_a_producer_that_is_not_idempotent_was_promised_no_order_and_no_uniqueness() -> None:
    assert accounted([(2, 1)], [(0, 1), (1, 0), (2, 1)], is_idempotent=False) == []


@pytest.mark.parametrize(
    ("first", "second", "is_doubled"),
    [((7, 0), (7, 0), True), ((7, 0), (7, 1), False), ((-1, -1), (-1, -1), True)],
)
def test_what_a_client_writes_again_in_a_new_epoch_is_its_own_doing(
    first: tuple[int, int], second: tuple[int, int], is_doubled: bool
) -> None:
    promised = Promised(name="p", is_idempotent=True)
    found = account(promised, {PLACE: {0: written(0), 1: written(0)}}, {PLACE: {0: first, 1: second}})
    assert (len(found.doubled), len(found.again)) == ((1, 0) if is_doubled else (0, 1))
    assert bool(found.violations(promised)) is is_doubled


def test_records_that_were_never_acknowledged_may_be_there() -> None:
    promised = Promised(name="p", is_idempotent=True)
    found = account(promised, {PLACE: {0: written(0), 1: Written("other", 1, 0)}}, {})
    assert found == Found(unacknowledged=1)


def test_what_a_consumer_saw_has_to_stay() -> None:
    log: Log = {PLACE: {0: written(0), 1: written(2)}}
    assert missed("c", log, log) == []
    assert missed("c", {PLACE: {0: written(0), 1: written(1)}}, log) == [
        "c, topic-0: 1 records that are not there any more, first at offset 1"
    ]
    assert missed("c", {PLACE: {1: written(2)}}, log) == [
        "c, topic-0: 1 records were never delivered, first at offset 0"
    ]


def test_offsets_that_come_again_are_counted() -> None:
    assert in_offset_order([(0, written(0)), (2, written(1)), (2, written(1)), (1, written(3))])[1] == 2


def test_a_damaged_value_is_noticed() -> None:
    value = make_value(written(3), b"padding")
    assert read_value(value) == written(3)
    with pytest.raises(DamagedValueError):
        read_value(value.replace(b"padding", b"pudding"))


def test_replicas_that_differ_are_told(tmp_path: Path) -> None:
    nodes = [
        OurNode(tmp_path / str(number), combined_properties(tmp_path / f"data-{number}", number))
        for number in (1, 2)
    ]
    for number, node in enumerate(nodes):
        folder = node.data_directory / "t-0"
        folder.mkdir(parents=True)
        (folder / "00000000000000000000.log").write_bytes(b"same" + bytes([number]))
    with pytest.raises(LogsDifferError, match="from byte 4 on"):
        compare_logs(nodes, "t")


@pytest.mark.slow
def test_where_a_consumer_was_given_up_another_goes_on(tmp_path: Path) -> None:
    node = make_node(OurNode, tmp_path, {"auto.create.topics.enable": "true", "num.partitions": "1"})
    try:
        node.start()
        load = Load("librdkafka", node.bootstrap_server, "t", 1, is_idempotent=True, rate=100, seed=1)
        # Its client tells of itself less often.
        reading = LibrdkafkaReading(node.bootstrap_server, [("t", 0)], silent_s=SIGN_OF_LIFE_MS / 1_250)
        load.start()
        reading.start()
        deadline = time.monotonic() + 60
        while reading.given_up < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        load.stop()
        acknowledged = load.promised.acknowledged["t", 0]
        behind = consume_to([reading], {("t", 0): acknowledged[-1][0] + 1}, 60)
        reading.stop()
    finally:
        node.close()
    assert behind == []
    assert reading.given_up >= 2
    assert reading.records["t", 0] == acknowledged


@pytest.mark.slow
@pytest.mark.parametrize("client", READERS)
def test_faults_wait_until_each_producer_was_acknowledged_something(client: str, tmp_path: Path) -> None:
    node = make_node(OurNode, tmp_path, {"auto.create.topics.enable": "true", "num.partitions": "1"})
    worker = None
    try:
        node.start()
        worker = Worker(client, node.bootstrap_server, {"a": True, "b": False}, 1, rate=100, seed=1)
        worker.until_under_way()
        found = worker.stop_producers()
    finally:
        if worker is not None:
            worker.close()
        node.close()
    assert [each.count > 0 for each in found] == [True, True]


def test_a_client_that_found_no_broker_is_made_again() -> None:
    from kafka.errors import KafkaTimeoutError  # Before `compat.chaos.load` it would warn.

    outcomes: list[object] = [KafkaTimeoutError(), KafkaTimeoutError(), "client"]

    def make() -> object:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    stop = threading.Event()
    assert begun(make, stop) == "client"
    stop.set()
    assert begun(make, stop) is None


def test_a_node_without_replicas_cannot_tell_the_epochs_of_producers(tmp_path: Path) -> None:
    node = OurNode(tmp_path / "1", combined_properties(tmp_path / "data", 1))
    with pytest.raises(LookupError, match="node 1 has no replica of t"):
        producer_epochs(node, ["t"])


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize(("seed", "is_combined"), [(1, True)])
def test_half_a_minute_of_chaos_loses_nothing(tmp_path: Path, seed: int, is_combined: bool) -> None:
    result = chaos.run(
        tmp_path,
        seconds=15,
        seed=seed,
        tell=in_silence,
        is_combined=is_combined,
        rate=400,
        pace=(0.5, 2.0),
        has_small_disk=os.geteuid() == 0,
    )
    assert result.violations == []
    assert sum(result.faults.values()) >= 3
    assert all(promised.count for promised, _ in result.producers)
    assert result.replicas == 24
