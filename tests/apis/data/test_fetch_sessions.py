"""Fetch sessions whose topic is deleted, and made anew. What the errors are was compared with a node of Apache Kafka
4.4.0 (`tests/compat/test_same_fetch_sessions.py`)."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import FetchRequest
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from tests.apis.support.data_broker import ME, OTHER, DataBroker, wanted

READ_T = (Operation.READ, ResourceType.TOPIC, "t")
GONE, OTHER_ID, NO_ID = (
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.INCONSISTENT_TOPIC_ID,
    ErrorCode.UNKNOWN_TOPIC_ID,
)


@pytest.mark.parametrize("is_follower", [False, True])
def test_a_session_is_told_that_its_topic_is_gone_or_is_another_one(
    broker: DataBroker, is_follower: bool
) -> None:
    # The sequence of errors, and what waits, as a node of Apache Kafka 4.4.0 has it.
    sender: dict[str, Any] = {
        "replica_state": FetchRequest.ReplicaState(replica_id=OTHER if is_follower else -1)
    }
    old = broker.fetch_request(("t", [wanted()]), session_epoch=0, max_wait_ms=0, **sender)
    with_id = old.topics
    session_id = broker.ask(old, 17).session_id
    epoch = 0

    def errors() -> list[int]:
        nonlocal epoch
        epoch += 1
        asked = FetchRequest(session_id=session_id, session_epoch=epoch, max_wait_ms=500, **sender)
        (found,) = broker.send(asked, 17)
        return [each.error_code for topic in found.responses for each in topic.partitions]

    broker.delete_topic("t")
    assert [errors() for _ in range(2)] == [[GONE], [GONE]]
    broker.topic("t", [ME, OTHER])
    assert [errors() for _ in range(2)] == [[OTHER_ID], [OTHER_ID]]
    broker.delete_topic("t")
    assert errors() == [GONE]
    # Who asks without the session, or begins one with the old id, cannot have known its name.
    for session_epoch in (-1, 0):
        asked = FetchRequest(session_id=0, session_epoch=session_epoch, topics=with_id, **sender)
        found = broker.ask(asked, 17)
        assert found.responses[0].partitions[0].error_code == NO_ID
    session_id, epoch = found.session_id, 0
    assert errors() == [NO_ID]


def test_a_topic_that_goes_while_a_fetch_waits_is_gone(broker: DataBroker) -> None:
    for session_epoch in (-1, 0):
        broker.topic("w", [ME])
        asked = broker.fetch_request(("w", [wanted()]), session_epoch=session_epoch, max_wait_ms=500)
        found = broker.send(asked, 17)
        assert not found
        broker.delete_topic("w")
        (partition,) = found[0].responses[0].partitions
        assert partition.error_code == GONE


def test_what_a_sender_may_not_read_is_not_told_to_be_gone(broker: DataBroker) -> None:
    broker.allow(READ_T)
    session_id = broker.ask(broker.fetch_request(("t", [wanted()]), session_epoch=0), 17).session_id
    broker.delete_topic("t")
    broker.allow((Operation.READ, ResourceType.TOPIC, "other"))
    found = broker.ask(FetchRequest(session_id=session_id, session_epoch=1), 17)
    assert found.responses[0].partitions[0].error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
