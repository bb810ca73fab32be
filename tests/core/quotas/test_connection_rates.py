"""The rate at which an address may open connections."""

from __future__ import annotations

from kafkaproto_server.core.quotas.connection_rates import ConnectionRates
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.metadata.image.apply_configs import quota_entity

WINDOWS = RateWindows(11, 1_000)


def rates(**bounds: float) -> ConnectionRates:
    """Quotas by address; ``default`` is that of all others."""
    found = ConnectionRates(WINDOWS)
    found.use_quotas(
        {
            quota_entity([("ip", None if name == "default" else name)]): {"connection_creation_rate": bound}
            for name, bound in bounds.items()
        }
    )
    return found


def test_connections_beyond_the_rate_are_refused_and_do_not_count() -> None:
    found = rates(default=1.0)
    assert [found.allows("a", 0) for _ in range(12)] == [True] * 10 + [False] * 2
    assert found.allows("b", 0)
    # One more in each second after the first ten, since what was refused does not count.
    assert [found.allows("a", 10_900) for _ in range(2)] == [False, False]
    assert [found.allows("a", 11_000) for _ in range(2)] == [True, True]


def test_an_address_has_its_own_rate() -> None:
    found = rates(default=1.0, a=2.0)
    assert sum(found.allows("a", 0) for _ in range(100)) == 20
    assert sum(found.allows("b", 0) for _ in range(100)) == 10


def test_without_a_quota_all_connections_are_allowed() -> None:
    found = rates(a=1.0)
    assert all(found.allows("b", 0) for _ in range(100))
    found.use_quotas({})
    assert all(found.allows("a", 0) for _ in range(100))
