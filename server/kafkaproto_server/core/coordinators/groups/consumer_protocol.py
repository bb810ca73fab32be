"""What consumers say to each other in groups of the classic protocol: subscriptions and assignments (protocol type
"consumer").

The coordinator of a classic group need not understand them. It does so for a group in which members of both protocols
are: what one kind says with names in these messages, the other kind says with ids in its requests. The version comes
first, as an int16; each version begins with what the version before it has.

Apache Kafka has this in ConsumerProtocol.
"""

from __future__ import annotations

import struct

from kafkaproto.errors import ProtocolError
from kafkaproto.messages import ConsumerProtocolAssignment, ConsumerProtocolSubscription
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.requests.consumer_group_requests import Partitions, partitions_of

_int16 = struct.Struct(">h")


def subscription_of(metadata: bytes) -> ConsumerProtocolSubscription:
    """What a member subscribes to, what it owns, and where it is. Raises ValueError if the metadata are malformed."""
    try:
        version = min(version_of(metadata), ConsumerProtocolSubscription.MAX_VERSION)
        found, _ = ConsumerProtocolSubscription.decode(metadata, version, offset=_int16.size)
    except ProtocolError as error:
        raise ValueError(str(error)) from error
    return found


def version_of(metadata: bytes) -> int:
    """The version of a subscription or an assignment. Raises ValueError."""
    if len(metadata) < _int16.size:
        raise ValueError("there is no version")
    (version,) = _int16.unpack_from(metadata)
    if version < 0:
        raise ValueError(f"there is no version {version}")
    assert isinstance(version, int), "an int16 is a number"
    return version


def owned_by(subscription: ConsumerProtocolSubscription, topics: Topics) -> Partitions:
    """The partitions that a member says it owns, of topics that exist."""
    return _with_ids([(each.topic, each.partitions) for each in subscription.owned_partitions], topics)


def partitions_in(assignment: bytes, topics: Topics) -> Partitions:
    """The partitions of an assignment, of topics that exist; none if there is no assignment yet. Raises ValueError."""
    if not assignment:
        return {}
    try:
        version = min(version_of(assignment), ConsumerProtocolAssignment.MAX_VERSION)
        found, _ = ConsumerProtocolAssignment.decode(assignment, version, offset=_int16.size)
    except ProtocolError as error:
        raise ValueError(str(error)) from error
    return _with_ids([(each.topic, each.partitions) for each in found.assigned_partitions], topics)


def _with_ids(named: list[tuple[str, list[int]]], topics: Topics) -> Partitions:
    views = [(topics.by_name(name), indexes) for name, indexes in named]
    return partitions_of([(view.topic_id, indexes) for view, indexes in views if view is not None])


def assignment_of(partitions: Partitions, topics: Topics, version: int) -> bytes:
    """An assignment of partitions, in the version of the member's subscription or the newest that is known."""
    message = ConsumerProtocolAssignment()
    for topic_id, indexes in partitions.items():
        view = topics.by_id(topic_id)
        if view is not None:
            message.assigned_partitions.append(
                ConsumerProtocolAssignment.TopicPartition(topic=view.name, partitions=list(indexes))
            )
    version = min(version, ConsumerProtocolAssignment.MAX_VERSION)
    return _int16.pack(version) + bytes(message.encode(version))
