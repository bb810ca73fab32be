"""Every batch that was sent to Apache Kafka 4.4.0: refused with its error code, or stored as it stored it.

The differences are named here one by one. A difference that is gone fails as well.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.replica.incoming_batches import BatchRefused, IncomingBatch, stamp
from kafkaproto_server.replica.incoming_rules import incoming_rules
from tests.replica.support.incoming import check_incoming
from tests.replica.support.produce_answers import (
    KAFKA_FAILED,
    NOT_READ,
    OF_OTHERS,
    REFUSED_WHEN_READ,
    Answer,
    answers,
    expected_error,
    topics,
)

TOPICS = topics()
ANSWERS = answers()

MAX_TIMESTAMP_KEPT = frozenset(
    (
        ("plain", "base timestamp of the header none"),
        ("plain", "base timestamp of the header old"),
        ("plain", "a timestamp beyond the header's, NONE"),
        ("plain", "a timestamp beyond the header's, GZIP"),
        ("gzip", "a timestamp beyond the header's, GZIP"),
    )
)
"""Kafka corrects the max timestamp of the header. Here it stays, if it is possible and no record is read."""

OTHER_TIMESTAMPS = frozenset((("gzip", "append time, NONE"), ("gzip", "append time, old, NONE")))
"""The producer claimed LogAppendTime. Compressed anew, the records keep their timestamps; Kafka gives them the max
timestamp of the header, but only if it compresses them."""


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
        assert [error.batch_index for error in result.record_errors] == answer.refused_records


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
    if (answer.topic, answer.name) in OTHER_TIMESTAMPS | MAX_TIMESTAMP_KEPT:
        assert ours != answer.stored
        assert view.max_timestamp == sent.max_timestamp
    elif is_recompressed:
        # Kafka's compressors make other bytes of the same records, and its base timestamp is that of the first record,
        # whatever the producer's was.
        unlike = {"crc": 0, "batch_length": 0, "base_timestamp": 0}
        assert list(view.records()) == list(kafkas.records())
        assert view.header()._replace(**unlike) == kafkas.header()._replace(**unlike)
    else:
        assert ours == answer.stored


def test_every_difference_is_one() -> None:
    seen = {answer.name for answer in ANSWERS if expected_error(answer) != answer.error}
    named = {*OF_OTHERS, *KAFKA_FAILED, *NOT_READ, *REFUSED_WHEN_READ}
    assert named == seen
