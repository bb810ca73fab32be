"""Every batch that was sent to Apache Kafka 4.4.0: refused with its error code, or stored as it stored it.

The differences are named here one by one. A difference that is gone fails as well.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.replica.incoming_batches import BatchRefused, IncomingBatch, stamp
from kafkaproto_server.replica.incoming_rules import incoming_rules
from tests.replica.support.incoming import check_incoming
from tests.replica.support.produce_answers import Answer, answers, topics

TOPICS = topics()
ANSWERS = answers()

OF_OTHERS = {
    # The handler of Produce wants a right to the transactional id before it looks at batches.
    "transactional without a producer id": ErrorCode.NONE,
    "transactional and control without a producer id": ErrorCode.INVALID_RECORD,
    "control and transactional": ErrorCode.INVALID_RECORD,
    # The states of producers know the epochs.
    "producer id, epoch -2, sequence 0": ErrorCode.NONE,
}
"""What the check alone says of batches that other parts of a broker refuse."""

KAFKA_FAILED: Mapping[str, ErrorCode] = {
    "batch length 2147483647": ErrorCode.INVALID_RECORD,
    "14 bytes of length 14 at the end": ErrorCode.CORRUPT_MESSAGE,
    "compression 5, control": ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
    "no data": ErrorCode.INVALID_RECORD,
    **{
        f"compression {codec} in version {version}": ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
        for codec in (5, 6, 7)
        for version in (3, 6, 7, 12)
    },
}
"""Exceptions in Kafka's code, so that the response was UNKNOWN_SERVER_ERROR."""

NOT_READ = frozenset(
    (
        "two records of three, GZIP",
        "four records of three, NONE",
        "four records of three, GZIP",
        "a byte behind the records, NONE",
        "a byte behind the records, GZIP",
        "the same offset deltas, GZIP",
        "offset deltas that fall, GZIP",
        "offset deltas from 5 on, GZIP",
        "records of zeros, NONE",
        "records of zeros, GZIP",
        "records of noise, NONE",
        "records of noise, GZIP",
        "a timestamp out of range, NONE",
        "a timestamp out of range, GZIP",
        "damaged data",
        "data cut short",
        "uncompressed data",
    )
)
"""Refused by Kafka, because it reads all records. Stored here unless the topic asks for a look at the records."""

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

REFUSED_WHEN_READ = {
    # Kafka takes wrong offset deltas in uncompressed batches; a compressed batch makes its own code fail.
    "the same offset deltas, NONE": ErrorCode.INVALID_RECORD,
    "offset deltas that fall, NONE": ErrorCode.INVALID_RECORD,
    "offset deltas from 5 on, NONE": ErrorCode.INVALID_RECORD,
    "the same offset deltas, GZIP": ErrorCode.INVALID_RECORD,
    "offset deltas that fall, GZIP": ErrorCode.INVALID_RECORD,
    "offset deltas from 5 on, GZIP": ErrorCode.INVALID_RECORD,
    # Damage of the compressed data makes Kafka's code fail. It ignores what follows them.
    "damaged data": ErrorCode.INVALID_RECORD,
    "data cut short": ErrorCode.INVALID_RECORD,
    "uncompressed data": ErrorCode.INVALID_RECORD,
    "data followed by others": ErrorCode.INVALID_RECORD,
}
"""The codes for batches whose records are read."""

OTHER_TIMESTAMPS = frozenset((("gzip", "append time, NONE"), ("gzip", "append time, old, NONE")))
"""The producer claimed LogAppendTime. Compressed anew, the records keep their timestamps; Kafka gives them the max
timestamp of the header, but only if it compresses them."""


def expected_error(answer: Answer) -> ErrorCode:
    """The error that we give: Kafka's, or the difference."""
    if answer.name in OF_OTHERS:
        return OF_OTHERS[answer.name]
    if answer.name in KAFKA_FAILED:
        return KAFKA_FAILED[answer.name]
    is_read = answer.topic == "compacted" or (answer.topic == "gzip" and answer.name.endswith(", NONE"))
    if is_read:
        return REFUSED_WHEN_READ.get(answer.name, answer.error)
    return ErrorCode.NONE if answer.name in NOT_READ else answer.error


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
