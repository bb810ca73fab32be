"""Directories of replicas that get another name."""

from __future__ import annotations

from pathlib import Path

from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.shell.replicas.files.renames import Renames
from kafkaproto_server.shell.storage.disk import OsDisk

ID = b"d" * 16


def test_a_link_to_nothing_is_set_aside(tmp_path: Path) -> None:
    """It would be in the way of the directory that is made in its place."""
    directories = LogDirectories([LogDirectory(path=str(tmp_path), directory_id=ID, problem=None)])
    (tmp_path / "t-0").symlink_to(tmp_path / "unmounted")
    renames = Renames(OsDisk(), directories)
    renames.stray(ID, f"{tmp_path}/t-0", f"{tmp_path}/t-0-stray")
    assert (tmp_path / "t-0-stray").readlink() == tmp_path / "unmounted"
    # What is not there is nobody's fault.
    renames.stray(ID, f"{tmp_path}/t-0", f"{tmp_path}/t-0-again")
    assert [each.name for each in tmp_path.iterdir()] == ["t-0-stray"]
