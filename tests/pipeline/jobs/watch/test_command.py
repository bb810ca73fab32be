"""What `watch` does around its stream: its checks, what it keeps in the checkpoint, how it is told to end.

Tests: `kafkaproto_pipeline.jobs.watch.beginning`, `kafkaproto_pipeline.jobs.watch.checks`.
"""

from __future__ import annotations

import io
import json
import os
import signal
from pathlib import Path

import pytest
from rich.console import Console

from compat.ports import free_port
from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.jobs.watch import checks
from kafkaproto_pipeline.jobs.watch.beginning import CheckpointError, begin
from kafkaproto_pipeline.jobs.watch.checks import CheckError
from kafkaproto_pipeline.jobs.watch.command import _reason, _tell_unproven, _told_to_end
from tests.pipeline.replicas import Batch, Files, write_node


def test_a_watch_goes_on_as_it_began(tmp_path: Path) -> None:
    checkpoint = tmp_path / "made" / "checkpoint"
    first = begin(checkpoint, 1_000, is_given=False)
    assert first.since_ms == 1_000
    assert begin(checkpoint, 2_000, is_given=False) == first
    given = begin(checkpoint, None, is_given=True)
    assert (given.name, given.since_ms) == (first.name, None)
    assert begin(checkpoint, 3_000, is_given=False) == given


def test_two_watches_have_two_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = []
    for now_ms in (1_795_301_193_025, 1_795_301_193_026):
        monkeypatch.setattr("kafkaproto_pipeline.jobs.watch.beginning.now_ms", lambda now_ms=now_ms: now_ms)
        names.append(begin(tmp_path / str(now_ms), 0, is_given=False).name)
    assert names == ["20261121T224633.025Z", "20261121T224633.026Z"]


def test_a_folder_that_is_no_checkpoint_of_a_watch_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="holds files, and is no checkpoint of a watch"):
        begin(tmp_path, 0, is_given=False)
    for damaged in ("{", json.dumps({"other": 1})):
        (tmp_path / "watch.json").write_text(damaged)
        with pytest.raises(CheckpointError, match=r"watch\.json is damaged"):
            begin(tmp_path, 0, is_given=False)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    checks.check_folder(tmp_path / "new" / "folder")
    (tmp_path / "file").touch()
    with pytest.raises(CheckError, match="file/below cannot be written: Not a directory"):
        checks.check_folder(tmp_path / "file" / "below")


def test_nobody_there_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "QUORUM_WAIT_S", 0.1)
    port = free_port()
    with pytest.raises(CheckError, match=f"the quorum at 127.0.0.1:{port} did not answer"):
        checks.check_quorum(f"127.0.0.1:{port}")
    with pytest.raises(CheckError, match=f"--bootstrap-server 127.0.0.1:{port}: no broker answers: cannot"):
        checks.check_topic("alerts", f"127.0.0.1:{port}")
    with pytest.raises(CheckError, match="--bootstrap-server: 'broker' is not HOST:PORT"):
        checks.check_topic("alerts", "broker")


def test_one_of_three_voters_files_are_not_all_that_is_to_be_watched(tmp_path: Path) -> None:
    log = [Batch(epoch=1, voters=(1, 2, 3)), *[Batch(epoch=1)] * 9]
    node = write_node(tmp_path, log, Files(snapshots=[SnapshotId(epoch=1, end_offset=9)]))
    screen = Console(file=io.StringIO(), width=40)
    assert isinstance(screen.file, io.StringIO)
    _tell_unproven({"path": str(node), "view": "records"}, screen)
    assert screen.file.getvalue() == (
        "warning: records up to offset 8 are known to be committed, 1 record after that waits for the next snapshot: "
        "fewer than a majority of the voters' logs are given. Give the directories of all voters or "
        "--bootstrap-controllers to read on at once, or --uncommitted to take all as committed\n"
    )
    _tell_unproven({"path": str(node), "view": "records", "highWatermark": "latest"}, screen)
    assert screen.file.getvalue().count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_and_the_next_does_as_ever(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with _told_to_end() as told:
        assert not told.is_set()
        os.kill(os.getpid(), number)
        assert told.is_set()
        assert signal.getsignal(number) == before
    with _told_to_end():
        assert signal.getsignal(number) != before
    assert signal.getsignal(number) == before


def test_the_end_of_a_traceback_is_what_is_told() -> None:
    text = (
        "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
        "  File \"watch.py\", line 3, in take\nKeyError: 'leader'\n\tat org.apache.Foo.bar(Foo.java:3)"
    )
    assert _reason(ValueError(text)) == "KeyError: 'leader'"
    ours = f"{text}\nkafkaproto_pipeline.directories.InputError: offsets 3 to 8 are missing"
    assert _reason(ValueError(ours)) == "offsets 3 to 8 are missing"
    assert _reason(ValueError("[SOMETHING] plain\n\tat java")) == "[SOMETHING] plain"
