"""Files that are not as a node leaves them: the answer of the whole log, or one that says what it lacks.

Tests: `kafkaproto_pipeline.jobs.tables`, `kafkaproto_pipeline.read`.
"""

from __future__ import annotations

import gzip
import json
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from kafkaproto.log import OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX
from kafkaproto.records.batch import CRC_START, LENGTH_END
from kafkaproto.records.crc32c import crc32c
from kafkaproto.snapshot import SnapshotId, snapshot_file_name
from kafkaproto_pipeline.datasource import KraftStreamReader
from kafkaproto_pipeline.options import parse_options
from kafkaproto_pipeline.planning.lacking import damage_of
from kafkaproto_pipeline.sources.directories import InputError, find_replicas
from tests.pipeline.damage import Direct, Row, ToldError, rows
from tests.pipeline.planting import LOG as FOLDER
from tests.pipeline.planting import segments, snapshots
from tests.pipeline.replicas import CLUSTER_ID, Batch, Files, topic_name, write_node, write_snapshot
from tests.support.rights import without_overriding

LOG = [Batch(epoch=1, voters=(1,)), *[Batch(epoch=1, count=2)] * 11]
END = 23
LAST = 17
"""Base offset of the last segment."""
SNAPSHOTS = (SnapshotId(epoch=1, end_offset=5), SnapshotId(epoch=1, end_offset=11))
Change = Callable[[Path], object]


@pytest.fixture
def node(tmp_path: Path) -> Path:
    return write_node(tmp_path / "n1", LOG, Files(segment_batches=3))


@pytest.fixture
def compacted(tmp_path: Path) -> Path:
    """With snapshots, too."""
    return write_node(tmp_path / "n1", LOG, Files(segment_batches=3, snapshots=SNAPSHOTS))


def damage(*nodes: Path) -> list[str]:
    return damage_of(parse_options({"paths": json.dumps([str(node) for node in nodes])}))


def topics(*nodes: Path, **options: str) -> list[str]:
    return [row["topicName"] for row in rows(nodes, view="topics", columns=None, **options)]


def streamed(node: Path, **options: str) -> list[Row]:
    found, _ = Direct().stream(
        [node], {"highWatermark": "latest", "columns": "offset,_corrupt_record"} | options, None
    )
    return found


def reasons(*nodes: Path, **options: str) -> list[str]:
    found = [row["_corrupt_record"] for row in rows(nodes, **options)]
    return [corrupt["reason"] for corrupt in found if corrupt is not None]


def of_log(*, start: int = 1, end: int = END) -> list[str]:
    return sorted(topic_name(offset, 1) for offset in range(start, end))


# -- segments ----------------------------------------------------------------------------------------------------


def _compress(path: Path) -> None:
    (path.parent / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    for suffix in (OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX):
        path.with_suffix(suffix).unlink()


def _rename(path: Path) -> None:
    path.rename(path.parent / f"{path.name}.old")
    for suffix in (OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX):
        path.with_suffix(suffix).unlink()


@pytest.mark.parametrize("change", [Path.unlink, _compress, _rename])
def test_what_is_left_of_the_last_segment_shows_that_the_log_was_longer(node: Path, change: Change) -> None:
    change(segments(node)[-1])
    (text,) = damage(node)
    assert f"offset {LAST} and all behind it are missing" in text
    with pytest.raises(InputError, match=f"the newest state cannot be told, only that at offset {LAST - 1}"):
        topics(node)
    assert topics(node, asOf=str(LAST - 1)) == of_log(end=LAST)
    with pytest.raises(ToldError, match=f"the log ends with offset {LAST - 1} here, and not in truth"):
        streamed(node)
    assert len(reasons(node)) == 1


def test_a_newer_snapshot_does_not_hide_that_a_segment_is_gone(compacted: Path) -> None:
    write_snapshot(compacted / FOLDER, SnapshotId(epoch=1, end_offset=20))
    segments(compacted)[-1].unlink()
    with pytest.raises(InputError, match="the newest state cannot be told, only that at offset 19"):
        topics(compacted)


def test_a_segment_that_a_node_deletes_is_none_that_is_missing(node: Path) -> None:
    last = segments(node)[-1]
    for path in (last, last.with_suffix(OFFSET_INDEX_SUFFIX), last.with_suffix(TIME_INDEX_SUFFIX)):
        path.rename(path.parent / f"{path.name}.deleted")
    assert damage(node) == []
    assert topics(node) == of_log(end=LAST)


def test_a_log_without_a_record_had_some_if_it_had_an_epoch(tmp_path: Path) -> None:
    node = write_node(tmp_path / "n1", LOG[:1], Files(index_every=0))
    segments(node)[0].write_bytes(b"")
    (node / FOLDER / "leader-epoch-checkpoint").write_text("0\n1\n1 0\n")
    (text,) = damage(node)
    assert (
        "offset 0 and all behind it are missing: the log ends here, and leader-epoch-checkpoint shows" in text
    )


def _link(target: str) -> Change:
    def change(path: Path) -> None:
        path.unlink()
        path.symlink_to(target or path.name)

    return change


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_link("/nowhere/x"), "is a link that leads nowhere"),
        (_link(""), "cannot be read: Too many levels of symbolic links"),
        (_directory, "cannot be read: it is no file, but a directory"),
        (_pipe, "cannot be read: it is no file, but a pipe"),
    ],
)
@pytest.mark.parametrize("files", [segments, snapshots])
def test_what_is_no_file_is_named(
    compacted: Path, files: Callable[[Path], list[Path]], change: Change, text: str
) -> None:
    path = files(compacted)[-1]
    change(path)
    with pytest.raises(InputError, match=f"{path} {text}"):
        find_replicas([str(compacted)])


def test_a_torn_end_before_a_snapshot_hides_more_than_the_snapshot_shows(compacted: Path) -> None:
    write_snapshot(compacted / FOLDER, SnapshotId(epoch=1, end_offset=20))
    path = segments(compacted)[-1]
    path.write_bytes(bytes(path.stat().st_size))
    with pytest.raises(InputError, match="the newest state cannot be told, only that at offset 19"):
        topics(compacted)


def test_a_stream_is_told_of_several_damages_at_the_end(node: Path) -> None:
    *_, before, last = segments(node)
    last.write_bytes(before.read_bytes())
    with pytest.raises(ToldError, match=f"the log ends with offset {int(last.stem) - 1} here"):
        streamed(node)


def test_a_segment_that_is_missing_hides_no_state_before_it(node: Path) -> None:
    segments(node)[2].unlink()
    with pytest.raises(
        InputError, match=r"nothing here leads to the state at offset 22.*; asOf=10 gives the newest"
    ):
        topics(node)
    assert topics(node, asOf="10") == of_log(end=11)


def test_a_stream_is_told_that_what_it_emitted_is_gone(node: Path) -> None:
    parsed = parse_options({"path": str(node), "highWatermark": "latest"})
    reader = KraftStreamReader(parsed, ("offset",))
    end = reader.latestOffset(reader.initialOffset(), ReadAllAvailable())
    assert end["offset"] == END
    for path in (segments(node)[-1], *(node / FOLDER).glob("*index")):
        path.unlink()
    for each in (reader, KraftStreamReader(parsed, ("offset",))):
        with pytest.raises(
            InputError, match=f"offsets up to {END - 1} were emitted, and the log ends before offset {LAST}"
        ):
            each.latestOffset(end, ReadAllAvailable())


# -- batches -----------------------------------------------------------------------------------------------------


def _with(field: slice, change: int, *, batch: int = 1) -> Change:
    """A field of a batch's header with another value, and the right CRC."""

    def made(path: Path) -> None:
        data = bytearray(path.read_bytes())
        start = 0
        for _ in range(batch):
            start += LENGTH_END + struct.unpack_from(">i", data, start + 8)[0]
        place = slice(start + field.start, start + field.stop)
        value = int.from_bytes(data[place], "big") + change
        data[place] = value.to_bytes(field.stop - field.start, "big")
        end = start + LENGTH_END + struct.unpack_from(">i", data, start + 8)[0]
        data[start + 17 : start + CRC_START] = crc32c(bytes(data[start + CRC_START : end])).to_bytes(4, "big")
        path.chmod(0o644)
        path.write_bytes(data)

    return made


COUNT, LAST_DELTA = slice(57, 61), slice(23, 27)


@pytest.mark.parametrize(
    "change", [_with(COUNT, 1), _with(COUNT, -1), _with(COUNT, -2), _with(LAST_DELTA, 1)]
)
@pytest.mark.parametrize("segment", [1, -1])
def test_a_batch_has_as_many_records_as_offsets(node: Path, change: Change, segment: int) -> None:
    change(segments(node)[segment])
    assert any("claims" in text for text in damage(node))
    with pytest.raises(InputError, match="cannot be told"):
        topics(node)
    assert "claims" in reasons(node)[0]
    with pytest.raises(ToldError, match="claims"):
        streamed(node, mode="FAILFAST")


def test_a_snapshot_whose_batch_has_other_counts_is_not_whole(compacted: Path) -> None:
    _with(COUNT, -1)(snapshots(compacted)[-1])
    (text,) = damage(compacted)
    assert "claims" in text
    # The one before, and the log behind it.
    assert topics(compacted)[:4] == ["snapshot-0", "snapshot-1", "snapshot-2", "topic-10-1"]


# -- snapshots ---------------------------------------------------------------------------------------------------


def test_a_snapshot_is_of_the_epoch_that_its_name_says(compacted: Path) -> None:
    newest = snapshots(compacted)[-1]
    newest.rename(newest.parent / snapshot_file_name(SnapshotId(epoch=5, end_offset=11)))
    (text,) = damage(compacted)
    assert "cannot be of epoch 5, as its name says: its batches are of epoch 1" in text
    with pytest.raises(InputError, match="cannot be of epoch 5"):
        topics(compacted)


@pytest.mark.parametrize("claimed", [14, 40])
def test_a_snapshot_ends_where_its_name_says(compacted: Path, claimed: int) -> None:
    oldest, newest = snapshots(compacted)
    newest.write_bytes(oldest.read_bytes())
    newest.rename(newest.parent / snapshot_file_name(SnapshotId(epoch=1, end_offset=claimed)))
    assert f"cannot end with offset {claimed - 1}, as its name says: its last record is of" in " ".join(
        damage(compacted)
    )
    if claimed <= END:
        assert topics(compacted) == ["snapshot-0", "snapshot-1", "snapshot-2", *of_log(start=5)]
        assert topics(compacted, asOf="4") == ["snapshot-0", "snapshot-1", "snapshot-2"]
    else:
        with pytest.raises(InputError, match="the newest state cannot be told, only that at offset 22"):
            topics(compacted)


def test_a_snapshot_of_another_epoch_than_the_log_is_not_of_its_history(compacted: Path) -> None:
    write_snapshot(compacted / FOLDER, SnapshotId(epoch=3, end_offset=15))
    assert "that is of epoch 1 in" in " ".join(damage(compacted))
    with pytest.raises(InputError, match="cannot end with offset 14, as its name says: that is of epoch 1"):
        topics(compacted)


def test_a_folder_of_snapshots_lacks_nothing(compacted: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    for path in snapshots(compacted):
        path.rename(folder / path.name)
    assert damage(folder) == []
    assert topics(folder) == ["snapshot-0", "snapshot-1", "snapshot-2"]
    with pytest.raises(ToldError, match="there are snapshots and no log"):
        streamed(folder)


# -- several replicas --------------------------------------------------------------------------------------------


def test_logs_of_two_clusters_are_not_taken_for_one(node: Path, tmp_path: Path) -> None:
    longer = [LOG[0], *[Batch(epoch=1, count=5)] * 12]
    other = write_node(tmp_path / "n2", longer, node_id=2)
    (other / "meta.properties").unlink()
    different = "have different records at offset"
    with pytest.raises(InputError, match=different):
        damage(node, other)
    with pytest.raises(InputError, match=different):
        topics(node, other)
    with pytest.raises(InputError, match=different):
        reasons(node, other, replicas="one")
    # Each by itself is as good as ever.
    assert reasons(node, other) == []


def test_the_same_records_with_damage_are_one_history(node: Path, tmp_path: Path) -> None:
    other = write_node(tmp_path / "n2", LOG[:-1], node_id=2, cluster_id=CLUSTER_ID)
    path = segments(other)[0]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert topics(node, other) == of_log()


# -- places ------------------------------------------------------------------------------------------------------


@pytest.fixture
def without_rights() -> Iterator[Callable[[Path], None]]:
    """Takes all rights from a directory."""
    taken: list[Path] = []

    def take(path: Path) -> None:
        path.chmod(0)
        taken.append(path)

    with without_overriding():
        yield take
    for path in taken:
        path.chmod(0o755)


@pytest.mark.parametrize("pattern", ["n*", f"n*/{FOLDER}", f"n*/{FOLDER}/*"])
def test_a_glob_passes_over_nothing_that_cannot_be_read(
    node: Path, tmp_path: Path, without_rights: Callable[[Path], None], pattern: str
) -> None:
    other = write_node(tmp_path / "n2", LOG[:-1], node_id=2)
    without_rights(other)
    with pytest.raises(InputError, match=f"{other} cannot be listed: Permission denied"):
        find_replicas([f"{tmp_path}/{pattern}"])


def test_a_directory_of_the_file_system_is_none_of_a_node(
    node: Path, tmp_path: Path, without_rights: Callable[[Path], None]
) -> None:
    (tmp_path / "lost+found").mkdir()
    without_rights(tmp_path / "lost+found")
    assert len(find_replicas([f"{tmp_path}/*", f"{tmp_path}/*/{FOLDER}"])) == 1


@pytest.mark.parametrize("rights", [0, 0o444])
def test_a_directory_that_cannot_be_read_is_named(
    node: Path, rights: int, without_rights: Callable[[Path], None]
) -> None:
    folder = node / FOLDER
    without_rights(folder)
    folder.chmod(rights)
    with pytest.raises(InputError, match=f"{folder}.* cannot be (listed|read): Permission denied"):
        find_replicas([str(node)])


# -- ranges ------------------------------------------------------------------------------------------------------


def test_a_read_that_begins_behind_the_log_is_an_error(node: Path) -> None:
    assert rows([node], startOffset=str(END)) == []
    with pytest.raises(InputError, match=f"'startOffset' is {END + 1}, and the log ends before offset {END}"):
        rows([node], startOffset=str(END + 1))
