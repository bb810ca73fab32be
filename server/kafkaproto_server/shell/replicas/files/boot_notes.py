"""Says in log directories that all their logs were opened since the machine started
(`shell.storage.directories.boot_file`).

Not before: a loss of power may have taken records from a log that nobody has looked at since, and then the next start
must not take that for damage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey
from kafkaproto_server.shell.storage.directories.boot_file import note_boot


class BootNotes:
    """The notes of one broker."""

    def __init__(
        self,
        disk: Disk,
        paths: Mapping[bytes, str],
        surveys: Mapping[bytes, DirectorySurvey],
        put_job: Callable[[bytes, Callable[[], object]], None],
    ) -> None:
        self._disk = disk
        self._paths = paths
        self._put_job = put_job
        self._due = {each for each, survey in surveys.items() if not survey.is_of_boot}

    def note(self, unread: Callable[[], Iterable[bytes]]) -> None:
        """Have notes written that are due. ``unread`` returns the directories with logs that were not opened."""
        # `unread` goes through all replicas of the broker. After the first minutes there is nothing due, for the rest
        # of its life.
        if self._due:
            # Sorted, because a set has another order in each process, and runs of the simulator have to repeat.
            for directory_id in sorted(self._due.difference(unread())):
                self._due.remove(directory_id)
                self._put_job(directory_id, partial(note_boot, self._disk, self._paths[directory_id]))
