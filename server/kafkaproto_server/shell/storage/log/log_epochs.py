"""The leader epochs of a log together with ``leader-epoch-checkpoint``: what it holds in memory, and what was written.

The file is a witness of how far the log once reached (``reached``). So it is written after the records of its epochs
are durable, and shortened before those are cut. Who calls here has to keep this order; the methods say which they
expect. Apache Kafka has this in LeaderEpochFileCache.
"""

from __future__ import annotations

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.shell.storage.log.epoch_file import (
    read_epoch_file,
    settle_epoch_file,
    write_epoch_file,
)
from kafkaproto_server.shell.storage.log.log_config import LogConfig


class LogEpochs:
    """The epochs of one log. Only the thread that changes the log uses them."""

    def __init__(self, disk: Disk, directory: str, config: LogConfig) -> None:
        self._disk = disk
        self._directory = directory
        self.config = config
        """The limits of the log from now on."""
        self.known = LeaderEpochs()
        """The epochs of the records that the log has."""
        self.written: tuple[tuple[int, int], ...] = ()
        """The epochs that leader-epoch-checkpoint contains."""

    def begin(self, epoch: int, start_offset: int) -> None:
        """Note that an epoch begins, at the log's end. Only in memory: `write` is for when its records are durable."""
        if self.config.has_gaps:
            # The leader of a topic may begin an epoch without a record, and the next leader at the same offset.
            self.known.begin(epoch, start_offset)
        else:
            self.known.assign(epoch, start_offset)

    def move_start_to(self, start_offset: int, end_offset: int) -> None:
        """Forget the epochs below the log start."""
        # The leader of a topic compares its followers' last epoch with its own, also if its log is empty.
        self.known.move_start_to(start_offset, None if self.config.has_gaps else end_offset)

    @property
    def are_written(self) -> bool:
        """Whether the file has them all."""
        return self.known.entries == self.written

    def write(self, *, is_durable: bool = True) -> None:
        """Bring leader-epoch-checkpoint up to date, durably on return. The records of its epochs have to be durable
        before. If it need not be durable, neither need they."""
        if self.known.entries != self.written:
            write_epoch_file(self._disk, self._directory, self.known, is_durable=is_durable)
            self.written = self.known.entries

    def keep(self) -> None:
        """As `write`, in a log that is durable at once."""
        # A log that is flushed later writes its epochs then. Until then they follow from the batches, which are read
        # after a crash.
        if self.config.is_durable_at_once:
            self.write()

    def read_file(self) -> None:
        """Learn what the file says, before the log is opened."""
        self.written = read_epoch_file(self._disk, self._directory)

    def settle(self) -> None:
        """Let the file say what the log was found to hold, in a log that is durable at once."""
        if self.config.is_durable_at_once:
            settle_epoch_file(self._disk, self._directory, self.known)
            self.written = self.known.entries
