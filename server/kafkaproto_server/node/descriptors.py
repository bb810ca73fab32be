"""How many connections a node accepts, and how many files of topics it keeps open: its file descriptors, minus those
that it needs itself.

Every connection, file and directory in use takes a descriptor. A process has as many as RLIMIT_NOFILE allows; 1024 is
usual. If connections took all of them, the metadata log could not begin a segment, snapshots could not be written, and
other controllers could not be reached. So a part is reserved. On a broker, half of the rest is for the segments of
topics (`shell.storage.open_files`); `shell.net.admission` distributes the other half.
"""

from __future__ import annotations

import errno
import logging
import resource
from typing import Final

import msgspec

from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.config.settings import SettingsTable
from kafkaproto_server.shell.net.admission import UNLIMITED, AdmissionLimits
from kafkaproto_server.shell.net.http import MAX_HTTP_CONNECTIONS
from kafkaproto_server.shell.net.limits import MAX_CONNECTIONS
from kafkaproto_server.shell.net.names import MAX_LOOKUPS
from kafkaproto_server.shell.quorum.broker_probe import MAX_PROBE_LOOKUPS, MAX_PROBE_SOCKETS
from kafkaproto_server.shell.serving.connection_limits import addresses_with_limits

_log = logging.getLogger("kafkaproto.server.node")

PROCESS_DESCRIPTORS = 16
"""Standard streams, the event loop's own descriptors, signals, modules during their import."""

LOG_DESCRIPTORS = 24
"""Eight segments of a log file and two indexes each: the active one, the next one, and old ones until they are
deleted."""

STATE_DESCRIPTORS = 8
"""Files that are replaced as a whole and their directories; four snapshots: one being written, one being fetched, one
being loaded, one being read for a follower."""

PEER_DESCRIPTORS = 24
"""Two connections to each of nine voters, and those to the active controller."""

REPLICA_DESCRIPTORS = 16
"""On a broker: files of the cleaner, those that are made durable beside the appends, checkpoints, transaction indexes,
and one more segment for each thread."""

DESCRIPTORS_OF_A_FETCHER = 8
"""Connections to the leaders of what this broker follows, for each of ``num.replica.fetchers``."""

MIN_TOPIC_FILES = 16
"""A broker with fewer would open a file for nearly each request."""

DESCRIPTORS_OF_A_LOOKUP = 2
DESCRIPTORS_OF_A_LISTENER = 4
"""One for each address of its name; two are usual."""
DESCRIPTORS_OF_A_DIRECTORY = 3
"""Its lock, its meta.properties during a check, and the file that a check writes."""

SPARE_DESCRIPTORS = 16
"""The descriptors with the highest numbers. The system assigns the lowest free number, so a connection gets one of
these only if the node has more files open than this module assumes. Then connections are closed to make room."""

MIN_CONNECTIONS = 32
"""A node that could accept fewer connections does not start."""


class FetchersConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The connections that copy from other brokers."""

    fetchers: int
    """How many there are to each broker that leads something."""


_FETCHERS: Final = SettingsTable(FetchersConfig, {"fetchers": "num.replica.fetchers"})


def raise_descriptor_limit() -> None:
    """Raise the soft limit of open files to the hard one, as Java does for Kafka."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError) as error:
        # Some systems have a lower limit that no call reports.
        _log.warning("the limit of open files remains %d: %s", soft, error)


def reserved_descriptors(config: Config) -> int:
    """The number of descriptors that are reserved for the node itself."""
    directories = len({*config.log_dirs, config.metadata_log_dir})
    reserve = PROCESS_DESCRIPTORS + LOG_DESCRIPTORS + STATE_DESCRIPTORS + PEER_DESCRIPTORS + SPARE_DESCRIPTORS
    reserve += DESCRIPTORS_OF_A_LOOKUP * MAX_LOOKUPS
    reserve += DESCRIPTORS_OF_A_LISTENER * len(config.listeners)
    reserve += DESCRIPTORS_OF_A_DIRECTORY * directories
    if config.is_broker:
        copying = _FETCHERS.read(NodeConfigs(static=config.properties.values))
        reserve += REPLICA_DESCRIPTORS + DESCRIPTORS_OF_A_FETCHER * copying.fetchers
    if config.is_controller and config.broker_death_proof_enable:
        reserve += MAX_PROBE_SOCKETS + DESCRIPTORS_OF_A_LOOKUP * MAX_PROBE_LOOKUPS
    if config.http_listener is not None:
        reserve += MAX_HTTP_CONNECTIONS + DESCRIPTORS_OF_A_LISTENER
    return reserve


def topic_file_limit(config: Config) -> int:
    """How many files of topics a broker keeps open."""
    left = _soft_limit() - reserved_descriptors(config)
    return max(MIN_TOPIC_FILES, min(left // 2, left - MIN_CONNECTIONS))


def _soft_limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    # It is -1 on some systems, which would look like no descriptor at all.
    return UNLIMITED if soft == resource.RLIM_INFINITY else soft


def admission_limits(config: Config) -> AdmissionLimits:
    """The limits for a node's connections. Blocks if ``max.connections.per.ip.overrides`` names hosts.

    Raises OSError if the process has too few file descriptors, or if a host has no address.
    """
    soft = _soft_limit()
    reserve = reserved_descriptors(config)
    if config.is_broker:
        reserve += topic_file_limit(config)
    if soft - reserve < MIN_CONNECTIONS:
        raise OSError(
            errno.EMFILE,
            f"the limit of open files (RLIMIT_NOFILE, ulimit -n) is {soft}: this node needs {reserve} for itself and"
            f" {MIN_CONNECTIONS} for connections",
        )
    capacity = min(MAX_CONNECTIONS, soft - reserve)
    _log.info(
        "up to %d connections: %d file descriptors, of which %d are kept for the node itself",
        capacity,
        soft,
        reserve,
    )
    return AdmissionLimits(
        capacity=capacity,
        first_spare_descriptor=soft - SPARE_DESCRIPTORS,
        max_connections=config.max_connections,
        max_per_address=config.max_connections_per_ip,
        per_address=addresses_with_limits(config.max_connections_per_ip_overrides),
        creation_rate=config.max_connection_creation_rate,
    )
