"""Requests by API: their number by version, the errors in their responses, and where their time went.

The spans are those of Kafka's RequestMetrics. A request waits for its turn on its connection (request queue). It is
decoded and handled (local). It may wait for something else, for example for its records to be committed (remote). Its
response is encoded (response queue) and written to the socket (response send).

As in Kafka, the Fetch requests of consumers and of followers are also counted apart. Here each counts once, as the one
or the other; whoever reads the numbers adds the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kafkaproto.api import ApiKey
from kafkaproto_server.base.metrics.histogram import Histogram

FOLLOWER_FETCH: Final = -1
"""Stands for the api key of Fetch requests of followers."""

_FETCH: Final = int(ApiKey.FETCH)
"""To compare with a member of an enumeration takes longer."""
_FIRST_WITH_REPLICA_STATE: Final = 15
"""Version of Fetch from which on a replica is named in a tagged field, the last of the request."""
_REPLICA_STATE: Final = b"\x01\x0d"
"""Tag and size of that field."""
_REPLICA_STATE_BYTES: Final = 13


class ApiMetrics:
    """The requests of one API."""

    __slots__ = (
        "errors",
        "local",
        "remote",
        "request_bytes",
        "request_queue",
        "requests",
        "response_queue",
        "response_send",
        "throttle",
        "total",
    )

    def __init__(self) -> None:
        self.requests: dict[int, int] = {}
        """Number of answered requests by version."""
        self.errors: dict[int, int] = {}
        """Number of each error code in responses; 0, no error, is one of them."""
        self.request_queue = Histogram()
        self.local = Histogram()
        self.remote = Histogram()
        self.response_queue = Histogram()
        self.response_send = Histogram()
        self.throttle = Histogram()
        self.total = Histogram()
        self.request_bytes = Histogram()
        """Their sizes, not durations."""

    @property
    def spans(self) -> Mapping[str, Histogram]:
        """All spans by their names in Kafka."""
        return {
            "RequestQueueTimeMs": self.request_queue,
            "LocalTimeMs": self.local,
            "RemoteTimeMs": self.remote,
            "ResponseQueueTimeMs": self.response_queue,
            "ResponseSendTimeMs": self.response_send,
            "ThrottleTimeMs": self.throttle,
            "TotalTimeMs": self.total,
        }

    @classmethod
    def sum_of(cls, several: Sequence[ApiMetrics]) -> ApiMetrics:
        """All requests of several together."""
        total = cls()
        for each in several:
            for version, number in each.requests.copy().items():
                total.requests[version] = total.requests.get(version, 0) + number
            for code, number in each.errors.copy().items():
                total.add_error(code, number)
        total.request_bytes = Histogram.sum_of(each.request_bytes for each in several)
        total.request_queue = Histogram.sum_of(each.request_queue for each in several)
        total.local = Histogram.sum_of(each.local for each in several)
        total.remote = Histogram.sum_of(each.remote for each in several)
        total.response_queue = Histogram.sum_of(each.response_queue for each in several)
        total.response_send = Histogram.sum_of(each.response_send for each in several)
        total.throttle = Histogram.sum_of(each.throttle for each in several)
        total.total = Histogram.sum_of(each.total for each in several)
        return total

    def add_request(self, version: int) -> None:
        """Count a request that was answered."""
        self.requests[version] = self.requests.get(version, 0) + 1

    def add_error(self, code: int, times: int = 1) -> None:
        """Count an error code of a response."""
        self.errors[code] = self.errors.get(code, 0) + times


class RequestMetrics:
    """The requests of a node, on all its listeners."""

    def __init__(self) -> None:
        self.apis: dict[int, ApiMetrics] = {}
        """By API key; only APIs that were requested."""
        self.in_progress = 0
        """Requests that are being handled, or that wait for what their response needs."""
        self.sending = 0
        """Responses that are being written."""

    def of(self, api_key: int) -> ApiMetrics:
        """The metrics of one API."""
        found = self.apis.get(api_key)
        if found is None:
            found = self.apis[api_key] = ApiMetrics()
        return found

    def of_request(self, api_key: int, version: int, frame: bytes, body_offset: int) -> ApiMetrics:
        """The metrics of the requests to which this one belongs; ``frame`` has its header and body."""
        if api_key == _FETCH and _is_of_follower(version, frame, body_offset):
            api_key = FOLLOWER_FETCH
        found = self.apis.get(api_key)
        return self.of(api_key) if found is None else found

    def rotate(self) -> None:
        """Begin a new half of every histogram's window."""
        for api in list(self.apis.values()):
            api.request_bytes.rotate()
            for histogram in api.spans.values():
                histogram.rotate()


def _is_of_follower(version: int, frame: bytes, body_offset: int) -> bool:
    """Whether a Fetch request names the replica that sends it, as far as a look at some bytes tells."""
    if version < _FIRST_WITH_REPLICA_STATE:
        return _is_id(frame, body_offset)
    begin = len(frame) - _REPLICA_STATE_BYTES
    return frame[begin - len(_REPLICA_STATE) : begin] == _REPLICA_STATE and _is_id(frame, begin)


def _is_id(frame: bytes, position: int) -> bool:
    """Whether the number there is no negative one; consumers have -1."""
    return frame[position : position + 1] < b"\x80"
