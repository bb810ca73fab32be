"""Share groups on this broker, for the handlers: the right coordinator for a group, and offsets for whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareGroupDescribeResponse
from kafkaproto_server.core.coordinators.groups.shard import GroupShard
from kafkaproto_server.core.coordinators.groups.share.lags import OffsetOf, ShareLags
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.features import SHARE_VERSION
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.ports import ShareGroupPort
from kafkaproto_server.requests.share_group_requests import (
    NewOffsets,
    ShareHeard,
    ShareHeartbeatOutcome,
    ShareHeartbeatValues,
    ShareOffset,
    ShareOffsetsAltered,
    ShareOffsetsDeleted,
    ShareOffsetsDescribed,
    ShareOffsetsOfTopic,
    TopicPartition,
)


class ShareGroupCoordinators:
    """The port of share groups."""

    def __init__(
        self, image: Callable[[], ClusterImage], shard: Callable[[str], GroupShard], lags: ShareLags
    ) -> None:
        """``shard`` returns the coordinator of a group on this broker, or raises CoordinatorError."""
        self._image = image
        self._shard = shard
        self._lags = lags
        self.port = ShareGroupPort(
            serves_share_groups=lambda: image().features.get(SHARE_VERSION, 0) > 0,
            share_heartbeat=self._heartbeat,
            share_described=self._described,
            describe_share_offsets=self._describe_offsets,
            alter_share_offsets=self._alter_offsets,
            delete_share_offsets=self._delete_offsets,
        )

    def _heartbeat(self, values: ShareHeartbeatValues, heard: ShareHeard) -> None:
        try:
            shard = self._shard(values.group_id)
        except CoordinatorError as error:
            heard(ShareHeartbeatOutcome(code=error.code))
        else:
            shard.share.heartbeat(values, heard)

    def _described(self, group_id: str) -> ShareGroupDescribeResponse.DescribedGroup:
        try:
            return self._shard(group_id).share.described(group_id)
        except CoordinatorError as error:
            return ShareGroupDescribeResponse.DescribedGroup(
                group_id=group_id, error_code=error.code, error_message=error.code.message
            )

    def _describe_offsets(
        self,
        group_id: str,
        topics: Mapping[str, Sequence[int]] | None,
        described: ShareOffsetsDescribed,
    ) -> None:
        if topics is None:
            self._describe_all_offsets(group_id, described)
            return
        image = self._image()
        missing = [name for name in topics if name not in image.topic_ids]
        partitions = [
            TopicPartition(image.topic_ids[name], index)
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

    def _describe_all_offsets(self, group_id: str, described: ShareOffsetsDescribed) -> None:
        try:
            shard = self._shard(group_id)
        except CoordinatorError as error:
            described(error.code, ())
            return

        def found(code: ErrorCode, partitions: Sequence[TopicPartition]) -> None:
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
        partitions: Sequence[TopicPartition],
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
        by_topic: dict[bytes, list[TopicPartition]] = {}
        for each in partitions:
            by_topic.setdefault(each.topic_id, []).append(each)

        def found(offset_of: OffsetOf) -> None:
            def offset(partition: TopicPartition) -> ShareOffset:
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

    def _alter_offsets(self, group_id: str, offsets: NewOffsets, altered: ShareOffsetsAltered) -> None:
        try:
            shard = self._shard(group_id)
        except CoordinatorError as error:
            altered(error.code, error.message, ())
        else:
            shard.share.alter(group_id, offsets, altered)

    def _delete_offsets(self, group_id: str, names: Sequence[str], deleted: ShareOffsetsDeleted) -> None:
        try:
            shard = self._shard(group_id)
        except CoordinatorError as error:
            deleted(error.code, error.message, ())
        else:
            shard.share.delete_offsets(group_id, names, deleted)
