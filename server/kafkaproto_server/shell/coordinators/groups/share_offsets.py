"""The offsets of share groups, for whoever asks: where each partition begins, and how far behind its end that is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.shard import GroupShard
from kafkaproto_server.core.coordinators.groups.share.lags import OffsetOf, ShareLags
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.share_group_requests import (
    ShareOffset,
    ShareOffsetsDescribed,
    ShareOffsetsOfTopic,
    TopicIdPartition,
)


class ShareOffsetReader:
    def __init__(
        self, image: Callable[[], ClusterImage], of: Callable[[str], GroupShard], lags: ShareLags
    ) -> None:
        """``of`` returns the coordinator of a group on this broker, or raises CoordinatorError."""
        self._image = image
        self._of = of
        self._lags = lags

    def describe(
        self,
        group_id: str,
        topics: Mapping[str, Sequence[int]] | None,
        described: ShareOffsetsDescribed,
    ) -> None:
        if topics is None:
            self._describe_all(group_id, described)
            return
        image = self._image()
        missing = [name for name in topics if name not in image.topic_ids]
        partitions = [
            TopicIdPartition(image.topic_ids[name], index)
            for name, indexes in topics.items()
            if name in image.topic_ids
            for index in dict.fromkeys(indexes)
        ]
        names = {image.topic_ids[name]: name for name in topics if name in image.topic_ids}
        unknown = [
            ShareOffsetsOfTopic(topic=name, partitions=[ShareOffset(partition=each) for each in topics[name]])
            for name in missing
        ]
        self._find(group_id, partitions, names, unknown, described)

    def _describe_all(self, group_id: str, described: ShareOffsetsDescribed) -> None:
        try:
            shard = self._of(group_id)
        except CoordinatorError as error:
            described(error.code, ())
            return

        def found(code: ErrorCode, partitions: Sequence[TopicIdPartition]) -> None:
            if code is not ErrorCode.NONE:
                described(code, ())
                return
            topics = self._image().topics
            names = {
                each.topic_id: topics[each.topic_id].name for each in partitions if each.topic_id in topics
            }
            existing = [each for each in partitions if each.topic_id in names]
            self._find(group_id, existing, names, (), described)

        shard.share.initialized(group_id, found)

    def _find(
        self,
        group_id: str,
        partitions: Sequence[TopicIdPartition],
        names: Mapping[bytes, str],
        unknown: Iterable[ShareOffsetsOfTopic],
        described: ShareOffsetsDescribed,
    ) -> None:
        topics = self._image().topics
        existing = [
            each
            for each in partitions
            if each.topic_id in topics and each.partition in topics[each.topic_id].partitions
        ]
        known = frozenset(existing)
        by_topic: dict[bytes, list[TopicIdPartition]] = {}
        for each in partitions:
            by_topic.setdefault(each.topic_id, []).append(each)

        def found(offset_of: OffsetOf) -> None:
            def offset(partition: TopicIdPartition) -> ShareOffset:
                return (
                    offset_of(partition) if partition in known else ShareOffset(partition=partition.partition)
                )

            results = [
                ShareOffsetsOfTopic(
                    topic=names[topic_id], topic_id=topic_id, partitions=map(offset, of_topic)
                )
                for topic_id, of_topic in by_topic.items()
            ]
            described(ErrorCode.NONE, [*results, *unknown])

        self._lags.find(group_id, existing, found)
