"""How many connections a node takes in: its file descriptors, less those that it needs itself.

Every connection, file and directory in use costs a descriptor, of which a process has as many as RLIMIT_NOFILE says;
1024 is usual. Were all of them connections, the metadata log could not begin a segment, a snapshot not be written, and
no other controller be reached. So a part is kept back. `net.admission` gives out the rest.
"""

from __future__ import annotations

import errno
import logging
import resource
import socket

from kafkaproto_server.config import Config
from kafkaproto_server.config_keys.formats import host_counts
from kafkaproto_server.net.admission import UNLIMITED, AdmissionLimits
from kafkaproto_server.net.http import MAX_HTTP_CONNECTIONS
from kafkaproto_server.net.limits import MAX_CONNECTIONS
from kafkaproto_server.net.names import MAX_LOOKUPS
from kafkaproto_server.node.quorum.broker_probe import MAX_PROBE_LOOKUPS, MAX_PROBE_SOCKETS

_log = logging.getLogger("kafkaproto.server.node")

PROCESS_DESCRIPTORS = 16
"""Standard streams, the event loop's own, signals, modules while they are imported."""

LOG_DESCRIPTORS = 24
"""Eight segments of a log file and two indexes: the one that is written, the next one, old ones until they are
deleted."""

STATE_DESCRIPTORS = 8
"""Files that are replaced as a whole and their directories; a snapshot that is written, one that is fetched, one that
is loaded, and one that is read for a follower."""

PEER_DESCRIPTORS = 24
"""Two connections to each of nine voters, and those to the active controller."""

DESCRIPTORS_OF_A_LOOKUP = 2
DESCRIPTORS_OF_A_LISTENER = 4
"""One for each address that its name has; two are usual."""
DESCRIPTORS_OF_A_DIRECTORY = 3
"""Its lock, its meta.properties while they are looked at, and the file that is written to see whether it works."""

SPARE_DESCRIPTORS = 16
"""Those of the highest numbers. The system gives out the lowest number that is free, so a connection gets one of these
only if the node holds more files than is foreseen here; then connections are closed for them."""

MIN_CONNECTIONS = 32
"""A node that could take in fewer does not start."""


def raise_descriptor_limit() -> None:
    """Raise the soft limit of open files to the hard one, as Java does for Kafka."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError) as error:
        # Some systems have a lower bound that nobody tells.
        _log.warning("the limit of open files stays %d: %s", soft, error)


def reserved_descriptors(config: Config) -> int:
    """Descriptors that are kept from clients."""
    directories = len({*config.log_dirs, config.metadata_log_dir})
    reserve = PROCESS_DESCRIPTORS + LOG_DESCRIPTORS + STATE_DESCRIPTORS + PEER_DESCRIPTORS + SPARE_DESCRIPTORS
    reserve += DESCRIPTORS_OF_A_LOOKUP * MAX_LOOKUPS
    reserve += DESCRIPTORS_OF_A_LISTENER * len(config.listeners)
    reserve += DESCRIPTORS_OF_A_DIRECTORY * directories
    if config.is_controller and config.broker_death_proof_enable:
        reserve += MAX_PROBE_SOCKETS + DESCRIPTORS_OF_A_LOOKUP * MAX_PROBE_LOOKUPS
    if config.http_listener is not None:
        reserve += MAX_HTTP_CONNECTIONS + DESCRIPTORS_OF_A_LISTENER
    return reserve


def admission_limits(config: Config) -> AdmissionLimits:
    """What bounds the connections of a node. Blocks, where ``max.connections.per.ip.overrides`` names hosts.

    Raises OSError if the process has too few file descriptors, or a host has no address.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        soft = UNLIMITED
    reserve = reserved_descriptors(config)
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
        per_address={
            address: limit
            for host, limit in host_counts(config.max_connections_per_ip_overrides)
            for address in _addresses(host)
        },
        creation_rate=config.max_connection_creation_rate,
    )


def _addresses(host: str) -> list[str]:
    try:
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(host, None)})
    except OSError as error:
        raise OSError(
            error.errno, f"max.connections.per.ip.overrides: {host} has no address: {error}"
        ) from error
