"""Responses to OffsetFetch.

A plain fetch returns what is committed in the log; otherwise a client could resume from an offset that the next
coordinator does not know. A fetch that requires stable offsets reads the whole table, and gets its response when all of
that is committed (KIP-447).

Apache Kafka has this in fetchOffsets and fetchAllOffsets of OffsetMetadataManager.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.core.coordinators.groups.offsets.logged import LoggedOffsets
from kafkaproto_server.core.coordinators.groups.offsets.table import OffsetAndMetadata
from kafkaproto_server.requests.offset_requests import (
    FetchedPartition,
    FetchedTopic,
    OffsetsFetched,
    OffsetsGoneError,
    TopicPartitions,
)

OFFSETS_READ_AT_ONCE = 2_000
"""How many offsets are looked up at once if all of a group are asked for."""


class OffsetFetches:
    """Reads the offsets of groups."""

    def __init__(self, logged: LoggedOffsets) -> None:
        self._logged = logged

    def fetch(
        self,
        group_id: str,
        topics: Sequence[TopicPartitions] | None,
        fetched: OffsetsFetched,
        *,
        require_stable: bool,
    ) -> None:
        """The committed offsets of some partitions, or of all for which the group has one if ``topics`` is None.

        With ``require_stable`` the response comes when all that it depends on is committed, and partitions with pending
        offsets get UNSTABLE_OFFSET_COMMIT. Otherwise ``fetched`` is called now, or once all transactions that have
        ended by now are worked off. All offsets of a group are looked up after that, some at a time; with
        ``require_stable``, UNSTABLE_OFFSET_COMMIT is also for what was changed meanwhile and is not committed yet.
        """
        call = partial(self._fetch_now, group_id, topics, fetched, require_stable)
        can_come_again = topics is not None and require_stable
        if self._logged.pending.has_ended and not can_come_again and self._logged.has_pending(group_id):
            # What is committed has to be seen, and who asks like this cannot be told to come again.
            self._logged.when_ended(call)
        else:
            call()

    def _fetch_now(
        self,
        group_id: str,
        topics: Sequence[TopicPartitions] | None,
        fetched: OffsetsFetched,
        require_stable: bool,
    ) -> None:
        if self._logged.is_over:
            fetched(ErrorCode.NOT_COORDINATOR, ())
        elif topics is None:
            every = self._all(group_id, is_stable=require_stable)
            if require_stable:
                self._logged.when_settled(lambda code: fetched(code, every if code is ErrorCode.NONE else ()))
            else:
                fetched(ErrorCode.NONE, every)
        elif require_stable:
            found = self._fetch(group_id, topics, {}, is_stable=True)
            self._logged.when_settled(lambda code: fetched(code, found if code is ErrorCode.NONE else ()))
        else:
            before = self._logged.committed_before(group_id)
            fetched(ErrorCode.NONE, self._fetch(group_id, topics, before, is_stable=False))

    def _fetch(
        self,
        group_id: str,
        topics: Sequence[TopicPartitions],
        before: Mapping[tuple[str, int], OffsetAndMetadata | None],
        *,
        is_stable: bool,
    ) -> list[FetchedTopic]:
        """What there is, except for the partitions in ``before``, of which that is taken."""
        latest = self._logged.table.of_group(group_id)
        found = []
        for topic in topics:
            of_topic = latest.get(topic.topic, {})
            partitions = []
            for partition in topic.partitions:
                if is_stable and self._logged.open.has(group_id, topic.topic, partition):
                    code = ErrorCode.UNSTABLE_OFFSET_COMMIT
                    partitions.append(FetchedPartition(partition=partition, code=code))
                    continue
                key = topic.topic, partition
                entry = before[key] if key in before else of_topic.get(partition)
                partitions.append(_fetched(partition, entry, topic.topic_id))
            found.append(
                FetchedTopic(topic=topic.topic, topic_id=topic.topic_id, partitions=tuple(partitions))
            )
        return found

    def _all(self, group_id: str, *, is_stable: bool) -> Iterator[FetchedTopic]:
        """All offsets of a group, `OFFSETS_READ_AT_ONCE` of a topic at most; each part is looked up when its turn
        comes. Raises OffsetsGoneError if another broker has the group then."""
        before = self._logged.committed_before(group_id)
        changing: dict[str, list[int]] = {}
        for topic, index in before:
            changing.setdefault(topic, []).append(index)
        if self._logged.is_over:
            raise OffsetsGoneError
        topics = tuple(self._logged.table.of_group(group_id))
        gone = [topic for topic in changing if topic not in self._logged.table.of_group(group_id)]
        for topic in chain(topics, gone):
            of_topic = self._logged.table.of_group(group_id).get(topic, {})
            rest = iter(tuple(dict.fromkeys((*of_topic, *changing.get(topic, ())))))
            while part := tuple(islice(rest, OFFSETS_READ_AT_ONCE)):
                if self._logged.is_over:
                    raise OffsetsGoneError
                before = self._logged.committed_before(group_id)
                partitions = [
                    each
                    for index in part
                    if (each := self._one_of_all(group_id, topic, index, before, is_stable)) is not None
                ]
                if partitions:
                    yield FetchedTopic(topic=topic, topic_id=ZERO_UUID, partitions=tuple(partitions))

    def _one_of_all(
        self,
        group_id: str,
        topic: str,
        partition: int,
        before: Mapping[tuple[str, int], OffsetAndMetadata | None],
        is_stable: bool,
    ) -> FetchedPartition | None:
        """What is said of a partition if all of a group are asked for; None if it has no offset."""
        is_changing = (topic, partition) in before
        entry = (
            before[topic, partition] if is_changing else self._logged.table.get(group_id, topic, partition)
        )
        if is_stable and (
            is_changing or (entry is not None and self._logged.open.has(group_id, topic, partition))
        ):
            return FetchedPartition(partition=partition, code=ErrorCode.UNSTABLE_OFFSET_COMMIT)
        return None if entry is None else _fetched(partition, entry, ZERO_UUID)


def _fetched(partition: int, entry: OffsetAndMetadata | None, topic_id: bytes) -> FetchedPartition:
    if entry is None or (ZERO_UUID not in (entry.topic_id, topic_id) and entry.topic_id != topic_id):
        return FetchedPartition(partition=partition)
    return FetchedPartition(
        partition=partition,
        committed_offset=entry.offset,
        committed_leader_epoch=entry.leader_epoch,
        metadata=entry.metadata,
    )
