"""Clients that cost next to nothing, so that what is measured is the broker: frames made once, sockets, no library.

Every batch that is written has the same size and number of records, so a reader knows the next offset from the size
of what it got.
"""

from __future__ import annotations

import os
import selectors
import socket
import struct
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench._writers import RefusedWriteError
from kafkaproto.api import api_by_key
from kafkaproto.client import parse_servers
from kafkaproto.error_codes import describe
from kafkaproto.headers import encode_request_header
from kafkaproto.message import Message
from kafkaproto.messages import FetchRequest, FetchResponse, ProduceRequest, ProduceResponse
from kafkaproto.records.batch import build_batch

PRODUCE_VERSION = 9
"""The newest that names topics, which tansu wants."""
FETCH_VERSION = 12
TIMEOUT_MS = 30_000
IN_FLIGHT = 5
"""Requests, as many as the clients' default allows."""
CHUNK_BYTES = 1 << 20
SOCKET_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Batches:
    """What is written: batches of records that are all the same."""

    record_bytes: int
    batch_bytes: int
    data: bytes = field(init=False)
    records: int = field(init=False)

    def __post_init__(self) -> None:
        count = max(1, self.batch_bytes // self.record_bytes)
        value = os.urandom(self.record_bytes)
        data = build_batch([(None, value, ())] * count, base_offset=0, timestamp_ms=int(time.time() * 1000))
        object.__setattr__(self, "data", data)
        object.__setattr__(self, "records", count)


def frame(request: Message, version: int) -> bytes:
    """A whole request with correlation id 1."""
    assert request.API_KEY is not None
    header = encode_request_header(
        api_key=request.API_KEY, api_version=version, correlation_id=1, client_id="bench"
    )
    body = request.encode(version)
    return struct.pack(">i", len(header) + len(body)) + header + body


def produce_frame(topic: str, index: int, records: bytes, acks: int) -> bytes:
    """One batch for one partition."""
    data = ProduceRequest.PartitionProduceData(index=index, records=records)
    topic_data = ProduceRequest.TopicProduceData(name=topic, partition_data=[data])
    request = ProduceRequest(acks=acks, timeout_ms=TIMEOUT_MS, topic_data=[topic_data])
    return frame(request, PRODUCE_VERSION)


def fetch_frame(topic: str, index: int, offset: int, max_bytes: int) -> bytes:
    """Records of one partition, outside of any session; waits for nothing."""
    partition = FetchRequest.FetchPartition(
        partition=index, fetch_offset=offset, partition_max_bytes=max_bytes, current_leader_epoch=-1
    )
    request = FetchRequest(
        max_wait_ms=0,
        min_bytes=1,
        max_bytes=max_bytes,
        topics=[FetchRequest.FetchTopic(topic=topic, partitions=[partition])],
    )
    return frame(request, FETCH_VERSION)


def connected(address: str) -> socket.socket:
    """A blocking connection. Raises OSError."""
    ((host, port),) = parse_servers(address)
    stream = socket.create_connection((host, port), timeout=SOCKET_TIMEOUT_S)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return stream


class Responses:
    """Responses of one connection, one after the other, in a buffer that is used again."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._buffer = bytearray(CHUNK_BYTES)
        self._held = 0

    def next(self) -> memoryview:
        """The next whole response without its size, valid until the next call. Raises EOFError, OSError."""
        size = struct.unpack(">i", self._have(4))[0]
        self._held = 0
        return self._have(size)

    def _have(self, size: int) -> memoryview:
        if size > len(self._buffer):
            self._buffer = bytearray(size)
        view = memoryview(self._buffer)
        while self._held < size:
            received = self._stream.recv_into(view[self._held : size])
            if not received:
                raise EOFError("the broker closed the connection")
            self._held += received
        self._held = 0
        return view[:size]


def write(
    address: str, topic: str, partitions: int, batches: Batches, *, total_bytes: int, acks: int
) -> None:
    """Write that much, evenly to the partitions, over one connection. Raises RefusedWriteError, EOFError, OSError."""
    frames = [produce_frame(topic, index, batches.data, acks) for index in range(partitions)]
    write_frames(address, frames, total_bytes // len(batches.data))


def write_frames(address: str, frames: Sequence[bytes], count: int) -> None:
    """Send so many Produce requests, the frames in turn. Raises RefusedWriteError, EOFError, OSError."""
    with connected(address) as stream:
        responses = Responses(stream)
        waiting: deque[int] = deque()
        for number in range(count):
            if len(waiting) == IN_FLIGHT:
                _check_written(responses.next())
                waiting.popleft()
            stream.sendall(frames[number % len(frames)])
            waiting.append(number)
        for _ in waiting:
            _check_written(responses.next())


def _check_written(response: memoryview) -> int:
    """The base offset. Raises RefusedWriteError."""
    body, _ = ProduceResponse.decode(
        response, PRODUCE_VERSION, _header_bytes(ProduceRequest, PRODUCE_VERSION)
    )
    (topic,) = body.responses
    (partition,) = topic.partition_responses
    if partition.error_code:
        raise RefusedWriteError(describe(partition.error_code).name)
    return partition.base_offset


def _header_bytes(request: type[Message], version: int) -> int:
    assert request.API_KEY is not None
    api = api_by_key(request.API_KEY)
    assert api is not None
    return 4 + (api.response_header_version(version) >= 1)


def fetched_bytes(response: memoryview) -> int:
    """How many bytes of records a response has. Raises LookupError for an error in it."""
    body, _ = FetchResponse.decode(response, FETCH_VERSION, _header_bytes(FetchRequest, FETCH_VERSION))
    if body.error_code:
        raise LookupError(describe(body.error_code).name)
    ((partition,),) = (topic.partitions for topic in body.responses)
    if partition.error_code:
        raise LookupError(describe(partition.error_code).name)
    records = partition.records
    assert not isinstance(records, list), "what was decoded is one buffer"
    return 0 if records is None else len(records)


class Reader:
    """A consumer of one partition that begins anew when it has read all."""

    def __init__(self, address: str, topic: str, index: int, batches: Batches, max_bytes: int) -> None:
        self.stream = connected(address)
        self._responses = Responses(self.stream)
        self._place = (topic, index)
        self._batches = batches
        self._max_bytes = max_bytes
        self._offset = 0
        self.received_bytes = 0

    def ask(self) -> None:
        """Send the next request."""
        self.stream.sendall(fetch_frame(*self._place, self._offset, self._max_bytes))

    def take(self) -> int:
        """Read a response; returns how many bytes of records it has. Raises EOFError, LookupError, OSError."""
        size = fetched_bytes(self._responses.next())
        self.received_bytes += size
        # What is cut short at the end is read again.
        whole = size // len(self._batches.data)
        self._offset = self._offset + whole * self._batches.records if whole else 0
        return size


def read_all(readers: Sequence[Reader], seconds: float) -> float:
    """Have all read for so long. Returns MB a second of all together."""
    selector = selectors.DefaultSelector()
    for reader in readers:
        selector.register(reader.stream, selectors.EVENT_READ, reader)
        reader.ask()
    begin = time.perf_counter()
    while (passed := time.perf_counter() - begin) < seconds:
        for key, _ in selector.select(1):
            key.data.take()
            key.data.ask()
    for reader in readers:
        reader.take()
        reader.stream.close()
    selector.close()
    return sum(reader.received_bytes for reader in readers) / passed / 1e6


class Visitor:
    """A connection that writes a record and reads it back, each once in a while."""

    def __init__(self, address: str, topic: str, index: int, records: bytes) -> None:
        self.stream = connected(address)
        self._responses = Responses(self.stream)
        self._place = (topic, index)
        self._frame = produce_frame(topic, index, records, acks=-1)
        self._offset: int | None = None
        self.begun_at = 0.0
        self.taken_ms: list[float] = []
        """From request to response, produce and fetch in turn."""

    def begin(self) -> None:
        """Write a record."""
        self._offset = None
        self._send(self._frame)

    def go_on(self) -> bool:
        """Take a response, and read the record if it was written. Returns whether it is done for now."""
        response = self._responses.next()
        self.taken_ms.append((time.perf_counter() - self.begun_at) * 1000)
        if self._offset is None:
            self._offset = _check_written(response)
            self._send(fetch_frame(*self._place, self._offset, CHUNK_BYTES))
            return False
        fetched_bytes(response)
        return True

    def _send(self, data: bytes) -> None:
        self.begun_at = time.perf_counter()
        self.stream.sendall(data)
