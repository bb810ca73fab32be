"""The share groups' side of a broker: sessions of members, and what their requests do to share partitions.

A request continues its session first (`core.share_partitions.sessions`). Acknowledgements are served before the fetch
that brings them. When a session ends, or its connection, the member's records are released; once a group has no session
left here and the connections of its members have ended, its share partitions are forgotten: what is kept follows
sessions and connections.

Apache Kafka: ``SharePartitionManager``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from typing import Final

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.error_texts import without_frames
from kafkaproto_server.base.later import Gather
from kafkaproto_server.base.metrics.coordinators import SharePartitionMetrics
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.base.ports import Clock, Rng
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.share_partitions.acknowledging import release
from kafkaproto_server.core.share_partitions.sessions import SessionKey, ShareSession, ShareSessions, rotated
from kafkaproto_server.metadata.features import SHARE_VERSION
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.context import Throttle
from kafkaproto_server.requests.share_requests import (
    BATCH_OPTIMIZED,
    FINAL_EPOCH,
    INITIAL_EPOCH,
    RECORD_LIMIT,
    Acknowledgements,
    ShareAcknowledgeDone,
    ShareError,
    ShareFetchDone,
    ShareFetched,
    ShareFetchResult,
    ShareFetchValues,
    ShareKey,
    ShareMember,
    TopicPartitionId,
)
from kafkaproto_server.requests.share_state import Persister
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager
from kafkaproto_server.shell.share_partitions.acknowledgements import ShareAcknowledgements
from kafkaproto_server.shell.share_partitions.dead_letters import DeadLetters, Transport
from kafkaproto_server.shell.share_partitions.fetches import ShareFetches
from kafkaproto_server.shell.share_partitions.group_settings import CurrentShareSettings
from kafkaproto_server.shell.share_partitions.led import LedSharePartition, LedSharePartitions
from kafkaproto_server.shell.share_partitions.served_topics import MayRead, refusal, topics_of

MAX_LEFT_GROUPS: Final = 16
"""Of one connection: from so many groups on that its members have left, share partitions of the first are forgotten."""


class ShareService:
    """See the module. Implements `SharePort`."""

    def __init__(
        self,
        *,
        led: LedSharePartitions,
        fetches: ShareFetches,
        dead_letters: DeadLetters,
        image: Callable[[], ClusterImage],
        call_at: Callable[[int, Callable[[], None]], None],
        topic_metrics: TopicMetrics,
    ) -> None:
        self._led = led
        self._fetches = fetches
        self.dead_letters = dead_letters
        """Its numbers are metrics, too."""
        self._image = image
        self._call_at = call_at
        self._topic_metrics = topic_metrics
        self._acknowledgements = ShareAcknowledgements(led, image, call_at, topic_metrics)
        self.sessions = ShareSessions()
        """Its numbers are metrics."""
        # By connection: the groups of sessions that began on it and have ended.
        self._left: dict[Hashable, dict[str, None]] = {}

    def partitions(self) -> Iterator[LedSharePartition]:
        """The share partitions of this broker."""
        return iter(self._led)

    def lock_duration_ms(self, group_id: str) -> int:
        """How long members of a group have records for themselves."""
        return self._led.settings.of(group_id).record_lock_duration_ms

    def serves_share_groups(self) -> bool:
        return self._image().features.get(SHARE_VERSION, 0) > 0

    def call_after(self, delay_ms: int, call: Callable[[], None]) -> None:
        self._call_at(self._fetches.now_ms + delay_ms, call)

    # -- sessions --------------------------------------------------------------------------------------------------

    def begin_fetch(self, values: ShareFetchValues, has_acknowledgements: bool) -> None:
        """Begin or continue the session of a ShareFetch request; one that ends it changes nothing yet.

        Raises ShareError: SHARE_SESSION_NOT_FOUND, INVALID_SHARE_SESSION_EPOCH, SHARE_SESSION_LIMIT_REACHED, or
        INVALID_REQUEST if the request that begins a session acknowledges records.
        """
        member = values.member
        key = SessionKey(member.group_id, member.member_id)
        # The session ends with the response (`end_session`): until then its acknowledgements are served.
        if member.epoch == FINAL_EPOCH:
            self.sessions.check(key)
        elif member.epoch == INITIAL_EPOCH:
            # A member that begins has no records that it could acknowledge.
            if has_acknowledgements:
                raise ShareError(ErrorCode.INVALID_REQUEST)
            self.sessions.begin(
                key, member.connection, values.partitions, self._led.settings.config.max_share_sessions
            )
        else:
            session = self.sessions.proceed(key, member.epoch)
            self.sessions.update(session, values.partitions, values.forgotten)

    def begin_acknowledge(self, member: ShareMember) -> None:
        """Continue the session of a ShareAcknowledge request. Raises ShareError as `begin_fetch`."""
        key = SessionKey(member.group_id, member.member_id)
        if member.epoch == INITIAL_EPOCH:
            raise ShareError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
        if member.epoch == FINAL_EPOCH:
            self.sessions.check(key)
        else:
            self.sessions.proceed(key, member.epoch)

    def end_session(self, member: ShareMember) -> None:
        """End a session; its records are released."""
        key = SessionKey(member.group_id, member.member_id)
        session = self.sessions.get(key)
        if session is not None:
            self._end(key, lambda: None)
            self._note_left(session)

    def connection_ended(self, connection: Hashable) -> None:
        """End the sessions of a connection, one at a time."""
        # One in each turn of the loop: a session may have to release records of thousands of share partitions.
        for key in self.sessions.of_connection(connection):
            self._call_at(0, partial(self._end_of_connection, key, connection))
        self._call_at(0, partial(self._forget_groups, connection))

    def _end_of_connection(self, key: SessionKey, connection: Hashable) -> None:
        session = self.sessions.get(key)
        # The member may have come back on another connection before its turn came.
        if session is not None and session.connection == connection:
            self._end(key, partial(self._forget_if_empty, key.group_id))

    def _forget_groups(self, connection: Hashable) -> None:
        for group_id in self._left.pop(connection, ()):
            self._forget_if_empty(group_id)

    def _forget_if_empty(self, group_id: str) -> None:
        if not self.sessions.has_members(group_id):
            self._led.group_is_empty(group_id)

    def _note_left(self, session: ShareSession) -> None:
        """A session has ended, and its connection lives. The share partitions of the group are forgotten once that
        ends: the member may come back."""
        groups = self._left.setdefault(session.connection, {})
        groups[session.key.group_id] = None
        if len(groups) > MAX_LEFT_GROUPS:
            first = next(iter(groups))
            del groups[first]
            self._forget_if_empty(first)

    def _end(self, key: SessionKey, ended: Callable[[], None]) -> None:
        """End a session, and call ``ended`` once its records are released."""
        session = self.sessions.remove(key)
        if session is None:
            return
        released = Gather(ended)
        for topic_id, index in session.partitions:
            led = self._led.get(ShareKey(key.group_id, topic_id, index))
            core = None if led is None else self._led.core_of(led)
            if led is not None and core is not None:
                released.asked()
                self._led.persist(led, release(core, key.member_id), lambda error: released.came())
        released.all_asked()

    # -- fetches -------------------------------------------------------------------------------------------------

    def fetch(
        self, values: ShareFetchValues, may_read: MayRead, throttle: Throttle | None, done: ShareFetchDone
    ) -> None:
        """Fetch for the session that `begin_fetch` has begun or continued."""
        member = values.member
        session = self.sessions.get(SessionKey(member.group_id, member.member_id))
        if member.epoch == FINAL_EPOCH or session is None:
            done(ShareFetched())
            return
        expected, image = session.epoch, self._image()
        refused: dict[TopicPartitionId, ShareFetchResult] = {}
        partitions: dict[TopicPartitionId, LedSharePartition] = {}
        failed: dict[TopicPartitionId, ShareError] = {}
        # Each request begins with another one (Kafka's ``PartitionRotateStrategy.ROUND_ROBIN``), so that none starves
        # behind those that fill the response.
        for key in rotated(list(session.partitions), member.epoch):
            # Rights are asked of each request, not of the session: they may be taken away while it lasts.
            code = refusal(image, key, may_read, session.names)
            if code is not ErrorCode.NONE:
                refused[key] = ShareFetchResult(code=code)
                continue
            try:
                partitions[key] = self._led.get_or_load(ShareKey(member.group_id, *key))
            except ShareError as error:
                failed[key] = without_frames(error)

        # Before a thread or the persister has its turn: topics may be gone afterwards.
        topics = topics_of(image, (*partitions, *failed))
        session.names.update(topics)
        for name in topics.values():
            self._topic_metrics.of(name).share_fetch_requests += 1
        self._topic_metrics.all.share_fetch_requests += len(topics)

        def fetched(result: ShareFetched) -> None:
            self._count_failed_fetches(topics, result)
            if not result.throttle_ms:
                result = self._of_session(session, expected, member, {**refused, **result.partitions})
            done(result)

        # There is nothing to wait for, though the request may have asked to wait.
        if not partitions and not failed:
            fetched(ShareFetched())
        elif values.acquire_mode not in (BATCH_OPTIMIZED, RECORD_LIMIT):
            done(ShareFetched(code=ErrorCode.UNKNOWN_SERVER_ERROR))
        else:
            self._fetches.fetch(values, partitions, failed, throttle, fetched)

    def _count_failed_fetches(self, topics: Mapping[bytes, str], result: ShareFetched) -> None:
        failed = {topic_id for (topic_id, _), each in result.partitions.items() if each.code}
        for topic_id in failed:
            self._topic_metrics.of(topics[topic_id]).failed_share_fetch_requests += 1
        self._topic_metrics.all.failed_share_fetch_requests += len(failed)

    def _of_session(
        self,
        session: ShareSession,
        expected: int,
        member: ShareMember,
        results: Mapping[TopicPartitionId, ShareFetchResult],
    ) -> ShareFetched:
        """What the response has. The first response of a session has all of its partitions."""
        # Another request of the member has gone on with the session while this one waited.
        if session.epoch != expected:
            return ShareFetched(code=ErrorCode.INVALID_SHARE_SESSION_EPOCH)
        if member.epoch == INITIAL_EPOCH:
            return ShareFetched(partitions=results)
        return ShareFetched(
            partitions={
                key: result
                for key, result in results.items()
                if session.must_say(
                    key, has_records=bool(result.records), has_error=result.code is not ErrorCode.NONE
                )
            }
        )

    # -- acknowledgements ------------------------------------------------------------------------------------------

    def acknowledge(
        self,
        member: ShareMember,
        acknowledgements: Acknowledgements,
        may_read: MayRead,
        done: ShareAcknowledgeDone,
    ) -> None:
        """Acknowledge records. ``done`` is called with the results once all are persisted."""
        self._acknowledgements.acknowledge(member, acknowledgements, may_read, done)


def share_service(
    manager: ReplicaManager,
    image: Callable[[], ClusterImage],
    configs: Callable[[], NodeConfigs],
    clock: Clock,
    rng: Rng,
    persister: Persister,
    transport: Transport,
    metrics: SharePartitionMetrics,
) -> ShareService:
    """The service of a broker with these replicas. ``transport`` is that of dead letters."""
    dead_letters = DeadLetters(
        image=image,
        configs=configs,
        clock=clock,
        rng=rng,
        call_at=manager.call_at,
        # Not beside clients' reads, nor the checks of what they produce: a round may take a tenth of a second.
        in_thread=manager.for_coordinators.compute,
        transport=transport,
    )
    led = LedSharePartitions(
        settings=CurrentShareSettings(image, configs),
        clock=clock,
        call_at=manager.call_at,
        find=manager.replicas.get,
        find_offset=manager.find_offset,
        persister=persister,
        dead_letters=dead_letters,
        metrics=metrics,
    )
    return ShareService(
        led=led,
        fetches=ShareFetches(led, manager.fetches),
        dead_letters=dead_letters,
        image=image,
        call_at=manager.call_at,
        topic_metrics=manager.topic_metrics,
    )
