"""A partition that a fetcher copies: what the fetcher knows of it, and what the changes of its log know of the fetcher.

Each time that a partition gets another leader, epoch or fetcher, it gets a new `Followed`. So what comes back for an
earlier one, a response or a finished job, is told apart by its identity and changes nothing.
"""

from __future__ import annotations

from typing import Protocol

from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.requests.fetch_requests import PartitionKey
from kafkaproto_server.shell.replicas.files.hosted import Hosted


class LogFetcher(Protocol):
    """The fetcher of a partition, as the changes of its log know it."""

    busy: int
    """How many logs are being changed by what the last response had."""
    copied_bytes: int
    """The bytes of records that it has brought."""

    def want(self, followed: Followed) -> None:
        """Ask for a partition from where its log ends now."""

    def changed(self, followed: Followed) -> None:
        """A change of a log is complete."""

    def change_failed(self, followed: Followed) -> None:
        """A log cannot be changed: nothing is copied into it any more."""

    def remove(self, key: PartitionKey) -> None:
        """Copy a partition no more."""


class Followed:
    """A partition that a fetcher copies."""

    __slots__ = (
        "fetcher",
        "has_all",
        "hosted",
        "is_busy",
        "is_held_back",
        "key",
        "leader_epoch",
        "leader_high_watermark",
        "must_move",
        "refusals",
    )

    def __init__(self, hosted: Hosted) -> None:
        self.hosted = hosted
        self.fetcher: LogFetcher
        """Who copies it; set when that begins."""
        self.key: PartitionKey = (hosted.partition.topic_id, hosted.partition.index)
        self.leader_epoch = hosted.partition.leader_epoch
        self.is_busy = False
        """Whether its log is being changed."""
        self.has_all = False
        """Whether the leader's high watermark, as its last response had it, is not beyond what is here."""
        self.leader_high_watermark: int | None = None
        """That high watermark; None before the first response with the partition."""
        self.is_held_back = False
        """Whether replication is throttled, and it is not asked for."""
        self.refusals = 0
        """How often in a row the leader refused it."""
        self.must_move = False
        """Whether another fetcher takes it over once its log is not being changed."""


def is_current(followed: Followed) -> bool:
    """Whether the replica is still a follower of the leader that it is copied from, and its log is open. When the
    broker stops, logs are closed while fetchers run."""
    partition = followed.hosted.partition
    if followed.hosted.log is None:
        return False
    return partition.role is Role.FOLLOWER and partition.leader_epoch == followed.leader_epoch
