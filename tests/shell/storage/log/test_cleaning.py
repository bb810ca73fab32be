"""Cleaning logs of topics: against a dict, with power lost at any operation, beside readers, and with damaged files."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import LocalProtocolError
from kafkaproto.messages import EndTxnMarker
from kafkaproto.records.batch import NewRecord, Record, RecordBatchView, build_batch
from kafkaproto.records.compression import Compression
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto_server.core.log_state.cleanable import CompactionLimits, dirty_range
from kafkaproto_server.core.log_state.compaction import Compaction
from kafkaproto_server.core.log_state.transactions import end_transaction_marker
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.cleaning import Cleaning
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from tests.shell.storage.support.compaction import NO_LIMIT, clean, committed, contents, plan
from tests.shell.storage.support.helpers import FixedRng, SeededRng
from tests.sim.disk import MemoryDisk, PowerLossError

LOG = "/data/topic-0"
TOPIC_ID = bytes(range(16))
CONFIG = LogConfig(
    segment_bytes=500,
    segment_ms=1 << 40,
    index_interval_bytes=60,
    segment_index_bytes=1024,
    has_gaps=True,
    is_durable_at_once=False,
)
DELETE_RETENTION_MS = 100
KEYS = [b"a", b"b", b"c", b"d", b"e"]
START_MS = 1_000


def open_log(disk: MemoryDisk, *, recovery_point: int = 0, is_clean: bool = False) -> TopicLog:
    return TopicLog.open(
        disk,
        LOG,
        topic_id=TOPIC_ID,
        config=CONFIG,
        recovery_point=recovery_point,
        is_clean=is_clean,
        producer_expiration_ms=NO_LIMIT,
    )


@dataclass(frozen=True)
class Put:
    """A batch of records with these keys. A value of None is a tombstone."""

    producer_id: int
    records: list[tuple[bytes, bytes | None]]
    compression: int
    transactional: bool


@dataclass(frozen=True)
class End:
    """The end of a producer's transaction, if it has one."""

    producer_id: int
    is_abort: bool


@dataclass(frozen=True)
class Clean:
    """A cleaning, so long after the step before."""

    after_ms: int
    dedupe_bytes: int


VALUES = st.one_of(st.none(), st.binary(max_size=30))
STEPS = st.lists(
    st.one_of(
        st.builds(
            Put,
            producer_id=st.sampled_from([-1, 7, 8]),
            records=st.lists(st.tuples(st.sampled_from(KEYS), VALUES), min_size=1, max_size=4),
            compression=st.sampled_from([Compression.NONE, Compression.NONE, Compression.GZIP]),
            transactional=st.booleans(),
        ),
        st.builds(End, producer_id=st.sampled_from([7, 8]), is_abort=st.booleans()),
        st.builds(Clean, after_ms=st.sampled_from([0, 50, 200]), dedupe_bytes=st.sampled_from([48, 1 << 16])),
    ),
    min_size=5,
    max_size=60,
)


@dataclass
class World:
    """A log, and what was written into it."""

    disk: MemoryDisk = field(default_factory=MemoryDisk)
    now_ms: int = START_MS
    written: dict[int, Record] = field(default_factory=dict)
    open_since: dict[int, list[int]] = field(default_factory=dict)
    """Offsets of the records of each open transaction."""
    never: set[int] = field(default_factory=set)
    """Offsets of records of aborted transactions."""
    sequences: dict[int, int] = field(default_factory=dict)
    checkpoint: int | None = None

    def __post_init__(self) -> None:
        self.disk.make_directory("/data")
        self.disk.sync_directory("/")
        self.log = open_log(self.disk)
        self.found = self.log.found(self.now_ms)

    def put(self, step: Put) -> None:
        """Append a batch."""
        is_open = step.producer_id in self.open_since
        transactional = step.producer_id >= 0 and (is_open or step.transactional)
        sequence = self.sequences.get(step.producer_id, 0) if step.producer_id >= 0 else -1
        base = self.log.log.log_end_offset
        data = build_batch(
            [NewRecord(key, value) for key, value in step.records],
            base_offset=base,
            timestamp_ms=self.now_ms,
            compression=step.compression,
            transactional=transactional,
            producer_id=step.producer_id,
            producer_epoch=0 if step.producer_id >= 0 else -1,
            base_sequence=sequence,
        )
        self.sequences[step.producer_id] = sequence + len(step.records)
        for record in RecordBatchView(data).records():
            self.written[record.offset] = record
        if transactional:
            self.open_since.setdefault(step.producer_id, []).extend(range(base, base + len(step.records)))
        self.append(data)

    def end(self, step: End) -> None:
        """End a transaction."""
        offsets = self.open_since.pop(step.producer_id, None)
        if offsets is None:
            return
        if step.is_abort:
            self.never.update(offsets)
        key, value = encode_control_record(
            ControlRecordType.ABORT if step.is_abort else ControlRecordType.COMMIT,
            EndTxnMarker(coordinator_epoch=0),
        )
        self.append(
            build_batch(
                [NewRecord(key, value)],
                base_offset=self.log.log.log_end_offset,
                timestamp_ms=self.now_ms,
                control=True,
                transactional=True,
                producer_id=step.producer_id,
                producer_epoch=0,
            )
        )

    def append(self, data: bytes) -> None:
        """Append a batch, as the broker does."""
        self.now_ms += 1
        view = RecordBatchView(data)
        header = view.header()
        aborted = self.found.producers.take(
            header, end_transaction_marker(view) if header.is_control else None, self.now_ms
        )
        self.found.producers.high_watermark_advanced(header.next_offset)
        if aborted is not None:
            self.found.aborted.append(aborted)
        self.log.append([data], [] if aborted is None else [aborted])

    @property
    def stable_end(self) -> int:
        """The last stable offset."""
        unstable = self.found.producers.first_unstable_offset
        return self.log.log.log_end_offset if unstable is None else unstable

    def clean(self, step: Clean) -> None:
        """Clean what is dirty."""
        self.now_ms += step.after_ms
        dirty = dirty_range(
            [segment.age for segment in self.log.log.segments],
            log_start_offset=self.log.log.log_start_offset,
            log_end_offset=self.log.log.log_end_offset,
            last_stable_offset=self.stable_end,
            checkpoint=self.checkpoint,
            limits=CompactionLimits(
                min_dirty_ratio=0.0, min_lag_ms=0, max_lag_ms=NO_LIMIT, delete_retention_ms=0
            ),
            now_ms=self.now_ms,
        )
        assert not dirty.is_reset
        if not dirty.is_wanted:
            return
        made = plan(
            self.log,
            self.found,
            CONFIG,
            now_ms=self.now_ms,
            delete_retention_ms=DELETE_RETENTION_MS,
            first_dirty_offset=dirty.first_dirty_offset,
            end_offset=dirty.end_offset,
            dedupe_bytes=step.dedupe_bytes,
        )
        cleaned_to = clean(self.disk, self.log, made)
        assert dirty.first_dirty_offset < cleaned_to <= dirty.end_offset
        self.checkpoint = cleaned_to

    def open_again(self, *, recovery_point: int = 0, is_clean: bool = False) -> None:
        """Open the log anew, as after a crash or a clean stop."""
        self.log = open_log(self.disk, recovery_point=recovery_point, is_clean=is_clean)
        self.found = self.log.found(self.now_ms)
        self.found.producers.high_watermark_advanced(self.log.log.log_end_offset)

    def check(self) -> None:
        """What consumers read is right."""
        found = contents(self.log)
        offsets = [header.base_offset for header, _ in found]
        assert offsets == sorted(set(offsets))
        for header, records in found:
            for record in records:
                assert header.base_offset <= record.offset <= header.last_offset
                if not header.is_control:
                    assert record == self.written[record.offset], "a record that was not written"
        newest: dict[bytes | None, Record] = {}
        for offset, record in self.written.items():
            if offset < self.stable_end and offset not in self.never:
                newest[record.key] = record
        seen: dict[bytes | None, Record] = {}
        # In memory and on disk.
        for aborted in (self.found.aborted, self.log.found(self.now_ms).aborted):
            seen.clear()
            for record in committed(self.log, list(aborted)):
                if record.offset < self.stable_end:
                    assert record.offset not in self.never, "a record of an aborted transaction"
                    seen[record.key] = record
            for key, record in seen.items():
                assert record == newest[key], "an old value"
            for key, record in newest.items():
                assert key in seen or record.value is None, "a key is gone"


def run(world: World, steps: list[Put | End | Clean]) -> None:
    for step in steps:
        match step:
            case Put():
                world.put(step)
            case End():
                world.end(step)
            case Clean():
                world.clean(step)
                world.check()


@given(STEPS)
def test_the_newest_value_of_each_key_survives(steps: list[Put | End | Clean]) -> None:
    world = World()
    run(world, steps)
    world.check()
    sequences = [(each.producer_id, each.last_sequence) for each in world.found.producers.active()]
    # Nothing but the batches says what the producers' last sequence numbers are.
    world.open_again()
    world.check()
    assert sorted(sequences) == sorted(
        (each.producer_id, each.last_sequence) for each in world.found.producers.active()
    )


@given(STEPS, st.integers(0, 60), st.integers(0, 1 << 30), st.booleans())
def test_power_lost_in_a_cleaning_costs_nothing(
    steps: list[Put | End | Clean], operation: int, seed: int, is_durable: bool
) -> None:
    world = World()
    run(world, steps)
    recovery_point = world.log.log.flush()
    world.disk.sync_file_system("/")
    world.disk.crash_before = world.disk.operations + operation
    try:
        world.clean(Clean(50, 1 << 16))
    except PowerLossError:
        world.disk.crash(SeededRng(seed))
    else:
        world.disk.crash(SeededRng(seed))
    world.open_again(recovery_point=recovery_point if is_durable else 0)
    assert not leftovers(world.disk)
    world.check()
    world.clean(Clean(50, 1 << 16))
    world.check()


def leftovers(disk: MemoryDisk) -> list[str]:
    return [name for name in disk.list_directory(LOG) if name.endswith((".cleaned", ".swap", ".deleted"))]


def several_segments(count: int = 30) -> World:
    world = World()
    values = random.Random(1)
    for number in range(count):
        value = None if number % 7 == 3 else values.randbytes(25)
        world.put(Put(7 if number % 3 else 8, [(KEYS[number % 5], value)] * 2, 0, number % 4 == 1))
        if number % 4 == 3:
            world.end(End(7, number % 8 == 3))
            world.end(End(8, False))
    world.log.log.flush()
    world.disk.sync_file_system("/")
    return world


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_power_may_be_lost_before_any_operation(share: float) -> None:
    world = several_segments(12)
    first = world.disk.operations
    world.clean(Clean(0, 1 << 16))
    count = world.disk.operations - first
    # Files of several new segments, each with its indexes.
    assert count > 50
    for operation in range(count):
        world = several_segments(12)
        end = world.log.log.log_end_offset
        world.disk.crash_before = world.disk.operations + operation
        with pytest.raises(PowerLossError):
            world.clean(Clean(0, 1 << 16))
        world.disk.crash(FixedRng(share))
        world.open_again(recovery_point=end)
        assert not leftovers(world.disk)
        assert world.log.log.log_end_offset == end
        world.check()
        world.clean(Clean(0, 1 << 16))
        world.check()


def test_a_clean_log_is_opened_by_its_indexes() -> None:
    world = several_segments()
    world.clean(Clean(0, 1 << 16))
    before = contents(world.log)
    world.log.close(world.found.producers)
    world.disk.fail("read", "no file of this name")
    world.open_again(is_clean=True)
    assert contents(world.log) == before
    assert world.log.log.recovery_note is None


def test_a_segment_without_a_batch_is_opened_by_its_indexes_too() -> None:
    world = World()
    for number in range(12):
        world.put(Put(-1, [(b"a", bytes([number]) * 200)], 0, False))
    assert len(world.log.log.segment_bases) > 4
    world.clean(Clean(0, 1 << 16))
    world.put(Put(-1, [(b"a", b"last" * 100)], 0, False))
    world.put(Put(-1, [(b"b", b"roll" * 100)], 0, False))
    world.clean(Clean(0, 1 << 16))
    assert [segment.size for segment in world.log.log.segments[:2]] == [0, 0]
    world.log.close(world.found.producers)
    # Nothing of the others is read but the ends.
    world.open_again(is_clean=True)
    world.check()
    assert len(world.log.log.segment_bases) == 4


def test_a_slice_is_bounded_and_readers_of_the_old_segments_go_on() -> None:
    world = several_segments()
    before = contents(world.log)
    cleaning = Cleaning(
        world.disk, plan(world.log, world.found, CONFIG, now_ms=world.now_ms, delete_retention_ms=0)
    )
    slices = 0
    while not cleaning.is_done:
        done = cleaning.read_bytes + cleaning.written_bytes
        group = cleaning.work(1)
        slices += 1
        # A batch is read, and what was collected is written.
        assert cleaning.read_bytes + cleaning.written_bytes - done < 1_000
        if group is None and slices < 20:
            assert contents(world.log) == before
        if group is not None:
            assert world.log.log.replace(group.gone, group.cleaned, cuts=0) is not None
            contents(world.log)
    assert slices > 60
    world.check()


@pytest.mark.parametrize("where", ["cut", "start", "emptied"])
def test_a_cleaning_of_a_log_that_changed_is_given_up(where: str) -> None:
    world = several_segments()
    log = world.log.log
    cleaning = Cleaning(
        world.disk, plan(world.log, world.found, CONFIG, now_ms=world.now_ms, delete_retention_ms=0)
    )
    while (group := cleaning.work(1)) is None:
        pass
    end = log.log_end_offset
    if where == "cut":
        log.truncate_to(end - 1)
    elif where == "start":
        log.move_start_to(log.segment_bases[1])
    else:
        log.truncate_fully_to(end)
    names = [name for name in world.disk.list_directory(LOG) if name.endswith(".log")]
    before = contents(world.log)
    assert log.replace(group.gone, group.cleaned, cuts=0) is None
    cleaning.abandon()
    assert contents(world.log) == before
    assert [name for name in world.disk.list_directory(LOG) if name.endswith(".log")] == names
    assert not [name for name in world.disk.list_directory(LOG) if name.endswith(".cleaned")]
    assert not [each for each in world.disk.open_files if str(each).endswith(".cleaned")]


def test_a_cleaning_that_is_given_up_half_way_closes_what_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_server.shell.storage.log.cleaning.WRITE_BYTES", 1)
    world = several_segments()
    names = world.disk.list_directory(LOG)
    cleaning = Cleaning(
        world.disk, plan(world.log, world.found, CONFIG, now_ms=world.now_ms, delete_retention_ms=0)
    )

    def written() -> list[str]:
        return [name for name in map(str, world.disk.open_files) if ".cleaned" in name]

    while not written():
        cleaning.work(1)
    cleaning.abandon()
    assert written() == []
    assert world.disk.list_directory(LOG) == names


def test_a_damaged_log_is_not_cleaned_and_stays_as_it_is() -> None:
    world = several_segments()
    names = world.disk.list_directory(LOG)
    path = f"{LOG}/{world.log.log.segment_bases[1]:020}.log"
    file = world.disk.open(path)
    file.write_at(80, bytes([file.read_at(80, 1)[0] ^ 1]))
    file.close()
    cleaning = Cleaning(
        world.disk, plan(world.log, world.found, CONFIG, now_ms=world.now_ms, delete_retention_ms=0)
    )
    with pytest.raises(CorruptFileError, match=path):
        cleaning.work(1 << 20)
    cleaning.abandon()
    assert world.disk.list_directory(LOG) == names


def _work_to_the_end(cleaning: Cleaning) -> None:
    while not cleaning.is_done:
        cleaning.work(1 << 20)


def test_a_log_whose_batch_cannot_be_written_anew_is_not_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    world = several_segments()
    names = world.disk.list_directory(LOG)

    def fail(*_: object) -> None:
        raise LocalProtocolError("a number does not fit")

    for owner, name in ((Compaction, "clean"), (Segment, "append")):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, fail)
            cleaning = Cleaning(
                world.disk, plan(world.log, world.found, CONFIG, now_ms=world.now_ms, delete_retention_ms=0)
            )
            with pytest.raises(CorruptFileError, match="a number does not fit"):
                _work_to_the_end(cleaning)
        cleaning.abandon()
        assert world.disk.list_directory(LOG) == names


def test_entries_of_the_transaction_index_go_with_the_markers_of_their_segments() -> None:
    world = World()
    world.put(Put(7, [(b"a", b"1")], 0, True))
    world.end(End(7, True))
    # Otherwise the batch would stay, as its last one.
    world.put(Put(7, [(b"c", b"1")], 0, False))
    for number in range(6):
        world.put(Put(-1, [(b"b", bytes([number]) * 300)], 0, False))
    index = f"{LOG}/{0:020}.txnindex"
    assert world.disk.exists(index)
    world.clean(Clean(0, 1 << 16))
    assert world.disk.exists(index)
    world.put(Put(-1, [(b"b", b"x" * 400)], 0, False))
    world.put(Put(-1, [(b"b", b"y" * 400)], 0, False))
    world.clean(Clean(0, 1 << 16))
    # Its batch went before: the marker alone is left, until its delete horizon.
    assert not world.disk.exists(index)
    world.check()


def test_aborted_transactions_go_into_the_index_of_the_segment_that_holds_their_marker() -> None:
    world = World()
    world.put(Put(7, [(b"a", b"1")], 0, True))
    world.end(End(7, True))
    source = contents_bytes(world)
    aborted = list(world.found.aborted)
    other = World()
    # A follower gets the marker and what comes behind it at once.
    later = build_batch(
        [NewRecord(b"b", b"x" * 480)], base_offset=world.log.log.log_end_offset, timestamp_ms=START_MS
    )
    other.log.append([source + later], aborted)
    assert other.log.log.segment_bases == (0, world.log.log.log_end_offset)
    assert other.disk.exists(f"{LOG}/{0:020}.txnindex")


def contents_bytes(world: World) -> bytes:
    return bytes(world.log.read_records(0, 1 << 20, NO_LIMIT, whole_first=True))


def test_a_log_that_starts_before_its_first_segment_is_read_from_there() -> None:
    world = World()
    for key in (b"c", b"a", b"d", b"a", b"e"):
        world.put(Put(-1, [(key, b"x" * 120)], 0, False))
    assert list(world.log.log.segment_bases) == [0, 2, 4]
    world.clean(Clean(0, 1 << 16))
    # Offset 1 is gone, and so is the first segment now.
    world.log.log.move_start_to(1)
    assert list(world.log.log.segment_bases) == [2, 4]
    assert [header.base_offset for header, _ in contents(world.log)] == [2, 3, 4]


def test_segments_that_were_replaced_already_are_not_replaced_again() -> None:
    """The new segment has the names of the first old one."""
    world = several_segments()
    log = world.log.log
    cleaning = Cleaning(
        world.disk, plan(world.log, world.found, CONFIG, now_ms=world.now_ms, delete_retention_ms=0)
    )
    while (group := cleaning.work(1)) is None:
        pass
    assert len(log.segments) > 2 * len(group.gone)
    assert log.replace(group.gone, group.cleaned, cuts=0) is not None
    names, before = world.disk.list_directory(LOG), contents(world.log)
    assert log.replace(group.gone, group.cleaned, cuts=0) is None
    assert (world.disk.list_directory(LOG), contents(world.log)) == (names, before)
