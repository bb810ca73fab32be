"""An operator who changes the voters of a running quorum."""

from __future__ import annotations

import random
from collections.abc import Sequence

import trio

from kafkaproto.message import Message
from kafkaproto.messages import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
)
from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.shell.net.peers import PeerError
from tests.sim.metadata.node import CLUSTER_ID
from tests.sim.nodes.host import CONTROLLER_PORT, Host
from tests.sim.nodes.network import NetHost
from tests.sim.nodes.traffic import peer_of

FEWEST_VOTERS = 2


class VoterChanges:
    """Removes voters and adds them again, whoever leads, as an operator with `kafka-metadata-quorum` would."""

    def __init__(self, net: NetHost, hosts: Sequence[Host], rng: random.Random) -> None:
        self._net = net
        self._hosts = [host for host in hosts if host.is_controller]
        self._rng = rng
        self.address = net.address
        self.is_over = False
        self.done = 0
        """Changes that a leader confirmed."""

    async def run(self) -> None:
        """One change after the other."""
        while not self.is_over:
            await trio.sleep(self._rng.expovariate(1 / 1.5))
            leader = next((host for host in self._hosts if self._leads(host)), None)
            if leader is None:
                continue
            assert leader.quorum is not None
            voters = {voter.key.id: voter.key for voter in leader.quorum.voters.voters}
            subject = self._rng.choice(self._hosts)
            key = voters.get(subject.id) or subject.replica_key
            if key is None or (subject.id in voters and len(voters) <= FEWEST_VOTERS):
                continue
            await self._ask(leader, _removal(key) if subject.id in voters else _addition(subject, key))

    @staticmethod
    def _leads(host: Host) -> bool:
        return host.quorum is not None and host.quorum.published.leader.leader_id == host.id

    async def _ask(self, leader: Host, request: Message) -> None:
        peer = peer_of(self._net, leader, CONTROLLER_PORT)
        try:
            response = await peer.send(request, timeout_ms=5000)
            assert isinstance(response, AddRaftVoterResponse | RemoveRaftVoterResponse)
            self.done += not response.error_code
        except PeerError:
            pass
        finally:
            peer.close()


def _removal(key: ReplicaKey) -> Message:
    assert key.directory_id is not None
    return RemoveRaftVoterRequest(cluster_id=CLUSTER_ID, voter_id=key.id, voter_directory_id=key.directory_id)


def _addition(host: Host, key: ReplicaKey) -> Message:
    assert key.directory_id is not None
    listener = AddRaftVoterRequest.Listener(name="CONTROLLER", host=host.net.name, port=CONTROLLER_PORT)
    return AddRaftVoterRequest(
        cluster_id=CLUSTER_ID,
        timeout_ms=4000,
        voter_id=key.id,
        voter_directory_id=key.directory_id,
        listeners=[listener],
    )
