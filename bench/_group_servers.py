"""Brokers that coordinate: one alone, or several with a controller, with the settings that these measurements need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from bench._data_servers import CLUSTER_ID, Servers, large
from bench._implementations import HTTP_KEY, IMPLEMENTATIONS
from bench._scrape import longest_turn_ms, scrape
from compat.cluster import Cluster
from compat.node import Node, combined_properties
from compat.process import wait_until
from compat.quorum import connect
from kafkaproto.messages import FindCoordinatorRequest, FindCoordinatorResponse

GROUPS, TRANSACTIONS = 0, 1
"""Key types of FindCoordinator."""
FIND_VERSION = 6
FOUND_TIMEOUT_S = 300.0


class Brokers:
    """One broker that is its own controller, or three with one controller, until the end of a ``with`` block."""

    def __init__(self, implementation: str, folder: Path, count: int, settings: Mapping[str, str]) -> None:
        self._cluster: Cluster | None = None
        replicas = str(count)
        overrides = {
            "group.initial.rebalance.delay.ms": "0",
            "offsets.topic.replication.factor": replicas,
            "transaction.state.log.replication.factor": replicas,
            "transaction.state.log.min.isr": str(min(2, count)),
            **settings,
        }
        self.nodes: Sequence[Node]
        if count == 1:
            properties = {**combined_properties(folder / "node" / "data"), **overrides}
            node = large(implementation)(folder / "node", properties)
            node.format(CLUSTER_ID)
            self.nodes = [node]
        else:
            make = IMPLEMENTATIONS[implementation]
            self._cluster = Cluster(
                make, make, folder, controllers=1, brokers=count, broker_overrides=overrides
            )
            self._cluster.format()
            self.nodes = list(self._cluster.brokers.values())
        self.replicas = count
        self._before: list[Mapping[str, float]] = []

    @property
    def servers(self) -> Servers:
        """The brokers that run now."""
        running = [node for node in self.nodes if node.running_pid is not None]
        return Servers(
            ",".join(node.bootstrap_server for node in running),
            [node.process.pid for node in running],
            self.replicas,
        )

    def __enter__(self) -> Brokers:
        try:
            if self._cluster is None:
                self.nodes[0].start()
            else:
                self._cluster.start()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._cluster is None:
            self.nodes[0].close()
        else:
            self._cluster.close()

    def begin_turns(self) -> None:
        """Count the turns of our event loops from now on."""
        self._before = [scrape(node.properties[HTTP_KEY]) for node in self._watched()]

    def longest_turn_ms(self) -> float:
        """The processor time of the longest turn of our event loops since then (its upper bound); 0 of others."""
        after = [scrape(node.properties[HTTP_KEY]) for node in self._watched()]
        return max(map(longest_turn_ms, self._before, after), default=0.0)

    def _watched(self) -> list[Node]:
        return [node for node in self.nodes if HTTP_KEY in node.properties and node.running_pid is not None]

    def coordinator(self, key: str, key_type: int) -> str:
        """HOST:PORT of the coordinator of a group or transaction, once there is one."""
        found: list[str] = []

        def is_found() -> bool:
            found[:] = self._coordinators(key, key_type)
            return bool(found)

        wait_until(is_found, FOUND_TIMEOUT_S, f"the coordinator of {key}")
        return found[0]

    def _coordinators(self, key: str, key_type: int) -> list[str]:
        address, _, _ = self.servers.address.partition(",")
        request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
        try:
            with connect(address) as client:
                response = client.send(request, version=FIND_VERSION)
        except OSError:
            return []
        assert isinstance(response, FindCoordinatorResponse)
        return [f"{each.host}:{each.port}" for each in response.coordinators if not each.error_code]
