"""Records a change of a cluster's voters that this user has begun. With it the change can be taken back, and two such
changes cannot run at once.

There is one small file per cluster, in the user's state directory (``$XDG_STATE_HOME``, else ``~/.local/state``). To
continue a change, the file is not needed: the quorum itself and the target determine all that is left to do.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import click


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An alteration that is not finished."""

    before: frozenset[int]
    """The voters when it began; if the target was changed midway, those at the beginning of the first alteration."""
    target: frozenset[int]
    involved: frozenset[int]
    """All nodes that may be voters in between."""

    def may_have_led_to(self, voters: frozenset[int]) -> bool:
        """Whether these voters can be an intermediate state of this alteration."""
        return voters <= self.involved and voters != self.target


class Journal:
    """The open file of one cluster."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def read(self) -> Entry | None:
        """The unfinished alteration; None if there is none, or if the file is not valid."""
        self._file.seek(0)
        try:
            found = json.load(self._file)
            return Entry(
                before=frozenset(map(int, found["before"])),
                target=frozenset(map(int, found["target"])),
                involved=frozenset(map(int, found["involved"])),
            )
        except (ValueError, KeyError, TypeError):
            return None

    def write(self, entry: Entry | None) -> None:
        """Replace the entry; None means that nothing is unfinished."""
        self._file.seek(0)
        self._file.truncate()
        if entry is not None:
            fields = {"before": entry.before, "target": entry.target, "involved": entry.involved}
            json.dump({name: sorted(ids) for name, ids in fields.items()}, self._file)
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def open_journal(cluster_id: str) -> Iterator[Journal]:
    """The journal of a cluster, for one process at a time. Raises ClickException if another process has it open."""
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    path = home / "kafkaproto" / f"voters-{cluster_id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise click.ClickException(
                f"another alter of cluster {cluster_id} runs on this machine (it has {path} locked)"
            ) from None
        yield Journal(file)
