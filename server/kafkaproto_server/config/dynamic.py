"""Checks that a broker makes on changes of its own configuration at run time, beside the checks of each value.

A change that this server could not carry out is refused, unless its key has no effect here in any case. As Apache
Kafka's brokers do, it examines the whole configuration after the change: whether a node could start with
it, how far thread counts change at a time, and that with tiered storage a broker keeps no more locally than is kept
in total, and copies a segment before it is deleted locally. The active controller cannot do this, because it does not
know a broker's properties. Kafka's configuration can name classes; this server loads none, so only the default can be
set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kafkaproto_server.config.keys.definitions import BROKER_KEYS
from kafkaproto_server.config.keys.model import ConfigType
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.node_config import check_properties
from kafkaproto_server.config.properties import ConfigError, Properties

_THREAD_COUNTS = (
    "background.threads",
    "log.cleaner.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
    "remote.log.manager.copier.thread.pool.size",
    "remote.log.manager.expiration.thread.pool.size",
    "remote.log.manager.follower.thread.pool.size",
    "remote.log.reader.threads",
)
_LISTS_OF_CLASSES = ("metric.reporters",)
_OPENED_AT_START = ("listener.security.protocol.map", "listeners")
_LOCAL_RETENTION = (
    (
        "log.remote.copy.lag.ms",
        "log.local.retention.ms",
        ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    ),
    ("log.remote.copy.lag.bytes", "log.local.retention.bytes", ("log.retention.bytes",)),
)
"""When a segment is copied to remote storage, what is kept locally, and what is kept in all: of time, and of bytes."""
_MILLISECONDS = {"log.retention.minutes": 60_000, "log.retention.hours": 3_600_000}
_SOURCE = "the configuration at run time"
_UNLIMITED, _SAME_AS_ALL = -1, -2
"""Values of the keys of local retention (KIP-405)."""


def problem_of_change(before: NodeConfigs, after: NodeConfigs, changed: Iterable[str]) -> str | None:
    """Why a broker cannot change from one configuration to the other; None if it can. ``changed`` has the changed
    keys."""
    names = sorted(changed)
    for name in names:
        problem = _problem_of_class(name, after) or _problem_of_threads(name, before, after)
        if problem is not None:
            return problem
    for lag, local, keys in _LOCAL_RETENTION:
        if any(key in names for key in (lag, local, *keys)):
            problem = _problem_of_local_retention(local, keys, after) or _problem_of_lag(
                lag, local, keys, after
            )
            if problem is not None:
                return problem
    problem = _problem_of_whole(after.values)
    # If the configuration contradicted itself before, this change is not to blame.
    if problem is not None and _problem_of_whole(before.values) is None:
        return problem
    return next(filter(None, (_problem_of_listeners(name, before, after) for name in names)), None)


def _problem_of_class(name: str, after: NodeConfigs) -> str | None:
    definition, value = BROKER_KEYS.get(name), after.value_of(name)
    if definition is None or value is None or value == definition.default:
        return None
    if definition.type is ConfigType.CLASS:
        return f"{name}={value!r} names a class, and this server loads none"
    if name in _LISTS_OF_CLASSES:
        unknown = set(value.split(",")) - {"", *(definition.default or "").split(",")}
        if unknown:
            return f"{name}={value!r} names a class, and this server loads none"
    return None


def _problem_of_listeners(name: str, before: NodeConfigs, after: NodeConfigs) -> str | None:
    if name not in _OPENED_AT_START or before.value_of(name) == after.value_of(name):
        return None
    return f"{name} cannot change at run time here: a node opens its listeners when it starts"


def _problem_of_threads(name: str, before: NodeConfigs, after: NodeConfigs) -> str | None:
    if name not in _THREAD_COUNTS:
        return None
    # Apache Kafka's bounds for one step (``DynamicThreadPool``).
    present, wanted = _number(before, name), _number(after, name)
    if wanted < present // 2:
        return f"{name}={wanted} must be at least half the present value {present}"
    if wanted > present * 2:
        return f"{name}={wanted} must be at most twice the present value {present}"
    return None


def _problem_of_local_retention(local: str, keys: Sequence[str], after: NodeConfigs) -> str | None:
    kept = _number(after, local)
    key, in_all = _kept_in_all(keys, after)
    if kept == _SAME_AS_ALL or in_all < 0:
        return None
    if kept == _UNLIMITED or kept > in_all:
        return f"{local}={kept} must not be more than what {key} keeps in all, {in_all}"
    return None


def _problem_of_lag(lag: str, local: str, keys: Sequence[str], after: NodeConfigs) -> str | None:
    wanted, kept = _number(after, lag), _number(after, local)
    if kept == _SAME_AS_ALL:
        kept = _kept_in_all(keys, after)[1]
    if kept < 0 or wanted <= kept:
        return None
    return f"{lag}={wanted} must not be more than what {local} keeps, {kept}"


def _kept_in_all(keys: Sequence[str], after: NodeConfigs) -> tuple[str, int]:
    """The key that says how much is kept, with its value; a negative value means no limit."""
    key = next((key for key in keys if after.is_set(key)), keys[-1])
    return key, _number(after, key) * _MILLISECONDS.get(key, 1)


def _number(node: NodeConfigs, name: str) -> int:
    value = BROKER_KEYS[name].parse(node.value_of(name) or "")
    assert isinstance(value, int), name
    return value


def _problem_of_whole(values: Mapping[str, str]) -> str | None:
    try:
        check_properties(Properties(values=values, origins=dict.fromkeys(values, _SOURCE), source=_SOURCE))
    except ConfigError as error:
        return error.problem if error.key is None else f"{error.key}={error.value}: {error.problem}"
    return None
