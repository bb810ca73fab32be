"""Three stock brokers on three controllers of ours and on three stock ones, as clients of the brokers see the two.

- admin: a client at each broker changes a topic's config, one request in flight. The active controller gets SIGKILL,
  and each client sends its next change at once, which its broker keeps until it can pass it on: milliseconds from the
  signal until it is acknowledged. The killed controller is started again before the next round.
- produce: a broker gets SIGKILL, and one record (acks=all) is tried at both survivors for every partition that it led,
  again and again until it is taken: seconds until the kernel has taken the process apart, until the record that fences
  it, and until the first partition, half of them and all are written to. A client's own search for the new leaders is
  no part of it. Each broker in its turn; before the next dies, all is whole and led as preferred again.

    bin/bench beside [--parts admin,produce] [--kills 9] [--broker-kills 3] [--partitions 2000]
        [--implementations stock,ours]
"""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import statistics
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from itertools import count, cycle, islice
from pathlib import Path

from bench._broker_loss import (
    READY_S,
    REPLICAS,
    all_partitions,
    all_topics,
    fenced_at,
    fill,
    is_whole,
    wait_until_known,
)
from bench._filling import REQUEST_TIMEOUT_MS, create_topics
from bench._implementations import IMPLEMENTATIONS, STOCK_OPTIONS, end_in_order_when_told
from bench._parts import Measurements, Part, run_parts
from bench._writers import Writer, alter_topic
from bench.failover import GIVE_UP_S, RETRY_S, STEADY_S, wait_until_follows
from compat.cluster import Cluster
from compat.kafka.stock import StockNode
from compat.node import Node
from compat.process import wait_until
from compat.quorum import connect
from kafkaproto.client import Client
from kafkaproto.messages import ElectLeadersRequest, ElectLeadersResponse, ProduceRequest, ProduceResponse
from kafkaproto.records.batch import build_batch

TOPIC = "altered"
POLL_S = 0.02
SAMPLE = 64
"""Of partitions of which three brokers lead a third each."""
IN_A_REQUEST = 500
"""Partitions, at most."""
ALL_IN_SYNC = -1
# Of now: what is older than a week the brokers would delete, and roll all logs for it.
RECORD = build_batch([(None, b"x", ())], base_offset=0, timestamp_ms=int(time.time() * 1000))
BROKER_OPTIONS = (*STOCK_OPTIONS, "-Xms1g", "-Xmx1g")
"""The heap of Kafka's own start script: with half of it a broker of 10,000 partitions ends by OutOfMemoryError."""
ALL_WRITTEN = "kill to all written s"
PREFERRED = 0
"""The kind of election that ElectLeaders asks for."""

Place = tuple[bytes, int]
"""Topic id and partition."""


# -- the active controller dies ----------------------------------------------------------------------------------------


def admin(implementation: str, folder: Path, kills: int) -> Measurements:
    """Each broker's next acknowledged change after the death of the active controller."""
    rounds: list[list[float]] = []
    with Cluster(IMPLEMENTATIONS[implementation], IMPLEMENTATIONS["stock"], folder) as cluster:
        cluster.format()
        cluster.start()
        with connect(cluster.quorum.leader().bootstrap_controller, timeout_ms=REQUEST_TIMEOUT_MS) as client:
            create_topics(client, [TOPIC], 1, REPLICAS)
        wait_until_known(cluster, 1)
        numbers = count()
        writers = [
            Writer(node.bootstrap_server, alter_topic(TOPIC), lambda: next(numbers))
            for node in cluster.brokers.values()
        ]
        for _ in range(kills):
            rounds.append(kill_controller(cluster, writers))
        for writer in writers:
            writer.close()
    return {
        "first broker's write, median ms": statistics.median(map(min, rounds)),
        "any broker's write, median ms": statistics.median(ms for each in rounds for ms in each),
        "last broker's write, median ms": statistics.median(map(max, rounds)),
        "fastest ms": min(map(min, rounds)),
        "slowest ms": max(map(max, rounds)),
    }


def kill_controller(cluster: Cluster, writers: Sequence[Writer]) -> list[float]:
    """SIGKILL for whoever leads: milliseconds until each writer's next change is acknowledged."""
    leader = cluster.quorum.leader()
    steady_until = time.perf_counter() + STEADY_S
    while time.perf_counter() < steady_until:
        # Answered before the next goes: what is acknowledged after the signal was sent after it.
        acknowledged(writers)
    begin = time.perf_counter()
    os.kill(leader.process.pid, signal.SIGKILL)
    times = acknowledged(writers)
    leader.kill()
    leader.start()
    wait_until_follows(cluster.quorum.leader(), leader.node_id)
    return [(when - begin) * 1000 for when in times]


def acknowledged(writers: Sequence[Writer]) -> list[float]:
    """Have each writer write, again where that is refused: when each was acknowledged."""
    selector = selectors.DefaultSelector()
    for writer in writers:
        selector.register(writer.socket, selectors.EVENT_READ, writer)
        writer.write()
    times: list[float] = []
    deadline = time.perf_counter() + GIVE_UP_S
    while len(times) < len(writers):
        assert time.perf_counter() < deadline, f"{len(times)} of {len(writers)} writes acknowledged"
        for key, _ in selector.select(1):
            writer = key.data
            code = writer.answer()
            if code == 0:
                times.append(time.perf_counter())
            elif code is not None:
                time.sleep(RETRY_S)
                writer.write()
    selector.close()
    return times


# -- a broker dies -----------------------------------------------------------------------------------------------------


def produce(implementation: str, folder: Path, partitions: int, kills: int) -> Measurements:
    """Records to every partition that a broker led when it died; medians of so many deaths."""
    return deaths(Cluster(IMPLEMENTATIONS[implementation], _broker, folder), partitions, kills)


def deaths(whole: Cluster, partitions: int, kills: int) -> Measurements:
    """Start a cluster, fill it, and kill its brokers one after the other; medians of so many deaths."""
    rounds: list[Measurements] = []
    with whole as cluster:
        cluster.format()
        cluster.start()
        total = fill(cluster, partitions)
        lead_as_preferred(cluster, total)
        # Nobody writes to a partition for the first time when it counts.
        for node in cluster.brokers.values():
            write_at(node, led_by(node), [])
        for victim in islice(cycle(cluster.brokers.values()), kills):
            rounds.append(kill_broker(cluster, victim))
            victim.start()
            lead_as_preferred(cluster, total)
    medians = {name: statistics.median(measurements[name] for measurements in rounds) for name in rounds[0]}
    every = [measurements[ALL_WRITTEN] for measurements in rounds]
    return {**medians, "fastest of them s": min(every), "slowest of them s": max(every)}


def _broker(folder: Path, properties: Mapping[str, str]) -> Node:
    return StockNode(folder, properties, BROKER_OPTIONS)


def kill_broker(cluster: Cluster, victim: Node) -> Measurements:
    """SIGKILL for a broker: when what it led is written to again."""
    led = led_by(victim)
    survivors = [node for node in cluster.brokers.values() if node is not victim]
    gone: list[float] = []

    def note_gone() -> None:
        if not gone and not victim.process.is_running:
            gone.append(time.perf_counter())

    begin, begin_wall = time.perf_counter(), time.time()
    os.kill(victim.process.pid, signal.SIGKILL)
    times = first_writes(survivors, led, note_gone)
    victim.kill()
    gone.append(time.perf_counter())
    fenced_s = max(fenced_at(cluster.quorum.leader(), victim.node_id)) - begin_wall
    assert fenced_s > 0, "the fencing record is that of an earlier time"
    return {
        "partitions led": len(led),
        "kill to process gone s": gone[0] - begin,
        "kill to fenced s": fenced_s,
        "fenced to all written s": times[-1] - begin - fenced_s,
        "kill to first written s": times[0] - begin,
        "kill to half written s": times[len(times) // 2] - begin,
        ALL_WRITTEN: times[-1] - begin,
    }


def first_writes(
    nodes: Sequence[Node], places: Collection[Place], meanwhile: Callable[[], None]
) -> list[float]:
    """A record to each partition at whichever of these brokers takes it: when each was acknowledged, in that order."""
    pending = set(places)
    times: list[float] = []
    with ThreadPoolExecutor(len(nodes)) as pool:
        futures = [pool.submit(write_at, node, pending, times) for node in nodes]
        while wait(futures, POLL_S).not_done:
            meanwhile()
    for future in futures:
        future.result()
    return times


def write_at(node: Node, pending: set[Place], times: list[float]) -> None:
    """Try the pending partitions at one broker until none is left; a sample of them while it leads none of that."""
    deadline = time.perf_counter() + READY_S
    leads_any = False
    with connect(node.bootstrap_server, timeout_ms=REQUEST_TIMEOUT_MS) as client:
        while left := list(pending):
            assert time.perf_counter() < deadline, f"{len(left)} partitions take no record"
            takes_any = False
            tried = left if leads_any else left[:SAMPLE]
            for start in range(0, len(tried), IN_A_REQUEST):
                taken = write_once(client, tried[start : start + IN_A_REQUEST])
                times += [time.perf_counter()] * len(pending.intersection(taken))
                pending.difference_update(taken)
                takes_any = takes_any or bool(taken)
            leads_any = leads_any or takes_any
            if not takes_any:
                time.sleep(POLL_S)


def write_once(client: Client, places: Sequence[Place]) -> list[Place]:
    """One request with a record for each partition; returns those that took it."""
    topics: dict[bytes, list[ProduceRequest.PartitionProduceData]] = {}
    for topic_id, index in places:
        data = ProduceRequest.PartitionProduceData(index=index, records=RECORD)
        topics.setdefault(topic_id, []).append(data)
    request = ProduceRequest(
        acks=ALL_IN_SYNC,
        timeout_ms=REQUEST_TIMEOUT_MS,
        topic_data=[
            ProduceRequest.TopicProduceData(topic_id=topic_id, partition_data=partitions)
            for topic_id, partitions in topics.items()
        ],
    )
    response = client.send(request)
    assert isinstance(response, ProduceResponse)
    return [
        (topic.topic_id, partition.index)
        for topic in response.responses
        for partition in topic.partition_responses
        if partition.error_code == 0
    ]


def led_by(node: Node) -> set[Place]:
    """What a broker says that it leads."""
    with connect(node.bootstrap_server, timeout_ms=REQUEST_TIMEOUT_MS) as client:
        return {
            (topic.topic_id, partition.partition_index)
            for topic in all_topics(client)
            for partition in topic.partitions
            if partition.leader_id == node.node_id
        }


def lead_as_preferred(cluster: Cluster, total: int) -> None:
    """Return once all replicas are in sync and every partition is led by its first replica, at every broker's word."""
    wait_until_known(cluster, total)
    with connect(cluster.quorum.leader().bootstrap_controller, timeout_ms=REQUEST_TIMEOUT_MS) as client:
        request = ElectLeadersRequest(
            election_type=PREFERRED, topic_partitions=None, timeout_ms=REQUEST_TIMEOUT_MS
        )
        response = client.send(request)
    assert isinstance(response, ElectLeadersResponse)
    assert response.error_code == 0, response.error_code
    for node in cluster.brokers.values():
        wait_until(partial(is_led_as_preferred, node, total), READY_S, "preferred leaders")


def is_led_as_preferred(node: Node, total: int) -> bool:
    """Whether a broker tells of so many whole partitions, each led by its first replica."""
    with connect(node.bootstrap_server, timeout_ms=REQUEST_TIMEOUT_MS) as client:
        return is_whole(client, total) and all(
            each.leader_id == each.replica_nodes[0] for each in all_partitions(client)
        )


def main() -> None:
    """Run the parts for both implementations of controllers; print a table for each and one line of JSON."""
    end_in_order_when_told()
    parser = argparse.ArgumentParser(prog="bin/bench beside", description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=lambda text: text.split(","), default=["admin", "produce"])
    parser.add_argument("--kills", type=int, default=9, help="of the active controller (9)")
    parser.add_argument("--broker-kills", type=int, default=3, help="of a broker (3)")
    parser.add_argument("--partitions", type=int, default=2_000, help="of the produce part (2000)")
    parser.add_argument("--implementations", type=lambda text: text.split(","), default=list(IMPLEMENTATIONS))
    arguments = parser.parse_args()
    parts: dict[str, Part] = {
        "admin": lambda implementation, folder: admin(implementation, folder, arguments.kills),
        "produce": lambda implementation, folder: produce(
            implementation, folder, arguments.partitions, arguments.broker_kills
        ),
    }
    run_parts(parts, arguments.parts, arguments.implementations)


if __name__ == "__main__":
    main()
