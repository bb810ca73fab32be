"""Requests by API: their number by version, the errors in their responses, and where their time went.

The spans are those of Kafka's RequestMetrics. A request waits for its turn on its connection (request queue). It is
decoded and handled (local). It may wait for something else, for example for its records to be committed (remote). Its
response is encoded (response queue) and written to the socket (response send).
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.metrics.histogram import Histogram


class ApiMetrics:
    """The requests of one API."""

    __slots__ = (
        "errors",
        "local",
        "remote",
        "request_queue",
        "requests",
        "response_queue",
        "response_send",
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
        self.total = Histogram()

    @property
    def spans(self) -> Mapping[str, Histogram]:
        """All spans by their names in Kafka."""
        return {
            "RequestQueueTimeMs": self.request_queue,
            "LocalTimeMs": self.local,
            "RemoteTimeMs": self.remote,
            "ResponseQueueTimeMs": self.response_queue,
            "ResponseSendTimeMs": self.response_send,
            "TotalTimeMs": self.total,
        }

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

    def rotate(self) -> None:
        """Begin a new half of every histogram's window."""
        for api in list(self.apis.values()):
            for histogram in api.spans.values():
                histogram.rotate()
