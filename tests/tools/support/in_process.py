"""Running a command line in the process of the tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest


def run(
    main: Callable[[Sequence[str]], None], arguments: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    code = 0
    try:
        main(arguments)
    except SystemExit as end:
        code = int(end.code or 0)
    out, err = capsys.readouterr()
    return code, out, err
