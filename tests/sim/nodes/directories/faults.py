"""What goes wrong with single log directories, and what operators do with their disks.

A directory fails while the node runs, or is dead when it starts; later somebody repairs it, with its content, and
starts the node again. Between two starts, disks may change places, a new one may come, or take the place of another. A
disk that is replaced takes its replicas along, as a power loss takes what was not written: so it happens only while no
other host misses records (`data.ledger`). The directory with the metadata log only ever fails: its node ends then.
"""

from __future__ import annotations

import errno
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kafkaproto.directory_files import META_PROPERTIES_NAME, PARTITION_METADATA_NAME
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.storage.directories.meta_properties import parse_meta_properties
from kafkaproto_server.shell.storage.directories.partition_directories import parse_directory_name
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.log.topic_log import read_topic_id
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.directories.file_systems import READS, SYNCS, WRITES, FileSystem
from tests.sim.nodes.faults import Faults
from tests.sim.nodes.host import DIRECTORIES, DIRECTORY, Host
from tests.sim.nodes.timeline import Timeline

REPAIR_S = 4.0
"""Mean time until somebody repairs a directory."""
METADATA_SHARE = 0.1
"""The part of the failures that hit the directory with the metadata log."""


class DirectoryFaults:
    """The faults of log directories, as `Faults` draws them."""

    def __init__(
        self,
        faults: Faults,
        timeline: Timeline,
        rng: random.Random,
        ledger: Ledger,
        newest: Callable[[], ClusterImage],
    ) -> None:
        self._faults = faults
        self._timeline = timeline
        self._rng = rng
        self._ledger = ledger
        self._newest = newest
        self.spared: Host | None = None
        """The host whose directory is to stay offline, also in a healed cluster."""
        self._fails_alone: FileSystem | None = None
        """That of the directory."""
        faults.starting = self._starting
        self.acts: Mapping[str, Callable[[Host], bool]] = {
            "failed directory": self._fail,
            "read-only directory": self._make_read_only,
            "full directory": self._fill,
            "gone directory": self._take_away,
            "directory dead at start": self._start_with_dead_one,
            "replaced directory": self._replace,
            "swapped directories": self._swap,
            "added directory": self._add,
        }

    # -- while the node runs -----------------------------------------------------------------------------------------

    def _fail(self, host: Host) -> bool:
        kinds = self._rng.choice((READS, WRITES, SYNCS, (*WRITES, *SYNCS), (*READS, *WRITES, *SYNCS)))
        is_lasting = self._rng.random() < 0.6
        return self._break(
            host, lambda each, _: each.fail(dict.fromkeys(kinds, errno.EIO), is_lasting=is_lasting)
        )

    def _make_read_only(self, host: Host) -> bool:
        return self._break(
            host, lambda each, _: each.fail(dict.fromkeys(WRITES, errno.EROFS), is_lasting=True)
        )

    def _fill(self, host: Host) -> bool:
        room = self._rng.randrange(6000)

        def fill(each: FileSystem, path: str) -> None:
            each.capacity_bytes = host.disk.used_below(path) + room

        return self._break(host, fill)

    def _take_away(self, host: Host) -> bool:
        def take_away(each: FileSystem, _: str) -> None:
            each.is_gone = True

        return self._break(host, take_away)

    def _break(self, host: Host, act: Callable[[FileSystem, str], None]) -> bool:
        """Do this to the file system of a directory of a node that runs."""
        path = self._chosen(host)
        if path is None or not host.is_up:
            return False
        act(host.disk.file_systems[path], path)
        self._is_broken(host, path)
        return True

    def _is_broken(self, host: Host, path: str) -> None:
        file_system = host.disk.file_systems[path]
        self._timeline.trace.add(f"directory {path} of {host.id}")
        self._faults.blame(host)
        self._timeline.after(self._rng.expovariate(1 / REPAIR_S), partial(self._repair, host, file_system))

    def _chosen(self, host: Host) -> str | None:
        """The path of a directory that works; None if the host has only the one with the metadata log."""
        if not _others(host):
            return None
        path = DIRECTORY if self._rng.random() < METADATA_SHARE else self._one_of_others(host)
        return path if host.disk.file_systems[path].is_well else None

    def _one_of_others(self, host: Host) -> str:
        """One with replicas, if there is one."""
        others = _others(host)
        with host.disk.looked_at():
            return self._rng.choice([each for each in others if _replicas_in(host, each)] or others)

    def _repair(self, host: Host, file_system: FileSystem) -> None:
        if file_system is self._fails_alone:
            # An earlier fault ends, and not that one.
            return
        file_system.repair()
        if not self._faults.is_healed and self._rng.random() < 0.7:
            self._end(host)

    def _end(self, host: Host) -> None:
        """Have the node end in some way, and start again."""
        if host.is_up and not host.is_stopping:
            self._rng.choice((host.stop, host.stop, host.kill, host.lose_power))()
            self._faults.restart_later(host)

    # -- between two starts ------------------------------------------------------------------------------------------

    def _at_next_start(self, host: Host, act: Callable[[Host], None], *, least: int, most: int = 3) -> bool:
        """Do this to a host with so many directories."""
        if not least <= len(host.directories) <= most:
            return False
        self._faults.before_start.setdefault(host.id, []).append(partial(act, host))
        self._end(host)
        return True

    def _start_with_dead_one(self, host: Host) -> bool:
        return self._at_next_start(host, self._kill_one, least=2)

    def _kill_one(self, host: Host) -> None:
        path = self._one_of_others(host)
        file_system = host.disk.file_systems[path]
        if file_system.is_well:
            kinds = self._rng.choice((READS, WRITES, SYNCS, (*READS, *WRITES, *SYNCS)))
            file_system.fail(dict.fromkeys(kinds, errno.EIO), is_lasting=True)
            self._is_broken(host, path)

    def _replace(self, host: Host) -> bool:
        return self._at_next_start(host, self._replace_one, least=2)

    def _replace_one(self, host: Host) -> None:
        if not self._ledger.is_any_other_missing(host):
            self._faults.counts["disks replaced"] += 1
            host.replace_directory(self._rng.choice(_others(host)))

    def _swap(self, host: Host) -> bool:
        return self._at_next_start(host, self._swap_two, least=3)

    @staticmethod
    def _swap_two(host: Host) -> None:
        host.disk.swap(*_others(host))

    def _add(self, host: Host) -> bool:
        return self._at_next_start(host, self._add_one, least=1, most=2)

    @staticmethod
    def _add_one(host: Host) -> None:
        # It may have been asked for twice by then.
        if len(host.directories) < len(DIRECTORIES):
            host.add_directory()

    def _starting(self, host: Host) -> None:
        """The node is about to start. A replica is begun anew, as Kafka's brokers do it, if the controllers were never
        told that it is in a directory that is offline: such a directory works again."""
        for path, file_system in host.disk.file_systems.items():
            is_put_back = file_system.is_gone and self._rng.random() < 0.5
            if not file_system.is_well and (is_put_back or not self._are_recorded(host, path)):
                file_system.repair()

    def _are_recorded(self, host: Host, path: str) -> bool:
        image, disk = self._newest(), host.disk
        with disk.looked_at():
            name = f"{path}/{META_PROPERTIES_NAME}"
            directory_id = parse_meta_properties(disk.read_file(name), name).directory_id
            for topic_id, index in _replicas_in(host, path):
                topic = image.topics.get(topic_id)
                partition = None if topic is None else topic.partitions.get(index)
                if partition is None or host.id not in partition.replicas:
                    continue
                if partition.directory_of(host.id) not in (directory_id, LOST_DIRECTORY):
                    return False
        return True

    # -- in a healed cluster -----------------------------------------------------------------------------------------

    def restart_incomplete(self, hosts: Sequence[Host]) -> None:
        """Have nodes start again that go on without a directory."""
        for host in hosts:
            if host.is_incomplete and host is not self.spared:
                self._end(host)

    def fail_one(self, host: Host, path: str) -> None:
        """Have one directory fail in some way, until `repair_one`."""
        self.spared = host
        self._faults.blame(host)
        file_system = self._fails_alone = host.disk.file_systems[path]
        errors = self._rng.choice(
            (
                dict.fromkeys((*READS, *WRITES, *SYNCS), errno.EIO),
                dict.fromkeys(SYNCS, errno.EIO),
                dict.fromkeys(WRITES, errno.EROFS),
                None,
            )
        )
        if errors is None:
            # Full, and others take at once what is deleted there.
            file_system.capacity_bytes = 0
        else:
            file_system.fail(errors, is_lasting=True)
        self._timeline.trace.add(f"directory {path} of {host.id} fails alone")

    def repair_one(self) -> None:
        """End that."""
        assert self.spared is not None, "a directory failed"
        for each in self.spared.disk.file_systems.values():
            each.repair()
        self.spared = self._fails_alone = None


def _others(host: Host) -> tuple[str, ...]:
    """The directories without the metadata log."""
    return host.directories[1:]


def _replicas_in(host: Host, path: str) -> list[tuple[bytes, int]]:
    """Topic id and index of the replicas that lie in a directory."""
    found = []
    for name in host.disk.list_directory(path):
        parsed = parse_directory_name(name)
        if (
            parsed is None
            or parsed.suffix
            or PARTITION_METADATA_NAME not in host.disk.list_directory(f"{path}/{name}")
        ):
            continue
        try:
            topic_id = read_topic_id(host.disk, f"{path}/{name}")
        except StorageError:
            continue
        if topic_id is not None:
            found.append((topic_id, parsed.partition))
    return found
