"""How counters have changed recently: compares their present values with earlier ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping


class Window:
    """Earlier values of some counters. The oldest ones are about as old as the window is long."""

    def __init__(self, looks: int) -> None:
        """``looks`` is the number of earlier readings that are kept."""
        self._looks: deque[tuple[float, Mapping[str, float]]] = deque(maxlen=looks)

    def look(self, at_s: float, counters: Mapping[str, float]) -> None:
        """Store the present values of the counters."""
        self._looks.append((at_s, counters))

    def rate(self, name: str, at_s: float, counters: Mapping[str, float]) -> float:
        """The growth of a counter per second, from the oldest reading to ``counters``, which are the present values."""
        begin_s, before = self._looks[0]
        if at_s <= begin_s:
            return 0.0
        return _growth(name, before, counters) / (at_s - begin_s)

    def ratio(self, part: str, whole: str, counters: Mapping[str, float]) -> float:
        """The growth of one counter divided by that of another; NaN if that has not grown."""
        _, before = self._looks[0]
        growth = _growth(whole, before, counters)
        return _growth(part, before, counters) / growth if growth else float("nan")


def _growth(name: str, before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """The growth of a counter; one that did not exist yet was 0."""
    return after[name] - before.get(name, 0)
