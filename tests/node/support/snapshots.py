"""A small snapshot's bytes, for tests that fetch or install one."""

from __future__ import annotations

from kafkaproto.messages import FeatureLevelRecord, VotersRecord
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.snapshot import build_snapshot


def snapshot_bytes(*, epoch: int, voter_ids: tuple[int, ...] = (1,)) -> bytes:
    """metadata.version 30, kraft.version 1 and some voters on one host."""
    voters = VotersRecord(
        voters=[
            VotersRecord.Voter(
                voter_id=voter_id,
                voter_directory_id=bytes(15) + bytes([voter_id]),
                endpoints=[VotersRecord.Endpoint(name="CONTROLLER", host="127.0.0.1", port=9000 + voter_id)],
            )
            for voter_id in voter_ids
        ]
    )
    records = [encode_metadata_record(FeatureLevelRecord(name="metadata.version", feature_level=30), 0)]
    return b"".join(
        build_snapshot(
            records,
            epoch=epoch,
            timestamp_ms=1000,
            last_contained_log_timestamp=900,
            kraft_version=1,
            voters=voters,
        )
    )
