"""Writes and checks ``partition.metadata``, the id of the topic whose partition is in a directory."""

from __future__ import annotations

from kafkaproto.directory_files import PARTITION_METADATA_NAME, encode_partition_metadata
from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.atomic import replace_file
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.reached import TOPIC_REMEDY


def ensure_partition_metadata(
    disk: Disk, directory: str, topic_id: bytes, *, is_durable: bool = True, may_lack_it: bool = True
) -> None:
    """Write the file if it is missing, durably on return unless ``is_durable`` is false. Raises CorruptFileError if it
    has any content but ``topic_id``.

    Of a file that need not be durable, a crash of the machine may leave only the beginning: then its directory was new.
    If that cannot be (``may_lack_it`` is false) and the log has records, this raises CorruptFileError as well.
    """
    path = f"{directory}/{PARTITION_METADATA_NAME}"
    expected = encode_partition_metadata(topic_id)
    content = disk.read_file(path) if disk.exists(path) else None
    if content is None or (not is_durable and _is_torn(content, expected)):
        if not may_lack_it:
            check_has_no_records(disk, directory)
        replace_file(disk, directory, PARTITION_METADATA_NAME, expected, is_durable=is_durable)
    # Kafka's file has no newline at its end. An editor may have added one, which changes nothing.
    elif content.rstrip() != expected:
        raise CorruptFileError(
            path, f"expected are the lines {expected.decode()!r}, this is another topic's log"
        )


def check_has_no_records(disk: Disk, directory: str) -> None:
    """Raise CorruptFileError if a log has records whose topic nothing names. Raises OSError."""
    for name in disk.list_directory(directory):
        if parse_segment_file_name(name, LOG_SUFFIX) is not None:
            file = disk.open_read_only(f"{directory}/{name}")
            try:
                size = file.size()
            finally:
                file.close()
            if size:
                raise CorruptFileError(
                    f"{directory}/{PARTITION_METADATA_NAME}",
                    f"the file is gone or not complete, and {name} has {size} bytes of records: nothing says of which"
                    f" topic they are. {TOPIC_REMEDY}",
                )


def _is_torn(content: bytes, expected: bytes) -> bool:
    return len(content) < len(expected) and expected.startswith(content)
