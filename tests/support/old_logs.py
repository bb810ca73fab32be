"""Logs with the message formats 0 and 1, as old brokers wrote them (`old_formats`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("old_formats")

RECORDS: dict[str, list[Any]] = json.loads((FOLDER / "records.json").read_text())
"""By log: offset, timestamp, type of the timestamp, key and value (in hexadecimal digits) of each record."""

CLEANED: dict[str, list[dict[str, Any]]] = json.loads((FOLDER / "cleaned.json").read_text())
"""By log: the batches that the cleaner of Apache Kafka 4.4.0 leaves."""

LOGS: tuple[str, ...] = tuple(RECORDS)


def files(log: str) -> dict[str, bytes]:
    """The files of a log, by name."""
    return {path.name: path.read_bytes() for path in sorted((FOLDER / log).iterdir())}
