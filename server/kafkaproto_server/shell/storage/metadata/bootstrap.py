"""The file that formatting writes for a controller beside ``meta.properties``, and its older form.

``00000000000000000000-0000000000.checkpoint``, in the directory of the metadata log, has the form of a snapshot. Its
records are those with which the first active controller begins the log: FeatureLevelRecords, metadata.version first and
the others by name (never kraft.version), then UserScramCredentialRecords. If the quorum keeps its voters in its log
(KIP-853), KRAFT_VERSION 1 stands before them, and KRAFT_VOTERS with the first voters if the node knows them.

Releases before 4.4 wrote these records into ``bootstrap.checkpoint`` in every log directory, also of brokers, and only
KRAFT_VERSION and KRAFT_VOTERS into the 0-0 snapshot. Directories in that form are read as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import FeatureLevelRecord, VotersRecord
from kafkaproto.records.metadata import decode_metadata_record, encode_metadata_record
from kafkaproto.snapshot import build_snapshot
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import METADATA_TOPIC, ZERO_UUID, Voter
from kafkaproto_server.metadata.features import KRAFT_VERSION, LATEST_METADATA_VERSION, METADATA_VERSION
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.metadata.snapshot_file import (
    BOOTSTRAP_SNAPSHOT_ID,
    SnapshotStore,
    read_snapshot_file,
)

BOOTSTRAP_NAME = "bootstrap.checkpoint"
RECORD_VERSION = 0
"""FeatureLevelRecord and UserScramCredentialRecord have only this version."""


def feature_records(levels: Mapping[str, int]) -> list[Message]:
    """The FeatureLevelRecords of a new cluster, in order. A feature at level 0 has none."""
    names = sorted(name for name in levels if name not in (METADATA_VERSION, KRAFT_VERSION))
    return [
        FeatureLevelRecord(name=name, feature_level=levels[name])
        # metadata.version is first, because it says how the records after it are to be read.
        # kraft.version is never a FeatureLevelRecord: it is a control record (KIP-853).
        for name in (METADATA_VERSION, *names)
        if levels[name] > 0
    ]


def read_bootstrap(disk: Disk, directory: str) -> tuple[Message, ...]:
    """The records with which a new log of this log directory begins.

    Without any: only the newest metadata.version, as in Kafka. Raises CorruptFileError.
    """
    # Kafka 4.4.0 looks in this order, too: the older file counts if the snapshot has no records.
    for path in (_initial_snapshot_path(disk, directory), f"{directory}/{BOOTSTRAP_NAME}"):
        records = _records_in(disk, path) if disk.exists(path) else ()
        if records:
            return records
    return tuple(feature_records({METADATA_VERSION: LATEST_METADATA_VERSION.level}))


def _initial_snapshot_path(disk: Disk, directory: str) -> str:
    return SnapshotStore(disk, f"{directory}/{METADATA_TOPIC}-0").path(BOOTSTRAP_SNAPSHOT_ID)


def _records_in(disk: Disk, path: str) -> tuple[Message, ...]:
    # Header and footer are control records, and the log gets its own.
    framed = [record for record in read_snapshot_file(disk, path) if isinstance(record, bytes)]
    try:
        return tuple(decode_metadata_record(record)[0] for record in framed)
    except RemoteProtocolError as error:
        raise CorruptFileError(path, str(error)) from error


def voters_record(voters: Sequence[Voter]) -> VotersRecord:
    """The KRAFT_VOTERS record of some voters, ascending by id."""
    return VotersRecord(
        voters=[
            VotersRecord.Voter(
                voter_id=voter.key.id,
                voter_directory_id=voter.key.directory_id or ZERO_UUID,
                endpoints=[
                    VotersRecord.Endpoint(name=endpoint.name, host=endpoint.host, port=endpoint.port)
                    for endpoint in voter.endpoints
                ],
                kraft_version_feature=VotersRecord.KRaftVersionFeature(
                    min_supported_version=voter.min_kraft_version,
                    max_supported_version=voter.max_kraft_version,
                ),
            )
            for voter in sorted(voters, key=lambda voter: voter.key.id)
        ]
    )


def encode_initial_snapshot(
    records: Sequence[Message], wall_ms: int, *, kraft_version: int, voters: Sequence[Voter]
) -> bytes:
    """The bytes of the 0-0 snapshot, written at ``wall_ms``. Without ``voters``, the node does not know them yet."""
    return b"".join(
        build_snapshot(
            [encode_metadata_record(record, RECORD_VERSION) for record in records],
            epoch=BOOTSTRAP_SNAPSHOT_ID.epoch,
            timestamp_ms=wall_ms,
            last_contained_log_timestamp=wall_ms,
            kraft_version=kraft_version,
            voters=voters_record(voters) if voters else None,
        )
    )


def write_initial_snapshot(disk: Disk, directory: str, data: bytes, new_uuid: Callable[[], bytes]) -> None:
    """Write the 0-0 snapshot into the directory of a metadata log, durable on return. Raises OSError."""
    writer = SnapshotStore(disk, directory).create(BOOTSTRAP_SNAPSHOT_ID, new_uuid)
    writer.append(data)
    writer.freeze()
