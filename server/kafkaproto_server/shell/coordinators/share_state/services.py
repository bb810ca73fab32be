"""States of share groups on one broker, assembled: the share coordinator, and the persister that finds it wherever it
is."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.share_state import Persister
from kafkaproto_server.shell.coordinators.broker_requests import OtherBrokers
from kafkaproto_server.shell.coordinators.share_state.persister import SharePersister
from kafkaproto_server.shell.coordinators.share_state.share_state import SHARE_STATE, ShareCoordinators
from kafkaproto_server.shell.coordinators.surroundings import NodeSurroundings
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager


class ShareServices:
    """All of a broker that has to do with the states of share groups."""

    def __init__(
        self,
        others: OtherBrokers,
        *,
        manager: ReplicaManager,
        image: Callable[[], ClusterImage],
        configs: Callable[[], NodeConfigs],
        create_topic: Callable[[str], None],
        metrics: CoordinatorMetrics,
        clock: Clock,
    ) -> None:
        """``configs`` returns the same object as long as it has the same values. ``create_topic`` asks for an internal
        topic."""
        config = CurrentSettings(SHARE_STATE, configs)
        self.coordinators = ShareCoordinators(
            image=image,
            config=config,
            surroundings=NodeSurroundings(
                clock, others.rng, manager.call_at, manager.for_coordinators.compute
            ),
            delete_records=manager.delete_records,
            make_log=lambda hosted: manager.for_coordinators.log(
                hosted,
                lambda: config().write_timeout_ms,
                metrics.share_commits,
            ),
            load=manager.for_coordinators.load,
            metrics=metrics,
        )
        persister = SharePersister(
            others,
            image=image,
            here=self.coordinators,
            create_topic=create_topic,
            call_later=lambda delay_ms, call: manager.call_at(clock.now_ms() + delay_ms, call),
        )
        self.persister: Persister = persister
        self.run = persister.run
