"""Which quota holds, in Kafka's order of precedence."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.quotas.matching import ClientQuotas, Match, ip_quota, quota_of, user_name
from kafkaproto_server.metadata.image.apply_configs import quota_entity

KEY = "producer_byte_rate"
ORDER: list[tuple[dict[str, str | None], tuple[str, str]]] = [
    ({"user": "alice", "client-id": "c"}, ("alice", "c")),
    ({"user": "alice", "client-id": None}, ("alice", "c")),
    ({"user": "alice"}, ("alice", "")),
    ({"user": None, "client-id": "c"}, ("alice", "c")),
    ({"user": None, "client-id": None}, ("alice", "c")),
    ({"user": None}, ("alice", "")),
    ({"client-id": "c"}, ("", "c")),
    ({"client-id": None}, ("", "c")),
]
"""Entities that alice's client c belongs to, the most exact first, and what each measures together."""


def quotas(bounds: Iterable[tuple[dict[str, str | None], float]], key: str = KEY) -> ClientQuotas:
    return {quota_entity(entity.items()): {key: bound} for entity, bound in bounds}


@given(present=st.sets(st.integers(0, len(ORDER) - 1)))
def test_the_most_exact_entity_counts(present: set[int]) -> None:
    found = quota_of(quotas((ORDER[each][0], each + 1.0) for each in present), KEY, "alice", "c")
    if present:
        first = min(present)
        assert found == Match(measured=ORDER[first][1], bound=first + 1.0)
    else:
        assert found is None


def test_an_entity_without_the_key_is_passed_over() -> None:
    both = {**quotas([(ORDER[0][0], 1.0)], "consumer_byte_rate"), **quotas([(ORDER[7][0], 2.0)])}
    assert quota_of(both, KEY, "alice", "c") == Match(measured=("", "c"), bound=2.0)


def test_others_are_not_affected() -> None:
    assert quota_of(quotas([(ORDER[0][0], 1.0), (ORDER[2][0], 1.0)]), KEY, "bob", "c") is None


@pytest.mark.parametrize(("position", "applies"), [(1, False), (2, True), (4, False), (5, True), (7, False)])
def test_a_client_without_an_id_has_only_its_users_quota(position: int, applies: bool) -> None:
    found = quota_of(quotas([(ORDER[position][0], 1.0)]), KEY, "alice", "")
    assert found == (Match(measured=("alice", ""), bound=1.0) if applies else None)


def test_a_rate_of_zero_that_another_controller_took_is_none() -> None:
    assert quota_of(quotas([(ORDER[0][0], 0.0), (ORDER[2][0], 3.0)]), KEY, "alice", "c") == Match(
        measured=("alice", ""), bound=3.0
    )


def test_an_address_has_its_own_rate_or_the_default() -> None:
    key = "connection_creation_rate"
    found = quotas([({"ip": "127.0.0.1"}, 5.0), ({"ip": None}, 7.0)], key)
    assert ip_quota(found, key, "127.0.0.1") == 5.0
    assert ip_quota(found, key, "::1") == 7.0
    assert ip_quota({}, key, "::1") is None


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("0:0:0:0:0:0:0:1", "::1"),
        ("0000:0000:0000:0000:0000:0000:0000:0001", "::1"),
        ("fe80:0:0:0:0:0:a:b", "fe80::a:b%eth0"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
    ],
)
def test_an_address_has_several_spellings(written: str, address: str) -> None:
    key = "connection_creation_rate"
    found: ClientQuotas = {
        quota_entity([("ip", written)]): {key: 5.0},
        quota_entity([("ip", None)]): {key: 7.0},
    }
    assert ip_quota(found, key, address) == 5.0
    assert ip_quota(found, key, "::2") == 7.0


def test_the_name_of_a_principal_may_have_colons() -> None:
    assert user_name("User:CN=a:b") == "CN=a:b"
