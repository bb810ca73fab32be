"""InitProducerIdResponse: versions 0-6, flexible from 2, api key 22.

Generated from api/InitProducerIdResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_unknown_tags, write_tag_section

_unpack_ihqh = struct.Struct(">ihqh").unpack_from
_unpack_ihqhB = struct.Struct(">ihqhB").unpack_from
_unpack_ihqhqhB = struct.Struct(">ihqhqhB").unpack_from
_pack_ihqh = struct.Struct(">ihqh").pack
_pack_ihqhB = struct.Struct(">ihqhB").pack
_pack_ihqhqh = struct.Struct(">ihqhqh").pack
_pack_ihqhqhB = struct.Struct(">ihqhqhB").pack


class InitProducerIdResponse(Message):
    """Response InitProducerIdResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "producer_id",
        "producer_epoch",
        "ongoing_txn_producer_id",
        "ongoing_txn_producer_epoch",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "InitProducerIdResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 22
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    throttle_time_ms: int
    """Versions 0+, dropped where a version lacks it."""
    error_code: int
    """Versions 0+."""
    producer_id: int
    """Versions 0+."""
    producer_epoch: int
    """Versions 0+."""
    ongoing_txn_producer_id: int
    """Versions 6+."""
    ongoing_txn_producer_epoch: int
    """Versions 6+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = 0,
        ongoing_txn_producer_id: int = -1,
        ongoing_txn_producer_epoch: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.ongoing_txn_producer_id = ongoing_txn_producer_id
        self.ongoing_txn_producer_epoch = ongoing_txn_producer_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, InitProducerIdResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.producer_id == other.producer_id
            and self.producer_epoch == other.producer_epoch
            and self.ongoing_txn_producer_id == other.ongoing_txn_producer_id
            and self.ongoing_txn_producer_epoch == other.ongoing_txn_producer_epoch
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[InitProducerIdResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[InitProducerIdResponse, int]:
    message = InitProducerIdResponse.__new__(InitProducerIdResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.producer_id,
        message.producer_epoch,
    ) = _unpack_ihqh(buffer, position)
    position += 16
    message.ongoing_txn_producer_id = -1
    message.ongoing_txn_producer_epoch = -1
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[InitProducerIdResponse, int]:
    message = InitProducerIdResponse.__new__(InitProducerIdResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.producer_id,
        message.producer_epoch,
        tags,
    ) = _unpack_ihqhB(buffer, position)
    position += 17
    message.ongoing_txn_producer_id = -1
    message.ongoing_txn_producer_epoch = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v6(buffer: Buffer, position: int) -> tuple[InitProducerIdResponse, int]:
    message = InitProducerIdResponse.__new__(InitProducerIdResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.producer_id,
        message.producer_epoch,
        message.ongoing_txn_producer_id,
        message.ongoing_txn_producer_epoch,
        tags,
    ) = _unpack_ihqhqhB(buffer, position)
    position += 27
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: InitProducerIdResponse) -> None:
    if message.ongoing_txn_producer_id != -1:
        raise Malformed
    if message.ongoing_txn_producer_epoch != -1:
        raise Malformed
    out.append(_pack_ihqh(
        message.throttle_time_ms,
        message.error_code,
        message.producer_id,
        message.producer_epoch,
    ))
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: InitProducerIdResponse) -> None:
    if message.ongoing_txn_producer_id != -1:
        raise Malformed
    if message.ongoing_txn_producer_epoch != -1:
        raise Malformed
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


def _write_v6(out: Pieces, message: InitProducerIdResponse) -> None:
    if message.unknown_tags:
        out.append(_pack_ihqhqh(
            message.throttle_time_ms,
            message.error_code,
            message.producer_id,
            message.producer_epoch,
            message.ongoing_txn_producer_id,
            message.ongoing_txn_producer_epoch,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihqhqhB(
            message.throttle_time_ms,
            message.error_code,
            message.producer_id,
            message.producer_epoch,
            message.ongoing_txn_producer_id,
            message.ongoing_txn_producer_epoch,
            0,
        ))


_READERS = (
    _read_v0,
    _read_v0,
    _read_v2,
    _read_v2,
    _read_v2,
    _read_v2,
    _read_v6,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v2,
    _write_v2,
    _write_v2,
    _write_v2,
    _write_v6,
)


@cache
def _schema() -> MessageSchema:
    init_producer_id_response_struct = StructSchema(
        python_class=InitProducerIdResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
                ignorable=True,
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
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="ProducerEpoch",
                attribute="producer_epoch",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="OngoingTxnProducerId",
                attribute="ongoing_txn_producer_id",
                type="int64",
                versions=(6, 32767),
                default=-1,
            ),
            FieldSchema(
                name="OngoingTxnProducerEpoch",
                attribute="ongoing_txn_producer_epoch",
                type="int16",
                versions=(6, 32767),
                default=-1,
            ),
        ),
    )
    return MessageSchema(
        name="InitProducerIdResponse",
        flexible_from=2,
        root=init_producer_id_response_struct,
    )
