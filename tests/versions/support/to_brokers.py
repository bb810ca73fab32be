"""All that a broker sends to other brokers: followers, coordinators, leaders of share partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import trio

from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.base.metrics.coordinators import VerificationMetrics
from kafkaproto_server.core.coordinators.transactions.values import TransactionMarker
from kafkaproto_server.metadata.topic_names import SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.requests.share_group_requests import TopicIdPartition as ShareTopicPartition
from kafkaproto_server.requests.share_state import ACKNOWLEDGED, ShareState, ShareStateResult, StateBatch
from kafkaproto_server.requests.transaction_requests import AsksCoordinator, Producer, TopicPartition
from kafkaproto_server.shell.coordinators.dead_letter_channels import DeadLetterChannels
from kafkaproto_server.shell.coordinators.groups.latest_offsets import LatestOffsetFinder
from kafkaproto_server.shell.coordinators.share_state.persister import SharePersister
from kafkaproto_server.shell.coordinators.transactions.added_partitions import AddedPartitions
from kafkaproto_server.shell.coordinators.transactions.markers import MarkerChannels
from kafkaproto_server.shell.replicas.followers.followed import Followed
from kafkaproto_server.shell.replicas.followers.offsets import EARLIEST, LATEST
from tests.apis.support.data_broker import OTHER, DataBroker
from tests.node.support.controllers import MiddleRng, TrioClock
from tests.shell.replicas.followers.test_fetchers import TOPIC_ID, Following
from tests.versions.support.peer import ENDPOINT, TIMEOUT_MS, ReleasePeer
from tests.versions.support.senders import REFUSED, Sender
from tests.versions.support.served import BROKER

PARTITION = TopicPartition("t", 1)
BATCH = build_batch([NewRecord(b"key", b"value")], base_offset=0, partition_leader_epoch=1, timestamp_ms=1)
STATE = ShareState(1, 5, 3, (StateBatch(6, 7, ACKNOWLEDGED, 1),))
TURNS = 200
REFUSED_CODES = (ErrorCode.NETWORK_EXCEPTION, ErrorCode.COORDINATOR_NOT_AVAILABLE)
"""What callers hear of a broker that does not respond, or cannot be asked."""


class Ports:
    """A broker that leads nothing: all its partitions are on the other one."""

    def __init__(self, *topics: str) -> None:
        self.broker = DataBroker()
        self.ids = {name: self.broker.topic(name, [OTHER], [OTHER]) for name in topics}
        self.results: list[Any] = []

    def image(self) -> Any:
        return self.broker.harness.image

    def topic(self, name: str) -> Any:
        return next(each for each in self.image().topics.values() if each.name == name)

    async def run(self, run: Callable[..., Any], ask: Callable[[], None]) -> Any:
        """Have the queues run, ask, and return what is told."""
        with trio.move_on_after(TIMEOUT_MS / 1000):
            async with trio.open_nursery() as nursery:
                await nursery.start(run)
                ask()
                while not self.results:
                    await trio.sleep(0.001)
                nursery.cancel_scope.cancel()
        return self.results


def at_once(delay_ms: int, call: Callable[[], None]) -> None:
    """In place of `call_later`."""
    call()


def or_refused(code: ErrorCode) -> object:
    """A code, or `REFUSED` if it says that nobody could be asked."""
    return REFUSED if code in REFUSED_CODES else code


# -- transactions ------------------------------------------------------------------------------------------------------


async def send_markers(peer: ReleasePeer) -> object:
    """The coordinator of a transaction has its end written."""
    ports = Ports("t")
    channels = MarkerChannels(
        peer.others(), image=ports.image, write_markers=cast(Any, None), call_later=at_once
    )
    marker = TransactionMarker(
        producer_id=5,
        producer_epoch=3,
        is_commit=True,
        coordinator_epoch=9,
        transaction_version=2,
        partitions=(PARTITION,),
    )
    return await ports.run(channels.run, lambda: channels.send_markers(OTHER, [marker], ports.results.append))


def marked(request: Message) -> Message:
    """All markers are written."""
    assert isinstance(request, kafka.WriteTxnMarkersRequest)
    kind = kafka.WriteTxnMarkersResponse
    return kind(
        markers=[
            kind.WritableTxnMarkerResult(
                producer_id=each.producer_id,
                topics=[
                    kind.WritableTxnMarkerTopicResult(
                        name=topic.name,
                        partitions=[
                            kind.WritableTxnMarkerPartitionResult(partition_index=index)
                            for index in topic.partition_indexes
                        ],
                    )
                    for topic in each.topics
                ],
            )
            for each in request.markers
        ]
    )


async def verify(peer: ReleasePeer) -> object:
    """A leader asks whether its partition takes part in a transaction."""
    ports = Ports("t", TRANSACTIONS_TOPIC)
    added = AddedPartitions(
        peer.others(),
        image=ports.image,
        coordinators=cast(Any, None),
        metrics=VerificationMetrics(),
        clock=TrioClock(),
    )
    asks = AsksCoordinator(adds=False, knows_abortable=True)
    return await ports.run(
        added.run, lambda: added.ask(Producer("payments", 5, 3), [PARTITION], asks, ports.results.append)
    )


def verified(request: Message) -> Message:
    """All partitions take part."""
    assert isinstance(request, kafka.AddPartitionsToTxnRequest)
    kind = kafka.AddPartitionsToTxnResponse
    return kind(
        results_by_transaction=[
            kind.AddPartitionsToTxnResult(
                transactional_id=each.transactional_id,
                topic_results=[
                    kind.AddPartitionsToTxnTopicResult(
                        name=topic.name,
                        results_by_partition=[
                            kind.AddPartitionsToTxnPartitionResult(partition_index=index)
                            for index in topic.partitions
                        ],
                    )
                    for topic in each.topics
                ],
            )
            for each in request.transactions
        ]
    )


# -- share groups ------------------------------------------------------------------------------------------------------


async def find_latest(peer: ReleasePeer) -> object:
    """A group's coordinator asks where a partition ends."""
    ports = Ports("t")
    partition = ShareTopicPartition(ports.ids["t"], 1)
    finder = LatestOffsetFinder(
        peer.others(), image=ports.image, find_offset=cast(Any, None), call_later=at_once
    )
    found = await ports.run(finder.run, lambda: finder.find([partition], ports.results.append))
    return list(found[0].values())


def ends(request: Message) -> Message:
    """Each partition begins at 9 and ends at 20."""
    assert isinstance(request, kafka.ListOffsetsRequest)
    kind = kafka.ListOffsetsResponse
    return kind(
        topics=[
            kind.ListOffsetsTopicResponse(
                name=topic.name,
                partitions=[
                    kind.ListOffsetsPartitionResponse(
                        partition_index=each.partition_index,
                        timestamp=1,
                        offset=9 if each.timestamp == EARLIEST else 20,
                        leader_epoch=2,
                    )
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


async def write_dead_letters(peer: ReleasePeer) -> object:
    """A dead letter goes to the leader of its partition."""
    ports = Ports("dlq.t")
    channels = DeadLetterChannels(
        peer.others(), channel=peer.channel(), produce=cast(Any, None), call_later=at_once
    )
    topic = ports.topic("dlq.t")
    told = await ports.run(
        channels.run,
        lambda: channels.produce(OTHER, topic, 1, BATCH, lambda code, message: ports.results.append(code)),
    )
    return or_refused(told[0])


def produced(request: Message) -> Message:
    """All is written."""
    assert isinstance(request, kafka.ProduceRequest)
    kind = kafka.ProduceResponse
    return kind(
        responses=[
            kind.TopicProduceResponse(
                name=topic.name,
                topic_id=topic.topic_id,
                partition_responses=[
                    kind.PartitionProduceResponse(index=each.index, base_offset=4)
                    for each in topic.partition_data
                ],
            )
            for topic in request.topic_data
        ]
    )


async def keep_states(peer: ReleasePeer) -> object:
    """All that the persister asks of a share coordinator."""
    ports = Ports("t", SHARE_TOPIC)
    persister = SharePersister(
        peer.others(),
        image=ports.image,
        here=cast(Any, None),
        create_topic=cast(Any, None),
        call_later=lambda delay_ms, call: None if delay_ms else call(),
    )
    told: list[ShareStateResult] = []
    place = "g", ports.ids["t"], 1

    def ask() -> None:
        persister.initialize(*place, 1, 5, told.append)
        persister.read(*place, 2, told.append)
        persister.read_summary(*place, 2, told.append)
        persister.write(*place, STATE, 2, told.append)
        persister.delete(*place, told.append)

    with trio.move_on_after(TIMEOUT_MS / 1000) as scope:
        async with trio.open_nursery() as nursery:
            await nursery.start(persister.run)
            ask()
            # A request that cannot be sent is tried again later, for half a minute.
            while len(told) < len(SHARE_STATE) and not _are_put_off(persister):
                await trio.sleep(0.001)
            nursery.cancel_scope.cancel()
    if scope.cancelled_caught or not told:
        return REFUSED
    return [each.code for each in told]


def _are_put_off(persister: SharePersister) -> bool:
    queues = persister._requests._queues.values()
    return bool(queues) and all(each._has_failed and not each.waiting for each in queues)


def kept(request: Message) -> Message:
    """All that share coordinators do went well."""
    assert request.NAME.removesuffix("Request") in SHARE_STATE
    kind: Any = getattr(kafka, request.NAME.replace("Request", "Response"))
    names = {
        "InitializeShareGroupState": "InitializeStateResult",
        "ReadShareGroupState": "ReadStateResult",
        "ReadShareGroupStateSummary": "ReadStateSummaryResult",
        "WriteShareGroupState": "WriteStateResult",
        "DeleteShareGroupState": "DeleteStateResult",
    }
    topics = cast(Any, request).topics
    result = getattr(kind, names[request.NAME.removesuffix("Request")])
    return cast(
        Message,
        kind(
            results=[
                result(
                    topic_id=topic.topic_id,
                    partitions=[kind.PartitionResult(partition=each.partition) for each in topic.partitions],
                )
                for topic in topics
            ]
        ),
    )


SHARE_STATE = (
    "InitializeShareGroupState",
    "ReadShareGroupState",
    "ReadShareGroupStateSummary",
    "WriteShareGroupState",
    "DeleteShareGroupState",
)


# -- followers ---------------------------------------------------------------------------------------------------------


def follow(level: int) -> Callable[[ReleasePeer], Any]:
    """A follower at a level of metadata.version: it copies, forgets a partition, and asks for the leader's offsets."""

    async def run(peer: ReleasePeer) -> object:
        following = Following()
        owner = following.owner
        owner.connect, owner.rng = peer.connect, MiddleRng()
        owner.endpoint, owner.broker_epoch = lambda broker_id: ENDPOINT, lambda: 7
        owner.call_at = lambda at_ms, call: None
        owner.metadata_version = lambda: level
        fetcher, other = following.fetcher, Following()
        other.replica.partition.index = 1
        fetcher.add(Followed(other.hosted))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fetcher.run)
            await _turns(lambda: bool(other.jobs or fetcher._failures))
            for job in (*following.jobs, *other.jobs):
                job.done(cast(Any, False))
            fetcher.remove((TOPIC_ID, 0))
            await _turns(lambda: bool(fetcher._failures) or _has_forgotten(peer))
            nursery.cancel_scope.cancel()
        if fetcher._failures:
            return REFUSED
        offsets = [await fetcher._leader.offset(Followed(other.hosted), each) for each in (EARLIEST, LATEST)]
        return len(following.jobs + other.jobs), offsets

    return run


async def _turns(is_over: Callable[[], bool]) -> None:
    """A fetcher whose leader responds at once never lets the clock go on, so the wait is bounded by turns."""
    for _ in range(TURNS):
        if is_over():
            return
        await trio.lowlevel.checkpoint()
    raise AssertionError(f"nothing came of it in {TURNS} turns")


def _has_forgotten(peer: ReleasePeer) -> bool:
    return any(
        isinstance(request, kafka.FetchRequest) and request.forgotten_topics_data for request, _ in peer.seen
    )


def fetched(request: Message) -> Message:
    """A leader with one batch."""
    if isinstance(request, kafka.ListOffsetsRequest):
        return ends(request)
    assert isinstance(request, kafka.FetchRequest)
    kind = kafka.FetchResponse
    return kind(
        session_id=4,
        responses=[
            kind.FetchableTopicResponse(
                topic_id=topic.topic_id,
                partitions=[
                    kind.PartitionData(
                        partition_index=each.partition,
                        high_watermark=1,
                        last_stable_offset=1,
                        log_start_offset=0,
                        records=BATCH,
                    )
                    for each in topic.partitions
                    if each.fetch_offset == 0
                ],
            )
            for topic in request.topics
        ],
    )


_COORDINATORS = "server/kafkaproto_server/shell/coordinators"
FETCHERS = (
    "server/kafkaproto_server/shell/replicas/followers/fetchers.py",
    "server/kafkaproto_server/shell/replicas/followers/leader_endpoint.py",
    "server/kafkaproto_server/requests/fetch_requests.py",
)


def follower(level: int) -> Sender:
    """A follower at a level of metadata.version."""
    return Sender(
        name=f"followers at level {level}",
        listener=BROKER,
        sends=("FetchRequest", "ListOffsetsRequest"),
        modules=FETCHERS,
        respond=fetched,
        run=follow(level),
        handled=(2, [9, 20]),
    )


TO_BROKERS = (
    Sender(
        name="ends of transactions",
        listener=BROKER,
        sends=("WriteTxnMarkersRequest",),
        modules=(f"{_COORDINATORS}/transactions/markers.py",),
        respond=marked,
        run=send_markers,
        handled=[{5: {PARTITION: ErrorCode.NONE}}],
    ),
    Sender(
        name="partitions of transactions",
        listener=BROKER,
        sends=("AddPartitionsToTxnRequest",),
        modules=(f"{_COORDINATORS}/transactions/added_partitions.py",),
        respond=verified,
        run=verify,
        handled=[{}],
    ),
    Sender(
        name="latest offsets",
        listener=BROKER,
        sends=("ListOffsetsRequest",),
        modules=(f"{_COORDINATORS}/groups/latest_offsets.py",),
        respond=ends,
        run=find_latest,
        handled=[(ErrorCode.NONE, 20)],
    ),
    Sender(
        name="dead letters",
        listener=BROKER,
        sends=("ProduceRequest",),
        modules=(f"{_COORDINATORS}/dead_letter_channels.py",),
        respond=produced,
        run=write_dead_letters,
        handled=ErrorCode.NONE,
    ),
    Sender(
        name="states of share groups",
        listener=BROKER,
        sends=tuple(f"{each}Request" for each in SHARE_STATE),
        modules=(f"{_COORDINATORS}/share_state/persister.py",),
        respond=kept,
        run=keep_states,
        handled=[ErrorCode.NONE] * len(SHARE_STATE),
    ),
)
"""The senders of this module, without followers."""
