"""All that a broker or a controller sends to the active controller."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.headers import decode_request_header, encode_response_header
from kafkaproto.message import Message
from kafkaproto.messages import (
    AllocateProducerIdsResponse,
    AlterPartitionRequest,
    AlterPartitionResponse,
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationResponse,
    ControllerRegistrationResponse,
    CreateTopicsRequest,
    CreateTopicsResponse,
    EnvelopeRequest,
    EnvelopeResponse,
)
from kafkaproto.support import joined
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.broker.assignments import AssignmentQueue
from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.core.broker.lifecycle import BrokerIdentity, BrokerLifecycle, BrokerState
from kafkaproto_server.core.replicas.partition import IsrChange
from kafkaproto_server.metadata.features import supported_ranges
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.shell.broker.assignment_sender import AssignmentSender
from kafkaproto_server.shell.coordinators.dead_letter_channels import DeadLetterChannels
from kafkaproto_server.shell.coordinators.internal_topics import InternalTopics
from kafkaproto_server.shell.quorum.image.published import Published
from kafkaproto_server.shell.replicas.followers.isr_sender import IsrSender
from kafkaproto_server.shell.replicas.producer_ids import ProducerIdBlocks
from kafkaproto_server.shell.to_controller.channel import ControllerUnavailable
from kafkaproto_server.shell.to_controller.forwarding import Forwarder
from kafkaproto_server.shell.to_controller.registration import _register
from kafkaproto_server.shell.to_controller.streams_topics import StreamsTopics
from tests.apis.support.services import context
from tests.node.support.controllers import TrioClock
from tests.node.support.other_brokers import other_brokers
from tests.versions.support.peer import TIMEOUT_MS, ReleasePeer
from tests.versions.support.senders import REFUSED, Sender
from tests.versions.support.served import CONTROLLER

TOPIC_ID, DIRECTORY = b"t" * 16, b"d" * 16
EPOCH = 7
POLL_S = 0.05
PATIENCE_S = 90
"""Longer than any of them tries. The clock goes on by itself."""
RACK = "rack"
ENDPOINT = SimpleNamespace(name="PLAINTEXT", host="localhost", port=9092, security_protocol=1)


# -- a broker's life ---------------------------------------------------------------------------------------------------


async def live(peer: ReleasePeer) -> object:
    """Register, be unfenced with a failed and a cordoned directory, shut down."""
    directories = LogDirectories(
        [
            LogDirectory(path="/whole", directory_id=b"1" * 16),
            LogDirectory(path="/cordoned", directory_id=b"2" * 16, is_cordoned=True),
            LogDirectory(path="/failed", directory_id=b"3" * 16, problem="it failed"),
        ]
    )
    lifecycle = BrokerLifecycle(
        BrokerIdentity(
            broker_id=1,
            cluster_id="cluster",
            incarnation_id=b"i" * 16,
            endpoints=(cast(Any, ENDPOINT),),
            rack=RACK,
            features=supported_ranges(),
            previous_broker_epoch=3,
        ),
        directories=directories,
        heartbeat_interval_ms=2_000,
        registration_timeout_ms=60_000,
        directory_failure_timeout_ms=30_000,
        session_timeout_ms=9_000,
        now_ms=0,
    )
    channel = peer.channel()
    states = []
    while lifecycle.state is not BrokerState.SHUTTING_DOWN:
        if lifecycle.state is BrokerState.RUNNING:
            lifecycle.request_shutdown(0)
        try:
            response = await channel.send(lifecycle.next_request(41), timeout_ms=TIMEOUT_MS)
        except ControllerUnavailable as error:
            return f"{REFUSED}: {error}"
        lifecycle.handle_response(response, 0)
        states.append(lifecycle.state.value)
    return states


def welcome(request: Message) -> Message:
    """A controller that lets a broker do what it wants."""
    if not isinstance(request, BrokerHeartbeatRequest):
        return BrokerRegistrationResponse(broker_epoch=EPOCH)
    assert request.offline_log_dirs == [b"3" * 16]
    is_leaving = request.want_shut_down
    return BrokerHeartbeatResponse(
        is_caught_up=True, is_fenced=request.want_fence or is_leaving, should_shut_down=is_leaving
    )


async def register(peer: ReleasePeer) -> object:
    """A controller registers."""
    return await _register(1, b"i" * 16, [cast(Any, ENDPOINT)], supported_ranges(), peer.channel())


# -- replicas ----------------------------------------------------------------------------------------------------------


async def change_isr(peer: ReleasePeer) -> object:
    """A leader asks for another ISR."""
    accepted: list[list[int]] = []
    partition = mock.Mock(
        topic_id=TOPIC_ID,
        index=1,
        isr=(1,),
        isr_change=IsrChange(leader_epoch=4, partition_epoch=5, isr=(1, 2), broker_epochs=(7, 8)),
        isr_accepted=lambda change, *, isr, partition_epoch, now_ms: accepted.append(isr),
    )
    sender = IsrSender(1, peer.channel(), lambda: EPOCH, TrioClock())
    sender.add(cast(Any, partition))
    with trio.move_on_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(sender.run)
            while not accepted:
                await trio.sleep(POLL_S)
            nursery.cancel_scope.cancel()
    return accepted


def isr_changed(request: Message) -> Message:
    """All ISRs are what was asked for."""
    assert isinstance(request, AlterPartitionRequest)
    kind = AlterPartitionResponse
    return kind(
        topics=[
            kind.TopicData(
                topic_id=topic.topic_id,
                partitions=[
                    kind.PartitionData(
                        partition_index=each.partition_index,
                        leader_id=1,
                        leader_epoch=each.leader_epoch,
                        isr=[state.broker_id for state in each.new_isr_with_epochs],
                        partition_epoch=each.partition_epoch + 1,
                    )
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


async def assign(peer: ReleasePeer) -> object:
    """A broker says where its replicas lie."""
    queue = AssignmentQueue(1)
    queue.assign((TOPIC_ID, 1), DIRECTORY)
    sender = AssignmentSender(
        queue,
        channel=peer.channel(),
        published=Published(image=ClusterImage(offset=0)),
        apply=lambda: False,
        broker_epoch=lambda: EPOCH,
        clock=TrioClock(),
    )
    with trio.move_on_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(sender.run)
            while len(queue):
                await trio.sleep(POLL_S)
            nursery.cancel_scope.cancel()
    return len(queue)


def assigned(request: Message) -> Message:
    """All assignments are recorded."""
    assert isinstance(request, AssignReplicasToDirsRequest)
    kind = AssignReplicasToDirsResponse
    return kind(
        directories=[
            kind.DirectoryData(
                id=directory.id,
                topics=[
                    kind.TopicData(
                        topic_id=topic.topic_id,
                        partitions=[
                            kind.PartitionData(partition_index=each.partition_index)
                            for each in topic.partitions
                        ],
                    )
                    for topic in directory.topics
                ],
            )
            for directory in request.directories
        ]
    )


async def take_producer_ids(peer: ReleasePeer) -> object:
    """A broker needs producer ids."""
    taken: list[int | None] = []
    ids = ProducerIdBlocks(1, peer.channel(), lambda: EPOCH)
    ids.next(taken.append)
    with trio.move_on_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ids.run)
            while not taken:
                await trio.sleep(POLL_S)
            nursery.cancel_scope.cancel()
    return taken


# -- topics ------------------------------------------------------------------------------------------------------------


async def create_internal_topics(peer: ReleasePeer) -> object:
    """All topics of coordinators."""
    topics = InternalTopics(peer.channel(), NodeConfigs(static={}))
    for name in (GROUPS_TOPIC, TRANSACTIONS_TOPIC, SHARE_TOPIC):
        topics.create(name)
    with trio.move_on_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(topics.run)
            while topics._asked:
                await trio.sleep(POLL_S)
            nursery.cancel_scope.cancel()
    return sorted(
        topic.name
        for request, _ in peer.seen
        if isinstance(request, CreateTopicsRequest)
        for topic in request.topics
    )


async def create_dead_letter_topic(peer: ReleasePeer) -> object:
    """The dead-letter topic of a share group."""
    told: list[object] = []
    channels = DeadLetterChannels(
        other_brokers(1), channel=peer.channel(), produce=_unused, call_later=_unused
    )
    channels.create_topic("dlq.t", lambda code, message: told.append(message if code else code))
    with trio.move_on_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(channels._create_topics)
            while not told:
                await trio.sleep(POLL_S)
            nursery.cancel_scope.cancel()
    return told


def created(request: Message) -> Message:
    """All topics are made."""
    assert isinstance(request, CreateTopicsRequest)
    return CreateTopicsResponse(
        topics=[
            CreateTopicsResponse.CreatableTopicResult(name=each.name, topic_id=TOPIC_ID, configs=[])
            for each in request.topics
        ]
    )


async def forward(peer: ReleasePeer) -> object:
    """The internal topics of a streams group, in an envelope."""
    errors: object = None
    async with trio.open_nursery() as nursery:
        forwarder = Forwarder(nursery, peer.channel(), creation_channel=peer.channel())
        topics = StreamsTopics(forwarder, TrioClock().now_ms)
        topic = CreateTopicsRequest.CreatableTopic(
            name="app-changelog",
            num_partitions=3,
            replication_factor=2,
            configs=[CreateTopicsRequest.CreatableTopicConfig(name="cleanup.policy", value="compact")],
        )
        topics.create([topic], context(), 1_000)
        with trio.move_on_after(PATIENCE_S):
            while forwarder._topics_in_creation:
                await trio.sleep(POLL_S)
        errors = sorted(topics._errors), len(forwarder._topics_in_creation)
        nursery.cancel_scope.cancel()
    for request, _ in list(peer.seen):
        if isinstance(request, EnvelopeRequest):
            inner, version, _ = _inner(request)
            peer.seen.append((inner, version))
    return errors


def unwrapped(request: Message) -> Message:
    """The response to the request for topics in an envelope."""
    assert isinstance(request, EnvelopeRequest)
    inner, version, correlation_id = _inner(request)
    return EnvelopeResponse(
        response_data=[
            encode_response_header(correlation_id, 1 if version >= 5 else 0),
            created(inner).encode(version),
        ]
    )


def _inner(request: EnvelopeRequest) -> tuple[CreateTopicsRequest, int, int]:
    """The request for topics in an envelope, its version and its correlation id."""
    data = joined(request.request_data)
    header, body = decode_request_header(data, lambda key, version: 2 if version >= 5 else 1)
    inner, _ = CreateTopicsRequest.decode(data, header.api_version, body)
    return inner, header.api_version, header.correlation_id


def _unused(*arguments: object) -> None:
    raise AssertionError("nothing is written here")


_FORWARDING = "server/kafkaproto_server/shell/to_controller/forwarding.py"
_STREAMS = "server/kafkaproto_server/shell/to_controller/streams_topics.py"
_STREAMS_CORE = "server/kafkaproto_server/core/coordinators/groups/streams/internal_topics.py"
_INTERNAL = "server/kafkaproto_server/shell/coordinators/internal_topics.py"
_DEAD = "server/kafkaproto_server/shell/coordinators/dead_letter_channels.py"

TO_CONTROLLER = (
    Sender(
        name="a broker's life",
        listener=CONTROLLER,
        sends=("BrokerRegistrationRequest", "BrokerHeartbeatRequest"),
        modules=("server/kafkaproto_server/core/broker/lifecycle.py",),
        respond=welcome,
        run=live,
        handled=["starting", "recovery", "running", "shutting down"],
    ),
    Sender(
        name="a controller's registration",
        listener=CONTROLLER,
        sends=("ControllerRegistrationRequest",),
        modules=("server/kafkaproto_server/shell/to_controller/registration.py",),
        respond=lambda request: ControllerRegistrationResponse(),
        run=register,
        handled=True,
    ),
    Sender(
        name="ISR changes",
        listener=CONTROLLER,
        sends=("AlterPartitionRequest",),
        modules=("server/kafkaproto_server/core/replicas/isr_changes.py",),
        respond=isr_changed,
        run=change_isr,
        handled=[[1, 2]],
    ),
    Sender(
        name="directories of replicas",
        listener=CONTROLLER,
        sends=("AssignReplicasToDirsRequest",),
        modules=(
            "server/kafkaproto_server/core/broker/assignments.py",
            "server/kafkaproto_server/shell/broker/assignment_sender.py",
        ),
        respond=assigned,
        run=assign,
        handled=0,
    ),
    Sender(
        name="producer ids",
        listener=CONTROLLER,
        sends=("AllocateProducerIdsRequest",),
        modules=("server/kafkaproto_server/shell/replicas/producer_ids.py",),
        respond=lambda request: AllocateProducerIdsResponse(producer_id_start=1000, producer_id_len=1000),
        run=take_producer_ids,
        handled=[1000],
    ),
    Sender(
        name="internal topics",
        listener=CONTROLLER,
        sends=("CreateTopicsRequest",),
        modules=(_INTERNAL,),
        respond=created,
        run=create_internal_topics,
        handled=sorted((GROUPS_TOPIC, TRANSACTIONS_TOPIC, SHARE_TOPIC)),
    ),
    Sender(
        name="dead-letter topics",
        listener=CONTROLLER,
        sends=("CreateTopicsRequest",),
        modules=(_DEAD,),
        respond=created,
        run=create_dead_letter_topic,
        handled=[ErrorCode.NONE],
    ),
    Sender(
        name="topics of streams groups, forwarded",
        listener=CONTROLLER,
        sends=("EnvelopeRequest", "CreateTopicsRequest"),
        modules=(_FORWARDING, _STREAMS, _STREAMS_CORE),
        respond=unwrapped,
        run=forward,
        handled=([], 0),
    ),
)
"""The senders of this module."""
