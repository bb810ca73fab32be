"""Which reads of a committed offset could have come from one coordinator that did one thing after the other."""

from __future__ import annotations

from tests.sim.nodes.coordination.offsets import NO_OFFSET, NOTHING, Commit, OffsetHistory


def history(*commits: Commit) -> OffsetHistory:
    found = OffsetHistory()
    found.commits.update((each.metadata, each) for each in commits)
    return found


def acknowledged(metadata: str, offset: int, sent: float) -> Commit:
    return Commit(metadata, offset, sent, sent + 1)


def test_a_read_shows_the_last_commit_or_one_that_was_under_way() -> None:
    known = history(acknowledged("a", 1, sent=0), acknowledged("b", 2, sent=2), Commit("c", 3, sent=4))
    assert known.read("b", 2, sent=5, answered=6) is None
    # Nobody knows whether it was done before, or is done now.
    assert known.read("c", 3, sent=7, answered=8) is None


def test_a_commit_that_was_acknowledged_is_not_lost() -> None:
    commits = acknowledged("a", 1, sent=0), acknowledged("b", 2, sent=2)
    assert "came after it" in str(history(*commits).read("a", 1, sent=4, answered=5))
    assert "came after it" in str(history(*commits).read("", -1, sent=4, answered=5))
    # The second commit may have been done after the read.
    assert history(*commits).read("a", 1, sent=2.5, answered=5) is None


def test_what_was_read_does_not_go_back() -> None:
    known = history(acknowledged("a", 1, sent=0), Commit("b", 2, sent=2))
    assert known.read("b", 2, sent=3, answered=4) is None
    assert "showed" in str(known.read("a", 1, sent=5, answered=6))


def test_reads_at_the_same_time_may_come_in_either_order() -> None:
    known = history(acknowledged("a", 1, sent=0), Commit("b", 2, sent=2))
    assert known.read("b", 2, sent=3, answered=6) is None
    assert known.read("a", 1, sent=5, answered=6) is None


def test_a_read_shows_only_what_was_committed_and_as_it_was() -> None:
    known = history(acknowledged("a", 1, sent=0), Commit("b", 2, sent=2, is_refused=True))
    assert "nobody committed" in str(known.read("x", 1, sent=5, answered=6))
    assert "which committed 1" in str(known.read("a", 2, sent=5, answered=6))
    assert "refused" in str(known.read("b", 2, sent=5, answered=6))


def deletion(sent: float, *, is_known: bool = True) -> Commit:
    return Commit(NOTHING, NO_OFFSET, sent, sent + 1 if is_known else None)


def test_an_offset_is_not_there_once_it_is_deleted() -> None:
    known = history(acknowledged("a", 1, sent=0))
    assert "came after it" in str(known.read(NOTHING, NO_OFFSET, sent=2, answered=3))
    known.deletions.append(deletion(sent=4))
    assert known.read("a", 1, sent=2, answered=5) is None
    assert known.read(NOTHING, NO_OFFSET, sent=6, answered=7) is None
    assert "came after it" in str(known.read("a", 1, sent=8, answered=9))


def test_a_deletion_that_nobody_knows_of_may_have_happened() -> None:
    known = history(acknowledged("a", 1, sent=0))
    known.deletions.append(deletion(sent=4, is_known=False))
    assert known.read("a", 1, sent=6, answered=7) is None
    assert known.read(NOTHING, NO_OFFSET, sent=8, answered=9) is None
    assert "showed" in str(known.read("a", 1, sent=10, answered=11))


def test_a_deletion_that_was_refused_has_not_happened() -> None:
    known = history(acknowledged("a", 1, sent=0))
    known.deletions.append(deletion(sent=4))
    known.deletions[0].is_refused = True
    assert "came after it" in str(known.read(NOTHING, NO_OFFSET, sent=6, answered=7))


def test_which_deletion_it_was_does_not_matter() -> None:
    known = history(acknowledged("b", 2, sent=2))
    known.deletions += [deletion(sent=0), deletion(sent=4)]
    assert known.read(NOTHING, NO_OFFSET, sent=6, answered=7) is None
    assert known.read(NOTHING, NO_OFFSET, sent=8, answered=9) is None
