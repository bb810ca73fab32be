"""Hosts take turns in a queue, and the things of one host do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.shell.net.host_queue import HostQueue


def test_hosts_take_turns_and_the_things_of_one_host_keep_their_order() -> None:
    queue: HostQueue[str] = HostQueue()
    for item in ("a1", "a2", "a3", "b1", "c1", "c2"):
        queue.append(item[0], item)
    assert [queue.popleft() for _ in range(len(queue))] == ["a1", "b1", "c1", "a2", "c2", "a3"]
    assert not queue


def test_a_host_may_be_served_out_of_turn() -> None:
    queue: HostQueue[str] = HostQueue()
    for item in ("a1", "a2", "b1", "b2", "c1"):
        queue.append(item[0], item)
    assert queue.pop("b") == "b1"
    assert [queue.popleft() for _ in range(len(queue))] == ["a1", "c1", "b2", "a2"]


class Naive:
    """The same with lists."""

    def __init__(self) -> None:
        self.hosts: list[tuple[str, list[int]]] = []

    def append(self, host: str, item: int) -> None:
        for name, items in self.hosts:
            if name == host:
                items.append(item)
                return
        self.hosts.append((host, [item]))

    def popleft(self) -> int:
        host, items = self.hosts.pop(0)
        item = items.pop(0)
        if items:
            self.hosts.append((host, items))
        return item

    def remove(self, host: str, item: int) -> None:
        items = dict(self.hosts)[host]
        items.remove(item)
        if not items:
            self.hosts.remove((host, items))


@given(st.lists(st.tuples(st.sampled_from(["append", "popleft", "remove"]), st.integers(0, 100))))
def test_it_does_what_lists_would_do(operations: list[tuple[str, int]]) -> None:
    queue: HostQueue[int] = HostQueue()
    naive = Naive()
    inside: dict[int, str] = {}
    for number, (operation, choice) in enumerate(operations):
        if operation == "append":
            inside[number] = "abc"[choice % 3]
            queue.append(inside[number], number)
            naive.append(inside[number], number)
        elif inside and operation == "popleft":
            assert [*queue.firsts()] == [(host, items[0]) for host, items in naive.hosts]
            first = queue.popleft()
            assert first == naive.popleft()
            del inside[first]
        elif inside:
            item = list(inside)[choice % len(inside)]
            queue.remove(inside[item], item)
            naive.remove(inside.pop(item), item)
        assert len(queue) == len(inside)
