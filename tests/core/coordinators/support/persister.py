"""A persister in memory, for tests: it keeps states, and responds in a later turn."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.share_state import Done, ShareState, ShareStateResult

Key = tuple[str, bytes, int]


class MemoryPersister:
    """States by group, topic id and partition."""

    def __init__(self, call_at: Callable[[int, Callable[[], None]], None], now_ms: Callable[[], int]) -> None:
        self._call_at = call_at
        self._now_ms = now_ms
        self.states: dict[Key, ShareState] = {}
        self.asked: list[tuple[str, Key]] = []
        """What was asked for, by the name of the call."""
        self.codes: dict[tuple[str, int], ErrorCode] = {}
        """With which code a call about a partition index is refused."""
        self.is_silent = False
        """Whether nothing is responded at the moment."""
        self.unanswered: list[Callable[[], None]] = []

    def _respond(self, name: str, key: Key, done: Done, act: Callable[[], ShareStateResult]) -> None:
        self.asked.append((name, key))
        code = self.codes.get((name, key[2]))

        def respond() -> None:
            done(act() if code is None else ShareStateResult(code, "refused"))

        if self.is_silent:
            self.unanswered.append(respond)
        else:
            self._call_at(self._now_ms(), respond)

    def answer(self) -> None:
        """Respond to all that was asked while it was silent."""
        waiting, self.unanswered = self.unanswered, []
        for respond in waiting:
            respond()

    def initialize(
        self, group_id: str, topic_id: bytes, partition: int, state_epoch: int, start_offset: int, done: Done
    ) -> None:
        """As Persister has it."""
        key = group_id, topic_id, partition

        def act() -> ShareStateResult:
            self.states[key] = ShareState(state_epoch=state_epoch, start_offset=start_offset)
            return ShareStateResult(ErrorCode.NONE)

        self._respond("initialize", key, done, act)

    def read(self, group_id: str, topic_id: bytes, partition: int, leader_epoch: int, done: Done) -> None:
        """As Persister has it."""
        raise AssertionError("the group's coordinator does not read whole states")

    def read_summary(
        self, group_id: str, topic_id: bytes, partition: int, leader_epoch: int, done: Done
    ) -> None:
        """As Persister has it."""
        key = group_id, topic_id, partition

        def act() -> ShareStateResult:
            state = self.states.get(key)
            return ShareStateResult(ErrorCode.NONE, state=state or ShareState(state_epoch=0), leader_epoch=7)

        self._respond("read_summary", key, done, act)

    def write(
        self, group_id: str, topic_id: bytes, partition: int, state: ShareState, leader_epoch: int, done: Done
    ) -> None:
        """As Persister has it."""
        raise AssertionError("the group's coordinator does not write states")

    def delete(self, group_id: str, topic_id: bytes, partition: int, done: Done) -> None:
        """As Persister has it."""
        key = group_id, topic_id, partition

        def act() -> ShareStateResult:
            self.states.pop(key, None)
            return ShareStateResult(ErrorCode.NONE)

        self._respond("delete", key, done, act)
