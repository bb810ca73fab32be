"""The account of what was acknowledged and what can be read, and a soak of a few seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.kafka.verifiable import (
    IDEMPOTENT,
    Account,
    LostRecordError,
    Record,
    Sent,
    account,
    check_account,
    sent,
)
from compat.ours import OurNode
from compat.quorum import Quorum
from compat.runs import soak
from compat.runs.soak import LeaderWatch, Pace, SoakError, SoakResult
from compat.runs.telling import in_silence


def record(value: str, partition: int, offset: int) -> Record:
    return Record(value=value, partition=partition, offset=offset)


def checked(acknowledged: list[Record], consumed: list[Record], *, may_be_twice: bool = False) -> Account:
    found = account(acknowledged, consumed)
    check_account("sole", found, may_be_twice=may_be_twice)
    return found


def test_what_is_where_it_was_acknowledged_is_accounted_for() -> None:
    log = [record("0", 0, 0), record("1", 1, 0), record("2", 0, 1)]
    assert checked(list(reversed(log)), [*log, log[0]]) == Account(
        acknowledged=3, consumed=3, lost=(), misplaced=(), duplicates=0, unacknowledged=0
    )


def test_an_acknowledged_value_that_nobody_can_read_is_lost() -> None:
    with pytest.raises(LostRecordError, match="1 of 2 lost, among them 1"):
        checked([record("0", 0, 0), record("1", 0, 1)], [record("0", 0, 0), record("2", 0, 1)])


def test_a_value_at_another_offset_than_the_acknowledged_one_is_told() -> None:
    with pytest.raises(LostRecordError, match="1 of 1 not where they were acknowledged, among them 0"):
        checked([record("0", 0, 1)], [record("0", 0, 0), record("7", 0, 1)])


def test_a_value_that_was_acknowledged_without_an_offset_may_be_anywhere() -> None:
    assert checked([record("0", 0, -1)], [record("0", 0, 5)]).misplaced == ()


def test_a_value_that_is_there_twice_is_a_fault_of_an_idempotent_producer_alone() -> None:
    twice = [record("0", 0, 0), record("0", 0, 1)]
    assert checked([record("0", 0, 1)], twice, may_be_twice=True).duplicates == 1
    with pytest.raises(LostRecordError, match="1 records more than values"):
        checked([record("0", 0, 1)], twice)


def test_a_value_that_was_never_acknowledged_may_be_there() -> None:
    assert checked([], [record("0", 0, 0)]).unacknowledged == 1


def test_the_lines_of_a_producer_tell_what_became_of_each_record() -> None:
    where = {"topic": "t", "key": None, "partition": 2}
    found = sent(
        [
            {"timestamp": 1000, "name": "startup_complete"},
            {"timestamp": 2000, "name": "producer_send_success", "value": "0", "offset": 7, **where},
            {"timestamp": 3500, "name": "producer_send_error", "value": "1", "exception": "class E", **where},
            {"timestamp": 5000, "name": "producer_send_success", "value": "2", "offset": 8, **where},
            {"timestamp": 9000, "name": "shutdown_complete"},
        ]
    )
    assert found.acknowledged == [record("0", 2, 7), record("2", 2, 8)]
    assert (found.produced, found.failed, found.longest_gap_s) == (3, {"class E": 1}, 3.0)


def test_two_leaders_in_one_epoch_are_found(tmp_path: Path) -> None:
    watch = LeaderWatch(Quorum(OurNode, tmp_path, 1))
    watch.note(4, 1)
    watch.note(4, 1)
    watch.note(6, 2)
    assert (watch.leader_id, watch.elections()) == (2, 1)
    with pytest.raises(SoakError, match="nodes 1 and 3 both lead in epoch 4"):
        watch.note(4, 3)


def test_the_figures_have_each_death_in_its_place() -> None:
    outcome = SoakResult(elections=3, replicas=6, records=70)
    outcome.deaths["our controller, leading", soak.TERM] = 2
    outcome.deaths["stock broker", soak.KILL] = 1
    outcome.sent["idempotent"] = Sent(longest_gap_s=1.25)
    outcome.accounts["idempotent"] = account([record("0", 0, 0)], [record("0", 0, 0)])
    rows = [line.split() for line in outcome.lines()]
    assert ["our", "controller,", "leading", "0", "2", "0"] in rows
    assert ["stock", "broker", "1", "0", "0"] in rows
    assert ["acknowledged", "1"] in rows
    assert ["longest", "without", "one", "1.25", "s"] in rows


@pytest.mark.jvm
@pytest.mark.slow
def test_nothing_is_lost_while_a_controller_of_ours_and_a_stock_broker_die(tmp_path: Path) -> None:
    pace = Pace(lasting=60, between=(0.2, 0.5), away=(0.2, 0.5), paused=(2, 3), deaths_each=1)
    outcome = soak.run(tmp_path, seed=5, pace=pace, tell=in_silence, producers={"idempotent": IDEMPOTENT})
    assert outcome.deaths.total() == 2
    assert outcome.accounts["idempotent"].acknowledged > 0
    assert outcome.replicas == 6
