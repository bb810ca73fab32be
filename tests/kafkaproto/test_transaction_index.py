"""Transaction indexes: the bytes of Apache Kafka, every number, and every kind of damage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.transaction_index import (
    ENTRY_SIZE,
    AbortedTransaction,
    encode_aborted_transaction,
    iterate_transaction_index,
)
from tests.kafkaproto.support.golden_producers import PARTITIONS, partition_files

FILES = partition_files()
GOLDEN = FILES["transactions-0"].transaction_index
GOLDEN_ENTRIES = [
    AbortedTransaction(producer_id=0, first_offset=30, last_offset=37, last_stable_offset=33),
    AbortedTransaction(producer_id=0, first_offset=38, last_offset=40, last_stable_offset=41),
    AbortedTransaction(producer_id=3, first_offset=44, last_offset=50, last_stable_offset=49),
]
"""What Kafka's index of that partition says."""

INT64 = st.integers(-(2**63), 2**63 - 1)
LAST_OFFSETS = st.lists(st.integers(0, 2**63 - 1), unique=True, max_size=5).map(sorted)


def test_entries_of_apache_kafka_are_read() -> None:
    assert list(iterate_transaction_index(GOLDEN)) == GOLDEN_ENTRIES
    assert list(iterate_transaction_index(memoryview(GOLDEN))) == GOLDEN_ENTRIES
    assert list(iterate_transaction_index(b"")) == []


@pytest.mark.parametrize("partition", PARTITIONS)
def test_bytes_are_those_of_apache_kafka(partition: str) -> None:
    data = FILES[partition].transaction_index
    assert b"".join(map(encode_aborted_transaction, iterate_transaction_index(data))) == data


@given(LAST_OFFSETS, st.data())
def test_entries_survive(last_offsets: list[int], data: st.DataObject) -> None:
    entries = [
        AbortedTransaction(data.draw(INT64), data.draw(INT64), each, data.draw(INT64))
        for each in last_offsets
    ]
    assert list(iterate_transaction_index(b"".join(map(encode_aborted_transaction, entries)))) == entries


@pytest.mark.parametrize("field", AbortedTransaction._fields)
def test_a_number_that_does_not_fit_is_refused(field: str) -> None:
    for number in (2**63, -(2**63) - 1):
        with pytest.raises(LocalProtocolError, match="does not fit in a transaction index"):
            encode_aborted_transaction(GOLDEN_ENTRIES[0]._replace(**{field: number}))


def test_a_partial_entry_is_refused_at_once() -> None:
    for length in range(len(GOLDEN)):
        if length % ENTRY_SIZE:
            with pytest.raises(RemoteProtocolError, match=f"{length} bytes are no whole number") as caught:
                next(iterate_transaction_index(GOLDEN[:length]))
            assert caught.value.offset == length // ENTRY_SIZE * ENTRY_SIZE


@pytest.mark.parametrize("version", [b"\x00\x01", b"\xff\xff"])
def test_another_version_is_refused(version: bytes) -> None:
    data = GOLDEN[:ENTRY_SIZE] + version + GOLDEN[ENTRY_SIZE + 2 :]
    with pytest.raises(RemoteProtocolError, match="is unknown, only 0 is known") as caught:
        list(iterate_transaction_index(data))
    assert caught.value.offset == ENTRY_SIZE


@pytest.mark.parametrize("last_offset", [36, 37, -1])
def test_last_offsets_that_do_not_ascend_are_refused(last_offset: int) -> None:
    second = GOLDEN_ENTRIES[1]._replace(last_offset=last_offset)
    found = iterate_transaction_index(GOLDEN[:ENTRY_SIZE] + encode_aborted_transaction(second))
    assert next(found) == GOLDEN_ENTRIES[0]
    with pytest.raises(RemoteProtocolError, match="does not ascend from last offset 37") as caught:
        next(found)
    assert caught.value.offset == ENTRY_SIZE


def test_a_negative_last_offset_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="does not ascend"):
        list(
            iterate_transaction_index(encode_aborted_transaction(GOLDEN_ENTRIES[0]._replace(last_offset=-1)))
        )
