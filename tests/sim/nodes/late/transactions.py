"""Requests of producers that were fenced, of others that have nothing to do with a transaction, and of those that ask
for what its state does not allow."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, ClassVar

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    DescribeTransactionsRequest,
    EndTxnRequest,
    InitProducerIdRequest,
    ListTransactionsRequest,
    ProduceRequest,
    TxnOffsetCommitRequest,
    WriteTxnMarkersRequest,
)
from kafkaproto.records.batch import NewRecord, build_batch
from tests.sim.nodes.coordination.client import GROUP, TRANSACTION
from tests.sim.nodes.late.cases import (
    PARTITIONS,
    PRODUCER_GONE,
    TOPIC,
    Case,
    NotBegunError,
    Scene,
    case,
    changed,
    done,
)
from tests.sim.nodes.late.classic_groups import commit_topics

_TIMEOUT_MS = 60_000
_FENCED = (ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH)
"""The second is told to older clients."""
_OTHER_ID = 10**9
_TRIES = 20
"""Until all leaders have the markers of a transaction."""
_FAR = 100
"""Epochs that nobody has reached."""
_PLACE = TOPIC, 0

Producer = tuple[int, int]
"""Producer id and epoch."""


def batch(producer: Producer, sequence: int, *, transactional: bool = True, records: int = 1) -> bytes:
    """Records of a producer."""
    return build_batch(
        [NewRecord(key=None, value=b"late")] * records,
        base_offset=0,
        timestamp_ms=round(trio.current_time() * 1000) + 1_800_000_000_000,
        transactional=transactional,
        producer_id=producer[0],
        producer_epoch=producer[1],
        base_sequence=sequence,
    )


def produce(topic: str, index: int, records: bytes, transactional_id: str | None = None) -> ProduceRequest:
    """To one partition."""
    partition = ProduceRequest.PartitionProduceData(index=index, records=records)
    return ProduceRequest(
        transactional_id=transactional_id,
        acks=-1,
        timeout_ms=2000,
        topic_data=[ProduceRequest.TopicProduceData(name=topic, partition_data=[partition])],
    )


class OpenScene(Scene):
    """A transaction with one partition, and the producer before its own."""

    GONE = PRODUCER_GONE | {ErrorCode.UNKNOWN_PRODUCER_ID, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER}
    SESSION_S = 20.0

    old: Producer = (-1, -1)
    producer: Producer = (-1, -1)
    _leader: tuple[int, int] | None = None
    """Broker and life of the partition's leader."""

    @property
    def key_type(self) -> int:
        """See `Scene`."""
        return TRANSACTION

    def init(self, **other: Any) -> InitProducerIdRequest:
        """As another producer that takes over."""
        fields = {"transactional_id": self.name, "transaction_timeout_ms": _TIMEOUT_MS}
        return changed(InitProducerIdRequest, fields, other)

    def init_as(self, producer_id: int, epoch: int) -> InitProducerIdRequest:
        """As a producer that has an id (KIP-360)."""
        return self.init(producer_id=producer_id, producer_epoch=epoch)

    def add(self, *indexes: int, topic: str = TOPIC, **other: Any) -> AddPartitionsToTxnRequest:
        """As the producer does."""
        partitions = list(indexes or (0,))
        fields = {
            "v3_and_below_transactional_id": self.name,
            "v3_and_below_producer_id": self.producer[0],
            "v3_and_below_producer_epoch": self.producer[1],
            "v3_and_below_topics": [
                AddPartitionsToTxnRequest.AddPartitionsToTxnTopic(name=topic, partitions=partitions)
            ],
        }
        return changed(
            AddPartitionsToTxnRequest,
            fields,
            {f"v3_and_below_{name}": value for name, value in other.items()},
        )

    def verify(self, index: int = 0, **other: Any) -> AddPartitionsToTxnRequest:
        """As a leader does."""
        topic = AddPartitionsToTxnRequest.AddPartitionsToTxnTopic(name=TOPIC, partitions=[index])
        fields = {
            "transactional_id": self.name,
            "producer_id": self.producer[0],
            "producer_epoch": self.producer[1],
            "verify_only": True,
            "topics": [topic],
        }
        asked = changed(AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction, fields, other)
        return AddPartitionsToTxnRequest(transactions=[asked])

    def _of_producer(self, other: dict[str, Any]) -> dict[str, Any]:
        return {
            "transactional_id": self.name,
            "producer_id": self.producer[0],
            "producer_epoch": self.producer[1],
            **other,
        }

    def add_offsets(self, **other: Any) -> AddOffsetsToTxnRequest:
        """As the producer does."""
        return AddOffsetsToTxnRequest(**self._of_producer({"group_id": self.name, **other}))

    def end_it(self, **other: Any) -> EndTxnRequest:
        """As the producer does."""
        return EndTxnRequest(**self._of_producer({"committed": True, **other}))

    def commit(self, **other: Any) -> TxnOffsetCommitRequest:
        """As the producer does."""
        topics = commit_topics(TxnOffsetCommitRequest, self.topic_id, 4)
        return TxnOffsetCommitRequest(**self._of_producer({"group_id": self.name, "topics": topics, **other}))

    def produce(self, producer: Producer, sequence: int, index: int = 0, **other: Any) -> ProduceRequest:
        """As a producer of this transactional id."""
        return produce(TOPIC, index, batch(producer, sequence, **other), self.name)

    def marker(self, producer: Producer, coordinator_epoch: int) -> WriteTxnMarkersRequest:
        """As a coordinator does."""
        topic = WriteTxnMarkersRequest.WritableTxnMarkerTopic(name=TOPIC, partition_indexes=[0])
        marker = WriteTxnMarkersRequest.WritableTxnMarker(
            producer_id=producer[0],
            producer_epoch=producer[1],
            transaction_result=True,
            topics=[topic],
            coordinator_epoch=coordinator_epoch,
        )
        return WriteTxnMarkersRequest(markers=[marker])

    async def send(self, request: Message, version: int | None = None) -> Any:
        """See `Scene`."""
        if isinstance(request, ProduceRequest):
            index = request.topic_data[0].partition_data[0].index
            return await self.of_leader((TOPIC, index), request, version)
        if isinstance(request, WriteTxnMarkersRequest):
            return await self.of_leader(_PLACE, request, version)
        if isinstance(request, TxnOffsetCommitRequest):
            return await self.of_coordinator(GROUP, request.group_id, request, version)
        return await self.of_coordinator(TRANSACTION, _id_in(request) or self.name, request, version)

    async def begin(self) -> None:
        """Have one producer fence another, and begin a transaction."""
        begun = await self.must(self.init())
        self.old = begun.producer_id, begun.producer_epoch
        begun = await self.must(self.init())
        self.producer = begun.producer_id, begun.producer_epoch
        await self.must(self.add(), 3)
        done(await self.send(self.produce(self.producer, 0), 11))
        self._leader = self._leader_now()

    def _leader_now(self) -> tuple[int, int] | None:
        leader, _ = self.client.view.leaders.get(_PLACE, (-1, -1))
        return None if leader < 0 else (leader, self.client.host(leader).life)

    @property
    def is_certain(self) -> bool:
        """See `Scene`. The next leader may have lost what the partition knew of the producer."""
        return super().is_certain and self._leader is not None and self._leader == self._leader_now()

    async def look(self) -> None:
        """See `Scene`."""
        await self.must(self.add(), 3)

    async def end(self) -> None:
        """Abort."""
        await self.must(self.end_it(committed=False), 4)

    CASES: ClassVar[Sequence[Case]] = (
        case(
            "InitProducerId: timeout 0",
            ErrorCode.INVALID_TRANSACTION_TIMEOUT,
            lambda s: s.init(transaction_timeout_ms=0),
        ),
        case(
            "InitProducerId: timeout -1",
            ErrorCode.INVALID_TRANSACTION_TIMEOUT,
            lambda s: s.init(transaction_timeout_ms=-1),
        ),
        case(
            "InitProducerId: timeout too long",
            ErrorCode.INVALID_TRANSACTION_TIMEOUT,
            lambda s: s.init(transaction_timeout_ms=900_001),
        ),
        case(
            "InitProducerId: no transactional id",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.init(transactional_id=""),
        ),
        case(
            "InitProducerId: producer id without epoch",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.init_as(s.producer[0], -1),
        ),
        case(
            "InitProducerId: epoch without producer id", ErrorCode.INVALID_REQUEST, lambda s: s.init_as(-1, 1)
        ),
        case("InitProducerId: older epoch", _FENCED, lambda s: s.init_as(*s.old)),
        case("InitProducerId: older epoch, of an older client", _FENCED, lambda s: s.init_as(*s.old), 3),
        case(
            "InitProducerId: newer epoch", _FENCED, lambda s: s.init_as(s.producer[0], s.producer[1] + _FAR)
        ),
        case("InitProducerId: other producer id", _FENCED, lambda s: s.init_as(_OTHER_ID, s.producer[1])),
        case("AddPartitionsToTxn: older epoch", _FENCED, lambda s: s.add(producer_epoch=s.old[1]), 3),
        case(
            "AddPartitionsToTxn: older epoch, of an older client",
            _FENCED,
            lambda s: s.add(producer_epoch=s.old[1]),
            1,
        ),
        case(
            "AddPartitionsToTxn: newer epoch",
            _FENCED,
            lambda s: s.add(producer_epoch=s.producer[1] + _FAR),
            3,
        ),
        case(
            "AddPartitionsToTxn: other producer id",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.add(producer_id=_OTHER_ID),
            3,
        ),
        case(
            "AddPartitionsToTxn: unknown transactional id",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.add(transactional_id=f"{s.name}-unknown"),
            3,
        ),
        case(
            "AddPartitionsToTxn: no transactional id",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.add(transactional_id=""),
            3,
        ),
        case(
            "AddPartitionsToTxn: unknown topic",
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            lambda s: s.add(topic="unknown"),
            3,
        ),
        case(
            "AddPartitionsToTxn: unknown partition beside another",
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.OPERATION_NOT_ATTEMPTED),
            lambda s: s.add(1, PARTITIONS),
            3,
        ),
        case("AddPartitionsToTxn: verify, older epoch", _FENCED, lambda s: s.verify(producer_epoch=s.old[1])),
        case(
            "AddPartitionsToTxn: verify, other producer id",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.verify(producer_id=_OTHER_ID),
        ),
        case("AddPartitionsToTxn: verify, not added", ErrorCode.TRANSACTION_ABORTABLE, lambda s: s.verify(1)),
        case(
            "AddPartitionsToTxn: verify, unknown transactional id",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.verify(transactional_id=f"{s.name}-unknown"),
        ),
        case("AddOffsetsToTxn: older epoch", _FENCED, lambda s: s.add_offsets(producer_epoch=s.old[1])),
        case(
            "AddOffsetsToTxn: older epoch, of an older client",
            _FENCED,
            lambda s: s.add_offsets(producer_epoch=s.old[1]),
            1,
        ),
        case(
            "AddOffsetsToTxn: other producer id",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.add_offsets(producer_id=_OTHER_ID),
        ),
        case(
            "AddOffsetsToTxn: unknown transactional id",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.add_offsets(transactional_id=f"{s.name}-unknown"),
        ),
        case(
            "AddOffsetsToTxn: no transactional id",
            ErrorCode.INVALID_REQUEST,
            lambda s: s.add_offsets(transactional_id=""),
        ),
        case("EndTxn: older epoch", _FENCED, lambda s: s.end_it(producer_epoch=s.old[1])),
        case(
            "EndTxn: older epoch, aborts",
            _FENCED,
            lambda s: s.end_it(producer_epoch=s.old[1], committed=False),
        ),
        case(
            "EndTxn: older epoch, of an older client", _FENCED, lambda s: s.end_it(producer_epoch=s.old[1]), 4
        ),
        case(
            "EndTxn: older epoch, of a much older client",
            _FENCED,
            lambda s: s.end_it(producer_epoch=s.old[1]),
            1,
        ),
        case("EndTxn: newer epoch", _FENCED, lambda s: s.end_it(producer_epoch=s.producer[1] + _FAR)),
        case(
            "EndTxn: newer epoch, of an older client",
            _FENCED,
            lambda s: s.end_it(producer_epoch=s.producer[1] + _FAR),
            4,
        ),
        case(
            "EndTxn: other producer id",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.end_it(producer_id=_OTHER_ID),
        ),
        case(
            "EndTxn: other producer id, of an older client",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.end_it(producer_id=_OTHER_ID),
            4,
        ),
        case(
            "EndTxn: unknown transactional id",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.end_it(transactional_id=f"{s.name}-unknown"),
        ),
        case(
            "EndTxn: no transactional id", ErrorCode.INVALID_REQUEST, lambda s: s.end_it(transactional_id="")
        ),
        case("TxnOffsetCommit: older epoch", _FENCED, lambda s: s.commit(producer_epoch=s.old[1]), 4),
        case(
            "TxnOffsetCommit: older epoch, adds its group",
            _FENCED,
            lambda s: s.commit(producer_epoch=s.old[1]),
            5,
        ),
        case("TxnOffsetCommit: group not added", PRODUCER_GONE, lambda s: s.commit(), 4),
        case(
            "TxnOffsetCommit: other producer id, adds its group",
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            lambda s: s.commit(producer_id=_OTHER_ID),
            5,
        ),
        case("Produce: older epoch", _FENCED, lambda s: s.produce(s.old, 0), 11),
        case("Produce: older epoch, adds its partition", _FENCED, lambda s: s.produce(s.old, 0), 12),
        case("Produce: other partition, older epoch", _FENCED, lambda s: s.produce(s.old, 0, 1), 12),
        case("Produce: partition not added", PRODUCER_GONE, lambda s: s.produce(s.producer, 0, 1), 11),
        case(
            "Produce: sequence number left out",
            ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
            lambda s: s.produce(s.producer, 7),
            11,
        ),
        case(
            "Produce: no transaction, while one is open",
            (ErrorCode.INVALID_TXN_STATE, ErrorCode.INVALID_PRODUCER_EPOCH),
            lambda s: produce(TOPIC, 0, batch(s.producer, 1, transactional=False)),
            11,
        ),
        case(
            "WriteTxnMarkers: older epoch", ErrorCode.INVALID_PRODUCER_EPOCH, lambda s: s.marker(s.old, _FAR)
        ),
        case(
            "DescribeTransactions: unknown transactional id",
            ErrorCode.TRANSACTIONAL_ID_NOT_FOUND,
            lambda s: DescribeTransactionsRequest(transactional_ids=[f"{s.name}-unknown"]),
        ),
        case(
            "DescribeTransactions: no transactional id",
            ErrorCode.INVALID_REQUEST,
            lambda s: DescribeTransactionsRequest(transactional_ids=[""]),
        ),
        case(
            "ListTransactions: a pattern that is none",
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            lambda s: ListTransactionsRequest(transactional_id_pattern="(late"),
        ),
    )


def _id_in(request: Any) -> str:
    ids = getattr(request, "transactional_ids", None) or [
        each.transactional_id for each in getattr(request, "transactions", ())
    ]
    names = ("transactional_id", "v3_and_below_transactional_id")
    return str(
        (ids or [getattr(request, name, "") for name in names if getattr(request, name, "")] or [""])[0]
    )


class RestingScene(OpenScene):
    """A producer whose transaction was aborted."""

    async def begin(self) -> None:
        """Begin a transaction, and abort it as newer clients do."""
        await super().begin()
        self.old = self.producer
        ended = await self.must(self.end_it(committed=False))
        self.producer = ended.producer_id, ended.producer_epoch
        # It is decided. Once the coordinator says so again, all leaders have their markers.
        for _ in range(_TRIES):
            with contextlib.suppress(NotBegunError):
                await self.look()
                return
            await trio.sleep(0.05)
        raise NotBegunError

    async def look(self) -> None:
        """See `Scene`: who repeats what it has done is told the same."""
        await self.must(self.end_it(producer_epoch=self.old[1], committed=False))

    async def end(self) -> None:
        """Repeat what an older client would have asked for last."""
        await self.must(self.end_it(committed=False), 4)

    CASES: ClassVar[Sequence[Case]] = (
        case("InitProducerId: older epoch, at rest", _FENCED, lambda s: s.init_as(s.old[0], s.old[1] - 1)),
        case(
            "InitProducerId: newer epoch, at rest",
            _FENCED,
            lambda s: s.init_as(s.producer[0], s.producer[1] + _FAR),
        ),
        case(
            "InitProducerId: other producer id, at rest",
            _FENCED,
            lambda s: s.init_as(_OTHER_ID, s.producer[1]),
        ),
        case(
            "AddPartitionsToTxn: older epoch, at rest", _FENCED, lambda s: s.add(producer_epoch=s.old[1]), 3
        ),
        case(
            "AddOffsetsToTxn: older epoch, at rest", _FENCED, lambda s: s.add_offsets(producer_epoch=s.old[1])
        ),
        case(
            "AddPartitionsToTxn: verify, at rest",
            ErrorCode.TRANSACTION_ABORTABLE,
            lambda s: s.verify(1),
        ),
        case(
            "EndTxn: commits what was aborted",
            ErrorCode.INVALID_TXN_STATE,
            lambda s: s.end_it(producer_epoch=s.old[1]),
        ),
        case("EndTxn: commits what has not begun", ErrorCode.INVALID_TXN_STATE, lambda s: s.end_it()),
        case(
            "EndTxn: commits what has not begun, of an older client",
            ErrorCode.INVALID_TXN_STATE,
            lambda s: s.end_it(),
            4,
        ),
        case(
            "EndTxn: older epoch, at rest",
            _FENCED,
            lambda s: s.end_it(producer_epoch=s.old[1] - 1, committed=False),
        ),
        case(
            "EndTxn: older epoch, at rest, of an older client",
            _FENCED,
            lambda s: s.end_it(producer_epoch=s.old[1], committed=False),
            4,
        ),
        case(
            "EndTxn: newer epoch, at rest", _FENCED, lambda s: s.end_it(producer_epoch=s.producer[1] + _FAR)
        ),
        case(
            "TxnOffsetCommit: older epoch, at rest", _FENCED, lambda s: s.commit(producer_epoch=s.old[1]), 4
        ),
        case("TxnOffsetCommit: at rest", PRODUCER_GONE, lambda s: s.commit(), 4),
        case("Produce: older epoch, at rest", _FENCED, lambda s: s.produce(s.old, 1), 11),
        case("Produce: older epoch, at rest, adds its partition", _FENCED, lambda s: s.produce(s.old, 1), 12),
        case("Produce: at rest", PRODUCER_GONE, lambda s: s.produce(s.producer, 0), 11),
        case(
            "WriteTxnMarkers: older epoch, at rest",
            ErrorCode.INVALID_PRODUCER_EPOCH,
            lambda s: s.marker((s.old[0], s.old[1] - 1), _FAR),
        ),
        case(
            "WriteTxnMarkers: older coordinator",
            (ErrorCode.TRANSACTION_COORDINATOR_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH),
            lambda s: s.marker((s.producer[0], s.producer[1] + _FAR), -1),
        ),
    )
