"""The rooms of the product in which faults are planted, with the tests and the simulator's seeds that look at each."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.planting.faults import SERVER
from tests.running.parts import ROOT

QUORUM = 1
RECORDS = 1_000_000
GROUPS = 2_000_000
SHARES = 2_500_000
DEAD_LETTERS = 2_750_000
STREAMS = 3_000_000
NEW_EPOCHS = 3_250_000
DIRECTORIES = 3_500_000
LATE_PEERS = 3_700_000
LATE_REQUESTS = 3_800_000
"""The first seeds of each kind, as in tests/README.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A folder of the server."""

    name: str
    tests: tuple[str, ...]
    """What runs its code among the quick tests: patterns of folders and files below tests/."""
    seeds: tuple[int, ...]
    """The first seeds of the kinds of whole nodes that run its code."""
    speaking: tuple[str, ...] = ()
    """Folders in it that only say what others do."""

    def paths(self) -> Sequence[str]:
        """Its modules, below the server's package."""
        found = sorted(each.relative_to(SERVER).as_posix() for each in (SERVER / self.name).rglob("*.py"))
        return [each for each in found if not each.startswith(self.speaking)] if self.speaking else found

    def test_paths(self) -> Sequence[str]:
        """Its tests, from the root of the repository."""
        found = [path for each in self.tests for path in sorted((ROOT / "tests").glob(each))]
        return [path.relative_to(ROOT).as_posix() for path in found]

    def digest(self) -> str:
        """Another one whenever its sources or those of its tests change, or what tests of any folder share."""
        tests = ROOT / "tests"
        shared = [tests / "conftest.py", *sorted(tests.glob("**/support"))]
        return digest_of([SERVER / self.name, *(ROOT / each for each in self.test_paths()), *shared])

    def some_seeds(self) -> Iterator[int]:
        """Seeds of all its kinds in turn, without an end."""
        for number in itertools.count():
            yield from (first + number for first in self.seeds)


_OF_NODES = "node/test_*.py"

_ROOMS = (
    Room(
        name="core/raft",
        tests=("core/raft", "shell/quorum"),
        seeds=(QUORUM, LATE_PEERS),
        speaking=("core/raft/describe/",),
    ),
    Room(
        name="core/controller",
        tests=("core/controller", "shell/quorum"),
        seeds=(QUORUM, RECORDS, DIRECTORIES, LATE_PEERS),
    ),
    Room(
        name="core/replicas",
        tests=("core/replicas", "shell/replicas", "apis/data"),
        seeds=(RECORDS, GROUPS, DIRECTORIES, NEW_EPOCHS, LATE_PEERS),
    ),
    Room(
        name="core/log_state",
        tests=("core/log_state", "core/replicas", "shell/storage/log", "apis/data"),
        seeds=(RECORDS, GROUPS, NEW_EPOCHS),
    ),
    Room(
        name="core/coordinators",
        tests=("core/coordinators", "shell/coordinators", "apis/groups", "apis/transactions"),
        seeds=(GROUPS, SHARES, STREAMS, DEAD_LETTERS, LATE_REQUESTS),
    ),
    Room(
        name="core/share_partitions",
        tests=("core/share_partitions", "apis/share", "apis/share_state"),
        seeds=(SHARES, DEAD_LETTERS, LATE_REQUESTS),
    ),
    Room(
        name="shell/quorum",
        tests=("shell/quorum", "node/observability", "shell/to_controller", _OF_NODES),
        seeds=(QUORUM, RECORDS, LATE_PEERS),
    ),
    Room(
        name="shell/replicas",
        tests=(
            *("shell/replicas", "node/observability", "shell/coordinators", _OF_NODES),
            *("apis/data", "apis/groups", "apis/transactions"),
        ),
        seeds=(RECORDS, DIRECTORIES, GROUPS, LATE_PEERS),
    ),
    Room(
        name="shell/coordinators",
        tests=(
            "shell/coordinators",
            "node/observability",
            "apis/groups",
            "apis/transactions",
            "apis/share_state",
        ),
        seeds=(GROUPS, SHARES, STREAMS, DEAD_LETTERS, LATE_REQUESTS),
    ),
    Room(
        name="shell/share_partitions",
        tests=("apis/share", "shell/coordinators", "node/observability"),
        seeds=(SHARES, DEAD_LETTERS, LATE_REQUESTS),
    ),
    Room(
        name="shell/broker",
        tests=("shell/broker", "shell/to_controller", _OF_NODES),
        seeds=(QUORUM, DIRECTORIES, RECORDS),
    ),
    Room(
        name="shell/to_controller",
        tests=("shell/to_controller", "shell/broker", "shell/serving", _OF_NODES),
        seeds=(QUORUM, RECORDS, GROUPS),
    ),
    Room(
        name="core/broker",
        tests=("core/broker", "shell/broker", "shell/replicas", "shell/storage/directories"),
        seeds=(QUORUM, DIRECTORIES, RECORDS),
    ),
    Room(
        name="shell/storage",
        tests=("shell/storage", "shell/replicas", "tools/dump", "tools/storage"),
        seeds=(QUORUM, DIRECTORIES, RECORDS),
    ),
    Room(
        name="shell/net",
        tests=("shell/net", "shell/serving", _OF_NODES),
        seeds=(RECORDS, GROUPS),
    ),
    Room(
        name="core/quotas",
        tests=("core/quotas", "shell/net", "apis/data"),
        seeds=(RECORDS,),
    ),
)
ROOMS: Mapping[str, Room] = {room.name: room for room in _ROOMS}


def room_of(path: str) -> Room:
    """The room of a module. Raises LookupError if it is in none."""
    for room in ROOMS.values():
        if path.startswith(f"{room.name}/") and not (room.speaking and path.startswith(room.speaking)):
            return room
    raise LookupError(f"{path} is in none of {', '.join(ROOMS)}")


def digest_of(paths: Iterable[Path]) -> str:
    """Of the sources in some files and folders."""
    digest = hashlib.blake2b(digest_size=8)
    for path in paths:
        for each in [path] if path.is_file() else sorted(path.rglob("*")):
            if each.is_file() and each.suffix != ".pyc":
                digest.update(each.relative_to(ROOT).as_posix().encode() + b"\0" + each.read_bytes() + b"\0")
    return digest.hexdigest()
