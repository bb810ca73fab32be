"""The active controller, and this node's replica of the quorum."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from kafkaproto.message import Message
from kafkaproto.messages import CreateTopicsRequest
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import LeaderAndEpoch
from kafkaproto_server.requests.context import RequestContext, Response, UnreadRequest


class ControllerPort(msgspec.Struct, frozen=True, kw_only=True):
    """The active controller: this node's own core, or that of another node."""

    submit: Callable[[Message, RequestContext], Deferred[Response]]
    """Submit a command to this node's controller, which refuses it if it is not the active one."""
    forward: Callable[[Message | UnreadRequest, RequestContext], Deferred[Response]]
    """Forward a client's request to the active controller, wherever it is, under the client's principal. The response
    to a message is a message. The response to an unread request is the body that the controller encoded."""
    served_versions: Callable[[], Mapping[int, tuple[int, int]] | None]
    """The versions that the active controller serves, by API key; None until this node has asked it."""
    auto_create_topics: bool
    """The config ``auto.create.topics.enable``."""
    num_partitions: int
    """The config ``num.partitions``, for topics that are created in this way."""
    default_replication_factor: int
    """The config ``default.replication.factor``, for the same."""
    create_internal_topic: Callable[[str], None]
    """Ask the active controller to create an internal topic, as this broker's configs say; nobody waits for the
    response."""
    create_topics: Callable[[Message, RequestContext], None]
    """Ask the active controller to create topics that a client asked for and that do not exist; nobody waits for the
    response."""
    create_streams_topics: Callable[
        [Sequence[CreateTopicsRequest.CreatableTopic], RequestContext, int], list[tuple[str, str]]
    ]
    """The same for internal topics of a Kafka Streams application, and the third argument says how many milliseconds it
    is kept why that failed. Returns the topics of which that is known, with the reason."""


class QuorumPort(msgspec.Struct, frozen=True, kw_only=True):
    """This node's replica of the metadata quorum."""

    leader: Callable[[], LeaderAndEpoch]
    """The quorum's leader as far as this node knows it."""
    kraft_version: Callable[[], int]
    describe: Callable[[Message, int], Message]
    """The response to a DescribeQuorum request, in the given version."""
    answer: Callable[[Message, RequestContext], Deferred[Response]]
    """The response to a request between replicas of the quorum."""
