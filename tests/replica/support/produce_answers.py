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
