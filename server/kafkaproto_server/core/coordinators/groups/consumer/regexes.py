"""Regular expressions that members subscribe to: when they are resolved, and to which topics.

All expressions of a group are resolved together, so that new topics make one rebalance and not several. What they match
is kept in records, so it stays when the coordinator moves.

An expression is compiled by a port (`RegexCompiler`). Python's own `re` must not stand behind it: a member could choose
an expression that takes it forever.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.error_texts import MAX_QUOTED_LENGTH, quoted
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.values import Matcher, RegexCompiler
from kafkaproto_server.core.coordinators.values import CoordinatorError

COMPILING_COST = 500_000
"""What it costs to compile an expression, and for each of its characters below; in units of `Matcher.cost`."""
COMPILING_COST_PER_CHARACTER = 200
NAME_COST = 1_000
"""What else is done with a name, in the same units."""
MIN_REFRESH_INTERVAL_MS = 10_000
"""Least time between two resolutions of a group's expressions, Apache Kafka's."""


def check_regex(regex: str, compile_regex: RegexCompiler) -> Matcher:
    """What it matches. Raises CoordinatorError (INVALID_REGULAR_EXPRESSION)."""
    try:
        return compile_regex(regex)
    except ValueError as error:
        message = f"The regular expression {quoted(regex)} is not valid: {str(error)[:MAX_QUOTED_LENGTH]}."
        raise CoordinatorError(ErrorCode.INVALID_REGULAR_EXPRESSION, message) from error


def needs_resolution(
    group: ConsumerGroup, *, wall_ms: int, refresh_interval_ms: int, version_with_new_topics: int
) -> bool:
    """Whether the group's expressions should be resolved now."""
    if not group.regex_counts or group.is_resolving:
        return False
    if not group.regexes:
        return True
    last_ms = max(each.wall_ms for each in group.regexes.values())
    if wall_ms <= last_ms + MIN_REFRESH_INTERVAL_MS:
        return False
    return (
        group.regex_counts.keys() != group.regexes.keys()
        or min(each.version for each in group.regexes.values()) < version_with_new_topics
        or wall_ms > last_ms + refresh_interval_ms
    )


def resolve(
    regexes: Iterable[str],
    names: Iterable[str],
    compile_regex: RegexCompiler,
    may_describe: Callable[[str], bool],
) -> Generator[int, None, dict[str, frozenset[str]]]:
    """The names that each expression matches, of those that the client may see, in steps. Each step yields what the
    next one costs (`Matcher.cost`).

    An expression that does not compile matches nothing: another release accepted it.
    """
    found: dict[str, frozenset[str]] = {}
    all_names = tuple(names)
    for regex in regexes:
        matching = []
        yield COMPILING_COST + COMPILING_COST_PER_CHARACTER * len(regex)
        try:
            matcher = compile_regex(regex)
        except ValueError:
            found[regex] = frozenset()
            continue
        for name in all_names:
            yield NAME_COST + matcher.cost(name)
            if matcher.matches(name) and may_describe(name):
                matching.append(name)
        found[regex] = frozenset(matching)
    return found
