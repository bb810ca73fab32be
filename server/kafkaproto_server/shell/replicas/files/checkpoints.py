"""Writes the checkpoints of log directories: the offsets of each replica in them (`checkpointed`).

A checkpoint never says more than a log has, at any moment: a log that is shorter counts as damaged at the next start
(`shell.storage.log.reached`). So what a checkpoint promises is written after the records, and taken back before they go
(`lower`). The thread of a directory writes them, in the order in which its logs are changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.shell.replicas.files.checkpointed import CHECKPOINTS, Checkpointed
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    TopicPartition,
    write_offsets,
)

_NOTHING = Checkpointed()


class Checkpoints:
    """The checkpoints of all log directories of one broker."""

    def __init__(
        self,
        disk: Disk,
        paths: Mapping[bytes, str],
        surveys: Mapping[bytes, DirectorySurvey],
        *,
        current: Callable[[bytes], Iterable[tuple[TopicPartition, Checkpointed]]],
        is_online: Callable[[bytes], bool],
        put_job: Callable[[bytes, Callable[[], object]], None],
    ) -> None:
        """``current`` returns what is to be said of the replicas in a directory; any thread may call it. ``put_job``
        has something done by the thread of a directory."""
        self._disk = disk
        self._paths = paths
        self._current = current
        self._is_online = is_online
        self._put_job = put_job
        # Of what the metadata has not placed here yet.
        self._unclaimed = {each: _at_start(survey) for each, survey in surveys.items()}
        # None while a thread writes one: it has looked at the logs already, so the file may say anything.
        self._written: dict[tuple[bytes, str], Mapping[TopicPartition, int] | None] = {
            (each, name): offsets
            for each, survey in surveys.items()
            for name, offsets in (
                (RECOVERY_POINTS, survey.recovery_points),
                (LOG_STARTS, survey.log_starts),
                (HIGH_WATERMARKS, survey.high_watermarks),
            )
        }
        # What has none since it was emptied shows that, until it is known what it had.
        self._not_begun = {each for each, survey in surveys.items() if survey.is_emptied}
        # About to be written, as directory and name.
        self._queued: set[tuple[bytes, str]] = set()
        self.arriving: dict[bytes, dict[TopicPartition, Checkpointed]] = {each: {} for each in surveys}
        """Of each directory: what is to be said of copies that may become replicas at any moment."""

    def known(self, found: FoundReplica) -> Checkpointed:
        """What the checkpoints said of what lies in a directory when the broker started."""
        return self._unclaimed[found.directory_id].get(found, _NOTHING)

    def claim(self, found: FoundReplica) -> None:
        """It is `current` now, or nothing is to be said of it any more."""
        # From here on the checkpoints say of it what `current` says, or nothing.
        self._unclaimed[found.directory_id].pop(found, None)

    def begin(self, directory_id: bytes) -> None:
        """The replicas are known that a directory had, though it looks as if no broker had ever run on it. Nothing is
        written before."""
        # By now what is gone is known to be lost, and the checkpoints may show that a broker runs here.
        self._not_begun.discard(directory_id)

    def write(self, directory_id: bytes, name: str) -> None:
        self._put_job(directory_id, partial(self._write, directory_id, name))

    def lower(self, directory_id: bytes, key: TopicPartition, offsets: Checkpointed) -> None:
        """Have the checkpoints written, before the next change of the log of a replica, that say more than ``offsets``.
        The replica is `current` with them by now."""
        for name in CHECKPOINTS:
            place = (directory_id, name)
            written = self._written[place]
            # A file that is being written may say anything: it counts as one that says more.
            says_more = written is None or written.get(key, 0) > offsets.offset(name)
            # One write serves all replicas that ask for it before it begins: else a start with thousands of logs would
            # write the file once for each.
            if says_more and place not in self._queued:
                self._queued.add(place)
                self.write(*place)

    def give_up(self, directory_id: bytes, key: TopicPartition) -> None:
        """Have nothing said of a name any more, before the next change in the directory: what lies there is renamed,
        and would look like a loss. Nothing of that name is `current` or unclaimed by now."""
        self.lower(directory_id, key, Checkpointed())

    def _write(self, directory_id: bytes, name: str) -> None:
        # Before the logs are looked at.
        self._queued.discard((directory_id, name))
        # The replicas of a directory that failed are offline. Its checkpoints stay as they are, for the next start.
        if not self._may_write(directory_id):
            return
        # From here on until the file is written nobody knows what it says: a replica that is lowered meanwhile asks for
        # another write.
        self._written[directory_id, name] = None
        # What is not claimed first, so that what is known better replaces it. A replica is `current` before it is
        # claimed: it is in one of the two, whenever the thread looks.
        known = self._of_unclaimed(directory_id)
        # Before `current`: of a copy that has become the replica meanwhile, that knows more.
        known.update(tuple(self.arriving[directory_id].items()))
        known.update(self._current(directory_id))
        self._write_offsets(directory_id, name, known)

    def _may_write(self, directory_id: bytes) -> bool:
        return self._is_online(directory_id) and directory_id not in self._not_begun

    def _of_unclaimed(self, directory_id: bytes) -> dict[TopicPartition, Checkpointed]:
        unclaimed = tuple(self._unclaimed[directory_id].items())
        return {(found.topic, found.index): offsets for found, offsets in unclaimed}

    def _write_offsets(
        self, directory_id: bytes, name: str, known: Mapping[TopicPartition, Checkpointed]
    ) -> None:
        offsets = {key: each.offset(name) for key, each in known.items()}
        # 0 is what a reader assumes of a log that has no entry. Apache Kafka leaves out more: all logs that begin where
        # a segment does.
        if name == LOG_STARTS:
            offsets = {key: offset for key, offset in offsets.items() if offset}
        write_offsets(self._disk, self._paths[directory_id], name, offsets)
        self._written[directory_id, name] = offsets

    def write_closed(
        self, directory_id: bytes, closed: Iterable[tuple[TopicPartition, Checkpointed]]
    ) -> None:
        """Write the checkpoints of a directory whose logs are ``closed``. Raises OSError."""
        # A directory that failed has logs that were not closed. To write that they were would hide what they lack.
        if not self._may_write(directory_id):
            return
        # Once for all logs. Only then may the checkpoints say that everything is durable.
        self._disk.sync_file_system(self._paths[directory_id])
        known = self._of_unclaimed(directory_id)
        known.update(closed)
        # Without `arriving`: moves have ended before the stop, and a copy that stays is begun anew.
        for name in CHECKPOINTS:
            self._write_offsets(directory_id, name, known)


def _at_start(survey: DirectorySurvey) -> dict[FoundReplica, Checkpointed]:
    """What the checkpoints of a directory say of what lies in it, or has to.

    The entries have names, and the replicas topic ids: another topic may have had the name before.
    """
    return {
        each: survey.checkpointed(each.topic, each.index)
        for each in survey.found
        if (each.topic_id is not None or each.is_damaged) and not each.is_future
    }
