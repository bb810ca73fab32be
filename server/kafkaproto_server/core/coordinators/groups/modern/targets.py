"""A new target assignment: what it is made from, and the records that keep it.

Apache Kafka has this in TargetAssignmentBuilder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

from kafkaproto_server.core.coordinators.values import Record

TargetT = TypeVar("TargetT")


class _StaticMember(Protocol):
    @property
    def instance_id(self) -> str | None:
        """That of a static member."""


class Question(Protocol):
    """What targets are made from. None of it changes, so that another thread may answer."""

    @property
    def size(self) -> int:
        """To which the time for an answer is about proportional."""

    def for_present(self, targets: Mapping[str, Any], members: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer for those who are members by now."""


class TargetWriter(NamedTuple):
    """Makes the records of one kind of group."""

    target: Callable[[str, str, Any], Record]
    """Of the group, the member, and its target."""
    epoch: Callable[[str, int, int], Record]
    """Of the group, the assignment epoch, and the wall time."""


def targets_for_present(
    targets: Mapping[str, TargetT], before: Mapping[str, _StaticMember], members: Mapping[str, _StaticMember]
) -> dict[str, TargetT]:
    """The targets of those who are members by now, of those made for the members before. A static member may have
    another id than it had."""
    static_ids = {each.instance_id: member_id for member_id, each in before.items()}
    found = {}
    for member_id, member in members.items():
        then = member_id if member_id in targets else None
        if then is None and member.instance_id is not None:
            then = static_ids.get(member.instance_id)
        if then is not None:
            found[member_id] = targets[then]
    return found


def records_of_targets(
    write: TargetWriter,
    group_id: str,
    before: Mapping[str, TargetT],
    targets: Mapping[str, TargetT],
    epoch: int,
    wall_ms: int,
) -> list[Record]:
    """Records for those members whose target is another one than ``before``, and the epoch behind them: with it, all
    are there."""
    records = [
        write.target(group_id, member_id, target)
        for member_id, target in targets.items()
        if before.get(member_id) != target
    ]
    records.append(write.epoch(group_id, epoch, wall_ms))
    return records
