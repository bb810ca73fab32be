"""What Apache Kafka 4.4.0 responded to each of `produce_cases`, and stored: ``../data/produce_answers.json``.

`record_answers` wrote the file. It sent the cases to a node with both roles and default settings, on topics of one
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

_FILE = Path(__file__).resolve().parents[1] / "data" / "produce_answers.json"


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
    found: Mapping[str, Mapping[str, str]] = _content()["topics"]
    return found


def answers() -> list[Answer]:
    """All of them, but for the case without any bytes, to which no response came."""
    content = _content()
    return [_answer(case, content["now_ms"]) for case in content["cases"] if case["sent"] is not None]


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


def _content() -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(_FILE.read_text())
    return content


def _bytes(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))
