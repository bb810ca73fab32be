"""What Apache Kafka 4.4.0 responded to each of `produce_cases` and `produce_lies`, and stored:
``../data/produce_answers.json`` and ``../data/produce_lies.json``.

`record_answers` wrote the files. It sent the cases to a node with both roles and default settings, on topics of one
partition, and fetched each batch that the node had accepted. The same cases in version 13 had the same errors.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kafkaproto.error_codes import ErrorCode

_DATA = Path(__file__).resolve().parents[1] / "data"
_FILES = ("produce_answers.json", "produce_lies.json")


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

REFUSED_HERE = {
    # Kafka takes wrong offset deltas in uncompressed batches; in compressed ones they make its own code fail.
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
"""What Kafka takes, or responds to with UNKNOWN_SERVER_ERROR."""

CLAIMS_APPEND_TIME = "append time, "
"""Names of cases in which the producer claims that its timestamps are those of the append begin so. Kafka takes that in
topics with CreateTime unless there is no timestamp; no producer of Kafka's does it."""


LIE = "lie: "
"""So the names of `produce_lies` begin; they end with a comma and the compression."""
LIES_REFUSED_HERE = frozenset(
    (
        # Kafka takes wrong offset deltas in uncompressed batches; in compressed ones they make its own code fail.
        "the records backwards",
        "the first record three times",
        "offset deltas (0, 0, 0)",
        "offset deltas (0, 0, 1)",
        "offset deltas (0, 1, -1)",
        "offset deltas (0, 1, 1)",
        "offset deltas (0, 1, 2147483647)",
        "offset deltas (0, 2, 4)",
        "offset deltas (1, 2, 3)",
        "offset deltas (2, 1, 0)",
        "idempotent, offset deltas (0, 0, 1)",
        # It does not compare the length of a record with its content if the batch is compressed.
        *(
            f"{which} record of length {length}"
            for which in ("first", "last")
            for length in (0, 1, 5, 7, 9, 100)
        ),
        "a header value of length -2",
        # It reads no further than the last record.
        "compressed data twice",
        "garbage behind compressed data",
        "zeros behind compressed data",
    )
)
"""Kinds of lies that Kafka takes in some compression."""


class Answer(NamedTuple):
    """What was sent for a partition and what came back. A response without error has the last three fields."""

    name: str
    topic: str
    version: int
    sent: bytes
    error: ErrorCode
    refused_records: list[int]
    """The batch indexes of the record errors."""
    now_ms: int
    """The time of the append if the response has it, else a time shortly before."""
    base_offset: int
    stored: bytes


def topics() -> Mapping[str, Mapping[str, str]]:
    """The configs of each topic."""
    found: Mapping[str, Mapping[str, str]] = _content(_FILES[0])["topics"]
    return found


def answers() -> list[Answer]:
    """All of them, but for the case without any bytes, to which no response came."""
    return [
        _answer(case, content["now_ms"])
        for content in map(_content, _FILES)
        for case in content["cases"]
        if case["sent"] is not None
    ]


def kind_of_lie(answer: Answer) -> str:
    """Its name without the compression."""
    return answer.name.removeprefix(LIE).rpartition(", ")[0]


def expected_error(answer: Answer) -> ErrorCode:
    """The error that we give: Kafka's, or the difference."""
    if answer.name in OF_OTHERS:
        return OF_OTHERS[answer.name]
    if answer.name in KAFKA_FAILED:
        return KAFKA_FAILED[answer.name]
    if answer.name.startswith(LIE):
        is_refused = (
            answer.error is ErrorCode.UNKNOWN_SERVER_ERROR or kind_of_lie(answer) in LIES_REFUSED_HERE
        )
        return ErrorCode.INVALID_RECORD if is_refused else answer.error
    if answer.name.startswith(CLAIMS_APPEND_TIME):
        return ErrorCode.INVALID_TIMESTAMP
    return REFUSED_HERE.get(answer.name, answer.error)


def _answer(case: Mapping[str, Any], sent_ms: int) -> Answer:
    append_time_ms = case.get("append_time_ms", -1)
    return Answer(
        name=case["name"],
        topic=case["topic"],
        version=case["version"],
        sent=_bytes(case["sent"]),
        error=ErrorCode[case["error"]],
        refused_records=[index for index, _ in case.get("record_errors", [])],
        now_ms=sent_ms if append_time_ms < 0 else append_time_ms,
        base_offset=case.get("base_offset", -1),
        stored=_bytes(case["stored"]) if "stored" in case else b"",
    )


def _content(name: str) -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads((_DATA / name).read_text())
    return content


def _bytes(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))
