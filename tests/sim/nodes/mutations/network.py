"""Broken rules of connections and of what goes over them, to clients, to controllers and to names."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import trio

from kafkaproto import connection
from kafkaproto.connection import ServerConnection
from kafkaproto_server.base.file_part import as_buffers
from kafkaproto_server.core.broker.lifecycle import BrokerLifecycle
from kafkaproto_server.node import node
from kafkaproto_server.requests.context import Encoded
from kafkaproto_server.shell.broker import directory_watch
from kafkaproto_server.shell.net import listener
from kafkaproto_server.shell.net.admission import AdmissionLimits, Door
from kafkaproto_server.shell.net.listener import Acceptor
from kafkaproto_server.shell.net.memory import RequestMemory, UnreadResponses
from kafkaproto_server.shell.net.peers import PeerChannel
from kafkaproto_server.shell.net.pump import Pump
from kafkaproto_server.shell.net.response_writer import ResponseWriter
from kafkaproto_server.shell.to_controller import forwarding
from kafkaproto_server.shell.to_controller.channel import ControllerChannel
from kafkaproto_server.shell.to_controller.forwarding import Forwarder
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.mutations.mutation import Patches
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import node_mutation, nothing, one_in
from tests.sim.nodes.network import NetHost, SimNames
from tests.sim.nodes.threads import SimThreads


def _drops_the_rest_of_a_chunk() -> Patches:
    original = ResponseWriter.send_now

    def send_now(self: Any) -> None:
        original(self)
        if self.unsent and isinstance(self.unsent[0], memoryview):
            self.unsent.popleft()

    return [(ResponseWriter, "send_now", send_now)]


def _resumes_one_byte_early() -> Patches:
    original = ResponseWriter.send_rest

    async def send_rest(self: Any) -> None:
        first = self.unsent[0]
        if isinstance(first, memoryview) and isinstance(first.obj, bytes):
            self.unsent[0] = memoryview(first.obj)[len(first.obj) - len(first) - 1 :]
        await original(self)

    return [(ResponseWriter, "send_rest", send_rest)]


def _sends_a_response_twice() -> Patches:
    original = ServerConnection.send_response
    is_sent_twice = one_in(40)

    def send_response(self: Any, correlation_id: int, body: Any) -> Any:
        buffers = original(self, correlation_id, body)
        return [*buffers, *buffers] if is_sent_twice() else buffers

    return [(ServerConnection, "send_response", send_response)]


def _writes_another_correlation_id() -> Patches:
    original = vars(connection)["encode_response_header"]
    is_wrong = one_in(40)

    def encode_response_header(correlation_id: int, version: int) -> Any:
        return original(correlation_id + is_wrong(), version)

    return [(connection, "encode_response_header", encode_response_header)]


def _keeps_connections_of_gone_peers() -> Patches:
    return [(Pump, "_hang_up", nothing)]


def _keeps_memory_of_requests() -> Patches:
    original = RequestMemory.hold

    def hold(self: Any, holder: Any, size_bytes: int) -> None:
        if size_bytes:
            original(self, holder, size_bytes)

    return [(RequestMemory, "hold", hold)]


def _keeps_memory_of_responses() -> Patches:
    return [(UnreadResponses, "release", nothing)]


def _keeps_places() -> Patches:
    async def run_and_leave(_self: Any, run_connection: Any, incoming: Any, place: Any) -> None:
        await run_connection(incoming, place)

    return [(Acceptor, "_run_and_leave", run_and_leave)]


def _does_not_close_lost_connections() -> Patches:
    def disconnect(self: Any) -> None:
        self._stream = self._connection = None

    return [(PeerChannel, "_disconnect", disconnect)]


def _takes_late_responses() -> Patches:
    original = PeerChannel._disconnect

    def disconnect(self: Any) -> None:
        if not isinstance(sys.exception(), trio.Cancelled):
            original(self)

    return [(PeerChannel, "_disconnect", disconnect)]


def _stays_with_the_first_controller() -> Patches:
    original = ControllerChannel._connected_to_active

    def connected(self: Any) -> Any:
        return self._peer or original(self)

    async def wait(_self: Any, _peer: Any) -> None:
        # It would come back at once for ever, as there is another one.
        await trio.sleep_forever()

    return [
        (ControllerChannel, "_connected_to_active", connected),
        (ControllerChannel, "_wait_for_another", wait),
    ]


def _forgets_forwarded_requests() -> Patches:
    original = Forwarder._forward
    is_forgotten = one_in(10)

    async def forward(self: Any, *arguments: Any) -> None:
        if not is_forgotten():
            await original(self, *arguments)

    return [(Forwarder, "_forward", forward)]


def _keeps_tasks_of_forwarded_requests() -> Patches:
    original = Forwarder._forward

    async def forward(self: Any, *arguments: Any) -> None:
        await original(self, *arguments)
        await trio.sleep_forever()

    return [(Forwarder, "_forward", forward)]


def _loses_error_codes() -> Patches:
    original = forwarding._unwrap

    def unwrap(response: Any, request: Any, context: Any) -> Any:
        found = original(response, request, context)
        if not isinstance(found, Encoded):
            return found
        api = forwarding._api(context)
        inner, _ = api.response_class.decode(b"".join(as_buffers(found.buffers)), context.api_version, 0)
        for each in (inner, *getattr(inner, "topics", ())):
            if hasattr(each, "error_code"):
                each.error_code = 0
        return Encoded(buffers=[inner.encode(context.api_version)], errors=found.errors)

    return [(forwarding, "_unwrap", unwrap)]


def _claims_to_have_read_everything() -> Patches:
    original = BrokerLifecycle.next_request

    def next_request(self: Any, _metadata_offset: int, **more: Any) -> Any:
        return original(self, 2**60, **more)

    return [(BrokerLifecycle, "next_request", next_request)]


def _accepts_without_limit(place: Any) -> Patches:
    return [
        (node, "admission_limits", lambda _config: AdmissionLimits()),
        (place, "is_shortage", lambda _error: False),
    ]


def _closes_nobody_for_newcomers() -> Patches:
    return [(Door, "_make_room", lambda _self, _doors, **_: False)]


LOOKUP_S = 20.0
"""After which a system's resolver gives up."""


def _looks_up_names_in_threads_of_the_disk() -> Patches:
    """As `trio.open_tcp_stream` does by itself: each lookup takes one of the threads that all blocking work shares,
    until the resolver gives up."""
    original = SimThreads.__init__
    threads_of: dict[NetHost, SimThreads] = {}

    def init(self: Any, disk: Any, rng: Any, power_lost: Any) -> None:
        original(self, disk, rng, power_lost)
        threads_of[power_lost.__self__.net] = self

    class Names(SimNames):
        """Those of one host."""

        def __init__(self, host: NetHost) -> None:
            super().__init__(host.net)
            self._host = host

        async def tcp_addresses(self, host: str, port: int) -> list[tuple[Any, ...]]:
            """See `SimNames`."""
            threads = threads_of.get(self._host)
            if threads is not None and self._host.net.is_silent(host):
                place = object()
                await threads.places.acquire_on_behalf_of(place)
                # Nobody can call the thread back.
                self._host.net.timeline.after(LOOKUP_S, lambda: threads.places.release_on_behalf_of(place))
            return await super().tcp_addresses(host, port)

    return [
        (SimThreads, "__init__", init),
        (NetHost, "names", lambda self, _max_lookups: Names(self)),
    ]


MUTATIONS = (
    node_mutation(
        "drops the rest of a chunk",
        NodeInvariant.ACKNOWLEDGES_AT_LAST,
        _drops_the_rest_of_a_chunk,
        also=(NodeInvariant.WHOLE_RESPONSES, NodeInvariant.ONE_RESPONSE),
    ),
    node_mutation("resumes one byte early", NodeInvariant.WHOLE_RESPONSES, _resumes_one_byte_early),
    node_mutation("sends a response twice", NodeInvariant.WHOLE_RESPONSES, _sends_a_response_twice),
    node_mutation(
        "writes another correlation id", NodeInvariant.WHOLE_RESPONSES, _writes_another_correlation_id
    ),
    node_mutation(
        "keeps connections of gone peers", NodeInvariant.NOTHING_LEFT, _keeps_connections_of_gone_peers
    ),
    node_mutation("keeps memory of requests", NodeInvariant.NOTHING_LEFT, _keeps_memory_of_requests),
    node_mutation("keeps memory of responses", NodeInvariant.NOTHING_LEFT, _keeps_memory_of_responses),
    node_mutation("keeps places of connections", NodeInvariant.NOTHING_LEFT, _keeps_places),
    node_mutation(
        "does not close lost connections",
        NodeInvariant.NOTHING_LEFT,
        _does_not_close_lost_connections,
    ),
    node_mutation(
        "takes late responses for the next",
        NodeInvariant.NO_FAILURE,
        _takes_late_responses,
        also=(MetadataInvariant.LINEARIZABLE,),
    ),
    node_mutation(
        "stays with the first controller",
        NodeInvariant.READY_AT_LAST,
        _stays_with_the_first_controller,
        also=(NodeInvariant.NO_FAILURE, NodeInvariant.ONE_RESPONSE),
    ),
    node_mutation("forgets a forwarded request", NodeInvariant.ONE_RESPONSE, _forgets_forwarded_requests),
    node_mutation(
        "keeps tasks of forwarded requests",
        NodeInvariant.NOTHING_LEFT,
        _keeps_tasks_of_forwarded_requests,
    ),
    node_mutation("loses error codes", MetadataInvariant.LINEARIZABLE, _loses_error_codes),
    node_mutation(
        "says that it has read everything",
        NodeInvariant.UNFENCED_ONCE_READ,
        _claims_to_have_read_everything,
    ),
    node_mutation(
        "takes a shortage for a bad disk (S1)",
        NodeInvariant.NO_FAILURE,
        partial(_accepts_without_limit, directory_watch),
    ),
    node_mutation(
        "ends if it cannot accept (S1)",
        NodeInvariant.NO_FAILURE,
        partial(_accepts_without_limit, listener),
    ),
    node_mutation(
        "closes nobody for newcomers (S1)",
        NodeInvariant.NO_FAILURE,
        _closes_nobody_for_newcomers,
        also=(NodeInvariant.READY_AT_LAST, NodeInvariant.ACKNOWLEDGES_AT_LAST),
    ),
    node_mutation(
        "looks up names in its disks' threads (S13)",
        NodeInvariant.THREADS_ARE_FREE,
        _looks_up_names_in_threads_of_the_disk,
    ),
)
