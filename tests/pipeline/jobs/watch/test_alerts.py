"""`watch` on a real log: each alert once, whatever the batches and however often it is stopped."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner

from kafkaproto.records.control import decode_control_record
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_pipeline.jobs import command_line
from kafkaproto_pipeline.jobs.watch.alerts import _look
from kafkaproto_pipeline.jobs.watch.rules import (
    DAMAGE,
    DAMAGED,
    QUORUM,
    SILENT_LEADER,
    ClusterRules,
    Limits,
    LogRecord,
    TopicRules,
)
from kafkaproto_pipeline.synthetic import HistoryOptions, generate
from tests.pipeline import planting

OPTIONS = HistoryOptions(
    seed=5, records=1500, controllers=1, replicas=1, brokers=4, partitions=30, snapshot_bytes=0
)
LIMITS = Limits()
Told = list[tuple[int, str, str, str, str]]


def log_records(node: Path) -> list[LogRecord]:
    """The log, read by kafkaproto alone."""
    made = []
    for path in planting.segments(node):
        for batch in planting.batches(path):
            for record in batch.records():
                if batch.is_control:
                    message, version = decode_control_record(record.key, record.value)[1], 0
                else:
                    message, version = decode_metadata_record(record.value or b"")
                payload = message.to_json(version)
                epoch = batch.partition_leader_epoch
                made.append(LogRecord(record.offset, record.timestamp, epoch, message.NAME, payload))
    return made


def expected(node: Path) -> Told:
    """Alerts of one set of rules over the whole log."""
    both = (TopicRules(LIMITS, None), ClusterRules(LIMITS, None))
    found = [alert for record in log_records(node) for rules in both for alert in rules.take(record)]
    return sorted((each.offset, each.kind, each.severity, each.subject, each.text) for each in found)


def watch(node: Path, folder: Path, *arguments: str) -> None:
    """Run the command until there is nothing more to read."""
    kept = [
        "--checkpoint",
        str(folder / "checkpoint"),
        "--output",
        str(folder / "alerts"),
        "--silence",
        "3600",
    ]
    result = CliRunner().invoke(command_line.cli, ["watch", "--once", *kept, *arguments, str(node)])
    assert result.exit_code == 0, result.output


def written(folder: Path) -> Told:
    """The alerts in the files."""
    lines = [line for path in folder.glob("alerts/*/*/*.json") for line in path.read_text().splitlines()]
    rows = [json.loads(line) for line in lines]
    names = ("offset", "kind", "severity", "subject", "text")
    return sorted(tuple(row[name] for name in names) for row in rows)


class State:
    """What a group remembers between batches, as Spark keeps it for one."""

    def __init__(self) -> None:
        self.exists = False
        self.hasTimedOut = False
        self.get: tuple[bytes, ...] | None = None
        self.timeout_ms: int | None = None

    def update(self, value: tuple[bytes, ...]) -> None:
        self.get, self.exists = value, True

    def setTimeoutDuration(self, duration_ms: int) -> None:
        self.timeout_ms = duration_ms

    def getCurrentProcessingTimeMs(self) -> int:
        return 77


def look(state: State, records: list[LogRecord]) -> Told:
    """One batch of the quorum's group, which is handed its rows in no order."""
    rows = [
        (each.offset, -1, each.time_ms, each.epoch, each.type, json.dumps(each.payload)) for each in records
    ]
    names = ["offset", "index", "timeMs", "epoch", "recordType", "payload"]
    half = len(rows) // 2
    frames = [pd.DataFrame(part, columns=names) for part in (rows[half:][::-1], rows[:half])] if rows else []
    (found,) = _look(("c", QUORUM), frames, state, LIMITS)  # type: ignore[arg-type]
    return [(row.offset, row.kind, row.severity, row.subject, row.text) for row in found.itertuples()]


def test_group_goes_on_where_it_was_and_tells_of_silence_once(tmp_path: Path) -> None:
    (node,) = generate(tmp_path / "made", OPTIONS).nodes
    records = log_records(node)
    rules = ClusterRules(LIMITS, None)
    whole = [alert for record in records for alert in rules.take(record)]
    state = State()
    told = [
        each for start in range(0, len(records), 400) for each in look(state, records[start : start + 400])
    ]
    assert told == [(each.offset, each.kind, each.severity, each.subject, each.text) for each in whole]
    assert state.timeout_ms == LIMITS.silence_ms
    state.hasTimedOut = True
    ((offset, kind, *_),) = look(state, [])
    assert (offset, kind) == (records[-1].offset, SILENT_LEADER)
    assert look(state, []) == []


def test_damage_before_everything_has_the_time_of_what_comes_next() -> None:
    damage = LogRecord(0, 0, -1, DAMAGE, {"reason": "broken"})
    state = State()
    rows = [(0, -1, 0, -1, DAMAGE, json.dumps(damage.payload)), (3, -1, 9000, 1, "NoOpRecord", "{}")]
    names = ["offset", "index", "timeMs", "epoch", "recordType", "payload"]
    (found,) = _look(("c", QUORUM), [pd.DataFrame(rows, columns=names)], state, LIMITS)  # type: ignore[arg-type]
    assert [(row.timeMs, row.kind, row.text) for row in found.itertuples()] == [(9000, DAMAGED, "broken")]


@pytest.mark.jvm
@pytest.mark.usefixtures("spark")
def test_each_alert_is_told_once_over_batches_and_restarts(tmp_path: Path) -> None:
    (source,) = generate(tmp_path / "made", OPTIONS).nodes
    (node,) = planting.copy_nodes([source], tmp_path / "watched")
    (path,) = planting.segments(node)
    whole = path.read_bytes()
    sizes = [batch.size_in_bytes for batch in planting.batches(path)]
    path.write_bytes(whole[: sum(sizes[: len(sizes) // 2])])
    for index in (path.with_suffix(".index"), path.with_suffix(".timeindex")):
        index.unlink()
    records = log_records(node)
    begin_ms = records[len(records) // 3].time_ms
    of_first_run = since(begin_ms, node)
    assert 0 < len(of_first_run) < len(expected(node)), "alerts of the past are not told"
    watch(node, tmp_path, "--from", iso(begin_ms), "--max-records", str(len(records) // 2 + 1))
    assert written(tmp_path) == of_first_run
    path.write_bytes(whole)
    watch(node, tmp_path)
    assert written(tmp_path) == since(begin_ms, node)
    assert len(written(tmp_path)) > len(of_first_run)


def since(time_ms: int, node: Path) -> Told:
    late = {record.offset for record in log_records(node) if record.time_ms >= time_ms}
    return [each for each in expected(node) if each[0] in late]


def iso(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat()
