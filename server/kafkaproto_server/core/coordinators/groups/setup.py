"""What groups whose members are assigned by the coordinator need from outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kafkaproto_server.core.coordinators.groups.consumer.values import RegexCompiler
from kafkaproto_server.core.coordinators.groups.topics import Topics


class ModernSetup(NamedTuple):
    """What consumer, share and streams groups need from outside."""

    topics: Topics
    own_config: Callable[[str], Mapping[str, str]]
    """What was set for a group."""
    compile_regex: RegexCompiler
