"""One node between peers that answer what the test says: what of it a follower believes, and what it does then.

Tests: `core.raft.model.snapshot_download`, `core.raft.roles.fetching`, `core.raft.roles.snapshot_fetch`.
"""

from __future__ import annotations

import msgspec
import pytest

from kafkaproto_server.base.types import LeaderAndEpoch, OffsetAndEpoch
from kafkaproto_server.core.raft.model.states import Follower, Prospective, Unattached
from kafkaproto_server.core.raft.values.control import KRaftVersion, KRaftVoters, RecordedControl
from kafkaproto_server.core.raft.values.effects import (
    DropSnapshotPart,
    InstallSnapshot,
    SendRequest,
    TruncateLog,
)
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure, ResponseReceived
from kafkaproto_server.core.raft.values.messages import (
    Destination,
    FetchedBatch,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
)
from kafkaproto_server.core.raft.values.voters import VoterSet
from tests.core.raft.support.following import (
    EPOCH,
    LEADER,
    SNAPSHOT,
    answer_fetch,
    answer_piece,
    batch,
    fail,
    follower,
    sent,
)
from tests.core.raft.support.machine import Disk, Machine, SnapshotFile, config, voter


@pytest.mark.parametrize(
    ("request_timeout_ms", "fetch_timeout_ms", "held_ms"),
    [(2000, 2000, 500), (300, 2000, 150), (2000, 300, 150)],
)
def test_a_leader_may_not_hold_a_fetch_until_it_looks_like_a_leader_that_is_gone(
    request_timeout_ms: int, fetch_timeout_ms: int, held_ms: int
) -> None:
    machine = follower(request_timeout_ms=request_timeout_ms, fetch_timeout_ms=fetch_timeout_ms)
    request = sent(machine, FetchRequest).request
    assert isinstance(request, FetchRequest)
    assert request.max_wait_ms == held_ms


class TestAppending:
    def test_batches_that_continue_the_log(self) -> None:
        machine = follower()
        answer_fetch(machine, batches=(batch(10, 12, 3), batch(12, 13, 3)), high_watermark=12)
        assert (machine.node.log_end_offset, machine.node.high_watermark) == (13, 12)
        request = sent(machine, FetchRequest).request
        assert isinstance(request, FetchRequest)
        assert (request.fetch_offset, request.last_fetched_epoch, request.high_watermark) == (13, 3, 12)

    @pytest.mark.parametrize(("offset", "epoch"), [(7, 3), (20, 0), (20, 3)])
    def test_a_snapshot_with_the_least_or_the_greatest_possible_id_is_fetched(
        self, offset: int, epoch: int
    ) -> None:
        machine = follower()
        answer_fetch(machine, high_watermark=7)
        snapshot = OffsetAndEpoch(offset=offset, epoch=epoch)
        answer_fetch(machine, snapshot=snapshot)
        request = sent(machine, FetchSnapshotRequest).request
        assert isinstance(request, FetchSnapshotRequest)
        assert request.snapshot == snapshot

    @pytest.mark.parametrize(
        "wrong",
        [
            batch(11, 12, 3),
            batch(9, 12, 3),
            batch(10, 10, 3),
            batch(10, 12, 2),
            batch(10, 12, 4),
            batch(10, 12, 3, RecordedControl(offset=9, record=KRaftVersion(level=1))),
            batch(10, 12, 3, RecordedControl(offset=12, record=KRaftVersion(level=1))),
            batch(10, 12, 3, RecordedControl(offset=10, record=KRaftVersion(level=2))),
            batch(10, 12, 3, RecordedControl(offset=10, record=KRaftVersion(level=-1))),
            batch(10, 12, 3, RecordedControl(offset=10, record=KRaftVoters(voters=VoterSet(voters=())))),
            batch(
                10,
                12,
                3,
                RecordedControl(offset=11, record=KRaftVersion(level=1)),
                RecordedControl(offset=11, record=KRaftVersion(level=1)),
            ),
        ],
    )
    def test_a_batch_that_cannot_be_and_all_behind_it_are_left_out(self, wrong: FetchedBatch) -> None:
        machine = follower()
        answer_fetch(machine, batches=(wrong, batch(12, 13, 3)))
        assert machine.node.log_end_offset == 10
        assert machine.requests == []
        machine.tick(20)
        assert sent(machine, FetchRequest).destination.port == 2

    def test_what_came_before_a_bad_batch_is_kept(self) -> None:
        machine = follower()
        answer_fetch(machine, batches=(batch(10, 12, 3), batch(13, 14, 3)))
        assert machine.node.log_end_offset == 12

    def test_a_response_that_is_about_another_log_than_this_one_is_by_now(self) -> None:
        machine = follower()
        late = sent(machine, FetchRequest)
        machine.node.state.fetch_id = None  # type: ignore[union-attr]
        machine.handle(
            ResponseReceived(
                request_id=late.request_id, response=FetchResponse(leader=LEADER, batches=(batch(10, 12, 3),))
            )
        )
        machine.settle()
        assert machine.node.log_end_offset == 12
        request = sent(machine, FetchRequest)
        assert isinstance(request.request, FetchRequest)
        assert request.request.fetch_offset == 12

    def test_a_high_watermark_is_no_further_than_the_log_and_never_goes_back(self) -> None:
        machine = follower()
        answer_fetch(machine, high_watermark=99)
        assert machine.node.high_watermark == 10
        answer_fetch(machine, high_watermark=4)
        assert machine.node.high_watermark == 10
        answer_fetch(machine, high_watermark=-1)
        assert machine.node.high_watermark == 10


class TestTruncating:
    @pytest.mark.parametrize(
        ("diverging", "end_offset"),
        [
            (OffsetAndEpoch(epoch=2, offset=6), 6),
            (OffsetAndEpoch(epoch=2, offset=9), 7),
            (OffsetAndEpoch(epoch=0, offset=4), 4),
        ],
    )
    def test_the_log_is_cut_where_both_may_still_agree(
        self, diverging: OffsetAndEpoch, end_offset: int
    ) -> None:
        machine = follower()
        machine.disk.log[1:2] = [batch(4, 6, 2), batch(6, 7, 2)]
        obeyed = answer_fetch(machine, diverging=diverging)
        assert TruncateLog(end_offset=end_offset) in [write for each in obeyed for write in each.writes]
        assert machine.node.log_end_offset == end_offset

    @pytest.mark.parametrize(
        "diverging",
        [
            OffsetAndEpoch(epoch=1, offset=2),
            OffsetAndEpoch(epoch=3, offset=10),
            OffsetAndEpoch(epoch=9, offset=99),
            OffsetAndEpoch(epoch=-1, offset=-1),
            OffsetAndEpoch(epoch=0, offset=-5),
        ],
    )
    def test_committed_records_stay_and_nothing_is_no_cut(self, diverging: OffsetAndEpoch) -> None:
        machine = follower()
        answer_fetch(machine, high_watermark=7)
        answer_fetch(machine, diverging=diverging)
        assert machine.node.log_end_offset == 10
        assert machine.requests == []
        machine.tick(20)
        sent(machine, FetchRequest)

    def test_what_a_snapshot_covers_stays_although_a_new_process_knows_no_high_watermark(self) -> None:
        machine = follower()
        answer_fetch(machine, high_watermark=7)
        machine.make_snapshot(7)
        machine.crash()
        machine.start()
        assert machine.node.high_watermark is None
        answer_fetch(machine, diverging=OffsetAndEpoch(epoch=1, offset=4))
        assert machine.node.log_end_offset == 10
        machine.tick(20)
        answer_fetch(machine, snapshot=OffsetAndEpoch(epoch=1, offset=4))
        machine.tick(20)
        answer_fetch(machine, diverging=OffsetAndEpoch(epoch=2, offset=7))
        assert machine.node.log_end_offset == 7

    def test_voters_that_are_cut_off_count_no_more(self) -> None:
        machine = follower()
        two = VoterSet(voters=(voter(1, port=1), voter(2, port=2)))
        answer_fetch(
            machine,
            batches=(batch(10, 11, 3, RecordedControl(offset=10, record=KRaftVoters(voters=two))),),
        )
        assert list(machine.node.voters.ids) == [1, 2]
        obeyed = answer_fetch(machine, diverging=OffsetAndEpoch(epoch=3, offset=10))
        assert list(machine.node.voters.ids) == [1, 2, 3]
        assert any("VotersChanged" in repr(each.notify_now) for each in obeyed)


class TestSnapshots:
    def test_a_snapshot_comes_in_pieces_and_replaces_the_log(self) -> None:
        machine = follower()
        three = VoterSet(voters=tuple(voter(node_id, port=node_id) for node_id in (1, 2, 3)))
        machine.known_snapshots[SNAPSHOT] = SnapshotFile(
            data=b"abcabc",
            control_records=(
                RecordedControl(offset=19, record=KRaftVersion(level=0)),
                RecordedControl(offset=19, record=KRaftVersion(level=1)),
                RecordedControl(offset=19, record=KRaftVoters(voters=three)),
            ),
        )
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine)
        obeyed = answer_piece(machine)
        assert InstallSnapshot(snapshot=SNAPSHOT, size=6) in [
            write for each in obeyed for write in each.writes
        ]
        assert (machine.node.log_start_offset, machine.node.log_end_offset) == (20, 20)
        assert machine.node.high_watermark == 20
        assert machine.node.kraft_version == 1
        request = sent(machine, FetchRequest).request
        assert isinstance(request, FetchRequest)
        assert (request.fetch_offset, request.last_fetched_epoch) == (20, 2)

    @pytest.mark.parametrize(
        "snapshot",
        [
            OffsetAndEpoch(offset=0, epoch=0),
            OffsetAndEpoch(offset=-5, epoch=1),
            OffsetAndEpoch(offset=6, epoch=2),
            OffsetAndEpoch(offset=20, epoch=-1),
            OffsetAndEpoch(offset=20, epoch=4),
        ],
    )
    def test_an_id_that_no_leader_can_name(self, snapshot: OffsetAndEpoch) -> None:
        machine = follower()
        answer_fetch(machine, high_watermark=7)
        answer_fetch(machine, snapshot=snapshot)
        assert machine.requests == []
        machine.tick(20)
        sent(machine, FetchRequest)

    def test_the_empty_snapshot_is_not_fetched_even_if_nothing_is_committed(self) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=OffsetAndEpoch(offset=0, epoch=0))
        machine.tick(20)
        sent(machine, FetchRequest)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"snapshot": OffsetAndEpoch(offset=21, epoch=2)},
            {"position": 0},
            {"size": 7},
            {"size": -1},
            {"data": b""},
            {"data": b"abcd"},
        ],
    )
    def test_a_piece_that_does_not_fit_ends_the_download(self, wrong: dict[str, object]) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine)
        obeyed = answer_piece(machine, **wrong)
        assert [each.writes for each in obeyed] == [(DropSnapshotPart(snapshot=SNAPSHOT),)]
        machine.tick(20)
        sent(machine, FetchRequest)

    @pytest.mark.parametrize("error", [RaftError.SNAPSHOT_NOT_FOUND, RaftError.POSITION_OUT_OF_RANGE])
    def test_a_snapshot_that_is_gone_ends_the_download(self, error: RaftError) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine)
        answer_piece(machine, error=error)
        assert machine.disk.parts == {}
        machine.tick(20)
        sent(machine, FetchRequest)

    def test_a_snapshot_that_ends_at_the_high_watermark_commits_nothing_new(self) -> None:
        machine = follower()
        here = OffsetAndEpoch(offset=7, epoch=2)
        machine.known_snapshots[here] = SnapshotFile(data=b"abc", control_records=())
        answer_fetch(machine, high_watermark=7)
        answer_fetch(machine, snapshot=here)
        obeyed = answer_piece(machine, size=3)
        assert not any("HighWatermarkAdvanced" in repr(each.notify_after_persist) for each in obeyed)
        assert (machine.node.log_end_offset, machine.node.high_watermark) == (7, 7)

    def test_a_snapshot_of_which_nothing_came_leaves_nothing_to_be_deleted(self) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine, error=RaftError.SNAPSHOT_NOT_FOUND)
        machine.tick(20)
        sent(machine, FetchRequest)

    def test_so_does_a_kafka_leader_that_says_only_that_something_is_wrong(self) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine)
        fail(machine, FetchSnapshotRequest, RequestFailure.TOP_LEVEL_ERROR)
        assert machine.disk.parts == {}
        machine.tick(20)
        sent(machine, FetchRequest)

    def test_any_other_error_or_failure_is_tried_again_for_the_piece_that_is_missing(self) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine)
        answer_piece(machine, error=RaftError.UNKNOWN_SERVER_ERROR)
        machine.tick(20)
        fail(machine, FetchSnapshotRequest, RequestFailure.TIMED_OUT)
        machine.tick(20)
        request = sent(machine, FetchSnapshotRequest).request
        assert isinstance(request, FetchSnapshotRequest)
        assert request.position == 3

    def test_a_damaged_snapshot_is_fetched_again_after_a_pause(self) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine)
        answer_piece(machine)
        assert machine.requests == []
        assert machine.node.log_end_offset == 10
        machine.tick(20)
        sent(machine, FetchRequest)

    def test_until_it_is_known_whether_it_is_one_this_node_fetches_nothing_and_wants_no_leadership(
        self,
    ) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine)
        request = sent(machine, FetchSnapshotRequest)
        machine.handle(
            ResponseReceived(
                request_id=request.request_id,
                response=FetchSnapshotResponse(
                    leader=LEADER, snapshot=SNAPSHOT, position=3, size=6, data=b"abc"
                ),
            )
        )
        machine.take()
        assert machine.node.next_deadline_ms() is None
        for _ in range(20):
            machine.tick(1000)
        assert machine.take() is None
        assert isinstance(machine.node.state, Follower)

    def test_a_damaged_snapshot_that_finds_nobody_to_follow(self) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine)
        fail(machine, FetchSnapshotRequest, RequestFailure.DISCONNECTED)
        question, piece = sent(machine, FetchRequest, to=3), sent(machine, FetchSnapshotRequest)
        response = FetchSnapshotResponse(leader=LEADER, snapshot=SNAPSHOT, position=3, size=6, data=b"abc")
        machine.handle(ResponseReceived(request_id=piece.request_id, response=response))
        nobody = FetchResponse(
            error=RaftError.FENCED_LEADER_EPOCH, leader=LeaderAndEpoch(leader_id=-1, epoch=9)
        )
        machine.handle(ResponseReceived(request_id=question.request_id, response=nobody))
        assert isinstance(machine.node.state, Unattached)
        machine.tick(5000)
        assert isinstance(machine.node.state, Unattached)
        machine.settle()
        assert machine.node.log_end_offset == 10
        assert isinstance(machine.node.state, Prospective)

    def test_a_log_that_moved_on_needs_no_snapshot_any_more(self) -> None:
        machine = follower()
        answer_fetch(machine, snapshot=SNAPSHOT)
        answer_piece(machine)
        late = sent(machine, FetchSnapshotRequest)
        # Records come from the leader by another way: somebody who was asked who leads passed the Fetch on.
        machine.handle(RequestFailed(request_id=late.request_id, failure=RequestFailure.DISCONNECTED))
        machine.settle()
        fetch = sent(machine, FetchRequest, to=3)
        piece = sent(machine, FetchSnapshotRequest)
        response = FetchResponse(leader=LEADER, batches=(batch(10, 12, 3),))
        machine.handle(ResponseReceived(request_id=fetch.request_id, response=response))
        machine.settle()
        assert machine.node.log_end_offset == 12
        assert machine.disk.parts == {}
        received = FetchSnapshotResponse(leader=LEADER, snapshot=SNAPSHOT, position=3, size=6, data=b"abc")
        machine.handle(ResponseReceived(request_id=piece.request_id, response=received))
        machine.settle()
        assert machine.disk.parts == {}
        sent(machine, FetchRequest)


def doubtful_download() -> tuple[Machine, SendRequest, SendRequest]:
    """Half a snapshot is there; the link broke, so the rest is asked for again, and node 3 is asked who leads."""
    machine = follower()
    answer_fetch(machine, snapshot=SNAPSHOT)
    answer_piece(machine)
    fail(machine, FetchSnapshotRequest, RequestFailure.DISCONNECTED)
    return machine, sent(machine, FetchSnapshotRequest), sent(machine, FetchRequest, to=3)


def respond(machine: Machine, request: SendRequest, response: FetchResponse | FetchSnapshotResponse) -> None:
    machine.handle(ResponseReceived(request_id=request.request_id, response=response))
    machine.settle()


SECOND_PIECE = FetchSnapshotResponse(leader=LEADER, snapshot=SNAPSHOT, position=3, size=6, data=b"abc")


class TestTwoWaysToTheLeader:
    def test_the_same_snapshot_is_named_again(self) -> None:
        machine, piece, fetch = doubtful_download()
        respond(machine, fetch, FetchResponse(leader=LEADER, snapshot=SNAPSHOT))
        respond(machine, piece, msgspec.structs.replace(SECOND_PIECE, size=9))
        assert machine.disk.parts == {}
        machine.tick(20)
        sent(machine, FetchRequest)

    def test_records_that_come_while_a_snapshot_replaces_the_log_are_left_out(self) -> None:
        machine, piece, fetch = doubtful_download()
        machine.handle(ResponseReceived(request_id=piece.request_id, response=SECOND_PIECE))
        late = FetchResponse(leader=LEADER, batches=(batch(10, 12, 3),))
        machine.handle(ResponseReceived(request_id=fetch.request_id, response=late))
        assert machine.node.log_end_offset == 10

    def test_another_snapshot_is_named(self) -> None:
        machine, piece, fetch = doubtful_download()
        later = OffsetAndEpoch(offset=30, epoch=2)
        respond(machine, fetch, FetchResponse(leader=LEADER, snapshot=later))
        assert machine.disk.parts == {}
        respond(machine, piece, SECOND_PIECE)
        request = sent(machine, FetchSnapshotRequest).request
        assert isinstance(request, FetchSnapshotRequest)
        assert (request.snapshot, request.position) == (later, 0)

    def test_the_log_is_cut(self) -> None:
        machine, piece, fetch = doubtful_download()
        respond(machine, fetch, FetchResponse(leader=LEADER, diverging=OffsetAndEpoch(epoch=2, offset=7)))
        assert machine.node.log_end_offset == 7
        respond(machine, piece, SECOND_PIECE)
        assert machine.disk.parts == {}
        sent(machine, FetchRequest)

    def test_the_log_is_not_cut_while_a_request_that_tells_its_end_waits_for_the_disk(self) -> None:
        disk = Disk(
            log=[batch(0, 4, 1), batch(4, 7, 2), batch(7, 10, 2)], election=ElectionState(epoch=EPOCH)
        )
        servers = (
            Destination(id=-2, host="127.0.0.1", port=22),
            Destination(id=-3, host="127.0.0.1", port=33),
        )
        machine = Machine(config(1, port=1, bootstrap_servers=servers), disk)
        machine.start()
        asked_first = sent(machine, FetchRequest)
        machine.tick(500)
        asked_who_leads = sent(machine, FetchRequest)
        names_the_leader = FetchResponse(
            error=RaftError.NOT_LEADER_OR_FOLLOWER,
            leader=LEADER,
            leader_endpoint=voter(2, port=2).endpoints[0],
        )
        machine.handle(ResponseReceived(request_id=asked_first.request_id, response=names_the_leader))
        machine.take()
        diverges = FetchResponse(leader=LEADER, diverging=OffsetAndEpoch(epoch=2, offset=7))
        machine.handle(ResponseReceived(request_id=asked_who_leads.request_id, response=diverges))
        assert machine.node.log_end_offset == 10
        fetch = sent(machine, FetchRequest)
        assert isinstance(fetch.request, FetchRequest)
        assert fetch.request.fetch_offset == 10
        respond(machine, fetch, diverges)
        assert machine.node.log_end_offset == 7

    @pytest.mark.parametrize(
        "leader", [LeaderAndEpoch(leader_id=2, epoch=2), LeaderAndEpoch(leader_id=3, epoch=EPOCH)]
    )
    def test_a_piece_from_another_leader_or_epoch_is_not_used(self, leader: LeaderAndEpoch) -> None:
        machine, piece, _ = doubtful_download()
        respond(machine, piece, msgspec.structs.replace(SECOND_PIECE, leader=leader))
        assert machine.disk.parts == {SNAPSHOT: b"abc"}


class TestToldHighWatermark:
    def test_it_is_the_leaders_even_beyond_this_log(self) -> None:
        machine = follower()
        before = machine.node.told_high_watermark
        assert before is None
        answer_fetch(machine, batches=(batch(10, 12, 3),), high_watermark=40)
        assert (machine.node.high_watermark, machine.node.told_high_watermark) == (12, 40)
        # A new leader may know of less at first: what was committed is committed.
        answer_fetch(machine, batches=(batch(12, 13, 3),), high_watermark=11)
        assert (machine.node.high_watermark, machine.node.told_high_watermark) == (12, 40)

    def test_it_comes_with_a_snapshot_and_not_of_a_leader_that_does_not_know(self) -> None:
        machine = follower()
        answer_fetch(machine)
        before = machine.node.told_high_watermark
        assert before is None
        answer_fetch(machine, snapshot=SNAPSHOT, high_watermark=40)
        assert (machine.node.high_watermark, machine.node.told_high_watermark) == (None, 40)
