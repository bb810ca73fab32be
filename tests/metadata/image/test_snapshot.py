"""Images as records, and digests.

Tests: `metadata.image.digest`, `metadata.image.topic_names`.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st
from immutables import Map

from kafkaproto.messages import FeatureLevelRecord, TopicRecord
from kafkaproto.records.metadata import decode_metadata_record, encode_metadata_record
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.snapshot import image_records
from tests.metadata.image.support.reference import image_from_records
from tests.metadata.image.support.workload import random_records


def _image(seed: int, count: int = 80) -> ClusterImage:
    records = random_records(random.Random(seed), count)
    return image_from_records(records, offset=count - 1, epoch=2, timestamp_ms=3)


@given(st.integers(min_value=0, max_value=2**32))
def test_a_snapshot_replays_into_the_image_it_was_taken_of(seed: int) -> None:
    image = _image(seed)
    values = [encode_metadata_record(record, version) for record, version in image_records(image)]
    records = [decode_metadata_record(value)[0] for value in values]
    copy = image_from_records(
        records, offset=image.offset, epoch=image.epoch, timestamp_ms=image.timestamp_ms
    )
    assert copy == image
    assert digest(copy) == digest(image)


def test_kinds_of_records_come_in_the_order_of_a_stock_snapshot() -> None:
    kinds = [kind for kind, _ in groupby(record.NAME for record, _ in image_records(_image(10, 400)))]
    topics = [kind for kind in kinds if kind in ("TopicRecord", "PartitionRecord")]
    assert [kind for kind in kinds if kind not in ("TopicRecord", "PartitionRecord")] == [
        "FeatureLevelRecord",
        "RegisterBrokerRecord",
        "RegisterControllerRecord",
        "ConfigRecord",
        "ClientQuotaRecord",
        "ProducerIdsRecord",
        "AccessControlEntryRecord",
        "UserScramCredentialRecord",
        "DelegationTokenRecord",
    ]
    assert topics[:2] == ["TopicRecord", "PartitionRecord"]
    first_topic = kinds.index("TopicRecord")
    assert kinds[first_topic - 1] == "RegisterControllerRecord"


def test_metadata_version_comes_before_the_other_features() -> None:
    records = [
        FeatureLevelRecord(name=name, feature_level=level)
        for name, level in (("metadata.version", 30), ("group.version", 1), ("share.version", 1))
    ]
    image = image_from_records(records, offset=2, epoch=1, timestamp_ms=0)
    assert [record.name for record, _ in image_records(image)] == [
        "metadata.version",
        "group.version",
        "share.version",
    ]


def test_an_empty_image_has_no_records() -> None:
    assert list(image_records(EMPTY_IMAGE)) == []


def test_the_order_in_which_an_image_grew_does_not_show() -> None:
    first, second = (TopicRecord(name=name, topic_id=name.encode() * 16) for name in "ab")
    one = image_from_records([first, second], offset=1, epoch=1, timestamp_ms=0)
    other = image_from_records([second, first], offset=1, epoch=1, timestamp_ms=0)
    assert [record.name for record, _ in image_records(other)] == ["a", "b"]
    assert digest(one) == digest(other)


@given(st.integers(min_value=0, max_value=2**32))
def test_images_with_other_content_have_another_digest(seed: int) -> None:
    image, other = _image(seed), _image(seed + 1)
    assert (digest(image) == digest(other)) == (list(image_records(image)) == list(image_records(other)))


def test_where_an_image_lies_in_the_log_is_no_part_of_its_digest() -> None:
    image = _image(1)
    assert digest(image.at(5, 6, 7)) == digest(image)
    assert image.at(5, 6, 7) != image


def test_records_are_written_in_the_versions_of_the_metadata_version() -> None:
    records = random_records(random.Random(6), 300)
    versions: dict[tuple[str, int], int] = {}
    for level in (7, 8, 16, 17, 22, 23, 29, 30):
        records[0] = FeatureLevelRecord(name="metadata.version", feature_level=level)
        image = image_from_records(records, offset=299, epoch=1, timestamp_ms=0)
        for record, version in image_records(image):
            encode_metadata_record(record, version)
            versions[record.NAME, level] = version
    assert [versions["RegisterBrokerRecord", level] for level in (7, 8, 16, 17, 29, 30)] == [1, 2, 2, 3, 3, 4]
    assert [versions["PartitionRecord", level] for level in (7, 16, 17, 22, 23, 30)] == [0, 0, 1, 1, 2, 2]
    assert versions["TopicRecord", 30] == 0


_DIGEST_SCRIPT = """
import random
from kafkaproto_server.metadata.image.digest import digest
from tests.metadata.image.support.reference import image_from_records
from tests.metadata.image.support.workload import random_records
records = random_records(random.Random(9), 200)
print(digest(image_from_records(records, offset=199, epoch=1, timestamp_ms=0)).hex())
"""


@pytest.mark.slow
def test_the_digest_is_the_same_whatever_strings_hash_to() -> None:
    digests = set()
    for hash_seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = subprocess.run(
            [sys.executable, "-c", _DIGEST_SCRIPT],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(run.stdout.strip())
    assert len(digests) == 1


def test_the_hashes_of_this_process_do_not_order_maps_by_name() -> None:
    # Were maps sorted by themselves, the tests above could not fail for want of sorting.
    names = [f"topic-{number}" for number in range(200)]
    assert list(Map(dict.fromkeys(names, 1))) != sorted(names)
