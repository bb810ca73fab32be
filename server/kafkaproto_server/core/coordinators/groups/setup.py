"""What groups whose members are assigned by the coordinator need from outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kafkaproto_server.core.coordinators.groups.consumer.values import RegexCompiler
from kafkaproto_server.core.coordinators.groups.topics import Hash64, Topics
from kafkaproto_server.core.coordinators.values import Compute


class ConsumerSetup(NamedTuple):
    """What consumer groups need from outside."""

    topics: Topics
    own_config: Callable[[str], Mapping[str, str]]
    """What was set for a group."""
    hash64: Hash64
    compile_regex: RegexCompiler
    compute: Compute
