"""Commits of offsets at a fixed rate, and a coordinator that takes over a partition with many groups."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from bench._group_servers import GROUPS, Brokers
from bench._parts import Measurements
from bench._raw_clients import Responses, connected, frame
from bench._writers import RefusedWriteError, percentile
from bench.start import resident_mib
from compat.cluster import partitions as described
from compat.node import Node
from compat.process import wait_until
from compat.quorum import connect
from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.messages import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
)

COMMITTED = 7
COMMIT_VERSION = 9
FETCH_VERSION = 9
COMMITTERS = 50
SINGLE_COMMITS = 2_000
"""Commits of one offset each, a second."""
WARM_S = 2.0
SECONDS = 12.0
FILLERS = 200
"""Connections over which a partition is filled."""
LOADED_TIMEOUT_S = 300.0
POLL_S = 0.002
TOPIC = "work"
OFFSETS_TOPIC = "__consumer_offsets"
ONE_PARTITION = {"offsets.topic.num.partitions": "1"}


def _commit(group_id: str, offsets: int) -> bytes:
    """The first commit of a group without members."""
    partitions = [
        OffsetCommitRequest.Partition(partition_index=index, committed_offset=COMMITTED)
        for index in range(offsets)
    ]
    topic = OffsetCommitRequest.Topic(name=TOPIC, partitions=partitions)
    return frame(OffsetCommitRequest(group_id=group_id, topics=[topic]), COMMIT_VERSION)


def _check_committed(response: memoryview) -> None:
    decoded, _ = OffsetCommitResponse.decode(bytes(response), COMMIT_VERSION, 5)
    for topic in decoded.topics:
        for each in topic.partitions:
            if each.error_code:
                raise RefusedWriteError(describe(each.error_code).name)


class _Committer:
    """A connection that commits the offsets of one group, several requests in flight."""

    def __init__(self, address: str, group_id: str, offsets: int) -> None:
        self.stream: socket.socket = connected(address)
        self._responses = Responses(self.stream)
        self._frame = _commit(group_id, offsets)
        self._due: deque[float] = deque()

    def send(self, due: float) -> None:
        """Send a commit that was due at a time: what came late counts from then on."""
        self._due.append(due)
        self.stream.sendall(self._frame)

    def take(self) -> tuple[float, float]:
        """Read a response; returns when its commit was due and the milliseconds since."""
        _check_committed(self._responses.next())
        due = self._due.popleft()
        return due, (time.perf_counter() - due) * 1000


def offsets(implementation: str, folder: Path, rate: int) -> Measurements:
    """So many offsets a second, ten in each commit; some commits of one offset; and as many of those as go."""
    with Brokers(implementation, folder, 1, {}) as brokers:
        brokers.servers.create(TOPIC, 10)
        _first_commit(brokers.coordinator("g-0", GROUPS))
        found = _commits(brokers, 10, rate // 10)
        return found | _commits(brokers, 1, SINGLE_COMMITS) | _commits(brokers, 1, None)


def _first_commit(address: str) -> None:
    """Commit until the coordinator has its partition."""

    def is_committed() -> bool:
        with connected(address) as stream:
            stream.sendall(_commit("g-0", 1))
            try:
                _check_committed(Responses(stream).next())
            except RefusedWriteError:
                return False
            return True

    wait_until(is_committed, LOADED_TIMEOUT_S, "the first commit")


def _commits(brokers: Brokers, size: int, rate: int | None) -> Measurements:
    """Commits of so many offsets, at a rate, or each committer one after the other."""
    committers = [_Committer(brokers.servers.address, f"g-{each}", size) for each in range(COMMITTERS)]
    selector = selectors.DefaultSelector()
    for each in committers:
        selector.register(each.stream, selectors.EVENT_READ, each)
    taken_ms: list[float] = []
    begin, cpu = time.perf_counter(), brokers.servers.cpu_s()
    sent = received = 0
    if rate is None:
        for each in committers:
            each.send(begin)
        sent = COMMITTERS
    while (passed := time.perf_counter() - begin) < SECONDS or received < sent:
        if passed > LOADED_TIMEOUT_S:
            raise TimeoutError(f"{sent - received} of {sent} commits are not answered")
        while rate is not None and sent < min(passed, SECONDS) * rate:
            committers[sent % COMMITTERS].send(begin + sent / rate)
            sent += 1
        for key, _ in selector.select(0.001):
            due, late_ms = key.data.take()
            received += 1
            if due - begin > WARM_S:
                taken_ms.append(late_ms)
            if rate is None and passed < SECONDS:
                key.data.send(time.perf_counter())
                sent += 1
    seconds, cpu = time.perf_counter() - begin, brokers.servers.cpu_s() - cpu
    selector.close()
    for each in committers:
        each.stream.close()
    taken_ms.sort()
    what = f"{COMMITTERS} committers" if rate is None else f"{rate} commits of {size} a second"
    return {
        f"{what}: p50, ms": percentile(taken_ms, 0.5),
        f"{what}: p99, ms": percentile(taken_ms, 0.99),
        f"{what}: cores": cpu / seconds,
        f"{what}: a second": received / seconds,
    }


# -- many groups in one partition -----------------------------------------------------------------------------------


def loading(implementation: str, folder: Path, groups: int) -> Measurements:
    """So many groups in one partition; its leader stops, and another broker reads them."""
    with Brokers(implementation, folder, 3, ONE_PARTITION) as brokers:
        brokers.servers.create(TOPIC, 1)
        address = brokers.coordinator("g-0", GROUPS)
        _first_commit(address)
        begin = time.perf_counter()
        _fill(address, groups)
        filled_s = time.perf_counter() - begin
        leader = _leader(brokers)
        resident = resident_mib(leader.process.pid)
        others = [node for node in brokers.nodes if node is not leader]
        before = {node.node_id: resident_mib(node.process.pid) for node in others}
        stopping = threading.Thread(target=leader.stop)
        begin = time.perf_counter()
        stopping.start()
        heir, moved_at, loaded_at = _taken_over(others, f"g-{groups - 1}")
        stopping.join()
        return {
            "filled, commits a second": groups / filled_s,
            "SIGTERM until another one coordinates, s": moved_at - begin,
            "from then until it has loaded, s": loaded_at - moved_at,
            "memory of the one that took commits, MiB": resident,
            "memory of the other one before, MiB": before[heir.node_id],
            "memory of the other one loaded, MiB": resident_mib(heir.process.pid),
        }


def _fill(address: str, groups: int) -> None:
    """Commit an offset for each group, over many connections: a broker serves the requests of one in turn."""
    selector = selectors.DefaultSelector()
    left = iter(range(groups))
    for number in islice(left, FILLERS):
        stream = connected(address)
        selector.register(stream, selectors.EVENT_READ, Responses(stream))
        stream.sendall(_commit(f"g-{number}", 1))
    done = 0
    while done < groups:
        for key, _ in selector.select(LOADED_TIMEOUT_S):
            _check_committed(key.data.next())
            done += 1
            assert isinstance(key.fileobj, socket.socket)
            for number in islice(left, 1):
                key.fileobj.sendall(_commit(f"g-{number}", 1))
    for key in tuple(selector.get_map().values()):
        assert isinstance(key.fileobj, socket.socket)
        key.fileobj.close()
    selector.close()


def _leader(brokers: Brokers) -> Node:
    found = described(brokers.nodes[0].bootstrap_server, [OFFSETS_TOPIC])
    ((_, partition),) = found.items()
    return next(node for node in brokers.nodes if node.node_id == partition.leader_id)


def _taken_over(nodes: Sequence[Node], group_id: str) -> tuple[Node, float, float]:
    """Ask all for an offset, again and again, until one has it. Returns that one, and when it said for the first time
    that it coordinates, and that it has loaded the groups."""
    moved_at: dict[int, float] = {}
    until = time.perf_counter() + LOADED_TIMEOUT_S
    with ExitStack() as stack:
        clients = [(node, stack.enter_context(connect(node.bootstrap_server))) for node in nodes]
        while time.perf_counter() < until:
            for node, client in clients:
                code = _fetched(client, group_id)
                now = time.perf_counter()
                if code in (ErrorCode.NONE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS):
                    moved_at.setdefault(node.node_id, now)
                if code == ErrorCode.NONE:
                    return node, moved_at[node.node_id], now
            time.sleep(POLL_S)
    raise TimeoutError("nobody has loaded the groups")


def _fetched(client: Client, group_id: str) -> int:
    topic = OffsetFetchRequest.Topics(name=TOPIC, partition_indexes=[0])
    group = OffsetFetchRequest.Group(group_id=group_id, topics=[topic])
    response = client.send(OffsetFetchRequest(groups=[group]), version=FETCH_VERSION)
    assert isinstance(response, OffsetFetchResponse)
    (found,) = response.groups
    if not found.error_code:
        assert found.topics[0].partitions[0].committed_offset == COMMITTED, "the commit is there"
    return found.error_code
