"""InitProducerIdRequest: versions 0-6, flexible from 2, api key 22.

Generated from api/InitProducerIdRequest.json by codegen; change the schema, not this file.
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
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_iqhttB = struct.Struct(">iqh??B").unpack_from
_unpack_iqhB = struct.Struct(">iqhB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_iqh = struct.Struct(">iqh").pack
_pack_iqhtt = struct.Struct(">iqh??").pack
_pack_iqhttB = struct.Struct(">iqh??B").pack
_pack_iqhB = struct.Struct(">iqhB").pack


class InitProducerIdRequest(Message):
    """Request InitProducerIdRequest."""

    __slots__ = (
        "transactional_id",
        "transaction_timeout_ms",
        "producer_id",
        "producer_epoch",
        "enable2_pc",
        "keep_prepared_txn",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "InitProducerIdRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 22
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = True
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    transactional_id: str | None
    """Versions 0+, null in 0+."""
    transaction_timeout_ms: int
    """Versions 0+."""
    producer_id: int
    """Versions 3+."""
    producer_epoch: int
    """Versions 3+."""
    enable2_pc: bool
    """Versions 6+."""
    keep_prepared_txn: bool
    """Versions 6+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        transactional_id: str | None = "",
        transaction_timeout_ms: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        enable2_pc: bool = False,
        keep_prepared_txn: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.transaction_timeout_ms = transaction_timeout_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.enable2_pc = enable2_pc
        self.keep_prepared_txn = keep_prepared_txn
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, InitProducerIdRequest)
            and self.transactional_id == other.transactional_id
            and self.transaction_timeout_ms == other.transaction_timeout_ms
            and self.producer_id == other.producer_id
            and self.producer_epoch == other.producer_epoch
            and self.enable2_pc == other.enable2_pc
            and self.keep_prepared_txn == other.keep_prepared_txn
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[InitProducerIdRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[InitProducerIdRequest, int]:
    message = InitProducerIdRequest.__new__(InitProducerIdRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.transactional_id = None
    else:
        end = position + length
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
    (message.transaction_timeout_ms,) = _unpack_i(buffer, position)
    position += 4
    message.producer_id = -1
    message.producer_epoch = -1
    message.enable2_pc = False
    message.keep_prepared_txn = False
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[InitProducerIdRequest, int]:
    message = InitProducerIdRequest.__new__(InitProducerIdRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.transactional_id = None
    else:
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
    message.transaction_timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.producer_id = -1
    message.producer_epoch = -1
    message.enable2_pc = False
    message.keep_prepared_txn = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[InitProducerIdRequest, int]:
    message = InitProducerIdRequest.__new__(InitProducerIdRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.transactional_id = None
    else:
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
    (
        message.transaction_timeout_ms,
        message.producer_id,
        message.producer_epoch,
        tags,
    ) = _unpack_iqhB(buffer, position)
    position += 15
    message.enable2_pc = False
    message.keep_prepared_txn = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v6(buffer: Buffer, position: int) -> tuple[InitProducerIdRequest, int]:
    message = InitProducerIdRequest.__new__(InitProducerIdRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.transactional_id = None
    else:
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
    (
        message.transaction_timeout_ms,
        message.producer_id,
        message.producer_epoch,
        message.enable2_pc,
        message.keep_prepared_txn,
        tags,
    ) = _unpack_iqhttB(buffer, position)
    position += 17
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: InitProducerIdRequest) -> None:
    if message.producer_id != -1:
        raise Malformed
    if message.producer_epoch != -1:
        raise Malformed
    if message.enable2_pc:
        raise Malformed
    if message.keep_prepared_txn:
        raise Malformed
    transactional_id = message.transactional_id
    if transactional_id is None:
        data = b""
        length = -1
    else:
        data = transactional_id.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_i(message.transaction_timeout_ms))
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: InitProducerIdRequest) -> None:
    if message.producer_id != -1:
        raise Malformed
    if message.producer_epoch != -1:
        raise Malformed
    if message.enable2_pc:
        raise Malformed
    if message.keep_prepared_txn:
        raise Malformed
    transactional_id = message.transactional_id
    if transactional_id is None:
        data = b""
        length = 0
    else:
        data = transactional_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_i(message.transaction_timeout_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.transaction_timeout_ms, 0))


def _write_v3(out: Pieces, message: InitProducerIdRequest) -> None:
    if message.enable2_pc:
        raise Malformed
    if message.keep_prepared_txn:
        raise Malformed
    transactional_id = message.transactional_id
    if transactional_id is None:
        data = b""
        length = 0
    else:
        data = transactional_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_iqh(message.transaction_timeout_ms, message.producer_id, message.producer_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqhB(message.transaction_timeout_ms, message.producer_id, message.producer_epoch, 0))


def _write_v6(out: Pieces, message: InitProducerIdRequest) -> None:
    transactional_id = message.transactional_id
    if transactional_id is None:
        data = b""
        length = 0
    else:
        data = transactional_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_iqhtt(
            message.transaction_timeout_ms,
            message.producer_id,
            message.producer_epoch,
            message.enable2_pc,
            message.keep_prepared_txn,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqhttB(
            message.transaction_timeout_ms,
            message.producer_id,
            message.producer_epoch,
            message.enable2_pc,
            message.keep_prepared_txn,
            0,
        ))


_READERS = (
    _read_v0,
    _read_v0,
    _read_v2,
    _read_v3,
    _read_v3,
    _read_v3,
    _read_v6,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v2,
    _write_v3,
    _write_v3,
    _write_v3,
    _write_v6,
)


@cache
def _schema() -> MessageSchema:
    init_producer_id_request_struct = StructSchema(
        python_class=InitProducerIdRequest,
        fields=(
            FieldSchema(
                name="TransactionalId",
                attribute="transactional_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="TransactionTimeoutMs",
                attribute="transaction_timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(3, 32767),
                default=-1,
            ),
            FieldSchema(
                name="ProducerEpoch",
                attribute="producer_epoch",
                type="int16",
                versions=(3, 32767),
                default=-1,
            ),
            FieldSchema(
                name="Enable2Pc",
                attribute="enable2_pc",
                type="bool",
                versions=(6, 32767),
                default=False,
            ),
            FieldSchema(
                name="KeepPreparedTxn",
                attribute="keep_prepared_txn",
                type="bool",
                versions=(6, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="InitProducerIdRequest", flexible_from=2, root=init_producer_id_request_struct)
