"""The roles of a broker's replicas: each leads or follows as the metadata says, once its log is open.

ReplicaManager.applyDelta does this in Apache Kafka, under a lock and with the logs opened on the spot. Here a log is
opened by a thread, so what the metadata says is applied when that is done, with the image that the replica has by then.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol

from kafkaproto_server.base.ports import Clock
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY
from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.files.hosted_settings import HostedSettings
from kafkaproto_server.shell.replicas.files.moves import Moves
from kafkaproto_server.shell.replicas.followers.fetchers import Fetchers
from kafkaproto_server.shell.replicas.followers.isr_sender import IsrSender


class ReplicaEvents(Protocol):
    """What a node has to know of its replicas."""

    def role_changed(self, hosted: Hosted) -> None:
        """A replica begins or ceases to lead, or leads in another epoch."""

    def replica_lost(self, replica: PartitionId, is_lost: bool) -> None:
        """The controllers are to be told that a replica is lost in a directory that works; or that it is not lost any
        more."""

    def directory_failed(self, path: str, problem: str) -> None:
        """A log directory has failed."""


class ReplicaRoles:
    """The roles of one broker's replicas."""

    def __init__(
        self,
        broker_id: int,
        clock: Clock,
        replicas: HostedReplicas,
        settings: HostedSettings,
        fetchers: Fetchers,
        moves: Moves,
        isr_changes: IsrSender,
        events: ReplicaEvents,
    ) -> None:
        self._broker_id = broker_id
        self._clock = clock
        self._replicas = replicas
        self._settings = settings
        self.fetchers = fetchers
        """What copies other brokers' leaders."""
        self._moves = moves
        self._isr_changes = isr_changes
        self._events = events

    def lead_or_follow(self, hosted: Hosted) -> None:
        """Apply the newest state in the metadata to a replica whose log is open."""
        partition, image = hosted.partition, hosted.image
        assert image is not None, "a replica comes with its state in the metadata"
        self._settings.refresh(hosted)
        # A leader would hand out offsets that the cut then takes away. The end of the cut comes here again.
        if hosted.is_being_cut:
            return
        # Most news of a partition change neither its role nor its epoch, and `apply` has taken them in.
        if not partition.apply(image, now_ms=self._clock.now_ms()):
            return
        if partition.role is Role.FOLLOWER:
            # Also if it followed before: from another leader, or in another epoch, it may have to cut its log first.
            self.fetchers.follow(hosted)
        else:
            self.fetchers.unfollow((partition.topic_id, partition.index))
        if partition.role is Role.LEADER:
            log = hosted.log
            assert log is not None, "a partition has a role once its log is open"
            # Before the first append of this epoch, which is put behind it: the epoch begins with the offset of that.
            work = partial(log.begin_epoch, partition.leader_epoch, partition.leader_epoch_start)
            self._replicas.changes.put(hosted, work)
        self._events.role_changed(hosted)

    def log_closed(self, hosted: Hosted) -> None:
        """A replica's log failed, and was closed."""
        # A fetcher would append to a log that is closed. If the log is opened again, `lead_or_follow` has it copied
        # again.
        self.fetchers.unfollow((hosted.partition.topic_id, hosted.partition.index))
        self._moves.log_closed(hosted)
        self._events.role_changed(hosted)

    def maybe_begin_anew(self, hosted: Hosted) -> None:
        """Fetch a replica anew whose log is damaged, unless the controllers count on what it has: then it stays closed,
        and an empty log must not take its place. They do not elect one that they know to be lost."""
        image, broker_id = hosted.image, self._broker_id
        assert image is not None, "a replica comes with its state in the metadata"
        # Without another leader there is nobody to fetch from. Members of the ISR have all that is committed.
        if image.leader in (NO_NODE, broker_id) or broker_id in image.isr:
            return
        # Replicas in the ELR may be elected without any check of their logs (KIP-966).
        is_eligible = broker_id in (*image.elr, *image.last_known_elr)
        if not is_eligible or image.directory_of(broker_id) == LOST_DIRECTORY:
            self._replicas.begin_anew(hosted)

    def removed(self, hosted: Hosted) -> None:
        """A replica is not on this broker any more."""
        self._events.role_changed(hosted)
        self._isr_changes.drop(hosted.partition)

    def directories_changed(self) -> None:
        """A directory failed: its replicas are offline."""
        for hosted in tuple(self._replicas):
            partition = hosted.partition
            if not self._replicas.directories.is_online(hosted.directory_id):
                # No log is closed here: nothing is to be written to that directory, and the stop only lets go of the
                # files.
                self.fetchers.unfollow((partition.topic_id, partition.index))
                # The controllers hear of the directory, and elect others: no ISR is this broker's to change.
                self._isr_changes.drop(partition)
                partition.failed()
                self._events.role_changed(hosted)
        self._moves.directories_changed()
