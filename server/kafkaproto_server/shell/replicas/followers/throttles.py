"""The throttles of one broker's replication (`core.quotas.replication_quotas`), with the configs that they follow.

A leader leaves records of throttled replicas out of its responses to followers, and a follower leaves them out of its
requests, as long as the rate of either is over its bound. `fetches` and `fetchers` ask, and say what was copied.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from kafkaproto_server.base.ports import Clock
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings, Derived, SettingsTable
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.core.quotas.replication_quotas import ReplicationQuota, ThrottledReplicas
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.topic_settings import TopicSettings


class ThrottleConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a broker's configs say of its replication."""

    leader_rate: float = math.inf
    """Bytes a second: leader.replication.throttled.rate, which has no default."""
    follower_rate: float = math.inf
    """follower.replication.throttled.rate, which has none either."""
    windows: int
    """replication.quota.window.num"""
    window_s: int
    """replication.quota.window.size.seconds"""


_CONFIG = SettingsTable(
    ThrottleConfig,
    {
        # Whole numbers, as they are: a rate may be larger than a float can tell from its neighbours.
        "leader_rate": Derived("leader.replication.throttled.rate", int),
        "follower_rate": Derived("follower.replication.throttled.rate", int),
        "windows": "replication.quota.window.num",
        "window_s": "replication.quota.window.size.seconds",
    },
)


class ReplicationThrottle:
    """One direction of the throttle."""

    def __init__(
        self,
        rate: Callable[[ThrottleConfig], float],
        replicas: Callable[[TopicSettings], ThrottledReplicas | None],
        *,
        broker_id: int,
        windows: RateWindows,
        clock: Clock,
        config: Callable[[], ThrottleConfig],
        refresh: Callable[[Hosted], None],
    ) -> None:
        """``rate`` takes the bound from the configs, ``replicas`` the throttled replicas of a topic from its settings.
        ``refresh`` gives a replica the newest settings."""
        self._rate = rate
        self._replicas = replicas
        self._broker_id = broker_id
        self._clock = clock
        self._config = config
        self._refresh = refresh
        self._quota = ReplicationQuota(windows)

    def holds_for(self, hosted: Hosted) -> bool:
        """Whether what is copied of a replica counts."""
        # An operator names the replicas while they are copied: the list counts from the next fetch on.
        self._refresh(hosted)
        throttled = self._replicas(hosted.settings)
        return throttled is not None and throttled.has(hosted.partition.index, self._broker_id)

    def is_exceeded(self) -> bool:
        """Whether throttled replicas have to wait."""
        # Kafka's default is 2**63-1: no rate is no bound, whatever the topics' lists say.
        self._quota.bound = self._rate(self._config())
        # What was copied in the last windows counts, whoever copied it: one bound for the broker, as in Kafka.
        return self._quota.is_exceeded(self._clock.now_ms())

    def record(self, size: int) -> None:
        """So many bytes of throttled replicas were copied."""
        self._quota.record(size, self._clock.now_ms())

    @property
    def per_second(self) -> float:
        """The bytes a second of throttled replicas."""
        return self._quota.per_second(self._clock.now_ms())


class ReplicationThrottles:
    """Both directions, each a `ReplicationThrottle`."""

    def __init__(
        self,
        broker_id: int,
        clock: Clock,
        node_configs: Callable[[], NodeConfigs],
        refresh: Callable[[Hosted], None],
    ) -> None:
        config = CurrentSettings(_CONFIG, node_configs)
        # Read once: in Kafka neither key can change while the broker runs.
        windows = RateWindows(config().windows, config().window_s * 1000)

        def throttle(
            rate: Callable[[ThrottleConfig], float],
            replicas: Callable[[TopicSettings], ThrottledReplicas | None],
        ) -> ReplicationThrottle:
            return ReplicationThrottle(
                rate,
                replicas,
                broker_id=broker_id,
                windows=windows,
                clock=clock,
                config=config,
                refresh=refresh,
            )

        # A broker leads some replicas of a reassignment and follows others. Each direction has its own rate, as in
        # KIP-73.
        self.leader = throttle(
            lambda config: config.leader_rate, lambda settings: settings.throttled_as_leader
        )
        self.follower = throttle(
            lambda config: config.follower_rate, lambda settings: settings.throttled_as_follower
        )
