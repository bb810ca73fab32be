"""Which refused claims were reported, so that each is logged once a while and not once a request."""

from __future__ import annotations

from kafkaproto_server.raft.values.trust import Doubt

MOST_REPORTS = 100
"""Reports in one period about unknown nodes, which bounds log lines and memory if a peer invents node ids. Reports
about voters are apart: there are few voters, and what they are refused is what an operator has to know."""

PERIOD_MS = 600_000
"""After so long, everything may be reported again."""


class Refusals:
    """Peers, by the node id that they claim, and what they were refused for in this period."""

    def __init__(self, now_ms: int) -> None:
        self._since_ms = now_ms
        self._reported: dict[tuple[int, Doubt], None] = {}
        self._of_unknown_nodes = 0

    def is_news(self, peer_id: int, doubt: Doubt, now_ms: int, *, is_voter: bool) -> bool:
        """Whether to report this refusal; notes it as reported."""
        if now_ms - self._since_ms >= PERIOD_MS:
            self._since_ms = now_ms
            self._reported = {}
            self._of_unknown_nodes = 0
        if (peer_id, doubt) in self._reported or (not is_voter and self._of_unknown_nodes >= MOST_REPORTS):
            return False
        self._of_unknown_nodes += not is_voter
        self._reported[peer_id, doubt] = None
        return True
