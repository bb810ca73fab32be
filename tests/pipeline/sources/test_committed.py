"""What files say is committed must never be lost: held against a random model of Raft whose future is then played."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.sources.committed import (
    Committed,
    CommittedVoter,
    VoterLog,
    committed_of,
    lacks_majority,
    majority_end,
)
from tests.pipeline.raft_model import Node, Quorum, lineage


def voter_log(node_id: int, node: Node) -> VoterLog:
    return VoterLog(node_id=node_id, directory_id=None, lineage=lineage(node.log), quorum_epoch=node.epoch)


def assert_is_never_lost(quorum: Quorum, records: list[int]) -> None:
    """Every leader that is elected later has the records."""
    quorum.elected.clear()
    for _ in range(150):
        quorum.step()
        for leader in quorum.elected:
            assert leader.log[: len(records)] == records
        quorum.elected.clear()


@settings(max_examples=400)
@given(seed=st.integers(0, 2**32), size=st.sampled_from([1, 2, 3, 3, 4, 5]), steps=st.integers(0, 120))
def test_what_all_voters_logs_show_to_be_committed_is_never_lost(seed: int, size: int, steps: int) -> None:
    quorum = Quorum(size, Random(seed))
    for _ in range(steps):
        quorum.step()
    logs = [voter_log(index, node) for index, node in enumerate(quorum.nodes)]
    voters = [CommittedVoter(node_id=index, directory_id=None) for index in range(size)]
    found = majority_end(logs, [voters], is_one_moment=True)
    if found is not None:
        end, log = found
        assert_is_never_lost(quorum, [log.epoch_at(offset) or 0 for offset in range(end)])


@settings(max_examples=400)
@given(seed=st.integers(0, 2**32), size=st.sampled_from([2, 3, 3, 4, 5]), data=st.data())
def test_what_some_voters_logs_of_different_moments_show_to_be_committed_is_never_lost(
    seed: int, size: int, data: st.DataObject
) -> None:
    quorum = Quorum(size, Random(seed))
    logs = []
    for index in data.draw(st.permutations(range(size))):
        for _ in range(data.draw(st.integers(0, 60))):
            quorum.step()
        if data.draw(st.integers(0, 3)):
            logs.append(voter_log(index, quorum.nodes[index]))
    voters = [CommittedVoter(node_id=index, directory_id=None) for index in range(size)]
    found = majority_end(logs, [voters], is_one_moment=False)
    if found is not None:
        end, log = found
        assert_is_never_lost(quorum, [log.epoch_at(offset) or 0 for offset in range(end)])


def test_rules_find_what_a_quiet_quorum_has_committed() -> None:
    found = 0
    for seed in range(200):
        quorum = Quorum(3, Random(seed))
        while not quorum.elected:
            quorum.step()
        leader = quorum.elected[-1]
        if any(node.epoch > leader.epoch for node in quorum.nodes):
            continue
        for node in quorum.nodes:
            while node is not leader and node.last != leader.last:
                quorum.fetch(node, leader)
        logs = [voter_log(index, node) for index, node in enumerate(quorum.nodes)]
        voters = [CommittedVoter(node_id=index, directory_id=None) for index in range(3)]
        for of_one_moment in (True, False):
            assert majority_end(logs, [voters], is_one_moment=of_one_moment) == (
                len(leader.log),
                lineage(leader.log),
            )
            found += 1
    assert found > 200


# -- cases -----------------------------------------------------------------------------------------------------


def logs_of(*logs: tuple[list[int], int | None]) -> list[VoterLog]:
    return [
        VoterLog(node_id=index, directory_id=None, lineage=lineage(log), quorum_epoch=epoch)
        for index, (log, epoch) in enumerate(logs, 1)
    ]


def voters_of(*node_ids: int) -> list[CommittedVoter]:
    return [CommittedVoter(node_id=node_id, directory_id=None) for node_id in node_ids]


def end_of(logs: list[VoterLog], *voter_sets: list[CommittedVoter], is_one_moment: bool = True) -> int | None:
    found = majority_end(logs, voter_sets, is_one_moment=is_one_moment)
    return None if found is None else found[0]


def test_a_record_on_a_majority_may_still_be_cut_off() -> None:
    """Figure 8 of the Raft paper: the last voter, of epoch 3, wins with the votes of those of epoch 2 and below."""
    logs = logs_of(([1, 2, 4], 4), ([1, 2], 4), ([1, 2], 4), ([1], 3), ([1, 3], 3))
    assert end_of(logs, voters_of(1, 2, 3, 4, 5)) == 1
    logs = logs_of(([1, 2, 4], 4), ([1, 2, 4], 4), ([1, 2, 4], 4), ([1], 3), ([1, 3], 3))
    assert end_of(logs, voters_of(1, 2, 3, 4, 5)) == 3


def test_a_voter_that_is_not_given_may_have_anything() -> None:
    logs = logs_of(([1, 1], None), ([1, 1], None))
    assert end_of(logs, voters_of(1, 2, 3)) is None
    logs = logs_of(([1, 1], 1), ([1, 1], 1))
    assert end_of(logs, voters_of(1, 2, 3), is_one_moment=False) == 2
    logs = logs_of(([1, 1], 1), ([1, 1], 2))
    assert end_of(logs, voters_of(1, 2, 3), is_one_moment=False) is None


def test_too_few_voters_logs_prove_nothing() -> None:
    logs = logs_of(([1, 1, 1], 1), ([1, 1], 1))
    assert not lacks_majority(logs, [voters_of(1, 2, 3)])
    assert lacks_majority(logs[:1], [voters_of(1, 2, 3)])
    assert lacks_majority(logs, [voters_of(1, 2, 3), voters_of(1, 2, 3, 4)])
    assert lacks_majority(logs, [])
    assert not lacks_majority(logs[:1], [voters_of(1)])
    assert lacks_majority([*logs[:1], *logs[:1]], [voters_of(1)])


def test_one_voter_alone_has_committed_what_it_has() -> None:
    assert end_of(logs_of(([1, 1, 2], None)), voters_of(1), is_one_moment=False) == 3


def test_every_voter_set_that_may_be_in_force_has_to_agree() -> None:
    logs = logs_of(([1, 1, 1], 1), ([1, 1], 1), ([1], 1))
    assert end_of(logs, voters_of(1, 2, 3)) == 2
    assert end_of(logs, voters_of(1, 2, 3), voters_of(1)) == 2
    assert end_of(logs, voters_of(1)) == 3
    assert end_of(logs, voters_of(1), voters_of(4, 5)) is None


def test_two_copies_of_a_voters_log_are_not_relied_on() -> None:
    (one,) = logs_of(([1, 1], 1))
    (older,) = logs_of(([1], 1))
    assert end_of([one, older], voters_of(1)) is None


def test_a_voter_is_known_by_its_directory_where_the_set_tells_it() -> None:
    (log,) = logs_of(([1, 1], 1))
    assert end_of([log], [CommittedVoter(node_id=1, directory_id="a")]) == 2
    other = VoterLog(node_id=1, directory_id="b", lineage=log.lineage, quorum_epoch=1)
    assert end_of([other], [CommittedVoter(node_id=1, directory_id="a")]) is None


def test_a_snapshot_vouches_for_what_it_holds_and_only_in_its_epoch() -> None:
    point = SnapshotId(epoch=2, end_offset=3)
    committed = committed_of(
        logs_of(([1, 2, 2, 2], None)), [], [point], high_watermark=None, is_one_moment=True
    )
    assert committed.end == 3
    assert committed.end_in(lineage([1, 2, 2])) == 3
    assert committed.end_in(lineage([1, 1, 1, 1])) == 1
    diverging = committed_of(
        logs_of(([1, 1, 3, 3], None)), [], [point], high_watermark=None, is_one_moment=True
    )
    assert diverging.end == 0


def test_the_high_watermark_given_counts_for_the_most_advanced_log() -> None:
    logs = logs_of(([1, 1, 1, 1], None), ([1, 1, 2], None))
    committed = committed_of(logs, [], [], high_watermark=3, is_one_moment=True)
    assert committed == Committed(lineage=lineage([1, 1, 2]), end=3, snapshots=(), lacks_majority=True)
    assert committed.end_in(lineage([1, 1, 1, 1])) == 2


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        ([1, 1, 2], [1, 1, 2], 3),
        ([1, 1, 2, 2], [1, 1, 3], 2),
        ([1, 1], [1, 1, 1, 2], 2),
        ([], [1], 0),
        ([1], [2], 0),
    ],
)
def test_two_logs_part_where_their_epochs_do(one: list[int], other: list[int], common: int) -> None:
    assert lineage(one).common_end(lineage(other)) == common
    assert lineage(other).common_end(lineage(one)) == common


def test_logs_that_do_not_begin_at_the_same_offset_are_compared_where_both_are() -> None:
    whole = lineage([1, 1, 2, 2, 3])
    assert whole.common_end(lineage([1, 1, 2, 2, 3], start=3)) == 5
    assert lineage([1, 1, 2, 2]).common_end(lineage([1, 1, 2, 2, 4], start=3)) == 4
    # The next record is of the same epoch, whose leader has no other one before it.
    assert lineage([1, 1, 2]).common_end(lineage([1, 1, 2, 2, 4], start=3)) == 3
    assert lineage([1, 1, 1]).common_end(lineage([1, 1, 2, 2, 4], start=3)) == 0
