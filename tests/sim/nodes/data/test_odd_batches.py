"""What the sender of odd batches expects of them."""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from tests.sim.nodes.data.odd_batches import LARGEST_BYTES, TOPICS, odd_batches
from tests.sim.nodes.swarms import FIRST_OF_SWARMS, draw


def test_what_is_wrong_with_a_timestamp_today_may_be_right_in_a_run() -> None:
    late = [each for each in odd_batches()["recent"] if each.answer.error is ErrorCode.INVALID_TIMESTAMP]
    assert late
    assert not any(each.is_refused for each in late)


def test_batches_of_many_kinds_have_to_be_refused() -> None:
    batches = [each for of_topic in odd_batches().values() for each in of_topic]
    assert len(odd_batches()) > TOPICS
    assert sum(each.is_refused for each in batches) > 100
    assert sum(not each.is_refused for each in batches) > 100
    assert max(len(each.answer.sent) for each in batches) <= LARGEST_BYTES


def test_some_swarms_with_records_have_them() -> None:
    drawn = [draw(FIRST_OF_SWARMS + number).data for number in range(100)]
    found = [each.has_odd_batches for each in drawn if each is not None]
    assert 0 < sum(found) < len(found) / 2
