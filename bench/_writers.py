"""A load of writes to one controller: each writer has a connection and one request in flight on it.

Requests are encoded once; a writer only patches a counter of fixed width into its copy and looks at one error code in
the answer. That keeps the load at some 20 microseconds of processor time a write, a small part of what a server needs
for it; `Load.busy` tells how much of a core it took.
"""

from __future__ import annotations

import selectors
import socket
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kafkaproto.api import api_by_key
from kafkaproto.client import parse_servers
from kafkaproto.error_codes import describe
from kafkaproto.headers import encode_request_header
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)

COUNTER_DIGITS = 10
TIMEOUT_MS = 30_000
CREATE_TOPICS_VERSION = 7
ALTER_CONFIGS_VERSION = 1
TOPIC_RESOURCE = 2
BROKER_RESOURCE = 4
SETTLE_S = 0.2
_MARK_CODE = 0x5A5A
"""Stands for the error code while its place in the answer is being looked for."""
_FIRST_COUNT = 10 ** (COUNTER_DIGITS - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A request frame with a counter in it, and where its answer has the error code."""

    head: bytes
    tail: bytes
    error_offset: int
    """From the start of the answer's frame, after the size."""

    def frame(self, number: int) -> bytes:
        """The request with this counter, size and header included."""
        return b"%b%010d%b" % (self.head, _FIRST_COUNT + number, self.tail)


def _template(request: Message, version: int, counter: str, response: Message) -> Template:
    assert request.API_KEY is not None
    api = api_by_key(request.API_KEY)
    assert api is not None
    header = encode_request_header(
        api_key=request.API_KEY, api_version=version, correlation_id=1, client_id="bench"
    )
    frame = header + request.encode(version)
    head, tail = frame.split(counter.encode())
    header_size = 4 + (api.response_header_version(version) >= 1)
    error_offset = header_size + response.encode(version).index(struct.pack(">h", _MARK_CODE))
    return Template(head=struct.pack(">i", len(frame)) + head, tail=tail, error_offset=error_offset)


def create_topics(prefix: str) -> Template:
    """CreateTopics of one topic of one partition on one broker, its name PREFIX-COUNTER."""
    counter = "7" * COUNTER_DIGITS
    name = f"{prefix}-{counter}"
    topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
    response = CreateTopicsResponse.CreatableTopicResult(name=name, error_code=_MARK_CODE)
    return _template(
        CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS),
        CREATE_TOPICS_VERSION,
        counter,
        CreateTopicsResponse(topics=[response]),
    )


def alter_topic(topic: str) -> Template:
    """IncrementalAlterConfigs that sets retention.ms of a topic to the counter: always another value."""
    return _alter_config(TOPIC_RESOURCE, topic, "retention.ms")


def alter_broker_default() -> Template:
    """IncrementalAlterConfigs that sets log.retention.ms of all brokers to the counter; needs no broker, no topic."""
    return _alter_config(BROKER_RESOURCE, "", "log.retention.ms")


def _alter_config(resource_type: int, resource_name: str, key: str) -> Template:
    counter = "7" * COUNTER_DIGITS
    config = IncrementalAlterConfigsRequest.AlterableConfig(name=key, config_operation=0, value=counter)
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=resource_type, resource_name=resource_name, configs=[config]
    )
    response = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse(
        error_code=_MARK_CODE, error_message=None, resource_type=resource_type, resource_name=resource_name
    )
    return _template(
        IncrementalAlterConfigsRequest(resources=[resource]),
        ALTER_CONFIGS_VERSION,
        counter,
        IncrementalAlterConfigsResponse(responses=[response]),
    )


class RefusedWriteError(Exception):
    """A write was answered with an error."""


class Writer:
    """One connection with at most one request in flight."""

    def __init__(self, address: str, template: Template, next_number: Callable[[], int]) -> None:
        ((host, port),) = parse_servers(address)
        self.socket = socket.create_connection((host, port), timeout=TIMEOUT_MS / 1000)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent_at = 0.0
        self.is_waiting = False
        self._template = template
        self._next_number = next_number
        self._received = b""

    def write(self) -> None:
        """Send the next write."""
        assert not self.is_waiting, "the write before has no answer yet"
        self.is_waiting = True
        frame = self._template.frame(self._next_number())
        self.sent_at = time.perf_counter()
        self.socket.sendall(frame)

    def answer(self) -> int | None:
        """Take in what has arrived: the answer's error code, or None while it is not whole.

        Raises ConnectionError where the server closed.
        """
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionResetError("the server closed the connection")
        self._received += data
        received = self._received
        if len(received) < 4 or len(received) < 4 + int.from_bytes(received[:4]):
            return None
        self._received = b""
        self.is_waiting = False
        code: int = struct.unpack_from(">h", received, 4 + self._template.error_offset)[0]
        return code

    def close(self) -> None:
        """Hang up."""
        self.socket.close()


@dataclass(slots=True, kw_only=True)
class Load:
    """What one measured stretch gave."""

    seconds: float
    latencies_ms: list[float] = field(default_factory=list)
    """Of each write that was answered in it, ascending."""
    busy: float
    """Share of one core that the load itself took."""

    @property
    def writes_per_second(self) -> float:
        """Acknowledged writes a second."""
        return len(self.latencies_ms) / self.seconds

    def percentile_ms(self, share: float) -> float:
        """The latency that this share of the writes did not exceed."""
        return percentile(self.latencies_ms, share)


def percentile(ascending: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all do not exceed; NaN of nothing."""
    if not ascending:
        return float("nan")
    return ascending[min(len(ascending) - 1, int(share * len(ascending)))]


def run_load(
    writers: Sequence[Writer],
    *,
    warm_up_s: float,
    measured_s: float,
    at_start: Callable[[], None] = lambda: None,
    at_end: Callable[[], None] = lambda: None,
) -> Load:
    """Have all writers write without pause; raises RefusedWriteError for any answer but success.

    ``at_start`` and ``at_end`` are called around the measured stretch, while the load goes on.
    """
    selector = selectors.DefaultSelector()
    for writer in writers:
        selector.register(writer.socket, selectors.EVENT_READ, writer)
        writer.write()
    _drive(selector, warm_up_s, None)
    at_start()
    # What waited meanwhile is not counted.
    _drive(selector, SETTLE_S, None)
    latencies: list[float] = []
    begin, begin_cpu = time.perf_counter(), time.thread_time()
    _drive(selector, measured_s, latencies)
    seconds, cpu = time.perf_counter() - begin, time.thread_time() - begin_cpu
    at_end()
    _finish(selector)
    return Load(seconds=seconds, latencies_ms=sorted(each * 1000 for each in latencies), busy=cpu / seconds)


def _drive(selector: selectors.BaseSelector, seconds: float, latencies: list[float] | None) -> None:
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        for key, _ in selector.select(left):
            writer: Writer = key.data
            code = writer.answer()
            if code is None:
                continue
            _check(code)
            if latencies is not None:
                latencies.append(time.perf_counter() - writer.sent_at)
            writer.write()


def _finish(selector: selectors.BaseSelector) -> None:
    """Wait for the answers that are still due, so that the writers can be used again."""
    while any(key.data.is_waiting for key in selector.get_map().values()):
        for key, _ in selector.select():
            code = key.data.answer()
            if code is not None:
                _check(code)
    selector.close()


def _check(code: int) -> None:
    if code:
        raise RefusedWriteError(f"a write was answered with {describe(code).name}")
