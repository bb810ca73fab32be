"""EndTxnResponse: versions 0-5, flexible from 3, api key 26.

Generated from api/EndTxnResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_unknown_tags, write_tag_section

_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ihqhB = struct.Struct(">ihqhB").unpack_from
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ihqh = struct.Struct(">ihqh").pack
_pack_ihqhB = struct.Struct(">ihqhB").pack


class EndTxnResponse(Message):
    """Response EndTxnResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "producer_id", "producer_epoch", "unknown_tags")

    NAME: ClassVar[str] = "EndTxnResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 26
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    producer_id: int
    """Versions 5+, dropped where a version lacks it."""
    producer_epoch: int
    """Versions 5+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EndTxnResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.producer_id == other.producer_id
            and self.producer_epoch == other.producer_epoch
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[EndTxnResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[EndTxnResponse, int]:
    message = EndTxnResponse.__new__(EndTxnResponse)
    message.throttle_time_ms, message.error_code = _unpack_ih(buffer, position)
    position += 6
    message.producer_id = -1
    message.producer_epoch = -1
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[EndTxnResponse, int]:
    message = EndTxnResponse.__new__(EndTxnResponse)
    message.throttle_time_ms, message.error_code, tags = _unpack_ihB(buffer, position)
    position += 7
    message.producer_id = -1
    message.producer_epoch = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v5(buffer: Buffer, position: int) -> tuple[EndTxnResponse, int]:
    message = EndTxnResponse.__new__(EndTxnResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.producer_id,
        message.producer_epoch,
        tags,
    ) = _unpack_ihqhB(buffer, position)
    position += 17
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: EndTxnResponse) -> None:
    out.append(_pack_ih(message.throttle_time_ms, message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: EndTxnResponse) -> None:
    if message.unknown_tags:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, 0))


def _write_v5(out: Pieces, message: EndTxnResponse) -> None:
    if message.unknown_tags:
        out.append(_pack_ihqh(
            message.throttle_time_ms,
            message.error_code,
            message.producer_id,
            message.producer_epoch,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihqhB(
            message.throttle_time_ms,
            message.error_code,
            message.producer_id,
            message.producer_epoch,
            0,
        ))


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
    _read_v3,
    _read_v3,
    _read_v5,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v3,
    _write_v3,
    _write_v5,
)


@cache
def _schema() -> MessageSchema:
    end_txn_response_struct = StructSchema(
        python_class=EndTxnResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(5, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="ProducerEpoch",
                attribute="producer_epoch",
                type="int16",
                versions=(5, 32767),
                default=-1,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(name="EndTxnResponse", flexible_from=3, root=end_txn_response_struct)
