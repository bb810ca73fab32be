"""Refusing costs the controller nothing, however large the requests are, and many go one after the other.

Tests: `core.controller.machine.outbox`.
"""

from __future__ import annotations

import pytest

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from kafkaproto_server.apis.table import refuse
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.machine.outbox import REFUSALS_A_TIME
from kafkaproto_server.core.controller.machine.table import COMMANDS
from kafkaproto_server.core.controller.values.effects import Refuse
from kafkaproto_server.requests.error_codes import is_small
from tests.core.controller.support.harness import Harness, refusal_of
from tests.node.support.hostile_requests import messages

MANY = 500
SMALL_ELEMENTS = 10
ELEMENTS_A_STEP = 5
"""Of a response."""


def topics_request(count: int = 2) -> CreateTopicsRequest:
    topic = CreateTopicsRequest.CreatableTopic
    topics = [topic(name=f"t{number}", num_partitions=1, replication_factor=1) for number in range(count)]
    return CreateTopicsRequest(topics=topics)


def refusals(harness: Harness) -> list[Refuse]:
    found = [effect for effect in harness.effects if isinstance(effect, Refuse)]
    harness.effects.clear()
    return found


def waiting(harness: Harness, count: int, deadline_ms: int | None) -> None:
    """Commands that wait for another one, which takes long."""
    harness.in_slices = True
    harness.controller._changes._steps_per_slice = 1
    harness.send(topics_request(MANY))
    for _ in range(count):
        harness.send(topics_request(), deadline_ms=deadline_ms)
    harness.effects.clear()


@pytest.mark.parametrize("is_leader", [True, False], ids=["their time is over", "leadership is lost"])
def test_commands_are_refused_so_many_at_a_time(is_leader: bool) -> None:
    harness = Harness()
    harness.start_brokers(1)
    count = 3 * REFUSALS_A_TIME
    waiting(harness, count, harness.now_ms + 1_000)
    code = ErrorCode.REQUEST_TIMED_OUT if is_leader else ErrorCode.NOT_CONTROLLER
    if is_leader:
        harness.advance(1_000)
    else:
        harness.deactivate()
        count += 1
    refused = 0
    while refused < count:
        found = refusals(harness)
        assert 0 < len(found) <= REFUSALS_A_TIME
        assert {each.code for each in found} == {code}
        refused += len(found)
        assert harness.controller.has_work or refused == count
        harness.work()
    assert refused == count


def test_a_response_that_nobody_gets_any_more_is_handed_over_with_the_refusal() -> None:
    harness = Harness()
    harness.start_brokers(1)
    harness.effects.clear()
    command_id = harness.send(topics_request())
    harness.deactivate()
    (refusal,) = refusals(harness)
    assert refusal.command_id == command_id
    assert isinstance(refusal.void, CreateTopicsResponse)
    assert [topic.error_code for topic in refusal.void.topics] == [0, 0]


@pytest.mark.parametrize("key", sorted(COMMANDS), ids=lambda key: COMMANDS[key].__name__)
def test_a_large_refusal_is_made_in_steps(key: int) -> None:
    api = api_by_key(key)
    assert api is not None
    version = api.request_class.MAX_VERSION
    names = [f"t{number}" for number in range(MANY)]
    for label, request, _ in messages(api, version, names, MANY):
        refusal = Refuse(
            command_id=1, request=request, version=version, code=ErrorCode.NOT_CONTROLLER, text=None
        )
        made = refuse(refusal.request, refusal_of(refusal))
        response, steps = (made, 0) if isinstance(made, Message) else counted(made)
        # A quota's result names its entity, of three parts at most.
        assert is_small(response, SMALL_ELEMENTS + ELEMENTS_A_STEP * steps), label


def counted(steps: Steps[Message]) -> tuple[Message, int]:
    """What comes of steps, and how many they are."""
    count = 0
    try:
        while True:
            next(steps)
            count += 1
    except StopIteration as stop:
        return stop.value, count
