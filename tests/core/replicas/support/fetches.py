"""Short forms of the values of fetches, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.requests.fetch_requests import FetchValues, PartitionFetch, PartitionKey, partition_key

TOPIC_ID = bytes(range(16))


def fetch(
    index: int, offset: int = 0, *, name: str | None = None, topic_id: bytes = TOPIC_ID
) -> PartitionFetch:
    """A partition of a topic with an id, or with a name."""
    return PartitionFetch(
        topic_id=topic_id if name is None else ZERO_UUID,
        topic_name=name,
        index=index,
        fetch_offset=offset,
        max_bytes=1 << 20,
    )


def request(
    session_id: int,
    session_epoch: int,
    partitions: Iterable[PartitionFetch] = (),
    *,
    forgotten: Sequence[PartitionKey] = (),
    uses_topic_ids: bool = True,
    replica_id: int = -1,
) -> FetchValues:
    """A request with limits that do not matter."""
    return FetchValues(
        replica_id=replica_id,
        replica_epoch=-1,
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=1 << 30,
        isolation_level=0,
        session_id=session_id,
        session_epoch=session_epoch,
        rack_id="",
        uses_topic_ids=uses_topic_ids,
        partitions={partition_key(each): each for each in partitions},
        forgotten=list(forgotten),
    )
