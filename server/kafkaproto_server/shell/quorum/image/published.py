"""What the quorum's driver publishes to the rest of the node: the image, the leader, and whether this node's controller
is active."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import trio

from kafkaproto_server.base.types import NO_NODE, LeaderAndEpoch
from kafkaproto_server.metadata.features import supported_ranges
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage


class UnsupportedFeatureError(Exception):
    """The cluster uses a feature level that this release does not know, so the release cannot interpret the records."""


def check_features(image: ClusterImage) -> None:
    """Raise UnsupportedFeatureError, which names feature and levels, if the cluster uses a level that this release
    lacks."""
    supported = supported_ranges()
    for name, level in sorted(image.features.items()):
        # A feature that is not known here is allowed at level 0 only, which means that it is not in
        # use.
        lowest, highest = supported.get(name, (0, 0))
        if not lowest <= level <= highest:
            raise UnsupportedFeatureError(
                f"the cluster's metadata has {name} at level {level}; this release supports {lowest} to {highest}"
            )


@dataclass(slots=True)
class Published:
    """The state that other tasks may read. Each attribute is replaced as a whole, and never changes between two awaits
    of a reader."""

    image: ClusterImage = EMPTY_IMAGE
    """The newest committed state; the empty image until everything is replayed that is known to be committed at the
    start."""
    is_current: bool = False
    """Whether that replay is complete, so that ``image`` is the cluster's."""
    leader: LeaderAndEpoch = field(default_factory=lambda: LeaderAndEpoch(leader_id=NO_NODE, epoch=0))
    active_epoch: int | None = None
    """The epoch in which this node's controller is active; None while it is not."""
    high_watermark: int = 0
    """Everything below is committed, as far as this node knows."""
    changed: trio.Event = field(default_factory=trio.Event)
    """Set, and replaced by a new event, whenever image, leader or active epoch changes."""

    def notify(self) -> None:
        """Wake the tasks that wait for `changed`."""
        # The new event is in place before the tasks run: one that asks again must not miss what
        # comes next.
        changed, self.changed = self.changed, trio.Event()
        changed.set()

    def show_active_epoch(self, epoch: int | None) -> None:
        """Publish the epoch in which this node's controller is active; None if it is not."""
        if epoch != self.active_epoch:
            self.active_epoch = epoch
            self.notify()


class ImagePublisher:
    """Takes every committed image, and publishes those on which other tasks may act."""

    def __init__(
        self, published: Published, replaced: Callable[[ClusterImage, ClusterImage], None] | None = None
    ) -> None:
        """``replaced`` is called with each image and its replacement."""
        self.published = published
        """What other tasks read."""
        self._replaced = replaced
        self.newest = EMPTY_IMAGE
        """The newest committed state, published or not."""
        self.has_caught_up = False
        """Whether everything was replayed that was known to be committed at the last check."""

    def take(self, image: ClusterImage) -> None:
        """Take the newest committed state. Raises UnsupportedFeatureError."""
        # Images share what did not change, so the identity says that the check was done.
        if image.features is not self.newest.features:
            check_features(image)
        old, self.newest = self.newest, image
        if self._replaced is not None:
            self._replaced(old, image)
        # The older part of the log is replayed first: nobody should act on states that are long past.
        if self.has_caught_up:
            self.published.image = image
            self.published.is_current = True
            self.published.notify()

    def caught_up(self) -> None:
        """Everything known to be committed was taken: from now on images are published at once."""
        if not self.has_caught_up:
            self.has_caught_up = True
            self.take(self.newest)
