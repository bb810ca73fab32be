"""What the probes of `tests.sim.rules.probes` call while the product runs: they count at which moments a rule decides.

An operand decides if the whole condition would have another value without it. What stands behind the operand that has
decided was not evaluated. It is then looked at here, as a *shadow*, if that has no effects. If it cannot be looked at,
the operand *may* have decided. A shadow that raises counts for nothing: the function would have ended there.

A whole condition decides in a run in which it has both values, a ``min`` or ``max`` in a run in which its first
argument and another one have been the result. The rarer of the two are the moments at which it decides.

A run evaluates these conditions millions of times. So what the leaves of a condition say about its operands is worked
out once for all combinations that occur, and nothing is looked at for an operand that has decided often enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

ENOUGH = 20
"""If shadows have shown so often that an operand decides, in one run and during the same faults, it is enough."""


class Found(NamedTuple):
    """What became of one rule in one run."""

    reached: int
    """How often its expression was evaluated."""
    decisive: int
    """How often it was seen to decide."""
    maybe: int
    """How often it may have decided."""
    during: tuple[str, ...]
    """What else was going on when it decided, in order."""


class Count:
    """What is counted for one rule."""

    __slots__ = ("_last", "_times", "during", "maybe", "reached", "sides")

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin to count."""
        self.reached = 0
        self.maybe = 0
        self.sides = [0, 0]
        """How often it had either value. An operand decides at moments of the second kind."""
        self.during: tuple[set[str], set[str]] = (set(), set())
        """What was going on at those moments."""
        self._last: list[Sequence[str]] = [(), ()]
        self._times = 0

    def note(self, side: int, active: Sequence[str]) -> None:
        """It has decided, or has one of its two values. ``active`` is what is going on."""
        self.sides[side] += 1
        if active is not self._last[side]:
            self._last[side] = active
            self.during[side].update(active)
            self._times = 0
        self._times += side

    def is_enough(self, active: Sequence[str]) -> bool:
        """Whether an operand has decided often enough while this goes on."""
        return self._times >= ENOUGH and active is self._last[1]

    def found(self, *, needs_both: bool) -> Found:
        """The sum of a run. ``needs_both``: it decides only if it had both values."""
        side = 0 if needs_both and self.sides[0] < self.sides[1] else 1
        return Found(self.reached, self.sides[side], self.maybe, tuple(sorted(self.during[side])))


class Leaf(NamedTuple):
    """A part of a condition that has no operands."""

    number: int
    shadow: CodeType | None
    """None if to look at it may have effects."""


class Negation(NamedTuple):
    """``not``"""

    operand: Part


class Junction(NamedTuple):
    """``and``, ``or``"""

    operands: Sequence[Part]
    is_and: bool


Part: TypeAlias = Leaf | Negation | Junction


class Operand(NamedTuple):
    """An operand with a rule."""

    tally: Count
    part: Part
    neutral: bool
    """What takes its place if it is taken away."""


class Outcome(NamedTuple):
    """What the values of the leaves say about the operands."""

    reached: list[Count]
    """Of operands that were evaluated."""
    decided: list[Count]
    maybe: list[Count]
    """Of operands that may have decided, and of which nothing can be looked at."""
    open: list[Operand]
    """Those that shadows have to be looked at for."""


class Condition(NamedTuple):
    """A condition some of whose operands have rules."""

    whole: Part
    leaves: Sequence[Leaf]
    operands: Sequence[Operand]
    names: dict[str, Any]
    """The globals of its module."""
    outcomes: dict[tuple[bool | None, ...], Outcome]
    """By the values of the leaves; None for those that were not evaluated."""

    def outcome_of(self, seen: tuple[bool | None, ...]) -> Outcome:
        """What these values say."""
        found = self.outcomes.get(seen)
        if found is None:
            found = self.outcomes[seen] = self._work_out(seen)
        return found

    def _work_out(self, seen: tuple[bool | None, ...]) -> Outcome:
        outcome = Outcome([], [], [], [])
        whole = value_of(self.whole, lambda leaf: seen[leaf.number])
        can_look = any(value is None and leaf.shadow for value, leaf in zip(seen, self.leaves, strict=True))
        for operand in self.operands:
            own = value_of(operand.part, lambda leaf: seen[leaf.number])
            if own is None:
                continue
            outcome.reached.append(operand.tally)
            if own is operand.neutral:
                # The condition is the same without it.
                continue
            without = value_of(self.whole, lambda leaf: seen[leaf.number], operand.part, operand.neutral)
            if without is None and can_look:
                outcome.open.append(operand)
            elif without is None:
                outcome.maybe.append(operand.tally)
            elif without is not whole:
                outcome.decided.append(operand.tally)
        return outcome


class _ShadowRaised(Exception):
    """A part that was not evaluated raises if it is."""


def value_of(
    part: Part, read: Callable[[Leaf], bool | None], without: Part | None = None, neutral: bool = False
) -> bool | None:
    """The truth of a part of a condition; None if it cannot be told. ``read`` has that of its leaves. ``neutral`` takes
    the place of the part ``without``."""
    if part is without:
        return neutral
    if isinstance(part, Leaf):
        return read(part)
    if isinstance(part, Negation):
        value = value_of(part.operand, read, without, neutral)
        return None if value is None else not value
    is_told = True
    for each in part.operands:
        value = value_of(each, read, without, neutral)
        if value is None:
            is_told = False
        elif value is not part.is_and:
            return value
    return part.is_and if is_told else None


class Moment:
    """One evaluation of a condition."""

    __slots__ = ("_condition", "_open", "_recorder", "_seen", "_value")

    def __init__(self, recorder: Recorder, condition: Condition) -> None:
        self._recorder = recorder
        self._condition = condition
        self._seen: list[bool | None] = [None] * len(condition.leaves)
        self._open: list[Operand] = []
        self._value: Any = None

    def saw(self, index: int, value: Any) -> Any:
        """A leaf was evaluated. Returns its value."""
        self._seen[index] = bool(value)
        return value

    def ends(self, value: Any) -> bool:
        """The whole condition was evaluated. Returns whether no shadow has to be looked at."""
        self._value = value
        recorder = self._recorder
        if recorder.is_looking:
            return True
        reached, decided, maybe, is_open = self._condition.outcome_of(tuple(self._seen))
        for count in reached:
            count.reached += 1
        for count in maybe:
            count.maybe += 1
        if decided or is_open:
            active = recorder.active()
            for count in decided:
                count.note(1, active)
            self._open = [each for each in is_open if not each.tally.is_enough(active)]
        return not self._open

    def value(self) -> Any:
        """That of the whole condition. It is kept no longer: the function may run for ever."""
        value, self._value = self._value, None
        return value

    def looked(self, names: Mapping[str, Any]) -> Any:
        """As `value`, after a look at shadows; ``names`` are the local names of the function."""
        whole, active = bool(self._value), self._recorder.active()
        shadows: dict[int, bool | None] = {}

        def read(leaf: Leaf) -> bool | None:
            seen = self._seen[leaf.number]
            if seen is not None:
                return seen
            if leaf.number not in shadows:
                shadows[leaf.number] = self._look(leaf, names)
            return shadows[leaf.number]

        with self._recorder.looking():
            for operand in self._open:
                try:
                    without = value_of(self._condition.whole, read, operand.part, operand.neutral)
                except _ShadowRaised:
                    continue
                if without is None:
                    operand.tally.maybe += 1
                elif without is not whole:
                    operand.tally.note(1, active)
        return self.value()

    def _look(self, leaf: Leaf, names: Mapping[str, Any]) -> bool | None:
        if leaf.shadow is None:
            return None
        try:
            return bool(eval(leaf.shadow, self._condition.names, names))
        except Exception as error:
            raise _ShadowRaised from error


class Recorder:
    """Counts for all rules, in one process. The changed code calls it by a global name of its modules."""

    def __init__(self) -> None:
        self.conditions: list[Condition] = []
        self.counts: list[Count] = []
        """Of whole conditions and of ``min`` and ``max``."""
        self.active: Callable[[], Sequence[str]] = tuple
        """What is going on beside the product: the same object for as long as it is the same."""
        self.unnoticed: Callable[[], AbstractContextManager[None]] = nullcontext
        """What is done around looks at shadows, so that the clocks of a run do not notice them."""
        self.is_looking = False
        """Whether shadows are looked at: nothing counts meanwhile."""
        self._of_rules: dict[str, tuple[Count, bool]] = {}

    def count_of(self, key: str, *, needs_both: bool) -> Count:
        """A new count, for the rule with this key."""
        assert key not in self._of_rules, "a rule has one row"
        count = Count()
        self._of_rules[key] = count, needs_both
        return count

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Shadows are looked at."""
        self.is_looking = True
        try:
            with self.unnoticed():
                yield
        finally:
            self.is_looking = False

    def found(self) -> dict[str, Found]:
        """What became of the rules that were reached since the last call, by their keys."""
        found = {}
        for key, (count, needs_both) in self._of_rules.items():
            if count.reached:
                found[key] = count.found(needs_both=needs_both)
                count.begin()
        return found

    # The rest is what changed code calls.

    def moment(self, index: int) -> Moment:
        """The evaluation of a condition begins."""
        return Moment(self, self.conditions[index])

    def whole(self, index: int, value: Any) -> Any:
        """A whole condition was evaluated. Returns its value."""
        if not self.is_looking:
            count = self.counts[index]
            count.reached += 1
            count.note(bool(value), self.active())
        return value

    def extreme(self, index: int, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
        """Call ``min`` or ``max``."""
        values = list(arguments[0]) if len(arguments) == 1 else list(arguments)
        result = function(values, **options)
        if not self.is_looking:
            count = self.counts[index]
            count.reached += 1
            if len(values) > 1 and values.count(result) == 1:
                count.note(values[0] != result, self.active())
        return result
