"""A broker that coordinates transactions and leads the partitions that take part in them."""

from __future__ import annotations

from typing import Any

from kafkaproto.messages import (
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    DescribeTransactionsRequest,
    EndTxnRequest,
    InitProducerIdRequest,
    TxnOffsetCommitRequest,
)
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, TRANSACTIONS_TOPIC
from tests.apis.support.data_broker import ME, DataBroker, batch, only_partition
from tests.core.controller.support.harness import TIMESTAMP_MS

ID = "mine"
GROUP = "group"
Producer = tuple[int, int]


class TransactionalBroker(DataBroker):
    """There are the topics t, with two partitions, and other, and those of the coordinators."""

    def __init__(self, **static_config: str) -> None:
        super().__init__(1, **static_config)
        self.topic(TRANSACTIONS_TOPIC)
        self.topic(GROUPS_TOPIC)
        self.topic("t", [ME], [ME])
        self.topic("other")

    def begin(self, transactional_id: str = ID, version: int = 5, **fields: Any) -> Producer:
        """The producer that InitProducerId makes."""
        found = self.init(transactional_id, version, **fields)
        assert found.error_code == 0
        return found.producer_id, found.producer_epoch

    def init(self, transactional_id: str = ID, version: int = 5, **fields: Any) -> Any:
        """The response to InitProducerId."""
        given = {"transaction_timeout_ms": 60_000, **fields}
        return self.ask(InitProducerIdRequest(transactional_id=transactional_id, **given), version)

    def add(
        self,
        producer: Producer,
        *partitions: tuple[str, int],
        version: int = 3,
        transactional_id: str = ID,
        verify_only: bool = False,
    ) -> dict[tuple[str, int], int]:
        """The error code of each partition in the response to AddPartitionsToTxn."""
        request = AddPartitionsToTxnRequest
        topics = [
            request.AddPartitionsToTxnTopic(name=name, partitions=[index]) for name, index in partitions
        ]
        if version < 4:
            asked = request(
                v3_and_below_transactional_id=transactional_id,
                v3_and_below_producer_id=producer[0],
                v3_and_below_producer_epoch=producer[1],
                v3_and_below_topics=topics,
            )
            found = self.ask(asked, version).results_by_topic_v3_and_below
        else:
            transaction = request.AddPartitionsToTxnTransaction(
                transactional_id=transactional_id,
                producer_id=producer[0],
                producer_epoch=producer[1],
                verify_only=verify_only,
                topics=topics,
            )
            response = self.ask(request(transactions=[transaction]), version)
            assert response.error_code == 0
            (result,) = response.results_by_transaction
            assert result.transactional_id == transactional_id
            found = result.topic_results
        return {
            (topic.name, each.partition_index): each.partition_error_code
            for topic in found
            for each in topic.results_by_partition
        }

    def add_offsets(self, producer: Producer, group_id: str = GROUP, version: int = 4) -> int:
        """The error code in the response to AddOffsetsToTxn."""
        request = AddOffsetsToTxnRequest(
            transactional_id=ID, producer_id=producer[0], producer_epoch=producer[1], group_id=group_id
        )
        return self.ask(request, version).error_code  # type: ignore[no-any-return]

    def end(self, producer: Producer, *, committed: bool = True, version: int = 4) -> tuple[int, int, int]:
        """Error, producer id and epoch in the response to EndTxn."""
        request = EndTxnRequest(
            transactional_id=ID, producer_id=producer[0], producer_epoch=producer[1], committed=committed
        )
        found = self.ask(request, version)
        # Markers are written, and the coordinator hears of it.
        self.replicas.call_due()
        return found.error_code, found.producer_id, found.producer_epoch

    def write(
        self, producer: Producer, value: bytes = b"v", *, version: int = 12, index: int = 0, **fields: Any
    ) -> Any:
        """What the response says of a partition of t to which a record is written in a transaction."""
        sequence = fields.pop("sequence", 0)
        records = batch(
            value,
            timestamp_ms=fields.pop("timestamp_ms", TIMESTAMP_MS),
            producer_id=producer[0],
            producer_epoch=producer[1],
            base_sequence=sequence,
            transactional=True,
        )
        request = self.produce_request(("t", index, records), version=version, **fields)
        request.transactional_id = ID
        return only_partition(self.ask(request, version).responses)

    def commit_offset(
        self, producer: Producer, offset: int, *, version: int = 5, group_id: str = GROUP, **fields: Any
    ) -> int:
        """The error code of an offset of t in the response to TxnOffsetCommit."""
        request = TxnOffsetCommitRequest
        partition = request.Partition(partition_index=0, committed_offset=offset)
        has_ids = version >= 6
        topic = request.Topic(
            name="" if has_ids else "t",
            topic_id=self.topic_id("t") if has_ids else bytes(16),
            partitions=[partition],
        )
        asked = request(
            transactional_id=ID,
            group_id=group_id,
            producer_id=producer[0],
            producer_epoch=producer[1],
            topics=[topic],
            **fields,
        )
        (topic,) = self.ask(asked, version).topics
        (result,) = topic.partitions
        return result.error_code  # type: ignore[no-any-return]

    def state(self, transactional_id: str = ID) -> str:
        """The state of a transaction as it is described."""
        found = self.ask(DescribeTransactionsRequest(transactional_ids=[transactional_id]), 0)
        (state,) = found.transaction_states
        assert state.error_code == 0
        return state.transaction_state  # type: ignore[no-any-return]
