"""The throttles of one broker's replication (`core.quotas.replication_quotas`), with the configs that they follow.

A leader leaves records of throttled replicas out of its responses to followers, and a follower leaves them out of its
requests, as long as the rate of either is over its bound. `fetches` and `fetchers` ask, and say what was copied.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from kafkaproto_server.base.ports import Clock
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.core.quotas.replication_quotas import ReplicationQuota, ThrottledReplicas
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.topic_settings import TopicSettings, number_of

LEADER_RATE = "leader.replication.throttled.rate"
FOLLOWER_RATE = "follower.replication.throttled.rate"


class ReplicationThrottle:
    def __init__(
        self,
        rate_key: str,
        replicas: Callable[[TopicSettings], ThrottledReplicas | None],
        *,
        broker_id: int,
        windows: RateWindows,
        clock: Clock,
        node_configs: Callable[[], NodeConfigs],
        refresh: Callable[[Hosted], None],
    ) -> None:
        """``replicas`` takes the throttled replicas of a topic from its settings, and ``refresh`` gives a replica the
        newest settings."""
        self._rate_key = rate_key
        self._replicas = replicas
        self._broker_id = broker_id
        self._clock = clock
        self._node_configs = node_configs
        self._refresh = refresh
        self._quota = ReplicationQuota(windows)
        self._configs: NodeConfigs | None = None

    def holds_for(self, hosted: Hosted) -> bool:
        """Whether what is copied of a replica counts."""
        self._refresh(hosted)
        throttled = self._replicas(hosted.settings)
        return throttled is not None and throttled.has(hosted.partition.index, self._broker_id)

    def is_exceeded(self) -> bool:
        """Whether throttled replicas have to wait."""
        configs = self._node_configs()
        if configs is not self._configs:
            self._configs = configs
            rate = configs.value_of(self._rate_key)
            self._quota.bound = math.inf if rate is None else int(rate)
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
        configs = node_configs()
        windows = RateWindows(
            number_of(configs, "replication.quota.window.num"),
            number_of(configs, "replication.quota.window.size.seconds") * 1000,
        )

        def throttle(
            key: str, replicas: Callable[[TopicSettings], ThrottledReplicas | None]
        ) -> ReplicationThrottle:
            return ReplicationThrottle(
                key,
                replicas,
                broker_id=broker_id,
                windows=windows,
                clock=clock,
                node_configs=node_configs,
                refresh=refresh,
            )

        self.leader = throttle(LEADER_RATE, lambda settings: settings.throttled_as_leader)
        self.follower = throttle(FOLLOWER_RATE, lambda settings: settings.throttled_as_follower)
