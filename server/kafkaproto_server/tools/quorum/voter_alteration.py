"""Changes the whole set of voters, for example from 1,2,3 to 4,5,6, in single safe steps (the reassignment of KIP-595).

New voters are added first, each only once it has caught up, the one with the least lag first. Then the old voters are
removed, those that are not live first and the leader last. No step is taken that would leave no live majority.

The next step depends only on the present quorum and the target. So an interrupted run continues when it is started
again with the same target, and a run with another target continues from the present state. If the voters change in a
way that this run has not requested, the run ends, since somebody else is changing them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import click

from kafkaproto import uuids
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeQuorumResponse
from kafkaproto_server.base.types import ZERO_UUID, Endpoint, ReplicaKey
from kafkaproto_server.tools.quorum.access import (
    FAILURES,
    ChangeResult,
    DescribedQuorum,
    QuorumUnavailable,
    ResponseLost,
)

LIVE_WITHIN_MS = 3_000
"""A voter is live if it fetched this recently; a new voter has caught up if it had the whole log this recently. A
leader without a majority of live voters resigns after the same time."""
ABSENT_LIMIT_S = 10.0
"""How long a target may be missing among the replicas that fetch: a new leader first has to get a Fetch from it."""
UNREACHABLE_LIMIT_S = 60.0
"""How long the quorum may be without a responding leader, between steps, before the run gives up."""
POLL_INTERVAL_S = 0.5
_UNKNOWN_TIME = -1


class AlterationError(click.ClickException):
    """The voters cannot be changed to the target, or not by this run."""


class AlterationAccess(Protocol):
    """The part of `tools.quorum.access.QuorumAccess` that an alteration needs."""

    def describe(self) -> DescribedQuorum: ...

    def add_voter(
        self, key: ReplicaKey, endpoints: Sequence[Endpoint], cluster_id: str | None = None
    ) -> ChangeResult: ...

    def remove_voter(self, key: ReplicaKey, cluster_id: str | None = None) -> ChangeResult: ...

    def controller_endpoints(self, quorum: DescribedQuorum) -> dict[int, list[Endpoint]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaView:
    """A voter or an observer as the leader sees it."""

    key: ReplicaKey
    lag: int
    """Records by which it is behind the leader."""
    fetched_ms_ago: int | None
    """None if it has not fetched from this leader."""
    caught_up_ms_ago: int | None
    """Time since it last had all of the leader's log; None if it never had."""

    @property
    def is_live(self) -> bool:
        """Whether it has fetched recently."""
        return self.fetched_ms_ago is not None and self.fetched_ms_ago <= LIVE_WITHIN_MS

    @property
    def is_caught_up(self) -> bool:
        """Whether it keeps up with the leader."""
        return self.caught_up_ms_ago is not None and self.caught_up_ms_ago <= LIVE_WITHIN_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumView:
    """The quorum at one moment."""

    leader_id: int
    voters: tuple[ReplicaView, ...]
    observers: tuple[ReplicaView, ...]

    @property
    def voter_ids(self) -> frozenset[int]:
        """Node ids of the voters."""
        return frozenset(voter.key.id for voter in self.voters)

    @property
    def voter_keys(self) -> frozenset[ReplicaKey]:
        """Ids and directory ids of the voters."""
        return frozenset(voter.key for voter in self.voters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    """Make this observer a voter."""

    replica: ReplicaView


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """Make this voter an observer."""

    replica: ReplicaView


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterationWait:
    """Nothing can be done now."""

    reason: str
    is_absence: bool = False
    """Whether the reason is that target nodes do not fetch at all."""


Step = Add | Remove | AlterationWait


def view_of(quorum: DescribedQuorum) -> QuorumView:
    """The part of a quorum description that an alteration needs. Times are measured by the leader's clock."""
    now_ms = quorum.leader.last_fetch_timestamp

    def ago(timestamp_ms: int) -> int | None:
        return None if _UNKNOWN_TIME in (timestamp_ms, now_ms) else max(0, now_ms - timestamp_ms)

    def replica(state: DescribeQuorumResponse.ReplicaState) -> ReplicaView:
        return ReplicaView(
            key=ReplicaKey(id=state.replica_id, directory_id=state.replica_directory_id),
            lag=quorum.lag(state),
            fetched_ms_ago=ago(state.last_fetch_timestamp),
            caught_up_ms_ago=ago(state.last_caught_up_timestamp),
        )

    return QuorumView(
        leader_id=quorum.partition.leader_id,
        voters=tuple(map(replica, quorum.partition.current_voters)),
        observers=tuple(map(replica, quorum.partition.observers)),
    )


def next_step(view: QuorumView, target: frozenset[int]) -> Step | None:
    """The next step towards a target; None if it is reached."""
    missing = target - view.voter_ids
    if missing:
        return _add_one(view, missing)
    leaving = [voter for voter in view.voters if voter.key.id not in target]
    if not leaving:
        return None
    # First the voter that is least alive; the leader, which then has to hand over, last.
    leaver = max(
        leaving,
        key=lambda each: (
            each.key.id != view.leader_id,
            not each.is_live,
            each.fetched_ms_ago is None,
            each.lag,
            each.key.id,
        ),
    )
    step = Remove(replica=leaver)
    return _only_with_majority([voter for voter in view.voters if voter is not leaver], step, view.leader_id)


def _add_one(view: QuorumView, missing: frozenset[int]) -> Step:
    new_voters = []
    for node_id in sorted(missing):
        found = [each for each in view.observers if each.key.id == node_id]
        if not found:
            continue
        # A node that came back with an empty disk is also known by its old directory id for some minutes.
        new_voters.append(
            min(found, key=lambda each: (each.fetched_ms_ago is None, each.fetched_ms_ago or 0))
        )
    absent = missing - {each.key.id for each in new_voters}
    if absent:
        return AlterationWait(
            reason=f"{_ids(absent)} must run as observers of this quorum: start them, with "
            "controller.quorum.bootstrap.servers that lead here",
            is_absence=True,
        )
    ready = [each for each in new_voters if each.is_caught_up]
    if not ready:
        behind = ", ".join(f"{each.key.id} is {each.lag} records behind" for each in new_voters)
        return AlterationWait(reason=f"waiting for a new replica to catch up: {behind}")
    readiest = min(ready, key=lambda each: (each.lag, each.caught_up_ms_ago, each.key.id))
    return _only_with_majority([*view.voters, readiest], Add(replica=readiest), view.leader_id)


def _only_with_majority(voters: list[ReplicaView], step: Add | Remove, leader_id: int) -> Step:
    """The step, unless it would leave too few live voters."""
    dead = [voter.key.id for voter in voters if not (voter.is_live or voter.key.id == leader_id)]
    if len(voters) - len(dead) > len(voters) // 2:
        return step
    return AlterationWait(
        reason=f"waiting for voters {_ids(dead)} to fetch: without them the next step would cost the majority"
    )


class Alteration:
    """One run towards a target."""

    def __init__(
        self,
        access: AlterationAccess,
        target: frozenset[int],
        show: Callable[[str], None],
        *,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``show`` is called with a line for each event."""
        self._access = access
        self._target = target
        self._show = show
        self._sleep = sleep
        self._monotonic = monotonic
        self._expected: set[frozenset[ReplicaKey]] = set()
        self._last_reason = ""
        self._absent_since: float | None = None

    def run(self) -> None:
        """Run until the target is reached. Raises AlterationError and other ClickExceptions; may be run again after any
        of them."""
        quorum = self._look()
        view = view_of(quorum)
        self._expected = {view.voter_keys}
        _check_dynamic(view)
        while True:
            step = next_step(view, self._target)
            if step is None:
                self._show(f"the voters are {_ids(self._target)}; {view.leader_id} leads")
                return
            if isinstance(step, AlterationWait):
                self._wait(step)
            else:
                self._absent_since = None
                self._change(step, view, quorum)
            quorum = self._look()
            view = view_of(quorum)
            if view.voter_keys not in self._expected:
                raise AlterationError(
                    f"the voters are {_keys(view.voter_keys)} now, which this run has not asked for: somebody else "
                    "changes them, or a controller with controller.quorum.auto.join.enable joined by itself. "
                    "Nothing more was done; the same command goes on from here"
                )

    def _look(self) -> DescribedQuorum:
        deadline = self._monotonic() + UNREACHABLE_LIMIT_S
        while True:
            try:
                return self._access.describe()
            except (QuorumUnavailable, *FAILURES) as error:
                if self._monotonic() >= deadline:
                    raise AlterationError(f"no leader answers: {error}") from error
                self._notify_once(f"waiting for a leader: {error}")
            self._sleep(POLL_INTERVAL_S)

    def _wait(self, step: AlterationWait) -> None:
        now = self._monotonic()
        if not step.is_absence:
            self._absent_since = None
        elif self._absent_since is None:
            self._absent_since = now
        elif now - self._absent_since >= ABSENT_LIMIT_S:
            raise AlterationError(step.reason)
        self._notify_once(step.reason)
        self._sleep(POLL_INTERVAL_S)

    def _notify_once(self, reason: str) -> None:
        if reason != self._last_reason:
            self._show(reason)
            self._last_reason = reason

    def _change(self, step: Add | Remove, view: QuorumView, quorum: DescribedQuorum) -> None:
        """Request one change. Its result is seen in the next description of the quorum."""
        key = step.replica.key
        after = view.voter_keys | {key} if isinstance(step, Add) else view.voter_keys - {key}
        begun = self._monotonic()
        try:
            if isinstance(step, Add):
                doing, done = "adding", "added"
                outcome = self._access.add_voter(key, self._endpoints(key, quorum), quorum.cluster_id)
            else:
                doing, done = "removing", "removed"
                outcome = self._access.remove_voter(key, quorum.cluster_id)
        except (QuorumUnavailable, ResponseLost, *FAILURES) as error:
            # The change may have been carried out, or it may be in the log and still be undone.
            self._expected |= {view.voter_keys, after}
            self._notify_once(f"{doing} {_key(key)}: {error}; looking again")
            return
        match outcome.error:
            case ErrorCode.NONE:
                self._expected = {after}
                took_ms = round((self._monotonic() - begun) * 1000)
                self._show(f"{done} {_key(key)} in {took_ms} ms; voters {_ids(each.id for each in after)}")
            case ErrorCode.REQUEST_TIMED_OUT | ErrorCode.DUPLICATE_VOTER | ErrorCode.VOTER_NOT_FOUND:
                self._expected |= {view.voter_keys, after}
                self._notify_once(f"{doing} {_key(key)}: {outcome.message}; looking again")
                self._sleep(POLL_INTERVAL_S)
            case _:
                raise AlterationError(f"{doing} {_key(key)}: {outcome.error.name}: {outcome.message}")

    def _endpoints(self, key: ReplicaKey, quorum: DescribedQuorum) -> list[Endpoint]:
        endpoints = self._access.controller_endpoints(quorum).get(key.id)
        if not endpoints:
            raise AlterationError(
                f"node {key.id} is no controller, or has not registered as one, with a listener that the leader has too"
            )
        return endpoints


def _check_dynamic(view: QuorumView) -> None:
    if any(voter.key.directory_id == ZERO_UUID for voter in view.voters):
        raise AlterationError(
            "the voters are those of controller.quorum.voters (kraft.version 0), which no tool can change; "
            "kafka-features upgrade --feature kraft.version=1 comes first"
        )


def _ids(ids: Iterable[int]) -> str:
    return ",".join(map(str, sorted(ids)))


def _key(key: ReplicaKey) -> str:
    return f"{key.id} (directory {uuids.to_text(key.directory_id or ZERO_UUID)})"


def _keys(keys: Iterable[ReplicaKey]) -> str:
    return ", ".join(_key(key) for key in sorted(keys, key=lambda key: key.id))
