"""Compares all replicas of one cluster with each other, in one pass over their rows in the order of the offsets.

Some differences can be judged only later. If two logs have different epochs at an offset and agree again further on,
one of them is wrong. If they never agree again, one of them is the end of a node's log that fell behind (see
`jobs.consistency`). So memory holds the state of the cluster, the snapshots of one offset, and such ends of logs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, groupby

from kafkaproto_pipeline.inspection import GAP, MISSING_LEADER, TORN, WRONG_EPOCH
from kafkaproto_pipeline.jobs.consistency import rows
from kafkaproto_pipeline.jobs.consistency.replay import MAX_DIFFERENCES, NOT_COMPARED, ClusterReplay, Verdict
from kafkaproto_pipeline.jobs.consistency.rows import Content, Finding, SortedRow, name_of

# How a reason of `inspection` begins.
_AGAIN = "a record batch has base offset"

_LEADER_CHANGE = "LeaderChangeMessage"
_NO_STATE = ("SnapshotHeaderRecord", "SnapshotFooterRecord", "ZkMigrationStateRecord")
"""First and last record of every snapshot, when it was written; and what 3.x has in each and 4.x in none any more."""


@dataclass(slots=True, kw_only=True)
class _Replica:
    """What is known of one replica so far."""

    directory: str
    node_id: int | None
    start: int | None = None
    end: int = 0
    """The offset after the last record of the log."""
    epoch: int = -1
    """Epoch of that record."""
    file: str | None = None
    records: int = 0
    explained_to: int = -1
    """Damage was already reported at this offset, so records that are missing from there on are not reported again."""
    epoch_faults: dict[int, SortedRow] = field(default_factory=dict)
    """By offset: what the batches around say of an epoch, unless the other replicas say so too."""
    first_difference: int | None = None
    """The lowest offset at which its log differs."""
    snapshots: int = 0
    snapshot_end: int = 0
    snapshot_epoch: int = -1

    @property
    def name(self) -> str:
        """The replica's name in texts."""
        return name_of(self.node_id, self.directory)

    @property
    def advance(self) -> tuple[int, int, str]:
        """How far the replica is in the log, in the order that voters use."""
        return self.epoch, self.end, self.directory


@dataclass(slots=True, kw_only=True)
class _Side:
    """The record that some of the replicas have at an offset."""

    epoch: int
    content: Content
    files: dict[str, str]
    """By directory."""


@dataclass(slots=True, kw_only=True)
class _Mismatch:
    """An offset at which the replicas do not all have the same."""

    offset: int
    sides: list[_Side]
    reported: set[str] = field(default_factory=set)
    """Directories whose record at this offset was reported as wrong."""


class Check:
    """The rows of one cluster."""

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster
        self._replicas: dict[str, _Replica] = {}
        self._replay = ClusterReplay()
        self._doubtful: dict[tuple[str, str], list[tuple[_Mismatch, _Side, _Side]]] = {}
        """For each pair of directories: their differences, until both have a record of one epoch, there
        or further on.
        """
        self._even: list[tuple[_Mismatch, _Side, _Side]] = []
        """Differences with as many replicas on each side: the side of the most advanced replica is right."""
        self._agreed: dict[tuple[str, ...], int] = {}
        """Directories that had the same epoch -> the last offset where they did."""

    def offset(self, found: list[SortedRow]) -> Iterator[Finding]:
        """Check all rows of an offset: first those of logs, then those of snapshots which end there."""
        log = [row for row in found if not row.is_snapshot]
        yield from self._log(log)
        if len(log) < len(found):
            yield from self._snapshots(found[len(log) :])

    def finish(self) -> Iterator[Finding]:
        """Findings that are known only when all rows were seen, and a row for each replica."""
        for conflicts in self._doubtful.values():
            for mismatch, one, other in conflicts:
                one_counts = self._is_committed(mismatch.offset, one, other)
                other_counts = self._is_committed(mismatch.offset, other, one)
                if one_counts and other_counts:
                    yield from self._judge(mismatch, one, other)
                elif one_counts:
                    yield from self._report(mismatch, other, one)
                elif other_counts:
                    yield from self._report(mismatch, one, other)
        for mismatch, one, other in self._even:
            best = max(
                (self._replicas[name] for name in (*one.files, *other.files)), key=lambda each: each.advance
            )
            wrong, right = (other, one) if best.directory in one.files else (one, other)
            yield from self._report(mismatch, wrong, right)
        leader = max(self._replicas.values(), key=lambda each: each.advance, default=None)
        for replica in self._replicas.values():
            yield from self._whole(replica, leader)

    # -- logs ----------------------------------------------------------------------------------------------------

    def _log(self, found: list[SortedRow]) -> Iterator[Finding]:
        sides: dict[tuple[int, Content], _Side] = {}
        seen: set[str] = set()
        before = {}
        for row in found:
            replica = self._replica(row)
            if row.reason is not None:
                yield from self._damage(replica, row)
                continue
            assert row.record_type is not None
            assert row.epoch is not None
            content = Content(row.record_type, row.version, row.payload, row.raw)
            if row.directory in seen:
                text = f"another record of this offset stands before it: {content.shown()}"
                yield self._difference(replica, row.file, row.offset, row.epoch, rows.EXTRA_RECORD, text)
                continue
            seen.add(row.directory)
            before[row.directory] = (replica.epoch, replica.end)
            yield from self._append(replica, row)
            side = sides.setdefault((row.epoch, content), _Side(epoch=row.epoch, content=content, files={}))
            side.files[row.directory] = row.file
        if not sides:
            return
        offset = found[0].offset
        ordered = sorted(sides.values(), key=lambda side: (-len(side.files), min(side.files)))
        if len(ordered) > 1:
            yield from self._compare(_Mismatch(offset=offset, sides=ordered), before)
        yield from self._agree(offset, ordered)
        self._replay.log_record(offset, ordered[0].epoch, ordered[0].content)

    def _replica(self, row: SortedRow) -> _Replica:
        replica = self._replicas.get(row.directory)
        if replica is None:
            replica = self._replicas[row.directory] = _Replica(directory=row.directory, node_id=row.node_id)
        return replica

    def _append(self, replica: _Replica, row: SortedRow) -> Iterator[Finding]:
        if replica.start is None:
            replica.start = row.offset
        elif row.offset > replica.end and not replica.end <= replica.explained_to < row.offset:
            text = f"nothing from offset {replica.end} to {row.offset - 1}"
            yield self._difference(replica, replica.file, replica.end, None, rows.MISSING_RECORD, text)
        replica.end = row.offset + 1
        replica.file = row.file
        replica.records += 1
        assert row.epoch is not None
        replica.epoch = row.epoch

    def _damage(self, replica: _Replica, row: SortedRow) -> Iterator[Finding]:
        assert row.reason is not None
        if row.reason.startswith((WRONG_EPOCH, MISSING_LEADER)):
            replica.epoch_faults[row.offset] = row
            return
        replica.explained_to = row.offset
        if row.reason.startswith(TORN):
            yield self._damaged(replica, row, rows.TORN_END)
        elif row.reason.startswith(GAP):
            yield self._damaged(replica, row, rows.MISSING_RECORD)
        elif row.reason.startswith(_AGAIN):
            yield self._damaged(replica, row, rows.EXTRA_RECORD)
        else:
            yield self._damaged(replica, row, rows.CORRUPT_BATCH)

    def _compare(self, mismatch: _Mismatch, before: dict[str, tuple[int, int]]) -> Iterator[Finding]:
        for one, other in combinations(mismatch.sides, 2):
            for mine in one.files:
                for theirs in other.files:
                    pair = (mine, theirs) if mine < theirs else (theirs, mine)
                    self._doubtful.setdefault(pair, []).append((mismatch, one, other))
        for side in mismatch.sides:
            if len(side.files) == 1:
                yield from self._begins_nowhere(mismatch, side, before)

    def _begins_nowhere(
        self, mismatch: _Mismatch, side: _Side, before: dict[str, tuple[int, int]]
    ) -> Iterator[Finding]:
        """Report the record of a single replica if its epoch begins without a leader's first record, or goes back."""
        ((directory, file),) = side.files.items()
        epoch, end = before[directory]
        is_new = side.epoch > epoch and side.content.record_type != _LEADER_CHANGE
        if end == mismatch.offset > 0 and epoch >= 0 and (is_new or side.epoch < epoch):
            mismatch.reported.add(directory)
            text = (
                f"epoch {side.epoch} after {epoch} without a leader's first record, which no other replica has:"
                f" {side.content.shown()}"
            )
            yield self._difference(
                self._replicas[directory], file, mismatch.offset, side.epoch, rows.DIFFERENT_EPOCH, text
            )

    def _agree(self, offset: int, sides: list[_Side]) -> Iterator[Finding]:
        """Note which replicas have the same epoch. If two of them differed before, one of them is wrong."""
        by_epoch: dict[int, list[str]] = {}
        for side in sides:
            by_epoch.setdefault(side.epoch, []).extend(side.files)
        for names in by_epoch.values():
            names.sort()
            self._agreed[tuple(names)] = offset
            if self._doubtful:
                for pair in combinations(names, 2):
                    for mismatch, one, other in self._doubtful.pop(pair, ()):
                        yield from self._judge(mismatch, one, other)

    def _is_committed(self, offset: int, holder: _Side, against: _Side) -> bool:
        """Whether a holder has the offset in a snapshot, while a replica of the other side has records of that epoch or
        later.
        """
        points = [
            each.snapshot_epoch
            for each in (self._replicas[name] for name in holder.files)
            if offset < each.snapshot_end
        ]
        return bool(points) and any(self._replicas[name].epoch >= min(points) for name in against.files)

    def _judge(self, mismatch: _Mismatch, one: _Side, other: _Side) -> Iterator[Finding]:
        if len(one.files) == len(other.files):
            self._even.append((mismatch, one, other))
        elif len(one.files) < len(other.files):
            yield from self._report(mismatch, one, other)
        else:
            yield from self._report(mismatch, other, one)

    def _report(self, mismatch: _Mismatch, wrong: _Side, right: _Side) -> Iterator[Finding]:
        others = f"{', '.join(self._replicas[name].name for name in sorted(right.files))}"
        for directory, file in wrong.files.items():
            if directory in mismatch.reported:
                continue
            mismatch.reported.add(directory)
            if wrong.epoch != right.epoch:
                kind = rows.DIFFERENT_EPOCH
                text = f"epoch {wrong.epoch}, {right.epoch} on {others}: {right.content.shown()}"
            else:
                kind = rows.DIFFERENT_RECORD
                text = (
                    f"{wrong.content.shown(right.content)}; on {others}: {right.content.shown(wrong.content)}"
                )
            yield self._difference(self._replicas[directory], file, mismatch.offset, wrong.epoch, kind, text)

    # -- snapshots -----------------------------------------------------------------------------------------------

    def _snapshots(self, found: list[SortedRow]) -> Iterator[Finding]:
        held: list[tuple[SortedRow, list[Content]]] = []
        for _, group in groupby(found, key=lambda row: (row.directory, row.file)):
            of_file = list(group)
            first = of_file[0]
            replica = self._replica(first)
            replica.snapshots += 1
            damaged = [row for row in of_file if row.reason is not None]
            if damaged:
                for row in damaged:
                    yield self._damaged(replica, row, rows.CORRUPT_BATCH)
                yield self._snapshot_row(first, 0, 0, Verdict(NOT_COMPARED, "it is damaged"), 0)
                continue
            assert first.epoch is not None
            replica.snapshot_end, replica.snapshot_epoch = first.offset + 1, first.epoch
            contents = [
                Content(row.record_type or "", row.version, row.payload, row.raw).in_order()
                for row in of_file
                if row.record_type not in _NO_STATE
            ]
            held.append((first, contents))
        yield from self._compare_snapshots(held)

    def _compare_snapshots(self, held: list[tuple[SortedRow, list[Content]]]) -> Iterator[Finding]:
        """The snapshot that most replicas have is compared with the log first, because it may become the base of what
        follows.
        """
        kinds: dict[
            tuple[int | None, frozenset[tuple[Content, int]]], list[tuple[SortedRow, list[Content]]]
        ] = {}
        for first, contents in held:
            kinds.setdefault((first.epoch, frozenset(Counter(contents).items())), []).append(
                (first, contents)
            )
        ordered = sorted(kinds.values(), key=lambda each: -len(each))
        verdicts = []
        for each in ordered:
            first, contents = each[0]
            assert first.epoch is not None
            verdicts.append(self._replay.snapshot(first.offset, first.epoch, contents))
        # If the numbers are equal, the snapshot that equals the log's state is right.
        right = (
            max(
                range(len(ordered)),
                key=lambda index: (len(ordered[index]), verdicts[index].verdict == "equal", -index),
            )
            if ordered
            else 0
        )
        for index, (each, verdict) in enumerate(zip(ordered, verdicts, strict=True)):
            for first, contents in each:
                replica = self._replicas[first.directory]
                yield self._snapshot_row(first, len(each), len(held), verdict, len(contents))
                for text in verdict.differences:
                    kind = rows.SNAPSHOT_DIFFERS_FROM_LOG
                    yield self._of_file(replica, first.file, first.offset, first.epoch, kind, text)
                if index != right:
                    for text in self._snapshot_texts((first, contents), ordered[right]):
                        kind = rows.SNAPSHOT_DIFFERS_FROM_SNAPSHOT
                        yield self._of_file(replica, first.file, first.offset, first.epoch, kind, text)

    def _snapshot_texts(
        self, wrong: tuple[SortedRow, list[Content]], right: list[tuple[SortedRow, list[Content]]]
    ) -> Iterator[str]:
        first, contents = wrong
        others = ", ".join(self._replicas[row.directory].name for row, _ in right)
        if first.epoch != right[0][0].epoch:
            yield f"is of epoch {first.epoch}, {right[0][0].epoch} on {others}"
        mine, theirs = Counter(contents), Counter(right[0][1])
        texts = [f"holds {each.shown()}, unlike {others}" for each in (mine - theirs).elements()]
        texts += [f"lacks {each.shown()}, which {others} has" for each in (theirs - mine).elements()]
        yield from texts[:MAX_DIFFERENCES]
        if len(texts) > MAX_DIFFERENCES:
            yield f"and {len(texts) - MAX_DIFFERENCES} records more"

    # -- findings ------------------------------------------------------------------------------------------------

    def _difference(
        self, replica: _Replica, file: str | None, offset: int, epoch: int | None, kind: str, text: str
    ) -> Finding:
        """A difference in a log."""
        first = replica.first_difference
        replica.first_difference = max(0, offset if first is None else min(first, offset))
        if kind == rows.DIFFERENT_EPOCH:
            replica.epoch_faults.pop(offset, None)
        return self._of_file(replica, file, offset, epoch, kind, text)

    def _of_file(
        self, replica: _Replica, file: str | None, offset: int, epoch: int | None, kind: str, text: str
    ) -> Finding:
        return Finding(
            rows.DIFFERENCE,
            self._cluster,
            replica.node_id,
            replica.directory,
            file,
            offset,
            epoch,
            kind,
            text,
        )

    def _damaged(self, replica: _Replica, row: SortedRow, kind: str) -> Finding:
        text = f"byte {row.position}: {row.reason}"
        make = self._of_file if row.is_snapshot else self._difference
        return make(replica, row.file, row.offset, row.epoch, kind, text)

    def _snapshot_row(self, first: SortedRow, same: int, of: int, verdict: Verdict, records: int) -> Finding:
        return Finding(
            rows.SNAPSHOT,
            self._cluster,
            first.node_id,
            first.directory,
            first.file,
            first.offset,
            first.epoch,
            text=verdict.reason,
            records=records,
            same=same,
            replicas=of,
            verdict=verdict.verdict,
        )

    def _whole(self, replica: _Replica, leader: _Replica | None) -> Iterator[Finding]:
        for row in list(replica.epoch_faults.values()):
            yield self._damaged(replica, row, rows.DIFFERENT_EPOCH)
        start = replica.start
        if start is not None and start > replica.snapshot_end:
            text = f"nothing from offset {replica.snapshot_end} to {start - 1}, neither log nor snapshot"
            yield self._difference(replica, None, replica.snapshot_end, None, rows.MISSING_RECORD, text)
        agrees_to = replica.end
        if leader is not None and replica is not leader:
            both = {replica.directory, leader.directory}
            shared = [offset + 1 for names, offset in self._agreed.items() if both <= set(names)]
            agrees_to = max(shared, default=0)
        if replica.first_difference is not None:
            agrees_to = min(agrees_to, replica.first_difference)
        yield Finding(
            rows.REPLICA,
            self._cluster,
            replica.node_id,
            replica.directory,
            epoch=replica.epoch if replica.records else None,
            start=start,
            end=replica.end if replica.records else None,
            records=replica.records,
            snapshots=replica.snapshots,
            snapshot_end=replica.snapshot_end or None,
            agrees_to=agrees_to,
        )


def check(given: Iterable[SortedRow]) -> Iterator[Finding]:
    """The findings for clusters' rows, which are sorted by `SortedRow`'s first columns."""
    for cluster, of_cluster in groupby(given, key=lambda row: row.cluster):
        found = Check(cluster)
        for _, of_offset in groupby(of_cluster, key=lambda row: row.offset):
            yield from found.offset(list(of_offset))
        yield from found.finish()
