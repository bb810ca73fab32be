"""Somebody whom no node knows, and who knows everything that is public: the cluster's id, its nodes, its epochs.

A stranger sends replicas' requests under keys that nobody has, frames that are no requests, requests that never end,
and many requests whose responses it does not read. Nothing of it may change anything.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

import trio

from kafkaproto.connection import ClientConnection, Negotiated
from kafkaproto.errors import ProtocolError
from kafkaproto.frame import NEED_DATA
from kafkaproto.messages import AddRaftVoterRequest, MetadataRequest
from kafkaproto_server.base.types import Endpoint, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft import wire
from kafkaproto_server.core.raft.values import messages as raft
from tests.sim.metadata.node import CLUSTER_ID
from tests.sim.nodes.host import BROKER_PORT, CONTROLLER_PORT, Host
from tests.sim.nodes.network import BLACK_HOLE, NetHost, SimStream

FIRST_ID = 7000
PATIENCE_S = 3.0


class Stranger:
    """One of them. `run` it until the traffic is to end."""

    def __init__(self, net: NetHost, hosts: Sequence[Host], rng: random.Random) -> None:
        self._net = net
        self._hosts = hosts
        self._rng = rng
        self.address = net.address
        self.is_over = False
        self._besieging = 350 if rng.random() < 0.1 else 0

    async def run(self) -> None:
        """Disturb, again and again."""
        acts = (
            self._speak_raft,
            self._speak_raft,
            self._send_nonsense,
            self._hang,
            self._do_not_read,
            self._crowd,
            self._offer_voters,
            self._observe,
        )
        while not self.is_over:
            await trio.sleep(self._rng.expovariate(1 / 0.3))
            host = self._rng.choice(self._hosts)
            try:
                if self._besieging:
                    await self._besiege(host)
                with trio.move_on_after(PATIENCE_S):
                    await self._rng.choice(acts)(host)
            except (OSError, trio.BrokenResourceError, trio.ClosedResourceError, ProtocolError):
                # The node has had enough of it.
                pass

    async def _connect(self, host: Host) -> SimStream:
        ports = [CONTROLLER_PORT] * host.is_controller + [BROKER_PORT] * host.is_broker
        return await self._net.connect(host.net.address, self._rng.choice(ports))

    # -- replicas' requests ----------------------------------------------------------------------------------------

    async def _speak_raft(self, host: Host) -> None:
        stream = await self._connect(host)
        try:
            connection = ClientConnection(client_id=None)
            served = (await self._negotiated(stream, connection)).api_versions.api_keys
            versions = {each.api_key: (each.min_version, each.max_version) for each in served}
            for _ in range(self._rng.randint(1, 20)):
                request = self._raft_request(host)
                key, low, high = wire.request_versions(request)
                if key in versions:
                    version = self._rng.randint(max(low, versions[key][0]), min(high, versions[key][1]))
                    connection.send_request(
                        wire.encode_request(request, version, cluster_id=CLUSTER_ID), version
                    )
                    await stream.send_all(b"".join(connection.data_to_send()))
                    await trio.sleep(self._rng.random() * 0.02)
            await self._read_some(stream, connection)
        finally:
            stream.close()

    def _raft_request(self, host: Host) -> raft.OutboundRequest:
        rng, key, epoch = self._rng, self._key(), self._epoch(host)
        voter = rng.choice([each for each in self._hosts if each.is_controller])
        endpoints = (Endpoint(name="CONTROLLER", host=self.address, port=CONTROLLER_PORT),)
        match rng.randrange(6):
            case 0 | 1:
                return raft.VoteRequest(
                    replica=key,
                    voter_id=rng.choice((-1, host.id)),
                    voter_directory_id=rng.choice((None, host.voter.key.directory_id)),
                    epoch=epoch,
                    last_epoch=max(0, epoch - 1),
                    last_offset=rng.choice((0, 10**6)),
                    is_pre_vote=rng.random() < 0.5,
                )
            case 2:
                return raft.BeginQuorumEpochRequest(
                    leader_id=rng.choice((key.id, voter.id)),
                    epoch=epoch,
                    voter_id=host.id,
                    voter_directory_id=host.voter.key.directory_id,
                    leader_endpoints=endpoints,
                )
            case 3:
                return raft.EndQuorumEpochRequest(
                    leader_id=rng.choice((key.id, voter.id)), epoch=epoch, preferred_candidates=(key,)
                )
            case 4:
                return raft.FetchSnapshotRequest(
                    replica=key,
                    epoch=epoch,
                    snapshot=OffsetAndEpoch(offset=rng.randrange(500), epoch=1),
                    position=rng.choice((0, 10**9)),
                    max_bytes=1000,
                )
        return raft.FetchRequest(
            replica=key,
            epoch=epoch,
            fetch_offset=rng.choice((0, 100, 10**9)),
            last_fetched_epoch=rng.choice((0, 1, epoch)),
            max_wait_ms=rng.choice((0, 500, 2**31 - 1)),
            max_bytes=rng.choice((0, 2**31 - 1)),
            high_watermark=-1,
        )

    async def _offer_voters(self, host: Host) -> None:
        """AddRaftVoter for nodes that nobody has: at another's address, or by a name that nobody answers for."""
        has_name = self._rng.random() < 0.5
        stream = await self._connect(host)
        try:
            connection = ClientConnection(client_id=None)
            await self._negotiated(stream, connection)
            for _ in range(self._rng.randint(1, 10)):
                key, other = (
                    self._key(),
                    self._rng.choice([each for each in self._hosts if each.is_controller]),
                )
                address = f"{BLACK_HOLE}{key.id}" if has_name else other.net.address
                listener = AddRaftVoterRequest.Listener(name="CONTROLLER", host=address, port=CONTROLLER_PORT)
                connection.send_request(
                    AddRaftVoterRequest(
                        cluster_id=CLUSTER_ID,
                        timeout_ms=1000,
                        voter_id=key.id,
                        voter_directory_id=key.directory_id or b"",
                        listeners=[listener],
                    )
                )
                await stream.send_all(b"".join(connection.data_to_send()))
                await self._receive(stream, connection)
        finally:
            stream.close()

    async def _observe(self, host: Host) -> None:
        """Fetch the log from its start, each time as another replica."""
        stream = await self._net.connect(host.net.address, CONTROLLER_PORT)
        try:
            connection = ClientConnection(client_id=None)
            await self._negotiated(stream, connection)
            epoch = 0 if host.quorum is None else host.quorum.published.leader.epoch
            for _ in range(self._rng.randint(1, 20)):
                request = raft.FetchRequest(
                    replica=self._key(),
                    epoch=epoch,
                    fetch_offset=0,
                    last_fetched_epoch=0,
                    max_wait_ms=0,
                    max_bytes=1000,
                    high_watermark=-1,
                )
                _, _, version = wire.request_versions(request)
                connection.send_request(wire.encode_request(request, version, cluster_id=CLUSTER_ID), version)
            await stream.send_all(b"".join(connection.data_to_send()))
            await self._read_some(stream, connection)
        finally:
            stream.close()

    def _key(self) -> ReplicaKey:
        return ReplicaKey(id=FIRST_ID + self._rng.randrange(50), directory_id=self._rng.randbytes(16))

    def _epoch(self, host: Host) -> int:
        known = 1 if host.quorum is None else host.quorum.published.leader.epoch
        return max(0, known + self._rng.choice((-1, 0, 0, 1, 1, 2, 1000, 2**30)))

    # -- what is no request ----------------------------------------------------------------------------------------

    async def _send_nonsense(self, host: Host) -> None:
        stream = await self._connect(host)
        try:
            size = self._rng.choice((0, 1, -1, 2**31 - 1, 100, 5000))
            await stream.send_all(struct.pack(">i", size) + self._rng.randbytes(self._rng.randrange(200)))
            await stream.receive_some(100)
        finally:
            stream.close()

    async def _hang(self, host: Host) -> None:
        stream = await self._connect(host)
        try:
            begun = self._rng.choice((0, 20_000))
            await stream.send_all(struct.pack(">ihhi", 100_000, 3, 12, 1) + bytes(begun))
            await trio.sleep_forever()
        finally:
            stream.close()

    async def _do_not_read(self, host: Host) -> None:
        stream = await self._connect(host)
        try:
            connection = ClientConnection(client_id="slow")
            await self._negotiated(stream, connection)
            assert connection.served_versions is not None
            if MetadataRequest.API_KEY in connection.served_versions:
                for _ in range(200):
                    connection.send_request(MetadataRequest(topics=None))
                await stream.send_all(b"".join(connection.data_to_send()))
            await trio.sleep_forever()
        finally:
            stream.close()

    async def _crowd(self, host: Host) -> None:
        streams: list[SimStream] = []
        try:
            for _ in range(self._rng.randrange(40)):
                streams.append(await self._connect(host))
            await trio.sleep(self._rng.random())
        finally:
            for stream in streams:
                stream.close()

    async def _besiege(self, host: Host) -> None:
        """More idle connections than a node with few descriptors can have, until it closes them."""
        count, self._besieging = self._besieging, 0
        port = CONTROLLER_PORT if host.is_controller else BROKER_PORT

        async def hold() -> None:
            stream: SimStream | None = None
            try:
                stream = await self._net.connect(host.net.address, port)
                await stream.receive_some(1)
            except (OSError, trio.BrokenResourceError):
                pass
            finally:
                if stream is not None:
                    stream.close()

        async with trio.open_nursery() as nursery:
            for _ in range(count):
                nursery.start_soon(hold)
            while not self.is_over and len(nursery.child_tasks) > count / 10:
                await trio.sleep(0.5)
            nursery.cancel_scope.cancel()

    # -- reading ---------------------------------------------------------------------------------------------------

    async def _negotiated(self, stream: SimStream, connection: ClientConnection) -> Negotiated:
        await stream.send_all(b"".join(connection.data_to_send()))
        while True:
            event = connection.next_event()
            if event is not NEED_DATA:
                assert isinstance(event, Negotiated)
                return event
            await self._receive(stream, connection)

    async def _read_some(self, stream: SimStream, connection: ClientConnection) -> None:
        while True:
            await self._receive(stream, connection)
            while connection.next_event() is not NEED_DATA:
                pass

    async def _receive(self, stream: SimStream, connection: ClientConnection) -> None:
        data = await stream.receive_some(1000)
        if not data:
            raise trio.BrokenResourceError("it hung up")
        connection.receive(data)
