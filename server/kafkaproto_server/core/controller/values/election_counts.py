"""Counts the elections from outside of the ISR in records that are about to be appended, for metrics.

Apache Kafka: ``ControllerMetadataMetrics`` (UncleanLeaderElectionsPerSec and ElectionFromEligibleLeaderReplicasPerSec).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kafkaproto.message import Message
from kafkaproto.messages import PartitionChangeRecord
from kafkaproto_server.metadata.image.entries import RECOVERING
from kafkaproto_server.metadata.image.image import ClusterImage


class ElectionCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Leaders elected from outside of the ISR."""

    unclean: int = 0
    """From outside of ISR and ELR: the records that they lack are lost."""
    from_elr: int = 0
    """From the eligible leader replicas (KIP-966): nothing is lost."""


_NONE = ElectionCounts()


def count_elections(image: ClusterImage, records: Iterable[Message]) -> ElectionCounts:
    """The elections in the records, which change each partition of the image at most once.

    This is cheap enough for the tens of thousands of partitions that the fencing of a broker changes: with ELR off,
    nothing is looked up.
    """
    unclean = from_elr = 0
    for record in records:
        # Below 0 there is no leader, or no other one.
        if not isinstance(record, PartitionChangeRecord) or record.leader < 0:
            continue
        # Only an unclean election records this state. An AlterPartition that repeats it is no
        # change.
        if record.leader_recovery_state == RECOVERING:
            unclean += 1
        elif image.elr_enabled:
            partition = image.partition(record.topic_id, record.partition_id)
            if partition is not None and record.leader in partition.elr:
                from_elr += 1
    return ElectionCounts(unclean=unclean, from_elr=from_elr) if unclean or from_elr else _NONE
