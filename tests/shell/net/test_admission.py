"""Who is let in, who has to wait, who has to leave: counted, without a socket."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.core.quotas.connection_rates import ConnectionRates
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.shell.net.admission import Admission, AdmissionLimits, Door, Place
from kafkaproto_server.shell.net.limits import FIRST_REQUEST_GRACE_S, GIVES_WAY_AFTER_S, SECOND_CHANCES

pytestmark = pytest.mark.trio

BROKER, CONTROLLER = ListenerKind.BROKER, ListenerKind.CONTROLLER


class Connection:
    """Takes a place, and leaves it when it is asked to."""

    def __init__(self, door: Door, address: str = "192.0.2.1", descriptor: int = 7) -> None:
        place = door.enter(address, descriptor)
        assert isinstance(place, Place), place
        self.place = place
        self.is_open = True
        self.idle_since: float | None = trio.current_time()
        place.occupy(self)

    def give_way(self) -> None:
        assert self.is_open, "it was asked twice"
        self.leave()

    def leave(self) -> None:
        self.is_open = False
        self.place.leave()

    def ask(self) -> Connection:
        """Make a request, and be answered."""
        self.place.made_request()
        self.idle_since = trio.current_time()
        return self


async def opened(door: Door, address: str = "192.0.2.1") -> Connection:
    """A connection that was waited for at the door."""
    await door.wait_for_room()
    return Connection(door, address)


async def has_to_wait(door: Door) -> bool:
    with trio.move_on_after(FIRST_REQUEST_GRACE_S / 2) as waiting:
        await door.wait_for_room()
    return waiting.cancelled_caught


async def test_the_oldest_connection_without_a_request_gives_way(autojump_clock: MockClock) -> None:
    door = Admission(AdmissionLimits(capacity=3)).door("PLAINTEXT", BROKER)
    asking = (await opened(door)).ask()
    first, second = await opened(door), await opened(door)
    assert await has_to_wait(door), "they had no time to ask"
    await trio.sleep(FIRST_REQUEST_GRACE_S)
    third = await opened(door)
    assert [each.is_open for each in (asking, first, second, third)] == [True, False, True, True]
    fourth = await opened(door)
    assert [each.is_open for each in (asking, second, third, fourth)] == [True, False, True, True]
    assert door.count == 3


async def test_a_connection_that_was_idle_for_long_gives_way_if_all_have_made_requests(
    autojump_clock: MockClock,
) -> None:
    door = Admission(AdmissionLimits(capacity=3)).door("PLAINTEXT", BROKER)
    waiting = (await opened(door)).ask()
    waiting.idle_since = None
    idle = (await opened(door)).ask()
    await trio.sleep(1)
    busy = (await opened(door)).ask()
    begin = trio.current_time()
    new_voter = await opened(door)
    assert trio.current_time() - begin == pytest.approx(GIVES_WAY_AFTER_S - 1, abs=0.3)
    assert [each.is_open for each in (waiting, idle, busy, new_voter)] == [True, False, True, True]


async def test_an_idle_connection_is_found_behind_any_number_of_busy_ones(autojump_clock: MockClock) -> None:
    number = 3 * SECOND_CHANCES
    door = Admission(AdmissionLimits(capacity=number + 1)).door("PLAINTEXT", BROKER)
    busy = [(await opened(door)).ask() for _ in range(number)]
    for each in busy:
        each.idle_since = None
    idle = (await opened(door)).ask()
    await trio.sleep(GIVES_WAY_AFTER_S)
    await opened(door)
    assert not idle.is_open
    assert all(each.is_open for each in busy)


async def test_who_waits_comes_in_when_another_leaves(autojump_clock: MockClock) -> None:
    door = Admission(AdmissionLimits(capacity=1)).door("PLAINTEXT", BROKER)
    only = (await opened(door)).ask()
    only.idle_since = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(door.wait_for_room)
        await wait_all_tasks_blocked()
        begin = trio.current_time()
        only.leave()
    assert trio.current_time() == begin


async def test_clients_leave_controllers_their_share_and_the_other_way_round(
    autojump_clock: MockClock,
) -> None:
    for full, other in ((BROKER, CONTROLLER), (CONTROLLER, BROKER)):
        admission = Admission(AdmissionLimits(capacity=8))
        doors = {kind: admission.door(kind.name, kind) for kind in (BROKER, CONTROLLER)}
        held = [(await opened(doors[full])).ask() for _ in range(6)]
        assert await has_to_wait(doors[full])
        peers = [(await opened(doors[other])).ask() for _ in range(2)]
        assert await has_to_wait(doors[other])
        for each in (*held, *peers):
            each.idle_since = None
        peers[0].leave()
        await opened(doors[other])
        assert admission.count == 8


async def test_what_others_do_not_use_can_be_had_beyond_the_guarantee(autojump_clock: MockClock) -> None:
    admission = Admission(AdmissionLimits(capacity=8))
    clients, peers = admission.door("PLAINTEXT", BROKER), admission.door("CONTROLLER", CONTROLLER)
    silent = [await opened(clients) for _ in range(6)]
    held = [(await opened(peers)).ask() for _ in range(2)]
    await trio.sleep(FIRST_REQUEST_GRACE_S)
    held.append((await opened(peers)).ask())
    assert [each.is_open for each in silent] == [False, True, True, True, True, True]
    assert all(each.is_open for each in held)


async def test_who_has_no_more_than_its_guarantee_loses_nobody_to_others(autojump_clock: MockClock) -> None:
    admission = Admission(AdmissionLimits(capacity=8))
    clients, peers = admission.door("PLAINTEXT", BROKER), admission.door("CONTROLLER", CONTROLLER)
    # The first of all, and without a request.
    guaranteed = [await opened(peers)]
    await trio.sleep(1)
    silent = [await opened(clients) for _ in range(6)]
    guaranteed.append(await opened(peers))
    await trio.sleep(FIRST_REQUEST_GRACE_S)
    guaranteed.append(await opened(peers))
    assert [each.is_open for each in silent] == [False, True, True, True, True, True]
    assert all(each.is_open for each in guaranteed)


async def test_a_listener_alone_has_all(autojump_clock: MockClock) -> None:
    door = Admission(AdmissionLimits(capacity=8)).door("PLAINTEXT", BROKER)
    for _ in range(8):
        (await opened(door)).ask()
    assert await has_to_wait(door)


async def test_max_connections_counts_all_listeners_of_a_broker_and_none_of_its_controller(
    autojump_clock: MockClock,
) -> None:
    admission = Admission(AdmissionLimits(capacity=100, max_connections=2))
    one, two = admission.door("ONE", BROKER), admission.door("TWO", BROKER)
    peers = admission.door("CONTROLLER", CONTROLLER)
    for door in (one, two):
        (await opened(door)).ask()
    for door in (one, two):
        assert await has_to_wait(door)
    for _ in range(2):
        (await opened(peers)).ask()
    assert await has_to_wait(peers)


async def test_a_listener_has_a_limit_of_its_own(autojump_clock: MockClock) -> None:
    admission = Admission(AdmissionLimits(capacity=100))
    one = admission.door("ONE", BROKER, max_connections=1)
    two = admission.door("TWO", BROKER)
    await opened(two)
    (await opened(one)).ask()
    assert await has_to_wait(one)
    assert not await has_to_wait(two)


async def test_the_listener_of_brokers_among_themselves_takes_from_others(autojump_clock: MockClock) -> None:
    admission = Admission(AdmissionLimits(capacity=100, max_connections=2))
    clients = admission.door("CLIENTS", BROKER)
    brokers = admission.door("BROKERS", BROKER, is_protected=True)
    held = [(await opened(clients)).ask() for _ in range(2)]
    held[0].idle_since = None
    broker = (await opened(brokers)).ask()
    assert [each.is_open for each in held] == [True, False]
    broker.idle_since = None
    assert await has_to_wait(clients)
    # Nobody is left who could give way.
    another = (await opened(brokers)).ask()
    assert all(each.is_open for each in (held[0], broker, another))


async def test_an_address_has_a_limit_which_another_may_not_have() -> None:
    limits = AdmissionLimits(max_per_address=2, per_address={"192.0.2.9": 1, "192.0.2.8": 0})
    admission = Admission(limits)
    door, another = admission.door("ONE", BROKER), admission.door("TWO", BROKER)
    held = [Connection(door), Connection(another)]
    assert door.enter("192.0.2.1", 7) == "its address has its 2 connections (max.connections.per.ip)"
    assert isinstance(admission.door("CONTROLLER", CONTROLLER).enter("192.0.2.1", 7), Place)
    Connection(door, "192.0.2.9")
    assert isinstance(door.enter("192.0.2.9", 7), str)
    assert isinstance(door.enter("192.0.2.8", 7), str)
    assert door.count == 2
    held[1].leave()
    Connection(door)


async def test_connections_are_accepted_at_the_rate_that_is_allowed(autojump_clock: MockClock) -> None:
    admission = Admission(AdmissionLimits(creation_rate=10))
    door = admission.door("ONE", BROKER)
    slow = admission.door("TWO", BROKER, creation_rate=5)
    exempt = admission.door("BROKERS", BROKER, is_protected=True)
    begin = trio.current_time()
    for _ in range(30):
        await opened(door)
    # What was allowed in one second comes at once.
    assert trio.current_time() - begin == pytest.approx(2)
    for _ in range(30):
        await opened(exempt)
    assert trio.current_time() - begin == pytest.approx(2)
    await trio.sleep(10)
    begin = trio.current_time()
    for _ in range(15):
        await opened(slow)
    assert trio.current_time() - begin == pytest.approx(2)


async def test_a_descriptor_of_the_reserve_is_made_room_for_or_refused() -> None:
    admission = Admission(AdmissionLimits(first_spare_descriptor=100))
    door = admission.door("ONE", BROKER)
    assert door.enter("192.0.2.1", 100) == "there are no file descriptors left for it"
    first = Connection(door, descriptor=99)
    second = Connection(door, descriptor=100)
    assert not first.is_open
    assert second.is_open


async def test_who_is_asked_to_give_way_before_it_is_there_does_so_then() -> None:
    door = Admission(AdmissionLimits()).door("ONE", BROKER)
    place = door.enter("192.0.2.1", 7)
    assert isinstance(place, Place)
    assert door.relieve()
    assert door.relieve(), "it is on its way out"
    asked: list[bool] = []

    class Late:
        idle_since = None

        def give_way(self) -> None:
            asked.append(True)

    place.occupy(Late())
    assert asked == [True]
    place.leave()
    assert door.count == door.leaving == 0
    assert not door.relieve()


async def test_an_address_over_its_quota_is_refused_at_clients_listeners_only(
    autojump_clock: MockClock,
) -> None:
    rates = ConnectionRates(RateWindows(11, 1_000))
    rates.use_quotas({(("ip", None),): {"connection_creation_rate": 1.0}})
    admission = Admission(AdmissionLimits(capacity=50), rates)
    brokers, controllers = admission.door("PLAINTEXT", BROKER), admission.door("CONTROLLER", CONTROLLER)
    entered = [brokers.enter("192.0.2.1", 7) for _ in range(11)]
    assert [isinstance(each, Place) for each in entered] == [True] * 10 + [False]
    assert "connection_creation_rate" in str(entered[-1])
    assert isinstance(brokers.enter("192.0.2.2", 7), Place)
    assert all(isinstance(controllers.enter("192.0.2.1", 7), Place) for _ in range(11))
    await trio.sleep(11)
    assert isinstance(brokers.enter("192.0.2.1", 7), Place)
