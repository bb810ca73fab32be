"""Members of streams groups by raw requests, and what came back in a form that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from compat.node import Node
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.message import Message

OWN_WORDS = ("error_message", "status_detail", "throttle_time_ms", "unknown_tags")
"""What each server says in its own words, or what depends on time."""
WAIT_S = 60.0
STARTS = {14, 15, 16}
"""What a coordinator says that is about to begin."""

Heartbeat = kafka.StreamsGroupHeartbeatRequest


def plain(value: Any) -> Any:
    """A message as dictionaries and sorted lists: most are in no order."""
    if isinstance(value, list):
        return sorted((plain(each) for each in value), key=repr)
    if not hasattr(type(value), "__slots__") or isinstance(value, str | bytes | int):
        return bytes(value) if isinstance(value, memoryview) else value
    names = (name for name in type(value).__slots__ if name not in OWN_WORDS)
    return {name: plain(getattr(value, name)) for name in names}


class Talk:
    """Requests to one node, and what came back."""

    def __init__(self, node: Node) -> None:
        self.probe = Probe(node.bootstrap_server)
        self.told: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.probe.__exit__(None, None, None)

    def ask(self, request: Message, version: int) -> Any:
        """Send a request; note and return the response."""
        response = self.probe.ask(request, version)
        self.told.append(f"{plain(request)} v{version}: {request.NAME} {plain(response)}")
        return response

    def beat(self, group: str, member: str, epoch: int, version: int = 1, **fields: Any) -> Any:
        """A heartbeat; a member that joins says what it has to say."""
        values: dict[str, Any] = {"group_id": group, "member_id": member, "member_epoch": epoch}
        if epoch == 0:
            values |= {
                "rebalance_timeout_ms": 30_000,
                "process_id": f"p-{member}",
                "active_tasks": [],
                "standby_tasks": [],
                "warmup_tasks": [],
                "endpoint_information_epoch": -1,
            }
        return self.ask(Heartbeat(**{**values, **fields}), version)


def topology(*subtopologies: Heartbeat.Subtopology, epoch: int = 1) -> Heartbeat.Topology:
    """The topology of an application."""
    return Heartbeat.Topology(epoch=epoch, subtopologies=list(subtopologies))


def subtopology(
    subtopology_id: str,
    sources: Sequence[str] = (),
    *,
    changelogs: Iterable[str] = (),
    sinks: Iterable[str] = (),
    repartition: Mapping[str, int] | None = None,
    copartition: Iterable[tuple[list[int], list[int]]] = (),
    configs: Mapping[str, str] | None = None,
) -> Heartbeat.Subtopology:
    """A subtopology; ``copartition`` has indexes of source and repartition topics."""
    told = [Heartbeat.KeyValue(key=key, value=value) for key, value in (configs or {}).items()]

    def info(name: str, partitions: int) -> Heartbeat.TopicInfo:
        return Heartbeat.TopicInfo(name=name, partitions=partitions, replication_factor=1, topic_configs=told)

    return Heartbeat.Subtopology(
        subtopology_id=subtopology_id,
        source_topics=list(sources),
        state_changelog_topics=[info(each, 0) for each in changelogs],
        repartition_sink_topics=list(sinks),
        repartition_source_topics=[info(name, count) for name, count in (repartition or {}).items()],
        copartition_groups=[
            Heartbeat.CopartitionGroup(source_topics=plain_sources, repartition_source_topics=repartitioned)
            for plain_sources, repartitioned in copartition
        ],
    )


def wait_for_coordinator(node: Node) -> None:
    """Until the node coordinates all groups."""

    def is_coordinated() -> bool:
        with Probe(node.bootstrap_server) as probe:
            found: Any = probe.ask(kafka.FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]), 4)
            listed: Any = probe.ask(kafka.ListGroupsRequest(), 4)
            if found.coordinators[0].error_code or listed.error_code:
                return False
            groups = [kafka.OffsetFetchRequest.Group(group_id=each, topics=None) for each in "abcdefg"]
            offsets: Any = probe.ask(kafka.OffsetFetchRequest(groups=groups), 8)
            return not {each.error_code for each in offsets.groups} & STARTS

    wait_until(is_coordinated, WAIT_S, "a coordinator")


def differences(stock: Talk, ours: Talk) -> str:
    """What both said where it is not the same."""
    assert len(stock.told) == len(ours.told)
    pairs = zip(stock.told, ours.told, strict=True)
    return "\n\n".join(f"stock {one}\nours  {other}" for one, other in pairs if one != other)
