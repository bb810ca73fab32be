"""WriteTxnMarkers (27), versions 1-2, broker listeners.

The coordinator of a transaction tells the leaders of its partitions how it has ended. Each leader appends a control
record for the producer and responds when all replicas in sync have it. Version 2 names the transaction version: from
2 on the marker has a higher epoch than the transaction (KIP-890). An administrator who aborts a hanging transaction
(KIP-664) sends one as well. The sender needs CLUSTER_ACTION or ALTER on the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kafkaproto.api import ApiKey
from kafkaproto.messages import WriteTxnMarkersRequest, WriteTxnMarkersResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import MARKERS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.data import MarkerItem, ProduceResult
from kafkaproto_server.requests.refusals import Refusal

Marker = WriteTxnMarkersResponse.WritableTxnMarkerResult
Topic = WriteTxnMarkersResponse.WritableTxnMarkerTopicResult
Partition = WriteTxnMarkersResponse.WritableTxnMarkerPartitionResult


def handle_write_txn_markers(
    request: WriteTxnMarkersRequest, context: RequestContext, services: Services
) -> Steps[Deferred[WriteTxnMarkersResponse]]:
    """Append the markers, one a step: a coordinator whose connection ends sends all of them again."""
    reply: Deferred[WriteTxnMarkersResponse] = Deferred()
    response = WriteTxnMarkersResponse()
    gather = Gather(lambda: reply.resolve(response))

    def done(place: Partition, results: list[ProduceResult]) -> None:
        (result,) = results
        place.error_code = result.code
        gather.came()

    for marker, topic, place in _places(request, response):
        gather.asked()
        item = MarkerItem(
            topic=topic,
            index=place.partition_index,
            producer_id=marker.producer_id,
            producer_epoch=marker.producer_epoch,
            coordinator_epoch=marker.coordinator_epoch,
            is_abort=not marker.transaction_result,
            transaction_version=marker.transaction_version,
        )
        services.replicas.write_markers([item], partial(done, place))
        yield
    gather.all_asked()
    return reply


def _places(
    request: WriteTxnMarkersRequest, response: WriteTxnMarkersResponse
) -> Iterator[tuple[WriteTxnMarkersRequest.WritableTxnMarker, str, Partition]]:
    """Fill a response with what a request names, and yield each marker, topic and partition on the way."""
    for marker in request.markers:
        answered = Marker(producer_id=marker.producer_id)
        response.markers.append(answered)
        for topic in marker.topics:
            named = Topic(name=topic.name)
            answered.topics.append(named)
            for index in topic.partition_indexes:
                place = Partition(partition_index=index)
                named.partitions.append(place)
                yield marker, topic.name, place


def refuse(request: WriteTxnMarkersRequest, refusal: Refusal) -> Steps[WriteTxnMarkersResponse]:
    """The error for each partition."""
    response = WriteTxnMarkersResponse()
    for _, _, place in _places(request, response):
        place.error_code = refusal.code
        yield
    return response


API = Api(
    key=ApiKey.WRITE_TXN_MARKERS,
    bounds=MARKERS,
    broker=Served(
        handler=handle_write_txn_markers,
        access=Access(operation=Operation.CLUSTER_ACTION, alternative=Operation.ALTER),
    ),
    refuse=refuse,
)
