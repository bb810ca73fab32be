"""ApiVersionsRequest: versions 0-5, flexible from 3, api key 18.

Generated from api/ApiVersionsRequest.json by codegen; change the schema, not this file.
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

_unpack_iB = struct.Struct(">iB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class ApiVersionsRequest(Message):
    """Request ApiVersionsRequest."""

    __slots__ = (
        "client_software_name",
        "client_software_version",
        "cluster_id",
        "node_id",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ApiVersionsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 18
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)

    client_software_name: str
    """Letters, digits, dots and dashes, such as apache-kafka-java. Versions 3+, dropped where a
    version lacks it.
    """
    client_software_version: str
    """Versions 3+, dropped where a version lacks it."""
    cluster_id: str | None
    """The cluster that the client means to reach. Versions 5+, null in 5+, dropped where a version
    lacks it.
    """
    node_id: int
    """The node that it means to reach. Versions 5+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        client_software_name: str = "",
        client_software_version: str = "",
        cluster_id: str | None = None,
        node_id: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.client_software_name = client_software_name
        self.client_software_version = client_software_version
        self.cluster_id = cluster_id
        self.node_id = node_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ApiVersionsRequest)
            and self.client_software_name == other.client_software_name
            and self.client_software_version == other.client_software_version
            and self.cluster_id == other.cluster_id
            and self.node_id == other.node_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ApiVersionsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ApiVersionsRequest, int]:
    message = ApiVersionsRequest.__new__(ApiVersionsRequest)
    message.client_software_name = ""
    message.client_software_version = ""
    message.cluster_id = None
    message.node_id = -1
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[ApiVersionsRequest, int]:
    message = ApiVersionsRequest.__new__(ApiVersionsRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.client_software_name = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.client_software_version = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message.cluster_id = None
    message.node_id = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v5(buffer: Buffer, position: int) -> tuple[ApiVersionsRequest, int]:
    message = ApiVersionsRequest.__new__(ApiVersionsRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.client_software_name = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.client_software_version = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.cluster_id = None
    else:
        end = position + length - 1
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.node_id, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: ApiVersionsRequest) -> None:
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: ApiVersionsRequest) -> None:
    client_software_name = message.client_software_name
    data = client_software_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    client_software_version = message.client_software_version
    data = client_software_version.encode()
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


def _write_v5(out: Pieces, message: ApiVersionsRequest) -> None:
    client_software_name = message.client_software_name
    data = client_software_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    client_software_version = message.client_software_version
    data = client_software_version.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    cluster_id = message.cluster_id
    if cluster_id is None:
        data = b""
        length = 0
    else:
        data = cluster_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_i(message.node_id))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.node_id, 0))


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
    api_versions_request_struct = StructSchema(
        python_class=ApiVersionsRequest,
        fields=(
            FieldSchema(
                name="ClientSoftwareName",
                attribute="client_software_name",
                type="string",
                versions=(3, 32767),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="ClientSoftwareVersion",
                attribute="client_software_version",
                type="string",
                versions=(3, 32767),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="ClusterId",
                attribute="cluster_id",
                type="string",
                versions=(5, 32767),
                nullable=(5, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="NodeId",
                attribute="node_id",
                type="int32",
                versions=(5, 32767),
                default=-1,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(name="ApiVersionsRequest", flexible_from=3, root=api_versions_request_struct)
