"""How a follower works: it fetches from its leader, appends, truncates, and doubts a leader that is gone (KIP-595).

If the connection to the leader breaks or is refused, the follower doubts the leader at once, long before the fetch
timeout. It sends another Fetch without a pause and with a wait time of 0, and after a moment it asks for pre-votes. A
Fetch that succeeds in between cancels that, so an unstable connection disturbs nobody. A leader that has resigned says
so in its response to the Fetch; then it counts as gone, too.

Apache Kafka: ``FollowerState`` and ``KafkaRaftClient.handleFetchResponse``.
"""

from __future__ import annotations

from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.requests import RequestInFlight, RequestLane
from kafkaproto_server.core.raft.model.states import Follower
from kafkaproto_server.core.raft.roles import (
    discovery,
    election,
    fetching,
    joining,
    leader_contact,
    snapshot_fetch,
)
from kafkaproto_server.core.raft.values.config import NEVER
from kafkaproto_server.core.raft.values.control import KRaftVersion, KRaftVoters
from kafkaproto_server.core.raft.values.effects import HighWatermarkAdvanced
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    NO_HIGH_WATERMARK,
    FetchedBatch,
    FetchRequest,
    FetchResponse,
)
from kafkaproto_server.core.raft.values.voters import KRAFT_VERSION_MAX, KRAFT_VERSION_MIN


def tick(core: Core, follower: Follower, now_ms: int) -> None:
    """Do what is due: doubt the leader, seek an election, fetch, ask other nodes who leads."""
    if core.installing is not None or core.outbox.has_unpersisted:
        # The fetch timeout does not run while this node waits for its own disk.
        # Its next Fetch waits for that disk, so the silence is not the leader's.
        follower.fetch_deadline_ms = max(follower.fetch_deadline_ms, now_ms + core.config.fetch_timeout_ms)
    if core.installing is not None:
        return
    # Doubt comes before the election: it decides when this follower has its turn (`succession`).
    if not follower.link_is_dead and now_ms >= follower.fetch_deadline_ms:
        core.counters.fetch_timeouts += 1
        leader_contact.doubt(core, follower, now_ms)
    if _election_is_due(core, follower, now_ms):
        election.become_prospective(core, now_ms)
        return
    _maybe_fetch(core, follower, now_ms)
    if follower.link_is_dead:
        # The others may have elected somebody by now, whom only they can name.
        discovery.tick(core, now_ms)
    # Last, and over another lane than the Fetch: it must not delay what keeps the leader in office.
    joining.tick(core, follower, now_ms)


def deadline_ms(core: Core, follower: Follower) -> float:
    if core.installing is not None:
        return NEVER
    deadline: float = follower.fetch_deadline_ms
    if follower.link_is_dead:
        # The fetch timeout has done its work. What comes next is a question or an election.
        deadline = discovery.deadline_ms(core)
        if election.may_be_elected(core) and follower.election_at_ms is not None:
            deadline = min(deadline, follower.election_at_ms)
    if not core.requests.is_in_flight(follower.fetch_id):
        deadline = min(
            deadline,
            core.requests.ready_at_ms(fetching.leader_destination(core, follower), RequestLane.FETCH),
        )
    joining_at_ms = joining.deadline_ms(core, follower)
    return deadline if joining_at_ms is None else min(deadline, joining_at_ms)


def _election_is_due(core: Core, follower: Follower, now_ms: int) -> bool:
    return (
        follower.link_is_dead
        and follower.election_at_ms is not None
        and now_ms >= follower.election_at_ms
        and election.may_be_elected(core)
    )


def _maybe_fetch(core: Core, follower: Follower, now_ms: int) -> None:
    if core.requests.is_in_flight(follower.fetch_id):
        return
    # A leader in doubt must not park this Fetch, whose response would end the doubt.
    max_wait_ms = 0 if follower.link_is_dead else None
    request = snapshot_fetch.request(core, follower) or fetching.fetch_request(core, max_wait_ms)
    follower.fetch_id = core.ask(fetching.leader_destination(core, follower), request, now_ms)


# -- responses ---------------------------------------------------------------------------------------------------------


def handle_fetch_response(
    core: Core, in_flight: RequestInFlight, request: FetchRequest, response: FetchResponse, now_ms: int
) -> None:
    """Handle a leader's response. The caller has noted its leader and epoch before."""
    if leader_contact.is_of_other_epoch(core, in_flight, request.epoch, response.leader.epoch, now_ms):
        return
    if response.error is not RaftError.NONE:
        leader_contact.handle_refusal(core, in_flight, response.error, now_ms)
        return
    follower = leader_contact.heard_from_leader(core, response.leader.leader_id, now_ms)
    # Before the response is checked against this log: what is committed is committed, whatever this
    # log looks like.
    if follower is not None and response.high_watermark != NO_HIGH_WATERMARK:
        core.told_high_watermark = max(core.told_high_watermark or 0, response.high_watermark)
    asked_from = OffsetAndEpoch(epoch=request.last_fetched_epoch, offset=request.fetch_offset)
    if follower is None or core.installing is not None or asked_from != core.log.end:
        # A response that is late or doubled was made for another log (KAFKA-18723).
        # The log's end has changed since the request, so the response does not fit this log any more.
        return
    if response.diverging is not None:
        if core.outbox.holds_request_back:
            # A request that waits for the disk may promise records up to the present end of this log. After a
            # truncation it would promise too much. So ignore this response: that request's response will do.
            return
        makes_sense = _truncate(core, response.diverging)
    elif response.snapshot is not None:
        makes_sense = snapshot_fetch.begin(core, follower, response.snapshot)
    else:
        # The leader can serve this log again, so it no longer needs the snapshot.
        snapshot_fetch.drop(core)
        makes_sense = _append(core, follower, response.batches)
        _raise_high_watermark(core, response.high_watermark)
    if not makes_sense:
        # The same question would get the same response. It is repeated, but not at full speed.
        core.requests.back_off(in_flight, now_ms)


def _truncate(core: Core, diverging: OffsetAndEpoch) -> bool:
    """Truncate what the leader does not have. False, with nothing done, if that would truncate committed records, or
    nothing at all."""
    end_offset = core.log.truncation_offset(diverging)
    # What is committed is never truncated. A leader that asks for it is not the leader of this log.
    if not core.committed_floor <= end_offset < core.log.end_offset:
        return False
    core.truncate(end_offset)
    return True


def _append(core: Core, follower: Follower, batches: tuple[FetchedBatch, ...]) -> bool:
    """Append batches up to the first one that does not continue the log; returns whether all of them did."""
    for batch in batches:
        # What came before is good and stays. Kafka also takes a response up to the first batch of a
        # later epoch than the leader's.
        if not _continues(core, follower, batch):
            return False
        core.append_fetched(batch)
    return True


def _continues(core: Core, follower: Follower, batch: FetchedBatch) -> bool:
    """Whether a batch starts at the log's end, has a possible epoch, and holds only valid control records."""
    # `LogIndex.append` and `VoterHistory` assert what is checked here. A peer's bytes must not get
    # as far as an assert, which would end this process.
    if batch.base_offset != core.log.end_offset or batch.next_offset <= batch.base_offset:
        return False
    # A leader appends in its own epoch, and sends only records up to it.
    if not core.log.last_epoch <= batch.epoch <= follower.epoch:
        return False
    last_offset: dict[type[KRaftVersion | KRaftVoters], int] = {}
    for recorded in batch.control:
        record = recorded.record
        # By kind: one batch may hold both, as the first batch of a dynamic quorum does.
        first_offset = last_offset.get(type(record), batch.base_offset - 1) + 1
        if not first_offset <= recorded.offset < batch.next_offset:
            return False
        # No rules are known for another level, so this node must not go by them.
        if isinstance(record, KRaftVersion) and not KRAFT_VERSION_MIN <= record.level <= KRAFT_VERSION_MAX:
            return False
        # Nobody could elect or commit anything any more.
        if isinstance(record, KRaftVoters) and not record.voters.voters:
            return False
        last_offset[type(record)] = recorded.offset
    return True


def _raise_high_watermark(core: Core, leader_high_watermark: int) -> None:
    """Follow the leader's high watermark up to the end of this log. It never goes back."""
    # The leader may have committed more than this log holds; what is missing here cannot be applied.
    high_watermark = min(leader_high_watermark, core.log.end_offset)
    if high_watermark > (core.high_watermark or 0):
        core.high_watermark = high_watermark
        # It is the smaller of what the leader has committed and what is here. Kafka's follower
        # takes the same after its sync.
        core.outbox.notify_after_persist(HighWatermarkAdvanced(offset=high_watermark))
