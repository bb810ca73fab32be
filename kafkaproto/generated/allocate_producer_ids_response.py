"""AllocateProducerIdsResponse: versions 0, flexible from 0, api key 67.

Generated from api/AllocateProducerIdsResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Pieces, read_unknown_tags, write_tag_section

_unpack_ihqiB = struct.Struct(">ihqiB").unpack_from
_pack_ihqi = struct.Struct(">ihqi").pack
_pack_ihqiB = struct.Struct(">ihqiB").pack


class AllocateProducerIdsResponse(Message):
    """Response AllocateProducerIdsResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "producer_id_start",
        "producer_id_len",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "AllocateProducerIdsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 67
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    producer_id_start: int
    """First id of the block. Versions 0+."""
    producer_id_len: int
    """Number of ids in the block. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id_start: int = 0,
        producer_id_len: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id_start = producer_id_start
        self.producer_id_len = producer_id_len
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AllocateProducerIdsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.producer_id_start == other.producer_id_start
            and self.producer_id_len == other.producer_id_len
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AllocateProducerIdsResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[AllocateProducerIdsResponse, int]:
    message = AllocateProducerIdsResponse.__new__(AllocateProducerIdsResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.producer_id_start,
        message.producer_id_len,
        tags,
    ) = _unpack_ihqiB(buffer, position)
    position += 19
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: AllocateProducerIdsResponse) -> None:
    if message.unknown_tags:
        out.append(_pack_ihqi(
            message.throttle_time_ms,
            message.error_code,
            message.producer_id_start,
            message.producer_id_len,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihqiB(
            message.throttle_time_ms,
            message.error_code,
            message.producer_id_start,
            message.producer_id_len,
            0,
        ))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    allocate_producer_ids_response_struct = StructSchema(
        python_class=AllocateProducerIdsResponse,
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
                name="ProducerIdStart",
                attribute="producer_id_start",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ProducerIdLen",
                attribute="producer_id_len",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="AllocateProducerIdsResponse",
        flexible_from=0,
        root=allocate_producer_ids_response_struct,
    )
