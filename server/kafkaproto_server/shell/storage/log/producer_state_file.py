"""``<log end offset>.snapshot``: the state of a log's producers at that offset.

`kafkaproto.producer_snapshot` has its form. Nobody produces to the metadata log with a producer id, so there the file
always has 10 bytes and no entry. It is written at a clean close; if it is missing, that is no error.
"""

from __future__ import annotations

from kafkaproto.producer_snapshot import encode_producer_snapshot
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.atomic import TEMPORARY_SUFFIX, replace_file

PRODUCER_STATE_SUFFIX = ".snapshot"
KEPT_PRODUCER_STATES = 2
"""The number of files that a directory keeps: the newest ones."""
NO_PRODUCERS = encode_producer_snapshot([])
"""The content of a file without any producer."""


def producer_state_offsets(names: list[str]) -> dict[int, str]:
    """The producer state files among the names of a directory, by offset, ascending."""
    found: dict[int, str] = {}
    for name in names:
        stem = name.removesuffix(PRODUCER_STATE_SUFFIX)
        if stem != name and len(stem) == 20 and stem.isdecimal():
            found[int(stem)] = name
    return dict(sorted(found.items()))


def write_producer_state(
    disk: Disk, directory: str, end_offset: int, content: bytes = NO_PRODUCERS, *, is_durable: bool = True
) -> None:
    """Write the file for a log that ends at ``end_offset``. Removes files of later offsets, and all but the newest
    `KEPT_PRODUCER_STATES`."""
    name = f"{end_offset:020}{PRODUCER_STATE_SUFFIX}"
    known = producer_state_offsets(disk.list_directory(directory))
    # A file of a later offset would testify at the next start that the log has lost records.
    within = [offset for offset in known if offset < end_offset]
    gone = [
        each
        for offset, each in known.items()
        if offset not in {*within[1 - KEPT_PRODUCER_STATES :], end_offset}
    ]
    if gone and not is_durable and end_offset not in known:
        # It takes a tenth of the time of a new file.
        disk.rename(f"{directory}/{gone.pop()}", f"{directory}/{name}{TEMPORARY_SUFFIX}")
    replace_file(disk, directory, name, content, is_durable=is_durable)
    for each in gone:
        disk.remove(f"{directory}/{each}")


def remove_producer_states_outside(
    disk: Disk, directory: str, names: list[str], start_offset: int, end_offset: int
) -> dict[int, str]:
    """Remove the files of offsets that a log from ``start_offset`` to ``end_offset`` does not reach. ``names`` are
    those in the directory. Returns the names of the others, by offset. Raises OSError."""
    known = producer_state_offsets(names)
    for offset, name in tuple(known.items()):
        # Not synced: one that comes back is removed by the next start.
        if not start_offset <= offset <= end_offset:
            disk.remove(f"{directory}/{name}")
            del known[offset]
    return known


def remove_producer_states_after(
    disk: Disk, directory: str, end_offset: int, *, is_durable: bool = True
) -> None:
    """Remove the files that say that the log reached further than ``end_offset``. They are gone durably on return,
    unless ``is_durable`` is false."""
    known = producer_state_offsets(disk.list_directory(directory))
    gone = [name for offset, name in known.items() if offset > end_offset]
    for name in gone:
        disk.remove(f"{directory}/{name}")
    # Durably, because a file that came back after the records were cut would stop the node's start.
    if gone and is_durable:
        disk.sync_directory(directory)
