"""The data part of a KRaft snapshot: writes an image as an ordered list of records, and reads it back.

The order is that of Apache Kafka's snapshots: metadata.version first (it decides how the rest is read), then the other
features, brokers, controllers, each topic followed by its partitions, configs, quotas, producer ids, ACLs, SCRAM
credentials, delegation tokens. Within each kind, records are in order of name or id, so that two nodes write the same
bytes for the same image.

`image_records` yields the records as messages. `image_values` yields, and `image_from_values` takes, their bytes as in
the snapshot file, which is several times as fast. All of them go record by record, so that a snapshot of a large image
can be written in slices.

Apache Kafka: ``ImageWriter``, ``MetadataImage.write`` and ``MetadataDelta``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from immutables import Map

from kafkaproto.messages import (
    ClientQuotaRecord,
    ConfigRecord,
    FeatureLevelRecord,
    ProducerIdsRecord,
    TopicRecord,
    UserScramCredentialRecord,
)
from kafkaproto.records.metadata import decode_metadata_record, encode_metadata_record
from kafkaproto_server.metadata.image.apply_configs import quota_entity_order
from kafkaproto_server.metadata.image.entries import (
    METADATA_VERSION_FEATURE,
    PartitionImage,
    QuotaEntity,
    TopicImage,
)
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.partition_codec import (
    PARTITION_START,
    PartitionEncoder,
    decode_partition,
)
from kafkaproto_server.metadata.image.partition_counts import Tally
from kafkaproto_server.metadata.image.records import (
    acl_record,
    delegation_token_record,
    partition_record,
    record_version,
    register_broker_record,
    register_controller_record,
)
from kafkaproto_server.metadata.image.replay import replay
from kafkaproto_server.metadata.image.sorting import sorted_steps
from kafkaproto_server.metadata.image.topic_names import with_name

T = TypeVar("T")


def image_records(image: ClusterImage) -> Iterator[tuple[Any, int]]:
    """(record message, record version) of everything in the image, in the order of a snapshot."""
    for record in _messages(image):
        if record is not None:
            yield record, record_version(record, image.metadata_version)


def image_values(image: ClusterImage) -> Iterator[bytes]:
    """The same records as framed and encoded values. Empty values stand for no record: they let a caller that writes in
    slices pause there, too."""
    version = image.metadata_version
    encoder = PartitionEncoder(version)
    # Few: features, brokers and controllers need no pauses.
    for record in _messages_before_topics(image):
        yield encode_metadata_record(record, record_version(record, version))
    for name in _in_order(image.topic_ids):
        if name is None:
            yield b""
            continue
        topic_id = image.topic_ids[name]
        topic = TopicRecord(name=name, topic_id=topic_id)
        yield encode_metadata_record(topic, record_version(topic, version))
        # Behind their topic: replay refuses a partition whose topic it does not know.
        for index, partition in image.topics[topic_id].partitions_in_order():
            # Without a message object for each: partitions are nearly all of a snapshot.
            yield encoder.encode(topic_id, index, partition)
    for record in _messages_after_topics(image):
        yield b"" if record is None else encode_metadata_record(record, record_version(record, version))


def _in_order(names: Iterable[T], key: Callable[[T], Any] | None = None) -> Iterator[T | None]:
    """The names in order; None after each piece of work that has not brought a name yet."""
    yield from (yield from sorted_steps(names, key))


def image_from_values(values: Iterable[bytes], *, offset: int, epoch: int, timestamp_ms: int) -> ClusterImage:
    """The image of a snapshot, from the values of its records. ``offset`` is the last offset that the snapshot
    contains, ``epoch`` is that offset's leader epoch, and ``timestamp_ms`` is the append time in its header.

    Raises ReplayError if a record contradicts those before it, RemoteProtocolError if a record cannot be read.
    """
    builder = _Builder(offset)
    for value in values:
        builder.add(value)
    return builder.finish().at(offset, epoch, timestamp_ms)


# Replay alone would do. For 200,000 partitions it takes several times as long, and a node that starts waits for it.
class _Builder:
    """Builds an image. Topics and partitions, which are nearly all of it, are collected first and added together."""

    def __init__(self, offset: int) -> None:
        self._offset = offset
        self._image = EMPTY_IMAGE
        # What is not in the image yet.
        self._partitions: dict[bytes, dict[int, PartitionImage]] = {}
        self._topic_ids: dict[str, bytes] = {}

    def add(self, value: bytes) -> None:
        if value.startswith(PARTITION_START):
            found = decode_partition(value)
            # The topic may be in the image already, or was never named. Then replay adds the
            # partition, or raises the error.
            if found is not None and (partitions := self._partitions.get(found[0])) is not None:
                # As in replay, a second record of one partition replaces the first.
                partitions[found[1]] = found[2]
                return
        record, _ = decode_metadata_record(value)
        if isinstance(record, TopicRecord) and self._is_new(record):
            # Collected in plain dicts: a persistent map that grows one by one copies a path each time.
            self._partitions[record.topic_id] = {}
            self._topic_ids[record.name] = record.topic_id
            return
        # The collected topics go in first: a record may refer to one of them.
        # With the offset of the snapshot: a broker registration gets it, so its broker is caught up once it has read
        # this far.
        self._image = replay(self.finish(), record, self._offset)

    def finish(self) -> ClusterImage:
        """The image with all added records."""
        if self._topic_ids:
            # All at once: the map of topics is copied once, not once a topic.
            topics = self._image.topics.mutate()
            ambiguous_names = self._image.ambiguous_names
            tally = Tally()
            for name, topic_id in self._topic_ids.items():
                partitions = Map(self._partitions[topic_id])
                topics[topic_id] = TopicImage(name=name, topic_id=topic_id, partitions=partitions)
                # What follows from the topics is made here, since no record of a snapshot has it.
                ambiguous_names = with_name(ambiguous_names, name)
                for partition in partitions.values():
                    tally.add(partition)
            self._image = msgspec.structs.replace(
                self._image,
                topics=topics.finish(),
                topic_ids=self._image.topic_ids.update(self._topic_ids),
                ambiguous_names=ambiguous_names,
                partition_counts=tally.applied(self._image.partition_counts),
            )
            assert len(self._image.topics) == len(self._image.topic_ids), "each topic has one name"
            self._partitions, self._topic_ids = {}, {}
        return self._image

    def _is_new(self, topic: TopicRecord) -> bool:
        """Whether neither name nor id is taken; if one is, `replay` raises the error."""
        return (
            topic.name not in self._topic_ids
            and topic.name not in self._image.topic_ids
            and topic.topic_id not in self._partitions
            and topic.topic_id not in self._image.topics
        )


def _messages(image: ClusterImage) -> Iterator[Any | None]:
    yield from _messages_before_topics(image)
    for topic in image.topics_in_order():
        yield TopicRecord(name=topic.name, topic_id=topic.topic_id)
        for index, partition in topic.partitions_in_order():
            yield partition_record(topic.topic_id, index, partition, image.metadata_version)
    yield from _messages_after_topics(image)


def _messages_before_topics(image: ClusterImage) -> Iterator[Any]:
    yield from _feature_records(image)
    for broker in image.brokers_in_order():
        # Fenced and in controlled shutdown as they are: a snapshot has no records of changes.
        yield register_broker_record(broker, image.metadata_version)
    for controller in image.controllers_in_order():
        yield register_controller_record(controller)


def _messages_after_topics(image: ClusterImage) -> Iterator[Any | None]:
    """The rest, in order; None after each piece of work that has not brought a record yet."""
    for resource in _in_order(image.configs):
        # A pause in sorting, passed on: a snapshot is written by the event loop, a little at a time.
        if resource is None:
            yield None
            continue
        resource_type, resource_name = resource
        values = image.configs[resource]
        # Keys of one resource are few, so this sort is no long step.
        for key in sorted(values):
            yield ConfigRecord(
                resource_type=resource_type, resource_name=resource_name, name=key, value=values[key]
            )
    # After the configs, as in Kafka's snapshots; no record here refers to an earlier kind.
    yield from _quota_records(image)
    # At 0 no block was given out, and Kafka's snapshots have no record either.
    if image.next_producer_id > 0:
        # As in Apache Kafka's snapshots, the broker that got the last block is not recorded.
        yield ProducerIdsRecord(broker_id=-1, broker_epoch=-1, next_producer_id=image.next_producer_id)
    yield from _security_records(image)


def _feature_records(image: ClusterImage) -> Iterator[Any]:
    def metadata_version_first(name: str) -> tuple[bool, str]:
        # It is the only feature that decides about the versions of other records.
        return name != METADATA_VERSION_FEATURE, name

    for name in sorted(image.features, key=metadata_version_first):
        yield FeatureLevelRecord(name=name, feature_level=image.features[name])


def _quota_records(image: ClusterImage) -> Iterator[Any | None]:
    def entity_order(entity: QuotaEntity) -> list[tuple[str, bool, str]]:
        return [quota_entity_order(pair) for pair in entity]

    for entity in _in_order(image.client_quotas, entity_order):
        if entity is None:
            yield None
            continue
        values = image.client_quotas[entity]
        for key in sorted(values):
            yield ClientQuotaRecord(
                entity=[
                    ClientQuotaRecord.EntityData(entity_type=entity_type, entity_name=name)
                    for entity_type, name in entity
                ],
                key=key,
                value=values[key],
            )


def _security_records(image: ClusterImage) -> Iterator[Any | None]:
    for acl_id in _in_order(image.acls):
        # By id: the ids are the keys, and an ACL may have two of them.
        yield None if acl_id is None else acl_record(acl_id, image.acls[acl_id])
    for credential_id in _in_order(image.scram_credentials):
        if credential_id is None:
            yield None
            continue
        mechanism, user = credential_id
        credential = image.scram_credentials[credential_id]
        yield UserScramCredentialRecord(
            name=user,
            mechanism=mechanism,
            salt=credential.salt,
            stored_key=credential.stored_key,
            server_key=credential.server_key,
            iterations=credential.iterations,
        )
    for token_id in _in_order(image.delegation_tokens):
        yield (
            None if token_id is None else delegation_token_record(token_id, image.delegation_tokens[token_id])
        )
