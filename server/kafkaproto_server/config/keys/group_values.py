"""Checks the values of a group against the limits in the brokers' configuration.

For example, a group's ``consumer.session.timeout.ms`` must be between ``group.consumer.min.session.timeout.ms`` and
``group.consumer.max.session.timeout.ms``, and its heartbeat interval must be shorter than its session timeout. A
group can use only those assignors for Kafka Streams that the brokers have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kafkaproto_server.config.keys.definitions import BROKER_KEYS, GROUP_KEYS

_OTHER_LIMITS = {
    "streams.num.standby.replicas": (None, "group.streams.max.standby.replicas"),
    "streams.num.warmup.replicas": (None, "group.streams.max.warmup.replicas"),
}
"""Limits whose names do not follow from the key."""
_KINDS = ("consumer", "share", "streams")
_ASSIGNOR, _ASSIGNORS = "streams.assignor.name", "group.streams.assignors"


def validate_group_configs(own: Mapping[str, str], value_of: Callable[[str], str | None]) -> str | None:
    """Why a group cannot set the values in ``own`` (the error is INVALID_CONFIG); None if it can.

    ``value_of`` returns a broker key's value in effect.
    """
    for name in sorted(own):
        definition = GROUP_KEYS.get(name)
        if definition is None:
            return f"Unknown group config name: {name!r}"
        problem = definition.problem_with(own[name])
        if problem is not None:
            return f"{name}={own[name]!r} {problem}"
        lowest, highest = limits_of(name)
        if lowest is not None and _number(own[name]) < _number(value_of(lowest)):
            return f"{name}={own[name]!r} must not be less than {lowest}={value_of(lowest)}"
        if highest is not None and _number(own[name]) > _number(value_of(highest)):
            return f"{name}={own[name]!r} must not be more than {highest}={value_of(highest)}"
    assignor = own.get(_ASSIGNOR)
    if assignor is not None:
        known = _entries(_ASSIGNORS, value_of(_ASSIGNORS))
        if GROUP_KEYS[_ASSIGNOR].parse(assignor) not in known:
            return f"{_ASSIGNOR}={assignor!r} must be one of {_ASSIGNORS}={', '.join(known)}"
    for kind in _KINDS:
        heartbeat, session = f"{kind}.heartbeat.interval.ms", f"{kind}.session.timeout.ms"
        if heartbeat not in own and session not in own:
            continue
        interval_ms, timeout_ms = (
            own[name] if name in own else value_of(f"group.{name}") for name in (heartbeat, session)
        )
        if _number(interval_ms) >= _number(timeout_ms):
            return f"{heartbeat}={interval_ms} must be less than {session}={timeout_ms}"
    return None


def limits_of(name: str) -> tuple[str | None, str | None]:
    """The broker keys with the lowest and the highest value of a group's key; None if there is no such key."""
    if name in _OTHER_LIMITS:
        return _OTHER_LIMITS[name]
    kind, rest = name.split(".", 1)
    lowest, highest = f"group.{kind}.min.{rest}", f"group.{kind}.max.{rest}"
    return lowest if lowest in BROKER_KEYS else None, highest if highest in BROKER_KEYS else None


def _entries(name: str, text: str | None) -> tuple[str, ...]:
    assert text is not None, f"{name} has a default"
    entries = BROKER_KEYS[name].parse(text)
    assert isinstance(entries, tuple), name
    return entries


def _number(text: str | None) -> int:
    assert text is not None, "the keys of groups and their limits have defaults"
    return int(text)
