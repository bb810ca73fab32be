"""What brokers would ask a controller for, if they stored messages: blocks of producer ids, and changes of an ISR."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    AlterPartitionRequest,
    AlterPartitionResponse,
)
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant

Check = Callable[[Any], None]
"""Looks at the response."""


class BrokerRequests:
    """Makes requests in the name of the brokers, and checks what comes back."""

    def __init__(self, hosts: Sequence[Host], rng: random.Random, *, has_old_brokers: bool = False) -> None:
        """``has_old_brokers``: also as if a broker of an ISR, or its leader, were registered as it was before."""
        self._hosts = hosts
        self._rng = rng
        self._has_old_brokers = has_old_brokers
        self._blocks: set[int] = set()

    def next(self) -> tuple[Message, Check] | None:
        """A request and what checks its response; None if the metadata have nothing to ask about."""
        quorum = self._rng.choice(self._hosts).quorum
        image = None if quorum is None else quorum.published.image
        if image is None or not image.brokers:
            return None
        return self._block(image) if self._rng.random() < 0.4 else self._stale_isr(image)

    def _block(self, image: ClusterImage) -> tuple[Message, Check]:
        broker = self._rng.choice(list(image.brokers_in_order()))
        request = AllocateProducerIdsRequest(broker_id=broker.broker_id, broker_epoch=broker.epoch)
        return request, self._take_block

    def _take_block(self, response: AllocateProducerIdsResponse) -> None:
        if response.error_code:
            return
        start = response.producer_id_start
        if start in self._blocks:
            raise ViolationError(MetadataInvariant.PRODUCER_IDS_ONCE, f"the block from {start} on")
        self._blocks.add(start)

    def _stale_isr(self, image: ClusterImage) -> tuple[Message, Check] | None:
        """A partition's leader that has not read of the last change; or that a broker has registered again."""
        found = [
            (topic, index, partition)
            for topic in image.topics_in_order()
            for index, partition in topic.partitions_in_order()
            if partition.partition_epoch > 0 and partition.leader != NO_NODE
        ]
        if not found:
            return None
        topic, index, partition = self._rng.choice(found[-50:])
        kind = AlterPartitionRequest
        data = kind.PartitionData(
            partition_index=index,
            leader_epoch=partition.leader_epoch,
            new_isr_with_epochs=[
                kind.BrokerState(broker_id=each, broker_epoch=image.brokers[each].epoch)
                for each in partition.isr
            ],
            leader_recovery_state=partition.leader_recovery_state,
            partition_epoch=partition.partition_epoch - 1,
        )
        if self._has_old_brokers and self._rng.random() < 0.7:
            # Nothing else is wrong with it.
            data.partition_epoch = partition.partition_epoch
            self._rng.choice(data.new_isr_with_epochs).broker_epoch -= 1
        request = kind(
            broker_id=partition.leader,
            broker_epoch=image.brokers[partition.leader].epoch,
            topics=[kind.TopicData(topic_id=topic.topic_id, partitions=[data])],
        )
        return request, _must_be_refused


def _must_be_refused(response: AlterPartitionResponse) -> None:
    codes = [data.error_code for topic in response.topics for data in topic.partitions]
    if response.error_code == ErrorCode.NONE and ErrorCode.NONE in codes:
        raise ViolationError(NodeInvariant.STALE_IS_REFUSED, str(response))
