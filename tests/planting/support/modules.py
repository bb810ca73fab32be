"""A module that a test imports from a text of its own."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType


@contextlib.contextmanager
def imported(path: Path, source: str) -> Iterator[ModuleType]:
    """Write the source into the file, and import it."""
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[made.__name__] = made
    spec.loader.exec_module(made)
    try:
        yield made
    finally:
        del sys.modules[made.__name__]
