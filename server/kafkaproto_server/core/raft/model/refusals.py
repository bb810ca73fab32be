"""Which refused claims were reported, so that the node logs each once per period and not once per request.

Ours alone: Kafka's node believes what is refused here.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.values.trust import Doubt

MOST_REPORTS = 100
"""Reports about unknown nodes in one period. This bounds log lines and memory if a peer invents node ids. Reports about
voters do not count: there are few voters, and an operator has to know which of their claims were refused."""

PERIOD_MS = 600_000
"""After this time everything may be reported again."""


class Refusals:
    """The refused peers of this period, by the node id that they claim, and why they were refused."""

    def __init__(self, now_ms: int) -> None:
        self._since_ms = now_ms
        self._reported: dict[tuple[int, Doubt], None] = {}
        self._of_unknown_nodes = 0

    def is_news(self, peer_id: int, doubt: Doubt, now_ms: int, *, is_voter: bool) -> bool:
        """Whether to report this refusal; if so, notes it as reported."""
        if now_ms - self._since_ms >= PERIOD_MS:
            self._since_ms = now_ms
            self._reported = {}
            self._of_unknown_nodes = 0
        # By peer and doubt, not by claim: the numbers in a claim are free, and each new one would
        # be another line of the log.
        if (peer_id, doubt) in self._reported or (not is_voter and self._of_unknown_nodes >= MOST_REPORTS):
            return False
        # Only what is reported is noted, so the table is no larger than the log.
        self._of_unknown_nodes += not is_voter
        self._reported[peer_id, doubt] = None
        return True
