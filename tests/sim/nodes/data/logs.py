"""The logs of partitions as the disks have them, batch by batch; what is only in the page cache counts.

A power loss may leave the records of a new log and not the file that says whose log it is. The broker sets such a log
aside, so it has no records here.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

from kafkaproto.directory_files import PARTITION_METADATA_NAME
from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name
from kafkaproto.records.batch import CONTROL_BIT
from kafkaproto_server.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from tests.sim.disk import _apply, _Node
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.host import DIRECTORY, Host

PREFIX = "data-"
"""Of the names of topics that hold records of clients."""
_INTERNAL = (GROUPS_TOPIC, TRANSACTIONS_TOPIC, SHARE_TOPIC)
_PREFIXES = (f"{DIRECTORY}/{PREFIX}", *(f"{DIRECTORY}/{name}-" for name in _INTERNAL))
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
    is_control: bool
    """Whether it is the end of a transaction."""


def batch_at(data: bytes | bytearray | memoryview, position: int) -> tuple[Batch, int] | None:
    """A batch, and its size; None if it is not whole."""
    if position + _HEADER.size > len(data):
        return None
    base, length, epoch, _, crc, attributes, last, _, _, producer_id, producer_epoch, sequence, count = (
        _HEADER.unpack_from(data, position)
    )
    size = length + _LENGTH_COUNTS_FROM
    if size < _HEADER.size or position + size > len(data):
        return None
    producer, is_control = (producer_id, producer_epoch), attributes & CONTROL_BIT != 0
    return Batch(base, base + last + 1, epoch, crc, producer, sequence, count, is_control), size


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
        batches: list[Batch] = []
        for _, name in _segments(host, place):
            path = f"{directory}/{name}"
            batches += self._read(host.id, path, disk._names[path])
        return batches

    def range_of(self, host: Host, place: Place) -> tuple[int, int]:
        """The offsets at which the first segment of a replica begins, and its log ends."""
        segments = _segments(host, place)
        if not segments:
            return 0, 0
        end, name = segments[-1]
        path = f"{directory_of(place)}/{name}"
        batches = self._read(host.id, path, host.disk._names[path])
        return segments[0][0], batches[-1].next_offset if batches else end

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


def _segments(host: Host, place: Place) -> list[tuple[int, str]]:
    """Base offset and file name of each segment of a replica that a broker would open."""
    directory = directory_of(place)
    owner = host.disk._names.get(f"{directory}/{PARTITION_METADATA_NAME}")
    if owner is None or not owner.data:
        return []
    names = host.disk._names.children.get(directory, {})
    return sorted(
        (base, name) for name in names if (base := parse_segment_file_name(name, LOG_SUFFIX)) is not None
    )


def directory_of(place: Place) -> str:
    """Of a partition, on each host."""
    return f"{DIRECTORY}/{place[0]}-{place[1]}"


def is_of_records(path: str) -> bool:
    """Whether a file or directory is that of a partition with records, of clients or of coordinators."""
    return path.startswith(_PREFIXES)


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
