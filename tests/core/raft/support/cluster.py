"""Several machines, a network between them and one clock: the quorum as a whole, small enough to follow by eye.

Every message takes a millisecond, every write one, unless a link is cut or a disk is stalled. What happens is written
into ``transcript``, but for the fetches of a healthy quorum.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from kafkaproto_server.core.raft.describe.core import describe_effects, describe_state
from kafkaproto_server.core.raft.describe.messages import describe_message
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.effects import SendRequest
from kafkaproto_server.core.raft.values.events import (
    Event,
    RequestFailed,
    RequestFailure,
    RequestReceived,
    ResponseReceived,
    Tick,
)
from kafkaproto_server.core.raft.values.messages import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    Destination,
    FetchedBatch,
    FetchRequest,
    FetchResponse,
    FetchSnapshotResponse,
    InboundResponse,
    OutboundResponse,
    PendingFetchResponse,
    PendingFetchSnapshotResponse,
)
from tests.core.raft.support.machine import Disk, Machine

LATENCY_MS = 1
REQUEST_TIMEOUT_MS = 2000


class Cluster:
    """Machines by node id."""

    def __init__(self) -> None:
        self.now_ms = 1000
        self.machines: dict[int, Machine] = {}
        self.running: dict[int, None] = {}
        self.cut: dict[tuple[int, int], None] = {}
        """Directed links on which everything is lost."""
        self.stalled: dict[int, None] = {}
        """Nodes whose disks finish nothing."""
        self.transcript: list[str] = []
        self.shows_fetches = False
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._sequence = 0
        self._outstanding: dict[tuple[int, int, int], SendRequest] = {}
        """By asking node, its life and its request id: requests that are not over."""
        self._lives: dict[int, int] = {}
        self._inbound: dict[int, tuple[int, int, int, int]] = {}
        """By inbound request id: (asking node, its life, its request id, asked node)."""
        self._next_inbound = 1
        self._told: dict[int, tuple[str, int, int]] = {}
        self._persisting: dict[int, None] = {}

    # -- making it -----------------------------------------------------------------------------------------------------

    def add(self, settings: RaftConfig, disk: Disk) -> Machine:
        machine = Machine(settings, disk)
        if self.machines:
            machine.known_snapshots = next(iter(self.machines.values())).known_snapshots
        self.machines[settings.key.id] = machine
        return machine

    def start(self, node_id: int) -> None:
        self.running[node_id] = None
        self._lives[node_id] = self._lives.get(node_id, 0) + 1
        machine = self.machines[node_id]
        machine.now_ms = self.now_ms
        machine.start()
        self._collect(node_id)

    def kill(self, node_id: int) -> None:
        """End a node's process without a word; its peers' connections break."""
        del self.running[node_id]
        self._told.pop(node_id, None)
        self.machines[node_id].crash()
        for key, sent in list(self._outstanding.items()):
            if sent.destination.port == node_id:
                self._fail_later(LATENCY_MS, key, RequestFailure.DISCONNECTED)
            elif key[0] == node_id:
                del self._outstanding[key]

    def break_connections(self, one: int, other: int) -> None:
        """Break what connections there are between two nodes; new ones work."""
        for key, sent in list(self._outstanding.items()):
            if (key[0], sent.destination.port) in ((one, other), (other, one)):
                self._fail_later(LATENCY_MS, key, RequestFailure.DISCONNECTED)

    # -- running it ----------------------------------------------------------------------------------------------------

    def run(self, elapsed_ms: int) -> None:
        """Let time pass."""
        end_ms = self.now_ms + elapsed_ms
        steps = 0
        while (next_ms := self._next_ms()) is not None and next_ms <= end_ms:
            self.now_ms = max(self.now_ms, next_ms)
            self._step()
            steps += 1
            assert steps < 100 * elapsed_ms + 10_000, "time does not pass"
        self.now_ms = end_ms

    def do(self, node_id: int, action: Callable[[Machine], None]) -> None:
        """Let something happen to a node."""
        machine = self.machines[node_id]
        machine.now_ms = self.now_ms
        action(machine)
        self._collect(node_id)
        deadline_ms = machine.node.next_deadline_ms()
        if node_id in self.running and (deadline_ms is None or deadline_ms > self.now_ms):
            machine.handle(Tick())
            early = machine.node.take_effects()
            assert early is None, f"node {node_id} does what is not due: {describe_effects(early)}"

    def tell(self, node_id: int, event: Event) -> None:
        """Hand an event to a node."""
        self.do(node_id, lambda machine: machine.handle(event))

    def stall(self, node_id: int) -> None:
        self.stalled[node_id] = None

    def unstall(self, node_id: int) -> None:
        del self.stalled[node_id]
        self._schedule_persist(node_id)

    def states(self) -> list[str]:
        return [
            f"{node_id}: {describe_state(self.machines[node_id].node)}" for node_id in sorted(self.running)
        ]

    def leaders(self) -> list[int]:
        return [
            node_id
            for node_id in sorted(self.running)
            if self.machines[node_id].node.state.name.value == "leader"
        ]

    # -- one step ------------------------------------------------------------------------------------------------------

    def _next_ms(self) -> int | None:
        due = [self._agenda[0][0]] if self._agenda else []
        for node_id in self.running:
            deadline_ms = self.machines[node_id].node.next_deadline_ms()
            if deadline_ms is not None:
                due.append(deadline_ms)
        return min(due, default=None)

    def _step(self) -> None:
        if self._agenda and self._agenda[0][0] <= self.now_ms:
            heapq.heappop(self._agenda)[2]()
            return
        for node_id in sorted(self.running):
            deadline_ms = self.machines[node_id].node.next_deadline_ms()
            if deadline_ms is not None and deadline_ms <= self.now_ms:
                self.tell(node_id, Tick())
                left_ms = self.machines[node_id].node.next_deadline_ms()
                assert left_ms is None or left_ms > self.now_ms, (
                    f"node {node_id} wakes up and leaves something undone"
                )

    def _later(self, delay_ms: int, action: Callable[[], None]) -> None:
        self._sequence += 1
        heapq.heappush(self._agenda, (self.now_ms + delay_ms, self._sequence, action))

    def _collect(self, node_id: int) -> None:
        """Take a node's effects, and see to it that they are applied."""
        machine = self.machines[node_id]
        while machine.take() is not None:
            while machine.unsynced and not machine.unsynced[0].must_persist:
                machine.persist()
        self._send(node_id)
        self._schedule_persist(node_id)
        self._note_state(node_id)
        if machine.is_stopped and node_id in self.running:
            self.transcript.append(f"{node_id} stops")
            self.kill(node_id)

    def _schedule_persist(self, node_id: int) -> None:
        if (
            self.machines[node_id].unsynced
            and node_id not in self.stalled
            and node_id not in self._persisting
        ):
            self._persisting[node_id] = None
            life = self._lives[node_id]
            self._later(LATENCY_MS, lambda: self._persist(node_id, life))

    def _persist(self, node_id: int, life: int) -> None:
        del self._persisting[node_id]
        machine = self.machines[node_id]
        if node_id not in self.running:
            return
        if life == self._lives[node_id] and node_id not in self.stalled and machine.unsynced:
            machine.now_ms = self.now_ms
            machine.persist()
        self._collect(node_id)

    def _note_state(self, node_id: int) -> None:
        state = self.machines[node_id].node.state
        told = (state.name.value, state.epoch, state.leader_id)
        if self._told.get(node_id) != told:
            self._told[node_id] = told
            self.transcript.append(
                f"{node_id} is {state.name.value} epoch={state.epoch} leader={state.leader_id}"
            )

    # -- messages ------------------------------------------------------------------------------------------------------

    def _send(self, node_id: int) -> None:
        machine = self.machines[node_id]
        requests, machine.requests = machine.requests, []
        responses, machine.responses = machine.responses, []
        for sent in requests:
            self._send_request(node_id, sent)
        for response in responses:
            asked_by = self._inbound.pop(response.request_id, None)
            if asked_by is None:
                machine.responses.append(response)
            else:
                self._send_response(asked_by, response.response)

    def _send_request(self, node_id: int, sent: SendRequest) -> None:
        key = (node_id, self._lives[node_id], sent.request_id)
        self._outstanding[key] = sent
        target = sent.destination.port
        self._show(f"{node_id}->{target} {describe_message(sent.request)}", sent.request)
        if (node_id, target) in self.cut or (target, node_id) in self.cut:
            self._fail_later(REQUEST_TIMEOUT_MS, key, RequestFailure.TIMED_OUT)
        elif target not in self.running or not self._listens_at(sent.destination):
            self._fail_later(LATENCY_MS, key, RequestFailure.REFUSED)
        else:
            self._later(LATENCY_MS, lambda: self._deliver(key, target))
            self._fail_later(REQUEST_TIMEOUT_MS, key, RequestFailure.TIMED_OUT)

    def _listens_at(self, destination: Destination) -> bool:
        """Whether the node is at this host; the names of bootstrap servers follow it wherever it goes."""
        (endpoint,) = self.machines[destination.port].settings.endpoints or (None,)
        return destination.id < 0 or endpoint is None or endpoint.host == destination.host

    def _deliver(self, key: tuple[int, int, int], target: int) -> None:
        sent = self._outstanding.get(key)
        if sent is None or target not in self.running or (key[0], target) in self.cut:
            return
        if isinstance(sent.request, ApiVersionsRequest):
            self._respond(key, target, ApiVersionsResponse(max_kraft_version=1))
            return
        inbound_id = self._next_inbound
        self._next_inbound += 1
        self._inbound[inbound_id] = (*key, target)
        event = RequestReceived(request_id=inbound_id, request=sent.request, listener_name="CONTROLLER")
        self.tell(target, event)

    def _send_response(self, asked_by: tuple[int, int, int, int], response: OutboundResponse) -> None:
        *key, target = asked_by
        self._respond((key[0], key[1], key[2]), target, self._as_response(target, response))

    def _respond(self, key: tuple[int, int, int], target: int, response: InboundResponse) -> None:
        node_id, life, request_id = key
        sent = self._outstanding.get(key)
        if sent is None or (target, node_id) in self.cut:
            return
        self._show(f"{target}->{node_id} {describe_message(response)}", sent.request)

        def arrive() -> None:
            if self._outstanding.pop(key, None) is not None and self._lives[node_id] == life:
                event = ResponseReceived(request_id=request_id, response=response)
                self.tell(node_id, event)

        self._later(LATENCY_MS, arrive)

    def _fail_later(self, delay_ms: int, key: tuple[int, int, int], failure: RequestFailure) -> None:
        self._later(delay_ms, lambda: self._fail(key, failure))

    def _fail(self, key: tuple[int, int, int], failure: RequestFailure) -> None:
        node_id, life, request_id = key
        if self._outstanding.pop(key, None) is None or node_id not in self.running:
            return
        if self._lives[node_id] == life:
            event = RequestFailed(request_id=request_id, failure=failure)
            self.tell(node_id, event)

    def _as_response(self, target: int, response: OutboundResponse) -> InboundResponse:
        """What an answer is at the other end of the wire."""
        machine = self.machines[target]
        match response:
            case PendingFetchResponse():
                batches: tuple[FetchedBatch, ...] = ()
                if response.read is not None:
                    batches = tuple(
                        batch
                        for batch in machine.tail
                        if response.read.offset <= batch.base_offset < response.read.end_offset
                    )
                return FetchResponse(
                    error=response.error,
                    leader=response.leader,
                    leader_endpoint=response.leader_endpoint,
                    high_watermark=response.high_watermark,
                    diverging=response.diverging,
                    snapshot=response.snapshot,
                    batches=batches,
                )
            case PendingFetchSnapshotResponse():
                data = b""
                if response.read is not None:
                    end = response.read.position + response.read.length
                    data = machine.disk.snapshots[response.read.snapshot].data[response.read.position : end]
                return FetchSnapshotResponse(
                    error=response.error,
                    leader=response.leader,
                    leader_endpoint=response.leader_endpoint,
                    snapshot=response.snapshot,
                    size=response.size,
                    position=response.position,
                    data=data,
                )
            case _:
                return response

    def _show(self, line: str, request: object) -> None:
        if self.shows_fetches or not isinstance(request, FetchRequest):
            self.transcript.append(line)


def destination(node_id: int) -> Destination:
    """A bootstrap server that is this node; in a cluster a node's port is its id."""
    return Destination(id=-1 - node_id, host="127.0.0.1", port=node_id)
