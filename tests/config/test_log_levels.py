"""Levels of loggers in Kafka's words.

Tests: `config.kafka_loggers`.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

import kafkaproto_server
from kafkaproto_server.config.kafka_loggers import COUNTERPARTS
from kafkaproto_server.config.log_levels import level_name, logger_levels, set_logger_levels


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


@pytest.mark.parametrize("word", ["FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"])
def test_a_level_that_is_set_is_the_one_that_is_shown(word: str) -> None:
    name, child = "tests.config.set", "tests.config.set.child"
    logging.getLogger(child)
    set_logger_levels({name: word})
    try:
        assert (logger_levels()[name], logger_levels()[child]) == (word, word)
        set_logger_levels({child: "FATAL"})
        assert (logger_levels()[name], logger_levels()[child]) == (word, "FATAL")
        set_logger_levels({child: None})
        assert logger_levels()[child] == word
    finally:
        set_logger_levels({name: None})
    assert logger_levels()[name] == logger_levels()["root"]


def test_the_root_has_a_level_of_its_own() -> None:
    before = logging.getLogger().level
    set_logger_levels({"root": "ERROR"})
    try:
        assert (logger_levels()["root"], logging.getLogger().level) == ("ERROR", logging.ERROR)
        assert "root" not in logging.root.manager.loggerDict
    finally:
        logging.getLogger().setLevel(before)


@pytest.mark.parametrize(
    ("kafkas", "ours"),
    [
        ("kafka.server.ReplicaManager", "kafkaproto.server.replicas"),
        ("kafka.authorizer.logger", "kafkaproto.server.authorizer"),
        ("org.apache.kafka.controller.QuorumController", "kafkaproto.server.controller"),
        ("org.apache.kafka.raft.KafkaRaftClient", "kafkaproto.server.quorum"),
        ("org.apache.kafka.server.BrokerLifecycleManager", "kafkaproto.server.broker"),
        ("kafka.network.SocketServer", "kafkaproto.server.net"),
        ("kafka", "kafkaproto.server"),
    ],
)
def test_a_logger_of_kafka_stands_for_ours(kafkas: str, ours: str) -> None:
    before = logging.getLogger(ours).level
    try:
        set_logger_levels({kafkas: "FATAL"})
        assert logging.getLogger(ours).level == logging.CRITICAL
        assert (logger_levels()[kafkas], logger_levels()[ours]) == ("FATAL", "FATAL")
        set_logger_levels({kafkas: None})
        assert logging.getLogger(ours).level == logging.NOTSET
    finally:
        logging.getLogger(ours).setLevel(before)


def test_every_counterpart_is_a_logger_that_the_server_has() -> None:
    root = Path(kafkaproto_server.__file__).parent
    used = {
        name
        for path in root.rglob("*.py")
        for name in re.findall(r'getLogger\("([^"]+)"\)', path.read_text())
    }
    assert set(COUNTERPARTS.values()) <= used
    assert not set(COUNTERPARTS) & used
