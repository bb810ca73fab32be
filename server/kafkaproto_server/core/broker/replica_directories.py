"""Follows the metadata from image to image: in which log directory each of this broker's replicas is, and what the
controllers still have to be told (KIP-858).

`core.broker.start_table` decides where a replica is opened when the broker begins with it. From then on it stays there,
whatever the metadata records, and the controllers are told until they record it. If its directory fails, it is offline
in there; the controllers are still told if they do not know its directory, and take the replica out of the ISR then.
They are told the same of a replica whose log cannot be used, though its directory works. If there is a choice, the
directory with the fewest replicas is taken; a cordoned one only if there is no other.

The first examination begins by setting aside what lies in the directories and is no replica of this broker
(`core.broker.found_replicas`). So the first image has to be one with everything that was committed when the broker
started.

A replica of which nothing is found begins empty, unless the controllers count on what it had (`_has_lost_all`):
somebody has emptied its directory, or put another disk in its place. Then it counts as lost, so that it does not lead
with an empty log.

A replica may be moved to another directory (KIP-113). Once its copy there has all, the controllers are told the new
directory, and it moves when they have recorded it. If the move is given up, they are told the old one again.

A large image is examined in parts, so that nothing else waits long for it.

Apache Kafka: ``LogManager`` (which places logs) and ``AssignmentsManager``; the rule of lost replicas is ours alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Protocol

from immutables import Map

from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.broker.assignments import AssignmentQueue, Replica
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.core.broker.directory_choice import DirectoryChoice
from kafkaproto_server.core.broker.found_replicas import FoundReplicas
from kafkaproto_server.core.broker.start_table import (
    FoundReplica,
    Way,
    place_of,
    report_of,
    target_of,
    was_never_placed,
)
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY, PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.sorting import sorted_steps


class ReplicaMoves(Protocol):
    """Takes what becomes of replicas that move."""

    def will_move(self, replica: Replica, directory_id: bytes) -> None:
        """A replica has all in another directory: the controllers are to record that one."""

    def stays(self, replica: Replica) -> None:
        """Its move was given up."""

    def has_moved(self, replica: Replica, directory_id: bytes) -> None:
        """It is in the other directory."""

    def prefer(self, topic: str, index: int, directory_id: bytes) -> None:
        """Place a replica that this broker does not have yet in this directory, if it may choose."""


class ReplicaListener(Protocol):
    def attach(self, moves: ReplicaMoves) -> None:
        """Tell ``moves`` of replicas that move. Called before anything else."""

    @property
    def are_open(self) -> bool:
        """Whether the logs of all replicas are open that it was told of."""

    def replica_changed(
        self, topic: TopicImage, index: int, partition: PartitionImage, directory_id: bytes | None
    ) -> None:
        """The metadata has a new state of a replica of this broker; ``directory_id`` is None if its directory is not
        known, or offline."""

    def replica_lost_all(
        self, topic: TopicImage, index: int, partition: PartitionImage, directory_id: bytes
    ) -> None:
        """The same of a replica of which the broker found nothing when it started, though the controllers count on its
        records. It belongs into this directory."""

    def replicas_placed(self) -> None:
        """All replicas were told that the broker had when it started."""

    def replica_removed(self, topic_id: bytes, index: int) -> None:
        """A replica is not on this broker any more."""

    def found_stray(self, found: FoundReplica) -> None:
        """This lies in a directory and is not to be opened. Comes before `replica_changed` of a replica with the same
        name."""

    def found_future(self, found: FoundReplica) -> None:
        """A copy of a replica that lies elsewhere: it was being moved. Comes before `replica_changed` of the
        replica."""


class ReplicaInSeveralDirectoriesError(Exception):
    """One replica is in several directories, and nothing says which one is right."""


PARTITIONS_PER_LOOK = 500
"""How many partitions one `ReplicaDirectories.look` examines: some milliseconds of work, with their replicas."""
TOPICS_PER_PARTITION = 4
"""To check whether a topic has changed costs a fraction of what a partition costs: this many topics count as one
partition."""

_NO_PARTITIONS: Map[int, PartitionImage] = Map()


class ReplicaDirectories:
    """The directory of each replica of one broker. Implements `ReplicaMoves`."""

    def __init__(
        self,
        broker_id: int,
        directories: LogDirectories,
        queue: AssignmentQueue,
        on_disk: Iterable[FoundReplica],
        listener: ReplicaListener,
        *,
        emptied: Collection[bytes] = (),
    ) -> None:
        """``on_disk`` is what lies in the directories that work when the broker starts; ``emptied`` are those of them
        that look as if no broker had ever run on them."""
        self._listener = listener
        self._broker_id = broker_id
        self._directories = directories
        self._emptied = frozenset(emptied)
        self._queue = queue
        self._topics: Map[bytes, TopicImage] = Map()
        self._has_looked = False
        self._found = FoundReplicas(broker_id, on_disk)
        # The rest of the examination, as a generator with a step for each partition; None if it is complete.
        self._looking: Iterator[None] | None = None
        # The newest topics, if they are newer than those that are being examined.
        self._newer: Map[bytes, TopicImage] | None = None
        self._has_image = False
        # The directory of each replica; None if it is in an unknown one that is offline.
        self._location: dict[Replica, bytes | None] = {}
        self._choice = DirectoryChoice(directories)
        # Replicas whose logs cannot be used, in directories that work.
        self._lost: set[Replica] = set()
        # What is reported of replicas and not shown by the metadata yet.
        self._reports: dict[Replica, bytes] = {}
        # Where replicas are about to move.
        self._targets: dict[Replica, bytes] = {}
        listener.attach(self)

    # -- moves -------------------------------------------------------------------------------------------------

    def will_move(self, replica: Replica, directory_id: bytes) -> None:
        # Told before the move, as in KIP-858: if the target fails between move and report, the controllers would look
        # for the replica in the old directory.
        self._targets[replica] = directory_id
        self._report_again(replica)

    def stays(self, replica: Replica) -> None:
        """See `ReplicaMoves`. The report is taken back, also if it is still queued."""
        # Nothing to take back if it was never told.
        if self._targets.pop(replica, None) is not None:
            self._report_again(replica)

    def has_moved(self, replica: Replica, directory_id: bytes) -> None:
        before = self._location.get(replica)
        assert before is not None, "a replica that is nowhere has moved"
        self._targets.pop(replica, None)
        # Only now: until the switch the log in the old directory is the one that counts.
        self._location[replica] = directory_id
        self._choice.left(before)
        self._choice.placed(directory_id)
        self._report_again(replica)

    def prefer(self, topic: str, index: int, directory_id: bytes) -> None:
        self._choice.prefer(topic, index, directory_id)

    def _report_again(self, replica: Replica) -> None:
        topic_id, index = replica
        topic = self._topics.get(topic_id)
        partition = None if topic is None else topic.partitions.get(index)
        if partition is not None and replica in self._location and self._broker_id in partition.replicas:
            self._report(replica, partition)

    # -- the metadata ------------------------------------------------------------------------------------------

    @property
    def are_known(self) -> bool:
        """Whether all replicas have their places, and the metadata shows them as far as they have to be reported.

        A broker with several directories stays fenced until then. One with a single directory waits only until the
        metadata shows what is lost: unfenced before, it would be elected where another one has all.
        """
        if not self._has_looked:
            return False
        # As in Kafka, a broker with one directory reports none: the controllers know it from the registration.
        if not self._directories.are_several:
            return not any(self._reports.get(replica) == LOST_DIRECTORY for replica in self._lost)
        return not (self._reports or self._looking or self._newer)

    def directory_of(self, replica: Replica) -> bytes | None:
        """The directory of a replica of this broker; None if it is unknown."""
        return self._location.get(replica)

    def lost(self, replica: Replica) -> None:
        """The log of a replica cannot be used, though its directory works. The controllers are told that it is lost, so
        that another broker leads its partition; they hear of its directory again once it was `found`."""
        if replica in self._location:
            self._lost.add(replica)
            self._report_again(replica)

    def found(self, replica: Replica) -> None:
        """The log of a replica that was lost can be used again."""
        if replica in self._lost:
            self._lost.remove(replica)
            self._report_again(replica)

    def apply(self, image: ClusterImage) -> None:
        """Note newer metadata. `look` then examines the changes."""
        if not self._has_image or image.topics is not (self._topics if self._newer is None else self._newer):
            self._has_image = True
            # The newest only: what came between two looks need not be looked at.
            self._newer = image.topics
            self._found.note_names(image.topic_ids)

    def look(self) -> bool:
        """Examine some of the changes. Returns whether there are more."""
        left = PARTITIONS_PER_LOOK
        while left > 0:
            if self._looking is None and not self._begin_to_look():
                return False
            assert self._looking is not None, "there is something to look at"
            taken = 0
            # The steps of one examination, whichever images come meanwhile: their changes are the next one.
            for _ in islice(self._looking, left):
                taken += 1
            if taken < left:
                self._looking = None
            left -= taken
        return self._looking is not None or self._newer is not None

    def _begin_to_look(self) -> bool:
        if self._newer is None:
            return False
        # All at once: from here on `_topics` is what the steps examine, and what reports are made of.
        before, self._topics, self._newer = self._topics, self._newer, None
        self._looking = self._look_at_changes(before, self._topics)
        return True

    def _look_at_changes(
        self, before: Map[bytes, TopicImage], topics: Map[bytes, TopicImage]
    ) -> Iterator[None]:
        """Examine the differences between the former and the new topics: removed topics first, then changed ones, each
        by id."""
        # Before a replica is opened: it may have the name of what is set aside.
        yield from self._found.sort(topics, self._listener.found_stray)
        # Removed ones first: a topic that was made anew under its name may need the place on disk.
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
                # By identity: images share partitions that did not change, so this is one comparison of pointers.
                if known.get(index) is not partitions[index]:
                    has_lost_all = self._look_at((topic_id, index), partitions[index])
                    if self._broker_id in partitions[index].replicas:
                        self._tell(topics[topic_id], index, partitions[index], has_lost_all=has_lost_all)
                yield
        if not self._has_looked:
            self._has_looked = True
            self._listener.replicas_placed()

    def _tell(self, topic: TopicImage, index: int, partition: PartitionImage, *, has_lost_all: bool) -> None:
        assert self._broker_id in partition.replicas, f"{topic.name}-{index} is not on this broker"
        replica = (topic.topic_id, index)
        location = self._location[replica]
        # It is where it was, and cannot be used: the listener must not open it there.
        if location is not None and not self._directories.is_online(location):
            location = None
        if has_lost_all and location is not None:
            self._listener.replica_lost_all(topic, index, partition, location)
        else:
            is_usable = replica not in self._lost
            self._listener.replica_changed(topic, index, partition, location if is_usable else None)

    def _look_at(self, replica: Replica, partition: PartitionImage) -> bool:
        """Returns whether a replica was placed that has lost all."""
        if self._broker_id not in partition.replicas:
            if replica in self._location:
                self._remove(replica)
            return False
        # A replica that waits may have got a directory meanwhile.
        has_lost_all = self._location.get(replica) is None and self._place(replica, partition)
        self._report(replica, partition)
        return has_lost_all

    def _place(self, replica: Replica, partition: PartitionImage) -> bool:
        """Returns whether it has lost all."""
        assert self._location.get(replica) is None, "a replica is placed once"
        found = self._found.of(replica)
        recorded = partition.directory_of(self._broker_id)
        place = place_of(
            recorded,
            [each.directory_id for each in found if not each.is_future],
            [each.directory_id for each in found if each.is_future],
            self._directories,
        )
        if place.way is Way.REFUSE:
            paths = [f"{self._directories.path_of(each.directory_id)}/{each.name}" for each in found]
            raise ReplicaInSeveralDirectoriesError(
                f"one replica is in several directories, {', '.join(paths)}, and the metadata records none of them."
                " Move all but the right one away"
            )
        # Taken even if it does not count any more: the wish was for the first placing.
        preferred = self._choice.take_preferred(self._topics[replica[0]].name, replica[1])
        directory_id = self._choice.choose(preferred) if place.way is Way.CHOOSE else place.directory_id
        self._location[replica] = directory_id
        if directory_id is not None:
            self._choice.placed(directory_id)
        has_lost_all = directory_id is not None and self._has_lost_all(place.way, recorded, partition)
        if has_lost_all:
            self._lost.add(replica)
        if place.way is not Way.WAIT:
            others = [
                each
                for each in self._found.take(replica)
                if each.directory_id != directory_id or each.is_future is not (place.way is Way.PROMOTE)
            ]
            future = [each.directory_id for each in others if each.is_future]
            target = target_of(recorded, future, place)
            for each in others:
                if each.is_future and each.directory_id == target:
                    self._listener.found_future(each)
                else:
                    self._listener.found_stray(each)
        return has_lost_all

    def _has_lost_all(self, way: Way, recorded: bytes, partition: PartitionImage) -> bool:
        """Whether a replica of which nothing was found had records on which the controllers count.

        A crash may come before a new replica has a directory, and then nothing is missing. But that directory would
        be in the recorded one, which shows that a broker has run (`ReplicaListener.replicas_placed`).
        """
        # Only what the broker begins with can have been lost: a replica that is assigned later is new and empty anyway.
        if self._has_looked or way not in (Way.BEGIN, Way.CHOOSE):
            return False
        # Nobody counts on its records: it fetches them, as any follower that is behind.
        if self._broker_id not in (*partition.isr, *partition.elr, *partition.last_known_elr):
            return False
        if way is Way.BEGIN:
            return recorded in self._emptied
        if was_never_placed(recorded):
            # Nobody knows where it was before directories had ids: perhaps in none of those that are here.
            return self._emptied.issuperset(self._directories.online_ids)
        # Who takes a directory out of log.dirs, or formats another disk, gives up what nobody else has (KIP-858).
        return len(partition.replicas) > 1

    def _report(self, replica: Replica, partition: PartitionImage) -> None:
        """Have the controllers told where a replica is, if they have to be told."""
        place, recorded = (
            self._targets.get(replica) or self._usable(replica),
            partition.directory_of(self._broker_id),
        )
        report = report_of(place, recorded, self._directories)
        if replica in self._lost and not self._directories.is_own(recorded) and recorded != LOST_DIRECTORY:
            # Its former directory is not here any more, and it is fetched anew in another one.
            report = LOST_DIRECTORY
        # The metadata shows what is so. A report that still waits would set back a newer state.
        if report is None:
            self._reports.pop(replica, None)
            self._queue.drop(replica)
        # The queue repeats what it was given; the same report again would only start it over.
        elif self._reports.get(replica) != report:
            self._reports[replica] = report
            self._queue.assign(replica, report)

    def _usable(self, replica: Replica) -> bytes | None:
        """The directory of a replica, online or not; None if its log cannot be used."""
        return None if replica in self._lost else self._location[replica]

    def _remove(self, replica: Replica) -> None:
        is_known = replica in self._location
        # Before the listener hears of it: from then on the replica is in no directory.
        self._forget(replica)
        for each in self._found.take(replica):
            self._listener.found_stray(each)
        if is_known:
            self._listener.replica_removed(*replica)

    def _forget(self, replica: Replica) -> None:
        directory_id = self._location.pop(replica, None)
        if directory_id is not None:
            self._choice.left(directory_id)
        self._lost.discard(replica)
        self._targets.pop(replica, None)
        self._reports.pop(replica, None)
        # A late report would be refused: the broker is no replica any more (NOT_LEADER_OR_FOLLOWER).
        self._queue.drop(replica)


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
