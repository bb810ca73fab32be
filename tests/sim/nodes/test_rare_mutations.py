"""Rules of nodes that hardly any seed touches: a test of the part itself has to notice if they are broken."""

from __future__ import annotations

from kafkaproto_server.storage.log.log import Log
from kafkaproto_server.storage.log.reached import find_reached
from kafkaproto_server.types import METADATA_TOPIC_ID
from tests.sim.disk import MemoryDisk
from tests.sim.mutations.mutation import mutated
from tests.sim.nodes.mutations.storage import RARE
from tests.storage.support.helpers import batch

DIRECTORY = "/log"


def _records_seem_lost_after_a_cut() -> bool:
    """Whether a log that is cut to the end of an older epoch looks as if it had lost records, if the node ends then."""
    disk = MemoryDisk()
    log = Log.open(disk, DIRECTORY, topic_id=METADATA_TOPIC_ID)
    for offset in range(6):
        log.append([batch(offset, epoch=1 + offset // 2)])
        log.sync()
    log.truncate_to(3)
    log.abandon()
    reached = find_reached(disk, DIRECTORY, 0)
    log = Log.open(disk, DIRECTORY, topic_id=METADATA_TOPIC_ID)
    return reached is not None and reached.offset > log.log_end_offset


def test_epochs_of_what_is_cut_are_removed_with_it() -> None:
    assert not _records_seem_lost_after_a_cut()
    with mutated(RARE):
        assert _records_seem_lost_after_a_cut()
