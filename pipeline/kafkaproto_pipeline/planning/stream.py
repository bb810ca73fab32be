"""The sources of a stream: directories that grow, or a live quorum. Neither knows the progress of the stream."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.options import ONE_REPLICA, SNAPSHOT, SourceOptions
from kafkaproto_pipeline.planning import live
from kafkaproto_pipeline.planning.files import PlannedPiece, log_pieces, snapshot_pieces
from kafkaproto_pipeline.planning.lacking import known_end, missing_beginnings, missing_behind, missing_logs
from kafkaproto_pipeline.planning.lineages import OffsetRange, Sources, describe, look, one_lineage
from kafkaproto_pipeline.planning.live import LivePiece
from kafkaproto_pipeline.planning.progress import UNKNOWN_EPOCH, Available, Behind, StreamProgress
from kafkaproto_pipeline.sources.directories import InputError
from kafkaproto_pipeline.sources.live_quorum import Chunk, LiveQuorum
from kafkaproto_pipeline.sources.survey import Memory

POLL_TIMEOUT_MS = 2_000
"""How long a stream waits for one response to its small requests, so that a controller that hangs does not block it."""
POLL_PATIENCE_S = 1.0
"""How long the stream looks for a leader after it once had a response. It is short, because the stream
will ask again.
"""
logger = logging.getLogger(__name__)

AHEAD_OFFSETS = 1_000
AHEAD_BYTES = 1024 * 1024
"""A batch within both limits is sent to its task together with its records, because connecting would take longer."""


class StreamSource(Protocol):
    """The source of a stream's records."""

    def available(self) -> Available:
        """What may be emitted now. Raises InputError."""

    def check(self, start: StreamProgress) -> None:
        """Raise InputError if the source now has another record in place of the one that was emitted last."""

    def epoch_before(self, offset: int) -> int:
        """The epoch of the record before an offset, -1 if it is not known. Raises InputError."""

    def fetch_ahead(self, start: int, end: int, epoch: int) -> None:
        """Fetch the records of a small batch while they can be reached. Raises InputError."""

    def pieces(
        self, snapshot: SnapshotId | None, start: int, end: int, epoch: int
    ) -> Sequence[PlannedPiece | LivePiece]:
        """The pieces that read a snapshot, if any, and the offsets from ``start`` to below ``end``, all of them
        committed.

        ``epoch`` is that of the record before, -1 if it is not known. Raises InputError if the offsets are gone.
        """

    def close(self) -> None:
        """Free all resources."""


def make_stream_source(options: SourceOptions) -> StreamSource:
    """The source that the options name."""
    if options.bootstrap_controllers:
        return QuorumSource(options)
    return DirectorySource(options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unproven:
    """The end of a log that a stream does not emit before a snapshot covers it."""

    proven_end: int
    """Records below this offset are known to be committed."""
    log_end: int

    def text(self, *, take_all: str, live: str) -> str:
        """What a user has to know. ``take_all`` and ``live`` name the ways to read on."""
        proven = f"records up to offset {self.proven_end - 1:,} are" if self.proven_end else "no records are"
        count = self.log_end - self.proven_end
        later = "1 record after that waits" if count == 1 else f"{count:,} records after that wait"
        return (
            f"{proven} known to be committed, {later} for the next snapshot: fewer than a majority of the voters' "
            f"logs are given. Give the directories of all voters or {live} to read on at once, or {take_all} to take "
            "all as committed"
        )


def find_unproven(options: SourceOptions) -> Unproven | None:
    """What a stream over these paths does not emit yet because the logs of too few voters are given; None if it emits
    all, or waits for nothing but the quorum. Raises InputError.
    """
    return _unproven(look(options))


def _unproven(sources: Sources) -> Unproven | None:
    ranges = _newest_in_one_piece(sources)
    start, log_end = ranges[0].start, ranges[-1].stop
    proven_end = max(start, min(sources.committed.end, log_end))
    if not sources.committed.lacks_majority or proven_end >= log_end:
        return None
    return Unproven(proven_end=proven_end, log_end=log_end)


class DirectorySource:
    """Directories of nodes, which may be running. Results for a file are remembered as long as it does not change."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._memory = Memory()
        self._sources: Sources | None = None
        self._has_warned = False
        self._looked: tuple[object, Behind] | None = None

    def available(self) -> Available:
        """List the directories again. The first time that records wait for a snapshot, log that."""
        self._sources = sources = look(self._options, self._memory)
        unproven = None if self._has_warned else _unproven(sources)
        if unproven is not None:
            self._has_warned = True
            logger.warning(
                "%s", unproven.text(take_all="highWatermark=latest", live="the option bootstrap.controllers")
            )
        ranges = _newest_in_one_piece(sources)
        cluster_ids = [log.replica.cluster_id for log in sources.logs if log.replica.cluster_id is not None]
        start, log_end = ranges[0].start, ranges[-1].stop
        end = max(start, min(sources.committed.end, log_end))
        return Available(
            cluster_id=cluster_ids[0] if cluster_ids else None,
            start=start,
            end=end,
            snapshots=tuple(each for each in self._snapshots(sources) if each.end_offset >= start),
            log_end=log_end,
            known_end=known_end(sources),
            missing=self._missing(sources, ranges),
            behind=self._behind(sources, ranges) if end == log_end else None,
        )

    def _snapshots(self, sources: Sources) -> list[SnapshotId]:
        """The whole snapshots by end offset, if the stream may emit one."""
        if self._options.on_missing_offsets != SNAPSHOT:
            return []
        found = {snapshot.id for _, snapshot in sources.whole_snapshots()}
        return sorted(found, key=lambda each: each.end_offset)

    def _missing(self, sources: Sources, ranges: Sequence[OffsetRange]) -> str | None:
        one = replace(self._options, replicas=ONE_REPLICA)
        for log, fault in (*missing_logs(sources, one), *missing_beginnings(sources, ranges, one)):
            return f"{log.replica.directory}: {fault.reason}"
        if not any(log.segments for log in sources.logs):
            return (
                f"{sources.logs[0].replica.directory}: there are snapshots and no log, which a stream reads"
            )
        return None

    def _behind(self, sources: Sources, ranges: Sequence[OffsetRange]) -> Behind | None:
        """What hides records after the log's end. It counts if it is there still when the directories are listed
        again: a running node may be about to write there.
        """
        log = ranges[-1].log
        if not log.segments:
            return None
        facts = log.segments[-1]
        found = [(each, fault) for each, fault in log.faults() if fault.touches(log.lineage.end, None)]
        other = missing_behind(sources, ranges)
        found += [(facts, other)] if other is not None else []
        behind = None
        if found:
            # The first is what a user has to know of; all together say how far the log went.
            is_open = any(fault.is_open for _, fault in found)
            each, fault = found[0]
            behind = Behind(
                next_offset=None if is_open else max(fault.next_offset for _, fault in found),
                text=describe(each.segment.path, fault),
            )
        before, self._looked = self._looked, None if behind is None else (facts.segment, behind)
        return behind if before == self._looked else None

    def check(self, start: StreamProgress) -> None:
        """Compare the epoch of the record before."""
        _check_epoch(start, self.epoch_before(start.offset))

    def epoch_before(self, offset: int) -> int:
        assert self._sources is not None, "available() looks, and comes first"
        for each in _newest_in_one_piece(self._sources):
            epoch = each.log.lineage.epoch_at(offset - 1) if each.start < offset <= each.stop else None
            if epoch is not None:
                return epoch
        return UNKNOWN_EPOCH

    def fetch_ahead(self, start: int, end: int, epoch: int) -> None:
        """Nothing to do, because files stay."""

    def pieces(
        self, snapshot: SnapshotId | None, start: int, end: int, epoch: int
    ) -> Sequence[PlannedPiece | LivePiece]:
        """List the directories again, because files may be gone or have been renamed."""
        sources = look(self._options, self._memory)
        pieces: list[PlannedPiece] = []
        if snapshot is not None:
            pieces += self._snapshot(sources, snapshot)
        if start < end:
            pieces += self._log(sources, start, end)
        return pieces

    def close(self) -> None:
        """Nothing to do, because nothing is held."""

    def _snapshot(self, sources: Sources, snapshot_id: SnapshotId) -> list[PlannedPiece]:
        for log, snapshot in sources.snapshots:
            if snapshot.id == snapshot_id:
                return snapshot_pieces(log, sources.examine(snapshot), self._options.split_bytes)
        raise InputError(
            f"the snapshot that the batch is to emit, of end offset {snapshot_id.end_offset} and epoch "
            f"{snapshot_id.epoch}, is in none of the directories any more"
        )

    def _log(self, sources: Sources, start: int, end: int) -> list[PlannedPiece]:
        ranges = _newest_in_one_piece(sources)
        if start < ranges[0].start or end > ranges[-1].stop:
            raise InputError(
                f"offsets {start} to {end - 1}, which the batch is to emit, are not all there: the log holds "
                f"{ranges[0].start} to {ranges[-1].stop - 1}"
            )
        # These offsets were known to be committed when the batch was planned, even if the files no longer show it.
        committed = replace(sources.committed, end=max(end, sources.committed.end))
        pieces: list[PlannedPiece] = []
        for each in ranges:
            part = replace(each, start=max(each.start, start), end=min(each.stop, end))
            if part.start < part.stop:
                found = log_pieces(part, committed, self._options.split_bytes)
                pieces += [replace(piece, committed_end=end) for piece in found]
        return pieces


def _newest_in_one_piece(sources: Sources) -> list[OffsetRange]:
    """The ranges of the one lineage after its last gap."""
    ranges = one_lineage(sources)
    begin = 0
    for index, (before, after) in enumerate(itertools.pairwise(ranges), 1):
        if before.stop < after.start:
            begin = index
    return ranges[begin:]


def _check_epoch(start: StreamProgress, found: int) -> None:
    if UNKNOWN_EPOCH not in (found, start.epoch) and found != start.epoch:
        raise InputError(
            f"offset {start.offset - 1} was emitted as a record of epoch {start.epoch}, and is of epoch {found} "
            "in the log: the quorum has lost what it had committed, or this is another one's log"
        )


class QuorumSource:
    """A live quorum. The connection is kept between requests."""

    def __init__(self, options: SourceOptions) -> None:
        self._servers = options.bootstrap_controllers
        self._quorum = LiveQuorum(self._servers, request_timeout_ms=POLL_TIMEOUT_MS)
        self._available: Available | None = None
        self._ahead: tuple[int, int, tuple[Chunk, ...]] | None = None

    def available(self) -> Available:
        state = self._quorum.state()
        self._quorum.retry_timeout_s = POLL_PATIENCE_S
        self._available = Available(
            cluster_id=state.cluster_id,
            start=state.start,
            end=state.high_watermark,
            snapshots=() if state.snapshot is None else (state.snapshot,),
        )
        return self._available

    def check(self, start: StreamProgress) -> None:
        """Fetch the record before, and compare its epoch."""
        assert self._available is not None, "available() asks, and comes first"
        if start.epoch != UNKNOWN_EPOCH and self._available.start < start.offset <= self._available.end:
            _check_epoch(start, self.epoch_before(start.offset))

    def epoch_before(self, offset: int) -> int:
        return self._quorum.epoch_of(offset - 1) if offset > 0 else UNKNOWN_EPOCH

    def fetch_ahead(self, start: int, end: int, epoch: int) -> None:
        """Fetch the batch now. Once it is planned it has to be read, and the quorum may have no leader then."""
        self._ahead = None
        if end - start <= AHEAD_OFFSETS:
            chunks: list[Chunk] = []
            for chunk in self._quorum.read(start, end, epoch, AHEAD_BYTES):
                chunks.append(chunk)
                if sum(len(each.data) for each in chunks) > AHEAD_BYTES:
                    return
            self._ahead = start, end, tuple(chunks)

    def pieces(
        self, snapshot: SnapshotId | None, start: int, end: int, epoch: int
    ) -> Sequence[PlannedPiece | LivePiece]:
        """Offsets that are gone show when a task reads them."""
        cluster_id = (self._available or self.available()).cluster_id
        pieces = live.log_pieces(self._servers, cluster_id, start, end, epoch)
        if self._ahead is not None and self._ahead[:2] == (start, end):
            pieces = [replace(piece, chunks=self._ahead[2]) for piece in pieces]
        if snapshot is not None:
            pieces.insert(0, live.snapshot_piece(self._servers, cluster_id, snapshot))
        return pieces

    def close(self) -> None:
        self._quorum.close()
