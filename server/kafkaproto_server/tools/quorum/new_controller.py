"""Reads a controller that is to become a voter from its own files: properties and ``meta.properties``."""

from __future__ import annotations

import msgspec

from kafkaproto_server.base.types import Endpoint, ReplicaKey
from kafkaproto_server.config.listeners import parse_listeners, parse_security_protocols
from kafkaproto_server.config.properties import read_properties
from kafkaproto_server.config.rules import CONTROLLER
from kafkaproto_server.shell.storage.directories.meta_properties import read_log_directory
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.errors import StorageError


def read_new_controller(path: str) -> tuple[ReplicaKey, tuple[Endpoint, ...]]:
    """The controller's key, and the endpoints of its controller listeners; a listener without a host is on
    ``localhost``.

    The file may contain anything else, such as a client's keys. Raises ConfigError for missing keys, and StorageError
    if the directory of the metadata log is not formatted.
    """
    properties, _ = read_properties(path, {})
    properties.check_each()
    node_id = properties.integer("node.id")
    if CONTROLLER not in properties.entries("process.roles"):
        raise properties.error("process.roles", f"must have {CONTROLLER}: only a controller can be a voter")
    names = properties.entries("controller.listener.names")
    protocols = parse_security_protocols(properties)
    bound = parse_listeners(properties, "listeners", protocols, distinct_ports=False)
    advertised = parse_listeners(properties, "advertised.listeners", protocols, distinct_ports=False)
    by_name = {endpoint.name: endpoint for endpoint in (*bound, *advertised)}
    for name in names:
        if name not in by_name:
            raise properties.error("controller.listener.names", f"{name} is not in listeners")
    directories = properties.entries("log.dirs") or properties.entries("log.dir")
    directory = read_log_directory(OsDisk(), properties.string("metadata.log.dir") or directories[0])
    if directory.problem is not None:
        raise StorageError(directory.problem)
    if directory.properties is None or directory.properties.directory_id is None:
        raise StorageError(f"{directory.path} has no directory id; kafka-storage format makes one")
    endpoints = (by_name[name] for name in dict.fromkeys(names))
    return (
        ReplicaKey(id=node_id, directory_id=directory.properties.directory_id),
        tuple(msgspec.structs.replace(each, host=each.host or "localhost") for each in endpoints),
    )
