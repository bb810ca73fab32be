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
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import trio

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.messages import FetchRequest, FetchResponse
from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.replicas.fetch_session import FULL_EPOCH
from kafkaproto_server.core.replicas.fetcher_session import FetcherSession
from kafkaproto_server.core.replicas.inter_broker_versions import fetch_version
from kafkaproto_server.core.replicas.partition import NO_EPOCH, Partition
from kafkaproto_server.requests.fetch_requests import (
    PartitionFetch,
    PartitionKey,
    fetch_topics,
    forgotten_topics,
    partition_key,
)
from kafkaproto_server.shell.net.peers import PeerError
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.followers.fetcher_values import (
    FetcherConfig,
    FetcherCounts,
    begins_within_a_batch,
)
from kafkaproto_server.shell.replicas.followers.followed import Followed, is_current
from kafkaproto_server.shell.replicas.followers.leader_endpoint import LeaderEndPoint, ToLeaders
from kafkaproto_server.shell.replicas.followers.log_changes import LogChanges
from kafkaproto_server.shell.replicas.followers.offsets import EARLIEST, LATEST
from kafkaproto_server.shell.replicas.followers.throttles import ReplicationThrottle

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


def _nothing() -> None:
    """A job to wait for those before it."""


class Fetchers:
    """All fetchers of one broker."""

    def __init__(
        self,
        config: FetcherConfig,
        count: int,
        *,
        leaders: ToLeaders,
        logs: LogChanges,
        clock: Clock,
        call_at: Callable[[int, Callable[[], None]], None],
        throttle: ReplicationThrottle,
    ) -> None:
        """``count`` is ``num.replica.fetchers``. ``call_at`` calls a function at a time of the clock. ``throttle`` is
        that of what is copied."""
        self.config = config
        self._count = count
        self.leaders = leaders
        self.logs = logs
        self.clock = clock
        self.call_at = call_at
        self.throttle = throttle
        self._fetchers: dict[tuple[int, int], _Fetcher] = {}
        self._of: dict[PartitionKey, _Fetcher] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started()
            await trio.sleep_forever()

    def start_soon(self, task: Callable[[Followed], Awaitable[None]], followed: Followed) -> None:
        """Run a task beside the fetchers."""
        assert self._nursery is not None, "fetchers run"
        self._nursery.start_soon(task, followed)

    def follow(self, hosted: Hosted) -> None:
        """Copy a partition from its leader, in its present epoch."""
        partition = hosted.partition
        # Before its new place is known: it may have had another leader or another fetcher, and two must never copy
        # one log.
        self.unfollow((partition.topic_id, partition.index))
        place = self.place_of(partition)
        fetcher = self._fetchers.get(place)
        if fetcher is None:
            assert self._nursery is not None, "partitions are followed once the fetchers run"
            fetcher = self._fetchers[place] = _Fetcher(self, place)
            self._nursery.start_soon(fetcher.run)
        followed = Followed(hosted)
        self._of[followed.key] = fetcher
        fetcher.add(followed)

    def unfollow(self, key: PartitionKey) -> None:
        fetcher = self._of.pop(key, None)
        if fetcher is not None:
            fetcher.remove(key)

    def place_of(self, partition: Partition) -> tuple[int, int]:
        """The leader of a partition, and the number of the fetcher that copies it from there."""
        # The partitions of one topic go to the fetchers in turn, as in Kafka, and not all topics begin with the same
        # one. Not by Python's hash, which is another one in each process.
        number = zlib.crc32(partition.topic_id) % self._count
        return partition.leader_id, (number + partition.index) % self._count

    def use_count(self, count: int) -> None:
        """There are so many fetchers to each broker from now on."""
        if count == self._count:
            return
        self._count = count
        for (_, number), fetcher in self._fetchers.items():
            # Before partitions move: a fetcher that gives away its last one is to end then.
            fetcher.retire(number >= count)
        self._move(list(self._of))

    def _move(self, keys: Sequence[PartitionKey]) -> None:
        for key in keys[:MOVED_AT_ONCE]:
            fetcher = self._of.get(key)
            if fetcher is not None:
                fetcher.move(key)
        rest = keys[MOVED_AT_ONCE:]
        if rest:
            # The others in later turns of the loop: a broker may follow a hundred thousand partitions.
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
        self._requests = self.copied_bytes = 0
        self._session = FetcherSession()
        self._followed: dict[PartitionKey, Followed] = {}
        self._asked: dict[PartitionKey, PartitionFetch] = {}
        """What the leader's session has of each partition, by the last request."""
        self._leader = LeaderEndPoint(owner.leaders, owner.config, self._leader_id)
        self._logs = owner.logs
        self._wake = trio.Event()
        self.busy = 0
        self._failures = 0

    def add(self, followed: Followed) -> None:
        """Copy a partition from now on."""
        followed.fetcher = self
        self._followed[followed.key] = followed
        partition = followed.hosted.partition
        if partition.next_offset == partition.log_end_offset:
            self.want(followed)
        else:
            # What this replica took as a leader, or from the leader before, is still to be written. To ask for what
            # follows says that it is there.
            self._logs.change(followed, _nothing, lambda _: self.changed(followed))

    def remove(self, key: PartitionKey) -> None:
        self._followed.pop(key, None)
        self._session.forget(key)
        # A retired fetcher waits for its last partition to go.
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
        return FetcherCounts(
            self._name, self._owner.leaders.endpoint(self._leader_id), self._requests, self.copied_bytes
        )

    def want(self, followed: Followed) -> None:
        """Ask for a partition from where its log ends, unless it is being changed, moved or throttled."""
        # What calls this may be late: a timer or a job of a `Followed` that was replaced since.
        if self._followed.get(followed.key) is not followed or followed.is_busy:
            return
        if followed.must_move:
            self._owner.follow(followed.hosted)
            return
        # Left out of the request, as Kafka's RemoteLeaderEndPoint does, and not only held back at the end: its bytes
        # would already be here.
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

    def _is_throttled(self, followed: Followed) -> bool:
        throttle = self._owner.throttle
        # Whoever has all that is committed is never throttled: it is in the ISR, or about to be, and must stay there
        # (KIP-73).
        return not followed.has_all and throttle.holds_for(followed.hosted) and throttle.is_exceeded()

    def _hold_back(self, followed: Followed) -> None:
        self._session.forget(followed.key)
        if not followed.is_held_back:
            followed.is_held_back = True

            def again() -> None:
                followed.is_held_back = False
                self.want(followed)

            self._owner.call_at(self._owner.clock.now_ms() + THROTTLE_PAUSE_MS, again)

    async def run(self) -> None:
        while True:
            self._wake = trio.Event()
            if self._is_retired and not self._followed:
                self._owner.ended(self._place)
                self._leader.close()
                return
            # One request has all partitions, and the offset of each says that what lies before it is written here.
            if self.busy or not len(self._session):
                await self._wake.wait()
                continue
            peer = self._leader.connected()
            epoch = self._owner.leaders.broker_epoch()
            # No leader to be asked, or this broker is not registered: without its epoch a leader could not tell it
            # from an earlier run, which may have had records that this one has lost (KIP-903).
            if peer is None or epoch is None:
                await trio.sleep(self._config.backoff_ms / 1000)
                continue
            request = self._next_request(epoch)
            version = fetch_version(self._owner.leaders.metadata_version())
            self._requests += 1
            try:
                response = await peer.send(request, version, timeout_ms=self._config.timeout_ms)
            except (PeerError, LocalProtocolError) as error:
                # It is not known what the leader has taken in. The next request begins a new session (KIP-227).
                self._session.handle_failure()
                await self._pause(str(error))
                continue
            assert isinstance(response, FetchResponse)
            await self._take(response)

    def _next_request(self, broker_epoch: int) -> FetchRequest:
        wanted = self._session.next_request()
        # The leader begins with what this request names.
        if wanted.session_epoch == FULL_EPOCH:
            self._asked.clear()
        self._asked.update((partition_key(each), each) for each in wanted.partitions)
        return FetchRequest(
            replica_state=FetchRequest.ReplicaState(
                replica_id=self._owner.leaders.broker_id, replica_epoch=broker_epoch
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
        await trio.sleep(backoff.random_delay_ms(self._failures, self._owner.leaders.rng) / 1000)

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

    def _take_partition(self, followed: Followed, data: PartitionData) -> None:
        partition = followed.hosted.partition
        # Newer metadata may have changed what this replica is, after the request was sent.
        if not is_current(followed):
            return
        # A response has no offsets of its own before its records: what it is about, the request says.
        asked = self._asked[followed.key]
        if (asked.current_leader_epoch, asked.fetch_offset) != (followed.leader_epoch, partition.next_offset):
            # It is the response to what this replica was, or had, before.
            self.want(followed)
            return
        if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            # The leader has lost records (an unclean election) or deleted those that would come next. Only its
            # offsets tell which.
            self._start_again(followed)
        elif data.error_code == ErrorCode.FENCED_LEADER_EPOCH:
            # The metadata that says why is on its way.
            self._session.forget(followed.key)
        elif data.error_code:
            self._refused(followed, describe(data.error_code).name)
        elif data.diverging_epoch.epoch >= 0:
            end = OffsetAndEpoch(epoch=data.diverging_epoch.epoch, offset=data.diverging_epoch.end_offset)
            # The leader says where the logs part (KIP-595).
            self._logs.truncate(followed, partition.truncation_point(end))
        else:
            followed.refusals = 0
            if begins_within_a_batch(partition, data):
                _log.warning(
                    "%s-%d begins again at offset %d", partition.topic, partition.index, data.log_start_offset
                )
                self._logs.begin_at(followed, data.log_start_offset)
                return
            followed.leader_high_watermark = data.high_watermark
            # By what was here when it was asked; if there are records, `append` looks again.
            followed.has_all = data.high_watermark <= partition.next_offset
            if data.records:
                try:
                    self._logs.append(followed, data)
                except RemoteProtocolError as error:
                    # What does not continue this log, or is damaged, is not written. The leader is asked again after
                    # a pause.
                    self._refused(followed, str(error))
                    return
            else:
                self._logs.leader_said(followed, data.high_watermark)
            if data.log_start_offset > partition.log_start_offset:
                self._logs.move_start(followed, data.log_start_offset)

    def _refused(self, followed: Followed, why: str) -> None:
        """The leader cannot be asked for a partition now: ask again later."""
        partition = followed.hosted.partition
        if not followed.refusals:
            _log.info("broker %d on %s-%d: %s", self._leader_id, partition.topic, partition.index, why)
        # The others of this leader go on: only this partition is left out until its time comes.
        followed.refusals += 1
        self._session.forget(followed.key)
        backoff = Backoff(first_ms=FIRST_BACKOFF_MS, longest_ms=self._config.backoff_ms)
        delay_ms = backoff.random_delay_ms(followed.refusals, self._owner.leaders.rng)
        self._owner.call_at(self._owner.clock.now_ms() + delay_ms, partial(self.want, followed))

    def change_failed(self, followed: Followed) -> None:
        assert self.busy > 0, "the change was counted when it began"
        self.busy -= 1
        self._wake.set()
        self.remove(followed.key)

    def changed(self, followed: Followed) -> None:
        assert self.busy > 0, "the change was counted when it began"
        followed.is_busy = False
        self.busy -= 1
        self.want(followed)
        self._wake.set()

    # -- a log that is out of the leader's range ---------------------------------------------------------------

    def _start_again(self, followed: Followed) -> None:
        """The leader does not have the offset: ask what it has, and begin there."""
        followed.is_busy = True
        self.busy += 1
        self._owner.start_soon(self._find_start, followed)

    async def _find_start(self, followed: Followed) -> None:
        partition, log = followed.hosted.partition, followed.hosted.log
        # Both before anything is decided: with one of them alone a log could be emptied that has to be cut.
        latest = await self._leader.offset(followed, LATEST)
        earliest = await self._leader.offset(followed, EARLIEST)
        followed.is_busy = False
        self.busy -= 1
        self._wake.set()
        if followed.hosted.log is not log or not is_current(followed):
            # Newer metadata may have made it the leader meanwhile: nobody cuts its log.
            return
        if latest is None or earliest is None or log is None:
            self._refused(followed, "its offsets are not known")
        elif latest < partition.log_end_offset:
            # The leader has lost what this log has behind its end.
            self._logs.truncate(followed, latest)
        elif earliest > partition.log_end_offset:
            _log.warning("%s-%d begins again at offset %d", partition.topic, partition.index, earliest)
            self._logs.begin_at(followed, earliest)
        else:
            self.want(followed)
