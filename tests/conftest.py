"""Settings that all tests share."""

import gc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from compat import forks

# Derandomized, so that a run says the same of the same code; random examples are for long runs by hand
# (pytest --hypothesis-profile=explore), which print what reproduces a failure.
settings.register_profile(
    "default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile("default")

# Hundreds of nodes, each a fork of a process that has loaded the server; tests/integration/conftest.py says where not.
forks.is_on = True


_frozen_at: list[Path] = []
"""The file of the last test."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Keep tests' own full collections short: what was collected before, tests above all, is not walked again.

    Once for each file: to ask for the number of frozen objects takes a step for each of them.
    """
    if _frozen_at != [item.path]:
        _frozen_at[:] = [item.path]
        gc.collect()
        gc.freeze()


ON_A_JVM = {"spark", "stock_node"}
"""Fixtures that start one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that needs Java says so, or else ``bin/test`` would run it where there is none."""
    for item in items:
        if ON_A_JVM & set(getattr(item, "fixturenames", ())) and item.get_closest_marker("jvm") is None:
            raise pytest.UsageError(f"{item.nodeid} needs the mark jvm")
