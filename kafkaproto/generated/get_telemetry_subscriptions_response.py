"""GetTelemetrySubscriptionsResponse: versions 0, flexible from 0, api key 71.

Generated from api/GetTelemetrySubscriptionsResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_ihuiB = struct.Struct(">ih16siB").unpack_from
_unpack_iitB = struct.Struct(">ii?B").unpack_from
_pack_ihui = struct.Struct(">ih16si").pack
_pack_ihuiB = struct.Struct(">ih16siB").pack
_pack_iit = struct.Struct(">ii?").pack
_pack_iitB = struct.Struct(">ii?B").pack


class GetTelemetrySubscriptionsResponse(Message):
    """Response GetTelemetrySubscriptionsResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "client_instance_id",
        "subscription_id",
        "accepted_compression_types",
        "push_interval_ms",
        "telemetry_max_bytes",
        "delta_temporality",
        "requested_metrics",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "GetTelemetrySubscriptionsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 71
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    client_instance_id: bytes
    """Versions 0+."""
    subscription_id: int
    """Versions 0+."""
    accepted_compression_types: list[int]
    """Versions 0+."""
    push_interval_ms: int
    """Versions 0+."""
    telemetry_max_bytes: int
    """Versions 0+."""
    delta_temporality: bool
    """Versions 0+."""
    requested_metrics: list[str]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        client_instance_id: bytes = ZERO_UUID,
        subscription_id: int = 0,
        accepted_compression_types: list[int] = EMPTY,
        push_interval_ms: int = 0,
        telemetry_max_bytes: int = 0,
        delta_temporality: bool = False,
        requested_metrics: list[str] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.accepted_compression_types = [] if accepted_compression_types is EMPTY else accepted_compression_types
        self.push_interval_ms = push_interval_ms
        self.telemetry_max_bytes = telemetry_max_bytes
        self.delta_temporality = delta_temporality
        self.requested_metrics = [] if requested_metrics is EMPTY else requested_metrics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, GetTelemetrySubscriptionsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.client_instance_id == other.client_instance_id
            and self.subscription_id == other.subscription_id
            and self.accepted_compression_types == other.accepted_compression_types
            and self.push_interval_ms == other.push_interval_ms
            and self.telemetry_max_bytes == other.telemetry_max_bytes
            and self.delta_temporality == other.delta_temporality
            and self.requested_metrics == other.requested_metrics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[GetTelemetrySubscriptionsResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[GetTelemetrySubscriptionsResponse, int]:
    message = GetTelemetrySubscriptionsResponse.__new__(GetTelemetrySubscriptionsResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.client_instance_id,
        message.subscription_id,
        count,
    ) = _unpack_ihuiB(buffer, position)
    position += 27
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    message.accepted_compression_types = unpack_many("b", 1, count - 1, buffer, position)
    position += count * 1 - 1
    (
        message.push_interval_ms,
        message.telemetry_max_bytes,
        message.delta_temporality,
        count,
    ) = _unpack_iitB(buffer, position)
    position += 10
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    requested_metrics: list[str] = []
    message.requested_metrics = requested_metrics
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        requested_metrics_item = str(buffer[position:end], "utf-8")
        position = end
        requested_metrics.append(requested_metrics_item)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: GetTelemetrySubscriptionsResponse) -> None:
    client_instance_id = message.client_instance_id
    if len(client_instance_id) != 16:
        raise Malformed
    accepted_compression_types = message.accepted_compression_types
    count = len(accepted_compression_types) + 1
    if count < 128:
        out.append(_pack_ihuiB(
            message.throttle_time_ms,
            message.error_code,
            client_instance_id,
            message.subscription_id,
            count,
        ))
    else:
        out.append(_pack_ihui(
            message.throttle_time_ms,
            message.error_code,
            client_instance_id,
            message.subscription_id,
        ))
        out.append(pack_length(count))
    out.append(pack_many("b", accepted_compression_types))
    requested_metrics = message.requested_metrics
    count = len(requested_metrics) + 1
    if count < 128:
        out.append(_pack_iitB(
            message.push_interval_ms,
            message.telemetry_max_bytes,
            message.delta_temporality,
            count,
        ))
    else:
        out.append(_pack_iit(
            message.push_interval_ms,
            message.telemetry_max_bytes,
            message.delta_temporality,
        ))
        out.append(pack_length(count))
    for requested_metrics_item in requested_metrics:
        data = requested_metrics_item.encode()
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


def _step_write_v0(out: Pieces, message: GetTelemetrySubscriptionsResponse) -> Steps[None]:
    client_instance_id = message.client_instance_id
    if len(client_instance_id) != 16:
        raise Malformed
    accepted_compression_types = message.accepted_compression_types
    count = len(accepted_compression_types) + 1
    if count < 128:
        out.append(_pack_ihuiB(
            message.throttle_time_ms,
            message.error_code,
            client_instance_id,
            message.subscription_id,
            count,
        ))
    else:
        out.append(_pack_ihui(
            message.throttle_time_ms,
            message.error_code,
            client_instance_id,
            message.subscription_id,
        ))
        out.append(pack_length(count))
    out.append(pack_many("b", accepted_compression_types))
    requested_metrics = message.requested_metrics
    count = len(requested_metrics) + 1
    if count < 128:
        out.append(_pack_iitB(
            message.push_interval_ms,
            message.telemetry_max_bytes,
            message.delta_temporality,
            count,
        ))
    else:
        out.append(_pack_iit(
            message.push_interval_ms,
            message.telemetry_max_bytes,
            message.delta_temporality,
        ))
        out.append(pack_length(count))
    for requested_metrics_item in requested_metrics:
        data = requested_metrics_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
        yield
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

_STEP_WRITERS = (
    _step_write_v0,
)


@cache
def _schema() -> MessageSchema:
    get_telemetry_subscriptions_response_struct = StructSchema(
        python_class=GetTelemetrySubscriptionsResponse,
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
                name="AcceptedCompressionTypes",
                attribute="accepted_compression_types",
                type="int8",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="PushIntervalMs",
                attribute="push_interval_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TelemetryMaxBytes",
                attribute="telemetry_max_bytes",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="DeltaTemporality",
                attribute="delta_temporality",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="RequestedMetrics",
                attribute="requested_metrics",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="GetTelemetrySubscriptionsResponse",
        flexible_from=0,
        root=get_telemetry_subscriptions_response_struct,
    )
