"""What a listener accepts agrees with what its apis are bounded to."""

from server.apis.bounds import frame_limit
from server.apis.table import TABLE
from server.net.limits import MAX_CONTROLLER_REQUEST_SIZE_BYTES
from server.types import ListenerKind

ENVELOPE = 58


def test_a_controller_listener_accepts_the_largest_request_of_each_api() -> None:
    kind = ListenerKind.CONTROLLER
    largest = max(frame_limit(kind, api_key, 0) for api_key in TABLE[kind])
    assert largest <= MAX_CONTROLLER_REQUEST_SIZE_BYTES


def test_an_envelope_may_hold_whatever_a_broker_passes_on() -> None:
    passed_on = [key for key, served in TABLE[ListenerKind.BROKER].items() if served.passes_on_unread]
    envelope = frame_limit(ListenerKind.CONTROLLER, ENVELOPE, 0)
    assert passed_on
    assert all(frame_limit(ListenerKind.BROKER, key, 0) < envelope for key in passed_on)
