"""Members are watched: those that are not heard from are fenced when their session ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.sessions import RETRY_MS, MemberSessionWatch, SessionWatches
from kafkaproto_server.core.coordinators.values import CoordinatorError
from tests.core.coordinators.support.transaction_log import World

SESSION_MS = 10_000


@dataclass
class Group:
    members: dict[str, str] = field(default_factory=dict)
    watches: dict[str, MemberSessionWatch] = field(default_factory=dict)


class Coordinator(World):
    """One group, whose members are fenced."""

    def __init__(self) -> None:
        super().__init__()
        self.group: Group | None = Group({"a": "the first"})
        self.fenced: list[tuple[int, str]] = []
        """When, and who."""
        self.is_refused = False
        self.watches: SessionWatches[Group, str, MemberSessionWatch] = SessionWatches(
            self, lambda group: group is self.group, self._fence, MemberSessionWatch
        )

    def _fence(self, group: Group, member: str) -> None:
        if self.is_refused:
            raise CoordinatorError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        self.fenced.append((self.now_ms(), member))
        del group.members["a"]

    def hear(self, session_ms: int = SESSION_MS) -> None:
        assert self.group is not None
        self.watches.extend(self.group, "a", session_ms)


def test_a_session_ends_that_long_after_the_last_word() -> None:
    coordinator = Coordinator()
    coordinator.hear()
    coordinator.advance(SESSION_MS - 1)
    coordinator.hear()
    coordinator.advance(SESSION_MS - 1)
    assert coordinator.fenced == []
    coordinator.advance(1)
    assert coordinator.fenced == [(2 * SESSION_MS - 1, "the first")]


def test_a_session_that_becomes_shorter_ends_when_it_says() -> None:
    coordinator = Coordinator()
    coordinator.hear()
    coordinator.advance(1000)
    coordinator.hear(SESSION_MS // 2)
    coordinator.advance(SESSION_MS // 2 - 1)
    assert coordinator.fenced == []
    coordinator.advance(1)
    assert coordinator.fenced == [(1000 + SESSION_MS // 2, "the first")]
    # The call that came too late finds nothing to do, also if the member is there again.
    coordinator.group = Group({"a": "the second"})
    coordinator.hear(2 * SESSION_MS)
    coordinator.advance(SESSION_MS)
    assert len(coordinator.fenced) == 1


def test_one_call_is_due_for_a_session_also_after_a_longer_one() -> None:
    coordinator = Coordinator()
    coordinator.hear()
    coordinator.advance(1000)
    for _ in range(20):
        coordinator.hear(SESSION_MS // 2)
        coordinator.advance(SESSION_MS // 6)
    assert len(coordinator.due()) == 1


def test_a_member_of_the_same_id_is_watched_after_the_session_of_the_first_one() -> None:
    coordinator = Coordinator()
    coordinator.hear()
    coordinator.advance(2 * SESSION_MS)
    assert coordinator.group is not None
    coordinator.group.members["a"] = "the second"
    coordinator.hear()
    coordinator.advance(SESSION_MS)
    assert coordinator.fenced == [(SESSION_MS, "the first"), (3 * SESSION_MS, "the second")]


def test_a_fencing_that_cannot_be_written_is_tried_again() -> None:
    coordinator = Coordinator()
    coordinator.is_refused = True
    coordinator.hear()
    coordinator.advance(SESSION_MS)
    coordinator.is_refused = False
    coordinator.advance(RETRY_MS - 1)
    assert coordinator.fenced == []
    coordinator.advance(1)
    assert coordinator.fenced == [(SESSION_MS + RETRY_MS, "the first")]


def test_a_member_that_is_heard_while_its_fencing_is_refused_lives() -> None:
    coordinator = Coordinator()
    coordinator.is_refused = True
    coordinator.hear()
    coordinator.advance(SESSION_MS)
    coordinator.is_refused = False
    coordinator.hear()
    coordinator.advance(SESSION_MS - 1)
    assert coordinator.fenced == []
    coordinator.advance(1)
    assert coordinator.fenced == [(2 * SESSION_MS, "the first")]


def test_nobody_is_fenced_in_a_group_of_another_coordinator() -> None:
    coordinator = Coordinator()
    coordinator.hear()
    coordinator.group = None
    coordinator.advance(2 * SESSION_MS)
    assert coordinator.fenced == []


def test_a_member_that_left_is_not_fenced() -> None:
    coordinator = Coordinator()
    coordinator.hear()
    assert coordinator.group is not None
    del coordinator.group.members["a"]
    coordinator.advance(2 * SESSION_MS)
    assert coordinator.fenced == []
