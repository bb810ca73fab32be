"""What a consumer group needs from outside: assignors and regular expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from kafkaproto_server.requests.consumer_group_requests import Partitions


class Matcher(Protocol):
    def cost(self, text: str) -> int:
        """What it costs to match a topic's name, at most. A million takes 10 ms."""

    def matches(self, text: str) -> bool:
        """Whether it matches the whole of a topic's name."""


RegexCompiler: TypeAlias = Callable[[str], Matcher]
"""Compiles a regular expression; raises ValueError if it is none.

It must be one that takes linear time for any expression: members choose the expressions. Apache Kafka uses RE2/J; for
Python, google-re2 has the same syntax.
"""


class MemberSpec(NamedTuple):
    """A member, as far as assignors look at it."""

    member_id: str
    instance_id: str | None
    topic_ids: tuple[bytes, ...]
    """Those of its topics that exist, ascending."""
    target: Partitions
    """What the target assignment before this one gave it."""


Assignor: TypeAlias = Callable[[Sequence[MemberSpec], Mapping[bytes, int]], dict[str, Partitions]]
"""From the members and the numbers of partitions by topic id to the target of each member."""
