"""Late requests of followers, consumers and producers to brokers.

Nothing is sent in the name of a follower that its leader might believe.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AlterReplicaLogDirsRequest,
    DeleteRecordsRequest,
    DescribeProducersRequest,
    FetchRequest,
    ListOffsetsRequest,
    OffsetForLeaderEpochRequest,
    ProduceRequest,
    WriteTxnMarkersRequest,
)
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.metadata.image.entries import PartitionImage, TopicImage
from tests.core.replicas.support.produce_answers import expected_error
from tests.sim.nodes.data.odd_batches import odd_batches
from tests.sim.nodes.host import BROKER_PORT, START_WALL_MS, Host
from tests.sim.nodes.late_peers.cases import (
    BEYOND,
    UNKNOWN_ID,
    UNKNOWN_INDEX,
    UNKNOWN_UUID,
    Asked,
    Base,
    Case,
    Change,
    Known,
    NotNowError,
    cases,
    newer,
    older,
    same,
    to,
    twice,
)

_FINAL_EPOCH = -1
"""Of a Fetch without a session."""
_INVALID = (ErrorCode.INVALID_REQUEST,)
_RANGE = (ErrorCode.OFFSET_OUT_OF_RANGE,)
_NO_TOPIC_ID = (ErrorCode.UNKNOWN_TOPIC_ID,)
_MOVED_ON = (
    ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.UNKNOWN_LEADER_EPOCH,
    # A broker may hear of a partition later.
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
)
_NOT_THERE = (*_MOVED_ON, *_NO_TOPIC_ID)
_NOT_TRANSACTIONAL = (ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,)
"""Some of what was recorded is transactional; it is looked at before the rest."""
_BATCH = build_batch([NewRecord(key=b"late", value=b"late")], base_offset=0, timestamp_ms=START_WALL_MS)


def _of_leader(known: Known) -> tuple[Host, TopicImage, int, PartitionImage]:
    """A partition in the epoch that its leader knows, and the leader."""
    topic, index, partition = known.partition()
    host = known.broker(partition.leader)
    epoch = known.epoch_at(host, topic, index)
    return host, topic, index, msgspec.structs.replace(partition, leader_epoch=epoch)


def _asked(host: Host, request: Any) -> Asked:
    return Asked(host=host, port=BROKER_PORT, request=request)


def _fetch_of(
    topic: TopicImage, index: int, partition: PartitionImage, replica_id: int, replica_epoch: int
) -> FetchRequest:
    kind = FetchRequest
    fetched = kind.FetchPartition(
        partition=index,
        current_leader_epoch=partition.leader_epoch,
        fetch_offset=0,
        partition_max_bytes=1000,
    )
    return kind(
        replica_state=kind.ReplicaState(replica_id=replica_id, replica_epoch=replica_epoch),
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=1000,
        session_epoch=_FINAL_EPOCH,
        topics=[kind.FetchTopic(topic_id=topic.topic_id, partitions=[fetched])],
    )


def _follower(known: Known, partition: PartitionImage) -> tuple[int, int]:
    """A follower, and the epoch of its broker."""
    found = [each for each in partition.replicas if each != partition.leader and each in known.image.brokers]
    if not found:
        raise NotNowError
    broker_id = known.rng.choice(found)
    return broker_id, known.image.brokers[broker_id].epoch


def _follower_fetch(known: Known) -> Asked:
    host, topic, index, partition = _of_leader(known)
    return _asked(host, _fetch_of(topic, index, partition, *_follower(known, partition)))


def _follower_fetch_of_a_follower(known: Known) -> Asked:
    """From one that leads, as the sender believes."""
    topic, index, partition = known.partition()
    others = [each for each in partition.replicas if each != partition.leader]
    if len(others) < 2:
        raise NotNowError
    host = known.broker(known.rng.choice(others))
    return _asked(host, _fetch_of(topic, index, partition, *_follower(known, partition)))


def _consumer_fetch(known: Known) -> Asked:
    host, topic, index, partition = _of_leader(known)
    return _asked(host, _fetch_of(topic, index, partition, -1, -1))


def _session_fetch(known: Known) -> Asked:
    """Of a consumer that has begun a session."""
    host, topic, index, partition = _of_leader(known)
    opening = _fetch_of(topic, index, partition, -1, -1)
    opening.session_epoch = 0

    def take(request: Any, response: Any) -> None:
        request.session_id = request.session_id or response.session_id

    request = FetchRequest(max_wait_ms=0, min_bytes=0, max_bytes=1000, session_epoch=1)
    return Asked(host=host, port=BROKER_PORT, request=request, opening=opening, take=take)


def _epoch_end(known: Known) -> Asked:
    host, topic, index, partition = _of_leader(known)
    kind = OffsetForLeaderEpochRequest
    asked = kind.OffsetForLeaderPartition(
        partition=index, current_leader_epoch=partition.leader_epoch, leader_epoch=partition.leader_epoch
    )
    request = kind(replica_id=-1, topics=[kind.OffsetForLeaderTopic(topic=topic.name, partitions=[asked])])
    return _asked(host, request)


def _offsets(known: Known) -> Asked:
    host, topic, index, partition = _of_leader(known)
    kind = ListOffsetsRequest
    asked = kind.ListOffsetsPartition(
        partition_index=index, current_leader_epoch=partition.leader_epoch, timestamp=-1
    )
    request = kind(
        replica_id=-1,
        topics=[kind.ListOffsetsTopic(name=topic.name, partitions=[asked])],
        timeout_ms=1000,
    )
    return _asked(host, request)


def _deletion(known: Known) -> Asked:
    host, topic, index, _ = _of_leader(known)
    kind = DeleteRecordsRequest
    deleted = kind.DeleteRecordsPartition(partition_index=index, offset=0)
    request = kind(topics=[kind.DeleteRecordsTopic(name=topic.name, partitions=[deleted])], timeout_ms=1000)
    return _asked(host, request)


def _producers(known: Known) -> Asked:
    host, topic, index, _ = _of_leader(known)
    kind = DescribeProducersRequest
    return _asked(host, kind(topics=[kind.TopicRequest(name=topic.name, partition_indexes=[index])]))


def _records(known: Known) -> Asked:
    host, topic, index, _ = _of_leader(known)
    kind = ProduceRequest
    produced = kind.PartitionProduceData(index=index, records=_BATCH)
    request = kind(
        transactional_id=None,
        acks=1,
        timeout_ms=1000,
        topic_data=[kind.TopicProduceData(topic_id=topic.topic_id, partition_data=[produced])],
    )
    return _asked(host, request)


def _records_by_name(known: Known) -> Asked:
    asked = _records(known)
    produced = asked.request.topic_data[0]
    topic = known.image.topics.get(produced.topic_id)
    if topic is None:
        raise NotNowError
    produced.name, produced.topic_id = topic.name, bytes(16)
    return asked


def _recorded() -> list[Case]:
    """What was once sent to Apache Kafka to be refused, whatever is in the log."""
    sent: dict[tuple[ErrorCode, int], list[bytes]] = {}
    for odd in odd_batches()["plain"]:
        if odd.is_refused:
            error, version = expected_error(odd.answer), odd.answer.version
            sent.setdefault((error, version), []).append(odd.answer.sent)
    return [
        case
        for (error, version), batches in sent.items()
        for case in cases(
            f"Produce of version {version}",
            Base(make=_records_by_name, errors=(*_NOT_THERE, *_NOT_TRANSACTIONAL)),
            ("topic_data.partition_data.records", f"with {error.name}", _one_of(batches), (error,)),
            version=version,
        )
    ]


def _one_of(batches: list[bytes]) -> Change:
    return lambda right, known, host: known.rng.choice(batches)


def _marker(known: Known) -> Asked:
    host, topic, index, _ = _of_leader(known)
    kind = WriteTxnMarkersRequest
    marker = kind.WritableTxnMarker(
        producer_id=5000,
        producer_epoch=0,
        topics=[kind.WritableTxnMarkerTopic(name=topic.name, partition_indexes=[index])],
    )
    return _asked(host, kind(markers=[marker]))


def _move(known: Known) -> Asked:
    host, topic, index, _ = _of_leader(known)
    kind = AlterReplicaLogDirsRequest
    moved = kind.AlterReplicaLogDirTopic(name=topic.name, partitions=[index])
    return _asked(host, kind(dirs=[kind.AlterReplicaLogDir(path="/data/late", topics=[moved])]))


def _older_if_any(right: int, known: Known, host: Host) -> int:
    """A Fetch with a negative epoch is one that knows none."""
    if right < 1:
        raise NotNowError
    return right - 1


_LEADER_EPOCH = "topics.partitions.current_leader_epoch"
_LEADER_EPOCHS: tuple[tuple[str, str, Any, tuple[ErrorCode, ...]], ...] = (
    (_LEADER_EPOCH, "older", older, ()),
    (_LEADER_EPOCH, "newer", newer, ()),
)
_LEADER_EPOCHS_OF_FETCH: tuple[tuple[str, str, Any, tuple[ErrorCode, ...]], ...] = (
    (_LEADER_EPOCH, "older", _older_if_any, ()),
    (_LEADER_EPOCH, "newer", newer, ()),
)
_NO_SESSION = (ErrorCode.FETCH_SESSION_ID_NOT_FOUND,)
_IN_SESSION = Base(make=_session_fetch, errors=_NO_SESSION)

CASES: tuple[Case, ...] = (
    *cases(
        "Fetch by a follower",
        Base(make=_follower_fetch, errors=_NOT_THERE),
        *_LEADER_EPOCHS_OF_FETCH,
        ("replica_state.replica_id", "unknown", to(UNKNOWN_ID), ()),
        ("replica_state.replica_epoch", "older", to(0), ()),
        ("topics.topic_id", "unknown", to(UNKNOWN_UUID), ()),
        ("topics.partitions.partition", "unknown", to(UNKNOWN_INDEX), ()),
        ("isolation_level", "unknown", to(7), _INVALID),
    ),
    *cases(
        "Fetch by a follower from a follower",
        Base(make=_follower_fetch_of_a_follower, errors=_NOT_THERE),
        ("", "", same, ()),
    ),
    *cases(
        "Fetch by a consumer",
        Base(make=_consumer_fetch, errors=_NOT_THERE),
        *_LEADER_EPOCHS_OF_FETCH,
        ("topics.partitions.fetch_offset", "negative", to(-1), _RANGE),
        ("topics.partitions.fetch_offset", "past the end", to(BEYOND), _RANGE),
        ("topics.topic_id", "unknown", to(UNKNOWN_UUID), ()),
        ("session_epoch", "without its session", to(7), _NO_SESSION),
    ),
    *cases(
        "Fetch in a session",
        _IN_SESSION,
        ("session_epoch", "newer", newer, (ErrorCode.INVALID_FETCH_SESSION_EPOCH,)),
        ("session_epoch", "negative", to(-7), (ErrorCode.INVALID_FETCH_SESSION_EPOCH,)),
        ("session_id", "unknown", to(77), ()),
    ),
    *cases(
        "Fetch in a session of version 12",
        _IN_SESSION,
        ("", "without topic ids", same, (ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,)),
        version=12,
    ),
    *cases(
        "OffsetForLeaderEpoch",
        Base(make=_epoch_end, errors=_MOVED_ON),
        *_LEADER_EPOCHS,
        ("topics.topic", "unknown", to("late"), ()),
        ("topics.partitions.partition", "unknown", to(UNKNOWN_INDEX), ()),
    ),
    *cases(
        "ListOffsets",
        Base(make=_offsets, errors=_MOVED_ON),
        *_LEADER_EPOCHS,
        ("topics.name", "unknown", to("late"), ()),
        ("topics.partitions.partition_index", "unknown", to(UNKNOWN_INDEX), ()),
        ("topics.partitions.timestamp", "impossible", to(-77), (ErrorCode.UNSUPPORTED_VERSION,)),
        ("topics.partitions", "twice", twice, _INVALID),
        ("isolation_level", "unknown", to(7), _INVALID),
    ),
    *cases(
        "DeleteRecords",
        Base(make=_deletion, errors=_MOVED_ON),
        ("topics.partitions.offset", "past the end", to(BEYOND), _RANGE),
        ("topics.partitions.offset", "negative", to(-7), _RANGE),
        ("topics.name", "unknown", to("late"), ()),
        ("topics.partitions.partition_index", "unknown", to(UNKNOWN_INDEX), ()),
    ),
    *cases(
        "DescribeProducers",
        Base(make=_producers, errors=_MOVED_ON),
        ("topics.name", "impossible", to("a b"), (ErrorCode.INVALID_TOPIC_EXCEPTION,)),
        ("topics.partition_indexes", "unknown", to([UNKNOWN_INDEX]), ()),
        ("topics.partition_indexes", "twice", twice, _INVALID),
    ),
    *cases(
        "Produce",
        Base(make=_records, errors=_NOT_THERE),
        ("acks", "impossible", to(2), (ErrorCode.INVALID_REQUIRED_ACKS,)),
        ("topic_data.topic_id", "unknown", to(UNKNOWN_UUID), ()),
        ("topic_data.partition_data.index", "unknown", to(UNKNOWN_INDEX), ()),
        ("topic_data.partition_data.records", "torn", to(_BATCH[:-1]), (ErrorCode.INVALID_RECORD,)),
        ("topic_data.partition_data.records", "empty", to(bytes(100)), (ErrorCode.CORRUPT_MESSAGE,)),
        (
            "topic_data.partition_data.records",
            "with another checksum",
            to(_BATCH[:-1] + b"x"),
            (ErrorCode.CORRUPT_MESSAGE,),
        ),
    ),
    *_recorded(),
    *cases(
        "WriteTxnMarkers",
        Base(make=_marker, errors=_MOVED_ON),
        ("markers.producer_id", "negative", to(-1), _INVALID),
        ("markers.producer_epoch", "negative", to(-1), _INVALID),
        ("markers.topics.name", "unknown", to("late"), ()),
        ("markers.topics.partition_indexes", "unknown", to([UNKNOWN_INDEX]), ()),
    ),
    *cases(
        "AlterReplicaLogDirs",
        Base(make=_move, errors=_MOVED_ON),
        ("dirs.path", "unknown", same, (ErrorCode.LOG_DIR_NOT_FOUND,)),
    ),
)
