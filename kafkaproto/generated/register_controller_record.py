"""RegisterControllerRecord: versions 0, flexible from 0, record type 27.

Generated from metadata/RegisterControllerRecord.json by codegen; change the schema, not this file.
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
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_HhB = struct.Struct(">HhB").unpack_from
_unpack_hhB = struct.Struct(">hhB").unpack_from
_unpack_iutB = struct.Struct(">i16s?B").unpack_from
_pack_Hh = struct.Struct(">Hh").pack
_pack_HhB = struct.Struct(">HhB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_hhB = struct.Struct(">hhB").pack
_pack_iut = struct.Struct(">i16s?").pack
_pack_iutB = struct.Struct(">i16s?B").pack


class RegisterControllerRecordControllerEndpoint(Struct):
    """ControllerEndpoint of RegisterControllerRecord."""

    __slots__ = ("name", "host", "port", "security_protocol", "unknown_tags")

    name: str
    """Versions 0+."""
    host: str
    """Versions 0+."""
    port: int
    """Versions 0+."""
    security_protocol: int
    """0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        security_protocol: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RegisterControllerRecordControllerEndpoint)
            and self.name == other.name
            and self.host == other.host
            and self.port == other.port
            and self.security_protocol == other.security_protocol
            and self.unknown_tags == other.unknown_tags
        )



class RegisterControllerRecordControllerFeature(Struct):
    """ControllerFeature of RegisterControllerRecord."""

    __slots__ = ("name", "min_supported_version", "max_supported_version", "unknown_tags")

    name: str
    """Versions 0+."""
    min_supported_version: int
    """Versions 0+."""
    max_supported_version: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        min_supported_version: int = 0,
        max_supported_version: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RegisterControllerRecordControllerFeature)
            and self.name == other.name
            and self.min_supported_version == other.min_supported_version
            and self.max_supported_version == other.max_supported_version
            and self.unknown_tags == other.unknown_tags
        )



class RegisterControllerRecord(Message):
    """Metadata RegisterControllerRecord."""

    __slots__ = (
        "controller_id",
        "incarnation_id",
        "zk_migration_ready",
        "end_points",
        "features",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "RegisterControllerRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 27
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    ControllerEndpoint: TypeAlias = RegisterControllerRecordControllerEndpoint
    ControllerFeature: TypeAlias = RegisterControllerRecordControllerFeature

    controller_id: int
    """Versions 0+."""
    incarnation_id: bytes
    """Made anew whenever the process starts. Versions 0+."""
    zk_migration_ready: bool
    """Left over from the migration off ZooKeeper; always false in 4.x. Versions 0+."""
    end_points: list[RegisterControllerRecordControllerEndpoint]
    """Versions 0+."""
    features: list[RegisterControllerRecordControllerFeature]
    """Levels of each feature that the controller could run with. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        controller_id: int = 0,
        incarnation_id: bytes = ZERO_UUID,
        zk_migration_ready: bool = False,
        end_points: list[RegisterControllerRecordControllerEndpoint] = EMPTY,
        features: list[RegisterControllerRecordControllerFeature] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.controller_id = controller_id
        self.incarnation_id = incarnation_id
        self.zk_migration_ready = zk_migration_ready
        self.end_points = [] if end_points is EMPTY else end_points
        self.features = [] if features is EMPTY else features
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RegisterControllerRecord)
            and self.controller_id == other.controller_id
            and self.incarnation_id == other.incarnation_id
            and self.zk_migration_ready == other.zk_migration_ready
            and self.end_points == other.end_points
            and self.features == other.features
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RegisterControllerRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_controller_endpoint_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[RegisterControllerRecordControllerEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[RegisterControllerRecordControllerEndpoint] = []
    for _ in range(size):
        message = RegisterControllerRecordControllerEndpoint.__new__(
            RegisterControllerRecordControllerEndpoint,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.port, message.security_protocol, tags = _unpack_HhB(buffer, position)
        position += 5
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_controller_feature_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[RegisterControllerRecordControllerFeature], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[RegisterControllerRecordControllerFeature] = []
    for _ in range(size):
        message = RegisterControllerRecordControllerFeature.__new__(RegisterControllerRecordControllerFeature)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.min_supported_version, message.max_supported_version, tags = _unpack_hhB(buffer, position)
        position += 5
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[RegisterControllerRecord, int]:
    message = RegisterControllerRecord.__new__(RegisterControllerRecord)
    (
        message.controller_id,
        message.incarnation_id,
        message.zk_migration_ready,
        count,
    ) = _unpack_iutB(buffer, position)
    position += 22
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.end_points, position = _read_many_controller_endpoint_v0(buffer, position, count - 1)
    elif count:
        message.end_points = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.features, position = _read_many_controller_feature_v0(buffer, position, count - 1)
    elif count:
        message.features = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_controller_endpoint_v0(out: Pieces, message: RegisterControllerRecordControllerEndpoint) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_Hh(message.port, message.security_protocol))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_HhB(message.port, message.security_protocol, 0))


def _write_controller_feature_v0(out: Pieces, message: RegisterControllerRecordControllerFeature) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_hh(message.min_supported_version, message.max_supported_version))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hhB(message.min_supported_version, message.max_supported_version, 0))


def _write_v0(out: Pieces, message: RegisterControllerRecord) -> None:
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    end_points = message.end_points
    count = len(end_points) + 1
    if count < 128:
        out.append(_pack_iutB(message.controller_id, incarnation_id, message.zk_migration_ready, count))
    else:
        out.append(_pack_iut(message.controller_id, incarnation_id, message.zk_migration_ready))
        out.append(pack_length(count))
    for end_points_item in end_points:
        _write_controller_endpoint_v0(out, end_points_item)
    features = message.features
    count = len(features) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for features_item in features:
        _write_controller_feature_v0(out, features_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
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
    controller_endpoint_struct = StructSchema(
        python_class=RegisterControllerRecordControllerEndpoint,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Port",
                attribute="port",
                type="uint16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="SecurityProtocol",
                attribute="security_protocol",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    controller_feature_struct = StructSchema(
        python_class=RegisterControllerRecordControllerFeature,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MinSupportedVersion",
                attribute="min_supported_version",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MaxSupportedVersion",
                attribute="max_supported_version",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    register_controller_record_struct = StructSchema(
        python_class=RegisterControllerRecord,
        fields=(
            FieldSchema(
                name="ControllerId",
                attribute="controller_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="IncarnationId",
                attribute="incarnation_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="ZkMigrationReady",
                attribute="zk_migration_ready",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="EndPoints",
                attribute="end_points",
                type="ControllerEndpoint",
                struct=controller_endpoint_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Features",
                attribute="features",
                type="ControllerFeature",
                struct=controller_feature_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="RegisterControllerRecord",
        flexible_from=0,
        root=register_controller_record_struct,
    )
