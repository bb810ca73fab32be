"""What a start makes of the files that a crash left while a compacted segment took the place of others."""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.shell.storage.log.swap_files import complete_swaps
from tests.shell.storage.support.helpers import batch
from tests.sim.disk import MemoryDisk

LOG = "/data/topic-0"
OLD = {f"{0:020}.log": batch(0) + batch(1), f"{2:020}.log": batch(2) + batch(3)}
NEXT = {f"{4:020}.log": batch(4)}
COMPACTED = batch(0) + batch(3)


def after_a_start(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a directory that had those when the process ended."""
    disk = MemoryDisk()
    disk.make_directory("/data")
    disk.make_directory(LOG)
    for name, content in contents.items():
        file = disk.open(f"{LOG}/{name}", create=True)
        file.append([content])
        file.close()
    names = complete_swaps(disk, LOG, disk.list_directory(LOG))
    assert names == disk.list_directory(LOG)
    return {name: disk.read_file(f"{LOG}/{name}") for name in names}


def test_a_swap_that_had_begun_removes_all_segments_that_the_new_one_covers() -> None:
    found = after_a_start({**OLD, **NEXT, f"{0:020}.log.swap": COMPACTED})
    assert found == {f"{0:020}.log": COMPACTED, **NEXT}


def test_a_swap_that_had_not_begun_leaves_the_old_segments() -> None:
    """The index of transactions has the suffix of the cleaning still. Without it the new segment is not whole."""
    begun = {f"{0:020}.log.swap": COMPACTED, f"{0:020}.txnindex.cleaned": b""}
    assert after_a_start({**OLD, **NEXT, **begun}) == {**OLD, **NEXT}
