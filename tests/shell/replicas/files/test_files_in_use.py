"""A file of a log that somebody replaced, forbade or removed while the broker runs costs that replica, and no other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafkaproto.directory_files import META_PROPERTIES_NAME
from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from tests.apis.support.data_broker import ME, DataBroker, batch, batches
from tests.apis.support.replicas import PATH
from tests.sim.disk import MemoryDisk

T = f"{PATH}/t-0"
TIMESTAMP_MS = 1_700_000_000_000
SEGMENTS = 3
DELETE_DELAY_MS = 60_000


def file_of(segment: int, suffix: str = "log") -> str:
    return f"{T}/{segment * 10:020}.{suffix}"


def forbid(disk: MemoryDisk, path: str) -> None:
    disk._names[path].read_only = True


def remove(disk: MemoryDisk, path: str) -> None:
    disk.take_away(path)


def replace_by_directory(disk: MemoryDisk, path: str) -> None:
    if disk.exists(path):
        disk.take_away(path)
    disk.make_directory(path)


Damage = Callable[[MemoryDisk, str], None]
DAMAGES = {"gone": remove, "a directory": replace_by_directory, "forbidden": forbid}


def hosted(broker: DataBroker) -> Hosted:
    found = broker.replicas.manager.replicas.get(broker.topic_id("t"), 0)
    assert found is not None
    return found


def running(**configs: str) -> DataBroker:
    """A broker that has started and opened no segment yet, with three of them in t, and with records in u."""
    broker = DataBroker()
    for name in ("t", "u"):
        broker.topic(name, [ME], **{"index.interval.bytes": "0", **configs})
    broker.report()
    for number in range(SEGMENTS * 10):
        record = NewRecord(b"%02d" % number, b"v")
        made = build_batch([record], base_offset=0, timestamp_ms=TIMESTAMP_MS + number)
        assert broker.produce("t", made).error_code == 0
        if number % 10 == 9 and number < SEGMENTS * 10 - 1:
            log = hosted(broker).log
            assert log is not None
            log.log.roll()
            broker.replicas.manager.replicas.changes.has_rolled(hosted(broker))
    assert broker.produce("u", batch(b"u")).error_code == 0
    broker.replicas.stop()
    broker.start()
    broker.report()
    broker.replicas.disk.open(f"{PATH}/{META_PROPERTIES_NAME}", create=True).close()
    return broker


def fetch(broker: DataBroker) -> int:
    code: int = broker.fetch("t").error_code
    return code


def produce(broker: DataBroker) -> int:
    # It fits into the last segment.
    code: int = broker.produce("t", batch(b"w", timestamp_ms=TIMESTAMP_MS)).error_code
    return code


def search(broker: DataBroker) -> int:
    code: int = broker.offset("t", TIMESTAMP_MS + 5).error_code
    return code


def flush(broker: DataBroker) -> int:
    replicas = broker.replicas.manager.replicas
    replicas.changes.make_durable(hosted(broker), with_active=True)
    return fetch(broker)


CASES = [
    *((fetch, file_of(0), each) for each in DAMAGES),
    *((search, file_of(0), each) for each in DAMAGES),
    *((produce, file_of(SEGMENTS - 1), each) for each in DAMAGES),
    (flush, file_of(SEGMENTS - 1, "index"), "a directory"),
    (flush, file_of(SEGMENTS - 1, "timeindex"), "forbidden"),
    (flush, file_of(SEGMENTS - 1, "txnindex"), "a directory"),
    (flush, f"{T}/leader-epoch-checkpoint.tmp", "a directory"),
    (flush, file_of(SEGMENTS - 1), "forbidden"),
]


@pytest.mark.parametrize(("act", "path", "damage"), CASES)
def test_it_costs_one_replica(
    act: Callable[[DataBroker], int], path: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    broker = running()
    if act is flush:
        assert produce(broker) == 0
    DAMAGES[damage](broker.replicas.disk, path)
    assert act(broker) == ErrorCode.KAFKA_STORAGE_ERROR
    broker.report()
    broker.heartbeat()
    assert broker.harness.partition("t").directory_of(ME) == LOST_DIRECTORY
    assert fetch(broker) == produce(broker) == ErrorCode.KAFKA_STORAGE_ERROR
    assert [value for _, _, each in batches(broker.fetch("u").records) for value in each] == [b"u"]
    assert broker.produce("u", batch(b"u")).error_code == 0
    assert f"{path}: cannot be used" in caplog.text
    # Nothing was made in its place.
    assert damage != "gone" or not broker.replicas.disk.exists(path)


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_same_costs_the_log_directory_if_that_is_not_what_it_was(damage: str) -> None:
    broker = running()
    DAMAGES[damage](broker.replicas.disk, file_of(0))
    broker.replicas.disk.take_away(f"{PATH}/{META_PROPERTIES_NAME}")
    assert fetch(broker) == ErrorCode.KAFKA_STORAGE_ERROR
    broker.heartbeat()
    assert broker.fetch("u").error_code == ErrorCode.KAFKA_STORAGE_ERROR


def test_a_directory_of_an_administrator_in_a_deleted_replica_stays() -> None:
    broker = running()
    disk = broker.replicas.disk
    disk.make_directory(f"{T}/notes")
    broker.delete_topic("t")
    broker.replicas.pass_time(DELETE_DELAY_MS)
    broker.replicas.manager.replicas.removals.remove_due()
    (left,) = [each for each in disk.list_directory(PATH) if each.endswith("-delete")]
    assert "notes" in disk.list_directory(f"{PATH}/{left}")
    assert broker.replicas.manager.directory_failures.waiting == []
    assert broker.produce("u", batch(b"u")).error_code == 0
