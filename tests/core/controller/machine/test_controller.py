"""The controller itself: who is answered when, what is published, and what goes with leadership.

Tests: `core.controller.machine.broker_liveness`, `core.controller.machine.change_processor`,
`core.controller.machine.periodic_changes`, `core.controller.machine.situations`, `core.controller.machine.table`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from immutables import Map

from kafkaproto.api import ApiKey, api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message, Struct
from kafkaproto.messages import (
    AbortTransactionRecord,
    AlterConfigsRequest,
    BeginTransactionRecord,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    ControllerRegistrationRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    EndTransactionRecord,
    IncrementalAlterConfigsRequest,
    MetadataRequest,
    TopicRecord,
    UpdateFeaturesRequest,
)
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.core.controller.machine.table import COMMANDS
from kafkaproto_server.core.controller.values.effects import (
    AppendRecords,
    PublishImage,
    ReportFailure,
    Respond,
)
from kafkaproto_server.core.controller.values.events import (
    BatchCommitted,
    BecameActive,
    QuorumAppended,
    RecordsCommitted,
    SnapshotLoaded,
)
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE
from tests.core.controller.support.harness import TIMESTAMP_MS, Batch, Harness, SeededRng
from tests.messages.support.random_messages import random_message

REQUESTS: list[tuple[Message, int]] = [
    (
        CreateTopicsRequest(
            topics=[CreateTopicsRequest.CreatableTopic(name=name) for name in ("a", "b", "a")],
        ),
        7,
    ),
    (DeleteTopicsRequest(topic_names=["a", "b", "a"]), 5),
    (
        DeleteTopicsRequest(
            topics=[
                DeleteTopicsRequest.DeleteTopicState(name="a"),
                DeleteTopicsRequest.DeleteTopicState(name=None, topic_id=b"i" * 16),
            ]
        ),
        6,
    ),
    (
        CreatePartitionsRequest(
            topics=[CreatePartitionsRequest.CreatePartitionsTopic(name=name) for name in ("a", "b")]
        ),
        3,
    ),
    (
        AlterConfigsRequest(
            resources=[
                AlterConfigsRequest.AlterConfigsResource(resource_type=2, resource_name=name)
                for name in ("a", "b", "a")
            ]
        ),
        2,
    ),
    (
        IncrementalAlterConfigsRequest(
            resources=[
                IncrementalAlterConfigsRequest.AlterConfigsResource(resource_type=2, resource_name=name)
                for name in ("a", "b", "a")
            ]
        ),
        1,
    ),
    (UpdateFeaturesRequest(), 1),
    (UpdateFeaturesRequest(), 2),
    (BrokerRegistrationRequest(), 4),
    (BrokerHeartbeatRequest(), 2),
    (ControllerRegistrationRequest(), 0),
]


def about(result: Any) -> Any:
    """What one result of several speaks of."""
    return result.resource_name if hasattr(result, "resource_name") else result.name or result.topic_id


def errors(response: Any) -> list[tuple[Any, int, str | None]]:
    """(what it is about, code, message) of every error in a response."""
    for name in ("topics", "responses", "results"):
        if hasattr(response, name) and not hasattr(response, "error_code"):
            return [(about(each), each.error_code, each.error_message) for each in getattr(response, name)]
    return [(None, response.error_code, getattr(response, "error_message", None))]


def all_error_codes(response: Struct) -> Iterator[int]:
    """Every error code in a response, however deep."""
    names: tuple[str, ...] = response.__slots__
    for name in names:
        value = getattr(response, name)
        if name == "error_code":
            yield value
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, Struct):
                    yield from all_error_codes(item)


@pytest.mark.parametrize("api_key", sorted(COMMANDS))
def test_a_standby_says_one_error_for_everything_in_a_request(api_key: int) -> None:
    harness = Harness(active=False)
    info = api_by_key(api_key)
    assert info is not None
    rng = random.Random(api_key)
    codes: list[int] = []
    for version in range(info.min_version, info.max_version + 1):
        for _ in range(10):
            request = random_message(info.request_class, version, rng)
            response = harness.answer(harness.send(request, version=version))
            response.encode(version)
            found = [*all_error_codes(response)]
            if (api_key, version) == (ApiKey.ELECT_LEADERS, 0):
                # It has no error of its own beside those of the partitions.
                found.remove(ErrorCode.NONE)
            codes += found
    assert len(codes) >= 10
    assert {*codes} == {ErrorCode.NOT_CONTROLLER}


@pytest.mark.parametrize(("request_message", "version"), REQUESTS)
@pytest.mark.parametrize(
    ("leader_id", "text"),
    [(5, "The active controller appears to be node 5."), (-1, "No controller appears to be active.")],
)
def test_a_standby_refuses_in_the_shape_of_each_api(
    request_message: Message, version: int, leader_id: int, text: str
) -> None:
    harness = Harness(active=False)
    harness.deactivate(leader_id=leader_id)
    response = harness.answer(harness.send(request_message, version=version))
    response.encode(version)
    named = [what for what, _, _ in errors(response)]
    assert [code for _, code, _ in errors(response)] == [ErrorCode.NOT_CONTROLLER] * len(named)
    match request_message:
        case DeleteTopicsRequest():
            assert named == (["a", "b"] if version == 5 else ["a", b"i" * 16])
        case (
            CreateTopicsRequest()
            | CreatePartitionsRequest()
            | AlterConfigsRequest()
            | IncrementalAlterConfigsRequest()
        ):
            assert named == ["a", "b"]
        case _:
            assert named == [None]
    messages = {message for _, _, message in errors(response)}
    if isinstance(request_message, DeleteTopicsRequest):
        assert messages == {None}
    elif not isinstance(request_message, BrokerRegistrationRequest | BrokerHeartbeatRequest):
        assert messages == {text}


@pytest.mark.parametrize(("request_message", "version"), REQUESTS)
def test_a_request_that_is_late_is_refused_in_the_shape_of_each_api(
    request_message: Message, version: int
) -> None:
    harness = Harness()
    start = harness.next_offset
    command_id = harness.send(request_message, version=version, deadline_ms=harness.now_ms)
    found = errors(harness.answer(command_id))
    assert {(code, message or None) for _, code, message in found} == {(ErrorCode.REQUEST_TIMED_OUT, None)}
    assert harness.next_offset == start


@pytest.mark.parametrize(("request_message", "version"), REQUESTS)
def test_requests_of_nothing_but_defaults_are_answered(request_message: Message, version: int) -> None:
    harness = Harness()
    harness.call(request_message, version=version).encode(version)


def test_a_request_that_is_no_command_is_our_own_mistake() -> None:
    with pytest.raises(AssertionError, match="MetadataRequest is no command of the controller"):
        Harness().send(MetadataRequest())


# --- commits ---


def test_an_image_is_published_before_the_responses_that_rest_on_it() -> None:
    harness = Harness()
    command_id = harness.send(ControllerRegistrationRequest(controller_id=1))
    assert harness.answer(command_id) is None
    assert [type(effect) for effect in harness.effects] == [AppendRecords]
    harness.commit()
    assert [type(effect) for effect in harness.effects] == [AppendRecords, PublishImage, Respond]
    published = harness.effects[1]
    assert isinstance(published, PublishImage)
    assert 1 in published.image.controllers
    assert (published.image.offset, published.high_watermark) == (
        harness.next_offset - 1,
        harness.next_offset,
    )
    assert (published.image.epoch, published.image.timestamp_ms) == (1, TIMESTAMP_MS)
    assert harness.controller.committed_image == published.image


def test_uncommitted_changes_are_seen_by_commands_and_by_nobody_else() -> None:
    harness = Harness()
    harness.start_brokers(1)
    harness.send(
        CreateTopicsRequest(
            topics=[CreateTopicsRequest.CreatableTopic(name="t", num_partitions=1, replication_factor=1)]
        )
    )
    assert "t" in harness.controller.newest_image.topic_ids
    assert "t" not in harness.controller.committed_image.topic_ids
    assert "t" not in harness.images[-1].topic_ids


def test_a_high_watermark_within_a_batch_commits_nothing_of_it() -> None:
    harness = Harness()
    harness.start_brokers(1)
    committed = harness.controller.committed_image
    harness.send(
        CreateTopicsRequest(
            topics=[CreateTopicsRequest.CreatableTopic(name="t", num_partitions=1, replication_factor=1)]
        )
    )
    published = len(harness.images)
    harness.commit(harness.next_offset - 1)
    assert harness.controller.committed_image is committed
    assert len(harness.images) == published


def test_a_high_watermark_never_falls() -> None:
    harness = Harness()
    offset = harness.next_offset
    harness.handle(RecordsCommitted(high_watermark=offset - 3, timestamp_ms=1))
    assert harness.controller.next_committed_offset == offset
    # What is committed is answered at once.
    assert harness.answer(harness.send(BrokerHeartbeatRequest())) is not None


def test_control_batches_move_the_image_and_nothing_else() -> None:
    harness = Harness()
    before = harness.controller.committed_image
    harness.append_control(3)
    harness.commit()
    after = harness.controller.committed_image
    assert after.offset == before.offset + 3
    assert after == before.at(after.offset, 1, TIMESTAMP_MS)


def test_activity_may_begin_after_control_batches_that_are_not_committed_yet() -> None:
    harness = Harness(active=False)
    harness.replay_log([Batch(base_offset=0, last_offset=0, epoch=1, records=None)])
    harness.log.append(Batch(base_offset=1, last_offset=2, epoch=1, records=None))
    harness.handle(BecameActive(epoch=1, next_offset=3))
    assert harness.log[-1].base_offset == 3
    harness.commit()
    assert harness.controller.committed_image.metadata_version == 30


# --- standbys ---


def test_a_standby_follows_what_the_active_controller_writes() -> None:
    harness = Harness()
    harness.start_brokers(1, 2)
    harness.create_topic("t", [1, 2])
    harness.append_control()
    harness.commit()
    standby = Harness(active=False, node_id=2)
    standby.replay_log(harness.log)
    assert standby.controller.committed_image == harness.controller.committed_image
    assert standby.images[-1] == harness.images[-1]
    assert standby.controller.next_deadline_ms() is None
    assert len(standby.images) == len(standby.log)


def test_a_new_active_controller_gives_unfenced_brokers_a_full_session() -> None:
    harness = Harness(broker_session_timeout_ms=100)
    harness.start_brokers(1)
    harness.register(2)
    standby = Harness(active=False, node_id=2, broker_session_timeout_ms=100)
    standby.now_ms = 77_000
    standby.replay_log(harness.log)
    standby.activate(epoch=2)
    assert standby.controller.next_deadline_ms() == 77_100
    standby.advance(100)
    assert standby.image.brokers[1].fenced
    assert standby.controller.next_deadline_ms() is None


def _log(*records: Message) -> list[Batch]:
    values = tuple(encode_metadata_record(record, 0) for record in records)
    return [Batch(base_offset=0, last_offset=len(values) - 1, epoch=1, records=values)]


def test_a_transaction_that_was_left_open_is_aborted_before_all_else() -> None:
    from tests.core.controller.support.harness import bootstrap_records

    done = [BeginTransactionRecord(name="x"), *bootstrap_records(), EndTransactionRecord()]
    harness = Harness(active=False)
    harness.replay_log(_log(*done, BeginTransactionRecord(), TopicRecord(name="t", topic_id=b"t" * 16)))
    offset = harness.next_offset
    assert "t" not in harness.controller.committed_image.topic_ids
    assert harness.controller.committed_image.offset == len(done) - 1
    harness.activate(epoch=2)
    assert harness.records(offset) == [AbortTransactionRecord(reason="Controller failover")]
    assert "t" not in harness.image.topic_ids
    harness.commit()
    assert harness.controller.committed_image.offset == harness.next_offset - 1
    assert harness.register(1).error_code == 0


def test_a_bootstrap_that_was_cut_short_is_aborted_and_done_again() -> None:
    from tests.core.controller.support.harness import bootstrap_records

    harness = Harness(active=False)
    harness.replay_log(_log(BeginTransactionRecord(name="Bootstrap records"), bootstrap_records()[0]))
    assert harness.controller.committed_image.metadata_version == 0
    offset = harness.next_offset
    harness.activate(epoch=2)
    records = harness.records(offset)
    assert [record.NAME for record in records] == [
        "AbortTransactionRecord",
        "BeginTransactionRecord",
        "FeatureLevelRecord",
        "FeatureLevelRecord",
        "ConfigRecord",
        "EndTransactionRecord",
    ]
    harness.commit()
    assert harness.controller.committed_image.features == Map(
        {"metadata.version": 30, "eligible.leader.replicas.version": 1}
    )


def test_the_first_min_insync_replicas_is_that_of_the_properties() -> None:
    harness = Harness(static_config={"min.insync.replicas": "2"})
    assert harness.image.config(4, "") == Map({"min.insync.replicas": "2"})


# --- large changes, and mistakes ---


@pytest.mark.slow
def test_what_the_controller_does_by_itself_may_take_several_batches() -> None:
    harness = Harness(features=[])
    harness.start_brokers(1, 2)
    for name in ("a", "b"):
        (result,) = harness.call(
            CreateTopicsRequest(
                topics=[
                    CreateTopicsRequest.CreatableTopic(name=name, num_partitions=6_000, replication_factor=2)
                ]
            )
        ).topics
        assert result.error_code == 0
    start = harness.next_offset
    command_id = harness.send(harness.heartbeat_request(1, want_fence=True))
    sizes = [batch.last_offset - batch.base_offset + 1 for batch in harness.log if batch.base_offset >= start]
    # With the records that begin and end the metadata transaction.
    assert sizes == [10_000, 2_003]
    # What takes so long is answered with the state of before.
    assert not harness.answer(command_id).is_fenced
    harness.commit(start + 10_000)
    assert not harness.controller.committed_image.brokers[1].fenced
    harness.commit()
    assert harness.controller.committed_image.brokers[1].fenced


@pytest.mark.slow
def test_a_request_whose_records_do_not_fit_into_a_batch_is_refused() -> None:
    harness = Harness()
    harness.start_brokers(1)
    start = harness.next_offset
    value = ",".join(f"{number}:1" for number in range(4_000))
    topics = [
        CreateTopicsRequest.CreatableTopic(
            name=f"t{number}",
            num_partitions=1,
            replication_factor=1,
            configs=[
                CreateTopicsRequest.CreatableTopicConfig(
                    name="leader.replication.throttled.replicas", value=value
                )
            ],
        )
        for number in range(400)
    ]
    results = harness.call(CreateTopicsRequest(topics=topics)).topics
    assert {result.error_code for result in results} == {ErrorCode.POLICY_VIOLATION}
    assert "8388608 bytes" in results[0].error_message
    assert harness.next_offset == start


def test_a_failure_within_a_command_leaves_everything_as_it_was() -> None:
    class Broken(SeededRng):
        def uuid(self) -> bytes:
            raise RuntimeError("no randomness today")

    harness = Harness(rng=Broken())
    harness.start_brokers(1)
    newest, start = harness.controller.newest_image, harness.next_offset
    topic = CreateTopicsRequest.CreatableTopic(name="t", num_partitions=1, replication_factor=1)
    harness.effects.clear()
    harness.expects_failures = True
    response = harness.answer(harness.send(CreateTopicsRequest(topics=[topic])))
    assert errors(response) == [("t", ErrorCode.UNKNOWN_SERVER_ERROR, None)]
    report = harness.effects[0]
    assert isinstance(report, ReportFailure)
    assert (report.request_name, str(report.error)) == ("CreateTopicsRequest", "no randomness today")
    assert harness.controller.newest_image is newest
    assert harness.controller.parked_reply_count == 0
    assert harness.next_offset == start
    assert harness.controller.is_active


@pytest.mark.parametrize(
    "event",
    [
        BecameActive(epoch=2, next_offset=99),
        BatchCommitted(base_offset=0, last_offset=0, epoch=1, timestamp_ms=0, records=None),
        RecordsCommitted(high_watermark=10_000, timestamp_ms=0),
        QuorumAppended(next_offset=1),
        SnapshotLoaded(image=EMPTY_IMAGE.at(10_000, 1, 0)),
    ],
)
def test_events_that_cannot_be_are_our_own_mistake(event: Any) -> None:
    with pytest.raises(AssertionError):
        Harness().handle(event)


@pytest.mark.parametrize(
    "event",
    [
        BecameActive(epoch=1, next_offset=-1),
        BatchCommitted(base_offset=3, last_offset=3, epoch=1, timestamp_ms=0, records=None),
        BatchCommitted(
            base_offset=0,
            last_offset=1,
            epoch=1,
            timestamp_ms=0,
            records=(TopicRecord(name="t", topic_id=b"t" * 16),),
        ),
        RecordsCommitted(high_watermark=0, timestamp_ms=0),
        QuorumAppended(next_offset=1),
    ],
)
def test_events_that_cannot_be_on_a_standby_are_our_own_mistake(event: Any) -> None:
    with pytest.raises(AssertionError):
        Harness(active=False).handle(event)


def test_a_snapshot_of_before_what_was_read_is_our_own_mistake() -> None:
    harness = Harness()
    image = harness.controller.committed_image
    harness.deactivate()
    harness.handle(SnapshotLoaded(image=image))
    with pytest.raises(AssertionError, match="the snapshot ends at"):
        harness.handle(SnapshotLoaded(image=image.at(image.offset - 1, 1, 0)))


def test_a_snapshot_ends_a_transaction_that_was_open_in_the_log() -> None:
    harness = Harness()
    image = harness.controller.committed_image
    harness.deactivate()
    value = encode_metadata_record(BeginTransactionRecord(name="half"), 0)
    end = harness.next_offset
    harness.replay_log([Batch(base_offset=end, last_offset=end, epoch=1, records=(value,))])
    assert harness.controller.committed_image.offset == end - 1
    harness.handle(SnapshotLoaded(image=image.at(end + 5, 2, 0)))
    assert harness.controller.committed_image.offset == end + 5
    assert harness.controller.next_committed_offset == end + 6
    assert [type(effect) for effect in harness.effects][-1] is PublishImage


def test_a_controller_says_who_it_is() -> None:
    harness = Harness(active=False, node_id=4)
    assert harness.controller.committed_image == EMPTY_IMAGE
    assert (harness.controller.is_active, harness.controller.leader_id) == (False, -1)
    assert harness.controller.active_epoch is None
    harness.activate(epoch=7)
    assert (harness.controller.is_active, harness.controller.leader_id) == (True, 4)
    assert harness.controller.active_epoch == 7
    harness.deactivate(leader_id=5, epoch=8)
    assert (harness.controller.is_active, harness.controller.leader_id) == (False, 5)
