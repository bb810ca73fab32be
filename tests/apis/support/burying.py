"""A broker whose share group has a dead-letter topic, and a way to other brokers, which a test holds."""

from __future__ import annotations

from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.record import Record
from kafkaproto_server.core.share_partitions.dead_letters import DeadLetter
from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.requests.share_requests import ShareKey
from kafkaproto_server.shell.share_partitions.dead_letters import Told
from tests.apis.support.data_broker import ME
from tests.apis.support.sharing import Sharing, partition_of
from tests.core.controller.support.harness import update_features_request

ACCEPT, RELEASE, REJECT = 1, 2, 3
ARCHIVING, ARCHIVED = 3, 4
QUEUE = "dlq.t"


class HeldTransport:
    """A way to other brokers and to the controller whose results the test decides."""

    def __init__(self) -> None:
        self.batches: list[tuple[int, TopicImage, int, bytes, Told]] = []
        self.creations: list[tuple[str, Told]] = []

    def produce(self, leader: int, topic: TopicImage, index: int, records: bytes, done: Told) -> None:
        self.batches.append((leader, topic, index, records, done))

    def create_topic(self, name: str, done: Told) -> None:
        self.creations.append((name, done))

    def written(self, code: ErrorCode = ErrorCode.NONE) -> list[int]:
        """The oldest batch was written. Returns its offsets."""
        *_, records, done = self.batches.pop(0)
        done(code, None)
        return [offset_of(each) for each in RecordBatchView(records).records()]


class Burying(Sharing):
    """A broker whose group has a dead-letter topic, if ``has_topic``, and a limit of two deliveries."""

    def __init__(
        self, *, has_topic: bool = True, level: int = 2, copies: bool = False, **static: str
    ) -> None:
        super().__init__(**static)
        self.broker.harness.call(update_features_request(("share.version", level, 1)))
        assert self.broker.harness.image.features["share.version"] == level
        self.configure("errors.deadletterqueue.topic.name", QUEUE)
        self.configure("share.delivery.count.limit", "2")
        if copies:
            self.configure("errors.deadletterqueue.copy.record.enable", "true")
        if has_topic:
            self.queue()
        self.node = self.broker.replicas.share_partitions.dead_letters

    def queue(self, *assignments: list[int], **configs: str) -> None:
        """Create the dead-letter topic."""
        self.broker.topic(QUEUE, *assignments, **{"errors_deadletterqueue_group_enable": "true", **configs})

    def hold(self) -> HeldTransport:
        """Decide in the test what becomes of what is written."""
        self.node.transport = transport = HeldTransport()
        return transport

    def reject(self, first: int, last: int, epoch: int = 1) -> None:
        """Ada rejects records, and that is persisted."""
        found = self.send_acknowledgement(epoch, first, last, REJECT)
        self.persister.written()
        assert partition_of(found[0]).error_code == 0
        self.settle()

    def write_letters(self, partitions: int) -> None:
        """There is a dead letter in each partition of a topic; its offset is the number of the partition."""
        self.topic_id = self.broker.topic("u", *[[ME]] * partitions)
        self.broker.replicas.follow()
        for index in range(partitions):
            key = ShareKey("g", self.topic_id, index)
            led = self.broker.replicas.share_partitions._led.get_or_load(key)
            self.node.write(led, [DeadLetter(index, index, 1, True)])
            self.persister.loaded()
        self.settle()

    def settle(self) -> None:
        """Let the broker do what it can do now."""
        for _ in range(6):
            self.broker.replicas.call_due()

    def letters(self, topic: str = QUEUE) -> list[Record]:
        """The records of the dead-letter topic."""
        found: Any = self.broker.fetch(topic)
        views = [RecordBatchView(bytes(found.records), position) for position in positions(found.records)]
        return [record for view in views for record in view.records()]

    def offsets(self) -> list[int]:
        """The offsets that are in the dead-letter topic."""
        return [offset_of(each) for each in self.letters()]


def positions(records: Any) -> list[int]:
    found, position = [], 0
    while position < len(records):
        found.append(position)
        position += RecordBatchView(bytes(records), position).size_in_bytes
    return found


def offset_of(record: Record) -> int:
    return int(dict(record.headers)["__dlq.errors.offset"] or b"")
