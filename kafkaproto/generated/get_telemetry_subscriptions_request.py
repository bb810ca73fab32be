"""GetTelemetrySubscriptionsRequest: versions 0, flexible from 0, api key 71.

Generated from api/GetTelemetrySubscriptionsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_unknown_tags, write_tag_section

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_pack_uB = struct.Struct(">16sB").pack


class GetTelemetrySubscriptionsRequest(Message):
    """Request GetTelemetrySubscriptionsRequest."""

    __slots__ = ("client_instance_id", "unknown_tags")

    NAME: ClassVar[str] = "GetTelemetrySubscriptionsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 71
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    client_instance_id: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        client_instance_id: bytes = ZERO_UUID,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.client_instance_id = client_instance_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, GetTelemetrySubscriptionsRequest)
            and self.client_instance_id == other.client_instance_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[GetTelemetrySubscriptionsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[GetTelemetrySubscriptionsRequest, int]:
    message = GetTelemetrySubscriptionsRequest.__new__(GetTelemetrySubscriptionsRequest)
    message.client_instance_id, tags = _unpack_uB(buffer, position)
    position += 17
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: GetTelemetrySubscriptionsRequest) -> None:
    client_instance_id = message.client_instance_id
    if len(client_instance_id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(client_instance_id)
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_uB(client_instance_id, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    get_telemetry_subscriptions_request_struct = StructSchema(
        python_class=GetTelemetrySubscriptionsRequest,
        fields=(
            FieldSchema(
                name="ClientInstanceId",
                attribute="client_instance_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
        ),
    )
    return MessageSchema(
        name="GetTelemetrySubscriptionsRequest",
        flexible_from=0,
        root=get_telemetry_subscriptions_request_struct,
    )
