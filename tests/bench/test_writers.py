"""The benchmark's own requests and arithmetic, beside the library's codecs and answers written by hand."""

from __future__ import annotations

import socket
import struct
from itertools import count

import pytest

from bench._scrape import CommitSplit, longest_stall_ms
from bench._writers import (
    ALTER_CONFIGS_VERSION,
    CREATE_TOPICS_VERSION,
    RefusedWriteError,
    Template,
    Writer,
    alter_broker_default,
    alter_topic,
    create_topics,
    percentile,
    run_load,
)
from bench.failover import gap_ms
from kafkaproto.connection import IncomingRequest, ServerConnection
from kafkaproto.headers import encode_response_header
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)


def received(frame: bytes) -> IncomingRequest:
    """The frame as a server reads it."""
    connection = ServerConnection(lambda api_key: (0, 99), max_request_size=1000)
    connection.receive(frame)
    event = connection.next_event()
    assert isinstance(event, IncomingRequest)
    return event


def test_a_writer_of_topics_asks_for_another_one_each_time() -> None:
    template = create_topics("t")
    for number in (0, 1, 12345):
        event = received(template.frame(number))
        request, end = CreateTopicsRequest.decode(event.frame, event.api_version, event.body_offset)
        assert end == len(event.frame)
        assert [(topic.name, topic.num_partitions) for topic in request.topics] == [(f"t-1{number:09d}", 1)]


@pytest.mark.parametrize(
    ("template", "resource"), [(alter_topic("x"), (2, "x")), (alter_broker_default(), (4, ""))]
)
def test_a_writer_of_configs_sets_another_value_each_time(
    template: Template, resource: tuple[int, str]
) -> None:
    for number in (0, 7):
        event = received(template.frame(number))
        request, end = IncrementalAlterConfigsRequest.decode(
            event.frame, event.api_version, event.body_offset
        )
        assert end == len(event.frame)
        (altered,) = request.resources
        assert (altered.resource_type, altered.resource_name) == resource
        assert [config.value for config in altered.configs] == [str(10**9 + number)]


def test_the_error_code_is_found_in_real_responses() -> None:
    name = "t-1000000003"
    topic = CreateTopicsResponse.CreatableTopicResult(name=name, topic_id=b"\x07" * 16, error_code=36)
    created = CreateTopicsResponse(topics=[topic]).encode(CREATE_TOPICS_VERSION)
    result = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse(
        error_code=40, error_message="no", resource_type=2, resource_name="x"
    )
    altered = IncrementalAlterConfigsResponse(responses=[result]).encode(ALTER_CONFIGS_VERSION)
    for template, body, code in ((create_topics("t"), created, 36), (alter_topic("x"), altered, 40)):
        frame = encode_response_header(1, 1) + body
        assert struct.unpack_from(">h", frame, template.error_offset) == (code,)


class Answering:
    """A listening socket whose connections are answered by hand."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        numbers = count()
        self.writer = Writer(self.address, alter_broker_default(), lambda: next(numbers))
        self.peer, _ = self._server.accept()

    def __enter__(self) -> Answering:
        return self

    def __exit__(self, *reason: object) -> None:
        self.writer.close()
        self.peer.close()
        self._server.close()

    @staticmethod
    def answer(code: int) -> bytes:
        result = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse(
            error_code=code, error_message=None, resource_type=4, resource_name=""
        )
        body = IncrementalAlterConfigsResponse(responses=[result]).encode(ALTER_CONFIGS_VERSION)
        frame = encode_response_header(1, 1) + body
        return struct.pack(">i", len(frame)) + frame


def test_a_response_in_pieces_is_taken_when_it_is_whole() -> None:
    with Answering() as server:
        server.writer.write()
        assert received(server.peer.recv(1000)).api_key == IncrementalAlterConfigsRequest.API_KEY
        response = server.answer(41)
        for position in range(len(response) - 1):
            server.peer.sendall(response[position : position + 1])
            assert server.writer.answer() is None
        server.peer.sendall(response[-1:])
        assert server.writer.is_waiting
        assert server.writer.answer() == 41
        assert not server.writer.is_waiting


def test_a_server_that_hangs_up_is_noticed() -> None:
    with Answering() as server:
        server.writer.write()
        server.peer.close()
        with pytest.raises(ConnectionError):
            server.writer.answer()


def test_a_load_ends_at_the_first_refusal() -> None:
    with Answering() as server:
        # It is there before it is asked for, which a writer cannot know.
        server.peer.sendall(server.answer(41))
        with pytest.raises(RefusedWriteError, match="NOT_CONTROLLER"):
            run_load([server.writer], warm_up_s=5, measured_s=5)


def test_percentiles_are_values_that_occurred() -> None:
    values = [float(value) for value in range(1, 101)]
    assert [percentile(values, share) for share in (0.0, 0.5, 0.99, 1.0)] == [1, 51, 100, 100]
    assert percentile([7.0], 0.99) == 7


def test_the_gap_is_the_longest_time_without_an_acknowledgement_from_the_signal_on() -> None:
    acknowledged = [(9.0, 1), (9.9, 1), (10.1, 1), (10.5, 2), (10.6, 2)]
    assert gap_ms(10.0, acknowledged) == pytest.approx(400)
    assert gap_ms(10.0, [(9.0, 1), (10.7, 2)]) == pytest.approx(700)


def test_a_commits_time_is_split_into_parts_that_add_up() -> None:
    def page(requests: int) -> dict[str, float]:
        return {
            'kafka_network_requestmetrics_totaltimems_sum{request="CreateTopics"}': 10.0 * requests,
            'kafka_network_requestmetrics_totaltimems_count{request="CreateTopics"}': requests,
            "kafka_server_raft_metrics_commit_latency_sum": 7.0 * requests,
            "kafka_server_raft_metrics_commit_latency_count": requests,
            "kafkaproto_raft_persist_time_ms_sum": 4.0 * requests,
            "kafkaproto_raft_persist_time_ms_count": requests,
            "kafka_log_logflushstats_logflushrateandtimems_count": requests / 2,
            "kafka_server_raft_metrics_append_records_total": 2.0 * requests,
        }

    split = CommitSplit.between("CreateTopics", page(100), page(300))
    assert (split.append, split.sync, split.replication, split.records_per_sync) == (3.0, 4.0, 3.0, 4.0)


def test_the_longest_stall_between_two_pages_is_that_of_the_highest_bucket_that_grew() -> None:
    def page(*numbers: float) -> dict[str, float]:
        bounds = ("10.0", "50.0", "100.0", "+Inf")
        return {
            f'kafkaproto_event_loop_stall_ms_bucket{{le="{bound}"}}': number
            for bound, number in zip(bounds, numbers, strict=True)
        }

    assert longest_stall_ms(page(5, 6, 7, 7), page(9, 11, 12, 12)) == 50
    assert longest_stall_ms(page(5, 6, 7, 7), page(5, 6, 7, 7)) == 0
