"""Producers and transactions of a log: the answers and files of Apache Kafka, a slow model, and rules one by one.

Tests: `core.log_state.producer_state_entry`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.producer_snapshot import ProducerSnapshotEntry, encode_producer_snapshot
from kafkaproto.records.batch import BatchHeader, RecordBatchView, build_batch, iterate_batches
from kafkaproto.transaction_index import AbortedTransaction, encode_aborted_transaction
from kafkaproto_server.core.log_state.producer_ids import IDS_PER_PAGE
from kafkaproto_server.core.log_state.producer_state_entry import AppendedBefore, ProducerRefused
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.core.log_state.transactions import (
    CompletedTransaction,
    EndTransactionMarker,
    OpenTransaction,
    Transactions,
    end_transaction_marker,
)
from tests.core.log_state.support.producer_dialogues import DIALOGUES, Dialogue, Mark, Send, load_dialogues
from tests.core.log_state.support.producer_model import Batch, ProducerModel, last_sequence_of
from tests.kafkaproto.support.golden_batches import LEADER_CHANGE_BATCH
from tests.kafkaproto.support.golden_producers import PARTITIONS, partition_files

FILES = partition_files()
RECORDED = load_dialogues()
COMMIT = EndTransactionMarker(is_abort=False, coordinator_epoch=1)
ABORT = EndTransactionMarker(is_abort=True, coordinator_epoch=1)
DAY_MS = 86_400_000
TRANSACTIONAL, CONTROL = 0x10, 0x30
"""Attributes of batches; a marker has both bits."""


def expire(states: ProducerStates, now_ms: int, expiration_ms: int) -> None:
    for _ in states.expire(now_ms, expiration_ms):
        pass


def header(
    offset: int,
    sequence: int,
    *,
    count: int = 1,
    producer_id: int = 1,
    epoch: int = 0,
    attributes: int = 0,
    timestamp: int = 1000,
) -> BatchHeader:
    return BatchHeader(
        base_offset=offset,
        batch_length=100,
        partition_leader_epoch=0,
        magic=2,
        crc=0,
        attributes=attributes,
        last_offset_delta=count - 1,
        base_timestamp=timestamp,
        max_timestamp=timestamp,
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=sequence,
        record_count=count,
    )


def marker_header(offset: int, producer_id: int = 1, epoch: int = 0, timestamp: int = 1000) -> BatchHeader:
    return header(offset, -1, producer_id=producer_id, epoch=epoch, attributes=CONTROL, timestamp=timestamp)


def states_after(batches: Iterable[Batch]) -> ProducerStates:
    states = ProducerStates()
    for batch in batches:
        states.update(*batch)
    return states


def append(states: ProducerStates, view: RecordBatchView) -> bytes:
    """Take a batch in, whose append moves the high watermark. Returns its entry of the transaction index."""
    of_batch = view.header()
    completed = states.update(of_batch, end_transaction_marker(view) if of_batch.is_control else None)
    entry = b""
    if completed is not None and completed.is_aborted:
        stable = states.last_stable_offset(completed)
        entry = encode_aborted_transaction(AbortedTransaction(*completed[:3], stable))
    states.high_watermark_advanced(of_batch.next_offset)
    return entry


# What Apache Kafka does.


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded.name)
def test_answers_are_those_of_apache_kafka(recorded: Dialogue) -> None:
    states = ProducerStates()
    appended = iterate_batches(recorded.log)
    index = b""
    for number, (step, expected) in enumerate(zip(DIALOGUES[recorded.name], recorded.answers, strict=True)):
        answer: dict[str, object] = {"error": "NONE"}
        checked = answer_of(partial(check_step, states, number, step))
        if isinstance(checked, ErrorCode):
            answer["error"] = checked.name
        elif checked is not None:
            answer.update(base_offset=checked.base_offset, append_time_ms=checked.timestamp)
        else:
            view = next(appended)
            index += append(states, view)
            if isinstance(step, Send):
                answer["base_offset"] = view.base_offset
                if view.timestamp_type:
                    answer["append_time_ms"] = view.max_timestamp
        unstable = states.first_unstable_offset
        answer["last_stable_offset"] = states.map_end_offset if unstable is None else unstable
        assert answer == expected, f"step {number}: {step}"
    assert next(appended, None) is None
    assert index == recorded.transaction_index
    assert encode_producer_snapshot(states.snapshot_entries()) == recorded.snapshot
    assert sorted(map(list, states.active())) == sorted(recorded.active)


def check_step(states: ProducerStates, number: int, step: Send | Mark) -> AppendedBefore | None:
    if isinstance(step, Send):
        return states.check(step.header(number), is_from_client=True)
    marker = EndTransactionMarker(step.is_abort, step.coordinator_epoch)
    of_marker = marker_header(0, step.producer_id, step.epoch)
    states.check_marker(of_marker, marker, transaction_version=step.transaction_version)
    return None


@pytest.mark.parametrize("partition", PARTITIONS)
def test_replay_leads_to_the_files_of_apache_kafka(partition: str) -> None:
    files = FILES[partition]
    states = ProducerStates()
    index = b"".join([append(states, view) for view in iterate_batches(files.log)])
    assert index == files.transaction_index
    assert encode_producer_snapshot(states.snapshot_entries()) == files.snapshot


# What the slow model does.

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["client"] * 6 + ["coordinator", "marker", "marker", "plain", "high watermark"]),
        st.integers(1, 3),
        st.sampled_from([0] * 8 + [1, 1, -1]),
        st.sampled_from([0] * 8 + [1, -1, -2, -5, -9, 2**30]),
        st.integers(1, 3),
        st.booleans(),
    ),
    max_size=50,
)
"""Kind, producer id, epoch and sequence beside what is due, records, and whether transactional or aborted."""
FIRST_SEQUENCES = st.sampled_from([0, 2**31 - 4])


def answer_of(check: Callable[[], AppendedBefore | None]) -> AppendedBefore | ErrorCode | None:
    """What a check returns, or the code that it raises."""
    try:
        return check()
    except ProducerRefused as refused:
        return refused.code


class Pair:
    """The same steps for the product and for the model."""

    def __init__(self, first_sequence: int) -> None:
        self.states = ProducerStates()
        self.model = ProducerModel()
        self.first_sequence = first_sequence

    def take(self, kind: str, producer_id: int, epoch: int, sequence: int, count: int, flag: bool) -> None:
        if kind == "high watermark":
            self.model.high_watermark = max(self.model.high_watermark, self.model.end_offset - count)
            self.states.high_watermark_advanced(self.model.high_watermark)
        elif kind == "plain":
            self._append(header(self.model.end_offset, -1, count=count, producer_id=-1, epoch=-1), None)
        elif kind == "marker":
            # Some of them for the producer of coordinators.
            producer_id = 4 if sequence < 0 else producer_id
            self._mark(producer_id, max(0, self.model.epoch(producer_id) + epoch), count, flag)
        elif kind == "coordinator":
            # Partitions that a coordinator writes to take no batches of clients.
            self._send(kind, 4, epoch, sequence, count, flag)
        else:
            self._send(kind, producer_id, epoch, sequence, count, flag)
        self.compare()

    def _send(self, kind: str, producer_id: int, epoch: int, sequence: int, count: int, flag: bool) -> None:
        due = self.first_sequence
        if self.model.of_producer(producer_id):
            due = self.model.last_sequence(producer_id) + 1 if epoch <= 0 else 0
        batch = header(
            self.model.end_offset,
            (due + sequence) % 2**31,
            count=count,
            producer_id=producer_id,
            epoch=max(0, self.model.epoch(producer_id) + epoch),
            attributes=TRANSACTIONAL if flag else 0,
            timestamp=1000 + len(self.model.log),
        )
        refusal = self.model.refusal(batch, kind == "client")
        expected: AppendedBefore | ErrorCode | None
        if isinstance(refusal, BatchHeader):
            expected = AppendedBefore(refusal.base_offset, refusal.last_offset, refusal.max_timestamp)
        else:
            expected = refusal
        assert answer_of(partial(self.states.check, batch, is_from_client=kind == "client")) == expected
        if expected is None:
            self._append(batch, None)

    def _mark(self, producer_id: int, epoch: int, number: int, is_abort: bool) -> None:
        batch = marker_header(self.model.end_offset, producer_id, epoch, 1000 + len(self.model.log))
        marker = EndTransactionMarker(is_abort, number)
        version = 2 if number == 2 else 0
        expected = self.model.marker_refusal(batch, marker, version)
        check = partial(self.states.check_marker, batch, marker, transaction_version=version)
        assert answer_of(check) == expected
        if expected is None:
            self._append(batch, marker)

    def _append(self, batch: BatchHeader, marker: EndTransactionMarker | None) -> None:
        before = self.completed()
        completed = self.states.update(batch, marker)
        self.model.log.append(Batch(batch, marker))
        assert before + [each for each in (completed,) if each is not None] == self.completed()
        if completed is not None:
            oldest = min([each.first_offset for each in self.model.open()], default=batch.base_offset + 1)
            assert self.states.last_stable_offset(completed) == oldest

    def completed(self) -> list[CompletedTransaction]:
        ended = [each.completed for each in self.model.transactions() if each.completed is not None]
        return sorted(ended, key=lambda each: each.last_offset)

    def compare(self) -> None:
        model = self.model
        assert self.states.map_end_offset == model.end_offset
        assert self.states.first_unstable_offset == model.first_unstable_offset()
        assert self.states.open_transactions == [
            (each.first_offset, each.producer_id) for each in model.open()
        ]
        assert self.states.snapshot_entries() == model_entries(model)


def model_entries(model: ProducerModel) -> list[ProducerSnapshotEntry]:
    entries = []
    first_offsets = {each.producer_id: each.first_offset for each in model.open()}
    for producer_id in sorted({batch.header.producer_id for batch in model.log} - {-1}):
        kept = model.kept(producer_id)
        entries.append(
            ProducerSnapshotEntry(
                producer_id=producer_id,
                producer_epoch=model.epoch(producer_id),
                last_sequence=last_sequence_of(kept[-1]) if kept else -1,
                last_offset=kept[-1].last_offset if kept else -1,
                offset_delta=kept[-1].last_offset_delta if kept else 0,
                timestamp=model.of_producer(producer_id)[-1].header.max_timestamp,
                coordinator_epoch=model.coordinator_epoch(producer_id),
                current_txn_first_offset=first_offsets.get(producer_id, -1),
            )
        )
    return entries


@given(FIRST_SEQUENCES, STEPS)
def test_any_steps_lead_to_what_the_model_says(
    first_sequence: int, steps: list[tuple[str, int, int, int, int, bool]]
) -> None:
    pair = Pair(first_sequence)
    for step in steps:
        pair.take(*step)


@given(STEPS, st.integers(0, 50), st.integers(0, 50))
def test_a_snapshot_and_the_batches_behind_it_give_the_same_state(
    steps: list[tuple[str, int, int, int, int, bool]], snapshot_at: int, truncated_at: int
) -> None:
    pair = Pair(0)
    for step in steps:
        pair.take(*step)
    log = pair.model.log[:truncated_at]
    expected = states_after(log)
    before, behind = log[:snapshot_at], log[snapshot_at:]
    snapshot = states_after(before)
    # The states of the longer log, which was truncated.
    states = pair.states
    states.load(
        snapshot.snapshot_entries(), end_offset=snapshot.map_end_offset, now_ms=0, expiration_ms=DAY_MS
    )
    for batch in behind:
        states.update(*batch)
    assert states.map_end_offset == expected.map_end_offset
    assert states.snapshot_entries() == expected.snapshot_entries()
    assert states.open_transactions == expected.open_transactions
    # Whatever a snapshot has as ended is replicated.
    end = log[-1].header.next_offset if log else 0
    for each in (states, expected):
        each.high_watermark_advanced(end)
    assert states.first_unstable_offset == expected.first_unstable_offset


# Rules one by one.


def test_a_log_without_idempotent_producers_knows_none() -> None:
    states = ProducerStates(7)
    assert states.map_end_offset == 7
    states.update(header(7, -1, count=3, producer_id=-1, epoch=-1))
    states.high_watermark_advanced(10)
    expire(states, DAY_MS, 0)
    assert states.map_end_offset == 10
    assert states.first_unstable_offset is None
    assert states.open_transactions == []
    assert list(states.active()) == []
    assert states.snapshot_entries() == []


def test_refusals_say_what_is_wrong() -> None:
    states = ProducerStates()
    states.update(header(0, 0, epoch=3, attributes=TRANSACTIONAL))
    states.update(marker_header(1, producer_id=2), EndTransactionMarker(is_abort=True, coordinator_epoch=5))
    cases = [
        (
            header(0, 0, epoch=2),
            "producer 1 wrote sequence 0 in epoch 2, its current epoch is 3, with last sequence 0",
        ),
        (header(0, 2, epoch=3), "producer 1 wrote sequence 2 in epoch 3, the last one is 0 in epoch 3"),
        (header(0, 1, epoch=3), "producer 1 wrote outside of its transaction, which is open since offset 0"),
    ]
    for batch, text in cases:
        with pytest.raises(ProducerRefused, match=text):
            states.check(batch, is_from_client=True)
    with pytest.raises(
        ProducerRefused, match="a coordinator of epoch 1 ended a transaction of producer 2, one of epoch 5"
    ):
        states.check_marker(marker_header(0, producer_id=2), ABORT, transaction_version=0)


@pytest.mark.parametrize(("epoch", "code"), [(-2, ErrorCode.INVALID_PRODUCER_EPOCH), (-1, None), (0, None)])
def test_no_producer_begins_with_an_epoch_that_there_is_not(epoch: int, code: ErrorCode | None) -> None:
    states = ProducerStates()
    states.update(header(0, 0, producer_id=1))
    refused = None
    try:
        states.check(header(1, 0, producer_id=2, epoch=epoch), is_from_client=True)
    except ProducerRefused as error:
        refused = error.code
    assert refused is code


def test_batches_of_coordinators_need_no_sequence() -> None:
    states = ProducerStates()
    for offset in range(3):
        batch = header(offset, 0, attributes=TRANSACTIONAL)
        assert states.check(batch, is_from_client=False) is None
        states.update(batch)
    assert states.check(header(3, 5, epoch=1, attributes=TRANSACTIONAL), is_from_client=False) is None
    for refused, code in (
        (header(3, 0), ErrorCode.INVALID_TXN_STATE),
        (header(3, 0, epoch=-1, attributes=TRANSACTIONAL), ErrorCode.INVALID_PRODUCER_EPOCH),
    ):
        with pytest.raises(ProducerRefused) as caught:
            states.check(refused, is_from_client=False)
        assert caught.value.code is code


def test_followers_take_what_a_leader_would_refuse() -> None:
    states = ProducerStates()
    states.update(header(0, 0, epoch=3))
    states.update(header(1, 17, epoch=3))
    states.update(header(2, 5, count=2, epoch=2, timestamp=2000))
    states.update(marker_header(4, epoch=1, timestamp=3000), COMMIT)
    states.update(marker_header(5, epoch=1, timestamp=4000), EndTransactionMarker(False, 0))
    assert states.snapshot_entries() == [ProducerSnapshotEntry(1, 1, -1, -1, 0, 4000, 0, -1)]


def test_a_control_batch_without_a_marker_changes_nothing() -> None:
    states = ProducerStates()
    states.update(header(0, 0, attributes=TRANSACTIONAL))
    assert states.update(marker_header(1, epoch=5)) is None
    assert states.map_end_offset == 2
    assert states.snapshot_entries() == [ProducerSnapshotEntry(1, 0, 0, 0, 0, 1000, -1, 0)]


def test_the_oldest_transaction_has_the_timestamp_of_its_producers_last_batch() -> None:
    states = ProducerStates()
    assert states.oldest_transaction_timestamp == -1
    states.update(header(0, 0, timestamp=50))
    assert states.oldest_transaction_timestamp == -1
    states.update(header(1, 1, attributes=TRANSACTIONAL, timestamp=70))
    states.update(header(2, 0, producer_id=2, attributes=TRANSACTIONAL, timestamp=30))
    assert states.oldest_transaction_timestamp == 70
    states.update(header(3, 2, attributes=TRANSACTIONAL, timestamp=60))
    assert states.oldest_transaction_timestamp == 60
    expire(states, 1_000, 0)
    loaded = ProducerStates()
    loaded.load(states.snapshot_entries(), end_offset=4, now_ms=1_000, expiration_ms=0)
    assert loaded.oldest_transaction_timestamp == 60
    states.update(marker_header(4), COMMIT)
    assert states.oldest_transaction_timestamp == 30
    states.update(marker_header(5, producer_id=2), ABORT)
    assert states.oldest_transaction_timestamp == -1


def test_a_transaction_is_unstable_until_the_high_watermark_has_passed_its_marker() -> None:
    states = ProducerStates()
    states.update(header(0, 0))
    states.update(header(1, 1, attributes=TRANSACTIONAL))
    states.update(header(2, 0, producer_id=2, attributes=TRANSACTIONAL))
    states.high_watermark_advanced(3)
    assert states.first_unstable_offset == 1
    assert states.update(marker_header(3), COMMIT) == CompletedTransaction(1, 1, 3, False)
    assert states.open_transactions == [OpenTransaction(2, 2)]
    states.high_watermark_advanced(3)
    assert states.first_unstable_offset == 1
    states.high_watermark_advanced(4)
    assert states.first_unstable_offset == 2
    assert states.update(marker_header(4, producer_id=2), ABORT) == CompletedTransaction(2, 2, 4, True)
    states.high_watermark_advanced(5)
    assert states.first_unstable_offset is None


def test_a_later_transaction_may_be_the_oldest_unstable_one() -> None:
    transactions = Transactions()
    transactions.begin(0, 1)
    transactions.begin(1, 2)
    transactions.begin(2, 3)
    transactions.complete(1, 3)
    transactions.complete(0, 4)
    # The marker of the transaction from offset 1 is replicated, that of the one from offset 0 is not.
    transactions.forget_ended_before(4)
    assert transactions.first_unstable_offset == 0
    transactions.forget_ended_before(5)
    assert transactions.first_unstable_offset == 2
    transactions.complete(2, 6)
    transactions.begin(7, 1)
    assert transactions.first_unstable_offset == 2


def test_an_open_transaction_may_be_older_than_those_that_have_ended() -> None:
    transactions = Transactions()
    for first_offset, producer_id in enumerate((1, 2, 3)):
        transactions.begin(first_offset, producer_id)
    transactions.complete(1, 3)
    transactions.complete(2, 4)
    transactions.forget_ended_before(4)
    assert transactions.first_unstable_offset == 0


def test_the_log_start_removes_ended_transactions_and_no_producer() -> None:
    states = ProducerStates()
    states.update(header(0, 0, attributes=TRANSACTIONAL))
    states.update(marker_header(1), COMMIT)
    states.update(header(2, 0, producer_id=2, attributes=TRANSACTIONAL))
    states.log_start_moved(1)
    assert states.first_unstable_offset == 0
    states.log_start_moved(2)
    assert states.first_unstable_offset == 2
    assert states.map_end_offset == 3
    # Retention may remove the records of an open transaction.
    states.log_start_moved(9)
    assert states.first_unstable_offset == 2
    assert states.map_end_offset == 9
    assert [each.producer_id for each in states.active()] == [1, 2]


def test_idle_producers_expire_unless_a_transaction_is_open() -> None:
    states = ProducerStates()
    states.update(header(0, 0, producer_id=1, timestamp=1000))
    states.update(header(1, 0, producer_id=2, timestamp=1001))
    states.update(header(2, 0, producer_id=3, timestamp=1000, attributes=TRANSACTIONAL))
    expire(states, 1000 + DAY_MS - 1, DAY_MS)
    assert [each.producer_id for each in states.active()] == [1, 2, 3]
    expire(states, 1000 + DAY_MS, DAY_MS)
    assert [each.producer_id for each in states.active()] == [2, 3]
    # What is unknown may begin anywhere.
    assert states.check(header(3, 77, producer_id=1), is_from_client=True) is None
    states.update(marker_header(3, producer_id=3, timestamp=1002), COMMIT)
    expire(states, 1002 + DAY_MS, DAY_MS)
    assert list(states.active()) == []


def test_a_producer_is_forgotten_by_when_its_batches_came_and_not_by_their_own_times() -> None:
    states, now_ms, old_ms = ProducerStates(), 10 * DAY_MS, 2 * DAY_MS
    states.update(header(0, 0, timestamp=old_ms), seen_ms=now_ms)
    states.update(header(1, 0, producer_id=2, timestamp=old_ms))
    # The clock is set back: what was seen stays seen.
    states.update(header(2, 1, timestamp=old_ms), seen_ms=now_ms - DAY_MS)
    expire(states, now_ms + DAY_MS - 1, DAY_MS)
    repeated = header(3, 1, timestamp=old_ms)
    assert states.check(repeated, is_from_client=True) == AppendedBefore(2, 2, old_ms)
    # Others are shown the batches' own times, and a restart knows when they came.
    assert [(each.producer_id, each.last_timestamp) for each in states.active()] == [(1, old_ms)]
    loaded = ProducerStates()
    loaded.load(states.snapshot_entries(), end_offset=3, now_ms=now_ms + DAY_MS - 1, expiration_ms=DAY_MS)
    assert loaded.check(repeated, is_from_client=True) == AppendedBefore(2, 2, now_ms)
    expire(loaded, now_ms + DAY_MS, DAY_MS)
    expire(states, now_ms + DAY_MS, DAY_MS)
    assert states.count == loaded.count == 0


@pytest.mark.parametrize(
    ("late_ms", "is_own"), [(0, True), (300_000, True), (300_001, False), (-60_000, True)]
)
def test_a_snapshot_has_a_batchs_own_time_unless_that_is_much_older(late_ms: int, is_own: bool) -> None:
    states = ProducerStates()
    states.update(header(0, 0, timestamp=DAY_MS), seen_ms=DAY_MS + late_ms)
    (entry,) = states.snapshot_entries()
    assert entry.timestamp == (DAY_MS if is_own else DAY_MS + late_ms)


def test_a_batch_of_the_future_keeps_its_producer_as_long_as_in_kafka() -> None:
    states = ProducerStates()
    states.update(header(0, 0, timestamp=5_000), seen_ms=1_000)
    expire(states, 5_999, 1_000)
    assert states.count == 1
    expire(states, 6_000, 1_000)
    assert states.count == 0


def test_expired_producers_are_not_loaded() -> None:
    entries = [
        ProducerSnapshotEntry(1, 0, 5, 10, 2, 1000, -1, -1),
        ProducerSnapshotEntry(2, 0, 5, 13, 2, 1001, -1, -1),
        ProducerSnapshotEntry(3, 0, 5, 16, 2, 1000, 4, 14),
        ProducerSnapshotEntry(4, 0, 5, 19, 2, 1000, 4, 3),
    ]
    states = ProducerStates()
    states.load(entries, end_offset=20, now_ms=1000 + DAY_MS, expiration_ms=DAY_MS)
    assert states.map_end_offset == 20
    assert states.snapshot_entries() == entries[1:]
    assert states.open_transactions == [OpenTransaction(3, 4), OpenTransaction(14, 3)]
    assert states.first_unstable_offset == 3


def test_the_newest_batch_of_a_snapshot_is_recognized() -> None:
    states = ProducerStates()
    states.load(
        [ProducerSnapshotEntry(1, 0, 1, 20, 3, 1000, -1, -1)], end_offset=21, now_ms=0, expiration_ms=DAY_MS
    )
    # The sequences of the batch are 2^31-2 to 1.
    repeated = header(0, 2**31 - 2, count=4)
    assert states.check(repeated, is_from_client=True) == AppendedBefore(17, 20, 1000)
    assert states.check(header(0, 2), is_from_client=True) is None


def test_a_producer_of_a_snapshot_without_batches_begins_with_sequence_0() -> None:
    states = ProducerStates()
    # Kafka takes any negative number for none.
    states.load(
        [ProducerSnapshotEntry(1, 7, 55, -1, 0, 1000, 3, -2)], end_offset=21, now_ms=0, expiration_ms=DAY_MS
    )
    assert states.snapshot_entries() == [ProducerSnapshotEntry(1, 7, -1, -1, 0, 1000, 3, -1)]
    assert states.check(header(0, 0, epoch=7), is_from_client=True) is None
    with pytest.raises(ProducerRefused):
        states.check(header(0, 56, epoch=7), is_from_client=True)


def test_clear_forgets_everything() -> None:
    states = states_after([Batch(header(0, 0, attributes=TRANSACTIONAL), None)])
    states.clear(5)
    assert states.map_end_offset == 5
    assert list(states.active()) == []
    assert states.first_unstable_offset is None


# Markers.


def test_markers_of_apache_kafka_are_read() -> None:
    views = list(iterate_batches(FILES["transactions-0"].log))
    markers = {each.base_offset: end_transaction_marker(each) for each in views if each.is_control}
    assert markers[37] == EndTransactionMarker(is_abort=True, coordinator_epoch=0)
    assert markers[39] == EndTransactionMarker(is_abort=False, coordinator_epoch=0)


def test_a_batch_whose_marker_was_compacted_away_has_none() -> None:
    batch = bytearray(build_batch([(None, b"", ())], base_offset=3, timestamp_ms=0, control=True)[:61])
    batch[8:12] = (61 - 12).to_bytes(4)
    batch[57:61] = bytes(4)
    assert end_transaction_marker(RecordBatchView(batch)) is None


def test_other_control_records_are_no_markers() -> None:
    with pytest.raises(RemoteProtocolError, match="LEADER_CHANGE ends no transaction") as caught:
        end_transaction_marker(RecordBatchView(LEADER_CHANGE_BATCH))
    assert caught.value.offset == 0


def test_many_producers_expire_in_steps_between_which_they_may_write_again() -> None:
    count = 3 * IDS_PER_PAGE
    states = ProducerStates()
    entries = [ProducerSnapshotEntry(number, 0, 0, number, 0, 1000, -1, -1) for number in range(count)]
    states.load(entries, end_offset=count, now_ms=1000, expiration_ms=DAY_MS)
    steps = states.expire(1000 + DAY_MS, DAY_MS)
    next(steps)
    assert len(list(states.active())) == count - IDS_PER_PAGE
    states.update(header(count, 1, producer_id=count - 1, timestamp=2000))
    for _ in steps:
        pass
    assert [each.producer_id for each in states.active()] == [count - 1]
    # Another one is gone before its turn: the log was cut, and has one producer behind the cut.
    states = ProducerStates()
    states.load(entries, end_offset=count, now_ms=1000, expiration_ms=DAY_MS)
    steps = states.expire(1000 + DAY_MS, DAY_MS)
    next(steps)
    states.clear(0)
    states.update(header(0, 0, producer_id=count, timestamp=2000))
    for _ in steps:
        pass
    assert [each.producer_id for each in states.active()] == [count]
    # Nothing is left of a log that was cut meanwhile.
    steps = states.expire(2000 + DAY_MS, DAY_MS)
    states.clear(0)
    for _ in steps:
        pass
    assert list(states.active()) == []


def of_many(count: int) -> ProducerStates:
    """Producers 1 to ``count``, each with a batch; every third one is in a transaction."""
    states = ProducerStates()
    for number in range(1, count + 1):
        attributes = TRANSACTIONAL if number % 3 == 0 else 0
        states.update(header(number, 0, producer_id=number, attributes=attributes))
    return states


def test_a_snapshot_that_is_taken_in_parts_is_of_one_moment() -> None:
    states = of_many(9)
    before, end = states.snapshot_entries(), states.map_end_offset
    snapshot = states.snapshot()
    taken = snapshot.take(2)
    # A batch, a new epoch, the end of a transaction; of one that is taken and of those that are not.
    for number in (1, 4, 5):
        states.update(header(20 + number, 1, producer_id=number, timestamp=1_000 + DAY_MS))
    states.update(header(26, 2, producer_id=4, timestamp=1_000 + DAY_MS))
    states.update(header(30, 0, producer_id=7, epoch=1, timestamp=1_000 + DAY_MS))
    states.update(marker_header(31, producer_id=6, timestamp=1_000 + DAY_MS), COMMIT)
    states.update(header(32, 0, producer_id=10))
    expire(states, 1_000 + DAY_MS, DAY_MS)
    assert not states.knows(8)
    states.update(header(33, 0, producer_id=8, epoch=3))
    taken += snapshot.take(3)
    states.update(header(34, 2, producer_id=5))
    assert not snapshot.is_complete
    taken += snapshot.take(100)
    assert snapshot.is_complete
    assert (taken, snapshot.end_offset) == (before, end)
    # Nothing is kept for it any more.
    assert states._snapshots == ()


def test_a_snapshot_goes_on_when_its_log_is_cut() -> None:
    states = of_many(9)
    before = states.snapshot_entries()
    snapshot = states.snapshot()
    assert snapshot.take(2) == before[:2]
    states.clear(3)
    states.update(header(3, 0, producer_id=5, epoch=9))
    assert snapshot.take(100) == before[2:]
    assert states._snapshots == ()


def test_a_snapshot_that_is_given_up_keeps_nothing() -> None:
    states = of_many(9)
    first, second = states.snapshot(), states.snapshot()
    first.give_up()
    assert states._snapshots == (second,)
