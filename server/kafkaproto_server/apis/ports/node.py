"""The node itself, and the metadata as it has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.authorizer import Authorizer
from kafkaproto_server.requests.caches import ResponseCaches


class LogDirectoryStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One log directory of a broker, as the last check found it."""

    path: str
    """Absolute."""
    directory_id: bytes | None
    """None if it could not be read when the node started."""
    is_online: bool
    is_cordoned: bool
    """Whether the directory is cordoned: it takes no new replicas."""
    total_bytes: int
    """Size of its file system in bytes; -1 if it is not known."""
    usable_bytes: int
    """Bytes of it that this process could still fill; -1 if they are not known."""


class NodePort(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    cluster_id: str
    choose: Callable[[int], int]
    """A random number from 0 to its argument - 1."""
    static_config: Mapping[str, str]
    """The node's properties as written in its configuration; some of them are secret."""
    logger_levels: Callable[[], Mapping[str, str]]
    """The level of each of this process's loggers."""
    set_logger_levels: Callable[[Mapping[str, str | None]], None]
    """Set the levels of existing loggers. None removes a level: the logger then has that of the nearest logger
    above."""
    log_directories: Callable[[], Sequence[LogDirectoryStatus]]
    """The directories of this broker's ``log.dirs``."""


class MetadataPort(msgspec.Struct, frozen=True, kw_only=True):
    """The cluster's metadata as this node has it."""

    image: Callable[[], ClusterImage]
    """The newest committed image."""
    authorizer: Callable[[], Authorizer | None]
    """Decides by the newest committed ACLs; None if the node has no authorizer."""
    endpoint: Callable[[int, str], Endpoint | None] = lambda broker_id, listener_name: None
    """The endpoint of a broker on a listener; None if it has none, or is not in the metadata."""
    rack: Callable[[int], str | None] = lambda broker_id: None
    """The rack of a broker."""
    caches: ResponseCaches = msgspec.field(default_factory=ResponseCaches)
    """Parts of responses that were made from the newest images."""
