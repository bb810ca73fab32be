"""Record batches of the log. The golden ones were read from the disks of Apache Kafka 4.3.1 nodes."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import (
    EndTxnMarker,
    KRaftVersionRecord,
    SnapshotFooterRecord,
    VotersRecord,
)
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.records.crc32c import crc32c
from kafkaproto_server.base.types import BATCH_HEADER_BYTES, ZERO_UUID, Endpoint, ReplicaKey, Voter
from kafkaproto_server.core.raft import wire
from kafkaproto_server.core.raft.model.accumulator import record_bytes
from kafkaproto_server.core.raft.values.control import (
    KRaftVersion,
    KRaftVoters,
    LeaderChange,
    RecordedControl,
)
from kafkaproto_server.core.raft.values.effects import PendingBatch
from kafkaproto_server.core.raft.values.messages import FetchedBatch
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.core.raft.wire.records import fetched_batches

LEADER_CHANGE_OF_THREE_STATIC_VOTERS = bytes.fromhex(
    "0000000000000000 0000005e 00000001 02 ef53f3b5 0020 00000000 000001a1fc8169fe 000001a1fc8169fe"
    "ffffffffffffffff ffff ffffffff 00000001 58 00 00 00 08 00000002 44"
    "0000 00000002 04 00000001 00 00000002 00 00000003 00 03 00000002 00 00000003 00 00 00"
)
FIRST_BATCH_OF_A_SOLE_VOTER = bytes.fromhex(
    "0000000000000000000000a20000000102918ebc5b002000000002000001a1fc8167ea000001a1fc8167eaffffffffffff"
    "ffffffffffffffff000000033a00000008000000022600000000000102000000010002000000010000001e00000208000000050a"
    "000000010000820100000408000000066e000002000000014e2b3111edc84929a21d44883400a396020b434f4e54524f4c4c4552"
    "0a3132372e302e302e31526d000000000100000000"
)
CHECKPOINT_OF_FORMAT_STANDALONE = bytes.fromhex(
    "00000000000000000000009a0000000002ffc6342f002000000002000001a1fc965b75000001a1fc965b75ffffffffffffffffffff"
    "ffffffff000000032a0000000800000003160000000001a1fc965b6e00001e00000208000000050a000000010000820100000408"
    "000000066e0000020000000120e40dc5689246d2a371e016b0224eec020b434f4e54524f4c4c45520a3132372e302e302e3154c5"
    "00000000010000000000000000000000030000003f000000000289365a78002000000000000001a1fc965b83000001a1fc965b83"
    "ffffffffffffffffffffffffffff000000011a00000008000000040600000000"
)


def sole_voter(node_id: int, directory_id: str, port: int) -> Voter:
    return Voter(
        key=ReplicaKey(id=node_id, directory_id=bytes.fromhex(directory_id)),
        endpoints=(Endpoint(name="CONTROLLER", host="127.0.0.1", port=port),),
    )


CONTROL_OF_A_SOLE_VOTER = (
    LeaderChange(leader_id=1, voter_ids=(1,), granting_voter_ids=(1,)),
    KRaftVersion(level=1),
    KRaftVoters(voters=VoterSet(voters=(sole_voter(1, "4e2b3111edc84929a21d44883400a396", 21101),))),
)


def recorded(batches: bytes, end_offset: int) -> list[object]:
    """What wire makes of every control record of a snapshot that ends there."""
    return [
        wire.recorded_control(end_offset - 1, record.key, record.value)
        for batch in iterate_batches(batches)
        for record in batch.records()
    ]


class TestBatches:
    def test_leader_change_of_a_static_quorum_equals_that_of_kafka(self) -> None:
        change = LeaderChange(leader_id=2, voter_ids=(1, 2, 3), granting_voter_ids=(2, 3))
        batch = PendingBatch(base_offset=0, epoch=1, control=(change,))
        assert wire.encode_batch(batch, 0x1A1FC8169FE) == LEADER_CHANGE_OF_THREE_STATIC_VOTERS

    def test_first_batch_of_a_sole_voter_equals_that_of_kafka(self) -> None:
        batch = PendingBatch(base_offset=0, epoch=1, control=CONTROL_OF_A_SOLE_VOTER)
        assert wire.encode_batch(batch, 0x1A1FC8167EA) == FIRST_BATCH_OF_A_SOLE_VOTER

    def test_data_records_have_no_keys_and_are_not_control(self) -> None:
        batch = PendingBatch(base_offset=7, epoch=3, records=(b"one", b"two"))
        (view,) = iterate_batches(wire.encode_batch(batch, 1234))
        view.check()
        assert (view.base_offset, view.partition_leader_epoch, view.is_control) == (7, 3, False)
        assert [(record.key, record.value) for record in view.records()] == [(None, b"one"), (None, b"two")]
        assert (view.base_timestamp, view.max_timestamp) == (1234, 1234)

    @given(sizes=st.lists(st.integers(0, 20_000), min_size=1, max_size=150))
    def test_a_batch_is_as_large_as_the_accumulator_counts(self, sizes: list[int]) -> None:
        batch = PendingBatch(base_offset=0, epoch=0, records=tuple(bytes(size) for size in sizes))
        counted = BATCH_HEADER_BYTES + sum(record_bytes(delta, size) for delta, size in enumerate(sizes))
        assert len(wire.encode_batch(batch, 0)) == counted

    def test_records_that_fill_a_batch_of_8_mib_are_counted_right(self) -> None:
        sizes = (8 * 1024 * 1024 - 80,)
        batch = PendingBatch(base_offset=0, epoch=0, records=tuple(bytes(size) for size in sizes))
        assert len(wire.encode_batch(batch, 0)) == BATCH_HEADER_BYTES + record_bytes(0, sizes[0])


def voters_record(*voters: Voter) -> VotersRecord:
    return VotersRecord(
        voters=[
            VotersRecord.Voter(
                voter_id=voter.key.id,
                voter_directory_id=voter.key.directory_id or ZERO_UUID,
                endpoints=[
                    VotersRecord.Endpoint(name=endpoint.name, host=endpoint.host, port=endpoint.port)
                    for endpoint in voter.endpoints
                ],
                kraft_version_feature=VotersRecord.KRaftVersionFeature(max_supported_version=1),
            )
            for voter in voters
        ]
    )


class TestControlRecords:
    def test_checkpoint_of_a_stock_format_gives_version_and_voters(self) -> None:
        header, version, voters, footer = recorded(CHECKPOINT_OF_FORMAT_STANDALONE, 0)
        assert header is None
        assert footer is None
        assert version == RecordedControl(offset=-1, record=KRaftVersion(level=1))
        expected = VoterSet(voters=(sole_voter(1, "20e40dc5689246d2a371e016b0224eec", 21701),))
        assert voters == RecordedControl(offset=-1, record=KRaftVoters(voters=expected))

    def test_voters_of_a_record_are_sorted_and_a_zero_directory_is_none(self) -> None:
        message = voters_record(
            sole_voter(2, "20e40dc5689246d2a371e016b0224eec", 1), Voter(key=ReplicaKey(id=1), endpoints=())
        )
        found = wire.recorded_control(4, *encode_control_record(ControlRecordType.KRAFT_VOTERS, message))
        assert found is not None
        assert isinstance(found.record, KRaftVoters)
        assert [voter.key.id for voter in found.record.voters.voters] == [1, 2]
        assert found.record.voters.voters[0].key.directory_id is None

    def test_static_voters_are_written_with_a_zero_directory(self) -> None:
        voters = VoterSet(voters=(Voter(key=ReplicaKey(id=1), endpoints=()),))
        batch = PendingBatch(base_offset=0, epoch=0, control=(KRaftVoters(voters=voters),))
        (found,) = recorded(wire.encode_batch(batch, 0), 1)
        assert found == RecordedControl(offset=0, record=KRaftVoters(voters=voters))

    @pytest.mark.parametrize("ids", [[], [1, 1], [-1], [3, 2, 3]])
    def test_a_voter_set_that_cannot_be_one_is_refused(self, ids: list[int]) -> None:
        message = VotersRecord(voters=[VotersRecord.Voter(voter_id=voter_id) for voter_id in ids])
        with pytest.raises(RemoteProtocolError, match=r"VotersRecord\.voters: voter ids"):
            wire.recorded_control(0, *encode_control_record(ControlRecordType.KRAFT_VOTERS, message))

    @pytest.mark.parametrize("level", [0, 1])
    def test_a_kraft_version_of_static_or_of_changeable_voters_is_in_force(self, level: int) -> None:
        message = KRaftVersionRecord(kraft_version=level)
        found = wire.recorded_control(4, *encode_control_record(ControlRecordType.KRAFT_VERSION, message))
        assert found == RecordedControl(offset=4, record=KRaftVersion(level=level))

    @pytest.mark.parametrize("level", [-1, 2])
    def test_an_unknown_kraft_version_is_refused(self, level: int) -> None:
        message = KRaftVersionRecord(kraft_version=level)
        with pytest.raises(RemoteProtocolError, match=f"kraft.version {level} is not supported, only 0 to 1"):
            wire.recorded_control(0, *encode_control_record(ControlRecordType.KRAFT_VERSION, message))

    def test_markers_of_producer_transactions_have_no_place_in_the_metadata_log(self) -> None:
        key_and_value = encode_control_record(ControlRecordType.COMMIT, EndTxnMarker())
        with pytest.raises(
            RemoteProtocolError, match="COMMIT: the metadata log has no producer transactions"
        ):
            wire.recorded_control(0, *key_and_value)

    def test_records_without_consequence_bring_nothing_into_force(self) -> None:
        footer = encode_control_record(ControlRecordType.SNAPSHOT_FOOTER, SnapshotFooterRecord())
        assert wire.recorded_control(0, *footer) is None


def data_batch(base_offset: int, epoch: int, count: int = 1) -> bytes:
    records = tuple(b"record %d" % number for number in range(count))
    return wire.encode_batch(PendingBatch(base_offset=base_offset, epoch=epoch, records=records), 1000)


class TestFetchedBatches:
    def test_each_whole_batch_is_told_with_its_offsets_and_epoch(self) -> None:
        first, second = data_batch(5, 2, count=3), data_batch(8, 4)
        assert fetched_batches(first + second, 5, 2) == (
            FetchedBatch(base_offset=5, next_offset=8, epoch=2, payload=first),
            FetchedBatch(base_offset=8, next_offset=9, epoch=4, payload=second),
        )

    def test_control_records_have_their_own_offsets(self) -> None:
        (batch,) = fetched_batches(FIRST_BATCH_OF_A_SOLE_VOTER, 0, 0)
        assert batch.control == (
            RecordedControl(offset=1, record=CONTROL_OF_A_SOLE_VOTER[1]),
            RecordedControl(offset=2, record=CONTROL_OF_A_SOLE_VOTER[2]),
        )
        assert (batch.base_offset, batch.next_offset, batch.epoch) == (0, 3, 1)
        assert batch.payload == FIRST_BATCH_OF_A_SOLE_VOTER

    def test_a_leader_change_alone_brings_nothing_into_force(self) -> None:
        (batch,) = fetched_batches(LEADER_CHANGE_OF_THREE_STATIC_VOTERS, 0, 0)
        assert batch.control == ()

    def test_payloads_are_views_of_what_was_received(self) -> None:
        received = bytearray(data_batch(0, 1) + data_batch(1, 1))
        (_, second) = fetched_batches(received, 0, 0)
        assert isinstance(second.payload, memoryview)
        assert second.payload.obj is received

    def test_a_partial_batch_at_the_end_is_left_out(self) -> None:
        first, second = data_batch(0, 1), data_batch(1, 1)
        for cut in range(len(second)):
            assert [batch.base_offset for batch in fetched_batches(first + second[:cut], 0, 0)] == [0]
        assert fetched_batches(b"", 0, 0) == ()

    @pytest.mark.parametrize("fetch_offset", [4, 6])
    def test_a_batch_that_does_not_start_where_was_asked_is_refused(self, fetch_offset: int) -> None:
        with pytest.raises(
            RemoteProtocolError, match=f"base offset 5: offset {fetch_offset} was to come next"
        ):
            fetched_batches(data_batch(5, 2), fetch_offset, 0)

    def test_a_gap_between_two_batches_is_refused(self) -> None:
        with pytest.raises(RemoteProtocolError, match="base offset 7: offset 6 was to come next"):
            fetched_batches(data_batch(5, 2) + data_batch(7, 2), 5, 0)

    def test_an_epoch_below_the_one_before_is_refused(self) -> None:
        with pytest.raises(RemoteProtocolError, match="base offset 6: epoch 1 follows epoch 2"):
            fetched_batches(data_batch(5, 2) + data_batch(6, 1), 5, 2)
        with pytest.raises(RemoteProtocolError, match="base offset 5: epoch 2 follows epoch 3"):
            fetched_batches(data_batch(5, 2), 5, 3)

    def test_a_flipped_bit_anywhere_behind_the_crc_is_refused(self) -> None:
        good = data_batch(0, 1)
        for position in range(17, len(good)):
            bad = bytearray(good)
            bad[position] ^= 0x10
            with pytest.raises(RemoteProtocolError, match="crc"):
                fetched_batches(bad, 0, 0)

    def test_a_batch_with_a_gap_inside_is_refused(self) -> None:
        # Right crc, wrong count: a log that was compacted, which this one never is.
        bad = bytearray(data_batch(0, 1, count=2))
        bad[57:61] = (1).to_bytes(4)
        bad[17:21] = crc32c(bad[21:]).to_bytes(4)
        with pytest.raises(RemoteProtocolError, match="1 records cannot take 2 offsets"):
            fetched_batches(bad, 0, 0)

    def test_a_control_record_at_the_place_of_another_is_refused(self) -> None:
        bad = bytearray(FIRST_BATCH_OF_A_SOLE_VOTER)
        # The length of the first record is in one byte. Attributes, timestamp delta and offset delta begin the second.
        second = 62 + (bad[61] >> 1)
        bad[bad.index(bytes([0, 0, 2]), second) + 2] = 4
        bad[17:21] = crc32c(bad[21:]).to_bytes(4)
        with pytest.raises(RemoteProtocolError, match="at offset 2 stands at the place of offset 1"):
            fetched_batches(bad, 0, 0)

    @given(junk=st.binary(max_size=200))
    def test_junk_is_refused_or_left_out_and_does_nothing_else(self, junk: bytes) -> None:
        with contextlib.suppress(RemoteProtocolError):
            assert fetched_batches(junk, 0, 0) == ()

    @given(position=st.integers(0, len(FIRST_BATCH_OF_A_SOLE_VOTER) - 1), value=st.integers(0, 255))
    def test_a_control_batch_with_any_byte_changed_is_refused_or_still_whole(
        self, position: int, value: int
    ) -> None:
        """The right crc is put back, so that what lies behind it has to stand it alone."""
        bad = bytearray(FIRST_BATCH_OF_A_SOLE_VOTER)
        bad[position] = value
        bad[17:21] = crc32c(bad[21:]).to_bytes(4)
        try:
            batches = fetched_batches(bad, 0, 0)
        except RemoteProtocolError:
            return
        for batch in batches:
            assert batch.next_offset == 3
            for control in batch.control:
                assert 0 <= control.offset < 3
