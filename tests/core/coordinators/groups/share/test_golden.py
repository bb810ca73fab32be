"""Records of a share group that a node of Apache Kafka 4.4.0 wrote: we read them, and would write the same ones.

Tests: `core.coordinators.groups.share.member`, `core.coordinators.groups.share.records`.
"""

from __future__ import annotations

from pathlib import Path

from kafkaproto.messages import ShareGroupStatePartitionMetadataKey, ShareGroupStatePartitionMetadataValue
from kafkaproto.records.coordinator import (
    GROUP_RECORDS,
    decode_coordinator_record,
    encode_coordinator_record,
)
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroup
from kafkaproto_server.core.coordinators.groups.share.member import ShareGroupMember
from kafkaproto_server.core.coordinators.groups.share.partitions import (
    StatePartitions,
    TopicStates,
    state_partitions_of,
)
from kafkaproto_server.core.coordinators.groups.share.records import (
    current_record,
    epoch_record,
    member_record,
    states_record,
    target_epoch_record,
    target_record,
)
from tests.core.coordinators.support.share_groups import ShareCoordinator

LINES = (Path(__file__).parent / "golden" / "records.txt").read_text().splitlines()
TOPICS = {
    name: bytes.fromhex(topic_id)
    for name, topic_id in (each.split("=") for each in LINES[2].removeprefix("# topics: ").split())
}
RECORDS = [
    (bytes.fromhex(key), None if value == "-" else bytes.fromhex(value))
    for key, value in (each.split() for each in LINES if not each.startswith("#"))
]
GROUP = "golden"


def replayed() -> ShareGroup:
    coordinator = ShareCoordinator()
    for key, value in RECORDS:
        record = decode_coordinator_record(GROUP_RECORDS, key, value)
        coordinator.shard.replay(record.key, record.value, 0, -1)
    return coordinator.share.groups.groups[GROUP]


def test_they_are_read() -> None:
    group = replayed()
    both = frozenset({0, 1})
    assert group.states == StatePartitions(
        initialized={
            TOPICS["t"]: TopicStates("t", both),
            TOPICS["v"]: TopicStates("v", frozenset({0})),
        }
    )
    (member,) = group.members.values()
    assert member == ShareGroupMember(
        member_id="o",
        client_id="probe",
        client_host="/127.0.0.1",
        subscribed_topic_names=("t",),
        epoch=group.epoch,
        previous_epoch=0,
        assigned={TOPICS["t"]: (0, 1)},
    )
    assert group.assignment_epoch == group.epoch
    assert group.targets == {"o": {TOPICS["t"]: (0, 1)}}
    assert group.state.value == "Stable"


def test_they_would_be_written_in_the_same_way() -> None:
    group = replayed()
    member = group.members["o"]
    last = dict(RECORDS)
    for record in (
        member_record(GROUP, member),
        epoch_record(GROUP, group.epoch, group.metadata_hash),
        target_record(GROUP, "o", group.targets["o"]),
        target_epoch_record(GROUP, group.assignment_epoch, group.assignment_wall_ms),
        current_record(GROUP, member),
    ):
        key, value = encode_coordinator_record(*record)
        assert last[key] == value, record


def test_states_would_be_written_in_the_same_way_but_for_the_order_of_topics() -> None:
    seen = 0
    for key, value in RECORDS:
        theirs = decode_coordinator_record(GROUP_RECORDS, key, value).value
        if not isinstance(theirs, ShareGroupStatePartitionMetadataValue):
            continue
        again = encode_coordinator_record(*states_record(GROUP, state_partitions_of(theirs)))
        for topics in (theirs.initializing_topics, theirs.initialized_topics):
            topics.sort(key=lambda each: each.topic_id)
        assert again == encode_coordinator_record(
            ShareGroupStatePartitionMetadataKey(group_id=GROUP), theirs, 0
        )
        assert again[0] == key
        seen += 1
    assert seen == 6
