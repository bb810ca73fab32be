"""Writes what a log knows of its producers beside it, once a segment is complete.

A log may have a million producers: to encode them takes more than a second. So a part of them is encoded in a turn of
the event loop, and the file is written when all are. Meanwhile producers go on; what they were is kept
(`core.log_state.producers.ProducerSnapshot`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, Protocol, TypeVar

from kafkaproto.producer_snapshot import encode_producer_entries, producer_snapshot_of
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.log_state.producers import ProducerSnapshot
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.shell.storage.log.topic_log import TopicLog

PRODUCERS_A_TURN = 2_000
"""How many producers are encoded in a turn: some milliseconds."""


class Replica(Protocol):
    """A replica on this broker."""

    partition: Partition
    log: TopicLog | None
    """None if it is not open."""


ReplicaT = TypeVar("ReplicaT", bound=Replica)


class ProducerSnapshots(Generic[ReplicaT]):
    """The snapshots of one broker's logs that are under way."""

    def __init__(
        self,
        clock: Clock,
        call_at: Callable[[int, Callable[[], None]], None],
        put: Callable[[ReplicaT, Callable[[], object]], None],
    ) -> None:
        """``put`` has something done in the lane of a replica's log."""
        self._clock = clock
        self._call_at = call_at
        self._put = put
        self._under_way: set[ReplicaT] = set()

    def write(self, hosted: ReplicaT) -> None:
        """Write the state of a log's producers as it is now. If that of an earlier moment is still under way, the next
        segment has its turn again."""
        assert hosted.log is not None, "the log is open"
        # One at a time for a log: each keeps what producers were until it is written.
        if hosted not in self._under_way:
            self._under_way.add(hosted)
            self._go_on(hosted, hosted.log, hosted.partition.producers.snapshot(), [])

    def _go_on(self, hosted: ReplicaT, log: TopicLog, snapshot: ProducerSnapshot, parts: list[bytes]) -> None:
        # Asked each turn: in between, the log may have been closed, moved or cut.
        if hosted.log is not log or not snapshot.is_of(hosted.partition.producers):
            # The log is closed, or was cut.
            # A file of before the cut would say that a producer has written what is gone: what it sends then would be
            # taken for a repetition.
            snapshot.give_up()
        else:
            parts.append(encode_producer_entries(snapshot.take(PRODUCERS_A_TURN)))
            if not snapshot.is_complete:
                go_on = partial(self._go_on, hosted, log, snapshot, parts)
                # Through the timers, so that other tasks have their turn in between.
                self._call_at(self._clock.now_ms(), go_on)
                return
            # In the log's lane, as all writes to its directory: a roll, or a cut, is before it or behind it.
            self._put(hosted, lambda: log.write_producers(producer_snapshot_of(parts), snapshot.end_offset))
        self._under_way.remove(hosted)
