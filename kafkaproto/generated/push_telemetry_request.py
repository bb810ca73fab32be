"""PushTelemetryRequest: versions 0, flexible from 0, api key 72.

Generated from api/PushTelemetryRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    Buffer,
    Buffers,
    Malformed,
    Pieces,
    pack_length,
    read_long_length,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uitbB = struct.Struct(">16si?bB").unpack_from
_pack_uitb = struct.Struct(">16si?b").pack
_pack_uitbB = struct.Struct(">16si?bB").pack


class PushTelemetryRequest(Message):
    """Request PushTelemetryRequest."""

    __slots__ = (
        "client_instance_id",
        "subscription_id",
        "terminating",
        "compression_type",
        "metrics",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "PushTelemetryRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 72
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    client_instance_id: bytes
    """Versions 0+."""
    subscription_id: int
    """Versions 0+."""
    terminating: bool
    """Versions 0+."""
    compression_type: int
    """Versions 0+."""
    metrics: Buffers
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        client_instance_id: bytes = ZERO_UUID,
        subscription_id: int = 0,
        terminating: bool = False,
        compression_type: int = 0,
        metrics: Buffers = b'',
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.terminating = terminating
        self.compression_type = compression_type
        self.metrics = metrics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PushTelemetryRequest)
            and self.client_instance_id == other.client_instance_id
            and self.subscription_id == other.subscription_id
            and self.terminating == other.terminating
            and self.compression_type == other.compression_type
            and self.metrics == other.metrics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[PushTelemetryRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[PushTelemetryRequest, int]:
    view = memoryview(buffer)
    message = PushTelemetryRequest.__new__(PushTelemetryRequest)
    (
        message.client_instance_id,
        message.subscription_id,
        message.terminating,
        message.compression_type,
        length,
    ) = _unpack_uitbB(buffer, position)
    position += 23
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.metrics = view[position:end]
    position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: PushTelemetryRequest) -> None:
    client_instance_id = message.client_instance_id
    if len(client_instance_id) != 16:
        raise Malformed
    metrics = message.metrics
    length = (sum(map(len, metrics)) if isinstance(metrics, list) else len(metrics)) + 1
    if length < 128:
        out.append(_pack_uitbB(
            client_instance_id,
            message.subscription_id,
            message.terminating,
            message.compression_type,
            length,
        ))
    else:
        out.append(_pack_uitb(
            client_instance_id,
            message.subscription_id,
            message.terminating,
            message.compression_type,
        ))
        out.append(pack_length(length))
    if isinstance(metrics, list):
        out.extend(metrics)
    else:
        out.append(metrics)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    push_telemetry_request_struct = StructSchema(
        python_class=PushTelemetryRequest,
        fields=(
            FieldSchema(
                name="ClientInstanceId",
                attribute="client_instance_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="SubscriptionId",
                attribute="subscription_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Terminating",
                attribute="terminating",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="CompressionType",
                attribute="compression_type",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Metrics",
                attribute="metrics",
                type="bytes",
                versions=(0, 32767),
                default=b'',
                zero_copy=True,
            ),
        ),
    )
    return MessageSchema(name="PushTelemetryRequest", flexible_from=0, root=push_telemetry_request_struct)
