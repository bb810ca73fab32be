"""Snapshots read and partitions counted the slow way: what the fast ways are held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from immutables import Map

from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.partition_counts import PartitionCounts
from kafkaproto_server.metadata.image.replay import replay


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


def counted(image: ClusterImage) -> PartitionCounts:
    """The counts of an image's partitions, each counted anew."""
    partitions = [each for topic in image.topics.values() for each in topic.partitions.values()]
    return PartitionCounts(
        total=len(partitions),
        leaderless=sum(each.leader == -1 for each in partitions),
        not_preferred=sum((each.leader,) != each.replicas[:1] for each in partitions),
        reassigned=sum(bool(each.adding_replicas or each.removing_replicas) for each in partitions),
        led=Map(Counter(each.leader for each in partitions if each.leader != -1)),
        in_sync=Map(Counter(broker_id for each in partitions for broker_id in each.isr)),
    )
