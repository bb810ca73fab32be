"""Decides which connections a node accepts, and which ones it closes to make room.

Apache Kafka (class ConnectionQuotas) limits connections by ``max.connections`` of a broker and of a listener and by
``max.connections.per.ip``, and their rate by ``max.connection.creation.rate``. A connection beyond the limit of its
address is closed at once. All others wait in the kernel's backlog until an accepted connection ends, which may take
until ``connections.max.idle.ms`` is over (10 minutes). Only for the inter-broker listener does a broker close the least
recently used connection of another listener. Kafka counts brokers and controllers separately. It does not limit file
descriptors, and runs out of them.

A client's address may also have a quota in the metadata, ``connection_creation_rate``; connections beyond it are closed
at once.

Here the same keys have the same meaning, with three additions:

- The file descriptors of the process, minus a reserve for files and outgoing connections, limit all connections
  together. The brokers' and the controllers' listeners each have a quarter of that guaranteed.
- If there is no room, a connection without any request is closed, once it had `FIRST_REQUEST_GRACE_S` for it: the one
  that came first. If all have made a request, one is closed that was idle for `GIVES_WAY_AFTER_S`. So connections that
  are opened and send nothing delay nobody. The new connection waits only if neither kind exists.
- A connection may get one of the last descriptors, because the node itself has more files open than expected. Then
  another connection is closed at once, or this one is.

This module does not use sockets: `Door` is called before a connection is accepted, and a `Place` stands for one that
was accepted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import trio

from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.core.quotas.connection_rates import ConnectionRates
from kafkaproto_server.shell.net.limits import (
    FIRST_REQUEST_GRACE_S,
    GIVES_WAY_AFTER_S,
    GUARANTEED_SHARE,
    MAX_CONNECTIONS,
    SECOND_CHANCES,
)

UNLIMITED = 2**31 - 1
"""Kafka's default of the keys that limit connections: no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionLimits:
    """The limits for the connections of one node."""

    capacity: int = MAX_CONNECTIONS
    """For all listeners together."""
    first_spare_descriptor: int = UNLIMITED
    """A connection whose file descriptor has this number or a higher one uses descriptors that the node may need
    itself."""
    max_connections: int = UNLIMITED
    """``max.connections``: for the listeners of one kind together."""
    max_per_address: int = UNLIMITED
    """``max.connections.per.ip``: for one address, at the listeners of one kind."""
    per_address: Mapping[str, int] = field(default_factory=dict)
    """``max.connections.per.ip.overrides``: the limits of particular addresses."""
    creation_rate: int = UNLIMITED
    """``max.connection.creation.rate``: connections per second, at the listeners of one kind together."""
    gives_way_after_s: float = GIVES_WAY_AFTER_S
    """A connection that has made a request may be closed for another one after it was idle for this long."""


class Occupant(Protocol):
    """A connection that was accepted."""

    @property
    def idle_since(self) -> float | None:
        """Since when it is idle, by trio's clock; None while the peer waits for a response."""

    def give_way(self) -> None:
        """Close soon, to make room."""


class Place:
    """The place of one connection, from its acceptance until `leave`. Implements `Occupant`."""

    __slots__ = ("_address", "_door", "_is_leaving", "_occupant", "since")

    def __init__(self, door: Door, address: str, since: float) -> None:
        self._door = door
        self._address = address
        self._occupant: Occupant | None = None
        self._is_leaving = False
        self.since = since
        """When the connection was accepted, by trio's clock."""

    def occupy(self, occupant: Occupant) -> None:
        """Set the connection that `give_way` will close."""
        self._occupant = occupant
        # It may have been asked to leave between its acceptance and this call.
        if self._is_leaving:
            occupant.give_way()

    def made_request(self) -> None:
        """The connection has made a request: it now gives way after those that have not."""
        self._door.made_request(self)

    def leave(self) -> None:
        # The connection refers to this place. Without this, the cycle and all that it holds would wait for the
        # collector.
        self._occupant = None
        self._door.left(self, self._address, was_asked_to=self._is_leaving)

    @property
    def idle_since(self) -> float | None:
        return self.since if self._occupant is None else self._occupant.idle_since

    def give_way(self) -> None:
        """Close the connection. Its place stays taken until it is closed."""
        self._is_leaving = True
        self._door.asked_to_leave(self)
        if self._occupant is not None:
            self._occupant.give_way()


class _Rate:
    """A rate limit in connections per second. What was not used of the last second may be used at once."""

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._left = float(per_second)
        self._at = trio.current_time()

    def change(self, per_second: int) -> None:
        """Another limit holds from now on."""
        # Any change of configs leads here. One that leaves the rate alone must not hand out a second's allowance anew.
        if per_second != self._per_second:
            self._per_second = per_second
            self._left = float(per_second)

    def take(self) -> float:
        """Take one. Returns the number of seconds to wait before it may be used."""
        if self._per_second >= UNLIMITED:
            return 0.0
        if self._per_second == 0:
            return math.inf
        now = trio.current_time()
        # It may become negative. Then the next one waits longer, so that connections which come
        # together are spaced out.
        self._left = min(self._per_second, self._left + (now - self._at) * self._per_second) - 1
        self._at = now
        return max(0.0, -self._left / self._per_second)


class _Role:
    """The listeners of one kind, which Kafka counts together."""

    def __init__(self, limits: AdmissionLimits) -> None:
        self.doors: list[Door] = []
        self.rate = _Rate(limits.creation_rate)
        self.per_address: dict[str, int] = {}
        self.guaranteed = 0
        """The number of connections that it can have regardless of the others."""

    @property
    def count(self) -> int:
        return sum(door.count for door in self.doors)


class Admission:
    """The connections of all listeners of a node."""

    def __init__(self, limits: AdmissionLimits, rates: ConnectionRates | None = None) -> None:
        """Create it within trio, whose clock it uses. ``rates`` hold clients' addresses to their quotas."""
        assert limits.capacity > 0, "a node has to take in somebody"
        self.rates = rates
        self.limits = limits
        self._roles: dict[ListenerKind, _Role] = {}
        self.somebody_left = trio.lowlevel.ParkingLot()
        """Where listeners wait for room."""

    def door(
        self,
        name: str,
        kind: ListenerKind,
        *,
        max_connections: int = UNLIMITED,
        creation_rate: int = UNLIMITED,
        is_protected: bool = False,
    ) -> Door:
        """Add a listener with limits of its own.

        ``is_protected`` is for the inter-broker listener if it is not the only one: the broker's ``max.connections``
        and ``max.connection.creation.rate`` do not apply to it.
        """
        role = self._roles.get(kind)
        if role is None:
            role = self._roles[kind] = _Role(self.limits)
            # With one kind of listener there is nobody to guarantee a share against.
            if len(self._roles) > 1:
                for each in self._roles.values():
                    each.guaranteed = int(self.limits.capacity * GUARANTEED_SHARE)
        door = Door(self, role, name, kind, max_connections, creation_rate, is_protected=is_protected)
        role.doors.append(door)
        return door

    def use_limits(
        self,
        *,
        max_connections: int,
        max_per_address: int,
        per_address: Mapping[str, int],
        creation_rate: int,
    ) -> None:
        """Other limits hold for new connections."""
        self.limits = replace(
            self.limits,
            max_connections=max_connections,
            max_per_address=max_per_address,
            per_address=per_address,
            creation_rate=creation_rate,
        )
        for role in self._roles.values():
            role.rate.change(creation_rate)

    def use_listener_limits(self, name: str, *, max_connections: int, creation_rate: int) -> None:
        """Other limits hold for new connections of a listener."""
        for role in self._roles.values():
            for door in role.doors:
                if door.name == name:
                    door.use_limits(max_connections, creation_rate)

    @property
    def count(self) -> int:
        return sum(role.count for role in self._roles.values())

    def available_to(self, role: _Role) -> int:
        """The largest number of connections that the listeners of one kind may have."""
        # Others keep their guarantee also while they do not use it: there is no taking it back at once.
        return self.limits.capacity - sum(
            each.guaranteed for each in self._roles.values() if each is not role
        )

    def doors_beyond_guarantee(self) -> list[Door]:
        """The listeners whose connections may be closed for others: those of kinds that exceed their guarantee."""
        return [door for role in self._roles.values() if role.count > role.guaranteed for door in role.doors]


class Door:
    """One listener's part of an `Admission`."""

    def __init__(
        self,
        admission: Admission,
        role: _Role,
        name: str,
        kind: ListenerKind,
        max_connections: int,
        creation_rate: int,
        *,
        is_protected: bool,
    ) -> None:
        self.name = name
        self.count = 0
        """Places that are taken."""
        self.leaving = 0
        """Those of them whose connections are about to close."""
        # Dicts replace sets, because they keep the order: the oldest comes first.
        self.without_request: dict[Place, None] = {}
        """Places of connections that have made no request."""
        self.with_request: dict[Place, None] = {}
        """Places of all other connections."""
        self._admission = admission
        self._role = role
        self._kind = kind
        self._max_connections = max_connections
        self._rate = _Rate(creation_rate)
        self._is_protected = is_protected

    def use_limits(self, max_connections: int, creation_rate: int) -> None:
        """Other limits hold for new connections."""
        self._max_connections = max_connections
        self._rate.change(creation_rate)

    @property
    def is_full(self) -> bool:
        """Whether a connection has to end before another one can be accepted."""
        return self._crowd() is not None

    async def wait_for_room(self) -> None:
        """Return once a connection may be accepted. Closes another one for it if necessary and possible."""
        delay = self._rate.take()
        if not self._is_protected:
            # Both limits hold, and one wait serves for both.
            delay = max(delay, self._role.rate.take())
        if delay:
            await trio.sleep(delay)
        while (crowd := self._crowd()) is not None:
            self._make_room(crowd)
            if self._crowd() is None:
                break
            # Without a wake-up as well: a connection may have used up its grace, or become idle,
            # meanwhile.
            with trio.move_on_after(FIRST_REQUEST_GRACE_S):
                await self._admission.somebody_left.park()
        if self._is_protected and self._role.count >= self._admission.limits.max_connections:
            # As in Kafka, brokers get in beyond the limit, and a client's connection is closed in exchange.
            self._make_room([each for each in self._role.doors if each is not self], is_urgent=True)

    def enter(self, address: str, descriptor: int) -> Place | str:
        """Take a place for a connection that was accepted from an address. Returns the reason if it has to be closed
        instead."""
        limits, rates = self._admission.limits, self._admission.rates
        is_from_client = self._kind is ListenerKind.BROKER
        if (
            is_from_client
            and rates is not None
            and not rates.allows(address, int(trio.current_time() * 1000))
        ):
            return "its address has opened as many as it may for now (connection_creation_rate)"
        address_limit = limits.per_address.get(address, limits.max_per_address)
        # Only after accept: the peer's address is not known before. Kafka closes it at this point,
        # too.
        if self._role.per_address.get(address, 0) >= address_limit:
            return f"its address has its {address_limit} connections (max.connections.per.ip)"
        if descriptor >= limits.first_spare_descriptor and not self.relieve():
            return "there are no file descriptors left for it"
        self.count += 1
        self._role.per_address[address] = self._role.per_address.get(address, 0) + 1
        place = Place(self, address, trio.current_time())
        # At the end of the order: the one that came first is closed first.
        self.without_request[place] = None
        return place

    def relieve(self) -> bool:
        """The process is short of file descriptors: close a connection. Returns whether one was found."""
        return self._make_room(self._admission.doors_beyond_guarantee() or self._role.doors, is_urgent=True)

    def made_request(self, place: Place) -> None:
        """The connection of a place has made a request; the place may be leaving already."""
        if place in self.without_request:
            del self.without_request[place]
            self.with_request[place] = None

    def asked_to_leave(self, place: Place) -> None:
        """A place will become free."""
        self.leaving += 1
        self._forget(place)

    def left(self, place: Place, address: str, *, was_asked_to: bool) -> None:
        assert self.count > 0, "somebody leaves who never entered"
        self.count -= 1
        self.leaving -= was_asked_to
        self._forget(place)
        per_address = self._role.per_address
        per_address[address] -= 1
        if not per_address[address]:
            # Addresses come and go, and an entry for each would stay for ever.
            del per_address[address]
        self._admission.somebody_left.unpark_all()

    def _forget(self, place: Place) -> None:
        self.without_request.pop(place, None)
        self.with_request.pop(place, None)

    def _crowd(self) -> Sequence[Door] | None:
        """The listeners of which one has to lose a connection before this one can accept another. None if there is
        room."""
        admission, role = self._admission, self._role
        # The own limit first: if it is reached, only one of its own connections makes room.
        if self.count >= self._max_connections:
            return [self]
        if role.count >= admission.limits.max_connections and not self._is_protected:
            return role.doors
        if role.count >= admission.available_to(role):
            return role.doors
        if admission.count >= admission.limits.capacity:
            return admission.doors_beyond_guarantee()
        return None

    def _make_room(self, doors: Sequence[Door], *, is_urgent: bool = False) -> bool:
        """Close one connection of these listeners, unless one is being closed already. Returns whether there is one.

        If it is urgent, the connection that was idle longest is closed, however short that was.
        """
        # One at a time. A connection takes a moment to close, and each check would close another
        # one.
        if any(door.leaving for door in doors):
            return True
        now = trio.current_time()
        oldest = [next(iter(door.without_request)) for door in doors if door.without_request]
        found = min(oldest, key=lambda place: place.since, default=None)
        if found is not None and not is_urgent and found.since > now - FIRST_REQUEST_GRACE_S:
            found = None
        if found is None:
            before = now if is_urgent else now - self._admission.limits.gives_way_after_s
            found = _idle_longest(doors, before)
        if found is None:
            return False
        found.give_way()
        return True


def _idle_longest(doors: Iterable[Door], before: float) -> Place | None:
    """A connection that has been idle since ``before``: among those examined, the one that has been idle longest.

    The first connections of each listener are examined; those in use move to the end of the line. So at most
    `SECOND_CHANCES` of each listener are examined, however many there are.
    """
    found: Place | None = None
    found_since = before
    for door in doors:
        for place in [place for place, _ in zip(door.with_request, range(SECOND_CHANCES), strict=False)]:
            since = place.idle_since
            if since is not None and since <= found_since:
                found, found_since = place, since
            elif since is None or since > before:
                # In use: behind all others, so that the next search examines different ones.
                door.with_request[place] = door.with_request.pop(place)
    return found
