"""Resolves the regular expressions of consumer groups, in turns of a few milliseconds.

A heartbeat does not wait for that; what is found shows in the next ones. Apache Kafka has this in
resolveRegularExpressions of GroupMetadataManager.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.regexes import needs_resolution, resolve
from kafkaproto_server.core.coordinators.groups.consumer.values import RegexCompiler
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.core.coordinators.values import Surroundings

REGEX_COST_AT_ONCE = 2_000_000
"""How much is matched against regular expressions in one turn, in units of `Matcher.cost`: 20 ms at most."""


class RegexResolver:
    """The expressions of all groups of one partition of the internal topic."""

    def __init__(
        self,
        topics: Topics,
        surroundings: Surroundings,
        compile_regex: RegexCompiler,
        is_current: Callable[[ConsumerGroup], bool],
        resolved: Callable[[ConsumerGroup, Mapping[str, frozenset[str]], int], None],
    ) -> None:
        """``resolved`` takes what the expressions of a group match, as of a version of the metadata."""
        self.compile_regex = compile_regex
        self._topics = topics
        self._surroundings = surroundings
        self._is_current = is_current
        self._resolved = resolved
        self._version_with_new_topics = -1

    def has_new_topics(self) -> None:
        """Expressions may match topics that they did not match before."""
        self._version_with_new_topics = self._topics.version()

    def maybe_resolve(
        self, group: ConsumerGroup, refresh_interval_ms: int, may_describe: Callable[[str], bool]
    ) -> None:
        """Begin to resolve the expressions of a group, if that is due and not under way."""
        if needs_resolution(
            group,
            wall_ms=self._surroundings.wall_ms(),
            refresh_interval_ms=refresh_interval_ms,
            version_with_new_topics=self._version_with_new_topics,
        ):
            group.is_resolving = True
            now_ms = self._surroundings.now_ms()
            self._surroundings.call_at(now_ms, partial(self._resolve, group, may_describe))

    def _resolve(self, group: ConsumerGroup, may_describe: Callable[[str], bool]) -> None:
        version = self._topics.version()
        steps = resolve(sorted(group.regex_counts), self._topics.names(), self.compile_regex, may_describe)
        next_cost = 0

        def go_on() -> None:
            nonlocal next_cost
            if not self._is_current(group):
                return
            cost = next_cost
            try:
                while True:
                    next_cost = next(steps)
                    cost += next_cost
                    if cost > REGEX_COST_AT_ONCE:
                        break
            except StopIteration as end:
                group.is_resolving = False
                self._resolved(group, end.value, version)
            else:
                self._surroundings.call_at(self._surroundings.now_ms() + 1, go_on)

        go_on()
