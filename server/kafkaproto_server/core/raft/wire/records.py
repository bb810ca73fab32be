"""Record batches of the metadata log as bytes: encodes those that a leader appends, checks those that a follower
fetched.

Invalid input from outside raises RemoteProtocolError and never reaches the core.

Apache Kafka: ``RecordsBatchReader``, ``ControlRecord`` and ``BatchBuilder``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import KRaftVersionRecord, LeaderChangeMessage, VotersRecord
from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import RecordBatchView, build_batch, iterate_batches
from kafkaproto.records.control import ControlRecordType, decode_control_record, encode_control_record
from kafkaproto_server.base.types import Voter
from kafkaproto_server.core.raft.values.control import (
    ControlRecord,
    KRaftVersion,
    KRaftVoters,
    LeaderChange,
    RecordedControl,
)
from kafkaproto_server.core.raft.values.effects import PendingBatch
from kafkaproto_server.core.raft.values.messages import FetchedBatch
from kafkaproto_server.core.raft.values.voters import KRAFT_VERSION_MAX, KRAFT_VERSION_MIN, VoterSet
from kafkaproto_server.core.raft.wire.values import directory_on_wire, endpoints, listeners, replica_key

if TYPE_CHECKING:
    from kafkaproto.generated.voters_record import VotersRecordVoter
    from kafkaproto.records.record import NewRecord, PlainRecord


def encode_batch(batch: PendingBatch, timestamp_ms: int) -> bytes:
    """The bytes of the batch as they are in the log; ``timestamp_ms`` is the append time by the wall clock."""
    records: list[NewRecord | PlainRecord]
    if batch.control:
        records = [(*_encode_control(record), ()) for record in batch.control]
    else:
        # Metadata records have neither keys nor headers: their type is in the value.
        records = [(None, value, ()) for value in batch.records]
    return build_batch(
        records,
        base_offset=batch.base_offset,
        partition_leader_epoch=batch.epoch,
        timestamp_ms=timestamp_ms,
        control=bool(batch.control),
    )


def recorded_control(offset: int, key: Buffer | None, value: Buffer | None) -> RecordedControl | None:
    """The kraft.version or voter set that a control record of the metadata log or a snapshot brings into force.

    None for control records that bring neither. ``offset`` is the record's own in the log; for a record from a snapshot
    it is the snapshot's end offset - 1. Raises RemoteProtocolError for bytes that are no control record, for a
    kraft.version that is not supported here, and for an invalid voter set.
    """
    record_type, message = decode_control_record(key, value)
    match message:
        case KRaftVersionRecord():
            return RecordedControl(offset=offset, record=_decode_kraft_version(message))
        case VotersRecord():
            return RecordedControl(offset=offset, record=KRaftVoters(voters=_decode_voters(message)))
        case _:
            # Other control records are passed over: LEADER_CHANGE, the header and the footer of a
            # snapshot.
            if record_type in (ControlRecordType.ABORT, ControlRecordType.COMMIT):
                raise RemoteProtocolError(
                    "the metadata log has no producer transactions",
                    where=f"control record {record_type.name}",
                )
            return None


def _encode_control(record: ControlRecord) -> tuple[bytes, bytes]:
    record_type: ControlRecordType
    message: Message
    match record:
        case LeaderChange():
            record_type = ControlRecordType.LEADER_CHANGE
            message = LeaderChangeMessage(
                leader_id=record.leader_id,
                voters=[LeaderChangeMessage.Voter(voter_id=voter_id) for voter_id in record.voter_ids],
                granting_voters=[
                    LeaderChangeMessage.Voter(voter_id=voter_id) for voter_id in record.granting_voter_ids
                ],
            )
        case KRaftVersion():
            record_type = ControlRecordType.KRAFT_VERSION
            message = KRaftVersionRecord(kraft_version=record.level)
        case KRaftVoters():
            record_type = ControlRecordType.KRAFT_VOTERS
            message = VotersRecord(voters=[_encode_voter(voter) for voter in record.voters.voters])
        case _:
            assert_never(record)
    return encode_control_record(record_type, message)


def _encode_voter(voter: Voter) -> VotersRecordVoter:
    return VotersRecord.Voter(
        voter_id=voter.key.id,
        voter_directory_id=directory_on_wire(voter.key.directory_id),
        endpoints=listeners(voter.endpoints, VotersRecord.Endpoint),
        kraft_version_feature=VotersRecord.KRaftVersionFeature(
            min_supported_version=voter.min_kraft_version, max_supported_version=voter.max_kraft_version
        ),
    )


def _decode_kraft_version(message: KRaftVersionRecord) -> KRaftVersion:
    level = message.kraft_version
    # A later level may change what a majority is, and a node that does not know it would go by the
    # old rules.
    if not KRAFT_VERSION_MIN <= level <= KRAFT_VERSION_MAX:
        raise RemoteProtocolError(
            f"kraft.version {level} is not supported, only {KRAFT_VERSION_MIN} to {KRAFT_VERSION_MAX}",
            where="KRaftVersionRecord.kraft_version",
        )
    return KRaftVersion(level=level)


def _decode_voters(message: VotersRecord) -> VoterSet:
    ids = [voter.voter_id for voter in message.voters]
    # Checked here, so that `VoterSet` may assert it.
    if not ids or min(ids) < 0 or len(set(ids)) != len(ids):
        raise RemoteProtocolError(
            f"voter ids {ids} have to be distinct, not negative, and at least one",
            where="VotersRecord.voters",
        )
    # Any order may have been written; Kafka keeps a map.
    voters = sorted(message.voters, key=lambda voter: voter.voter_id)
    return VoterSet(voters=tuple(_decode_voter(voter) for voter in voters))


def _decode_voter(voter: VotersRecordVoter) -> Voter:
    return Voter(
        key=replica_key(voter.voter_id, voter.voter_directory_id),
        endpoints=endpoints(voter.endpoints),
        min_kraft_version=voter.kraft_version_feature.min_supported_version,
        max_kraft_version=voter.kraft_version_feature.max_supported_version,
    )


def fetched_batches(records: Buffer, fetch_offset: int, last_fetched_epoch: int) -> tuple[FetchedBatch, ...]:
    """The whole batches of a Fetch response; a partial batch at the end is left out.

    Each batch is checked: its CRC, that it continues at ``fetch_offset`` or at the batch before it, that its epoch is
    not below ``last_fetched_epoch`` or that of the batch before it, and that it has a record for each of its offsets.
    Raises RemoteProtocolError if one of these fails. Payloads are views of ``records``.
    """
    batches: list[FetchedBatch] = []
    # A batch that began earlier would be one that this log has, at least in part.
    offset, epoch = fetch_offset, last_fetched_epoch
    for view in iterate_batches(records):
        # Before anything is made of its bytes: a batch that was damaged on its way must not get
        # into this log.
        view.check()
        _check_continues(view, offset, epoch)
        batches.append(
            FetchedBatch(
                base_offset=view.base_offset,
                next_offset=view.next_offset,
                epoch=view.partition_leader_epoch,
                # Data records are not decoded here: the core needs nothing of them.
                control=_control_of(view) if view.is_control else (),
                payload=view.raw,
            )
        )
        offset, epoch = view.next_offset, view.partition_leader_epoch
    return tuple(batches)


def _check_continues(view: RecordBatchView, offset: int, epoch: int) -> None:
    where = f"record batch with base offset {view.base_offset}"
    if view.base_offset != offset:
        raise RemoteProtocolError(f"offset {offset} was to come next", where=where, offset=view.position)
    # Within a log epochs ascend (KIP-595); a response that breaks that is of no leader.
    if view.partition_leader_epoch < epoch:
        raise RemoteProtocolError(
            f"epoch {view.partition_leader_epoch} follows epoch {epoch}",
            where=where,
            offset=view.position + 12,
        )
    if view.record_count != view.last_offset_delta + 1:
        # Nothing ever compacts the metadata log, so its offsets have no gaps.
        raise RemoteProtocolError(
            f"{view.record_count} records cannot take {view.last_offset_delta + 1} offsets",
            where=where,
            offset=view.position + 57,
        )


def _control_of(view: RecordBatchView) -> tuple[RecordedControl, ...]:
    found: list[RecordedControl] = []
    for offset, record in enumerate(view.records(), start=view.base_offset):
        if record.offset != offset:
            raise RemoteProtocolError(
                f"a record at offset {record.offset} stands at the place of offset {offset}",
                where=f"record batch with base offset {view.base_offset}",
                offset=view.position,
            )
        control = recorded_control(offset, record.key, record.value)
        if control is not None:
            found.append(control)
    return tuple(found)
