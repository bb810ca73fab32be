"""What holds after any sequence of events, whatever is asked and whenever leadership changes hands."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.core.controller.values.effects import PublishImage, Refuse, Respond
from kafkaproto_server.core.controller.values.events import CommandReceived, Event, SnapshotLoaded
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState, load_control_batch, load_records
from kafkaproto_server.metadata.image.snapshot import image_records
from tests.core.controller.support.describe import describe_effect
from tests.core.controller.support.harness import ELR, TIMESTAMP_MS, Batch, Harness, response_of
from tests.core.controller.support.workload import step
from tests.metadata.image.support.reference import counted, image_from_records

STEPS = 250


class CheckedHarness(Harness):
    """Looks at the controller from outside after every event."""

    def __init__(self, **settings: object) -> None:
        self.sent: list[CommandReceived] = []
        self.answered: dict[int, int] = {}
        self.epochs: dict[tuple[bytes, int], tuple[int, int]] = {}
        super().__init__(active=False, **settings)  # type: ignore[arg-type]

    def handle(self, event: Event) -> None:
        seen = len(self.effects)
        if isinstance(event, CommandReceived):
            self.sent.append(event)
        super().handle(event)
        for effect in self.effects[seen:]:
            if isinstance(effect, Respond | Refuse):
                assert effect.command_id not in self.answered, "an answer came twice"
                self.answered[effect.command_id] = self.high_watermark
                command = self.sent[effect.command_id - 1]
                response_of(effect).encode(command.version)
            elif isinstance(effect, PublishImage):
                self._check_published(effect)
        check_image(self.image)

    def _check_published(self, effect: PublishImage) -> None:
        assert effect.image.offset < effect.high_watermark <= self.next_offset
        for topic in effect.image.topics.values():
            for index, partition in topic.partitions.items():
                key = topic.topic_id, index
                epochs = partition.leader_epoch, partition.partition_epoch
                known = self.epochs.get(key, (0, 0))
                assert epochs[0] >= known[0], "a leader epoch fell"
                assert epochs[1] >= known[1], "a partition epoch fell"
                self.epochs[key] = epochs


def check_image(image: ClusterImage) -> None:
    """What KRaft promises of any state."""
    for topic in image.topics.values():
        assert image.topic_ids[topic.name] == topic.topic_id
        assert sorted(topic.partitions) == list(range(len(topic.partitions)))
        for partition in topic.partitions.values():
            _check_partition(image, partition)
    assert counted(image) == image.partition_counts
    owners = [directory for broker in image.brokers.values() for directory in broker.directories]
    assert len(owners) == len({*owners}), "two brokers own a directory"


def _check_partition(image: ClusterImage, partition: PartitionImage) -> None:
    assert len({*partition.replicas}) == len(partition.replicas)
    assert {*partition.isr} <= {*partition.replicas}
    assert {*partition.elr} <= {*partition.replicas}
    assert {*partition.adding_replicas, *partition.removing_replicas} <= {*partition.replicas}
    assert len(partition.directories) == len(partition.replicas)
    assert not {*partition.isr} & {*partition.elr}
    if image.elr_enabled:
        assert partition.leader == -1 or not partition.last_known_elr
    else:
        assert partition.isr
        assert not partition.elr
    if partition.leader == -1:
        return
    assert partition.leader in partition.isr
    # Whoever leads is there to lead, and so is everybody in sync.
    for replica in partition.isr:
        assert image.brokers[replica].is_active()


def loaded(state: LoadState, batch: Batch) -> LoadState:
    """The state after one more batch of the log."""
    if batch.records is None:
        return load_control_batch(
            state, last_offset=batch.last_offset, epoch=batch.epoch, timestamp_ms=TIMESTAMP_MS
        )
    return load_records(
        state,
        base_offset=batch.base_offset,
        epoch=batch.epoch,
        timestamp_ms=TIMESTAMP_MS,
        records=[decode_metadata_record(value)[0] for value in batch.records],
    )


def replayed(harness: Harness) -> LoadState:
    """What the log as it is says, read from the start."""
    return functools.reduce(loaded, harness.log, LoadState())


def run(seed: int) -> CheckedHarness:
    rng = random.Random(seed)
    harness = CheckedHarness(
        seed=seed,
        features=[ELR] if rng.random() < 0.6 else [],
        metadata_max_idle_interval_ms=rng.choice((0, 500)),
        broker_session_timeout_ms=rng.choice((300, 9_000)),
        auto_leader_rebalance_enable=rng.random() < 0.5,
        leader_imbalance_check_interval_seconds=1,
        unclean_leader_election_interval_ms=rng.choice((0, 400)),
        static_config=rng.choice(({}, {"unclean.leader.election.enable": "true"})),
    )
    harness.activate()
    for _ in range(STEPS):
        step(rng, harness)
    return harness


@given(st.integers(min_value=0, max_value=2**32))
def test_the_newest_image_is_what_the_log_says(seed: int) -> None:
    harness = run(seed)
    newest = harness.image
    from_log = replayed(harness).latest
    assert newest.at(from_log.offset, from_log.epoch, from_log.timestamp_ms) == from_log
    assert newest.offset == from_log.offset
    assert digest(newest) == digest(from_log)
    copy = image_from_records(
        [record for record, _ in image_records(newest)],
        offset=newest.offset,
        epoch=newest.epoch,
        timestamp_ms=newest.timestamp_ms,
    )
    assert copy == newest


@given(st.integers(min_value=0, max_value=2**32))
def test_every_command_is_answered_once_everything_is_committed(seed: int) -> None:
    harness = run(seed)
    while harness.upgrades:
        harness.answer_upgrade()
    if harness.controller.is_active:
        harness.commit()
        assert harness.controller.committed_image == replayed(harness).stable
    assert sorted(harness.answered) == list(range(1, len(harness.sent) + 1))
    assert harness.controller.parked_reply_count == 0


@given(st.integers(min_value=0, max_value=2**32))
def test_two_nodes_hold_equal_images_at_equal_offsets(seed: int) -> None:
    harness = run(seed)
    if harness.controller.is_active:
        harness.commit()
    standby = Harness(active=False, node_id=2)
    standby.replay_log(harness.log)
    own = harness.controller.committed_image
    assert standby.controller.committed_image == own
    assert digest(standby.controller.committed_image) == digest(own)


@given(st.integers(min_value=0, max_value=2**32), st.data())
def test_a_standby_that_loads_a_snapshot_goes_on_as_one_that_read_it_all(
    seed: int, data: st.DataObject
) -> None:
    harness = run(seed)
    ends = []
    state = LoadState()
    for batch in harness.log:
        state = loaded(state, batch)
        if not state.in_transaction:
            ends.append((batch, state.latest))
    batch, image = data.draw(st.sampled_from(ends))
    standby = Harness(active=False, node_id=2)
    read_before = data.draw(st.integers(0, harness.log.index(batch) + 1))
    standby.replay_log(harness.log[:read_before])
    standby.handle(SnapshotLoaded(image=image))
    assert standby.controller.committed_image == image
    assert standby.images[-1] == image
    standby.replay_log(harness.log[harness.log.index(batch) + 1 :])
    assert standby.controller.newest_image == replayed(harness).latest


def transcript(seed: int) -> str:
    """All that a run led to, one line an effect."""
    return "\n".join(describe_effect(effect) for effect in run(seed).effects)


@pytest.mark.slow
def test_a_seed_says_it_all_whatever_strings_hash_to() -> None:
    script = (
        "from tests.core.controller.test_properties import transcript; print(transcript(1), transcript(2))"
    )
    outputs = set()
    for hash_seed in ("1", "2", "3"):
        finished = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(finished.stdout)
    assert len(outputs) == 1
    assert len(outputs.pop()) > 10_000


_REACHED = (
    '"fenced":1',
    '"fenced":-1',
    '"inControlledShutdown":1',
    '"leader":-1',
    '"eligibleLeaderReplicas":[]',
    '"leaderRecoveryState":1',
    '"lastKnownElr":[]',
    '"logDirs":',
    '"cordonedLogDirs":',
    "RemoveTopicv0",
    "NoOpv0",
    "UnregisterBrokerv0",
    '"addingReplicas":[],"directories":',
    '"directories":',
    "NO_REASSIGNMENT_IN_PROGRESS",
    "ELECTION_NOT_NEEDED",
    "PREFERRED_LEADER_NOT_AVAILABLE",
    "ELIGIBLE_LEADERS_NOT_AVAILABLE",
    "INELIGIBLE_REPLICA",
    "FENCED_LEADER_EPOCH",
    "NEW_LEADER_ELECTED",
    "NOT_LEADER_OR_FOLLOWER",
    "NOT_CONTROLLER",
    "REQUEST_TIMED_OUT",
    "DUPLICATE_BROKER_REGISTRATION",
    "STALE_BROKER_EPOCH",
    "INVALID_REPLICA_ASSIGNMENT",
    "INVALID_REPLICATION_FACTOR",
    "INVALID_PARTITIONS",
    "INVALID_CONFIG",
    "TOPIC_ALREADY_EXISTS",
    "UNKNOWN_TOPIC_ID",
    "POLICY_VIOLATION",
    "INVALID_UPDATE_VERSION",
    "BROKER_ID_NOT_REGISTERED",
    "ClearElrv0",
    '"min.insync.replicas","value":null',
    '"group.version","featureLevel":0',
    "upgrade kraft.version",
    "validate only",
)


@pytest.mark.slow
def test_the_workload_reaches_what_it_is_meant_to_reach() -> None:
    """A workload that only ever is refused would prove nothing."""
    text = "".join(transcript(seed) for seed in range(60))
    assert [word for word in _REACHED if word not in text] == []
