"""Decides where a replica is opened when the broker begins with it: by the directory that the metadata records, and by
what lies in the log directories (KIP-858). It is a table; nothing here remembers anything.

| recorded               | in one     | in several, none | only a future copy;     | nothing; directories      |
|                        | directory  | is the recorded  | all online | some not   | all online  | some not    |
|------------------------|------------|------------------|------------|------------|-------------|-------------|
| UNASSIGNED, MIGRATING  | open there | refuse to start  | promote it | wait       | choose      | choose      |
| here, online           | open there | refuse to start  | promote it | wait       | begin there | begin there |
| here, offline          | open there | refuse to start  |            | wait       |             | wait        |
| LOST, or an id unknown | open there | refuse to start  | promote it | wait       | choose      | wait        |

What begins or is chosen is empty. If the controllers count on records that were there, the replica counts as lost
(`replica_directories`).

Where records are, the replica is, whatever is recorded. If nothing is found and a directory is offline, the replica may
be in there. A future copy may lack the newest records, so it replaces the replica only if that cannot be anywhere
else. Beside the replica, it is the copy of a move that has not ended, which begins again (`target_of`).
`report_of` says what the controllers have to be told then.

Apache Kafka (LogManager) differs in three points. It does not start if a replica is in two directories, also if one of
them is recorded. It takes the future copy if its directory is recorded, even beside the replica, and without what the
replica got since. And it begins a replica that UNASSIGNED and a future copy say may be in an offline directory.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY, MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY


class Way(enum.Enum):
    """What is done with a replica."""

    OPEN = "open"
    """Its log is in the directory."""
    PROMOTE = "promote"
    """A future copy is in the directory, and becomes the replica."""
    BEGIN = "begin"
    """An empty log is made in the directory."""
    CHOOSE = "choose"
    """An empty log is made in a directory that is to be chosen."""
    WAIT = "wait"
    """Its log may be in a directory that is offline. The replica is offline."""
    REFUSE = "refuse"
    """Its log is in several directories, and nothing says which one is right."""


class StartPlace(NamedTuple):
    way: Way
    directory_id: bytes | None = None
    """None for CHOOSE and REFUSE, and for WAIT if it is not known which offline directory it is."""


class FoundReplica(msgspec.Struct, frozen=True):
    """A partition's directory that lies in a log directory when the broker starts."""

    directory_id: bytes
    """Of the log directory."""
    name: str
    topic: str
    index: int
    topic_id: bytes | None
    """None if the directory does not say it."""
    is_future: bool
    is_damaged: bool = False
    """Whether the file that says the topic id is damaged: then the name says whose replica it is."""
    torn_id: str | None = None
    """The beginning of the topic id in a damaged file that ends within it or before it; None if there is none, or it is
    damaged in another way."""
    is_gone: bool = False
    """Whether nothing of it is there but what the checkpoints say of its name."""


def was_never_placed(recorded: bytes) -> bool:
    """Whether the controllers were never told the directory of a replica."""
    return recorded in (UNASSIGNED_DIRECTORY, MIGRATING_DIRECTORY)


def place_of(
    recorded: bytes, current: Sequence[bytes], future: Sequence[bytes], directories: LogDirectories
) -> StartPlace:
    """Where a replica belongs. ``current`` and ``future`` are the ids of the online directories in which it lies, under
    its own name and as a future copy."""
    if recorded in current:
        return StartPlace(Way.OPEN, recorded)
    # Neither is recorded. To take one by chance could serve the older, and cut the newer to it.
    if len(current) > 1:
        return StartPlace(Way.REFUSE)
    # Whatever the metadata says: the records are here. The controllers are told.
    if current:
        return StartPlace(Way.OPEN, current[0])
    # Its records are in the failed directory. To begin anew in another one would make an empty replica of the same
    # name.
    if directories.is_own(recorded) and not directories.is_online(recorded):
        return StartPlace(Way.WAIT, recorded)
    if future:
        # The replica itself may be in the failed directory, with records that its copy lacks.
        if directories.has_offline:
            return StartPlace(Way.WAIT)
        # The lowest id, if nothing else decides: each start of the broker must come to the same.
        return StartPlace(Way.PROMOTE, recorded if recorded in future else min(future))
    if directories.is_own(recorded):
        return StartPlace(Way.BEGIN, recorded)
    # It was placed once, in a directory that is not known here: perhaps the one that cannot be read.
    if directories.has_offline and not was_never_placed(recorded):
        return StartPlace(Way.WAIT)
    # Nothing was found and nothing can be hidden: the replica is new, or what it had is gone.
    return StartPlace(Way.CHOOSE)


def target_of(recorded: bytes, future: Sequence[bytes], place: StartPlace) -> bytes | None:
    """Where the move of a replica goes on that is opened at ``place``; None if it was not being moved. ``future`` are
    the online directories with other copies of it that are not complete."""
    targets = [each for each in future if each != place.directory_id]
    # A replica that is not there yet has nothing to copy.
    if place.way is not Way.OPEN or not targets:
        return None
    assert place.directory_id is not None, "a replica that is open is somewhere"
    return recorded if recorded in targets else min(targets)


def report_of(directory_id: bytes | None, recorded: bytes, directories: LogDirectories) -> bytes | None:
    """The directory that the controllers have to be told of a replica; None if there is nothing to tell.

    ``directory_id`` is where it is, online or not; None if it is in an unknown directory that is offline.
    """
    if directory_id is None:
        # The controllers count it as offline if LOST or a directory is recorded that is not online here.
        # Reserved ids count as online there, so a replica that is lost could be elected (KIP-858).
        is_believed_online = was_never_placed(recorded) or directories.is_online(recorded)
        return LOST_DIRECTORY if is_believed_online else None
    # The controllers know.
    if directory_id == recorded:
        return None
    # The controllers record the only directory of a broker themselves.
    return None if was_never_placed(recorded) and not directories.are_several else directory_id
