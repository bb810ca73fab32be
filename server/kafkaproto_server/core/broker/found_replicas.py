"""What lies in a broker's log directories when it starts, and whose it is.

Each found directory is of a replica of this broker, or it is set aside: its topic is not in the metadata any more, was
made anew under the same name, or has this partition on other brokers. Of a replica whose topic id is damaged the name
says whose it is: no other place is right for it. If the metadata has no such replica here, it is left alone; only if
the file is torn, which a power loss does to a log that was never synced, it is set aside. If it is torn before the id
begins, it may as well be of a former topic with that name. A broker that was fenced when a topic was made anew is not
in the ISR, and one that is not in the ISR has no records that others lack: then it is set aside, too.

Apache Kafka: ``LogManager`` (stray logs), which goes by the topic id alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from immutables import Map

from kafkaproto import uuids
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.broker.assignments import Replica
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.metadata.image.entries import PartitionImage, TopicImage

DAMAGED_BITS = 24
"""A topic id on disk that differs from that of the topic with this name in at most so many of its 128 bits is damaged.
Of two random ids, one pair in 10**12 is as near."""


class FoundReplicas:
    """What lies on disk of replicas that were not opened yet."""

    def __init__(self, broker_id: int, on_disk: Iterable[FoundReplica]) -> None:
        self._broker_id = broker_id
        # What was not sorted yet, and the topics by name for that; both empty afterwards.
        self._unsorted = tuple(on_disk)
        self._topic_ids: Map[str, bytes] = Map()
        self._by_replica: dict[Replica, list[FoundReplica]] = {}

    def note_names(self, topic_ids: Map[str, bytes]) -> None:
        """Note the ids of all topics by name, for `sort`."""
        if self._unsorted:
            self._topic_ids = topic_ids

    def sort(
        self, topics: Map[bytes, TopicImage], found_stray: Callable[[FoundReplica], None]
    ) -> Steps[None]:
        """Sort what lies there by the topics of the metadata; ``found_stray`` gets what is to be set aside."""
        for each in self._unsorted:
            topic = self._topic_of(each, topics)
            partition = None if topic is None else topic.partitions.get(each.index)
            if topic is not None and partition is not None and self._is_ours(each, partition):
                # A list: a replica may lie in several directories, and beside its future copy.
                self._by_replica.setdefault((topic.topic_id, each.index), []).append(each)
            elif not each.is_damaged or each.torn_id is not None:
                found_stray(each)
            yield
        # From here on the metadata alone says what comes and goes.
        self._unsorted = ()
        self._topic_ids = Map()

    def of(self, replica: Replica) -> Sequence[FoundReplica]:
        """What was found of a replica."""
        return self._by_replica.get(replica, ())

    def take(self, replica: Replica) -> Sequence[FoundReplica]:
        """What was found of a replica, which is then forgotten here."""
        assert not self._unsorted, "what lies there is sorted before a replica has its place"
        return self._by_replica.pop(replica, ())

    def _is_ours(self, found: FoundReplica, partition: PartitionImage) -> bool:
        """Whether this broker has the replica; if nothing says whose it is, whether others may lack its records."""
        # Nothing is left of the id, so it may be of a former topic of that name. The replica counts as this one only if
        # it may have records that others lack.
        if found.torn_id == "":
            return self._broker_id in (*partition.isr, *partition.elr, *partition.last_known_elr)
        return self._broker_id in partition.replicas

    def _topic_of(self, found: FoundReplica, topics: Map[bytes, TopicImage]) -> TopicImage | None:
        """The topic whose partition lies there, as far as its directory says it; None if there is none."""
        topic_id = found.topic_id
        named = self._topic_ids.get(found.topic)
        if found.is_damaged:
            # The id cannot be read; the name is all that is left.
            topic_id = named
            if topic_id is not None and not uuids.to_text(topic_id).startswith(found.torn_id or ""):
                # Another topic had the name before.
                return None
        # A bit that flipped must not make a replica a stray: the name says which topic it was.
        elif topic_id is not None and named is not None and _is_nearly(topic_id, named):
            topic_id = named
        return None if topic_id is None else topics.get(topic_id)


def _is_nearly(topic_id: bytes, other: bytes) -> bool:
    """Whether one is the other with damage: two random ids never have so many bits in common."""
    different = int.from_bytes(topic_id) ^ int.from_bytes(other)
    return different.bit_count() <= DAMAGED_BITS
