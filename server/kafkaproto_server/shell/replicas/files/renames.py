"""Renames the directories of replicas: those that are not in use any more get a name that says so (KIP-858, KIP-113).

The thread of a log directory does this. A log directory that failed stays as it is: the next start finds there what is
no replica of this broker.
"""

from __future__ import annotations

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.shell.storage.log.log import Log


class Renames:
    """The renames in the log directories of one broker. All methods raise OSError."""

    def __init__(self, disk: Disk, directories: LogDirectories) -> None:
        self._disk = disk
        self._directories = directories

    def durably(self, source: str, target: str) -> None:
        """Give a partition's directory another name, durably on return."""
        # A rename within a directory is atomic. It is durable once that directory is synced, not the one that was
        # renamed.
        self._disk.rename(source, target)
        self._disk.sync_directory(source.rpartition("/")[0])

    def stray(self, directory_id: bytes, source: str, target: str) -> None:
        """Set aside what is no replica of this broker, or not the one that it should be, if it is there."""
        directory, _, name = source.rpartition("/")
        # By its name: a link to nothing does not exist, and is in the way.
        if self._directories.is_online(directory_id) and name in self._disk.list_directory(directory):
            self.durably(source, target)

    def deleted(self, directory_id: bytes, log: Log | None, source: str, target: str) -> bool:
        """Set aside the directory of a replica or of a copy that is deleted. ``log`` is what is still open of it.
        Returns whether there was anything to do."""
        # First, though the directory may have failed: the descriptors are to be free in any case. Nothing is written,
        # since the records are not wanted any more.
        if log is not None:
            log.abandon()
        if not self._directories.is_online(directory_id) or not self._disk.exists(source):
            return False
        # Not synced: if a crash takes the rename back, the metadata does not have the replica, or has it elsewhere, and
        # the next start sets it aside.
        self._disk.rename(source, target)
        return True
