"""The files with the states of a log's producers: the newest two stay, whichever way they are written."""

from __future__ import annotations

import pytest

from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.log.producer_state_file import write_producer_state


@pytest.mark.parametrize("is_durable", [True, False])
def test_the_newest_two_stay_with_what_was_written_for_them(disk: Disk, root: str, is_durable: bool) -> None:
    contents = {5: b"five", 7: b"seven, and longer", 9: b"nine", 12: b"twelve"}
    for offset, content in contents.items():
        write_producer_state(disk, root, offset, content, is_durable=is_durable)
    names = [f"{offset:020}.snapshot" for offset in (9, 12)]
    assert disk.list_directory(root) == names
    assert [disk.read_file(f"{root}/{name}") for name in names] == [b"nine", b"twelve"]
    # The log was cut: what says that it reached further has to go.
    write_producer_state(disk, root, 10, b"ten", is_durable=is_durable)
    names = [f"{offset:020}.snapshot" for offset in (9, 10)]
    assert disk.list_directory(root) == names
    assert [disk.read_file(f"{root}/{name}") for name in names] == [b"nine", b"ten"]
