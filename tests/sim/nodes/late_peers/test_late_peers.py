"""Late requests: that all are sent, and that one that is taken is noticed."""

from __future__ import annotations

import dataclasses
import random

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    OffsetForLeaderEpochResponse,
)
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE
from tests.running.counting import NODES, count_run
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.traffic import FIRST_WITH_RECORDS
from tests.sim.nodes.late_peers.cases import Case, Known, NotNowError
from tests.sim.nodes.late_peers.peer import CASES, WITH_LATE_PEERS, check
from tests.sim.nodes.run import run
from tests.sim.nodes.runner import report
from tests.sim.nodes.swarms import draw

SEED_WITH_ALL = WITH_LATE_PEERS[2]
"""Its one controller is the last voter, and it has three brokers, and time for all cases."""
PLACE = 1, 9093
REQUEST = AllocateProducerIdsRequest(broker_id=1, broker_epoch=5)


def case_of(name: str) -> Case:
    (found,) = (each for each in CASES if each.name == name)
    return found


@pytest.mark.simulation
def test_all_cases_are_sent_and_refused_in_a_run() -> None:
    result = run(SEED_WITH_ALL)
    assert result.invariant is None, report(result)
    assert {case.name for case in CASES} == set(result.late)
    count_run(NODES, result.simulated_s, result.records["acknowledged"])


def test_cases_have_names_of_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


def test_no_case_takes_that_nothing_is_wrong_for_right() -> None:
    assert not any(ErrorCode.NONE in case.errors for case in CASES)


def test_runs_are_otherwise_as_those_with_records() -> None:
    for number in range(20):
        drawn = draw(WITH_LATE_PEERS.start + number)
        assert drawn.has_late_peer
        assert dataclasses.replace(drawn, has_late_peer=False) == draw(FIRST_WITH_RECORDS + number)
    assert not any(draw(seed).has_late_peer for seed in (WITH_LATE_PEERS.start - 1, WITH_LATE_PEERS.stop))


@pytest.mark.parametrize("code", [ErrorCode.STALE_BROKER_EPOCH, ErrorCode.NOT_CONTROLLER])
def test_an_error_that_is_right_is_right(code: ErrorCode) -> None:
    case = case_of("AllocateProducerIds broker_epoch older")
    check(case, PLACE, REQUEST, AllocateProducerIdsResponse(error_code=code))


@pytest.mark.parametrize("code", [ErrorCode.NONE, ErrorCode.UNKNOWN_SERVER_ERROR])
def test_what_is_taken_or_has_another_error_is_noticed(code: ErrorCode) -> None:
    case = case_of("AllocateProducerIds broker_epoch older")
    with pytest.raises(
        ViolationError, match="node 1, port 9093, is asked by AllocateProducerIds broker_epoch older"
    ):
        check(case, PLACE, REQUEST, AllocateProducerIdsResponse(error_code=code))


def test_an_error_may_be_anywhere_in_the_response() -> None:
    kind = OffsetForLeaderEpochResponse
    response = kind(
        topics=[
            kind.OffsetForLeaderTopicResult(
                partitions=[kind.EpochEndOffset(error_code=ErrorCode.UNKNOWN_LEADER_EPOCH)]
            )
        ]
    )
    check(
        case_of("OffsetForLeaderEpoch topics.partitions.current_leader_epoch newer"), PLACE, REQUEST, response
    )


def test_a_cluster_that_does_not_run_is_asked_nothing() -> None:
    known = Known([], EMPTY_IMAGE, random.Random(1))
    for case in CASES:
        with pytest.raises(NotNowError):
            case.ask(known)
