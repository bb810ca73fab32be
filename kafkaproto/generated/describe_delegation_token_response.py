"""DescribeDelegationTokenResponse: versions 1-3, flexible from 2, api key 41.

Generated from api/DescribeDelegationTokenResponse.json by codegen; change the schema, not this file.
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
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hi = struct.Struct(">hi").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_qqqB = struct.Struct(">qqqB").unpack_from
_unpack_qqqh = struct.Struct(">qqqh").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hi = struct.Struct(">hi").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_qqq = struct.Struct(">qqq").pack
_pack_qqqB = struct.Struct(">qqqB").pack
_pack_qqqh = struct.Struct(">qqqh").pack


class DescribeDelegationTokenResponseDescribedDelegationTokenRenewer(Struct):
    """DescribedDelegationTokenRenewer of DescribeDelegationTokenResponse."""

    __slots__ = ("principal_type", "principal_name", "unknown_tags")

    principal_type: str
    """Versions 0+."""
    principal_name: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeDelegationTokenResponseDescribedDelegationTokenRenewer)
            and self.principal_type == other.principal_type
            and self.principal_name == other.principal_name
            and self.unknown_tags == other.unknown_tags
        )



class DescribeDelegationTokenResponseDescribedDelegationToken(Struct):
    """DescribedDelegationToken of DescribeDelegationTokenResponse."""

    __slots__ = (
        "principal_type",
        "principal_name",
        "token_requester_principal_type",
        "token_requester_principal_name",
        "issue_timestamp",
        "expiry_timestamp",
        "max_timestamp",
        "token_id",
        "hmac",
        "renewers",
        "unknown_tags",
    )

    principal_type: str
    """Versions 0+."""
    principal_name: str
    """Versions 0+."""
    token_requester_principal_type: str
    """Versions 3+."""
    token_requester_principal_name: str
    """Versions 3+."""
    issue_timestamp: int
    """Versions 0+."""
    expiry_timestamp: int
    """Versions 0+."""
    max_timestamp: int
    """Versions 0+."""
    token_id: str
    """Versions 0+."""
    hmac: bytes
    """Versions 0+."""
    renewers: list[DescribeDelegationTokenResponseDescribedDelegationTokenRenewer]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp: int = 0,
        expiry_timestamp: int = 0,
        max_timestamp: int = 0,
        token_id: str = "",
        hmac: bytes = b'',
        renewers: list[DescribeDelegationTokenResponseDescribedDelegationTokenRenewer] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp = issue_timestamp
        self.expiry_timestamp = expiry_timestamp
        self.max_timestamp = max_timestamp
        self.token_id = token_id
        self.hmac = hmac
        self.renewers = [] if renewers is EMPTY else renewers
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeDelegationTokenResponseDescribedDelegationToken)
            and self.principal_type == other.principal_type
            and self.principal_name == other.principal_name
            and self.token_requester_principal_type == other.token_requester_principal_type
            and self.token_requester_principal_name == other.token_requester_principal_name
            and self.issue_timestamp == other.issue_timestamp
            and self.expiry_timestamp == other.expiry_timestamp
            and self.max_timestamp == other.max_timestamp
            and self.token_id == other.token_id
            and self.hmac == other.hmac
            and self.renewers == other.renewers
            and self.unknown_tags == other.unknown_tags
        )



class DescribeDelegationTokenResponse(Message):
    """Response DescribeDelegationTokenResponse."""

    __slots__ = ("error_code", "tokens", "throttle_time_ms", "unknown_tags")

    NAME: ClassVar[str] = "DescribeDelegationTokenResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 41
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    DescribedDelegationTokenRenewer: TypeAlias = DescribeDelegationTokenResponseDescribedDelegationTokenRenewer
    DescribedDelegationToken: TypeAlias = DescribeDelegationTokenResponseDescribedDelegationToken

    error_code: int
    """Versions 0+."""
    tokens: list[DescribeDelegationTokenResponseDescribedDelegationToken]
    """Versions 0+."""
    throttle_time_ms: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        tokens: list[DescribeDelegationTokenResponseDescribedDelegationToken] = EMPTY,
        throttle_time_ms: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.tokens = [] if tokens is EMPTY else tokens
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeDelegationTokenResponse)
            and self.error_code == other.error_code
            and self.tokens == other.tokens
            and self.throttle_time_ms == other.throttle_time_ms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeDelegationTokenResponse, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 1]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_described_delegation_token_renewer_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeDelegationTokenResponseDescribedDelegationTokenRenewer], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeDelegationTokenResponseDescribedDelegationTokenRenewer] = []
    for _ in range(size):
        message = DescribeDelegationTokenResponseDescribedDelegationTokenRenewer.__new__(
            DescribeDelegationTokenResponseDescribedDelegationTokenRenewer,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
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
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_described_delegation_token_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeDelegationTokenResponseDescribedDelegationToken], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeDelegationTokenResponseDescribedDelegationToken] = []
    for _ in range(size):
        message = DescribeDelegationTokenResponseDescribedDelegationToken.__new__(
            DescribeDelegationTokenResponseDescribedDelegationToken,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
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
            message.issue_timestamp,
            message.expiry_timestamp,
            message.max_timestamp,
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
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.renewers, position = _read_many_described_delegation_token_renewer_v1(buffer, position, count)
        elif not count:
            message.renewers = []
        else:
            raise Malformed
        message.token_requester_principal_type = ""
        message.token_requester_principal_name = ""
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeDelegationTokenResponse, int]:
    message = DescribeDelegationTokenResponse.__new__(DescribeDelegationTokenResponse)
    message.error_code, count = _unpack_hi(buffer, position)
    position += 6
    if count > 0:
        message.tokens, position = _read_many_described_delegation_token_v1(buffer, position, count)
    elif not count:
        message.tokens = []
    else:
        raise Malformed
    (message.throttle_time_ms,) = _unpack_i(buffer, position)
    position += 4
    message.unknown_tags = None
    return message, position


def _read_many_described_delegation_token_renewer_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeDelegationTokenResponseDescribedDelegationTokenRenewer], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeDelegationTokenResponseDescribedDelegationTokenRenewer] = []
    for _ in range(size):
        message = DescribeDelegationTokenResponseDescribedDelegationTokenRenewer.__new__(
            DescribeDelegationTokenResponseDescribedDelegationTokenRenewer,
        )
        length = buffer[position]
        position += 1
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
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_described_delegation_token_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeDelegationTokenResponseDescribedDelegationToken], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeDelegationTokenResponseDescribedDelegationToken] = []
    for _ in range(size):
        message = DescribeDelegationTokenResponseDescribedDelegationToken.__new__(
            DescribeDelegationTokenResponseDescribedDelegationToken,
        )
        length = buffer[position]
        position += 1
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
            message.issue_timestamp,
            message.expiry_timestamp,
            message.max_timestamp,
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
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.renewers, position = _read_many_described_delegation_token_renewer_v2(buffer, position, count - 1)
        elif count:
            message.renewers = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.token_requester_principal_type = ""
        message.token_requester_principal_name = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[DescribeDelegationTokenResponse, int]:
    message = DescribeDelegationTokenResponse.__new__(DescribeDelegationTokenResponse)
    message.error_code, count = _unpack_hB(buffer, position)
    position += 3
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.tokens, position = _read_many_described_delegation_token_v2(buffer, position, count - 1)
    elif count:
        message.tokens = []
    else:
        raise Malformed
    message.throttle_time_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_described_delegation_token_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeDelegationTokenResponseDescribedDelegationToken], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeDelegationTokenResponseDescribedDelegationToken] = []
    for _ in range(size):
        message = DescribeDelegationTokenResponseDescribedDelegationToken.__new__(
            DescribeDelegationTokenResponseDescribedDelegationToken,
        )
        length = buffer[position]
        position += 1
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
            message.issue_timestamp,
            message.expiry_timestamp,
            message.max_timestamp,
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
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.renewers, position = _read_many_described_delegation_token_renewer_v2(buffer, position, count - 1)
        elif count:
            message.renewers = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[DescribeDelegationTokenResponse, int]:
    message = DescribeDelegationTokenResponse.__new__(DescribeDelegationTokenResponse)
    message.error_code, count = _unpack_hB(buffer, position)
    position += 3
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.tokens, position = _read_many_described_delegation_token_v3(buffer, position, count - 1)
    elif count:
        message.tokens = []
    else:
        raise Malformed
    message.throttle_time_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_described_delegation_token_renewer_v1(
    out: Pieces,
    message: DescribeDelegationTokenResponseDescribedDelegationTokenRenewer,
) -> None:
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    principal_name = message.principal_name
    data = principal_name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_described_delegation_token_v1(
    out: Pieces,
    message: DescribeDelegationTokenResponseDescribedDelegationToken,
) -> None:
    if message.token_requester_principal_type != "":
        raise Malformed
    if message.token_requester_principal_name != "":
        raise Malformed
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    principal_name = message.principal_name
    data = principal_name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    token_id = message.token_id
    data = token_id.encode()
    length = len(data)
    out.append(_pack_qqqh(message.issue_timestamp, message.expiry_timestamp, message.max_timestamp, length))
    out.append(data)
    hmac = message.hmac
    length = len(hmac)
    out.append(_pack_i(length))
    out.append(hmac)
    renewers = message.renewers
    count = len(renewers)
    out.append(_pack_i(count))
    for renewers_item in renewers:
        _write_described_delegation_token_renewer_v1(out, renewers_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_described_delegation_token_v1(
    out: Pieces,
    message: DescribeDelegationTokenResponseDescribedDelegationToken,
) -> Steps[None]:
    if message.token_requester_principal_type != "":
        raise Malformed
    if message.token_requester_principal_name != "":
        raise Malformed
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    principal_name = message.principal_name
    data = principal_name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    token_id = message.token_id
    data = token_id.encode()
    length = len(data)
    out.append(_pack_qqqh(message.issue_timestamp, message.expiry_timestamp, message.max_timestamp, length))
    out.append(data)
    hmac = message.hmac
    length = len(hmac)
    out.append(_pack_i(length))
    out.append(hmac)
    renewers = message.renewers
    count = len(renewers)
    out.append(_pack_i(count))
    for renewers_item in renewers:
        _write_described_delegation_token_renewer_v1(out, renewers_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: DescribeDelegationTokenResponse) -> None:
    tokens = message.tokens
    count = len(tokens)
    out.append(_pack_hi(message.error_code, count))
    for tokens_item in tokens:
        _write_described_delegation_token_v1(out, tokens_item)
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: DescribeDelegationTokenResponse) -> Steps[None]:
    tokens = message.tokens
    count = len(tokens)
    out.append(_pack_hi(message.error_code, count))
    for tokens_item in tokens:
        yield from _step_write_described_delegation_token_v1(out, tokens_item)
        yield
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _write_described_delegation_token_renewer_v2(
    out: Pieces,
    message: DescribeDelegationTokenResponseDescribedDelegationTokenRenewer,
) -> None:
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
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
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_described_delegation_token_v2(
    out: Pieces,
    message: DescribeDelegationTokenResponseDescribedDelegationToken,
) -> None:
    if message.token_requester_principal_type != "":
        raise Malformed
    if message.token_requester_principal_name != "":
        raise Malformed
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
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
            message.issue_timestamp,
            message.expiry_timestamp,
            message.max_timestamp,
            length,
        ))
    else:
        out.append(_pack_qqq(message.issue_timestamp, message.expiry_timestamp, message.max_timestamp))
        out.append(pack_string_length(length))
    out.append(data)
    hmac = message.hmac
    length = len(hmac) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(hmac)
    renewers = message.renewers
    count = len(renewers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for renewers_item in renewers:
        _write_described_delegation_token_renewer_v2(out, renewers_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_described_delegation_token_v2(
    out: Pieces,
    message: DescribeDelegationTokenResponseDescribedDelegationToken,
) -> Steps[None]:
    if message.token_requester_principal_type != "":
        raise Malformed
    if message.token_requester_principal_name != "":
        raise Malformed
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
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
            message.issue_timestamp,
            message.expiry_timestamp,
            message.max_timestamp,
            length,
        ))
    else:
        out.append(_pack_qqq(message.issue_timestamp, message.expiry_timestamp, message.max_timestamp))
        out.append(pack_string_length(length))
    out.append(data)
    hmac = message.hmac
    length = len(hmac) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(hmac)
    renewers = message.renewers
    count = len(renewers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for renewers_item in renewers:
        _write_described_delegation_token_renewer_v2(out, renewers_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: DescribeDelegationTokenResponse) -> None:
    tokens = message.tokens
    count = len(tokens) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for tokens_item in tokens:
        _write_described_delegation_token_v2(out, tokens_item)
    if message.unknown_tags:
        out.append(_pack_i(message.throttle_time_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.throttle_time_ms, 0))


def _step_write_v2(out: Pieces, message: DescribeDelegationTokenResponse) -> Steps[None]:
    tokens = message.tokens
    count = len(tokens) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for tokens_item in tokens:
        yield from _step_write_described_delegation_token_v2(out, tokens_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.throttle_time_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.throttle_time_ms, 0))


def _write_described_delegation_token_v3(
    out: Pieces,
    message: DescribeDelegationTokenResponseDescribedDelegationToken,
) -> None:
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
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
            message.issue_timestamp,
            message.expiry_timestamp,
            message.max_timestamp,
            length,
        ))
    else:
        out.append(_pack_qqq(message.issue_timestamp, message.expiry_timestamp, message.max_timestamp))
        out.append(pack_string_length(length))
    out.append(data)
    hmac = message.hmac
    length = len(hmac) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(hmac)
    renewers = message.renewers
    count = len(renewers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for renewers_item in renewers:
        _write_described_delegation_token_renewer_v2(out, renewers_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_described_delegation_token_v3(
    out: Pieces,
    message: DescribeDelegationTokenResponseDescribedDelegationToken,
) -> Steps[None]:
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
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
            message.issue_timestamp,
            message.expiry_timestamp,
            message.max_timestamp,
            length,
        ))
    else:
        out.append(_pack_qqq(message.issue_timestamp, message.expiry_timestamp, message.max_timestamp))
        out.append(pack_string_length(length))
    out.append(data)
    hmac = message.hmac
    length = len(hmac) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(hmac)
    renewers = message.renewers
    count = len(renewers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for renewers_item in renewers:
        _write_described_delegation_token_renewer_v2(out, renewers_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: DescribeDelegationTokenResponse) -> None:
    tokens = message.tokens
    count = len(tokens) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for tokens_item in tokens:
        _write_described_delegation_token_v3(out, tokens_item)
    if message.unknown_tags:
        out.append(_pack_i(message.throttle_time_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.throttle_time_ms, 0))


def _step_write_v3(out: Pieces, message: DescribeDelegationTokenResponse) -> Steps[None]:
    tokens = message.tokens
    count = len(tokens) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for tokens_item in tokens:
        yield from _step_write_described_delegation_token_v3(out, tokens_item)
        yield
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

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v2,
    _step_write_v3,
)


@cache
def _schema() -> MessageSchema:
    described_delegation_token_renewer_struct = StructSchema(
        python_class=DescribeDelegationTokenResponseDescribedDelegationTokenRenewer,
        fields=(
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
        ),
    )
    described_delegation_token_struct = StructSchema(
        python_class=DescribeDelegationTokenResponseDescribedDelegationToken,
        fields=(
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
                name="IssueTimestamp",
                attribute="issue_timestamp",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ExpiryTimestamp",
                attribute="expiry_timestamp",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MaxTimestamp",
                attribute="max_timestamp",
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
                name="Renewers",
                attribute="renewers",
                type="DescribedDelegationTokenRenewer",
                struct=described_delegation_token_renewer_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    describe_delegation_token_response_struct = StructSchema(
        python_class=DescribeDelegationTokenResponse,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Tokens",
                attribute="tokens",
                type="DescribedDelegationToken",
                struct=described_delegation_token_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
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
        name="DescribeDelegationTokenResponse",
        flexible_from=2,
        root=describe_delegation_token_response_struct,
    )
