"""Commands of a scenario of several nodes; ``scenario`` tells how the files look.

Each command prints what happened since the one before: messages (``1->2 Vote ...``; fetches only after ``fetches``) and
changes of state. Time passes by ``run`` alone; every message and every write takes 1 ms. Nodes are named by their ids.

- ``cluster voters=1,2,3 observers=4 kraft-version=1 fetch-timeout=2000 election-timeout=1000 snapshot-bytes=N
  auto-join=no max-fetch=N`` makes nodes and their disks; observers have the controller role too
- ``quorum-state node=1 epoch=E leader=L voted=V`` what a node's disk holds before it starts
- ``log node=1 epochs=1,1,2`` a node's log before it starts: one record an epoch named
- ``start nodes=1,2``, ``kill node=1`` (without a word), ``shutdown node=1``, ``resign node=1``
- ``run ms=N show=yes`` lets time pass
- ``append node=1 count=1``, ``snapshot node=1``, ``clean node=1`` (to the latest snapshot)
- ``cut from=1 to=2`` loses messages one way, ``cut between=1,2`` both; ``heal`` ends all of it
- ``break between=1,2`` breaks the connections between two nodes, once
- ``stall node=1``, ``unstall node=1`` a disk
- ``ask node=1 NAME field=value ...`` puts a forged request to a node and prints the answer; NAME is vote, pre-vote,
  begin, end, fetch, fetch-snapshot, add-voter, remove-voter, update-voter
- ``fetches show=yes`` shows fetches from here on
- ``states``, ``logs``, ``quorum node=1``, ``statistics node=1``, ``deadline node=1`` print what they are named for
"""

from __future__ import annotations

from kafkaproto_server.base.types import Endpoint, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.describe.messages import describe_key, describe_message
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.events import RequestReceived, ResignRequested
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchedBatch,
    FetchRequest,
    FetchSnapshotRequest,
    InboundRequest,
    RemoveVoterRequest,
    UpdateVoterRequest,
    VoteRequest,
)
from kafkaproto_server.core.raft.values.quorum_description import NotLeader, ReplicaDescription
from tests.core.raft.support.cluster import Cluster, destination
from tests.core.raft.support.machine import (
    Disk,
    bootstrap_records,
    config,
    directory,
    static_voter_set,
    voter,
)

Arguments = dict[str, str]


class ClusterRunner:
    """A cluster over the length of a scenario."""

    def __init__(self) -> None:
        self._cluster = Cluster()
        self._asked = 0

    def run(self, command: str) -> list[str]:
        """What the command prints."""
        name, *words = command.split()
        arguments = dict((word if "=" in word else f"what={word}").split("=", 1) for word in words)
        method = getattr(self, f"_run_{name.replace('-', '_')}")
        printed: list[str] = method(arguments)
        happened, self._cluster.transcript = self._cluster.transcript, []
        return [*happened, *printed]

    # -- before a start ------------------------------------------------------------------------------------------------

    def _run_cluster(self, arguments: Arguments) -> list[str]:
        voters = _numbers(arguments.get("voters", "1,2,3"))
        observers = _numbers(arguments.get("observers", ""))
        is_static = arguments.get("kraft-version", "1") == "0"
        settings: dict[str, object] = {
            "bootstrap_servers": tuple(destination(node_id) for node_id in [*voters, *observers]),
            "fetch_timeout_ms": int(arguments.get("fetch-timeout", "2000")),
            "election_timeout_ms": int(arguments.get("election-timeout", "1000")),
            "fetch_snapshot_max_bytes": int(arguments.get("snapshot-bytes", "1000")),
            "auto_join": arguments.get("auto-join", "no") == "yes",
        }
        if is_static:
            addresses = [(node_id, "127.0.0.1", node_id) for node_id in voters]
            settings["static_voters"] = static_voter_set(addresses, "CONTROLLER")
        recorded = bootstrap_records(*(voter(node_id, port=node_id) for node_id in voters))
        for node_id in [*voters, *observers]:
            disk = Disk(bootstrap=recorded if node_id in voters and not is_static else ())
            self._cluster.add(config(node_id, port=node_id, **settings), disk)
        return []

    def _run_quorum_state(self, arguments: Arguments) -> list[str]:
        voted = arguments.get("voted")
        self._disk(arguments).election = ElectionState(
            epoch=int(arguments["epoch"]),
            leader_id=int(arguments.get("leader", "-1")),
            voted_key=None if voted is None else voter(int(voted)).key,
        )
        return []

    def _run_log(self, arguments: Arguments) -> list[str]:
        self._disk(arguments).log = [
            FetchedBatch(base_offset=offset, next_offset=offset + 1, epoch=epoch, payload=b"old %d" % epoch)
            for offset, epoch in enumerate(_numbers(arguments["epochs"]))
        ]
        return []

    # -- what happens --------------------------------------------------------------------------------------------------

    def _run_start(self, arguments: Arguments) -> list[str]:
        for node_id in _numbers(arguments.get("nodes", arguments.get("node", ""))):
            self._cluster.start(node_id)
        return []

    def _run_kill(self, arguments: Arguments) -> list[str]:
        self._cluster.kill(_node(arguments))
        return []

    def _run_shutdown(self, arguments: Arguments) -> list[str]:
        self._cluster.do(_node(arguments), lambda machine: machine.shut_down())
        return []

    def _run_resign(self, arguments: Arguments) -> list[str]:
        epoch = self._cluster.machines[_node(arguments)].node.state.epoch
        self._cluster.do(_node(arguments), lambda machine: machine.handle(ResignRequested(epoch=epoch)))
        return []

    def _run_run(self, arguments: Arguments) -> list[str]:
        self._cluster.run(int(arguments["ms"]))
        if arguments.get("show") == "no":
            self._cluster.transcript = []
        return []

    def _run_append(self, arguments: Arguments) -> list[str]:
        for _ in range(int(arguments.get("count", "1"))):
            self._cluster.do(_node(arguments), lambda machine: machine.append([10]))
        return []

    def _run_snapshot(self, arguments: Arguments) -> list[str]:
        high_watermark = self._cluster.machines[_node(arguments)].node.high_watermark
        assert high_watermark is not None
        self._cluster.do(_node(arguments), lambda machine: machine.make_snapshot(high_watermark))
        return []

    def _run_clean(self, arguments: Arguments) -> list[str]:
        latest = max(self._disk(arguments).snapshots)
        self._cluster.do(_node(arguments), lambda machine: machine.clean(latest.offset))
        return []

    def _run_cut(self, arguments: Arguments) -> list[str]:
        if "between" in arguments:
            one, other = _numbers(arguments["between"])
            self._cluster.cut |= {(one, other): None, (other, one): None}
        else:
            self._cluster.cut[int(arguments["from"]), int(arguments["to"])] = None
        return []

    def _run_heal(self, arguments: Arguments) -> list[str]:
        self._cluster.cut = {}
        return []

    def _run_break(self, arguments: Arguments) -> list[str]:
        one, other = _numbers(arguments["between"])
        self._cluster.break_connections(one, other)
        return []

    def _run_stall(self, arguments: Arguments) -> list[str]:
        self._cluster.stall(_node(arguments))
        return []

    def _run_unstall(self, arguments: Arguments) -> list[str]:
        self._cluster.unstall(_node(arguments))
        return []

    def _run_fetches(self, arguments: Arguments) -> list[str]:
        self._cluster.shows_fetches = arguments["show"] == "yes"
        return []

    def _run_ask(self, arguments: Arguments) -> list[str]:
        request = _request(arguments["what"], arguments)
        self._asked += 1
        request_id = 1_000_000 + self._asked
        event = RequestReceived(request_id=request_id, request=request, listener_name="CONTROLLER")
        node_id = _node(arguments)
        self._cluster.do(node_id, lambda machine: machine.handle(event))
        self._cluster.run(int(arguments.get("wait", "5")))
        responses = [
            response
            for response in self._cluster.machines[node_id].responses
            if response.request_id == request_id
        ]
        return [describe_message(response.response) for response in responses] or ["no answer yet"]

    # -- what there is to see ------------------------------------------------------------------------------------------

    def _run_states(self, arguments: Arguments) -> list[str]:
        return [line.split(" voters=")[0] for line in self._cluster.states()]

    def _run_voters(self, arguments: Arguments) -> list[str]:
        return [
            f"{node_id}: {[describe_key(each.key) for each in self._cluster.machines[node_id].node.voters.voters]}"
            for node_id in sorted(self._cluster.running)
        ]

    def _run_logs(self, arguments: Arguments) -> list[str]:
        return [
            f"{node_id}: {machine.disk.start_offset}..{machine.disk.end_offset}"
            f" epochs {machine.disk.epochs}"
            f" snapshots {[f'{each.offset}-{each.epoch}' for each in sorted(machine.disk.snapshots)]}"
            for node_id, machine in sorted(self._cluster.machines.items())
        ]

    def _run_quorum(self, arguments: Arguments) -> list[str]:
        node = self._cluster.machines[_node(arguments)].node
        description = node.describe_quorum(self._cluster.now_ms, self._cluster.now_ms)
        if isinstance(description, NotLeader):
            return ["not leader"]
        return [
            f"leader={description.leader_id} epoch={description.epoch} hw={description.high_watermark}",
            *(f"voter {self._progress(replica)}" for replica in description.voters),
            *(f"observer {self._progress(replica)}" for replica in description.observers),
        ]

    def _run_statistics(self, arguments: Arguments) -> list[str]:
        statistics = self._cluster.machines[_node(arguments)].node.statistics()
        return [f"{name}={getattr(statistics, name)}" for name in statistics.__slots__]

    def _run_deadline(self, arguments: Arguments) -> list[str]:
        deadline_ms = self._cluster.machines[_node(arguments)].node.next_deadline_ms()
        return ["none" if deadline_ms is None else f"in {deadline_ms - self._cluster.now_ms} ms"]

    def _progress(self, replica: ReplicaDescription) -> str:
        """Times as milliseconds before now."""
        ages = (
            f"{self._cluster.now_ms - time_ms} ms ago" if time_ms != -1 else "never"
            for time_ms in (replica.last_fetch_timestamp_ms, replica.last_caught_up_timestamp_ms)
        )
        return "{} leo={} fetched {} caught up {}".format(
            describe_key(replica.key), replica.log_end_offset, *ages
        )

    def _disk(self, arguments: Arguments) -> Disk:
        return self._cluster.machines[_node(arguments)].disk


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",") if word]


def _node(arguments: Arguments) -> int:
    return int(arguments["node"])


def _key(text: str) -> ReplicaKey:
    """A node id, with the directory of a node after a slash: 1, 1/1, 1/9."""
    node_id, _, directory_number = text.partition("/")
    return ReplicaKey(
        id=int(node_id), directory_id=directory(int(directory_number)) if directory_number else None
    )


def _position(text: str) -> OffsetAndEpoch:
    offset, _, epoch = text.partition("@")
    return OffsetAndEpoch(offset=int(offset), epoch=int(epoch))


def _request(name: str, arguments: Arguments) -> InboundRequest:
    """A forged request; what is not given is what a well-meaning node would send."""
    replica = _key(arguments.get("from", "9/9"))
    epoch = int(arguments.get("epoch", "0"))
    log = _position(arguments.get("log", "0@0"))
    to = _key(arguments.get("to", "-1"))
    port = int(arguments.get("port", str(replica.id)))
    endpoints = (Endpoint(name=arguments.get("listener", "CONTROLLER"), host="127.0.0.1", port=port),)
    match name:
        case "vote" | "pre-vote":
            return VoteRequest(
                replica=replica,
                voter_id=to.id,
                voter_directory_id=to.directory_id,
                epoch=epoch,
                last_epoch=log.epoch,
                last_offset=log.offset,
                is_pre_vote=name == "pre-vote",
            )
        case "begin":
            return BeginQuorumEpochRequest(
                leader_id=replica.id,
                epoch=epoch,
                voter_id=to.id,
                voter_directory_id=to.directory_id,
                leader_endpoints=() if arguments.get("endpoints") == "none" else endpoints,
            )
        case "end":
            candidates = tuple(_key(word) for word in arguments.get("candidates", "").split(",") if word)
            return EndQuorumEpochRequest(leader_id=replica.id, epoch=epoch, preferred_candidates=candidates)
        case "fetch":
            return FetchRequest(
                replica=replica,
                epoch=epoch,
                fetch_offset=log.offset,
                last_fetched_epoch=log.epoch,
                max_wait_ms=int(arguments.get("max-wait", "0")),
                max_bytes=int(arguments.get("max-bytes", "1000")),
                high_watermark=int(arguments.get("hw", "-1")),
            )
        case "fetch-snapshot":
            return FetchSnapshotRequest(
                replica=replica,
                epoch=epoch,
                snapshot=_position(arguments["snapshot"]),
                position=int(arguments.get("position", "0")),
                max_bytes=int(arguments.get("max-bytes", "1000")),
            )
        case "add-voter":
            return AddVoterRequest(
                voter=replica, endpoints=endpoints, timeout_ms=1000, ack_when_committed=True
            )
        case "remove-voter":
            return RemoveVoterRequest(voter=replica)
        case "update-voter":
            return UpdateVoterRequest(
                epoch=epoch, voter=replica, endpoints=endpoints, min_kraft_version=0, max_kraft_version=1
            )
    raise ValueError(f"no request is called {name}")
