"""Commands of a scenario about changes of voters (KIP-853), beside those of ``cluster_scenario``.

Messages are not shown. What was asked is printed, with its answer, by the command during which the answer comes.

- ``settled voters=1,2,3 kraft-version=1`` makes and starts these voters, and waits until one leads the others
- ``node id=4 auto-join=yes directory=9`` starts a controller with an empty log, on the disk of that number
- ``move node=3 host=127.0.0.9`` has a node that does not run advertise another address once it starts again
- ``dynamic node=3`` takes ``controller.quorum.voters`` out of the configuration of a node that does not run
- ``bootstrap node=2 servers=1,3`` gives these bootstrap servers to a node that does not run
- ``isolate node=2 from=1,3`` cuts all these links
- ``add node=4``, ``remove node=3``, ``upgrade level=1`` ask the leader, or the node of ``at=2``; ``ack=appended`` has
  an addition answered before its commit, ``directory=9`` names the replica of another disk
- ``voters`` prints state and voters of each running node
"""

from __future__ import annotations

import dataclasses

from kafkaproto_server.base.types import Endpoint, ReplicaKey
from kafkaproto_server.core.raft.values.events import RequestReceived
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    InboundRequest,
    RemoveVoterRequest,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
)
from kafkaproto_server.core.raft.values.voters import VoterSet
from tests.core.raft.support.cluster import destination
from tests.core.raft.support.cluster_scenario import Arguments, ClusterRunner
from tests.core.raft.support.machine import Disk, Machine, config, directory, voter

FIRST_ASKED_ID = 2_000_000
"""Far from the ids that the cluster gives to the nodes' own requests."""

BOOTSTRAP_IDS = (1, 2, 3)
"""Whom nodes that join later know."""


class VotersRunner(ClusterRunner):
    """A quorum over the length of a scenario."""

    def __init__(self) -> None:
        super().__init__()
        self._unanswered: dict[int, tuple[int, str]] = {}
        """By request id: the asked node, and what it was asked."""
        self._next_id = FIRST_ASKED_ID

    def run(self, command: str) -> list[str]:
        """What the command prints, without what happened."""
        name, *words = command.split()
        arguments = dict(word.split("=", 1) for word in words)
        printed: list[str] = getattr(self, f"_run_{name.replace('-', '_')}")(arguments)
        return [*self._responses(), *printed]

    def _run_settled(self, arguments: Arguments) -> list[str]:
        self._run_cluster(arguments)
        self._run_start({"nodes": arguments["voters"]})
        self._cluster.run(3000)
        assert len(self._cluster.leaders()) == 1, "nobody leads"
        return []

    def _run_node(self, arguments: Arguments) -> list[str]:
        node_id = int(arguments["id"])
        settings = config(
            node_id,
            port=node_id,
            bootstrap_servers=tuple(destination(known) for known in BOOTSTRAP_IDS),
            auto_join=arguments.get("auto-join") == "yes",
        )
        self._cluster.add(dataclasses.replace(settings, key=_key(node_id, arguments)), Disk())
        self._cluster.start(node_id)
        return []

    def _run_move(self, arguments: Arguments) -> list[str]:
        machine = self._machine(arguments)
        endpoint = Endpoint(name="CONTROLLER", host=arguments["host"], port=int(arguments["node"]))
        machine.settings = dataclasses.replace(machine.settings, endpoints=(endpoint,))
        return []

    def _run_dynamic(self, arguments: Arguments) -> list[str]:
        machine = self._machine(arguments)
        machine.settings = dataclasses.replace(machine.settings, static_voters=None)
        return []

    def _run_bootstrap(self, arguments: Arguments) -> list[str]:
        machine = self._machine(arguments)
        servers = tuple(destination(int(node_id)) for node_id in arguments["servers"].split(","))
        machine.settings = dataclasses.replace(machine.settings, bootstrap_servers=servers)
        return []

    def _run_isolate(self, arguments: Arguments) -> list[str]:
        for other in arguments["from"].split(","):
            self._run_cut({"between": f"{arguments['node']},{other}"})
        return []

    def _run_add(self, arguments: Arguments) -> list[str]:
        node_id = int(arguments["node"])
        request = AddVoterRequest(
            voter=_key(node_id, arguments),
            endpoints=voter(node_id, port=node_id).endpoints,
            timeout_ms=30_000,
            ack_when_committed=arguments.get("ack") != "appended",
        )
        return self._put(f"add {node_id}", request, arguments)

    def _run_remove(self, arguments: Arguments) -> list[str]:
        node_id = int(arguments["node"])
        return self._put(f"remove {node_id}", RemoveVoterRequest(voter=_key(node_id, arguments)), arguments)

    def _run_upgrade(self, arguments: Arguments) -> list[str]:
        (leader_id,) = self._cluster.leaders()
        level = int(arguments["level"])
        epoch = self._cluster.machines[leader_id].node.state.epoch
        request = UpgradeKRaftVersionRequest(epoch=epoch, level=level, validate_only=False)
        return self._put(f"upgrade {level}", request, arguments)

    def _put(self, what: str, request: InboundRequest, arguments: Arguments) -> list[str]:
        """Ask the leader or the node named; prints what is answered at once."""
        (node_id,) = [int(arguments["at"])] if "at" in arguments else self._cluster.leaders()
        self._next_id += 1
        self._unanswered[self._next_id] = (node_id, what)
        event = RequestReceived(request_id=self._next_id, request=request, listener_name="CONTROLLER")
        self._cluster.do(node_id, lambda machine: machine.handle(event))
        return self._responses()

    def _responses(self) -> list[str]:
        lines: list[str] = []
        for request_id, (node_id, what) in list(self._unanswered.items()):
            for sent in self._cluster.machines[node_id].responses:
                if sent.request_id == request_id:
                    assert isinstance(sent.response, VoterChangeResponse)
                    del self._unanswered[request_id]
                    lines.append(f"{what}: {sent.response.error.name} {sent.response.message or ''}".rstrip())
        return lines

    def _run_voters(self, arguments: Arguments) -> list[str]:
        return [self._describe(node_id) for node_id in sorted(self._cluster.running)]

    def _describe(self, node_id: int) -> str:
        node = self._cluster.machines[node_id].node
        statistics = node.statistics()
        line = f"{node_id}: {statistics.current_state} epoch={node.state.epoch} leader={node.state.leader_id}"
        line += f" voters={_show(node.voters)}"
        if node.kraft_version == 0:
            line += " kraft.version=0"
        return f"{line} uncommitted" if statistics.uncommitted_voter_change else line

    def _machine(self, arguments: Arguments) -> Machine:
        return self._cluster.machines[int(arguments["node"])]


def _key(node_id: int, arguments: Arguments) -> ReplicaKey:
    return ReplicaKey(id=node_id, directory_id=directory(int(arguments.get("directory", node_id))))


def _show(voters: VoterSet) -> str:
    """Node ids; with the disk's number where it is not the node's, and the host where it is not the usual one."""
    shown: list[str] = []
    for entry in voters.voters:
        usual = voter(entry.key.id, port=entry.key.id)
        text = str(entry.key.id)
        directory_id = entry.key.directory_id
        if directory_id is not None and directory_id != usual.key.directory_id:
            text += f"/{directory_id[1]}"
        if entry.endpoints != usual.endpoints:
            text += f"@{entry.endpoints[0].host}"
        shown.append(text)
    return ",".join(shown)
