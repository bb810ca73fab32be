"""Processor time counts once, whether a process still runs or has ended."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.running.processor_time import used_by_all_s, used_s

USES = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ntime.sleep(60)"


def test_time_of_a_child_counts_while_it_runs_and_afterwards() -> None:
    before_s = used_by_all_s()
    with subprocess.Popen([sys.executable, "-c", USES], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        running_s = used_by_all_s() - before_s
        child.kill()
    ended_s = used_by_all_s() - before_s
    # The kernel counts in steps of a hundredth of a second.
    assert 0.25 < running_s < ended_s + 0.05 < running_s + 0.2


def test_a_process_that_is_gone_has_no_time() -> None:
    assert used_s(os.getpid()) > 0
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        pass
    with pytest.raises(OSError):
        used_s(child.pid)
