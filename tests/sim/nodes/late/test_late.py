"""Late requests are sent, and looked at for what they are told."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AddPartitionsToTxnResponse, HeartbeatResponse, OffsetCommitResponse
from tests.running.counting import NODES, count_run
from tests.sim.nodes.late.cases import error_codes
from tests.sim.nodes.late.clients import SCENES, LateClient
from tests.sim.nodes.late.options import WITH_LATE_REQUESTS
from tests.sim.nodes.run import run
from tests.sim.nodes.runner import report
from tests.sim.nodes.swarms import draw

ALL_SEED = WITH_LATE_REQUESTS.start + 8
"""Its faults leave time for all requests of all tables."""


def test_errors_are_found_wherever_a_response_has_them() -> None:
    assert error_codes(HeartbeatResponse()) == {ErrorCode.NONE}
    fenced = HeartbeatResponse(error_code=ErrorCode.FENCED_INSTANCE_ID)
    assert error_codes(fenced) == {ErrorCode.FENCED_INSTANCE_ID}
    partitions = [
        OffsetCommitResponse.Partition(partition_index=index, error_code=code)
        for index, code in enumerate((ErrorCode.NONE, ErrorCode.STALE_MEMBER_EPOCH))
    ]
    commit = OffsetCommitResponse(topics=[OffsetCommitResponse.Topic(partitions=partitions)])
    assert error_codes(commit) == {ErrorCode.STALE_MEMBER_EPOCH}
    partition = AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult(
        partition_error_code=ErrorCode.PRODUCER_FENCED
    )
    topic = AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult(results_by_partition=[partition])
    added = AddPartitionsToTxnResponse(results_by_topic_v3_and_below=[topic])
    assert error_codes(added) == {ErrorCode.PRODUCER_FENCED}


def test_no_right_answer_says_that_all_is_well() -> None:
    cases = [case for scene in SCENES for case in scene.CASES]
    assert max(Counter(case.name for case in cases).values()) == 1
    assert all(case.codes and ErrorCode.NONE not in case.codes for case in cases)
    assert all(ErrorCode.NONE not in scene.GONE for scene in SCENES)


def test_which_runs_have_late_requests() -> None:
    first = draw(WITH_LATE_REQUESTS.start)
    assert first.coordination is not None
    assert first.coordination.late_clients
    assert first.directories is None
    before = draw(WITH_LATE_REQUESTS.start - 1)
    assert before.coordination is None
    assert before.has_late_peer


@pytest.mark.simulation
def test_all_late_requests_are_sent_and_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    clients: list[LateClient] = []
    original = LateClient.__init__

    def noted(self: LateClient, *given: Any) -> None:
        original(self, *given)
        clients.append(self)

    monkeypatch.setattr(LateClient, "__init__", noted)
    result = run(ALL_SEED)
    assert result.invariant is None, report(result)
    count_run(NODES, result.simulated_s, result.records["acknowledged"])
    answers = sum((each.answers for each in clients), Counter[str]())
    missing = [case.name for scene in SCENES for case in scene.CASES if not answers[case.name]]
    assert not missing
