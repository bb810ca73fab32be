"""What comes and goes: topics, groups, quotas of clients. Each has a new name, so what a node keeps of it adds up."""

from __future__ import annotations

import time
import urllib.request
from collections import deque
from collections.abc import Sequence

from compat.soaking.load import Ground, Lines, Load, RefusedError, check_code
from compat.soaking.places import GROUP, coordinator_of, leader_of
from compat.soaking.records import KEPT, PARTITIONS
from compat.soaking.tally import SoakLossError, make_value
from kafkaproto.messages import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    FetchRequest,
    FetchResponse,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    ProduceRequest,
    ProduceResponse,
)
from kafkaproto.records.batch import NewRecord, build_batch, iterate_batches
from kafkaproto.support import joined

RECORDS = 20
"""Of a topic that comes and goes."""
TOPICS_AT_A_TIME = 3
LEADER_S = 30.0
NOT_YET = 3
"""UNKNOWN_TOPIC_OR_PARTITION: a broker has not heard of the topic, or of its end."""
NOT_YET_S = 0.1
LAST_WITH_NAMES = 12
"""The version of Produce and Fetch; later ones name topics by their ids."""
PAGE_S = 10.0


class PassingTopics(Load):
    """Makes a topic, writes to it, reads it, and deletes the one that was made three steps before."""

    INTERVAL_S = 6.0

    def __init__(self, ground: Ground) -> None:
        """No connection yet."""
        super().__init__("topics", ground)
        self._lines = Lines(ground.brokers)
        self._number = 0
        self._made: deque[str] = deque()

    def step(self) -> None:
        """See Load."""
        if len(self._made) >= TOPICS_AT_A_TIME:
            self._delete_topic(self._made[0])
            self._made.popleft()
        self._number += 1
        name = f"passing-{self.ground.seed}-{self._number}"
        topic = CreateTopicsRequest.CreatableTopic(
            name=name, num_partitions=PARTITIONS, replication_factor=len(self._lines.addresses)
        )
        response = self._lines.ask(
            self._any_node(), CreateTopicsRequest(topics=[topic], timeout_ms=int(LEADER_S * 1000))
        )
        assert isinstance(response, CreateTopicsResponse)
        check_code(f"CreateTopics of {name}", response.topics[0].error_code)
        self._made.append(name)
        self._write_and_read(name, self._number % PARTITIONS)
        self.done += 1

    def _any_node(self) -> str:
        return self.random.choice(self._lines.addresses)

    def _write_and_read(self, name: str, partition: int) -> None:
        values = [make_value(partition, number) for number in range(RECORDS)]
        batch = build_batch(
            [NewRecord(key=None, value=each) for each in values],
            base_offset=0,
            timestamp_ms=int(time.time() * 1000),
        )
        data = ProduceRequest.PartitionProduceData(index=partition, records=batch)
        topic = ProduceRequest.TopicProduceData(name=name, partition_data=[data])
        leader = self._write(name, partition, ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[topic]))
        wanted = FetchRequest.FetchPartition(partition=partition, fetch_offset=0, partition_max_bytes=1 << 20)
        topics = [FetchRequest.FetchTopic(topic=name, partitions=[wanted])]
        read = self._lines.ask(
            leader, FetchRequest(max_wait_ms=1_000, min_bytes=1, topics=topics), LAST_WITH_NAMES
        )
        assert isinstance(read, FetchResponse)
        found = read.responses[0].partitions[0]
        check_code(f"Fetch from {name}", found.error_code)
        records = joined(found.records or b"")
        got = [bytes(each.value or b"") for one in iterate_batches(records) for each in one.records()]
        if got != values:
            raise SoakLossError(
                f"{name}-{partition}: {len(values)} records were acknowledged, {len(got)} read"
            )

    def _write(self, name: str, partition: int, request: ProduceRequest) -> str:
        """Returns the leader that took it. Brokers hear of a topic a moment after it is made."""
        deadline = time.monotonic() + LEADER_S
        while True:
            try:
                leader = leader_of(self._lines, name, partition)
                written = self._lines.ask(leader, request, LAST_WITH_NAMES)
                assert isinstance(written, ProduceResponse)
                check_code(f"Produce to {name}", written.responses[0].partition_responses[0].error_code)
                return leader
            except RefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(NOT_YET_S)

    def _delete_topic(self, name: str) -> None:
        topics = [DeleteTopicsRequest.DeleteTopicState(name=name)]
        response = self._lines.ask(self._any_node(), DeleteTopicsRequest(topics=topics, timeout_ms=30_000))
        assert isinstance(response, DeleteTopicsResponse)
        # A deletion whose response was lost may have come through.
        check_code(f"DeleteTopics of {name}", response.responses[0].error_code, NOT_YET)

    def close(self) -> None:
        """See Load."""
        self._lines.close()


class PassingGroups(Load):
    """Groups that commit an offset, are asked for it, and are deleted, or left to expire."""

    INTERVAL_S = 2.0

    def __init__(self, ground: Ground) -> None:
        """No connection yet."""
        super().__init__("group names", ground)
        self._lines = Lines(ground.brokers)
        self._number = 0

    def step(self) -> None:
        """See Load."""
        self._number += 1
        name = f"passing-{self.ground.seed}-{self._number}"
        coordinator = coordinator_of(self._lines, GROUP, name)
        commit = OffsetCommitRequest
        places = [
            commit.Partition(partition_index=each, committed_offset=self._number + each)
            for each in range(PARTITIONS)
        ]
        request = commit(group_id=name, topics=[commit.Topic(name=KEPT, partitions=places)])
        committed = self._lines.ask(coordinator, request, 9)
        assert isinstance(committed, OffsetCommitResponse)
        for place in committed.topics[0].partitions:
            check_code(f"OffsetCommit of {name}", place.error_code)
        self._check(coordinator, name)
        if self._number % 2:
            deleted = self._lines.ask(coordinator, DeleteGroupsRequest(groups_names=[name]))
            assert isinstance(deleted, DeleteGroupsResponse)
            check_code(f"DeleteGroups of {name}", deleted.results[0].error_code)
        self.done += 1

    def _check(self, coordinator: str, name: str) -> None:
        group = OffsetFetchRequest.Group(group_id=name, topics=None)
        fetched = self._lines.ask(coordinator, OffsetFetchRequest(groups=[group]), 9)
        assert isinstance(fetched, OffsetFetchResponse)
        (found,) = fetched.groups
        check_code(f"OffsetFetch of {name}", found.error_code)
        offsets = {
            one.partition_index: one.committed_offset for each in found.topics for one in each.partitions
        }
        if offsets != {each: self._number + each for each in range(PARTITIONS)}:
            raise SoakLossError(f"{name}: offsets from {self._number} on were committed, there are {offsets}")

    def close(self) -> None:
        """See Load."""
        self._lines.close()


class PassingQuotas(Load):
    """A quota of a client id that comes and goes with the next step."""

    INTERVAL_S = 8.0

    def __init__(self, ground: Ground) -> None:
        """No connection yet."""
        super().__init__("quotas", ground)
        self._lines = Lines(ground.brokers)
        self._number = 0

    def step(self) -> None:
        """See Load."""
        self._alter(self._number, is_removed=True)
        self._number += 1
        self._alter(self._number, is_removed=False)
        self.done += 1

    def _alter(self, number: int, *, is_removed: bool) -> None:
        request = AlterClientQuotasRequest
        entity = request.EntityData(entity_type="client-id", entity_name=f"passing-{number}")
        change = request.OpData(key="producer_byte_rate", value=1_000_000.0, remove=is_removed)
        response = self._lines.ask(
            self.random.choice(self._lines.addresses),
            request(entries=[request.EntryData(entity=[entity], ops=[change])]),
        )
        assert isinstance(response, AlterClientQuotasResponse)
        check_code("AlterClientQuotas", response.entries[0].error_code)

    def close(self) -> None:
        """See Load."""
        self._lines.close()


class Scraping(Load):
    """The page of metrics of each node in turn."""

    INTERVAL_S = 5.0

    def __init__(self, ground: Ground, pages: Sequence[str]) -> None:
        """`pages` are URLs."""
        super().__init__("metrics", ground)
        self._pages = pages

    def step(self) -> None:
        """See Load."""
        with urllib.request.urlopen(self._pages[self.done % len(self._pages)], timeout=PAGE_S) as response:
            if b"kafka_server_" not in response.read():
                raise RefusedError("a page without metrics")
        self.done += 1

    def close(self) -> None:
        """See Load: each page is a connection of its own."""
