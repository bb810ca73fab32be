"""The partitions of which this broker has no open log: why, and who leads them, as clients are told."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas


class MissingReplicas:
    """The partitions that one broker does not have, or not now."""

    def __init__(self, replicas: HostedReplicas, image: Callable[[], ClusterImage]) -> None:
        self._replicas = replicas
        self._image = image

    def reason(self, topic_id: bytes, index: int) -> ErrorCode:
        """Why there is no open log of a partition here."""
        # First: a client that asks for what no longer exists is to hear that, and not to come back.
        if code := self.reason_in_metadata(topic_id, index):
            return code
        hosted = self._replicas.get(topic_id, index)
        # The leader is here, and its disk is not: clients wait until the controllers have elected another one.
        is_offline = hosted is not None and hosted.partition.role is Role.OFFLINE
        if is_offline or (topic_id, index) in self._replicas.offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        # Also while the log is being opened: clients look for the leader in the metadata, and come back.
        return ErrorCode.NOT_LEADER_OR_FOLLOWER

    def reason_by_name(self, topic: str, index: int) -> ErrorCode:
        """The same of a topic's name."""
        return self.reason(self._image().topic_ids.get(topic, b""), index)

    def reason_in_metadata(self, topic_id: bytes, index: int) -> ErrorCode:
        """UNKNOWN_TOPIC_OR_PARTITION if the metadata does not have a partition, or else NONE."""
        topic = self._image().topics.get(topic_id)
        is_known = topic is not None and index in topic.partitions
        return ErrorCode.NONE if is_known else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
