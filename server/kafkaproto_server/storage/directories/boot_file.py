"""``.kafkaproto_boot``: during which start of the machine a broker wrote to a log directory for the last time.

If the broker ended without being told to and the machine still runs, the operating system has kept all that was
written, durable or not. A log that is shorter than its high watermark is then damaged. After another start of the
machine, it may have lost what was not durable, and other replicas have that. Apache Kafka ignores the file.
"""

from __future__ import annotations

from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.atomic import replace_file

BOOT_FILE_NAME = ".kafkaproto_boot"


def note_boot(disk: Disk, directory: str) -> bool:
    """Note in a log directory that the machine runs since its present start. Returns whether the file said so already.
    Raises OSError."""
    boot_id = disk.boot_id().encode()
    path = f"{directory}/{BOOT_FILE_NAME}"
    if disk.exists(path) and disk.read_file(path) == boot_id:
        return bool(boot_id)
    replace_file(disk, directory, BOOT_FILE_NAME, boot_id)
    return False
