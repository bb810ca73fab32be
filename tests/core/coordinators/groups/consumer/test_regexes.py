"""Subscriptions by regular expressions: when they are resolved, to what, and what is kept of that.

Tests: `core.coordinators.groups.consumer.regex_resolver`.
"""

from __future__ import annotations

import re

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue
from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.core.coordinators.groups.consumer import regex_resolver
from kafkaproto_server.core.coordinators.groups.consumer.regexes import (
    MIN_REFRESH_INTERVAL_MS,
    NAME_COST,
    resolve,
)
from tests.core.coordinators.support.consumers import (
    GROUP,
    INTERVAL_MS,
    Coordinator,
    Regex,
    compile_regex,
    topic_id,
)

REFRESH_MS = 600_000


def joined(coordinator: Coordinator, regex: str, member_id: str = "m", **fields: object) -> int:
    """A member joins by a regular expression. Returns its epoch."""
    outcome = coordinator.join(member_id, subscribed_topic_regex=regex, **fields)
    return outcome.member_epoch


def test_a_heartbeat_does_not_wait_for_the_resolution() -> None:
    coordinator = Coordinator({"a1": 1, "a2": 1, "b": 1})
    assert coordinator.join("m", subscribed_topic_regex="a.*").assignment == {}
    records = coordinator.records_of(lambda: coordinator.world.advance(0))
    assert [key.NAME for key, _ in records] == [
        "ConsumerGroupRegularExpressionKey",
        "ConsumerGroupMetadataKey",
    ]
    (key, value) = records[0]
    assert key == ConsumerGroupRegularExpressionKey(group_id=GROUP, regular_expression="a.*")
    assert isinstance(value, ConsumerGroupRegularExpressionValue)
    assert (value.topics, value.version) == (["a1", "a2"], coordinator.topics.version())
    coordinator.world.advance(INTERVAL_MS)
    outcome = coordinator.beat("m", 1)
    assert outcome.assignment == {topic_id("a1"): (0,), topic_id("a2"): (0,)}


def test_while_expressions_are_resolved_they_are_not_resolved_once_more() -> None:
    coordinator = Coordinator({"a1": 1})
    for member_id in ("m1", "m2"):
        joined(coordinator, "a.*", member_id)
    records = coordinator.records_of(lambda: coordinator.world.advance(0))
    assert [key.NAME for key, _ in records].count("ConsumerGroupRegularExpressionKey") == 1


def test_names_and_an_expression_add_up() -> None:
    coordinator = Coordinator({"a": 1, "b": 1})
    coordinator.join("m", "b", subscribed_topic_regex="a")
    coordinator.world.advance(INTERVAL_MS)
    assert coordinator.beat("m", 1).assignment == {topic_id("a"): (0,), topic_id("b"): (0,)}


def test_an_expression_matches_only_what_its_member_may_see() -> None:
    coordinator = Coordinator({"a1": 1, "a2": 1})
    joined(coordinator, "a.*", may_describe=lambda name: name != "a1")
    coordinator.world.advance(0)
    assert coordinator.group.regexes["a.*"].topics == {"a2"}


def test_an_expression_that_others_have_is_not_resolved_again() -> None:
    coordinator = Coordinator({"a": 2})
    joined(coordinator, "a")
    coordinator.world.advance(MIN_REFRESH_INTERVAL_MS + 1)
    epoch = coordinator.group.epoch
    joined(coordinator, "a", "n")
    assert coordinator.group.epoch == epoch + 1
    assert coordinator.records_of(lambda: coordinator.world.advance(INTERVAL_MS)) == []


def test_an_expression_that_is_new_waits_for_the_least_interval() -> None:
    coordinator = Coordinator({"a": 1, "b": 1})
    joined(coordinator, "a")
    coordinator.world.advance(MIN_REFRESH_INTERVAL_MS)
    joined(coordinator, "b", "n")
    coordinator.world.advance(1)
    assert set(coordinator.group.regexes) == {"a"}
    coordinator.beat("m", coordinator.group.members["m"].epoch)
    coordinator.world.advance(0)
    assert set(coordinator.group.regexes) == {"a", "b"}


def test_new_topics_and_time_make_it_resolve_again() -> None:
    coordinator = Coordinator({"a1": 1})
    joined(coordinator, "a.*")
    coordinator.world.advance(MIN_REFRESH_INTERVAL_MS + 1)
    coordinator.change_topic("a2", 1)
    coordinator.beat("m", 1)
    coordinator.world.advance(0)
    assert coordinator.group.regexes["a.*"].topics == {"a1", "a2"}
    # Nobody is told of the next one.
    coordinator.topics.change("a3", 1)
    for _ in range(REFRESH_MS // INTERVAL_MS):
        coordinator.world.advance(INTERVAL_MS)
        coordinator.beat("m", coordinator.group.members["m"].epoch)
    assert coordinator.group.regexes["a.*"].topics == {"a1", "a2"}
    coordinator.world.advance(INTERVAL_MS)
    coordinator.beat("m", coordinator.group.members["m"].epoch)
    coordinator.world.advance(0)
    assert coordinator.group.regexes["a.*"].topics == {"a1", "a2", "a3"}


def test_an_expression_that_matches_the_same_as_before_makes_no_rebalance() -> None:
    coordinator = Coordinator({"a1": 1}, regex_refresh_interval_ms=REFRESH_MS)
    joined(coordinator, "a.*")
    coordinator.world.advance(INTERVAL_MS)
    epoch = coordinator.beat("m", 1).member_epoch
    resolved_ms = coordinator.group.regexes["a.*"].wall_ms
    for _ in range(REFRESH_MS // INTERVAL_MS + 1):
        coordinator.world.advance(INTERVAL_MS)
        coordinator.beat("m", epoch)
    coordinator.world.advance(0)
    assert coordinator.group.regexes["a.*"].wall_ms > resolved_ms
    assert coordinator.group.epoch == epoch


def test_a_move_resolves_again() -> None:
    coordinator = Coordinator({"a1": 1})
    joined(coordinator, "a.*")
    coordinator.world.advance(MIN_REFRESH_INTERVAL_MS + 1)
    coordinator.topics.change("a2", 1)
    coordinator.move()
    assert coordinator.group.regexes["a.*"].topics == {"a1"}
    coordinator.beat("m", 1)
    coordinator.world.advance(0)
    assert coordinator.group.regexes["a.*"].topics == {"a1", "a2"}


def test_an_expression_goes_with_its_last_member() -> None:
    coordinator = Coordinator({"a": 2})
    joined(coordinator, "a")
    coordinator.world.advance(0)
    joined(coordinator, "a", "n")
    coordinator.beat("n", -1)
    assert set(coordinator.group.regexes) == {"a"}
    coordinator.beat("m", -1)
    assert coordinator.group.regexes == {}
    assert coordinator.group.metadata_hash == 0


def test_a_member_may_change_its_expression() -> None:
    coordinator = Coordinator({"a": 1, "b": 1})
    joined(coordinator, "a")
    coordinator.world.advance(INTERVAL_MS)
    epoch = coordinator.beat("m", 1).member_epoch
    outcome = coordinator.beat("m", epoch, subscribed_topic_regex="b")
    assert "a" not in coordinator.group.regexes
    # It gives up what it does not subscribe to any more before the new one is resolved.
    assert outcome.assignment == {}
    coordinator.world.advance(MIN_REFRESH_INTERVAL_MS)
    outcome = coordinator.beat("m", epoch, topic_partitions={})
    assert outcome.assignment == {topic_id("b"): (0,)}


def test_a_member_may_go_from_an_expression_to_names() -> None:
    coordinator = Coordinator({"a": 1, "b": 1})
    joined(coordinator, "a")
    coordinator.world.advance(INTERVAL_MS)
    epoch = coordinator.beat("m", 1).member_epoch
    group_epoch = coordinator.group.epoch
    coordinator.beat("m", epoch, subscribed_topic_regex="")
    assert coordinator.group.epoch == group_epoch + 1
    assert coordinator.group.regexes == {}


def test_an_expression_that_does_not_compile_changes_nothing() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    fields = {"member_id": "m", "member_epoch": 1, "subscribed_topic_regex": "("}
    assert coordinator.refusal(**fields) == ErrorCode.INVALID_REGULAR_EXPRESSION
    assert coordinator.group.members["m"].subscribed_topic_regex == ""


def test_a_resolution_that_cannot_be_written_is_tried_again() -> None:
    coordinator = Coordinator()
    joined(coordinator, "a")
    coordinator.world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    coordinator.world.advance(0)
    assert coordinator.group.regexes == {}
    coordinator.world.log.refusal = None
    coordinator.beat("m", 1)
    coordinator.world.advance(0)
    assert set(coordinator.group.regexes) == {"a"}


def test_a_group_that_is_gone_is_not_resolved() -> None:
    coordinator = Coordinator()
    joined(coordinator, "a")
    coordinator.move()
    assert coordinator.records_of(lambda: coordinator.world.advance(0)) == []


@pytest.mark.parametrize(("regex", "names"), [("a.", {"ab", "ac"}), ("a", set()), ("(", set())])
def test_an_expression_matches_whole_names(regex: str, names: set[str]) -> None:
    found = run_to_end(resolve([regex], ["ab", "ac", "xab"], compile_regex, lambda name: True))
    assert found == {regex: names}


def test_many_topics_are_looked_at_in_many_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_resolver, "REGEX_COST_AT_ONCE", 10 * NAME_COST + 200)
    coordinator = Coordinator({f"a{number}": 1 for number in range(95)})
    joined(coordinator, "a.*")
    coordinator.world.advance(5)
    assert coordinator.group.regexes == {}
    # Nothing is resolved twice at the same time.
    joined(coordinator, "a.*", "second")
    records = coordinator.records_of(lambda: coordinator.world.advance(10))
    assert len(coordinator.group.regexes["a.*"].topics) == 95
    assert len([key for key, _ in records if isinstance(key, ConsumerGroupRegularExpressionKey)]) == 1


class CountedRegex(Regex):
    """Writes down what is matched, and when."""

    def __init__(self, coordinator: Coordinator, program_size: int) -> None:
        super().__init__(re.compile("a.*"), program_size)
        self.coordinator = coordinator
        self.cost_by_ms: dict[int, int] = {}

    def matches(self, text: str) -> bool:
        now_ms = self.coordinator.world.now_ms()
        self.cost_by_ms[now_ms] = self.cost_by_ms.get(now_ms, 0) + self.cost(text)
        return super().matches(text)


@pytest.mark.parametrize(("program_size", "turns"), [(8_000, 51), (800, 7), (8, 1)])
def test_a_turn_matches_fewer_names_the_larger_the_expression_is(program_size: int, turns: int) -> None:
    coordinator = Coordinator({f"a{number:0248}": 1 for number in range(50)})
    regex = CountedRegex(coordinator, program_size)
    coordinator.groups.regexes.compile_regex = lambda pattern: regex
    joined(coordinator, "a.*")
    coordinator.world.advance(100)
    assert len(coordinator.group.regexes["a.*"].topics) == 50
    assert max(regex.cost_by_ms.values()) <= regex_resolver.REGEX_COST_AT_ONCE
    assert turns - 1 <= len(regex.cost_by_ms) <= turns


def test_a_resolution_of_a_group_that_is_gone_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_resolver, "REGEX_COST_AT_ONCE", 1)
    coordinator = Coordinator({"a1": 1, "a2": 1})
    joined(coordinator, "a.*")
    coordinator.world.advance(0)
    coordinator.groups.unload()
    assert coordinator.records_of(lambda: coordinator.world.advance(10)) == []
