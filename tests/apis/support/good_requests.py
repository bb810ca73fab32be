"""Requests in order, at least one for each api, and the cluster that they are in order for."""

from __future__ import annotations

from typing import Any

from kafkaproto import messages as kafka
from kafkaproto.message import Message
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.core.coordinators.transactions.transaction import NO_TIMEOUT_MS
from kafkaproto_server.core.raft import wire
from kafkaproto_server.core.raft.values.messages import AddVoterRequest, RemoveVoterRequest
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.requests.context import RequestContext, Response
from tests.apis.cluster.test_envelope import wrapped
from tests.apis.support.cluster import BROKER, CONTROLLER, Cluster
from tests.apis.support.good_logins import OF_NOBODY
from tests.apis.support.good_share_groups import JOINED_GROUP, about_share_groups, altering, beating
from tests.apis.support.good_share_partitions import (
    SHARE_MEMBER,
    about_share_partitions,
    share_fetch,
    sharing_state,
)
from tests.apis.support.good_share_state import about_share_state, initializing, reading
from tests.apis.support.good_transactions import (
    TRANSACTIONAL_ID,
    adding,
    beginning,
    newest_about_transactions,
    older_about_transactions,
)
from tests.apis.support.services import with_changes
from tests.core.controller.support.harness import (
    CLUSTER_ID,
    SET,
    TIMESTAMP_MS,
    alter_configs_request,
    controller_registration_request,
    directory,
    incarnation,
    registration_request,
    update_features_request,
)
from tests.core.raft.support.leader_fixture import committed, endpoints, key
from tests.metadata.security.support.acl_making import acl_creation, acl_filter

OF_TOPIC, OF_BROKER = 2, 4
CLASSIC_GROUP, CONSUMER_GROUP, SIMPLE_GROUP = "classic", "consumer", "simple"
STREAMS_GROUP = "streams"
INSTANCE_ID = "instance"
SETTLING_MS = 50  # until the states of a share group's partitions are initialized
SHARE_KEYS = frozenset({78, 79})
GROUP_KEYS = frozenset({8, 9, 10, 11, 12, 13, 14, 15, 16, 42, 47, 68, 69, 76, 77, 88, 89, 91, 92, 93})
DIRECTORIES = [directory(2), directory(2, 1)]


class PreparedCluster(Cluster):
    """Brokers 0, 1 and 2 live, the last with two directories; 3 is fenced.

    There is topic-1, one that moves, one that its preferred leader does not lead, one with a record and one with a
    single replica; groups of each kind; an open transaction; an ACL, a quota and a SCRAM credential of alice's; a
    token that she owns; a state of a share group; two share groups, and a share session of another one's member.
    """

    def __init__(self) -> None:
        super().__init__(is_active=True)
        harness = self.harness
        harness.start_brokers(2, log_dirs=DIRECTORIES)
        harness.register(3)
        self.moving_id = harness.create_topic("moving", [0, 2])
        harness.call(_reassignment("moving", [0, 1]))
        harness.create_topic("turned", [2, 1])
        harness.heartbeat(2, want_fence=True)
        harness.heartbeat(2)
        harness.alter_partition("turned", isr=[1, 2])
        self.written_id = harness.create_topic("written", [1, 0])
        self.alone_id = harness.create_topic("alone", [1])
        harness.call(kafka.CreateAclsRequest(creations=[acl_creation()]))
        harness.call(_quota("alice", 1000.0))
        harness.call(kafka.AlterUserScramCredentialsRequest(upsertions=[_upsertion("alice")]))
        token = self.answer(CONTROLLER, kafka.CreateDelegationTokenRequest(max_lifetime_ms=-1), 3)
        assert isinstance(token, kafka.CreateDelegationTokenResponse)
        self.hmac = bytes(token.hmac)
        self.quorum = committed(1, 2, 3)
        """The leader of the voters 1 to 3; node 4 has caught up with it."""
        self.quorum.fetch(4)
        self.services = with_changes(
            self.services,
            answer=self.change_voters,
            # As if the features group.version, share.version and streams.version were there.
            serves_consumer_groups=lambda: True,
            serves_share_groups=lambda: True,
            serves_streams_groups=lambda: True,
        )
        self.answer(BROKER, _records(name="written", records=_BATCH), 12)
        # Consumers see the record once the follower has it, and says so by what it asks for.
        self._begin_share_groups()
        self._make_groups()
        self._begin_transaction()
        self._begin_share_state()
        fetched = kafka.FetchRequest.FetchTopic(
            topic="written", partitions=[kafka.FetchRequest.FetchPartition(partition=0, fetch_offset=1)]
        )
        self.answer(BROKER, _fetch(fetched, replica_id=0, max_wait_ms=0), 12)
        self._begin_share_session()

    def _make_groups(self) -> None:
        """A group of each kind with a member, and a group that only has an offset."""
        joined = self.answer(BROKER, _joining(CLASSIC_GROUP, INSTANCE_ID), 9)
        assert isinstance(joined, kafka.JoinGroupResponse)
        self.member_id = joined.member_id
        self.answer(BROKER, self.syncing(), 5)
        self.answer(BROKER, _heartbeat(CONSUMER_GROUP, "first"), 1)
        self.answer(BROKER, _streams_heartbeat(STREAMS_GROUP, "first"), 1)
        self.answer(BROKER, _commit(SIMPLE_GROUP, name="topic-1"), 9)
        self.answer(BROKER, beating(JOINED_GROUP, "first", 0), 1)
        for _ in range(SETTLING_MS):
            self.replicas.pass_time(1)

    def _begin_transaction(self) -> None:
        """An open transaction of one partition and of the group that only has an offset."""
        self.harness.create_topic(TRANSACTIONS_TOPIC, [1])
        begun = self.answer(BROKER, beginning(TRANSACTIONAL_ID, NO_TIMEOUT_MS), 5)
        assert isinstance(begun, kafka.InitProducerIdResponse)
        self.producer = (begun.producer_id, begun.producer_epoch)
        self.answer(BROKER, adding(self.producer, "alone"), 3)
        self.answer(
            BROKER,
            kafka.AddOffsetsToTxnRequest(
                transactional_id=TRANSACTIONAL_ID,
                producer_id=begun.producer_id,
                producer_epoch=begun.producer_epoch,
                group_id=SIMPLE_GROUP,
            ),
            4,
        )

    def _begin_share_state(self) -> None:
        """The state of a share group for topic-1, which its leader has read."""
        topic_id = self.harness.image.topic_ids["topic-1"]
        self.answer(BROKER, initializing(topic_id), 0)
        self.answer(BROKER, reading(topic_id), 0)

    def _begin_share_groups(self) -> None:
        """A share group that only has a state. Time passes until it has."""
        self.harness.create_topic(GROUPS_TOPIC, [1])
        self.harness.create_topic(SHARE_TOPIC, [1])
        self.answer(BROKER, altering(3), 0)

    def _begin_share_session(self) -> None:
        """A member of a share group has done with the record of the topic "written"."""
        self.answer(BROKER, sharing_state(self.written_id), 0)
        self.answer(BROKER, share_fetch(self.written_id, SHARE_MEMBER), 2)
        # The state is read a moment later.
        self.replicas.call_due()

    def syncing(self) -> kafka.SyncGroupRequest:
        """The leader of the classic group assigns."""
        request = kafka.SyncGroupRequest
        return request(
            group_id=CLASSIC_GROUP,
            generation_id=1,
            member_id=self.member_id,
            group_instance_id=INSTANCE_ID,
            protocol_type="consumer",
            protocol_name="range",
            assignments=[request.Assignment(member_id=self.member_id, assignment=b"all")],
        )

    def change_voters(self, request: Message, asked: RequestContext) -> Deferred[Response]:
        """What the quorum answers to AddRaftVoter or RemoveRaftVoter once all have taken part; nothing to others."""
        reply: Deferred[Response] = Deferred()
        inbound = wire.decode_request(request, asked.api_version, cluster_id=CLUSTER_ID)
        if isinstance(inbound, Message):
            reply.resolve(inbound)
        elif isinstance(inbound, AddVoterRequest | RemoveVoterRequest):
            number = self.quorum.change(inbound)
            if self.quorum.error(number) is None and isinstance(inbound, AddVoterRequest):
                self.quorum.new_voter_responses()
            self.quorum.fetch(2, 3, 4)
            reply.resolve(wire.encode_response(request, asked.api_version, self.quorum.responses[number], []))
        return reply

    @property
    def written(self) -> tuple[int, int, int]:
        """Grows with everything that is written: the metadata's end, how many batches the quorum wrote, and how many
        records are in the topics."""
        return self.harness.next_offset, len(self.quorum.batches), self.replicas.written

    def written_by(self, request: Message) -> tuple[object, ...]:
        """The same for one request: groups have records in topics, and share partitions have sessions."""
        if request.API_KEY in GROUP_KEYS:
            return *self.written, self.replicas.written_of_groups
        if request.API_KEY in SHARE_KEYS:
            return *self.written, *self.replicas.share_sessions()
        return self.written

    def epoch(self, broker_id: int) -> int:
        return self.harness.image.brokers[broker_id].epoch


def good_requests(cluster: PreparedCluster) -> list[tuple[Message, int]]:
    """What a cluster as it is prepared carries out or answers, and the version in which it is to be asked."""
    return [*((each, type(each).MAX_VERSION) for each in _newest(cluster)), *_older(cluster)]


def _newest(cluster: PreparedCluster) -> list[Message]:
    return [
        *_about_topics(),
        *_about_partitions(cluster),
        *_about_settings(),
        *_about_security(cluster),
        *_of_nodes(cluster),
        *_questions(),
        *_about_voters(),
        *_about_records(cluster),
        *_about_groups(cluster),
        *_about_offsets(cluster),
        *newest_about_transactions(
            cluster.producer, SIMPLE_GROUP, cluster.harness.image.topic_ids["topic-1"]
        ),
        *about_share_state(cluster.harness.image.topic_ids["topic-1"]),
        *about_share_groups(),
        *about_share_partitions(cluster.written_id, cluster.alone_id),
    ]


def _older(cluster: PreparedCluster) -> list[tuple[Message, int]]:
    """What has fields that later versions do not have."""
    update = kafka.UpdateFeaturesRequest.FeatureUpdateKey
    return [
        (kafka.DeleteTopicsRequest(topic_names=["topic-1"], timeout_ms=1000), 5),
        (cluster.harness.alter_partition_request("topic-1", isr=[0], new_isr_with_epochs=[]), 2),
        (
            kafka.UpdateFeaturesRequest(
                feature_updates=[update(feature="group.version", max_version_level=1)]
            ),
            0,
        ),
        (kafka.MetadataRequest(topics=[kafka.MetadataRequest.Topic(name="topic-1")]), 10),
        (kafka.InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000), 5),
        (_records(name="alone", records=_BATCH), 12),
        *older_about_transactions(cluster.producer, SIMPLE_GROUP),
        (kafka.FindCoordinatorRequest(key=CLASSIC_GROUP, key_type=0), 3),
        (kafka.LeaveGroupRequest(group_id=CLASSIC_GROUP, member_id=cluster.member_id), 2),
        (_commit(SIMPLE_GROUP, name="topic-1"), 9),
        (_commit(SIMPLE_GROUP, name="topic-1", retention_time_ms=10_000), 4),
        (_fetch_of(SIMPLE_GROUP, name="topic-1"), 9),
        (
            kafka.OffsetFetchRequest(
                group_id=SIMPLE_GROUP,
                topics=[kafka.OffsetFetchRequest.Topic(name="topic-1", partition_indexes=[0])],
                require_stable=True,
            ),
            7,
        ),
        (
            _fetch(
                kafka.FetchRequest.FetchTopic(topic="written", partitions=[_FETCHED]),
                forgotten_topics_data=[kafka.FetchRequest.ForgottenTopic(topic="written", partitions=[1])],
            ),
            12,
        ),
    ]


def _about_topics() -> list[Message]:
    creatable = kafka.CreateTopicsRequest.CreatableTopic
    config = kafka.CreateTopicsRequest.CreatableTopicConfig(name="retention.ms", value="7")
    assigned = creatable(
        name="new",
        num_partitions=-1,
        replication_factor=-1,
        assignments=[
            kafka.CreateTopicsRequest.CreatableReplicaAssignment(partition_index=0, broker_ids=[0, 1])
        ],
    )
    topic = kafka.DeleteTopicsRequest.DeleteTopicState(name="topic-1")
    added = kafka.CreatePartitionsRequest.CreatePartitionsTopic
    assignment = kafka.CreatePartitionsRequest.CreatePartitionsAssignment(broker_ids=[0, 1])
    return [
        kafka.CreateTopicsRequest(
            topics=[creatable(name="new", num_partitions=2, replication_factor=2, configs=[config])],
            timeout_ms=1000,
        ),
        kafka.CreateTopicsRequest(topics=[assigned], timeout_ms=1000),
        kafka.DeleteTopicsRequest(topics=[topic], timeout_ms=1000),
        kafka.CreatePartitionsRequest(
            topics=[added(name="topic-1", count=3, assignments=None)], timeout_ms=1000
        ),
        kafka.CreatePartitionsRequest(
            topics=[added(name="topic-1", count=3, assignments=[assignment])], timeout_ms=1000
        ),
    ]


def _about_partitions(cluster: PreparedCluster) -> list[Message]:
    election = kafka.ElectLeadersRequest
    listed = kafka.ListPartitionReassignmentsRequest
    return [
        election(
            topic_partitions=[election.TopicPartitions(topic="turned", partitions=[0])], timeout_ms=1000
        ),
        _reassignment("topic-1", [1, 2]),
        _reassignment("moving", None),
        listed(
            topics=[listed.ListPartitionReassignmentsTopics(name="moving", partition_indexes=[0])],
            timeout_ms=1000,
        ),
        cluster.harness.alter_partition_request("topic-1", isr=[(0, cluster.epoch(0))], new_isr=[]),
    ]


def _about_settings() -> list[Message]:
    complete = kafka.AlterConfigsRequest
    described = kafka.DescribeConfigsRequest.DescribeConfigsResource
    return [
        alter_configs_request(OF_TOPIC, "topic-1", ("retention.ms", SET, "7")),
        alter_configs_request(OF_BROKER, "1", ("log.cleaner.threads", SET, "2")),
        complete(
            resources=[
                complete.AlterConfigsResource(
                    resource_type=OF_TOPIC,
                    resource_name="topic-1",
                    configs=[complete.AlterableConfig(name="retention.ms", value="7")],
                )
            ]
        ),
        kafka.DescribeConfigsRequest(
            resources=[
                described(
                    resource_type=OF_TOPIC, resource_name="topic-1", configuration_keys=["retention.ms"]
                )
            ]
        ),
        kafka.ListConfigResourcesRequest(resource_types=[OF_TOPIC]),
        _quota("bob", 1000.0),
        kafka.DescribeClientQuotasRequest(
            components=[
                kafka.DescribeClientQuotasRequest.ComponentData(
                    entity_type="user", match_type=0, match="alice"
                )
            ]
        ),
        update_features_request(("group.version", 1, 1)),
    ]


def _about_security(cluster: PreparedCluster) -> list[Message]:
    scram = kafka.AlterUserScramCredentialsRequest
    token = kafka.CreateDelegationTokenRequest
    owner = kafka.DescribeDelegationTokenRequest.DescribeDelegationTokenOwner
    return [
        kafka.CreateAclsRequest(creations=[acl_creation(resource_name="new")]),
        kafka.DeleteAclsRequest(filters=[acl_filter(resource_name_filter="t")]),
        acl_filter(kafka.DescribeAclsRequest, resource_name_filter="t"),
        scram(deletions=[scram.ScramCredentialDeletion(name="alice", mechanism=1)]),
        scram(upsertions=[_upsertion("bob")]),
        kafka.DescribeUserScramCredentialsRequest(
            users=[kafka.DescribeUserScramCredentialsRequest.UserName(name="alice")]
        ),
        token(
            owner_principal_type="User",
            owner_principal_name="bob",
            renewers=[token.CreatableRenewers(principal_type="User", principal_name="carol")],
            max_lifetime_ms=10_000,
        ),
        kafka.RenewDelegationTokenRequest(hmac=cluster.hmac, renew_period_ms=10_000),
        kafka.ExpireDelegationTokenRequest(hmac=cluster.hmac, expiry_time_period_ms=10_000),
        kafka.DescribeDelegationTokenRequest(owners=[owner(principal_type="User", principal_name="alice")]),
    ]


def _of_nodes(cluster: PreparedCluster) -> list[Message]:
    assign = kafka.AssignReplicasToDirsRequest
    partition = assign.PartitionData(partition_index=0)
    moved = assign.TopicData(topic_id=cluster.moving_id, partitions=[partition])
    return [
        registration_request(3, incarnation_id=incarnation(33), rack="r"),
        cluster.harness.heartbeat_request(
            2, offline_log_dirs=DIRECTORIES[1:], cordoned_log_dirs=DIRECTORIES[:1]
        ),
        kafka.UnregisterBrokerRequest(broker_id=3),
        kafka.AllocateProducerIdsRequest(broker_id=1, broker_epoch=cluster.epoch(1)),
        controller_registration_request(2),
        kafka.UnregisterControllerRequest(controller_id=3),
        assign(
            broker_id=2,
            broker_epoch=cluster.epoch(2),
            directories=[assign.DirectoryData(id=DIRECTORIES[1], topics=[moved])],
        ),
        wrapped(kafka.UnregisterBrokerRequest(broker_id=3), 0),
    ]


def _about_voters() -> list[Message]:
    add = kafka.AddRaftVoterRequest
    return [
        add(
            cluster_id=CLUSTER_ID,
            timeout_ms=1000,
            voter_id=4,
            voter_directory_id=key(4).directory_id or b"",
            listeners=[
                add.Listener(name=each.name, host=each.host, port=each.port) for each in endpoints(4)[::-1]
            ],
        ),
        kafka.RemoveRaftVoterRequest(
            cluster_id=CLUSTER_ID, voter_id=3, voter_directory_id=key(3).directory_id or b""
        ),
    ]


def _questions() -> list[Message]:
    partitions = kafka.DescribeTopicPartitionsRequest
    quorum = kafka.DescribeQuorumRequest
    directories = kafka.DescribeLogDirsRequest.DescribableLogDirTopic
    return [
        *OF_NOBODY,
        kafka.MetadataRequest(
            topics=[kafka.MetadataRequest.Topic(name="topic-1")], allow_auto_topic_creation=False
        ),
        kafka.DescribeClusterRequest(endpoint_type=1),
        kafka.DescribeClusterRequest(endpoint_type=2),
        partitions(
            topics=[partitions.TopicRequest(name="topic-1")],
            response_partition_limit=2,
            cursor=partitions.Cursor(topic_name="topic-1", partition_index=1),
        ),
        quorum(
            topics=[
                quorum.TopicData(
                    topic_name="__cluster_metadata", partitions=[quorum.PartitionData(partition_index=0)]
                )
            ]
        ),
        kafka.DescribeLogDirsRequest(topics=[directories(topic="topic-1", partitions=[0])]),
    ]


_BATCH = build_batch([NewRecord(key=b"k", value=b"v")], base_offset=0, timestamp_ms=TIMESTAMP_MS)
_FETCHED = kafka.FetchRequest.FetchPartition(
    partition=0, fetch_offset=0, current_leader_epoch=0, partition_max_bytes=1000
)


def _about_records(cluster: PreparedCluster) -> list[Message]:
    fetched = kafka.FetchRequest.FetchTopic(topic_id=cluster.written_id, partitions=[_FETCHED])
    forgotten = kafka.FetchRequest.ForgottenTopic(topic_id=cluster.written_id, partitions=[1])
    offsets, markers = kafka.ListOffsetsRequest, kafka.WriteTxnMarkersRequest
    deletion, moves = kafka.DeleteRecordsRequest, kafka.AlterReplicaLogDirsRequest
    asked = offsets.ListOffsetsPartition(partition_index=0, current_leader_epoch=0, timestamp=-1)
    epochs, producers = kafka.OffsetForLeaderEpochRequest, kafka.DescribeProducersRequest
    end = epochs.OffsetForLeaderPartition(partition=0, current_leader_epoch=0, leader_epoch=0)
    return [
        _records(topic_id=cluster.alone_id, records=_BATCH),
        _fetch(fetched, forgotten_topics_data=[forgotten]),
        # A follower that has nothing yet.
        _fetch(
            fetched,
            replica_state=kafka.FetchRequest.ReplicaState(replica_id=0, replica_epoch=cluster.epoch(0)),
        ),
        markers(
            markers=[
                markers.WritableTxnMarker(
                    producer_id=5000,
                    producer_epoch=1,
                    topics=[markers.WritableTxnMarkerTopic(name="alone", partition_indexes=[0])],
                    transaction_version=2,
                )
            ]
        ),
        offsets(
            replica_id=-1,
            topics=[offsets.ListOffsetsTopic(name="written", partitions=[asked])],
            timeout_ms=1000,
        ),
        epochs(replica_id=-1, topics=[epochs.OffsetForLeaderTopic(topic="written", partitions=[end])]),
        producers(topics=[producers.TopicRequest(name="written", partition_indexes=[0])]),
        deletion(
            topics=[
                deletion.DeleteRecordsTopic(
                    name="alone",
                    partitions=[deletion.DeleteRecordsPartition(partition_index=0, offset=0)],
                )
            ],
            timeout_ms=1000,
        ),
        moves(
            dirs=[
                moves.AlterReplicaLogDir(
                    path="/logs", topics=[moves.AlterReplicaLogDirTopic(name="alone", partitions=[0])]
                )
            ]
        ),
    ]


def _joining(group_id: str, instance_id: str | None) -> kafka.JoinGroupRequest:
    request = kafka.JoinGroupRequest
    return request(
        group_id=group_id,
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        group_instance_id=instance_id,
        protocol_type="consumer",
        protocols=[request.Protocol(name="range", metadata=b"metadata")],
        reason="why not",
    )


def _heartbeat(group_id: str, member_id: str) -> kafka.ConsumerGroupHeartbeatRequest:
    return kafka.ConsumerGroupHeartbeatRequest(
        group_id=group_id,
        member_id=member_id,
        member_epoch=0,
        rack_id="r1",
        rebalance_timeout_ms=10_000,
        subscribed_topic_names=["topic-1"],
        server_assignor="range",
        topic_partitions=[],
    )


def _streams_heartbeat(group_id: str, member_id: str) -> kafka.StreamsGroupHeartbeatRequest:
    beat = kafka.StreamsGroupHeartbeatRequest
    configs = [beat.KeyValue(key="cleanup.policy", value="compact")]
    subtopology = beat.Subtopology(
        subtopology_id="0",
        source_topics=["topic-1"],
        repartition_sink_topics=["repartition"],
        repartition_source_topics=[
            beat.TopicInfo(name="repartition", partitions=2, replication_factor=1, topic_configs=configs)
        ],
        state_changelog_topics=[
            beat.TopicInfo(name="changelog", partitions=0, replication_factor=1, topic_configs=configs)
        ],
        copartition_groups=[
            beat.CopartitionGroup(source_topics=[0], source_topic_regex=[0], repartition_source_topics=[0])
        ],
    )
    return beat(
        group_id=group_id,
        member_id=member_id,
        member_epoch=0,
        endpoint_information_epoch=-1,
        rack_id="r1",
        rebalance_timeout_ms=10_000,
        topology=beat.Topology(epoch=1, subtopologies=[subtopology]),
        active_tasks=[],
        standby_tasks=[],
        warmup_tasks=[],
        process_id="process",
        user_endpoint=beat.Endpoint(host="host", port=9),
        client_tags=[beat.KeyValue(key="zone", value="z")],
    )


def _commit(
    group_id: str, *, name: str = "", topic_id: bytes = bytes(16), **fields: Any
) -> kafka.OffsetCommitRequest:
    request = kafka.OffsetCommitRequest
    partition = request.Partition(
        partition_index=0, committed_offset=5, committed_leader_epoch=0, committed_metadata="m"
    )
    topic = request.Topic(name=name, topic_id=topic_id, partitions=[partition])
    return request(group_id=group_id, topics=[topic], **fields)


def _fetch_of(group_id: str, *, name: str = "", topic_id: bytes = bytes(16)) -> kafka.OffsetFetchRequest:
    request = kafka.OffsetFetchRequest
    topic = request.Topics(name=name, topic_id=topic_id, partition_indexes=[0])
    return request(groups=[request.Group(group_id=group_id, topics=[topic])])


def _about_groups(cluster: PreparedCluster) -> list[Message]:
    leave = kafka.LeaveGroupRequest
    beat = kafka.ConsumerGroupHeartbeatRequest
    topic_id = cluster.harness.image.topic_ids["topic-1"]
    return [
        kafka.FindCoordinatorRequest(key_type=0, coordinator_keys=[CLASSIC_GROUP]),
        _joining("new", "other"),
        cluster.syncing(),
        kafka.HeartbeatRequest(
            group_id=CLASSIC_GROUP,
            generation_id=1,
            member_id=cluster.member_id,
            group_instance_id=INSTANCE_ID,
        ),
        leave(
            group_id=CLASSIC_GROUP,
            members=[leave.MemberIdentity(member_id=cluster.member_id, group_instance_id=INSTANCE_ID)],
        ),
        kafka.DescribeGroupsRequest(groups=[CLASSIC_GROUP], include_authorized_operations=True),
        kafka.ListGroupsRequest(states_filter=["Stable"], types_filter=["Classic"]),
        kafka.DeleteGroupsRequest(groups_names=[SIMPLE_GROUP]),
        _heartbeat("new", "other"),
        beat(
            group_id=CONSUMER_GROUP,
            member_id="first",
            member_epoch=2,
            topic_partitions=[beat.TopicPartitions(topic_id=topic_id, partitions=[0])],
        ),
        beat(group_id=CONSUMER_GROUP, member_id="first", member_epoch=-1),
        kafka.ConsumerGroupDescribeRequest(group_ids=[CONSUMER_GROUP], include_authorized_operations=True),
        *_about_streams_groups(),
    ]


def _about_streams_groups() -> list[Message]:
    beat, describe = kafka.StreamsGroupHeartbeatRequest, kafka.StreamsGroupDescribeRequest
    offset = beat.TaskOffset(subtopology_id="0", partition=0, offset=5)
    update = kafka.StreamsGroupTopologyDescriptionUpdateRequest
    # No broker takes it: see there.
    source = update.TopologyDescriptionNode(
        name="source",
        node_type=0,
        source_topics=["topic-1"],
        sink_topic="sunk",
        stores=["store"],
        successors=["sink"],
    )
    tasks = [beat.TaskIds(subtopology_id="0", partitions=[0])]
    return [
        _streams_heartbeat("new", "other"),
        beat(
            group_id=STREAMS_GROUP,
            member_id="first",
            member_epoch=1,
            active_tasks=tasks,
            standby_tasks=tasks,
            warmup_tasks=tasks,
            task_offsets=[offset],
            task_end_offsets=[offset],
        ),
        beat(group_id=STREAMS_GROUP, member_id="first", member_epoch=-1),
        update(
            group_id=STREAMS_GROUP,
            member_id="first",
            topology_epoch=1,
            topology_description=update.TopologyDescription(
                subtopologies=[
                    update.TopologyDescriptionSubtopology(subtopology_id="0", nodes=[source, source])
                ],
                global_stores=[update.TopologyDescriptionGlobalStore(source=source, processor=source)],
            ),
        ),
        describe(
            group_ids=[STREAMS_GROUP], include_authorized_operations=True, include_topology_description=True
        ),
    ]


def _about_offsets(cluster: PreparedCluster) -> list[Message]:
    deletion = kafka.OffsetDeleteRequest
    topic_id = cluster.harness.image.topic_ids["topic-1"]
    return [
        _commit(SIMPLE_GROUP, topic_id=topic_id),
        _fetch_of(SIMPLE_GROUP, topic_id=topic_id),
        deletion(
            group_id=SIMPLE_GROUP,
            topics=[deletion.Topic(name="topic-1", partitions=[deletion.Partition(partition_index=0)])],
        ),
    ]


def _records(*, records: bytes, name: str = "", topic_id: bytes = bytes(16)) -> kafka.ProduceRequest:
    request = kafka.ProduceRequest
    partition = request.PartitionProduceData(index=0, records=records)
    topic = request.TopicProduceData(name=name, topic_id=topic_id, partition_data=[partition])
    return request(transactional_id=None, acks=1, timeout_ms=1000, topic_data=[topic])


def _fetch(topic: kafka.FetchRequest.FetchTopic, **fields: Any) -> kafka.FetchRequest:
    given = {"max_wait_ms": 500, "min_bytes": 1, "max_bytes": 10_000, **fields}
    return kafka.FetchRequest(topics=[topic], **given)


def _reassignment(name: str, replicas: list[int] | None) -> kafka.AlterPartitionReassignmentsRequest:
    request = kafka.AlterPartitionReassignmentsRequest
    partition = request.ReassignablePartition(partition_index=0, replicas=replicas)
    return request(timeout_ms=1000, topics=[request.ReassignableTopic(name=name, partitions=[partition])])


def _quota(user: str, value: float) -> kafka.AlterClientQuotasRequest:
    request = kafka.AlterClientQuotasRequest
    entity = request.EntityData(entity_type="user", entity_name=user)
    change = request.OpData(key="producer_byte_rate", value=value)
    return request(entries=[request.EntryData(entity=[entity], ops=[change])])


def _upsertion(name: str) -> Any:
    return kafka.AlterUserScramCredentialsRequest.ScramCredentialUpsertion(
        name=name, mechanism=1, iterations=4096, salt=b"salt", salted_password=b"password" * 4
    )
