"""How many connections a second an address may open (KIP-612).

A connection beyond that is closed and not counted.

Apache Kafka: class ``ConnectionQuotas``. It closes such a connection only when the rate is back at the bound, after a
second at most.
"""

from __future__ import annotations

from kafkaproto_server.core.quotas.matching import ClientQuotas, ip_quota
from kafkaproto_server.core.quotas.rate import Rate, RateWindows
from kafkaproto_server.core.quotas.recent import Recent

CREATION_RATE_KEY = "connection_creation_rate"


class ConnectionRates:
    """The rates at which addresses open connections."""

    __slots__ = ("_quotas", "_rates", "_windows")

    def __init__(self, windows: RateWindows) -> None:
        self._windows = windows
        self._quotas: ClientQuotas = {}
        self._rates: Recent[str, Rate] = Recent()

    def use_quotas(self, quotas: ClientQuotas) -> None:
        """Apply these quotas from now on."""
        self._quotas = quotas

    def allows(self, address: str, now_ms: int) -> bool:
        """Whether an address may open a connection now, which is then counted."""
        bound = ip_quota(self._quotas, CREATION_RATE_KEY, address) if self._quotas else None
        if bound is None:
            return True
        rate = self._rates.use(address, lambda: Rate(self._windows), now_ms)
        # Counted first and taken back if it is one too many, as in Kafka: the rate includes the connection that is
        # asked about.
        rate.record(1, now_ms)
        if rate.per_second(now_ms) <= bound:
            return True
        # A refused connection must not keep an address out for longer.
        rate.record(-1, now_ms)
        return False
