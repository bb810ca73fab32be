"""The parts of a local cluster, and its directory: ids, roles, ports, properties, formatted logs.

    DIR/cluster.json              written last: without it the directory holds no cluster, but an attempt at one
    DIR/node-ID/server.properties Kafka's own keys; may be edited between runs
    DIR/node-ID/data              the node's log directory
    DIR/node-ID/server.log        what the node says, one run after the other

Controllers have the ids 1, 2, ...; if each node has one role, brokers have the ids 101, 102, ...
"""

from __future__ import annotations

import json
import socket
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

from kafkaproto import uuids
from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.shell.storage.directories.format import FormatRequest, QuorumStart, format_directories
from kafkaproto_server.shell.storage.directories.meta_properties import new_directory_id
from kafkaproto_server.shell.storage.disk import OsDisk

HOST = "127.0.0.1"
FIRST_BROKER_ID = 101
"""The first id of nodes that are only brokers. It leaves room for later controllers."""
CONTROLLER_LISTENER = "CONTROLLER"
_RECORD = "cluster.json"
_REPLICATED_INTERNALLY = 3
"""The number of replicas that Kafka uses for its internal topics."""


class LayoutError(Exception):
    """The directory does not fit the options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLayout:
    """One node of a local cluster."""

    node_id: int
    broker_port: int | None
    """None on a node that is no broker."""
    controller_port: int | None
    """None on a node that is no controller."""

    @property
    def roles(self) -> str:
        """The roles, as in ``process.roles``."""
        ports = (("broker", self.broker_port), ("controller", self.controller_port))
        return ",".join(role for role, port in ports if port is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The number of nodes of each kind."""

    combined: int = 0
    """Nodes with both roles; the others are 0 then."""
    controllers: int = 0
    brokers: int = 0

    def __str__(self) -> str:
        if self.combined:
            return f"--nodes {self.combined}"
        return f"--controllers {self.controllers} --brokers {self.brokers}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterLayout:
    directory: Path
    cluster_id: str
    is_static: bool
    """Whether the voters are in every node's properties (kraft.version 0) instead of the quorum's log."""
    nodes: tuple[NodeLayout, ...]

    @property
    def shape(self) -> Shape:
        """The number of nodes of each kind."""
        combined = sum(node.roles == "broker,controller" for node in self.nodes)
        return Shape(
            combined=combined,
            controllers=sum(node.roles == "controller" for node in self.nodes),
            brokers=sum(node.roles == "broker" for node in self.nodes),
        )

    @property
    def base_port(self) -> int:
        return min(port for node in self.nodes for port in (node.broker_port, node.controller_port) if port)

    @property
    def bootstrap_servers(self) -> str:
        """HOST:PORT of every broker, separated by commas; empty without any."""
        return ",".join(f"{HOST}:{node.broker_port}" for node in self.nodes if node.broker_port)

    @property
    def bootstrap_controllers(self) -> str:
        """HOST:PORT of every controller, separated by commas."""
        return ",".join(f"{HOST}:{node.controller_port}" for node in self.nodes if node.controller_port)

    def node_directory(self, node: NodeLayout) -> Path:
        """The directory of a node's files."""
        return self.directory / f"node-{node.node_id}"

    def properties_path(self, node: NodeLayout) -> Path:
        """The properties file of a node."""
        return self.node_directory(node) / "server.properties"


def read_layout(directory: Path) -> ClusterLayout | None:
    """The cluster in a directory; None if the directory is empty or missing. Raises LayoutError for anything else."""
    record = directory / _RECORD
    if not record.exists():
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise LayoutError(f"{directory} holds something, and no {_RECORD}: it is not taken for a cluster")
        return None
    try:
        found = json.loads(record.read_text())
        return ClusterLayout(
            directory=directory,
            cluster_id=str(found["cluster_id"]),
            is_static=bool(found["is_static"]),
            nodes=tuple(NodeLayout(**node) for node in found["nodes"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise LayoutError(f"{record} does not describe a cluster: {error}") from error


def make_layout(directory: Path, shape: Shape, *, base_port: int, is_static: bool) -> ClusterLayout:
    """Lay out a new cluster and format its nodes. ``base_port`` 0 takes any free ports.

    Broker listeners get the ports from ``base_port`` on, then controller listeners. Raises LayoutError, OSError.
    """
    layout = ClusterLayout(
        directory=directory,
        cluster_id=uuids.to_text(new_directory_id(_new_uuid)),
        is_static=is_static,
        nodes=_nodes(shape, base_port),
    )
    directory_ids = {node.node_id: new_directory_id(_new_uuid) for node in layout.nodes}
    for node in layout.nodes:
        layout.node_directory(node).mkdir(parents=True)
        layout.properties_path(node).write_text(
            "".join(f"{key}={value}\n" for key, value in _properties(layout, node).items())
        )
        _format(layout, node, directory_ids)
    record = {
        "cluster_id": layout.cluster_id,
        "is_static": is_static,
        "nodes": [asdict(node) for node in layout.nodes],
    }
    (directory / _RECORD).write_text(json.dumps(record, indent=1) + "\n")
    return layout


def _nodes(shape: Shape, base_port: int) -> tuple[NodeLayout, ...]:
    number_of_brokers = shape.combined + shape.brokers
    number_of_controllers = shape.combined + shape.controllers
    ports = _ports(base_port, number_of_brokers + number_of_controllers)
    for_brokers, for_controllers = ports[:number_of_brokers], ports[number_of_brokers:]
    if shape.combined:
        return tuple(
            NodeLayout(node_id=index + 1, broker_port=broker, controller_port=controller)
            for index, (broker, controller) in enumerate(zip(for_brokers, for_controllers, strict=True))
        )
    return (
        *(
            NodeLayout(node_id=index + 1, broker_port=None, controller_port=port)
            for index, port in enumerate(for_controllers)
        ),
        *(
            NodeLayout(node_id=FIRST_BROKER_ID + index, broker_port=port, controller_port=None)
            for index, port in enumerate(for_brokers)
        ),
    )


def _ports(base_port: int, count: int) -> list[int]:
    """``count`` ports from a base on. Raises LayoutError if one of them is in use."""
    wanted = range(base_port, base_port + count) if base_port else [0] * count
    holders: list[socket.socket] = []
    try:
        for port in wanted:
            holders.append(socket.socket())
            # As the nodes themselves do: connections of a cluster that has just ended do not count.
            holders[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                holders[-1].bind((HOST, port))
            except (OSError, OverflowError) as error:
                raise LayoutError(f"port {port} of {HOST} is not to be had: {error}") from error
        return [holder.getsockname()[1] for holder in holders]
    finally:
        for holder in holders:
            holder.close()


def _properties(layout: ClusterLayout, node: NodeLayout) -> dict[str, str]:
    listeners = []
    if node.broker_port is not None:
        listeners.append(f"PLAINTEXT://{HOST}:{node.broker_port}")
    if node.controller_port is not None:
        listeners.append(f"{CONTROLLER_LISTENER}://{HOST}:{node.controller_port}")
    properties = {
        "process.roles": node.roles,
        "node.id": str(node.node_id),
        "listeners": ",".join(listeners),
        "controller.listener.names": CONTROLLER_LISTENER,
        "listener.security.protocol.map": f"PLAINTEXT:PLAINTEXT,{CONTROLLER_LISTENER}:PLAINTEXT",
        "log.dirs": str((layout.node_directory(node) / "data").absolute()),
    }
    if layout.is_static:
        properties["controller.quorum.voters"] = ",".join(
            f"{each.node_id}@{HOST}:{each.controller_port}" for each in layout.nodes if each.controller_port
        )
    else:
        properties["controller.quorum.bootstrap.servers"] = layout.bootstrap_controllers
    copies = min(_REPLICATED_INTERNALLY, sum(each.broker_port is not None for each in layout.nodes))
    if 0 < copies < _REPLICATED_INTERNALLY:
        properties |= {
            "offsets.topic.replication.factor": str(copies),
            "transaction.state.log.replication.factor": str(copies),
            "transaction.state.log.min.isr": "1",
            "share.coordinator.state.topic.replication.factor": str(copies),
            "share.coordinator.state.topic.min.isr": "1",
        }
    return properties


def _format(layout: ClusterLayout, node: NodeLayout, directory_ids: dict[int, bytes]) -> None:
    voters = tuple(
        Voter(
            key=ReplicaKey(id=each.node_id, directory_id=directory_ids[each.node_id]),
            endpoints=(Endpoint(name=CONTROLLER_LISTENER, host=HOST, port=each.controller_port),),
        )
        for each in layout.nodes
        if each.controller_port is not None
    )
    data = str((layout.node_directory(node) / "data").absolute())
    is_controller = node.controller_port is not None
    request = FormatRequest(
        cluster_id=layout.cluster_id,
        node_id=node.node_id,
        directories=(data,),
        metadata_directory=data,
        is_controller=is_controller,
        has_static_voters=layout.is_static,
        quorum_start=QuorumStart.UNSPECIFIED
        if layout.is_static
        else QuorumStart.INITIAL_CONTROLLERS
        if is_controller
        else QuorumStart.NO_INITIAL_CONTROLLERS,
        initial_voters=voters if is_controller and not layout.is_static else (),
    )
    format_directories(OsDisk(), request, wall_ms=_wall_ms, new_uuid=_new_uuid, report=lambda line: None)


def _new_uuid() -> bytes:
    return uuid.uuid4().bytes


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000
