"""Every batch that was sent to Apache Kafka 4.4.0: refused with its error code, or stored as it stored it.

The differences are named here one by one. A difference that is gone fails as well.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.core.replicas.incoming_batches import BatchRefused, IncomingBatch, stamp
from kafkaproto_server.core.replicas.incoming_rules import incoming_rules
from tests.core.replicas.support.incoming import check_incoming
from tests.core.replicas.support.produce_answers import (
    CLAIMS_APPEND_TIME,
    KAFKA_FAILED,
    LIE,
    LIES_REFUSED_HERE,
    OF_OTHERS,
    REFUSED_HERE,
    Answer,
    answers,
    expected_error,
    kind_of_lie,
    topics,
)

TOPICS = topics()
ANSWERS = answers()


def checked(answer: Answer) -> IncomingBatch | BatchRefused:
    rules = incoming_rules(TOPICS[answer.topic])
    try:
        return check_incoming(answer.sent, rules, answer.now_ms, allows_zstd=answer.version >= 7)
    except BatchRefused as refused:
        return refused


def identified(answer: Answer) -> str:
    return f"{answer.topic}: {answer.name}"


@pytest.mark.parametrize("answer", ANSWERS, ids=identified)
def test_batch_is_refused_with_the_error_code_of_kafka(answer: Answer) -> None:
    result = checked(answer)
    expected = expected_error(answer)
    if isinstance(result, IncomingBatch):
        assert expected == ErrorCode.NONE
        return
    assert result.code == expected
    # Older versions have no field for them.
    if answer.version >= 8:
        refused = answer.refused_records
        if answer.error == ErrorCode.NONE and answer.name.startswith(CLAIMS_APPEND_TIME):
            refused = list(range(RecordBatchView(answer.sent).record_count))
        assert [error.batch_index for error in result.record_errors] == refused


@pytest.mark.parametrize(
    "answer",
    [each for each in ANSWERS if each.stored and expected_error(each) == ErrorCode.NONE],
    ids=identified,
)
def test_batch_is_stored_as_kafka_stores_it(answer: Answer) -> None:
    batch = checked(answer)
    assert isinstance(batch, IncomingBatch)
    sent = RecordBatchView(answer.sent)
    ours = b"".join(stamp(batch, answer.base_offset, 0))
    view, kafkas = RecordBatchView(ours), RecordBatchView(answer.stored)
    view.check()
    assert batch.is_rewritten == (ours[16:] != sent.raw[16:])
    is_recompressed = view.compression != sent.compression
    if is_recompressed:
        # Kafka's compressors make other bytes of the same records, and its base timestamp is that of the first record,
        # whatever the producer's was.
        unlike = {"crc": 0, "batch_length": 0, "base_timestamp": 0}
        assert list(view.records()) == list(kafkas.records())
        assert view.header()._replace(**unlike) == kafkas.header()._replace(**unlike)
    else:
        assert ours == answer.stored


def test_no_lie_is_taken_that_kafka_refuses() -> None:
    refused = [each for each in ANSWERS if each.name.startswith(LIE) and each.error != ErrorCode.NONE]
    assert len(refused) > 600
    assert all(isinstance(checked(each), BatchRefused) for each in refused)


def test_every_difference_is_one() -> None:
    differences = [answer for answer in ANSWERS if expected_error(answer) != answer.error]
    lies = {
        kind_of_lie(each)
        for each in differences
        if each.name.startswith(LIE) and each.error == ErrorCode.NONE
    }
    assert lies == LIES_REFUSED_HERE
    seen = {answer.name for answer in differences if not answer.name.startswith(LIE)}
    claims = {name for name in seen if name.startswith(CLAIMS_APPEND_TIME)}
    assert claims
    assert seen - claims == {*OF_OTHERS, *KAFKA_FAILED, *REFUSED_HERE}
