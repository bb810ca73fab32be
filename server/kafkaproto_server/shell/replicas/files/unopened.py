"""What lies in the log directories since the start of the broker, and was neither opened nor set aside.

The directories are read before the metadata is known (`survey`). So what is found waits here until the metadata says
that it is a replica of this broker, or that it is a stray.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.shell.storage.directories.partition_directories import directory_name


class UnopenedReplicas:
    """What the directories of one broker have that nobody has looked at."""

    def __init__(self, found: Iterable[FoundReplica]) -> None:
        everything = tuple(found)
        # A damaged one has no topic id. It is not known whose it is, except by its name.
        self._by_id = {
            (each.directory_id, each.topic_id, each.index, each.is_future): each
            for each in everything
            if not each.is_damaged
        }
        # The same but future copies, with those that do not say whose replica they are, as they once did. A directory
        # has one replica of a name, but any number of copies.
        self._by_name = {(each.directory_id, each.name): each for each in everything if not each.is_future}

    def take(self, directory_id: bytes, partition: Partition) -> FoundReplica | None:
        """What lies of a replica in the directory in which it belongs: itself, or a copy that is to become it. What is
        another's was set aside before."""
        name = directory_name(partition.topic, partition.index)
        found = self._by_name.pop((directory_id, name), None)
        # If the replica lies there, it is taken out of both tables. If not, a copy of it becomes the replica.
        topic_id, is_future = (partition.topic_id, True) if found is None else (found.topic_id, False)
        future = self._by_id.pop((directory_id, topic_id, partition.index, is_future), None)
        return future if found is None else found

    def drop(self, found: FoundReplica) -> None:
        """It is deleted or set aside."""
        # Otherwise the stop would count the directory as one in which something was not looked at.
        self._by_id.pop((found.directory_id, found.topic_id, found.index, found.is_future), None)
        if not found.is_future:
            self._by_name.pop((found.directory_id, found.name), None)

    def directory_ids(self) -> Iterator[bytes]:
        """The directory of each."""
        return (each.directory_id for each in self._by_id.values())
