"""RegisterBrokerRecord: versions 0-4, flexible from 0, record type 0.

Generated from metadata/RegisterBrokerRecord.json by codegen; change the schema, not this file.
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
    pack_uuids,
    read_long_length,
    read_string_length,
    read_tag_section,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_ttB = struct.Struct(">??B").unpack_from
_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_HhB = struct.Struct(">HhB").unpack_from
_unpack_hhB = struct.Struct(">hhB").unpack_from
_unpack_iuqB = struct.Struct(">i16sqB").unpack_from
_unpack_ituqB = struct.Struct(">i?16sqB").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tt = struct.Struct(">??").pack
_pack_ttB = struct.Struct(">??B").pack
_pack_tB = struct.Struct(">?B").pack
_pack_Hh = struct.Struct(">Hh").pack
_pack_HhB = struct.Struct(">HhB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_hhB = struct.Struct(">hhB").pack
_pack_iuq = struct.Struct(">i16sq").pack
_pack_iuqB = struct.Struct(">i16sqB").pack
_pack_ituq = struct.Struct(">i?16sq").pack
_pack_ituqB = struct.Struct(">i?16sqB").pack


class RegisterBrokerRecordBrokerEndpoint(Struct):
    """BrokerEndpoint of RegisterBrokerRecord."""

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
            isinstance(other, RegisterBrokerRecordBrokerEndpoint)
            and self.name == other.name
            and self.host == other.host
            and self.port == other.port
            and self.security_protocol == other.security_protocol
            and self.unknown_tags == other.unknown_tags
        )



class RegisterBrokerRecordBrokerFeature(Struct):
    """BrokerFeature of RegisterBrokerRecord."""

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
            isinstance(other, RegisterBrokerRecordBrokerFeature)
            and self.name == other.name
            and self.min_supported_version == other.min_supported_version
            and self.max_supported_version == other.max_supported_version
            and self.unknown_tags == other.unknown_tags
        )



class RegisterBrokerRecord(Message):
    """Metadata RegisterBrokerRecord."""

    __slots__ = (
        "broker_id",
        "is_migrating_zk_broker",
        "incarnation_id",
        "broker_epoch",
        "end_points",
        "features",
        "rack",
        "fenced",
        "in_controlled_shutdown",
        "log_dirs",
        "cordoned_log_dirs",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "RegisterBrokerRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    BrokerEndpoint: TypeAlias = RegisterBrokerRecordBrokerEndpoint
    BrokerFeature: TypeAlias = RegisterBrokerRecordBrokerFeature

    broker_id: int
    """Versions 0+."""
    is_migrating_zk_broker: bool
    """Left over from the migration off ZooKeeper; always false in 4.x. Versions 2+."""
    incarnation_id: bytes
    """Made anew whenever the process starts. Versions 0+."""
    broker_epoch: int
    """Offset of this very record. Versions 0+."""
    end_points: list[RegisterBrokerRecordBrokerEndpoint]
    """Versions 0+."""
    features: list[RegisterBrokerRecordBrokerFeature]
    """Levels of each feature that the broker could run with. Versions 0+."""
    rack: str | None
    """Versions 0+, null in 0+."""
    fenced: bool
    """Versions 0+."""
    in_controlled_shutdown: bool
    """Versions 1+."""
    log_dirs: list[bytes]
    """Ids of the log directories that are online. Versions 3+, tag 0 in 3+."""
    cordoned_log_dirs: list[bytes] | None
    """Ids of those that take no new replicas; null if nothing is known of them. Versions 4+, null in
    4+, tag 1 in 4+.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        broker_id: int = 0,
        is_migrating_zk_broker: bool = False,
        incarnation_id: bytes = ZERO_UUID,
        broker_epoch: int = 0,
        end_points: list[RegisterBrokerRecordBrokerEndpoint] = EMPTY,
        features: list[RegisterBrokerRecordBrokerFeature] = EMPTY,
        rack: str | None = "",
        fenced: bool = True,
        in_controlled_shutdown: bool = False,
        log_dirs: list[bytes] = EMPTY,
        cordoned_log_dirs: list[bytes] | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.incarnation_id = incarnation_id
        self.broker_epoch = broker_epoch
        self.end_points = [] if end_points is EMPTY else end_points
        self.features = [] if features is EMPTY else features
        self.rack = rack
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = [] if log_dirs is EMPTY else log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RegisterBrokerRecord)
            and self.broker_id == other.broker_id
            and self.is_migrating_zk_broker == other.is_migrating_zk_broker
            and self.incarnation_id == other.incarnation_id
            and self.broker_epoch == other.broker_epoch
            and self.end_points == other.end_points
            and self.features == other.features
            and self.rack == other.rack
            and self.fenced == other.fenced
            and self.in_controlled_shutdown == other.in_controlled_shutdown
            and self.log_dirs == other.log_dirs
            and self.cordoned_log_dirs == other.cordoned_log_dirs
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RegisterBrokerRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_broker_endpoint_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[RegisterBrokerRecordBrokerEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[RegisterBrokerRecordBrokerEndpoint] = []
    for _ in range(size):
        message = RegisterBrokerRecordBrokerEndpoint.__new__(RegisterBrokerRecordBrokerEndpoint)
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


def _read_many_broker_feature_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[RegisterBrokerRecordBrokerFeature], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[RegisterBrokerRecordBrokerFeature] = []
    for _ in range(size):
        message = RegisterBrokerRecordBrokerFeature.__new__(RegisterBrokerRecordBrokerFeature)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[RegisterBrokerRecord, int]:
    message = RegisterBrokerRecord.__new__(RegisterBrokerRecord)
    message.broker_id, message.incarnation_id, message.broker_epoch, count = _unpack_iuqB(buffer, position)
    position += 29
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.end_points, position = _read_many_broker_endpoint_v0(buffer, position, count - 1)
    elif count:
        message.end_points = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.features, position = _read_many_broker_feature_v0(buffer, position, count - 1)
    elif count:
        message.features = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack = None
    else:
        end = position + length - 1
        message.rack = str(buffer[position:end], "utf-8")
        position = end
    message.fenced, tags = _unpack_tB(buffer, position)
    position += 2
    message.is_migrating_zk_broker = False
    message.in_controlled_shutdown = False
    message.log_dirs = []
    message.cordoned_log_dirs = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag in (0, 1,):
                raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[RegisterBrokerRecord, int]:
    message = RegisterBrokerRecord.__new__(RegisterBrokerRecord)
    message.broker_id, message.incarnation_id, message.broker_epoch, count = _unpack_iuqB(buffer, position)
    position += 29
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.end_points, position = _read_many_broker_endpoint_v0(buffer, position, count - 1)
    elif count:
        message.end_points = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.features, position = _read_many_broker_feature_v0(buffer, position, count - 1)
    elif count:
        message.features = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack = None
    else:
        end = position + length - 1
        message.rack = str(buffer[position:end], "utf-8")
        position = end
    message.fenced, message.in_controlled_shutdown, tags = _unpack_ttB(buffer, position)
    position += 3
    message.is_migrating_zk_broker = False
    message.log_dirs = []
    message.cordoned_log_dirs = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag in (0, 1,):
                raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[RegisterBrokerRecord, int]:
    message = RegisterBrokerRecord.__new__(RegisterBrokerRecord)
    (
        message.broker_id,
        message.is_migrating_zk_broker,
        message.incarnation_id,
        message.broker_epoch,
        count,
    ) = _unpack_ituqB(buffer, position)
    position += 30
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.end_points, position = _read_many_broker_endpoint_v0(buffer, position, count - 1)
    elif count:
        message.end_points = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.features, position = _read_many_broker_feature_v0(buffer, position, count - 1)
    elif count:
        message.features = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack = None
    else:
        end = position + length - 1
        message.rack = str(buffer[position:end], "utf-8")
        position = end
    message.fenced, message.in_controlled_shutdown, tags = _unpack_ttB(buffer, position)
    position += 3
    message.log_dirs = []
    message.cordoned_log_dirs = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag in (0, 1,):
                raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[RegisterBrokerRecord, int]:
    message = RegisterBrokerRecord.__new__(RegisterBrokerRecord)
    (
        message.broker_id,
        message.is_migrating_zk_broker,
        message.incarnation_id,
        message.broker_epoch,
        count,
    ) = _unpack_ituqB(buffer, position)
    position += 30
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.end_points, position = _read_many_broker_endpoint_v0(buffer, position, count - 1)
    elif count:
        message.end_points = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.features, position = _read_many_broker_feature_v0(buffer, position, count - 1)
    elif count:
        message.features = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack = None
    else:
        end = position + length - 1
        message.rack = str(buffer[position:end], "utf-8")
        position = end
    message.fenced, message.in_controlled_shutdown, tags = _unpack_ttB(buffer, position)
    position += 3
    message.cordoned_log_dirs = None
    message.log_dirs = []
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if not count:
                    raise Malformed
                message.log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                position += count * 16 - 16
            elif tag in (1,):
                raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _read_v4(buffer: Buffer, position: int) -> tuple[RegisterBrokerRecord, int]:
    message = RegisterBrokerRecord.__new__(RegisterBrokerRecord)
    (
        message.broker_id,
        message.is_migrating_zk_broker,
        message.incarnation_id,
        message.broker_epoch,
        count,
    ) = _unpack_ituqB(buffer, position)
    position += 30
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.end_points, position = _read_many_broker_endpoint_v0(buffer, position, count - 1)
    elif count:
        message.end_points = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.features, position = _read_many_broker_feature_v0(buffer, position, count - 1)
    elif count:
        message.features = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack = None
    else:
        end = position + length - 1
        message.rack = str(buffer[position:end], "utf-8")
        position = end
    message.fenced, message.in_controlled_shutdown, tags = _unpack_ttB(buffer, position)
    position += 3
    message.log_dirs = []
    message.cordoned_log_dirs = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if not count:
                    raise Malformed
                message.log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                position += count * 16 - 16
            elif tag == 1:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if not count:
                    message.cordoned_log_dirs = None
                else:
                    message.cordoned_log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                    position += count * 16 - 16
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_broker_endpoint_v0(out: Pieces, message: RegisterBrokerRecordBrokerEndpoint) -> None:
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


def _write_broker_feature_v0(out: Pieces, message: RegisterBrokerRecordBrokerFeature) -> None:
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


def _write_v0(out: Pieces, message: RegisterBrokerRecord) -> None:
    if message.is_migrating_zk_broker:
        raise Malformed
    if message.in_controlled_shutdown:
        raise Malformed
    if len(message.log_dirs) != 0:
        raise Malformed
    if message.cordoned_log_dirs is not None:
        raise Malformed
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    end_points = message.end_points
    count = len(end_points) + 1
    if count < 128:
        out.append(_pack_iuqB(message.broker_id, incarnation_id, message.broker_epoch, count))
    else:
        out.append(_pack_iuq(message.broker_id, incarnation_id, message.broker_epoch))
        out.append(pack_length(count))
    for end_points_item in end_points:
        _write_broker_endpoint_v0(out, end_points_item)
    features = message.features
    count = len(features) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for features_item in features:
        _write_broker_feature_v0(out, features_item)
    rack = message.rack
    if rack is None:
        data = b""
        length = 0
    else:
        data = rack.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_t(message.fenced))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.fenced, 0))


def _write_v1(out: Pieces, message: RegisterBrokerRecord) -> None:
    if message.is_migrating_zk_broker:
        raise Malformed
    if len(message.log_dirs) != 0:
        raise Malformed
    if message.cordoned_log_dirs is not None:
        raise Malformed
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    end_points = message.end_points
    count = len(end_points) + 1
    if count < 128:
        out.append(_pack_iuqB(message.broker_id, incarnation_id, message.broker_epoch, count))
    else:
        out.append(_pack_iuq(message.broker_id, incarnation_id, message.broker_epoch))
        out.append(pack_length(count))
    for end_points_item in end_points:
        _write_broker_endpoint_v0(out, end_points_item)
    features = message.features
    count = len(features) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for features_item in features:
        _write_broker_feature_v0(out, features_item)
    rack = message.rack
    if rack is None:
        data = b""
        length = 0
    else:
        data = rack.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_tt(message.fenced, message.in_controlled_shutdown))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ttB(message.fenced, message.in_controlled_shutdown, 0))


def _write_v2(out: Pieces, message: RegisterBrokerRecord) -> None:
    if len(message.log_dirs) != 0:
        raise Malformed
    if message.cordoned_log_dirs is not None:
        raise Malformed
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    end_points = message.end_points
    count = len(end_points) + 1
    if count < 128:
        out.append(_pack_ituqB(
            message.broker_id,
            message.is_migrating_zk_broker,
            incarnation_id,
            message.broker_epoch,
            count,
        ))
    else:
        out.append(_pack_ituq(
            message.broker_id,
            message.is_migrating_zk_broker,
            incarnation_id,
            message.broker_epoch,
        ))
        out.append(pack_length(count))
    for end_points_item in end_points:
        _write_broker_endpoint_v0(out, end_points_item)
    features = message.features
    count = len(features) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for features_item in features:
        _write_broker_feature_v0(out, features_item)
    rack = message.rack
    if rack is None:
        data = b""
        length = 0
    else:
        data = rack.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_tt(message.fenced, message.in_controlled_shutdown))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ttB(message.fenced, message.in_controlled_shutdown, 0))


def _write_v3(out: Pieces, message: RegisterBrokerRecord) -> None:
    if message.cordoned_log_dirs is not None:
        raise Malformed
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    end_points = message.end_points
    count = len(end_points) + 1
    if count < 128:
        out.append(_pack_ituqB(
            message.broker_id,
            message.is_migrating_zk_broker,
            incarnation_id,
            message.broker_epoch,
            count,
        ))
    else:
        out.append(_pack_ituq(
            message.broker_id,
            message.is_migrating_zk_broker,
            incarnation_id,
            message.broker_epoch,
        ))
        out.append(pack_length(count))
    for end_points_item in end_points:
        _write_broker_endpoint_v0(out, end_points_item)
    features = message.features
    count = len(features) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for features_item in features:
        _write_broker_feature_v0(out, features_item)
    rack = message.rack
    if rack is None:
        data = b""
        length = 0
    else:
        data = rack.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    out.append(_pack_tt(message.fenced, message.in_controlled_shutdown))
    tagged = []
    section: Pieces
    if len(message.log_dirs) != 0:
        section = []
        log_dirs = message.log_dirs
        count = len(log_dirs) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        section.append(pack_uuids(log_dirs))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: RegisterBrokerRecord) -> None:
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    end_points = message.end_points
    count = len(end_points) + 1
    if count < 128:
        out.append(_pack_ituqB(
            message.broker_id,
            message.is_migrating_zk_broker,
            incarnation_id,
            message.broker_epoch,
            count,
        ))
    else:
        out.append(_pack_ituq(
            message.broker_id,
            message.is_migrating_zk_broker,
            incarnation_id,
            message.broker_epoch,
        ))
        out.append(pack_length(count))
    for end_points_item in end_points:
        _write_broker_endpoint_v0(out, end_points_item)
    features = message.features
    count = len(features) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for features_item in features:
        _write_broker_feature_v0(out, features_item)
    rack = message.rack
    if rack is None:
        data = b""
        length = 0
    else:
        data = rack.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    out.append(_pack_tt(message.fenced, message.in_controlled_shutdown))
    tagged = []
    section: Pieces
    if len(message.log_dirs) != 0:
        section = []
        log_dirs = message.log_dirs
        count = len(log_dirs) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        section.append(pack_uuids(log_dirs))
        tagged.append((0, b"".join(section)))
    if message.cordoned_log_dirs is not None:
        section = []
        cordoned_log_dirs = message.cordoned_log_dirs
        if cordoned_log_dirs is None:
            cordoned_log_dirs = EMPTY
            count = 0
        else:
            count = len(cordoned_log_dirs) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        section.append(pack_uuids(cordoned_log_dirs))
        tagged.append((1, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
    _read_v3,
    _read_v4,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
    _write_v3,
    _write_v4,
)


@cache
def _schema() -> MessageSchema:
    broker_endpoint_struct = StructSchema(
        python_class=RegisterBrokerRecordBrokerEndpoint,
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
    broker_feature_struct = StructSchema(
        python_class=RegisterBrokerRecordBrokerFeature,
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
    register_broker_record_struct = StructSchema(
        python_class=RegisterBrokerRecord,
        fields=(
            FieldSchema(
                name="BrokerId",
                attribute="broker_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="IsMigratingZkBroker",
                attribute="is_migrating_zk_broker",
                type="bool",
                versions=(2, 32767),
                default=False,
            ),
            FieldSchema(
                name="IncarnationId",
                attribute="incarnation_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="BrokerEpoch",
                attribute="broker_epoch",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="EndPoints",
                attribute="end_points",
                type="BrokerEndpoint",
                struct=broker_endpoint_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Features",
                attribute="features",
                type="BrokerFeature",
                struct=broker_feature_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Rack",
                attribute="rack",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Fenced",
                attribute="fenced",
                type="bool",
                versions=(0, 32767),
                default=True,
            ),
            FieldSchema(
                name="InControlledShutdown",
                attribute="in_controlled_shutdown",
                type="bool",
                versions=(1, 32767),
                default=False,
            ),
            FieldSchema(
                name="LogDirs",
                attribute="log_dirs",
                type="uuid",
                array=True,
                versions=(3, 32767),
                tagged=(3, 32767),
                tag=0,
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="CordonedLogDirs",
                attribute="cordoned_log_dirs",
                type="uuid",
                array=True,
                versions=(4, 32767),
                nullable=(4, 32767),
                tagged=(4, 32767),
                tag=1,
                default=None,
            ),
        ),
    )
    return MessageSchema(name="RegisterBrokerRecord", flexible_from=0, root=register_broker_record_struct)
