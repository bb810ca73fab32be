"""Compiles the regular expressions of clients, with RE2: it takes linear time, whatever they send.

Apache Kafka has RE2/J, with the same syntax.
"""

from __future__ import annotations

from collections.abc import Callable

import re2

MAX_BYTES = 1 << 20
"""Memory of one compiled expression. A larger one is refused."""


def _options() -> re2.Options:
    options = re2.Options()
    options.never_capture = True
    # The client hears of its mistakes, and nobody else.
    options.log_errors = False
    options.max_mem = MAX_BYTES
    return options


_OPTIONS = _options()


def compile_regex(regex: str) -> Callable[[str], bool]:
    """Whether the expression matches the whole of a name. Raises ValueError if it is none."""
    try:
        compiled = re2.compile(regex, _OPTIONS)
    except (re2.error, UnicodeError) as error:
        reason = error.args[0] if error.args else ""
        raise ValueError(
            reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        ) from None
    return lambda name: compiled.fullmatch(name) is not None
