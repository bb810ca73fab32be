"""What clients and other brokers ask about replicas and no thread has to look up: where an epoch ends, who writes to a
partition, how large the logs are.

Apache Kafka has this in ReplicaManager and Partition (KIP-101, KIP-320, KIP-664, KIP-113).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.log_state.producer_state_entry import ActiveProducer
from kafkaproto_server.core.replicas.partition import NO_EPOCH, PartitionError, Role
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.data import EpochEnd, EpochQuery, LogStatus
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas

UNKNOWN_LAG = -1


class Questions:
    """Answers from the replicas of one broker."""

    def __init__(
        self,
        replicas: HostedReplicas,
        image: Callable[[], ClusterImage],
        copies: Callable[[], Iterator[LogStatus]],
    ) -> None:
        """``image`` returns the newest committed image, ``copies`` what there is of replicas in directories to which
        they move."""
        self._copies = copies
        self._replicas = replicas
        self._image = image

    def end_of_epoch(self, query: EpochQuery) -> EpochEnd:
        """Where an epoch ends, if this broker leads the partition.

        The codes are those of `_find` and, for an epoch of the leader that the sender takes for the present one,
        FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH.
        """
        try:
            partition = self._find(query.topic, query.index).partition
            partition.check_leader(query.current_leader_epoch)
        except PartitionError as error:
            return EpochEnd(code=error.code)
        if query.leader_epoch == NO_EPOCH:
            return EpochEnd()
        end = partition.epochs.end_offset_for(query.leader_epoch, partition.log_end_offset)
        return EpochEnd() if end is None else EpochEnd(leader_epoch=end.epoch, end_offset=end.offset)

    def producers_of(self, topic: str, index: int) -> ErrorCode | tuple[int, Iterator[ActiveProducer]]:
        """How many active producers a partition has, and which. It may lead or follow here; the code of `_find` if it
        has no open log here."""
        try:
            producers = self._find(topic, index).partition.producers
        except PartitionError as error:
            return error.code
        return producers.count, producers.active()

    def logs(self) -> Iterator[LogStatus]:
        """All open logs, and the copies of those that move, each looked at when its turn comes. What was deleted
        meanwhile is left out."""
        for hosted in tuple(self._replicas):
            log, partition = hosted.log, hosted.partition
            if log is not None:
                is_offline = partition.role is Role.OFFLINE
                lag = max(0, partition.high_watermark - partition.log_end_offset)
                yield LogStatus(
                    directory_id=hosted.directory_id,
                    topic=partition.topic,
                    index=partition.index,
                    size=log.log.size_in_bytes,
                    offset_lag=UNKNOWN_LAG if is_offline else lag,
                )
        yield from self._copies()

    def _find(self, topic: str, index: int) -> Hosted:
        """A replica whose log is open. Raises PartitionError with

        - UNKNOWN_TOPIC_OR_PARTITION if there is no such partition,
        - KAFKA_STORAGE_ERROR if its directory is offline,
        - NOT_LEADER_OR_FOLLOWER if this broker has no replica of it, or has not opened its log yet.
        """
        image = self._image()
        known = image.topic_by_name(topic)
        if known is None or index not in known.partitions:
            raise PartitionError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        hosted = self._replicas.get(known.topic_id, index)
        if hosted is not None and hosted.partition.role is Role.OFFLINE:
            raise PartitionError(ErrorCode.KAFKA_STORAGE_ERROR)
        if hosted is None or hosted.log is None:
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return hosted
