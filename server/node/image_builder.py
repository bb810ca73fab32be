"""What a node makes its image of the metadata with, out of committed batches and snapshots.

A controller's core is one such builder (`server.node.controller_half`); here is the one of a node without. Nothing here
waits for anything, so the simulator uses it as it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from server.controller.events import BatchCommitted
from server.image.image import ClusterImage
from server.image.loader import MetadataLoader


class ImageBuilder(Protocol):
    """Where committed batches go."""

    @property
    def next_offset(self) -> int:
        """Where the next batch has to begin."""

    def take_batch(self, batch: BatchCommitted) -> None:
        """Replay a batch."""

    def take_snapshot(self, image: ClusterImage) -> None:
        """Start over from a snapshot, which reaches further than all batches before."""


class ObserverImage:
    """Builds the image of a node that is no controller."""

    def __init__(self, publish: Callable[[ClusterImage], None]) -> None:
        """``publish`` gets every image that may be shown."""
        self._publish = publish
        self._loader = MetadataLoader()

    @property
    def next_offset(self) -> int:
        """Where the next batch has to begin."""
        return self._loader.next_offset

    def take_batch(self, batch: BatchCommitted) -> None:
        """Replay a batch; raises ReplayError."""
        if batch.records is None:
            self._loader.load_control_batch(
                last_offset=batch.last_offset, epoch=batch.epoch, timestamp_ms=batch.timestamp_ms
            )
        else:
            self._loader.load_batch(
                base_offset=batch.base_offset,
                epoch=batch.epoch,
                timestamp_ms=batch.timestamp_ms,
                records=batch.records,
            )
        self._publish(self._loader.image)

    def take_snapshot(self, image: ClusterImage) -> None:
        """Start over from a snapshot."""
        self._loader.load_snapshot(image)
        self._publish(image)
