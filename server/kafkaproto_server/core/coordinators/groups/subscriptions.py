"""To which topics the members of a classic group are subscribed, as far as the coordinator can tell.

Only members whose protocol type is "consumer" say it in a form that is known: the metadata of their protocol is a
ConsumerProtocolSubscription. Version 0 of it is the beginning of all later versions. Apache Kafka has this in
computeSubscribedTopics and isSubscribedToTopic of ClassicGroup.
"""

from __future__ import annotations

import struct

from kafkaproto.errors import ProtocolError
from kafkaproto.messages import ConsumerProtocolSubscription
from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup
from kafkaproto_server.core.coordinators.groups.offsets.expiration import CONSUMER_PROTOCOL_TYPE

_int16 = struct.Struct(">h")


def subscribed_topics(group: ClassicGroup) -> frozenset[str] | None:
    """The topics of all members; None if they are unknown."""
    if group.protocol_type != CONSUMER_PROTOCOL_TYPE:
        return None
    if not group.members:
        return frozenset()
    if group.protocol is None:
        return None
    found: set[str] = set()
    try:
        for member in group.members.values():
            metadata = dict(member.protocols).get(group.protocol)
            if metadata is None:
                # It has joined with other protocols than those of the last generation.
                return None
            found.update(_topics_of(metadata))
    except ProtocolError:
        return None
    return frozenset(found)


def _topics_of(metadata: bytes) -> list[str]:
    """Raises RemoteProtocolError."""
    # The version comes first. Clients write it, and nothing here depends on it.
    subscription, _ = ConsumerProtocolSubscription.decode(metadata, 0, offset=_int16.size)
    return subscription.topics


def is_subscribed(group: ClassicGroup, topic: str) -> bool:
    """Whether offsets of a topic may be in use: its deletion is refused then. So it is if the topics are unknown."""
    known = subscribed_topics(group)
    return group.protocol_type == CONSUMER_PROTOCOL_TYPE if known is None else topic in known
