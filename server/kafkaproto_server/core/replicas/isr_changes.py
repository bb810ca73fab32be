"""The changes of ISRs that this broker's leaders ask the controller for (AlterPartition), and what becomes of them.

It is pure: it says which request to send next and when, and takes the responses. One request is under way at a time,
with the changes of all partitions that wait. Apache Kafka has it in AlterPartitionManager and Partition."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterPartitionRequest, AlterPartitionResponse
from kafkaproto_server.core.replicas.partition import IsrChange, Partition

RETRY_PAUSE_MS = 50
MAX_CHANGES = 10_000
"""Most partitions in a request."""

_REVERTING = frozenset({ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INELIGIBLE_REPLICA})
"""The controller did nothing: the ISR is what it was."""
_FINAL = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.NEW_LEADER_ELECTED,
    }
)
"""The metadata has, or will have, something newer. Until it is here, the change may be in force."""


@dataclass(slots=True, kw_only=True)
class IsrCounts:
    """What has become of the changes."""

    expands: int = 0
    """ISRs that have grown."""
    shrinks: int = 0
    """ISRs that have become smaller."""
    failures: int = 0
    """Changes that the controller refused, each time that it did."""


class IsrChanges:
    """What waits and what is under way."""

    def __init__(self, broker_id: int) -> None:
        self._broker_id = broker_id
        self._waiting: dict[Partition, None] = {}
        self._under_way: dict[tuple[bytes, int], tuple[Partition, IsrChange, int]] = {}
        """With the size of the ISR that each change begins with: newer metadata may overtake the response."""
        self._not_before_ms = 0
        self.counts = IsrCounts()

    def add(self, partition: Partition) -> None:
        """A partition's `isr_change` is to be sent."""
        self._waiting[partition] = None

    def drop(self, partition: Partition) -> None:
        self._waiting.pop(partition, None)

    @property
    def due_ms(self) -> int | None:
        """When to send the next request; None if there is nothing to send, or if a response is awaited."""
        return self._not_before_ms if self._waiting and not self._under_way else None

    def next_request(self, broker_epoch: int) -> AlterPartitionRequest | None:
        """The request to send now; None if nothing has to be sent after all."""
        assert not self._under_way, "one request at a time"
        topics: dict[bytes, AlterPartitionRequest.TopicData] = {}
        while self._waiting and len(self._under_way) < MAX_CHANGES:
            partition, _ = self._waiting.popitem()
            change = partition.isr_change
            # Newer metadata may have taken its place.
            if change is None:
                continue
            # By topic id: a topic of the same name that was made meanwhile is another one.
            self._under_way[partition.topic_id, partition.index] = (partition, change, len(partition.isr))
            topic = topics.get(partition.topic_id)
            if topic is None:
                topic = topics[partition.topic_id] = AlterPartitionRequest.TopicData(
                    topic_id=partition.topic_id
                )
            topic.partitions.append(
                AlterPartitionRequest.PartitionData(
                    partition_index=partition.index,
                    leader_epoch=change.leader_epoch,
                    new_isr_with_epochs=[
                        AlterPartitionRequest.BrokerState(broker_id=broker_id, broker_epoch=epoch)
                        for broker_id, epoch in zip(change.isr, change.broker_epochs, strict=True)
                    ],
                    partition_epoch=change.partition_epoch,
                )
            )
        if not self._under_way:
            return None
        return AlterPartitionRequest(
            # The epoch of this moment: a controller refuses a broker that has registered anew since.
            broker_id=self._broker_id,
            broker_epoch=broker_epoch,
            topics=list(topics.values()),
        )

    def handle_failure(self, now_ms: int) -> None:
        """There was no response, or it refused the whole request: everything is sent again after a pause."""
        under_way, self._under_way = self._under_way, {}
        # A controller that refuses, or is not there, would else be asked without end.
        self._not_before_ms = now_ms + RETRY_PAUSE_MS
        for partition, change, _ in under_way.values():
            # Newer metadata may have made it void, and another change may have taken its place.
            if partition.isr_change is change:
                self._waiting[partition] = None

    def handle_response(self, response: AlterPartitionResponse, now_ms: int) -> None:
        """Take the results. What the response does not name is sent again."""
        if response.error_code:
            self.handle_failure(now_ms)
            return
        for topic in response.topics:
            for each in topic.partitions:
                # Whatever the response names besides was not asked for.
                found = self._under_way.pop((topic.topic_id, each.partition_index), None)
                if found is None:
                    continue
                partition, change, size = found
                self._count(each.error_code, len(change.isr) - size)
                if each.error_code == ErrorCode.NONE:
                    partition.isr_accepted(
                        change, isr=each.isr, partition_epoch=each.partition_epoch, now_ms=now_ms
                    )
                # The leader may ask anew at once, from the ISR as it is.
                elif each.error_code in _REVERTING:
                    partition.isr_refused(change, is_final=False)
                # The change stays pending, so that the maximal ISR counts: a response that was lost on its way may have
                # said that it is in force.
                elif each.error_code in _FINAL:
                    partition.isr_refused(change, is_final=True)
                elif partition.isr_change is change:
                    self._waiting[partition] = None
                    self._not_before_ms = now_ms + RETRY_PAUSE_MS
        # A controller that leaves a partition out has not decided about it.
        if self._under_way:
            self.handle_failure(now_ms)

    def _count(self, code: int, growth: int) -> None:
        """The controller's response to one change, which lets the ISR grow by so many members."""
        if code != ErrorCode.NONE:
            self.counts.failures += 1
        elif growth > 0:
            self.counts.expands += 1
        elif growth < 0:
            self.counts.shrinks += 1
