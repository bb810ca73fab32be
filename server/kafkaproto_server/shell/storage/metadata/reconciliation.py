"""Checks at a node's start that its metadata log, its snapshots and its votes agree, before anything uses them.

A snapshot and the log together have to hold everything from the first record on: the log has to start at or before the
end of a snapshot. Snapshots hold only committed records. So if the log ends before the newest snapshot does, or has
records of another epoch there, the log is wrong. Either a crash came between installing the snapshot and emptying the
log, or a node that need not sync its log lost the log's end. Then the log begins anew at the snapshot's end. (Apache
Kafka compares last epochs instead; it would keep uncommitted records of a later epoch than the snapshot's.) If
something is missing, the check reports it and repairs nothing. ``reached`` says how far the log itself has to reach.

A node writes quorum-state before it follows, votes or leads for the first time, and never removes it. If a controller's
log is older than its first moments and there is no such file, the controller has forgotten its votes. It could vote
twice in the same epoch, which can elect two leaders. (Apache Kafka continues in the epoch of the log.)
"""

from __future__ import annotations

import itertools

from kafkaproto import uuids
from kafkaproto.directory_files import QUORUM_STATE_NAME
from kafkaproto.snapshot import SnapshotId
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError, of_log
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.producer_state_file import producer_state_offsets
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore


def reconcile(log: Log, snapshots: SnapshotStore) -> str | None:
    """If the newest snapshot is ahead of the log, make the log begin at the snapshot's end. Returns the text for the
    operator in this case, else None.

    Durable on return. Raises StorageError if the snapshots contradict each other, if the newest one is damaged, or if
    something is missing between them and the log; OSError of the disk.
    """
    ids = snapshots.ids()
    # First, because all that follows trusts the newest snapshot.
    _check_order(snapshots, ids)
    latest = ids[-1] if ids else None
    start, end = log.log_start_offset, log.log_end_offset
    if start > 0 and (latest is None or latest.end_offset < start):
        found = (
            "there is no snapshot" if latest is None else f"the newest snapshot ends at {latest.end_offset}"
        )
        raise StorageError(
            f"{log.directory}: the log starts at offset {start}, but {found}: what was before is missing. "
            f"Restore the .checkpoint file, or move {log.directory} away and let this node fetch from other voters"
        )
    if latest is None:
        return None
    is_behind = end < latest.end_offset
    # A log that starts at the snapshot's end does not hold the record before it, and needs none.
    if not is_behind and (start >= latest.end_offset or log.epoch_at(latest.end_offset - 1) == latest.epoch):
        return None
    ended = f"ended at offset {end}" if is_behind else f"had other records before offset {latest.end_offset}"
    # Nothing committed is lost: the snapshot holds all of it up to its end, and records that follow
    # another history than the snapshot's were never committed. If it is one.
    _check_is_whole(log, snapshots, latest)
    log.truncate_fully_to(latest.end_offset)
    return (
        f"{log.directory}: the snapshot {snapshots.path(latest)} is ahead of the log, which {ended}; the log goes on, "
        f"empty, at offset {latest.end_offset}"
    )


def check_votes(disk: Disk, log: Log) -> None:
    """Raise StorageError if a controller's log has records, but its quorum-state is gone; OSError of the disk.

    A crash in the first moments of a node may leave records of its first epoch and no quorum-state.
    """
    directory = log.directory
    epochs = log.epoch_starts
    if not epochs or disk.exists(f"{directory}/{QUORUM_STATE_NAME}"):
        return
    # One epoch and no clean stop: the node may have crashed before it wrote its first quorum-state.
    if len(epochs) == 1 and not producer_state_offsets(disk.list_directory(directory)):
        return
    raise StorageError(
        f"{directory}/{QUORUM_STATE_NAME} is missing, but the log has records of epoch {epochs[-1][0]}: this node has "
        f"forgotten its votes and could vote twice in an epoch. {votes_remedy(log)}"
    )


def votes_remedy(log: Log) -> str:
    """What the operator of a controller can do that has forgotten its votes."""
    nobody = uuids.to_text(ZERO_UUID)
    line = (
        f'{{"leaderId":-1,"leaderEpoch":{log.last_epoch or 0},"votedId":-1,"votedDirectoryId":"{nobody}",'
        '"data_version":1}'
    )
    return (
        f"Restore the file. If there are other voters, remove this one from the quorum, move {log.directory} away, and "
        f"add it again. If this node is the only voter, write this line into the file: {line}"
    )


def snapshot_remedy(log: Log, snapshots: SnapshotStore) -> str:
    """What the operator can do if the newest snapshot is damaged, and the log is not behind it."""
    others = snapshots.ids()[:-1]
    start = log.log_start_offset
    is_in_log = bool(log.log_end_offset) and (not start or any(each.end_offset >= start for each in others))
    alone = ", or move it away: the log has all that it held" if is_in_log else ""
    return f"Restore it{alone}. {_other_voters(log)}"


def _other_voters(log: Log) -> str:
    return f"If other voters hold the log, you can also move {log.directory} away and let this node fetch it again"


def _check_is_whole(log: Log, snapshots: SnapshotStore, latest: SnapshotId) -> None:
    try:
        with of_log(log.directory):
            for _ in snapshots.read(latest):
                pass
    except CorruptFileError as error:
        remedy = (
            f"{log.directory} was left as it is, which ends at offset {log.log_end_offset}. Restore the snapshot, or "
            f"move it away if it was never a snapshot of this log. {_other_voters(log)}"
        )
        raise CorruptFileError(error.path, f"{error.reason}. {remedy}", position=error.position) from error


def _check_order(snapshots: SnapshotStore, ids: tuple[SnapshotId, ...]) -> None:
    for older, newer in itertools.pairwise(ids):
        # Ids are sorted by epoch first. A later epoch that ends earlier would contradict that
        # committed records are never undone.
        if newer.end_offset <= older.end_offset:
            raise StorageError(
                f"{snapshots.path(newer)} is of a later epoch than {snapshots.path(older)}, but ends no later: one of "
                "them does not belong here"
            )
