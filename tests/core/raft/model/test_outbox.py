"""What may be told when: the two rules of order.

Tests: `core.raft.values.effects`.
"""

from __future__ import annotations

import pytest

from kafkaproto_server.base.types import LeaderAndEpoch
from kafkaproto_server.core.raft.model.outbox import RaftOutbox
from kafkaproto_server.core.raft.values.effects import (
    HighWatermarkAdvanced,
    LeaderChanged,
    LeadershipLost,
    PendingBatch,
    SendRequest,
    SendResponse,
    TruncateLog,
    WriteElectionState,
)
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.messages import ApiVersionsRequest, Destination, VoterChangeResponse

NOBODY = LeaderAndEpoch(leader_id=-1, epoch=0)
REQUEST = SendRequest(
    request_id=1, destination=Destination(id=2, host="127.0.0.1", port=2), request=ApiVersionsRequest()
)
RESPONSE = SendResponse(request_id=1, response=VoterChangeResponse())
STATE = WriteElectionState(state=ElectionState(epoch=1), kraft_version=1, voter_ids=())


def outbox(*, syncs_log: bool = True) -> RaftOutbox:
    made = RaftOutbox(durable_end_offset=10, syncs_log=syncs_log)
    made.take(NOBODY)
    return made


def batch(offset: int, count: int = 1) -> PendingBatch:
    return PendingBatch(base_offset=offset, epoch=1, records=(b"",) * count)


def test_a_message_goes_at_once_where_nothing_has_to_be_durable_before() -> None:
    box = outbox()
    box.send(RESPONSE, after_log=True)
    effects = box.take(NOBODY)
    assert effects is not None
    assert effects.notify_now == (RESPONSE,)
    assert not effects.must_persist
    assert box.take(NOBODY) is None


def test_a_message_waits_for_an_election_state_queued_before_or_on_its_way() -> None:
    box = outbox()
    number = box.write_election_state(STATE)
    box.send(RESPONSE, after_log=False)
    effects = box.take(NOBODY)
    assert effects is not None
    assert (effects.number, effects.notify_now, effects.notify_after_persist) == (number, (), (RESPONSE,))
    box.send(RESPONSE, after_log=False)
    later = box.take(NOBODY)
    assert later is not None
    assert later.notify_after_persist == (RESPONSE,)
    box.mark_persisted(number)
    box.send(RESPONSE, after_log=False)
    last = box.take(NOBODY)
    assert last is not None
    assert last.notify_now == (RESPONSE,)


def test_only_what_promises_the_log_waits_for_log_writes() -> None:
    box = outbox()
    box.append(batch(10))
    box.send(RESPONSE, after_log=False)
    box.send(RESPONSE, after_log=True)
    effects = box.take(NOBODY)
    assert effects is not None
    assert (effects.notify_now, effects.notify_after_persist) == ((RESPONSE,), (RESPONSE,))
    assert effects.must_sync
    assert box.has_unpersisted
    box.mark_persisted(effects.number)
    assert not box.has_unpersisted


def test_a_node_that_never_votes_leaves_syncing_to_its_operating_system() -> None:
    box = outbox(syncs_log=False)
    box.append(batch(10))
    box.truncate(10)
    effects = box.take(NOBODY)
    assert effects is not None
    assert not effects.must_sync
    assert effects.must_persist


def test_durable_is_what_persisted_effects_brought_and_no_truncation_took() -> None:
    box = outbox()
    box.append(batch(10, 2))
    box.append(batch(12, 3))
    first = box.take(NOBODY)
    box.truncate(13)
    box.append(batch(13, 7))
    second = box.take(NOBODY)
    assert first is not None
    assert second is not None
    assert second.writes == (TruncateLog(end_offset=13), batch(13, 7))
    assert box.durable_end_offset == 10
    box.mark_persisted(first.number)
    assert box.durable_end_offset == 13
    box.mark_persisted(second.number)
    assert box.durable_end_offset == 20
    box.truncate(11)
    assert box.durable_end_offset == 11


def test_a_truncation_makes_nothing_durable_that_is_still_being_written() -> None:
    box = outbox()
    box.append(batch(10, 2))
    first = box.take(NOBODY)
    box.append(batch(12, 8))
    box.take(NOBODY)
    box.truncate(15)
    assert first is not None
    box.mark_persisted(first.number)
    assert box.durable_end_offset == 12


def test_an_installed_snapshot_is_durable_at_once() -> None:
    box = outbox()
    box.append(batch(10))
    effects = box.take(NOBODY)
    assert effects is not None
    box.log_replaced(80)
    assert box.durable_end_offset == 80
    box.mark_persisted(effects.number)
    assert box.durable_end_offset == 80


def test_a_lost_leadership_is_told_after_it_was_told_that_it_was_won() -> None:
    box = outbox()
    number = box.write_election_state(STATE)
    box.take(NOBODY)
    lost = LeadershipLost(epoch=1)
    box.notify_lost(lost, number)
    assert box.take(NOBODY) is None
    box.mark_persisted(number)
    effects = box.take(NOBODY)
    assert effects is not None
    assert effects.notify_now == (lost,)
    box.notify_lost(lost, number)
    again = box.take(NOBODY)
    assert again is not None
    assert again.notify_now == (lost,)


def test_a_lost_leadership_waits_for_its_own_effects_only() -> None:
    box = outbox()
    first = box.write_election_state(STATE)
    box.take(NOBODY)
    second = box.write_election_state(STATE)
    box.take(NOBODY)
    lost = LeadershipLost(epoch=2)
    box.notify_lost(lost, second)
    box.mark_persisted(first)
    assert box.take(NOBODY) is None
    box.mark_persisted(second)
    effects = box.take(NOBODY)
    assert effects is not None
    assert effects.notify_now == (lost,)


def test_a_leader_is_told_first_and_only_when_it_is_news() -> None:
    box = RaftOutbox(durable_end_offset=0, syncs_log=True)
    box.notify_after_persist(HighWatermarkAdvanced(offset=1))
    effects = box.take(NOBODY)
    assert effects is not None
    assert effects.notify_after_persist == (LeaderChanged(leader=NOBODY), HighWatermarkAdvanced(offset=1))
    assert box.take(NOBODY) is None
    assert box.take(LeaderAndEpoch(leader_id=2, epoch=0)) is not None


def test_effects_are_persisted_after_they_were_taken_and_once() -> None:
    box = outbox()
    with pytest.raises(AssertionError, match="effects 2 were persisted before they were taken"):
        box.mark_persisted(2)
    box.append(batch(10))
    box.take(NOBODY)
    box.mark_persisted(2)
    with pytest.raises(AssertionError, match="effects 2 were persisted twice"):
        box.mark_persisted(2)


@pytest.mark.parametrize("writes_more", [False, True])
def test_it_is_known_whether_a_request_waits_for_the_disk(writes_more: bool) -> None:
    box = outbox()
    first = box.write_election_state(STATE)
    box.take(NOBODY)
    box.send(RESPONSE, after_log=False)
    assert not box.holds_request_back
    box.send(REQUEST, after_log=False)
    assert box.holds_request_back
    if writes_more:
        box.append(batch(10))
    effects = box.take(NOBODY)
    assert effects is not None
    assert effects.notify_after_persist == (RESPONSE, REQUEST)
    assert box.holds_request_back
    box.mark_persisted(first)
    assert box.holds_request_back == writes_more
    if writes_more:
        box.mark_persisted(effects.number)
        assert not box.holds_request_back
    box.send(REQUEST, after_log=True)
    assert not box.holds_request_back
