"""What a listener accepts agrees with what its apis are bounded to."""

from kafkaproto_server.apis.table import TABLE, frame_limit
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.shell.net.limits import MAX_CONTROLLER_REQUEST_SIZE_BYTES

ENVELOPE = 58


def test_a_controller_listener_accepts_the_largest_request_of_each_api() -> None:
    largest = max(frame_limit(api_key) for api_key in TABLE[ListenerKind.CONTROLLER])
    assert largest <= MAX_CONTROLLER_REQUEST_SIZE_BYTES


def test_an_envelope_may_hold_whatever_a_broker_passes_on() -> None:
    passed_on = [key for key, served in TABLE[ListenerKind.BROKER].items() if served.passes_on_unread]
    assert passed_on
    assert all(frame_limit(key) < frame_limit(ENVELOPE) for key in passed_on)
