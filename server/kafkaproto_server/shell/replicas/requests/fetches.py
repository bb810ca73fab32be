"""Fetch: reads what a request asks for, or waits until there is enough of it.

What lies in the page cache is read at once, in the event loop; anything else by a thread, after which the response is
made. A request waits for changes of its partitions and is then looked at again (`core.replicas.fetch_sessions`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.base.ports import Buffer, Rng
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.config.settings import Derived, SettingsTable
from kafkaproto_server.core.replicas.fetch_sessions import FetchContext, FetchSessions
from kafkaproto_server.core.replicas.partition import PartitionError
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.context import Throttle
from kafkaproto_server.requests.data import Fetched, FetchResult, ReadResult
from kafkaproto_server.requests.fetch_requests import FetchValues, PartitionFetch, PartitionKey, partition_key
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.followers.throttles import ReplicationThrottle
from kafkaproto_server.shell.replicas.requests.fetch_counts import count_fetch
from kafkaproto_server.shell.replicas.requests.fetch_reads import NO_LIST, FetchReads
from kafkaproto_server.shell.replicas.requests.host_lane import HostLane, fail
from kafkaproto_server.shell.replicas.requests.log_read import LogRead, read_all
from kafkaproto_server.shell.replicas.requests.named_topics import MayRead
from kafkaproto_server.shell.replicas.requests.parked_fetches import (
    FEW_PARTITIONS,
    PARTITIONS_A_STEP,
    InTurns,
    ParkedFetches,
)
from kafkaproto_server.shell.replicas.requests.readable_replicas import NOT_READ, ReadableReplicas
from kafkaproto_server.shell.replicas.timers import Timers

_NO_DICT: Final[dict[Any, Any]] = {}
"""As `NO_LIST`."""


class FetchConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of the readers' side, which hold as long as the broker runs."""

    max_sessions: int
    """max.incremental.fetch.session.cache.slots"""
    max_bytes: int
    """fetch.max.bytes"""
    selects_by_rack: bool = False
    """Whether consumers are sent to a replica in their rack: replica.selector.class is set."""


FETCH_CONFIG = SettingsTable(
    FetchConfig,
    {
        "max_sessions": "max.incremental.fetch.session.cache.slots",
        "max_bytes": "fetch.max.bytes",
        "selects_by_rack": Derived("replica.selector.class", bool),
    },
)


class Fetches:
    """The readers' side of a broker's replicas."""

    def __init__(
        self,
        *,
        replicas: HostedReplicas,
        image: Callable[[], ClusterImage],
        timers: Timers,
        rng: Rng,
        config: FetchConfig,
        throttle: ReplicationThrottle,
        readers: HostLane,
        metrics: TopicMetrics,
    ) -> None:
        """``readers`` do what has to wait for the disk."""
        self.replicas = ReadableReplicas(replicas, image, selects_by_rack=config.selects_by_rack)
        self._image = image
        self.clock = timers.clock
        self._timers = timers
        self._max_bytes = config.max_bytes
        self._readers = readers
        self.throttle = throttle
        """Of what followers copy."""
        self.metrics = metrics
        """What is read, by topic."""
        self.parked = ParkedFetches()
        self.in_turns = InTurns(timers, timers.clock)
        """For large requests."""
        self.sessions = FetchSessions(
            rng,
            self.replicas.partition,
            self.replicas.name_of,
            config.max_sessions,
            self._count_requests,
        )

    def fetch(
        self,
        values: FetchValues,
        version: int,
        may_read: MayRead,
        done: Fetched,
        throttle: Throttle | None = None,
    ) -> Callable[[], None]:
        """Serve a request. ``done`` is called with the response, now or later; ``throttle`` is asked before. Returns
        the function that ends a request whose response nobody needs any more."""
        now_ms = self.clock.now_ms()
        context = self.sessions.begin(values, now_ms)
        fetch = _Fetch(self, values, version, may_read, context, done, throttle)
        fetch.begin(now_ms)
        return fetch.give_up

    def _count_requests(self, topic: bytes | str, number: int) -> None:
        name = topic if isinstance(topic, str) else self._name(topic)
        if name in self._image().topic_ids:
            self.metrics.of(name).fetch_requests += number

    def _name(self, topic_id: bytes) -> str:
        return self.replicas.name_of(topic_id) or ""

    # The rest is for the requests.

    @property
    def now_ms(self) -> int:
        return self.clock.now_ms()

    def call_at(self, at_ms: int, call: Callable[[], None], over: Callable[[], bool], *of: bool) -> None:
        """See `Timers.add`, and `TopicMetrics.expire_fetch` for ``of``."""
        self._timers.add(at_ms, partial(self.metrics.expire_fetch, call, over, *of), over)

    def limit(self, values: FetchValues) -> int:
        """The most bytes of records in a response."""
        return min(values.max_bytes, self._max_bytes)

    def read_cold(
        self,
        reads: Sequence[LogRead],
        done: Callable[[list[Buffer | Exception]], None],
        host: str,
        is_gone: Callable[[], bool],
    ) -> None:
        """Have a thread read what is not in memory, for a request that ``host`` has sent. ``done`` is called later,
        unless ``is_gone``: nobody needs it any more."""
        size = sum(each.max_bytes for each in reads)
        self._readers.put(host, read_all(reads), done, fail, is_over=is_gone, size=size)


class _Fetch:
    """One request until it has its response."""

    __slots__ = (
        "_context",
        "_done",
        "_fetches",
        "_hosts",
        "_is_given_up",
        "_is_looking",
        "_is_over",
        "_may_read",
        "_missed",
        "_node",
        "_reads",
        "_results",
        "_sizes",
        "_throttle",
        "_total",
        "_values",
        "_watched",
    )

    def __init__(
        self,
        node: Fetches,
        values: FetchValues,
        version: int,
        may_read: MayRead,
        context: FetchContext,
        done: Fetched,
        throttle: Throttle | None,
    ) -> None:
        self._node = node
        self._values = values
        self._reads = FetchReads(node.replicas, node.throttle, node.clock, values, version)
        self._may_read = may_read
        self._context = context
        self._done = done
        self._throttle = throttle
        self._is_over = False
        self._is_given_up = False
        self._is_looking = False
        # What the last look was about.
        self._fetches: Sequence[PartitionFetch] = ()
        self._results: list[ReadResult] = NO_LIST
        # The bytes of records that there are: of all partitions, and of those of a large request that have any.
        self._total = 0
        self._sizes: dict[PartitionKey, int] = _NO_DICT
        # The partitions that have changed during a look.
        self._missed: dict[PartitionKey, PartitionFetch] = _NO_DICT
        # The replica of each of them; None if there is none here that the sender may read.
        self._hosts: list[Hosted | None] = NO_LIST
        # How many partitions it waits for.
        self._watched = 0

    def begin(self, now_ms: int) -> None:
        if self._context.continues_session:
            self._node.metrics.all.fetch_requests += self._context.size
        # Without its session the request does not say which partitions it means (KIP-227): it only carries what has
        # changed.
        if self._context.error_code:
            self._finish()
        # Many partitions are looked at in turns, so that other requests are served in between.
        elif self._is_large:
            self._node.in_turns.start(self._begin_in_steps(now_ms), lambda: self._is_over)
        elif self._look(is_first=True) or self._values.max_wait_ms <= 0:
            self._finish()
        # Only now: most requests need not wait, and to watch partitions costs them something. Nothing has changed
        # since the look, which was one step.
        elif not self._is_over:
            self._context.wait(self._wake)
            self._park(now_ms)

    @property
    def _is_large(self) -> bool:
        return self._context.look_size > FEW_PARTITIONS

    def _begin_in_steps(self, now_ms: int) -> Steps[None]:
        self._is_looking = True
        # Before the look: between its steps partitions may change.
        yield from self._context.wait_in_steps(self._wake)
        is_due = yield from self._read_in_steps(is_first=True)
        self._is_looking = False
        missed, self._missed = self._missed, _NO_DICT
        if is_due or self._values.max_wait_ms <= 0:
            self._finish()
        else:
            self._park(now_ms)
            for each in missed.values():
                self._wake(each)

    def _park(self, now_ms: int) -> None:
        self._watched = self._context.size
        self._node.metrics.fetches.begin(self._watched)
        # The wait counts from the request's arrival: a long look is a part of it.
        at_ms, of_follower = now_ms + self._values.max_wait_ms, self._values.is_from_follower
        self._node.call_at(at_ms, self.respond_early, lambda: self._is_over, of_follower)
        size = len(self._results)
        if size > FEW_PARTITIONS:
            # They are read again before the response.
            self._note_sizes()
            self._free()
        self._node.parked.add(self, max(1, size))

    def _note_sizes(self) -> None:
        self._sizes = {
            partition_key(fetch): result.records_bytes
            for fetch, result in zip(self._fetches, self._results, strict=True)
            if result.records_bytes
        }

    def _free(self) -> None:
        self._fetches, self._results, self._hosts, self._reads.cold = (), NO_LIST, NO_LIST, NO_LIST

    def _wake(self, fetch: PartitionFetch) -> None:
        # A read that fails takes the partition offline, which wakes whoever waits for it; the look under way tells so.
        if self._is_over:
            return
        if self._is_looking:
            if self._missed is _NO_DICT:
                self._missed = {}
            self._missed[partition_key(fetch)] = fetch
        elif self._is_large:
            if self._is_enough(fetch):
                self.respond_early()
        elif self._look(is_first=False):
            self._finish()

    def _is_enough(self, fetch: PartitionFetch) -> bool:
        """Look at one partition that has changed. Returns whether the response need not wait any longer."""
        if self._sizes is _NO_DICT:
            # It was a small request so far: more of its session's partitions have changed since.
            self._note_sizes()
        # Only the partition that has changed: to read all of a session at each change would cost its size squared.
        key, limit = partition_key(fetch), self._node.limit(self._values)
        others = self._total - self._sizes.get(key, 0)
        self._reads.cold = []
        result, _ = self._result_of(fetch, 0, max(0, limit - others), is_first=False, is_empty=others == 0)
        self._reads.cold, self._reads.throttled = NO_LIST, []
        self._sizes[key] = result.records_bytes
        self._total = others + result.records_bytes
        return (
            _ends_wait(result) or result.error_code != 0 or self._total >= min(self._values.min_bytes, limit)
        )

    def respond_early(self) -> None:
        """The time is over, or there is enough, or others need the place: respond with what there is."""
        if self._is_over or self._is_looking:
            return
        if self._is_large:
            self._is_looking = True
            self._node.in_turns.start(self._finish_in_steps(), lambda: self._is_over)
        else:
            # What was found when it began to wait is old: its high watermark moved, or its records may have been
            # deleted.
            self._look(is_first=False)
            self._finish()

    def _finish_in_steps(self) -> Steps[None]:
        yield from self._read_in_steps(is_first=False)
        self._is_looking = False
        self._finish()

    def give_up(self) -> None:
        """The connection has ended: free what the request keeps. What a thread reads for it is dropped."""
        self._is_given_up = True
        if not self._is_over:
            self._end()
            self._context.cancel()
            self._free()

    def _end(self) -> None:
        self._is_over = True
        self._node.parked.remove(self)
        if self._watched:
            self._node.metrics.fetches.end(self._watched)

    def _look(self, *, is_first: bool) -> bool:
        """Read all partitions. Returns whether the response need not wait any longer."""
        self._is_looking = True
        try:
            return run_to_end(self._read_in_steps(is_first=is_first))
        finally:
            self._is_looking = False
            self._missed = _NO_DICT

    def _read_in_steps(self, *, is_first: bool) -> Steps[bool]:
        left = limit = self._node.limit(self._values)
        is_due = False
        total = refused = 0
        cold: list[LogRead] = []
        self._results, self._hosts = results, hosts = [], []
        self._reads.throttled.clear()
        self._fetches = fetches = self._context.look()
        for position, fetch in enumerate(fetches):
            if position and position % PARTITIONS_A_STEP == 0:
                yield
            self._reads.cold = cold
            result, hosted = self._result_of(fetch, position, left, is_first=is_first, is_empty=total == 0)
            results.append(result)
            hosts.append(hosted)
            total += result.records_bytes
            # The first batch of a response may be larger than the limit (KIP-74).
            left = max(0, left - result.records_bytes)
            if result.error_code in NOT_READ:
                refused += 1
            else:
                is_due = is_due or _ends_wait(result)
        self._total = total
        return is_due or total >= min(self._values.min_bytes, limit) or refused == self._context.size

    def _result_of(
        self, fetch: PartitionFetch, position: int, left: int, *, is_first: bool, is_empty: bool
    ) -> tuple[ReadResult, Hosted | None]:
        """Read one partition, or find out why it cannot be read."""
        hosted = None
        try:
            # Anew in each look: the topic may be gone meanwhile, made anew, or forbidden.
            hosted = self._node.replicas.find(fetch, self._may_read, self._context)
            return self._reads.read(
                hosted, fetch, position, left, is_first=is_first, is_empty=is_empty
            ), hosted
        except PartitionError as error:
            # The response names the leader beside the error (KIP-595), so that a client that knows KIP-951 goes there
            # without asking for metadata.
            leader_id, leader_epoch = self._node.replicas.leader_of(fetch)
            result = ReadResult(
                error_code=error.code,
                high_watermark=-1,
                log_start_offset=-1,
                leader_id=leader_id,
                leader_epoch=leader_epoch,
            )
            return result, hosted

    def _finish(self) -> None:
        self._end()
        if self._reads.cold:
            # While a thread reads, changes of its partitions can say nothing more to it.
            self._context.cancel()
            self._node.read_cold(
                self._reads.cold, self._take_cold, self._values.client_host, lambda: self._is_given_up
            )
        else:
            self._respond()

    def _take_cold(self, found: list[Buffer | Exception]) -> None:
        self._reads.take_cold(found, self._results)
        self._respond()

    def _count(self, *, has_records: bool) -> None:
        count_fetch(
            self._node.metrics,
            self._values,
            self._hosts,
            self._results,
            is_request=not self._context.continues_session,
            has_records=has_records,
        )

    def _respond(self) -> None:
        # Now, when the bytes leave: a thread may have found less than the look had promised.
        if self._reads.throttled:
            self._node.throttle.record(
                sum(len(self._results[each].records) for each in self._reads.throttled)
            )
        if self._throttle is not None and not self._context.error_code:
            # A client over its quota gets a response at once, without records (KIP-219). Its session stays as it was,
            # so that the next request gets them.
            throttle_ms = self._throttle.fetched(sum(len(each.records) for each in self._results))
            if throttle_ms:
                self._count(has_records=False)
                session_id = self._context.throttled().session_id
                self._done(
                    FetchResult(error_code=0, session_id=session_id, responses=(), throttle_ms=throttle_ms)
                )
                return
        finished = self._context.finish(self._results, self._node.now_ms)
        self._count(has_records=not finished.error_code)
        self._done(
            FetchResult(
                error_code=finished.error_code, session_id=finished.session_id, responses=finished.responses
            )
        )


def _ends_wait(result: ReadResult) -> bool:
    """Whether the sender has to know this at once."""
    if result.error_code in NOT_READ:
        return False
    return result.error_code != 0 or result.is_diverging or result.preferred_read_replica != NO_NODE
