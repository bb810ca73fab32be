"""What groups may set, by the limits that the brokers draw."""

from __future__ import annotations

import pytest

from kafkaproto_server.config.keys.definitions import GROUP_KEYS
from kafkaproto_server.config.keys.group_values import limits_of, validate_group_configs
from kafkaproto_server.config.layers import NodeConfigs


def problem(own: dict[str, str], **static: str) -> str | None:
    """What is wrong with a group's values, on a node with these properties (``_`` for ``.``)."""
    node = NodeConfigs(static={name.replace("_", "."): value for name, value in static.items()})
    return validate_group_configs(own, node.value_of)


def test_every_default_lies_within_the_default_limits() -> None:
    defaults = {name: str(definition.default) for name, definition in GROUP_KEYS.items()}
    assert problem(defaults) is None
    limited = [name for name in GROUP_KEYS if limits_of(name) != (None, None)]
    assert len(limited) == 15


@pytest.mark.parametrize("kind", ["consumer", "share", "streams"])
def test_limits_are_those_in_effect(kind: str) -> None:
    key = f"{kind}.session.timeout.ms"
    assert (
        problem({key: "44999"})
        == f"{key}='44999' must not be less than group.{kind}.min.session.timeout.ms=45000"
    )
    assert problem({key: "44999"}, **{f"group_{kind}_min_session_timeout_ms": "44999"}) is None
    assert (
        problem({key: "60001"})
        == f"{key}='60001' must not be more than group.{kind}.max.session.timeout.ms=60000"
    )
    assert problem({key: "60001"}, **{f"group_{kind}_max_session_timeout_ms": "60001"}) is None


@pytest.mark.parametrize("kind", ["consumer", "share", "streams"])
def test_members_are_heard_within_a_session(kind: str) -> None:
    wide = {f"group_{kind}_max_heartbeat_interval_ms": "99999"}
    heartbeat, session = f"{kind}.heartbeat.interval.ms", f"{kind}.session.timeout.ms"
    assert problem({heartbeat: "44999"}, **wide) is None
    for own in ({heartbeat: "45000"}, {heartbeat: "50000", session: "50000"}):
        assert "must be less than" in (problem(own, **wide) or "")
    assert problem({heartbeat: "45000", session: "45001"}, **wide) is None
    low = {f"group_{kind}_heartbeat_interval_ms": "46000", **wide}
    assert problem({session: "46000"}, **low) == f"{heartbeat}=46000 must be less than {session}=46000"
    # What the brokers say by themselves is no mistake of a group that says nothing of it.
    assert problem({f"{kind}.assignment.interval.ms": "1"}, **low) is None


def test_a_group_uses_an_assignor_that_the_brokers_have() -> None:
    key = "streams.assignor.name"
    assert problem({key: "sticky"}) is None
    assert problem({key: "x"}) == f"{key}='x' must be one of group.streams.assignors=sticky"
    assert problem({key: "x"}, group_streams_assignors="sticky , x") is None


def test_tags_and_topics_that_no_group_may_name() -> None:
    tags = "streams.rack.aware.assignment.tags"
    assert problem({tags: "b,a,b,a"}) == f"{tags}='b,a,b,a' must name each entry once; repeated: a, b"
    topic = "errors.deadletterqueue.topic.name"
    assert problem({topic: "__x"}) == f"{topic}='__x' must not begin with __, as internal topics do"


def test_keys_and_types_come_first() -> None:
    assert problem({"no.such": "1"}) == "Unknown group config name: 'no.such'"
    assert "'x' must be a whole number" in (problem({"consumer.session.timeout.ms": "x"}) or "")
