"""What goes wrong in a run of whole nodes, until everything heals."""

from __future__ import annotations

import errno
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import trio

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import LOG_SUFFIX
from kafkaproto.records.batch import iterate_batches
from tests.sim.nodes.data.logs import is_of_records
from tests.sim.nodes.host import Host, SeededRng
from tests.sim.nodes.network import Net
from tests.sim.nodes.options import DOWN_S, Act, Event, Strike, Victim
from tests.sim.nodes.timeline import Timeline

_CHECKED_FILES = (".log", ".checkpoint", ".index", ".timeindex", "leader-epoch-checkpoint")
"""Those whose reader notices a wrong bit, or can do without them."""
AWAY_S = 6.0
"""As `NodesOptions.down_s`, of a node that stays away until the others have gone on without it."""
CUT_S = 2.0
SILENT_S = 6.0


class Faults:
    """Draws faults until `heal`."""

    def __init__(
        self,
        hosts: Sequence[Host],
        net: Net,
        timeline: Timeline,
        rng: random.Random,
        config: Mapping[str, str],
        down_s: float = DOWN_S,
    ) -> None:
        """``down_s``: the mean time until a node that ended starts again."""
        self._hosts = hosts
        self._net = net
        self._timeline = timeline
        self._rng = rng
        self._config = config
        self._down_s = down_s
        self.counts: Counter[str] = Counter()
        self.is_healed = False
        self.is_over = False
        """Nothing is to be started any more."""
        self._with_bad_disk: set[int] = set()
        self._refused: set[int] = set()
        """Nodes that ended because of their disks, and are down."""
        self._rotten: dict[int, Callable[[], None]] = {}
        self.before_start: dict[int, list[Callable[[], None]]] = {}
        """What is to be done to a host before its node starts the next time."""
        self.starting: Callable[[Host], None] = lambda host: None
        """Called before a node starts again."""
        for host in hosts:
            host.power_lost = self._power_lost

    def begin(self, mean_s: Mapping[str, float], more: Mapping[str, Callable[[Host], bool]]) -> None:
        """Start, with the mean time between two faults of each kind. ``more`` are kinds beside those that are known
        here."""
        acts: dict[str, Callable[[Host], bool]] = {
            "kill": self._kill,
            "power loss": self._lose_power,
            "power loss in an operation": self._lose_power_later,
            "stop": self._stop,
            "cut link": self._cut_link,
            "cut off": self._cut_off,
            "one way": self._cut_one_way,
            "reset": lambda host: self._net.reset_some(host.net),
            "slow network": self._slow_network,
            "slow disk": self._slow_disk,
            "failed sync": self._fail_sync,
            "failed read": partial(self._fail, "read"),
            "failed write": partial(self._fail, "write"),
            "full disk": self._fill,
            "bit rot": self._rot,
            "clock jump": self._jump,
            "silent name": self._silence_name,
            "several killed": self._kill_several,
            "away": self._send_away,
            "returns behind": self._return_behind,
            **more,
        }
        assert mean_s.keys() <= acts.keys(), mean_s
        for name, mean in mean_s.items():
            self._later(mean, partial(self._fire, name, mean, acts[name]))

    def _later(self, mean_s: float, act: Callable[[], object]) -> None:
        self._timeline.after(self._rng.expovariate(1 / mean_s), act)

    def _fire(self, name: str, mean_s: float, act: Callable[[Host], bool]) -> None:
        if self.is_healed:
            return
        host = self._rng.choice(self._hosts)
        if act(host):
            self.counts[name] += 1
            self._timeline.trace.add(f"{name} {host.id}")
        self._later(mean_s, partial(self._fire, name, mean_s, act))

    # -- nodes -----------------------------------------------------------------------------------------------------

    def _kill(self, host: Host) -> bool:
        if not host.is_up:
            return False
        host.kill()
        self.restart_later(host)
        return True

    def _kill_several(self, host: Host) -> bool:
        count = self._rng.randint(2, max(2, len(self._hosts)))
        killed = [self._kill(each) for each in [host, *self._others(host)][:count]]
        return any(killed)

    def _send_away(self, host: Host) -> bool:
        if not host.is_up:
            return False
        host.kill()
        self._later(AWAY_S, partial(self.restart, host))
        return True

    def strike(
        self, strikes: Sequence[Strike], rng: random.Random, event: Event, host: Host, member_id: int | None
    ) -> None:
        """A partition's leader on a host has done something, which has to do with a follower or not: some faults
        follow. Only ``rng`` is drawn from."""
        for each in strikes:
            if each.event == event and not self.is_healed and rng.random() < each.share:
                delay_s = rng.expovariate(1 / each.within_s)
                self._timeline.after(delay_s, partial(self._strike, each, rng, host, member_id))

    def _strike(self, strike: Strike, rng: random.Random, host: Host, member_id: int | None) -> None:
        if self.is_healed:
            return
        others = [each for each in self._hosts if each is not host and each.is_broker]
        asked_for = [each for each in others if each.id == member_id]
        followers = asked_for or rng.sample(others, min(1, len(others)))
        victims: dict[Victim, list[Host]] = {
            "itself": [host],
            "a follower": followers,
            "the others": [each for each in others if each not in followers],
            "the controller": [each for each in self._hosts if each.leads][:1],
        }
        acts: dict[Act, Callable[[Host], bool]] = {
            "kill": self._kill,
            "power loss": self._lose_power,
            "cut off": self._isolate,
            "hide": partial(self._hide, host),
            "reset": self._reset_all,
            "away": self._send_away,
            "start": self._start_now,
        }
        for victim, act in strike.hits:
            for hit in victims[victim]:
                if acts[act](hit):
                    self.counts[f"{act} at an event"] += 1
                    self._timeline.trace.add(f"{act} {hit.id}, {strike.event}")

    def _return_behind(self, host: Host) -> bool:
        """A broker was away while the others went on. When it is back, all others start anew: who leads then does not
        know yet what is committed."""
        if not host.is_up or not host.is_broker:
            return False
        host.kill()

        def back() -> None:
            self.restart(host)
            self._timeline.after(self._rng.uniform(0.0, 0.5), kill_others)

        def kill_others() -> None:
            for each in self._others(host) if not self.is_healed else ():
                self._kill(each)

        self._timeline.after(self._rng.uniform(2, 6), back)
        return True

    def _start_now(self, host: Host) -> bool:
        if not host.has_ended.is_set():
            return False
        self.restart(host)
        return True

    def _lose_power(self, host: Host) -> bool:
        if not host.is_up:
            return False
        host.lose_power()
        self.restart_later(host)
        return True

    def _lose_power_later(self, host: Host) -> bool:
        if not host.is_up or host.disk.crash_before is not None:
            return False
        host.disk.crash_before = host.disk.operations + self._rng.randrange(40)
        return True

    def _power_lost(self, host: Host) -> None:
        self._timeline.trace.add(f"power lost {host.id} at operation {host.disk.operations}")
        host.lose_power()
        self.restart_later(host)

    def _stop(self, host: Host) -> bool:
        if not host.is_up:
            return False
        host.stop()
        self.restart_later(host)
        return True

    def _fail_sync(self, host: Host) -> bool:
        return self._fail("sync", host)

    def _fail(self, operation: str, host: Host) -> bool:
        if not host.is_up:
            return False
        host.disk.fail(operation, self._rng.choice((".log", "quorum-state.tmp", "")), errno.EIO)
        self._with_bad_disk.add(host.id)
        self.restart_later(host)
        return True

    def _fill(self, host: Host) -> bool:
        if not host.is_up or host.disk.capacity_bytes is not None:
            return False
        host.disk.capacity_bytes = host.disk.used_bytes() + self._rng.randrange(3000)
        self._with_bad_disk.add(host.id)
        self.restart_later(host)
        return True

    def _rot(self, host: Host) -> bool:
        if host.is_up or self._rotten:
            # One at a time: what a majority has lost, no quorum has.
            return False
        flip_back = host.disk.rot(_CHECKED_FILES, SeededRng(self._rng), _length_to_rot)
        if flip_back is None:
            return False
        self._rotten[host.id] = flip_back
        self._with_bad_disk.add(host.id)
        return True

    def _mend(self, host: Host) -> None:
        """Somebody replaces what is wrong with the disk."""
        flip_back = self._rotten.pop(host.id, None)
        if flip_back is not None:
            flip_back()
        host.disk.capacity_bytes = None
        host.disk.no_faults()
        for each in host.disk.file_systems.values():
            each.repair()

    def blame(self, host: Host) -> None:
        """The node may end because of its disk."""
        self._with_bad_disk.add(host.id)

    def restart_later(self, host: Host) -> None:
        """Have it run again after some time, once it has ended."""
        self._later(self._down_s, partial(self.restart, host))

    def restart(self, host: Host) -> None:
        """Have it run again, once it has ended."""
        if self.is_over or (self.is_healed and host.is_up and not host.is_stopping):
            return
        if not host.has_ended.is_set():
            self._timeline.after(0.1, partial(self.restart, host))
            return
        self.check_end(host)
        for act in self.before_start.pop(host.id, ()):
            if not self.is_healed:
                act()
        self.starting(host)
        host.start(self._config)
        self._timeline.trace.add(f"start {host.id}")

    def check_failures(self) -> None:
        """Raise what ended a node that nothing had happened to. Who ended for its disk is to start again."""
        for host in self._hosts:
            if host.failures and host.id not in self._with_bad_disk:
                raise host.failures[0]
            if host.failures and host.id not in self._refused:
                self._refused.add(host.id)
                self._timeline.trace.add(f"node {host.id} ended: {host.failures[0]}")
                self.counts["ended by its disk"] += 1
                self.restart_later(host)

    def check_end(self, host: Host) -> None:
        """Forget how the node ended, if its disk explains it. Raises what else ended it."""
        failures, host.failures = host.failures, []
        for failure in failures:
            if host.id not in self._with_bad_disk:
                raise failure
        if failures:
            self._with_bad_disk.discard(host.id)
            self._refused.discard(host.id)
            if self._rng.random() < 0.5:
                # What a failed sync left is gone once the machine was off. A process that only starts again reads it
                # from the page cache, and can still lose it.
                host.lose_power()
            self._mend(host)

    # -- network ---------------------------------------------------------------------------------------------------

    def _cut(self, directions: Sequence[tuple[Host, Host]], mean_s: float = CUT_S) -> bool:
        for source, target in directions:
            self._net.cut(source.net, target.net)
        self._later(mean_s, partial(self._join, directions))
        return bool(directions)

    def _join(self, directions: Sequence[tuple[Host, Host]]) -> None:
        for source, target in directions:
            self._net.join(source.net, target.net)

    def _cut_link(self, host: Host) -> bool:
        others = self._others(host)
        return self._cut([pair for each in others[:1] for pair in ((host, each), (each, host))])

    def _cut_one_way(self, host: Host) -> bool:
        return self._cut([(host, each) for each in self._others(host)[:1]])

    def _cut_off(self, host: Host) -> bool:
        leaders = [each for each in self._hosts if each.leads]
        if leaders and self._rng.random() < 0.5:
            # It appends what nobody fetches.
            host = leaders[0]
        return self._isolate(host)

    def _isolate(self, host: Host) -> bool:
        return self._cut([pair for each in self._others(host) for pair in ((host, each), (each, host))])

    def _reset_all(self, host: Host) -> bool:
        return sum(self._net.reset_some(host.net) for _ in range(len(host.net.streams))) > 0

    def _hide(self, leader: Host, host: Host) -> bool:
        """Both keep the rest of the cluster, for so long that the follower comes back meanwhile if it has ended."""
        return self._cut([(leader, host), (host, leader)], AWAY_S)

    def _others(self, host: Host) -> list[Host]:
        others = [each for each in self._hosts if each is not host]
        return self._rng.sample(others, len(others))

    def _slow_network(self, host: Host) -> bool:
        self._net.slow_down(host.net, self._rng.uniform(2, 200))
        self._later(CUT_S, partial(self._net.slow_down, host.net, 1.0))
        return True

    def _silence_name(self, host: Host) -> bool:
        silent = [host] if self._rng.random() < 0.5 else self._hosts
        self._net.silent_names.update(dict.fromkeys(each.net.name for each in silent))
        self._later(SILENT_S, partial(self._answer_for, silent))
        return True

    def _answer_for(self, hosts: Sequence[Host]) -> None:
        for host in hosts:
            self._net.silent_names.pop(host.net.name, None)

    # -- disks and clocks --------------------------------------------------------------------------------------------

    def _slow_disk(self, host: Host) -> bool:
        host.disk.slowness = self._rng.uniform(2, 300)

        def quick_again() -> None:
            host.disk.slowness = 1.0

        self._later(CUT_S, quick_again)
        return True

    def _jump(self, host: Host) -> bool:
        host.clock.wall_offset_ms += self._rng.choice((-1, 1)) * self._rng.randrange(3_600_000)
        return True

    async def heal(self) -> None:
        """End all faults, and have every node run."""
        self.is_healed = True
        self._net.join_all()
        for host in self._hosts:
            host.disk.slowness = 1.0
            host.disk.crash_before = None
            self._mend(host)
        # Restarts that are due come first; each is at most some means away.
        for host in self._hosts:
            with trio.move_on_after(30 * max(self._down_s, AWAY_S)):
                while not host.is_up:
                    await trio.sleep(0.1)


def _length_to_rot(path: str, content: bytes) -> int:
    """How many of a file's first bytes may get a wrong bit: the last batch of a log is spared. A log without it looks
    like one whose last append was cut off by power loss, so its node votes without what it may have acknowledged.
    """
    if is_of_records(path):
        # Nobody promises anything of a record whose only intact copy was cut as damage, or that was never read again.
        return 0
    if not path.endswith(LOG_SUFFIX):
        return len(content)
    last = 0
    with suppress(RemoteProtocolError):
        for batch in iterate_batches(content):
            last = batch.position
    return last
