"""Writes and checks ``partition.metadata``, the id of the topic whose partition is in a directory."""

from __future__ import annotations

from kafkaproto.directory_files import PARTITION_METADATA_NAME, encode_partition_metadata
from kafkaproto_server.ports import Disk
from kafkaproto_server.storage.atomic import replace_file
from kafkaproto_server.storage.errors import CorruptFileError


def ensure_partition_metadata(disk: Disk, directory: str, topic_id: bytes) -> None:
    """Write the file if it is missing. Raises CorruptFileError if it has any content but ``topic_id``."""
    path = f"{directory}/{PARTITION_METADATA_NAME}"
    expected = encode_partition_metadata(topic_id)
    if not disk.exists(path):
        replace_file(disk, directory, PARTITION_METADATA_NAME, expected)
    # Kafka's file has no newline at its end. An editor may have added one, which changes nothing.
    elif disk.read_file(path).rstrip() != expected:
        raise CorruptFileError(
            path, f"expected are the lines {expected.decode()!r}, this is another topic's log"
        )
