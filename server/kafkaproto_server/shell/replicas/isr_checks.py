"""Looks from time to time at the ISRs of the partitions that this broker leads: who lags, and who has caught up."""

from __future__ import annotations

from collections.abc import Callable

import trio

from kafkaproto_server.base.ports import Clock
from kafkaproto_server.config.settings import CurrentSettings
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.replica_settings import ReplicaSettings

MIN_EXPANSION_INTERVAL_MS = 100
"""Followers that wait to be eligible are not looked for more often, however short fetches may wait."""


class IsrChecks:
    """The periodic checks of one broker."""

    def __init__(
        self,
        replicas: HostedReplicas,
        clock: Clock,
        settings: CurrentSettings[ReplicaSettings],
        use_fetchers: Callable[[int], None],
    ) -> None:
        """``use_fetchers`` is called with the number of fetchers once it may have changed."""
        self._replicas = replicas
        self._clock = clock
        self._settings = settings
        self._use_fetchers = use_fetchers
        # As the node began: Kafka cannot change these two while it runs.
        self._max_lag_ms = settings().lag_time_max_ms
        self._max_wait_ms = settings().fetch_wait_max_ms

    async def expand(self) -> None:
        """Ask for the followers in the ISRs that have caught up, until cancelled. Most are seen by their fetches: here
        are those that had caught up before they were eligible, and that have nothing to fetch since."""
        # As often as each follower is heard of in Apache Kafka.
        interval_s = max(MIN_EXPANSION_INTERVAL_MS, self._max_wait_ms) / 1000
        settings = self._settings()
        while True:
            await trio.sleep(interval_s)
            if settings is not self._settings():
                settings = self._settings()
                self._use_fetchers(settings.fetchers)
            # A copy: what is asked for may be answered at once.
            for hosted in tuple(self._replicas):
                hosted.partition.maybe_expand_isr()

    async def shrink(self) -> None:
        """Ask for the followers out of the ISRs that lag, until cancelled."""
        while True:
            # Twice in the time that a follower may lag, as in Apache Kafka: it stays for half as long again at most.
            await trio.sleep(self._max_lag_ms / 2000)
            now_ms = self._clock.now_ms()
            for hosted in tuple(self._replicas):
                hosted.partition.maybe_shrink_isr(now_ms)
