"""Which dead letters there have to be, and what counts as a wrong one."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from kafkaproto.records.record import Record
from kafkaproto_server.core.replicas.partition import Role
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.coordination.dead_letters import DEAD_LETTERS, DeadLetterChecker, DeadLetterOptions
from tests.sim.nodes.coordination.share_promises import ACCEPT, REJECT, RELEASE, SharePromises
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.timeline import run

GROUP = "g"
A: Place = ("t", 1)
LIMIT = 2
SPENT = "Offset delivery count exceeded the threshold."
REJECTED = "Offset rejected by client."


class Replicas:
    """A ledger that knows leaders and their records."""

    def __init__(self, records: dict[Place, list[Record]]) -> None:
        self._records = records
        self.logs = self

    def replicas(self) -> list[Any]:
        hosted = SimpleNamespace(partition=SimpleNamespace(role=Role.LEADER))
        return [(None, place, hosted) for place in self._records]

    def records_of(self, _: object, place: Place) -> list[Record]:
        return self._records[place]

    def start_of(self, _: Place) -> int:
        return 0


def letter(
    offset: int, reason: str = REJECTED, *, value: bytes | None = None, count: int = 1, group: str = GROUP
) -> Record:
    headers = {"topic": A[0], "partition": A[1], "offset": offset, "group": group}
    headers |= {"delivery.count": count, "message": reason}
    found = tuple((f"__dlq.errors.{name}", str(each).encode()) for name, each in headers.items())
    return Record(0, 0, None, value, found)


def group(*kinds: int, deliveries: int = 1) -> SharePromises:
    """A record was delivered so many times, and acknowledged in these ways one after the other."""
    promises = SharePromises(GROUP, LIMIT, lambda: False, Counter())

    async def scene() -> None:
        for count in range(1, deliveries + 1):
            acquisition = promises.acquired(A, 0, count, "m", trio.current_time())
        for kind in kinds:
            promises.acknowledged(A, 0, acquisition, kind, trio.current_time())

    run(1, scene)
    return promises


def checker(
    promises: SharePromises,
    *letters: Record,
    index: int = 1,
    copies: bool = False,
    have_reads_failed: bool = False,
) -> DeadLetterChecker:
    options = DeadLetterOptions(partitions=2, deliveries=LIMIT, copies=copies)
    source = Record(0, 0, None, b"content", ())
    replicas: Any = Replicas({A: [source], (DEAD_LETTERS, index): [*letters]})
    replicas.have_reads_failed = have_reads_failed
    return DeadLetterChecker(options, promises, replicas)


@pytest.mark.parametrize(
    ("kinds", "deliveries", "is_dead"),
    [
        ([REJECT], 1, True),
        ([ACCEPT], 1, False),
        ([RELEASE], 1, False),
        # Who was second was told that it is done, as everybody is.
        ([REJECT, ACCEPT], 1, False),
        ([], LIMIT, True),
        ([ACCEPT], LIMIT, False),
        ([], LIMIT - 1, False),
    ],
)
def test_which_records_are_dead(kinds: list[int], deliveries: int, is_dead: bool) -> None:
    promises = group(*kinds, deliveries=deliveries)
    assert promises.dead() == ([(A, 0)] if is_dead else [])
    missing = ["no dead letters of 1 records: [(('t', 1), 0)]"] if is_dead else []
    assert checker(promises).missing() == missing
    assert checker(promises, letter(0)).missing() == []


def test_whose_letters_there_are() -> None:
    assert checker(group()).found() == set()
    assert checker(group(), letter(0), letter(5), letter(5)).found() == {(A, 0), (A, 5)}


@pytest.mark.parametrize("kind", [ACCEPT, REJECT])
def test_what_may_have_been_acknowledged_need_not_be_dead(kind: int) -> None:
    promises = group(deliveries=LIMIT)
    promises.may_be_acknowledged(A, 0, kind)
    assert promises.dead() == []
    assert promises.may_be((A, 0), kind)
    assert not promises.may_be((A, 1), kind)


def test_right_letters_are_right() -> None:
    copied = letter(0, value=b"content")
    checker(group(REJECT), copied, copied, copies=True).check_at_last()
    checker(group(REJECT), letter(0)).check_at_last()
    checker(group(REJECT), letter(0), copies=True, have_reads_failed=True).check_at_last()
    # A fetch whose response was lost has delivered it once more.
    checker(group(), letter(0, SPENT, count=LIMIT)).check_at_last()


@pytest.mark.parametrize(
    ("found", "index", "copies"),
    [
        (letter(0), 0, False),
        (letter(0, group="h"), 1, False),
        (letter(0), 1, True),
        (letter(0, value=b"content"), 1, False),
        (letter(0, value=b"other"), 1, True),
        (letter(0, SPENT, count=LIMIT - 1), 1, False),
        (letter(0, count=LIMIT + 1), 1, False),
        (letter(0, "because"), 1, False),
        (letter(1, SPENT, count=LIMIT), 1, False),
    ],
)
def test_a_wrong_letter_is_noticed(found: Record, index: int, copies: bool) -> None:
    with pytest.raises(ViolationError) as caught:
        checker(group(REJECT), found, index=index, copies=copies).check_at_last()
    assert caught.value.invariant is NodeInvariant.DEAD_LETTERS


def test_a_letter_of_a_record_that_nobody_has_rejected_is_noticed() -> None:
    with pytest.raises(ViolationError):
        checker(group(ACCEPT), letter(0)).check_at_last()
