"""Whether all replicas of a metadata log agree: each record of every log and snapshot, and each snapshot's state.

And what else the files of such logs tell.

Files are read by the pipeline's source, which knows both implementations' directories, and judged as its job
`consistency` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from compat.node import Node
from kafkaproto_pipeline.jobs.consistency.check import check
from kafkaproto_pipeline.jobs.consistency.rows import DIFFERENCE, REPLICA, TORN_END, Finding, SortedRow
from kafkaproto_pipeline.options import parse_options
from kafkaproto_pipeline.planning.files import Filters, plan_batch
from kafkaproto_pipeline.read import read_piece
from kafkaproto_pipeline.views.schema import columns_of
from kafkaproto_pipeline.views.wanted import Wanted


class ReplicasDifferError(Exception):
    """Two replicas do not hold the same; the text has every difference."""


def check_agreement(directories: Sequence[Path]) -> dict[int, Finding]:
    """What there is of each node's replica, by node id. Raises ReplicasDifferError."""
    found = list(check(sorted(map(_row, rows_of(directories, includeSnapshots="true")), key=_place)))
    # A node that was killed, or that is writing just now, has a torn end.
    differences = [each for each in found if each.table == DIFFERENCE and each.kind != TORN_END]
    if differences:
        lines = [f"{each.kind} at offset {each.offset}: {each.text} ({each.file})" for each in differences]
        raise ReplicasDifferError("\n".join(lines))
    return {each.node_id: each for each in found if each.table == REPLICA and each.node_id is not None}


def first_offset(node: Node) -> int:
    """Where a node's metadata log starts, from its files."""
    return min((int(path.stem) for path in node.metadata_log_directory.glob("*.log")), default=0)


def last_offset(node: Node) -> int:
    """Of the last record in a node's metadata log, from its files; -1 where there is none."""
    return max((row["offset"] for row in rows_of([node.metadata_log_directory])), default=-1)


def rows_of(directories: Sequence[Path], **given: str) -> Iterator[dict[str, Any]]:
    """The rows of the source of these log directories, with these options of the source."""
    options = parse_options({"path": ",".join(map(str, directories)), **given})
    columns = tuple(column.name for column in columns_of(options.view, options.record_types))
    wanted = Wanted(
        view=options.view,
        columns=columns,
        record_types=options.record_types,
        start_offset=options.start_offset,
        end_offset=options.end_offset,
        start_timestamp_ms=None,
        end_timestamp_ms=None,
        committed_end=0,
        mode=options.mode,
    )
    for piece in plan_batch(options, Filters()):
        for batch in read_piece(piece, wanted):
            yield from batch.to_pylist()


def _row(source: dict[str, Any]) -> SortedRow:
    damage = source["_corrupt_record"] or {"offset": None, "position": None, "reason": None}
    offset = source["offset"] if source["offset"] is not None else damage["offset"]
    return SortedRow(
        cluster=source["clusterId"] or "",
        offset=-1 if offset is None else offset,
        is_snapshot=source["source"] == "snapshot",
        directory=source["directory"],
        file=source["file"] or "",
        snapshot_index=-1 if source["snapshotIndex"] is None else source["snapshotIndex"],
        node_id=source["nodeId"],
        epoch=source["partitionLeaderEpoch"],
        record_type=source["recordType"],
        version=source["recordVersion"],
        payload=source["payload"],
        raw=source["raw"],
        position=damage["position"],
        reason=damage["reason"],
    )


def _place(row: SortedRow) -> tuple[Any, ...]:
    return row[: SortedRow._fields.index("snapshot_index") + 1]
