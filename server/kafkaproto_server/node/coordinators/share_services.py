"""States of share groups on one broker, assembled: the share coordinator, and the persister that finds it wherever it
is."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto_server.config_keys.node_configs import NodeConfigs
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.net.streams import Connect
from kafkaproto_server.node.coordinators.persister import SharePersister
from kafkaproto_server.node.coordinators.share import CurrentShareConfig, ShareCoordinators
from kafkaproto_server.node.coordinators.surroundings import NodeSurroundings
from kafkaproto_server.node.replicas.replica_manager import ReplicaManager
from kafkaproto_server.node.replicas.topic_settings import number_of
from kafkaproto_server.ports import Clock, Rng
from kafkaproto_server.requests.share_state import Persister


class ShareServices:
    """All of a broker that has to do with the states of share groups."""

    def __init__(
        self,
        broker_id: int,
        *,
        manager: ReplicaManager,
        image: Callable[[], ClusterImage],
        configs: Callable[[], NodeConfigs],
        create_topic: Callable[[str], None],
        clock: Clock,
        rng: Rng,
        connect: Connect,
    ) -> None:
        """``create_topic`` asks for an internal topic."""
        self.coordinators = ShareCoordinators(
            image=image,
            config=CurrentShareConfig(configs),
            surroundings=NodeSurroundings(clock, rng, manager.call_at),
            delete_records=manager.delete_records,
            make_log=lambda hosted: manager.coordinator_log(
                hosted, lambda: number_of(configs(), "share.coordinator.write.timeout.ms")
            ),
            load=manager.coordinator_loading,
        )
        self.port = self.coordinators.port
        persister = SharePersister(
            broker_id,
            image=image,
            here=self.port,
            create_topic=create_topic,
            call_later=lambda delay_ms, call: manager.call_at(clock.now_ms() + delay_ms, call),
            endpoint=manager.endpoint,
            rng=rng,
            connect=connect,
            timeout_ms=lambda: number_of(configs(), "request.timeout.ms"),
        )
        self.persister: Persister = persister
        self.run = persister.run
