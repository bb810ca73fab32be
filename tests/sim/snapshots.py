"""Snapshots in the simulator: a few bytes that stand for a state, and that state."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from kafkaproto_server.raft.values.control import KRaftVersion, KRaftVoters, RecordedControl
from kafkaproto_server.raft.values.events import StoredSnapshot
from kafkaproto_server.raft.values.voters import VoterSet
from kafkaproto_server.types import OffsetAndEpoch


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The committed state up to one offset."""

    id: OffsetAndEpoch
    digest: int
    """Of all batches below its offset, in order; see ``next_digest``."""
    kraft_version: int
    voters: VoterSet | None
    content: bytes
    """The file."""

    @property
    def stored(self) -> StoredSnapshot:
        """The description that the core gets."""
        return StoredSnapshot(id=self.id, size_bytes=len(self.content))

    @property
    def control_records(self) -> tuple[RecordedControl, ...]:
        """What its header says of the quorum; nothing at kraft.version 0."""
        if self.kraft_version == 0:
            return ()
        assert self.voters is not None, f"snapshot {self.id} of kraft.version 1 names no voters"
        offset = self.id.offset - 1
        return (
            RecordedControl(offset=offset, record=KRaftVersion(level=self.kraft_version)),
            RecordedControl(offset=offset, record=KRaftVoters(voters=self.voters)),
        )


class SnapshotLibrary:
    """Every snapshot of a run by its bytes: what a replica fetched is a snapshot if it is one of these."""

    def __init__(self) -> None:
        self._by_content: dict[bytes, Snapshot] = {}

    def write(
        self, snapshot_id: OffsetAndEpoch, digest: int, kraft_version: int, voters: VoterSet | None
    ) -> Snapshot:
        """The snapshot of a state; its length depends on its content alone."""
        voters_digest = zlib.crc32(repr(voters).encode())
        head = f"{snapshot_id.offset} {snapshot_id.epoch} {digest} {kraft_version} {voters_digest} ".encode()
        content = head + b"." * (40 + digest % 400)
        known = self._by_content.get(content)
        if known is None:
            known = self._by_content[content] = Snapshot(
                id=snapshot_id, digest=digest, kraft_version=kraft_version, voters=voters, content=content
            )
        return known

    def read(self, snapshot_id: OffsetAndEpoch, content: bytes) -> Snapshot | None:
        """The snapshot with these bytes; None if they are none, or those of another one."""
        snapshot = self._by_content.get(content)
        return snapshot if snapshot is not None and snapshot.id == snapshot_id else None


def next_digest(digest: int, payload: object) -> int:
    """The digest of a state once one more batch was applied."""
    assert isinstance(payload, bytes), "the simulator's payloads are bytes"
    return zlib.crc32(payload, digest)
