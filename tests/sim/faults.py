"""The faults of a run: what fails, when, and for how long; and how all of them end."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto_server.core.raft.values.voters import VoterSet
from tests.sim.network import Flight
from tests.sim.replica import Replica
from tests.sim.world import World

PARTITION_MS = 2500
PAUSE_MS = 1500
STALL_MS = 1500
"""Mean lengths."""


class Faults:
    """Draws faults by the options until ``heal``."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rng = world.rng
        self._options = world.options
        self._cuts: dict[int, list[tuple[int, int]]] = {}
        self._cut_number = 0
        self.is_healed = False
        self.counts: dict[str, int] = {}
        self.calls: list[Flight] = []
        """Voter changes that clients asked for."""
        world.on_stopped = self._restart_later
        world.on_election_written = self._maybe_crash

    def begin(self) -> None:
        """Schedule the first fault of each kind."""
        options = self._options
        kinds: tuple[tuple[int, Callable[[], None]], ...] = (
            (options.crash_ms, self._crash),
            (options.crash_all_ms, self._crash_all),
            (options.shutdown_ms, self._shut_down),
            (options.resign_ms, self._resign),
            (options.pause_ms, self._pause),
            (options.clock_jump_ms, self._jump),
            (options.partition_ms, self._partition),
            (options.one_way_ms, self._cut_one_way),
            (options.broken_links_ms, self._break_link),
            (options.stall_ms, self._stall),
            (options.failed_sync_ms, self._fail_sync),
            (options.wipe_ms, self._wipe),
        )
        for interval_ms, act in kinds:
            self.repeat(interval_ms, act)

    def repeat(self, interval_ms: int, act: Callable[[], None]) -> None:
        """Let something happen again and again, at random, until everything heals."""
        if interval_ms:
            self._world.after(self._exponential_us(interval_ms), self._fire, (interval_ms, act))

    def heal(self) -> None:
        """End all faults and start every node that is down."""
        self.is_healed = True
        world = self._world
        world.note("heal")
        world.network.is_healed = True
        world.network.blocked = set()
        world.network.refusing = set()
        world.on_stopped = self._restart_soon
        for replica in world.replicas.values():
            replica.fails_next_sync = False
            if replica.is_paused:
                replica.resume()
            replica.unstall()
            if not replica.is_up:
                replica.start()

    # -- time ----------------------------------------------------------------------------------------------------

    def _fire(self, due: tuple[int, Callable[[], None]]) -> None:
        if not self.is_healed:
            interval_ms, act = due
            act()
            self.repeat(interval_ms, act)

    def _exponential_us(self, mean_ms: int) -> int:
        return int(self._rng.expovariate(1 / mean_ms) * 1000)

    def count(self, kind: str, what: object) -> None:
        """Something went wrong."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self._world.note(f"{kind} {what}")

    def _somebody(self) -> int:
        """Any node's id, more often that of a leader."""
        replica = self._live() if self._rng.random() < 0.5 else None
        return self._rng.choice(list(self._world.replicas)) if replica is None else replica.id

    def _live(self) -> Replica | None:
        live = [replica for replica in self._world.replicas.values() if replica.is_up]
        if not live:
            return None
        leaders = [replica for replica in live if replica.controller_epoch is not None]
        if leaders and self._rng.random() < 0.4:
            return self._rng.choice(leaders)
        return self._rng.choice(live)

    # -- processes -----------------------------------------------------------------------------------------------

    def _crash(self) -> None:
        replica = self._live()
        if replica is not None:
            self.count("crash", replica.id)
            self._kill(replica)

    def _crash_all(self) -> None:
        self.count("crash", "all")
        for replica in self._world.replicas.values():
            if replica.is_up:
                self._kill(replica)

    def _kill(self, replica: Replica) -> None:
        replica.is_host_down = self._options.silent_hosts and self._rng.random() < 0.5
        replica.crash()
        self._restart_later(replica)

    def _shut_down(self) -> None:
        replica = self._live()
        if replica is not None and not replica.is_stopping and not replica.is_paused:
            self.count("shutdown", replica.id)
            replica.ask_to_stop()

    def _resign(self) -> None:
        replica = self._live()
        if replica is not None and replica.controller_epoch is not None and not replica.is_paused:
            self.count("resignation", replica.id)
            replica.resign()

    def _maybe_crash(self, replica: Replica) -> bool:
        """A vote, an epoch or a leader was just written to disk: the worst time to crash, and come back soon."""
        share = self._options.crash_at_election
        if self.is_healed or share == 0 or self._rng.random() >= share:
            return False
        if self._rng.random() < 0.5:
            self._world.after(int(self._rng.random() * 5000), self._crash_now, (replica, replica.life))
            return False
        self._crash_now((replica, replica.life))
        return True

    def _crash_now(self, victim: tuple[Replica, int]) -> None:
        replica, life = victim
        if replica.is_up and replica.life == life and not self.is_healed:
            self.count("crash at election", replica.id)
            replica.crash()
            self._world.after(1 + int(self._rng.random() * 50_000), self._restart, (replica, replica.life))

    def _restart_later(self, replica: Replica) -> None:
        self._world.after(self._exponential_us(self._options.down_ms), self._restart, (replica, replica.life))

    def _restart_soon(self, replica: Replica) -> None:
        self._world.after(10_000, self._restart, (replica, replica.life))

    def _restart(self, down: tuple[Replica, int]) -> None:
        replica, life = down
        if replica.is_up or replica.life != life:
            return
        if (
            self._options.endpoint_changes
            and self._rng.random() < 0.5
            and replica.can_be_voter
            and self.may_lose(replica)
        ):
            self.count("move", replica.id)
            self._world.move(replica)
        self._world.note(f"start {replica.id}")
        replica.start()

    def _pause(self) -> None:
        replica = self._live()
        if replica is not None and not replica.is_paused:
            self.count("pause", replica.id)
            replica.pause()
            self._world.after(self._exponential_us(PAUSE_MS), self._resume, (replica, replica.life))

    def _resume(self, paused: tuple[Replica, int]) -> None:
        replica, life = paused
        if replica.life == life and replica.is_paused:
            self._world.note(f"resume {replica.id}")
            replica.resume()

    def _jump(self) -> None:
        replica = self._live()
        if replica is not None and not replica.is_paused:
            self.count("clock jump", replica.id)
            replica.jump_clock(int(self._rng.expovariate(1 / 1000)))

    # -- links ---------------------------------------------------------------------------------------------------

    def _partition(self) -> None:
        ids = list(self._world.replicas)
        if self._rng.random() < 0.5:
            inside = {self._somebody()}
        else:
            inside = {node_id for node_id in ids if self._rng.random() < 0.5}
        pairs = [(a, b) for a in ids for b in ids if (a in inside) != (b in inside)]
        self.count("partition", sorted(inside))
        self._cut(pairs)

    def _cut_one_way(self) -> None:
        ids = list(self._world.replicas)
        one = self._somebody()
        others = [node_id for node_id in ids if node_id != one]
        if not others:
            return
        kind = self._rng.randrange(3)
        if kind == 0:
            pairs = [(one, other) for other in others]
        elif kind == 1:
            pairs = [(other, one) for other in others]
        else:
            pairs = [(one, self._rng.choice(others))]
        self.count("one-way cut", pairs)
        self._cut(pairs)

    def _cut(self, pairs: list[tuple[int, int]]) -> None:
        self._cut_number += 1
        self._cuts[self._cut_number] = pairs
        self._world.after(self._exponential_us(PARTITION_MS), self._mend, self._cut_number)
        self._world.network.blocked.update(pairs)

    def _mend(self, number: int) -> None:
        del self._cuts[number]
        if not self.is_healed:
            self._world.network.blocked = {pair for pairs in self._cuts.values() for pair in pairs}

    def _break_link(self) -> None:
        replicas = list(self._world.replicas.values())
        if len(replicas) > 1:
            first, second = self._rng.sample(replicas, 2)
            self.count("broken link", (first.id, second.id))
            self._world.network.break_links(first, second)

    # -- disks ---------------------------------------------------------------------------------------------------

    def _stall(self) -> None:
        replica = self._live()
        if replica is not None and not replica.has_stalled_disk:
            self.count("disk stall", replica.id)
            replica.has_stalled_disk = True
            self._world.after(self._exponential_us(STALL_MS), self._unstall, replica)

    def _unstall(self, replica: Replica) -> None:
        if not self.is_healed:
            replica.unstall()

    def _fail_sync(self) -> None:
        replica = self._live()
        if replica is not None:
            self.count("failed sync", replica.id)
            replica.fails_next_sync = True

    def _wipe(self) -> None:
        replica = self._rng.choice(list(self._world.replicas.values()))
        if not self.may_lose(replica):
            return
        self.count("disk loss", replica.id)
        if replica.is_up:
            self._kill(replica)
        self._world.wipe(replica)

    # -- what an operator may risk -------------------------------------------------------------------------------

    def may_lose(self, replica: Replica) -> bool:
        """Whether a quorum survives if a replica's directory is lost, or if its address is no longer the one in the
        voter set.

        No other voter is lost, no change of the voters is in progress, and the others are a majority.
        """
        world = self._world
        if world.is_static_configured or self.has_change_under_way():
            return False
        sets = self._voter_sets()
        committed = world.commits.voters_at(world.commits.end_offset)[1]
        for voters in sets:
            if any(world.is_lost(voter) for voter in voters.voters):
                return False
            if len(voters.voters) < 2:
                return False
            if voters.is_voter(replica.key) and (len(voters.voters) < 3 or voters != committed):
                return False
        return True

    def _voter_sets(self) -> list[VoterSet]:
        """Every voter set that some log has in force, and the committed one."""
        sets = [replica.recorded_voters()[1] for replica in self._world.controllers]
        committed = self._world.commits.voters_at(self._world.commits.end_offset)[1]
        if committed is not None:
            sets.append(committed)
        return [voters for voters in sets if voters.voters]

    def has_change_under_way(self) -> bool:
        """Whether a voter change that a client requested may still happen."""
        self.calls = [
            call
            for call in self.calls
            if not call.is_over or (call.target is not None and call.target.is_paused)
        ]
        return bool(self.calls)
