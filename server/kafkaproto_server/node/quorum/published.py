"""What the quorum's driver tells the rest of the node: image, leader, and whether this node's controller is active."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import trio

from kafkaproto_server.features import supported_ranges
from kafkaproto_server.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.types import NO_NODE, LeaderAndEpoch


class UnsupportedFeatureError(Exception):
    """The cluster runs at a feature level that this release does not know: it cannot tell what records mean."""


def check_features(image: ClusterImage) -> None:
    """Raise UnsupportedFeatureError, which names feature and levels, where the cluster is beyond this release."""
    supported = supported_ranges()
    for name, level in sorted(image.features.items()):
        lowest, highest = supported.get(name, (0, 0))
        if not lowest <= level <= highest:
            raise UnsupportedFeatureError(
                f"the cluster's metadata has {name} at level {level}; this release supports {lowest} to {highest}"
            )


@dataclass(slots=True)
class Published:
    """What other tasks may look at. Replaced piece by piece, never changed behind their back between awaits."""

    image: ClusterImage = EMPTY_IMAGE
    """The newest committed state; the empty one until all was replayed that is known to be committed at the start."""
    is_current: bool = False
    """Whether that was done, so that ``image`` is the cluster's."""
    leader: LeaderAndEpoch = field(default_factory=lambda: LeaderAndEpoch(leader_id=NO_NODE, epoch=0))
    active_epoch: int | None = None
    """The epoch in which this node's controller is active; None while it is not."""
    high_watermark: int = 0
    """Everything below is committed, as far as this node knows."""
    changed: trio.Event = field(default_factory=trio.Event)
    """Set, and replaced by a new one, whenever image, leader or active epoch is another."""

    def notify(self) -> None:
        """Wake those who wait for `changed`."""
        changed, self.changed = self.changed, trio.Event()
        changed.set()

    def show_active_epoch(self, epoch: int | None) -> None:
        """This node's controller is active in this epoch, or not at all."""
        if epoch != self.active_epoch:
            self.active_epoch = epoch
            self.notify()


class ImagePublisher:
    """Takes every committed image, and shows those that somebody may act upon."""

    def __init__(
        self, published: Published, replaced: Callable[[ClusterImage, ClusterImage], None] | None = None
    ) -> None:
        """``replaced`` is told of each image and of the one after it."""
        self._published = published
        self._replaced = replaced
        self.newest = EMPTY_IMAGE
        """The newest committed state, shown or not."""
        self.has_caught_up = False
        """Whether everything was replayed that was known to be committed when it was looked at last."""

    def take(self, image: ClusterImage) -> None:
        """The newest committed state is this one; raises UnsupportedFeatureError."""
        if image.features is not self.newest.features:
            check_features(image)
        old, self.newest = self.newest, image
        if self._replaced is not None:
            self._replaced(old, image)
        # What the log holds from earlier is replayed first: nobody should act upon long past states.
        if self.has_caught_up:
            self._published.image = image
            self._published.is_current = True
            self._published.notify()

    def caught_up(self) -> None:
        """All that is known to be committed was taken: from now on images are shown at once."""
        if not self.has_caught_up:
            self.has_caught_up = True
            self.take(self.newest)
