"""Members of a classic group that join, pause, crash, come back and leave at random, while coordinators move.

Members do what clients do. At all times, an assignment is one that the leader of its generation made, and has one
owner. Once things calm down, all who are left are in one stable generation.
"""

from __future__ import annotations

import random

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.group_requests import JoinOutcome, SyncOutcome
from tests.core.coordinators.support.derived import check_classic
from tests.core.coordinators.support.groups import REBALANCE_MS, SESSION_MS, Groups

STEPS = 250
BEAT_MS = 1_000


Owners = dict[tuple[int, str], str]
"""Who had an assignment: its generation, and whose it is."""


class Client:
    """One client: it joins, syncs and beats, and begins anew if it is told so."""

    def __init__(self, groups: Groups, owners: Owners, number: int, rng: random.Random) -> None:
        self.groups = groups
        self.owners = owners
        self.instance_id = f"static-{number}" if rng.random() < 0.3 else None
        self.subscription = b"s0"
        self.member_id = ""
        self.generation = 0
        self.joining: list[JoinOutcome] | None = None
        self.syncing: list[SyncOutcome] | None = None
        self.is_stable = False
        self.assignment = b""
        self.is_over = False

    def step(self) -> None:
        """Whatever comes next."""
        if self.is_over:
            return
        if self.joining is not None:
            if self.joining:
                self._joined(self.joining[0])
        elif self.syncing is not None:
            if self.syncing:
                self._synced(self.syncing[0])
        elif self.is_stable:
            code = self.groups.beat(self.member_id, self.generation, self.instance_id)
            if code is not ErrorCode.NONE:
                self._told(code)
        else:
            self.joining = self.groups.join(
                self.member_id,
                group_instance_id=self.instance_id,
                protocols=(("range", self.subscription),),
                needs_known_id=True,
            )

    def _told(self, code: ErrorCode) -> None:
        self.is_stable = False
        if code in (
            ErrorCode.UNKNOWN_MEMBER_ID,
            ErrorCode.ILLEGAL_GENERATION,
            # A static member whose new id was not kept is started anew: there is no other one of its name.
            ErrorCode.FENCED_INSTANCE_ID,
        ):
            self.member_id = ""
        else:
            assert code in (
                ErrorCode.REBALANCE_IN_PROGRESS,
                ErrorCode.NOT_COORDINATOR,
                ErrorCode.COORDINATOR_NOT_AVAILABLE,
            )

    def _joined(self, outcome: JoinOutcome) -> None:
        self.joining = None
        if outcome.code is ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = outcome.member_id
            return
        if outcome.code is not ErrorCode.NONE:
            self._told(outcome.code)
            return
        self.member_id, self.generation = outcome.member_id, outcome.generation
        assignments: dict[str, bytes] = {}
        if outcome.leader_id == self.member_id and not outcome.skip_assignment:
            for member_id, _, _ in outcome.members:
                assignments[member_id] = f"{self.generation}:{member_id}".encode()
        self.syncing = self.groups.sync(
            self.member_id, self.generation, assignments, group_instance_id=self.instance_id
        )

    def _synced(self, outcome: SyncOutcome) -> None:
        self.syncing = None
        if outcome.code is not ErrorCode.NONE:
            self._told(outcome.code)
            return
        self.is_stable, self.assignment = True, outcome.assignment
        # What it has was made for this generation; a static member may have the id of its earlier life in it.
        generation, _, owner = outcome.assignment.decode().partition(":")
        assert int(generation) == self.generation
        assert owner == self.member_id or self.instance_id is not None
        key = self.generation, outcome.assignment.decode()
        assert self.owners.setdefault(key, self._who) == self._who

    @property
    def _who(self) -> str:
        return self.instance_id or self.member_id

    def crash(self) -> None:
        """The process ends; what it waits for never arrives."""
        self.member_id, self.joining, self.syncing, self.is_stable = "", None, None, False

    def leave(self) -> None:
        """It ends in order; a static one would be back."""
        if self.member_id and self.instance_id is None and self.joining is None and self.syncing is None:
            self.groups.leave((self.member_id, None))
        self.is_over = True


@pytest.mark.parametrize("seed", range(25))
def test_members_at_random(seed: int) -> None:
    rng = random.Random(seed)
    groups = Groups()
    owners: Owners = {}
    clients = [Client(groups, owners, number, rng) for number in range(3)]
    for _ in range(STEPS):
        action = rng.random()
        if action < 0.75:
            rng.choice(clients).step()
        elif action < 0.85:
            groups.advance(rng.choice([100, BEAT_MS, SESSION_MS // 2, SESSION_MS]))
        elif action < 0.88 and len(clients) < 8:
            clients.append(Client(groups, owners, len(clients), rng))
        elif action < 0.91:
            rng.choice(clients).crash()
        elif action < 0.93 and len(clients) > 1:
            rng.choice(clients).leave()
        elif action < 0.95:
            rng.choice(clients).subscription += b"+"
        elif action < 0.97:
            groups.log.commits_at_once = not groups.log.commits_at_once
            groups.log.commit()
        elif action < 0.98:
            groups.log.refusal = None if groups.log.refusal else ErrorCode.NOT_ENOUGH_REPLICAS
        else:
            groups.move()
        for group in groups.shard._classic.groups.values():
            check_classic(group, groups.world)
    groups.log.commits_at_once, groups.log.refusal = True, None
    groups.log.commit()
    left = [each for each in clients if not each.is_over]
    for _ in range(4 * REBALANCE_MS // BEAT_MS):
        for each in left:
            each.step()
        groups.advance(BEAT_MS)
    assert all(each.is_stable for each in left)
    described = groups.described()
    assert len({each.generation for each in left}) <= 1
    if left:
        assert described.state == "Stable"
    assert {each.member_id for each in described.members} == {each.member_id for each in left}
    for each in left:
        assert each.assignment.decode().partition(":")[0] == str(each.generation)
