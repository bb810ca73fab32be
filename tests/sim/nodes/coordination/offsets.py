"""What was committed for one partition of a group, and what was read: a register, held to be linearizable.

Each commit carries a text of its own as its metadata, so a read says which commit it saw. A commit whose result nobody
knows may have taken effect at any time after it was sent, or never. Reads count only if the coordinator that gave the
response was the newest one: as in Apache Kafka, one that does not know yet that another leads may show what it had.
"""

from __future__ import annotations

from dataclasses import dataclass, field

NOTHING = ""
"""The metadata of a partition for which nothing is committed."""


@dataclass(slots=True)
class Commit:
    """One commit."""

    metadata: str
    offset: int
    sent: float
    answered: float | None = None
    """When its success was known; None as long as it is not."""
    is_refused: bool = False
    """Whether it certainly had no effect."""


@dataclass(slots=True)
class OffsetHistory:
    """Of one partition in one group."""

    commits: dict[str, Commit] = field(default_factory=dict)
    _last_read: tuple[Commit, float, float] | None = None
    """The newest read, and when it was sent and answered."""

    def __post_init__(self) -> None:
        nothing = Commit(NOTHING, -1, -1.0, -1.0)
        self.commits[NOTHING] = nothing

    def read(self, metadata: str, offset: int, sent: float, answered: float) -> str | None:
        """Take a read. Returns what is wrong with it; None if nothing is."""
        seen = self.commits.get(metadata)
        if seen is None:
            return f"shows {offset} {metadata!r}, which nobody committed"
        if seen.offset != offset:
            return f"shows {offset} as {metadata!r}, which committed {seen.offset}"
        if seen.is_refused:
            return f"shows {offset} {metadata!r}, whose commit was refused"
        if seen.answered is not None:
            for each in self.commits.values():
                if each.answered is not None and seen.answered < each.sent and each.answered < sent:
                    return f"shows {seen}, though {each} came after it, and was acknowledged before"
        problem = self._check_order(seen, sent)
        if self._last_read is None or answered >= self._last_read[2]:
            self._last_read = (seen, sent, answered)
        return problem

    def _check_order(self, seen: Commit, sent: float) -> str | None:
        if self._last_read is None:
            return None
        before, before_sent, before_answered = self._last_read
        is_older = seen.answered is not None and seen.answered < before_sent
        if before is not seen and before_answered < sent and is_older:
            return f"shows {seen}, and showed {before} before"
        return None
