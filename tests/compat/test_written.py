"""The account that the records of a node are compared with: it finds what is lost, too much, changed or too early."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compat.topic_state import PartitionState
from compat.written import Account, AccountError, Transaction
from kafkaproto.records.batch import NewRecord, build_batch

PLACE = ("topic", 0)


def state_of(*values: tuple[int, bytes], stable: int | None = None) -> PartitionState:
    """A log of a batch for each (offset, value), whose keys are the first bytes of the values."""
    log = b"".join(
        build_batch([NewRecord(key=value[:1], value=value)], base_offset=offset, timestamp_ms=0)
        for offset, value in values
    )
    end = values[-1][0] + 1
    return PartitionState(
        log=log,
        log_start_offset=0,
        high_watermark=end,
        last_stable_offset=end if stable is None else stable,
        aborted=frozenset(),
        producers=frozenset(),
        epochs={},
        offsets={},
    )


def account_of(*values: tuple[int, bytes], transaction: Transaction | None = None) -> Account:
    account = Account(0)
    for offset, value in values:
        account.note(PLACE, offset, value, value[:1], transaction)
    return account


ALL = ((0, b"a0"), (1, b"b1"), (2, b"a2"))


def test_what_was_written_is_as_it_was_told() -> None:
    account = account_of(*ALL)
    account.check_all(PLACE, state_of(*ALL))
    account.check_committed(
        PLACE, {offset: record.checksum for offset, record in account.records[PLACE].items()}, 3
    )
    assert account.check_compacted(PLACE, state_of(*ALL[1:])) == 1


@pytest.mark.parametrize(
    ("found", "what"),
    [
        (ALL[:2], "the one at 2 is missing"),
        ((*ALL, (3, b"c3")), "the one at 3 is too much"),
        ((*ALL[:2], (2, b"a3")), "the one at 2 is changed"),
    ],
)
def test_other_records_are_found(found: tuple[tuple[int, bytes], ...], what: str) -> None:
    with pytest.raises(AccountError, match=what):
        account_of(*ALL).check_all(PLACE, state_of(*found))


def test_the_end_of_what_is_stable_is_in_front_of_an_open_transaction() -> None:
    transaction = Transaction()
    account = account_of(*ALL, transaction=transaction)
    transaction.open_in.add(PLACE)
    account.check_all(PLACE, state_of(*ALL, stable=0))
    with pytest.raises(AccountError, match="stable offset is 3 instead of 0"):
        account.check_all(PLACE, state_of(*ALL))
    transaction.end()
    with pytest.raises(AccountError, match="stable offset is 0 instead of 3"):
        account.check_all(PLACE, state_of(*ALL, stable=0))
    account.check_committed(PLACE, {}, 3)
    transaction.end(is_committed=True)
    with pytest.raises(AccountError, match="read_committed: of 3 records, the one at 0 is missing"):
        account.check_committed(PLACE, {}, 3)


def test_compaction_must_leave_the_last_record_of_each_key() -> None:
    with pytest.raises(AccountError, match="first the one at 2"):
        account_of(*ALL).check_compacted(PLACE, state_of(*ALL[:2]))
    with pytest.raises(AccountError, match="the record at 0 is not what was written"):
        account_of(*ALL).check_compacted(PLACE, state_of((0, b"a9"), *ALL[1:]))


def test_an_offset_is_given_once() -> None:
    with pytest.raises(AccountError, match="two records were given offset 0"):
        account_of(ALL[0], ALL[0])


def test_two_states_differ_in_what_they_are_told_to() -> None:
    state = state_of(*ALL)
    assert state.differences(state) == []
    (line,) = state.differences(replace(state, high_watermark=9))
    assert line == "high_watermark: 3, then 9"
