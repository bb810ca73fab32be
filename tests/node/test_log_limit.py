"""The bound on log lines that anybody can cause."""

from __future__ import annotations

import logging

import pytest
import trio

from server.node.log_limit import LINES_A_SECOND, LineLimit, limit_lines

LOGGER = logging.getLogger("kafkaproto.tests.log_limit")


def test_lines_beyond_the_limit_of_a_second_are_counted_and_errors_pass(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    now = [5.0]
    limit = LineLimit(LOGGER, lambda: now[0])
    LOGGER.addFilter(limit)
    try:
        for number in range(LINES_A_SECOND + 7):
            LOGGER.info("line %d", number)
        LOGGER.error("an error")
        assert len(caplog.messages) == LINES_A_SECOND + 1
        assert caplog.messages[-2:] == [f"line {LINES_A_SECOND - 1}", "an error"]
        limit.next_second()
        assert len(caplog.messages) == LINES_A_SECOND + 1
        now[0] = 6.0
        limit.next_second()
        assert caplog.messages[-1] == "7 lines like those before were left out"
        LOGGER.info("another")
        assert caplog.messages[-1] == "another"
        now[0] = 7.0
        LOGGER.info("the next")
        assert caplog.messages[-2:] == ["another", "the next"]
    finally:
        LOGGER.removeFilter(limit)


@pytest.mark.trio
async def test_loggers_are_limited_for_as_long_as_the_task_runs(
    autojump_clock: object, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(limit_lines, [LOGGER.name])
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(3 * LINES_A_SECOND):
            LOGGER.info("a line")
        assert LINES_A_SECOND <= len(caplog.messages) <= 2 * LINES_A_SECOND + 1
        nursery.cancel_scope.cancel()
    assert LOGGER.filters == []
