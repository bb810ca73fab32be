"""What compaction leaves of a log, beside what Apache Kafka 4.4.0 leaves of the same files.

`support/record_compaction` has recorded `data/compaction.json` with a node of Apache Kafka.
"""

from __future__ import annotations

import base64
import json
import zlib

import pytest

from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from tests.shell.storage.support.compaction import clean, contents, plan
from tests.shell.storage.support.record_compaction import (
    CONFIG,
    DATA,
    DELETE_RETENTION_MS,
    PRODUCER_EXPIRATION_MS,
)
from tests.sim.disk import MemoryDisk

LOG = "/data/compacted-0"
TOPIC_ID = bytes(range(16))
RECORDED = json.loads(DATA.read_text())
"""The later cleanings find tombstones and markers whose delete horizon has passed."""
ACTIVE_BASES = [max(int(name[:20]) for name in each["after"]) for each in RECORDED]


def opened(disk: MemoryDisk, files: dict[str, str]) -> TopicLog:
    disk.make_directory(LOG)
    for name, content in files.items():
        file = disk.open(f"{LOG}/{name}", create=True)
        file.append([zlib.decompress(base64.b64decode(content))])
        file.close()
    return TopicLog.open(
        disk, LOG, topic_id=TOPIC_ID, config=CONFIG, producer_expiration_ms=PRODUCER_EXPIRATION_MS
    )


def file_of(disk: MemoryDisk, suffix: str) -> dict[str, bytes]:
    return {
        name: disk.read_file(f"{LOG}/{name}") for name in disk.list_directory(LOG) if name.endswith(suffix)
    }


@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_what_is_left_of_a_log_is_what_kafka_leaves(number: int) -> None:
    recorded = RECORDED[number]
    kafkas_disk = MemoryDisk()
    expected = contents(opened(kafkas_disk, recorded["after"]))
    # Kafka's clock at the cleaning, as the horizons say that it has set.
    horizon_ms = max(header.base_timestamp for header, _ in expected if header.attributes & 0x40)
    disk = MemoryDisk()
    log = opened(disk, recorded["before"])
    before = contents(log)
    end = clean(
        disk,
        log,
        plan(
            log,
            log.found(0),
            CONFIG,
            now_ms=horizon_ms - DELETE_RETENTION_MS,
            delete_retention_ms=DELETE_RETENTION_MS,
            first_dirty_offset=ACTIVE_BASES[number - 1] if number else 0,
        ),
    )
    assert end == log.log.segment_bases[-1]
    found = contents(log)
    assert [each for each, _ in found] == [each for each, _ in expected]
    assert found == expected
    assert len(found) < len(before)
    assert file_of(disk, ".txnindex") == file_of(kafkas_disk, ".txnindex")
    assert sorted(file_of(disk, ".log")) == sorted(file_of(kafkas_disk, ".log"))
