"""Which rule holds for the offsets of a classic group, and when an offset has expired."""

from __future__ import annotations

import pytest

from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup, ClassicState
from kafkaproto_server.core.coordinators.groups.offsets.expiration import Expiration, classic_expiration
from kafkaproto_server.core.coordinators.groups.offsets.table import OffsetAndMetadata
from tests.core.coordinators.support.offsets import to_nothing

RETENTION_MS = 100


def entry(*, committed_ms: int, expires_ms: int = -1) -> OffsetAndMetadata:
    return OffsetAndMetadata(
        offset=1, commit_timestamp_ms=committed_ms, expire_timestamp_ms=expires_ms, record_offset=0
    )


def has_expired(rule: Expiration, found: OffsetAndMetadata, wall_ms: int) -> bool:
    return rule.has_expired(found, wall_ms=wall_ms, retention_ms=RETENTION_MS)


def test_the_retention_counts_from_the_commit() -> None:
    rule = Expiration(is_subscribed=to_nothing)
    assert not has_expired(rule, entry(committed_ms=1_000), 1_099)
    assert has_expired(rule, entry(committed_ms=1_000), 1_100)


def test_the_retention_counts_from_when_the_group_became_empty() -> None:
    rule = Expiration(empty_since_ms=2_000, is_subscribed=to_nothing)
    assert not has_expired(rule, entry(committed_ms=1_000), 2_099)
    assert has_expired(rule, entry(committed_ms=1_000), 2_100)
    # Also if it was committed later: the group is empty all the same.
    assert has_expired(rule, entry(committed_ms=2_090), 2_100)


def test_an_expire_timestamp_of_its_own_counts_alone() -> None:
    rule = Expiration(empty_since_ms=0, is_subscribed=to_nothing)
    assert not has_expired(rule, entry(committed_ms=0, expires_ms=5_000), 4_999)
    assert has_expired(rule, entry(committed_ms=4_990, expires_ms=5_000), 5_000)


def group(protocol_type: str | None, state: ClassicState, since_ms: int = 7) -> ClassicGroup:
    return ClassicGroup(group_id="g", protocol_type=protocol_type, state=state, state_since_ms=since_ms)


def test_a_simple_group_expires_by_its_commits() -> None:
    rule = classic_expiration(group(None, ClassicState.EMPTY), None)
    assert rule is not None
    assert rule.empty_since_ms is None
    assert not rule.is_subscribed("t")


@pytest.mark.parametrize("protocol_type", ["consumer", "connect"])
def test_an_empty_group_expires_by_its_end(protocol_type: str) -> None:
    rule = classic_expiration(group(protocol_type, ClassicState.EMPTY), None)
    assert rule is not None
    assert rule.empty_since_ms == 7
    assert not rule.is_subscribed("t")


def test_an_empty_group_that_does_not_know_since_when_expires_by_its_commits() -> None:
    rule = classic_expiration(group("consumer", ClassicState.EMPTY, since_ms=-1), None)
    assert rule is not None
    assert rule.empty_since_ms is None


def test_a_stable_group_keeps_what_it_is_subscribed_to() -> None:
    rule = classic_expiration(group("consumer", ClassicState.STABLE), {"t"})
    assert rule is not None
    assert rule.empty_since_ms is None
    assert rule.is_subscribed("t")
    assert not rule.is_subscribed("u")


@pytest.mark.parametrize(
    ("protocol_type", "state", "subscribed"),
    [
        ("consumer", ClassicState.PREPARING_REBALANCE, {"t"}),
        ("consumer", ClassicState.COMPLETING_REBALANCE, {"t"}),
        ("consumer", ClassicState.STABLE, None),
        ("connect", ClassicState.STABLE, {"t"}),
        ("connect", ClassicState.PREPARING_REBALANCE, None),
    ],
)
def test_nothing_expires_while_it_is_unknown_what_is_consumed(
    protocol_type: str, state: ClassicState, subscribed: set[str] | None
) -> None:
    assert classic_expiration(group(protocol_type, state), subscribed) is None
