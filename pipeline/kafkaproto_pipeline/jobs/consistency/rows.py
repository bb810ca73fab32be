"""The rows that `jobs.consistency` reads, and those that it reports, as plain values."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from kafkaproto_pipeline.jobs.redaction import without_secrets

DIFFERENT_RECORD = "different record"
DIFFERENT_EPOCH = "different epoch"
MISSING_RECORD = "missing record"
EXTRA_RECORD = "extra record"
SNAPSHOT_DIFFERS_FROM_SNAPSHOT = "snapshot differs from snapshot"
SNAPSHOT_DIFFERS_FROM_LOG = "snapshot differs from log"
CORRUPT_BATCH = "corrupt batch"
TORN_END = "torn end"
KINDS = (
    DIFFERENT_RECORD,
    DIFFERENT_EPOCH,
    MISSING_RECORD,
    EXTRA_RECORD,
    SNAPSHOT_DIFFERS_FROM_SNAPSHOT,
    SNAPSHOT_DIFFERS_FROM_LOG,
    CORRUPT_BATCH,
    TORN_END,
)

DIFFERENCE, REPLICA, SNAPSHOT = "difference", "replica", "snapshot"
"""What a `Finding` tells of."""

_REGISTRATIONS = ("RegisterBrokerRecord", "RegisterControllerRecord")
_SHOWN_CHARACTERS = 200
_SHOWN_BEFORE = 60
"""Characters that are shown before those that differ."""


class Content(NamedTuple):
    """The content of a record; it is equal on replicas that agree."""

    record_type: str
    version: int | None
    payload: str | None
    """Kafka's JSON; None if the type or version is not known."""
    raw: bytes | None
    """The record's bytes, if the type or version is not known."""

    def in_order(self) -> Content:
        """The same content with its sets sorted, so that the order in which they were written does not matter."""
        if self.record_type not in _REGISTRATIONS or self.payload is None:
            return self
        document = json.loads(self.payload)
        sort_sets(self.record_type, document)
        return self._replace(payload=json.dumps(document, separators=(",", ":"), ensure_ascii=False))

    def shown(self, other: Content | None = None) -> str:
        """The record as text, without secrets. If it is long, the part of it that differs from the other one."""
        text = without_secrets(self.record_type, self.payload or "")
        begin = 0
        if len(text) > _SHOWN_CHARACTERS and other is not None:
            pairs = enumerate(
                zip(text, without_secrets(other.record_type, other.payload or ""), strict=False)
            )
            same = next((index for index, (mine, theirs) in pairs if mine != theirs), len(text))
            begin = max(0, min(same - _SHOWN_BEFORE, len(text) - _SHOWN_CHARACTERS))
        part = text[begin : begin + _SHOWN_CHARACTERS]
        before, after = "..." if begin else "", "..." if begin + len(part) < len(text) else ""
        return f"{self.record_type} {before}{part}{after}".rstrip()


class SortedRow(NamedTuple):
    """A row of the source, in the order in which rows are sorted."""

    cluster: str
    offset: int
    is_snapshot: bool
    directory: str
    file: str
    snapshot_index: int
    node_id: int | None
    epoch: int | None
    record_type: str | None
    version: int | None
    payload: str | None
    raw: bytes | None
    position: int | None
    """Position of the damage in its file."""
    reason: str | None
    """What is damaged; None if the row is good."""


class Finding(NamedTuple):
    """A difference, a replica or a snapshot. A column is null if it belongs to another kind of finding."""

    table: str
    cluster: str
    node_id: int | None
    directory: str
    file: str | None = None
    offset: int | None = None
    epoch: int | None = None
    kind: str | None = None
    text: str | None = None
    start: int | None = None
    end: int | None = None
    records: int | None = None
    snapshots: int | None = None
    snapshot_end: int | None = None
    agrees_to: int | None = None
    same: int | None = None
    replicas: int | None = None
    verdict: str | None = None


def sort_sets(record_type: str, document: dict[str, Any]) -> None:
    """Endpoints, features and directories are sets: each node writes its snapshots in an order of its own."""
    if record_type in _REGISTRATIONS:
        for value in document.values():
            if isinstance(value, list):
                value.sort(key=json.dumps)


def name_of(node_id: int | None, directory: str) -> str:
    """The name of a replica in texts."""
    return directory if node_id is None else f"node {node_id}"
