"""Which quota holds for a user and a client id.

Of the entities that have a value for the key, the most exact one counts. A user's name is more exact than a client id:

1. this user, this client id
2. this user, any client id
3. this user
4. any user, this client id
5. any user, any client id
6. any user
7. this client id
8. any client id

An entity also says what is measured together. A quota of a user holds for all of the user's clients together, one of a
client id for all its users together; "any" stands for each one apart. A client without an id can only have a quota of
its user.

Apache Kafka: class ``ClientQuotaManager``.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping

import msgspec

from kafkaproto_server.core.quotas.recent import remembered_id
from kafkaproto_server.metadata.image.entries import QUOTA_CLIENT_ID, QUOTA_IP, QUOTA_USER, QuotaEntity

ClientQuotas = Mapping[QuotaEntity, Mapping[str, float]]
"""The quotas in the metadata."""


class Match(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    measured: tuple[str, str]
    """What is measured together: user and client id as it is remembered, either empty if it does not matter."""
    bound: float


def quota_of(quotas: ClientQuotas, key: str, user: str, client_id: str) -> Match | None:
    """The quota of a key for a user and a client id (empty if it has none); None for no limit."""
    for entity, measured in _entities(user, client_id):
        values = quotas.get(entity)
        bound = None if values is None else values.get(key)
        # Controllers take no rate of zero or less; a log of other controllers could hold one.
        if bound is not None and bound > 0:
            return Match(measured=measured, bound=bound)
    return None


def user_name(principal: str) -> str:
    """The name that quotas know a principal by, which is its type, a colon and this name."""
    # Kafka's quotas do not know types of principals: User:a and Service:a have one quota.
    return principal.partition(":")[2]


def ip_quota(quotas: ClientQuotas, key: str, address: str) -> float | None:
    """The quota of a key for an address: its own one, or the default; None for no limit."""
    # The default last: it does not bind an address that has an entry of its own.
    for name in (*_spellings(address), None):
        values = quotas.get(((QUOTA_IP, name),))
        bound = None if values is None else values.get(key)
        if bound is not None:
            return bound
    return None


def _spellings(address: str) -> Iterator[str]:
    """How the quotas of an address may name it: the log keeps what an administrator has written. Java writes an IPv6
    address with all of its eight numbers."""
    yield address
    if ":" in address:
        exploded = ipaddress.IPv6Address(address.partition("%")[0]).exploded
        yield ":".join(f"{int(number, 16):x}" for number in exploded.split(":"))
        yield exploded
    else:
        # On a socket for both families an IPv4 client shows this address, and a quota may be written so.
        yield f"::ffff:{address}"


def _entities(user: str, client_id: str) -> Iterator[tuple[QuotaEntity, tuple[str, str]]]:
    """The entities that a client belongs to, the most exact first, and what each measures together."""
    if not client_id:
        yield ((QUOTA_USER, user),), (user, "")
        yield ((QUOTA_USER, None),), (user, "")
        return
    # Only what is kept is shortened. The lookup takes the whole id: a quota may be for a long one.
    measured_id = remembered_id(client_id)
    # Kafka's order (KIP-55): each step below the one before is less exact, and a user's name weighs more than a client
    # id.
    for named_user in (user, None):
        for named_id in (client_id, None):
            yield ((QUOTA_CLIENT_ID, named_id), (QUOTA_USER, named_user)), (user, measured_id)
        yield ((QUOTA_USER, named_user),), (user, "")
    yield ((QUOTA_CLIENT_ID, client_id),), ("", measured_id)
    yield ((QUOTA_CLIENT_ID, None),), ("", measured_id)
