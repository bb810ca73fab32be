"""How counters moved lately: looked at now and then, compared with what they are."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping


class Window:
    """Earlier values of some counters, the oldest about as old as the window is long."""

    def __init__(self, looks: int) -> None:
        """``looks`` is how many earlier looks are kept."""
        self._looks: deque[tuple[float, Mapping[str, float]]] = deque(maxlen=looks)

    def look(self, at_s: float, counters: Mapping[str, float]) -> None:
        """Remember what the counters are now."""
        self._looks.append((at_s, counters))

    def rate(self, name: str, at_s: float, counters: Mapping[str, float]) -> float:
        """By how much a counter grew a second, from the oldest look to ``counters``, which are those of now."""
        begin_s, before = self._looks[0]
        if at_s <= begin_s:
            return 0.0
        return _growth(name, before, counters) / (at_s - begin_s)

    def ratio(self, part: str, whole: str, counters: Mapping[str, float]) -> float:
        """By how much one counter grew for each one that the other grew; NaN where that did not grow."""
        _, before = self._looks[0]
        growth = _growth(whole, before, counters)
        return _growth(part, before, counters) / growth if growth else float("nan")


def _growth(name: str, before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """A counter that did not exist yet was 0."""
    return after[name] - before.get(name, 0)
