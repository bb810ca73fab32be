"""The bound on log lines that anybody can cause."""

from __future__ import annotations

import logging

import pytest
import trio

from kafkaproto_server.shell.process.log_limit import LIMITED_LOGGERS, LINES_A_SECOND, LineLimit, limit_lines
from kafkaproto_server.shell.to_controller import forwarding
from tests.shell.net.support.connections import listening, serve_echo

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
        assert caplog.messages[-1] == f"suppressed 7 more lines of {LOGGER.name}"
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


@pytest.mark.trio
async def test_a_flood_of_peers_does_not_hide_that_there_is_no_room(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(limit_lines)
        async with listening(serve_echo, max_connections=1) as (_, port):
            for number in range(2 * LINES_A_SECOND):
                logging.getLogger("kafkaproto.server.net").info("closed the connection of %d", number)
            async with (
                await trio.open_tcp_stream("127.0.0.1", port),
                await trio.open_tcp_stream("127.0.0.1", port),
            ):
                await trio.testing.wait_all_tasks_blocked(0.01)
        nursery.cancel_scope.cancel()
    assert "listener PLAINTEXT has reached its limit" in caplog.text


def test_what_every_forwarded_request_may_log_is_limited() -> None:
    assert forwarding._log.name in LIMITED_LOGGERS
