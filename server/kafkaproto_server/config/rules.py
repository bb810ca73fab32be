"""Conditions between the keys of one node, as Apache Kafka 4.4.0 checks them before it starts.

The rules are Kafka's, the texts are ours. Some rules are stricter here, because Apache Kafka would start and then fail
or misbehave: a port above 65535, a voter named twice, ``[::]`` as an advertised address, a negative retention other
than -1.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.base.types import Endpoint, Voter
from kafkaproto_server.config.listeners import UNSPECIFIED_HOSTS
from kafkaproto_server.config.properties import Properties

BROKER = "broker"
CONTROLLER = "controller"

STANDARD_AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
"""The built-in authorizer, by its name in Kafka."""
RACK_AWARE_SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
"""The built-in replica selector, by its name in Kafka."""

_KINDS = ("consumer", "share", "streams")
_AT_MOST = (
    ("replica.fetch.wait.max.ms", "replica.socket.timeout.ms"),
    # In Apache Kafka, a follower whose fetch waits longer would leave the ISR of a partition to which nobody writes.
    ("replica.fetch.wait.max.ms", "replica.lag.time.max.ms"),
    ("group.streams.num.standby.replicas", "group.streams.max.standby.replicas"),
    ("group.streams.num.warmup.replicas", "group.streams.max.warmup.replicas"),
    ("group.streams.min.task.offset.interval.ms", "group.streams.task.offset.interval.ms"),
    ("group.share.max.size", "group.share.max.share.sessions"),
    *(
        pair
        for kind in _KINDS
        for what in ("session.timeout.ms", "heartbeat.interval.ms", "assignment.interval.ms")
        for pair in (
            (f"group.{kind}.min.{what}", f"group.{kind}.max.{what}"),
            (f"group.{kind}.min.{what}", f"group.{kind}.{what}"),
            (f"group.{kind}.{what}", f"group.{kind}.max.{what}"),
        )
    ),
    *(
        pair
        for what in ("record.lock.duration.ms", "delivery.count.limit", "partition.max.record.locks")
        for pair in (
            (f"group.share.min.{what}", f"group.share.{what}"),
            (f"group.share.{what}", f"group.share.max.{what}"),
        )
    ),
)
"""Pairs of keys: the value of the first must not be above that of the second."""
_LESS_THAN = tuple(
    (f"group.{kind}.heartbeat.interval.ms", f"group.{kind}.session.timeout.ms") for kind in _KINDS
)
"""Pairs of keys: the value of the first must be below that of the second."""
_BYTES_PER_CLEANER_THREAD = 1024 * 1024


def check_identity(properties: Properties) -> None:
    """Check the keys that every node needs. Raises ConfigError."""
    # Required: to read it raises if it is missing. So do the other two.
    properties.entries("process.roles")
    node_id = properties.integer("node.id")
    if properties.integer("broker.id") != node_id:
        raise properties.error("broker.id", f"is another name of node.id={node_id}, and must be the same")
    properties.entries("controller.listener.names")


def check_quorum(properties: Properties, voters: tuple[Voter, ...]) -> None:
    """Check how the node finds its quorum, and whether it belongs to it. Raises ConfigError."""
    key = "controller.quorum.voters"
    node_id = properties.integer("node.id")
    is_controller = CONTROLLER in properties.entries("process.roles")
    if not voters and not properties.entries("controller.quorum.bootstrap.servers"):
        raise properties.error(
            "controller.quorum.bootstrap.servers", f"this key or {key} is required: both are empty"
        )
    is_voter = any(voter.key.id == node_id for voter in voters)
    if voters and is_controller and not is_voter:
        raise properties.error(key, f"must have node.id={node_id}, as this node is a controller")
    if is_voter and not is_controller:
        raise properties.error(key, f"must not have node.id={node_id}, as this node is a broker only")
    if properties.get("controller.quorum.auto.join.enable") and not is_controller:
        raise properties.error("controller.quorum.auto.join.enable", "is for nodes with the role controller")


def check_controller_listeners(
    properties: Properties, listeners: tuple[Endpoint, ...], protocols: Mapping[str, str]
) -> None:
    """Check which listeners are for controllers, given the node's roles. Raises ConfigError."""
    key = "controller.listener.names"
    roles = properties.entries("process.roles")
    controller_names = properties.entries(key)
    listener_names = [endpoint.name for endpoint in listeners]
    for name in controller_names:
        if name not in protocols:
            raise properties.error(key, f"{name} has no entry in listener.security.protocol.map")
        if CONTROLLER in roles and name not in listener_names:
            raise properties.error(
                key,
                f"{name} is not in listeners, which has {', '.join(listener_names)} (names count as written)",
            )
        if CONTROLLER not in roles and name in listener_names:
            raise properties.error(
                "listeners", f"must not have {name}, as this node is no controller ({key})"
            )
    if BROKER not in roles:
        for name in listener_names:
            if name not in controller_names:
                raise properties.error(
                    "listeners", f"must not have {name}, as this node is no broker and {key} has it not"
                )


def check_advertised_listeners(
    properties: Properties, listeners: tuple[Endpoint, ...], advertised: tuple[Endpoint, ...]
) -> None:
    """Check the addresses that other nodes and clients connect to; ``advertised`` is the key's value. Raises
    ConfigError."""
    key = "advertised.listeners"
    controller_names = properties.entries("controller.listener.names")
    is_broker = BROKER in properties.entries("process.roles")
    for endpoint in advertised:
        if endpoint.host in UNSPECIFIED_HOSTS:
            raise properties.error(key, f"{endpoint.host} is no address to connect to")
    if not is_broker:
        return
    source, shown = (key, advertised) if advertised else ("listeners", listeners)
    for_clients = [endpoint for endpoint in shown if endpoint.name not in controller_names]
    if not for_clients:
        raise properties.error(source, "must have a listener that is not in controller.listener.names")
    names = [endpoint.name for endpoint in listeners]
    for endpoint in for_clients:
        if endpoint.name not in names:
            raise properties.error(key, f"{endpoint.name} is not in listeners, which has {', '.join(names)}")
        if endpoint.host in UNSPECIFIED_HOSTS:
            raise properties.error(source, f"{endpoint.host} needs an address to connect to in {key}")


def check_inter_broker_listener(
    properties: Properties, advertised: tuple[Endpoint, ...], protocols: Mapping[str, str]
) -> str:
    """Check that the listener between brokers is one of ``advertised``, the broker's advertised listeners.

    Returns its name. Raises ConfigError.
    """
    key = "inter.broker.listener.name"
    other = "security.inter.broker.protocol"
    if properties.is_set(key) and properties.is_set(other):
        raise properties.error(key, f"must not be set together with {other}")
    if properties.is_set(other):
        key = other
    name = properties.string(key)
    if name is None:
        name = properties.string(other)
    assert name is not None, f"{other} has a default"
    # Names of listeners are in upper case, as in Apache Kafka (``ListenerName.normalised``).
    name = name.upper()
    controller_names = properties.entries("controller.listener.names")
    if properties.is_set(key) and name not in protocols:
        raise properties.error(key, "has no entry in listener.security.protocol.map")
    if properties.is_set(key) and name in controller_names:
        raise properties.error(key, "must not be one of controller.listener.names")
    names = [endpoint.name for endpoint in advertised]
    if BROKER in properties.entries("process.roles") and name not in names:
        raise properties.error(
            key,
            f"brokers talk to each other by {name}, which is not advertised; it can be {', '.join(names)}",
        )
    return name


def check_directories(properties: Properties, log_dirs: tuple[str, ...]) -> None:
    """Check that cordoned directories are directories of the node. Raises ConfigError."""
    key = "cordoned.log.dirs"
    for directory in properties.entries(key):
        if directory != "*" and directory not in log_dirs:
            raise properties.error(key, f"{directory} is not in log.dirs, which has {', '.join(log_dirs)}")


def check_early_start_listeners(properties: Properties, listeners: tuple[Endpoint, ...]) -> None:
    """Check that listeners that open early exist. Raises ConfigError."""
    key = "early.start.listeners"
    names = {endpoint.name for endpoint in listeners}.union(properties.entries("controller.listener.names"))
    for name in properties.entries(key):
        if name not in names:
            raise properties.error(key, f"{name} is not in listeners, nor in controller.listener.names")


def check_authorizer(properties: Properties) -> None:
    """Check the authorizer. Kafka loads any class; this server has only the built-in one. Raises ConfigError."""
    key = "authorizer.class.name"
    if properties.string(key) not in ("", STANDARD_AUTHORIZER):
        raise properties.error(
            key,
            f"other authorizers than {STANDARD_AUTHORIZER} are not supported yet by this server; "
            "leave the key out for no access control",
        )


def check_replica_selector(properties: Properties) -> None:
    """Check the replica selector. Kafka loads any class; this server has only the built-in one. Raises ConfigError."""
    key = "replica.selector.class"
    if properties.string(key) not in (None, "", RACK_AWARE_SELECTOR):
        raise properties.error(
            key,
            f"other replica selectors than {RACK_AWARE_SELECTOR} are not supported yet by this server; "
            "leave the key out to have consumers read from leaders",
        )


def super_users(properties: Properties) -> frozenset[str]:
    """The principals of ``super.users``, each as type, colon and name."""
    entries = (entry.strip() for entry in (properties.string("super.users") or "").split(";"))
    return frozenset(entry for entry in entries if entry)


def check_amounts(properties: Properties) -> None:
    """Check numbers that depend on each other. Raises ConfigError."""
    for low, high in _AT_MOST:
        _check_order(properties, low, high, gap=0)
    for low, high in _LESS_THAN:
        _check_order(properties, low, high, gap=1)
    buffer = properties.integer("log.cleaner.dedupe.buffer.size")
    threads = properties.integer("log.cleaner.threads")
    if buffer // threads <= _BYTES_PER_CLEANER_THREAD:
        raise properties.error(
            "log.cleaner.dedupe.buffer.size",
            f"{buffer} bytes are not more than 1 MiB for each of log.cleaner.threads={threads}",
        )
    overrides = properties.string("max.connections.per.ip.overrides")
    # Nobody at all could connect.
    if properties.integer("max.connections.per.ip") == 0 and not overrides:
        raise properties.error(
            "max.connections.per.ip", "can be 0 only beside max.connections.per.ip.overrides"
        )
    # What a client is told of its failed authentication is held back for that delay. Its connection must not be closed
    # as idle before.
    if properties.integer("connections.max.idle.ms") >= 0:
        _check_order(
            properties, "connection.failed.authentication.delay.ms", "connections.max.idle.ms", gap=1
        )
    # A request of the largest size would wait for ever.
    if properties.integer("queued.max.request.bytes") > 0:
        _check_order(properties, "socket.request.max.bytes", "queued.max.request.bytes", gap=0)
    if "classic" not in properties.entries("group.coordinator.rebalance.protocols"):
        raise properties.error("group.coordinator.rebalance.protocols", "must have classic")


def _check_order(properties: Properties, low: str, high: str, *, gap: int) -> None:
    if not properties.is_set(low) and not properties.is_set(high):
        return
    low_value, high_value = properties.integer(low), properties.integer(high)
    if low_value + gap <= high_value:
        return
    word = "at most" if gap == 0 else "below"
    if properties.is_set(low):
        raise properties.error(low, f"must be {word} {high}={high_value}")
    word = "at least" if gap == 0 else "above"
    raise properties.error(high, f"must be {word} {low}={low_value}")
