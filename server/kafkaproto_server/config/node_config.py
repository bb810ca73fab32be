"""`Config`: the configs of one node, checked and typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from kafkaproto_server.base.types import Endpoint, Voter
from kafkaproto_server.config import rules
from kafkaproto_server.config.keys.definitions import BROKER_KEYS
from kafkaproto_server.config.listeners import (
    UNSPECIFIED_HOSTS,
    Address,
    parse_address,
    parse_addresses,
    parse_listeners,
    parse_security_protocols,
    parse_voters,
)
from kafkaproto_server.config.properties import DEFAULTS, Properties, layered, read_properties
from kafkaproto_server.config.used_keys import missing_protections, unused_keys

_DEFAULT_PROPERTIES: Mapping[str, str] = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "listeners": "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.bootstrap.servers": "127.0.0.1:9093",
    "log.dirs": "kafka-data",
    # One broker cannot keep the three replicas that Kafka uses for its internal topics.
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
}
_NO_EFFECT_YET = (
    ("principal.builder.class", "principal builders"),
    ("create.topic.policy.class.name", "policies"),
    ("alter.config.policy.class.name", "policies"),
    ("client.quota.callback.class", "quota callbacks"),
    ("config.providers", "configuration providers"),
    ("remote.log.storage.system.enable", "tiered storage"),
)
"""Keys that an operator relies on: a node that ignored them would be less safe than its file says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The configs of one node. A field with the name of a key (dots for underscores) has that key's value.

    Times and sizes have their unit at the end of the name. The host "" means every interface when it is bound, and this
    machine's own name when it is advertised.
    """

    properties: Properties = field(repr=False)
    """All properties as written; some of them are secret."""
    warnings: tuple[str, ...]
    """Messages for the operator, to be logged once: unknown keys, keys given twice, keys that protect nothing."""
    unused_keys: tuple[str, ...]
    """Kafka's keys that the operator set and that have no effect here, except that responses show them. Keys that
    should protect the node are in the warnings instead."""

    process_roles: tuple[str, ...]
    node_id: int
    broker_rack: str | None

    listeners: tuple[Endpoint, ...]
    """Every listener of the node, in the form for binding."""
    advertised_broker_listeners: tuple[Endpoint, ...]
    """The endpoints for clients and other brokers; empty on a node that is no broker."""
    advertised_controller_listeners: tuple[Endpoint, ...]
    """The endpoints for the members of the quorum; empty on a node that is no controller."""
    listener_security_protocol_map: Mapping[str, str]
    controller_listener_names: tuple[str, ...]
    inter_broker_listener_name: str
    """The listener that brokers use among themselves."""
    http_listener: Address | None
    """Our own key: the address that serves ``/metrics``, ``/ready`` and ``/live``; None for none."""
    max_connections: int
    max_connections_per_ip: int
    max_connections_per_ip_overrides: str
    """Hosts, each with a colon and a number."""
    max_connection_creation_rate: int
    """Connections per second."""
    queued_max_request_bytes: int
    """Negative for Kafka's default of no limit; this server then uses a limit of its own."""
    connections_max_idle_ms: int
    """Connections without a request for so long are closed; negative for no limit."""
    socket_request_max_bytes: int

    controller_quorum_voters: tuple[Voter, ...]
    """Static voters, by id; empty if the quorum keeps its voters in its log."""
    controller_quorum_bootstrap_servers: tuple[Address, ...]
    controller_quorum_election_timeout_ms: int
    controller_quorum_election_backoff_max_ms: int
    controller_quorum_fetch_timeout_ms: int
    controller_quorum_request_timeout_ms: int
    controller_quorum_retry_backoff_ms: int
    controller_quorum_append_linger_ms: int
    controller_quorum_fetch_max_bytes: int
    controller_quorum_fetch_snapshot_max_bytes: int
    controller_quorum_auto_join_enable: bool

    log_dirs: tuple[str, ...]
    cordoned_log_dirs: tuple[str, ...]
    """Directories among ``log_dirs`` that get no new replicas; ``*`` means all. Can change at run time."""
    log_dir_failure_timeout_ms: int
    """A broker stops if no controller has confirmed its failed directory within this time."""
    metadata_log_dir: str
    """The directory of the metadata log, in ``log_dirs`` or separate."""
    metadata_log_segment_bytes: int
    metadata_log_segment_ms: int
    metadata_log_max_record_bytes_between_snapshots: int
    metadata_log_max_snapshot_interval_ms: int
    metadata_max_idle_interval_ms: int
    metadata_max_retention_bytes: int
    metadata_max_retention_ms: int

    broker_death_proof_enable: bool
    """Our own key: whether a broker whose process is provably gone is fenced before its session ends."""
    broker_heartbeat_interval_ms: int
    broker_session_timeout_ms: int
    initial_broker_registration_timeout_ms: int

    num_partitions: int
    default_replication_factor: int
    auto_leader_rebalance_enable: bool
    leader_imbalance_check_interval_seconds: int
    unclean_leader_election_interval_ms: int
    """How often partitions without a leader are examined if unclean elections are allowed."""
    auto_create_topics_enable: bool
    delete_topic_enable: bool

    quota_window_num: int
    quota_window_size_seconds: int
    controller_quota_window_num: int
    controller_quota_window_size_seconds: int

    authorizer_class_name: str
    """Empty for no access control."""
    super_users: frozenset[str]
    """Principals that may do everything, each as type, colon and name."""
    allow_everyone_if_no_acl_found: bool
    delegation_token_secret_key: str | None = field(repr=False)
    """None if the node does not support delegation tokens."""
    delegation_token_max_lifetime_ms: int
    delegation_token_expiry_time_ms: int
    delegation_token_expiry_check_interval_ms: int

    @classmethod
    def load(cls, path: str | None, overrides: Mapping[str, str]) -> Config:
        """The configs of a file with ``overrides`` on top, or of `default_config` if there is no file.

        Raises ConfigError for a file that cannot be read, a value that is not valid for its key, and keys that
        contradict each other.
        """
        if path is None:
            return default_config(overrides)
        properties, warnings = read_properties(path, overrides)
        return _build(properties, warnings)

    @property
    def is_broker(self) -> bool:
        """Whether the node has the role broker."""
        return rules.BROKER in self.process_roles

    @property
    def is_controller(self) -> bool:
        """Whether the node has the role controller."""
        return rules.CONTROLLER in self.process_roles

    @property
    def broker_listeners(self) -> tuple[Endpoint, ...]:
        """The broker's listeners, in the form for binding."""
        return _split(self.listeners, self.controller_listener_names)[0]

    @property
    def controller_listeners(self) -> tuple[Endpoint, ...]:
        """The controller's listeners, in the form for binding, in the order of ``controller.listener.names``."""
        return _split(self.listeners, self.controller_listener_names)[1]

    def listener_limit(self, listener_name: str, key: str) -> int:
        """A listener's own value of a key with an integer default; the default if it has none."""
        definition = BROKER_KEYS[key]
        text = self.properties.values.get(f"listener.name.{listener_name.lower()}.{key}", definition.default)
        assert text is not None, key
        value = definition.parse(text)
        assert isinstance(value, int), key
        return value

    def value_of(self, key: str) -> str | None:
        """The value of a key as it was written, else its default; None if it has neither.

        Raises KeyError for a key that neither Kafka nor this server has and that is not set.
        """
        return self.properties.text_of(key)

    def is_set(self, key: str) -> bool:
        """Whether the key is set, possibly to its default."""
        return self.properties.is_set(key)


def default_config(overrides: Mapping[str, str]) -> Config:
    """One node that is broker and controller, on 127.0.0.1:9092 and :9093, with its data in ``./kafka-data``.

    Raises ConfigError if ``overrides`` contradict that.
    """
    return _build(layered(_DEFAULT_PROPERTIES, DEFAULTS, overrides), ())


def check_supported(config: Config) -> None:
    """Refuse what Kafka has and this server does not have yet. Raises ConfigError, with "not supported yet"."""
    properties = config.properties
    for endpoint in config.listeners:
        if endpoint.security_protocol != 0:
            protocol = config.listener_security_protocol_map[endpoint.name]
            raise properties.error(
                "listener.security.protocol.map",
                f"{protocol}, which listener {endpoint.name} asks for, is not supported yet by this server; "
                "PLAINTEXT is",
            )
    rules.check_authorizer(properties)
    rules.check_replica_selector(properties)
    for key, what in _NO_EFFECT_YET:
        definition = BROKER_KEYS[key]
        value = properties.get(key)
        if value and value != (definition.default and definition.parse(definition.default)):
            raise properties.error(key, f"not supported yet by this server: {what}; leave the key out")


def check_properties(properties: Properties) -> None:
    """Raise ConfigError if no node could start with these properties."""
    _build(properties, ())


def _build(properties: Properties, warnings: tuple[str, ...]) -> Config:
    unknown = properties.check_each()
    rules.check_identity(properties)
    protocols = parse_security_protocols(properties)
    listeners = parse_listeners(properties, "listeners", protocols, distinct_ports=True)
    rules.check_controller_listeners(properties, listeners, protocols)
    advertised = parse_listeners(properties, "advertised.listeners", protocols, distinct_ports=False)
    rules.check_advertised_listeners(properties, listeners, advertised)
    rules.check_early_start_listeners(properties, listeners)
    for_brokers, for_controllers = _advertised(properties, listeners, advertised)
    inter_broker_listener = rules.check_inter_broker_listener(properties, for_brokers, protocols)
    voters = parse_voters(properties, protocols)
    bootstrap_servers = parse_addresses(properties, "controller.quorum.bootstrap.servers")
    rules.check_quorum(properties, voters)
    log_dirs = tuple(dict.fromkeys(properties.entries("log.dirs") or properties.entries("log.dir")))
    rules.check_directories(properties, log_dirs)
    rules.check_amounts(properties)
    http_listener = properties.string("http.listener")
    unused = unused_keys(properties, (each.name.replace("_", ".") for each in fields(Config)))
    unprotected = missing_protections(properties, unused)
    values: dict[str, Any] = {
        "properties": properties,
        "warnings": warnings + unknown + tuple(unprotected.values()),
        "unused_keys": tuple(key for key in unused if key not in unprotected),
        "listeners": listeners,
        "advertised_broker_listeners": for_brokers,
        "advertised_controller_listeners": for_controllers,
        "listener_security_protocol_map": protocols,
        "inter_broker_listener_name": inter_broker_listener,
        "http_listener": parse_address(properties, "http.listener", http_listener) if http_listener else None,
        "controller_quorum_voters": voters,
        "controller_quorum_bootstrap_servers": bootstrap_servers,
        "log_dirs": log_dirs,
        "super_users": rules.super_users(properties),
        "metadata_log_dir": properties.string("metadata.log.dir") or log_dirs[0],
    }
    for name in (each.name for each in fields(Config)):
        if name not in values:
            values[name] = properties.get(name.replace("_", "."))
    return Config(**values)


def _advertised(
    properties: Properties, listeners: tuple[Endpoint, ...], advertised: tuple[Endpoint, ...]
) -> tuple[tuple[Endpoint, ...], tuple[Endpoint, ...]]:
    """The advertised endpoints of the broker, and those of the controller.

    A controller listener that is not in the advertised ones is advertised as it is bound; if it is bound to every
    interface, with this machine's name.
    """
    names = properties.entries("controller.listener.names")
    roles = properties.entries("process.roles")
    for_brokers = _split(advertised or listeners, names)[0] if rules.BROKER in roles else ()
    told = {endpoint.name: endpoint for endpoint in advertised}
    for_controllers = []
    for endpoint in _split(listeners, names)[1]:
        chosen = told.get(endpoint.name, endpoint)
        host = "" if chosen.host in UNSPECIFIED_HOSTS else chosen.host
        for_controllers.append(
            Endpoint(
                name=chosen.name, host=host, port=chosen.port, security_protocol=chosen.security_protocol
            )
        )
    return for_brokers, tuple(for_controllers)


def _split(
    endpoints: tuple[Endpoint, ...], controller_names: tuple[str, ...]
) -> tuple[tuple[Endpoint, ...], tuple[Endpoint, ...]]:
    """The endpoints that are not for controllers, and those that are, in the order of ``controller_names``."""
    by_name = {endpoint.name: endpoint for endpoint in endpoints}
    for_controllers = tuple(by_name[name] for name in dict.fromkeys(controller_names) if name in by_name)
    return tuple(endpoint for endpoint in endpoints if endpoint.name not in controller_names), for_controllers
