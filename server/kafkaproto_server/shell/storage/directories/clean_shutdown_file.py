"""``.kafka_cleanshutdown``: the mark of a clean broker shutdown, with the broker epoch.

The content is ``{"version":0,"brokerEpoch":247}`` without a newline, in each log directory. The broker writes it after
everything else is closed and removes it at the next start. So the file exists only between a clean shutdown and the
next start.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.atomic import replace_file

CLEAN_SHUTDOWN_NAME = ".kafka_cleanshutdown"
NO_BROKER_EPOCH = -1
_MAX_BROKER_EPOCH = 2**63 - 1


def write_clean_shutdown(disk: Disk, directories: Sequence[str], broker_epoch: int) -> None:
    """Write the file to every directory, durably on return. Raises OSError."""
    content = json.dumps({"version": 0, "brokerEpoch": broker_epoch}, separators=(",", ":")).encode()
    for directory in directories:
        replace_file(disk, directory, CLEAN_SHUTDOWN_NAME, content)


def take_clean_shutdown(disk: Disk, directories: Sequence[str]) -> int:
    """The broker epoch of the last shutdown if every directory shows a clean one, else -1. Removes the files.

    A file with unreadable content counts as no clean shutdown. Raises OSError.
    """
    epochs = set()
    for directory in directories:
        path = f"{directory}/{CLEAN_SHUTDOWN_NAME}"
        if not disk.exists(path):
            epochs.add(NO_BROKER_EPOCH)
            continue
        # The file is removed durably before the broker serves: a crash must not find it at the next
        # start. KIP-966 trusts it to keep the broker eligible as a leader (ELR).
        epochs.add(_broker_epoch(disk.read_file(path)))
        disk.remove(path)
        disk.sync_directory(directory)
    # One directory without the mark may have lost acknowledged records, so none of them counts.
    return epochs.pop() if len(epochs) == 1 else NO_BROKER_EPOCH


def _broker_epoch(content: bytes) -> int:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return NO_BROKER_EPOCH
    epoch = document.get("brokerEpoch") if isinstance(document, dict) else None
    # JSON's true is an int for isinstance.
    return epoch if type(epoch) is int and 0 <= epoch <= _MAX_BROKER_EPOCH else NO_BROKER_EPOCH
