"""A real leader, with its log index and outbox, to try changes of voters and kraft.version on.

There are no other nodes: the tests say what those fetched and answered.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.log_index import LogIndex
from kafkaproto_server.core.raft.model.states import Candidate, Leader, leader_and_epoch
from kafkaproto_server.core.raft.roles import commit, membership, voter_changes
from kafkaproto_server.core.raft.roles import leader as leading
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.control import ControlRecord
from kafkaproto_server.core.raft.values.effects import (
    ControlBatchAppended,
    PendingBatch,
    SendRequest,
    SendResponse,
)
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, ResponseReceived
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    ApiVersionsRequest,
    ApiVersionsResponse,
    OutboundResponse,
    RemoveVoterRequest,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
)
from kafkaproto_server.core.raft.values.voters import VoterHistory, VoterSet
from kafkaproto_server.core.raft.values.votes import VoteCount

LISTENER = "CONTROLLER"


def key(node_id: int) -> ReplicaKey:
    return ReplicaKey(id=node_id, directory_id=bytes([node_id]) * 16)


def endpoints(node_id: int) -> tuple[Endpoint, ...]:
    return (
        Endpoint(name="SECOND", host=f"host{node_id}", port=9094),
        Endpoint(name=LISTENER, host=f"host{node_id}", port=9093),
    )


def voter(node_id: int) -> Voter:
    return Voter(key=key(node_id), endpoints=endpoints(node_id))


def voter_set(*node_ids: int) -> VoterSet:
    return VoterSet(voters=tuple(map(voter, node_ids)))


def static_set(*node_ids: int) -> VoterSet:
    return VoterSet(
        voters=tuple(
            Voter(key=ReplicaKey(id=node_id), endpoints=endpoints(node_id)[1:], max_kraft_version=0)
            for node_id in node_ids
        )
    )


class LowestRng:
    def below(self, limit: int) -> int:
        return 0

    def uuid(self) -> bytes:
        raise AssertionError("nobody here needs an id")


class Harness:
    """Node 1 as leader of epoch 5, and what it has sent so far."""

    def __init__(self, *node_ids: int, kraft_version: int = 1) -> None:
        config = RaftConfig(
            key=key(1),
            endpoints=endpoints(1),
            listener_name=LISTENER,
            static_voters=static_set(*node_ids) if kraft_version == 0 else None,
        )
        voters = VoterHistory(config.static_voters)
        if kraft_version == 1:
            voters.add_kraft_version(0, 1)
            voters.add_voters(1, voter_set(*node_ids))
        self.now_ms = 1000
        self.core = Core(
            now_ms=0,
            config=config,
            rng=LowestRng(),
            log=LogIndex(start_offset=0, end_offset=10),
            voters=voters,
            state=Candidate(
                epoch=5,
                voted_key=key(1),
                votes=VoteCount(voters=voters.latest.voters),
                vote_number=None,
                deadline_ms=0,
                began_ms=0,
            ),
        )
        self.responses: dict[int, OutboundResponse] = {}
        self.requests: dict[int, SendRequest] = {}
        self.batches: list[PendingBatch] = []
        self.next_offsets: list[int] = []
        leading.become_leader(self.core, node_ids, self.now_ms)
        self.leader = self.core.state
        self._next_request_id = 0

    def take(self) -> None:
        """Obey all effects, as a disk that is at once done would."""
        while effects := self.core.outbox.take(leader_and_epoch(self.core.state)):
            for notice in (*effects.notify_now, *effects.notify_after_persist):
                if isinstance(notice, SendResponse):
                    assert notice.request_id not in self.responses, "answered twice"
                    self.responses[notice.request_id] = notice.response
                elif isinstance(notice, SendRequest):
                    self.requests[notice.request_id] = notice
                elif isinstance(notice, ControlBatchAppended):
                    self.next_offsets.append(notice.next_offset)
            self.batches += [write for write in effects.writes if isinstance(write, PendingBatch)]
            if effects.must_persist:
                self.core.outbox.mark_persisted(effects.number)

    def fetch(self, *node_ids: int) -> None:
        """These nodes hold all that the leader holds."""
        self.take()
        assert isinstance(self.leader, Leader)
        for node_id in node_ids:
            end = self.core.log.end_offset
            self.leader.progress.fetched(key(node_id), end, end, self.core.voters.latest, self.now_ms)
        commit.maybe_advance_high_watermark(self.core, self.now_ms)
        self.take()

    def ask(self, handle: Callable[..., None], request: object, *arguments: object) -> int:
        """Hand a request in; returns its id."""
        self._next_request_id += 1
        handle(self.core, self.leader, self._next_request_id, request, *arguments, self.now_ms)
        self.take()
        return self._next_request_id

    def change(self, request: AddVoterRequest | RemoveVoterRequest | UpgradeKRaftVersionRequest) -> int:
        """Ask for a change whose answer is a VoterChangeResponse."""
        handler: Callable[..., None]
        match request:
            case AddVoterRequest():
                handler = membership.handle_add_voter
            case RemoveVoterRequest():
                handler = membership.handle_remove_voter
            case UpgradeKRaftVersionRequest():
                handler = membership.handle_upgrade_kraft_version
        return self.ask(handler, request)

    def error(self, request_id: int) -> RaftError | None:
        """How a request was answered; None where it was not yet."""
        response = self.responses.get(request_id)
        if response is None:
            return None
        assert isinstance(response, VoterChangeResponse)
        assert (response.message is None) == (response.error is RaftError.NONE), "errors have words"
        return response.error

    def message(self, request_id: int) -> str:
        response = self.responses[request_id]
        assert isinstance(response, VoterChangeResponse)
        return response.message or ""

    def new_voter_responses(
        self,
        low: int = 0,
        high: int = 1,
        error: RaftError = RaftError.NONE,
        number: int = -1,
        can_vote: bool = True,
    ) -> None:
        """The last node that was asked for its kraft.versions says what they are."""
        sent = list(self.requests.values())[number]
        assert isinstance(sent.request, ApiVersionsRequest)
        self.core.requests.complete(sent.request_id)
        response = ApiVersionsResponse(
            error=error, min_kraft_version=low, max_kraft_version=high, can_vote=can_vote
        )
        outcome = ResponseReceived(request_id=sent.request_id, response=response)
        self.outcome(outcome)

    def outcome(self, outcome: ResponseReceived | RequestFailed) -> None:
        assert isinstance(self.leader, Leader)
        membership.handle_api_versions(self.core, self.leader, outcome, self.now_ms)
        self.take()

    def tick_at(self, now_ms: int) -> None:
        self.now_ms = now_ms
        assert isinstance(self.leader, Leader)
        membership.tick(self.core, self.leader, now_ms)
        self.take()

    @property
    def deadline_ms(self) -> int | None:
        assert isinstance(self.leader, Leader)
        return membership.deadline_ms(self.core, self.leader)

    @property
    def has_uncommitted_change(self) -> bool:
        assert isinstance(self.leader, Leader)
        return voter_changes.has_uncommitted_change(self.core, self.leader)

    @property
    def last_control(self) -> tuple[ControlRecord, ...]:
        return self.batches[-1].control


def committed(*node_ids: int, kraft_version: int = 1) -> Harness:
    """A leader whose epoch's first batch is committed."""
    harness = Harness(*node_ids, kraft_version=kraft_version)
    harness.fetch(*node_ids)
    return harness


def add(node_id: int, **fields: object) -> AddVoterRequest:
    request = AddVoterRequest(
        voter=key(node_id), endpoints=endpoints(node_id), timeout_ms=30_000, ack_when_committed=True
    )
    return msgspec.structs.replace(request, **fields)


def remove(node_id: int) -> RemoveVoterRequest:
    return RemoveVoterRequest(voter=key(node_id))


def add_until_appended(harness: Harness, node_id: int, **fields: object) -> int:
    """AddRaftVoter of a node that is caught up and answers; returns the request's id."""
    harness.fetch(node_id)
    request_id = harness.change(add(node_id, **fields))
    harness.new_voter_responses()
    return request_id
