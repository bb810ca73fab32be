"""What the leader of a partition knows of a follower: how far it has the log, and since when it lags.

A follower is caught up at the moment of a fetch if it asks for the end of the leader's log, or if it asks for the end
that the log had at its fetch before: it then had everything at that time. Apache Kafka has it in Replica and
ReplicaState (KIP-903 for the broker epoch).
"""

from __future__ import annotations

from kafkaproto_server.base.types import NO_NODE

UNKNOWN_OFFSET = -1


class FollowerReplica:
    """The progress of one follower in the present leader epoch."""

    __slots__ = (
        "_end_at_last_fetch",
        "_last_fetch_ms",
        "broker_epoch",
        "last_caught_up_ms",
        "log_end_offset",
        "log_start_offset",
    )

    def __init__(self, *, is_in_isr: bool, now_ms: int) -> None:
        self.log_end_offset = UNKNOWN_OFFSET
        self.log_start_offset = UNKNOWN_OFFSET
        # Until it fetches: the controller takes -1 for "not known", and does not check it (KIP-903).
        self.broker_epoch = NO_NODE
        # A member of the ISR has time to fetch from a new leader. Any other follower was never caught up.
        self.last_caught_up_ms = now_ms if is_in_isr else 0
        self._last_fetch_ms = 0
        self._end_at_last_fetch = 0

    @property
    def is_known(self) -> bool:
        """Whether it has fetched in this leader epoch."""
        return self.log_end_offset != UNKNOWN_OFFSET

    def fetched(
        self,
        fetch_offset: int,
        log_start_offset: int,
        broker_epoch: int,
        *,
        leader_end_offset: int,
        now_ms: int,
    ) -> None:
        """The follower asked for ``fetch_offset``: it has everything before."""
        if fetch_offset >= leader_end_offset:
            self.last_caught_up_ms = max(self.last_caught_up_ms, now_ms)
        # With a steady stream of records a follower never asks for the very end. What it asks for now was the end when
        # it asked before; so it was caught up at that time.
        elif fetch_offset >= self._end_at_last_fetch:
            self.last_caught_up_ms = max(self.last_caught_up_ms, self._last_fetch_ms)
        # Also if it is lower than before: the follower may have lost the end of its log, and must not count for it.
        self.log_end_offset = fetch_offset
        self.log_start_offset = log_start_offset
        self.broker_epoch = broker_epoch
        self._end_at_last_fetch = leader_end_offset
        self._last_fetch_ms = now_ms

    def leader_appended(self, end_before: int, now_ms: int) -> None:
        """The leader's log got longer. A follower that had all of it lags from now on.

        Apache Kafka hears of such a follower twice a second even if nothing happens; fetch sessions here do not look at
        partitions without news (`fetch_sessions`).
        """
        if self.log_end_offset == end_before:
            self.last_caught_up_ms = max(self.last_caught_up_ms, now_ms)

    def is_caught_up(self, leader_end_offset: int, *, now_ms: int, max_lag_ms: int) -> bool:
        """Whether it has the whole log, or had all of it at most ``max_lag_ms`` ago."""
        # Without new records nobody lags, however long the last fetch is ago.
        return self.log_end_offset == leader_end_offset or now_ms - self.last_caught_up_ms <= max_lag_ms
