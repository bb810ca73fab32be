"""Who moves replicas to other log directories (AlterReplicaLogDirs), changes its mind, and looks (DescribeLogDirs)."""

from __future__ import annotations

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
)
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.link import Link, LinkLostError, Place
from tests.sim.nodes.data.operators import RESPONSE_S, _Operator
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant

PAUSE_S = 0.5
SECOND_THOUGHTS_S = 0.05
"""Means."""
_UNKNOWN = "/data/unknown"
_EXPECTED = frozenset(
    {
        ErrorCode.NONE,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.REPLICA_NOT_AVAILABLE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
)


class DirectoryOperator(_Operator):
    """Moves replicas."""

    pause_s = PAUSE_S

    async def _act(self, link: Link, place: Place) -> None:
        if self.is_over:
            # It was paused, or connected, when it was told.
            return
        rng, paths = self._rng, link.host.directories
        if rng.random() < 0.2:
            await self._look(link)
            return
        some = [place] if rng.random() < 0.7 else [each for each in self._places if rng.random() < 0.7]
        wanted = {each: _UNKNOWN if rng.random() < 0.05 else rng.choice(paths) for each in some}
        await self._alter(link, wanted)
        if rng.random() < 0.4:
            await trio.sleep(rng.expovariate(1 / SECOND_THOUGHTS_S))
            if not self.is_over:
                await self._alter(link, {each: rng.choice(paths) for each in wanted})

    async def _alter(self, link: Link, wanted: dict[Place, str]) -> bool:
        """Returns whether the broker will do all of it."""
        request = AlterReplicaLogDirsRequest
        response = await link.ask(
            request(
                dirs=[
                    request.AlterReplicaLogDir(
                        path=path, topics=[request.AlterReplicaLogDirTopic(name=name, partitions=[index])]
                    )
                    for (name, index), path in wanted.items()
                ]
            ),
            RESPONSE_S,
        )
        assert isinstance(response, AlterReplicaLogDirsResponse)
        codes = {
            (topic.topic_name, each.partition_index): each.error_code
            for topic in response.results
            for each in topic.partitions
        }
        for place, path in wanted.items():
            is_expected = codes.get(place) in _EXPECTED
            if path == _UNKNOWN:
                is_expected = codes.get(place) == ErrorCode.LOG_DIR_NOT_FOUND
            if not is_expected:
                what = f"node {link.host.id} told {codes.get(place)} of a move of {place} to {path}"
                raise ViolationError(NodeInvariant.EXPECTED_ERRORS, what)
            self._ledger.counts["moves asked for"] += 1
        return all(codes[place] == ErrorCode.NONE for place in wanted)

    async def _look(self, link: Link) -> None:
        host, directories = link.host, link.host.directories
        response = await link.ask(DescribeLogDirsRequest(topics=None), RESPONSE_S)
        assert isinstance(response, DescribeLogDirsResponse)
        shown = tuple(each.log_dir for each in response.results)
        # It may have got another one since.
        if host.life == link.life and shown != directories:
            self._shows(host, f"shows the directories {shown}, and has {directories}")
        current: dict[tuple[str, int], str] = {}
        copies: dict[tuple[str, int], str] = {}
        for result in response.results:
            if result.error_code and result.topics:
                self._shows(host, f"shows replicas in {result.log_dir}, which is offline")
            for topic in result.topics:
                for each in topic.partitions:
                    found = copies if each.is_future_key else current
                    if (key := (topic.name, each.partition_index)) in found:
                        self._shows(host, f"shows {key} in {found[key]} and in {result.log_dir}")
                    found[key] = result.log_dir
        for key, path in copies.items():
            if current.get(key) == path:
                self._shows(host, f"shows {key} and a copy of it in {path}")

    @staticmethod
    def _shows(host: Host, what: str) -> None:
        raise ViolationError(NodeInvariant.EXPECTED_ERRORS, f"node {host.id} {what}")

    # -- in a healed cluster -----------------------------------------------------------------------------------------

    async def move_all(self) -> dict[tuple[int, Place], str]:
        """Have every replica move to some directory of its broker, or stay there, and change that once or twice while
        replicas move. Returns the last directories by host id and partition."""
        wanted: dict[tuple[int, Place], str] = {}
        for host in self._hosts:
            for _ in range(self._rng.choice((1, 2, 3))):
                of_host = {place: self._rng.choice(host.directories) for place in self._places}
                wanted.update(((host.id, place), path) for place, path in of_host.items())
                while not await self._is_taken(host, of_host):
                    await trio.sleep(0.2)
                await trio.sleep(self._rng.expovariate(1 / SECOND_THOUGHTS_S))
        return wanted

    async def _is_taken(self, host: Host, wanted: dict[Place, str]) -> bool:
        link = None
        try:
            link = await Link.connect(self._net, host)
            return await self._alter(link, wanted)
        except LinkLostError:
            return False
        finally:
            if link is not None:
                link.close()
