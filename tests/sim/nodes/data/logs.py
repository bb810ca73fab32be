"""The logs of partitions as the disks have them, batch by batch; what is only in the page cache counts.

A power loss may leave the records of a new log and not the file that says whose log it is, or not enough of it. The
broker may set such a log aside, so it has no records here until the broker has written the file again.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

from kafkaproto.directory_files import PARTITION_METADATA_NAME, torn_topic_id
from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name
from kafkaproto.records.batch import CONTROL_BIT, iterate_batches
from kafkaproto.records.record import Record
from kafkaproto_server.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from tests.sim.disk import _Node
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.host import DIRECTORIES, Host

PREFIX = "data-"
"""Of the names of topics that hold records of clients."""
_INTERNAL = (GROUPS_TOPIC, TRANSACTIONS_TOPIC, SHARE_TOPIC)
_PREFIXES = tuple(
    f"{directory}/{name}"
    for directory in DIRECTORIES
    for name in (PREFIX, *(f"{name}-" for name in _INTERNAL))
)
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
        directory = self.directory_of(host, place)
        batches: list[Batch] = []
        for _, name in _segments(host, directory):
            path = f"{directory}/{name}"
            batches += self._read(host.id, path, host.disk._names[path])
        return batches

    def range_of(self, host: Host, place: Place) -> tuple[int, int]:
        """The offsets at which the first segment of a replica begins, and its log ends."""
        return self._range_in(host, self.directory_of(host, place))

    def _range_in(self, host: Host, directory: str) -> tuple[int, int]:
        segments = _segments(host, directory)
        if not segments:
            return 0, 0
        end, name = segments[-1]
        path = f"{directory}/{name}"
        batches = self._read(host.id, path, host.disk._names[path])
        return segments[0][0], batches[-1].next_offset if batches else end

    def records_of(self, host: Host, place: Place) -> list[Record]:
        """All records of a replica in order."""
        directory = self.directory_of(host, place)
        return [
            record
            for _, name in _segments(host, directory)
            for view in iterate_batches(bytes(host.disk._names[f"{directory}/{name}"].data))
            if not view.is_control
            for record in view.records()
        ]

    def end_without_gap(self, host: Host, place: Place) -> int:
        """Up to which offset a replica's log is whole; it must not be compacted."""
        end, _ = self.range_of(host, place)
        for batch in self.of(host, place):
            if batch.base_offset != end:
                break
            end = batch.next_offset
        return end

    def directory_of(self, host: Host, place: Place) -> str:
        """Where the log of a replica lies: where the node has it open, or else the longest one that there is. A move
        may have ended between the two renames of its last step."""
        name = f"{place[0]}-{place[1]}"
        if len(host.directories) > 1 and (path := _opened(host, place)) is not None:
            return path
        found = [path for each in host.directories if (path := f"{each}/{name}") in host.disk._names]
        if len(found) < 2:
            return found[0] if found else f"{DIRECTORIES[0]}/{name}"
        return max(found, key=lambda path: self._range_in(host, path)[1])

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


def _opened(host: Host, place: Place) -> str | None:
    """The directory of a replica that a running node has open."""
    quorum, data = host.quorum, None if host.node is None else host.node._data
    topic_id = None if quorum is None else quorum.published.image.topic_ids.get(place[0])
    if topic_id is None or data is None:
        return None
    hosted = data.manager.replicas.get(topic_id, place[1])
    return None if hosted is None or hosted.log is None else hosted.log.directory


def _segments(host: Host, directory: str) -> list[tuple[int, str]]:
    """Base offset and file name of each segment of a replica that a broker certainly would open."""
    owner = host.disk._names.get(f"{directory}/{PARTITION_METADATA_NAME}")
    if owner is None or torn_topic_id(bytes(owner.data)) == "":
        return []
    names = host.disk._names.children.get(directory, {})
    return sorted(
        (base, name) for name in names if (base := parse_segment_file_name(name, LOG_SUFFIX)) is not None
    )


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
            # Also what a sync that failed has left out for good.
            node.synced = bytearray(node.data)
            node.unsynced.clear()
