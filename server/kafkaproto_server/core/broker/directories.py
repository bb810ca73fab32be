"""The log directories of a broker: which of them are usable, which have failed, which are cordoned (KIP-858, KIP-1066).

A failed directory stays offline until the process restarts, even if its disk recovers: nobody knows what it holds by
then. If a directory could not be read when the broker started, its id is unknown. Such a directory is shown to
administrators but not reported to the controllers.

Apache Kafka: ``LogManager`` (``liveLogDirs``, ``offlineLogDirs``) and ``LogDirFailureChannel``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

ALL_DIRECTORIES = "*"
"""The entry of ``cordoned.log.dirs`` that means every directory of the broker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDirectory:
    path: str
    directory_id: bytes | None
    """``directory.id`` of its meta.properties; None if that could not be read."""
    problem: str | None = None
    """Why it is offline; None if it is online."""
    is_cordoned: bool = False


class LogDirectories:
    """All directories of one broker, in the order of the configuration."""

    def __init__(self, directories: Sequence[LogDirectory]) -> None:
        self._by_path = {each.path: each for each in directories}
        assert len(self._by_path) == len(directories), "a path is named twice"
        # A directory that works has a meta.properties with an id. One that failed may have none that could be read.
        assert all(each.directory_id is not None or each.problem is not None for each in directories)

    @property
    def all(self) -> tuple[LogDirectory, ...]:
        """Every directory in its present state."""
        return tuple(self._by_path.values())

    @property
    def are_several(self) -> bool:
        """Whether the broker is configured with more than one, online or not."""
        # Of the configuration, not of what works: a broker that has lost all but one still reports where replicas are.
        return len(self._by_path) > 1

    @property
    def online_ids(self) -> tuple[bytes, ...]:
        """Ids of the directories that work, ascending."""
        return self._ids(each for each in self.all if each.problem is None)

    @property
    def offline_ids(self) -> tuple[bytes, ...]:
        """Ids of the failed directories, as far as known, ascending."""
        return self._ids(each for each in self.all if each.problem is not None)

    @property
    def cordoned_ids(self) -> tuple[bytes, ...]:
        """Ids of the cordoned directories, ascending. Failed ones are reported only as offline."""
        return self._ids(each for each in self.all if each.is_cordoned and each.problem is None)

    @property
    def has_offline(self) -> bool:
        """Whether any of them failed, with or without an id."""
        return any(each.problem is not None for each in self.all)

    def is_own(self, directory_id: bytes) -> bool:
        """Whether the id is that of one of these directories, online or not."""
        # Online or not: the id of a failed directory is still this broker's.
        return any(each.directory_id == directory_id for each in self.all)

    def is_online(self, directory_id: bytes) -> bool:
        """Whether the id is that of a directory that works."""
        return directory_id in self.online_ids

    def path_of(self, directory_id: bytes) -> str:
        """The path of one of these directories."""
        assert self.is_own(directory_id), f"directory {directory_id.hex()} is not of this broker"
        return next(each.path for each in self.all if each.directory_id == directory_id)

    def fail(self, path: str, problem: str) -> bool:
        """Mark a directory as offline. Returns whether it was online before."""
        directory = self._by_path[path]
        # Only the first failure is news. Later ones follow from it: each log in the directory meets its own.
        if directory.problem is not None:
            return False
        self._by_path[path] = replace(directory, problem=problem)
        return True

    def cordon(self, paths: Sequence[str]) -> tuple[bool, tuple[str, ...]]:
        """Cordon exactly these directories. Returns (whether the set has changed, names that are not directories of
        this broker)."""
        everything = ALL_DIRECTORIES in paths
        before = self._by_path
        # All of them anew: the config names the whole set, and what it leaves out is open again (KIP-1066).
        self._by_path = {
            path: replace(directory, is_cordoned=everything or path in paths)
            for path, directory in before.items()
        }
        # Reported, not refused: the config may name a directory that is only on other brokers.
        unknown = tuple(path for path in paths if path != ALL_DIRECTORIES and path not in before)
        return self._by_path != before, unknown

    @staticmethod
    def _ids(directories: Iterable[LogDirectory]) -> tuple[bytes, ...]:
        # In order, so that two sets of directories can be compared, and a seed gives the same requests.
        return tuple(sorted(each.directory_id for each in directories if each.directory_id is not None))
