"""Names that take long to resolve: who waits for them, and who does not. The resolver is told when to answer."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest
import trio

from kafkaproto_server.shell.net.names import NameLookups


class Resolver:
    """Stands for `socket.getaddrinfo`: names that begin with "slow" are answered when the test says so."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.go_on = threading.Event()

    def __call__(self, host: bytes | str, port: Any, *args: int) -> list[tuple[Any, ...]]:
        assert port is None
        if isinstance(host, bytes):
            host = host.decode()
        self.asked.append(host)
        if host.startswith("slow"):
            assert self.go_on.wait(30)
        if host.endswith("unknown"):
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 0))]


@pytest.fixture
def resolver() -> Any:
    resolver = Resolver()
    yield resolver
    resolver.go_on.set()


async def until(condition: Any) -> None:
    with trio.fail_after(10):
        while not condition():
            await trio.lowlevel.checkpoint()


@pytest.mark.trio
async def test_what_trio_looks_up_is_looked_up_here(resolver: Resolver) -> None:
    NameLookups(2, resolver).install()
    found = await trio.socket.getaddrinfo("name", 9092, type=socket.SOCK_STREAM)
    assert [each[4] for each in found] == [("192.0.2.1", 9092)]
    assert await trio.socket.getaddrinfo("127.0.0.1", 9092, type=socket.SOCK_STREAM)
    with pytest.raises(socket.gaierror):
        await trio.open_tcp_stream("unknown", 9092)
    assert resolver.asked == ["name", "unknown"]


@pytest.mark.trio
async def test_a_name_is_looked_up_once_for_all_that_want_it_at_any_port(resolver: Resolver) -> None:
    names = NameLookups(2, resolver)
    found: list[tuple[Any, ...]] = []

    async def find(port: int) -> None:
        found.extend(await names.tcp_addresses("slow", port))

    async with trio.open_nursery() as nursery:
        for port in range(1, 6):
            nursery.start_soon(find, port)
        await until(lambda: resolver.asked)
        resolver.go_on.set()
    assert resolver.asked == ["slow"]
    assert sorted(each[4] for each in found) == [("192.0.2.1", port) for port in range(1, 6)]
    await names.tcp_addresses("slow", 1)
    assert resolver.asked == ["slow", "slow"], "an answer is not kept"


@pytest.mark.trio
async def test_everybody_who_waits_learns_of_a_failure(resolver: Resolver) -> None:
    names = NameLookups(2, resolver)
    failures = []

    async def find() -> None:
        try:
            await names.tcp_addresses("slow.unknown", 1)
        except OSError as error:
            failures.append(error.errno)

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(find)
        await until(lambda: resolver.asked)
        resolver.go_on.set()
    assert failures == [socket.EAI_NONAME] * 3
    assert resolver.asked == ["slow.unknown"]


@pytest.mark.trio
async def test_names_that_hang_take_no_thread_from_other_work(resolver: Resolver) -> None:
    names = NameLookups(3, resolver)
    threads = trio.to_thread.current_default_thread_limiter()
    async with trio.open_nursery() as nursery:
        for number in range(2 * int(threads.total_tokens)):
            nursery.start_soon(names.tcp_addresses, f"slow{number}", 1)
        await until(lambda: len(resolver.asked) == 3)
        assert threads.borrowed_tokens == 0
        with trio.fail_after(10):
            assert await trio.to_thread.run_sync(threading.active_count)
        assert len(resolver.asked) == 3
        # Those that were not begun are not looked up for nobody.
        nursery.cancel_scope.cancel()
    resolver.go_on.set()
    await until(lambda: not names._lookups)
    assert len(resolver.asked) == 3


@pytest.mark.trio
async def test_who_asks_for_a_name_that_was_given_up_has_it_looked_up(resolver: Resolver) -> None:
    names = NameLookups(1, resolver)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(names.tcp_addresses, "slow", 1)
        await until(lambda: resolver.asked)
        nursery.start_soon(names.tcp_addresses, "later", 1)
        await until(lambda: len(names._lookups) == 2)
        nursery.cancel_scope.cancel()
    resolver.go_on.set()
    assert await names.tcp_addresses("later", 1)


def test_a_run_ends_while_names_hang(resolver: Resolver) -> None:
    async def run() -> None:
        NameLookups(2, resolver).install()
        with trio.move_on_after(10) as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.open_tcp_stream, "slow", 1)
                await until(lambda: resolver.asked)
                scope.cancel()

    # It would not return before the resolver did.
    trio.run(run)
    assert not resolver.go_on.is_set()
