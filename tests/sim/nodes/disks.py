"""What must hold of the nodes' disks, by their bytes: while they run, and once they have stopped in order."""

from __future__ import annotations

import functools
import posixpath
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kafkaproto.directory_files import QUORUM_STATE_NAME, decode_quorum_state
from kafkaproto.log import (
    LOG_SUFFIX,
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    iterate_offset_index,
    iterate_time_index,
    parse_segment_file_name,
    segment_file_name,
)
from kafkaproto.messages import QuorumStateData
from kafkaproto.records.batch import RecordBatchView, iterate_batches
from kafkaproto.snapshot import parse_snapshot_file_name
from kafkaproto_server.base.types import METADATA_LOG_NAME, NO_NODE
from kafkaproto_server.shell.quorum.snapshots.snapshotting import read_image
from kafkaproto_server.shell.storage.directories.clean_shutdown_file import CLEAN_SHUTDOWN_NAME
from kafkaproto_server.shell.storage.log.epoch_file import read_epoch_file
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.disk import MemoryDisk, _Node
from tests.sim.metadata.checker import ImageChecker
from tests.sim.nodes.host import DIRECTORY, Host
from tests.sim.nodes.invariants import NodeInvariant

LOG_DIRECTORY = f"{DIRECTORY}/{METADATA_LOG_NAME}"
QUORUM_STATE = f"{LOG_DIRECTORY}/{QUORUM_STATE_NAME}"
_HEAD = struct.Struct(">qii")
"""Base offset, length of the rest, leader epoch."""
_LAST_OFFSET_DELTA = struct.Struct(">i")
_LAST_OFFSET_DELTA_AT = 23
_LENGTH_COUNTS_FROM = 12


class DiskWatch:
    """Looks at the names that a node's disk gives to files. Set it as `TimedDisk.renamed` and `TimedDisk.kept`."""

    def __init__(self, host: Host, violated: Callable[[ViolationError], None]) -> None:
        """``violated`` is called with what must not be."""
        self._host = host
        self._kept: QuorumStateData | None = None
        self._violated = violated

    def renamed(self, source: str, target: str, node: _Node) -> None:
        """A file is about to get a name."""
        name = posixpath.basename(target)
        # Files of topics become durable when their log is flushed.
        if name.endswith(".deleted") or posixpath.dirname(target) not in (
            *self._host.directories,
            LOG_DIRECTORY,
        ):
            return
        if node.unsynced:
            self._note(Invariant.DURABLE_BEFORE_TOLD, f"{target} has bytes that are not durable")
        if name == CLEAN_SHUTDOWN_NAME and self._host.disk.open_files:
            self._note(
                NodeInvariant.STOPS_AT_LAST, f"{target} while {list(self._host.disk.open_files)} is open"
            )

    def kept(self, directory: str) -> None:
        """The names of a directory are durable."""
        state = durable_election(self._host.disk) if directory == LOG_DIRECTORY else None
        if state is None:
            return
        before, self._kept = self._kept, state
        if before is None:
            return
        if state.leader_epoch < before.leader_epoch:
            self._note(
                Invariant.MONOTONIC_EPOCH, f"quorum-state: {before.leader_epoch}, {state.leader_epoch}"
            )
        elif state.leader_epoch == before.leader_epoch:
            # A vote gives way to a leader of the same epoch, and a leader that resigns to nobody.
            is_led = state.leader_id != NO_NODE or before.leader_id != NO_NODE
            if before.voted_id not in (NO_NODE, state.voted_id) and not (
                is_led and state.voted_id == NO_NODE
            ):
                self._note(Invariant.VOTE_NEVER_CHANGES, f"quorum-state: {before}, {state}")
            if before.leader_id != NO_NODE and state.leader_id not in (NO_NODE, before.leader_id):
                self._note(Invariant.ELECTION_SAFETY, f"quorum-state: {before}, {state}")

    def _note(self, invariant: Invariant | NodeInvariant, what: str) -> None:
        self._violated(ViolationError(invariant, f"node {self._host.id}: {what}"))


# -- what power loss would leave -----------------------------------------------------------------------------------


def durable_election(disk: MemoryDisk) -> QuorumStateData | None:
    """The content of quorum-state that no power loss takes."""
    node = disk._durable_names.get(QUORUM_STATE)
    if node is None or not node.synced:
        return None
    return _decode_election(bytes(node.synced))


@functools.lru_cache
def _decode_election(content: bytes) -> QuorumStateData:
    # Asked for at each look, and seldom another one.
    return decode_quorum_state(content)[0]


@dataclass(slots=True)
class _Scanned:
    node: _Node
    position: int
    """Of the last batch."""
    mark: bytes
    """Its first bytes there."""
    next_offset: int


class DurableLogs:
    """How far each node's log and snapshots reach, of which no power loss takes anything."""

    def __init__(self) -> None:
        self._scanned: dict[tuple[int, int], _Scanned] = {}

    def end_offset(self, host: Host) -> int:
        """The offset behind the last durable record."""
        names = host.disk._durable_names
        bases, snapshot_end = [], 0
        for name in names.children.get(LOG_DIRECTORY, ()):
            base = parse_segment_file_name(name, LOG_SUFFIX)
            if base is not None:
                bases.append(base)
            elif (snapshot := parse_snapshot_file_name(name)) is not None:
                snapshot_end = max(snapshot_end, snapshot.end_offset)
        end: int | None = None
        for base in sorted(bases):
            if end is not None and base != end:
                break
            node = names[f"{LOG_DIRECTORY}/{segment_file_name(base)}"]
            end = self._scan(host.id, base, node)
        return max(end or 0, snapshot_end)

    def _scan(self, host_id: int, base: int, node: _Node) -> int:
        data = node.synced
        known = self._scanned.get((host_id, base))
        position, end = 0, base
        if known is not None and known.node is node and data.startswith(known.mark, known.position):
            position, end = known.position, known.next_offset
        last = None
        while position + _LAST_OFFSET_DELTA_AT + 4 <= len(data):
            base_offset, length, _ = _HEAD.unpack_from(data, position)
            if length <= 0 or position + _LENGTH_COUNTS_FROM + length > len(data):
                break
            end = base_offset + 1 + _LAST_OFFSET_DELTA.unpack_from(data, position + _LAST_OFFSET_DELTA_AT)[0]
            last = position
            position += _LENGTH_COUNTS_FROM + length
        if last is not None:
            mark = bytes(data[last : last + 61])
            self._scanned[host_id, base] = _Scanned(node, last, mark, end)
        return end


# -- after an orderly stop -----------------------------------------------------------------------------------------


def check_closed(host: Host) -> None:
    """Raise ViolationError if a process that stopped in order has left something open."""
    left = [*map(str, host.disk.open_files), *sorted(host.disk._locked)]
    left += [f"port {port}" for port in host.net.listening]
    if left:
        raise ViolationError(NodeInvariant.STOPS_AT_LAST, f"node {host.id} has left open: {', '.join(left)}")


def check_stopped(hosts: Sequence[Host], images: ImageChecker, committed: int) -> None:
    """Raise ViolationError if files contradict each other: those of one node, or those of several."""
    known: dict[int, tuple[int, bytes]] = {}
    for host in hosts:
        epochs: dict[int, int] = {}
        for base, size in sorted(_segments(host)):
            data = host.disk.read_file(f"{LOG_DIRECTORY}/{segment_file_name(base)}")
            batches = list(iterate_batches(data))
            _check_indexes(host, base, size, batches)
            for batch in batches:
                epochs.setdefault(batch.partition_leader_epoch, batch.base_offset)
            for batch in batches:
                if batch.next_offset > committed:
                    break
                other, payload = known.setdefault(batch.base_offset, (host.id, bytes(batch.raw)))
                if payload != batch.raw:
                    what = f"nodes {other} and {host.id} have other records at offset {batch.base_offset}"
                    raise ViolationError(Invariant.LOG_MATCHING, what)
        _check_epochs(host, epochs)
        _check_snapshots(host, images)


def _check_epochs(host: Host, epochs: dict[int, int]) -> None:
    entries = read_epoch_file(host.disk, LOG_DIRECTORY)
    for index, (epoch, start) in enumerate(entries):
        # The first epoch begins, for the file, where the log does.
        found = epochs.get(epoch)
        if found is None or (start != found and (index or start < found)):
            what = f"node {host.id} has the epochs {entries}, and batches of {epochs}"
            raise ViolationError(NodeInvariant.INDEXES_ARE_TRUE, what)


def _segments(host: Host) -> Iterator[tuple[int, int]]:
    for name in host.disk.list_directory(LOG_DIRECTORY):
        base = parse_segment_file_name(name, LOG_SUFFIX)
        if base is not None:
            yield base, len(host.disk.read_file(f"{LOG_DIRECTORY}/{name}"))


def _check_indexes(host: Host, base: int, size: int, batches: Sequence[RecordBatchView]) -> None:
    def require(holds: bool, suffix: str, entry: object) -> None:
        if not holds:
            name = segment_file_name(base, suffix)
            raise ViolationError(NodeInvariant.INDEXES_ARE_TRUE, f"node {host.id}, {name}: {entry}")

    last_offsets = {batch.position: batch.last_offset for batch in batches}
    index = host.disk.read_file(f"{LOG_DIRECTORY}/{segment_file_name(base, OFFSET_INDEX_SUFFIX)}")
    for entry in iterate_offset_index(index, base):
        is_true = entry.position < size and last_offsets.get(entry.position) == entry.offset
        require(is_true, OFFSET_INDEX_SUFFIX, entry)
    newest: dict[int, int] = {}
    timestamp = -1
    for batch in batches:
        if batch.max_timestamp > timestamp:
            timestamp = batch.max_timestamp
            newest[timestamp] = batch.last_offset
    time_index = host.disk.read_file(f"{LOG_DIRECTORY}/{segment_file_name(base, TIME_INDEX_SUFFIX)}")
    for time_entry in iterate_time_index(time_index, base):
        require(newest.get(time_entry.timestamp) == time_entry.offset, TIME_INDEX_SUFFIX, time_entry)


def _check_snapshots(host: Host, images: ImageChecker) -> None:
    store = SnapshotStore(host.disk, LOG_DIRECTORY)
    for snapshot_id in store.ids():
        if snapshot_id != BOOTSTRAP_SNAPSHOT_ID:
            try:
                images.published(host.view, read_image(store, snapshot_id))  # type: ignore[arg-type]
            except ViolationError as error:
                raise ViolationError(Invariant.SNAPSHOT_EQUALITY, f"{snapshot_id}: {error}") from error
