"""What the metrics count of a Fetch request, once it has its response: see `base.metrics.topics`.

Followers' bytes count apart from those of consumers, and once more if a reassignment adds the follower (KIP-352).
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.requests.data import ReadResult
from kafkaproto_server.requests.fetch_requests import FetchValues
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.requests.readable_replicas import NOT_READ


def count_fetch(
    metrics: TopicMetrics,
    values: FetchValues,
    hosts: Sequence[Hosted | None],
    results: Sequence[ReadResult],
    *,
    is_request: bool,
    has_records: bool,
) -> None:
    """Count a request and, unless ``has_records`` is false, the records of its response. ``hosts`` has the replica of
    each result; None if there is none here that the sender may read. ``is_request``: each partition counts as asked for
    once; those of a session that the request continues are counted by the session."""
    is_reader = not values.is_from_follower
    requests = size_of_all = 0
    for hosted, result in zip(hosts, results, strict=True):
        if hosted is None:
            requests += is_request and result.error_code not in NOT_READ
            continue
        size = len(result.records) if has_records else 0
        if is_request or (size and is_reader):
            counts = metrics.of(hosted.partition.topic)
            requests += is_request
            counts.fetch_requests += is_request
            if is_reader:
                size_of_all += size
                counts.bytes_out += size
        if result.error_code == ErrorCode.CORRUPT_MESSAGE:
            metrics.of(hosted.partition.topic).failed_fetch_requests += 1
            metrics.all.failed_fetch_requests += 1
        if size and not is_reader:
            metrics.replication_bytes_out += size
            if hosted.image is not None and values.replica_id in hosted.image.adding_replicas:
                metrics.reassignment_bytes_out += size
    metrics.all.fetch_requests += requests
    metrics.all.bytes_out += size_of_all
