"""The creation of applications' internal topics: errors are told for a while, and asked for again then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from kafkaproto_server.requests.context import NoResponse
from kafkaproto_server.shell.to_controller import streams_topics
from kafkaproto_server.shell.to_controller.streams_topics import StreamsTopics
from tests.apis.support.services import context


class MadeUpForwarder:
    """Notes what is asked for; the test responds."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[str], Callable[[Any], None]]] = []

    def create_topics(self, request: CreateTopicsRequest, _: object, told: Callable[[Any], None]) -> None:
        """As Forwarder has it."""
        self.asked.append(([each.name for each in request.topics], told))


class Broker:
    """A broker at a made-up time."""

    def __init__(self) -> None:
        self.forwarder = MadeUpForwarder()
        self.now_ms = 0
        self._topics = StreamsTopics(self.forwarder, lambda: self.now_ms)  # type: ignore[arg-type]

    def create(self, *names: str) -> list[tuple[str, str]]:
        topics = [CreateTopicsRequest.CreatableTopic(name=name) for name in names]
        return self._topics.create(topics, context(version=1, api_key=88), 1_000)

    def respond(self, **errors: tuple[ErrorCode, str | None]) -> None:
        """To what was asked for last."""
        results = [
            CreateTopicsResponse.CreatableTopicResult(name=name, error_code=code, error_message=text)
            for name, (code, text) in errors.items()
        ]
        self.forwarder.asked[-1][1](CreateTopicsResponse(topics=results))


def test_an_error_is_told_until_it_is_old() -> None:
    broker = Broker()
    assert broker.create("a", "b") == []
    broker.respond(a=(ErrorCode.INVALID_REPLICATION_FACTOR, "Too many."), b=(ErrorCode.NONE, None))
    broker.now_ms = 999
    assert broker.create("a") == [("a", "Too many.")]
    assert len(broker.forwarder.asked) == 1
    broker.now_ms = 1_000
    assert broker.create("a") == []
    assert [names for names, _ in broker.forwarder.asked] == [["a", "b"], ["a"]]


def test_the_others_are_asked_for_meanwhile() -> None:
    broker = Broker()
    broker.create("a")
    broker.respond(a=(ErrorCode.POLICY_VIOLATION, None))
    ((name, text),) = broker.create("a", "c")
    assert (name, bool(text)) == ("a", True)
    assert broker.forwarder.asked[-1][0] == ["c"]


def test_a_response_that_is_none_tells_nothing() -> None:
    broker = Broker()
    broker.create("a")
    broker.forwarder.asked[-1][1](NoResponse(reason="unknown version"))
    assert broker.create("a") == []


def test_errors_are_kept_for_so_many_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams_topics, "MAX_ERRORS", 2)
    broker = Broker()
    broker.create("a", "b", "c")
    broker.respond(**dict.fromkeys("abc", (ErrorCode.POLICY_VIOLATION, "No.")))
    assert [name for name, _ in broker.create("a", "b", "c")] == ["b", "c"]
