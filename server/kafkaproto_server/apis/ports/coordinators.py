"""The coordinators on this broker: of groups, of transactions, and of the states of share partitions.

They live in partitions of internal topics that this broker leads. Whoever asks for one that is not here, or not loaded,
gets a CoordinatorError. A handler lets it pass if it refuses the whole request: `apis.serving` makes the response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from kafkaproto_server.core.coordinators.groups.shard import GroupShard
from kafkaproto_server.core.coordinators.share_state.coordinator import ShareCoordinator
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.core.coordinators.transactions.coordinator import TransactionCoordinator
from kafkaproto_server.requests.data import Produced, ProduceItem
from kafkaproto_server.requests.share_group_requests import ShareOffsetsDescribed
from kafkaproto_server.requests.transaction_requests import AsksCoordinator, Producer, Told, TopicPartition

CoordinatorT_co = TypeVar("CoordinatorT_co", covariant=True)
KeyT_contra = TypeVar("KeyT_contra", contravariant=True)


class Coordinators(Protocol[KeyT_contra, CoordinatorT_co]):
    """One for each partition of an internal topic."""

    def of(self, key: KeyT_contra) -> CoordinatorT_co:
        """The coordinator of a group, a transactional id or a share partition. Raises CoordinatorError unless it is on
        this broker, and loaded."""

    def all(self) -> Iterator[CoordinatorT_co]:
        """All of them. Raises CoordinatorError while one is being loaded."""


class GroupPort(Coordinators[str, GroupShard], Protocol):
    """The coordinators of groups, and which kinds of groups are served: that depends on features and configs.
    Implemented by `shell.coordinators.groups.groups.GroupCoordinators`."""

    def serves_consumer_groups(self) -> bool:
        """Whether members may join by ConsumerGroupHeartbeat."""

    def serves_share_groups(self) -> bool:
        """Whether members may join by ShareGroupHeartbeat."""

    def serves_streams_groups(self) -> bool:
        """Whether members may join by StreamsGroupHeartbeat."""

    def describe_share_offsets(
        self, group_id: str, topics: Mapping[str, Sequence[int]] | None, described: ShareOffsetsDescribed
    ) -> None:
        """The offsets of a share group: of some partitions by topic name, or of all. For some, any broker may be
        asked. Errors are told by ``described``."""


class TransactionPort(Coordinators[str, TransactionCoordinator], Protocol):
    """The coordinators of transactions, and what a leader of partitions asks them, wherever they are.
    Implemented by `shell.coordinators.transactions.transaction_services.TransactionServices`."""

    def offsets_partition(self, group_id: str) -> TopicPartition:
        """The partition that takes part in a transaction in which a group commits offsets."""

    def verify_offsets(self, group_id: str, producer: Producer, asks: AsksCoordinator, told: Told) -> None:
        """Whether a producer may commit offsets of a group in its transaction now, or why not."""

    def produce(
        self,
        items: Sequence[ProduceItem],
        transactional_id: str,
        asks: AsksCoordinator,
        acks: int,
        timeout_ms: int,
        done: Produced,
    ) -> None:
        """As `ReplicaPort.produce`, for records among which are some of a transaction."""


ShareStatePort = Coordinators[SharePartitionKey, ShareCoordinator]
"""See `share_state.Persister` for who asks."""
