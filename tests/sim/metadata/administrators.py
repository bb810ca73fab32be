"""Administrators that create, change and delete topics. They note each request, its response, and the times of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    ElectLeadersRequest,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
    UnregisterBrokerRequest,
)
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.core.controller.support.harness import update_features_request
from tests.sim.clients import Clients
from tests.sim.metadata.models import Operation, TopicModel, TopicState
from tests.sim.metadata.node import Node
from tests.sim.metadata.notebook import Notebook, Request, Subject
from tests.sim.metadata.refusals import Refusals
from tests.sim.metadata.settings import FIRST_VISITOR_ID, Settings
from tests.sim.replica import Append, Replica

if TYPE_CHECKING:
    from tests.sim.faults import Faults
    from tests.sim.metadata.calls import Calls
    from tests.sim.world import World

NAMES_AT_A_TIME = 4
"""Each topic has a short history; then another one comes."""
MOVE_MS = 500
"""Between two reassignments, and between two elections that somebody asks for."""
SETTING_MS = 150
TOKEN_MS = 500
REFUSAL_MS = 400
UNREGISTER_MS = 4_000
PRODUCER_IDS_MS = 1_000
_KEY = "retention.ms"
_RESPONSES = frozenset((0, 3, 36, 37))


def _topic_state(image: ClusterImage, name: str) -> TopicState:
    topic = image.topic_by_name(name)
    if topic is None:
        return None
    return len(topic.partitions), int(image.config(TOPIC_RESOURCE, name).get(_KEY, "0"))


class Administrators(Clients):
    """Several administrators at once. Each sends one request after the other to the active controller, or to the last
    one.
    """

    def __init__(self, world: World, faults: Faults, calls: Calls) -> None:
        super().__init__(world, faults)
        self._calls = calls
        self.notebook = Notebook(world, calls)
        self._settings = Settings(world, calls, self.notebook)
        self._refusals = Refusals(world, calls)
        self._value = 0
        self._first_name = 0

    def _append(self) -> None:
        """In place of an append of nonsense: something of an administrator's."""
        target = self._target()
        if target is None:
            self._world.idle += 1
            return
        name = f"topic-{self._first_name + self._rng.randrange(NAMES_AT_A_TIME)}"
        if self.notebook.is_full(name):
            self._first_name += 1
            return
        operation = self._draw()
        subject = self.notebook.subjects.setdefault(
            name,
            Subject(
                model=TopicModel(),
                responses=_RESPONSES,
                look=lambda image: _topic_state(image, name),
                initial=None,
            ),
        )
        self.notebook.ask(target, subject, operation, _REQUESTS[operation.kind](name, operation.argument))

    def begin(self) -> None:
        """Schedule the load."""
        super().begin()
        self._faults.repeat(MOVE_MS, self._move_replicas)
        self._faults.repeat(MOVE_MS, self._elect)
        self._faults.repeat(SETTING_MS, lambda: self._with_target(self._settings.change))
        self._faults.repeat(TOKEN_MS, lambda: self._with_target(self._settings.change_token))
        self._faults.repeat(REFUSAL_MS, lambda: self._with_target(self._refusals.ask))
        self._faults.repeat(UNREGISTER_MS, lambda: self._with_target(self._unregister))
        self._faults.repeat(PRODUCER_IDS_MS, lambda: self._with_target(self._settings.allocate_producer_ids))

    def _with_target(self, act: Callable[[Node], None]) -> None:
        target = self._target()
        if target is not None:
            act(target)

    def _unregister(self, target: Node) -> None:
        """Forget a broker, whatever it is at; visitors are others' business."""
        brokers = sorted(broker_id for broker_id in target.image.brokers if broker_id < FIRST_VISITOR_ID)
        if brokers:
            request = UnregisterBrokerRequest(broker_id=self._rng.choice(brokers))
            self._calls.send(None, target, request, lambda _: None)

    def _move_replicas(self) -> None:
        """Reassign a partition to other brokers, or call off what is under way."""
        target = self._target()
        topics = [] if target is None else list(target.image.topics_in_order())
        if target is None or not topics:
            return
        topic, brokers = self._rng.choice(topics), sorted(target.image.brokers)
        if not brokers:
            return
        replicas = self._rng.sample(brokers, self._rng.randint(1, len(brokers)))
        partition = AlterPartitionReassignmentsRequest.ReassignablePartition(
            partition_index=self._rng.randrange(len(topic.partitions)),
            replicas=None if self._rng.random() < 0.2 else replicas,
        )
        moved = AlterPartitionReassignmentsRequest.ReassignableTopic(name=topic.name, partitions=[partition])
        request = AlterPartitionReassignmentsRequest(topics=[moved], timeout_ms=60_000)
        self._calls.send(None, target, request, lambda _: None)

    def _elect(self) -> None:
        """Have preferred leaders elected, or any, everywhere."""
        target = self._target()
        if target is not None:
            election = self._rng.randrange(2)
            request = ElectLeadersRequest(election_type=election, topic_partitions=None, timeout_ms=60_000)
            self._calls.send(None, target, request, lambda _: None)

    def _upgrade(self, leader: Replica, *, validate_only: bool) -> None:
        """In place of a request to the Raft core: one to the controller, between those of all others."""
        assert isinstance(leader, Node)
        request = update_features_request(("kraft.version", 1, 1), validate_only=validate_only)
        self._calls.send(None, leader, request, lambda _: None)

    def append_to(self, replica: Replica) -> Append:
        """A change that any active controller takes: of a topic that nobody else uses."""
        assert isinstance(replica, Node)
        self._value += 1
        request, _ = _REQUESTS["set-cluster"]("", self._value)
        before = replica.controller.newest_image.offset + 1
        self._calls.send(None, replica, request, lambda _: None)
        return Append(before, (b"",), self._world.now)

    def _target(self) -> Node | None:
        active = self.active()
        if active is not None and self._rng.random() < 0.9:
            target: Replica = active
        else:
            target = self._rng.choice(self._world.controllers)
        assert isinstance(target, Node)
        return target if target.is_up else None

    def _draw(self) -> Operation:
        kind = self._rng.choices(["create", "exists", "delete", "set", "grow"], [5, 2, 2, 4, 2])[0]
        match kind:
            case "create":
                return Operation(kind, self._rng.randint(1, 3))
            case "grow":
                return Operation(kind, self._rng.randint(2, 5))
            case "set":
                self._value += 1
                return Operation(kind, self._value)
        return Operation(kind)


# -- requests, and what in their answers counts ----------------------------------------------------------------------


def _create(name: str, partitions: int, *, validate_only: bool = False) -> Request:
    topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=partitions, replication_factor=2)

    def code(response: CreateTopicsResponse) -> int:
        return response.topics[0].error_code

    return CreateTopicsRequest(topics=[topic], timeout_ms=60_000, validate_only=validate_only), code


def _exists(name: str, _: int) -> Request:
    return _create(name, 1, validate_only=True)


def _delete(name: str, _: int) -> Request:
    def code(response: DeleteTopicsResponse) -> int:
        return response.responses[0].error_code

    return DeleteTopicsRequest(
        topics=[DeleteTopicsRequest.DeleteTopicState(name=name)], timeout_ms=60_000
    ), code


def _grow(name: str, partitions: int) -> Request:
    topic = CreatePartitionsRequest.CreatePartitionsTopic(name=name, count=partitions, assignments=None)

    def code(response: CreatePartitionsResponse) -> int:
        return response.results[0].error_code

    return CreatePartitionsRequest(topics=[topic], timeout_ms=60_000), code


def _set(name: str, value: int, *, resource_type: int = TOPIC_RESOURCE) -> Request:
    config = IncrementalAlterConfigsRequest.AlterableConfig(name=_KEY, config_operation=0, value=str(value))
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=resource_type, resource_name=name, configs=[config]
    )

    def code(response: IncrementalAlterConfigsResponse) -> int:
        return response.responses[0].error_code

    return IncrementalAlterConfigsRequest(resources=[resource]), code


def _set_cluster(_: str, value: int) -> Request:
    config = IncrementalAlterConfigsRequest.AlterableConfig(
        name="log.retention.ms", config_operation=0, value=str(value)
    )
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=4, resource_name="", configs=[config]
    )

    def code(response: IncrementalAlterConfigsResponse) -> int:
        return response.responses[0].error_code

    return IncrementalAlterConfigsRequest(resources=[resource]), code


_REQUESTS: dict[str, Callable[[str, int], Request]] = {
    "create": _create,
    "exists": _exists,
    "delete": _delete,
    "grow": _grow,
    "set": _set,
    "set-cluster": _set_cluster,
}
