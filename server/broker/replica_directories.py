"""Where this broker's replicas lie, and what the controllers must still be told about it (KIP-858).

Follows the metadata from image to image, looking only at what changed. The directory that the metadata record for a
replica is the truth as long as it is one of this broker's, usable or not. Else:

| recorded                          | one directory            | several directories                   |
|-----------------------------------|--------------------------|---------------------------------------|
| UNASSIGNED, MIGRATING             | that one; nothing to say | the emptiest is chosen and assigned   |
| LOST, or an id of nobody here     | assigned to that one     | the emptiest is chosen and assigned,  |
|                                   |                          | unless a directory is offline: the    |
|                                   |                          | replica may be in there               |

A large image is looked at in parts, so that nothing else waits long for it.

A choice stands until the metadata show it, or until its directory fails. Cordoned directories are chosen only where
there are no others.
"""

from __future__ import annotations

from immutables import Map

from server.broker.assignments import AssignmentQueue, Replica
from server.broker.directories import LogDirectories
from server.image.image import (
    MIGRATING_DIRECTORY,
    UNASSIGNED_DIRECTORY,
    ClusterImage,
    PartitionImage,
    TopicImage,
)

PARTITIONS_PER_LOOK = 20_000
"""How many partitions one `ReplicaDirectories.look` looks at, some 20 ms of work."""


class ReplicaDirectories:
    """The directory of each replica of one broker."""

    def __init__(self, broker_id: int, directories: LogDirectories, queue: AssignmentQueue) -> None:
        self._broker_id = broker_id
        self._directories = directories
        self._queue = queue
        self._topics: Map[bytes, TopicImage] = Map()
        # Topics that changed, with their partitions as they were when they were looked at last.
        self._unseen: dict[bytes, Map[int, PartitionImage]] = {}
        self._location: dict[Replica, bytes] = {}
        # How many replicas lie in each directory.
        self._load: dict[bytes, int] = {}
        # Choices that the metadata do not show yet; a dict for its order.
        self._chosen: dict[Replica, None] = {}

    @property
    def are_known(self) -> bool:
        """Whether the metadata know where each replica lies, as far as that is to be told.

        A broker with several directories stays fenced until then; one with a single directory need not wait.
        """
        return not self._directories.are_several or not (self._chosen or self._unseen)

    def directory_of(self, replica: Replica) -> bytes | None:
        """Where a replica of this broker lies; None where nobody can tell."""
        return self._location.get(replica)

    def apply(self, image: ClusterImage) -> None:
        """Take note of newer metadata; `look` then looks at what changed."""
        before, topics = self._topics, image.topics
        if topics is before:
            return
        self._topics = topics
        for topic_id in sorted(topic_id for topic_id in before if topic_id not in topics):
            self._unseen.pop(topic_id, None)
            for index in before[topic_id].partitions:
                self._forget((topic_id, index))
        for topic_id in sorted(each for each, topic in topics.items() if before.get(each) is not topic):
            if topic_id not in self._unseen:
                self._unseen[topic_id] = before[topic_id].partitions if topic_id in before else Map()

    def look(self) -> bool:
        """Look at some of what changed; whether there is more."""
        left = PARTITIONS_PER_LOOK
        while self._unseen and left > 0:
            topic_id = next(iter(self._unseen))
            known = self._unseen.pop(topic_id)
            partitions = self._topics[topic_id].partitions
            left -= len(partitions)
            for index in sorted(partitions):
                if known.get(index) is not partitions[index]:
                    self._look_at((topic_id, index), partitions[index])
        return bool(self._unseen)

    def directories_changed(self) -> None:
        """A directory failed: what was to go there goes elsewhere."""
        for replica in [
            each for each in self._chosen if not self._directories.is_online(self._location[each])
        ]:
            self._choose(replica)

    def _look_at(self, replica: Replica, partition: PartitionImage) -> None:
        if self._broker_id not in partition.replicas:
            if replica in self._location:
                self._forget(replica)
            return
        recorded = partition.directory_of(self._broker_id)
        was_never_placed = recorded in (UNASSIGNED_DIRECTORY, MIGRATING_DIRECTORY)
        if self._directories.is_own(recorded):
            self._settle(replica, recorded)
        elif was_never_placed and not self._directories.are_several:
            # The controller fills it in by itself.
            for directory_id in self._directories.online_ids:
                self._settle(replica, directory_id)
        elif not was_never_placed and self._directories.has_offline:
            self._forget(replica)
        elif replica not in self._chosen:
            self._choose(replica)

    def _settle(self, replica: Replica, directory_id: bytes) -> None:
        self._forget(replica)
        self._place(replica, directory_id)

    def _place(self, replica: Replica, directory_id: bytes) -> None:
        self._location[replica] = directory_id
        self._load[directory_id] = self._load.get(directory_id, 0) + 1

    def _forget(self, replica: Replica) -> None:
        directory_id = self._location.pop(replica, None)
        if directory_id is not None:
            self._load[directory_id] -= 1
        self._chosen.pop(replica, None)
        self._queue.drop(replica)

    def _choose(self, replica: Replica) -> None:
        self._forget(replica)
        online, cordoned = self._directories.online_ids, self._directories.cordoned_ids
        candidates = [each for each in online if each not in cordoned] or online
        # Without any the broker is about to stop.
        if candidates:
            choice = min(candidates, key=lambda each: self._load.get(each, 0))
            self._place(replica, choice)
            self._chosen[replica] = None
            self._queue.assign(replica, choice)
