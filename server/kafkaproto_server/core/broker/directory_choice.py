"""Chooses the log directory of a new replica: the preferred one, else the one with the fewest replicas.

Apache Kafka: ``LogManager`` (``nextLogDirs`` and ``maybeUpdatePreferredLogDir``).
"""

from __future__ import annotations

from kafkaproto_server.core.broker.directories import LogDirectories

MAX_PREFERENCES = 10_000
"""How many preferred directories are remembered of replicas that this broker does not have; the oldest go first."""


class DirectoryChoice:
    """Counts the replicas in each directory, and remembers which directories are preferred for which replicas."""

    __slots__ = ("_directories", "_load", "_preferred")

    def __init__(self, directories: LogDirectories) -> None:
        self._directories = directories
        # The number of replicas in each directory.
        # Kept here and not counted when asked: a broker that starts may place a hundred thousand replicas.
        self._load: dict[bytes, int] = {}
        self._preferred: dict[tuple[str, int], bytes] = {}

    def placed(self, directory_id: bytes) -> None:
        """Count one more replica in a directory."""
        self._load[directory_id] = self._load.get(directory_id, 0) + 1

    def left(self, directory_id: bytes) -> None:
        """Count one replica less in a directory."""
        assert self._load[directory_id] > 0, "a replica leaves a directory that has none"
        self._load[directory_id] -= 1

    def prefer(self, topic: str, index: int, directory_id: bytes) -> None:
        """Prefer a directory for a replica that this broker does not have yet."""
        # Removed first, so that a repeated wish counts as the newest.
        self._preferred.pop((topic, index), None)
        self._preferred[topic, index] = directory_id
        if len(self._preferred) > MAX_PREFERENCES:
            del self._preferred[next(iter(self._preferred))]
        assert len(self._preferred) <= MAX_PREFERENCES, "one wish comes, and at most one goes"

    def take_preferred(self, topic: str, index: int) -> bytes | None:
        """The preferred directory of a replica, which is then forgotten; None if there is none."""
        return self._preferred.pop((topic, index), None)

    def choose(self, preferred: bytes | None) -> bytes | None:
        """The directory for a new replica; None if none is online, and the broker is about to stop."""
        if preferred is not None and self._directories.is_online(preferred):
            return preferred
        online, cordoned = self._directories.online_ids, self._directories.cordoned_ids
        # A broker that is cordoned as a whole still has to put a replica somewhere that it was assigned before
        # (KIP-1066).
        candidates = [each for each in online if each not in cordoned] or online
        # By the number of replicas, as in Kafka: nobody knows yet how large this one will be.
        return min(candidates, key=lambda each: self._load.get(each, 0)) if candidates else None
