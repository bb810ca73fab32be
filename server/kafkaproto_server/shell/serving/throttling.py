"""Holds the clients of a node to their quotas: a response leaves at once, and its connection is muted for as long as
the client has to wait (KIP-13, KIP-124, KIP-219, KIP-599).

Quotas of produced and fetched bytes, and of the processor's time, are enforced by brokers. The time is what a request
keeps the event loop busy, which is the one thread that all requests share; work of other threads does not count. The
quota of partition changes is enforced by the active controller. Its response says how long the client has to wait; the
broker that forwarded the request mutes the client.

Connections that come while a quota is exceeded wait before they are served (`core.quotas.client_quotas.Wait`), so that
a client gains nothing by new ones. Each does so once, and for no longer than was known when it came: those that were
there before may exceed the quota again and again.

What other brokers send is exempt: the fetches of followers, and the ends of transactions.

A cluster without quotas costs a request one comparison.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import trio

from kafkaproto.api import ApiKey, api_by_key
from kafkaproto.connection import IncomingRequest
from kafkaproto.schema import within
from kafkaproto_server.base.file_part import FilePart
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.core.quotas.client_quotas import MUTATION_RATE_KEY, ClientRates, RateQuota
from kafkaproto_server.core.quotas.connection_rates import ConnectionRates
from kafkaproto_server.core.quotas.matching import ClientQuotas, user_name
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.context import Encoded, NoResponse, Response, Unanswered
from kafkaproto_server.shell.net.connections import ConnectionInfo, Held, Outcome, Respond, Throttled
from kafkaproto_server.shell.quorum.image.published import Published

DECIDED_BY_CONTROLLER = frozenset((ApiKey.CREATE_TOPICS, ApiKey.DELETE_TOPICS, ApiKey.CREATE_PARTITIONS))
"""The requests whose responses come with a time to wait from the controller."""
_WAITS = {RateQuota.PRODUCE: "produce", RateQuota.FETCH: "fetch", RateQuota.REQUEST: "request"}
_MUTATIONS = "controllermutation"
"""The types of Kafka's metrics of throttle times."""
_EXEMPT = frozenset((ApiKey.WRITE_TXN_MARKERS,))
"""Requests that brokers send to brokers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleStatistics:
    """What quotas have come to."""

    used: Mapping[RateQuota, float]
    """What all clients have used that a quota holds for."""
    waits: Mapping[str, Histogram]
    """How long they had to wait, by the types of Kafka's metrics. Those that did not have to are left out."""


async def no_work(image: ClusterImage) -> None:
    """Do nothing with an image."""


class Throttling:
    """The quotas of one node's clients."""

    def __init__(
        self,
        windows: RateWindows,
        now_ms: Callable[[], int],
        connection_rates: ConnectionRates | None = None,
    ) -> None:
        """``connection_rates`` are those of the node's listeners."""
        self.is_on = False
        """Whether the cluster has any quotas."""
        self.also: Callable[[ClusterImage], Awaitable[None]] = no_work
        """Called with each image that is followed."""
        self.rates = ClientRates(windows)
        self.now_ms = now_ms
        self._connection_rates = connection_rates or ConnectionRates(windows)
        # The newest connection of each listener, by its number, of those that have made a request.
        self._newest: dict[str, int] = {}
        # Of each connection that had to wait: from when on it is served, by listener and number.
        self._served_from: dict[tuple[str, int], int] = {}
        self._waits = {each: Histogram() for each in (*_WAITS.values(), _MUTATIONS)}
        self.statistics = ThrottleStatistics(used=self.rates.used, waits=self._waits)

    def record(self, kind: RateQuota, user: str, client_id: str, value: float) -> int:
        throttle_ms = self.rates.record(kind, user, client_id, value, self.now_ms())
        if throttle_ms:
            self._waits[_WAITS[kind]].add(throttle_ms / 1000)
            self._begin_wait(kind.value, user, client_id, throttle_ms)
        return throttle_ms

    def controller_told(self, user: str, client_id: str, throttle_ms: int) -> None:
        """The controller wants a client to wait, because of what it changes of the metadata."""
        if throttle_ms:
            self._waits[_MUTATIONS].add(throttle_ms / 1000)
            self._begin_wait(MUTATION_RATE_KEY, user, client_id, throttle_ms)

    def _begin_wait(self, key: str, user: str, client_id: str, throttle_ms: int) -> None:
        now_ms = self.now_ms()
        wait = self.rates.wait(key, user, client_id, now_ms)
        if wait is not None:
            wait.begin(throttle_ms, self._newest, now_ms)

    def came(self, connection: ConnectionInfo) -> None:
        """A connection makes a request."""
        name = connection.listener_name
        # The requests of connections come in any order.
        self._newest[name] = max(self._newest.get(name, 0), connection.connection_id)

    def ended(self, connection: ConnectionInfo) -> None:
        # Numbers are not used again, so that nobody else would remove it.
        self._served_from.pop((connection.listener_name, connection.connection_id), None)

    def left_ms(self, keys: Iterable[str], user: str, client_id: str, connection: ConnectionInfo) -> int:
        """How long a connection still has to wait because of quotas of these keys that others have exceeded."""
        now_ms = self.now_ms()
        name, number = connection.listener_name, connection.connection_id
        waits = [self.rates.wait(each, user, client_id, now_ms) for each in keys]
        left_ms = max((each.left_ms(name, number, now_ms) for each in waits if each is not None), default=0)
        if left_ms:
            # Fixed when it came first: those that were there before may exceed the quota again and again.
            left_ms = max(0, self._served_from.setdefault((name, number), now_ms + left_ms) - now_ms)
        return left_ms

    def rotate(self) -> None:
        for each in self._waits.values():
            each.rotate()

    def use_quotas(self, quotas: ClientQuotas) -> None:
        """Apply the quotas of the newest metadata."""
        self.is_on = bool(quotas)
        self.rates.use_quotas(quotas)
        self._connection_rates.use_quotas(quotas)

    async def run(
        self, published: Published, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Follow the metadata until cancelled."""
        self.use_quotas(published.image.client_quotas)
        await self.also(published.image)
        task_status.started()
        while True:
            await published.changed.wait()
            self.use_quotas(published.image.client_quotas)
            await self.also(published.image)

    def of(self, request: IncomingRequest, connection: ConnectionInfo) -> RequestThrottle | None:
        """The quotas of a request's sender; None if none can hold for it."""
        is_from_client = connection.listener_kind is ListenerKind.BROKER
        if request.api_key in _EXEMPT or not (is_from_client or request.api_key in DECIDED_BY_CONTROLLER):
            return None
        return RequestThrottle(self, request, connection, is_from_client=is_from_client)


class RequestThrottle:
    """What one request uses of its sender's quotas. Implements `Throttle`."""

    __slots__ = (
        "_charged_s",
        "_client_id",
        "_connection",
        "_is_exempt",
        "_is_from_client",
        "_is_settled",
        "_node",
        "_request",
        "_since",
        "_throttle_ms",
        "_used_s",
        "_user",
    )

    def __init__(
        self, node: Throttling, request: IncomingRequest, connection: ConnectionInfo, *, is_from_client: bool
    ) -> None:
        """``is_from_client`` tells a broker's listener from a controller's."""
        self._node = node
        self._request = request
        self._connection = connection
        self._user = user_name(connection.principal)
        self._client_id = request.client_id or ""
        self._is_from_client = is_from_client
        self._is_exempt = False
        self._is_settled = False
        self._throttle_ms = 0
        # Of the loop's time: what was used, what of that was charged to the quota, and since when it is in use.
        self._used_s = self._charged_s = self._since = 0.0

    def left_ms(self) -> int:
        """How long the request has to wait before it is served: its connection is new, and others have exceeded the
        quota that is for its sender as well.

        Fetches do not wait: some come from followers. Those of consumers return no records instead.
        """
        key = self._request.api_key
        keys = []
        if key in DECIDED_BY_CONTROLLER:
            keys.append(MUTATION_RATE_KEY)
        if self._is_from_client and key != ApiKey.FETCH:
            keys.append(RateQuota.REQUEST.value)
        if key == ApiKey.PRODUCE:
            keys.append(RateQuota.PRODUCE.value)
        left_ms = self._left_ms(*keys)
        if not left_ms:
            self._node.came(self._connection)
        return left_ms

    def _left_ms(self, *keys: str) -> int:
        return self._node.left_ms(keys, self._user, self._client_id, self._connection)

    def run(self, work: Callable[[], None]) -> None:
        """Do a part of the request's work, whose time counts."""
        # It led here again, within a part whose time counts already.
        if self._since:
            work()
            return
        self._since = time.perf_counter()
        try:
            work()
        finally:
            self.spent(time.perf_counter() - self._since)
            self._since = 0.0

    def spent(self, seconds: float) -> None:
        """Time that was used beside `run`, or by it."""
        self._used_s += seconds
        if self._is_settled and self._is_from_client and not self._is_exempt:
            # To encode and send the response counts towards the client's next request, as in Kafka.
            rest_s, self._charged_s = self._used_s - self._charged_s, self._used_s
            self._node.rates.add(
                RateQuota.REQUEST, self._user, self._client_id, 100 * rest_s, self._node.now_ms()
            )

    def exempt(self) -> None:
        self._is_exempt = True

    def most_bytes(self) -> int | None:
        node = self._node
        return node.rates.most_at_once(RateQuota.FETCH, self._user, self._client_id, node.now_ms())

    def fetched(self, record_bytes: int) -> int:
        left_ms = self._left_ms(RateQuota.FETCH.value, RateQuota.REQUEST.value)
        throttle_ms = max(self._record(RateQuota.FETCH, record_bytes), self._charge(), left_ms)
        if throttle_ms:
            node = self._node
            # The response leaves without records, so they do not count. Kafka takes them back from its sensor, too.
            node.rates.add(RateQuota.FETCH, self._user, self._client_id, -record_bytes, node.now_ms())
        self._throttle_ms = throttle_ms
        return throttle_ms

    def settle(self, response: Response) -> int:
        """Count the request, whose response is decided. Returns how many milliseconds its sender has to wait, and puts
        them into the response if this has not left its encoded form."""
        if self._is_exempt or isinstance(response, NoResponse):
            return 0
        throttle_ms = self._throttle_ms
        if self._request.api_key in DECIDED_BY_CONTROLLER:
            throttle_ms = _told_ms(response, self._request)
            self._node.controller_told(self._user, self._client_id, throttle_ms)
        elif self._request.api_key == ApiKey.PRODUCE:
            # By the size of the request, not of its records, as in Kafka.
            throttle_ms = self._record(RateQuota.PRODUCE, len(self._request.frame))
        if not isinstance(response, Unanswered):
            throttle_ms = max(throttle_ms, self._charge())
        return throttle_ms

    def _record(self, kind: RateQuota, value: float) -> int:
        return self._node.record(kind, self._user, self._client_id, value)

    def _charge(self) -> int:
        """Charge the time used so far, once; returns how many milliseconds the sender has to wait for it."""
        if self._is_settled or not self._is_from_client:
            return 0
        self._is_settled = True
        self._charged_s = self._used_s + (time.perf_counter() - self._since if self._since else 0.0)
        # The quota is in percent of a thread (KIP-124), and there is one.
        return self._record(RateQuota.REQUEST, 100 * self._charged_s)


def told(response: Response, request: IncomingRequest, throttle_ms: int) -> Response:
    """The response that says how long the sender has to wait, if its version has a field for that. The few encoded
    responses that have it behind others are returned unchanged."""
    if isinstance(response, Encoded):
        if not _begins_with_throttle_time(request.api_key, request.api_version):
            return response
        first = response.buffers[0]
        assert not isinstance(first, FilePart), "a response begins with fields"
        encoded = throttle_ms.to_bytes(4, "big")
        return Encoded(
            buffers=[encoded, memoryview(first)[4:], *response.buffers[1:]], errors=response.errors
        )
    if not hasattr(response, "throttle_time_ms"):
        return response
    # Some responses are shared by many requests.
    changed: Any = copy.copy(response)
    changed.throttle_time_ms = throttle_ms
    return changed  # type: ignore[no-any-return]


def muting(respond: Respond, mute_ms: int) -> Respond:
    """A function that responds, and mutes the connection."""

    def respond_and_mute(outcome: Outcome) -> None:
        if isinstance(outcome, Exception | Throttled | Held):
            respond(outcome)
        else:
            respond(Throttled(body=outcome, mute_ms=mute_ms))

    return respond_and_mute


def _told_ms(response: Any, request: IncomingRequest) -> int:
    """How long the controller wants the sender to wait."""
    if not isinstance(response, Encoded):
        return int(getattr(response, "throttle_time_ms", 0))
    if not _begins_with_throttle_time(request.api_key, request.api_version):
        return 0
    first = response.buffers[0]
    assert not isinstance(first, FilePart), "a response begins with fields"
    return max(0, int.from_bytes(bytes(first[:4]), "big", signed=True))


@cache
def _begins_with_throttle_time(api_key: int, version: int) -> bool:
    """Whether the time to wait is the first field of an API's response."""
    api = api_by_key(api_key)
    assert api is not None, "a request of an unknown api key is refused with its header"
    for field in api.response_class.schema().root.fields:
        if within(version, field.versions) and not within(version, field.tagged):
            return field.attribute == "throttle_time_ms"
    return False
