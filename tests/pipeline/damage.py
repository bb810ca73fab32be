"""Damage of a metadata log that is drawn from a seed, and the one rule for whatever reads it then.

The rule: an answer is that of the whole log, or it says what it lacks, by an error or by a row with
``_corrupt_record``. Only what cannot be known may be missing without a word: the end of a log that was cut off, if no
snapshot, no other replica and no file beside the log shows that it was longer. Records are never other ones than they
were.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from kafkaproto.log import OFFSET_INDEX_SUFFIX, BatchScan, segment_file_name
from kafkaproto.records.batch import HEADER_SIZE
from kafkaproto_pipeline.datasource import KraftReader, KraftStreamReader, all_columns
from kafkaproto_pipeline.inspection import TORN
from kafkaproto_pipeline.options import parse_options
from kafkaproto_pipeline.sources.directories import InputError
from kafkaproto_pipeline.views.wanted import CorruptInputError
from tests.pipeline import planting

FIELDS = {
    "base offset": (0, 8),
    "length": (8, 12),
    "epoch": (12, 16),
    "magic": (16, 17),
    "crc": (17, 21),
    "attributes": (21, 23),
    "last offset delta": (23, 27),
    "base timestamp": (27, 35),
    "max timestamp": (35, 43),
    "producer id": (43, 51),
    "producer epoch": (51, 53),
    "base sequence": (53, 57),
    "record count": (57, HEADER_SIZE),
}
"""The fields of a batch's header, by the bytes that they take."""
SEGMENTS = 5
COLUMNS = ("source", "directory", "offset", "snapshotIndex", "recordType", "payload", "_corrupt_record")
TABLES = ("topics", "partitions", "brokers", "configs", "acls", "features", "quotas", "scram_credentials")
_STEPS = 40
"""Most batches of a stream; one that needs more stands still."""

Says = str
Row = dict[str, Any]
Progress = dict[str, Any]


class SilentError(AssertionError):
    """An answer lacks something and does not say so."""


class ToldError(Exception):
    """A read ended with an error of ours; the text is its sentence."""


class Reader(Protocol):
    """Reads directories of nodes with options of the data source."""

    def batch(self, nodes: Sequence[Path], options: Mapping[str, str]) -> list[Row]:
        """All rows of a batch read. Raises ToldError."""

    def stream(
        self, nodes: Sequence[Path], options: Mapping[str, str], limit: int | None
    ) -> tuple[list[Row], list[Progress]]:
        """The rows of a stream from its beginning until it stands still, in batches of at most so many offsets, and the
        offsets between its batches. Raises ToldError.
        """


class Direct:
    """The classes of the data source, without Spark."""

    def batch(self, nodes: Sequence[Path], options: Mapping[str, str]) -> list[Row]:
        """All rows of a batch read."""
        try:
            names = options.get("columns")
            others = {name: text for name, text in options.items() if name != "columns"}
            return rows(nodes, columns=None if names is None else names.split(","), **others)
        except (InputError, CorruptInputError) as error:
            raise ToldError(str(error)) from error

    def stream(
        self, nodes: Sequence[Path], options: Mapping[str, str], limit: int | None
    ) -> tuple[list[Row], list[Progress]]:
        """It stands still if it has nothing new twice."""
        try:
            return self._streamed(nodes, options, limit)
        except (InputError, CorruptInputError) as error:
            raise ToldError(str(error)) from error

    def _streamed(
        self, nodes: Sequence[Path], options: Mapping[str, str], limit: int | None
    ) -> tuple[list[Row], list[Progress]]:
        parsed = parse_options({"paths": paths_of(nodes), **options})
        reader = KraftStreamReader(parsed, all_columns(parsed))
        at = reader.initialOffset()
        found: list[Row] = []
        progress, still = [at], 0
        for _ in range(_STEPS):
            until = reader.latestOffset(at, ReadAllAvailable() if limit is None else ReadMaxRows(limit))
            still = still + 1 if until == at else 0
            if still == 3:
                return found, progress
            for partition in reader.partitions(at, until) if until != at else ():
                for batch in reader.read(partition):
                    found += batch.to_pylist()
            at = until
            progress.append(at)
        raise SilentError(f"the stream does not come to its end: {progress[-3:]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """The answers of undamaged logs."""

    nodes: tuple[Path, ...]
    end: int
    start: int
    records: dict[int, tuple[str, str]]
    """By offset: type and payload."""
    states: dict[tuple[str, int], list[Row]] = field(default_factory=dict)
    """By table and last offset."""

    def state(self, table: str, offset: int) -> list[Row]:
        """The rows of a table of the state."""
        if offset < 0:
            return []
        key = (table, offset)
        if key not in self.states:
            self.states[key] = rows(self.nodes, view=table, asOf=str(offset), columns=None, secrets="true")
        return self.states[key]


def paths_of(nodes: Sequence[Path]) -> str:
    """The option ``paths``."""
    return json.dumps([str(node) for node in nodes])


def rows(nodes: Sequence[Path], *, columns: Sequence[str] | None = COLUMNS, **options: str) -> list[Row]:
    """All rows of a batch read."""
    given = {"paths": paths_of(nodes), **options}
    if columns is not None:
        given["columns"] = ",".join(columns)
    parsed = parse_options(given)
    reader = KraftReader(parsed, all_columns(parsed))
    found: list[Row] = []
    for partition in reader.partitions():
        for batch in reader.read(partition):
            found += batch.to_pylist()
    return found


# -- drawing -----------------------------------------------------------------------------------------------------


def resegment(node: Path) -> None:
    """Cut a node's log into `SEGMENTS` segments without indexes."""
    found = [batch for path in planting.segments(node) for batch in planting.batches(path)]
    size = -(-len(found) // SEGMENTS)
    for path in (node / planting.LOG).glob("*"):
        if path.suffix in (".log", ".index", ".timeindex"):
            path.unlink()
    for first in range(0, len(found), size):
        part = found[first : first + size]
        path = node / planting.LOG / segment_file_name(part[0].base_offset)
        path.write_bytes(b"".join(bytes(batch.raw) for batch in part))


def begin_later(node: Path, snapshots: int) -> None:
    """Remove what a node no longer keeps after so many snapshots: the segments and snapshots before."""
    kept = planting.snapshots(node)[snapshots:]
    for path in planting.snapshots(node)[:snapshots]:
        path.unlink()
    start = int(kept[0].name[:20])
    found = planting.segments(node)
    for path, following in itertools.pairwise(found):
        if int(following.stem) <= start:
            path.unlink()


class Damage:
    """What a seed does to copies of nodes."""

    def __init__(self, rng: random.Random, nodes: Sequence[Path]) -> None:
        self._rng = rng
        self._nodes = nodes
        self.told: list[str] = []
        self.kept_end: dict[Path, int] = {}
        """By node: where its log ends now, if only its end was cut off."""

    def draw(self) -> None:
        """Damage some files of one node, of some, or of all in the same way."""
        hit = list(self._nodes)
        if self._rng.random() < 0.5:
            hit = self._rng.sample(hit, self._rng.randint(1, len(hit)))
        for _ in range(self._rng.choice((1, 1, 1, 2, 3))):
            what = self._rng.choice(_KINDS)
            seed = self._rng.random()
            for node in hit:
                what(self, random.Random(seed), node)

    def note(self, path: Path, text: str) -> None:
        """Say what was done."""
        self.told.append(f"{path.parent.parent.name}/{path.name}: {text}")

    def bit(self, rng: random.Random, node: Path) -> None:
        """Flip a bit in a field of a batch's header, or in its records."""
        path = rng.choice(_files(node) or [None])
        if path is None:
            return
        data = bytearray(path.read_bytes())
        starts = _positions(path, data)
        if not starts:
            return
        index = rng.choice((0, len(starts) - 1, rng.randrange(len(starts)), rng.randrange(len(starts))))
        name = rng.choice((*FIELDS, "length", "magic", "records"))
        end = starts[index + 1] if index + 1 < len(starts) else len(data)
        first, last = FIELDS.get(name, (HEADER_SIZE, end - starts[index]))
        if self._cannot_be_seen(path, name, index + 1 == len(starts), data[starts[index] + 22]):
            return
        position = starts[index] + rng.randrange(first, max(first + 1, last))
        if position >= len(data):
            return
        data[position] ^= 1 << rng.randrange(8)
        _write(path, bytes(data))
        self.note(path, f"a bit of {name}, batch {index} of {len(starts)}, byte {position}")

    def _cannot_be_seen(self, path: Path, field: str, is_last: bool, attributes: int) -> bool:
        """The epoch of a leader's first batch that nothing follows is as good as any other."""
        return field == "epoch" and is_last and path.suffix == ".log" and bool(attributes & 0x20)

    def cut(self, rng: random.Random, node: Path) -> None:
        """Cut off the end of a file, at any byte or between two batches, or all of it."""
        path = rng.choice(_files(node) or [None])
        if path is None:
            return
        data = path.read_bytes()
        starts = _positions(path, data)
        place = rng.choice((0, rng.randrange(len(data) + 1), rng.choice(starts or [0]), len(data) - 1))
        place = max(0, min(place, len(data)))
        self._cut(path, node, data[:place])
        self.note(path, f"cut at byte {place} of {len(data)}")

    def _cut(self, path: Path, node: Path, data: bytes) -> None:
        if path.suffix == ".log" and planting.segments(node)[-1:] == [path]:
            self.kept_end[node] = _end_of(data, int(path.stem))
        _write(path, data)

    def remove(self, rng: random.Random, node: Path) -> None:
        """Remove a file, or all segments from one on, or all snapshots, or the log."""
        files = _files(node)
        if not files:
            return
        segments = planting.segments(node)
        how = rng.randrange(5)
        if how == 0 and segments:
            chosen = segments[rng.randrange(len(segments)) :]
        elif how == 1:
            chosen = planting.snapshots(node)
        elif how == 2:
            chosen = segments
        else:
            chosen = [rng.choice(files)]
        if segments and chosen and set(segments[-len(chosen) :]) == set(chosen) and chosen != segments:
            last = segments[-len(chosen) - 1]
            data = last.read_bytes()
            self.kept_end[node] = _end_of(data, int(last.stem))
        elif chosen == segments:
            # The newest snapshot is the newest state that is known.
            self.kept_end[node] = 0
        for path in chosen:
            self.note(path, "removed")
            path.unlink()

    def hole(self, rng: random.Random, node: Path) -> None:
        """Zeros, noise or nothing in the place of some bytes."""
        path = rng.choice(_files(node) or [None])
        if path is None or not (data := path.read_bytes()):
            return
        start = rng.randrange(len(data))
        size = min(len(data) - start, rng.choice((1, 16, 100, 700, 5000)))
        how = rng.choice(("zeros", "noise", "nothing"))
        middle = {"zeros": bytes(size), "noise": rng.randbytes(size), "nothing": b""}[how]
        if data[start : start + size] == middle:
            return
        if start + size == len(data) and how != "noise":
            # Zeros at the end are what a crash leaves.
            self._cut(path, node, data[:start] + middle)
        else:
            _write(path, data[:start] + middle + data[start + size :])
        self.note(path, f"{how} in the place of bytes {start} to {start + size - 1}")

    def index(self, rng: random.Random, node: Path) -> None:
        """An index that says what is not so."""
        segments = planting.segments(node)
        if segments:
            path = rng.choice(segments).with_suffix(OFFSET_INDEX_SUFFIX)
            path.write_bytes(rng.randbytes(8 * rng.randrange(20)))
            self.note(path, "noise")


_KINDS: tuple[Callable[[Damage, random.Random, Path], None], ...] = (
    *[Damage.bit] * 6,
    *[Damage.cut] * 2,
    *[Damage.remove] * 2,
    *[Damage.hole] * 2,
    Damage.index,
)


def _files(node: Path) -> list[Path]:
    return [*planting.segments(node), *planting.segments(node), *planting.snapshots(node)]


def _positions(path: Path, data: bytes | bytearray) -> list[int]:
    """Where whole batches begin, as far as they follow each other."""
    found, position = [], 0
    while position + HEADER_SIZE <= len(data):
        length = int.from_bytes(data[position + 8 : position + 12], "big", signed=True) + 12
        if length < HEADER_SIZE or position + length > len(data):
            break
        found.append(position)
        position += length
    return found


def _end_of(data: bytes, base_offset: int) -> int:
    """The offset after the first damage or the last batch."""
    return max((batch.next_offset for batch in BatchScan(data)), default=base_offset)


def _write(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


# -- the rule ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Holds answers about damaged copies to the rule."""

    whole: Whole
    nodes: tuple[Path, ...]
    end: int
    """Where the longest of their logs ended before."""
    silent_start: int
    """Where the log may begin without a word."""
    silent_end: int
    """Where it may end without a word."""
    reader: Reader = field(default_factory=Direct)

    def all_answers(self, rng: random.Random) -> Iterator[tuple[str, Says]]:
        """Every kind of answer, and what it said. Raises SilentError."""
        yield "records", self.records(mode="PERMISSIVE", replicas="one")
        yield "records FAILFAST", self.records(mode="FAILFAST", replicas="one")
        yield "with snapshots", self.records(mode="PERMISSIVE", replicas="one", includeSnapshots="true")
        yield "split", self.records(mode="PERMISSIVE", replicas="one", splitBytes="1024")
        start, end = sorted((rng.randrange(self.end), rng.randrange(self.end)))
        bounds = {"startOffset": str(start), "endOffset": str(end)}
        yield f"records {start} to {end}", self.records(mode="PERMISSIVE", replicas="one", **bounds)
        for table in ("topics", rng.choice(TABLES), rng.choice(TABLES)):
            yield f"{table} latest", self.state(table, None)
            offset = rng.randrange(self.whole.start, self.end)
            yield f"{table} as of {offset}", self.state(table, offset)
        yield "state rows", self.state_rows()
        yield "stream", self.stream(rng)
        yield "stream from snapshots", self.stream(rng, onMissingOffsets="snapshot")
        yield "stream FAILFAST", self.stream(rng, mode="FAILFAST")
        offset = rng.randrange(self.end)
        yield f"stream from {offset}", self.stream(rng, startingOffset=str(offset))

    def records(self, **options: str) -> Says:
        """A batch read of records."""
        try:
            found = self.reader.batch(self.nodes, {"columns": ",".join(COLUMNS), **options})
        except ToldError as error:
            return str(error)
        start = int(options.get("startOffset", "0"))
        end = int(options.get("endOffset", str(self.end)))
        return self.judged(found, start, end)

    def judged(self, found: Sequence[Row], start: int, end: int) -> Says:
        """What rows say; an empty text if they have all."""
        reasons = [row["_corrupt_record"]["reason"] for row in found if row["_corrupt_record"]]
        said = "; ".join(reason for reason in reasons if not reason.startswith(TORN))
        held: dict[int, tuple[str, str]] = {}
        for row in found:
            if row["source"] == "log" and row["_corrupt_record"] is None:
                if row["offset"] in held:
                    raise SilentError(f"offset {row['offset']} comes twice")
                held[row["offset"]] = (row["recordType"], row["payload"])
        for offset, content in held.items():
            if self.whole.records.get(offset) != content:
                raise SilentError(f"offset {offset} is another record than it was; said: {said}")
        wanted = {offset for offset in self.whole.records if max(start, self.silent_start) <= offset < end}
        lacking = sorted(offset for offset in wanted if offset not in held)
        if not said and lacking and lacking[0] < min(self.silent_end, end):
            raise SilentError(f"offsets {lacking[0]} to {lacking[-1]} are missing without a word")
        return said

    def state(self, table: str, offset: int | None) -> Says:
        """A table of the state, at an offset or now."""
        as_of = "latest" if offset is None else str(offset)
        try:
            found = self.reader.batch(self.nodes, {"view": table, "asOf": as_of, "secrets": "true"})
        except ToldError as error:
            return str(error)
        last = self.end - 1 if offset is None else offset
        if found == self.whole.state(table, last):
            return ""
        ends = range(self.silent_end - 1, last) if offset is None else ()
        if not any(found == self.whole.state(table, each) for each in ends):
            raise SilentError(f"{table} as of {as_of} is not that of offset {last}")
        return ""

    def state_rows(self) -> Says:
        """The rows from which the jobs make the state: the last offset that they contain."""
        options = {"view": "state", "asOf": "latest", "columns": "recordType,offset"}
        try:
            found = self.reader.batch(self.nodes, options)
        except ToldError as error:
            return str(error)
        end = max((row["offset"] for row in found), default=-1) + 1
        if end < min(self.silent_end, self.end):
            raise SilentError(f"the state is that before offset {end}")
        return ""

    def stream(self, rng: random.Random, **options: str) -> Says:
        """A stream from its beginning until it stands still."""
        given = {"columns": ",".join(COLUMNS), "highWatermark": "latest", **options}
        limit = rng.choice((None, 100, 400))
        start = int(options.get("startingOffset", self.whole.start))
        try:
            found, progress = self.reader.stream(self.nodes, given, limit)
        except ToldError as error:
            return str(error)
        jumps = [each["snapshotEndOffset"] for each in progress if "snapshotEndOffset" in each]
        # A snapshot stands for everything before it.
        return self.judged(found, max([start, *jumps]), self.end)
