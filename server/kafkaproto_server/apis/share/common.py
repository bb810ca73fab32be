"""What ShareFetch and ShareAcknowledge share: the checks of acknowledgements, and where a partition's leader is.

Apache Kafka: ``KafkaApis.validateAcknowledgementBatches``, ``KafkaApis.processShareFetchResponse``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.apis.leaders import leader_of
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.share_requests import AcknowledgedRange, ShareMember

FIRST_WITH_RENEWAL: Final = 2
"""The first version in which members may renew their locks (KIP-1222)."""
_HIGHEST_TYPE: Final = 3
"""Reject, after gap, accept and release (KIP-932)."""
_RENEW: Final = 4
_MAX_MEMBER_ID_LENGTH: Final = 36
"""That of a UUID in its longest form."""
_MOVED: Final = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)


class AcknowledgementBatch(Protocol):
    """As either request has it."""

    first_offset: int
    last_offset: int
    acknowledge_types: list[int]


def is_member_id(member_id: str | None) -> bool:
    """Whether a request may have it."""
    return member_id is not None and 0 < len(member_id) <= _MAX_MEMBER_ID_LENGTH


def member_of(group_id: str, member_id: str, epoch: int, context: RequestContext) -> ShareMember:
    """The sender of a request."""
    return ShareMember(group_id=group_id, member_id=member_id, epoch=epoch, connection=context.connection)


def checked_ranges(
    batches: Iterable[AcknowledgementBatch], *, can_renew: bool, renews: bool
) -> list[AcknowledgedRange] | None:
    """The acknowledgements of one partition, perhaps none; None if something is wrong with them.

    They ascend. As in Apache Kafka, one may begin with the last offset of the one before. Each has one type for all, or
    one for each offset. Locks are renewed only by a request that says so.
    """
    highest = _RENEW if can_renew else _HIGHEST_TYPE
    ranges: list[AcknowledgedRange] = []
    behind = -1
    for each in batches:
        first, last, types = each.first_offset, each.last_offset, each.acknowledge_types
        if first > last or first < behind or not types:
            return None
        if len(types) > 1 and last - first != len(types) - 1:
            return None
        if min(types) < 0 or max(types) > highest or (not renews and _RENEW in types):
            return None
        ranges.append((first, last, tuple(types)))
        behind = last
    return ranges


def leader_hint(code: ErrorCode, topic_id: bytes, index: int, services: Services) -> tuple[int, int] | None:
    """Broker id and epoch of the leader, for a response that says that a request went to another broker."""
    return leader_of(services.metadata.image(), topic_id, index) if code in _MOVED else None


def endpoints_of(
    leaders: Sequence[int], context: RequestContext, services: Services
) -> list[tuple[int, Endpoint, str | None]]:
    """Where leaders are, on the listener of the request: id, endpoint and rack."""
    found = []
    for leader_id in sorted(set(leaders)):
        endpoint = services.metadata.endpoint(leader_id, context.listener_name)
        if endpoint is not None:
            found.append((leader_id, endpoint, services.metadata.rack(leader_id)))
    return found
