"""Broken rules of files: what is durable, what a restart finds, what is closed."""

from __future__ import annotations

from functools import partial
from typing import Any

from kafkaproto_server.base.ports import Buffer, Disk
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.metadata.image import snapshot as image_snapshot
from kafkaproto_server.node.node import Node
from kafkaproto_server.node.startup import OpenedNode, mark_clean_shutdown
from kafkaproto_server.shell.quorum.image import log_cleaning
from kafkaproto_server.shell.storage.log import segment_loading
from kafkaproto_server.shell.storage.log.index import OffsetIndex, TimeIndex
from kafkaproto_server.shell.storage.log.log_segments import LogSegments
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.metadata import quorum_state_file
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore, SnapshotWriter
from tests.sim.checkers.invariants import Invariant
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.mutations.mutation import Patches
from tests.sim.nodes.data.traffic import FIRST_WITH_RECORDS
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import Wrapped, node_mutation, nothing


def _does_not_sync_the_log() -> Patches:
    return [(Segment, "sync", nothing)]


def _leaves_what_a_failed_sync_left() -> Patches:
    return [(segment_loading, "write_again", nothing)]


def _forgets_cuts_whose_sync_failed() -> Patches:
    return [(segment_loading, "cut_again", nothing)]


def _replace_file(
    disk: Disk, directory: str, name: str, content: bytes, *, syncs_file: bool, syncs_directory: bool
) -> None:
    file = disk.open(f"{directory}/{name}.tmp", create=True)
    file.truncate(0)
    file.append([content])
    if syncs_file:
        file.sync()
    file.close()
    disk.rename(f"{directory}/{name}.tmp", f"{directory}/{name}")
    if syncs_directory:
        disk.sync_directory(directory)


def _does_not_sync_quorum_state() -> Patches:
    replaced = partial(_replace_file, syncs_file=False, syncs_directory=True)
    return [(quorum_state_file, "replace_file", replaced)]


def _does_not_sync_its_directory() -> Patches:
    replaced = partial(_replace_file, syncs_file=True, syncs_directory=False)
    return [(quorum_state_file, "replace_file", replaced)]


def _does_not_sync_the_directory_of_a_segment() -> Patches:
    original = LogSegments.roll

    def roll(self: Any, offset: Any = None) -> None:
        disk, self._disk = self._disk, Wrapped(self._disk, sync_directory=nothing)
        original(self, offset)
        self._disk = disk

    return [(LogSegments, "roll", roll)]


def _does_not_sync_snapshots() -> Patches:
    original = SnapshotWriter.freeze

    def freeze(self: Any) -> None:
        self._file = Wrapped(self._file, sync=nothing)
        original(self)

    return [(SnapshotWriter, "freeze", freeze), (SnapshotWriter, "sync", nothing)]


def _keeps_a_torn_tail() -> Patches:
    original = vars(segment_loading)["recover_segment"]

    def recover_segment(file: Any, path: str, **more: Any) -> Any:
        return original(Wrapped(file, truncate=nothing), path, **more)

    return [(segment_loading, "recover_segment", recover_segment), (segment_loading, "cut_again", nothing)]


def _keeps_epochs_of_what_it_cuts() -> Patches:
    return [(LeaderEpochs, "truncate_to", lambda _self, _end_offset: False)]


def _reads_behind_the_batch() -> Patches:
    original = OffsetIndex.position_for

    def position_for(self: Any, offset: int) -> int:
        position = original(self, offset)
        later = [each for each in self._positions if each > position]
        return later[0] if later else position

    return [(OffsetIndex, "position_for", position_for)]


def _writes_wrong_offsets_of_times() -> Patches:
    original = TimeIndex.note
    return [
        (TimeIndex, "note", lambda self, timestamp, offset: original(self, timestamp, max(0, offset - 1)))
    ]


def _writes_wrong_positions() -> Patches:
    original = OffsetIndex.note
    return [
        (OffsetIndex, "note", lambda self, offset, position: original(self, offset, max(0, position - 1)))
    ]


def _serves_snapshots_one_byte_late() -> Patches:
    original = SnapshotStore.read_at

    def read_at(self: Any, snapshot_id: Any, position: int, length: int) -> bytes:
        return original(self, snapshot_id, position + 1, length)

    return [(SnapshotStore, "read_at", read_at)]


def _skips_a_piece_of_a_snapshot() -> Patches:
    original = SnapshotStore.write_part

    def write_part(self: Any, snapshot_id: Any, position: int, data: Buffer) -> None:
        original(self, snapshot_id, position, bytes(len(data)))

    return [(SnapshotStore, "write_part", write_part)]


def _leaves_snapshots_open() -> Patches:
    def read_at(self: Any, snapshot_id: Any, position: int, length: int) -> bytes:
        data: bytes = self._disk.open_read_only(self.path(snapshot_id)).read_at(position, length)
        return data

    return [(SnapshotStore, "read_at", read_at)]


def _leaves_time_indexes_open() -> Patches:
    def close(self: Any) -> None:
        if self._log.close():
            self._log.release()
            self._indexes.offsets.file.close()

    return [(Segment, "close", close)]


def _keeps_its_locks() -> Patches:
    return [(OpenedNode, "release", nothing)]


def _marks_a_clean_shutdown_early() -> Patches:
    original = Node._stop_in_order

    async def stop_in_order(self: Any) -> None:
        broker = None if self._running is None else self._running.broker
        if broker is not None and broker.broker_epoch is not None:
            mark_clean_shutdown(
                self._running.opened.log_directories,
                disk=self._machine.disk,
                broker_epoch=broker.broker_epoch,
            )
        await original(self)

    return [(Node, "_stop_in_order", stop_in_order)]


def _deletes_more_than_snapshots_hold() -> Patches:
    original = vars(log_cleaning)["retained_from"]

    def retained_from(snapshots: Any, segments: Any, limits: Any, *, now_ms: int) -> int | None:
        start = original(snapshots, segments, limits, now_ms=now_ms)
        return None if start is None else int(segments[-1].next_offset)

    return [(log_cleaning, "retained_from", retained_from)]


def _does_not_report_its_log_start() -> Patches:
    original = log_cleaning.MetadataLogCleaner.__init__

    def init(self: Any, **more: Any) -> None:
        original(self, **{**more, "moved": nothing})

    return [(log_cleaning.MetadataLogCleaner, "__init__", init)]


def _leaves_quotas_out() -> Patches:
    return [(image_snapshot, "_quota_records", lambda _image: iter(()))]


def _leaves_producer_ids_out() -> Patches:
    original = image_snapshot._messages_after_topics

    def messages(image: Any) -> Any:
        return (each for each in original(image) if getattr(each, "NAME", "") != "ProducerIdsRecord")

    return [(image_snapshot, "_messages_after_topics", messages)]


MUTATIONS = (
    node_mutation("does not sync its log", Invariant.MAJORITY_REACHED, _does_not_sync_the_log),
    node_mutation(
        "does not write again what a failed sync left",
        Invariant.MAJORITY_REACHED,
        _leaves_what_a_failed_sync_left,
    ),
    node_mutation(
        "forgets a cut whose sync failed",
        Invariant.MAJORITY_REACHED,
        _forgets_cuts_whose_sync_failed,
        first_seed=FIRST_WITH_RECORDS,
    ),
    node_mutation(
        "renames quorum-state before it is synced", Invariant.DURABLE_BEFORE_TOLD, _does_not_sync_quorum_state
    ),
    node_mutation(
        "does not sync the directory of quorum-state",
        Invariant.DURABLE_BEFORE_TOLD,
        _does_not_sync_its_directory,
    ),
    node_mutation(
        "does not sync the name of a new segment",
        Invariant.MAJORITY_REACHED,
        _does_not_sync_the_directory_of_a_segment,
    ),
    node_mutation(
        "renames snapshots before they are synced",
        Invariant.DURABLE_BEFORE_TOLD,
        _does_not_sync_snapshots,
    ),
    node_mutation(
        "keeps a torn tail",
        Invariant.MAJORITY_REACHED,
        _keeps_a_torn_tail,
        also=(NodeInvariant.NO_FAILURE,),
    ),
    node_mutation("reads behind the batch", NodeInvariant.NO_FAILURE, _reads_behind_the_batch),
    node_mutation(
        "writes wrong offsets of times", NodeInvariant.INDEXES_ARE_TRUE, _writes_wrong_offsets_of_times
    ),
    node_mutation(
        "writes wrong positions",
        NodeInvariant.INDEXES_ARE_TRUE,
        _writes_wrong_positions,
        also=(NodeInvariant.NO_FAILURE,),
    ),
    node_mutation(
        "serves snapshots one byte late",
        NodeInvariant.READY_AT_LAST,
        _serves_snapshots_one_byte_late,
        also=(NodeInvariant.ONE_RESPONSE,),
    ),
    node_mutation(
        "skips a piece of a fetched snapshot",
        NodeInvariant.READY_AT_LAST,
        _skips_a_piece_of_a_snapshot,
        also=(NodeInvariant.ONE_RESPONSE,),
    ),
    node_mutation("leaves snapshots open", NodeInvariant.STOPS_AT_LAST, _leaves_snapshots_open),
    node_mutation("leaves time indexes open", NodeInvariant.STOPS_AT_LAST, _leaves_time_indexes_open),
    node_mutation("keeps its locks", NodeInvariant.STOPS_AT_LAST, _keeps_its_locks),
    node_mutation(
        "marks a clean shutdown before it closes", NodeInvariant.STOPS_AT_LAST, _marks_a_clean_shutdown_early
    ),
    node_mutation(
        "deletes more than its snapshots hold",
        NodeInvariant.NO_FAILURE,
        _deletes_more_than_snapshots_hold,
    ),
    node_mutation(
        "does not report its log start",
        NodeInvariant.NOTHING_LEFT,
        _does_not_report_its_log_start,
    ),
    node_mutation(
        "leaves quotas out of snapshots",
        Invariant.SNAPSHOT_EQUALITY,
        _leaves_quotas_out,
        also=(MetadataInvariant.ONE_IMAGE,),
    ),
    node_mutation(
        "leaves producer ids out of snapshots",
        Invariant.SNAPSHOT_EQUALITY,
        _leaves_producer_ids_out,
        also=(MetadataInvariant.ONE_IMAGE,),
    ),
)

RARE = node_mutation("keeps epochs of what it cuts", NodeInvariant.NO_FAILURE, _keeps_epochs_of_what_it_cuts)
"""One seed in two hundred notices it: the node has to end between a cut and the next append. `test_rare_mutations` does
always."""
