"""The files with the states of a log's producers: the newest two stay, whichever way they are written."""

from __future__ import annotations

import pytest

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.producer_state_file import write_producer_state
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from tests.shell.storage.support.helpers import batch
from tests.sim.disk import MemoryDisk


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


def test_no_state_is_written_for_an_offset_that_was_cut_meanwhile() -> None:
    """It would be taken for the state after other records that are appended later."""
    disk = MemoryDisk()
    log = TopicLog.open(
        disk,
        "/t-0",
        topic_id=bytes(16),
        config=LogConfig(has_gaps=True, is_durable_at_once=False),
        producer_expiration_ms=1_000,
    )
    log.append([batch(0, count=4)])
    for offset in (3, 4, 5):
        log.write_producers(b"states", offset)
    found = [name for name in disk.list_directory("/t-0") if name.endswith(".snapshot")]
    assert found == [f"{offset:020}.snapshot" for offset in (3, 4)]
    assert disk.read_file(f"/t-0/{found[1]}") == b"states"
