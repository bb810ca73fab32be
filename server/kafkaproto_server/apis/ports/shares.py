"""The share partitions that this broker leads, and the sessions of their members."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol

from kafkaproto_server.requests.context import Throttle
from kafkaproto_server.requests.share_requests import (
    Acknowledgements,
    ShareAcknowledgeDone,
    ShareFetchDone,
    ShareFetchValues,
    ShareMember,
)


class SharePort(Protocol):
    """Results come by callback, now or later; errors are among them. Implemented by
    `shell.share_partitions.service.ShareService`."""

    def serves_share_groups(self) -> bool:
        """Whether this broker serves share groups at all: that depends on a feature."""

    def begin_fetch(self, values: ShareFetchValues, has_acknowledgements: bool) -> None:
        """Begin or continue the session of a ShareFetch request. Raises ShareError."""

    def fetch(
        self,
        values: ShareFetchValues,
        may_read: Callable[[str], bool],
        throttle: Throttle | None,
        done: ShareFetchDone,
    ) -> None:
        """Acquire records for it. ``may_read`` says whether the sender may read a topic, ``throttle`` whether the
        response has to leave without records."""

    def begin_acknowledge(self, member: ShareMember) -> None:
        """Continue the session of a ShareAcknowledge request. Raises ShareError."""

    def acknowledge(
        self,
        member: ShareMember,
        acknowledgements: Acknowledgements,
        may_read: Callable[[str], bool],
        done: ShareAcknowledgeDone,
    ) -> None:
        """Acknowledge records. ``may_read`` says whether the sender may read a topic."""

    def end_session(self, member: ShareMember) -> None:
        """End a session and release its records."""

    def connection_ended(self, connection: Hashable) -> None:
        """End the sessions of a connection."""

    def lock_duration_ms(self, group_id: str) -> int:
        """How long members of a group have records for themselves."""

    def call_after(self, delay_ms: int, call: Callable[[], None]) -> None:
        """Call a function in so many milliseconds."""
