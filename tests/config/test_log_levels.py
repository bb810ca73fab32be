"""Levels of loggers in Kafka's words."""

from __future__ import annotations

import logging

import pytest

from server.config.log_levels import level_name, logger_levels


@pytest.mark.parametrize(
    ("level", "word"),
    [
        (logging.CRITICAL, "FATAL"),
        (logging.ERROR, "ERROR"),
        (logging.WARNING, "WARN"),
        (logging.INFO, "INFO"),
        (logging.DEBUG, "DEBUG"),
        (logging.DEBUG - 1, "TRACE"),
        (logging.NOTSET, "TRACE"),
        (logging.INFO + 1, "INFO"),
    ],
)
def test_levels_have_kafkas_names(level: int, word: str) -> None:
    assert level_name(level) == word


def test_a_logger_has_the_level_of_the_nearest_one_that_sets_it() -> None:
    parent = logging.getLogger("tests.config.parent")
    logging.getLogger("tests.config.parent.child")
    parent.setLevel(logging.DEBUG)
    try:
        levels = logger_levels()
    finally:
        parent.setLevel(logging.NOTSET)
    assert levels["tests.config.parent"] == "DEBUG"
    assert levels["tests.config.parent.child"] == "DEBUG"
    assert levels["root"] == level_name(logging.getLogger().level)
