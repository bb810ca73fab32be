"""A forked function says things, and ends in any way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planting.forks import DOES_NOT_END, ENDS, STANDS_STILL, Ended
from tests.planting.process import in_new_process
from tests.planting.support.children import (
    fork_all,
    fork_as_if_it_had_no_processor,
    fork_beside_a_thread,
)


@pytest.fixture(scope="module")
def ends() -> dict[str, Ended]:
    found = in_new_process(fork_all)
    assert isinstance(found, dict)
    return found


def test_what_it_says_arrives(ends: dict[str, Ended]) -> None:
    assert ends["_speak"].said == ["one", 2]
    assert ends["_speak"].failure == ""


def test_an_exception_ends_it(ends: dict[str, Ended]) -> None:
    assert ends["_fail"].said == ["one"]
    assert "ValueError: two" in ends["_fail"].failure


def test_it_may_spin_for_a_while_only(ends: dict[str, Ended]) -> None:
    assert ends["_spin"].said == ["one"]
    assert ends["_spin"].failure == DOES_NOT_END
    assert 0.1 < ends["_spin"].seconds < 5


def test_it_does_not_stand_still_while_others_have_the_processors() -> None:
    ended = in_new_process(fork_as_if_it_had_no_processor)
    assert isinstance(ended, Ended)
    assert ended.failure == DOES_NOT_END


def test_it_may_wait_for_a_while_only(ends: dict[str, Ended]) -> None:
    assert ends["_wait"].failure == STANDS_STILL
    assert ends["_doze"].failure == STANDS_STILL


def test_a_signal_or_an_exit_ends_it(ends: dict[str, Ended]) -> None:
    assert ends["_die"].failure == "SIGSEGV"
    assert ends["_exit"].failure == ENDS
    assert ends["_exit"].said == ["one"]


def test_it_has_so_much_memory_only(ends: dict[str, Ended]) -> None:
    assert ends["_grow"].said == ["no memory"]


def test_what_it_started_ends_with_it(ends: dict[str, Ended]) -> None:
    [pid] = ends["_start_another"].said
    status = Path(f"/proc/{pid}/status")
    assert not status.exists() or "State:\tZ" in status.read_text(), (
        "it is gone, or nobody looked yet how it ended"
    )


def test_a_process_with_threads_is_not_forked() -> None:
    with pytest.raises(RuntimeError, match="does not return"):
        in_new_process(fork_beside_a_thread)
