"""Brokers' requests with epochs that are over or not there yet, and the responses that are right for them.

A response is right if it fits a state between two: the committed state when the request was sent, and the one when the
response came. Epochs only rise, so what is older than the first is old, and what is later than the second is not there
yet. That holds for a controller that led all the time; one that is not told yet that it was replaced responds from a
state of before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
)
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.checker import MetadataInvariant

if TYPE_CHECKING:
    import random

    from tests.sim.metadata.node import Node

OTHER_EPOCH_SHARE = 0.3
"""Share of the AlterPartition requests that get another epoch than the one that their sender knows."""
FALSE_OFFSET_SHARE = 0.1
"""Share of the heartbeats that claim another metadata offset than the broker has read."""
FARTHEST_OFFSET = 30
_DISTANCES = (-5, -2, -1, -1, -1, 1, 1, 2, 5)
_BROKER_DISTANCES = (-20, -1, 1, 20, 10**6)
_NOT_NOW = (ErrorCode.NOT_CONTROLLER, ErrorCode.REQUEST_TIMED_OUT)

_PartitionData = AlterPartitionRequest.PartitionData


def with_other_epoch(rng: random.Random, request: AlterPartitionRequest) -> AlterPartitionRequest:
    """Move one epoch of a request for one partition, back or forth."""
    data = request.topics[0].partitions[0]
    match rng.choice(("partition", "partition", "leader", "broker")):
        case "partition":
            data.partition_epoch += rng.choice(_DISTANCES)
        case "leader":
            data.leader_epoch += rng.choice(_DISTANCES)
        case _:
            request.broker_epoch = other_broker_epoch(rng, request.broker_epoch)
    return request


def other_broker_epoch(rng: random.Random, epoch: int) -> int:
    """An older or a later broker epoch."""
    return max(-1, epoch + rng.choice(_BROKER_DISTANCES))


def false_offset(rng: random.Random, metadata_offset: int, broker_epoch: int | None) -> int:
    """What a heartbeat claims to have read: mostly less than the broker's registration, else more than there is."""
    distance = 1 + rng.randrange(FARTHEST_OFFSET)
    if broker_epoch is not None and rng.random() < 0.7:
        # A broker epoch is the log's end at the decision, so the registration comes no earlier.
        return max(-1, broker_epoch - distance)
    return metadata_offset + distance


class Awaited:
    """A request that is under way, with all that is known of its time."""

    def __init__(self, sender: Node, target: Node) -> None:
        self._sender = sender
        self._target = target
        self._epoch = None if target.half is None else target.half.active_epoch
        self._sent = sender.images.newest

    def check_heartbeat(self, request: BrokerHeartbeatRequest, response: Message | None) -> None:
        """Raise ViolationError if a heartbeat of some broker epoch got the wrong response."""
        if isinstance(response, BrokerHeartbeatResponse) and self._was_active:
            is_stale = response.error_code == ErrorCode.STALE_BROKER_EPOCH
            self._check_broker_epoch(request, response, is_stale=is_stale)

    def check_isr_change(self, request: AlterPartitionRequest, response: Message | None) -> None:
        """Raise ViolationError if an AlterPartition for one partition got the wrong response."""
        if not isinstance(response, AlterPartitionResponse) or response.error_code in _NOT_NOW:
            return
        if not self._was_active:
            return
        is_stale = response.error_code == ErrorCode.STALE_BROKER_EPOCH
        self._check_broker_epoch(request, response, is_stale=is_stale)
        topic = request.topics[0]
        data = topic.partitions[0]
        sent = self._sent.partition(topic.topic_id, data.partition_index)
        now = self._now.partition(topic.topic_id, data.partition_index)
        if is_stale or sent is None or now is None:
            return
        result = response.topics[0].partitions[0]
        between = _Between(sent, now)
        is_right = between.allows(request.broker_id, data, result.error_code)
        if result.error_code == ErrorCode.NONE:
            # One change at the most, and of that very state.
            is_right = is_right and result.partition_epoch - data.partition_epoch in (0, 1)
        if not is_right:
            self._fail(request, response, f"{between}")

    @property
    def _now(self) -> ClusterImage:
        return self._sender.images.newest

    @property
    def _was_active(self) -> bool:
        """Whether the controller was the only active one from the request to the response."""
        half = self._target.half
        highest = self._sender.world.elections.highest_epoch
        return half is not None and half.active_epoch == self._epoch == highest

    def _check_broker_epoch(
        self,
        request: AlterPartitionRequest | BrokerHeartbeatRequest,
        response: AlterPartitionResponse | BrokerHeartbeatResponse,
        *,
        is_stale: bool,
    ) -> None:
        sent = self._sent.brokers.get(request.broker_id)
        now = self._now.brokers.get(request.broker_id)
        if sent is None or now is None:
            # It was unregistered, or registers now.
            return
        must_be_stale = not sent.epoch <= request.broker_epoch <= now.epoch
        may_be_stale = not sent.epoch == request.broker_epoch == now.epoch
        if must_be_stale > is_stale or is_stale > may_be_stale:
            self._fail(request, response, f"broker epoch {sent.epoch}, then {now.epoch}")

    @staticmethod
    def _fail(request: Message, response: Message, state: str) -> None:
        raise ViolationError(
            MetadataInvariant.OTHER_EPOCHS_CHANGE_NOTHING, f"{request} got {response}; {state}"
        )


@dataclass(frozen=True, slots=True)
class _Between:
    """A partition when a request was sent, and when its response came."""

    sent: PartitionImage
    now: PartitionImage

    def allows(self, sender: int, data: _PartitionData, error_code: int) -> bool:
        """Whether an error is right for a sender, by the order in which Apache Kafka's controllers check: what is not
        there yet, an old leader epoch, another leader, an old partition epoch.
        """
        sent, now = self.sent, self.now
        is_ahead = data.leader_epoch > now.leader_epoch or data.partition_epoch > now.partition_epoch
        was_ahead = data.leader_epoch > sent.leader_epoch or data.partition_epoch > sent.partition_epoch
        is_deposed = data.leader_epoch < sent.leader_epoch
        is_old = data.partition_epoch < sent.partition_epoch
        match error_code:
            case ErrorCode.NOT_CONTROLLER:
                return was_ahead
            case ErrorCode.FENCED_LEADER_EPOCH:
                return not is_ahead and data.leader_epoch < now.leader_epoch
            case ErrorCode.INVALID_UPDATE_VERSION:
                return not is_ahead and not is_deposed and data.partition_epoch < now.partition_epoch
            case ErrorCode.INVALID_REQUEST if not self._is_led_by(sender, data.leader_epoch):
                # That somebody else leads counts before the partition epoch.
                return not is_ahead and not is_deposed
        return not is_ahead and not is_deposed and not is_old

    def _is_led_by(self, broker_id: int, leader_epoch: int) -> bool:
        """Whether a broker is known to lead in a leader epoch."""
        return any(
            state.leader == broker_id and state.leader_epoch == leader_epoch
            for state in (self.sent, self.now)
        )
