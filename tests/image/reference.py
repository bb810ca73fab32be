"""Snapshots read the slow way, record by record through `replay`: what the fast way is held against."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from server.image.image import EMPTY_IMAGE, ClusterImage
from server.image.replay import replay


def image_from_records(records: Iterable[Any], *, offset: int, epoch: int, timestamp_ms: int) -> ClusterImage:
    """The image that a snapshot's records describe.

    ``offset`` is the last offset that the snapshot contains, ``epoch`` that offset's leader epoch and
    ``timestamp_ms`` the append time that its header names. Raises ReplayError where a record contradicts
    those before it.
    """
    image = EMPTY_IMAGE
    for record in records:
        image = replay(image, record, offset)
    return image.at(offset, epoch, timestamp_ms)
