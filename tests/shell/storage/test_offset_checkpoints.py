"""The checkpoints of a log directory, in the bytes that Apache Kafka 4.4.0 wrote."""

from __future__ import annotations

import pytest

from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    RECOVERY_POINTS,
    are_whole,
    read_offsets,
    write_offsets,
)
from tests.sim.disk import MemoryDisk

STOCK = b"0\n2\norders 0 17\na-b 12 0\n"
OFFSETS = {("orders", 0): 17, ("a-b", 12): 0}


def disk_with(content: bytes | None) -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_directory("/data")
    if content is not None:
        file = disk.open(f"/data/{RECOVERY_POINTS}", create=True)
        file.append([content])
        file.close()
    return disk


def test_kafkas_file_is_read_and_written() -> None:
    assert read_offsets(disk_with(STOCK), "/data", RECOVERY_POINTS) == OFFSETS
    disk = disk_with(None)
    write_offsets(disk, "/data", RECOVERY_POINTS, OFFSETS)
    assert disk.read_file(f"/data/{RECOVERY_POINTS}") == STOCK


@pytest.mark.parametrize("content", [None, b""])
def test_no_file_and_an_empty_one_have_no_offsets(content: bytes | None) -> None:
    assert read_offsets(disk_with(content), "/data", RECOVERY_POINTS) == {}


@pytest.mark.parametrize(
    "content",
    [
        b"1\n0\n",
        b"0\n2\norders 0 17\n",
        b"0\n1\norders 0\n",
        b"0\n1\norders x 17\n",
        b"0\n1\norders 0 -1\n",
        b"0\n1\norders 0 9223372036854775808\n",
        b"0\n2\norders 0 17\norders 0 16\n",
    ],
)
def test_other_content_is_named(content: bytes) -> None:
    with pytest.raises(ValueError, match=RECOVERY_POINTS):
        read_offsets(disk_with(content), "/data", RECOVERY_POINTS)


@pytest.mark.parametrize(
    ("recovery_points", "high_watermarks", "expected"),
    [
        (STOCK, STOCK, True),
        # Without logs, Apache Kafka leaves the second file as it made it.
        (b"0\n0\n", b"", True),
        (b"0\n0\n", None, True),
        (b"", STOCK, False),
        (None, STOCK, False),
        (STOCK, b"", False),
        (STOCK, None, False),
        (STOCK[:20], STOCK, False),
        (STOCK, STOCK[:20], False),
    ],
)
def test_a_stop_in_order_leaves_both_checkpoints(
    recovery_points: bytes | None, high_watermarks: bytes | None, expected: bool
) -> None:
    disk = disk_with(recovery_points)
    if high_watermarks is not None:
        file = disk.open(f"/data/{HIGH_WATERMARKS}", create=True)
        file.append([high_watermarks])
        file.close()
    assert are_whole(disk, "/data") is expected
