"""Administrators who create, change and delete topics, and note what they asked, heard, and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
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
)
from server.image.image import TOPIC_RESOURCE
from tests.sim.clients import Clients
from tests.sim.metadata.history import Call, State
from tests.sim.metadata.node import Node
from tests.sim.replica import Append, Replica

if TYPE_CHECKING:
    from tests.sim.faults import Faults
    from tests.sim.metadata.calls import Calls
    from tests.sim.world import World

TOPICS = 60
"""Names in all; few of them are in use at a time, so that each has a short history."""
NAMES_AT_A_TIME = 4
CALLS_PER_NAME = 14
MOVE_MS = 500
"""Between two reassignments, and between two elections that somebody asks for."""
_UNKNOWN = (ErrorCode.NOT_CONTROLLER, ErrorCode.REQUEST_TIMED_OUT)
_KEY = "retention.ms"


@dataclass(frozen=True, slots=True)
class Operation:
    """What is asked of one topic."""

    kind: str
    argument: int = 0


TopicState: TypeAlias = tuple[int, int] | None
"""(partitions, value of the config); None where there is no such topic."""


class TopicModel:
    """One topic name, as clients see it."""

    def apply(self, state: State, operation: object) -> tuple[State, object]:
        """The state after an operation, and its error code."""
        assert isinstance(operation, Operation)
        assert state is None or isinstance(state, tuple)
        return self._step(state, operation)

    @staticmethod
    def _step(state: TopicState, operation: Operation) -> tuple[TopicState, int]:
        match operation.kind:
            case "create":
                return (state, 36) if state is not None else ((operation.argument, 0), 0)
            case "exists":
                return state, 36 if state is not None else 0
            case _ if state is None:
                return state, 3
            case "delete":
                return None, 0
            case "set":
                return (state[0], operation.argument), 0
            case "grow":
                grows = operation.argument > state[0]
                return ((operation.argument, state[1]), 0) if grows else (state, 37)
            case _:
                raise AssertionError(operation.kind)


class Administrators(Clients):
    """Ask the active controller, or who was it, one thing after the other, several at once."""

    def __init__(self, world: World, faults: Faults, calls: Calls) -> None:
        super().__init__(world, faults)
        self._calls = calls
        self.histories: dict[str, list[Call]] = {}
        self._value = 0
        self._first_name = 0

    def _append(self) -> None:
        """In place of an append of nonsense: something of an administrator's."""
        target = self._target()
        if target is None:
            self._world.idle += 1
            return
        name = f"topic-{self._first_name + self._rng.randrange(NAMES_AT_A_TIME)}"
        history = self.histories.setdefault(name, [])
        if len(history) >= CALLS_PER_NAME:
            self._first_name += 1
            return
        operation = self._draw()
        call = Call(operation=operation, called_at=self._world.now)
        history.append(call)
        request, result = _REQUESTS[operation.kind](name, operation.argument)

        def heard(answer: Message | None) -> None:
            code = None if answer is None else result(answer)
            if code is None or code in _UNKNOWN:
                return
            if code not in (0, 3, 36, 37):
                # Refused for a reason that is not the topic's own: too few brokers, for example. It was not done.
                history.remove(call)
                return
            call.answered_at, call.answer = self._world.now, code

        self._calls.send(None, target, request, heard)

    def begin(self) -> None:
        """Schedule the load."""
        super().begin()
        self._faults.repeat(MOVE_MS, self._move_replicas)
        self._faults.repeat(MOVE_MS, self._elect)

    def _move_replicas(self) -> None:
        """Reassign a partition to other brokers, or call off what is under way."""
        target = self._target()
        topics = [] if target is None else list(target.image.topics_in_order())
        if target is None or not topics:
            return
        topic, brokers = self._rng.choice(topics), sorted(target.image.brokers)
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


def _create(
    name: str, partitions: int, *, validate_only: bool = False
) -> tuple[Message, Callable[[Any], int]]:
    topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=partitions, replication_factor=2)

    def code(answer: CreateTopicsResponse) -> int:
        return answer.topics[0].error_code

    return CreateTopicsRequest(topics=[topic], timeout_ms=60_000, validate_only=validate_only), code


def _exists(name: str, _: int) -> tuple[Message, Callable[[Any], int]]:
    return _create(name, 1, validate_only=True)


def _delete(name: str, _: int) -> tuple[Message, Callable[[Any], int]]:
    def code(answer: DeleteTopicsResponse) -> int:
        return answer.responses[0].error_code

    return DeleteTopicsRequest(
        topics=[DeleteTopicsRequest.DeleteTopicState(name=name)], timeout_ms=60_000
    ), code


def _grow(name: str, partitions: int) -> tuple[Message, Callable[[Any], int]]:
    topic = CreatePartitionsRequest.CreatePartitionsTopic(name=name, count=partitions, assignments=None)

    def code(answer: CreatePartitionsResponse) -> int:
        return answer.results[0].error_code

    return CreatePartitionsRequest(topics=[topic], timeout_ms=60_000), code


def _set(
    name: str, value: int, *, resource_type: int = TOPIC_RESOURCE
) -> tuple[Message, Callable[[Any], int]]:
    config = IncrementalAlterConfigsRequest.AlterableConfig(name=_KEY, config_operation=0, value=str(value))
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=resource_type, resource_name=name, configs=[config]
    )

    def code(answer: IncrementalAlterConfigsResponse) -> int:
        return answer.responses[0].error_code

    return IncrementalAlterConfigsRequest(resources=[resource]), code


def _set_cluster(_: str, value: int) -> tuple[Message, Callable[[Any], int]]:
    config = IncrementalAlterConfigsRequest.AlterableConfig(
        name="log.retention.ms", config_operation=0, value=str(value)
    )
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=4, resource_name="", configs=[config]
    )

    def code(answer: IncrementalAlterConfigsResponse) -> int:
        return answer.responses[0].error_code

    return IncrementalAlterConfigsRequest(resources=[resource]), code


_REQUESTS: dict[str, Callable[[str, int], tuple[Message, Callable[[Any], int]]]] = {
    "create": _create,
    "exists": _exists,
    "delete": _delete,
    "grow": _grow,
    "set": _set,
    "set-cluster": _set_cluster,
}
