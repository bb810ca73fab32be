"""A share coordinator that reads records which make no sense, and a leader that reads such states."""

from __future__ import annotations

import random
from contextlib import suppress

from kafkaproto.messages import WriteShareGroupStateRequest
from kafkaproto.records.coordinator import SHARE_RECORDS, CoordinatorRecord
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.core.share_partitions.acquiring import LogBatch, Wanted, acquire
from kafkaproto_server.core.share_partitions.expiring import expire
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.core.share_partitions.settings import ShareSettings
from kafkaproto_server.requests.share_requests import ShareError
from kafkaproto_server.requests.share_state import ShareState
from tests.core.coordinators.support.foreign_records import GROUPS, IDS, Foreign
from tests.core.coordinators.support.share_world import HOUR_MS, ShareWorld

SEEDS = 150
RECORDS = 12
REQUESTS = 30
LAST_OFFSET = 2**63 - 1
WANTED = Wanted(member_id="m", max_records=100, batch_size=100, is_record_limit=False)


class Life:
    """A coordinator that has read such records, and those who ask it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.world = ShareWorld(updates_per_snapshot=self.rng.choice((0, 1, 500)))
        self.world.partitions |= dict.fromkeys(IDS, 4)
        foreign = Foreign(self.rng, SHARE_RECORDS)
        for _ in range(RECORDS):
            key, value = foreign.decoded(foreign.record())
            self.world.log.records.append(CoordinatorRecord(key=key, value=value))
        self.world.log.commit()
        self.world.start()

    def ask(self) -> None:
        """One request, of any kind."""
        rng, world = self.rng, self.world
        key = SharePartitionKey(rng.choice(GROUPS), rng.choice(IDS), rng.choice((0, 1, 2, 3)))
        epoch = rng.choice((0, 1, 5, 1000))
        batches = ((rng.choice((0, 1, 7)), 9, rng.choice((0, 2, 4)), rng.choice((1, 32_767))),)
        requests = (
            lambda: world.initialize(key=key, epoch=epoch, start=rng.choice((-1, 0, 5))),
            lambda: self.lead(world.read(key=key, leader_epoch=epoch).state),
            lambda: world.summary(key),
            lambda: world.write(
                *batches, key=key, epoch=epoch, leader_epoch=epoch, start=rng.choice((-1, 5))
            ),
            lambda: world.delete(key),
            lambda: world.world.advance(HOUR_MS),
        )
        rng.choice(requests)()

    def lead(self, state: ShareState | None) -> None:
        """A leader has read a state, and works with it unless it is of no use."""
        if state is None:
            return
        with suppress(ShareError):
            core = SharePartition(state, max(state.start_offset, 0), ShareSettings())
            first = core.next_fetch_offset()
            acquire(core, WANTED, first, [LogBatch(first, min(first + 5, LAST_OFFSET - 1))], (), now_ms=0)
            core.log_start_moved(min(core.start_offset + 2, LAST_OFFSET))
            self.send(core.state(expire(core, 10**6)))

    @staticmethod
    def send(state: ShareState) -> None:
        """What it writes has to fit into a request."""
        request = WriteShareGroupStateRequest
        batches = [request.StateBatch(**each._asdict()) for each in state.batches]
        partition = request.PartitionData(
            start_offset=state.start_offset,
            delivery_complete_count=state.delivery_complete_count,
            state_batches=batches,
        )
        request(topics=[request.WriteStateData(partitions=[partition])]).encode(request.MAX_VERSION)


def test_what_makes_no_sense_does_no_harm() -> None:
    for seed in range(SEEDS):
        life = Life(seed)
        for _ in range(REQUESTS):
            life.ask()
        life.world.start()
        life.world.world.advance(3 * HOUR_MS)
