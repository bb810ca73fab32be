"""Small requests for all that a node knows, and a node that knows much: `COUNT` of everything that there may be many
of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
from immutables import Map

from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.producer_snapshot import ProducerSnapshotEntry
from kafkaproto_server.apis.ports.node import LogDirectoryStatus
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.security.describe_delegation_token import SECRET_KEY
from kafkaproto_server.core.coordinators.share_state.packed_batches import packed
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.metadata.image.acl_index import NO_ACLS
from kafkaproto_server.metadata.image.entries import DelegationToken, ScramCredential, TopicImage
from kafkaproto_server.metadata.security.authorizer import AuthorizerConfig, CurrentAuthorizer
from kafkaproto_server.requests.data import LogStatus
from kafkaproto_server.requests.group_requests import DescribedGroup, DescribedMember, GroupListing
from kafkaproto_server.requests.share_group_requests import ShareOffset, ShareOffsetsOfTopic
from kafkaproto_server.requests.share_state import MAX_STATE_BATCHES, ShareState, ShareStateResult, StateBatch
from tests.apis.support.good_requests import PreparedCluster
from tests.apis.support.services import with_changes
from tests.core.coordinators.support.offsets import Offsets, of
from tests.metadata.security.support.acl_making import acl, acl_filter

COUNT = 6_000
DIRECTORY = b"\7" * 16


class Asking(NamedTuple):
    """A request with a few elements."""

    request: Message
    version: int


def asking() -> dict[int, Asking]:
    """By api key, the requests whose responses may be of any length."""
    requests: list[Message] = [
        kafka.MetadataRequest(topics=None),
        kafka.OffsetFetchRequest(groups=[kafka.OffsetFetchRequest.Group(group_id="g", topics=None)]),
        kafka.DescribeGroupsRequest(groups=["g"]),
        kafka.ListGroupsRequest(),
        acl_filter(kafka.DescribeAclsRequest),
        kafka.DescribeLogDirsRequest(topics=None),
        kafka.DescribeDelegationTokenRequest(owners=None),
        kafka.ListPartitionReassignmentsRequest(topics=None),
        kafka.DescribeClientQuotasRequest(),
        kafka.DescribeUserScramCredentialsRequest(users=None),
        kafka.DescribeProducersRequest(
            topics=[kafka.DescribeProducersRequest.TopicRequest(name="topic-1", partition_indexes=[0])]
        ),
        kafka.DescribeTransactionsRequest(transactional_ids=["t"]),
        kafka.ListTransactionsRequest(),
        kafka.ConsumerGroupDescribeRequest(group_ids=["g"]),
        kafka.ListConfigResourcesRequest(),
        kafka.ShareGroupDescribeRequest(group_ids=["g"]),
        kafka.StreamsGroupDescribeRequest(group_ids=["g"]),
        kafka.ReadShareGroupStateRequest(
            group_id="g",
            topics=[
                kafka.ReadShareGroupStateRequest.ReadStateData(
                    topic_id=b"\1" * 16,
                    partitions=[
                        kafka.ReadShareGroupStateRequest.PartitionData(partition=each) for each in range(3)
                    ],
                )
            ],
        ),
        kafka.DescribeShareGroupOffsetsRequest(
            groups=[kafka.DescribeShareGroupOffsetsRequest.Group(group_id="g", topics=None)]
        ),
    ]
    highest = {9: 9}
    """With topic ids, only topics that exist are shown."""
    found = {}
    for request in requests:
        key = request.API_KEY
        assert key is not None
        found[key] = Asking(request, highest.get(key, type(request).MAX_VERSION))
    return found


def knowing() -> Services:
    """A node that knows much."""
    cluster = PreparedCluster()
    image = _image(cluster.harness.image)
    services = cluster.services
    everything = AuthorizerConfig(allow_everyone_if_no_acl_found=True)
    allowing = CurrentAuthorizer(everything).at(NO_ACLS)
    directory = LogDirectoryStatus(
        path="/logs",
        directory_id=DIRECTORY,
        is_online=True,
        is_cordoned=False,
        total_bytes=-1,
        usable_bytes=-1,
    )
    return with_changes(
        services,
        static_config={**services.node.static_config, SECRET_KEY: "secret"},
        image=lambda: image,
        authorizer=lambda: allowing,
        log_directories=lambda: (directory,),
        groups=_Groups(),
        transactions=_Transactions(),
        share_state=_ShareStates(),
        logs=_logs,
        producers_of=_producers(),
    )


def _image(image: Any) -> Any:
    one = next(iter(image.topics.values())).partitions[0]
    moving = msgspec.structs.replace(one, adding_replicas=(2,), removing_replicas=(1,))
    numbers = range(1_000_000, 1_000_000 + COUNT)
    ids = {n.to_bytes(16): f"topic-{n}" for n in numbers}
    topics = {
        topic_id: TopicImage(name=name, topic_id=topic_id, partitions=Map({0: moving}))
        for topic_id, name in ids.items()
    }
    limit = Map({"producer_byte_rate": 1.0})
    credential = ScramCredential(salt=b"s", stored_key=b"k", server_key=b"k", iterations=4096)
    token = DelegationToken(
        owner="User:alice",
        requester="User:alice",
        renewers=(),
        issue_timestamp_ms=0,
        max_timestamp_ms=2**62,
        expiration_timestamp_ms=2**62,
    )
    return msgspec.structs.replace(
        image,
        topics=image.topics.update(topics),
        topic_ids=image.topic_ids.update({name: topic_id for topic_id, name in ids.items()}),
        acls=Map({n.to_bytes(16): acl(resource_name=f"t{n}", principal=f"User:u{n}") for n in numbers}),
        client_quotas=Map({(("user", f"u{n}"),): limit for n in numbers}),
        scram_credentials=Map({(1, f"u{n}"): credential for n in numbers}),
        delegation_tokens=Map({f"token-{n}": token for n in numbers}),
    )


class _Groups:
    """The coordinator of groups, of which each is large. It is its own shard, and that of share groups."""

    def __init__(self) -> None:
        self.fetch = _offsets()
        self.share = SimpleNamespace(described=_share_group)

    def of(self, group_id: str) -> _Groups:
        """See `GroupPort`."""
        return self

    def all(self) -> Iterator[_Groups]:
        """See `GroupPort`."""
        return iter((self,))

    def __getattr__(self, name: str) -> Any:
        assert name.startswith("serves_"), name
        return lambda: True

    def described(self, group_id: str) -> DescribedGroup:
        """See `GroupShard`, here and below."""
        return DescribedGroup(state="Stable", protocol_type="consumer", members=_members())

    def described_values(self, group_id: str) -> int:
        return 15 * COUNT

    def listed(self) -> Iterator[GroupListing]:
        return (GroupListing(f"group-{n}", "consumer", "Empty", "Classic") for n in range(COUNT))

    def consumer_described(self, group_id: str) -> kafka.ConsumerGroupDescribeResponse.DescribedGroup:
        return _consumer_group(group_id)

    def streams_described(self, group_id: str) -> kafka.StreamsGroupDescribeResponse.DescribedGroup:
        return _streams_group(group_id)

    def describe_share_offsets(self, group_id: str, named: Any, described: Callable[..., None]) -> None:
        _share_offsets(group_id, named, described)


class _Transactions:
    """The coordinator of many transactions, of which each is large."""

    def of(self, transactional_id: str) -> _Transactions:
        """See `TransactionPort`."""
        return self

    def all(self) -> Iterator[_Transactions]:
        """See `TransactionPort`."""
        return iter((self,))

    def list_transactions(self, values: Any) -> Iterator[kafka.ListTransactionsResponse.TransactionState]:
        """See `TransactionCoordinator`, here and below."""
        return _transactions()

    def described_partitions(self, transactional_id: str) -> int:
        return COUNT

    def describe(self, transactional_id: str) -> kafka.DescribeTransactionsResponse.TransactionState:
        return _transaction(transactional_id)


class _ShareStates:
    """The coordinator of large states."""

    def __init__(self) -> None:
        self.read = _share_state()

    def of(self, key: Any) -> _ShareStates:
        """See `ShareStatePort`."""
        return self


def _offsets() -> Callable[..., None]:
    offsets = Offsets()
    for start in range(0, COUNT, 1_000):
        offsets.commit("g", *(of(f"topic-{n}", 0, n) for n in range(start, start + 1_000)))

    def fetch(group_id: str, reader: Any, topics: Any, fetched: Any) -> None:
        offsets.manager.fetches.fetch(group_id, topics, fetched, require_stable=reader.require_stable)

    return fetch


def _members() -> Sequence[DescribedMember]:
    return [
        DescribedMember(f"member-{n}", None, "client", "/10.0.0.1", b"subscription", b"assignment")
        for n in range(COUNT)
    ]


def _consumer_group(group_id: str) -> kafka.ConsumerGroupDescribeResponse.DescribedGroup:
    response = kafka.ConsumerGroupDescribeResponse

    def assignment(number: int) -> kafka.ConsumerGroupDescribeResponse.Assignment:
        return response.Assignment(
            topic_partitions=[
                response.TopicPartitions(topic_id=bytes(16), topic_name="topic-1", partitions=[number])
            ]
        )

    return response.DescribedGroup(
        group_id=group_id,
        members=[
            response.Member(
                member_id=f"member-{n}",
                subscribed_topic_names=["topic-1"],
                assignment=assignment(n),
                target_assignment=assignment(n),
            )
            for n in range(COUNT)
        ],
    )


def _share_group(group_id: str) -> kafka.ShareGroupDescribeResponse.DescribedGroup:
    response = kafka.ShareGroupDescribeResponse
    return response.DescribedGroup(
        group_id=group_id,
        members=[
            response.Member(
                member_id=f"member-{n}",
                subscribed_topic_names=["topic-1"],
                assignment=response.Assignment(
                    topic_partitions=[
                        response.TopicPartitions(topic_id=bytes(16), topic_name="topic-1", partitions=[n])
                    ]
                ),
            )
            for n in range(COUNT)
        ],
    )


def _streams_group(group_id: str) -> kafka.StreamsGroupDescribeResponse.DescribedGroup:
    response = kafka.StreamsGroupDescribeResponse

    def assignment(number: int) -> kafka.StreamsGroupDescribeResponse.Assignment:
        return response.Assignment(active_tasks=[response.TaskIds(subtopology_id="0", partitions=[number])])

    return response.DescribedGroup(
        group_id=group_id,
        members=[
            response.Member(
                member_id=f"member-{n}", assignment=assignment(n), target_assignment=assignment(n)
            )
            for n in range(COUNT)
        ],
    )


def _share_offsets(group_id: str, named: Any, described: Callable[..., None]) -> None:
    partitions = (ShareOffset(partition=n, start_offset=n, lag=n) for n in range(COUNT))
    described(ErrorCode.NONE, [ShareOffsetsOfTopic(topic="topic-1", partitions=partitions)])


def _share_state() -> Callable[..., None]:
    batches = packed(tuple(StateBatch(n, n, 2 * (n % 2), 1) for n in range(MAX_STATE_BATCHES)))

    def read(key: Any, leader_epoch: int, done: Callable[..., None]) -> None:
        done(ShareStateResult(ErrorCode.NONE, None, ShareState(0, 0, 0, batches)))

    return read


def _logs() -> Iterator[LogStatus]:
    for n in range(COUNT):
        yield LogStatus(directory_id=DIRECTORY, topic=f"topic-{n}", index=0, size=n, offset_lag=0)


def _producers() -> Callable[[str, int], Any]:
    producers = ProducerStates()
    producers.load(
        [ProducerSnapshotEntry(n, 0, 0, n, 0, 1_000, -1, -1) for n in range(COUNT)],
        end_offset=COUNT,
        now_ms=0,
        expiration_ms=1_000,
    )
    return lambda topic, index: (producers.count, producers.active())


def _transactions() -> Iterator[kafka.ListTransactionsResponse.TransactionState]:
    for n in range(COUNT):
        yield kafka.ListTransactionsResponse.TransactionState(
            transactional_id=f"id-{n}", producer_id=n, transaction_state="Ongoing"
        )


def _transaction(transactional_id: str) -> kafka.DescribeTransactionsResponse.TransactionState:
    response = kafka.DescribeTransactionsResponse
    return response.TransactionState(
        transactional_id=transactional_id,
        topics=[response.TopicData(topic=f"topic-{n}", partitions=[n]) for n in range(COUNT)],
    )
