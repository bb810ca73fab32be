"""What administrators and their programs ask all the time, of each node in turn."""

from __future__ import annotations

from compat.soaking.load import Ground, Lines, Load, RefusedError, check_code
from compat.soaking.records import COPIED, KEPT, LATEST, PARTITIONS
from kafkaproto import messages as kafka
from kafkaproto.errors import UnsupportedVersionError
from kafkaproto.message import Message

ANY, MATCH = 1, 3
"""Of filters for ACLs: any value, and patterns that match."""
BROKER_RESOURCE, TOPIC_RESOURCE = 4, 2
NOT_HERE = (14, 15, 16, 69)
"""Error codes of another coordinator, or of a group that is not there."""


class AdminReads(Load):
    """One request a step; after each round of them it introduces itself by another client id."""

    INTERVAL_S = 0.5

    def __init__(self, ground: Ground) -> None:
        """No connection yet."""
        super().__init__("admin reads", ground)
        self._lines = Lines(ground.brokers, "reads-0")
        self._requests = _requests()

    def step(self) -> None:
        """See Load."""
        request = self._requests[self.done % len(self._requests)]
        address = self._lines.addresses[self.done // len(self._requests) % len(self._lines.addresses)]
        try:
            response = self._lines.ask(address, request)
        except UnsupportedVersionError as error:
            raise RefusedError(str(error)) from error
        code = getattr(response, "error_code", 0)
        check_code(request.NAME, code, *NOT_HERE)
        self.done += 1
        if self.done % len(self._requests) == 0:
            self._lines.close()
            self._lines = Lines(self.ground.brokers, f"reads-{self.done}")

    def close(self) -> None:
        """See Load."""
        self._lines.close()


def _requests() -> list[Message]:
    topics = (KEPT, LATEST, COPIED)
    groups = ["classic-readers", "consumer-readers", "sharers", "copiers", "streaming"]
    every = list(range(PARTITIONS))
    offsets = kafka.ListOffsetsRequest
    ends = [offsets.ListOffsetsPartition(partition_index=each, timestamp=-1) for each in every]
    configs = kafka.DescribeConfigsRequest
    resources = [
        configs.DescribeConfigsResource(resource_type=TOPIC_RESOURCE, resource_name=KEPT),
        configs.DescribeConfigsResource(resource_type=BROKER_RESOURCE, resource_name="1"),
    ]
    for each in resources:
        each.configuration_keys = None
    producers = kafka.DescribeProducersRequest
    quorum = kafka.DescribeQuorumRequest
    metadata = quorum.TopicData(
        topic_name="__cluster_metadata", partitions=[quorum.PartitionData(partition_index=0)]
    )
    fetched = kafka.OffsetFetchRequest
    return [
        kafka.MetadataRequest(topics=None, allow_auto_topic_creation=False),
        kafka.DescribeClusterRequest(),
        kafka.ListGroupsRequest(),
        kafka.DescribeGroupsRequest(groups=groups[:1]),
        kafka.ConsumerGroupDescribeRequest(group_ids=groups[1:2]),
        kafka.ShareGroupDescribeRequest(group_ids=groups[2:3]),
        kafka.StreamsGroupDescribeRequest(group_ids=groups[4:]),
        fetched(groups=[fetched.Group(group_id=each, topics=None) for each in groups[:2]]),
        offsets(replica_id=-1, topics=[offsets.ListOffsetsTopic(name=KEPT, partitions=ends)]),
        configs(resources=resources[:1], include_synonyms=True),
        configs(resources=resources[1:], include_documentation=True),
        kafka.DescribeLogDirsRequest(topics=None),
        producers(topics=[producers.TopicRequest(name=each, partition_indexes=every) for each in topics]),
        kafka.ListTransactionsRequest(),
        kafka.DescribeTransactionsRequest(transactional_ids=["copiers"]),
        quorum(topics=[metadata]),
        kafka.DescribeClientQuotasRequest(),
        kafka.DescribeTopicPartitionsRequest(
            topics=[kafka.DescribeTopicPartitionsRequest.TopicRequest(name=each) for each in topics]
        ),
        kafka.ListPartitionReassignmentsRequest(topics=None),
        kafka.ListConfigResourcesRequest(),
    ]
