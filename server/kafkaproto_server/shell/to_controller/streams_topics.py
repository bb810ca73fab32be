"""Creates the internal topics of Kafka Streams applications, and keeps for a while why that failed.

The coordinator of a streams group finds that topics are missing, and the broker asks the active controller for them
under the principal of the member whose heartbeat it was (KIP-1071). Nobody waits for the response: if it is an error,
the next heartbeats of the application tell it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from kafkaproto_server.requests.context import RequestContext, Response
from kafkaproto_server.shell.to_controller.forwarding import Forwarder

MAX_ERRORS = 1_000
"""How many topics' errors are kept; the oldest ones go first."""
CREATION_TIMEOUT_MS = 30_000


class StreamsTopics:
    """The creations of one broker."""

    def __init__(self, forwarder: Forwarder, now_ms: Callable[[], int]) -> None:
        self._forwarder = forwarder
        self._now_ms = now_ms
        self._errors: dict[str, tuple[str, int]] = {}
        """By topic: why it could not be created, and how long that is told."""

    def create(
        self,
        topics: Sequence[CreateTopicsRequest.CreatableTopic],
        context: RequestContext,
        told_for_ms: int,
    ) -> list[tuple[str, str]]:
        """Ask for topics, except for those of which an error is known. Returns these, with their errors."""
        now_ms = self._now_ms()
        self._errors = {name: each for name, each in self._errors.items() if each[1] > now_ms}
        known = [(each.name, self._errors[each.name][0]) for each in topics if each.name in self._errors]
        wanted = [each for each in topics if each.name not in self._errors]
        if wanted:
            request = CreateTopicsRequest(topics=wanted, timeout_ms=CREATION_TIMEOUT_MS)
            self._forwarder.create_topics(
                request, context, lambda response: self._take(response, told_for_ms)
            )
        return known

    def _take(self, response: Response, told_for_ms: int) -> None:
        if not isinstance(response, CreateTopicsResponse):
            # The controller does not know such a request; there is nothing to tell an application.
            return
        for topic in response.topics:
            if topic.error_code != ErrorCode.NONE:
                text = topic.error_message or describe(topic.error_code).message
                self._errors.pop(topic.name, None)
                self._errors[topic.name] = text, self._now_ms() + told_for_ms
        while len(self._errors) > MAX_ERRORS:
            del self._errors[next(iter(self._errors))]
