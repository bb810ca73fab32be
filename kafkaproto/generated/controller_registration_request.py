"""ControllerRegistrationRequest: versions 0, flexible from 0, api key 70.

Generated from api/ControllerRegistrationRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    ELEMENTS_A_STEP,
    EMPTY,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_pieces,
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


class ControllerRegistrationRequestListener(Struct):
    """Listener of ControllerRegistrationRequest."""

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
            isinstance(other, ControllerRegistrationRequestListener)
            and self.name == other.name
            and self.host == other.host
            and self.port == other.port
            and self.security_protocol == other.security_protocol
            and self.unknown_tags == other.unknown_tags
        )



class ControllerRegistrationRequestFeature(Struct):
    """Feature of ControllerRegistrationRequest."""

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
            isinstance(other, ControllerRegistrationRequestFeature)
            and self.name == other.name
            and self.min_supported_version == other.min_supported_version
            and self.max_supported_version == other.max_supported_version
            and self.unknown_tags == other.unknown_tags
        )



class ControllerRegistrationRequest(Message):
    """Request ControllerRegistrationRequest."""

    __slots__ = (
        "controller_id",
        "incarnation_id",
        "zk_migration_ready",
        "listeners",
        "features",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ControllerRegistrationRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 70
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)
    Listener: TypeAlias = ControllerRegistrationRequestListener
    Feature: TypeAlias = ControllerRegistrationRequestFeature

    controller_id: int
    """Versions 0+."""
    incarnation_id: bytes
    """Made anew whenever the process starts. Versions 0+."""
    zk_migration_ready: bool
    """Left over from the migration off ZooKeeper; always false in 4.x. Versions 0+."""
    listeners: list[ControllerRegistrationRequestListener]
    """Versions 0+."""
    features: list[ControllerRegistrationRequestFeature]
    """Levels of each feature that the controller could run with. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        controller_id: int = 0,
        incarnation_id: bytes = ZERO_UUID,
        zk_migration_ready: bool = False,
        listeners: list[ControllerRegistrationRequestListener] = EMPTY,
        features: list[ControllerRegistrationRequestFeature] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.controller_id = controller_id
        self.incarnation_id = incarnation_id
        self.zk_migration_ready = zk_migration_ready
        self.listeners = [] if listeners is EMPTY else listeners
        self.features = [] if features is EMPTY else features
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ControllerRegistrationRequest)
            and self.controller_id == other.controller_id
            and self.incarnation_id == other.incarnation_id
            and self.zk_migration_ready == other.zk_migration_ready
            and self.listeners == other.listeners
            and self.features == other.features
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ControllerRegistrationRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[ControllerRegistrationRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_listener_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ControllerRegistrationRequestListener], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ControllerRegistrationRequestListener] = []
    for _ in range(size):
        message = ControllerRegistrationRequestListener.__new__(ControllerRegistrationRequestListener)
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


def _read_many_feature_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ControllerRegistrationRequestFeature], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ControllerRegistrationRequestFeature] = []
    for _ in range(size):
        message = ControllerRegistrationRequestFeature.__new__(ControllerRegistrationRequestFeature)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[ControllerRegistrationRequest, int]:
    message = ControllerRegistrationRequest.__new__(ControllerRegistrationRequest)
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
        message.listeners, position = _read_many_listener_v0(buffer, position, count - 1)
    elif count:
        message.listeners = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.features, position = _read_many_feature_v0(buffer, position, count - 1)
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


def _step_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[ControllerRegistrationRequest, int]]:
    message = ControllerRegistrationRequest.__new__(ControllerRegistrationRequest)
    (
        message.controller_id,
        message.incarnation_id,
        message.zk_migration_ready,
        count,
    ) = _unpack_iutB(buffer, position)
    position += 22
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ControllerRegistrationRequest.listeners")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.listeners, position = yield from read_pieces(
                _read_many_listener_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.listeners, position = _read_many_listener_v0(buffer, position, count - 1)
            budget.take_tags(message.listeners)
    elif count:
        message.listeners = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ControllerRegistrationRequest.features")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.features, position = yield from read_pieces(
                _read_many_feature_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.features, position = _read_many_feature_v0(buffer, position, count - 1)
            budget.take_tags(message.features)
    elif count:
        message.features = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_listener_v0(out: Pieces, message: ControllerRegistrationRequestListener) -> None:
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


def _write_feature_v0(out: Pieces, message: ControllerRegistrationRequestFeature) -> None:
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


def _write_v0(out: Pieces, message: ControllerRegistrationRequest) -> None:
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    listeners = message.listeners
    count = len(listeners) + 1
    if count < 128:
        out.append(_pack_iutB(message.controller_id, incarnation_id, message.zk_migration_ready, count))
    else:
        out.append(_pack_iut(message.controller_id, incarnation_id, message.zk_migration_ready))
        out.append(pack_length(count))
    for listeners_item in listeners:
        _write_listener_v0(out, listeners_item)
    features = message.features
    count = len(features) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for features_item in features:
        _write_feature_v0(out, features_item)
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

_STEP_READERS = (
    _step_v0,
)


@cache
def _schema() -> MessageSchema:
    listener_struct = StructSchema(
        python_class=ControllerRegistrationRequestListener,
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
    feature_struct = StructSchema(
        python_class=ControllerRegistrationRequestFeature,
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
    controller_registration_request_struct = StructSchema(
        python_class=ControllerRegistrationRequest,
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
                name="Listeners",
                attribute="listeners",
                type="Listener",
                struct=listener_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Features",
                attribute="features",
                type="Feature",
                struct=feature_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ControllerRegistrationRequest",
        flexible_from=0,
        root=controller_registration_request_struct,
    )
