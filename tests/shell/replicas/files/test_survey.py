"""What a start makes of what lies in a log directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkaproto.directory_files import (
    META_PROPERTIES_NAME,
    PARTITION_METADATA_NAME,
    encode_partition_metadata,
)
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey, survey_directory
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.offset_checkpoints import (
    RECOVERY_POINTS,
    write_offsets,
)

ID = b"d" * 16
TOPIC_ID = b"t" * 16


def directory(path: Path, *names: str, topic_id: bytes = TOPIC_ID) -> None:
    """A log directory with directories of partitions."""
    (path / META_PROPERTIES_NAME).write_bytes(b"")
    for name in names:
        (path / name).mkdir()
        (path / name / PARTITION_METADATA_NAME).write_bytes(encode_partition_metadata(topic_id))


def survey(path: Path) -> DirectorySurvey:
    """It stopped in order; the checkpoint has t-0."""
    write_offsets(OsDisk(), str(path), RECOVERY_POINTS, {("t", 0): 10})
    return survey_directory(OsDisk(), str(path), ID, is_clean=True)


def test_a_link_to_nothing_in_the_place_of_a_partition_costs_that_partition(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    directory(tmp_path, "u-0")
    (tmp_path / "t-0").symlink_to(tmp_path / "unmounted")
    found = {each.name: each for each in survey(tmp_path).found}
    assert (found["t-0"].is_damaged, found["t-0"].torn_id) == (True, "")
    assert found["u-0"].topic_id == TOPIC_ID
    assert f"{tmp_path}/t-0: cannot be used: No such file or directory" in caplog.text


def test_a_log_directory_that_is_gone_is_no_partition_that_is(tmp_path: Path) -> None:
    (tmp_path / "t-0").symlink_to(tmp_path / "unmounted")
    with pytest.raises(FileNotFoundError):
        survey(tmp_path)
