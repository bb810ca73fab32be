"""The logs of partitions as the disks have them, batch by batch; what is only in the page cache counts."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name
from tests.sim.disk import _apply, _Node
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.host import DIRECTORY, Host

PREFIX = "data-"
"""Of the names of topics that hold records."""
_HEADER = struct.Struct(">qiibIhiqqqhii")
_LENGTH_COUNTS_FROM = 12


class Batch(NamedTuple):
    """What matters of one batch."""

    base_offset: int
    next_offset: int
    epoch: int
    crc: int
    producer: tuple[int, int]
    """Producer id and epoch."""
    base_sequence: int
    size: int
    """In records."""


def batch_at(data: bytes | bytearray | memoryview, position: int) -> tuple[Batch, int] | None:
    """A batch, and its size; None if it is not whole."""
    if position + _HEADER.size > len(data):
        return None
    base, length, epoch, _, crc, _, last, _, _, producer_id, producer_epoch, sequence, count = (
        _HEADER.unpack_from(data, position)
    )
    size = length + _LENGTH_COUNTS_FROM
    if size < _HEADER.size or position + size > len(data):
        return None
    return Batch(base, base + last + 1, epoch, crc, (producer_id, producer_epoch), sequence, count), size


@dataclass(slots=True)
class _Known:
    node: _Node
    end: int
    """Of what was read."""
    last: int
    """Position of the last batch."""
    mark: bytes
    """Its header."""
    batches: list[Batch]


class Logs:
    """Reads the logs of all hosts, each batch once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], _Known] = {}

    def of(self, host: Host, place: Place) -> list[Batch]:
        """All batches of a replica in order."""
        disk, directory = host.disk, directory_of(place)
        names = disk._names.children.get(directory, {})
        segments = sorted(
            (base, name) for name in names if (base := parse_segment_file_name(name, LOG_SUFFIX)) is not None
        )
        batches: list[Batch] = []
        for _, name in segments:
            path = f"{directory}/{name}"
            batches += self._read(host.id, path, disk._names[path])
        return batches

    def _read(self, host_id: int, path: str, node: _Node) -> list[Batch]:
        data, known = node.data, self._known.get((host_id, path))
        if known is None or known.node is not node or not _still_holds(known, data):
            known = self._known[host_id, path] = _Known(node, 0, 0, b"", [])
        while (found := batch_at(data, known.end)) is not None:
            known.batches.append(found[0])
            known.last, known.end = known.end, known.end + found[1]
            known.mark = bytes(data[known.last : known.last + _HEADER.size])
        return known.batches


def _still_holds(known: _Known, data: bytearray) -> bool:
    return len(data) >= known.end and data.startswith(known.mark, known.last)


def directory_of(place: Place) -> str:
    """Of a partition, on each host."""
    return f"{DIRECTORY}/{place[0]}-{place[1]}"


def is_of_records(path: str) -> bool:
    """Whether a file or directory is that of a partition with records."""
    return path.startswith(f"{DIRECTORY}/{PREFIX}")


def flush(host: Host) -> None:
    """Make the logs of topics durable, as the kernel does it at some time or other."""
    disk = host.disk
    for directory in [each for each in disk._unsynced_names if is_of_records(each)]:
        del disk._unsynced_names[directory]
    for path in [each for each in disk._durable_names if is_of_records(each)]:
        if path not in disk._names:
            del disk._durable_names[path]
    for path, node in disk._names.items():
        if is_of_records(path):
            disk._durable_names[path] = node
            for position, written in node.unsynced:
                _apply(node.synced, position, written)
            node.unsynced.clear()
