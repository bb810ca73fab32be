"""Levels of this process's loggers, in the words that Kafka's tools know."""

from __future__ import annotations

import logging

ROOT = "root"


def logger_levels() -> dict[str, str]:
    """The level in effect by name of every logger that exists, and of the root."""
    levels = {ROOT: level_name(logging.getLogger().getEffectiveLevel())}
    for name in sorted(logging.root.manager.loggerDict):
        levels[name] = level_name(logging.getLogger(name).getEffectiveLevel())
    return levels


def level_name(level: int) -> str:
    """Kafka's word for a level number of Python's ``logging``."""
    for limit, word in (
        (logging.CRITICAL, "FATAL"),
        (logging.ERROR, "ERROR"),
        (logging.WARNING, "WARN"),
        (logging.INFO, "INFO"),
        (logging.DEBUG, "DEBUG"),
    ):
        if level >= limit:
            return word
    return "TRACE"
