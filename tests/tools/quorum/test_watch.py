"""The live table of the quorum, and how it learns that a change of the voters is not committed."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import FetchRequest, FetchResponse, KRaftVersionRecord, VotersRecord
from kafkaproto.records.batch import build_batch
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto_server.tools.quorum.access import QuorumUnavailable
from kafkaproto_server.tools.quorum.watch import UncommittedVoters, uncommitted_voters, watch
from tests.tools.support.quorum_model import END_OFFSET, Progress, QuorumModel, key
from tests.tools.support.quorum_responses import CLUSTER_ID
from tests.tools.support.scripted_server import ScriptedServer, serving

HIGH_WATERMARK = END_OFFSET


def voters_batch(offset: int, *voters: int) -> bytes:
    """A control batch as a leader writes it for a change of the voters."""
    record = VotersRecord(
        version=0, voters=[VotersRecord.Voter(voter_id=each, voter_directory_id=bytes(16)) for each in voters]
    )
    pair = encode_control_record(ControlRecordType.KRAFT_VOTERS, record)
    version = encode_control_record(ControlRecordType.KRAFT_VERSION, KRaftVersionRecord(kraft_version=1))
    return build_batch(
        [(*version, ()), (*pair, ())],
        base_offset=offset - 1,
        timestamp_ms=0,
        control=True,
        partition_leader_epoch=7,
    )


def data_batch(offset: int) -> bytes:
    return build_batch([(None, b"x", ())], base_offset=offset, timestamp_ms=0, partition_leader_epoch=7)


def fetched(
    records: bytes = b"", *, high_watermark: int = HIGH_WATERMARK, error_code: int = 0
) -> FetchResponse:
    partition = FetchResponse.PartitionData(
        partition_index=0, error_code=error_code, high_watermark=high_watermark, records=records
    )
    return FetchResponse(responses=[FetchResponse.FetchableTopicResponse(partitions=[partition])])


def quorum() -> QuorumModel:
    return QuorumModel(voters=[key(1), key(2)], observers=[key(4)], leader_id=2)


class Access:
    """`QuorumAccess` whose leader is a scripted server."""

    def __init__(self, model: QuorumModel, server: ScriptedServer) -> None:
        self._model = model
        self._server = server

    def describe(self) -> object:
        from kafkaproto_server.tools.quorum.access import DescribedQuorum

        return DescribedQuorum(CLUSTER_ID, self._model.response(self._server.port))


def found_in(response: Message) -> tuple[UncommittedVoters | None, FetchRequest]:
    with serving({1: lambda _: response}) as server:
        found = uncommitted_voters(Access(quorum(), server).describe())  # type: ignore[arg-type]
        (request,) = server.asked
    assert isinstance(request, FetchRequest)
    return found, request


def test_the_log_beyond_the_high_watermark_is_read_as_nobody_in_particular() -> None:
    found, request = found_in(fetched())
    assert found is None
    assert (request.replica_id, request.replica_state.replica_id) == (-1, -1)
    (topic,) = request.topics
    (partition,) = topic.partitions
    assert topic.topic_id == bytes(15) + b"\x01"
    assert (partition.fetch_offset, partition.current_leader_epoch, partition.last_fetched_epoch) == (
        HIGH_WATERMARK,
        7,
        7,
    )
    assert request.max_wait_ms == 0


@pytest.mark.parametrize(
    ("records", "high_watermark", "expected"),
    [
        (data_batch(1_000), 1_000, None),
        (
            data_batch(1_000) + voters_batch(1_002, 1, 2, 4),
            1_000,
            UncommittedVoters(offset=1_002, voter_ids=(1, 2, 4)),
        ),
        # It was committed between the two questions.
        (voters_batch(1_001, 1, 2, 4), 1_002, None),
        (
            voters_batch(1_001, 4, 2, 1) + voters_batch(1_003, 2, 1),
            1_002,
            UncommittedVoters(offset=1_003, voter_ids=(1, 2)),
        ),
        # The answer ends within a batch.
        (voters_batch(1_001, 1, 2, 4)[:-1], 1_000, None),
    ],
)
def test_the_newest_voters_that_are_not_committed_are_found(
    records: bytes, high_watermark: int, expected: UncommittedVoters | None
) -> None:
    found, _ = found_in(fetched(records, high_watermark=high_watermark))
    assert found == expected


def test_a_leader_that_is_none_any_more_is_told() -> None:
    with pytest.raises(ConnectionError, match=r"answered Fetch with error codes \[0, 6\]"):
        found_in(fetched(error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER))


def shown(model: QuorumModel, response: Message, rounds: int = 1) -> str:
    """What a console of 200 columns gets."""
    out = StringIO()
    slept: list[float] = []
    with serving({1: lambda _: response}) as server:
        watch(
            Access(model, server),  # type: ignore[arg-type]
            Console(file=out, width=200),
            range(rounds),
            slept.append,
        )
    assert len(slept) == rounds
    return out.getvalue()


def test_the_table_has_a_row_for_each_replica_and_says_what_is_uncommitted() -> None:
    model = quorum()
    model.progress = {
        1: Progress(lag=7, fetched_ms_ago=30, caught_up_ms_ago=900),
        4: Progress(fetched_ms_ago=9_000),
    }
    text = shown(model, fetched(voters_batch(1_001, 1, 2)))
    rows = [
        [cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if line.startswith("│")
    ]
    assert [(row[0], row[2], row[3], row[4], row[5], row[6]) for row in rows] == [
        ("1", "voter", "993", "7", "30 ms ago", "900 ms ago"),
        ("2", "leader", "1000", "0", "0 ms ago", "0 ms ago"),
        ("4", "observer, silent", "1000", "0", "9000 ms ago", "10 ms ago"),
    ]
    assert f"cluster {CLUSTER_ID}, leader 2, epoch 7, high watermark 1000" in text
    assert "voter change: UNCOMMITTED, voters 1,2 by the record at offset 1001" in text


def test_each_round_asks_anew_and_a_quorum_without_a_leader_is_no_end() -> None:
    model = quorum()

    def nobody() -> None:
        raise QuorumUnavailable("the quorum has no leader that is registered")

    model.before_describing = [nobody]
    text = shown(model, fetched(), rounds=3)
    assert text.startswith("the quorum has no leader that is registered\n")
    assert text.count("voter change: none uncommitted") == 2


def test_a_leader_out_of_reach_leaves_only_that_one_question_open() -> None:
    model = quorum()
    with serving({}) as server:
        out = StringIO()
        watch(Access(model, server), Console(file=out, width=200), range(1), lambda _: None)  # type: ignore[arg-type]
    assert "voter change: not known whether one is uncommitted: " in out.getvalue()
    assert "leader 2" in out.getvalue()
