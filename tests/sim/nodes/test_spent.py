"""What counts as a turn of a node: neither work in threads nor a checker's looks."""

from __future__ import annotations

from tests.sim.nodes.threads import Spent
from tests.support.instructions import InstructionCounter


def work() -> int:
    return len([each + 1 for each in range(1_000)])


def test_what_is_done_beside_a_turn_is_not_counted() -> None:
    counted = []
    for is_beside in (False, True):
        before_s = Spent.seconds
        counter = Spent.counter = InstructionCounter()
        counter.start()
        try:
            if is_beside:
                with Spent.beside():
                    work()
            else:
                work()
        finally:
            counter.stop()
            Spent.counter = None
        counted.append(counter.instructions)
        assert (Spent.seconds > before_s) is is_beside
    assert counted[0] > 1_000
    assert counted[1] < 200
