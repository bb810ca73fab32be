"""Share sessions: epochs, places, what a response has, and which connection they belong to.

Tests: `requests.share_requests`.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.share_partitions import sessions
from kafkaproto_server.core.share_partitions.sessions import SessionKey, ShareSessions, next_epoch, rotated
from kafkaproto_server.requests.share_requests import ShareError

ADA, BOB = SessionKey("g", "ada"), SessionKey("g", "bob")
P0, P1, P2 = ((b"t" * 16, index) for index in range(3))


def refusal(error: pytest.ExceptionInfo[ShareError]) -> ErrorCode:
    return error.value.code


def test_each_request_has_the_next_epoch() -> None:
    held = ShareSessions()
    held.begin(ADA, 1, [P0], 10)
    session = held.proceed(ADA, 1)
    assert session.epoch == 2
    for wrong in (1, 3, 0, -1):
        with pytest.raises(ShareError) as error:
            held.proceed(ADA, wrong)
        assert refusal(error) is ErrorCode.INVALID_SHARE_SESSION_EPOCH
    assert held.proceed(ADA, 2) is session
    with pytest.raises(ShareError) as error:
        held.proceed(BOB, 1)
    assert refusal(error) is ErrorCode.SHARE_SESSION_NOT_FOUND


def test_epochs_wrap_to_one() -> None:
    assert next_epoch(0) == 1
    assert next_epoch(2**31 - 2) == 2**31 - 1
    assert next_epoch(2**31 - 1) == 1


def test_places_are_few_and_a_member_that_begins_anew_needs_none_more() -> None:
    held = ShareSessions()
    held.begin(ADA, 1, [P0], 1)
    held.begin(ADA, 1, [P1], 1)
    assert list(held.check(ADA).partitions) == [P1]
    with pytest.raises(ShareError) as error:
        held.begin(BOB, 1, [P0], 1)
    assert refusal(error) is ErrorCode.SHARE_SESSION_LIMIT_REACHED
    held.remove(ADA)
    held.begin(BOB, 1, [P0], 1)


def test_sessions_together_name_only_so_many_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MAX_PARTITIONS", 3)
    held = ShareSessions()
    held.begin(ADA, 1, [P0, P1], 10)
    session = held.begin(BOB, 1, [P0], 10)
    with pytest.raises(ShareError) as error:
        held.update(session, [P2], [])
    assert refusal(error) is ErrorCode.SHARE_SESSION_LIMIT_REACHED
    held.remove(ADA)
    held.update(session, [P2], [P0])
    assert held.partition_count == len(session.partitions) == 1
    held.remove(BOB)
    assert held.partition_count == 0


def test_a_response_has_new_partitions_records_errors_and_the_end_of_errors() -> None:
    held = ShareSessions()
    session = held.begin(ADA, 1, [P0], 10)
    assert not session.must_say(P0, has_records=False, has_error=False)
    assert session.must_say(P0, has_records=True, has_error=False)
    held.update(session, [P0, P1], [])
    assert not session.must_say(P0, has_records=False, has_error=False)
    assert session.must_say(P1, has_records=False, has_error=False)
    assert not session.must_say(P1, has_records=False, has_error=False)
    assert session.must_say(P1, has_records=False, has_error=True)
    assert session.must_say(P1, has_records=False, has_error=False)
    assert not session.must_say(P1, has_records=False, has_error=False)


def test_sessions_are_found_by_their_connection_and_group() -> None:
    held = ShareSessions()
    held.begin(ADA, "one", [P0], 10)
    held.begin(BOB, "two", [P0], 10)
    held.begin(SessionKey("h", "ada"), "one", [P0], 10)
    assert held.of_connection("one") == [ADA, SessionKey("h", "ada")]
    held.remove(ADA)
    assert held.has_members("g")
    held.remove(BOB)
    assert not held.has_members("g")
    assert held.of_connection("two") == []
    assert held.remove(BOB) is None


def test_each_partition_is_first_at_times() -> None:
    assert [rotated([P0, P1, P2], epoch)[0] for epoch in range(5)] == [P0, P1, P2, P0, P1]
    assert rotated([P0], 5) == [P0]
    assert rotated([P0, P1], -1) == [P0, P1]


def test_a_session_keeps_the_names_of_its_topics_only() -> None:
    held = ShareSessions()
    session = held.begin(ADA, 1, [P0, P1, (b"u" * 16, 0)], 10)
    session.names = {b"t" * 16: "t", b"u" * 16: "u"}
    held.update(session, [], [P0, (b"u" * 16, 0)])
    assert session.names == {b"t" * 16: "t"}
