"""Offsets that are looked for by their time, or by a name such as the latest one (ListOffsets)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.replicas.partition import PartitionError
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.data import OffsetQuery, OffsetResult
from kafkaproto_server.requests.sender import Sender
from kafkaproto_server.shell.process.threads import Workers
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.followers.offsets import find_offset
from kafkaproto_server.shell.replicas.requests.host_lane import HostLane
from kafkaproto_server.shell.storage.errors import LogClosedError

T = TypeVar("T")


class OffsetSearches:
    """The searches in the logs of one broker."""

    def __init__(
        self,
        replicas: HostedReplicas,
        image: Callable[[], ClusterImage],
        unknown: Callable[[bytes, int], ErrorCode],
        workers: Workers,
    ) -> None:
        """``unknown`` says why there is no open log of a partition here."""
        self._replicas = replicas
        self._image = image
        self._unknown = unknown
        # A search by time may read for a second: reads of fetches wait for none of them, nor does a host for others'.
        self._lane = HostLane(workers)

    def find(self, query: OffsetQuery, done: Callable[[OffsetResult], None]) -> None:
        """Find an offset by its time, or one of the special ones. ``done`` is called with it, now or later."""
        topic_id = self._image().topic_ids.get(query.topic)
        hosted = None if topic_id is None else self._replicas.get(topic_id, query.index)
        try:
            if hosted is None or hosted.log is None:
                raise PartitionError(self._unknown(topic_id or b"", query.index))
            found = find_offset(query, hosted.partition)
        except PartitionError as error:
            done(OffsetResult(code=error.code))
            return
        if isinstance(found, OffsetResult):
            done(found)
        else:
            log = hosted.log

            def failed(error: Exception) -> None:
                # The log was closed while the search waited: its partition is elsewhere, and the client looks there.
                is_gone = isinstance(error, LogClosedError)
                code = ErrorCode.NOT_LEADER_OR_FOLLOWER if is_gone else ErrorCode.KAFKA_STORAGE_ERROR
                done(OffsetResult(code=code))
                self._replicas.read_failed(hosted, log, error)

            sender = query.sender or Sender()
            steps = _one_step(partial(found, log))
            self._lane.put(sender.host, steps, done, failed, is_over=lambda: sender.is_gone)


def _one_step(work: Callable[[], T]) -> Steps[T]:
    yield from ()
    return work()
