"""The real histories that other tests build on are what they promise: whole, at rest, with the kills in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkaproto.log import BatchScan, StopReason
from kafkaproto.message import Message
from kafkaproto.messages import BrokerRegistrationChangeRecord, LeaderChangeMessage, RegisterBrokerRecord
from kafkaproto.records.control import decode_control_record
from kafkaproto.records.metadata import decode_metadata_record
from tests.pipeline.histories import History

pytestmark = pytest.mark.slow


def messages(node: Path) -> tuple[list[tuple[int, int, Message]], int]:
    """(offset, epoch, message) of a log, and where its valid part ends; nothing in it is damaged."""
    data = (node / "__cluster_metadata-0" / f"{0:020}.log").read_bytes()
    found: list[tuple[int, int, Message]] = []
    scan = BatchScan(data)
    for batch in scan:
        for record in batch.records():
            if batch.is_control:
                message = decode_control_record(record.key, record.value)[1]
            else:
                message = decode_metadata_record(record.value or b"")[0]
            found.append((record.offset, batch.partition_leader_epoch, message))
    assert scan.stop_reason in (StopReason.END, StopReason.PARTIAL), scan.fault
    return found, scan.next_offset


def check(history: History) -> None:
    logs = [messages(node) for node in history.nodes.values()]
    committed = [[each for each in found if each[0] < history.high_watermark] for found, _ in logs]
    assert all(log == committed[0] for log in committed)
    assert all(end >= history.high_watermark for _, end in logs)
    (log, *_) = committed
    assert [offset for offset, _, _ in log] == list(range(history.high_watermark))
    leaders = [(epoch, each.leader_id) for _, epoch, each in log if isinstance(each, LeaderChangeMessage)]
    # On a busy machine the leader may be elected again before it is killed, but not after that: another one follows.
    assert any(
        leader_id == history.killed_leader for epoch, leader_id in leaders if epoch <= history.killed_in_epoch
    )
    following = [leader_id for epoch, leader_id in leaders if epoch > history.killed_in_epoch]
    assert following[0] != history.killed_leader
    lives: dict[bytes, int] = {}
    for offset, _, message in log:
        if isinstance(message, RegisterBrokerRecord) and message.broker_id == history.broker:
            # On a busy machine a broker may have to register again within a life.
            lives.setdefault(message.incarnation_id, offset)
    first, second = lives.values()
    changes = [
        (offset, message)
        for offset, _, message in log
        if isinstance(message, BrokerRegistrationChangeRecord) and message.broker_id == history.broker
    ]
    before = [message.fenced for offset, message in changes if first < offset < second and message.fenced]
    after = [message for offset, message in changes if offset > second]
    # Unfenced, and fenced when it was killed; unfenced again, and shut down in order.
    assert (before[0], before[-1]) == (-1, 1)
    assert next(message.fenced for message in after if message.fenced) == -1
    assert any(message.in_controlled_shutdown for message in after)
    for node in history.nodes.values():
        assert len(list((node / "__cluster_metadata-0").glob("*.checkpoint"))) >= 3


def test_our_cluster_left_what_it_promises(our_history: History) -> None:
    check(our_history)


@pytest.mark.jvm
def test_stock_cluster_left_what_it_promises(stock_history: History) -> None:
    check(stock_history)
