"""Reads listeners, servers and voters from properties: names, hosts and ports."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from kafkaproto_server.base.types import MAX_PORT, Endpoint, ReplicaKey, Voter
from kafkaproto_server.config.properties import Properties

SECURITY_PROTOCOLS: Mapping[str, int] = {"PLAINTEXT": 0, "SSL": 1, "SASL_PLAINTEXT": 2, "SASL_SSL": 3}
"""Numbers of the security protocols in `types.Endpoint`."""
UNSPECIFIED_HOSTS = ("0.0.0.0", "::")
"""Addresses that mean "every interface" for binding, and that nobody can connect to."""

_LISTENER = re.compile(r"(.+)://(?:\[([0-9a-zA-Z\-%._:]*)\]|([0-9a-zA-Z\-%._:]*)):([0-9]+)")
_ADDRESS = re.compile(r"(?:\[([0-9a-zA-Z\-%._:]+)\]|([0-9a-zA-Z\-%._:]+)):([0-9]+)")
_VOTER = re.compile(r"([0-9]+)@(.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A host and a port to connect to, or to bind."""

    host: str
    port: int


def parse_security_protocols(properties: Properties) -> dict[str, str]:
    """Security protocol by listener name, from ``listener.security.protocol.map``.

    If the key is not set, controller listeners without an entry are PLAINTEXT, provided that no listener is named like
    a protocol other than PLAINTEXT; the same as in Kafka. Raises ConfigError.
    """
    key = "listener.security.protocol.map"
    protocols = {}
    for entry in (properties.string(key) or "").split(","):
        name, separator, protocol = (part.strip().upper() for part in entry.partition(":"))
        if not separator or not name:
            raise properties.error(key, f"{entry!r} is not NAME:PROTOCOL")
        if protocol not in SECURITY_PROTOCOLS:
            raise properties.error(key, f"{protocol!r} is not one of {', '.join(SECURITY_PROTOCOLS)}")
        protocols[name] = protocol
    if not properties.is_set(key):
        controllers = properties.entries("controller.listener.names")
        listeners = (entry.partition("://")[0].upper() for entry in properties.entries("listeners"))
        if all(name == "PLAINTEXT" or name not in SECURITY_PROTOCOLS for name in (*controllers, *listeners)):
            for name in controllers:
                protocols.setdefault(name, "PLAINTEXT")
    return protocols


def parse_listeners(
    properties: Properties, key: str, protocols: Mapping[str, str], *, distinct_ports: bool
) -> tuple[Endpoint, ...]:
    """The listeners in a key's value, with names in upper case. The host "" means every interface.

    Raises ConfigError for an entry that is not a listener, for names used twice and, with ``distinct_ports``, for ports
    used twice, unless by one IPv4 and one IPv6 address. Port 0 asks for any free port.
    """
    endpoints = []
    for entry in dict.fromkeys(properties.entries(key)):
        matched = _LISTENER.fullmatch(entry)
        if matched is None:
            raise properties.error(key, f"{entry!r} is not NAME://HOST:PORT")
        name = matched.group(1).upper()
        port = int(matched.group(4))
        if port > MAX_PORT:
            raise properties.error(key, f"the port of {entry!r} must be 0 to {MAX_PORT}")
        if name not in protocols:
            raise properties.error(key, f"listener {name} has no entry in listener.security.protocol.map")
        host = matched.group(2) or matched.group(3) or ""
        protocol = SECURITY_PROTOCOLS[protocols[name]]
        endpoints.append(Endpoint(name=name, host=host, port=port, security_protocol=protocol))
    for name, count in Counter(endpoint.name for endpoint in endpoints).items():
        if count > 1:
            raise properties.error(key, f"listener {name} is there {count} times")
    if distinct_ports:
        _check_ports(properties, key, endpoints)
    return tuple(endpoints)


def parse_addresses(properties: Properties, key: str) -> tuple[Address, ...]:
    """The addresses in a key's value. Raises ConfigError for an entry that is not an address."""
    return tuple(parse_address(properties, key, entry) for entry in properties.entries(key))


def parse_address(properties: Properties, key: str, text: str) -> Address:
    """One ``HOST:PORT`` of a key's value. Raises ConfigError."""
    matched = _ADDRESS.fullmatch(text)
    if matched is None or int(matched.group(3)) > MAX_PORT:
        raise properties.error(key, f"{text!r} is not HOST:PORT with a port of 0 to {MAX_PORT}")
    return Address(host=matched.group(1) or matched.group(2), port=int(matched.group(3)))


def parse_voters(properties: Properties, protocols: Mapping[str, str]) -> tuple[Voter, ...]:
    """The static voters of ``controller.quorum.voters``, by id.

    Their directory ids are unknown, their address is that of the first controller listener, and they support
    kraft.version 0 only. ``protocols`` must contain the controller listener names. Raises ConfigError.
    """
    key = "controller.quorum.voters"
    listener = properties.entries("controller.listener.names")[0]
    voters: dict[int, Voter] = {}
    for entry in properties.entries(key):
        matched = _VOTER.fullmatch(entry)
        if matched is None:
            raise properties.error(key, f"{entry!r} is not ID@HOST:PORT")
        voter_id = int(matched.group(1))
        address = parse_address(properties, key, matched.group(2))
        if address.host in UNSPECIFIED_HOSTS:
            raise properties.error(key, f"{address.host} in {entry!r} is no address to connect to")
        if voter_id in voters:
            raise properties.error(key, f"voter {voter_id} is there more than once")
        endpoint = Endpoint(
            name=listener,
            host=address.host,
            port=address.port,
            security_protocol=SECURITY_PROTOCOLS[protocols[listener]],
        )
        voters[voter_id] = Voter(
            key=ReplicaKey(id=voter_id), endpoints=(endpoint,), min_kraft_version=0, max_kraft_version=0
        )
    return tuple(voters[voter_id] for voter_id in sorted(voters))


def _check_ports(properties: Properties, key: str, endpoints: list[Endpoint]) -> None:
    for port, count in Counter(endpoint.port for endpoint in endpoints if endpoint.port).items():
        hosts = [endpoint.host for endpoint in endpoints if endpoint.port == port]
        if count > 2 or (count == 2 and {_ip_version(host) for host in hosts} != {4, 6}):
            raise properties.error(
                key, f"port {port} is there {count} times; only an IPv4 and an IPv6 address may share one"
            )


def _ip_version(host: str) -> int | None:
    try:
        return ipaddress.ip_address(host).version
    except ValueError:
        return None
