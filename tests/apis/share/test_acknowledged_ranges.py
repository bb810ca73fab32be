"""Which acknowledgements of a partition a request may have.

Tests: `apis.share.common`.
"""

from __future__ import annotations

import pytest

from kafkaproto.messages import ShareAcknowledgeRequest
from kafkaproto_server.apis.share.common import checked_ranges, is_member_id

Batch = ShareAcknowledgeRequest.AcknowledgementBatch


@pytest.mark.parametrize(
    ("said", "is_good"),
    [
        ([], True),
        ([(0, 0, [0]), (1, 3, [1]), (4, 5, [2, 3])], True),
        # The same offset may end one range and begin the next; what is said second is refused later.
        ([(0, 2, [1]), (2, 3, [1])], True),
        ([(0, 2, [1]), (1, 3, [1])], False),
        ([(2, 3, [1]), (0, 1, [1])], False),
        ([(3, 2, [1])], False),
        ([(-2, 0, [1])], False),
        ([(0, 2, [])], False),
        ([(0, 2, [1, 1])], False),
        ([(0, 0, [-1])], False),
        ([(0, 0, [5])], False),
    ],
)
def test_ranges_ascend_and_have_known_types(said: list[tuple[int, int, list[int]]], is_good: bool) -> None:
    batches = [
        Batch(first_offset=first, last_offset=last, acknowledge_types=types) for first, last, types in said
    ]
    found = checked_ranges(batches, can_renew=True, renews=False)
    assert found == ([(first, last, tuple(types)) for first, last, types in said] if is_good else None)


@pytest.mark.parametrize(
    ("can_renew", "renews", "is_good"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_locks_are_renewed_only_by_a_request_that_says_so(
    can_renew: bool, renews: bool, is_good: bool
) -> None:
    batch = Batch(first_offset=0, last_offset=1, acknowledge_types=[1, 4])
    assert (checked_ranges([batch], can_renew=can_renew, renews=renews) is not None) is is_good


def test_member_ids_have_up_to_36_characters() -> None:
    assert is_member_id("x" * 36)
    assert not any(map(is_member_id, (None, "", "x" * 37)))
