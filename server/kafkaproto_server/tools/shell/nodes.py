"""The tree that ``kafka-metadata-shell`` walks: an image as directories and files.

A node is created when it is used, and its children when they are asked for. So an image with hundreds of thousands of
partitions costs nothing but its own loading. ``/image`` contains what Kafka's shell shows, with the same names.
``/local`` contains what this tool adds: ``version``, its own, and ``digest``, a SHA-256 over the image's content that
is equal on all nodes with the same metadata.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import msgspec
from immutables import Map

from kafkaproto import uuids
from kafkaproto.connection import SOFTWARE_VERSION
from kafkaproto.messages import UserScramCredentialRecord
from kafkaproto_server.config.keys.sensitivity import is_sensitive
from kafkaproto_server.metadata.features import METADATA_VERSION, metadata_version
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.records import (
    acl_record,
    delegation_token_record,
    partition_record,
    register_broker_record,
    register_controller_record,
)
from kafkaproto_server.tools.dump.dumped_files import java_double
from kafkaproto_server.tools.redaction import REDACTED
from kafkaproto_server.tools.shell import text
from kafkaproto_server.tools.shell.text import record_json

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileNode:
    text: Callable[[], str]
    """The content as Kafka's shell prints it."""
    json: Callable[[], Any]
    """The content as JSON values."""


@dataclass(frozen=True, slots=True)
class DirectoryNode:
    names: Callable[[], Iterable[str]]
    """Names of the children, in any order."""
    child: Callable[[str], Node | None]
    """The child with a name; None if there is none."""

    def names_in_order(self) -> list[str]:
        """Names of the children in the order of listing."""
        return sorted(self.names())


Node: TypeAlias = FileNode | DirectoryNode


def root(image: ClusterImage, *, secrets: bool) -> DirectoryNode:
    """The root of the tree of an image, with or without its secrets."""
    return _fixed({"image": lambda: _image(image, secrets), "local": lambda: _local(image)})


def _local(image: ClusterImage) -> Node:
    return _fixed(
        {"digest": lambda: _plain(digest(image).hex()), "version": lambda: _plain(SOFTWARE_VERSION)}
    )


def _image(image: ClusterImage, secrets: bool) -> Node:
    return _fixed(
        {
            "acls": lambda: _fixed({"byId": lambda: _acls(image)}),
            "clientQuotas": lambda: _client_quotas(image),
            "cluster": lambda: _fixed(
                {"brokers": lambda: _brokers(image), "controllers": lambda: _controllers(image)}
            ),
            "configs": lambda: _configs(image, secrets),
            "delegationToken": lambda: _delegation_tokens(image, secrets),
            "features": lambda: _features(image),
            # If an image has no producer ids, Kafka's shell shows -1.
            "producerIds": lambda: _fixed({"nextProducerId": lambda: _plain(image.next_producer_id or -1)}),
            "provenance": lambda: FileNode(
                lambda: text.provenance(image),
                lambda: {"offset": image.offset, "epoch": image.epoch, "timestampMs": image.timestamp_ms},
            ),
            "scram": lambda: _scram(image, secrets),
            "topics": lambda: _fixed(
                {"byId": lambda: _topics_by_id(image), "byName": lambda: _topics_by_name(image)}
            ),
        }
    )


# -- kinds of nodes ------------------------------------------------------------------------------------------------


def _named(children: Mapping[str, T], make: Callable[[T], Node]) -> DirectoryNode:
    """Children that are made from a mapping's values."""

    def child(name: str) -> Node | None:
        value = children.get(name)
        return None if value is None else make(value)

    return DirectoryNode(lambda: children, child)


def _fixed(children: Mapping[str, Callable[[], Node]]) -> DirectoryNode:
    return _named(children, lambda make: make())


def _numbered(children: Map[int, Any], make: Callable[[int], Node]) -> DirectoryNode:
    """Children whose names are numbers."""

    def child(name: str) -> Node | None:
        number = int(name) if name.isascii() and name.isdigit() else None
        if number is None or number not in children or str(number) != name:
            return None
        return make(number)

    return DirectoryNode(lambda: map(str, children), child)


def _plain(value: str | int) -> FileNode:
    return FileNode(lambda: str(value), lambda: value)


# -- the parts of an image -----------------------------------------------------------------------------------------


def _acls(image: ClusterImage) -> Node:
    def child(name: str) -> Node | None:
        try:
            acl_id = uuids.from_text(name)
        except ValueError:
            return None
        entry = image.acls.get(acl_id)
        if entry is None:
            return None
        record = acl_record(acl_id, entry)
        return FileNode(lambda: text.acl(entry), lambda: record_json(record, image))

    return DirectoryNode(lambda: map(uuids.to_text, image.acls), child)


def _client_quotas(image: ClusterImage) -> Node:
    entities = {text.quota_entity(entity): entity for entity in image.client_quotas}
    return _named(entities, lambda entity: _named(image.client_quotas[entity], _quota))


def _quota(value: float) -> FileNode:
    return FileNode(lambda: java_double(value), lambda: value)


def _brokers(image: ClusterImage) -> Node:
    def broker(broker_id: int) -> Node:
        registration = image.brokers[broker_id]
        record = register_broker_record(registration, image.metadata_version)
        return FileNode(lambda: text.broker(registration), lambda: record_json(record, image))

    return _numbered(image.brokers, broker)


def _controllers(image: ClusterImage) -> Node:
    def controller(controller_id: int) -> Node:
        registration = image.controllers[controller_id]
        record = register_controller_record(registration)
        return FileNode(lambda: text.controller(registration), lambda: record_json(record, image))

    return _numbered(image.controllers, controller)


def _configs(image: ClusterImage, secrets: bool) -> Node:
    resources = {text.config_resource(*resource): resource for resource in image.configs}

    def configs(resource: tuple[int, str]) -> Node:
        values = image.configs[resource]
        # Made from the names, so that a value is read only after the check whether it is a secret.
        return _named({name: name for name in values}, lambda name: value(resource, name))

    def value(resource: tuple[int, str], name: str) -> FileNode:
        is_hidden = not secrets and is_sensitive(resource[0], name)
        return _plain(REDACTED if is_hidden else image.configs[resource][name])

    return _named(resources, configs)


def _delegation_tokens(image: ClusterImage, secrets: bool) -> Node:
    def file(name: str) -> FileNode:
        token = image.delegation_tokens[name]
        record = delegation_token_record(name, token)
        shown = name if secrets else REDACTED
        return FileNode(
            lambda: text.delegation_token(shown, token), lambda: record_json(record, image, secrets=secrets)
        )

    return _named({name: name for name in image.delegation_tokens}, file)


_FINALIZED = "finalized_"
_METADATA_VERSION = "metadataVersion"


def _features(image: ClusterImage) -> Node:
    def names() -> Iterable[str]:
        # Kafka's shell lists this name also if the feature is not set.
        yield _METADATA_VERSION
        yield from (f"{_FINALIZED}{name}" for name in image.features if name != METADATA_VERSION)

    def child(name: str) -> Node | None:
        if name == _METADATA_VERSION:
            return _metadata_version(image.metadata_version)
        feature = name.removeprefix(_FINALIZED)
        if feature in (name, METADATA_VERSION) or feature not in image.features:
            return None
        return _plain(image.features[feature])

    return DirectoryNode(names, child)


def _metadata_version(level: int) -> FileNode:
    if level == 0:
        return FileNode(lambda: "Optional.empty", lambda: None)
    try:
        name = metadata_version(level).name
    except ValueError:
        name = f"UNKNOWN {level}"
    return FileNode(lambda: f"Optional[{name}]", lambda: name)


def _scram(image: ClusterImage, secrets: bool) -> Node:
    mechanisms = {name: number for number, name in text.SCRAM_MECHANISMS.items()}
    return _named(mechanisms, lambda mechanism: _scram_users(image, mechanism, secrets))


def _scram_users(image: ClusterImage, mechanism: int, secrets: bool) -> Node:
    def user(name: str) -> FileNode:
        credential = image.scram_credentials[mechanism, name]
        record = UserScramCredentialRecord(
            name=name, mechanism=mechanism, **msgspec.structs.asdict(credential)
        )
        return FileNode(
            lambda: text.scram_credential(credential, secrets=secrets),
            lambda: record_json(record, image, secrets=secrets),
        )

    return _named({name: name for each, name in image.scram_credentials if each == mechanism}, user)


def _topics_by_id(image: ClusterImage) -> Node:
    def child(name: str) -> Node | None:
        try:
            topic = image.topics.get(uuids.from_text(name))
        except ValueError:
            return None
        return None if topic is None else _topic(image, topic)

    return DirectoryNode(lambda: map(uuids.to_text, image.topics), child)


def _topics_by_name(image: ClusterImage) -> Node:
    def child(name: str) -> Node | None:
        topic = image.topic_by_name(name)
        return None if topic is None else _topic(image, topic)

    return DirectoryNode(lambda: image.topic_ids, child)


def _topic(image: ClusterImage, topic: TopicImage) -> Node:
    def partition(index: int) -> Node:
        found = topic.partitions[index]
        record = partition_record(topic.topic_id, index, found, image.metadata_version)
        return FileNode(lambda: text.partition(found), lambda: record_json(record, image))

    partitions = _numbered(topic.partitions, partition)

    def child(name: str) -> Node | None:
        if name == "id":
            return _plain(uuids.to_text(topic.topic_id))
        if name == "name":
            return _plain(topic.name)
        return partitions.child(name)

    return DirectoryNode(lambda: [*partitions.names(), "id", "name"], child)
