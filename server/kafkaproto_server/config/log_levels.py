"""Levels of this process's loggers, in Kafka's words. Names of Kafka's loggers stand for ours (`kafka_loggers`)."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from kafkaproto_server.config.kafka_loggers import COUNTERPARTS

ROOT = "root"
_LEVELS = {
    "FATAL": logging.CRITICAL,
    "ERROR": logging.ERROR,
    "WARN": logging.WARNING,
    "INFO": logging.INFO,
    "DEBUG": logging.DEBUG,
    "TRACE": logging.DEBUG // 2,
}


def logger_levels() -> dict[str, str]:
    """The level in effect of every logger that exists, of the root, and of the counterparts of Kafka's, by name."""
    levels = {ROOT: level_name(logging.getLogger().getEffectiveLevel())}
    for name in sorted(logging.root.manager.loggerDict):
        levels[name] = level_name(logging.getLogger(name).getEffectiveLevel())
    for name, ours in COUNTERPARTS.items():
        levels[name] = level_name(logging.getLogger(ours).getEffectiveLevel())
    return levels


def set_logger_levels(levels: Mapping[str, str | None]) -> None:
    """Set the levels of loggers by name, in Kafka's words. None gives a logger the level of the nearest one above
    it."""
    for name, word in levels.items():
        logger = logging.getLogger(None if name == ROOT else COUNTERPARTS.get(name, name))
        logger.setLevel(logging.NOTSET if word is None else _LEVELS[word])


def level_name(level: int) -> str:
    """Kafka's word for a level number of Python's ``logging``."""
    for word, limit in _LEVELS.items():
        if level >= limit:
            return word
    return "TRACE"
