"""StreamsGroupMetadataValue: versions 0, flexible from 0, record type 17.

Generated from group/StreamsGroupMetadataValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    Buffer,
    Malformed,
    Pieces,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

_unpack_i = struct.Struct(">i").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iq = struct.Struct(">iq").pack


class StreamsGroupMetadataValueLastAssignmentConfig(Struct):
    """LastAssignmentConfig of StreamsGroupMetadataValue."""

    __slots__ = ("key", "value", "unknown_tags")

    key: str
    """Versions 0+."""
    value: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        key: str = "",
        value: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupMetadataValueLastAssignmentConfig)
            and self.key == other.key
            and self.value == other.value
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupMetadataValue(Message):
    """Coordinator-value StreamsGroupMetadataValue."""

    __slots__ = (
        "epoch",
        "metadata_hash",
        "validated_topology_epoch",
        "last_assignment_configs",
        "stored_description_topology_epoch",
        "failed_description_topology_epoch",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "StreamsGroupMetadataValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 17
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    LastAssignmentConfig: TypeAlias = StreamsGroupMetadataValueLastAssignmentConfig

    epoch: int
    """Versions 0+."""
    metadata_hash: int
    """Versions 0+."""
    validated_topology_epoch: int
    """Versions 0+, tag 0 in 0+."""
    last_assignment_configs: list[StreamsGroupMetadataValueLastAssignmentConfig] | None
    """Versions 0+, null in 0+, tag 1 in 0+."""
    stored_description_topology_epoch: int
    """Versions 0+, tag 2 in 0+."""
    failed_description_topology_epoch: int
    """Versions 0+, tag 3 in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        epoch: int = 0,
        metadata_hash: int = 0,
        validated_topology_epoch: int = -1,
        last_assignment_configs: list[StreamsGroupMetadataValueLastAssignmentConfig] | None = EMPTY,
        stored_description_topology_epoch: int = -1,
        failed_description_topology_epoch: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.validated_topology_epoch = validated_topology_epoch
        self.last_assignment_configs = [] if last_assignment_configs is EMPTY else last_assignment_configs
        self.stored_description_topology_epoch = stored_description_topology_epoch
        self.failed_description_topology_epoch = failed_description_topology_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupMetadataValue)
            and self.epoch == other.epoch
            and self.metadata_hash == other.metadata_hash
            and self.validated_topology_epoch == other.validated_topology_epoch
            and self.last_assignment_configs == other.last_assignment_configs
            and self.stored_description_topology_epoch == other.stored_description_topology_epoch
            and self.failed_description_topology_epoch == other.failed_description_topology_epoch
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[StreamsGroupMetadataValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_last_assignment_config_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupMetadataValueLastAssignmentConfig], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupMetadataValueLastAssignmentConfig] = []
    for _ in range(size):
        message = StreamsGroupMetadataValueLastAssignmentConfig.__new__(
            StreamsGroupMetadataValueLastAssignmentConfig,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.key = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.value = str(buffer[position:end], "utf-8")
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupMetadataValue, int]:
    message = StreamsGroupMetadataValue.__new__(StreamsGroupMetadataValue)
    message.epoch, message.metadata_hash, tags = _unpack_iqB(buffer, position)
    position += 13
    message.validated_topology_epoch = -1
    message.last_assignment_configs = []
    message.stored_description_topology_epoch = -1
    message.failed_description_topology_epoch = -1
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.validated_topology_epoch,) = _unpack_i(buffer, position)
                position += 4
            elif tag == 1:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if count > 1:
                    message.last_assignment_configs, position = _read_many_last_assignment_config_v0(buffer, position, count - 1)
                elif count:
                    message.last_assignment_configs = []
                else:
                    message.last_assignment_configs = None
            elif tag == 2:
                (message.stored_description_topology_epoch,) = _unpack_i(buffer, position)
                position += 4
            elif tag == 3:
                (message.failed_description_topology_epoch,) = _unpack_i(buffer, position)
                position += 4
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_last_assignment_config_v0(
    out: Pieces,
    message: StreamsGroupMetadataValueLastAssignmentConfig,
) -> None:
    key = message.key
    data = key.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    value = message.value
    data = value.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: StreamsGroupMetadataValue) -> None:
    out.append(_pack_iq(message.epoch, message.metadata_hash))
    tagged = []
    section: Pieces
    if message.validated_topology_epoch != -1:
        section = []
        section.append(_pack_i(message.validated_topology_epoch))
        tagged.append((0, b"".join(section)))
    if message.last_assignment_configs is None or len(message.last_assignment_configs) != 0:
        section = []
        last_assignment_configs = message.last_assignment_configs
        if last_assignment_configs is None:
            last_assignment_configs = EMPTY
            count = 0
        else:
            count = len(last_assignment_configs) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for last_assignment_configs_item in last_assignment_configs:
            _write_last_assignment_config_v0(section, last_assignment_configs_item)
        tagged.append((1, b"".join(section)))
    if message.stored_description_topology_epoch != -1:
        section = []
        section.append(_pack_i(message.stored_description_topology_epoch))
        tagged.append((2, b"".join(section)))
    if message.failed_description_topology_epoch != -1:
        section = []
        section.append(_pack_i(message.failed_description_topology_epoch))
        tagged.append((3, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    last_assignment_config_struct = StructSchema(
        python_class=StreamsGroupMetadataValueLastAssignmentConfig,
        fields=(
            FieldSchema(
                name="Key",
                attribute="key",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Value",
                attribute="value",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    streams_group_metadata_value_struct = StructSchema(
        python_class=StreamsGroupMetadataValue,
        fields=(
            FieldSchema(
                name="Epoch",
                attribute="epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MetadataHash",
                attribute="metadata_hash",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ValidatedTopologyEpoch",
                attribute="validated_topology_epoch",
                type="int32",
                versions=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=-1,
            ),
            FieldSchema(
                name="LastAssignmentConfigs",
                attribute="last_assignment_configs",
                type="LastAssignmentConfig",
                struct=last_assignment_config_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                tagged=(0, 32767),
                tag=1,
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="StoredDescriptionTopologyEpoch",
                attribute="stored_description_topology_epoch",
                type="int32",
                versions=(0, 32767),
                tagged=(0, 32767),
                tag=2,
                default=-1,
            ),
            FieldSchema(
                name="FailedDescriptionTopologyEpoch",
                attribute="failed_description_topology_epoch",
                type="int32",
                versions=(0, 32767),
                tagged=(0, 32767),
                tag=3,
                default=-1,
            ),
        ),
    )
    return MessageSchema(
        name="StreamsGroupMetadataValue",
        flexible_from=0,
        root=streams_group_metadata_value_struct,
    )
