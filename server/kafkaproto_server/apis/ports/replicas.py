"""The replicas of this broker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.context import Throttle
from kafkaproto_server.requests.data import (
    DeletionItem,
    EpochEnd,
    EpochQuery,
    Fetched,
    LogStatus,
    MarkerItem,
    OffsetQuery,
    OffsetResult,
    Produced,
    ProduceItem,
    ProducerStatus,
    RecordsDeleted,
)
from kafkaproto_server.requests.fetch_requests import FetchValues


class ReplicaPort(msgspec.Struct, frozen=True, kw_only=True):
    """The replicas of this broker. Results come by callback, now or later."""

    produce: Callable[[Sequence[ProduceItem], int, int, Produced], None]
    """Append items, with the acks and the timeout in milliseconds that a producer asks for."""
    write_markers: Callable[[Sequence[MarkerItem], Produced], None]
    """Append the ends of transactions."""
    fetch: Callable[[FetchValues, int, Callable[[str], bool], Fetched, Throttle | None], Callable[[], None]]
    """Serve a Fetch request of a version. The third argument says whether the sender may read a topic, the last one
    whether the response has to leave without records. Returns the function to call if nobody needs the response any
    more."""
    delete_records: Callable[[DeletionItem, int, RecordsDeleted], None]
    """Delete the oldest records of a partition. The second argument is how long the other replicas have time, in
    milliseconds."""
    alter_directory: Callable[[str, int, str], ErrorCode]
    """Move the replica of a partition, by topic and index, to the log directory with a path; or have it begin there, if
    this broker has none yet. Returns what AlterReplicaLogDirs responds; the move takes its time."""
    find_offset: Callable[[OffsetQuery, Callable[[OffsetResult], None]], None]
    end_of_epoch: Callable[[EpochQuery], EpochEnd]
    """Where an epoch ends in the log of a partition that this broker leads."""
    producers_of: Callable[[str, int], ErrorCode | tuple[int, Iterator[ProducerStatus]]]
    """How many active producers a partition has, by topic and index, and which; or why there is no answer. They are
    looked at one by one, as the iterator is asked; with the first one it takes 8 bytes for each of them."""
    logs: Callable[[], Iterator[LogStatus]]
    """All logs of this broker that are open, looked at one by one."""
    leader_of: Callable[[bytes, int], tuple[int, int]]
    """Broker id and epoch of the leader of a partition, by topic id and partition; -1 for what is not known."""
    new_producer_id: Callable[[Callable[[int | None], None]], None]
    """Hand out a producer id; None if there is none now."""
