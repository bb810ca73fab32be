"""Requests that no honest replica sends: every Raft api, near to what is right for a quorum, wrong in a few places.

Most numbers are those that the quorum itself would use, so that a request gets past the first checks; the others are
negative, huge or stale. None of them is a change of the voters that a leader could carry out: this is for quorums that
have to stay as they are.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from kafkaproto import api
from kafkaproto import messages as kafka
from kafkaproto.headers import encode_request_header
from kafkaproto.message import Message
from kafkaproto.schema import StructSchema, within

METADATA_TOPIC = "__cluster_metadata"
METADATA_TOPIC_ID = bytes(15) + b"\x01"
ZERO_UUID = bytes(16)
UNKNOWN_NODE_ID = 9
UNKNOWN_DIRECTORY = bytes.fromhex("5f" * 16)
UNREACHABLE_PORT = 1
"""Of 127.0.0.1; connections are refused there at once."""
MANY = 8
"""Elements of a list that is longer than any honest one; three such lists within each other are within the bounds."""

_LARGEST_INT32 = 2**31 - 1
_LARGEST_INT64 = 2**63 - 1
_LISTENER = "CONTROLLER"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumFacts:
    """What an unknown node can find out about a quorum by asking, and needs in order to be believed."""

    cluster_id: str
    leader_id: int
    epoch: int
    end_offset: int
    """The leader's log end offset some moments ago."""
    voters: Mapping[int, bytes]
    """Directory ids by node id."""
    snapshot: tuple[int, int] | None
    """End offset and epoch of a snapshot that the leader serves."""
    snapshot_size: int


def raft_request(facts: QuorumFacts, receiver: int, rng: random.Random) -> tuple[int, Message]:
    """A request at node ``receiver``, with the fields of the version that comes with it."""
    build = rng.choice(_BUILDERS)
    message = build(_Liar(facts, receiver, rng))
    version = rng.randint(message.MIN_VERSION, message.MAX_VERSION)
    if rng.random() < 0.5:
        version = message.MAX_VERSION
    return version, _fitted(message.schema().root, message, version)


def request_frame(message: Message, version: int, correlation_id: int) -> bytes:
    """Header and body, without the size in front."""
    info = api_of(message)
    header = encode_request_header(
        api_key=info.key, api_version=version, correlation_id=correlation_id, client_id="unknown node"
    )
    return bytes(header) + message.encode(version)


def api_of(message: Message) -> api.ApiInfo:
    """What there is to know of a request's api."""
    assert message.API_KEY is not None
    info = api.api_by_key(message.API_KEY)
    assert info is not None
    return info


def framed(frame: bytes) -> bytes:
    """The same with its size in front."""
    return struct.pack(">i", len(frame)) + frame


def _fitted(schema: StructSchema, value: Any, version: int) -> Any:
    """A copy with only the fields that the version has."""
    fields: dict[str, Any] = {}
    for field in schema.fields:
        if not within(version, field.versions):
            continue
        own = getattr(value, field.attribute)
        if field.struct is not None and own is not None:
            inner = field.struct
            own = (
                [_fitted(inner, each, version) for each in own]
                if field.array
                else _fitted(inner, own, version)
            )
        fields[field.attribute] = own
    return schema.python_class(**fields)


class _Liar:
    """Draws the fields of a request: usually what is right, else one of the ways to be wrong."""

    def __init__(self, facts: QuorumFacts, receiver: int, rng: random.Random) -> None:
        self.facts = facts
        self.receiver = receiver
        self.rng = rng
        self._lying = rng.choice((0.0, 0.1, 0.25, 0.5))

    def either(self, right: T, *wrong: T) -> T:
        """The right value, or now and then a wrong one."""
        return self.rng.choice(wrong) if self.rng.random() < self._lying else right

    def any_of(self, *values: T) -> T:
        """One of several that are all plausible."""
        return self.rng.choice(values)

    def cluster_id(self) -> str | None:
        return self.either(self.facts.cluster_id, None, "", "wrong", "x" * 1000, self.facts.cluster_id + " ")

    def epoch(self) -> int:
        """The present epoch as often as not."""
        epoch = self.facts.epoch
        if self.rng.random() < 0.5:
            return epoch
        return self.any_of(epoch + 1, epoch + 1, epoch - 1, epoch + 50, 0, -1, -(2**31), _LARGEST_INT32)

    def node_id(self, right: int) -> int:
        return self.either(right, *self.facts.voters, UNKNOWN_NODE_ID, -1, -2, -(2**31), _LARGEST_INT32)

    def directory(self, node_id: int) -> bytes:
        right = self.facts.voters.get(node_id, UNKNOWN_DIRECTORY)
        return self.either(right, ZERO_UUID, UNKNOWN_DIRECTORY, b"\xff" * 16)

    def offset(self) -> int:
        end = self.facts.end_offset
        return self.any_of(end, end, end + 1, end - 1, 0, 1, -1, -(2**63), 2**40, _LARGEST_INT64)

    def other_voter(self) -> int:
        """A voter that is not the one asked, or an unknown node."""
        others = [node_id for node_id in self.facts.voters if node_id != self.receiver]
        return self.any_of(*others, *others, UNKNOWN_NODE_ID)

    def partitions(self, right: T, other: T) -> list[T]:
        """One partition, no, two, or far too many."""
        return self.either([right], [right], [other], [], [right, right], [right, other], [other] * MANY)

    def topics(self, right: T, others: Sequence[T]) -> list[T]:
        """One topic, no, another, two, or far too many."""
        return self.either([right], [], [others[0]], [right, right], [right, *others], [others[-1]] * MANY)

    def listeners(self, make: Callable[..., T]) -> list[T]:
        """Endpoints of which some can be connected to, by name, at nobody's port."""
        good = make(name=_LISTENER, host="127.0.0.1", port=UNREACHABLE_PORT)
        other = make(name="OTHER", host="127.0.0.1", port=UNREACHABLE_PORT)
        return self.any_of(
            [good],
            [good, other],
            [other],
            [],
            [make(name=_LISTENER, host="", port=UNREACHABLE_PORT)],
            [make(name=_LISTENER, host="127.0.0.1", port=0), other],
            [good, good],
            [good, other, make(name="", host="x" * 5000, port=65535)],
            [other] * MANY,
        )

    def broken_listeners(self, make: Callable[..., T]) -> list[T]:
        """Endpoints that no voter can have."""
        good = make(name=_LISTENER, host="127.0.0.1", port=UNREACHABLE_PORT)
        return self.any_of([], [make(name="OTHER", host="127.0.0.1", port=1)], [good, good], [good] * MANY)


def _vote(liar: _Liar) -> Message:
    kind = kafka.VoteRequest
    candidate = liar.node_id(liar.other_voter())
    epoch = liar.epoch()

    def partition(index: int) -> Any:
        return kind.PartitionData(
            partition_index=index,
            replica_epoch=epoch,
            replica_id=candidate,
            replica_directory_id=liar.directory(candidate),
            voter_directory_id=liar.directory(liar.receiver),
            last_offset_epoch=liar.either(min(liar.facts.epoch, max(epoch - 1, 0)), liar.epoch()),
            last_offset=liar.either(_LARGEST_INT64, liar.offset()),
            pre_vote=liar.any_of(True, False),
        )

    return kind(
        cluster_id=liar.cluster_id(),
        voter_id=liar.node_id(liar.receiver),
        topics=_named(liar, kind.TopicData, partition),
    )


def _begin_quorum_epoch(liar: _Liar) -> Message:
    kind = kafka.BeginQuorumEpochRequest
    leader_id = liar.either(liar.any_of(liar.facts.leader_id, liar.other_voter()), -1, _LARGEST_INT32)

    def partition(index: int) -> Any:
        return kind.PartitionData(
            partition_index=index,
            voter_directory_id=liar.directory(liar.receiver),
            leader_id=leader_id,
            leader_epoch=liar.epoch(),
        )

    return kind(
        cluster_id=liar.cluster_id(),
        voter_id=liar.node_id(liar.receiver),
        topics=_named(liar, kind.TopicData, partition),
        leader_endpoints=liar.listeners(kind.LeaderEndpoint),
    )


def _end_quorum_epoch(liar: _Liar) -> Message:
    kind = kafka.EndQuorumEpochRequest
    leader_id = liar.either(liar.any_of(liar.facts.leader_id, liar.other_voter()), -1, _LARGEST_INT32)
    voters = liar.facts.voters
    everybody = [
        kind.ReplicaInfo(candidate_id=node_id, candidate_directory_id=directory)
        for node_id, directory in voters.items()
    ]
    nobody = kind.ReplicaInfo(candidate_id=-1)

    def partition(index: int) -> Any:
        return kind.PartitionData(
            partition_index=index,
            leader_id=leader_id,
            leader_epoch=liar.epoch(),
            preferred_successors=liar.any_of(
                list(voters), [], [-1], [liar.receiver], [UNKNOWN_NODE_ID] * MANY
            ),
            preferred_candidates=liar.any_of(everybody, everybody[::-1], [], [nobody], [nobody] * MANY),
        )

    return kind(
        cluster_id=liar.cluster_id(),
        topics=_named(liar, kind.TopicData, partition),
        leader_endpoints=liar.listeners(kind.LeaderEndpoint),
    )


def _fetch(liar: _Liar) -> Message:
    kind = kafka.FetchRequest
    replica = liar.node_id(liar.other_voter())
    max_wait_ms = liar.either(liar.any_of(0, 1, 20), -1, -(2**31))
    epoch = liar.epoch()

    def partition(index: int) -> Any:
        return kind.FetchPartition(
            partition=index,
            current_leader_epoch=epoch,
            fetch_offset=liar.offset(),
            last_fetched_epoch=liar.either(min(liar.facts.epoch, max(epoch, 0)), liar.epoch()),
            log_start_offset=liar.either(-1, 0, _LARGEST_INT64),
            partition_max_bytes=liar.either(0, -1, _LARGEST_INT32),
            replica_directory_id=liar.directory(replica),
            high_watermark=liar.either(-1, 0, liar.facts.end_offset, -(2**63), _LARGEST_INT64),
        )

    partitions = liar.partitions(partition(0), partition(liar.any_of(1, -1, _LARGEST_INT32)))
    right = kind.FetchTopic(topic=METADATA_TOPIC, topic_id=METADATA_TOPIC_ID, partitions=partitions)
    others = [
        kind.FetchTopic(topic=name, topic_id=topic_id, partitions=[partition(0)])
        for name, topic_id in (("", ZERO_UUID), ("orders", b"\xff" * 16))
    ]
    forgotten = kind.ForgottenTopic(topic=METADATA_TOPIC, topic_id=METADATA_TOPIC_ID, partitions=[0, -1])
    return kind(
        cluster_id=liar.cluster_id(),
        replica_id=replica,
        replica_state=kind.ReplicaState(replica_id=replica, replica_epoch=liar.either(-1, 0, _LARGEST_INT64)),
        max_wait_ms=max_wait_ms,
        min_bytes=liar.either(0, -1, _LARGEST_INT32),
        max_bytes=liar.either(1 << 20, 0, -1, -(2**31), _LARGEST_INT32),
        isolation_level=liar.either(0, 1, -1, 127),
        session_id=liar.either(0, -1, _LARGEST_INT32),
        session_epoch=liar.either(-1, 0, 1, -(2**31)),
        topics=liar.topics(right, others),
        forgotten_topics_data=liar.either([], [forgotten]),
        rack_id=liar.either("", "x" * 1000),
    )


def _fetch_snapshot(liar: _Liar) -> Message:
    kind = kafka.FetchSnapshotRequest
    replica = liar.node_id(liar.other_voter())
    size = liar.facts.snapshot_size
    end_offset, epoch = liar.either(
        liar.facts.snapshot or (0, 0), (0, 0), (liar.facts.end_offset, 0), (-1, -1), (2**63 - 1, 2**31 - 1)
    )

    def partition(index: int) -> Any:
        return kind.PartitionSnapshot(
            partition=index,
            current_leader_epoch=liar.epoch(),
            snapshot_id=kind.SnapshotId(end_offset=end_offset, epoch=epoch),
            position=liar.any_of(0, 1, size - 1, size, size + 1, -1, -(2**63), _LARGEST_INT64),
            replica_directory_id=liar.directory(replica),
        )

    partitions = liar.partitions(partition(0), partition(liar.any_of(1, -1, _LARGEST_INT32)))
    right = kind.TopicSnapshot(name=METADATA_TOPIC, partitions=partitions)
    others = [kind.TopicSnapshot(name=name, partitions=[partition(0)]) for name in ("", "orders")]
    return kind(
        cluster_id=liar.cluster_id(),
        replica_id=replica,
        max_bytes=liar.any_of(1 << 20, 0, 1, -1, -(2**31), _LARGEST_INT32),
        topics=liar.topics(right, others),
    )


def _add_raft_voter(liar: _Liar) -> Message:
    # One that has never fetched: a leader has it wait until it has caught up. It must not be in any Fetch above.
    kind = kafka.AddRaftVoterRequest
    node_id = liar.any_of(*liar.facts.voters, 77, 77, -1, -(2**31), _LARGEST_INT32)
    return kind(
        cluster_id=liar.cluster_id(),
        timeout_ms=liar.any_of(1000, 0, -1, -(2**31), _LARGEST_INT32),
        voter_id=node_id,
        voter_directory_id=liar.any_of(ZERO_UUID, b"\x77" * 16, liar.facts.voters.get(node_id, ZERO_UUID)),
        listeners=liar.listeners(kind.Listener),
        ack_when_committed=liar.any_of(True, False),
    )


def _remove_raft_voter(liar: _Liar) -> Message:
    node_id = liar.any_of(*liar.facts.voters, UNKNOWN_NODE_ID, -1, -(2**31), _LARGEST_INT32)
    return kafka.RemoveRaftVoterRequest(
        cluster_id=liar.cluster_id(),
        voter_id=node_id,
        voter_directory_id=liar.any_of(ZERO_UUID, UNKNOWN_DIRECTORY, b"\xff" * 16),
    )


def _update_raft_voter(liar: _Liar) -> Message:
    kind = kafka.UpdateRaftVoterRequest
    node_id = liar.any_of(*liar.facts.voters, UNKNOWN_NODE_ID, -1, -(2**31), _LARGEST_INT32)
    is_voter = liar.any_of(True, False) and node_id in liar.facts.voters
    listeners = liar.broken_listeners(kind.Listener) if is_voter else liar.listeners(kind.Listener)
    lowest, highest = liar.any_of(
        (0, 1), (0, 1), (1, 1), (0, 0), (1, 0), (-1, 1), (-(2**15), 2**15 - 1), (5, 9)
    )
    return kind(
        cluster_id=liar.cluster_id(),
        current_leader_epoch=liar.epoch(),
        voter_id=node_id,
        voter_directory_id=(
            liar.facts.voters[node_id] if is_voter else liar.any_of(ZERO_UUID, UNKNOWN_DIRECTORY)
        ),
        listeners=listeners,
        kraft_version_feature=kind.KRaftVersionFeature(
            min_supported_version=lowest, max_supported_version=highest
        ),
    )


def _describe_quorum(liar: _Liar) -> Message:
    kind = kafka.DescribeQuorumRequest
    return kind(topics=_named(liar, kind.TopicData, lambda index: kind.PartitionData(partition_index=index)))


def _named(liar: _Liar, kind: Callable[..., T], partition: Callable[[int], Any]) -> list[T]:
    """Topics of the requests that name them."""
    partitions = liar.partitions(partition(0), partition(liar.any_of(1, -1, _LARGEST_INT32)))
    others = [kind(topic_name=name, partitions=[partition(0)]) for name in ("", "orders")]
    return liar.topics(kind(topic_name=METADATA_TOPIC, partitions=partitions), others)


_BUILDERS: tuple[Callable[[_Liar], Message], ...] = (
    _vote,
    _vote,
    _begin_quorum_epoch,
    _begin_quorum_epoch,
    _end_quorum_epoch,
    _end_quorum_epoch,
    _fetch,
    _fetch,
    _fetch_snapshot,
    _fetch_snapshot,
    _add_raft_voter,
    _remove_raft_voter,
    _update_raft_voter,
    _describe_quorum,
)
