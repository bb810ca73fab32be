"""EndTxnRequest: versions 0-5, flexible from 3, api key 26.

Generated from api/EndTxnRequest.json by codegen; change the schema, not this file.
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
    pack_string_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_qht = struct.Struct(">qh?").unpack_from
_unpack_qhtB = struct.Struct(">qh?B").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_qht = struct.Struct(">qh?").pack
_pack_qhtB = struct.Struct(">qh?B").pack


class EndTxnRequest(Message):
    """Request EndTxnRequest."""

    __slots__ = ("transactional_id", "producer_id", "producer_epoch", "committed", "unknown_tags")

    NAME: ClassVar[str] = "EndTxnRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 26
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    transactional_id: str
    """Versions 0+."""
    producer_id: int
    """Versions 0+."""
    producer_epoch: int
    """Versions 0+."""
    committed: bool
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        committed: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.committed = committed
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EndTxnRequest)
            and self.transactional_id == other.transactional_id
            and self.producer_id == other.producer_id
            and self.producer_epoch == other.producer_epoch
            and self.committed == other.committed
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[EndTxnRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[EndTxnRequest, int]:
    message = EndTxnRequest.__new__(EndTxnRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.transactional_id = str(buffer[position:end], "utf-8")
    position = end
    message.producer_id, message.producer_epoch, message.committed = _unpack_qht(buffer, position)
    position += 11
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[EndTxnRequest, int]:
    message = EndTxnRequest.__new__(EndTxnRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.transactional_id = str(buffer[position:end], "utf-8")
    position = end
    message.producer_id, message.producer_epoch, message.committed, tags = _unpack_qhtB(buffer, position)
    position += 12
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: EndTxnRequest) -> None:
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_qht(message.producer_id, message.producer_epoch, message.committed))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: EndTxnRequest) -> None:
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_qht(message.producer_id, message.producer_epoch, message.committed))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qhtB(message.producer_id, message.producer_epoch, message.committed, 0))


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
    _read_v3,
    _read_v3,
    _read_v3,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v3,
    _write_v3,
    _write_v3,
)


@cache
def _schema() -> MessageSchema:
    end_txn_request_struct = StructSchema(
        python_class=EndTxnRequest,
        fields=(
            FieldSchema(
                name="TransactionalId",
                attribute="transactional_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ProducerEpoch",
                attribute="producer_epoch",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Committed",
                attribute="committed",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="EndTxnRequest", flexible_from=3, root=end_txn_request_struct)
