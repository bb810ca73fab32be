"""The benchmark's members of groups, before a broker of a few lines."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from bench._members import CONSUMER_VERSION, HEARTBEAT_VERSION, ConsumerMembers, Crowd
from kafkaproto.message import Message
from kafkaproto.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    HeartbeatRequest,
    HeartbeatResponse,
)

TOPIC_ID = bytes(range(16))


def received(stream: socket.socket) -> bytes:
    """A request without its size."""
    head = stream.recv(4, socket.MSG_WAITALL)
    return b"" if len(head) < 4 else stream.recv(struct.unpack(">i", head)[0], socket.MSG_WAITALL)


def framed(response: Message, version: int) -> bytes:
    body = struct.pack(">iB", 1, 0) + response.encode(version)
    return struct.pack(">i", len(body)) + body


@contextmanager
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        yield listener


def test_responses_come_in_any_order_and_in_pieces() -> None:
    with listening() as listener:
        host, port = listener.getsockname()
        with closing(Crowd(f"{host}:{port}", 3)) as crowd:
            streams = [listener.accept()[0] for _ in range(3)]
            for number in range(3):
                crowd.send(number, HeartbeatRequest(group_id="g", member_id=f"m-{number}"), HEARTBEAT_VERSION)
            assert [b"m-%d" % number in received(stream) for number, stream in enumerate(streams)] == [
                True
            ] * 3
            late = framed(HeartbeatResponse(error_code=27), HEARTBEAT_VERSION)
            streams[1].sendall(late[:7])
            streams[2].sendall(framed(HeartbeatResponse(), HEARTBEAT_VERSION))
            assert crowd.receive([2]) == {2: HeartbeatResponse()}
            streams[1].sendall(late[7:])
            streams[0].sendall(framed(HeartbeatResponse(), HEARTBEAT_VERSION))
            assert crowd.receive() == {0: HeartbeatResponse(), 1: HeartbeatResponse(error_code=27)}
            for stream in streams:
                stream.close()
            with pytest.raises(EOFError):
                crowd.exchange({0: HeartbeatRequest()}, HEARTBEAT_VERSION)


def test_a_consumer_group_is_stable_once_all_own_their_share_in_one_epoch() -> None:
    """The second member owns nothing in epoch 1, and two partitions in epoch 2, when the first one has revoked them."""
    shares = [(1, [0, 1, 2, 3]), (1, []), (2, [0, 1]), (2, []), (2, None), (2, [2, 3]), (2, None), (2, None)]
    owned: list[list[int] | None] = []

    def serve(streams: list[socket.socket]) -> None:
        for turn, (epoch, partitions) in enumerate(shares):
            stream = streams[turn % 2]
            data = received(stream)
            request, _ = ConsumerGroupHeartbeatRequest.decode(data, CONSUMER_VERSION, 10 + len("bench") + 1)
            said = request.topic_partitions
            owned.append(None if said is None else [index for each in said for index in each.partitions])
            assignment = ConsumerGroupHeartbeatResponse.Assignment(
                topic_partitions=[
                    ConsumerGroupHeartbeatResponse.TopicPartitions(
                        topic_id=TOPIC_ID, partitions=partitions or []
                    )
                ]
            )
            response = ConsumerGroupHeartbeatResponse(
                member_epoch=epoch, assignment=None if partitions is None else assignment
            )
            stream.sendall(framed(response, CONSUMER_VERSION))

    with listening() as listener:
        host, port = listener.getsockname()
        with closing(Crowd(f"{host}:{port}", 2)) as crowd:
            streams = [listener.accept()[0] for _ in range(2)]
            thread = threading.Thread(target=serve, args=(streams,))
            thread.start()
            group = ConsumerMembers(crowd, "topic", 4)
            group.join(range(2))
            assert group.settle(10) == 3
            thread.join()
            for stream in streams:
                stream.close()
    assert owned == [[], [], [0, 1, 2, 3], [], [0, 1], [], None, [2, 3]]
