"""A quorum as tools see it, in memory: answers DescribeQuorum, takes changes of the voters, fails as it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeQuorumResponse
from kafkaproto_server.base.types import Endpoint, ReplicaKey
from kafkaproto_server.tools.quorum.access import ChangeResult, DescribedQuorum
from tests.tools.support.quorum_responses import CLUSTER_ID

NOW_MS = 1_795_239_301_118
END_OFFSET = 1_000

NONE = ChangeResult(error=ErrorCode.NONE, message="")


def key(node_id: int, directory: int | None = None) -> ReplicaKey:
    """Node N has directory N unless said otherwise."""
    return ReplicaKey(
        id=node_id, directory_id=bytes(15) + bytes([node_id if directory is None else directory])
    )


@dataclass
class Progress:
    """How far a replica is; nodes that are not named in a model have fetched just now all there is."""

    lag: int = 0
    fetched_ms_ago: int | None = 10
    caught_up_ms_ago: int | None = 10


@dataclass
class QuorumModel:
    """`tools.quorum.voter_alteration.Access`; keeps every set of voters that it had."""

    voters: list[ReplicaKey]
    observers: list[ReplicaKey]
    leader_id: int
    progress: dict[int, Progress] = field(default_factory=dict)
    outcomes: list[ChangeResult | Exception] = field(default_factory=list)
    """What becomes of the next changes, in the place of success; an exception comes after the change was made."""
    brokers: frozenset[int] = frozenset()
    """Observers that are no controllers."""
    before_describing: list[Callable[[], None]] = field(default_factory=list)
    """What happens before each of the next answers."""
    changes: list[str] = field(default_factory=list)
    """``+4`` for a voter added, ``-1`` for one removed; every attempt."""

    @property
    def voter_ids(self) -> list[int]:
        """Ascending."""
        return sorted(each.id for each in self.voters)

    def describe(self) -> DescribedQuorum:
        """What the leader tells."""
        return DescribedQuorum(CLUSTER_ID, self.response())

    def response(self, port: int = 1) -> DescribeQuorumResponse:
        """The leader's answer to DescribeQuorum, by which it listens on ``port``."""
        if self.before_describing:
            self.before_describing.pop(0)()
        partition = DescribeQuorumResponse.PartitionData(
            partition_index=0,
            leader_id=self.leader_id,
            leader_epoch=7,
            high_watermark=END_OFFSET,
            current_voters=[self._state(each) for each in self.voters],
            observers=[self._state(each) for each in self.observers],
        )
        topic = DescribeQuorumResponse.TopicData(topic_name="__cluster_metadata", partitions=[partition])
        listener = DescribeQuorumResponse.Listener(name="CONTROLLER", host="127.0.0.1", port=port)
        node = DescribeQuorumResponse.Node(node_id=self.leader_id, listeners=[listener])
        return DescribeQuorumResponse(topics=[topic], nodes=[node])

    def add_voter(
        self, voter: ReplicaKey, endpoints: Sequence[Endpoint], cluster_id: str | None = None
    ) -> ChangeResult:
        """AddRaftVoter."""
        assert cluster_id in (None, CLUSTER_ID)
        assert [each.port for each in endpoints] == [9000 + voter.id]
        self.changes.append(f"+{voter.id}")

        def change() -> None:
            assert voter in self.observers
            self.observers.remove(voter)
            self.voters.append(voter)

        return self._outcome(change)

    def remove_voter(self, voter: ReplicaKey, cluster_id: str | None = None) -> ChangeResult:
        """RemoveRaftVoter; a leader that goes is followed by the first of the others."""
        assert cluster_id in (None, CLUSTER_ID)
        self.changes.append(f"-{voter.id}")

        def change() -> None:
            self.voters.remove(voter)
            self.observers.append(voter)
            if voter.id == self.leader_id:
                self.leader_id = self.voters[0].id

        return self._outcome(change)

    def controller_endpoints(self, quorum: DescribedQuorum) -> dict[int, list[Endpoint]]:
        """Node N listens on port 9000 + N."""
        return {
            each.id: [Endpoint(name="CONTROLLER", host="127.0.0.1", port=9000 + each.id)]
            for each in (*self.voters, *self.observers)
            if each.id not in self.brokers
        }

    def _outcome(self, change: Callable[[], None]) -> ChangeResult:
        outcome = self.outcomes.pop(0) if self.outcomes else NONE
        if isinstance(outcome, ChangeResult) and outcome.error is not ErrorCode.NONE:
            return outcome
        change()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _state(self, replica: ReplicaKey) -> DescribeQuorumResponse.ReplicaState:
        progress = self.progress.get(replica.id, Progress())
        if replica.id == self.leader_id:
            progress = Progress(fetched_ms_ago=0, caught_up_ms_ago=0)

        def timestamp(ago: int | None) -> int:
            return -1 if ago is None else NOW_MS - ago

        assert replica.directory_id is not None
        return DescribeQuorumResponse.ReplicaState(
            replica_id=replica.id,
            replica_directory_id=replica.directory_id,
            log_end_offset=END_OFFSET - progress.lag,
            last_fetch_timestamp=timestamp(progress.fetched_ms_ago),
            last_caught_up_timestamp=timestamp(progress.caught_up_ms_ago),
        )
