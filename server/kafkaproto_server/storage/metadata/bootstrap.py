"""The two files that formatting writes beside ``meta.properties``. Both have the form of a snapshot.

``bootstrap.checkpoint``, in every log directory: the records with which the first active controller begins the log.
These are FeatureLevelRecords, metadata.version first and the others by name (never kraft.version), then
UserScramCredentialRecords. Its header has 0 as the time of the last contained record.

``00000000000000000000-0000000000.checkpoint``, in the directory of the metadata log: KRAFT_VERSION 1 and KRAFT_VOTERS,
the first voters of a quorum that keeps its voters in its log (KIP-853). Its header has the time of formatting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import FeatureLevelRecord, VotersRecord
from kafkaproto.records.metadata import decode_metadata_record, encode_metadata_record
from kafkaproto.snapshot import build_snapshot
from kafkaproto_server.features import KRAFT_VERSION, LATEST_METADATA_VERSION, METADATA_VERSION
from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.atomic import replace_file
from kafkaproto_server.storage.errors import CorruptFileError
from kafkaproto_server.storage.metadata.snapshot_file import (
    BOOTSTRAP_SNAPSHOT_ID,
    SnapshotStore,
    read_snapshot_file,
)
from kafkaproto_server.types import ZERO_UUID, Voter

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


def encode_bootstrap(records: Sequence[Message], wall_ms: int) -> bytes:
    """The bytes of ``bootstrap.checkpoint``, written at ``wall_ms``."""
    framed = [encode_metadata_record(record, RECORD_VERSION) for record in records]
    # The timestamp 0 is Kafka's: no log record went into this file.
    return b"".join(build_snapshot(framed, epoch=0, timestamp_ms=wall_ms, last_contained_log_timestamp=0))


def write_bootstrap(disk: Disk, directory: str, records: Sequence[Message], wall_ms: int) -> None:
    """Write the file of one log directory, durable on return. Raises OSError."""
    replace_file(disk, directory, BOOTSTRAP_NAME, encode_bootstrap(records, wall_ms))


def read_bootstrap(disk: Disk, directory: str) -> tuple[Message, ...]:
    """The records with which a new log of this log directory begins.

    Without the file: only the newest metadata.version. Raises CorruptFileError.
    """
    path = f"{directory}/{BOOTSTRAP_NAME}"
    # Kafka does the same: its BootstrapDirectory takes the latest production version of the
    # release.
    if not disk.exists(path):
        return tuple(feature_records({METADATA_VERSION: LATEST_METADATA_VERSION.level}))
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


def encode_voters_snapshot(voters: Sequence[Voter], wall_ms: int) -> bytes:
    """The bytes of the 0-0 snapshot, written at ``wall_ms``."""
    return b"".join(
        build_snapshot(
            [],
            epoch=BOOTSTRAP_SNAPSHOT_ID.epoch,
            timestamp_ms=wall_ms,
            last_contained_log_timestamp=wall_ms,
            kraft_version=1,
            voters=voters_record(voters),
        )
    )


def write_voters_snapshot(
    disk: Disk, directory: str, voters: Sequence[Voter], wall_ms: int, new_uuid: Callable[[], bytes]
) -> None:
    """Write the 0-0 snapshot into the directory of a metadata log, durable on return. Raises OSError."""
    writer = SnapshotStore(disk, directory).create(BOOTSTRAP_SNAPSHOT_ID, new_uuid)
    writer.append(encode_voters_snapshot(voters, wall_ms))
    writer.freeze()
