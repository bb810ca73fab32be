"""BrokerRegistrationRequest: versions 0-4, flexible from 0, api key 62.

Generated from api/BrokerRegistrationRequest.json by codegen; change the schema, not this file.
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
    pack_uuids,
    read_long_length,
    read_pieces,
    read_string_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_HhB = struct.Struct(">HhB").unpack_from
_unpack_hhB = struct.Struct(">hhB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_qB = struct.Struct(">qB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_Hh = struct.Struct(">Hh").pack
_pack_HhB = struct.Struct(">HhB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_hhB = struct.Struct(">hhB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_q = struct.Struct(">q").pack
_pack_qB = struct.Struct(">qB").pack


class BrokerRegistrationRequestListener(Struct):
    """Listener of BrokerRegistrationRequest."""

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
            isinstance(other, BrokerRegistrationRequestListener)
            and self.name == other.name
            and self.host == other.host
            and self.port == other.port
            and self.security_protocol == other.security_protocol
            and self.unknown_tags == other.unknown_tags
        )



class BrokerRegistrationRequestFeature(Struct):
    """Feature of BrokerRegistrationRequest."""

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
            isinstance(other, BrokerRegistrationRequestFeature)
            and self.name == other.name
            and self.min_supported_version == other.min_supported_version
            and self.max_supported_version == other.max_supported_version
            and self.unknown_tags == other.unknown_tags
        )



class BrokerRegistrationRequest(Message):
    """Request BrokerRegistrationRequest."""

    __slots__ = (
        "broker_id",
        "cluster_id",
        "incarnation_id",
        "listeners",
        "features",
        "rack",
        "is_migrating_zk_broker",
        "log_dirs",
        "previous_broker_epoch",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "BrokerRegistrationRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 62
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)
    Listener: TypeAlias = BrokerRegistrationRequestListener
    Feature: TypeAlias = BrokerRegistrationRequestFeature

    broker_id: int
    """Versions 0+."""
    cluster_id: str
    """Versions 0+."""
    incarnation_id: bytes
    """Made anew whenever the process starts. Versions 0+."""
    listeners: list[BrokerRegistrationRequestListener]
    """Versions 0+."""
    features: list[BrokerRegistrationRequestFeature]
    """Levels of each feature that the broker could run with. Versions 0+."""
    rack: str | None
    """Versions 0+, null in 0+."""
    is_migrating_zk_broker: bool
    """Left over from the migration off ZooKeeper; always false in 4.x. Versions 1+."""
    log_dirs: list[bytes]
    """Ids of the log directories that are online, sorted. Versions 2+, dropped where a version lacks
    it.
    """
    previous_broker_epoch: int
    """The one held when the process last stopped cleanly, or -1. Versions 3+, dropped where a
    version lacks it.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        broker_id: int = 0,
        cluster_id: str = "",
        incarnation_id: bytes = ZERO_UUID,
        listeners: list[BrokerRegistrationRequestListener] = EMPTY,
        features: list[BrokerRegistrationRequestFeature] = EMPTY,
        rack: str | None = "",
        is_migrating_zk_broker: bool = False,
        log_dirs: list[bytes] = EMPTY,
        previous_broker_epoch: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.cluster_id = cluster_id
        self.incarnation_id = incarnation_id
        self.listeners = [] if listeners is EMPTY else listeners
        self.features = [] if features is EMPTY else features
        self.rack = rack
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.log_dirs = [] if log_dirs is EMPTY else log_dirs
        self.previous_broker_epoch = previous_broker_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BrokerRegistrationRequest)
            and self.broker_id == other.broker_id
            and self.cluster_id == other.cluster_id
            and self.incarnation_id == other.incarnation_id
            and self.listeners == other.listeners
            and self.features == other.features
            and self.rack == other.rack
            and self.is_migrating_zk_broker == other.is_migrating_zk_broker
            and self.log_dirs == other.log_dirs
            and self.previous_broker_epoch == other.previous_broker_epoch
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[BrokerRegistrationRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[BrokerRegistrationRequest, int]] | None:
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
) -> tuple[list[BrokerRegistrationRequestListener], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BrokerRegistrationRequestListener] = []
    for _ in range(size):
        message = BrokerRegistrationRequestListener.__new__(BrokerRegistrationRequestListener)
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
) -> tuple[list[BrokerRegistrationRequestFeature], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BrokerRegistrationRequestFeature] = []
    for _ in range(size):
        message = BrokerRegistrationRequestFeature.__new__(BrokerRegistrationRequestFeature)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[BrokerRegistrationRequest, int]:
    message = BrokerRegistrationRequest.__new__(BrokerRegistrationRequest)
    message.broker_id, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.incarnation_id, count = _unpack_uB(buffer, position)
    position += 17
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
    tags = buffer[position]
    position += 1
    message.is_migrating_zk_broker = False
    message.log_dirs = []
    message.previous_broker_epoch = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[BrokerRegistrationRequest, int]]:
    message = BrokerRegistrationRequest.__new__(BrokerRegistrationRequest)
    message.broker_id, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.incarnation_id, count = _unpack_uB(buffer, position)
    position += 17
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "BrokerRegistrationRequest.listeners")
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
    budget.take(count - 1, "BrokerRegistrationRequest.features")
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
    tags = buffer[position]
    position += 1
    message.is_migrating_zk_broker = False
    message.log_dirs = []
    message.previous_broker_epoch = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[BrokerRegistrationRequest, int]:
    message = BrokerRegistrationRequest.__new__(BrokerRegistrationRequest)
    message.broker_id, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.incarnation_id, count = _unpack_uB(buffer, position)
    position += 17
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
    message.is_migrating_zk_broker, tags = _unpack_tB(buffer, position)
    position += 2
    message.log_dirs = []
    message.previous_broker_epoch = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[BrokerRegistrationRequest, int]]:
    message = BrokerRegistrationRequest.__new__(BrokerRegistrationRequest)
    message.broker_id, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.incarnation_id, count = _unpack_uB(buffer, position)
    position += 17
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "BrokerRegistrationRequest.listeners")
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
    budget.take(count - 1, "BrokerRegistrationRequest.features")
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
    message.is_migrating_zk_broker, tags = _unpack_tB(buffer, position)
    position += 2
    message.log_dirs = []
    message.previous_broker_epoch = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[BrokerRegistrationRequest, int]:
    message = BrokerRegistrationRequest.__new__(BrokerRegistrationRequest)
    message.broker_id, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.incarnation_id, count = _unpack_uB(buffer, position)
    position += 17
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
    message.is_migrating_zk_broker, count = _unpack_tB(buffer, position)
    position += 2
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    message.log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
    position += count * 16 - 16
    tags = buffer[position]
    position += 1
    message.previous_broker_epoch = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[BrokerRegistrationRequest, int]]:
    message = BrokerRegistrationRequest.__new__(BrokerRegistrationRequest)
    message.broker_id, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.incarnation_id, count = _unpack_uB(buffer, position)
    position += 17
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "BrokerRegistrationRequest.listeners")
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
    budget.take(count - 1, "BrokerRegistrationRequest.features")
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
    message.is_migrating_zk_broker, count = _unpack_tB(buffer, position)
    position += 2
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "BrokerRegistrationRequest.log_dirs")
    if not count:
        raise Malformed
    message.log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
    position += count * 16 - 16
    yield
    tags = buffer[position]
    position += 1
    message.previous_broker_epoch = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[BrokerRegistrationRequest, int]:
    message = BrokerRegistrationRequest.__new__(BrokerRegistrationRequest)
    message.broker_id, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.incarnation_id, count = _unpack_uB(buffer, position)
    position += 17
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
    message.is_migrating_zk_broker, count = _unpack_tB(buffer, position)
    position += 2
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    message.log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
    position += count * 16 - 16
    message.previous_broker_epoch, tags = _unpack_qB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v3(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[BrokerRegistrationRequest, int]]:
    message = BrokerRegistrationRequest.__new__(BrokerRegistrationRequest)
    message.broker_id, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.incarnation_id, count = _unpack_uB(buffer, position)
    position += 17
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "BrokerRegistrationRequest.listeners")
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
    budget.take(count - 1, "BrokerRegistrationRequest.features")
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
    message.is_migrating_zk_broker, count = _unpack_tB(buffer, position)
    position += 2
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "BrokerRegistrationRequest.log_dirs")
    if not count:
        raise Malformed
    message.log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
    position += count * 16 - 16
    yield
    message.previous_broker_epoch, tags = _unpack_qB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_listener_v0(out: Pieces, message: BrokerRegistrationRequestListener) -> None:
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


def _write_feature_v0(out: Pieces, message: BrokerRegistrationRequestFeature) -> None:
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


def _write_v0(out: Pieces, message: BrokerRegistrationRequest) -> None:
    if message.is_migrating_zk_broker:
        raise Malformed
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.broker_id, length))
    else:
        out.append(_pack_i(message.broker_id))
        out.append(pack_string_length(length))
    out.append(data)
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    listeners = message.listeners
    count = len(listeners) + 1
    if count < 128:
        out.append(_pack_uB(incarnation_id, count))
    else:
        out.append(incarnation_id)
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
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: BrokerRegistrationRequest) -> None:
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.broker_id, length))
    else:
        out.append(_pack_i(message.broker_id))
        out.append(pack_string_length(length))
    out.append(data)
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    listeners = message.listeners
    count = len(listeners) + 1
    if count < 128:
        out.append(_pack_uB(incarnation_id, count))
    else:
        out.append(incarnation_id)
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
        out.append(_pack_t(message.is_migrating_zk_broker))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.is_migrating_zk_broker, 0))


def _write_v2(out: Pieces, message: BrokerRegistrationRequest) -> None:
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.broker_id, length))
    else:
        out.append(_pack_i(message.broker_id))
        out.append(pack_string_length(length))
    out.append(data)
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    listeners = message.listeners
    count = len(listeners) + 1
    if count < 128:
        out.append(_pack_uB(incarnation_id, count))
    else:
        out.append(incarnation_id)
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
    log_dirs = message.log_dirs
    count = len(log_dirs) + 1
    if count < 128:
        out.append(_pack_tB(message.is_migrating_zk_broker, count))
    else:
        out.append(_pack_t(message.is_migrating_zk_broker))
        out.append(pack_length(count))
    out.append(pack_uuids(log_dirs))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: BrokerRegistrationRequest) -> None:
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.broker_id, length))
    else:
        out.append(_pack_i(message.broker_id))
        out.append(pack_string_length(length))
    out.append(data)
    incarnation_id = message.incarnation_id
    if len(incarnation_id) != 16:
        raise Malformed
    listeners = message.listeners
    count = len(listeners) + 1
    if count < 128:
        out.append(_pack_uB(incarnation_id, count))
    else:
        out.append(incarnation_id)
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
    log_dirs = message.log_dirs
    count = len(log_dirs) + 1
    if count < 128:
        out.append(_pack_tB(message.is_migrating_zk_broker, count))
    else:
        out.append(_pack_t(message.is_migrating_zk_broker))
        out.append(pack_length(count))
    out.append(pack_uuids(log_dirs))
    if message.unknown_tags:
        out.append(_pack_q(message.previous_broker_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qB(message.previous_broker_epoch, 0))


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
    _read_v3,
    _read_v3,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
    _write_v3,
    _write_v3,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
    _step_v2,
    _step_v3,
    _step_v3,
)


@cache
def _schema() -> MessageSchema:
    listener_struct = StructSchema(
        python_class=BrokerRegistrationRequestListener,
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
        python_class=BrokerRegistrationRequestFeature,
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
    broker_registration_request_struct = StructSchema(
        python_class=BrokerRegistrationRequest,
        fields=(
            FieldSchema(
                name="BrokerId",
                attribute="broker_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ClusterId",
                attribute="cluster_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="IncarnationId",
                attribute="incarnation_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
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
            FieldSchema(
                name="Rack",
                attribute="rack",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="IsMigratingZkBroker",
                attribute="is_migrating_zk_broker",
                type="bool",
                versions=(1, 32767),
                default=False,
            ),
            FieldSchema(
                name="LogDirs",
                attribute="log_dirs",
                type="uuid",
                array=True,
                versions=(2, 32767),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
            FieldSchema(
                name="PreviousBrokerEpoch",
                attribute="previous_broker_epoch",
                type="int64",
                versions=(3, 32767),
                default=-1,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(
        name="BrokerRegistrationRequest",
        flexible_from=0,
        root=broker_registration_request_struct,
    )
