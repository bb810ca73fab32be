"""What a leader knows of the other replicas from their Fetch requests (KIP-595, KIP-836, KIP-853).

Apache Kafka: ``LeaderState.ReplicaState``.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.values.config import OBSERVER_EXPIRY_MS
from kafkaproto_server.core.raft.values.voters import VoterSet

MAX_OBSERVERS = 1_000
"""More replicas than any cluster has. If a peer invents node ids, the leader forgets the observers that were silent
longest."""


@dataclass(slots=True, kw_only=True)
class ReplicaProgress:
    """Progress of one replica; times are those of the leader's monotonic clock."""

    key: ReplicaKey
    end_offset: int
    last_fetch_ms: int
    leader_end_offset: int
    """The leader's end offset at the last Fetch."""
    caught_up_ms: int | None = None
    """When the replica last held the leader's whole log, as far as its fetches show; None if never."""


class Progress:
    """Replicas by key, in the order of their last Fetch.

    The leader forgets observers that were silent for ``OBSERVER_EXPIRY_MS`` and, if there are more than
    ``MAX_OBSERVERS``, those that were silent longest. It never forgets voters.

    A static voter is known by its node id alone. If several replicas use that id, the one that keeps fetching stands
    for the voter. Another directory takes its place only after that replica was silent for ``silence_ms``, so that an
    unknown node with the same id cannot speak for a voter that is alive. The others are forgotten like observers.
    """

    def __init__(self, silence_ms: int) -> None:
        self._silence_ms = silence_ms
        self._replicas: dict[ReplicaKey, ReplicaProgress] = {}
        self._key_by_id: dict[int, ReplicaKey] = {}
        """By node id, the key of the replica that stands for it."""

    def fetched(
        self, key: ReplicaKey, fetch_offset: int, leader_end_offset: int, voters: VoterSet, now_ms: int
    ) -> None:
        """Note a Fetch whose position is in the leader's log: the replica durably holds everything before it.

        ``voters`` is the voter set in force.
        """
        standing = self.get(ReplicaKey(id=key.id))
        assert 0 <= fetch_offset <= leader_end_offset, (
            f"{fetch_offset} is not in a log up to {leader_end_offset}"
        )
        if standing is None or now_ms - standing.last_fetch_ms >= self._silence_ms:
            self._key_by_id[key.id] = key
        # Taken out and put in again behind all others: `_forget_observers` relies on the order of
        # the last Fetches.
        previous = self._replicas.pop(key, None)
        caught_up_ms = previous.caught_up_ms if previous is not None else None
        # As Kafka's lastCaughtUpTimestamp (KIP-836). The offset may be lower than before: a replica
        # that lost its disk holds less, and Kafka only logs it.
        if fetch_offset >= leader_end_offset:
            caught_up_ms = now_ms
        elif previous is not None and fetch_offset >= previous.leader_end_offset:
            # No earlier than what is known: it cannot have caught up after its last Fetch.
            caught_up_ms = previous.last_fetch_ms
        self._replicas[key] = ReplicaProgress(
            key=key,
            end_offset=fetch_offset,
            last_fetch_ms=now_ms,
            leader_end_offset=leader_end_offset,
            caught_up_ms=caught_up_ms,
        )
        # Only a new key makes the table larger.
        if previous is None:
            self._forget_observers(voters, now_ms)

    def __len__(self) -> int:
        """How many replicas, voters and observers, the leader remembers."""
        return len(self._replicas)

    def get(self, key: ReplicaKey) -> ReplicaProgress | None:
        """Progress of a voter or an observer; None if it has not fetched. A key without a directory id means the
        replica that stands for that node id."""
        if key.directory_id is None:
            # A static voter's key has no directory, and a Fetch nearly always has one.
            key = self._key_by_id.get(key.id, key)
        return self._replicas.get(key)

    def has_caught_up(self, key: ReplicaKey, within_ms: int, now_ms: int) -> bool:
        """Whether a replica held the leader's whole log at some moment of the last ``within_ms``."""
        replica = self.get(key)
        return (
            replica is not None
            and replica.caught_up_ms is not None
            and now_ms - replica.caught_up_ms < within_ms
        )

    def observers(self, voters: VoterSet, now_ms: int) -> tuple[ReplicaProgress, ...]:
        """Replicas that are no voters and fetched within ``OBSERVER_EXPIRY_MS``, ascending by id and directory."""
        return tuple(
            sorted(
                (
                    replica
                    for replica in self._replicas.values()
                    if not voters.is_voter(replica.key)
                    and now_ms - replica.last_fetch_ms < OBSERVER_EXPIRY_MS
                ),
                key=lambda replica: (replica.key.id, replica.key.directory_id or b""),
            )
        )

    def _forget_observers(self, voters: VoterSet, now_ms: int) -> None:
        """Make room; the observers that were silent longest go first."""
        observers = [each for each in self._replicas.values() if not self._stands_for_voter(each.key, voters)]
        surplus = len(observers) - MAX_OBSERVERS
        for place, replica in enumerate(observers):
            # They are in the order of their last Fetch, so no later one is older.
            if place >= surplus and now_ms - replica.last_fetch_ms < OBSERVER_EXPIRY_MS:
                break
            self._forget(replica.key)

    def _stands_for_voter(self, key: ReplicaKey, voters: VoterSet) -> bool:
        voter = voters.get(key.id)
        if voter is None:
            return False
        # Of several replicas with a static voter's id, only the one that stands for it is kept like
        # a voter.
        return key == (self._key_by_id.get(key.id) if voter.key.directory_id is None else voter.key)

    def _forget(self, key: ReplicaKey) -> None:
        del self._replicas[key]
        if self._key_by_id.get(key.id) == key:
            del self._key_by_id[key.id]
