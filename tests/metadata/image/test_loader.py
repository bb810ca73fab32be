"""Batches into images, and metadata transactions."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.message import Message
from kafkaproto.messages import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
    FeatureLevelRecord,
    NoOpRecord,
    TopicRecord,
)
from kafkaproto_server.metadata.image.errors import ReplayError
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE
from kafkaproto_server.metadata.image.loader import MetadataLoader


def _topic(name: str) -> Message:
    return TopicRecord(name=name, topic_id=name.encode().rjust(16, b"-"))


def _load(loader: MetadataLoader, *records: Message, epoch: int = 1, timestamp_ms: int = 5) -> None:
    loader.load_batch(base_offset=loader.next_offset, epoch=epoch, timestamp_ms=timestamp_ms, records=records)


def test_a_new_loader_holds_nothing() -> None:
    loader = MetadataLoader()
    assert loader.image == EMPTY_IMAGE
    assert loader.next_offset == 0


def test_a_batch_moves_the_image_to_its_last_record() -> None:
    loader = MetadataLoader()
    _load(loader, _topic("a"), NoOpRecord(), epoch=3, timestamp_ms=77)
    assert (loader.image.offset, loader.image.epoch, loader.image.timestamp_ms) == (1, 3, 77)
    assert sorted(loader.image.topic_ids) == ["a"]
    assert loader.next_offset == 2


def test_a_control_batch_moves_the_image_and_changes_nothing_else() -> None:
    loader = MetadataLoader()
    _load(loader, _topic("a"))
    loader.load_control_batch(last_offset=3, epoch=2, timestamp_ms=9)
    assert (loader.image.offset, loader.image.epoch, loader.image.timestamp_ms) == (3, 2, 9)
    assert sorted(loader.image.topic_ids) == ["a"]


def test_records_of_a_transaction_show_from_its_end_on() -> None:
    loader = MetadataLoader()
    _load(loader, _topic("before"), BeginTransactionRecord(name="t"), _topic("a"))
    assert loader.in_transaction
    assert loader.next_offset == 3
    assert sorted(loader.image.topic_ids) == ["before"]
    assert loader.image.offset == 0
    _load(loader, _topic("b"))
    loader.load_control_batch(last_offset=4, epoch=2, timestamp_ms=9)
    assert loader.image.offset == 0
    _load(loader, EndTransactionRecord(), _topic("after"), epoch=2, timestamp_ms=10)
    assert not loader.in_transaction
    assert sorted(loader.image.topic_ids) == ["a", "after", "b", "before"]
    assert (loader.image.offset, loader.image.epoch, loader.image.timestamp_ms) == (6, 2, 10)


def test_a_transaction_that_starts_a_batch_leaves_the_image_where_the_batch_before_left_it() -> None:
    loader = MetadataLoader()
    _load(loader, _topic("a"), epoch=1, timestamp_ms=5)
    _load(loader, BeginTransactionRecord(), _topic("b"), epoch=2, timestamp_ms=6)
    assert (loader.image.offset, loader.image.epoch, loader.image.timestamp_ms) == (0, 1, 5)


def test_an_aborted_transaction_leaves_nothing() -> None:
    loader = MetadataLoader()
    _load(loader, _topic("before"), BeginTransactionRecord(), _topic("a"))
    _load(loader, AbortTransactionRecord(reason="x"), _topic("after"))
    assert not loader.in_transaction
    assert sorted(loader.image.topic_ids) == ["after", "before"]
    assert loader.image.offset == 4


def test_a_transaction_may_begin_and_end_within_a_batch() -> None:
    loader = MetadataLoader()
    _load(loader, BeginTransactionRecord(), _topic("a"), EndTransactionRecord())
    assert not loader.in_transaction
    assert sorted(loader.image.topic_ids) == ["a"]


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        (
            (BeginTransactionRecord(), BeginTransactionRecord()),
            "BeginTransactionRecord at offset 2: another transaction is still open",
        ),
        ((EndTransactionRecord(),), "EndTransactionRecord at offset 1: no transaction is open"),
        ((AbortTransactionRecord(),), "AbortTransactionRecord at offset 1: no transaction is open"),
    ],
)
def test_marks_of_transactions_in_the_wrong_place_are_refused(
    records: tuple[Message, ...], reason: str
) -> None:
    loader = MetadataLoader()
    _load(loader, _topic("a"))
    with pytest.raises(ReplayError) as error:
        _load(loader, *records)
    assert str(error.value) == reason
    assert loader.next_offset == 1
    assert not loader.in_transaction


@pytest.mark.parametrize("in_transaction", [False, True])
def test_a_batch_with_a_record_that_makes_no_sense_changes_nothing(in_transaction: bool) -> None:
    loader = MetadataLoader()
    _load(loader, _topic("a"), *[BeginTransactionRecord()] * in_transaction)
    before, next_offset = loader.image, loader.next_offset
    with pytest.raises(ReplayError):
        _load(loader, _topic("b"), NoOpRecord(), _topic("a"))
    assert loader.image is before
    assert (loader.next_offset, loader.in_transaction) == (next_offset, in_transaction)
    _load(loader, _topic("b"), *[EndTransactionRecord()] * in_transaction)
    assert sorted(loader.image.topic_ids) == ["a", "b"]


@given(st.integers(min_value=0, max_value=2**32))
def test_however_a_log_is_cut_into_batches_the_same_shows(seed: int) -> None:
    """Against a reading of the log record by record, with what is committed of it in a plain set."""
    rng = random.Random(seed)
    records: list[Message] = []
    shown: list[frozenset[str]] = []
    done: set[str] = set()
    open_since: set[str] | None = None
    for number in range(40):
        match rng.randint(0, 5):
            case 0 if open_since is None:
                records.append(BeginTransactionRecord())
                open_since = set(done)
            case 0:
                records.append(EndTransactionRecord())
                open_since = None
            case 1 if open_since is not None:
                records.append(AbortTransactionRecord())
                done, open_since = open_since, None
            case _:
                records.append(_topic(f"t{number}"))
                done.add(f"t{number}")
        shown.append(frozenset(done if open_since is None else open_since))
    loader = MetadataLoader()
    while loader.next_offset < len(records):
        end = min(len(records), loader.next_offset + rng.randint(1, 7))
        _load(loader, *records[loader.next_offset : end])
        assert frozenset(loader.image.topic_ids) == shown[end - 1]


def test_a_snapshot_replaces_everything() -> None:
    loader = MetadataLoader()
    _load(loader, BeginTransactionRecord(), _topic("a"))
    loader.load_snapshot(EMPTY_IMAGE.at(99, 4, 8))
    assert not loader.in_transaction
    assert loader.image.offset == 99
    _load(loader, _topic("b"), epoch=4)
    assert (loader.image.offset, sorted(loader.image.topic_ids)) == (100, ["b"])


def test_features_are_as_new_as_the_batch_that_set_one() -> None:
    loader = MetadataLoader()
    record = FeatureLevelRecord(name="metadata.version", feature_level=30)
    loader.load_batch(base_offset=0, epoch=1, timestamp_ms=1, records=[NoOpRecord(), record, NoOpRecord()])
    loader.load_batch(base_offset=3, epoch=1, timestamp_ms=2, records=[NoOpRecord()])
    assert (loader.image.offset, loader.image.features_offset) == (3, 2)


_FEATURE = FeatureLevelRecord(name="metadata.version", feature_level=30)


def _features_offsets(*batches: tuple[Message, ...]) -> list[int]:
    """The features' epoch that clients get after each of the batches, the first of which has one record."""
    loader = MetadataLoader()
    found = []
    for batch in batches:
        _load(loader, *batch)
        found.append(loader.image.features_offset)
    return found


def test_features_of_a_transaction_are_as_new_as_the_batch_that_ends_it() -> None:
    begins = (NoOpRecord(), BeginTransactionRecord(), _FEATURE)
    assert _features_offsets(
        (_FEATURE,), begins, (NoOpRecord(),), (EndTransactionRecord(), NoOpRecord())
    ) == [
        0,
        0,
        0,
        6,
    ]


def test_an_aborted_transaction_leaves_the_features_as_old_as_they_were() -> None:
    begins = (BeginTransactionRecord(), _FEATURE)
    assert _features_offsets((_FEATURE,), begins, (AbortTransactionRecord(),), (NoOpRecord(),)) == [
        0,
        0,
        0,
        0,
    ]


def test_features_ahead_of_a_transaction_show_at_once() -> None:
    begins = (_FEATURE, NoOpRecord(), BeginTransactionRecord(), _topic("a"))
    assert _features_offsets((NoOpRecord(),), begins, (EndTransactionRecord(),)) == [-1, 2, 2]
