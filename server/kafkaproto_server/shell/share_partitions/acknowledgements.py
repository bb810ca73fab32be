"""Acknowledgements of members: what they say of records that they have, taken in pieces and persisted as one change.

A request may have thousands of ranges for one share partition. To take them all at once would hold the event loop, and
to persist each piece for itself would let a request that is refused in its middle stand by half.

Apache Kafka: ``SharePartitionManager.acknowledge``, ``SharePartition.acknowledge``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto_server.base.later import Gather
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.core.share_partitions.acknowledging import (
    Acknowledgement,
    AcknowledgeType,
    acknowledge,
    count_types,
    in_pieces,
)
from kafkaproto_server.core.share_partitions.in_flight import StateChange
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.share_requests import (
    Acknowledgements,
    ShareAcknowledgeDone,
    ShareAcknowledgeResult,
    ShareError,
    ShareKey,
    ShareMember,
    TopicPartitionId,
)
from kafkaproto_server.shell.share_partitions.led import LedSharePartition, LedSharePartitions
from kafkaproto_server.shell.share_partitions.served_topics import MayRead, refusal, topics_of


class ShareAcknowledgements:
    """The acknowledging side of a broker's share partitions."""

    def __init__(
        self,
        led: LedSharePartitions,
        image: Callable[[], ClusterImage],
        call_at: Callable[[int, Callable[[], None]], None],
        topic_metrics: TopicMetrics,
    ) -> None:
        self._led = led
        self._image = image
        self._call_at = call_at
        self._topic_metrics = topic_metrics

    def acknowledge(
        self,
        member: ShareMember,
        acknowledgements: Acknowledgements,
        may_read: MayRead,
        done: ShareAcknowledgeDone,
    ) -> None:
        """Acknowledge records. ``done`` is called with the results once all are persisted."""
        image = self._image()
        results: dict[TopicPartitionId, ShareAcknowledgeResult] = {}
        topics: dict[bytes, str] = {}

        def complete() -> None:
            self._count(topics, results)
            done(results)

        gather = Gather(complete)

        def finish(key: TopicPartitionId, counts: Sequence[int], error: ShareError | None) -> None:
            if error is None:
                self._led.metrics.acknowledged(counts)
            results[key] = _acknowledged(error)
            gather.came()

        for key, ranges in acknowledgements.items():
            code = refusal(image, key, may_read)
            if code is not ErrorCode.NONE:
                results[key] = ShareAcknowledgeResult(code=code)
                continue
            topics.update(topics_of(image, (key,)))
            led = self._led.get(ShareKey(member.group_id, *key))
            # Nobody has records of it: it was never fetched here, or has moved since.
            if led is None:
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                results[key] = ShareAcknowledgeResult(code=code, message=describe(code).message)
                continue
            core = self._led.core_of(led)
            # It is still being loaded, so the member cannot have acquired these records from this leader.
            if core is None:
                results[key] = ShareAcknowledgeResult(code=ErrorCode.INVALID_RECORD_STATE)
                continue
            gather.asked()
            said = in_pieces(Acknowledgement(*each) for each in ranges)
            counts = [0] * len(AcknowledgeType)
            self._take_piece(
                led, member.member_id, next(said), said, StateChange(), counts, partial(finish, key, counts)
            )
        gather.all_asked()

    def _count(
        self, topics: Mapping[bytes, str], results: Mapping[TopicPartitionId, ShareAcknowledgeResult]
    ) -> None:
        failed = {topic_id for (topic_id, _), each in results.items() if each.code and topic_id in topics}
        for topic_id, name in topics.items():
            for counts in (self._topic_metrics.all, self._topic_metrics.of(name)):
                counts.share_acknowledgements += 1
                counts.failed_share_acknowledgements += topic_id in failed

    def _take_piece(
        self,
        led: LedSharePartition,
        member_id: str,
        piece: list[Acknowledgement],
        said: Iterator[list[Acknowledgement]],
        change: StateChange,
        counts: list[int],
        done: Callable[[ShareError | None], None],
    ) -> None:
        """Take a piece of a partition's acknowledgements, and the others in later turns of the loop. They are one
        change: a piece that is refused takes those before it back. ``counts`` gets the number of records by type."""
        core = self._led.core_of(led)
        assert core is not None, "it is loaded, and stays so"
        try:
            acknowledge(core, member_id, piece, change, self._led.now_ms)
        except ShareError as error:
            done(error)
            self._led.taken_back(led, change)
            return
        # Renewed locks have another end (KIP-1222).
        self._led.watch_locks(led)
        count_types(counts, piece, core.start_offset)
        following = next(said, None)
        if following is None:
            self._led.persist(led, change, done)
        else:
            self._call_at(
                0,
                partial(self._take_piece, led, member_id, following, said, change, counts, done),
            )


def _acknowledged(error: ShareError | None) -> ShareAcknowledgeResult:
    if error is None:
        return ShareAcknowledgeResult()
    return ShareAcknowledgeResult(code=error.code, message=error.message)
