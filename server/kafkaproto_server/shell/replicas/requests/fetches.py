"""Fetch: reads what a request asks for, or waits until there is enough of it.

What lies in the page cache is read at once, in the event loop; anything else by a thread, after which the response is
made. A request waits for changes of its partitions and is then looked at again (`core.replicas.fetch_sessions`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.apis.cluster.describe_cluster import endpoint_of
from kafkaproto_server.base.file_part import FilePart, Sendable
from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.base.ports import Buffer, Clock, Rng
from kafkaproto_server.base.types import NO_NODE, OffsetAndEpoch
from kafkaproto_server.core.log_state.transactions import aborted_between
from kafkaproto_server.core.replicas.fetch_sessions import FetchContext, FetchSessions
from kafkaproto_server.core.replicas.partition import NO_EPOCH, Partition, PartitionError, Role
from kafkaproto_server.core.replicas.preferred_replica import preferred_replica
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.context import Throttle
from kafkaproto_server.requests.data import Fetched, FetchResult, ReadResult
from kafkaproto_server.requests.fetch_requests import FetchValues, PartitionFetch, PartitionKey, partition_key
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.followers.throttles import ReplicationThrottle
from kafkaproto_server.shell.replicas.requests.host_lane import HostLane, fail
from kafkaproto_server.shell.replicas.requests.log_read import LogRead, read_all
from kafkaproto_server.shell.replicas.requests.named_topics import MayRead, readable_topic
from kafkaproto_server.shell.replicas.requests.parked_fetches import (
    FEW_PARTITIONS,
    PARTITIONS_A_STEP,
    InTurns,
    ParkedFetches,
)
from kafkaproto_server.shell.replicas.timers import Timers
from kafkaproto_server.shell.storage.errors import (
    CorruptFileError,
    LogClosedError,
    OffsetOutOfRangeError,
)
from kafkaproto_server.shell.storage.log.topic_log import TopicLog

FIRST_SERVED_BY_FOLLOWERS = 11
"""Version of Fetch whose clients know that any replica may respond (KIP-392)."""
READ_COMMITTED = 1
_NOT_READ = (
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.UNKNOWN_TOPIC_ID,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
)
"""Errors that do not end the wait for the other partitions. Otherwise a client would ask again and again, and be told
nothing new."""

_NO_LIST: Final[list[Any]] = []
_NO_DICT: Final[dict[Any, Any]] = {}
"""What requests begin with. Nothing is added to them: most requests need none, and each would cost time."""


class Fetches:
    """The readers' side of a broker's replicas."""

    def __init__(
        self,
        *,
        replicas: HostedReplicas,
        image: Callable[[], ClusterImage],
        clock: Clock,
        timers: Timers,
        rng: Rng,
        max_sessions: int,
        max_bytes: int,
        selects_by_rack: bool,
        throttle: ReplicationThrottle,
        readers: HostLane,
        metrics: TopicMetrics,
    ) -> None:
        """``max_bytes`` is fetch.max.bytes. ``selects_by_rack``: consumers are sent to a replica in their rack.
        ``readers`` do what has to wait for the disk."""
        self._replicas = replicas
        self._image = image
        self._clock = clock
        self._timers = timers
        self._max_bytes = max_bytes
        self._selects_by_rack = selects_by_rack
        self._readers = readers
        self.throttle = throttle
        """Of what followers copy."""
        self.metrics = metrics
        """What is read, by topic."""
        self.parked = ParkedFetches()
        self.in_turns = InTurns(timers, clock)
        """For large requests."""
        self.sessions = FetchSessions(
            rng, self._partition, self._name_if_known, max_sessions, self._count_requests
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
        now_ms = self._clock.now_ms()
        context = self.sessions.begin(values, now_ms)
        fetch = _Fetch(self, values, version, may_read, context, done, throttle)
        fetch.begin(now_ms)
        return fetch.give_up

    def _partition(self, key: PartitionKey) -> Partition | None:
        topic, index = key
        topic_id = self._image().topic_ids.get(topic) if isinstance(topic, str) else topic
        hosted = None if topic_id is None else self._replicas.get(topic_id, index)
        return None if hosted is None else hosted.partition

    def _count_requests(self, topic: bytes | str, number: int) -> None:
        name = topic if isinstance(topic, str) else self._name(topic)
        if name in self._image().topic_ids:
            self.metrics.of(name).fetch_requests += number

    def _name(self, topic_id: bytes) -> str:
        return self._name_if_known(topic_id) or ""

    def _name_if_known(self, topic_id: bytes) -> str | None:
        topic = self._image().topics.get(topic_id)
        return None if topic is None else topic.name

    # The rest is for the requests.

    @property
    def now_ms(self) -> int:
        return self._clock.now_ms()

    def call_at(self, at_ms: int, call: Callable[[], None], over: Callable[[], bool], *of: bool) -> None:
        """See `Timers.add`, and `TopicMetrics.expire_fetch` for ``of``."""
        self._timers.add(at_ms, partial(self.metrics.expire_fetch, call, over, *of), over)

    def limit(self, values: FetchValues) -> int:
        """The most bytes of records in a response."""
        return min(values.max_bytes, self._max_bytes)

    def find(self, fetch: PartitionFetch, may_read: MayRead, context: FetchContext) -> Hosted:
        """The replica that a request asks for. Raises PartitionError."""
        image = self._image()
        topic_id = readable_topic(image, fetch, may_read, context)
        hosted = self._replicas.get(topic_id, fetch.index)
        if hosted is None:
            topic = image.topics.get(topic_id)
            if topic is None or fetch.index not in topic.partitions:
                raise PartitionError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            is_offline = (topic_id, fetch.index) in self._replicas.offline
            raise PartitionError(
                ErrorCode.KAFKA_STORAGE_ERROR if is_offline else ErrorCode.NOT_LEADER_OR_FOLLOWER
            )
        return hosted

    def preferred_replica(self, partition: Partition, fetch_offset: int, values: FetchValues) -> int:
        """Where a consumer should read instead; NO_NODE if it should read here."""
        rack_id = values.rack_id
        if not self._selects_by_rack or not rack_id or partition.role is not Role.LEADER:
            return NO_NODE
        brokers = self._image().brokers

        def is_near(broker_id: int) -> bool:
            broker = brokers.get(broker_id)
            return (
                broker is not None
                and not broker.fenced
                and broker.rack == rack_id
                and endpoint_of(broker, values.listener_name) is not None
            )

        return preferred_replica(partition, fetch_offset, is_near)

    def is_stale(self, broker_id: int, broker_epoch: int) -> bool:
        """Whether a request is of an earlier run of a broker, which may have lost records since (KIP-903)."""
        broker = self._image().brokers.get(broker_id)
        return broker is not None and NO_EPOCH != broker_epoch < broker.epoch

    def leader_of(self, fetch: PartitionFetch) -> tuple[int, int]:
        """The leader of a partition and its epoch, as the metadata has them."""
        image = self._image()
        topic_id = fetch.topic_id if fetch.topic_name is None else image.topic_ids.get(fetch.topic_name, b"")
        topic = image.topics.get(topic_id)
        partition = None if topic is None else topic.partitions.get(fetch.index)
        return (NO_NODE, NO_EPOCH) if partition is None else (partition.leader, partition.leader_epoch)

    def read_failed(self, hosted: Hosted, log: TopicLog, error: Exception) -> None:
        self._replicas.read_failed(hosted, log, error)

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
        "_cold",
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
        "_results",
        "_sizes",
        "_throttle",
        "_throttled",
        "_total",
        "_values",
        "_version",
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
        self._version = version
        self._may_read = may_read
        self._context = context
        self._done = done
        self._throttle = throttle
        self._is_over = False
        self._is_given_up = False
        self._is_looking = False
        # What the last look was about.
        self._fetches: Sequence[PartitionFetch] = ()
        self._results: list[ReadResult] = _NO_LIST
        # The bytes of records that there are: of all partitions, and of those of a large request that have any.
        self._total = 0
        self._sizes: dict[PartitionKey, int] = _NO_DICT
        # The partitions that have changed during a look.
        self._missed: dict[PartitionKey, PartitionFetch] = _NO_DICT
        # The replica of each of them; None if there is none here that the sender may read.
        self._hosts: list[Hosted | None] = _NO_LIST
        # How many partitions it waits for.
        self._watched = 0
        self._cold: list[LogRead] = _NO_LIST
        # The positions of partitions whose records count for the throttle of replication.
        self._throttled: list[int] = []

    def begin(self, now_ms: int) -> None:
        if self._context.continues_session:
            self._node.metrics.all.fetch_requests += self._context.size
        if self._context.error_code:
            self._finish()
        elif self._is_large:
            self._node.in_turns.start(self._begin_in_steps(now_ms), lambda: self._is_over)
        elif self._look(is_first=True) or self._values.max_wait_ms <= 0:
            self._finish()
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
        self._fetches, self._results, self._hosts, self._cold = (), _NO_LIST, _NO_LIST, _NO_LIST

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
        key, limit = partition_key(fetch), self._node.limit(self._values)
        others = self._total - self._sizes.get(key, 0)
        self._cold = []
        result, _ = self._result_of(fetch, 0, max(0, limit - others), is_first=False, is_empty=others == 0)
        self._cold, self._throttled = _NO_LIST, []
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
        self._throttled.clear()
        self._fetches = fetches = self._context.look()
        for position, fetch in enumerate(fetches):
            if position and position % PARTITIONS_A_STEP == 0:
                yield
            self._cold = cold
            result, hosted = self._result_of(fetch, position, left, is_first=is_first, is_empty=total == 0)
            results.append(result)
            hosts.append(hosted)
            total += result.records_bytes
            left = max(0, left - result.records_bytes)
            if result.error_code in _NOT_READ:
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
            hosted = self._node.find(fetch, self._may_read, self._context)
            return self._read(hosted, fetch, position, left, is_first=is_first, is_empty=is_empty), hosted
        except PartitionError as error:
            leader_id, leader_epoch = self._node.leader_of(fetch)
            result = ReadResult(
                error_code=error.code,
                high_watermark=-1,
                log_start_offset=-1,
                leader_id=leader_id,
                leader_epoch=leader_epoch,
            )
            return result, hosted

    def _read(
        self,
        hosted: Hosted,
        fetch: PartitionFetch,
        position: int,
        left: int,
        *,
        is_first: bool,
        is_empty: bool,
    ) -> ReadResult:
        """Read one partition. Raises PartitionError."""
        partition, values = hosted.partition, self._values
        if values.is_from_follower or self._version < FIRST_SERVED_BY_FOLLOWERS:
            partition.check_leader(fetch.current_leader_epoch)
        else:
            partition.check_readable(fetch.current_leader_epoch)
        log = self._log_of(hosted)
        offset = fetch.fetch_offset
        instead = self._instead_of_records(partition, fetch)
        if instead is not None:
            return instead
        if offset > partition.log_end_offset:
            raise PartitionError(ErrorCode.OFFSET_OUT_OF_RANGE)
        stable = partition.last_stable_offset
        if values.is_from_follower:
            end_offset = partition.log_end_offset
        elif values.isolation_level == READ_COMMITTED:
            end_offset = stable
        else:
            end_offset = partition.high_watermark
        records: Sendable = b""
        is_limited = False
        if values.is_from_follower and self._must_wait(hosted, position):
            is_limited = True
        elif offset < end_offset:
            read = LogRead(position, hosted, log, offset, min(fetch.max_bytes, left), end_offset, is_empty)
            found = self._read_now(read)
            if found is None:
                self._cold.append(read)
            else:
                records, is_limited = found, not found
        if values.is_from_follower and (is_first or not partition.followers[values.replica_id].is_known):
            # Known it has to be: once its partition has nothing new, it is not looked at again.
            partition.follower_fetched(
                values.replica_id,
                offset,
                fetch.log_start_offset,
                values.replica_epoch,
                now_ms=self._node.now_ms,
            )
        is_cold = bool(self._cold) and self._cold[-1].position == position
        return ReadResult(
            high_watermark=partition.high_watermark,
            log_start_offset=partition.log_start_offset,
            last_stable_offset=stable,
            records=records,
            # What a thread reads counts as something, so that the response does not wait for more.
            records_bytes=len(records)
            or (max(1, min(fetch.max_bytes, left, log.log.size_in_bytes)) if is_cold else 0),
            is_limited=is_limited,
            aborted=_aborted(partition.aborted, offset, records, values),
        )

    def _must_wait(self, hosted: Hosted, position: int) -> bool:
        """Whether a follower gets no records of a partition now, because replication is throttled."""
        throttle = self._node.throttle
        if not throttle.holds_for(hosted):
            return False
        self._throttled.append(position)
        return self._values.replica_id not in hosted.partition.isr and throttle.is_exceeded()

    def _instead_of_records(self, partition: Partition, fetch: PartitionFetch) -> ReadResult | None:
        """The replica that a consumer should read from, or where a log leaves this one; None if it gets records.

        Raises PartitionError.
        """
        values, offset = self._values, fetch.fetch_offset
        preferred, end = NO_NODE, None
        if not values.is_from_follower and self._version >= FIRST_SERVED_BY_FOLLOWERS:
            preferred = self._node.preferred_replica(partition, offset, values)
        if preferred == NO_NODE:
            if offset < partition.log_start_offset:
                raise PartitionError(ErrorCode.OFFSET_OUT_OF_RANGE)
            if fetch.last_fetched_epoch != NO_EPOCH:
                end = _diverging(partition, offset, fetch.last_fetched_epoch)
            if end is None:
                return None
        return ReadResult(
            high_watermark=partition.high_watermark,
            log_start_offset=partition.log_start_offset,
            last_stable_offset=partition.last_stable_offset,
            preferred_read_replica=preferred,
            is_diverging=end is not None,
            diverging=end,
        )

    def _read_now(self, read: LogRead) -> Sendable | None:
        """Read what is in memory; None if it is not. Raises PartitionError."""
        # Below the high watermark, a log is cut by nothing but an unclean election.
        values = self._values
        copied = values.is_from_follower or _walks(read.hosted.partition, values)
        try:
            return read.read_now(copied=copied)
        except BlockingIOError:
            return None
        except OSError as error:
            self._node.read_failed(read.hosted, read.log, error)
            raise PartitionError(ErrorCode.KAFKA_STORAGE_ERROR) from None
        except OffsetOutOfRangeError:
            raise PartitionError(ErrorCode.OFFSET_OUT_OF_RANGE) from None
        except CorruptFileError as error:
            raise PartitionError(ErrorCode.CORRUPT_MESSAGE, str(error)) from None

    def _log_of(self, hosted: Hosted) -> TopicLog:
        """The log, if the sender may have it. Raises PartitionError."""
        values = self._values
        if hosted.log is None:
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        # Who claims to be a follower must be one: it moves the high watermark.
        if values.is_from_follower and (
            values.replica_id not in hosted.partition.followers
            or self._node.is_stale(values.replica_id, values.replica_epoch)
        ):
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return hosted.log

    def _count(self, *, has_records: bool) -> None:
        """Count the request and, unless ``has_records`` is false, the records of its response."""
        metrics, values = self._node.metrics, self._values
        is_request, is_reader = not self._context.continues_session, not values.is_from_follower
        requests = size_of_all = 0
        for hosted, result in zip(self._hosts, self._results, strict=True):
            if hosted is None:
                requests += is_request and result.error_code not in _NOT_READ
                continue
            size = len(result.records) if has_records else 0
            if is_request or (size and is_reader):
                counts = metrics.of(hosted.partition.topic)
                requests += is_request
                counts.fetch_requests += is_request
                if is_reader:
                    size_of_all += size
                    counts.bytes_out += size
            if result.error_code == ErrorCode.CORRUPT_MESSAGE:
                metrics.of(hosted.partition.topic).failed_fetch_requests += 1
                metrics.all.failed_fetch_requests += 1
            if size and not is_reader:
                metrics.replication_bytes_out += size
                if hosted.image is not None and values.replica_id in hosted.image.adding_replicas:
                    metrics.reassignment_bytes_out += size
        metrics.all.fetch_requests += requests
        metrics.all.bytes_out += size_of_all

    def _finish(self) -> None:
        self._end()
        if self._cold:
            self._context.cancel()
            self._node.read_cold(
                self._cold, self._take_cold, self._values.client_host, lambda: self._is_given_up
            )
        else:
            self._respond()

    def _take_cold(self, found: list[Buffer | Exception]) -> None:
        for each, records in zip(self._cold, found, strict=True):
            result = self._results[each.position]
            if isinstance(records, OffsetOutOfRangeError):
                changed = ReadResult(
                    error_code=ErrorCode.OFFSET_OUT_OF_RANGE, high_watermark=-1, log_start_offset=-1
                )
            elif isinstance(records, LogClosedError):
                changed = ReadResult(
                    error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER, high_watermark=-1, log_start_offset=-1
                )
            elif isinstance(records, Exception):
                self._node.read_failed(each.hosted, each.log, records)
                changed = ReadResult(
                    error_code=ErrorCode.KAFKA_STORAGE_ERROR, high_watermark=-1, log_start_offset=-1
                )
            else:
                changed = ReadResult(
                    high_watermark=result.high_watermark,
                    log_start_offset=result.log_start_offset,
                    last_stable_offset=result.last_stable_offset,
                    records=records,
                    records_bytes=len(records),
                    is_limited=not records,
                    aborted=_aborted(each.aborted, each.offset, records, self._values),
                )
            self._results[each.position] = changed
        self._respond()

    def _respond(self) -> None:
        if self._throttled:
            self._node.throttle.record(sum(len(self._results[each].records) for each in self._throttled))
        if self._throttle is not None and not self._context.error_code:
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
    if result.error_code in _NOT_READ:
        return False
    return result.error_code != 0 or result.is_diverging or result.preferred_read_replica != NO_NODE


def _walks(partition: Partition, values: FetchValues) -> bool:
    """Whether the batches are looked at that a consumer gets."""
    return bool(partition.aborted) and values.isolation_level == READ_COMMITTED


def _aborted(
    aborted: Sequence[AbortedTransaction], offset: int, records: Sendable, values: FetchValues
) -> list[tuple[int, int]] | None:
    """The aborted transactions that a consumer has to skip in the records; None if it does not ask for them."""
    if values.isolation_level != READ_COMMITTED or values.is_from_follower:
        return None
    if not aborted or not records:
        return []
    assert not isinstance(records, FilePart), "batches that are looked at have been read"
    end_offset = offset
    # The limit may have cut the last batch short; then the consumer asks for it again. It also finds damage by itself.
    with suppress(RemoteProtocolError):
        for view in iterate_stored_batches(records):
            end_offset = view.next_offset
    return aborted_between(aborted, offset, end_offset)


def _diverging(partition: Partition, offset: int, epoch: int) -> OffsetAndEpoch | None:
    """Where a log that has ``epoch`` up to ``offset`` leaves this one; None if it does not. Raises PartitionError."""
    end = partition.epochs.end_offset_for(epoch, partition.log_end_offset)
    if end is None:
        # Its epoch is newer than all here: the follower knows a leader that this one does not.
        raise PartitionError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if end.epoch < epoch or end.offset < offset:
        return end
    return None
