"""``.kafkaproto_boot``: during which start of the machine a broker wrote to a log directory for the last time.

If the broker ended without being told to and the machine still runs, the operating system has kept all that was
written, durable or not. A log that is shorter than its high watermark is then damaged. After another start of the
machine, it may have lost what was not durable, and other replicas have that. Apache Kafka ignores the file.

Where the system does not tell its starts apart, nobody knows whether it has run on: there is no file, and what was not
durable may be gone, as after a loss of power.
"""

from __future__ import annotations

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.atomic import replace_file

BOOT_FILE_NAME = ".kafkaproto_boot"


def is_of_this_boot(disk: Disk, directory: str) -> bool:
    """Whether the machine has run on since the logs in a directory were last known to be whole. Raises OSError."""
    path = f"{directory}/{BOOT_FILE_NAME}"
    boot_id = disk.boot_id().encode()
    return bool(boot_id) and disk.exists(path) and disk.read_file(path) == boot_id


def note_boot(disk: Disk, directory: str) -> None:
    """Note in a log directory that the machine runs since its present start, durably on return. By then every log there
    was opened since: what a loss of power before has taken is known. Raises OSError.

    If it is not known which start that is, the note of an earlier one is removed: the directory may come from another
    machine, and go back there.
    """
    boot_id = disk.boot_id().encode()
    if boot_id:
        replace_file(disk, directory, BOOT_FILE_NAME, boot_id)
    elif disk.exists(path := f"{directory}/{BOOT_FILE_NAME}"):
        disk.remove(path)
        disk.sync_directory(directory)
