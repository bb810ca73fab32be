"""Followers: copies the logs of other brokers' leaders.

There are ``num.replica.fetchers`` fetchers to each broker that leads something here follows, each a task with a
connection and a fetch session. A fetcher sends a request, has what came appended, and sends the next one once that is
written: the offset in it tells the leader that this replica has everything before. If the logs differ, the response
says where, and the follower cuts its own (KIP-595, KIP-320 for topics). Apache Kafka has it in AbstractFetcherThread
and ReplicaFetcherThread.

If the number changes at run time, each partition moves to the fetcher that has it then, once its log is not being
changed. A fetcher for which there is no place any more ends when it has given away its last partition."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

import trio

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.messages import (
    FetchRequest,
    FetchResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
)
from kafkaproto.records.batch import BatchHeader
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.base.ports import Clock, Rng
from kafkaproto_server.base.types import Endpoint, OffsetAndEpoch
from kafkaproto_server.core.log_state.transactions import end_transaction_marker
from kafkaproto_server.core.replicas.fetch_sessions import FULL_EPOCH
from kafkaproto_server.core.replicas.fetcher_session import FetcherSession
from kafkaproto_server.core.replicas.inter_broker_versions import fetch_version, list_offsets_version
from kafkaproto_server.core.replicas.partition import NO_EPOCH, Partition, Role
from kafkaproto_server.requests.fetch_requests import (
    PartitionFetch,
    PartitionKey,
    fetch_topics,
    forgotten_topics,
    partition_key,
)
from kafkaproto_server.shell.net.peers import PeerChannel, PeerError
from kafkaproto_server.shell.net.streams import Connect
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.followers.fetcher_values import (
    FetcherConfig,
    FetcherCounts,
    begins_within_a_batch,
)
from kafkaproto_server.shell.replicas.followers.offsets import EARLIEST, LATEST
from kafkaproto_server.shell.replicas.followers.throttles import ReplicationThrottle
from kafkaproto_server.shell.storage.log.topic_state import Found

_log = logging.getLogger("kafkaproto.server.replicas")

FIRST_BACKOFF_MS = 50
"""Pause after a leader refused a partition for the first time: after an election, it learns of it a moment later."""

THROTTLE_PAUSE_MS = 100
"""How long a throttled partition is left out of requests before the rate is looked at again."""

PARTITIONS_AT_ONCE = 32
"""How many partitions of a response are taken before other tasks run: their records are checked and often written."""

MOVED_AT_ONCE = 500
"""How many partitions change their fetcher in one turn of the loop, about five milliseconds."""

PartitionData = FetchResponse.PartitionData
T = TypeVar("T")


class _Followed:
    """A partition that a fetcher copies."""

    __slots__ = (
        "has_all",
        "hosted",
        "is_busy",
        "is_held_back",
        "key",
        "leader_epoch",
        "leader_high_watermark",
        "must_move",
        "refusals",
    )

    def __init__(self, hosted: Hosted) -> None:
        self.hosted = hosted
        self.key: PartitionKey = (hosted.partition.topic_id, hosted.partition.index)
        self.leader_epoch = hosted.partition.leader_epoch
        self.is_busy = False
        """Whether its log is being changed."""
        self.has_all = False
        """Whether the leader's high watermark, as its last response had it, is not beyond what is here."""
        self.leader_high_watermark: int | None = None
        """That high watermark; None before the first response with the partition."""
        self.is_held_back = False
        """Whether replication is throttled, and it is not asked for."""
        self.refusals = 0
        """How often in a row the leader refused it."""
        self.must_move = False
        """Whether another fetcher takes it over once its log is not being changed."""


def _is_current(followed: _Followed) -> bool:
    """Whether the replica is still a follower of the leader that it is copied from, and its log is open. When the
    broker stops, logs are closed while fetchers run."""
    partition = followed.hosted.partition
    if followed.hosted.log is None:
        return False
    return partition.role is Role.FOLLOWER and partition.leader_epoch == followed.leader_epoch


def _nothing() -> None:
    """A job to wait for those before it."""


class Fetchers:
    """All fetchers of one broker."""

    def __init__(
        self,
        config: FetcherConfig,
        count: int,
        *,
        replicas: HostedReplicas,
        clock: Clock,
        rng: Rng,
        connect: Connect,
        call_at: Callable[[int, Callable[[], None]], None],
        endpoint: Callable[[int], Endpoint | None],
        broker_epoch: Callable[[], int | None],
        metadata_version: Callable[[], int],
        was_cut: Callable[[Hosted], None],
        throttle: ReplicationThrottle,
        metrics: TopicMetrics,
    ) -> None:
        """``count`` is ``num.replica.fetchers``. ``call_at`` calls a function at a time of the clock. ``endpoint`` is
        that of a broker for other brokers. ``was_cut`` is called when a replica's log was cut at its end. ``throttle``
        is that of what is copied."""
        self.config = config
        self._count = count
        self.replicas = replicas
        self.clock = clock
        self.rng = rng
        self.connect = connect
        self.call_at = call_at
        self.endpoint = endpoint
        self.broker_epoch = broker_epoch
        self.metadata_version = metadata_version
        self.was_cut = was_cut
        self.throttle = throttle
        self.metrics = metrics
        self._fetchers: dict[tuple[int, int], _Fetcher] = {}
        self._of: dict[PartitionKey, _Fetcher] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started()
            await trio.sleep_forever()

    def start_soon(self, task: Callable[[_Followed], Awaitable[None]], followed: _Followed) -> None:
        """Run a task beside the fetchers."""
        assert self._nursery is not None, "fetchers run"
        self._nursery.start_soon(task, followed)

    def follow(self, hosted: Hosted) -> None:
        """Copy a partition from its leader, in its present epoch."""
        partition = hosted.partition
        self.unfollow((partition.topic_id, partition.index))
        place = self.place_of(partition)
        fetcher = self._fetchers.get(place)
        if fetcher is None:
            assert self._nursery is not None, "partitions are followed once the fetchers run"
            fetcher = self._fetchers[place] = _Fetcher(self, place)
            self._nursery.start_soon(fetcher.run)
        followed = _Followed(hosted)
        self._of[followed.key] = fetcher
        fetcher.add(followed)

    def unfollow(self, key: PartitionKey) -> None:
        fetcher = self._of.pop(key, None)
        if fetcher is not None:
            fetcher.remove(key)

    def place_of(self, partition: Partition) -> tuple[int, int]:
        """The leader of a partition, and the number of the fetcher that copies it from there."""
        number = zlib.crc32(partition.topic_id) % self._count
        return partition.leader_id, (number + partition.index) % self._count

    def use_count(self, count: int) -> None:
        """There are so many fetchers to each broker from now on."""
        if count == self._count:
            return
        self._count = count
        for (_, number), fetcher in self._fetchers.items():
            fetcher.retire(number >= count)
        self._move(list(self._of))

    def _move(self, keys: Sequence[PartitionKey]) -> None:
        for key in keys[:MOVED_AT_ONCE]:
            fetcher = self._of.get(key)
            if fetcher is not None:
                fetcher.move(key)
        rest = keys[MOVED_AT_ONCE:]
        if rest:
            self.call_at(self.clock.now_ms(), partial(self._move, rest))

    def ended(self, place: tuple[int, int]) -> None:
        del self._fetchers[place]

    def lag_of(self, key: PartitionKey) -> tuple[str, int] | None:
        """Who copies a partition, and how many records of the leader are not here; None if the leader has not responded
        yet."""
        fetcher = self._of.get(key)
        return None if fetcher is None else fetcher.lag_of(key)

    def counts(self) -> list[FetcherCounts]:
        """Of all fetchers that copy something."""
        return [each.counts() for each in self._fetchers.values() if each.is_needed]


class _Fetcher:
    """Copies partitions from one broker, one request at a time."""

    def __init__(self, owner: Fetchers, place: tuple[int, int]) -> None:
        self._owner = owner
        self._config = owner.config
        self._place = place
        self._leader_id, number = place
        self._name = f"ReplicaFetcherThread-{number}-{self._leader_id}"
        self._is_retired = False
        self._requests = self._bytes = 0
        self._session = FetcherSession()
        self._followed: dict[PartitionKey, _Followed] = {}
        self._asked: dict[PartitionKey, PartitionFetch] = {}
        """What the leader's session has of each partition, by the last request."""
        self._peer: PeerChannel | None = None
        self._wake = trio.Event()
        # Logs that are being changed by what the last response had.
        self._busy = 0
        self._failures = 0

    def add(self, followed: _Followed) -> None:
        """Copy a partition from now on."""
        self._followed[followed.key] = followed
        partition = followed.hosted.partition
        if partition.next_offset == partition.log_end_offset:
            self._want(followed)
        else:
            # What this replica took as a leader, or from the leader before, is still to be written. To ask for what
            # follows says that it is there.
            self._change(followed, _nothing, lambda _: self._changed(followed))

    def remove(self, key: PartitionKey) -> None:
        self._followed.pop(key, None)
        self._session.forget(key)
        if self._is_retired:
            self._wake.set()

    def retire(self, is_retired: bool) -> None:
        """End once no partition is copied any more, or do not."""
        self._is_retired = is_retired
        self._wake.set()

    def move(self, key: PartitionKey) -> None:
        """Give a partition to the fetcher that has it by their present number, now or once its log is not being
        changed."""
        followed = self._followed.get(key)
        if followed is None:
            # Its log has failed, and nobody copies it any more.
            return
        followed.must_move = self._owner.place_of(followed.hosted.partition) != self._place
        if followed.must_move and not followed.is_busy:
            self._owner.follow(followed.hosted)

    @property
    def is_needed(self) -> bool:
        return bool(self._followed)

    def lag_of(self, key: PartitionKey) -> tuple[str, int] | None:
        followed = self._followed.get(key)
        if followed is None or followed.leader_high_watermark is None:
            return None
        return self._name, max(0, followed.leader_high_watermark - followed.hosted.partition.next_offset)

    def counts(self) -> FetcherCounts:
        return FetcherCounts(self._name, self._owner.endpoint(self._leader_id), self._requests, self._bytes)

    def _want(self, followed: _Followed) -> None:
        if self._followed.get(followed.key) is not followed or followed.is_busy:
            return
        if followed.must_move:
            self._owner.follow(followed.hosted)
            return
        if self._is_throttled(followed):
            self._hold_back(followed)
            return
        partition = followed.hosted.partition
        epoch = partition.epochs.latest
        self._session.want(
            PartitionFetch(
                topic_id=partition.topic_id,
                topic_name=None,
                index=partition.index,
                fetch_offset=partition.next_offset,
                max_bytes=self._config.partition_max_bytes,
                current_leader_epoch=followed.leader_epoch,
                last_fetched_epoch=NO_EPOCH if epoch is None else epoch,
                log_start_offset=partition.log_start_offset,
            )
        )
        self._wake.set()

    def _is_throttled(self, followed: _Followed) -> bool:
        throttle = self._owner.throttle
        return not followed.has_all and throttle.holds_for(followed.hosted) and throttle.is_exceeded()

    def _hold_back(self, followed: _Followed) -> None:
        self._session.forget(followed.key)
        if not followed.is_held_back:
            followed.is_held_back = True

            def again() -> None:
                followed.is_held_back = False
                self._want(followed)

            self._owner.call_at(self._owner.clock.now_ms() + THROTTLE_PAUSE_MS, again)

    async def run(self) -> None:
        while True:
            self._wake = trio.Event()
            if self._is_retired and not self._followed:
                self._owner.ended(self._place)
                if self._peer is not None:
                    self._peer.close()
                return
            if self._busy or not len(self._session):
                await self._wake.wait()
                continue
            peer = self._connected()
            epoch = self._owner.broker_epoch()
            if peer is None or epoch is None:
                await trio.sleep(self._config.backoff_ms / 1000)
                continue
            request = self._next_request(epoch)
            version = fetch_version(self._owner.metadata_version())
            self._requests += 1
            try:
                response = await peer.send(request, version, timeout_ms=self._config.timeout_ms)
            except (PeerError, LocalProtocolError) as error:
                self._session.handle_failure()
                await self._pause(str(error))
                continue
            assert isinstance(response, FetchResponse)
            await self._take(response)

    def _next_request(self, broker_epoch: int) -> FetchRequest:
        wanted = self._session.next_request()
        if wanted.session_epoch == FULL_EPOCH:
            self._asked.clear()
        self._asked.update((partition_key(each), each) for each in wanted.partitions)
        return FetchRequest(
            replica_state=FetchRequest.ReplicaState(
                replica_id=self._config.broker_id, replica_epoch=broker_epoch
            ),
            max_wait_ms=self._config.max_wait_ms,
            min_bytes=self._config.min_bytes,
            max_bytes=self._config.response_max_bytes,
            session_id=wanted.session_id,
            session_epoch=wanted.session_epoch,
            topics=fetch_topics(wanted.partitions),
            forgotten_topics_data=forgotten_topics(wanted.forgotten),
        )

    async def _pause(self, why: str) -> None:
        if not self._failures:
            _log.info("fetching from broker %d: %s", self._leader_id, why)
        self._failures += 1
        backoff = Backoff(first_ms=FIRST_BACKOFF_MS, longest_ms=self._config.backoff_ms)
        await trio.sleep(backoff.random_delay_ms(self._failures, self._owner.rng) / 1000)

    def _connected(self) -> PeerChannel | None:
        endpoint = self._owner.endpoint(self._leader_id)
        if endpoint is None:
            return None
        if self._peer is None or (self._peer.host, self._peer.port) != (endpoint.host, endpoint.port):
            if self._peer is not None:
                self._peer.close()
            self._peer = PeerChannel(
                endpoint.host,
                endpoint.port,
                client_id=f"broker-{self._config.broker_id}-fetcher",
                backoff=None,
                rng=self._owner.rng,
                connect=self._owner.connect,
            )
        return self._peer

    async def _take(self, response: FetchResponse) -> None:
        found: dict[PartitionKey, PartitionData] = {
            (topic.topic_id, each.partition_index): each
            for topic in response.responses
            for each in topic.partitions
        }
        is_usable = self._session.handle_response(
            error_code=response.error_code, session_id=response.session_id, keys=found.keys()
        )
        if not is_usable:
            await self._pause(describe(response.error_code).name)
            return
        self._failures = 0
        for number, (key, data) in enumerate(found.items(), 1):
            followed = self._followed.get(key)
            if followed is not None and not followed.is_busy:
                self._take_partition(followed, data)
            if number % PARTITIONS_AT_ONCE == 0:
                # A response may have thousands. What has changed meanwhile, each partition looks at for itself.
                await trio.lowlevel.checkpoint()

    def _take_partition(self, followed: _Followed, data: PartitionData) -> None:
        partition = followed.hosted.partition
        # Newer metadata may have changed what this replica is, after the request was sent.
        if not _is_current(followed):
            return
        asked = self._asked[followed.key]
        if (asked.current_leader_epoch, asked.fetch_offset) != (followed.leader_epoch, partition.next_offset):
            # It is the response to what this replica was, or had, before.
            self._want(followed)
            return
        if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            self._start_again(followed)
        elif data.error_code == ErrorCode.FENCED_LEADER_EPOCH:
            # The metadata that says why is on its way.
            self._session.forget(followed.key)
        elif data.error_code:
            self._refused(followed, describe(data.error_code).name)
        elif data.diverging_epoch.epoch >= 0:
            end = OffsetAndEpoch(epoch=data.diverging_epoch.epoch, offset=data.diverging_epoch.end_offset)
            self._truncate(followed, partition.truncation_point(end))
        else:
            followed.refusals = 0
            if begins_within_a_batch(partition, data):
                _log.warning(
                    "%s-%d begins again at offset %d", partition.topic, partition.index, data.log_start_offset
                )
                self._begin_at(followed, data.log_start_offset)
                return
            followed.leader_high_watermark = data.high_watermark
            followed.has_all = data.high_watermark <= partition.next_offset
            if data.records:
                try:
                    self._append(followed, data)
                except RemoteProtocolError as error:
                    self._refused(followed, str(error))
                    return
            else:
                self._leader_said(followed, data.high_watermark)
            if data.log_start_offset > partition.log_start_offset:
                self._move_start(followed, data.log_start_offset)

    def _leader_said(self, followed: _Followed, high_watermark: int) -> None:
        hosted = followed.hosted
        hosted.partition.leader_said(high_watermark)
        if hosted.is_anew and hosted.partition.log_end_offset >= high_watermark:
            self._owner.replicas.has_all_again(hosted)

    def _refused(self, followed: _Followed, why: str) -> None:
        """The leader cannot be asked for a partition now: ask again later."""
        partition = followed.hosted.partition
        if not followed.refusals:
            _log.info("broker %d on %s-%d: %s", self._leader_id, partition.topic, partition.index, why)
        followed.refusals += 1
        self._session.forget(followed.key)
        backoff = Backoff(first_ms=FIRST_BACKOFF_MS, longest_ms=self._config.backoff_ms)
        delay_ms = backoff.random_delay_ms(followed.refusals, self._owner.rng)
        self._owner.call_at(self._owner.clock.now_ms() + delay_ms, partial(self._want, followed))

    # -- changes of the log ------------------------------------------------------------------------------------

    def _append(self, followed: _Followed, data: PartitionData) -> None:
        """Append what the leader sent. Raises RemoteProtocolError if that does not continue this log."""
        partition, log = followed.hosted.partition, followed.hosted.log
        assert log is not None, "a follower's log is open"
        records = data.records
        assert records is not None, "there are records to append"
        assert not isinstance(records, list), "what was decoded is one buffer"
        headers: list[BatchHeader] = []
        markers = []
        end, first = 0, partition.next_offset
        expected = first
        for view in iterate_stored_batches(records):
            view.check()
            header = view.header()
            # As the leader's log may do, an empty one may begin within a batch.
            continues = header.base_offset >= expected or (not headers and partition.begins_within(header))
            if not continues or header.partition_leader_epoch > followed.leader_epoch:
                raise RemoteProtocolError(
                    f"a batch of epoch {header.partition_leader_epoch} begins at {header.base_offset}, expected is"
                    f" {expected}"
                )
            headers.append(header)
            markers.append(end_transaction_marker(view) if header.is_control else None)
            expected = header.next_offset
            end = view.position + view.size_in_bytes
        if not headers:
            return
        aborted = []
        wall_ms = self._owner.clock.wall_ms()
        for header, marker in zip(headers, markers, strict=True):
            # An empty log may begin within its first batch.
            partition.epochs.begin(
                header.partition_leader_epoch, max(header.base_offset, partition.log_start_offset)
            )
            transaction = partition.producers.take(header, marker, wall_ms)
            if transaction is not None:
                aborted.append(transaction)
        partition.aborted += aborted
        partition.next_offset = expected
        followed.has_all = data.high_watermark <= expected
        if self._owner.throttle.holds_for(followed.hosted):
            self._owner.throttle.record(end)
        self._count(followed.hosted, end)
        high_watermark = data.high_watermark

        def appended(has_rolled: bool) -> None:
            if followed.hosted.log is log and partition.next_offset >= expected:
                partition.appended(expected, now_ms=self._owner.clock.now_ms())
                self._leader_said(followed, high_watermark)
                if has_rolled:
                    self._owner.replicas.has_rolled(followed.hosted)
            self._changed(followed)

        batches, base_offset = memoryview(records)[:end], headers[0].base_offset
        if base_offset < first:
            self._change(
                followed, partial(log.begin_within, batches, base_offset, aborted, wall_ms), appended
            )
            return
        work = partial(log.append, (batches,), aborted, wall_ms)
        self._change(followed, work, appended, is_short=log.is_short_append(end, expected))

    def _count(self, hosted: Hosted, size: int) -> None:
        """So many bytes of records were copied."""
        self._bytes += size
        metrics = self._owner.metrics
        metrics.replication_bytes_in += size
        if hosted.image is not None and self._config.broker_id in hosted.image.adding_replicas:
            metrics.reassignment_bytes_in += size

    def _truncate(self, followed: _Followed, offset: int) -> None:
        log = followed.hosted.log
        assert log is not None, "a follower's log is open"
        partition = followed.hosted.partition
        if offset >= partition.log_end_offset:
            # Nothing to cut, and the epochs differ: what this replica believes of the last epoch has no record.
            partition.epochs.truncate_to(offset)
            self._want(followed)
            return
        _log.info("%s-%d is cut to offset %d", partition.topic, partition.index, offset)
        # A leader that has lost more may end before this log starts; then this one begins again where that one ends.
        cut = log.truncate_to if offset >= partition.log_start_offset else log.truncate_fully_to
        # Until a log has begun anew, nothing of it is durable, not even its end.
        promised = offset if cut == log.truncate_to else 0
        self._cut(followed, partial(cut, offset, self._owner.clock.wall_ms()), promised)

    def _begin_at(self, followed: _Followed, offset: int) -> None:
        """Empty a log, which begins at an offset then."""
        log = followed.hosted.log
        assert log is not None, "a follower's log is open"
        self._cut(followed, partial(log.truncate_fully_to, offset, self._owner.clock.wall_ms()), 0)

    def _cut(self, followed: _Followed, work: Callable[[], Found], promised: int) -> None:
        """``promised``: what lies before this offset is there at any moment."""
        followed.hosted.is_being_cut = True
        self._owner.replicas.will_be_cut(followed.hosted, promised)
        self._change(followed, work, partial(self._was_cut, followed))

    def _was_cut(self, followed: _Followed, found: Found) -> None:
        hosted = followed.hosted
        hosted.is_being_cut = False
        self._owner.replicas.was_cut(hosted, found)
        self._owner.was_cut(hosted)
        if hosted.log is not None:
            # What the metadata said meanwhile.
            self._owner.replicas.apply(hosted)
        self._changed(followed)

    def _move_start(self, followed: _Followed, offset: int) -> None:
        # The next fetch tells the leader, who may have somebody waiting for it (DeleteRecords).
        offset = min(offset, followed.hosted.partition.log_end_offset)
        self._owner.replicas.move_start(
            followed.hosted, offset, partial(self._want, followed), partial(self.remove, followed.key)
        )

    def _change(
        self, followed: _Followed, work: Callable[[], T], done: Callable[[T], None], *, is_short: bool = False
    ) -> None:
        followed.is_busy = True
        self._busy += 1

        def failed(error: Exception) -> None:
            self._busy -= 1
            self._wake.set()
            self.remove(followed.key)
            self._owner.replicas.failed(followed.hosted, error)

        job = DiskJob(work, done, failed)
        if is_short:
            followed.hosted.lane.put_short(job)
        else:
            followed.hosted.lane.put(job)

    def _changed(self, followed: _Followed) -> None:
        followed.is_busy = False
        self._busy -= 1
        self._want(followed)
        self._wake.set()

    # -- a log that is out of the leader's range ---------------------------------------------------------------

    def _start_again(self, followed: _Followed) -> None:
        """The leader does not have the offset: ask what it has, and begin there."""
        followed.is_busy = True
        self._busy += 1
        self._owner.start_soon(self._find_start, followed)

    async def _find_start(self, followed: _Followed) -> None:
        partition, log = followed.hosted.partition, followed.hosted.log
        latest = await self._offset(followed, LATEST)
        earliest = await self._offset(followed, EARLIEST)
        followed.is_busy = False
        self._busy -= 1
        self._wake.set()
        if followed.hosted.log is not log or not _is_current(followed):
            # Newer metadata may have made it the leader meanwhile: nobody cuts its log.
            return
        if latest is None or earliest is None or log is None:
            self._refused(followed, "its offsets are not known")
        elif latest < partition.log_end_offset:
            self._truncate(followed, latest)
        elif earliest > partition.log_end_offset:
            _log.warning("%s-%d begins again at offset %d", partition.topic, partition.index, earliest)
            self._begin_at(followed, earliest)
        else:
            self._want(followed)

    async def _offset(self, followed: _Followed, timestamp: int) -> int | None:
        partition = followed.hosted.partition
        if self._peer is None:
            return None
        request = ListOffsetsRequest(
            replica_id=self._config.broker_id,
            topics=[
                ListOffsetsRequest.ListOffsetsTopic(
                    name=partition.topic,
                    partitions=[
                        ListOffsetsRequest.ListOffsetsPartition(
                            partition_index=partition.index,
                            current_leader_epoch=followed.leader_epoch,
                            timestamp=timestamp,
                        )
                    ],
                )
            ],
        )
        version = list_offsets_version(self._owner.metadata_version())
        try:
            response = await self._peer.send(request, version, timeout_ms=self._config.timeout_ms)
        except (PeerError, LocalProtocolError):
            return None
        assert isinstance(response, ListOffsetsResponse)
        for each in _all_partitions(response):
            return each.offset if each.error_code == ErrorCode.NONE else None
        return None


def _all_partitions(
    response: ListOffsetsResponse,
) -> Iterable[ListOffsetsResponse.ListOffsetsPartitionResponse]:
    return (each for topic in response.topics for each in topic.partitions)
