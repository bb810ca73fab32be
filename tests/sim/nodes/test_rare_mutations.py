"""Rules of nodes that no seed touches, or only swarms: a test of the part itself has to notice if they are broken."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from kafkaproto_server.base.types import METADATA_TOPIC_ID
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.reached import find_reached
from tests.core.coordinators.transactions import test_end_txn, test_partitions, test_time
from tests.core.log_state import test_leader_epochs, test_producers
from tests.core.replicas import test_partition, test_verification
from tests.shell.replicas import test_replica_manager
from tests.shell.replicas.files import test_hosted, test_maintenance, test_moves
from tests.shell.storage.support.helpers import batch
from tests.sim.disk import MemoryDisk
from tests.sim.mutations.mutation import mutated
from tests.sim.nodes.mutations import directories, record_logs, records, transactions
from tests.sim.nodes.mutations.storage import RARE

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


NOTICED_BY: dict[str, Callable[[], None]] = {
    "does not cut copies": partial(
        test_moves.test_whatever_happens_while_it_moves_a_replica_has_its_records, 0, with_kills=False
    ),
    "expands ISRs behind its epoch": test_partition.test_a_new_leader_adds_nobody_who_lacks_the_start_of_its_epoch,
    "takes earlier runs into ISRs": partial(
        test_replica_manager.test_who_may_join_an_isr,
        8,
        test_replica_manager.image(),
        test_replica_manager.WORKS,
        may_join=False,
    ),
    "acknowledges in a later term": test_partition.test_who_waits_hears_that_the_leader_has_changed,
    "believes logs durable": test_maintenance.test_the_recovery_point_moves_when_a_segment_is_rolled,
    "keeps producers of what it cuts": test_hosted.test_a_cut_takes_back_what_producers_wrote_behind_it,
    "keeps epochs of records that it cuts": partial(
        test_leader_epochs.test_truncation_forgets_epochs_that_have_no_record_left, 0, ()
    ),
    "writes high watermarks too high": test_maintenance.test_the_checkpoint_of_high_watermarks_has_what_is_committed,
    "aborts without a new epoch": partial(
        test_time.test_a_transaction_is_aborted_after_its_timeout_and_its_producer_is_fenced, 2
    ),
    "decides before that is committed": (
        test_end_txn.test_the_response_leaves_when_the_decision_is_committed_and_so_do_markers
    ),
    "lets anybody take part": test_partitions.test_leaders_may_ask_whether_a_partition_takes_part,
    "keeps guards over markers": partial(
        test_verification.test_the_marker_of_the_transaction_before_leaves_a_guard,
        bumps_epoch=True,
        marker_epoch=5,
        is_kept=False,
    ),
    "shows ends that may be lost": (
        test_producers.test_a_transaction_is_unstable_until_the_high_watermark_has_passed_its_marker
    ),
}
"""The test that has to notice each of these rules."""


MUTATIONS = {
    each.rule: each
    for module in (directories, record_logs, records, transactions)
    for each in (*module.RARE, *module.MUTATIONS)
}


def test_every_rule_that_no_seed_is_known_for_has_a_test() -> None:
    rare = (*directories.RARE, *record_logs.RARE, *records.RARE, *transactions.RARE)
    assert {each.rule for each in rare} <= NOTICED_BY.keys()


@pytest.mark.parametrize("rule", NOTICED_BY)
def test_a_test_of_the_part_notices(rule: str) -> None:
    notice = NOTICED_BY[rule]
    notice()
    with mutated(MUTATIONS[rule]), pytest.raises(AssertionError):
        notice()
