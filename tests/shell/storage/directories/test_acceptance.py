"""Losses that are accepted on a real disk; most is in `tests/shell/replicas/files/test_logs_that_were_longer.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkaproto import uuids
from kafkaproto.directory_files import encode_partition_metadata
from kafkaproto.log import segment_file_name
from kafkaproto_server.shell.storage.directories.acceptance import accept_log
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.offset_checkpoints import (
    LOG_STARTS,
    RECOVERY_POINTS,
    read_offsets,
    write_offsets,
)
from tests.shell.storage.support.helpers import batch

TOPIC_ID = b"t" * 16


def written(path: Path) -> Path:
    """The directory of t-0, with two records."""
    log = Log.open(OsDisk(), f"{path}/t-0", topic_id=TOPIC_ID)
    log.append([batch(0), batch(1)])
    log.close()
    return path / "t-0"


def accept(path: Path) -> None:
    accept_log(OsDisk(), [str(path)], "t", 0, topic_id=TOPIC_ID, report=lambda line: None)


@pytest.mark.parametrize("what", ["directory", "file"])
def test_a_link_to_nothing_is_named(tmp_path: Path, what: str) -> None:
    path = written(tmp_path)
    write_offsets(OsDisk(), str(tmp_path), RECOVERY_POINTS, {("t", 0): 2})
    if what == "file":
        path /= segment_file_name(0)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "unmounted")
    with pytest.raises(StorageError, match=f"{path} is a link to nothing: restore what it leads to"):
        accept(tmp_path)


@pytest.mark.parametrize(("said", "start"), [(1, 1), (2, 2), (3, 0)])
def test_a_log_start_that_cannot_be_is_forgotten(tmp_path: Path, said: int, start: int) -> None:
    written(tmp_path)
    write_offsets(OsDisk(), str(tmp_path), LOG_STARTS, {("t", 0): said, ("u", 0): 7})
    accept(tmp_path)
    assert read_offsets(OsDisk(), str(tmp_path), LOG_STARTS) == {("t", 0): start, ("u", 0): 7}


def test_a_state_of_producers_behind_the_end_goes(tmp_path: Path) -> None:
    """Else the next start would take it for a loss again."""
    path = written(tmp_path)
    state = path / f"{2:020}.snapshot"
    assert state.exists()
    later = path / f"{9:020}.snapshot"
    later.write_bytes(state.read_bytes())
    accept(tmp_path)
    assert (state.exists(), later.exists()) == (True, False)


def test_checkpoints_that_cannot_be_read_are_not_written_over(tmp_path: Path) -> None:
    """They may say something of other logs."""
    written(tmp_path)
    (tmp_path / RECOVERY_POINTS).write_bytes(b"garbage")
    with pytest.raises(
        StorageError, match=f"{RECOVERY_POINTS}: .*: remove the file, or start the broker once"
    ):
        accept(tmp_path)


def test_a_topic_id_that_nobody_has_confirmed_is_told(tmp_path: Path) -> None:
    directory = tmp_path / "t-0"
    directory.mkdir()
    (directory / "partition.metadata").write_bytes(encode_partition_metadata(TOPIC_ID))
    lines: list[str] = []
    accept_log(OsDisk(), [str(tmp_path)], "t", 0, topic_id=None, report=lines.append)
    assert lines[0] == f"Kept the topic id {uuids.to_text(TOPIC_ID)} of {directory}/partition.metadata."
    lines.clear()
    accept_log(OsDisk(), [str(tmp_path)], "t", 0, topic_id=TOPIC_ID, report=lines.append)
    assert not [line for line in lines if line.startswith("Kept")]
