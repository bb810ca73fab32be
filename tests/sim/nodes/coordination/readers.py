"""Readers of what is committed: they leave out aborted transactions, by the list that comes with each response."""

from __future__ import annotations

import random
from collections.abc import Sequence

from kafkaproto.messages import FetchResponse
from kafkaproto.records.batch import iterate_batches
from tests.sim.nodes.coordination.promises import TransactionPromises
from tests.sim.nodes.data.consumers import Consumer
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.host import Host
from tests.sim.nodes.network import NetHost

READ_COMMITTED = 1


class CommittedReader(Consumer):
    """One client, with all partitions from their start on."""

    isolation_level = READ_COMMITTED

    def __init__(
        self,
        net: NetHost,
        hosts: Sequence[Host],
        ledger: Ledger,
        rng: random.Random,
        places: Sequence[Place],
        promises: TransactionPromises,
        *,
        reads_anywhere: bool,
    ) -> None:
        super().__init__(net, hosts, ledger, rng, places, reads_anywhere=reads_anywhere)
        self._promises = promises
        self.shown: dict[Place, list[bytes]] = {place: [] for place in places}
        """The values of committed records, in order."""

    def _took(self, place: Place, offset: int, records: bytes, data: FetchResponse.PartitionData) -> None:
        begins = sorted((each.first_offset, each.producer_id) for each in data.aborted_transactions or ())
        aborted: set[int] = set()
        end = offset
        for batch in iterate_batches(records):
            header = batch.header()
            end = header.next_offset
            while begins and begins[0][0] < header.next_offset:
                aborted.add(begins.pop(0)[1])
            if header.is_control:
                aborted.discard(header.producer_id)
                continue
            if header.is_transactional and header.producer_id in aborted:
                continue
            for record in batch.records():
                if record.offset >= offset:
                    assert record.value is not None, "workers write values"
                    self.shown[place].append(record.value)
                    self._promises.seen(place, record.value)
        if end > max(offset, data.last_stable_offset):
            what = f"a reader gets records up to {end}, {data.last_stable_offset} is stable"
            self._ledger.refused(place, what)
