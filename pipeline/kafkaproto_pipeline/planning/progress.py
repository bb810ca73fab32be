"""The progress of a stream, as Spark's checkpoint has it. It is stored nowhere else.

``{"offset": 1200, "epoch": 3, "clusterId": "..."}``: all records below offset 1200 were emitted, and the last of them
is of epoch 3. Epoch and cluster id show whether the log is still the one that was read before. If the log start has
moved past the emitted records, and the stream is to continue with a snapshot, the batch that ends here emits the
snapshot instead: ``{"offset": 5000, "epoch": 4, "snapshotEndOffset": 5000, "snapshotEpoch": 4}``. So the two ends of a
batch alone determine what it emits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.sources.directories import InputError

UNKNOWN_EPOCH = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamProgress:
    """The end of one batch, and the start of the next."""

    offset: int
    """The next offset to emit."""
    epoch: int = UNKNOWN_EPOCH
    """Epoch of the record before ``offset``."""
    cluster_id: str | None = None
    snapshot: SnapshotId | None = None
    """The snapshot that the batch which ends here emits instead of offsets that are gone."""

    def to_json(self) -> dict[str, int | str]:
        """The form that Spark stores."""
        found: dict[str, int | str] = {"offset": self.offset, "epoch": self.epoch}
        if self.cluster_id is not None:
            found["clusterId"] = self.cluster_id
        if self.snapshot is not None:
            found["snapshotEndOffset"] = self.snapshot.end_offset
            found["snapshotEpoch"] = self.snapshot.epoch
        return found

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> StreamProgress:
        """Read the form that Spark stores. Raises InputError if it is not of this source, for example another source's
        checkpoint.
        """
        snapshot = None
        if "snapshotEndOffset" in value:
            snapshot = SnapshotId(
                end_offset=_number(value, "snapshotEndOffset"), epoch=_number(value, "snapshotEpoch")
            )
        cluster_id = value.get("clusterId")
        return cls(
            offset=_number(value, "offset"),
            epoch=_number(value, "epoch"),
            cluster_id=cluster_id if isinstance(cluster_id, str) else None,
            snapshot=snapshot,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Available:
    """What a stream may emit now."""

    cluster_id: str | None
    start: int
    """The first offset from which on all offsets are there."""
    end: int
    """The end of the committed records."""
    snapshots: tuple[SnapshotId, ...]
    """The whole snapshots with which the log continues, by end offset."""
    log_end: int | None = None
    """The end of all records, if that is known."""
    known_end: int | None = None
    """The offset below which there are records, or signs of them, if that is known."""
    missing: str | None = None
    """What the log lacks before its start, if nothing holds that."""
    behind: Behind | None = None
    """What hides the records after the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """Damage at the end of a log, or an end that is missing."""

    next_offset: int | None
    """The offset up to which records were there; None if that is not known."""
    text: str


def first(available: Available, starting_offset: int | str, *, takes_snapshot: bool) -> StreamProgress:
    """The beginning of a stream without a checkpoint.

    The earliest offset means 0 if a snapshot may replace offsets that are gone, otherwise the first offset that is
    there. Raises InputError for an offset behind the log, and if the beginning of the log is missing.
    """
    if starting_offset == "latest":
        offset = available.end
    elif isinstance(starting_offset, int):
        offset = starting_offset
        end = available.end if available.log_end is None else available.log_end
        if offset > end:
            raise InputError(
                f"option 'startingOffset' is {offset}, and the log ends before offset {end}; allowed is {end} or less"
            )
    elif available.missing is not None and not takes_snapshot:
        raise InputError(f"{available.missing}; startingOffset={available.start} reads what is there")
    else:
        offset = 0 if takes_snapshot else available.start
    return StreamProgress(offset=offset, cluster_id=available.cluster_id)


def check_cluster(start: StreamProgress, available: Available) -> None:
    """Raise InputError if a checkpoint is of another cluster than the source."""
    ids = {start.cluster_id, available.cluster_id} - {None}
    if len(ids) > 1:
        raise InputError(
            f"the checkpoint is of cluster {start.cluster_id}, the source of {available.cluster_id}; "
            "give the query a checkpoint of its own"
        )


def advance(
    start: StreamProgress, available: Available, *, takes_snapshot: bool, max_records: int | None
) -> StreamProgress:
    """The end of the next batch; ``start`` itself if there is nothing new. The caller sets the epoch of the new end.

    Raises InputError if offsets are gone, and no snapshot may replace them or none is there, and if nothing shows that
    there ever were the offsets that were emitted.
    """
    check_cluster(start, available)
    if available.known_end is not None and start.offset > available.known_end:
        raise InputError(
            f"offsets up to {start.offset - 1} were emitted, and the log ends before offset {available.known_end} now: "
            "it has lost records, or it is another one's log"
        )
    cluster_id = start.cluster_id or available.cluster_id
    if start.offset < available.start:
        if not takes_snapshot:
            raise InputError(
                f"offsets {start.offset} to {available.start - 1} are not there any more: the log begins at "
                f"{available.start}; with option 'onMissingOffsets' set to 'snapshot' the stream goes on from a "
                "snapshot"
            )
        later = [each for each in available.snapshots if available.start <= each.end_offset <= available.end]
        if not later:
            raise InputError(
                f"offsets {start.offset} to {available.start - 1} are not there any more, and no snapshot ends "
                f"from there to offset {available.end}"
            )
        newest = later[-1]
        return StreamProgress(
            offset=newest.end_offset, epoch=newest.epoch, cluster_id=cluster_id, snapshot=newest
        )
    end = available.end
    if max_records is not None:
        end = min(end, start.offset + max_records)
    if end <= start.offset:
        return (
            start if available.behind is None else _behind(start, available, available.behind, takes_snapshot)
        )
    return replace(start, offset=end, epoch=UNKNOWN_EPOCH, cluster_id=cluster_id, snapshot=None)


def _behind(
    start: StreamProgress, available: Available, behind: Behind, takes_snapshot: bool
) -> StreamProgress:
    """The next batch if damage hides the end of the log: a snapshot may replace it. Raises InputError."""
    is_past = behind.next_offset is not None and start.offset >= behind.next_offset
    if is_past or start.offset < available.end:
        return start
    later = [each for each in available.snapshots if each.end_offset > start.offset]
    if not takes_snapshot or not later:
        raise InputError(f"the log ends with offset {start.offset - 1} here, and not in truth: {behind.text}")
    newest = later[-1]
    cluster_id = start.cluster_id or available.cluster_id
    return StreamProgress(
        offset=newest.end_offset, epoch=newest.epoch, cluster_id=cluster_id, snapshot=newest
    )


def contents(start: StreamProgress, end: StreamProgress) -> tuple[SnapshotId | None, int, int]:
    """What a batch emits: the snapshot, if any, and the offsets from the first number to below the second."""
    if end == start:
        return None, end.offset, end.offset
    if end.snapshot is not None and end.snapshot != start.snapshot:
        return end.snapshot, end.snapshot.end_offset, end.offset
    return None, start.offset, end.offset


def _number(value: Mapping[str, object], name: str) -> int:
    found = value.get(name)
    if not isinstance(found, int) or isinstance(found, bool):
        raise InputError(
            f"the checkpoint's offset, {dict(value)!r}, is not of this source: {name!r} is {found!r}"
        )
    return found
