"""The file that names the topic of a log: what a crash may have left of it."""

from __future__ import annotations

import pytest

from kafkaproto.directory_files import PARTITION_METADATA_NAME, encode_partition_metadata
from kafkaproto.log import segment_file_name
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.partition_metadata import ensure_partition_metadata
from tests.sim.disk import MemoryDisk

LOG = "/t-0"
TOPIC_ID = bytes(range(16))
WHOLE = encode_partition_metadata(TOPIC_ID)


def directory(metadata: bytes | None, records: bytes) -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_directory(LOG)
    for name, content in ((PARTITION_METADATA_NAME, metadata), (segment_file_name(0), records)):
        if content is not None:
            disk.open(f"{LOG}/{name}", create=True).append([content])
    return disk


@pytest.mark.parametrize("metadata", [None, WHOLE[:20]], ids=["gone", "torn"])
@pytest.mark.parametrize(("records", "may_lack_it"), [(b"records", True), (b"", True), (b"", False)])
def test_a_log_that_may_lack_its_topic_id_gets_it(
    metadata: bytes | None, records: bytes, may_lack_it: bool
) -> None:
    disk = directory(metadata, records)
    ensure_partition_metadata(disk, LOG, TOPIC_ID, is_durable=False, may_lack_it=may_lack_it)
    assert disk.read_file(f"{LOG}/{PARTITION_METADATA_NAME}") == WHOLE


@pytest.mark.parametrize("metadata", [None, WHOLE[:20]], ids=["gone", "torn"])
def test_records_whose_topic_nothing_names_are_left_as_they_are(metadata: bytes | None) -> None:
    disk = directory(metadata, b"records")
    before = disk.list_directory(LOG)
    with pytest.raises(
        CorruptFileError, match="has 7 bytes of records: nothing says of which topic they are"
    ):
        ensure_partition_metadata(disk, LOG, TOPIC_ID, is_durable=False, may_lack_it=False)
    assert disk.list_directory(LOG) == before
