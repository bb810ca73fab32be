"""What the share coordinator needs of the cluster and of its partition. Ours alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kafkaproto_server.core.coordinators.values import CoordinatorLog


class ShareLog(CoordinatorLog, Protocol):
    @property
    def end_offset(self) -> int:
        """Behind the last record."""


class SharePorts(Protocol):
    """What the share coordinator needs of the cluster and of its partition."""

    def is_enabled(self) -> bool:
        """Whether the cluster has share groups (share.version). Without them, nothing is written on its own."""

    def has_partition(self, topic_id: bytes, partition: int) -> bool:
        """Whether there is a topic with such a partition."""

    def prune(self, offset: int, done: Callable[[bool], None]) -> None:
        """Delete the records before an offset. ``done`` is called with whether that was done."""
