"""What every test's setup does."""

from __future__ import annotations

import gc
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests import conftest


def test_setup_looks_through_memory_once_for_each_file(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    for name in ("collect", "freeze", "get_freeze_count"):
        monkeypatch.setattr(gc, name, lambda name=name: called.append(name))
    for path in ("a.py", "a.py", "b.py"):
        conftest.pytest_runtest_setup(cast(Any, SimpleNamespace(path=Path(path))))
    assert called == ["collect", "freeze"] * 2
