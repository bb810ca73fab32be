"""Which broker leads a partition, for responses that say that another broker should have been asked (KIP-951)."""

from __future__ import annotations

from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.metadata.image.image import ClusterImage

NO_EPOCH = -1


def leader_of(image: ClusterImage, topic_id: bytes, index: int) -> tuple[int, int]:
    """Broker id and epoch of the leader of a partition; -1 for what is not known."""
    topic = image.topics.get(topic_id)
    found = None if topic is None else topic.partitions.get(index)
    return (NO_NODE, NO_EPOCH) if found is None else (found.leader, found.leader_epoch)
