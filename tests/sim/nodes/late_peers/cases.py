"""What a case of a late request is: a request in order, the one field of it that is wrong, and the errors that are
right answers.

Kafka refuses each of these requests whoever leads and whatever has failed: what is wrong with it stays wrong. So an
older epoch is older than one that was seen, and a newer one is so far ahead that nothing of a run reaches it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.metadata.image.entries import PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.sim.nodes.data.logs import PREFIX
from tests.sim.nodes.host import BROKER_PORT, CONTROLLER_PORT, Host

UNKNOWN_ID = 9000
"""Of a node that nobody has."""
UNKNOWN_INDEX = 9999
"""Of a partition that no topic has."""
UNKNOWN_UUID = b"late" * 4
"""Of a topic, a directory or an incarnation that nobody has."""
FAR = 1_000_000
"""No epoch of a run gets ahead by so much."""
BEYOND = 2**62
"""No log gets so long."""
_AT_THE_LEADER = 0.75
"""The part of the requests to controllers that go to the active one."""
_AT_BROKERS = 0.4
"""The part of an administrator's requests that brokers pass on to the controller."""

ALWAYS_RIGHT = frozenset(
    {
        ErrorCode.NOT_CONTROLLER,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)
"""What a cluster may respond to anything while it fails over."""


class NotNowError(Exception):
    """The case has to wait: what it is about is not there, or does not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request to a node."""

    host: Host
    port: int
    request: Any
    opening: Message | None = None
    """Sent before, in the newest version."""
    take: Callable[[Any, Any], None] = lambda request, response: None
    """Puts into the request what the response to the opening one says."""


class Known:
    """What somebody knows of a cluster: the metadata that a node shows, and who runs."""

    def __init__(self, hosts: Sequence[Host], image: ClusterImage, rng: random.Random) -> None:
        self.image = image
        self.rng = rng
        self._hosts = [host for host in hosts if host.quorum is not None]
        self.all_hosts = hosts

    def controller(self) -> Host:
        """A controller, mostly the active one. Raises NotNowError."""
        running = [host for host in self._hosts if host.is_controller]
        leading = [host for host in running if host.leads]
        if leading and self.rng.random() < _AT_THE_LEADER:
            return leading[-1]
        return self._one_of(running)

    def broker(self, broker_id: int) -> Host:
        """A broker. Raises NotNowError if it does not run."""
        return self._one_of([host for host in self._hosts if host.is_broker and host.id == broker_id])

    def anywhere(self) -> tuple[Host, int]:
        """A node that takes requests of administrators, and its port. Raises NotNowError."""
        if self.rng.random() < _AT_BROKERS:
            return self._one_of([host for host in self._hosts if host.is_broker]), BROKER_PORT
        return self.controller(), CONTROLLER_PORT

    def has_kraft_version(self) -> bool:
        """Whether all nodes that run know a kraft.version above 0, and nobody could be asked that does not."""
        quorums = [host.quorum for host in self.all_hosts if host.is_controller]
        return all(quorum is not None and quorum.kraft_version > 0 for quorum in quorums)

    def partition(self) -> tuple[TopicImage, int, PartitionImage]:
        """One with records, whose leader and ISR are registered. Raises NotNowError."""
        topic = self.image.topic_by_name(f"{PREFIX}{self.rng.choice(('one', 'two'))}")
        if topic is None:
            raise NotNowError
        index, partition = self.rng.choice(list(topic.partitions_in_order()))
        named = (partition.leader, *partition.isr)
        if partition.leader == NO_NODE or not all(each in self.image.brokers for each in named):
            raise NotNowError
        return topic, index, partition

    @staticmethod
    def epoch_at(host: Host, topic: TopicImage, index: int) -> int:
        """The leader epoch in which a broker has a replica; within one life it never goes back. What the metadata say
        may be newer. Raises NotNowError if it has none."""
        data = None if host.node is None else host.node._broker
        hosted = None if data is None else data.manager.replicas.get(topic.topic_id, index)
        if hosted is None or hosted.partition.leader_epoch < 0:
            raise NotNowError
        return hosted.partition.leader_epoch

    def _one_of(self, hosts: Sequence[Host]) -> Host:
        if not hosts:
            raise NotNowError
        return self.rng.choice(hosts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A request with nothing wrong."""

    make: Callable[[Known], Asked]
    """Raises NotNowError."""
    errors: tuple[ErrorCode, ...] = ()
    """Right answers to any such request: what it was right about is over."""


Change = Callable[[Any, Known, Host], Any]
"""The wrong value of a field, made of the right one. Raises NotNowError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A request with one wrong field."""

    base: Base
    name: str
    """Request, field, and what is wrong with it."""
    path: str
    """The field; of lists, of the first element. Empty if the request as a whole is wrong."""
    change: Change
    errors: frozenset[ErrorCode]
    version: int | None = None
    """None for the newest one."""

    def ask(self, known: Known) -> Asked:
        """The request. Raises NotNowError."""
        asked = self.base.make(known)
        if self.path:
            *path, last = self.path.split(".")
            place = asked.request
            for each in path:
                place = _first(getattr(place, each))
            setattr(place, last, self.change(getattr(place, last), known, asked.host))
        return asked


def _first(found: Any) -> Any:
    if not isinstance(found, list):
        return found
    if not found:
        raise NotNowError
    return found[0]


def cases(
    request: str,
    base: Base,
    *rows: tuple[str, str, Change, tuple[ErrorCode, ...]],
    version: int | None = None,
) -> list[Case]:
    """Cases of one request. Each row has the field, what is wrong with it, its wrong value, and what Kafka responds."""
    return [
        Case(
            base=base,
            name=" ".join(filter(None, (request, path, what))),
            path=path,
            change=change,
            errors=frozenset((*errors, *base.errors)) | ALWAYS_RIGHT,
            version=version,
        )
        for path, what, change, errors in rows
    ]


# -- wrong values --------------------------------------------------------------------------------------------------


def older(right: int, known: Known, host: Host) -> int:
    """Of an epoch. -1 stands for any."""
    return right - 1 if right > 0 else -7


def newer(right: int, known: Known, host: Host) -> int:
    """Of an epoch."""
    return right + FAR


def twice(right: Sequence[Any], known: Known, host: Host) -> list[Any]:
    """The elements twice, if there are any."""
    if not right:
        raise NotNowError
    return [*right, *right]


def same(right: Any, known: Known, host: Host) -> Any:
    """As it is: it is wrong."""
    return right


def of_receiver(right: int, known: Known, host: Host) -> int:
    """The id of the node that is asked."""
    return host.id


def to(wrong: Any) -> Change:
    """Always the same value."""
    return lambda right, known, host: wrong
