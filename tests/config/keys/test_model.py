"""Reading, checking and showing single values, by Kafka's rules.

Tests: `config.keys.formats`.
"""

from __future__ import annotations

import pytest

from kafkaproto_server.config.keys.definitions import BROKER_KEYS, CLIENT_METRICS_KEYS, GROUP_KEYS, TOPIC_KEYS
from kafkaproto_server.config.keys.model import ConfigDefinition, ConfigType, format_value


def define(type_: ConfigType, **facts: object) -> ConfigDefinition:
    return ConfigDefinition(name="some.key", kind="topic", type=type_, **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("type_", "text", "value", "shown"),
    [
        (ConfigType.BOOLEAN, " tRue\t", True, "true"),
        (ConfigType.BOOLEAN, "FALSE", False, "false"),
        (ConfigType.INT, " +5 ", 5, "5"),
        (ConfigType.INT, "-2147483648", -2147483648, "-2147483648"),
        (ConfigType.SHORT, "007", 7, "7"),
        (ConfigType.LONG, "9223372036854775807", 9223372036854775807, "9223372036854775807"),
        (ConfigType.DOUBLE, ".50", 0.5, "0.5"),
        (ConfigType.DOUBLE, "1.", 1.0, "1.0"),
        (ConfigType.DOUBLE, "5e-1f", 0.5, "0.5"),
        (ConfigType.STRING, " gzip ", "gzip", "gzip"),
        (ConfigType.STRING, "", "", ""),
        (ConfigType.CLASS, "a.B", "a.B", "a.B"),
        (ConfigType.LIST, "a , b,c ", ("a", "b", "c"), "a,b,c"),
        (ConfigType.LIST, "  ", (), ""),
        (ConfigType.PASSWORD, "x", "x", "x"),
    ],
)
def test_values_are_read_and_shown_by_their_type(
    type_: ConfigType, text: str, value: object, shown: str
) -> None:
    definition = define(type_)
    assert definition.parse(text) == value
    assert type(definition.parse(text)) is type(value)
    assert definition.canonical(text) == shown
    assert definition.problem_with(text) is None


@pytest.mark.parametrize(
    ("type_", "text", "allowed"),
    [
        (ConfigType.BOOLEAN, "yes", "true or false"),
        (ConfigType.BOOLEAN, "", "true or false"),
        (ConfigType.INT, "1.0", "whole number from -2147483648 to 2147483647"),
        (ConfigType.INT, "2147483648", "whole number"),
        (ConfigType.INT, "1_000", "whole number"),
        (ConfigType.INT, "0x10", "whole number"),
        (ConfigType.INT, "\u0663", "whole number"),
        (ConfigType.INT, "\u00a05", "whole number"),
        (ConfigType.SHORT, "32768", "from -32768 to 32767"),
        (ConfigType.LONG, "9" * 10_000, "whole number"),
        (ConfigType.DOUBLE, "NaN", "decimal number"),
        (ConfigType.DOUBLE, "Infinity", "decimal number"),
        (ConfigType.DOUBLE, "1e999", "decimal number"),
        (ConfigType.DOUBLE, ".", "decimal number"),
        (ConfigType.LIST, "a,,b", "empty entry"),
        (ConfigType.LIST, "a,", "empty entry"),
    ],
)
def test_what_a_type_does_not_take_is_refused_and_shown_as_it_stands(
    type_: ConfigType, text: str, allowed: str
) -> None:
    definition = define(type_)
    assert allowed in (definition.problem_with(text) or "")
    assert definition.canonical(text) == text


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.0, "0.0"),
        (0.001, "0.001"),
        (0.0009, "9.0E-4"),
        (0.00012345, "1.2345E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-12345678.0, "-1.2345678E7"),
        (1e9, "1.0E9"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (5e-324, "5.0E-324"),
        (1.5e16, "1.5E16"),
        (123456789012345680.0, "1.2345678901234568E17"),
    ],
)
def test_doubles_are_shown_as_java_prints_them(number: float, shown: str) -> None:
    assert format_value(number) == shown


@pytest.mark.parametrize(
    ("definition", "good", "bad"),
    [
        (BROKER_KEYS["num.partitions"], ["1", "2147483647"], ["0", "-1"]),
        (TOPIC_KEYS["compression.gzip.level"], ["-1", "1", "9"], ["0", "10", "-2"]),
        (TOPIC_KEYS["min.cleanable.dirty.ratio"], ["0", "1"], ["1.01", "-0.1"]),
        (TOPIC_KEYS["cleanup.policy"], ["", "compact", "delete,compact"], ["Compact", "compact,x"]),
        (TOPIC_KEYS["compression.type"], ["zstd", " producer"], ["none", "", "ZSTD"]),
        (BROKER_KEYS["group.consumer.migration.policy"], ["Upgrade", "DISABLED"], ["up", ""]),
        (BROKER_KEYS["process.roles"], ["broker", "controller,broker"], ["", "zookeeper"]),
        (BROKER_KEYS["remote.log.storage.manager.impl.prefix"], ["x"], [""]),
        (
            TOPIC_KEYS["leader.replication.throttled.replicas"],
            ["", "*", "0:1", "0:1, 1:2"],
            ["none", "0:1:2", "*,0:1", "0:"],
        ),
        (
            GROUP_KEYS["share.auto.offset.reset"],
            ["earliest", "latest", "by_duration:PT1H", "by_duration:P1DT2H3M4.5S"],
            [
                "",
                "none",
                "by_duration:",
                "by_duration:P",
                "by_duration:PT",
                "by_duration:-PT1H",
                "by_duration:1H",
            ],
        ),
        (
            BROKER_KEYS["max.connections.per.ip.overrides"],
            ["", "10.0.0.1:5", "::1:5, host:0"],
            ["host", "host:x", ":5", "a:1,"],
        ),
        (
            CLIENT_METRICS_KEYS["match"],
            ["", "client_id=app.*", "client_id=a,client_software_name = b"],
            ["client_id", "id=a", "client_id=[", "client_id=", "client_id= "],
        ),
        (CLIENT_METRICS_KEYS["interval.ms"], ["100", "3600000"], ["99", "3600001"]),
    ],
)
def test_keys_take_what_is_in_their_range_and_nothing_else(
    definition: ConfigDefinition, good: list[str], bad: list[str]
) -> None:
    assert [text for text in good if definition.problem_with(text) is not None] == []
    assert [text for text in bad if definition.problem_with(text) is None] == []


def test_an_error_says_what_is_allowed() -> None:
    assert TOPIC_KEYS["segment.bytes"].problem_with("1") == "must be 1048576 or more"
    assert TOPIC_KEYS["compression.lz4.level"].problem_with("18") == "must be 1 to 17"
    assert TOPIC_KEYS["compression.gzip.level"].problem_with("0") == "must be 1 to 9, or -1"
    assert TOPIC_KEYS["message.timestamp.type"].problem_with("x") == (
        "must be one of CreateTime, LogAppendTime"
    )


def test_definitions_describe_themselves() -> None:
    described = {
        key.name: key.describe() for key in (*BROKER_KEYS.values(), TOPIC_KEYS["compression.gzip.level"])
    }
    assert described["compression.gzip.level"].endswith("default. Type int, 1 to 9, or -1. Default: -1.")
    assert described["ssl.client.auth"].endswith(
        "No effect here. Type string: required, requested, none. Default: none. Can change at run time, for one"
        " broker."
    )
    assert described["log.retention.ms"].endswith(
        "Topics can override it. Type long, 1 or more, or -1. Can change at run time, for one broker or for all."
    )
    assert described["controller.quorum.voters"].endswith("for ever. Type list. Default: empty.")
