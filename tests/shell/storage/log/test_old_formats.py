"""Logs of topics with the message formats 0 and 1, which old brokers wrote; and formats that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from kafkaproto.log import LOG_SUFFIX
from kafkaproto.records.batch import MAGIC_OFFSET, NewRecord, Record, RecordBatchView, build_batch
from kafkaproto.records.legacy import LegacyBatchView, iterate_stored_batches
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.copying import Slice, copy_slice
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.scan import WINDOW_BYTES
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.log.whole_batches import LOCATE_BYTES
from tests.shell.storage.support.compaction import clean, plan
from tests.sim.disk import MemoryDisk
from tests.support.old_logs import CLEANED, LOGS, RECORDS, files
from tests.support.old_messages import message

LOG = "/data/old-0"
TOPIC_ID = bytes(range(16))
CONFIG = LogConfig(
    segment_bytes=700,
    index_interval_bytes=200,
    segment_index_bytes=1 << 12,
    segment_ms=1 << 40,
    has_gaps=True,
    is_durable_at_once=False,
)
NO_LIMIT = 1 << 62
NOW_MS = 1_600_000_000_000
COMPRESSED = [each for each in LOGS if not each.endswith("none")]


def disk_with(content: dict[str, bytes]) -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_directory(LOG)
    for name, data in content.items():
        file = disk.open(f"{LOG}/{name}", create=True)
        file.append([data])
        file.close()
    return disk


def opened(disk: MemoryDisk, *, is_clean: bool = True, config: LogConfig = CONFIG) -> TopicLog:
    return TopicLog.open(
        disk, LOG, topic_id=TOPIC_ID, config=config, is_clean=is_clean, producer_expiration_ms=NO_LIMIT
    )


def segments_of(disk: MemoryDisk) -> dict[str, bytes]:
    """The .log files by name."""
    return {
        name: disk.read_file(f"{LOG}/{name}")
        for name in disk.list_directory(LOG)
        if name.endswith(LOG_SUFFIX)
    }


def segments_in(log: str) -> dict[str, bytes]:
    return {name: data for name, data in files(log).items() if name.endswith(LOG_SUFFIX)}


def recorded(log: str) -> list[Record]:
    """What an old consumer has read."""

    def data(digits: str | None) -> bytes | None:
        return None if digits is None else bytes.fromhex(digits)

    return [
        Record(offset, timestamp, data(key), data(value), ())
        for offset, timestamp, _, key, value in RECORDS[log]
    ]


def records_from(log: TopicLog, offset: int, max_bytes: int = 1) -> list[Record]:
    """What a consumer gets that begins at an offset, and asks for so many bytes each time."""
    found: list[Record] = []
    end_offset = log.log.log_end_offset
    while offset < end_offset:
        data = bytes(log.read_records(offset, max_bytes, end_offset, whole_first=True))
        if not data:
            break
        for view in iterate_stored_batches(data):
            view.check()
            found += (each for each in view.records() if each.offset >= offset)
            offset = view.next_offset
    return found


@pytest.mark.parametrize("cuts_at_gaps", [True, False])
@pytest.mark.parametrize("is_clean", [True, False])
@pytest.mark.parametrize("log", LOGS)
def test_nothing_of_an_old_log_is_cut_off(log: str, is_clean: bool, cuts_at_gaps: bool) -> None:
    """Not even if it was compacted, and its topic is not to be any more."""
    disk = disk_with(files(log))
    found = opened(disk, is_clean=is_clean, config=replace(CONFIG, cuts_at_gaps=cuts_at_gaps))
    assert found.log.recovery_note is None
    assert records_from(found, 0) == recorded(log)
    assert segments_of(disk) == segments_in(log)
    found.close(found.found(NOW_MS).producers)
    again = opened(disk)
    assert again.log.recovery_note is None
    assert records_from(again, 0) == recorded(log)
    again.close(None)


@pytest.mark.parametrize("log", LOGS)
def test_any_offset_can_be_asked_for(log: str) -> None:
    found = opened(disk_with(files(log)))
    expected = recorded(log)
    for offset in range(found.log.log_end_offset):
        for max_bytes in (1, 300, 10_000):
            assert records_from(found, offset, max_bytes) == [
                each for each in expected if each.offset >= offset
            ]
    found.close(None)


@pytest.mark.parametrize("log", LOGS)
def test_indexes_are_made_anew_and_then_trusted(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of old brokers name the first offset of a batch, not the last. Once made anew, a start needs no batches but
    the last ones."""
    content = files(log)
    disk = disk_with({name: data for name, data in content.items() if name.endswith(LOG_SUFFIX)})
    opened(disk).close(None)
    made = {name: disk.read_file(f"{LOG}/{name}") for name in disk.list_directory(LOG)}
    other = disk_with(content)
    opened(other).close(None)
    for name in made:
        if name.endswith("index"):
            assert other.read_file(f"{LOG}/{name}") == made[name], name
    monkeypatch.delattr(Segment, "recover")
    loaded = opened(disk)
    assert records_from(loaded, 0) == recorded(log)
    assert [each.max_timestamp for each in loaded.log.segments] == [
        max((view.max_timestamp for view in iterate_stored_batches(data)), default=-1)
        for data in segments_in(log).values()
    ]
    loaded.close(None)


@pytest.mark.parametrize("log", LOGS)
def test_records_are_found_by_time(log: str) -> None:
    found = opened(disk_with(files(log)))
    expected = recorded(log)
    times = {each.timestamp for each in expected}
    for timestamp in sorted({0, 1, *times, *(each + 1 for each in times)} - {-1}):
        first = next((each for each in expected if each.timestamp >= timestamp), None)
        result = found.find_timestamp(timestamp)
        assert (result and result[:2]) == (first and (first.offset, first.timestamp))
    latest = max(times)
    result = found.find_max_timestamp()
    assert (result and result.timestamp) == (latest if latest >= 0 else None)
    found.close(None)


@pytest.mark.parametrize("log", COMPRESSED)
def test_a_cut_inside_a_wrapper_takes_all_of_it(log: str) -> None:
    """The log then ends where the wrapper begins, which only its records tell."""
    wrappers = [
        (view.first_offset, view.last_offset)
        for data in segments_in(log).values()
        for view in iterate_stored_batches(data)
    ]
    first, last = wrappers[-1]
    disk = disk_with(files(log))
    found = opened(disk)
    found.truncate_to(last, NOW_MS)
    assert found.log.log_end_offset == first
    assert records_from(found, 0) == [each for each in recorded(log) if each.offset < first]
    found.append([build_batch([NewRecord(b"k", b"v")], base_offset=first, timestamp_ms=NOW_MS)])
    assert records_from(found, first)[0].value == b"v"
    found.close(None)


@pytest.mark.parametrize("log", ["v0-gzip", "v1-lz4", "v1-none"])
def test_a_log_may_start_inside_a_wrapper(log: str) -> None:
    """DeleteRecords goes by offsets."""
    disk = disk_with(files(log))
    found = opened(disk)
    assert found.move_start_to(19) == 19
    expected = [each for each in recorded(log) if each.offset >= 19]
    found.close(None)
    for is_clean in (True, False):
        again = TopicLog.open(
            disk,
            LOG,
            topic_id=TOPIC_ID,
            config=CONFIG,
            log_start_offset=19,
            is_clean=is_clean,
            producer_expiration_ms=NO_LIMIT,
        )
        assert again.log.log_start_offset == 19
        assert records_from(again, 19) == expected
        first = again.find_timestamp(0)
        assert (first and first.offset) == (None if log.startswith("v0") else 19)
        again.close(None)


@pytest.mark.parametrize("log", ["v0-none", "v0-gzip", "v1-none", "v1-lz4"])
def test_a_torn_message_at_the_end_is_cut_off(log: str) -> None:
    name, data = list(segments_in(log).items())[-1]
    last = list(iterate_stored_batches(data))[-1]
    for size in range(last.position + 1, len(data)):
        disk = disk_with({**segments_in(log), name: data[:size]})
        found = opened(disk, is_clean=False)
        assert found.log.recovery_note is not None
        assert f"cut {size - last.position} bytes" in found.log.recovery_note
        assert records_from(found, 0) == [each for each in recorded(log) if each.offset < last.first_offset]
        found.close(None)


@pytest.mark.parametrize("is_clean", [True, False])
@pytest.mark.parametrize("magic", [3, 17, 128, 255])
@pytest.mark.parametrize("log", ["v0-none", "v1-gzip", "mixed"])
def test_a_log_with_a_format_that_nobody_knows_stays_as_it_is(log: str, magic: int, is_clean: bool) -> None:
    """Whichever batch has it: first, last, or one in the middle. What is behind stays as well."""
    content = files(log)
    for name, data in segments_in(log).items():
        for view in iterate_stored_batches(data):
            changed = bytearray(data)
            changed[view.position + MAGIC_OFFSET] = magic
            disk = disk_with({**content, name: bytes(changed)})
            before = segments_of(disk)
            error = refusal(disk, is_clean=is_clean)
            # After a clean stop, segments with good indexes are not read; then whoever reads the batch is told.
            assert error is not None or is_clean
            if error is not None:
                assert (error.path, error.position) == (f"{LOG}/{name}", view.position)
                assert f"message format {magic} (its magic)" in str(error)
            assert segments_of(disk) == before


def refusal(disk: MemoryDisk, *, is_clean: bool) -> CorruptFileError | None:
    """Why the log is not opened."""
    try:
        opened(disk, is_clean=is_clean).close(None)
    except CorruptFileError as error:
        return error
    return None


@pytest.mark.parametrize("magic", [0, 1])
def test_messages_that_are_larger_than_what_is_read_at_once(magic: int) -> None:
    sizes = (3 * WINDOW_BYTES, 5, WINDOW_BYTES - 1, LOCATE_BYTES, 0)
    content = b"".join(message(offset, bytes(size), magic=magic) for offset, size in enumerate(sizes))
    disk = disk_with({f"{0:020}.log": content})
    for is_clean in (False, True):
        found = opened(disk, is_clean=is_clean)
        assert found.log.recovery_note is None
        assert [len(each.value or b"") for each in records_from(found, 0)] == [*sizes]
        assert found.log.read(3, 1) == message(3, bytes(sizes[3]), magic=magic)
        found.close(None)


def test_zeros_at_the_end_are_no_format() -> None:
    """A crash of the machine leaves them, and so did old brokers that preallocated their segments."""
    name, data = list(segments_in("v1-none").items())[-1]
    disk = disk_with({**files("v1-none"), name: data + bytes(1000)})
    found = opened(disk, is_clean=False)
    assert records_from(found, 0) == recorded("v1-none")
    assert segments_of(disk)[name] == data
    found.close(None)


@pytest.mark.parametrize(
    "rest", [bytes(300), b"\0\0", message(2, b"v", magic=1), message(9, b"v", magic=1)[:-1]]
)
def test_what_a_crash_leaves_behind_a_gap_is_no_old_format(rest: bytes) -> None:
    """Otherwise the gap would stay, and the replica would never fetch what is missing."""
    first = build_batch([NewRecord(b"k", b"v")], base_offset=0, timestamp_ms=NOW_MS)
    disk = disk_with({f"{0:020}.log": first, f"{9:020}.log": rest})
    found = opened(disk, is_clean=False, config=replace(CONFIG, cuts_at_gaps=True))
    assert found.log.log_end_offset == 1
    assert found.log.segment_bases == (0,)
    found.close(None)


def test_an_unknown_format_behind_a_gap_or_damage_stays_as_it_is() -> None:
    first = build_batch([NewRecord(b"k", b"v")], base_offset=0, timestamp_ms=NOW_MS)
    unknown = bytearray(build_batch([NewRecord(b"k", b"v")], base_offset=9, timestamp_ms=NOW_MS))
    unknown[MAGIC_OFFSET] = 3
    disk = disk_with({f"{0:020}.log": first, f"{9:020}.log": bytes(unknown)})
    before = segments_of(disk)
    with pytest.raises(CorruptFileError, match=f"{9:020}.log at byte 0: .* message format 3 "):
        opened(disk, is_clean=False, config=replace(CONFIG, cuts_at_gaps=True))
    assert segments_of(disk) == before
    # Nor is it removed because the segment before it is damaged.
    disk = disk_with({f"{0:020}.log": first + b"torn", f"{9:020}.log": bytes(unknown)})
    for _ in range(2):
        with pytest.raises(CorruptFileError, match=f"{9:020}.log at byte 0: .* message format 3 "):
            opened(disk, is_clean=False)
    assert segments_of(disk)[f"{9:020}.log"] == bytes(unknown)


def test_an_old_format_behind_a_newer_one_has_no_epoch() -> None:
    """As brokers left it whose message.format.version was set back."""
    newer = build_batch([NewRecord(b"k", b"v")], base_offset=0, partition_leader_epoch=5, timestamp_ms=NOW_MS)
    old = bytearray(next(iter(segments_in("v1-none").values())))
    for view in iterate_stored_batches(bytes(old)):
        old[view.position : view.position + 8] = (view.base_offset + 1).to_bytes(8, "big")
    disk = disk_with({f"{0:020}.log": newer + old})
    for is_clean in (False, True):
        found = opened(disk, is_clean=is_clean)
        assert found.log.recovery_note is None
        assert found.log.epoch_starts == ((5, 0),)
        assert found.log.log_end_offset == 9
        found.append(
            [
                build_batch(
                    [NewRecord(b"k", b"v")], base_offset=9, partition_leader_epoch=5, timestamp_ms=NOW_MS
                )
            ]
        )
        found.cut_to(9)
        found.close(None)
    # What comes behind is still compared with the epoch before.
    later = build_batch([NewRecord(b"k", b"v")], base_offset=9, partition_leader_epoch=4, timestamp_ms=NOW_MS)
    found = opened(disk_with({f"{0:020}.log": newer + old + later}), is_clean=False)
    assert (found.log.log_end_offset, found.log.epoch_starts) == (9, ((5, 0),))
    found.close(None)


@pytest.mark.parametrize("log", LOGS)
def test_a_follower_appends_old_batches_as_they_come(log: str) -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    found = opened(disk, config=replace(CONFIG, segment_bytes=1500))
    content = b"".join(segments_in(log).values())
    found.append([content], wall_ms=NOW_MS)
    assert b"".join(segments_of(disk).values()) == content
    assert records_from(found, 0) == recorded(log)
    assert found.log.epoch_starts == (() if log != "mixed" else ((1, 80),))
    found.close(None)
    again = opened(disk)
    assert records_from(again, 0) == recorded(log)
    again.close(None)


@pytest.mark.parametrize("log", LOGS)
def test_a_log_is_copied_to_another_directory(log: str) -> None:
    disk = disk_with(files(log))
    source = opened(disk)
    copy = TopicLog.open(
        disk, "/data/copy-0", topic_id=TOPIC_ID, config=CONFIG, producer_expiration_ms=NO_LIMIT
    )
    end = source.log.log_end_offset
    while copy.log.log_end_offset < end:
        part = Slice(
            offset=copy.log.log_end_offset, end_offset=end, max_bytes=500, aborted=[], wall_ms=NOW_MS
        )
        assert isinstance(copy_slice(source, copy, part, begins=False), int)
    assert records_from(copy, 0) == recorded(log)
    source.close(None)
    copy.close(None)


@pytest.mark.parametrize("log", LOGS)
def test_compaction_makes_batches_of_format_2(log: str) -> None:
    """As Apache Kafka 4 does; tests/compat/test_old_formats.py compares the two."""
    disk = disk_with(files(log))
    found = opened(disk)
    active = found.log.segment_bases[-1]
    to_clean = plan(found, found.found(NOW_MS), CONFIG, now_ms=NOW_MS, delete_retention_ms=1000)
    clean(disk, found, to_clean)
    expected = left_of(recorded(log), active)
    assert records_from(found, 0) == expected
    for name, data in segments_of(disk).items():
        if int(name[:20]) < active:
            assert not any(isinstance(view, LegacyBatchView) for view in iterate_stored_batches(data))
    found.close(None)
    again = opened(disk, is_clean=False)
    assert again.log.recovery_note is None
    assert records_from(again, 0) == expected
    again.close(None)


@pytest.mark.parametrize("log", CLEANED)
def test_compaction_leaves_what_that_of_kafka_leaves(log: str) -> None:
    """Apache Kafka 4.4.0 has cleaned the same files (tests/compat/record_old_compaction.py)."""
    disk = disk_with(files(log))
    config = replace(CONFIG, segment_bytes=1 << 20)
    found = opened(disk, config=config)
    clean(disk, found, plan(found, found.found(NOW_MS), config, now_ms=NOW_MS, delete_retention_ms=1000))
    made = [
        as_recorded(name, view)
        for name, data in segments_of(disk).items()
        for view in iterate_stored_batches(data)
    ]
    assert made == CLEANED[log]
    found.close(None)


def as_recorded(segment: str, view: RecordBatchView) -> dict[str, object]:
    """A batch as it was recorded."""
    header = view.header()._asdict()
    horizon_ms = view.delete_horizon_ms
    for name in ("crc", "batch_length", *(() if horizon_ms is None else ("base_timestamp",))):
        del header[name]
    records = [
        [each.offset, each.timestamp, *(None if part is None else part.hex() for part in each[2:4])]
        for each in view.records()
    ]
    return {"segment": segment, **header, "records": records, "horizon": horizon_ms is not None}


def left_of(records: Sequence[Record], active: int) -> list[Record]:
    """The newest record of each key below the active segment, and all that is in it."""
    newest = {each.key: each.offset for each in records if each.key is not None and each.offset < active}
    return [
        each
        for each in records
        if each.offset >= active or (each.key is not None and newest[each.key] == each.offset)
    ]
