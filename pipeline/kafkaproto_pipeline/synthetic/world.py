"""What all parts of a synthetic history share: randomness, the cluster, its log, and events that will happen later."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from random import Random

from kafkaproto.message import Message
from kafkaproto_pipeline.synthetic.cluster import SyntheticCluster
from kafkaproto_pipeline.synthetic.log import HistoryLog

Action = Callable[[], None]


@dataclass(slots=True, kw_only=True)
class World:
    """Time moves to what is due next; whatever happens then appends to the log."""

    rng: Random
    cluster: SyntheticCluster
    log: HistoryLog
    _due: list[tuple[int, int, Action]] = field(default_factory=list)
    _numbers: count[int] = field(default_factory=count)

    def append(self, records: Iterable[Message]) -> None:
        """Write records, if there are any."""
        found = list(records)
        if found:
            self.log.append(found)

    def after(self, delay_ms: float, action: Action) -> None:
        heapq.heappush(self._due, (self.log.now_ms + int(delay_ms), next(self._numbers), action))

    def run_next_until(self, time_ms: int) -> bool:
        """Run the one thing that is due next up to then; False where nothing is, and the time is then."""
        if not self._due or self._due[0][0] > time_ms:
            self.log.now_ms = max(self.log.now_ms, time_ms)
            return False
        due_ms, _, action = heapq.heappop(self._due)
        self.log.now_ms = max(self.log.now_ms, due_ms)
        action()
        return True
