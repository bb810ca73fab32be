"""What clients have used, and the permits for changes of partitions.

Tests: `core.quotas.recent`, `core.quotas.token_bucket`.
"""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.quotas.client_quotas import (
    UNLIMITED,
    ClientRates,
    MutationQuotas,
    RateQuota,
    Wait,
)
from kafkaproto_server.core.quotas.matching import ClientQuotas
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.core.quotas.recent import EXPIRE_AFTER_MS, Recent
from kafkaproto_server.metadata.image.apply_configs import quota_entity

WINDOWS = RateWindows(11, 1_000)


def of_user(user: str | None, **values: float) -> ClientQuotas:
    return {quota_entity([("user", user)]): values}


def test_clients_of_a_user_share_its_quota() -> None:
    rates = ClientRates(WINDOWS)
    rates.use_quotas(of_user("alice", producer_byte_rate=1_000.0))
    assert rates.record(RateQuota.PRODUCE, "alice", "a", 8_000, 0) == 0
    assert rates.record(RateQuota.PRODUCE, "bob", "b", 1_000_000, 0) == 0
    # 12,000 bytes need twelve seconds; ten are behind every rate.
    assert rates.record(RateQuota.PRODUCE, "alice", "b", 4_000, 0) == 2_000
    assert rates.record(RateQuota.FETCH, "alice", "b", 1_000_000, 0) == 0


def test_a_wait_is_as_long_as_the_longest_for_all_that_came_after_it_began() -> None:
    wait = Wait()
    wait.begin(1_000, {"ONE": 5}, 0)
    wait.begin(500, {"ONE": 9}, 100)
    assert [wait.left_ms("ONE", number, 100) for number in (5, 6, 9)] == [0, 900, 900]
    # One that begins later has its own.
    wait.begin(500, {"ONE": 9}, 1_000)
    assert [wait.left_ms("ONE", number, 1_000) for number in (9, 10)] == [0, 500]


def test_a_new_quota_holds_at_once_for_what_was_used_under_the_old_one() -> None:
    rates = ClientRates(WINDOWS)
    rates.use_quotas(of_user("alice", producer_byte_rate=1_000.0))
    assert rates.record(RateQuota.PRODUCE, "alice", "a", 10_000, 0) == 0
    rates.use_quotas(of_user("alice", producer_byte_rate=500.0))
    assert rates.record(RateQuota.PRODUCE, "alice", "a", 0, 0) == 10_000
    rates.use_quotas({})
    assert rates.record(RateQuota.PRODUCE, "alice", "a", 10_000, 0) == 0


def test_time_of_the_processor_makes_wait_for_one_window_at_most() -> None:
    rates = ClientRates(WINDOWS)
    rates.use_quotas(of_user(None, request_percentage=1.0))
    assert rates.record(RateQuota.REQUEST, "a", "", 100.0, 0) == 1_000
    # Nobody waits for longer than it takes.
    assert rates.record(RateQuota.REQUEST, "b", "", 0.5, 0) == 0


def test_what_is_taken_back_does_not_count() -> None:
    rates = ClientRates(WINDOWS)
    rates.use_quotas(of_user("a", consumer_byte_rate=10.0))
    assert rates.record(RateQuota.FETCH, "a", "", 200, 0) == 10_000
    rates.add(RateQuota.FETCH, "a", "", -200, 0)
    assert rates.record(RateQuota.FETCH, "a", "", 100, 0) == 0
    assert rates.most_at_once(RateQuota.FETCH, "a", "", 0) == 100
    assert rates.most_at_once(RateQuota.FETCH, "b", "", 0) is None


def test_only_so_many_clients_are_remembered_and_only_for_an_hour() -> None:
    recent: Recent[int, list[int]] = Recent(limit=3)
    for key in (1, 2, 3):
        recent.use(key, list, key).append(key)
    assert recent.use(1, list, 4) == [1]
    assert recent.use(4, list, 5) == []
    assert len(recent) == 3
    # 2 was not used for longest.
    assert recent.use(3, list, 6) == [3]
    assert recent.use(2, list, 7) == []
    assert recent.use(3, list, 6 + EXPIRE_AFTER_MS) == []
    # 4 and 1 have expired, and what has expired goes with the next that is new.
    assert len(recent) == 2


def test_clients_with_long_ids_are_measured_apart_and_take_no_more_memory() -> None:
    rates = ClientRates(WINDOWS)
    permits = MutationQuotas(WINDOWS)
    quotas = {
        quota_entity([("client-id", None)]): {"request_percentage": 1.0, "controller_mutation_rate": 1.0}
    }
    rates.use_quotas(quotas)
    tracemalloc.start()
    try:
        for number in range(100):
            client_id = f"{'c' * 32_000}{number}"
            assert rates.record(RateQuota.REQUEST, "a", client_id, 5.0, 0) == 0
            assert rates.wait("request_percentage", "a", client_id, 0) is not None
            permits.permits(quotas, "a", client_id, 0, is_strict=True).settle()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken < 100 * 4_000
    assert rates.record(RateQuota.REQUEST, "a", f"{'c' * 32_000}7", 50.0, 0) > 0
    assert rates.record(RateQuota.REQUEST, "a", f"{'c' * 32_000}8", 1.0, 0) == 0


def mutations(rate: float) -> ClientQuotas:
    return of_user("a", controller_mutation_rate=rate)


def test_a_strict_request_is_refused_once_the_tokens_are_used_up() -> None:
    quotas = MutationQuotas(WINDOWS)
    # The burst is 11 tokens. As in Kafka, one token is enough for any number of partitions.
    first = quotas.permits(mutations(1.0), "a", "", 0, is_strict=True)
    assert (first.take(5), first.take(20), first.throttle_ms) == (True, True, 0)
    assert (first.take(1), first.throttle_ms) == (False, 14_000)
    first.settle()
    second = quotas.permits(mutations(1.0), "a", "", 4_000, is_strict=True)
    assert (second.take(1), second.throttle_ms) == (False, 10_000)
    second.settle()
    third = quotas.permits(mutations(1.0), "a", "", 14_000, is_strict=True)
    assert third.take(1)


def test_a_request_that_knows_no_refusal_is_delayed() -> None:
    quotas = MutationQuotas(WINDOWS)
    first = quotas.permits(mutations(2.0), "a", "", 0, is_strict=False)
    assert (first.take(20), first.throttle_ms) == (True, 0)
    assert (first.take(12), first.throttle_ms) == (True, 5_000)


def test_a_decision_that_begins_anew_is_counted_once() -> None:
    quotas = MutationQuotas(WINDOWS)
    assert quotas.permits(mutations(1.0), "a", "", 0, is_strict=True).take(1_000)
    again = quotas.permits(mutations(1.0), "a", "", 0, is_strict=True)
    assert (again.take(12), again.throttle_ms) == (True, 0)
    again.settle()
    assert not quotas.permits(mutations(1.0), "a", "", 0, is_strict=True).take(1)


def test_without_a_quota_everything_is_permitted() -> None:
    quotas = MutationQuotas(WINDOWS)
    assert quotas.permits({}, "a", "", 0, is_strict=True) is UNLIMITED
    assert quotas.permits(mutations(1.0), "b", "", 0, is_strict=True) is UNLIMITED
    assert UNLIMITED.take(10**9)
    UNLIMITED.settle()
    assert UNLIMITED.throttle_ms == 0


@given(
    bound=st.sampled_from([0.1, 1.0, 5.0, 1e300]),
    requests=st.lists(st.tuples(st.integers(0, 40_000), st.integers(0, 50)), max_size=40),
)
def test_a_bucket_is_that_of_kafka(bound: float, requests: list[tuple[int, int]]) -> None:
    quotas = MutationQuotas(WINDOWS)
    now, last, tokens, burst = 1_000, 1_000, 11 * bound, 11 * bound
    for delay, count in requests:
        now += delay
        tokens, last = min(burst, tokens + bound * (now - last) / 1_000), now
        permits = quotas.permits(mutations(bound), "a", "", now, is_strict=True)
        assert permits.take(count) == (tokens >= 0)
        if tokens >= 0:
            tokens = min(burst, tokens - count)
        else:
            assert permits.throttle_ms == int(-tokens / bound * 1_000 + 0.5)
        permits.settle()
