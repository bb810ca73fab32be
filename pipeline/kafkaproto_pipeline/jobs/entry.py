"""The beginning of ``metadata-pipeline``: says in one sentence what is missing if the package was installed without its
extra ``pipeline``. It imports nothing that the extra brings."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from typing import Final

_EXTRA: Final = ("numpy", "pandas", "pyarrow", "pyspark", "plotly")
"""What the extra installs, by the names of modules."""
_EXIT_WRONG_USE: Final = 2


def run() -> None:
    """Run the command line and end the process, unless it succeeds."""
    missing = [name for name in _EXTRA if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"metadata-pipeline needs the extra 'pipeline' ({', '.join(missing)} cannot be imported):"
            " pip install 'kafkaproto[pipeline]'",
            file=sys.stderr,
        )
        sys.exit(_EXIT_WRONG_USE)
    command_line: Callable[[], None] = importlib.import_module("kafkaproto_pipeline.jobs.command_line").run
    command_line()
