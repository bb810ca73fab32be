"""IncrementalAlterConfigs on loggers: codes and effects of a stock 4.3.1 node, on both kinds of listeners."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.messages import AlterConfigsRequest, IncrementalAlterConfigsResponse
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.base.types import ListenerKind
from tests.apis.admin.test_alter_configs import codes, incremental
from tests.apis.support.services import Calls, context, responses_of, services, settled

TOPIC, LOGGER = 2, 8
SET, DELETE, APPEND, SUBTRACT = range(4)
OWN_ID = "1"
both_listeners = pytest.mark.parametrize("kind", ListenerKind)


class Loggers:
    """The levels of a process's loggers."""

    def __init__(self) -> None:
        self.levels = {"root": "INFO", "server": "INFO", "server.net": "DEBUG"}
        self.changes: list[dict[str, str | None]] = []
        self.calls = Calls()

    def alter(self, kind: ListenerKind, request: Any, version: int = 1) -> Any:
        """The answer, or the Deferred for it."""
        decoded, _ = type(request).decode(request.encode(version), version)
        node = services(
            calls=self.calls,
            logger_levels=lambda: self.levels,
            set_logger_levels=lambda levels: self.changes.append(dict(levels)),
        )
        return settled(dispatch(decoded, context(decoded, version, kind=kind), node))

    def outcome(self, kind: ListenerKind, *configs: tuple[str, int, str | None], name: str = OWN_ID) -> int:
        (result,) = self.alter(kind, incremental((LOGGER, name, configs))).responses
        assert (result.resource_type, result.resource_name) == (LOGGER, name)
        assert (result.error_message is None) is (result.error_code == 0)
        assert (self.calls.forwarded, self.calls.submitted) == ([], [])
        code: int = result.error_code
        return code


@both_listeners
@pytest.mark.parametrize("level", ["DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN"])
def test_a_level_is_set(level: str, kind: ListenerKind) -> None:
    loggers = Loggers()
    assert loggers.outcome(kind, ("server.net", SET, level), ("root", SET, "ERROR")) == 0
    assert loggers.changes == [{"server.net": level, "root": "ERROR"}]


@both_listeners
def test_a_level_that_is_deleted_is_that_of_the_logger_above(kind: ListenerKind) -> None:
    loggers = Loggers()
    assert loggers.outcome(kind, ("server.net", DELETE, None), ("server", DELETE, "x")) == 0
    assert loggers.changes == [{"server.net": None, "server": None}]


@both_listeners
@pytest.mark.parametrize(
    ("config", "code"),
    [
        (("server.net", SET, "info"), 40),
        (("server.net", SET, " INFO "), 40),
        (("server.net", SET, "OFF"), 40),
        (("server.net", SET, ""), 40),
        (("server.net", SET, "x" * 30_000), 40),
        (("no.such", SET, "INFO"), 40),
        (("no.such", DELETE, None), 40),
        (("", SET, "INFO"), 40),
        (("server.net", SET, None), 42),
        (("root", DELETE, None), 42),
        (("server.net", APPEND, "INFO"), 42),
        (("server.net", SUBTRACT, "INFO"), 42),
        (("no.such", APPEND, "INFO"), 42),
        # Stock nodes answer UNKNOWN_SERVER_ERROR.
        (("server.net", 9, "INFO"), 42),
        (("server.net", -1, "INFO"), 42),
    ],
    ids=str,
)
def test_what_is_wrong_changes_nothing_of_the_resource(
    config: tuple[str, int, str | None], code: int, kind: ListenerKind
) -> None:
    loggers = Loggers()
    assert loggers.outcome(kind, ("server", SET, "WARN"), config) == code
    assert loggers.changes == []


@both_listeners
@pytest.mark.parametrize(
    ("name", "code"), [("2", 42), ("", 42), ("x", 42), ("-1", 42), ("++1", 42), ("01", 0), ("+1", 0)]
)
def test_only_this_nodes_loggers_are_changed(name: str, code: int, kind: ListenerKind) -> None:
    loggers = Loggers()
    assert loggers.outcome(kind, ("root", SET, "WARN"), name=name) == code
    assert bool(loggers.changes) is (code == 0)


@both_listeners
def test_validating_changes_nothing(kind: ListenerKind) -> None:
    loggers = Loggers()
    request = incremental((LOGGER, OWN_ID, [("root", SET, "WARN")]), validate_only=True)
    assert codes(loggers.alter(kind, request)) == [(OWN_ID, 0)]
    bad = incremental((LOGGER, OWN_ID, [("root", SET, "LOUD")]), validate_only=True)
    assert codes(loggers.alter(kind, bad)) == [(OWN_ID, 40)]
    assert loggers.changes == []


@both_listeners
def test_other_resources_are_passed_on_and_all_is_answered_in_order(kind: ListenerKind) -> None:
    loggers = Loggers()
    topic = (TOPIC, "a", [("retention.ms", SET, "1")])
    reply = loggers.alter(kind, incremental((LOGGER, OWN_ID, [("root", SET, "WARN")]), topic))
    assert loggers.changes == [{"root": "WARN"}]
    passed = loggers.calls.submitted if kind is ListenerKind.CONTROLLER else loggers.calls.forwarded
    assert [request for request, _ in passed] == [incremental(topic)]
    found = responses_of(reply)
    assert found == []
    told = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse(
        error_code=3, resource_type=TOPIC, resource_name="a"
    )
    loggers.calls.replies[0].resolve(IncrementalAlterConfigsResponse(responses=[told]))
    assert codes(found[0]) == [(OWN_ID, 0), ("a", 3)]


@both_listeners
def test_a_request_without_loggers_is_passed_on_as_it_is(kind: ListenerKind) -> None:
    loggers = Loggers()
    request = incremental((TOPIC, "a", [("retention.ms", SET, "1")]))
    assert loggers.alter(kind, request) is loggers.calls.replies[0]


def test_the_older_request_cannot_change_loggers() -> None:
    loggers = Loggers()
    request = AlterConfigsRequest(
        resources=[
            AlterConfigsRequest.AlterConfigsResource(
                resource_type=LOGGER,
                resource_name=OWN_ID,
                configs=[AlterConfigsRequest.AlterableConfig(name="root", value="WARN")],
            )
        ]
    )
    assert codes(loggers.alter(ListenerKind.BROKER, request)) == [(OWN_ID, 42)]
    loggers.alter(ListenerKind.CONTROLLER, request)
    assert [asked for asked, _ in loggers.calls.submitted] == [request]  # and the controller refuses it
    assert loggers.changes == []
