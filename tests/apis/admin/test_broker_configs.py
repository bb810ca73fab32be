"""What a broker refuses of changes to its own settings, value by value against a stock 4.4.0 broker.

Tests: `config.dynamic`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from immutables import Map

from kafkaproto.message import Message
from kafkaproto.messages import AlterConfigsRequest, IncrementalAlterConfigsRequest
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.requests.context import RequestContext, Response
from tests.apis.admin.test_alter_configs import complete, incremental
from tests.apis.support.services import context, responses_of, services
from tests.config.test_rules import BASE
from tests.core.controller.support.harness import APPEND, DELETE, SET, SUBTRACT, Harness

BROKER = 4
STATIC = {**BASE, "broker.id": "1"}
REFUSED = 42
GOLDEN = json.loads((Path(__file__).parents[2] / "config/golden/set_values.json").read_text())
OF_BROKERS: list[tuple[str, str, dict[str, int]]] = [
    (name, key, codes) for kind, name, key, codes in GOLDEN["single"] if kind == BROKER
]
STRICTER = {
    # A key of ours, which stock does not know and takes.
    "http.listener": {"1", "x", ""},
    # Stock takes any negative number for no limit.
    "log.retention.ms": {"-2"},
}
"""Values that a stock broker takes and ours does not."""


class Broker:
    """A broker's listener, and the active controller behind it."""

    def __init__(self, **static: str) -> None:
        self.harness = Harness()
        self.harness.start_brokers(1)
        self.static = {**STATIC, **{name.replace("_", "."): value for name, value in static.items()}}
        self.forwarded: list[Message] = []

    def _forward(self, request: Message, asked: RequestContext) -> Deferred[Response]:
        self.forwarded.append(request)
        reply: Deferred[Response] = Deferred()
        reply.resolve(self.harness.call(request, version=asked.api_version))
        return reply

    def alter(self, request: IncrementalAlterConfigsRequest | AlterConfigsRequest) -> tuple[int, str | None]:
        """Code and message for the one resource."""
        node = services(
            self.harness.controller.committed_image, forward=self._forward, static_config=self.static
        )
        reply = dispatch(request, context(request, 1), node)
        ((result,),) = (response.responses for response in responses_of(reply))
        return result.error_code, result.error_message

    def set(self, key: str, value: str | None, *, name: str = "1", operation: int = SET) -> int:
        """The code for one operation on one key."""
        return self.alter(incremental((BROKER, name, [(key, operation, value)])))[0]

    @property
    def own(self) -> dict[str, str]:
        """What the metadata sets for the broker."""
        return dict(self.harness.image.configs.get((BROKER, "1"), Map()))


def test_every_value_is_taken_or_refused_as_by_a_stock_broker() -> None:
    broker = Broker()
    differing: dict[str, set[str]] = {}
    for name, key, codes in OF_BROKERS:
        for value, code in codes.items():
            found, message = broker.alter(
                incremental((BROKER, name, [(key, SET, value)]), validate_only=True)
            )
            if found != code:
                assert (found, code) == (REFUSED, 0), (name, key, value, code, message)
                differing.setdefault(key, set()).add(value)
    assert differing == STRICTER


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("background.threads", "4", "background.threads=4 must be at least half the present value 10"),
        ("background.threads", "21", "background.threads=21 must be at most twice the present value 10"),
        ("cordoned.log.dirs", "/no", "cordoned.log.dirs=/no: /no is not in log.dirs, which has data"),
        ("listeners", "x", "listeners=x: 'x' is not NAME://HOST:PORT"),
        ("metric.reporters", "a.B", "metric.reporters='a.B' names a class, and this server loads none"),
        ("log.local.retention.ms", "-1", "log.local.retention.ms=-1 must not be more than what"),
        ("log.local.retention.ms", "604800001", "log.retention.hours keeps in all, 604800000"),
        (
            "log.remote.copy.lag.ms",
            "604800001",
            "must not be more than what log.local.retention.ms keeps, 604800000",
        ),
        ("ssl.keystore.location", "/x", "as listener.name.NAME.ssl.keystore.location"),
        ("max.connections", "0", "max.connections='0' must be 1 or more at run time"),
    ],
)
def test_a_refusal_names_key_value_and_what_is_allowed(key: str, value: str, words: str) -> None:
    broker = Broker()
    start = broker.harness.next_offset
    code, message = broker.alter(incremental((BROKER, "1", [(key, SET, value)])))
    assert (code, words in (message or "")) == (REFUSED, True), message
    assert broker.harness.records(start) == []


def test_threads_move_in_steps_from_what_is_in_effect() -> None:
    broker = Broker(num_io_threads="3")
    assert broker.set("num.io.threads", "7") == REFUSED
    assert broker.set("num.io.threads", "6") == 0
    assert broker.set("num.io.threads", "12", name="") == 0  # which the broker's own value hides
    assert broker.set("num.io.threads", "2") == REFUSED
    assert broker.set("num.io.threads", None, operation=DELETE) == 0
    assert broker.own == {}


def test_a_segment_is_copied_before_it_is_deleted_locally() -> None:
    """Changes in this order, as a stock 4.4.0 broker took and refused them."""
    broker = Broker()
    lag, local, in_all = "log.remote.copy.lag.ms", "log.local.retention.ms", "log.retention.ms"
    history = [
        (local, "5", 0),
        (lag, "6", REFUSED),
        (lag, "5", 0),
        (local, "4", REFUSED),
        (lag, "-1", 0),
        (local, "4", 0),
        (lag, "4", 0),
        (local, "-2", 0),
        (in_all, "3", REFUSED),
        (in_all, "4", 0),
        (lag, "5", REFUSED),
        (in_all, "-1", 0),
        (local, "-1", 0),
        (lag, "9223372036854775807", 0),
        (local, "7", REFUSED),
        (lag, "0", 0),
        (local, "7", 0),
        ("log.retention.bytes", "10", 0),
        ("log.remote.copy.lag.bytes", "11", REFUSED),
        ("log.remote.copy.lag.bytes", "10", 0),
        ("log.local.retention.bytes", "9", REFUSED),
    ]
    assert [(key, value, broker.set(key, value)) for key, value, _ in history] == history


def test_lists_are_looked_at_as_they_would_be() -> None:
    broker = Broker(log_dirs="/a,/b")
    key = "cordoned.log.dirs"
    assert broker.set(key, "/a", operation=APPEND) == 0
    assert broker.set(key, "/c", operation=APPEND) == REFUSED
    assert broker.set(key, "/b", operation=APPEND) == 0
    assert broker.own == {key: "/a,/b"}
    assert broker.set(key, "/a", operation=SUBTRACT) == 0
    assert broker.own == {key: "/b"}


def test_the_older_request_is_looked_at_as_a_whole() -> None:
    broker = Broker(log_dirs="/a,/b")
    key = "cordoned.log.dirs"
    assert broker.alter(complete((BROKER, "1", [(key, "/a"), ("num.io.threads", "99")])))[0] == REFUSED
    assert broker.own == {}
    assert broker.alter(complete((BROKER, "1", [(key, "/a"), ("num.io.threads", "9")])))[0] == 0
    assert broker.own == {key: "/a", "num.io.threads": "9"}
    assert broker.alter(complete((BROKER, "1", [])))[0] == 0
    assert broker.own == {}


def test_what_is_wrong_in_the_file_already_stands_in_nobodys_way() -> None:
    broker = Broker(cordoned_log_dirs="/gone")
    assert broker.set("num.io.threads", "9") == 0
