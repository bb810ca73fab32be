"""One replica on this broker: its partition, its log once it is open, and what is known of it until then."""

from __future__ import annotations

from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.shell.replicas.files.checkpointed import Checkpointed
from kafkaproto_server.shell.replicas.files.disk_jobs import LogLane
from kafkaproto_server.shell.replicas.files.topic_settings import TopicSettings
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.offset_checkpoints import TopicPartition


class Hosted:
    """One replica on this broker."""

    __slots__ = (
        "checkpointed",
        "cut_to",
        "directory_id",
        "flushed_ms",
        "found_path",
        "image",
        "is_anew",
        "is_being_cut",
        "is_closed",
        "is_damaged",
        "is_gone",
        "is_moving",
        "lane",
        "log",
        "partition",
        "settings",
        "syncs",
    )

    def __init__(
        self,
        partition: Partition,
        directory_id: bytes,
        lane: LogLane,
        settings: TopicSettings,
        checkpointed: Checkpointed,
    ) -> None:
        self.partition = partition
        self.directory_id = directory_id
        self.lane = lane
        self.settings = settings
        self.log: TopicLog | None = None
        """None until it is open, and after it was closed."""
        self.image: PartitionImage | None = None
        """The newest state in the metadata."""
        self.checkpointed = checkpointed
        """What the checkpoints say while the log is not open."""
        self.found_path: str | None = None
        """Where its directory lay when the broker started, if it was there; until its log is open."""
        self.flushed_ms = 0
        """When the log was opened, or made durable for the last time, by the monotonic clock."""
        self.syncs = 0
        """How many threads are making it durable, or wait to do so."""
        self.is_closed = False
        """Whether its log was closed in order."""
        self.is_being_cut = False
        """Whether a job cuts its log: what the metadata says meanwhile is applied to what is left."""
        self.cut_to: int | None = None
        """Where its log is about to be cut: the checkpoints say no more from then on."""
        self.is_damaged = False
        """Whether its log cannot be used until the next start, or until it is fetched anew."""
        self.is_anew = False
        """Whether it is being fetched anew, and lacks records that it had: the controllers are not to count on it."""
        self.is_gone = False
        """Whether it was deleted, or moved away, while its log was being opened."""
        self.is_moving = False
        """Whether its log is being copied to another directory: it is not compacted meanwhile."""

    @property
    def key(self) -> TopicPartition:
        return self.partition.topic, self.partition.index

    def offsets(self) -> Checkpointed:
        """What the checkpoints are to say."""
        # Threads call this while the event loop changes the replica: each attribute is read once.
        log, partition = self.log, self.partition
        if log is None:
            return self.checkpointed
        # What a cut is about to take away counts as gone already, though the log has it still: the checkpoint is
        # written first, and a crash may come between the two.
        limit = self.cut_to
        return Checkpointed(
            recovery_point=_at_most(log.log.recovery_point, limit),
            log_start_offset=_at_most(partition.log_start_offset, limit),
            high_watermark=_at_most(partition.high_watermark, limit),
        )


def _at_most(offset: int, limit: int | None) -> int:
    return offset if limit is None else min(offset, limit)
