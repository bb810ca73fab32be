"""The network between replicas, and between them and clients. It delays, loses, repeats, reorders and cuts messages.

It also models how the sender's driver notices a failure: a dead process refuses connections, its death breaks the
connections that it had, and silence ends in a time-out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kafkaproto_server.core.raft.values.effects import SendRequest, SendResponse
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import (
    RequestFailed,
    RequestFailure,
    RequestReceived,
    ResponseReceived,
)
from kafkaproto_server.core.raft.values.messages import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    Destination,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    InboundResponse,
    OutboundRequest,
    PendingFetchResponse,
    PendingFetchSnapshotResponse,
)
from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.replica_log import LogBatch

if TYPE_CHECKING:
    from tests.sim.replica import Replica
    from tests.sim.unknown_node import UnknownNode
    from tests.sim.world import World

REQUEST_TIMEOUT_US = 2_000_000
CLIENT_DELAY_US = 200
LISTENER = "CONTROLLER"
UNKNOWN_HOST = "unknown"
"""The address of a node that belongs to no cluster."""
BALANCED = ("balancer", 9093)
"""An address that leads to any controller, as a load balancer's does."""

TOP_LEVEL_ERRORS = (
    RaftError.INCONSISTENT_CLUSTER_ID,
    RaftError.INVALID_REQUEST,
    RaftError.UNKNOWN_SERVER_ERROR,
    RaftError.CLUSTER_AUTHORIZATION_FAILED,
)


class Flight:
    """One request on its way, until its sender knows the result. A client's request has a callback
    instead of a source.
    """

    __slots__ = ("done", "is_over", "lane", "life", "number", "request", "source", "target", "target_life")

    def __init__(
        self,
        source: Replica | None,
        number: int,
        request: OutboundRequest,
        done: Callable[[InboundResponse | None], None] | None = None,
    ) -> None:
        self.source = source
        self.life = source.life if source is not None else 0
        self.number = number
        self.request = request
        self.done = done
        self.lane: tuple[str, int, bool] | None = None
        self.target: Replica | None = None
        self.target_life = 0
        self.is_over = False


class Network:
    """Every message of a run."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._random = world.rng.random
        self._options = world.options
        self.addresses: dict[tuple[str, int], Replica] = {}
        self.blocked: set[tuple[int, int]] = set()
        """(from, to) of the links that pass nothing on."""
        self.refusing: set[tuple[int, int]] = set()
        """(from, to) of the links on which connections are refused, as by a firewall."""
        self.is_healed = False
        self.messages = 0
        self.unknown_node: UnknownNode | None = None

    # -- requests ------------------------------------------------------------------------------------------------

    def send(self, source: Replica, notice: SendRequest) -> None:
        """A replica's core sends a request."""
        request = notice.request
        self._world.messages.asked(source, request)
        destination = notice.destination
        kind = type(request)
        is_fetch = kind is FetchRequest or kind is FetchSnapshotRequest
        flight = Flight(source, notice.request_id, request)
        flight.lane = (destination.host, destination.port, is_fetch)
        if flight.lane in source.busy_lanes:
            raise ViolationError(
                Invariant.ONE_RESPONSE, f"node {source.id} has two requests on lane {flight.lane}"
            )
        source.busy_lanes.add(flight.lane)
        source.flights[flight.number] = flight
        self._world.after(REQUEST_TIMEOUT_US, self._time_out, flight)
        if destination.host == UNKNOWN_HOST and self.unknown_node is not None:
            response = self.unknown_node.respond(source, request)
            if response is not None:
                self._world.after(self.delay_us(), self._respond, (flight, response))
            return
        self._dispatch(flight, self._target_of(destination))

    def call(
        self, target: Replica, request: OutboundRequest, done: Callable[[InboundResponse | None], None]
    ) -> Flight:
        """A client sends a request. Its callback gets None if no response comes."""
        flight = Flight(None, 0, request, done)
        self._world.after(2 * REQUEST_TIMEOUT_US, self._time_out, flight)
        self._dispatch(flight, target)
        return flight

    def _target_of(self, destination: Destination) -> Replica | None:
        address = (destination.host, destination.port)
        if address == BALANCED:
            controllers = list(self.addresses.values())
            return controllers[int(self._random() * len(controllers))]
        return self.addresses.get(address)

    def _dispatch(self, flight: Flight, target: Replica | None) -> None:
        if target is None:
            self._world.after(self.delay_us(), self._refuse, flight)
            return
        source = flight.source
        flight.target = target
        flight.target_life = target.life
        if source is None:
            self._world.after(CLIENT_DELAY_US, self._deliver, flight)
            return
        if self.is_lost(source.id, target.id):
            return
        if not target.is_up or (self.refusing and (source.id, target.id) in self.refusing):
            if not target.is_host_down:
                self._world.after(self.delay_us(), self._refuse, flight)
            elif self._random() < 0.5:
                self._world.after(self.delay_us() + int(self._random() * 1_000_000), self._lose_way, flight)
            return
        self._world.after(self.delay_us(), self._deliver, flight)
        if self._options.duplicates and self._random() < self._options.duplicates and not self.is_healed:
            self._world.after(3 * self.delay_us(), self._deliver, flight)

    def is_lost(self, source_id: int, target_id: int) -> bool:
        """Whether the next message on a link does not arrive."""
        self.messages += 1
        if self.blocked and (source_id, target_id) in self.blocked:
            return True
        loss = self._options.loss
        return loss > 0 and not self.is_healed and self._random() < loss

    def delay_us(self) -> int:
        """How long the next message takes."""
        options = self._options
        chance = self._random()
        if self.is_healed:
            return 100 + int(chance * options.latency_us)
        if options.stragglers and chance < options.stragglers:
            return int(self._random() * 4_000_000)
        return 50 + int(chance * 2 * options.latency_us)

    def _deliver(self, flight: Flight) -> None:
        target = flight.target
        assert target is not None
        if not target.is_up or target.life != flight.target_life:
            if not target.is_host_down:
                self.fail(flight, RequestFailure.DISCONNECTED)
            return
        if target.is_paused:
            target.inbox.append((self._deliver, flight))
            return
        if type(flight.request) is ApiVersionsRequest:
            self._return(flight, target, ApiVersionsResponse(min_kraft_version=0, max_kraft_version=1))
            return
        target.requests_served += 1
        number = target.requests_served
        target.serving[number] = (flight, self._world.now)
        target.handle(
            RequestReceived(request_id=number, request=flight.request, listener_name=LISTENER)  # type: ignore[arg-type]
        )

    # -- answers -------------------------------------------------------------------------------------------------

    def answer(self, target: Replica, notice: SendResponse) -> None:
        """A replica's core responds to a request."""
        served = target.serving.pop(notice.request_id, None)
        if served is None:
            raise ViolationError(Invariant.ONE_RESPONSE, f"node {target.id} answers twice: {notice}")
        flight = served[0]
        core_response = notice.response
        self._world.messages.answered(target, flight.request, core_response)  # type: ignore[arg-type]
        response: InboundResponse
        if type(core_response) is PendingFetchResponse:
            response = self._fetched(target, core_response)
        elif type(core_response) is PendingFetchSnapshotResponse:
            response = self._fetched_snapshot(target, core_response)
        else:
            response = core_response  # type: ignore[assignment]
        self._return(flight, target, response)

    def _fetched(self, target: Replica, response: PendingFetchResponse) -> FetchResponse:
        read = response.read
        batches: tuple[LogBatch, ...] = ()
        if read is not None:
            batches = target.disk.log.read(read.offset, read.end_offset, read.max_bytes)
            self._world.logs.read(target, batches)
        return FetchResponse(
            error=response.error,
            leader=response.leader,
            leader_endpoint=response.leader_endpoint,
            high_watermark=response.high_watermark,
            diverging=response.diverging,
            snapshot=response.snapshot,
            batches=batches,
        )

    def _fetched_snapshot(
        self, target: Replica, response: PendingFetchSnapshotResponse
    ) -> FetchSnapshotResponse:
        read = response.read
        data = b""
        error = response.error
        if read is not None:
            snapshot = target.disk.snapshots.get(read.snapshot)
            if snapshot is None:
                error = RaftError.SNAPSHOT_NOT_FOUND
            else:
                assert response.size == len(snapshot.content), f"size {response.size} of {snapshot.id}"
                data = snapshot.content[read.position : read.position + read.length]
                if self._options.corrupt_chunks and self._random() < self._options.corrupt_chunks:
                    data = data if self.is_healed else b"?" * len(data)
        return FetchSnapshotResponse(
            error=error,
            leader=response.leader,
            leader_endpoint=response.leader_endpoint,
            snapshot=response.snapshot,
            size=response.size,
            position=response.position,
            data=data,
        )

    def _return(self, flight: Flight, target: Replica, response: InboundResponse) -> None:
        source = flight.source
        if source is None:
            if not flight.is_over:
                self._world.after(self.delay_us(), self._finish_call, (flight, response))
            return
        if self.is_lost(target.id, source.id):
            return
        self._world.after(self.delay_us(), self._respond, (flight, response))
        if self._options.duplicates and self._random() < self._options.duplicates and not self.is_healed:
            self._world.after(3 * self.delay_us(), self._respond, (flight, response))

    def _respond(self, arrival: tuple[Flight, InboundResponse]) -> None:
        flight, response = arrival
        source = flight.source
        assert source is not None
        if source.life != flight.life or not source.is_up:
            return
        if source.is_paused:
            source.inbox.append((self._respond, arrival))
            return
        if flight.is_over:
            if self._options.late_responses:
                source.handle(ResponseReceived(request_id=flight.number, response=response))
            return
        if (
            self._options.bad_responses
            and not self.is_healed
            and self._random() < self._options.bad_responses
        ):
            self._spoil(flight)
            return
        self._end(flight)
        source.handle(ResponseReceived(request_id=flight.number, response=response))

    def _spoil(self, flight: Flight) -> None:
        if self._random() < 0.5:
            self.fail(flight, RequestFailure.BAD_RESPONSE)
        else:
            error = TOP_LEVEL_ERRORS[int(self._random() * len(TOP_LEVEL_ERRORS))]
            self.fail(flight, RequestFailure.TOP_LEVEL_ERROR, error)

    def _finish_call(self, arrival: tuple[Flight, InboundResponse]) -> None:
        flight, response = arrival
        if not flight.is_over:
            flight.is_over = True
            assert flight.done is not None
            flight.done(response)

    # -- ends without an answer ----------------------------------------------------------------------------------

    def fail(self, flight: Flight, failure: RequestFailure, error: RaftError = RaftError.NONE) -> None:
        """Tell the sender that no response will come, unless it knows already."""
        if flight.is_over:
            return
        source = flight.source
        if source is None:
            flight.is_over = True
            assert flight.done is not None
            flight.done(None)
            return
        if source.life != flight.life or not source.is_up:
            return
        if source.is_paused:
            source.inbox.append((self._refail, (flight, failure)))
            return
        self._end(flight)
        source.handle(RequestFailed(request_id=flight.number, failure=failure, error=error))

    def _refail(self, failed: tuple[Flight, RequestFailure]) -> None:
        self.fail(*failed)

    def _refuse(self, flight: Flight) -> None:
        self.fail(flight, RequestFailure.REFUSED)

    def _lose_way(self, flight: Flight) -> None:
        self.fail(flight, RequestFailure.UNREACHABLE)

    def _time_out(self, flight: Flight) -> None:
        if flight.is_over:
            self._world.idle += 1
        else:
            self.fail(flight, RequestFailure.TIMED_OUT)

    def _disconnect(self, flight: Flight) -> None:
        self.fail(flight, RequestFailure.DISCONNECTED)

    @staticmethod
    def _end(flight: Flight) -> None:
        flight.is_over = True
        source = flight.source
        assert source is not None
        assert flight.lane is not None
        source.busy_lanes.discard(flight.lane)
        source.flights.pop(flight.number, None)

    def process_died(self, dead: Replica) -> None:
        """The connections of a dead process break for every sender that waits for a response, if its
        host still lives.
        """
        if dead.is_host_down:
            return
        for flight, _ in dead.serving.values():
            if flight.source is None or (dead.id, flight.source.id) not in self.blocked:
                self._world.after(self.delay_us(), self._disconnect, flight)

    def break_links(self, first: Replica, second: Replica) -> None:
        """Every connection between two replicas breaks; what is on its way may arrive or not."""
        for source, target in ((first, second), (second, first)):
            for flight in source.flights.values():
                if flight.target is target:
                    self._world.after(self.delay_us(), self._disconnect, flight)
