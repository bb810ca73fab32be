"""Snapshots as real files: the product makes the bytes of an image, they travel, and the product reads them."""

from __future__ import annotations

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.snapshot import SnapshotId, read_snapshot
from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.snapshots.snapshot_contents import (
    controls_of_snapshot,
    image_of_snapshot,
    snapshot_pieces,
)
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.snapshots import Snapshot, SnapshotLibrary, control_records

WRITTEN_AT_MS = 1_700_000_000_000
"""The time of writing is the same for all, so that all nodes have to write the same bytes."""
_DERIVED = ("partition_counts", "ambiguous_names", "acl_counts")
"""Fields of an image that follow from others. Comparisons of images leave them out."""


class SnapshotFiles(SnapshotLibrary):
    """The snapshots of a run, by what the product makes and reads. Everything that is written is read back at once."""

    def __init__(self) -> None:
        super().__init__()
        self._images: dict[tuple[OffsetAndEpoch, bytes], ClusterImage] = {}

    def write_image(
        self,
        snapshot_id: OffsetAndEpoch,
        image: ClusterImage,
        digest: int,
        kraft_version: int,
        voters: VoterSet | None,
    ) -> Snapshot:
        """The snapshot of an image. Raises ViolationError if its bytes do not give everything back."""
        pieces = snapshot_pieces(
            image, kraft_version=kraft_version, voters=voters, timestamp_ms=WRITTEN_AT_MS
        )
        content = b"".join(pieces)
        controls = controls_of_snapshot(read_snapshot(content), snapshot_id.offset)
        if controls != control_records(snapshot_id, kraft_version, voters):
            raise ViolationError(
                MetadataInvariant.SNAPSHOT_GIVES_BACK, f"{snapshot_id}: {controls} of {voters}"
            )
        snapshot = self.add(
            Snapshot(
                id=snapshot_id,
                digest=digest,
                kraft_version=kraft_version,
                voters=voters,
                control_records=controls,
                content=content,
            )
        )
        check_equal(snapshot_id, image, self.image_of(snapshot))
        return snapshot

    def read(self, snapshot_id: OffsetAndEpoch, content: bytes) -> Snapshot | None:
        """The snapshot with these bytes; None if they are none. Raises ViolationError if the product thinks otherwise
        of them.
        """
        known = super().read(snapshot_id, content)
        if is_whole(content) != (known is not None):
            raise ViolationError(
                MetadataInvariant.SNAPSHOT_GIVES_BACK,
                f"{snapshot_id}: {len(content)} bytes that arrived, of {known and known.id}",
            )
        return known

    def image_of(self, snapshot: Snapshot) -> ClusterImage:
        """The image that the product reads from a snapshot."""
        # Reading is a function of the bytes, and images are immutable: nodes may share what was read.
        key = (snapshot.id, snapshot.content)
        image = self._images.get(key)
        if image is None:
            file_id = SnapshotId(epoch=snapshot.id.epoch, end_offset=snapshot.id.offset)
            image = self._images[key] = image_of_snapshot(read_snapshot(snapshot.content), file_id)
        return image


def is_whole(content: bytes) -> bool:
    """Whether the product takes these bytes for a snapshot, as it has to know of one that it fetched."""
    try:
        for _ in read_snapshot(content):
            pass
    except RemoteProtocolError:
        return False
    return True


def check_equal(snapshot_id: OffsetAndEpoch, image: ClusterImage, given_back: ClusterImage) -> None:
    """Raise ViolationError unless a snapshot gives back the image that it was made of."""
    if image == given_back and all(getattr(image, name) == getattr(given_back, name) for name in _DERIVED):
        return
    lost = [
        name
        for name in ClusterImage.__struct_fields__
        if getattr(image, name) != getattr(given_back, name) and name not in ("features_offset", "acl_index")
    ]
    raise ViolationError(MetadataInvariant.SNAPSHOT_GIVES_BACK, f"{snapshot_id}: other {', '.join(lost)}")
