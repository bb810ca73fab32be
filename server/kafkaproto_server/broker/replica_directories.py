"""Determines the log directory of each of this broker's replicas, and what the controllers still have to be told
(KIP-858).

It follows the metadata from image to image, and examines only the changes. If a replica lies in a directory that works
when the broker starts, it belongs there, and the controllers are told if the metadata records another one. If not,
and the metadata records a directory of this broker, usable or not, that one is right. Otherwise:

| recorded                          | one directory            | several directories                   |
|-----------------------------------|--------------------------|---------------------------------------|
| UNASSIGNED, MIGRATING             | that one; nothing to say | the emptiest is chosen and assigned   |
| LOST, or an id of nobody here     | assigned to that one     | the emptiest is chosen and assigned,  |
|                                   |                          | unless a directory is offline: the    |
|                                   |                          | replica may be in there               |

A large image is examined in parts, so that nothing else waits long for it.

A choice stands until the metadata shows it, or until its directory fails. A cordoned directory is chosen only if there
is no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Protocol

from immutables import Map

from kafkaproto_server.broker.assignments import AssignmentQueue, Replica
from kafkaproto_server.broker.directories import LogDirectories
from kafkaproto_server.image.entries import (
    MIGRATING_DIRECTORY,
    UNASSIGNED_DIRECTORY,
    PartitionImage,
    TopicImage,
)
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.image.sorting import sorted_steps
from kafkaproto_server.types import Steps


class ReplicaListener(Protocol):
    """Whoever runs the replicas."""

    @property
    def are_open(self) -> bool:
        """Whether the logs of all replicas are open that it was told of."""

    def replica_changed(
        self, topic: TopicImage, index: int, partition: PartitionImage, directory_id: bytes | None
    ) -> None:
        """The metadata has a new state of a replica of this broker; ``directory_id`` is None if its directory is not
        known, or offline."""

    def replica_removed(self, topic_id: bytes, index: int) -> None:
        """A replica is not on this broker any more."""


PARTITIONS_PER_LOOK = 500
"""How many partitions one `ReplicaDirectories.look` examines: some milliseconds of work, with their replicas."""
TOPICS_PER_PARTITION = 4
"""To check whether a topic has changed costs a fraction of what a partition costs: this many topics count as one
partition."""

_NO_PARTITIONS: Map[int, PartitionImage] = Map()


class ReplicaDirectories:
    """The directory of each replica of one broker."""

    def __init__(
        self,
        broker_id: int,
        directories: LogDirectories,
        queue: AssignmentQueue,
        on_disk: dict[Replica, bytes],
        listener: ReplicaListener,
    ) -> None:
        """``on_disk`` has the directory of each replica that lies in one when the broker starts."""
        self._on_disk = on_disk
        self._listener = listener
        self._broker_id = broker_id
        self._directories = directories
        self._queue = queue
        self._topics: Map[bytes, TopicImage] = Map()
        # The rest of the examination, as a generator with a step for each partition; None if it is complete.
        self._looking: Iterator[None] | None = None
        # The newest topics, if they are newer than those that are being examined.
        self._newer: Map[bytes, TopicImage] | None = None
        self._has_offline_choices = False
        self._location: dict[Replica, bytes] = {}
        # The number of replicas in each directory.
        self._load: dict[bytes, int] = {}
        # Choices that the metadata does not show yet; a dict because of its order.
        self._chosen: dict[Replica, None] = {}

    @property
    def are_known(self) -> bool:
        """Whether the metadata has the directory of each replica, as far as it has to be reported.

        A broker with several directories stays fenced until then; one with a single directory need not wait.
        """
        return not self._directories.are_several or not (self._chosen or self._looking or self._newer)

    def directory_of(self, replica: Replica) -> bytes | None:
        """The directory of a replica of this broker; None if it is unknown."""
        return self._location.get(replica)

    def apply(self, image: ClusterImage) -> None:
        """Note newer metadata. `look` then examines the changes."""
        if image.topics is not (self._topics if self._newer is None else self._newer):
            self._newer = image.topics

    def look(self) -> bool:
        """Examine some of the changes. Returns whether there are more."""
        left = PARTITIONS_PER_LOOK
        while left > 0:
            if self._looking is None and not self._begin_to_look():
                return False
            assert self._looking is not None, "there is something to look at"
            taken = 0
            for _ in islice(self._looking, left):
                taken += 1
            if taken < left:
                self._looking = None
            left -= taken
        return self._looking is not None or self._newer is not None or self._has_offline_choices

    def directories_changed(self) -> None:
        """A directory failed: replicas that were assigned to it get another one, during the next calls of `look`."""
        self._has_offline_choices = True

    def _begin_to_look(self) -> bool:
        if self._has_offline_choices:
            self._has_offline_choices = False
            self._looking = self._choose_again()
        elif self._newer is not None:
            before, self._topics, self._newer = self._topics, self._newer, None
            self._looking = self._look_at_changes(before, self._topics)
        return self._looking is not None

    def _choose_again(self) -> Iterator[None]:
        """Replace the choices whose directory no longer works."""
        for replica in list(self._chosen):
            yield
            if replica in self._chosen and not self._directories.is_online(self._location[replica]):
                self._choose(replica)

    def _look_at_changes(
        self, before: Map[bytes, TopicImage], topics: Map[bytes, TopicImage]
    ) -> Iterator[None]:
        """Examine the differences between the former and the new topics: removed topics first, then changed ones, each
        by id."""
        removed = yield from _ids(before, lambda topic_id, _: topic_id not in topics)
        for topic_id in removed:
            for index in before[topic_id].partitions:
                self._remove((topic_id, index))
                yield
        changed = yield from _ids(topics, lambda topic_id, topic: before.get(topic_id) is not topic)
        for topic_id in changed:
            known = before[topic_id].partitions if topic_id in before else _NO_PARTITIONS
            partitions = topics[topic_id].partitions
            for index in sorted(partitions):
                if known.get(index) is not partitions[index]:
                    self._look_at((topic_id, index), partitions[index])
                    if self._broker_id in partitions[index].replicas:
                        location = self._location.get((topic_id, index))
                        if location is not None and not self._directories.is_online(location):
                            location = None
                        self._listener.replica_changed(topics[topic_id], index, partitions[index], location)
                yield

    def _look_at(self, replica: Replica, partition: PartitionImage) -> None:
        if self._broker_id not in partition.replicas:
            if replica in self._location:
                self._remove(replica)
            return
        recorded = partition.directory_of(self._broker_id)
        was_never_placed = recorded in (UNASSIGNED_DIRECTORY, MIGRATING_DIRECTORY)
        found = self._on_disk.get(replica)
        if found is not None and found != recorded and self._directories.is_online(found):
            # Where its records are, it is, whatever is recorded.
            self._settle(replica, found)
            if self._directories.are_several or not was_never_placed:
                self._chosen[replica] = None
                self._queue.assign(replica, found)
        elif self._directories.is_own(recorded):
            self._settle(replica, recorded)
        elif was_never_placed and not self._directories.are_several:
            # The controller records this directory itself.
            for directory_id in self._directories.online_ids:
                self._settle(replica, directory_id)
        elif not was_never_placed and self._directories.has_offline:
            self._forget(replica)
        elif replica not in self._chosen:
            self._choose(replica)

    def _remove(self, replica: Replica) -> None:
        is_known = replica in self._location
        self._forget(replica)
        self._on_disk.pop(replica, None)
        if is_known:
            self._listener.replica_removed(*replica)

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
        # Without any online directory, the broker is about to stop.
        if candidates:
            choice = min(candidates, key=lambda each: self._load.get(each, 0))
            self._place(replica, choice)
            self._chosen[replica] = None
            self._queue.assign(replica, choice)


def _ids(
    topics: Map[bytes, TopicImage], is_wanted: Callable[[bytes, TopicImage], bool]
) -> Steps[list[bytes]]:
    """The ids of some topics, in order."""
    found = []
    for number, (topic_id, topic) in enumerate(topics.items()):
        if is_wanted(topic_id, topic):
            found.append(topic_id)
        if number % TOPICS_PER_PARTITION == 0:
            yield
    return (yield from sorted_steps(found))
