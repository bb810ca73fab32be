"""When a leader may change the voters or kraft.version, and why it refuses to (KIP-853).

The order of the checks and the error codes are Kafka's; the error texts are not. Epoch, leadership and shutdown were
checked before. Nothing here changes anything.

Apache Kafka: ``AddVoterHandler``, ``RemoveVoterHandler``, ``UpdateVoterHandler`` and ``KRaftVersionUpgrade``.
"""

from __future__ import annotations

import base64

from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import ApiVersionsResponse, UpdateVoterRequest
from kafkaproto_server.core.raft.values.voters import KRAFT_VERSION_MAX

CAUGHT_UP_FETCH_TIMEOUTS = 3
"""A new voter has to have held all of the log within so many ``controller.quorum.fetch.timeout.ms``; otherwise the
quorum could commit nothing with it for some time. For Kafka, a Fetch in the last hour is enough."""

Refusal = tuple[RaftError, str]
"""Why a request is refused, by code and in words."""


def has_uncommitted_change(core: Core, leader: Leader) -> bool:
    """Whether the voter set in force is not known to be committed (metric uncommitted-voter-change)."""
    offset = core.voters.latest_offset
    return offset is not None and not is_committed(core, offset)


def refuse_key(key: ReplicaKey) -> Refusal | None:
    if key.id < 0:
        return RaftError.INVALID_REQUEST, f"Voter id {key.id} is negative."
    # KIP-853: id and directory together are the voter. The id alone may be that of a node whose
    # disk was replaced.
    if key.directory_id is None:
        return RaftError.INVALID_REQUEST, f"Voter {key.id} is named without a directory id."
    return None


def refuse_endpoints(core: Core, endpoints: tuple[Endpoint, ...]) -> Refusal | None:
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


def refuse_change(core: Core, leader: Leader) -> Refusal | None:
    """Why no voter can be added or removed now; None if one can."""
    return (
        _refuse_while_pending(leader)
        or _refuse_without_high_watermark(leader)
        or _refuse_static_voters(core)
        or _refuse_while_uncommitted(core, leader)
    )


def refuse_while_changing(core: Core, leader: Leader) -> Refusal | None:
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


def refuse_duplicate(core: Core, key: ReplicaKey) -> Refusal | None:
    # By id alone, whatever the directory: majorities are counted by id. The disk of before has to
    # be removed first.
    recorded = core.voters.latest.get(key.id)
    if recorded is None:
        return None
    return (
        RaftError.DUPLICATE_VOTER,
        f"{name_of(recorded.key)} is a voter; remove it before adding {name_of(key)}.",
    )


def refuse_new_voter(
    core: Core, leader: Leader, key: ReplicaKey, response: ApiVersionsResponse, now_ms: int
) -> Refusal | None:
    if response.error:
        text = f"{name_of(key)} answered {response.error.name} when asked which kraft.versions it supports."
        return RaftError.REQUEST_TIMED_OUT, text
    # Kafka adds a broker that cannot vote, and the quorum then counts on it (KAFKA-19021).
    if not response.can_vote:
        text = f"{name_of(key)} does not serve the requests of a quorum (Vote): it is no controller."
        return RaftError.INVALID_REQUEST, text
    level = core.voters.kraft_version
    if not response.min_kraft_version <= level <= response.max_kraft_version:
        supported = f"{response.min_kraft_version} to {response.max_kraft_version}"
        text = f"{name_of(key)} supports kraft.version {supported}, not the finalized {level}."
        return RaftError.INVALID_REQUEST, text
    # For Kafka a Fetch in the last hour is enough (KAFKA-19933).
    if not leader.has_caught_up(key, CAUGHT_UP_FETCH_TIMEOUTS * core.config.fetch_timeout_ms, now_ms):
        text = f"{name_of(key)} has not caught up with the leader's log; it has to run and fetch before it is added."
        return RaftError.REQUEST_TIMED_OUT, text
    return None


def refuse_removal(core: Core, key: ReplicaKey) -> Refusal | None:
    voters = core.voters.latest
    recorded = voters.get(key.id)
    # The whole key. A request that is late must not remove the voter that has come back with a new
    # disk.
    if recorded is None or recorded.key != key:
        known = ", ".join(name_of(voter.key) for voter in voters.voters)
        return RaftError.VOTER_NOT_FOUND, f"{name_of(key)} is no voter; the voters are {known}."
    # Kafka's code for it, too. Nobody would be left to commit the removal.
    if len(voters.voters) == 1:
        return RaftError.VOTER_NOT_FOUND, f"{name_of(key)} is the last voter and cannot be removed."
    return None


def refuse_update(core: Core, leader: Leader, request: UpdateVoterRequest) -> RaftError:
    """The error code alone: the response to UpdateRaftVoter has no field for a text."""
    refusal = refuse_key(request.voter) or refuse_endpoints(core, request.endpoints)
    # Kafka's order: what is wrong in itself comes before what is wrong only now.
    low, high = request.min_kraft_version, request.max_kraft_version
    if refusal is None and not 0 <= low <= high:
        return RaftError.INVALID_REQUEST
    refusal = refusal or refuse_while_changing(core, leader)
    if refusal is not None:
        return refusal[0]
    # The finalized level is in the log that this voter reads, so its report cannot be true.
    if not low <= core.voters.kraft_version <= high:
        return RaftError.INVALID_REQUEST
    return RaftError.NONE if core.voters.latest.is_voter(request.voter) else RaftError.VOTER_NOT_FOUND


def refuse_level(current: int, level: int) -> Refusal | None:
    # Voters would have to come out of the log again, into configurations that nobody checks. Kafka
    # refuses it, too.
    if level < current:
        text = f"kraft.version cannot be lowered from {current} to {level}."
        return RaftError.INVALID_UPDATE_VERSION, text
    if level > KRAFT_VERSION_MAX:
        text = f"kraft.version {level} is not supported; the highest is {KRAFT_VERSION_MAX}."
        return RaftError.INVALID_UPDATE_VERSION, text
    return None


def refuse_upgrade_of_voters(core: Core, leader: Leader, level: int) -> Refusal | None:
    """Why the voters rule the upgrade out: each must have described itself to this leader and support the level."""
    for voter in core.voters.latest.voters:
        node_id = voter.key.id
        if node_id != core.config.key.id and node_id not in leader.membership.reported:
            text = f"Voter {node_id} has not told this leader its directory id and listeners yet (UpdateRaftVoter)."
            return RaftError.INVALID_UPDATE_VERSION, text
        # Each voter is about to read KRAFT_VERSION in its own log, and none may stop over it.
        known = known_voter(core, leader, node_id)
        if not known.min_kraft_version <= level <= known.max_kraft_version:
            supported = f"{known.min_kraft_version} to {known.max_kraft_version}"
            text = f"Voter {node_id} supports kraft.version {supported}, not {level}."
            return RaftError.INVALID_UPDATE_VERSION, text
    return None


def is_committed(core: Core, offset: int) -> bool:
    """Whether a record is known to be committed, in this epoch or already before this node led."""
    # Not the leader's own high watermark, which begins anew in each epoch: what was committed
    # before stays so.
    return core.high_watermark is not None and offset < core.high_watermark


def known_voter(core: Core, leader: Leader, node_id: int) -> Voter:
    """A static voter as it described itself; asserts that it did."""
    if node_id == core.config.key.id:
        return core.config.own_voter
    return leader.membership.reported[node_id]


def name_of(key: ReplicaKey) -> str:
    """A replica as an operator knows it: directory ids in the text form of Kafka's tools."""
    if key.directory_id is None:
        return f"Node {key.id}"
    # By hand, because the core knows nothing of the library; its `uuids.to_text` gives the same.
    directory = base64.urlsafe_b64encode(key.directory_id).decode().rstrip("=")
    return f"Node {key.id} with directory id {directory}"
