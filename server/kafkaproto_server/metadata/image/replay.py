"""Replay: the only way to change an image. One table has a function for each type of metadata record.

`replay(image, record, offset)` returns the image with the record applied. The caller sets the image's own offset, epoch
and timestamp, because they change once per batch and not once per record. Records that mark a metadata transaction
never come here: `metadata.image.loader` handles them.

If a record contradicts the image (it changes a partition that does not exist), log and reader disagree about the past.
Nothing sensible can follow, so it is a `ReplayError`, and the node stops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.metadata.image import apply_cluster, apply_configs, apply_topics
from kafkaproto_server.metadata.image.errors import Contradiction, ReplayError
from kafkaproto_server.metadata.image.image import ClusterImage

_ABOUT_PARTITIONS = (apply_topics.PARTITION, apply_topics.PARTITION_CHANGE)


class MetadataRecord(Protocol):
    """The attributes that all generated metadata record messages have."""

    NAME: str
    API_KEY: int | None


def replay(image: ClusterImage, record: Any, offset: int) -> ClusterImage:
    """The image after one record, whose offset is ``offset``.

    Raises ReplayError if the record contradicts the image, or if records of its type do not change an image.
    """
    return run_to_end(_replay_one(image, record, offset))


def _replay_one(image: ClusterImage, record: Any, offset: int) -> Steps[ClusterImage]:
    try:
        if (apply := APPLY.get(record.API_KEY)) is not None:
            return apply(image, record, offset)
        if (apply_steps := APPLY_IN_STEPS.get(record.API_KEY)) is not None:
            return (yield from apply_steps(image, record, offset))
    # It says what is wrong; an operator has to know of which record, and where it is.
    except Contradiction as contradiction:
        raise ReplayError(record.NAME, offset, str(contradiction)) from None
    # Not skipped: a record that a node does not understand may change what the next ones mean.
    # Kafka's nodes stop as well.
    raise ReplayError(record.NAME, offset, f"record type {record.API_KEY} does not change an image")


def replay_all(image: ClusterImage, records: Sequence[Any], base_offset: int) -> ClusterImage:
    """The image after several records in a row: the same as `replay` of each of them, but faster."""
    return run_to_end(replay_steps(image, records, base_offset))


def replay_steps(image: ClusterImage, records: Sequence[Any], base_offset: int) -> Steps[ClusterImage]:
    """As `replay_all`, with at least one step per record: some records change many partitions."""
    position = 0
    while position < len(records):
        # Partitions come in long runs: a topic is created, a broker is fenced.
        end = _end_of_partitions(records, position)
        # A run is merged into the image once. Record by record, each would copy the path to its
        # topic in the map.
        if end > position:
            assert end <= len(records), "a run of records ends with them"
            image = yield from _replay_partitions(image, records[position:end], base_offset + position)
            position = end
        else:
            image = yield from _replay_one(image, records[position], base_offset + position)
            position += 1
            yield
    return image


def _end_of_partitions(records: Sequence[Any], start: int) -> int:
    """End of the run of partition records that begins at ``start``; ``start`` itself if there is none."""
    end = start
    while end < len(records) and records[end].API_KEY in _ABOUT_PARTITIONS:
        end += 1
    return end


def _replay_partitions(image: ClusterImage, records: Sequence[Any], base_offset: int) -> Steps[ClusterImage]:
    partitions = apply_topics.PartitionReplay(image)
    for offset, record in enumerate(records, base_offset):
        try:
            partitions.replay(record)
        except Contradiction as contradiction:
            # The partitions that were replayed before it are dropped: the image of the caller has
            # not changed.
            raise ReplayError(record.NAME, offset, str(contradiction)) from None
        yield
    # Only now does the image have them: until then `replay` works on copies.
    return (yield from partitions.finish_steps())


def _ignore(image: ClusterImage, record: MetadataRecord, offset: int) -> ClusterImage:
    """NoOpRecord only lets the log grow; ZkMigrationStateRecord is a leftover of the ZooKeeper migration."""
    return image


# By record type, the number in a metadata record's frame. With numbers as keys, no message class has to be loaded
# before a record of it comes. 23 to 25 mark transactions.
APPLY: Mapping[int, Callable[[ClusterImage, Any, int], ClusterImage]] = {
    0: apply_cluster.register_broker,
    1: apply_cluster.unregister_broker,
    2: apply_topics.add_topic,
    3: apply_topics.set_partition,
    4: apply_configs.set_config,
    5: apply_topics.change_partition,
    # Only logs from before metadata.version 3.3-IV2 have these two. They are read but never
    # written.
    7: apply_cluster.fence_broker,
    8: apply_cluster.unfence_broker,
    10: apply_configs.set_delegation_token,
    11: apply_configs.set_scram_credential,
    12: apply_configs.set_feature_level,
    14: apply_configs.set_client_quota,
    15: apply_configs.set_producer_ids,
    17: apply_cluster.change_broker_registration,
    18: apply_configs.add_acl,
    19: apply_configs.remove_acl,
    # Kafka's nodes ignore these two, too.
    20: _ignore,
    21: _ignore,
    22: apply_configs.remove_scram_credential,
    26: apply_configs.remove_delegation_token,
    # Removed by 29 alone, from 4.4 on: before, a registration stays for ever (KIP-919).
    27: apply_cluster.register_controller,
    29: apply_cluster.unregister_controller,
}

APPLY_IN_STEPS: Mapping[int, Callable[[ClusterImage, Any, int], Steps[ClusterImage]]] = {
    9: apply_topics.remove_topic,
    28: apply_topics.clear_elr,
}
"""Types of which a single record can change very many partitions."""
