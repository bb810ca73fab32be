"""What was committed for one partition of a group, and what was read: a register, held to be linearizable.

Each commit carries a text of its own as its metadata, so a read says which commit it saw. A commit whose result nobody
knows may have taken effect at any time after it was sent, or never. Reads count only if the coordinator that gave the
response was the newest one: as in Apache Kafka, one that does not know yet that another leads may show what it had.
Reads that ask for no stable offsets count only once that coordinator knows what was committed before it was elected.

A deletion is a commit of nothing. A read that shows nothing does not say which deletion it saw.
"""

from __future__ import annotations

from dataclasses import dataclass, field

NOTHING = ""
"""The metadata of a partition for which nothing is committed."""
NO_OFFSET = -1
"""Its offset."""


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
    deletions: list[Commit] = field(default_factory=list)
    _last_read: tuple[Commit, float, float] | None = None
    """The newest read, and when it was sent and answered."""

    def __post_init__(self) -> None:
        nothing = Commit(NOTHING, NO_OFFSET, -1.0, -1.0)
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
        deletions = (each for each in self.deletions if not each.is_refused)
        problem = None
        for each in (seen, *deletions) if metadata == NOTHING else (seen,):
            problem = self._check_newest(each, sent) or self._check_order(each, sent)
            if problem is None:
                seen = each
                break
        if self._last_read is None or answered >= self._last_read[2]:
            self._last_read = (seen, sent, answered)
        return problem

    def _check_newest(self, seen: Commit, sent: float) -> str | None:
        if seen.answered is None:
            return None
        for each in (*self.commits.values(), *self.deletions):
            if each.answered is not None and seen.answered < each.sent and each.answered < sent:
                return f"shows {seen}, though {each} came after it, and was acknowledged before"
        return None

    def _check_order(self, seen: Commit, sent: float) -> str | None:
        if self._last_read is None:
            return None
        before, before_sent, before_answered = self._last_read
        is_older = seen.answered is not None and seen.answered < before_sent
        is_other = before is not seen and (before.metadata, seen.metadata) != (NOTHING, NOTHING)
        if is_other and before_answered < sent and is_older:
            return f"shows {seen}, and showed {before} before"
        return None
