"""The logs of partitions as the disks have them, batch by batch; what is only in the page cache counts.

A power loss may leave the records of a new log and not the file that says whose log it is, or not enough of it. The
broker may set such a log aside, so it has no records here until the broker has written the file again.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

from kafkaproto.directory_files import PARTITION_METADATA_NAME, torn_topic_id
from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name
from kafkaproto.records.batch import CONTROL_BIT, iterate_batches
from kafkaproto.records.record import Record
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.shell.storage.directories.boot_file import is_of_this_boot
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    RECOVERY_POINTS,
    read_offsets,
)
from tests.sim.disk import _Names, _Node
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


@dataclass(slots=True, eq=False)
class _Segment:
    """One of a log, and what was read of it."""

    base_offset: int
    path: str
    node: _Node
    rewrites: int = 0
    end: int = 0
    """Up to which position it was read."""
    batches: list[Batch] = field(default_factory=list)

    def read(self) -> list[Batch]:
        """All of its batches."""
        data = self.node.data
        if self.rewrites != self.node.rewrites:
            self.rewrites, self.end, self.batches = self.node.rewrites, 0, []
        while (found := batch_at(data, self.end)) is not None:
            self.batches.append(found[0])
            self.end += found[1]
        return self.batches


@dataclass(slots=True, eq=False)
class _Directory:
    """That of one replica, as it was looked at."""

    names: _Names
    changes: int
    """Of its names, until then."""
    segments: list[_Segment]

    def holds(self, names: _Names, directory: str) -> bool:
        """Whether it has the same files."""
        return self.names is names and self.changes == names.changes[directory]


class Logs:
    """Reads the logs of all hosts, each batch once, until its segment was changed anywhere but at its end."""

    def __init__(self) -> None:
        self._directories: dict[tuple[int, str], _Directory] = {}
        self._paths: dict[tuple[tuple[str, ...], Place], list[str]] = {}
        """Of the directories that the log of a replica may be in."""

    def of(self, host: Host, place: Place) -> list[Batch]:
        """All batches of a replica in order."""
        batches: list[Batch] = []
        for segment in self._segments(host, self.directory_of(host, place)):
            batches += segment.read()
        return batches

    def range_of(self, host: Host, place: Place) -> tuple[int, int]:
        """The offsets at which the first segment of a replica begins, and its log ends."""
        return self._range_in(host, self.directory_of(host, place))

    def _range_in(self, host: Host, directory: str) -> tuple[int, int]:
        segments = self._segments(host, directory)
        if not segments:
            return 0, 0
        batches = segments[-1].read()
        return segments[0].base_offset, batches[-1].next_offset if batches else segments[-1].base_offset

    def records_of(self, host: Host, place: Place) -> list[Record]:
        """All records of a replica in order."""
        return [
            record
            for segment in self._segments(host, self.directory_of(host, place))
            for view in iterate_batches(bytes(segment.node.data))
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
        if len(host.directories) > 1 and (path := _opened(host, place)) is not None:
            return path
        key = host.directories, place
        if (paths := self._paths.get(key)) is None:
            paths = self._paths[key] = [f"{each}/{place[0]}-{place[1]}" for each in host.directories]
        found = [path for path in paths if path in host.disk._names]
        if len(found) < 2:
            return found[0] if found else paths[0]
        return max(found, key=lambda path: self._range_in(host, path)[1])

    def checkpoints_of(self, host: Host, place: Place) -> tuple[int, int]:
        """Recovery point and high watermark of a replica as the checkpoints of its log directory have them. After a
        kill, the high watermark counts only if the directory says that the machine has run on."""
        log_directory = self.directory_of(host, place).rpartition("/")[0]
        with host.disk.looked_at():
            recovery_points, high_watermarks = (
                read_offsets(host.disk, log_directory, name).get(place, 0)
                for name in (RECOVERY_POINTS, HIGH_WATERMARKS)
            )
            return recovery_points, high_watermarks if is_of_this_boot(host.disk, log_directory) else 0

    def _segments(self, host: Host, directory: str) -> list[_Segment]:
        """The segments of a replica that a broker certainly would open."""
        names = host.disk._names
        owner = names.get(f"{directory}/{PARTITION_METADATA_NAME}")
        if owner is None or torn_topic_id(bytes(owner.data)) == "":
            return []
        known = self._directories.get((host.id, directory))
        if known is None or not known.holds(names, directory):
            segments = _listed(names, directory, [] if known is None else known.segments)
            known = _Directory(names, names.changes[directory], segments)
            self._directories[host.id, directory] = known
        return known.segments


def _listed(names: _Names, directory: str, before: list[_Segment]) -> list[_Segment]:
    """The segments in a directory in order; those that were there before are the same."""
    known = {each.path: each for each in before}
    found = []
    for name in names.children.get(directory, ()):
        base = parse_segment_file_name(name, LOG_SUFFIX)
        if base is not None:
            path = f"{directory}/{name}"
            node, segment = names[path], known.get(path)
            is_same = segment is not None and segment.node is node
            found.append(segment if is_same and segment else _Segment(base, path, node))
    return sorted(found, key=lambda each: each.base_offset)


def _opened(host: Host, place: Place) -> str | None:
    """The directory of a replica that a running node has open."""
    quorum, data = host.quorum, None if host.node is None else host.node._broker
    topic_id = None if quorum is None else quorum.published.image.topic_ids.get(place[0])
    if topic_id is None or data is None:
        return None
    hosted = data.manager.replicas.get(topic_id, place[1])
    return None if hosted is None or hosted.log is None else hosted.log.directory


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
