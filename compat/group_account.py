"""What the members of a group say happened to them, and whether that is right.

A member is a program that prints its events as lines of JSON (compat/README.md): partitions that it was assigned and
that were revoked, records that it read, and offsets that it committed. Each has the wall clock's milliseconds, which
are those of one machine.

A member that does not reach its coordinator for the time of its session is expelled, and goes on with what it has until
it hears of that. So it may read what another member has committed since; it can commit none of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import msgspec

SILENT_MS = 5_000.0
"""A member that was silent for so long may have been expelled: its session is 6 s from its last heartbeat, which may be
somewhat earlier than what it has said last."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a member."""

    at_ms: float
    what: str
    """assigned, revoked, read, committed or failed: a commit that a rebalance has refused."""
    partitions: list[int] = []
    partition: int = -1
    offset: int = -1
    """Of the record that was read, or the offset that was committed."""
    value: int = -1
    error: str = ""


@dataclass(slots=True, kw_only=True)
class History:
    """All that a member has said."""

    name: str
    events: list[Event] = field(default_factory=list)
    ended_ms: float | None = None
    """When it was killed, or had left; None while it runs."""

    def owned(self) -> set[int]:
        """The partitions that it has now."""
        if self.ended_ms is not None:
            return set()
        found: set[int] = set()
        for each in self.events:
            if each.what == "assigned":
                found |= {*each.partitions}
            elif each.what == "revoked":
                found -= {*each.partitions}
        return found

    def expelled(self) -> Iterator[tuple[float, float]]:
        """The times in which it may have been no member without knowing it, each with its begin and its end."""
        last_ms, begin_ms = float("inf"), None
        for each in self.events:
            if each.what == "read":
                continue
            if begin_ms is None and each.at_ms - last_ms >= SILENT_MS and each.what in ("failed", "revoked"):
                begin_ms = last_ms + SILENT_MS
            if each.what == "committed":
                # It was a member all the time.
                begin_ms = None
            elif begin_ms is not None and each.what in ("revoked", "assigned"):
                yield begin_ms, each.at_ms
                begin_ms = None
            last_ms = each.at_ms
        if self.ended_ms is not None and (begin_ms is not None or self.ended_ms - last_ms >= SILENT_MS):
            yield last_ms + SILENT_MS if begin_ms is None else begin_ms, self.ended_ms

    def read_since(self, event: int) -> Iterator[int]:
        """The values that it has read from this one of its events on."""
        # It may get more of them meanwhile.
        return (each.value for each in self.events[event:] if each.what == "read")

    def tenures(self) -> Iterator[tuple[int, float, float]]:
        """Each partition that it had, with its begin and its end."""
        begun: dict[int, float] = {}
        end_ms = float("inf") if self.ended_ms is None else self.ended_ms
        for each in self.events:
            for partition in each.partitions:
                if each.what == "assigned":
                    begun.setdefault(partition, each.at_ms)
                elif partition in begun:
                    yield partition, begun.pop(partition), each.at_ms
        yield from ((partition, since_ms, end_ms) for partition, since_ms in begun.items())


def shared(members: Collection[History], partitions: int) -> bool:
    """Whether each partition has one of these members, and each member one partition or more."""
    owned = [each.owned() for each in members]
    return all(owned) and sorted(each for some in owned for each in some) == [*range(partitions)]


def values_read(members: Collection[History]) -> set[int]:
    """The values that were read by any of them."""
    return {each.value for member in members for each in member.events if each.what == "read"}


def problems(members: Collection[History], written: Collection[int]) -> list[str]:
    """What is wrong: values that nobody read, records that were read after they were committed, partitions with two
    owners at a time."""
    unread = {*written} - values_read(members)
    return [
        *([f"{len(unread)} records were not read, first {min(unread)}"] if unread else []),
        *_read_again(members),
        *_two_owners(members),
    ]


def copy_problems(copied: Sequence[int], written: Collection[int]) -> list[str]:
    """What is wrong with a topic into which each value was to be copied once."""
    missing, doubled = {*written} - {*copied}, len(copied) - len({*copied})
    return [
        *([f"{len(missing)} records were not copied, first {min(missing)}"] if missing else []),
        *([f"{doubled} records were copied again"] if doubled else []),
    ]


def _read_again(members: Collection[History]) -> Iterator[str]:
    events = sorted(((event, each.name) for each in members for event in each.events), key=_time)
    expelled = {each.name: [*each.expelled()] for each in members}
    done: dict[int, int] = {}
    for event, name in events:
        if any(begin_ms <= event.at_ms <= end_ms for begin_ms, end_ms in expelled[name]):
            continue
        if event.what == "committed":
            done[event.partition] = max(done.get(event.partition, 0), event.offset)
        elif event.what == "read" and event.offset < done.get(event.partition, 0):
            yield (
                f"{name} read {event.partition}/{event.offset} again, which was committed up to"
                f" {done[event.partition]}"
            )


def _time(event_and_name: tuple[Event, str]) -> tuple[float, bool]:
    # What was read in the same moment was read before.
    event, _ = event_and_name
    return event.at_ms, event.what != "read"


def _two_owners(members: Collection[History]) -> Iterator[str]:
    tenures = sorted(
        (partition, begin_ms, end_ms, each.name)
        for each in members
        for partition, begin_ms, end_ms in each.tenures()
    )
    expelled = {each.name: [*each.expelled()] for each in members}
    for (partition, _, end_ms, name), (other, begin_ms, _, next_name) in pairwise(tenures):
        if any(since_ms <= begin_ms <= until_ms for since_ms, until_ms in expelled[name]):
            continue
        if partition == other and begin_ms < end_ms:
            yield f"{name} and {next_name} had partition {partition} for {end_ms - begin_ms:.1f} ms"


def parse(line: bytes) -> Event:
    """An event of a member's output; raises msgspec.ValidationError or DecodeError."""
    return msgspec.json.decode(line, type=Event)


def counts(members: Collection[History]) -> Mapping[str, Any]:
    """How often each event came, for a table."""
    found: dict[str, int] = {}
    for member in members:
        for each in member.events:
            found[each.what] = found.get(each.what, 0) + 1
    return found
