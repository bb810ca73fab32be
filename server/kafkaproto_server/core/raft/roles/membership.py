"""Changes of the voters and of kraft.version, at the leader (KIP-853).

There is one change at a time, and it adds or removes at most one voter. The leader refuses a change until it knows a
high watermark, which takes a committed record of its own epoch, and until the voter set in force is committed. So no
two sets that could elect without each other are ever in use at once. The control records take effect when they are
appended, and the *new* set commits them. A leader that removed itself leads until they are committed, does not count
itself, and then hands over.

`voter_changes` says when a change is refused. ``membership_state`` is what the leader remembers.

Apache Kafka: ``AddVoterHandler``, ``RemoveVoterHandler``, ``UpdateVoterHandler`` and ``KRaftVersionUpgrade``.
"""

from __future__ import annotations

from typing import assert_never

from kafkaproto_server.base.types import LeaderAndEpoch, Voter
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.membership_state import AskingNewVoter, AwaitingCommit
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.roles import appending, voter_changes
from kafkaproto_server.core.raft.roles.voter_changes import has_uncommitted_change
from kafkaproto_server.core.raft.values.control import ControlRecord, KRaftVersion, KRaftVoters
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, ResponseReceived
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    ApiVersionsRequest,
    ApiVersionsResponse,
    Destination,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
)
from kafkaproto_server.core.raft.values.voters import (
    VoterSet,
    describes_same,
    endpoint_named,
)


def handle_add_voter(
    core: Core, leader: Leader, request_id: int, request: AddVoterRequest, now_ms: int
) -> None:
    """AddRaftVoter: ask the new voter which kraft.versions it supports, and whether it serves a voter's requests.

    ``handle_api_versions`` continues when the response comes.
    """
    refusal = (
        voter_changes.refuse_key(request.voter)
        or voter_changes.refuse_endpoints(core, request.endpoints)
        or voter_changes.refuse_change(core, leader)
        or voter_changes.refuse_duplicate(core, request.voter)
    )
    if refusal is not None:
        _answer(core, request_id, refusal)
        return
    endpoint = endpoint_named(request.endpoints, core.config.listener_name)
    assert endpoint is not None, "endpoints without the controller listener were not refused"
    destination = Destination(id=request.voter.id, host=endpoint.host, port=endpoint.port)
    # KIP-853: a voter that cannot read the finalized kraft.version could not follow, and the quorum
    # would count on it.
    outbound_request_id = core.ask(destination, ApiVersionsRequest(), now_ms)
    # As in Kafka, if there is no connection: the client may try again, and nothing has changed.
    if outbound_request_id is None:
        name = voter_changes.name_of(request.voter)
        text = f"{name} at {endpoint.host}:{endpoint.port} cannot be asked right now; try again."
        _answer(core, request_id, (RaftError.REQUEST_TIMED_OUT, text))
        return
    assert leader.membership.pending is None, "one change at a time"
    leader.membership.pending = AskingNewVoter(
        request_id=request_id,
        deadline_ms=now_ms + core.config.request_timeout_ms,
        outbound_request_id=outbound_request_id,
        voter=Voter(key=request.voter, endpoints=request.endpoints),
        ack_when_committed=request.ack_when_committed,
    )


def handle_api_versions(
    core: Core, leader: Leader, outcome: ResponseReceived | RequestFailed, now_ms: int
) -> None:
    """Handle the end of this leader's ApiVersions request: add the new voter, or refuse it.

    It is ignored if its change is over already.
    """
    pending = leader.membership.pending
    if not isinstance(pending, AskingNewVoter) or pending.outbound_request_id != outcome.request_id:
        return
    leader.membership.pending = None
    # The change is over unless it is appended below. Nothing else has changed the voters since it
    # began, because a pending change keeps all others out.
    key = pending.voter.key
    if isinstance(outcome, RequestFailed):
        # This node's log says why. The client must not learn what listens at addresses that only this node can reach.
        text = f"{voter_changes.name_of(key)} could not be reached or did not answer ApiVersions."
        _answer(core, pending.request_id, (RaftError.REQUEST_TIMED_OUT, text))
        return
    response = outcome.response
    assert isinstance(response, ApiVersionsResponse), (
        f"{response} is not what {voter_changes.name_of(key)} was asked for"
    )
    refusal = voter_changes.refuse_new_voter(core, leader, key, response, now_ms)
    if refusal is not None:
        _answer(core, pending.request_id, refusal)
        return
    voter = Voter(
        key=key,
        endpoints=pending.voter.endpoints,
        # What the node itself says it supports; an AddRaftVoter has no word about it.
        min_kraft_version=response.min_kraft_version,
        max_kraft_version=response.max_kraft_version,
    )
    offset = _append_voters(core, leader, core.voters.latest.with_added(voter), now_ms)
    # KIP-1186: a node that adds itself may be needed for the commit, and does not wait for it.
    if pending.ack_when_committed:
        leader.membership.pending = AwaitingCommit(
            request_id=pending.request_id, deadline_ms=pending.deadline_ms, offset=offset
        )
    else:
        _answer(core, pending.request_id, None)


def handle_remove_voter(
    core: Core, leader: Leader, request_id: int, request: RemoveVoterRequest, now_ms: int
) -> None:
    """RemoveRaftVoter: append the set without that voter, which may be this leader, and respond after the commit."""
    refusal = (
        voter_changes.refuse_key(request.voter)
        or voter_changes.refuse_change(core, leader)
        or voter_changes.refuse_removal(core, request.voter)
    )
    if refusal is not None:
        _answer(core, request_id, refusal)
        return
    # From here on this leader counts without that voter. If it is the leader itself, it leads on
    # until the others have committed that (`must_hand_over`).
    offset = _append_voters(core, leader, core.voters.latest.without(request.voter), now_ms)
    _await_commit(core, leader, request_id, offset, now_ms)


def handle_update_voter(
    core: Core, leader: Leader, request_id: int, request: UpdateVoterRequest, listener_name: str, now_ms: int
) -> None:
    """UpdateRaftVoter: replace a voter's entry. The response always leaves at once, with the leader's address.

    With kraft.version 0 no record can hold the entry; the leader keeps it in memory for the upgrade to 1.
    ``listener_name`` is the listener that the request came in on.
    """
    error = voter_changes.refuse_update(core, leader, request)
    if error is RaftError.NONE:
        voter = Voter(
            key=request.voter,
            endpoints=request.endpoints,
            min_kraft_version=request.min_kraft_version,
            max_kraft_version=request.max_kraft_version,
        )
        if core.voters.kraft_version == 0:
            # KIP-853: static voters have no directory ids and one endpoint each. The upgrade writes
            # a voter set, and needs both.
            leader.membership.reported[voter.key.id] = voter
        else:
            _replace_voter(core, leader, voter, now_ms)
    # Not after the commit, as in Kafka. The voter looks at its log, and sends it again if the log
    # lacks it.
    response = UpdateVoterResponse(
        error=error,
        leader=LeaderAndEpoch(leader_id=leader.leader_id, epoch=leader.epoch),
        leader_endpoint=endpoint_named(core.config.endpoints, listener_name),
    )
    core.respond(request_id, response)


def handle_upgrade_kraft_version(
    core: Core, leader: Leader, request_id: int, request: UpgradeKRaftVersionRequest, now_ms: int
) -> None:
    """Raise kraft.version: record the level and the voters, which only the configuration has named so far."""
    current = core.voters.kraft_version
    # As in Kafka, even while a change is pending: there is nothing to change.
    if request.level == current:
        _answer(core, request_id, None)
        return
    refusal = voter_changes.refuse_level(current, request.level) or voter_changes.refuse_while_changing(
        core, leader
    )
    if refusal is None:
        refusal = voter_changes.refuse_upgrade_of_voters(core, leader, request.level)
    # A validation passes all checks first, or it would promise what is then refused.
    if refusal is not None or request.validate_only:
        _answer(core, request_id, refusal)
        return
    voters = VoterSet(
        voters=tuple(
            voter_changes.known_voter(core, leader, voter.key.id) for voter in core.voters.latest.voters
        )
    )
    # In one batch, as in Kafka: no replica ever has the level without the voters that belong to it.
    records = (KRaftVersion(level=request.level), KRaftVoters(voters=voters))
    offset = _append(core, leader, voters, records, now_ms)
    _await_commit(core, leader, request_id, offset, now_ms)


def high_watermark_advanced(core: Core, leader: Leader, now_ms: int) -> None:
    """Respond to the change if it is committed now. To be called whenever the high watermark has moved."""
    pending = leader.membership.pending
    # The new set has committed its own record, so a majority of it works. That is what the client
    # wanted to know (KIP-853).
    if isinstance(pending, AwaitingCommit) and voter_changes.is_committed(core, pending.offset):
        leader.membership.pending = None
        _answer(core, pending.request_id, None)


def must_hand_over(core: Core, leader: Leader) -> bool:
    """Whether this leader has to resign now: it is no longer a voter, and that is committed.

    To be called after ``high_watermark_advanced``, so that the removal gets its response before leadership is lost.
    """
    # Earlier, the set in force might still be undone, and nobody else might be electable (KAFKA-16530).
    return not core.voters.latest.is_voter(core.config.key) and not has_uncommitted_change(core, leader)


def tick(core: Core, leader: Leader, now_ms: int) -> None:
    """End the wait for a change whose time is over. What was appended stays in the log and may still be committed."""
    pending = leader.membership.pending
    # The core ends it, since no connection does: a quorum without a majority would otherwise keep
    # the client, and all further changes, waiting.
    if pending is None or now_ms < pending.deadline_ms:
        return
    leader.membership.pending = None
    match pending:
        case AskingNewVoter():
            name = voter_changes.name_of(pending.voter.key)
            text = f"{name} did not say in time which kraft.versions it supports."
        case AwaitingCommit():
            text = f"The change is in the log at offset {pending.offset}, but not committed in time; it may be yet."
        case _:
            assert_never(pending)
    _answer(core, pending.request_id, (RaftError.REQUEST_TIMED_OUT, text))


def deadline_ms(core: Core, leader: Leader) -> int | None:
    """When ``tick`` is due at the latest, or None."""
    pending = leader.membership.pending
    return None if pending is None else pending.deadline_ms


def leadership_lost(core: Core, leader: Leader) -> None:
    """Respond to the change that is under way. The next leader's log decides what becomes of it."""
    pending = leader.membership.pending
    if pending is not None:
        leader.membership.pending = None
        text = f"Node {leader.leader_id} lost leadership of epoch {leader.epoch} during the change."
        _answer(core, pending.request_id, (RaftError.NOT_LEADER_OR_FOLLOWER, text))


# -- what is appended -------------------------------------------------------------------------------------------------


def _replace_voter(core: Core, leader: Leader, voter: Voter, now_ms: int) -> None:
    """Append the set with one entry replaced, unless the entry is the same already. Kafka appends it even then."""
    recorded = core.voters.latest.get(voter.key.id)
    assert recorded is not None, f"{voter_changes.name_of(voter.key)} is no voter, and was not refused"
    if not describes_same(recorded, voter):
        _append_voters(core, leader, core.voters.latest.with_voter(voter), now_ms)


def _append_voters(core: Core, leader: Leader, voters: VoterSet, now_ms: int) -> int:
    return _append(core, leader, voters, (KRaftVoters(voters=voters),), now_ms)


def _append(
    core: Core, leader: Leader, voters: VoterSet, records: tuple[ControlRecord, ...], now_ms: int
) -> int:
    """Append control records that bring ``voters`` into force; returns the offset of the last one."""
    # The log says whether a change is pending, not memory: a time-out ends the wait, not the change
    # (KAFKA-20740).
    assert not has_uncommitted_change(core, leader), "a second change of voters before the first is committed"
    assert voters.voters, "a quorum without voters elects nobody"
    assert core.voters.latest.overlaps(voters), (
        f"{voters.ids} and {core.voters.latest.ids} have no majority in common"
    )
    return appending.append_control(core, leader, records, now_ms)


def _await_commit(core: Core, leader: Leader, request_id: int, offset: int, now_ms: int) -> None:
    assert leader.membership.pending is None, "one change at a time"
    leader.membership.pending = AwaitingCommit(
        request_id=request_id, deadline_ms=now_ms + core.config.request_timeout_ms, offset=offset
    )


def _answer(core: Core, request_id: int, refusal: voter_changes.Refusal | None) -> None:
    error, text = (RaftError.NONE, None) if refusal is None else refusal
    core.respond(request_id, VoterChangeResponse(error=error, message=text))
