"""Late requests of voters, of nodes that believe that they are some, and of operators who change the voters.

Nothing of it is sent under the key of a voter unless its epoch, its cluster or its receiver is wrong: the quorum would
count on what it says.
"""

from __future__ import annotations

from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AddRaftVoterRequest, RemoveRaftVoterRequest, UpdateRaftVoterRequest
from kafkaproto_server.base.types import Endpoint, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft import wire
from kafkaproto_server.core.raft.values import messages as raft
from kafkaproto_server.core.raft.values.trust import LAST_EPOCH
from tests.sim.metadata.node import CLUSTER_ID
from tests.sim.nodes.host import CONTROLLER_PORT, Host
from tests.sim.nodes.late_peers.cases import (
    BEYOND,
    UNKNOWN_ID,
    UNKNOWN_UUID,
    Asked,
    Base,
    Case,
    Known,
    NotNowError,
    cases,
    newer,
    of_receiver,
    older,
    same,
    to,
    twice,
)

_UNKNOWN_KEY = ReplicaKey(id=UNKNOWN_ID, directory_id=UNKNOWN_UUID)
_CONTROLLER = Endpoint(name="CONTROLLER", host="nowhere", port=CONTROLLER_PORT)
_ANOTHER = ("cluster_id", "of another cluster", to("another"), (ErrorCode.INCONSISTENT_CLUSTER_ID,))
_FENCED = (ErrorCode.FENCED_LEADER_EPOCH,)
_AHEAD = (ErrorCode.UNKNOWN_LEADER_EPOCH,)
_INVALID = (ErrorCode.INVALID_REQUEST,)
_OTHER_VOTER = (ErrorCode.INVALID_VOTER_KEY,)
_NO_VOTER = (ErrorCode.VOTER_NOT_FOUND,)
_NO_CHANGES = (ErrorCode.UNSUPPORTED_VERSION,)
"""While kraft.version is 0."""


def _epoch(host: Host) -> int:
    """The last one that the node knows; it never goes back. Raises NotNowError if it knows none."""
    assert host.quorum is not None, "only nodes that run are asked"
    epoch = host.quorum.published.leader.epoch
    if epoch < 1:
        raise NotNowError
    return epoch


def _key(host: Host) -> ReplicaKey:
    key = host.replica_key
    if key is None:
        raise NotNowError
    return key


def _another_voter(known: Known, host: Host) -> ReplicaKey:
    """Another node than the one that is asked, as it would call itself."""
    found = [each for each in known.all_hosts if each.is_controller and each is not host]
    if not found:
        return ReplicaKey(id=UNKNOWN_ID, directory_id=UNKNOWN_UUID)
    another = known.rng.choice(found)
    return another.replica_key or ReplicaKey(id=another.id, directory_id=UNKNOWN_UUID)


def _encoded(host: Host, request: raft.OutboundRequest) -> Asked:
    _, _, version = wire.request_versions(request)
    message = wire.encode_request(request, version, cluster_id=CLUSTER_ID)
    return Asked(host=host, port=CONTROLLER_PORT, request=message)


def _vote(known: Known) -> Asked:
    host = known.controller()
    epoch = _epoch(host)
    request = raft.VoteRequest(
        replica=_another_voter(known, host),
        voter_id=host.id,
        voter_directory_id=_key(host).directory_id,
        epoch=epoch,
        last_epoch=0,
        # Nobody grants a vote to who has nothing.
        last_offset=0,
        is_pre_vote=known.rng.random() < 0.3,
    )
    return _encoded(host, request)


def _begin(known: Known) -> Asked:
    host = known.controller()
    request = raft.BeginQuorumEpochRequest(
        leader_id=_another_voter(known, host).id,
        epoch=_epoch(host),
        voter_id=host.id,
        voter_directory_id=_key(host).directory_id,
        leader_endpoints=(_CONTROLLER,),
    )
    return _encoded(host, request)


def _end(known: Known) -> Asked:
    host = known.controller()
    request = raft.EndQuorumEpochRequest(
        leader_id=_another_voter(known, host).id, epoch=_epoch(host), preferred_candidates=(_key(host),)
    )
    return _encoded(host, request)


def _fetch(known: Known) -> Asked:
    host = known.controller()
    request = raft.FetchRequest(
        replica=_UNKNOWN_KEY,
        epoch=_epoch(host),
        fetch_offset=0,
        last_fetched_epoch=0,
        max_wait_ms=0,
        max_bytes=1000,
        high_watermark=-1,
    )
    return _encoded(host, request)


def _snapshot(known: Known) -> Asked:
    host = known.controller()
    assert host.quorum is not None, "only nodes that run are asked"
    latest = host.quorum._storage.snapshots.latest()
    if latest is None:
        raise NotNowError
    request = raft.FetchSnapshotRequest(
        replica=_UNKNOWN_KEY,
        epoch=_epoch(host),
        snapshot=OffsetAndEpoch(offset=latest.end_offset, epoch=latest.epoch),
        position=0,
        max_bytes=1000,
    )
    return _encoded(host, request)


def _addition(known: Known) -> Asked:
    kind = AddRaftVoterRequest
    request = kind(
        cluster_id=CLUSTER_ID,
        timeout_ms=1000,
        voter_id=UNKNOWN_ID,
        voter_directory_id=UNKNOWN_UUID,
        listeners=[kind.Listener(name="CONTROLLER", host="nowhere", port=CONTROLLER_PORT)],
    )
    return Asked(host=known.controller(), port=CONTROLLER_PORT, request=request)


def _removal(known: Known) -> Asked:
    request = RemoveRaftVoterRequest(
        cluster_id=CLUSTER_ID, voter_id=UNKNOWN_ID, voter_directory_id=UNKNOWN_UUID
    )
    return Asked(host=known.controller(), port=CONTROLLER_PORT, request=request)


def _removal_of_the_last(known: Known) -> Asked:
    """Of the only controller that there is."""
    controllers = [host for host in known.all_hosts if host.is_controller]
    if len(controllers) > 1:
        raise NotNowError
    asked = _removal(known)
    key = _key(asked.host)
    asked.request.voter_id, asked.request.voter_directory_id = key.id, key.directory_id
    return asked


def _update(known: Known) -> Asked:
    host = known.controller()
    kind = UpdateRaftVoterRequest
    request = kind(
        cluster_id=CLUSTER_ID,
        current_leader_epoch=_epoch(host),
        voter_id=UNKNOWN_ID,
        voter_directory_id=UNKNOWN_UUID,
        listeners=[kind.Listener(name="CONTROLLER", host="nowhere", port=CONTROLLER_PORT)],
        kraft_version_feature=kind.KRaftVersionFeature(min_supported_version=0, max_supported_version=1),
    )
    return Asked(host=host, port=CONTROLLER_PORT, request=request)


def _of_a_voter(right: int, known: Known, host: Host) -> int:
    """With another directory than the voter has."""
    return known.rng.choice([each.id for each in known.all_hosts if each.is_controller])


def _of_a_recorded_voter(right: int, known: Known, host: Host) -> int:
    """The same. While kraft.version is 0, nobody knows the directories of voters."""
    if host.quorum is None or host.quorum.kraft_version == 0:
        raise NotNowError
    return _of_a_voter(right, known, host)


def _of_another(right: int, known: Known, host: Host) -> int:
    """The id of another node."""
    return _another_voter(known, host).id


def _much_newer(right: Any, known: Known, host: Host) -> int:
    return LAST_EPOCH + 1


_UNSPECIFIED_UUID = bytes(16)
_CHANGE = Base(make=_addition, errors=_NO_CHANGES)
_REMOVAL = Base(make=_removal, errors=_NO_CHANGES)
_LISTENERS: tuple[tuple[str, str, Any, tuple[ErrorCode, ...]], ...] = (
    ("listeners", "empty", to([]), _INVALID),
    ("listeners", "twice", twice, _INVALID),
    ("listeners.name", "of brokers", to("PLAINTEXT"), _INVALID),
    ("listeners.host", "empty", to(""), _INVALID),
    ("listeners.port", "zero", to(0), _INVALID),
    ("voter_id", "negative", to(-1), _INVALID),
    ("voter_directory_id", "unspecified", to(_UNSPECIFIED_UUID), _INVALID),
)

CASES: tuple[Case, ...] = (
    *cases(
        "Vote",
        Base(make=_vote),
        _ANOTHER,
        ("voter_id", "of another", _of_another, _OTHER_VOTER),
        ("topics.topic_name", "of another log", to("another"), _INVALID),
        ("topics.partitions.voter_directory_id", "of another", to(UNKNOWN_UUID), _OTHER_VOTER),
        ("topics.partitions.replica_epoch", "older", older, (*_FENCED, *_INVALID)),
        ("topics.partitions.replica_epoch", "past the last one", _much_newer, _INVALID),
        ("topics.partitions.replica_id", "of the receiver", of_receiver, _INVALID),
        ("topics.partitions.replica_id", "negative", to(-1), _INVALID),
        ("topics.partitions.last_offset", "negative", to(-1), _INVALID),
        ("topics.partitions.last_offset_epoch", "newer", newer, _INVALID),
    ),
    *cases(
        "BeginQuorumEpoch",
        Base(make=_begin),
        _ANOTHER,
        ("voter_id", "of another", _of_another, (*_OTHER_VOTER, *_INVALID)),
        ("topics.topic_name", "of another log", to("another"), _INVALID),
        ("topics.partitions.voter_directory_id", "of another", to(UNKNOWN_UUID), (*_OTHER_VOTER, *_INVALID)),
        ("topics.partitions.leader_epoch", "older", older, _FENCED),
        ("topics.partitions.leader_epoch", "past the last one", _much_newer, _INVALID),
        ("topics.partitions.leader_id", "of the receiver", of_receiver, (*_INVALID, *_FENCED)),
        ("topics.partitions.leader_id", "negative", to(-1), (*_INVALID, *_FENCED)),
    ),
    *cases(
        "EndQuorumEpoch",
        Base(make=_end),
        _ANOTHER,
        ("topics.topic_name", "of another log", to("another"), _INVALID),
        ("topics.partitions.leader_epoch", "older", older, _FENCED),
        ("topics.partitions.leader_epoch", "past the last one", _much_newer, _INVALID),
        ("topics.partitions.leader_id", "of the receiver", of_receiver, (*_INVALID, *_FENCED)),
        ("topics.partitions.leader_id", "negative", to(-1), (*_INVALID, *_FENCED)),
    ),
    *cases(
        "Fetch of the metadata",
        Base(make=_fetch),
        _ANOTHER,
        ("topics.topic_id", "of another log", to(UNKNOWN_UUID), _INVALID),
        ("topics.partitions.current_leader_epoch", "older", older, _FENCED),
        ("topics.partitions.current_leader_epoch", "newer", newer, _AHEAD),
        ("topics.partitions.fetch_offset", "negative", to(-1), _INVALID),
        ("topics.partitions.last_fetched_epoch", "newer", newer, _INVALID),
        ("max_wait_ms", "negative", to(-1), _INVALID),
        (
            "replica_state.replica_id",
            "of the receiver",
            of_receiver,
            (ErrorCode.UNKNOWN_SERVER_ERROR, *_FENCED, *_AHEAD),
        ),
    ),
    *cases(
        "FetchSnapshot",
        Base(make=_snapshot, errors=(ErrorCode.SNAPSHOT_NOT_FOUND, *_FENCED, *_AHEAD)),
        _ANOTHER,
        ("topics.name", "of another log", to("another"), (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,)),
        ("topics.partitions.current_leader_epoch", "older", older, ()),
        ("topics.partitions.current_leader_epoch", "newer", newer, ()),
        ("topics.partitions.snapshot_id.end_offset", "unknown", newer, ()),
        ("topics.partitions.snapshot_id.epoch", "unknown", newer, ()),
        ("topics.partitions.position", "negative", to(-1), (ErrorCode.POSITION_OUT_OF_RANGE,)),
        ("topics.partitions.position", "past the end", to(BEYOND), (ErrorCode.POSITION_OUT_OF_RANGE,)),
        ("max_bytes", "negative", to(-1), _INVALID),
    ),
    *cases(
        "AddRaftVoter",
        _CHANGE,
        _ANOTHER,
        ("voter_id", "of a voter", _of_a_voter, (ErrorCode.DUPLICATE_VOTER,)),
        *_LISTENERS,
    ),
    *cases(
        "RemoveRaftVoter",
        _REMOVAL,
        _ANOTHER,
        ("voter_id", "unknown", same, _NO_VOTER),
        ("voter_id", "negative", to(-1), _INVALID),
        ("voter_id", "with another directory", _of_a_voter, _NO_VOTER),
        ("voter_directory_id", "unspecified", to(_UNSPECIFIED_UUID), _INVALID),
    ),
    *cases(
        "RemoveRaftVoter of the last voter",
        Base(make=_removal_of_the_last, errors=_NO_CHANGES),
        ("", "", same, _NO_VOTER),
    ),
    *cases(
        "UpdateRaftVoter",
        Base(make=_update, errors=(*_FENCED, *_AHEAD)),
        _ANOTHER,
        ("current_leader_epoch", "older", older, ()),
        ("current_leader_epoch", "newer", newer, ()),
        ("voter_id", "unknown", same, _NO_VOTER),
        ("voter_id", "with another directory", _of_a_recorded_voter, _NO_VOTER),
        ("kraft_version_feature.min_supported_version", "too high", to(5), _INVALID),
        *_LISTENERS,
    ),
)
