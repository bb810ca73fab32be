"""JoinGroupRequest: versions 0-9, flexible from 6, api key 11.

Generated from api/JoinGroupRequest.json by codegen; change the schema, not this file.
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

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_unpack_iih = struct.Struct(">iih").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack
_pack_iih = struct.Struct(">iih").pack


class JoinGroupRequestProtocol(Struct):
    """JoinGroupRequestProtocol of JoinGroupRequest."""

    __slots__ = ("name", "metadata", "unknown_tags")

    name: str
    """Versions 0+."""
    metadata: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        metadata: bytes = b'',
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.metadata = metadata
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, JoinGroupRequestProtocol)
            and self.name == other.name
            and self.metadata == other.metadata
            and self.unknown_tags == other.unknown_tags
        )



class JoinGroupRequest(Message):
    """Request JoinGroupRequest."""

    __slots__ = (
        "group_id",
        "session_timeout_ms",
        "rebalance_timeout_ms",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocols",
        "reason",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "JoinGroupRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 11
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 9
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    Protocol: TypeAlias = JoinGroupRequestProtocol

    group_id: str
    """Versions 0+."""
    session_timeout_ms: int
    """Versions 0+."""
    rebalance_timeout_ms: int
    """Versions 1+, dropped where a version lacks it."""
    member_id: str
    """Versions 0+."""
    group_instance_id: str | None
    """Versions 5+, null in 5+."""
    protocol_type: str
    """Versions 0+."""
    protocols: list[JoinGroupRequestProtocol]
    """Versions 0+."""
    reason: str | None
    """Versions 8+, null in 8+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        session_timeout_ms: int = 0,
        rebalance_timeout_ms: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str = "",
        protocols: list[JoinGroupRequestProtocol] = EMPTY,
        reason: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocols = [] if protocols is EMPTY else protocols
        self.reason = reason
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, JoinGroupRequest)
            and self.group_id == other.group_id
            and self.session_timeout_ms == other.session_timeout_ms
            and self.rebalance_timeout_ms == other.rebalance_timeout_ms
            and self.member_id == other.member_id
            and self.group_instance_id == other.group_instance_id
            and self.protocol_type == other.protocol_type
            and self.protocols == other.protocols
            and self.reason == other.reason
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[JoinGroupRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[JoinGroupRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_protocol_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[JoinGroupRequestProtocol], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[JoinGroupRequestProtocol] = []
    for _ in range(size):
        message = JoinGroupRequestProtocol.__new__(JoinGroupRequestProtocol)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.metadata = bytes(buffer[position:end])
        position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[JoinGroupRequest, int]:
    message = JoinGroupRequest.__new__(JoinGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.session_timeout_ms, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.protocols, position = _read_many_protocol_v0(buffer, position, count)
    elif not count:
        message.protocols = []
    else:
        raise Malformed
    message.rebalance_timeout_ms = -1
    message.group_instance_id = None
    message.reason = None
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[JoinGroupRequest, int]]:
    message = JoinGroupRequest.__new__(JoinGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.session_timeout_ms, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "JoinGroupRequest.protocols")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.protocols, position = yield from read_pieces(
                _read_many_protocol_v0,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.protocols, position = _read_many_protocol_v0(buffer, position, count)
            budget.take_tags(message.protocols)
    elif not count:
        message.protocols = []
    else:
        raise Malformed
    message.rebalance_timeout_ms = -1
    message.group_instance_id = None
    message.reason = None
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[JoinGroupRequest, int]:
    message = JoinGroupRequest.__new__(JoinGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.session_timeout_ms, message.rebalance_timeout_ms, length = _unpack_iih(buffer, position)
    position += 10
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.protocols, position = _read_many_protocol_v0(buffer, position, count)
    elif not count:
        message.protocols = []
    else:
        raise Malformed
    message.group_instance_id = None
    message.reason = None
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[JoinGroupRequest, int]]:
    message = JoinGroupRequest.__new__(JoinGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.session_timeout_ms, message.rebalance_timeout_ms, length = _unpack_iih(buffer, position)
    position += 10
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "JoinGroupRequest.protocols")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.protocols, position = yield from read_pieces(
                _read_many_protocol_v0,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.protocols, position = _read_many_protocol_v0(buffer, position, count)
            budget.take_tags(message.protocols)
    elif not count:
        message.protocols = []
    else:
        raise Malformed
    message.group_instance_id = None
    message.reason = None
    message.unknown_tags = None
    return message, position


def _read_v5(buffer: Buffer, position: int) -> tuple[JoinGroupRequest, int]:
    message = JoinGroupRequest.__new__(JoinGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.session_timeout_ms, message.rebalance_timeout_ms, length = _unpack_iih(buffer, position)
    position += 10
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.group_instance_id = None
    else:
        end = position + length
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.protocols, position = _read_many_protocol_v0(buffer, position, count)
    elif not count:
        message.protocols = []
    else:
        raise Malformed
    message.reason = None
    message.unknown_tags = None
    return message, position


def _step_v5(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[JoinGroupRequest, int]]:
    message = JoinGroupRequest.__new__(JoinGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.session_timeout_ms, message.rebalance_timeout_ms, length = _unpack_iih(buffer, position)
    position += 10
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.group_instance_id = None
    else:
        end = position + length
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "JoinGroupRequest.protocols")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.protocols, position = yield from read_pieces(
                _read_many_protocol_v0,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.protocols, position = _read_many_protocol_v0(buffer, position, count)
            budget.take_tags(message.protocols)
    elif not count:
        message.protocols = []
    else:
        raise Malformed
    message.reason = None
    message.unknown_tags = None
    return message, position


def _read_many_protocol_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[JoinGroupRequestProtocol], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[JoinGroupRequestProtocol] = []
    for _ in range(size):
        message = JoinGroupRequestProtocol.__new__(JoinGroupRequestProtocol)
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
            length, position = read_long_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.metadata = bytes(buffer[position:end])
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v6(buffer: Buffer, position: int) -> tuple[JoinGroupRequest, int]:
    message = JoinGroupRequest.__new__(JoinGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.session_timeout_ms, message.rebalance_timeout_ms, length = _unpack_iiB(buffer, position)
    position += 9
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_instance_id = None
    else:
        end = position + length - 1
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.protocols, position = _read_many_protocol_v6(buffer, position, count - 1)
    elif count:
        message.protocols = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.reason = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v6(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[JoinGroupRequest, int]]:
    message = JoinGroupRequest.__new__(JoinGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.session_timeout_ms, message.rebalance_timeout_ms, length = _unpack_iiB(buffer, position)
    position += 9
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_instance_id = None
    else:
        end = position + length - 1
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "JoinGroupRequest.protocols")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.protocols, position = yield from read_pieces(
                _read_many_protocol_v6,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.protocols, position = _read_many_protocol_v6(buffer, position, count - 1)
            budget.take_tags(message.protocols)
    elif count:
        message.protocols = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.reason = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v8(buffer: Buffer, position: int) -> tuple[JoinGroupRequest, int]:
    message = JoinGroupRequest.__new__(JoinGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.session_timeout_ms, message.rebalance_timeout_ms, length = _unpack_iiB(buffer, position)
    position += 9
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_instance_id = None
    else:
        end = position + length - 1
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.protocols, position = _read_many_protocol_v6(buffer, position, count - 1)
    elif count:
        message.protocols = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.reason = None
    else:
        end = position + length - 1
        message.reason = str(buffer[position:end], "utf-8")
        position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v8(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[JoinGroupRequest, int]]:
    message = JoinGroupRequest.__new__(JoinGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.session_timeout_ms, message.rebalance_timeout_ms, length = _unpack_iiB(buffer, position)
    position += 9
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_instance_id = None
    else:
        end = position + length - 1
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "JoinGroupRequest.protocols")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.protocols, position = yield from read_pieces(
                _read_many_protocol_v6,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.protocols, position = _read_many_protocol_v6(buffer, position, count - 1)
            budget.take_tags(message.protocols)
    elif count:
        message.protocols = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.reason = None
    else:
        end = position + length - 1
        message.reason = str(buffer[position:end], "utf-8")
        position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_protocol_v0(out: Pieces, message: JoinGroupRequestProtocol) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    metadata = message.metadata
    length = len(metadata)
    out.append(_pack_i(length))
    out.append(metadata)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: JoinGroupRequest) -> None:
    if message.group_instance_id is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_ih(message.session_timeout_ms, length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocols = message.protocols
    count = len(protocols)
    out.append(_pack_i(count))
    for protocols_item in protocols:
        _write_protocol_v0(out, protocols_item)
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: JoinGroupRequest) -> None:
    if message.group_instance_id is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_iih(message.session_timeout_ms, message.rebalance_timeout_ms, length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocols = message.protocols
    count = len(protocols)
    out.append(_pack_i(count))
    for protocols_item in protocols:
        _write_protocol_v0(out, protocols_item)
    if message.unknown_tags:
        raise Malformed


def _write_v5(out: Pieces, message: JoinGroupRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_iih(message.session_timeout_ms, message.rebalance_timeout_ms, length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = -1
    else:
        data = group_instance_id.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocols = message.protocols
    count = len(protocols)
    out.append(_pack_i(count))
    for protocols_item in protocols:
        _write_protocol_v0(out, protocols_item)
    if message.unknown_tags:
        raise Malformed


def _write_protocol_v6(out: Pieces, message: JoinGroupRequestProtocol) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    metadata = message.metadata
    length = len(metadata) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(metadata)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v6(out: Pieces, message: JoinGroupRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iiB(message.session_timeout_ms, message.rebalance_timeout_ms, length))
    else:
        out.append(_pack_ii(message.session_timeout_ms, message.rebalance_timeout_ms))
        out.append(pack_string_length(length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = 0
    else:
        data = group_instance_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocols = message.protocols
    count = len(protocols) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for protocols_item in protocols:
        _write_protocol_v6(out, protocols_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v8(out: Pieces, message: JoinGroupRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iiB(message.session_timeout_ms, message.rebalance_timeout_ms, length))
    else:
        out.append(_pack_ii(message.session_timeout_ms, message.rebalance_timeout_ms))
        out.append(pack_string_length(length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = 0
    else:
        data = group_instance_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocols = message.protocols
    count = len(protocols) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for protocols_item in protocols:
        _write_protocol_v6(out, protocols_item)
    reason = message.reason
    if reason is None:
        data = b""
        length = 0
    else:
        data = reason.encode()
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


_READERS = (
    _read_v0,
    _read_v1,
    _read_v1,
    _read_v1,
    _read_v1,
    _read_v5,
    _read_v6,
    _read_v6,
    _read_v8,
    _read_v8,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v1,
    _write_v1,
    _write_v1,
    _write_v5,
    _write_v6,
    _write_v6,
    _write_v8,
    _write_v8,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
    _step_v1,
    _step_v1,
    _step_v1,
    _step_v5,
    _step_v6,
    _step_v6,
    _step_v8,
    _step_v8,
)


@cache
def _schema() -> MessageSchema:
    join_group_request_protocol_struct = StructSchema(
        python_class=JoinGroupRequestProtocol,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Metadata",
                attribute="metadata",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
        ),
    )
    join_group_request_struct = StructSchema(
        python_class=JoinGroupRequest,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="SessionTimeoutMs",
                attribute="session_timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="RebalanceTimeoutMs",
                attribute="rebalance_timeout_ms",
                type="int32",
                versions=(1, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupInstanceId",
                attribute="group_instance_id",
                type="string",
                versions=(5, 32767),
                nullable=(5, 32767),
                default=None,
            ),
            FieldSchema(
                name="ProtocolType",
                attribute="protocol_type",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Protocols",
                attribute="protocols",
                type="JoinGroupRequestProtocol",
                struct=join_group_request_protocol_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Reason",
                attribute="reason",
                type="string",
                versions=(8, 32767),
                nullable=(8, 32767),
                default=None,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(name="JoinGroupRequest", flexible_from=6, root=join_group_request_struct)
