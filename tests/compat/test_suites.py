"""A few tests of each foreign suite, by the same runner as `bin/compat suites`; all of them take minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import suites

pytestmark = [pytest.mark.clients, pytest.mark.slow]


@pytest.mark.parametrize(
    ("suite", "only", "passing"), [("kgo", "TestClient_Produce", 2), ("kafka-python", "end_to_end", 5)]
)
def test_tests_of_a_foreign_suite_pass(suite: str, only: str, passing: int, tmp_path: Path) -> None:
    told: list[str] = []
    suites.run(tmp_path, names=(suite,), librdkafka=None, is_all=False, only=only, tell=told.append)
    assert f"{passing} passed, 0 failed, 0 skipped" in told[-1]
