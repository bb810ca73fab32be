"""Runs scenario files: commands to one node, each followed by ``----`` and what it has to print.

A file holds blocks that are parted by blank lines. Lines that start with ``#`` are comments. A block is a
command line, a line ``----`` and the expected lines. ``REWRITE_SCENARIOS=1`` in the environment makes the
tests write what was printed into the files instead of comparing; review the difference then.

Commands (arguments are ``name=value``, all of them optional):

- ``disk kraft-version=1 voters=1 epoch=E leader=L voted=V`` a fresh directory: voters in the 0-0 snapshot
  (kraft-version=1), or static ones (0); with epoch, quorum-state too
- ``node id=1 port=9093 linger=25 max-batch=BYTES`` settings for lives to come
- ``start``, ``shutdown``, ``tick ms=0`` events
- ``append sizes=10,20 epoch=E base=B atomic=yes`` event; epoch and base are the right ones unless given
- ``take`` prints the effects that are ready, and leaves them unsynced
- ``persist`` makes the oldest unsynced effects durable
- ``settle`` takes, prints and persists until nothing is left to do
- ``crash batches=0 quorum-states=0`` ends the life; so many unsynced batches and quorum-state files survive
- ``cluster ...`` begins a scenario of several nodes; ``cluster_scenario`` names its commands
- ``state``, ``deadline``, ``log``, ``quorum wall=MS`` print what they are named for
"""

from __future__ import annotations

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.describe.core import describe_effects, describe_event, describe_state
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.values.effects import Effects
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.events import AppendRequested
from kafkaproto_server.core.raft.values.quorum_description import NotLeader, ReplicaDescription
from tests.core.raft.support.cluster_scenario import ClusterRunner
from tests.core.raft.support.machine import (
    Disk,
    Machine,
    bootstrap_records,
    config,
    directory,
    static_voter_set,
    voter,
)


class Runner:
    """One node and its disk over the length of a scenario."""

    def __init__(self) -> None:
        self._disk = Disk()
        self._static_voters: list[int] = []
        self._node: dict[str, str] = {}
        self._machine: Machine | None = None
        self._cluster: ClusterRunner | None = None

    @property
    def _running(self) -> Machine:
        assert self._machine is not None, "start comes first"
        return self._machine

    def run(self, command: str) -> list[str]:
        """What the command prints; after ``cluster``, that is for ``cluster_scenario`` to know."""
        if command.startswith("cluster "):
            self._cluster = ClusterRunner()
        if self._cluster is not None:
            return self._cluster.run(command)
        name, *words = command.split()
        arguments = dict(word.split("=", 1) for word in words)
        method = getattr(self, f"_run_{name.replace('-', '_')}")
        printed: list[str] = method(arguments)
        return printed

    def _run_disk(self, arguments: dict[str, str]) -> list[str]:
        voters = [int(word) for word in arguments.get("voters", "1").split(",") if word]
        self._disk = Disk()
        self._static_voters = []
        if arguments.get("kraft-version", "1") == "0":
            self._static_voters = voters
        elif voters:
            self._disk.bootstrap = bootstrap_records(*map(voter, voters))
        return []

    def _run_quorum_state(self, arguments: dict[str, str]) -> list[str]:
        self._disk.election = None
        if "epoch" in arguments:
            voted_key = None
            if "voted" in arguments:
                where = arguments.get("directory", arguments["voted"])
                directory_id = None if where == "none" else directory(int(where))
                voted_key = ReplicaKey(id=int(arguments["voted"]), directory_id=directory_id)
            leader_id = int(arguments.get("leader", "-1"))
            self._disk.election = ElectionState(
                epoch=int(arguments["epoch"]), leader_id=leader_id, voted_key=voted_key
            )
        return []

    def _run_node(self, arguments: dict[str, str]) -> list[str]:
        self._node = arguments
        return []

    def _run_start(self, arguments: dict[str, str]) -> list[str]:
        settings: dict[str, object] = {}
        if self._static_voters:
            addresses = [(node_id, "127.0.0.1", 9093) for node_id in self._static_voters]
            settings["static_voters"] = static_voter_set(addresses, "CONTROLLER")
        if "linger" in self._node:
            settings["append_linger_ms"] = int(self._node["linger"])
        if "max-batch" in self._node:
            settings["max_batch_bytes"] = int(self._node["max-batch"])
        node_id, port = int(self._node.get("id", "1")), int(self._node.get("port", "9093"))
        self._machine = Machine(config(node_id, port=port, **settings), self._disk)
        self._machine.start()
        return [describe_event(self._disk.opened())]

    def _run_shutdown(self, arguments: dict[str, str]) -> list[str]:
        self._running.shut_down()
        return []

    def _run_tick(self, arguments: dict[str, str]) -> list[str]:
        self._running.tick(int(arguments.get("ms", "0")))
        return []

    def _run_append(self, arguments: dict[str, str]) -> list[str]:
        state = self._running.node.state
        next_offset = state.accumulator.next_offset if isinstance(state, Leader) else 0
        event = AppendRequested(
            epoch=int(arguments.get("epoch", state.epoch)),
            base_offset=int(arguments.get("base", next_offset)),
            records=tuple(bytes(int(size)) for size in arguments["sizes"].split(",")),
            atomic=arguments.get("atomic", "yes") == "yes",
        )
        self._running.handle(event)
        return [describe_event(event)]

    def _run_take(self, arguments: dict[str, str]) -> list[str]:
        effects = self._running.take()
        return _lines([] if effects is None else [effects])

    def _run_persist(self, arguments: dict[str, str]) -> list[str]:
        self._running.persist()
        return []

    def _run_settle(self, arguments: dict[str, str]) -> list[str]:
        return _lines(self._running.settle())

    def _run_crash(self, arguments: dict[str, str]) -> list[str]:
        writes, election_states = (int(arguments.get(name, "0")) for name in ("batches", "quorum-states"))
        self._running.crash(writes=writes, election_states=election_states)
        return []

    def _run_state(self, arguments: dict[str, str]) -> list[str]:
        return [describe_state(self._running.node)]

    def _run_deadline(self, arguments: dict[str, str]) -> list[str]:
        deadline_ms = self._running.node.next_deadline_ms()
        return ["none" if deadline_ms is None else f"in {deadline_ms - self._running.now_ms} ms"]

    def _run_log(self, arguments: dict[str, str]) -> list[str]:
        return [
            f"{batch.base_offset}..{batch.next_offset} epoch={batch.epoch}"
            f" {'control' if batch.payload == b'control' else f'bytes={len(batch.payload)}'}"
            for batch in self._disk.log
        ]

    def _run_quorum(self, arguments: dict[str, str]) -> list[str]:
        description = self._running.node.describe_quorum(
            self._running.now_ms, int(arguments.get("wall", "0"))
        )
        if isinstance(description, NotLeader):
            return ["not leader"]
        return [
            f"leader={description.leader_id} epoch={description.epoch} hw={description.high_watermark}",
            *(f"voter {_progress(replica)}" for replica in description.voters),
            *(f"observer {_progress(replica)}" for replica in description.observers),
        ]


def _lines(obeyed: list[Effects]) -> list[str]:
    return [describe_effects(effects) for effects in obeyed] or ["nothing"]


def _progress(replica: ReplicaDescription) -> str:
    return (
        f"{replica.key.id} leo={replica.log_end_offset} fetched={replica.last_fetch_timestamp_ms}"
        f" caught up={replica.last_caught_up_timestamp_ms}"
    )
