"""A broker that shares records out to groups, and the persister of their states, which a test holds."""

from __future__ import annotations

from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareAcknowledgeRequest, ShareFetchRequest
from kafkaproto_server.requests.share_state import Done, ShareState, ShareStateResult
from tests.apis.support.data_broker import DataBroker, batch
from tests.apis.support.services import with_changes
from tests.core.controller.support.harness import SET, alter_configs_request

GROUP = "g"
GROUP_RESOURCE = 32
LOCK_MS = 30_000
"""How long a member has a record, by default."""


class HeldPersister:
    """A persister whose results the test decides."""

    def __init__(self) -> None:
        self.state = ShareState(state_epoch=1, start_offset=0)
        self.reads: list[Done] = []
        self.writes: list[tuple[ShareState, Done]] = []

    def read(self, group_id: str, topic_id: bytes, partition: int, leader_epoch: int, done: Done) -> None:
        self.reads.append(done)

    def write(
        self,
        group_id: str,
        topic_id: bytes,
        partition: int,
        state: ShareState,
        leader_epoch: int,
        done: Done,
    ) -> None:
        self.writes.append((state, done))

    def loaded(self, code: ErrorCode = ErrorCode.NONE) -> None:
        """The state was read."""
        self.reads.pop(0)(ShareStateResult(code, None, self.state if code is ErrorCode.NONE else None))

    def written(self, code: ErrorCode = ErrorCode.NONE) -> ShareState:
        """The oldest change was written."""
        state, done = self.writes.pop(0)
        done(ShareStateResult(code))
        return state


class Sharing:
    """A broker with the topic t, which shares its records out."""

    def __init__(self, **static_config: str) -> None:
        self.broker = DataBroker(1, **static_config)
        self.topic_id = self.broker.topic("t")
        self.persister = HeldPersister()
        self.take_over()

    def take_over(self) -> None:
        """Put the persister of the test in place of the broker's."""
        service = self.broker.replicas.share_partitions
        service._led._persister = self.persister  # type: ignore[assignment]
        self.broker.services = with_changes(self.broker.services, serves_share_groups=lambda: True)

    def configure(self, name: str, value: str) -> None:
        """Set a config of the group."""
        self.broker.harness.call(alter_configs_request(GROUP_RESOURCE, GROUP, (name, SET, value)))

    def write(self, *values: bytes) -> None:
        for each in values:
            assert self.broker.produce("t", batch(each)).error_code == 0

    def send_fetch(self, epoch: int, member: str = "ada", connection: int = 1, **fields: Any) -> list[Any]:
        """A ShareFetch; its response is in the list, now or later."""
        request = ShareFetchRequest
        topic = request.FetchTopic(
            topic_id=self.topic_id, partitions=[request.FetchPartition(partition_index=0)]
        )
        defaults: dict[str, Any] = {
            "max_wait_ms": 0,
            "min_bytes": 1,
            "max_bytes": 1 << 20,
            "max_records": 100,
            "batch_size": 100,
            "topics": [topic] if epoch == 0 else [],
        }
        message = request(
            group_id=GROUP, member_id=member, share_session_epoch=epoch, **{**defaults, **fields}
        )
        return self.broker.send(message, 2, connection=connection)

    def fetch(self, epoch: int, member: str = "ada", connection: int = 1, **fields: Any) -> Any:
        """The partition in the response to a ShareFetch; None if it is not there."""
        (response,) = self.send_fetch(epoch, member, connection, **fields)
        assert response.error_code == 0
        return partition_of(response)

    def send_acknowledgement(
        self, epoch: int, first: int, last: int, kind: int, member: str = "ada"
    ) -> list[Any]:
        """A ShareAcknowledge; its response is in the list, now or later."""
        request = ShareAcknowledgeRequest
        said = request.AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=[kind])
        place = request.AcknowledgePartition(partition_index=0, acknowledgement_batches=[said])
        topic = request.AcknowledgeTopic(topic_id=self.topic_id, partitions=[place])
        message = request(group_id=GROUP, member_id=member, share_session_epoch=epoch, topics=[topic])
        return self.broker.send(message, 2, connection=1)

    def begin(self, member: str = "ada", connection: int = 1) -> Any:
        """A session begins; what it gets once the share partition is loaded."""
        found = self.send_fetch(0, member, connection, max_wait_ms=1_000)
        if self.persister.reads:
            self.persister.loaded()
        (response,) = found
        return partition_of(response)


def partition_of(response: Any) -> Any:
    found = [each for topic in response.responses for each in topic.partitions]
    assert len(found) <= 1
    return found[0] if found else None


def acquired(partition: Any) -> list[tuple[int, int, int]]:
    return [(each.first_offset, each.last_offset, each.delivery_count) for each in partition.acquired_records]
