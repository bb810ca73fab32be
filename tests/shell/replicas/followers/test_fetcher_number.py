"""``num.replica.fetchers`` changes while fetchers run: every partition is copied by one of them at every moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import FetchResponse
from kafkaproto_server.shell.replicas.followers import fetchers as fetchers_module
from kafkaproto_server.shell.replicas.followers.fetchers import Fetchers, PartitionData
from tests.shell.replicas.followers.test_fetcher_tasks import fetched, records, started
from tests.shell.replicas.followers.test_fetchers import TOPIC_ID, Following, Offsets

pytestmark = pytest.mark.trio
PARTITIONS = 12


async def following(
    nursery: trio.Nursery, count: int, later: list[Callable[[], None]] | None = None
) -> tuple[Fetchers, list[Following]]:
    """Fetchers that copy the partitions of a topic."""
    fetchers, first = await started(nursery, count, [], [] if later is None else later)
    followings = [first, *(Following() for _ in range(PARTITIONS - 1))]
    for index, each in enumerate(followings):
        each.replica.partition.index = index
        fetchers.follow(each.hosted)
    return fetchers, followings


def where(fetchers: Fetchers) -> dict[int, int]:
    """The number of the fetcher that has each partition."""
    found = {}
    for (_, number), fetcher in fetchers._fetchers.items():
        for key in fetcher._followed:
            assert key[1] not in found, "two fetchers copy a partition"
            assert fetchers._of[key] is fetcher
            found[key[1]] = number
    return found


async def take(fetcher: Any, response: FetchResponse) -> None:
    """The response to a first request, which has all partitions."""
    fetcher._next_request(7)
    response.responses[0].partitions += [
        PartitionData(partition_index=index, high_watermark=0) for index in range(1, PARTITIONS)
    ]
    await fetcher._take(response)


async def test_all_partitions_go_to_where_they_would_have_been(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery:
        fetchers, _ = await following(nursery, 1)
        for count in (2, 4, 3, 1):
            fetchers.use_count(count)
            found = where(fetchers)
            assert sorted(found) == list(range(PARTITIONS))
            assert sorted(set(found.values())) == list(range(count))
            # Those without a place end.
            await trio.sleep(1)
            assert sorted(number for _, number in fetchers._fetchers) == list(range(count))
        asking = sum(len(each._session) for each in fetchers._fetchers.values())
        assert asking == PARTITIONS
        nursery.cancel_scope.cancel()


async def test_the_same_number_changes_nothing(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery:
        fetchers, _ = await following(nursery, 2)
        before = {key: fetcher._followed[key] for key, fetcher in fetchers._of.items()}
        fetchers.use_count(2)
        assert before == {key: fetcher._followed[key] for key, fetcher in fetchers._of.items()}
        nursery.cancel_scope.cancel()


async def test_some_hundred_move_in_a_turn(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetchers_module, "MOVED_AT_ONCE", 5)
    async with trio.open_nursery() as nursery:
        later: list[Callable[[], None]] = []
        fetchers, _ = await following(nursery, 1, later)
        fetchers.use_count(12)
        moved = [len(set(where(fetchers).values()))]
        while later:
            later.pop()()
            moved.append(len(set(where(fetchers).values())))
        assert len(moved) == 3
        assert moved[-1] == PARTITIONS
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("back", [False, True])
async def test_a_log_that_is_being_written_moves_afterwards(back: bool, autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery:
        fetchers, followings = await following(nursery, 1)
        fetcher = fetchers._fetchers[2, 0]
        await take(fetcher, fetched(records=records(0), high_watermark=1))
        (job,) = followings[0].jobs
        fetchers.use_count(11)
        assert where(fetchers)[0] == 0
        assert fetchers.place_of(followings[0].replica.partition)[1] != 0
        if back:
            fetchers.use_count(1)
        job.done(False)
        partition = followings[0].replica.partition
        assert (partition.log_end_offset, partition.next_offset) == (1, 1)
        places = where(fetchers)
        assert places[0] == (0 if back else fetchers.place_of(partition)[1])
        wanted = fetchers._fetchers[2, places[0]]._session.next_request().partitions
        assert [each.fetch_offset for each in wanted if each.index == 0] == [1]
        nursery.cancel_scope.cancel()


async def test_a_log_of_which_the_leader_is_asked_what_it_has_moves_afterwards(
    autojump_clock: MockClock,
) -> None:
    async with trio.open_nursery() as nursery:
        fetchers, followings = await following(nursery, 1)
        fetcher = fetchers._fetchers[2, 0]
        fetcher._leader._peer = cast(Any, Offsets(latest=20, earliest=0))
        await take(fetcher, fetched(error_code=ErrorCode.OFFSET_OUT_OF_RANGE))
        fetchers.use_count(11)
        assert where(fetchers)[0] == 0
        await trio.testing.wait_all_tasks_blocked()
        partition = followings[0].replica.partition
        assert where(fetchers)[0] == fetchers.place_of(partition)[1]
        assert not followings[0].jobs
        nursery.cancel_scope.cancel()


async def test_who_copies_and_lags_is_told(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery:
        fetchers, followings = await following(nursery, 1)
        fetcher = fetchers._fetchers[2, 0]
        assert fetchers.lag_of((TOPIC_ID, 0)) is None
        assert fetchers.lag_of((bytes(16), 9)) is None
        await take(fetcher, fetched(records=records(0), high_watermark=5))
        assert fetchers.lag_of((TOPIC_ID, 0)) == ("ReplicaFetcherThread-0-2", 4)
        assert fetchers.lag_of((TOPIC_ID, 1)) == ("ReplicaFetcherThread-0-2", 0)
        [counts] = fetchers.counts()
        assert (counts.name, counts.endpoint, counts.bytes) == (
            "ReplicaFetcherThread-0-2",
            None,
            len(records(0)),
        )
        for each in followings:
            fetchers.unfollow((TOPIC_ID, each.replica.partition.index))
        assert fetchers.counts() == []
        nursery.cancel_scope.cancel()


async def test_a_log_that_has_failed_is_left_alone(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery:
        fetchers, followings = await following(nursery, 1)
        followings[0].owner.replicas.failed = lambda hosted, error: None
        fetcher = fetchers._fetchers[2, 0]
        await take(fetcher, fetched(records=records(0), high_watermark=1))
        (job,) = followings[0].jobs
        job.failed(OSError("a broken disk"))
        fetchers.use_count(11)
        assert sorted(where(fetchers)) == list(range(1, PARTITIONS))
        assert fetchers.lag_of((TOPIC_ID, 0)) is None
        nursery.cancel_scope.cancel()
