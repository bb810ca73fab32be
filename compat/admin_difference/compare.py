"""Runs one sequence of operations against both controllers and says where they part."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from compat.admin_difference.explained import explanation
from compat.admin_difference.side import Side
from compat.admin_difference.state import Key, State
from compat.kafka.stock import StockNode
from compat.ours import OurNode
from kafkaproto.message import Message


@dataclass(frozen=True, slots=True)
class Operation:
    """A request that is made for each controller anew, because epochs and ids are its own."""

    name: str
    """What the generator calls it."""
    build: Callable[[State], Message]
    """Does the same whenever it is called with the same state."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What one operation came to, where that is not the same."""

    number: int
    """Of the operation in its sequence."""
    operation: Operation
    request: Message
    """As our controller was asked."""
    ours: object
    stock: object
    """Answers; both None where only the states differ."""
    states: tuple[tuple[Key, object, object], ...]
    """Entries that have come to differ: the key, ours, the stock controller's."""

    def __str__(self) -> str:
        version = type(self.request).MAX_VERSION
        lines = [
            f"operation {self.number} {self.operation.name}: "
            f"{self.request.NAME} {self.request.to_json(version)}"
        ]
        if self.ours != self.stock:
            lines += [f"  ours  answers {self.ours}", f"  stock answers {self.stock}"]
        for key, ours, stock in self.states:
            lines += [f"  {key}", f"    ours:  {ours}", f"    stock: {stock}"]
        return "\n".join(lines)


@dataclass(slots=True)
class DifferenceResult:
    """What a sequence came to."""

    differences: list[Difference] = field(default_factory=list)
    """Those without an explanation; the operations after a difference in state are not carried out."""
    explained: Counter[str] = field(default_factory=Counter)
    """How often each explanation was used."""
    responses: Counter[str] = field(default_factory=Counter)
    """How often each request was answered alike, by name and by whether something in it was refused."""
    entries: int = 0
    """Entries of the final state, equal on both sides."""
    not_served: Counter[str] = field(default_factory=Counter)
    """Requests that only the stock controller serves, which were left out."""


def states_apart(ours: State, stock: State) -> tuple[tuple[Key, object, object], ...]:
    """The entries that differ; what is missing is None."""
    if ours.entries == stock.entries:
        return ()
    return tuple(
        (key, ours.entries.get(key), stock.entries.get(key))
        for key in sorted(ours.entries.keys() | stock.entries.keys(), key=repr)
        if ours.entries.get(key) != stock.entries.get(key)
    )


def _is_refusal(response: object) -> bool:
    if isinstance(response, dict):
        return response.get("errorCode", "NONE") != "NONE" or any(map(_is_refusal, response.values()))
    return isinstance(response, list) and any(map(_is_refusal, response))


def run(operations: Sequence[Operation], folder: Path, *, most_differences: int = 1) -> DifferenceResult:
    """Carries the operations out on two fresh controllers whose files lie in `folder`."""
    with ThreadPoolExecutor(2) as pool:
        starting = [
            pool.submit(Side, node_class, folder / node_class.kind) for node_class in (OurNode, StockNode)
        ]
        sides = [side.result() for side in starting if side.exception() is None]
    try:
        ours, stock = (side.result() for side in starting)
        return _run(operations, ours, stock, most_differences)
    finally:
        for side in sides:
            side.close()


def _run(operations: Sequence[Operation], ours: Side, stock: Side, most_differences: int) -> DifferenceResult:
    outcome = DifferenceResult()
    assert not (apart := states_apart(ours.state, stock.state)), f"they begin apart: {apart}"
    for number, operation in enumerate(operations):
        request = operation.build(ours.state)
        assert request.API_KEY is not None
        if not ours.serves(request.API_KEY):
            outcome.not_served[request.NAME] += 1
            continue
        responses = ours.ask(request), stock.ask(operation.build(stock.state))
        apart = states_apart(ours.state, stock.state)
        if not apart and responses[0] == responses[1]:
            verdict = "refused" if _is_refusal(responses[0]) else "done"
            outcome.responses[f"{request.NAME} {verdict}"] += 1
            continue
        reason = None if apart else explanation(request, *responses)
        if reason is not None:
            outcome.explained[reason] += 1
            continue
        outcome.differences.append(Difference(number, operation, request, *responses, apart))
        if apart or len(outcome.differences) >= most_differences:
            break
    outcome.entries = len(ours.state.entries)
    return outcome


def shrink(operations: Sequence[Operation], request_name: str, *, most_runs: int = 40) -> list[Operation]:
    """A shorter sequence whose end still parts them by such a request, by leaving out ever smaller pieces."""
    kept = list(operations)
    size = len(kept) // 2
    runs = 0
    while size and runs < most_runs:
        start = 0
        while start < len(kept) and runs < most_runs:
            fewer = kept[:start] + kept[start + size :]
            runs += 1
            if (number := _parted_by(fewer, request_name)) is None:
                start += size
            else:
                kept = fewer[: number + 1]
        size = min(size // 2, len(kept) // 2)
    return kept


def _parted_by(operations: Sequence[Operation], request_name: str) -> int | None:
    with tempfile.TemporaryDirectory(prefix="admin-difference-") as folder:
        differences = run(operations, Path(folder), most_differences=len(operations)).differences
    return next((one.number for one in differences if request_name == one.request.NAME), None)
