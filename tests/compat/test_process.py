"""Waits for what a process does: they end when it ends, and tell its last words."""

import sys
from pathlib import Path

import pytest

from compat.process import ProcessDiedError, ServerProcess, WaitedTooLongError, wait_until

WAIT_S = 30.0


def process(folder: Path, code: str) -> ServerProcess:
    """A program of Python, which prints into files below the folder."""
    return ServerProcess([sys.executable, "-c", code], folder / "program", folder, {})


def test_a_wait_for_a_process_ends_with_it_and_tells_its_last_words(tmp_path: Path) -> None:
    dying = process(tmp_path, "import sys; print('one commit'); sys.exit('no coordinator')")
    with pytest.raises(
        ProcessDiedError, match=r"(?s)ended before 2 commits: .*exit code 1.*one commit.*no coord"
    ):
        dying.wait_until(lambda: False, WAIT_S, "2 commits")


def test_a_wait_that_is_too_long_tells_the_last_words_of_the_process(tmp_path: Path) -> None:
    living = process(tmp_path, "import time; print('one commit', flush=True); time.sleep(100)")
    try:
        living.wait_for_line(living.out_path, "one commit", WAIT_S)
        with pytest.raises(
            WaitedTooLongError, match=r"(?s)waited 0.1 s for 2 commits: .*still running.*one commit"
        ):
            living.wait_until(lambda: False, 0.1, "2 commits")
    finally:
        living.kill()


def test_what_a_process_did_before_its_end_counts(tmp_path: Path) -> None:
    ended = process(tmp_path, "print('done')")
    wait_until(lambda: not ended.is_running, WAIT_S, "its end")
    assert ended.wait_for_line(ended.out_path, "done", WAIT_S) == "done"
