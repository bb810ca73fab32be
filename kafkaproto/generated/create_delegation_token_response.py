"""CreateDelegationTokenResponse: versions 1-3, flexible from 2, api key 38.

Generated from api/CreateDelegationTokenResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
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

_unpack_h = struct.Struct(">h").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hh = struct.Struct(">hh").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_qqqB = struct.Struct(">qqqB").unpack_from
_unpack_qqqh = struct.Struct(">qqqh").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_qqq = struct.Struct(">qqq").pack
_pack_qqqB = struct.Struct(">qqqB").pack
_pack_qqqh = struct.Struct(">qqqh").pack


class CreateDelegationTokenResponse(Message):
    """Response CreateDelegationTokenResponse."""

    __slots__ = (
        "error_code",
        "principal_type",
        "principal_name",
        "token_requester_principal_type",
        "token_requester_principal_name",
        "issue_timestamp_ms",
        "expiry_timestamp_ms",
        "max_timestamp_ms",
        "token_id",
        "hmac",
        "throttle_time_ms",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "CreateDelegationTokenResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 38
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    error_code: int
    """Versions 0+."""
    principal_type: str
    """Versions 0+."""
    principal_name: str
    """Versions 0+."""
    token_requester_principal_type: str
    """Versions 3+."""
    token_requester_principal_name: str
    """Versions 3+."""
    issue_timestamp_ms: int
    """Versions 0+."""
    expiry_timestamp_ms: int
    """Versions 0+."""
    max_timestamp_ms: int
    """Versions 0+."""
    token_id: str
    """Versions 0+."""
    hmac: bytes
    """Versions 0+."""
    throttle_time_ms: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp_ms: int = 0,
        expiry_timestamp_ms: int = 0,
        max_timestamp_ms: int = 0,
        token_id: str = "",
        hmac: bytes = b'',
        throttle_time_ms: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp_ms = issue_timestamp_ms
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.max_timestamp_ms = max_timestamp_ms
        self.token_id = token_id
        self.hmac = hmac
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateDelegationTokenResponse)
            and self.error_code == other.error_code
            and self.principal_type == other.principal_type
            and self.principal_name == other.principal_name
            and self.token_requester_principal_type == other.token_requester_principal_type
            and self.token_requester_principal_name == other.token_requester_principal_name
            and self.issue_timestamp_ms == other.issue_timestamp_ms
            and self.expiry_timestamp_ms == other.expiry_timestamp_ms
            and self.max_timestamp_ms == other.max_timestamp_ms
            and self.token_id == other.token_id
            and self.hmac == other.hmac
            and self.throttle_time_ms == other.throttle_time_ms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[CreateDelegationTokenResponse, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v1(buffer: Buffer, position: int) -> tuple[CreateDelegationTokenResponse, int]:
    message = CreateDelegationTokenResponse.__new__(CreateDelegationTokenResponse)
    message.error_code, length = _unpack_hh(buffer, position)
    position += 4
    if length < 0:
        raise Malformed
    end = position + length
    message.principal_type = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.principal_name = str(buffer[position:end], "utf-8")
    position = end
    (
        message.issue_timestamp_ms,
        message.expiry_timestamp_ms,
        message.max_timestamp_ms,
        length,
    ) = _unpack_qqqh(buffer, position)
    position += 26
    if length < 0:
        raise Malformed
    end = position + length
    message.token_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        raise Malformed
    end = position + length
    message.hmac = bytes(buffer[position:end])
    position = end
    (message.throttle_time_ms,) = _unpack_i(buffer, position)
    position += 4
    message.token_requester_principal_type = ""
    message.token_requester_principal_name = ""
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[CreateDelegationTokenResponse, int]:
    message = CreateDelegationTokenResponse.__new__(CreateDelegationTokenResponse)
    message.error_code, length = _unpack_hB(buffer, position)
    position += 3
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.principal_type = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.principal_name = str(buffer[position:end], "utf-8")
    position = end
    (
        message.issue_timestamp_ms,
        message.expiry_timestamp_ms,
        message.max_timestamp_ms,
        length,
    ) = _unpack_qqqB(buffer, position)
    position += 25
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.token_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.hmac = bytes(buffer[position:end])
    position = end
    message.throttle_time_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.token_requester_principal_type = ""
    message.token_requester_principal_name = ""
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[CreateDelegationTokenResponse, int]:
    message = CreateDelegationTokenResponse.__new__(CreateDelegationTokenResponse)
    message.error_code, length = _unpack_hB(buffer, position)
    position += 3
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.principal_type = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.principal_name = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.token_requester_principal_type = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.token_requester_principal_name = str(buffer[position:end], "utf-8")
    position = end
    (
        message.issue_timestamp_ms,
        message.expiry_timestamp_ms,
        message.max_timestamp_ms,
        length,
    ) = _unpack_qqqB(buffer, position)
    position += 25
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.token_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.hmac = bytes(buffer[position:end])
    position = end
    message.throttle_time_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v1(out: Pieces, message: CreateDelegationTokenResponse) -> None:
    if message.token_requester_principal_type != "":
        raise Malformed
    if message.token_requester_principal_name != "":
        raise Malformed
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    principal_name = message.principal_name
    data = principal_name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    token_id = message.token_id
    data = token_id.encode()
    length = len(data)
    out.append(_pack_qqqh(
        message.issue_timestamp_ms,
        message.expiry_timestamp_ms,
        message.max_timestamp_ms,
        length,
    ))
    out.append(data)
    hmac = message.hmac
    length = len(hmac)
    out.append(_pack_i(length))
    out.append(hmac)
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: CreateDelegationTokenResponse) -> None:
    if message.token_requester_principal_type != "":
        raise Malformed
    if message.token_requester_principal_name != "":
        raise Malformed
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    principal_name = message.principal_name
    data = principal_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    token_id = message.token_id
    data = token_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_qqqB(
            message.issue_timestamp_ms,
            message.expiry_timestamp_ms,
            message.max_timestamp_ms,
            length,
        ))
    else:
        out.append(_pack_qqq(
            message.issue_timestamp_ms,
            message.expiry_timestamp_ms,
            message.max_timestamp_ms,
        ))
        out.append(pack_string_length(length))
    out.append(data)
    hmac = message.hmac
    length = len(hmac) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(hmac)
    if message.unknown_tags:
        out.append(_pack_i(message.throttle_time_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.throttle_time_ms, 0))


def _write_v3(out: Pieces, message: CreateDelegationTokenResponse) -> None:
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    principal_name = message.principal_name
    data = principal_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    token_requester_principal_type = message.token_requester_principal_type
    data = token_requester_principal_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    token_requester_principal_name = message.token_requester_principal_name
    data = token_requester_principal_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    token_id = message.token_id
    data = token_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_qqqB(
            message.issue_timestamp_ms,
            message.expiry_timestamp_ms,
            message.max_timestamp_ms,
            length,
        ))
    else:
        out.append(_pack_qqq(
            message.issue_timestamp_ms,
            message.expiry_timestamp_ms,
            message.max_timestamp_ms,
        ))
        out.append(pack_string_length(length))
    out.append(data)
    hmac = message.hmac
    length = len(hmac) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(hmac)
    if message.unknown_tags:
        out.append(_pack_i(message.throttle_time_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.throttle_time_ms, 0))


_READERS = (
    _read_v1,
    _read_v2,
    _read_v3,
)

_WRITERS = (
    _write_v1,
    _write_v2,
    _write_v3,
)


@cache
def _schema() -> MessageSchema:
    create_delegation_token_response_struct = StructSchema(
        python_class=CreateDelegationTokenResponse,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="PrincipalType",
                attribute="principal_type",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="PrincipalName",
                attribute="principal_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="TokenRequesterPrincipalType",
                attribute="token_requester_principal_type",
                type="string",
                versions=(3, 32767),
                default="",
            ),
            FieldSchema(
                name="TokenRequesterPrincipalName",
                attribute="token_requester_principal_name",
                type="string",
                versions=(3, 32767),
                default="",
            ),
            FieldSchema(
                name="IssueTimestampMs",
                attribute="issue_timestamp_ms",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ExpiryTimestampMs",
                attribute="expiry_timestamp_ms",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MaxTimestampMs",
                attribute="max_timestamp_ms",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TokenId",
                attribute="token_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Hmac",
                attribute="hmac",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="CreateDelegationTokenResponse",
        flexible_from=2,
        root=create_delegation_token_response_struct,
    )
