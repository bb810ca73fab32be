"""Which other nodes the quorum knows, and where they are."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator

from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.values.messages import Destination


class QuorumPeers:
    """The other nodes by the voter set in force, and by what the Raft core has learned of its leader."""

    def __init__(self, raft: RaftNode, listener_name: str) -> None:
        """``listener_name`` is the listener under which this node reaches the others."""
        self._raft = raft
        self._listener_name = listener_name

    def other_voters(self) -> Iterator[Destination]:
        """The nodes that a voter needs in an election; none for an observer."""
        # Observers stand in no election and need no connections but the one to the leader.
        if self._raft.is_voter:
            for voter in self._raft.voters.voters:
                endpoint = self._raft.voters.endpoint(voter.key.id, self._listener_name)
                if endpoint is not None and voter.key.id != self._raft.node_id:
                    yield Destination(id=voter.key.id, host=endpoint.host, port=endpoint.port)

    def is_known(self, node_id: int) -> bool:
        """Whether the quorum knows a node. Bootstrap servers count; they have negative ids here."""
        return (
            # Bootstrap servers come from the configuration, and the leader may be no voter any more
            # (KIP-853).
            node_id < NO_NODE
            or node_id == self._raft.leader_and_epoch.leader_id
            or any(voter.key.id == node_id for voter in self._raft.voters.voters)
        )

    def hosts(self, remote_hosts: Callable[[Destination], frozenset[str]]) -> frozenset[str]:
        """The addresses of the other voters, as `ipaddress` writes them. They come from the voter set in force; for a
        host name, they are the addresses to which this node is or was connected, by ``remote_hosts``."""
        hosts: set[str] = set()
        for destination in self.other_voters():
            try:
                # Names are not looked up here. Only an address at which the voter was reached counts, because it gets
                # CLUSTER_ACTION while the ACLs are not known.
                hosts.add(str(ipaddress.ip_address(destination.host)))
            except ValueError:
                hosts |= remote_hosts(destination)
        return frozenset(hosts)
