"""Fetch requests whose records are not in memory: a thread reads them."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.replicas.partition import Role
from tests.apis.data.test_fetch import write
from tests.apis.support.data_broker import ME, DataBroker, batch, only_partition, wanted
from tests.apis.support.replicas import cold
from tests.sim.disk import MemoryFile


def test_a_session_is_told_later_of_records_for_which_a_response_had_no_room(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.topic("other")
    full = broker.fetch_request(("t", [wanted()]), ("other", [wanted()]), session_epoch=0)
    session: dict[str, Any] = {"session_id": broker.ask(full, 18).session_id}
    sent = batch(b"a")
    for name in ("t", "other"):
        broker.produce(name, sent)
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    found = broker.ask(broker.fetch_request(**session, session_epoch=1, max_bytes=len(sent)), 18)
    (first,) = [each for each in found.responses if each.partitions[0].records]
    assert first.topic_id == broker.topic_id("t")
    found = broker.ask(broker.fetch_request(("t", [wanted(0, 1)]), **session, session_epoch=2), 18)
    (second,) = [each for each in found.responses if each.partitions[0].records]
    assert second.topic_id == broker.topic_id("other")


def test_records_that_are_deleted_before_a_thread_reads_them_are_out_of_range(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(broker, b"a", b"b")
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    broker.replicas.workers.hold()
    found = broker.send(broker.fetch_request(("t", [wanted()])), 18)
    (hosted,) = broker.replicas.manager.replicas
    assert hosted.log is not None
    hosted.log.move_start_to(1)
    broker.replicas.workers.release()
    assert only_partition(found[0].responses).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert hosted.partition.role is Role.LEADER


def test_what_a_thread_is_to_read_counts_for_the_limit_of_the_response(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.topic("two", [ME], [ME])
    (first,) = write(broker, b"a" * 500, name="two")
    (second,) = write(broker, b"b", name="two", index=1)
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    for limit, expected in ((len(first), b""), (len(first) + len(second), second)):
        request = broker.fetch_request(("two", [wanted(0), wanted(1)]), max_bytes=limit)
        (topic,) = broker.ask(request, 18).responses
        assert [bytes(each.records) for each in topic.partitions] == [first, expected]


def test_a_batch_that_a_thread_is_to_read_ends_the_wait_whatever_the_limits(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, _) = write(broker, b"a", b"b")
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    request = broker.fetch_request(("t", [wanted(partition_max_bytes=0)]), max_wait_ms=1000)
    (response,) = broker.send(request, 18)
    assert bytes(only_partition(response.responses).records) == first
