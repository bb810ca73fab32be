"""Writes and checks ``partition.metadata``, the id of the topic whose partition is in a directory."""

from __future__ import annotations

from kafkaproto.directory_files import PARTITION_METADATA_NAME, encode_partition_metadata
from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.atomic import replace_file
from kafkaproto_server.storage.errors import CorruptFileError


def ensure_partition_metadata(
    disk: Disk, directory: str, topic_id: bytes, *, is_durable: bool = True
) -> None:
    """Write the file if it is missing, durably on return unless ``is_durable`` is false. Raises CorruptFileError if it
    has any content but ``topic_id``.

    Of a file that need not be durable, a crash of the machine may leave only the beginning: then its directory was new.
    """
    path = f"{directory}/{PARTITION_METADATA_NAME}"
    expected = encode_partition_metadata(topic_id)
    content = disk.read_file(path) if disk.exists(path) else None
    if content is None or (not is_durable and _is_torn(content, expected)):
        replace_file(disk, directory, PARTITION_METADATA_NAME, expected, is_durable=is_durable)
    # Kafka's file has no newline at its end. An editor may have added one, which changes nothing.
    elif content.rstrip() != expected:
        raise CorruptFileError(
            path, f"expected are the lines {expected.decode()!r}, this is another topic's log"
        )


def _is_torn(content: bytes, expected: bytes) -> bool:
    return len(content) < len(expected) and expected.startswith(content)
