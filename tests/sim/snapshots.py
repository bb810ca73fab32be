"""Snapshots in the simulator: the state of the log at an offset, and the file's bytes.

Where only the quorum is simulated, the bytes are a few that stand for the state. With controllers and brokers on top
they are those of a real snapshot; see ``tests.sim.metadata.snapshot_files``.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.values.control import KRaftVersion, KRaftVoters, RecordedControl
from kafkaproto_server.core.raft.values.events import StoredSnapshot
from kafkaproto_server.core.raft.values.voters import VoterSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The committed state up to one offset."""

    id: OffsetAndEpoch
    digest: int
    """Of all batches below its offset, in order; see ``next_digest``."""
    kraft_version: int
    voters: VoterSet | None
    control_records: tuple[RecordedControl, ...]
    """What it says of the quorum; nothing at kraft.version 0."""
    content: bytes
    """The file."""

    @property
    def stored(self) -> StoredSnapshot:
        """The description that the core gets."""
        return StoredSnapshot(id=self.id, size_bytes=len(self.content))


class SnapshotLibrary:
    """Every snapshot of a run by its id and bytes: what a replica fetched is a snapshot if it is one of these."""

    def __init__(self) -> None:
        self._known: dict[tuple[OffsetAndEpoch, bytes], Snapshot] = {}

    def write(
        self, snapshot_id: OffsetAndEpoch, digest: int, kraft_version: int, voters: VoterSet | None
    ) -> Snapshot:
        """The snapshot of a state; its length depends on its content alone."""
        voters_digest = zlib.crc32(repr(voters).encode())
        head = f"{snapshot_id.offset} {snapshot_id.epoch} {digest} {kraft_version} {voters_digest} ".encode()
        return self.add(
            Snapshot(
                id=snapshot_id,
                digest=digest,
                kraft_version=kraft_version,
                voters=voters,
                control_records=control_records(snapshot_id, kraft_version, voters),
                content=head + b"." * (40 + digest % 400),
            )
        )

    def add(self, snapshot: Snapshot) -> Snapshot:
        """Know a snapshot; the same one again is the first one."""
        known = self._known.setdefault((snapshot.id, snapshot.content), snapshot)
        return known if known == snapshot else snapshot

    def read(self, snapshot_id: OffsetAndEpoch, content: bytes) -> Snapshot | None:
        """The snapshot with these bytes; None if they are none, or those of another one."""
        return self._known.get((snapshot_id, content))


def control_records(
    snapshot_id: OffsetAndEpoch, kraft_version: int, voters: VoterSet | None
) -> tuple[RecordedControl, ...]:
    """The control records that a snapshot of this kraft.version has to have."""
    if kraft_version == 0:
        return ()
    assert voters is not None, f"snapshot {snapshot_id} of kraft.version 1 names no voters"
    offset = snapshot_id.offset - 1
    return (
        RecordedControl(offset=offset, record=KRaftVersion(level=kraft_version)),
        RecordedControl(offset=offset, record=KRaftVoters(voters=voters)),
    )


def next_digest(digest: int, payload: object) -> int:
    """The digest of a state once one more batch was applied."""
    assert isinstance(payload, bytes), "the simulator's payloads are bytes"
    return zlib.crc32(payload, digest)
