"""Builds a node's image of the metadata from committed batches and snapshots.

A controller's core is one such builder (`shell.quorum.controller_runner`); this module has the one for other nodes.
Nothing here waits, so the simulator uses it unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.core.controller.machine.log_states import load_batch_steps
from kafkaproto_server.core.controller.values.events import BatchCommitted
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState


class ImageBuilder(Protocol):
    """Takes committed batches and snapshots."""

    @property
    def next_offset(self) -> int:
        """The offset at which the next batch has to begin."""

    def load_steps(self, batch: BatchCommitted) -> Steps[LoadState]:
        """The state of the log's content after the next batch: for ``loaded`` of the batch."""

    def take_batch(self, batch: BatchCommitted) -> None:
        """Apply a batch: use its ``loaded`` state if it has one, else replay it."""

    def take_snapshot(self, image: ClusterImage) -> None:
        """Start over from a snapshot. It reaches further than all batches before."""


class ObserverImage:
    """Builds the image of a node that is not a controller."""

    def __init__(self, publish: Callable[[ClusterImage], None]) -> None:
        """``publish`` is called with every image that may be shown."""
        self._publish = publish
        self._state = LoadState()

    @property
    def next_offset(self) -> int:
        """The offset at which the next batch has to begin."""
        return self._state.latest.offset + 1

    def load_steps(self, batch: BatchCommitted) -> Steps[LoadState]:
        """The state of the log's content after the next batch. Raises ReplayError."""
        return load_batch_steps(self._state, batch)

    def take_batch(self, batch: BatchCommitted) -> None:
        """Apply a batch. Raises ReplayError if the batch is replayed only now."""
        self._state = run_to_end(self.load_steps(batch)) if batch.loaded is None else batch.loaded
        # Not the latest state: records of an open metadata transaction are shown when it ends
        # (KIP-868).
        self._publish(self._state.stable)

    def take_snapshot(self, image: ClusterImage) -> None:
        """Start over from a snapshot."""
        # No transaction is open at the end of a snapshot: none is written inside of one (KIP-868).
        self._state = LoadState(latest=image, stable=image)
        self._publish(image)
