"""The quotas of clients on one node: what each client has used, and how long it has to wait.

Only clients that a quota holds for are measured. So a quota counts what its clients do from their first request under
it on; Apache Kafka also counts what a client did before its quota was set, if another one was set before.

Apache Kafka: classes ``ClientQuotaManager``, ``ClientRequestQuotaManager`` and ``ControllerMutationQuotaManager``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kafkaproto_server.core.quotas.matching import ClientQuotas, Match, quota_of
from kafkaproto_server.core.quotas.rate import Rate, RateWindows
from kafkaproto_server.core.quotas.recent import Recent, remembered_id
from kafkaproto_server.core.quotas.token_bucket import TokenBucket, wait_ms

MUTATION_RATE_KEY = "controller_mutation_rate"


class RateQuota(Enum):
    """A quota that is a rate; the value is its key in the metadata."""

    PRODUCE = "producer_byte_rate"
    """Bytes a second."""
    FETCH = "consumer_byte_rate"
    """Bytes a second."""
    REQUEST = "request_percentage"
    """Of one processor's time."""


class Wait:
    """How long those wait that a quota is for, and who of them was there before.

    Kafka mutes the connection whose request exceeded a quota, and no other. So a client could open a new connection for
    each request, and need never wait. Here, connections wait that come later than the first request that exceeded the
    quota. Those that were there before are served, told to wait, and muted, as in Kafka.
    """

    __slots__ = ("_newest", "_until_ms")

    def __init__(self) -> None:
        self._until_ms = -1
        self._newest: Mapping[str, int] = {}

    def begin(self, throttle_ms: int, newest: Mapping[str, int], now_ms: int) -> None:
        """Wait from now on, or for longer. ``newest`` has the newest connection of each listener, by its number."""
        # A new wait: who is connected now was there before it. During a wait the line stays where it is, or each
        # further request would let in one more connection.
        if self._until_ms <= now_ms:
            self._newest = dict(newest)
        assert throttle_ms >= 0, f"a wait of {throttle_ms} ms"
        self._until_ms = max(self._until_ms, now_ms + throttle_ms)

    def left_ms(self, listener: str, connection_id: int, now_ms: int) -> int:
        """How long a connection still has to wait before it is served; 0 if it need not."""
        # Numbers of connections rise, so a lower one is older.
        if now_ms >= self._until_ms or connection_id <= self._newest.get(listener, 0):
            return 0
        return self._until_ms - now_ms


class ClientRates:
    """What clients have used of the quotas that are rates."""

    __slots__ = ("_matches", "_quotas", "_rates", "_waits", "_windows", "used")

    def __init__(self, windows: RateWindows) -> None:
        self._windows = windows
        self._quotas: ClientQuotas = {}
        self.used = dict.fromkeys(RateQuota, 0.0)
        """What all clients have used that a quota holds for, since the start."""
        self._matches: Recent[tuple[str, str, str], Match | None] = Recent()
        self._rates: dict[RateQuota, Recent[tuple[str, str], Rate]] = {kind: Recent() for kind in RateQuota}
        self._waits: Recent[tuple[str, tuple[str, str]], Wait] = Recent()

    def use_quotas(self, quotas: ClientQuotas) -> None:
        """Apply these quotas from now on."""
        # By identity: images share their quotas until one changes.
        if quotas is not self._quotas:
            self._quotas = quotas
            self._matches = Recent()
            # What was too much may be allowed now.
            self._waits = Recent()

    def record(self, kind: RateQuota, user: str, client_id: str, value: float, now_ms: int) -> int:
        """Add to what a client has used. Returns how many milliseconds it has to wait now, mostly 0.

        For its use of the processor a client waits for one window at most, as in Kafka.
        """
        match = self._match(kind.value, user, client_id, now_ms)
        if match is None:
            return 0
        # A total for metrics. It counts only what a quota holds for, since nothing else is measured.
        self.used[kind] += value
        rate = self._rate(kind, match, now_ms)
        rate.record(value, now_ms)
        throttle_ms = rate.throttle_time_ms(match.bound, now_ms)
        # The bound of Kafka's ClientRequestQuotaManager.
        return min(throttle_ms, self._windows.window_ms) if kind is RateQuota.REQUEST else throttle_ms

    def wait(self, key: str, user: str, client_id: str, now_ms: int) -> Wait | None:
        """Until when all clients have to wait that the same quota of this key is for; None if no quota holds."""
        match = self._match(key, user, client_id, now_ms)
        return None if match is None else self._waits.use((key, match.measured), Wait, now_ms)

    def add(self, kind: RateQuota, user: str, client_id: str, value: float, now_ms: int) -> None:
        """Add to what a client has used, or take back from it, without a decision."""
        match = self._match(kind.value, user, client_id, now_ms)
        if match is not None:
            self.used[kind] += value
            self._rate(kind, match, now_ms).record(value, now_ms)

    def most_at_once(self, kind: RateQuota, user: str, client_id: str, now_ms: int) -> int | None:
        """More than this in one request would always have to wait; None for no limit."""
        match = self._match(kind.value, user, client_id, now_ms)
        # Kafka trims a fetch to this (KAFKA-9677): a larger response would be over the quota at any time, and the
        # consumer would never get it.
        return None if match is None else int(match.bound * self._windows.whole_s)

    def _match(self, key: str, user: str, client_id: str, now_ms: int) -> Match | None:
        return self._matches.use(
            # Remembered: up to eight lookups lead to a match, with each request.
            (key, user, remembered_id(client_id)),
            lambda: quota_of(self._quotas, key, user, client_id),
            now_ms,
        )

    def _rate(self, kind: RateQuota, match: Match, now_ms: int) -> Rate:
        return self._rates[kind].use(match.measured, lambda: Rate(self._windows), now_ms)


class Permits:
    """What one request may change of the metadata. Nothing counts before `settle`: a change may be decided twice."""

    __slots__ = ("_bound", "_bucket", "_is_strict", "_now_ms", "_taken", "_tokens", "throttle_ms")

    def __init__(self, bucket: TokenBucket | None, bound: float, now_ms: int, *, is_strict: bool) -> None:
        """``bucket`` is None if no quota holds. If it is strict, nothing more is permitted once the tokens are used
        up; otherwise everything is, and the sender has to wait afterwards."""
        self._bucket = bucket
        self._bound = bound
        self._now_ms = now_ms
        self._is_strict = is_strict
        self._tokens = 0.0 if bucket is None else bucket.tokens(bound, now_ms)
        self._taken = 0
        self.throttle_ms = 0
        """How many milliseconds the sender has to wait."""

    def take(self, partitions: int) -> bool:
        """Whether so many partitions may be created or deleted."""
        if self._bucket is None:
            return True
        # Below zero, not "too few": a topic of more partitions than the bucket holds could else never be created.
        assert partitions >= 0, f"a change of {partitions} partitions"
        if self._is_strict and self._tokens < 0:
            self.throttle_ms = wait_ms(self._tokens, self._bound)
            return False
        # In this request only; the bucket itself pays when the change is decided (`settle`).
        self._tokens -= partitions
        self._taken += partitions
        # A client of an older version gets no error, so it has to be told to wait here.
        if not self._is_strict:
            self.throttle_ms = wait_ms(self._tokens, self._bound)
        return True

    def settle(self) -> None:
        """The change is decided: count what it takes."""
        if self._bucket is not None:
            # With the time of the decision's beginning, at which its tokens were counted.
            self._bucket.take(self._taken, self._bound, self._now_ms)


UNLIMITED = Permits(None, 1.0, 0, is_strict=False)
"""For all changes that no quota holds for."""


class MutationQuotas:
    """What clients have used of the rate at which partitions may be created and deleted; on the active controller."""

    __slots__ = ("_buckets", "_windows")

    def __init__(self, windows: RateWindows) -> None:
        self._windows = windows
        self._buckets: Recent[tuple[str, str], TokenBucket] = Recent()

    def permits(
        self, quotas: ClientQuotas, user: str, client_id: str, now_ms: int, *, is_strict: bool
    ) -> Permits:
        """The permits for one request."""
        # No cache: few requests are counted by this quota.
        match = quota_of(quotas, MUTATION_RATE_KEY, user, client_id) if quotas else None
        if match is None:
            return UNLIMITED
        bound = match.bound
        bucket = self._buckets.use(match.measured, lambda: TokenBucket(self._windows, bound, now_ms), now_ms)
        return Permits(bucket, bound, now_ms, is_strict=is_strict)
