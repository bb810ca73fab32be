"""What handlers reach of the node that they run in, by family. A handler that needs nothing of a family never names it.

The fields are functions because what they return changes: the image is that of the moment a handler asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from kafkaproto.message import Message
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.requests.caches import ResponseCaches
from kafkaproto_server.requests.context import Answer, RequestContext, UnreadRequest
from kafkaproto_server.security.authorizer import Authorizer
from kafkaproto_server.types import Deferred, LeaderAndEpoch


class LogDirectoryStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One log directory of a broker, as the last check found it."""

    path: str
    """Absolute."""
    is_online: bool
    is_cordoned: bool
    """Whether it takes no new replicas."""
    total_bytes: int
    """Size of its file system; -1 if it is not known."""
    usable_bytes: int
    """What of that this process could still fill; -1 if it is not known."""


class NodePort(msgspec.Struct, frozen=True, kw_only=True):
    """The node itself."""

    id: int
    cluster_id: str
    choose: Callable[[int], int]
    """A random number from 0 to its argument - 1."""
    static_config: Mapping[str, str]
    """The node's properties as they were written; some of them are secret."""
    logger_levels: Callable[[], Mapping[str, str]]
    """The level of each of this process's loggers."""
    set_logger_levels: Callable[[Mapping[str, str | None]], None]
    """Set the levels of loggers that exist; None means that of the nearest logger above."""
    log_directories: Callable[[], Sequence[LogDirectoryStatus]]
    """The directories of this broker's ``log.dirs``."""


class MetadataPort(msgspec.Struct, frozen=True, kw_only=True):
    """The cluster's metadata as this node has them."""

    image: Callable[[], ClusterImage]
    """The newest committed image."""
    authorizer: Callable[[], Authorizer | None]
    """Who may do what by the newest committed ACLs; None if the node has no authorizer."""
    caches: ResponseCaches = msgspec.field(default_factory=ResponseCaches)
    """Parts of responses that were made from the newest images."""


class ControllerPort(msgspec.Struct, frozen=True, kw_only=True):
    """The active controller: this node's own core, or another node's."""

    submit: Callable[[Message, RequestContext], Deferred[Answer]]
    """Have this node's controller carry out a command; it refuses it if it is not the active one."""
    forward: Callable[[Message | UnreadRequest, RequestContext], Deferred[Answer]]
    """Have the active controller, wherever it is, carry out a client's request under the client's name. The response to
    a message is a message, that to a request that was not read is what the controller has encoded."""
    served_versions: Callable[[], Mapping[int, tuple[int, int]] | None]
    """What the active controller serves, by api key; None while this node has not asked it yet."""
    auto_create_topics: bool
    """auto.create.topics.enable."""
    create_topics: Callable[[Message, RequestContext], None]
    """Ask the active controller for topics that a client missed; nobody waits for the response."""


class QuorumPort(msgspec.Struct, frozen=True, kw_only=True):
    """This node's replica of the metadata quorum."""

    leader: Callable[[], LeaderAndEpoch]
    """The quorum's leader as this node knows it."""
    kraft_version: Callable[[], int]
    describe: Callable[[Message, int], Message]
    """The response to a DescribeQuorum request of a version."""
    answer: Callable[[Message, RequestContext], Deferred[Answer]]
    """The response to one of the quorum's own requests."""


class Services(msgspec.Struct, frozen=True, kw_only=True):
    """All ports of a node."""

    node: NodePort
    metadata: MetadataPort
    controller: ControllerPort
    quorum: QuorumPort
