"""How leaders came to be, in records that are about to be appended: for metrics."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kafkaproto.message import Message
from kafkaproto.messages import PartitionChangeRecord
from kafkaproto_server.image.entries import RECOVERING
from kafkaproto_server.image.image import ClusterImage


class ElectionCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Leaders elected otherwise than from the ISR."""

    unclean: int = 0
    """From outside of ISR and ELR: what they lack is lost."""
    from_elr: int = 0
    """From the eligible leader replicas (KIP-966): nothing is lost."""


_NONE = ElectionCounts()


def count_elections(image: ClusterImage, records: Iterable[Message]) -> ElectionCounts:
    """What the records do, each partition changed once at most, to an image.

    Cheap enough for the tens of thousands of partitions that a broker's end moves: with ELR off nothing is looked up.
    """
    unclean = from_elr = 0
    for record in records:
        # Below 0 there is no leader, or no other one.
        if not isinstance(record, PartitionChangeRecord) or record.leader < 0:
            continue
        if record.leader_recovery_state == RECOVERING:
            unclean += 1
        elif image.elr_enabled:
            partition = image.partition(record.topic_id, record.partition_id)
            if partition is not None and record.leader in partition.elr:
                from_elr += 1
    return ElectionCounts(unclean=unclean, from_elr=from_elr) if unclean or from_elr else _NONE
