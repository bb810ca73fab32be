"""How a follower fetches a snapshot from the leader, in chunks, in place of records that the leader no longer has
(KIP-630).

A download survives changes of state. It resumes if the same node, leading again, names the same snapshot. After the
last chunk, the driver checks the whole snapshot and replaces the log by it. Until that is done or refused, this node
neither fetches nor seeks leadership, because nobody can say where its log ends.

Apache Kafka: ``KafkaRaftClient.handleFetchSnapshotResponse``.
"""

from __future__ import annotations

from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.requests import RequestInFlight, RequestLane
from kafkaproto_server.core.raft.model.snapshot_download import SnapshotDownload
from kafkaproto_server.core.raft.model.states import Follower
from kafkaproto_server.core.raft.roles import fetching, leader_contact
from kafkaproto_server.core.raft.values.control import ControlRecord
from kafkaproto_server.core.raft.values.effects import (
    DropSnapshotPart,
    HighWatermarkAdvanced,
    InstallSnapshot,
    WriteSnapshotChunk,
)
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import (
    RequestFailed,
    RequestFailure,
    SnapshotInstalled,
    SnapshotRejected,
)
from kafkaproto_server.core.raft.values.messages import FetchSnapshotRequest, FetchSnapshotResponse


def request(core: Core, follower: Follower) -> FetchSnapshotRequest | None:
    """The next FetchSnapshot to the leader; None if no snapshot of this leader is being fetched."""
    download = core.download
    # A snapshot of another node has other bytes, even if it ends at the same offset.
    if download is None or download.leader_id != follower.leader_id:
        return None
    # Records that were appended since may be beyond the snapshot; the leader decides again.
    if download.log_end != core.log.end:
        drop(core)
        return None
    return FetchSnapshotRequest(
        replica=core.config.key,
        epoch=follower.epoch,
        snapshot=download.snapshot,
        position=download.position,
        max_bytes=core.config.fetch_snapshot_max_bytes,
    )


def begin(core: Core, follower: Follower, snapshot: OffsetAndEpoch) -> bool:
    """Begin to fetch the snapshot that the leader named; returns whether it is valid.

    A valid snapshot holds everything that is committed here, and its epoch is not later than the leader's.
    """
    # A snapshot that ends before what is committed here would take back what was acknowledged.
    if snapshot.offset <= 0 or snapshot.offset < core.committed_floor:
        return False
    # The log would continue with an epoch that this node does not know.
    if not 0 <= snapshot.epoch <= follower.epoch:
        return False
    download = core.download
    wanted = (snapshot, follower.leader_id, core.log.end)
    # What is there of the same file is kept: a leader that changes back must not cost a gigabyte.
    if download is None or (download.snapshot, download.leader_id, download.log_end) != wanted:
        drop(core)
        core.download = SnapshotDownload(
            snapshot=snapshot, leader_id=follower.leader_id, log_end=core.log.end
        )
    return True


def drop(core: Core) -> None:
    """Drop the snapshot that is being fetched, if there is one."""
    if core.download is not None:
        # Before the first chunk there is no part file.
        if core.download.position > 0:
            core.outbox.write(DropSnapshotPart(snapshot=core.download.snapshot))
        core.download = None


def handle_response(
    core: Core,
    in_flight: RequestInFlight,
    request: FetchSnapshotRequest,
    response: FetchSnapshotResponse,
    now_ms: int,
) -> None:
    """Handle a chunk. The caller has noted the leader and epoch of the response before."""
    if leader_contact.is_of_other_epoch(core, in_flight, request.epoch, response.leader.epoch, now_ms):
        return
    if response.error is not RaftError.NONE:
        # The next request is a Fetch then, and the leader names the snapshot that it has now.
        if response.error in (RaftError.SNAPSHOT_NOT_FOUND, RaftError.POSITION_OUT_OF_RANGE):
            drop(core)
        leader_contact.handle_refusal(core, in_flight, response.error, now_ms)
        return
    follower = leader_contact.heard_from_leader(core, response.leader.leader_id, now_ms)
    download = core.download
    # It was dropped, or is complete. The chunk is of no use, but it was a sign of life.
    if follower is None or download is None or core.installing is not None:
        return
    # A response that is late. Kafka's follower stops over one that does not fit.
    if (request.snapshot, request.position) != (download.snapshot, download.position):
        return
    if download.log_end != core.log.end:
        # The log has changed by another way meanwhile.
        drop(core)
        return
    if not _fits(download, response):
        drop(core)
        core.requests.back_off(in_flight, now_ms)
        return
    core.outbox.write(
        WriteSnapshotChunk(snapshot=download.snapshot, position=download.position, data=response.data)
    )
    # Noted before it is written: all writes are done in order, and a failed one ends the node.
    download.position += len(response.data)
    download.size = response.size
    assert download.position <= download.size, f"{download.position} bytes of {download.size}"
    if download.position == download.size:
        # In order behind the chunks, so the driver has the whole file when it comes to this.
        core.outbox.write(InstallSnapshot(snapshot=download.snapshot, size=download.size))
        # Set at once and not when the driver begins: from now on this node must not fetch from a
        # log that is about to go.
        core.installing = download.snapshot
        core.download = None


def handle_failure(core: Core, in_flight: RequestInFlight, failed: RequestFailed, now_ms: int) -> None:
    """A FetchSnapshot ended without a response.

    A leader of Apache Kafka that does not have the snapshot fails the whole request, without saying what is wrong.
    """
    # Kafka means SNAPSHOT_NOT_FOUND or the like, but cannot encode the response that says so.
    if failed.failure is RequestFailure.TOP_LEVEL_ERROR:
        drop(core)
    leader_contact.handle_failure(core, in_flight, failed, now_ms)


def handle_installed(core: Core, event: SnapshotInstalled) -> None:
    """The log is empty and starts at the snapshot's end; voters and kraft.version are those of the snapshot."""
    snapshot = event.snapshot.id
    assert snapshot == core.installing, f"snapshot {snapshot} was installed, {core.installing} was asked for"
    core.installing = None
    assert snapshot.offset >= core.committed_floor, f"snapshot {snapshot} takes back what is committed"
    core.log.install(snapshot, event.snapshot.size_bytes)
    core.outbox.log_replaced(snapshot.offset)
    # The sets of the old log are gone with it. A set that was not committed must not survive.
    core.voters.reset()
    # A snapshot has one record of each type; if it has more, the last one counts.
    latest: dict[type[ControlRecord], ControlRecord] = {
        type(recorded.record): recorded.record for recorded in event.control_records
    }
    for record in latest.values():
        # As if they were its last records: voters of the log behind it are newer, and truncation
        # keeps these.
        core.apply_control(snapshot.offset - 1, record)
    core.voters_changed()
    # All that is in a snapshot is committed, whatever the leader has said so far.
    if snapshot.offset > (core.high_watermark or 0):
        core.high_watermark = snapshot.offset
        core.outbox.notify_after_persist(HighWatermarkAdvanced(offset=snapshot.offset))


def handle_rejected(core: Core, event: SnapshotRejected, now_ms: int) -> None:
    """The fetched file is not a valid snapshot. Ask the leader again, after a pause."""
    assert event.snapshot == core.installing, (
        f"snapshot {event.snapshot} was refused, {core.installing} was asked for"
    )
    core.installing = None
    # A pause, because the same file would be fetched again: if it is damaged at the leader, without
    # end.
    if isinstance(core.state, Follower):
        core.requests.rest(fetching.leader_destination(core, core.state), RequestLane.FETCH, now_ms)


def _fits(download: SnapshotDownload, response: FetchSnapshotResponse) -> bool:
    """Whether a response brings the next chunk of the same file."""
    # The first chunk says how large the file is: another size later means another file. A chunk of nothing would be
    # asked for again and again.
    return (
        (response.snapshot, response.position) == (download.snapshot, download.position)
        and response.size == (download.size or response.size)
        and 0 < len(response.data) <= response.size - response.position
    )
