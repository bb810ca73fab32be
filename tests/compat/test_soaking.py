"""The account of a soak without deaths and what it says of memory; and all of its loads at once for a short while."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from compat.runs.telling import in_silence
from compat.soaking import held
from compat.soaking.held import Held, growth, held_by, row, slope_an_hour
from compat.soaking.load import Ground, Load, LoadFailedError, RefusedError
from compat.soaking.run import LOAD, GrowthError, Plan, SoakAccount, run
from compat.soaking.tally import (
    MAX_AHEAD,
    InOrder,
    Once,
    SoakLossError,
    Written,
    check_ends,
    make_value,
    read_number,
)

MIB = 1 << 20


def test_a_value_tells_its_number_and_whether_it_is_whole() -> None:
    value = make_value(2, 77)
    assert read_number(2, value) == 77
    for damaged in (value[:-1], value[:-1] + b"!", b"", b"2 77", make_value(1, 77)):
        with pytest.raises(SoakLossError, match="of partition 2 is damaged"):
            read_number(2, damaged)


def test_a_reader_sees_each_number_after_the_one_before() -> None:
    seen = InOrder("reader", 2, may_come_again=False)
    for number in range(3):
        seen.take(1, number)
    assert seen.ends == (0, 3)
    with pytest.raises(SoakLossError, match="number 5 of partition 1 follows 2: 2 records are lost"):
        seen.take(1, 5)
    with pytest.raises(SoakLossError, match="number 2 of partition 1 came twice"):
        seen.take(1, 2)


def test_a_group_may_read_again_but_leave_nothing_out() -> None:
    seen = InOrder("group", 1, may_come_again=True)
    for number in (0, 1, 2, 1, 2, 3):
        seen.take(0, number)
    assert (seen.ends, seen.again) == ((4,), 2)
    with pytest.raises(SoakLossError, match="lost"):
        seen.take(0, 5)


def test_a_share_group_takes_each_number_once_in_any_order() -> None:
    taken = Once("sharers", 1)
    for number in (1, 2, 0, 4):
        taken.take(0, number)
    assert (taken.ends, taken.count) == ((3,), 4)
    for number in (0, 2, 4):
        with pytest.raises(SoakLossError, match=f"number {number} of partition 0 was taken twice"):
            taken.take(0, number)


def test_what_was_perhaps_taken_may_come_once_more() -> None:
    taken = Once("sharers", 1)
    taken.take_unsure(0, 0)
    taken.take_unsure(0, 0)
    assert taken.ends == (1,)
    taken.take(0, 0)
    with pytest.raises(SoakLossError, match="twice"):
        taken.take(0, 0)
    assert taken.count == 1


def test_a_number_that_never_comes_is_missed_before_memory_runs_out() -> None:
    taken = Once("sharers", 1)
    for number in range(1, MAX_AHEAD + 1):
        taken.take(0, number)
    with pytest.raises(SoakLossError, match="number 0 of partition 0 never came"):
        taken.take(0, MAX_AHEAD + 1)


def test_a_reader_has_to_come_to_where_the_writer_ended() -> None:
    written = Written(2)
    for partition in (0, 1, 1):
        written.acknowledge(partition)
    check_ends("reader", (1, 2), written.ends)
    with pytest.raises(SoakLossError, match=r"reader: has come to \[1, 1\], and \[1, 2\] were acknowledged"):
        check_ends("reader", (1, 1), written.ends)


def at(minute: float, mib: float) -> Held:
    """What a process holds that uses half of a core."""
    return Held(
        at_s=60 * minute,
        resident=int(mib * MIB),
        anonymous=int(mib * MIB) // 2,
        descriptors=7,
        threads=3,
        processor_s=30 * minute,
    )


def test_a_slope_is_that_of_the_line_through_the_points() -> None:
    assert slope_an_hour([(0, 5.0), (1800, 6.0), (3600, 7.0)]) == pytest.approx(2.0)
    assert slope_an_hour([(0, 5.0), (600, 6.0), (1200, 5.0)]) == pytest.approx(0.0)
    assert slope_an_hour([(0, 5.0)]) == slope_an_hour([(3, 5.0), (3, 6.0)]) == 0.0


def test_growth_is_that_of_the_second_half() -> None:
    warming_up = [at(minute, 50 + minute) for minute in range(30)]
    steady = [at(minute, 80 + (minute - 30) / 60) for minute in range(30, 61)]
    found = growth([*warming_up, *steady])
    assert found.resident == pytest.approx(1.0, abs=0.01)
    assert found.anonymous == pytest.approx(0.5, abs=0.01)
    assert growth([]).resident == 0.0


def test_nodes_may_grow_by_the_limit_and_the_load_by_anything() -> None:
    account = SoakAccount()
    account.histories = {
        "node 1": [at(minute, 60 + minute / 30) for minute in range(60)],
        LOAD: [at(minute, 60 + minute) for minute in range(60)],
    }
    account.check_growth(None)
    account.check_growth(2.1)
    with pytest.raises(GrowthError, match=r"node 1: RSS grows by 2\.00 MiB an hour, 1\.9 are allowed"):
        account.check_growth(1.9)


def test_a_row_tells_what_a_process_holds_and_its_share_of_a_core() -> None:
    head, first, second = held.HEAD, row("node 1", at(0, 64), None), row("node 1", at(2, 66), at(0, 64))
    assert first.split() == ["0.0", "node", "1", "64.0", "32.0", "7", "3", "0.0"]
    assert second.split() == ["2.0", "node", "1", "66.0", "33.0", "7", "3", "50.0"]
    assert len(head) == len(first) == len(second)


def test_this_process_holds_something() -> None:
    found = held_by(os.getpid(), 1.5)
    assert found.resident >= found.anonymous > MIB
    assert found.descriptors > 2
    assert found.threads >= threading.active_count()
    assert found.processor_s > 0
    assert found.at_s == 1.5


class Steps(Load):
    """Does what it is told, in turn, and has no more to do then."""

    INTERVAL_S = 0.001

    def __init__(self, outcomes: list[Exception | None]) -> None:
        super().__init__("steps", Ground(brokers=["a:1", "b:2"], controllers=[], seed=1))
        self.outcomes = outcomes
        self.has_ended = threading.Event()
        self.is_closed = False

    def step(self) -> None:
        """See Load."""
        outcome = self.outcomes.pop(0)
        if not self.outcomes:
            self.has_ended.set()
            self.ask_to_stop()
        if outcome is not None:
            raise outcome
        self.done += 1

    def close(self) -> None:
        """See Load."""
        self.is_closed = True


def test_a_load_tries_again_after_what_is_transient() -> None:
    load = Steps([None, RefusedError("error 15"), OSError("gone"), None])
    load.start()
    assert load.has_ended.wait(10)
    load.stop()
    assert load.is_closed
    assert (load.done, load.tries, load.last_words) == (2, {"RefusedError": 1, "OSError": 1}, "gone")


def test_a_load_in_which_nothing_comes_right_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compat.soaking.load.PATIENCE_S", -1.0)
    load = Steps([RefusedError("error 15"), None])
    load.start()
    load.join(10)
    with pytest.raises(LoadFailedError, match=r"steps: nothing came right for .* error 15"):
        load.check()
    assert load.is_closed


def test_a_loss_ends_a_load_at_once() -> None:
    load = Steps([SoakLossError("gone"), None])
    load.start()
    load.join(10)
    with pytest.raises(SoakLossError, match="gone"):
        load.stop()
    assert load.done == 0


@pytest.mark.slow
def test_all_loads_do_their_work_and_nothing_is_lost(tmp_path: Path) -> None:
    account = run(tmp_path, Plan(lasting_s=30, hurry=3, row_s=10), in_silence)
    assert [name for name, count in account.done.items() if count == 0] == []
    assert len(account.done) == 15
    assert account.acknowledged > 300
    assert account.guests >= 2
    assert account.aborted >= 2
    assert account.released >= 20
    assert account.tasks_shared >= 5
    assert {len(each) >= 2 for each in account.histories.values()} == {True}
    assert [name for name in account.histories if name != LOAD] == ["node 1", "node 2", "node 3"]
