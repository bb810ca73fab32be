"""Work of requests in a thread's lane: turns of hosts, what belongs to nobody any more, and what may begin.

Tests: `shell.replicas.requests.log_read`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.messages import FetchRequest, ListOffsetsRequest
from kafkaproto_server.base.later import Steps
from kafkaproto_server.shell.replicas.requests.host_lane import HOSTS_A_LOOK, STEPS_A_TURN, HostLane
from kafkaproto_server.shell.storage.errors import StorageError
from tests.apis.support.data_broker import ME, DataBroker, batch, wanted
from tests.apis.support.replicas import ImmediateWorkers, cold
from tests.sim.disk import MemoryFile


class World:
    """A lane whose jobs are done one at a time."""

    def __init__(self, max_begun_bytes: int = 1000) -> None:
        self.workers = ImmediateWorkers()
        self.lane = HostLane(self.workers, max_begun_bytes)
        self.workers.hold()
        self.log: list[str] = []
        """What was done: a host's name for each turn, and what was told."""
        self.gone: set[str] = set()

    def put(self, host: str, name: str, turns: int = 1, size: int = 0) -> None:
        """Work that takes some turns."""

        def steps() -> Steps[str]:
            for number in range(turns * STEPS_A_TURN - 1):
                if number % STEPS_A_TURN == 0:
                    self.log.append(name)
                yield
            return f"{name} done"

        self.lane.put(
            host, steps(), self.log.append, self.failed, is_over=lambda: name in self.gone, size=size
        )

    def failed(self, error: Exception) -> None:
        self.log.append(f"failed: {error}")

    def run(self, jobs: int = 1000) -> Sequence[str]:
        """Do some jobs of the lane; returns what happened."""
        del self.log[:]
        for _ in range(jobs):
            if not self.workers.do_one(lambda count: 0):
                break
        return self.log


def test_hosts_take_turns_and_each_works_off_one_piece_after_the_other() -> None:
    world = World()
    for name in ("a1", "a2", "a3"):
        world.put("a", name, turns=2)
    world.put("b", "b1")
    world.put("c", "c1", turns=2)
    assert world.run() == [
        *("a1", "b1", "b1 done", "c1", "a1", "a1 done", "c1", "c1 done"),
        *("a2", "a2", "a2 done", "a3", "a3", "a3 done"),
    ]
    assert len(world.lane) == 0


def test_host_that_comes_later_waits_for_one_turn_of_each_other() -> None:
    world = World()
    for number in range(50):
        world.put("a", f"a{number}", turns=100)
    world.run(jobs=10)
    world.put("b", "b")
    assert world.run(jobs=2) == ["a0", "b", "b done"]


def test_work_of_who_is_gone_is_not_begun() -> None:
    world = World()
    world.put("a", "first", turns=3)
    for number in range(50):
        world.put("a", f"a{number}")
    world.put("a", "last")
    world.gone = {f"a{number}" for number in range(50)}
    assert world.run() == ["first", "first", "first", "first done", "last", "last done"]


def test_work_that_has_begun_ends_with_the_turn_in_which_its_sender_goes() -> None:
    world = World()
    world.put("a", "long", turns=100)
    world.run(jobs=5)
    world.gone = {"long"}
    world.put("a", "next")
    assert world.run() == ["long", "next", "next done"]
    world.put("b", "short")
    world.gone.add("short")
    # Its only turn is under way.
    assert world.run() == ["short"]
    assert len(world.lane) == 0


def test_steps_of_work_that_is_dropped_are_closed() -> None:
    world, closed = World(), list[str]()

    def steps() -> Steps[str]:
        try:
            while True:
                yield
        finally:
            closed.append("closed")

    world.lane.put("a", steps(), world.log.append, world.failed, is_over=lambda: "a" in world.gone)
    world.run(jobs=3)
    world.gone = {"a"}
    world.run()
    assert closed == ["closed"]


def test_large_work_begins_when_there_is_room_and_small_work_need_not_wait_for_it() -> None:
    world = World(max_begun_bytes=1000)
    world.put("a", "a", turns=3, size=900)
    world.put("b", "b", turns=2, size=900)
    world.put("c", "c", size=50)
    assert world.run() == ["a", "c", "c done", "a", "a", "a done", "b", "b", "b done"]


def test_work_that_is_larger_than_all_room_is_done_alone() -> None:
    world = World(max_begun_bytes=1000)
    world.put("a", "a", turns=2, size=5000)
    world.put("b", "b", size=500)
    assert world.run() == ["a", "a", "a done", "b", "b done"]


def test_room_of_work_that_is_dropped_is_free_again() -> None:
    world = World(max_begun_bytes=1000)
    world.put("a", "a", turns=9, size=900)
    world.run(jobs=1)
    world.gone = {"a"}
    world.put("b", "b", size=900)
    assert world.run() == ["a", "b", "b done"]


def test_work_of_others_begins_once_large_work_is_dropped_while_another_host_has_its_turn() -> None:
    world = World(max_begun_bytes=1000)
    world.put("a", "a", turns=9, size=900)
    world.put("b", "b", size=50)
    world.put("c", "c", size=900)
    world.run(jobs=1)
    world.gone = {"a"}
    assert world.run() == ["b", "b done", "c", "c done"]


@pytest.mark.parametrize(("size", "others"), [(900, 300), (700, 130), (120, 60)])
def test_work_is_not_passed_over_for_ever(size: int, others: int) -> None:
    world = World(max_begun_bytes=1000)
    for number in range(20):
        for host in "cdefgh":
            world.put(host, f"{host}{number}", turns=3, size=others)
    world.run(jobs=3)
    world.put("a", "a", size=size)
    assert "a done" in world.run(jobs=40)


def test_work_that_has_begun_goes_on_behind_very_many_hosts_whose_work_does_not_fit() -> None:
    world = World(max_begun_bytes=1000)
    world.put("a", "a", turns=3, size=900)
    for number in range(2 * HOSTS_A_LOOK):
        world.put(f"b{number}", f"b{number}", size=900)
    done = world.run()
    assert done[:4] == ["a", "a", "a", "a done"]
    assert done[-1] == f"b{2 * HOSTS_A_LOOK - 1} done"


@pytest.mark.parametrize("error", [OSError("no disk"), StorageError("no file")])
def test_errors_of_files_are_told(error: Exception) -> None:
    world = World()

    def steps() -> Steps[str]:
        yield
        raise error

    world.lane.put("a", steps(), world.log.append, world.failed, is_over=lambda: False)
    world.put("a", "next")
    assert world.run() == [f"failed: {error}", "next", "next done"]


def test_work_that_is_done_at_once_does_not_recurse() -> None:
    world = World()
    world.workers.release()
    world.put("a", "a", turns=2000)
    assert world.log[-1] == "a done"

    def again(left: int) -> Callable[[str], None]:
        def done(result: str) -> None:
            if left:
                world.lane.put("a", nothing(), again(left - 1), world.failed, is_over=lambda: False)

        return done

    def nothing() -> Steps[str]:
        yield from ()
        return "done"

    again(50)("")
    assert len(world.lane) == 0


WORKS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(1, 4), st.sampled_from([0, 10, 400, 900, 2000])),
    max_size=12,
)


@given(works=WORKS, gone=st.sets(st.integers(0, 11)), after=st.integers(0, 20))
def test_all_work_ends_once_and_in_the_order_of_its_host(
    works: list[tuple[str, int, int]], gone: set[int], after: int
) -> None:
    world = World()
    for number, (host, turns, size) in enumerate(works):
        world.put(host, f"{host}{number}", turns, size)
    done = [each for each in world.run(jobs=after) if each.endswith("done")]
    world.gone = {f"{host}{number}" for number, (host, _, _) in enumerate(works) if number in gone}
    done += [each for each in world.run() if each.endswith("done")]
    names = [f"{host}{number} done" for number, (host, _, _) in enumerate(works)]
    for host in "abcd":
        of_host = [each for each in done if each.startswith(host)]
        assert of_host == [each for each in names if each in of_host]
    assert {each for each in names if each.removesuffix(" done") not in world.gone} <= set(done)
    assert len(done) == len(set(done))
    rooms = (world.lane._small, world.lane._large)
    assert (len(world.lane), [each.used_bytes for each in rooms]) == (0, [0, 0])


# Where requests use it


def waiting(broker: DataBroker, name: str) -> HostLane:
    lane = attrgetter(name)(broker.replicas.manager)
    assert isinstance(lane, HostLane)
    return lane


def search(*indexes: int) -> ListOffsetsRequest:
    partitions = [
        ListOffsetsRequest.ListOffsetsPartition(partition_index=index, timestamp=100) for index in indexes
    ]
    topic = ListOffsetsRequest.ListOffsetsTopic(name="t", partitions=partitions)
    return ListOffsetsRequest(replica_id=-1, topics=[topic])


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> DataBroker:
    """Its topic has some partitions of one record each, none of which is in memory."""
    made = DataBroker()
    made.topic("t", *[[ME]] * 8)
    for index in range(8):
        assert made.produce("t", batch(), index).error_code == 0
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    made.replicas.workers.hold()
    return made


def fetch(broker: DataBroker, *indexes: int) -> FetchRequest:
    return broker.fetch_request(("t", [wanted(each) for each in indexes]))


def test_cold_reads_of_a_host_let_those_of_others_be_done(broker: DataBroker) -> None:
    for _ in range(20):
        broker.send(fetch(broker, *range(8)), 18, client_host="10.0.0.1")
    found = broker.send(fetch(broker, 0), 18, client_host="10.0.0.2")
    turns = 0
    while not found:
        assert broker.replicas.workers.do_one(lambda count: 0)
        turns += 1
    # The turn that was under way, and its own.
    assert turns == 2


def test_searches_of_a_host_let_those_of_others_be_done(broker: DataBroker) -> None:
    for _ in range(20):
        broker.send(search(*range(8)), 11, client_host="10.0.0.1")
    found = broker.send(search(0), 11, client_host="10.0.0.2")
    turns = 0
    while not found:
        assert broker.replicas.workers.do_one(lambda count: 0)
        turns += 1
    assert turns == 2


@pytest.mark.parametrize("kind", ["fetch", "search"])
def test_what_a_connection_that_has_ended_waited_for_is_not_read(broker: DataBroker, kind: str) -> None:
    name = {"fetch": "_readers", "search": "_searches._lane"}[kind]
    request = fetch(broker, 0, 1) if kind == "fetch" else search(0, 1)
    version = 18 if kind == "fetch" else 11
    found = broker.send(request, version)
    replies = [broker.start_waiting(request, version) for _ in range(9)]
    before = len(waiting(broker, name))
    assert before >= 10
    for each in replies:
        each.abandon()
    jobs = 0
    while not found or len(waiting(broker, name)):
        assert broker.replicas.workers.do_one(lambda count: 0)
        jobs += 1
    # The first one, which may take two turns.
    assert jobs <= before // 10 + 1
