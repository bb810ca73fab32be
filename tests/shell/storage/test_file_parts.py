"""Records that go from a file's pages in memory to a socket: when that is possible, and for how long."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from kafkaproto_server.base import file_part
from kafkaproto_server.base.file_part import FilePart, as_buffers
from kafkaproto_server.base.ports import File
from kafkaproto_server.shell.storage import disk as disk_module
from kafkaproto_server.shell.storage.disk import PAGE_BYTES, SMALLEST_PART_BYTES, OsDisk

CONTENT = os.urandom(4 * SMALLEST_PART_BYTES)


def opened(folder: Path) -> tuple[File, str]:
    path = str(folder / "a")
    file = OsDisk().open(path, create=True)
    file.append([CONTENT])
    return file, path


def part_of(file: File, position: int = 0, length: int = len(CONTENT)) -> FilePart:
    found = file.part_now(position, length)
    assert isinstance(found, FilePart)
    return found


def descriptors_of(path: str) -> int:
    found = 0
    for each in os.listdir("/proc/self/fd"):
        try:
            found += os.readlink(f"/proc/self/fd/{each}").startswith(path)
        except FileNotFoundError:
            # That of the listing itself.
            continue
    return found


def test_much_is_a_part_and_little_is_read(tmp_path: Path) -> None:
    file, _ = opened(tmp_path)
    assert as_buffers([part_of(file, 5, SMALLEST_PART_BYTES)]) == [CONTENT[5 : SMALLEST_PART_BYTES + 5]]
    assert file.part_now(5, SMALLEST_PART_BYTES - 1) == CONTENT[5 : SMALLEST_PART_BYTES + 4]
    file.close()


def test_a_part_ends_where_the_file_does(tmp_path: Path) -> None:
    file, _ = opened(tmp_path)
    part = part_of(file, SMALLEST_PART_BYTES, 1 << 40)
    assert len(part) == len(CONTENT) - SMALLEST_PART_BYTES
    assert part.read() == CONTENT[SMALLEST_PART_BYTES:]
    file.close()


END = len(CONTENT)


@pytest.mark.parametrize(
    ("position", "length", "is_part"),
    [
        (1, END - 1, True),
        (2 * END, END, True),
        (0, END + 1, False),
        (END, END, False),
        (2 * END - 1, END, False),
    ],
)
def test_what_is_not_in_memory_is_no_part(tmp_path: Path, position: int, length: int, is_part: bool) -> None:
    file, _ = opened(tmp_path)
    assert END % PAGE_BYTES == 0
    # Pages that nobody has written or read are not in memory.
    file.truncate(2 * END)
    file.append([CONTENT])
    # Some file systems need no disk for them.
    with suppress(BlockingIOError):
        assert isinstance(file.part_now(position, length), FilePart) is is_part
    file.close()


def test_a_system_that_does_not_tell_gets_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_module, "CACHESTAT", 100_000)
    file, _ = opened(tmp_path)
    assert file.part_now(0, len(CONTENT)) == CONTENT
    file.close()


def test_a_part_outlives_its_file_and_then_gives_the_descriptor_back(tmp_path: Path) -> None:
    file, path = opened(tmp_path)
    first, second = part_of(file), part_of(file, 1)
    file.close()
    os.unlink(path)
    assert first.after(7).read() == CONTENT[7:]
    del first
    assert second.read() == CONTENT[1:]
    assert descriptors_of(path) == 1
    del second
    assert descriptors_of(path) == 0


def test_a_file_whose_parts_are_gone_is_closed_at_once(tmp_path: Path) -> None:
    file, path = opened(tmp_path)
    part_of(file)
    assert descriptors_of(path) == 1
    file.close()
    assert descriptors_of(path) == 0


def test_a_part_is_sent_as_the_socket_takes_it(tmp_path: Path) -> None:
    file, _ = opened(tmp_path)
    part = part_of(file)
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    received = b""
    while part:
        try:
            part = part.after(part.send_to(ours.fileno()))
        except BlockingIOError:
            received += theirs.recv(len(CONTENT))
    ours.close()
    while data := theirs.recv(len(CONTENT)):
        received += data
    assert received == CONTENT
    theirs.close()
    file.close()


def test_a_call_sends_no_more_than_its_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_part, "MOST_AT_ONCE", 100)
    file, _ = opened(tmp_path)
    ours, theirs = socket.socketpair()
    assert part_of(file).send_to(ours.fileno()) == 100
    assert theirs.recv(len(CONTENT)) == CONTENT[:100]
    ours.close()
    theirs.close()
    file.close()


def test_a_part_that_was_cut_off_is_noticed(tmp_path: Path) -> None:
    file, path = opened(tmp_path)
    part = part_of(file)
    os.truncate(path, 1)
    ours, theirs = socket.socketpair()
    assert part.send_to(ours.fileno()) == 1
    with pytest.raises(EOFError, match="ends before position 1"):
        part.after(1).send_to(ours.fileno())
    with pytest.raises(EOFError, match=f"ends before position {len(CONTENT)}"):
        part.read()
    ours.close()
    theirs.close()
    file.close()
