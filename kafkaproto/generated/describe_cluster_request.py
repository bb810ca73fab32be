"""DescribeClusterRequest: versions 0-2, flexible from 0, api key 60.

Generated from api/DescribeClusterRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_unknown_tags, write_tag_section

_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_tbtB = struct.Struct(">?b?B").unpack_from
_unpack_tbB = struct.Struct(">?bB").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_tb = struct.Struct(">?b").pack
_pack_tbt = struct.Struct(">?b?").pack
_pack_tbtB = struct.Struct(">?b?B").pack
_pack_tbB = struct.Struct(">?bB").pack


class DescribeClusterRequest(Message):
    """Request DescribeClusterRequest."""

    __slots__ = (
        "include_cluster_authorized_operations",
        "endpoint_type",
        "include_fenced_brokers",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "DescribeClusterRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 60
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)

    include_cluster_authorized_operations: bool
    """Versions 0+."""
    endpoint_type: int
    """1 for brokers, 2 for controllers. Versions 1+."""
    include_fenced_brokers: bool
    """Whether to list registered brokers that are out of service too. Versions 2+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        include_cluster_authorized_operations: bool = False,
        endpoint_type: int = 1,
        include_fenced_brokers: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.endpoint_type = endpoint_type
        self.include_fenced_brokers = include_fenced_brokers
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeClusterRequest)
            and self.include_cluster_authorized_operations == other.include_cluster_authorized_operations
            and self.endpoint_type == other.endpoint_type
            and self.include_fenced_brokers == other.include_fenced_brokers
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeClusterRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeClusterRequest, int]:
    message = DescribeClusterRequest.__new__(DescribeClusterRequest)
    message.include_cluster_authorized_operations, tags = _unpack_tB(buffer, position)
    position += 2
    message.endpoint_type = 1
    message.include_fenced_brokers = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeClusterRequest, int]:
    message = DescribeClusterRequest.__new__(DescribeClusterRequest)
    message.include_cluster_authorized_operations, message.endpoint_type, tags = _unpack_tbB(buffer, position)
    position += 3
    message.include_fenced_brokers = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[DescribeClusterRequest, int]:
    message = DescribeClusterRequest.__new__(DescribeClusterRequest)
    (
        message.include_cluster_authorized_operations,
        message.endpoint_type,
        message.include_fenced_brokers,
        tags,
    ) = _unpack_tbtB(buffer, position)
    position += 4
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: DescribeClusterRequest) -> None:
    if message.endpoint_type != 1:
        raise Malformed
    if message.include_fenced_brokers:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_t(message.include_cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.include_cluster_authorized_operations, 0))


def _write_v1(out: Pieces, message: DescribeClusterRequest) -> None:
    if message.include_fenced_brokers:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_tb(message.include_cluster_authorized_operations, message.endpoint_type))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tbB(message.include_cluster_authorized_operations, message.endpoint_type, 0))


def _write_v2(out: Pieces, message: DescribeClusterRequest) -> None:
    if message.unknown_tags:
        out.append(_pack_tbt(
            message.include_cluster_authorized_operations,
            message.endpoint_type,
            message.include_fenced_brokers,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tbtB(
            message.include_cluster_authorized_operations,
            message.endpoint_type,
            message.include_fenced_brokers,
            0,
        ))


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
)


@cache
def _schema() -> MessageSchema:
    describe_cluster_request_struct = StructSchema(
        python_class=DescribeClusterRequest,
        fields=(
            FieldSchema(
                name="IncludeClusterAuthorizedOperations",
                attribute="include_cluster_authorized_operations",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="EndpointType",
                attribute="endpoint_type",
                type="int8",
                versions=(1, 32767),
                default=1,
            ),
            FieldSchema(
                name="IncludeFencedBrokers",
                attribute="include_fenced_brokers",
                type="bool",
                versions=(2, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="DescribeClusterRequest", flexible_from=0, root=describe_cluster_request_struct)
