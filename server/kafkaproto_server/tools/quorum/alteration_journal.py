"""What this user has begun to change of a cluster's voters: it can be taken back, and is not done twice at once.

One small file a cluster, in the user's state directory (``$XDG_STATE_HOME``, else ``~/.local/state``). Going on needs
nothing of it: the quorum itself and the target say all that is left to do.
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
    """An alteration that has not come to its end."""

    before: frozenset[int]
    """Voters when it began; those of the first one where another target came midway."""
    target: frozenset[int]
    involved: frozenset[int]
    """Everybody who may be a voter in between."""

    def may_have_led_to(self, voters: frozenset[int]) -> bool:
        """Whether these voters can be a state of this alteration that is not its end."""
        return voters <= self.involved and voters != self.target


class Journal:
    """The open file of one cluster."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def read(self) -> Entry | None:
        """The alteration that was left unfinished; a file that is not readable as one counts as none."""
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
        """Put an entry in the place of what is there; None for nothing unfinished."""
        self._file.seek(0)
        self._file.truncate()
        if entry is not None:
            fields = {"before": entry.before, "target": entry.target, "involved": entry.involved}
            json.dump({name: sorted(ids) for name, ids in fields.items()}, self._file)
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def open_journal(cluster_id: str) -> Iterator[Journal]:
    """The journal of a cluster, for one process at a time; raises ClickException where another one has it."""
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
