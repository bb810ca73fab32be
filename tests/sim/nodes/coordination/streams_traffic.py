"""The streams group of a run: what a seed draws of it, its processes, and when it is at rest."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kafkaproto.messages import StreamsGroupHeartbeatRequest
from tests.sim.nodes.coordination.client import CoordinatedClient
from tests.sim.nodes.coordination.streams_members import StreamsMember, StreamsProcess
from tests.sim.nodes.coordination.streams_promises import StreamsPromises
from tests.sim.nodes.coordination.streams_topology import Topology, topologies
from tests.sim.nodes.coordination.work import Counting

STREAMS_GROUP = "streams"
STREAMS_CONFIG: Mapping[str, str] = {
    "group.streams.min.session.timeout.ms": "1000",
    "group.streams.session.timeout.ms": "3000",
    "group.streams.min.heartbeat.interval.ms": "100",
    "group.streams.heartbeat.interval.ms": "300",
    "group.streams.assignment.interval.ms": "200",
    "group.streams.initial.rebalance.delay.ms": "300",
    "group.streams.min.task.offset.interval.ms": "500",
    "group.streams.task.offset.interval.ms": "1000",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsOptions:
    """What a seed draws of the streams group."""

    kind: str
    """Of the application."""
    processes: tuple[int, ...]
    """How many members each process has."""
    standby_replicas: int
    topology_epoch: int
    has_endpoints: bool
    """Whether members tell each other where their tasks are."""

    @property
    def config(self) -> Mapping[str, str]:
        """Of the nodes."""
        return {**STREAMS_CONFIG, "group.streams.num.standby.replicas": str(self.standby_replicas)}


def draw_streams(rng: random.Random) -> StreamsOptions:
    """The options of a run."""
    return StreamsOptions(
        kind=rng.choice(("stateless", "stateful", "two", "two", "repartitioned")),
        processes=rng.choice(((1, 1), (2, 1), (2, 2), (1, 1, 1))),
        standby_replicas=rng.choice((0, 1, 1)),
        topology_epoch=rng.choice((0, 3)),
        has_endpoints=rng.random() < 0.5,
    )


class StreamsTraffic:
    """The members of the group."""

    def __init__(
        self,
        options: StreamsOptions,
        group: StreamsPromises,
        client: Callable[[str], CoordinatedClient],
        rng: random.Random,
        topics: tuple[str, str],
        partitions: int,
    ) -> None:
        """``client`` makes one with a name. The application reads one of the topics, or both; each has so many
        partitions."""
        self._options = options
        self._topology = Topology(
            epoch=options.topology_epoch, subtopologies=topologies(*topics)[options.kind]
        )
        self._wanted = Counter(
            (topic, index) for topic in self._topology.topics for index in range(partitions)
        )
        self.members: list[StreamsMember] = []
        for number, count in enumerate(options.processes):
            process_id = str(uuid.UUID(int=rng.getrandbits(128), version=4))
            endpoint = StreamsGroupHeartbeatRequest.Endpoint(host=f"streams{number}", port=7000)
            process = StreamsProcess(process_id, endpoint if options.has_endpoints else None)
            for thread in range(count):
                name = f"streams{number}-{thread}"
                member_client = client(name)
                self.members.append(
                    StreamsMember(
                        member_client,
                        group,
                        Counting(member_client, group, random.Random(rng.getrandbits(64))),
                        random.Random(rng.getrandbits(64)),
                        process,
                        self._topology,
                        instance_id=name if rng.random() < 0.3 else None,
                    )
                )

    def unsettled(self) -> list[str]:
        """What keeps the group from rest: each task is active at one member, and has its standby replicas."""
        active = Counter(place for each in self.members for place in each.assigned)
        standby = Counter(place for each in self.members for place in each.standby)
        replicas = min(self._options.standby_replicas, len(self._options.processes) - 1)
        stateful = self._topology.stateful_topics
        wanted = Counter({each: replicas for each in self._wanted if each[0] in stateful and replicas})
        if active == self._wanted and standby == wanted and all(each.is_settled for each in self.members):
            return []
        return [
            f"{each.client.name} is in epoch {each.epoch}, {each.is_settled}, has {sorted(each.assigned)}, and"
            f" replicas for {sorted(each.standby)}"
            for each in self.members
        ]
