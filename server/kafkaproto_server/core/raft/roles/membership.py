"""Changes of the voters and of kraft.version, at the leader (KIP-853).

There is one change at a time, and it adds or removes at most one voter. The leader refuses a change until it knows a
high watermark, which takes a committed record of its own epoch, and until the voter set in force is committed. So no
two sets that could elect without each other are ever in use at once. The control records take effect when they are
appended, and the *new* set commits them. A leader that removed itself leads until they are committed, does not count
itself, and then hands over.

The order of the checks and the error codes are Kafka's; the error texts are not. Epoch, leadership and shutdown were
checked before. ``membership_state`` is what the leader remembers.

Apache Kafka: ``AddVoterHandler``, ``RemoveVoterHandler``, ``UpdateVoterHandler`` and ``KRaftVersionUpgrade``.
"""

from __future__ import annotations

import base64
from typing import assert_never

from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, ReplicaKey, Voter
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.membership_state import AskingNewVoter, AwaitingCommit, MembershipState
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.roles import appending
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
    KRAFT_VERSION_MAX,
    VoterSet,
    describes_same,
    endpoint_named,
)

__all__ = [
    "MembershipState",
    "deadline_ms",
    "handle_add_voter",
    "handle_api_versions",
    "handle_remove_voter",
    "handle_update_voter",
    "handle_upgrade_kraft_version",
    "has_uncommitted_change",
    "high_watermark_advanced",
    "leadership_lost",
    "must_hand_over",
    "tick",
]

CAUGHT_UP_FETCH_TIMEOUTS = 3
"""A new voter has to have held all of the log within so many ``controller.quorum.fetch.timeout.ms``; otherwise the
quorum could commit nothing with it for some time. For Kafka, a Fetch in the last hour is enough."""

Refusal = tuple[RaftError, str]
"""Why a request is refused, by code and in words."""


def handle_add_voter(
    core: Core, leader: Leader, request_id: int, request: AddVoterRequest, now_ms: int
) -> None:
    """AddRaftVoter: ask the new voter which kraft.versions it supports, and whether it serves a voter's requests.

    ``handle_api_versions`` continues when the response comes.
    """
    refusal = (
        _refuse_key(request.voter)
        or _refuse_endpoints(core, request.endpoints)
        or _refuse_change(core, leader)
        or _refuse_duplicate(core, request.voter)
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
        text = (
            f"{_name(request.voter)} at {endpoint.host}:{endpoint.port} cannot be asked right now; try again."
        )
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
        text = f"{_name(key)} could not be reached or did not answer ApiVersions."
        _answer(core, pending.request_id, (RaftError.REQUEST_TIMED_OUT, text))
        return
    response = outcome.response
    assert isinstance(response, ApiVersionsResponse), f"{response} is not what {_name(key)} was asked for"
    refusal = _refuse_new_voter(core, leader, key, response, now_ms)
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
        _refuse_key(request.voter) or _refuse_change(core, leader) or _refuse_removal(core, request.voter)
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
    error = _refuse_update(core, leader, request)
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
    refusal = _refuse_level(current, request.level) or _refuse_while_changing(core, leader)
    if refusal is None:
        refusal = _refuse_upgrade_of_voters(core, leader, request.level)
    # A validation passes all checks first, or it would promise what is then refused.
    if refusal is not None or request.validate_only:
        _answer(core, request_id, refusal)
        return
    voters = VoterSet(
        voters=tuple(_known_voter(core, leader, voter.key.id) for voter in core.voters.latest.voters)
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
    if isinstance(pending, AwaitingCommit) and _is_committed(core, pending.offset):
        leader.membership.pending = None
        _answer(core, pending.request_id, None)


def must_hand_over(core: Core, leader: Leader) -> bool:
    """Whether this leader has to resign now: it is no longer a voter, and that is committed.

    To be called after ``high_watermark_advanced``, so that the removal gets its response before leadership is lost.
    """
    # Earlier, the set in force might still be undone, and nobody else might be electable (KAFKA-16530).
    return not core.voters.latest.is_voter(core.config.key) and not has_uncommitted_change(core, leader)


def has_uncommitted_change(core: Core, leader: Leader) -> bool:
    """Whether the voter set in force is not known to be committed (metric uncommitted-voter-change)."""
    offset = core.voters.latest_offset
    return offset is not None and not _is_committed(core, offset)


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
            name = _name(pending.voter.key)
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
    assert recorded is not None, f"{_name(voter.key)} is no voter, and was not refused"
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


def _known_voter(core: Core, leader: Leader, node_id: int) -> Voter:
    """A static voter as it described itself; asserts that it did."""
    if node_id == core.config.key.id:
        return core.config.own_voter
    return leader.membership.reported[node_id]


# -- why not ----------------------------------------------------------------------------------------------------------


def _refuse_key(key: ReplicaKey) -> Refusal | None:
    if key.id < 0:
        return RaftError.INVALID_REQUEST, f"Voter id {key.id} is negative."
    # KIP-853: id and directory together are the voter. The id alone may be that of a node whose
    # disk was replaced.
    if key.directory_id is None:
        return RaftError.INVALID_REQUEST, f"Voter {key.id} is named without a directory id."
    return None


def _refuse_endpoints(core: Core, endpoints: tuple[Endpoint, ...]) -> Refusal | None:
    """Endpoints need addresses and distinct listener names, among them the listener that controllers use."""
    names = [endpoint.name for endpoint in endpoints]
    # Voters reach each other over one listener, so a voter without it could not be reached by this
    # leader.
    if core.config.listener_name not in names:
        text = f"Listener {core.config.listener_name}, which the leader uses, is not among the listeners {names}."
        return RaftError.INVALID_REQUEST, text
    # An endpoint is found by the name of its listener (`endpoint_named`). A second one would never
    # be used.
    if len(set(names)) != len(names):
        return RaftError.INVALID_REQUEST, f"A listener is named twice among the listeners {names}."
    for endpoint in endpoints:
        # It would be in force at once, and nobody could reach this voter until somebody repaired
        # the record.
        if not endpoint.host or endpoint.port == 0:
            text = f"Listener {endpoint.name} has no address: {endpoint.host!r}, port {endpoint.port}."
            return RaftError.INVALID_REQUEST, text
    return None


def _refuse_change(core: Core, leader: Leader) -> Refusal | None:
    """Why no voter can be added or removed now; None if one can."""
    return (
        _refuse_while_pending(leader)
        or _refuse_without_high_watermark(leader)
        or _refuse_static_voters(core)
        or _refuse_while_uncommitted(core, leader)
    )


def _refuse_while_changing(core: Core, leader: Leader) -> Refusal | None:
    """Why neither a voter's entry nor kraft.version can be changed now; None if they can."""
    return (
        _refuse_while_pending(leader)
        or _refuse_without_high_watermark(leader)
        or _refuse_while_uncommitted(core, leader)
    )


def _refuse_while_pending(leader: Leader) -> Refusal | None:
    # Its records may not be in the log yet, so the check of the log would not find it
    # (`_refuse_while_uncommitted`).
    if leader.membership.pending is None:
        return None
    return (
        RaftError.REQUEST_TIMED_OUT,
        "Another change of the voters is under way; try again when it is done.",
    )


def _refuse_without_high_watermark(leader: Leader) -> Refusal | None:
    # Before a record of its own epoch is committed, a leader does not know whether the last change in its log is.
    if leader.high_watermark is not None:
        return None
    return (
        RaftError.REQUEST_TIMED_OUT,
        f"Nothing of the leader's epoch {leader.epoch} is committed yet; try again.",
    )


def _refuse_static_voters(core: Core) -> Refusal | None:
    # At 0 each node reads the voters from its configuration, and no record could tell it of others.
    if core.voters.kraft_version > 0:
        return None
    text = "Voters are fixed by controller.quorum.voters while kraft.version is 0; upgrade it to 1 first."
    return RaftError.UNSUPPORTED_VERSION, text


def _refuse_while_uncommitted(core: Core, leader: Leader) -> Refusal | None:
    # KIP-853: two changes at once could make two sets whose majorities have nobody in common. It
    # may be the change of an earlier leader.
    if not has_uncommitted_change(core, leader):
        return None
    text = f"The voter set at offset {core.voters.latest_offset} is not committed yet; try again."
    return RaftError.REQUEST_TIMED_OUT, text


def _refuse_duplicate(core: Core, key: ReplicaKey) -> Refusal | None:
    # By id alone, whatever the directory: majorities are counted by id. The disk of before has to
    # be removed first.
    recorded = core.voters.latest.get(key.id)
    if recorded is None:
        return None
    return (
        RaftError.DUPLICATE_VOTER,
        f"{_name(recorded.key)} is a voter; remove it before adding {_name(key)}.",
    )


def _refuse_new_voter(
    core: Core, leader: Leader, key: ReplicaKey, response: ApiVersionsResponse, now_ms: int
) -> Refusal | None:
    if response.error:
        text = f"{_name(key)} answered {response.error.name} when asked which kraft.versions it supports."
        return RaftError.REQUEST_TIMED_OUT, text
    # Kafka adds a broker that cannot vote, and the quorum then counts on it (KAFKA-19021).
    if not response.can_vote:
        text = f"{_name(key)} does not serve the requests of a quorum (Vote): it is no controller."
        return RaftError.INVALID_REQUEST, text
    level = core.voters.kraft_version
    if not response.min_kraft_version <= level <= response.max_kraft_version:
        supported = f"{response.min_kraft_version} to {response.max_kraft_version}"
        text = f"{_name(key)} supports kraft.version {supported}, not the finalized {level}."
        return RaftError.INVALID_REQUEST, text
    # For Kafka a Fetch in the last hour is enough (KAFKA-19933).
    if not leader.has_caught_up(key, CAUGHT_UP_FETCH_TIMEOUTS * core.config.fetch_timeout_ms, now_ms):
        text = f"{_name(key)} has not caught up with the leader's log; it has to run and fetch before it is added."
        return RaftError.REQUEST_TIMED_OUT, text
    return None


def _refuse_removal(core: Core, key: ReplicaKey) -> Refusal | None:
    voters = core.voters.latest
    recorded = voters.get(key.id)
    # The whole key. A request that is late must not remove the voter that has come back with a new
    # disk.
    if recorded is None or recorded.key != key:
        known = ", ".join(_name(voter.key) for voter in voters.voters)
        return RaftError.VOTER_NOT_FOUND, f"{_name(key)} is no voter; the voters are {known}."
    # Kafka's code for it, too. Nobody would be left to commit the removal.
    if len(voters.voters) == 1:
        return RaftError.VOTER_NOT_FOUND, f"{_name(key)} is the last voter and cannot be removed."
    return None


def _refuse_update(core: Core, leader: Leader, request: UpdateVoterRequest) -> RaftError:
    """The error code alone: the response to UpdateRaftVoter has no field for a text."""
    refusal = _refuse_key(request.voter) or _refuse_endpoints(core, request.endpoints)
    # Kafka's order: what is wrong in itself comes before what is wrong only now.
    low, high = request.min_kraft_version, request.max_kraft_version
    if refusal is None and not 0 <= low <= high:
        return RaftError.INVALID_REQUEST
    refusal = refusal or _refuse_while_changing(core, leader)
    if refusal is not None:
        return refusal[0]
    # The finalized level is in the log that this voter reads, so its report cannot be true.
    if not low <= core.voters.kraft_version <= high:
        return RaftError.INVALID_REQUEST
    return RaftError.NONE if core.voters.latest.is_voter(request.voter) else RaftError.VOTER_NOT_FOUND


def _refuse_level(current: int, level: int) -> Refusal | None:
    # Voters would have to come out of the log again, into configurations that nobody checks. Kafka
    # refuses it, too.
    if level < current:
        text = f"kraft.version cannot be lowered from {current} to {level}."
        return RaftError.INVALID_UPDATE_VERSION, text
    if level > KRAFT_VERSION_MAX:
        text = f"kraft.version {level} is not supported; the highest is {KRAFT_VERSION_MAX}."
        return RaftError.INVALID_UPDATE_VERSION, text
    return None


def _refuse_upgrade_of_voters(core: Core, leader: Leader, level: int) -> Refusal | None:
    """Why the voters rule the upgrade out: each must have described itself to this leader and support the level."""
    for voter in core.voters.latest.voters:
        node_id = voter.key.id
        if node_id != core.config.key.id and node_id not in leader.membership.reported:
            text = f"Voter {node_id} has not told this leader its directory id and listeners yet (UpdateRaftVoter)."
            return RaftError.INVALID_UPDATE_VERSION, text
        # Each voter is about to read KRAFT_VERSION in its own log, and none may stop over it.
        known = _known_voter(core, leader, node_id)
        if not known.min_kraft_version <= level <= known.max_kraft_version:
            supported = f"{known.min_kraft_version} to {known.max_kraft_version}"
            text = f"Voter {node_id} supports kraft.version {supported}, not {level}."
            return RaftError.INVALID_UPDATE_VERSION, text
    return None


def _is_committed(core: Core, offset: int) -> bool:
    """Whether a record is known to be committed, in this epoch or already before this node led."""
    # Not the leader's own high watermark, which begins anew in each epoch: what was committed
    # before stays so.
    return core.high_watermark is not None and offset < core.high_watermark


def _answer(core: Core, request_id: int, refusal: Refusal | None) -> None:
    error, text = (RaftError.NONE, None) if refusal is None else refusal
    core.respond(request_id, VoterChangeResponse(error=error, message=text))


def _name(key: ReplicaKey) -> str:
    """A replica as an operator knows it: directory ids in the text form of Kafka's tools."""
    if key.directory_id is None:
        return f"Node {key.id}"
    directory = base64.urlsafe_b64encode(key.directory_id).decode().rstrip("=")
    return f"Node {key.id} with directory id {directory}"
