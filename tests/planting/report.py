"""What is printed of many faults: a table by room, and each that nobody noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from tests.planting.campaign import is_for_nodes
from tests.planting.faults import Fault, find
from tests.planting.recording import Recording
from tests.planting.results import Results
from tests.planting.rooms import ROOMS, room_of

MOST_TESTS = 5
"""That are named for a fault."""


def places(faults: Sequence[Fault]) -> str:
    """So many places there are, by room and by operator."""
    rooms = Counter(room_of(each.path).name for each in faults)
    operators = Counter(each.operator for each in faults)
    return (
        f"{len(faults):,} places: {', '.join(f'{count:,} {name}' for name, count in rooms.most_common())}\n"
        f"by operator: {', '.join(f'{count:,} {name}' for name, count in operators.most_common())}"
    )


class Summary:
    """What came of some faults."""

    def __init__(self, faults: Sequence[Fault], judged: Collection[Fault], results: Results) -> None:
        self._faults = faults
        self._judged = judged
        self._results = results
        self.survivors = [each for each in faults if self._fate(each) == "survivor"]

    def __str__(self) -> str:
        return "\n".join(
            [*self._table(), *(line for each in self.survivors for line in self._survivor(each))]
        )

    def _fate(self, fault: Fault) -> str:
        if fault in self._judged:
            return "equivalent"
        outcome = self._results.quick(fault)
        if outcome is None:
            return "unfit"
        if not is_for_nodes(fault, self._results):
            return "quick"
        nodes = self._results.nodes(fault)
        return "survivor" if nodes is None or nodes.noticed_by is None else "nodes"

    def _table(self) -> Iterator[str]:
        columns = ("quick", "nodes", "equivalent", "survivor")
        by_room: dict[str, Counter[str]] = {name: Counter() for name in ROOMS}
        for fault in self._faults:
            by_room[room_of(fault.path).name][self._fate(fault)] += 1
        yield f"{'':20} {'planted':>10} " + " ".join(f"{column:>10}" for column in columns)
        total: Counter[str] = Counter()
        for name, counts in by_room.items():
            if counts:
                yield _row(name, counts, columns)
                total += counts
        yield _row("all", total, columns)
        if total["unfit"]:
            yield f"{total['unfit']} could not be planted"
        tried = [each for each in self._faults if each not in self._judged]
        quick = [outcome for each in tried if (outcome := self._results.quick(each)) is not None]
        nodes = [found for each in tried if (found := self._results.nodes(each)) is not None]
        yield (
            f"{sum(each.seconds for each in quick):,.1f} s of processor time in quick tests,"
            f" {sum(each.seconds for each in nodes):,.1f} s in whole nodes"
        )

    def _survivor(self, fault: Fault) -> Iterator[str]:
        site = find(fault)
        yield f"\nserver/kafkaproto_server/{fault.path}:{site.first_line}: {fault.operator}"
        yield f"    {fault.text}  ->  {site.change.after}"
        yield f"    {fault}"
        tests = Recording.load(self._results.recording_path(room_of(fault.path))).tests_of(site)
        more = f" and {len(tests) - MOST_TESTS} more" if len(tests) > MOST_TESTS else ""
        yield f"    tests that run it: {', '.join(tests[:MOST_TESTS]) or 'none'}{more}"
        nodes = self._results.nodes(fault)
        if nodes is not None:
            yield f"    {nodes.seeds} seeds ran it {nodes.times:,} times"


def _row(name: str, counts: Counter[str], columns: Sequence[str]) -> str:
    planted = sum(counts.values()) - counts["unfit"]
    return f"{name:20} {planted:10,} " + " ".join(f"{counts[column]:10,}" for column in columns)
