"""A broker's life towards the controllers, request by request (KIP-631)."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.headers import encode_request_header
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.core.broker.lifecycle import (
    REFUSALS_OF_A_GOODBYE,
    BrokerIdentity,
    BrokerLifecycle,
    BrokerState,
)

INTERVAL_MS = 2_000
SESSION_MS = 9_000
EPOCH = 0x1C
OFFSET = 0x1D
DIRECTORIES = (bytes([9]) * 16, bytes([7]) * 16)


def directories() -> LogDirectories:
    """Two that work."""
    return LogDirectories([LogDirectory(path=f"/{each[0]}", directory_id=each) for each in DIRECTORIES])


def start(**changes: Any) -> BrokerLifecycle:
    """Broker 11 at time 1000."""
    identity = BrokerIdentity(
        broker_id=11,
        cluster_id="MkU3OEVBNTcwNTJENDM2Qg",
        incarnation_id=bytes(range(16)),
        endpoints=(
            Endpoint(name="PLAINTEXT", host="localhost", port=9092),
            Endpoint(name="SECURE", host="localhost", port=9094, security_protocol=1),
        ),
        rack="r1",
        features={"metadata.version": (21, 30), "group.version": (0, 1)},
        previous_broker_epoch=247,
    )
    timing = {
        "directories": directories(),
        "heartbeat_interval_ms": INTERVAL_MS,
        "registration_timeout_ms": 60_000,
        "directory_failure_timeout_ms": 30_000,
        "session_timeout_ms": SESSION_MS,
        "now_ms": 1_000,
        **changes,
    }
    return BrokerLifecycle(identity, **timing)


def heartbeat(broker: BrokerLifecycle) -> BrokerHeartbeatRequest:
    """The next request, which must be a heartbeat."""
    request = broker.next_request(OFFSET)
    assert isinstance(request, BrokerHeartbeatRequest)
    return request


def answer(broker: BrokerLifecycle, now_ms: int, **fields: Any) -> None:
    """Ask for the next heartbeat and answer it."""
    heartbeat(broker)
    broker.handle_response(BrokerHeartbeatResponse(**fields), now_ms)


def registered() -> BrokerLifecycle:
    broker = start()
    broker.next_request(-1)
    broker.handle_response(BrokerRegistrationResponse(broker_epoch=EPOCH), 1_010)
    return broker


def running() -> BrokerLifecycle:
    broker = registered()
    answer(broker, 1_020, is_caught_up=True, is_fenced=True)
    answer(broker, 1_030, is_caught_up=True, is_fenced=False)
    assert broker.state is BrokerState.RUNNING
    return broker


def test_it_begins_with_a_registration_that_says_all_about_the_broker() -> None:
    broker = start()
    assert (broker.state, broker.broker_epoch, broker.due_ms) == (BrokerState.STARTING, None, 1_000)
    assert broker.next_request(-1) == BrokerRegistrationRequest(
        broker_id=11,
        cluster_id="MkU3OEVBNTcwNTJENDM2Qg",
        incarnation_id=bytes(range(16)),
        listeners=[
            BrokerRegistrationRequest.Listener(
                name="PLAINTEXT", host="localhost", port=9092, security_protocol=0
            ),
            BrokerRegistrationRequest.Listener(
                name="SECURE", host="localhost", port=9094, security_protocol=1
            ),
        ],
        features=[
            BrokerRegistrationRequest.Feature(
                name="group.version", min_supported_version=0, max_supported_version=1
            ),
            BrokerRegistrationRequest.Feature(
                name="metadata.version", min_supported_version=21, max_supported_version=30
            ),
        ],
        rack="r1",
        is_migrating_zk_broker=False,
        log_dirs=sorted(DIRECTORIES),
        previous_broker_epoch=247,
    )


def test_a_heartbeat_while_starting_has_stocks_bytes() -> None:
    """Version 2 without the tag for cordoned directories."""
    header = encode_request_header(api_key=63, api_version=2, correlation_id=2, client_id="11")
    assert header + heartbeat(registered()).encode(2) == bytes.fromhex(
        "003f00020000000200023131000000000b000000000000001c000000000000001d010000"
    )


def test_the_life_of_a_broker_from_registration_to_its_end() -> None:
    broker = registered()
    assert (broker.broker_epoch, broker.state, broker.due_ms) == (EPOCH, BrokerState.STARTING, 1_010)

    # Behind its own registration record: asks again soon.
    answer(broker, 1_015, is_caught_up=False, is_fenced=True)
    assert (broker.state, broker.due_ms) == (BrokerState.STARTING, 1_025)
    # Caught up: asks at once to be unfenced.
    answer(broker, 1_030, is_caught_up=True, is_fenced=True)
    assert (broker.state, broker.due_ms) == (BrokerState.RECOVERY, 1_030)
    request = heartbeat(broker)
    assert (request.want_fence, request.want_shut_down, request.cordoned_log_dirs) == (False, False, [])
    answer(broker, 1_040, is_caught_up=True, is_fenced=True)
    assert (broker.state, broker.due_ms) == (BrokerState.RECOVERY, 1_050)
    answer(broker, 1_060, is_caught_up=True, is_fenced=False)
    assert (broker.state, broker.due_ms) == (BrokerState.RUNNING, 3_060)

    # Alive.
    request = heartbeat(broker)
    assert (request.want_fence, request.want_shut_down, request.cordoned_log_dirs) == (False, False, [])
    assert (request.broker_id, request.broker_epoch, request.current_metadata_offset) == (11, EPOCH, OFFSET)
    answer(broker, 3_070, is_fenced=False)
    assert (broker.state, broker.due_ms) == (BrokerState.RUNNING, 5_070)

    # Leaves: at once, again after 50 ms, then at the usual pace.
    broker.request_shutdown(4_000)
    assert (broker.state, broker.due_ms) == (BrokerState.PENDING_CONTROLLED_SHUTDOWN, 4_000)
    request = heartbeat(broker)
    assert (request.want_fence, request.want_shut_down, request.cordoned_log_dirs) == (False, True, [])
    answer(broker, 4_010)
    assert (broker.state, broker.due_ms) == (BrokerState.PENDING_CONTROLLED_SHUTDOWN, 4_060)
    answer(broker, 4_070)
    assert broker.due_ms == 6_070
    answer(broker, 6_080, should_shut_down=True, is_fenced=True)
    assert broker.state is BrokerState.SHUTTING_DOWN
    assert broker.broker_epoch == EPOCH


def test_a_broker_that_the_controller_fenced_meanwhile_stays_as_it_is() -> None:
    """What fences a live broker is silence, and its next heartbeat undoes it."""
    broker = running()
    answer(broker, 2_000, is_fenced=True)
    assert broker.state is BrokerState.RUNNING
    assert not heartbeat(broker).want_fence


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.DUPLICATE_BROKER_REGISTRATION,
        ErrorCode.INCONSISTENT_CLUSTER_ID,
        ErrorCode.UNSUPPORTED_VERSION,
        ErrorCode.INVALID_REGISTRATION,
    ],
)
def test_a_refused_registration_is_sent_again_after_an_interval(code: ErrorCode) -> None:
    broker = start()
    first = broker.next_request(-1)
    broker.handle_response(BrokerRegistrationResponse(error_code=code), 1_500)
    assert (broker.last_refusal, broker.broker_epoch, broker.due_ms) == (code, None, 3_500)
    assert broker.next_request(-1) == first
    broker.handle_response(BrokerRegistrationResponse(broker_epoch=EPOCH), 3_600)
    assert (broker.last_refusal, broker.broker_epoch, broker.due_ms) == (0, EPOCH, 3_600)


def test_a_registration_is_overdue_once_the_next_try_would_come_too_late() -> None:
    broker = start(registration_timeout_ms=3_000)
    broker.handle_failure(3_900)
    assert not broker.is_registration_overdue
    broker.handle_failure(3_990)
    assert (broker.due_ms, broker.is_registration_overdue) == (4_000, True)


def test_a_broker_that_is_registered_is_never_overdue() -> None:
    broker = registered()
    broker.handle_failure(10**9)
    assert not broker.is_registration_overdue


@pytest.mark.parametrize("code", [ErrorCode.STALE_BROKER_EPOCH, ErrorCode.NOT_CONTROLLER])
def test_a_refused_heartbeat_is_sent_again_with_the_same_epoch(code: ErrorCode) -> None:
    for broker in (running(),) if code is ErrorCode.STALE_BROKER_EPOCH else (registered(), running()):
        state, first = broker.state, heartbeat(broker)
        broker.handle_response(BrokerHeartbeatResponse(error_code=code, is_fenced=True), 7_000)
        assert (broker.last_refusal, broker.state, broker.due_ms) == (code, state, 9_000)
        assert heartbeat(broker) == first


def test_a_broker_whose_registration_was_replaced_before_its_first_heartbeat_registers_again() -> None:
    """A request of the process before it may come late: no session protects the new registration yet."""
    broker = registered()
    broker.handle_response(BrokerHeartbeatResponse(error_code=ErrorCode.STALE_BROKER_EPOCH), 7_000)
    assert (broker.last_refusal, broker.due_ms) == (ErrorCode.STALE_BROKER_EPOCH, 9_000)
    again = broker.next_request(OFFSET)
    assert isinstance(again, BrokerRegistrationRequest)
    assert again.incarnation_id == bytes(range(16))
    broker.handle_response(BrokerRegistrationResponse(broker_epoch=EPOCH + 5), 9_000)
    assert heartbeat(broker).broker_epoch == EPOCH + 5


def test_without_a_response_the_same_is_sent_again_at_once() -> None:
    broker = running()
    first = heartbeat(broker)
    broker.handle_failure(5_000)
    assert broker.due_ms == 5_010
    assert heartbeat(broker) == first


def test_a_broker_serves_while_it_is_running_and_unfenced() -> None:
    broker = start()
    assert not broker.is_serving
    broker = running()
    assert broker.is_serving
    # Its session was over for a while; the controller unfences it with its next heartbeats.
    answer(broker, 3_000, is_caught_up=True, is_fenced=True)
    assert (broker.state, broker.is_serving) == (BrokerState.RUNNING, False)
    broker.handle_response(BrokerHeartbeatResponse(error_code=ErrorCode.STALE_BROKER_EPOCH), 5_000)
    assert not broker.is_serving
    answer(broker, 7_000, is_caught_up=True, is_fenced=False)
    assert broker.is_serving
    broker.request_shutdown(8_000)
    assert not broker.is_serving


def test_a_leaving_broker_gives_up_once_nobody_answers() -> None:
    broker = running()
    broker.request_shutdown(3_000)
    states = []
    for now_ms in (5_000, 7_200, 9_300):
        broker.handle_failure(now_ms)
        states.append(broker.state)
        if now_ms == 5_000:
            # Somebody does, for once.
            answer(broker, 5_100, is_fenced=False)
    leaving = BrokerState.PENDING_CONTROLLED_SHUTDOWN
    assert states == [leaving, leaving, BrokerState.SHUTTING_DOWN]


def test_a_broker_that_never_registered_just_leaves() -> None:
    broker = start()
    broker.request_shutdown(1_100)
    assert (broker.state, broker.broker_epoch) == (BrokerState.SHUTTING_DOWN, None)


@pytest.mark.parametrize("is_caught_up", [False, True])
def test_a_broker_that_was_never_unfenced_asks_to_leave_all_the_same(is_caught_up: bool) -> None:
    broker = registered()
    answer(broker, 1_020, is_caught_up=is_caught_up, is_fenced=True)
    broker.request_shutdown(1_025)
    request = heartbeat(broker)
    assert (request.want_fence, request.want_shut_down) == (False, True)
    answer(broker, 1_040, is_fenced=True, should_shut_down=True)
    assert broker.state is BrokerState.SHUTTING_DOWN


def test_a_response_to_a_heartbeat_of_before_does_not_put_off_the_shutdown() -> None:
    broker = running()
    heartbeat(broker)
    broker.request_shutdown(3_000)
    broker.handle_response(BrokerHeartbeatResponse(is_fenced=False), 3_005)
    assert (broker.state, broker.due_ms) == (BrokerState.PENDING_CONTROLLED_SHUTDOWN, 3_005)
    answer(broker, 3_010)
    assert broker.due_ms == 3_060


def test_a_registration_that_is_answered_after_the_shutdown_was_asked_for_changes_nothing() -> None:
    broker = start()
    broker.next_request(-1)
    broker.request_shutdown(1_005)
    broker.handle_response(BrokerRegistrationResponse(broker_epoch=EPOCH), 1_010)
    assert broker.state is BrokerState.SHUTTING_DOWN


def test_a_refusal_during_the_shutdown_does_not_end_it() -> None:
    broker = running()
    broker.request_shutdown(3_000)
    answer(broker, 3_010, error_code=ErrorCode.NOT_CONTROLLER)
    assert (broker.state, broker.due_ms) == (BrokerState.PENDING_CONTROLLED_SHUTDOWN, 5_010)


@pytest.mark.parametrize("code", sorted(REFUSALS_OF_A_GOODBYE))
def test_a_broker_that_may_not_ask_for_its_shutdown_goes_without(code: ErrorCode) -> None:
    broker = running()
    answer(broker, 2_000, error_code=code)
    before = broker.state
    assert before is BrokerState.RUNNING
    broker.request_shutdown(3_000)
    answer(broker, 3_010, error_code=code)
    assert broker.state is BrokerState.SHUTTING_DOWN


def test_asking_for_the_shutdown_once_more_changes_nothing_after_the_end() -> None:
    broker = running()
    broker.request_shutdown(3_000)
    answer(broker, 3_010, should_shut_down=True)
    broker.request_shutdown(3_020)
    assert broker.state is BrokerState.SHUTTING_DOWN
    answer(broker, 3_030)
    assert broker.state is BrokerState.SHUTTING_DOWN


def test_an_interval_shorter_than_the_first_of_a_shutdown_is_kept() -> None:
    broker = start(heartbeat_interval_ms=20)
    broker.next_request(-1)
    broker.handle_response(BrokerRegistrationResponse(broker_epoch=EPOCH), 1_010)
    broker.request_shutdown(1_010)
    answer(broker, 1_015)
    assert broker.due_ms == 1_035


def fail_directory(broker: BrokerLifecycle, now_ms: int) -> bytes:
    """The one with the higher id fails."""
    failed = sorted(DIRECTORIES)[1]
    broker._directories.fail(f"/{failed[0]}", "EIO")
    broker.directories_changed(now_ms)
    return failed


def test_a_failed_directory_is_told_at_once_and_in_every_heartbeat_from_then_on() -> None:
    broker = running()
    assert broker.due_ms == 3_030 - 1_000 + 1_000
    failed = fail_directory(broker, 1_500)
    assert broker.due_ms == 1_500
    for now_ms in (1_510, 3_600, 5_700):
        request, _ = BrokerHeartbeatRequest.decode(heartbeat(broker).encode(2), 2)
        assert request.offline_log_dirs == [failed]
        broker.handle_response(BrokerHeartbeatResponse(is_fenced=False), now_ms)
        assert broker.due_ms == now_ms + INTERVAL_MS


def test_a_directory_that_fails_while_a_heartbeat_is_under_way_is_told_right_after_it() -> None:
    broker = running()
    heartbeat(broker)
    fail_directory(broker, 1_500)
    broker.handle_response(BrokerHeartbeatResponse(is_fenced=False), 1_510)
    assert broker.due_ms == 1_510


def test_a_refusal_does_not_count_as_told_and_is_no_reason_to_hurry() -> None:
    broker = running()
    fail_directory(broker, 1_500)
    heartbeat(broker)
    broker.handle_response(BrokerHeartbeatResponse(error_code=ErrorCode.STALE_BROKER_EPOCH), 1_510)
    assert broker.due_ms == 1_510 + INTERVAL_MS
    assert not broker.is_directory_failure_overdue(31_499)
    assert broker.is_directory_failure_overdue(31_500)


def test_a_failure_that_no_controller_confirms_in_time_is_overdue() -> None:
    broker = running()
    heartbeat(broker)
    fail_directory(broker, 1_500)
    # The answer to a request of before says nothing about it.
    broker.handle_response(BrokerHeartbeatResponse(is_fenced=False), 1_510)
    assert broker.is_directory_failure_overdue(31_500)
    heartbeat(broker)
    broker.handle_response(BrokerHeartbeatResponse(is_fenced=False), 31_499)
    assert not broker.is_directory_failure_overdue(10**9)
    # Another change does not start the time of what is known already.
    broker.directories_changed(40_000)
    assert not broker.is_directory_failure_overdue(10**9)


def test_the_time_runs_from_the_first_news_of_a_failure() -> None:
    broker = running()
    fail_directory(broker, 1_500)
    broker.directories_changed(20_000)
    assert broker.is_directory_failure_overdue(31_500)


def test_a_registration_leaves_out_what_failed_before_it_and_thereby_tells_it() -> None:
    broker = start()
    failed = fail_directory(broker, 1_005)
    assert broker.due_ms == 1_000, "registering is not put off"
    request = broker.next_request(-1)
    assert isinstance(request, BrokerRegistrationRequest)
    assert request.log_dirs == [sorted(DIRECTORIES)[0]]
    broker.handle_response(BrokerRegistrationResponse(broker_epoch=EPOCH), 1_010)
    assert not broker.is_directory_failure_overdue(10**9)
    assert heartbeat(broker).offline_log_dirs == [failed]


def test_a_directory_that_fails_while_the_registration_is_under_way_still_has_to_be_told() -> None:
    broker = start()
    broker.next_request(-1)
    fail_directory(broker, 1_005)
    broker.handle_response(BrokerRegistrationResponse(broker_epoch=EPOCH), 1_010)
    assert broker.is_directory_failure_overdue(31_005)


def test_cordoned_directories_are_told_once_the_broker_wants_to_serve() -> None:
    broker = registered()
    broker._directories.cordon(["*"])
    broker.directories_changed(1_012)
    assert heartbeat(broker).cordoned_log_dirs is None
    answer(broker, 1_020, is_caught_up=True, is_fenced=True)
    assert broker.due_ms == 1_020
    request, _ = BrokerHeartbeatRequest.decode(heartbeat(broker).encode(2), 2)
    assert request.cordoned_log_dirs == sorted(DIRECTORIES)
    answer(broker, 1_030, is_caught_up=True, is_fenced=False)
    # Other ones while a heartbeat is under way.
    heartbeat(broker)
    broker._directories.cordon([])
    broker.handle_response(BrokerHeartbeatResponse(is_fenced=False), 2_000)
    assert broker.due_ms == 2_000
    assert heartbeat(broker).cordoned_log_dirs == []


def test_a_new_broker_stays_fenced_until_it_is_known_where_its_replicas_lie() -> None:
    broker = registered()
    answer(broker, 1_020, is_caught_up=True, is_fenced=True)
    request = broker.next_request(OFFSET, are_assignments_known=False)
    assert isinstance(request, BrokerHeartbeatRequest)
    assert (request.want_fence, request.cordoned_log_dirs) == (True, None)
    broker.handle_response(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=True), 1_030)
    assert (broker.state, broker.due_ms) == (BrokerState.RECOVERY, 1_040)
    answer(broker, 1_050, is_caught_up=True, is_fenced=False)
    # Later ones are found places while it serves.
    request = broker.next_request(OFFSET, are_assignments_known=False)
    assert isinstance(request, BrokerHeartbeatRequest)
    assert (broker.state, request.want_fence) == (BrokerState.RUNNING, False)


def test_states_have_kafkas_numbers() -> None:
    assert {state.name: state.code for state in BrokerState} == {
        "STARTING": 1,
        "RECOVERY": 2,
        "RUNNING": 3,
        "PENDING_CONTROLLED_SHUTDOWN": 6,
        "SHUTTING_DOWN": 7,
    }


@pytest.mark.parametrize(
    ("asked", "fenced", "told"), [(False, True, True), (False, False, False), (True, True, False)]
)
def test_a_broker_notices_that_others_had_it_fenced(asked: bool, fenced: bool, told: bool) -> None:
    lifecycle = running()
    if asked:
        lifecycle.request_shutdown(5)
    lifecycle.next_request(9)
    answer(lifecycle, 10, is_caught_up=True, is_fenced=fenced, should_shut_down=fenced)
    assert lifecycle.was_told_to_leave is told
    if told:
        request = lifecycle.next_request(9)
        assert isinstance(request, BrokerHeartbeatRequest)
        assert (request.want_fence, request.want_shut_down) == (False, False)
        answer(lifecycle, 20, is_caught_up=True, is_fenced=False)
        assert not lifecycle.was_told_to_leave
        assert lifecycle.is_serving


def test_a_session_is_over_once_no_heartbeat_was_taken_for_its_time() -> None:
    broker = running()
    # None was confirmed yet.
    assert not broker.is_session_over(10**6)
    broker.session_renewed(1_030)
    assert not broker.is_session_over(1_030 + SESSION_MS - 1)
    assert broker.is_session_over(1_030 + SESSION_MS)
    broker.session_renewed(3_000)
    assert not broker.is_session_over(1_030 + SESSION_MS)


def test_a_session_is_over_if_the_controller_says_that_the_broker_is_fenced() -> None:
    broker = running()
    broker.session_renewed(1_030)
    answer(broker, 1_040, is_caught_up=True, is_fenced=True)
    assert broker.is_session_over(1_040)
    answer(broker, 1_050, is_caught_up=True, is_fenced=False)
    assert not broker.is_session_over(1_050)
