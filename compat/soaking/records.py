"""Records: producers, readers without a group, and groups of both protocols that read all of it."""

from __future__ import annotations

from contextlib import suppress

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from compat.soaking.load import Ground, Load, LoadFailedError
from compat.soaking.tally import InOrder, SoakLossError, Written, make_value, read_number

KEPT, LATEST, COPIED = "kept", "latest", "copied"
"""The topic of a producer with acks=all, a compacted one, and that into which transactions copy."""
PARTITIONS = 3
KEYS = 200
"""Of the compacted topic."""
DELIVERY_MS = 600_000
FLUSH_S = 610.0


class Writing(Load):
    """An idempotent producer of `KEPT` and `LATEST`. A record that is not acknowledged in ten minutes ends the run."""

    INTERVAL_S = 0.6
    RECORDS = 3
    """Of each partition of `KEPT`, and as many of `LATEST`, in a step."""

    def __init__(self, ground: Ground, written: Written) -> None:
        """Notes in `written` what is acknowledged."""
        super().__init__("records written", ground)
        self._written = written
        self._number = 0
        settings = {"acks": "all", "enable.idempotence": True, "linger.ms": 20, "compression.type": "lz4"}
        self._producer = Producer({**ground.settings, **settings, "delivery.timeout.ms": DELIVERY_MS})
        self._failed = ""

    def step(self) -> None:
        """See Load."""
        for _ in range(self.RECORDS):
            for partition in range(PARTITIONS):
                number = self._written.sent[partition]
                self._written.sent[partition] += 1
                value = make_value(partition, number)
                self._producer.produce(KEPT, value, partition=partition, on_delivery=self._kept)
            key, value = b"%d" % self.random.randrange(KEYS), b"%d" % self._number
            self._number += 1
            self._producer.produce(LATEST, value, key, on_delivery=self._latest)
        self._producer.poll(0.05)
        if self._failed:
            raise LoadFailedError(f"a record was not acknowledged: {self._failed}")

    def _kept(self, error: KafkaError | None, message: Message) -> None:
        partition = message.partition()
        if error is not None or partition is None:
            self._failed = str(error)
            return
        self._written.acknowledge(partition)
        self.done += 1

    def _latest(self, error: KafkaError | None, message: Message) -> None:
        key, value = message.key(), message.value()
        if error is not None or not isinstance(key, bytes) or not isinstance(value, bytes):
            self._failed = str(error)
            return
        self._written.latest[key] = value
        self.done += 1

    def close(self) -> None:
        """Everything is acknowledged then, or the load has failed."""
        left = self._producer.flush(FLUSH_S)
        if self.failure is None and (left or self._failed):
            self.failure = LoadFailedError(f"{left} records were not acknowledged: {self._failed}")


class Reading(Load):
    """A reader without a group, of records of one topic from its beginning on."""

    INTERVAL_S = 1.0

    def __init__(self, ground: Ground, topic: str, *, is_committed: bool) -> None:
        """`is_committed`: it sees committed records only, and each of them once."""
        super().__init__(f"{topic} read", ground)
        self.seen = InOrder(self.name, PARTITIONS, may_come_again=False)
        level = "read_committed" if is_committed else "read_uncommitted"
        self._consumer = Consumer(
            {
                **ground.reading,
                "group.id": f"reader-of-{topic}",
                "isolation.level": level,
                "auto.offset.reset": "error",
            }
        )
        self._consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])

    def step(self) -> None:
        """See Load."""
        self.done += take_all(self._consumer, self.seen)

    def close(self) -> None:
        """See Load."""
        self._consumer.close()


def take_all(consumer: Consumer, seen: InOrder) -> int:
    """Takes what a consumer has at hand; returns how many records. Raises SoakLossError and KafkaException."""
    messages = consumer.consume(2_000, 0.01)
    count = 0
    for message in messages:
        if (error := message.error()) is not None:
            if error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE):
                raise SoakLossError(f"{seen.name}: {error.str()}")
            raise KafkaException(error)
        partition, value = message.partition(), message.value()
        assert partition is not None
        assert isinstance(value, bytes)
        seen.take(partition, read_number(partition, value))
        count += 1
    return count


class Group(Load):
    """A group of one protocol in which two members stay and a third comes and goes. Each commits what it has read.

    Whatever its members read together is complete: after a rebalance, records may come again, and none may be left out.
    """

    INTERVAL_S = 0.25
    STEPS_OF_A_GUEST = 120
    """After so many steps the third member comes, and goes after as many."""
    STEPS_TO_COMMIT = 8

    def __init__(self, ground: Ground, protocol: str) -> None:
        """`protocol` is classic or consumer."""
        super().__init__(f"{protocol} group", ground)
        self.group_id = f"{protocol}-readers"
        self.seen = InOrder(self.name, PARTITIONS, may_come_again=True)
        self.guests = 0
        self._steps_done = 0
        self._settings = {**ground.reading, "group.id": self.group_id, "group.protocol": protocol}
        if protocol == "classic":
            self._settings |= {
                "session.timeout.ms": 45_000,
                "partition.assignment.strategy": "cooperative-sticky",
            }
        self._members = [self._join(), self._join()]

    def _join(self) -> Consumer:
        member = Consumer(self._settings)
        member.subscribe([KEPT], on_revoke=_commit_at_once)
        return member

    def step(self) -> None:
        """See Load."""
        self._steps_done += 1
        for member in self._members:
            self.done += take_all(member, self.seen)
        if self._steps_done % self.STEPS_TO_COMMIT == 0:
            for member in self._members:
                # One without a partition, or who has read nothing new, has nothing to commit.
                with suppress(KafkaException):
                    member.commit(asynchronous=True)
        if self._steps_done % self.STEPS_OF_A_GUEST == 0:
            if len(self._members) == 2:
                self._members.append(self._join())
                self.guests += 1
            else:
                # The one that has been there for the longest time goes.
                _leave(self._members.pop(0))

    def close(self) -> None:
        """See Load."""
        for member in self._members:
            _leave(member)


def _commit_at_once(member: Consumer, _partitions: list[TopicPartition]) -> None:
    with suppress(KafkaException):
        member.commit(asynchronous=False)


def _leave(member: Consumer) -> None:
    with suppress(KafkaException):
        member.commit(asynchronous=False)
    member.close()
