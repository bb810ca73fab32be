"""DeleteTopicsResponse: versions 1-6, flexible from 4, api key 20.

Generated from api/DeleteTopicsResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uhB = struct.Struct(">16shB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_uh = struct.Struct(">16sh").pack
_pack_uhB = struct.Struct(">16shB").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack


class DeleteTopicsResponseDeletableTopicResult(Struct):
    """DeletableTopicResult of DeleteTopicsResponse."""

    __slots__ = ("name", "topic_id", "error_code", "error_message", "unknown_tags")

    name: str | None
    """Versions 0+, null in 6+."""
    topic_id: bytes
    """Versions 6+, dropped where a version lacks it."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 5+, null in 5+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str | None = "",
        topic_id: bytes = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteTopicsResponseDeletableTopicResult)
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.unknown_tags == other.unknown_tags
        )



class DeleteTopicsResponse(Message):
    """Response DeleteTopicsResponse."""

    __slots__ = ("throttle_time_ms", "responses", "unknown_tags")

    NAME: ClassVar[str] = "DeleteTopicsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 20
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    DeletableTopicResult: TypeAlias = DeleteTopicsResponseDeletableTopicResult

    throttle_time_ms: int
    """Versions 1+, dropped where a version lacks it."""
    responses: list[DeleteTopicsResponseDeletableTopicResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        responses: list[DeleteTopicsResponseDeletableTopicResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = [] if responses is EMPTY else responses
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteTopicsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.responses == other.responses
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DeleteTopicsResponse, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 1]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_deletable_topic_result_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteTopicsResponseDeletableTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteTopicsResponseDeletableTopicResult] = []
    for _ in range(size):
        message = DeleteTopicsResponseDeletableTopicResult.__new__(DeleteTopicsResponseDeletableTopicResult)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (message.error_code,) = _unpack_h(buffer, position)
        position += 2
        message.topic_id = ZERO_UUID
        message.error_message = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DeleteTopicsResponse, int]:
    message = DeleteTopicsResponse.__new__(DeleteTopicsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.responses, position = _read_many_deletable_topic_result_v1(buffer, position, count)
    elif not count:
        message.responses = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_deletable_topic_result_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteTopicsResponseDeletableTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteTopicsResponseDeletableTopicResult] = []
    for _ in range(size):
        message = DeleteTopicsResponseDeletableTopicResult.__new__(DeleteTopicsResponseDeletableTopicResult)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.error_code, tags = _unpack_hB(buffer, position)
        position += 3
        message.topic_id = ZERO_UUID
        message.error_message = None
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[DeleteTopicsResponse, int]:
    message = DeleteTopicsResponse.__new__(DeleteTopicsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_deletable_topic_result_v4(buffer, position, count - 1)
    elif count:
        message.responses = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_deletable_topic_result_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteTopicsResponseDeletableTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteTopicsResponseDeletableTopicResult] = []
    for _ in range(size):
        message = DeleteTopicsResponseDeletableTopicResult.__new__(DeleteTopicsResponseDeletableTopicResult)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[DeleteTopicsResponse, int]:
    message = DeleteTopicsResponse.__new__(DeleteTopicsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_deletable_topic_result_v5(buffer, position, count - 1)
    elif count:
        message.responses = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_deletable_topic_result_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteTopicsResponseDeletableTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteTopicsResponseDeletableTopicResult] = []
    for _ in range(size):
        message = DeleteTopicsResponseDeletableTopicResult.__new__(DeleteTopicsResponseDeletableTopicResult)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.name = None
        else:
            end = position + length - 1
            message.name = str(buffer[position:end], "utf-8")
            position = end
        message.topic_id, message.error_code, length = _unpack_uhB(buffer, position)
        position += 19
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v6(buffer: Buffer, position: int) -> tuple[DeleteTopicsResponse, int]:
    message = DeleteTopicsResponse.__new__(DeleteTopicsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_deletable_topic_result_v6(buffer, position, count - 1)
    elif count:
        message.responses = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_deletable_topic_result_v1(out: Pieces, message: DeleteTopicsResponseDeletableTopicResult) -> None:
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: DeleteTopicsResponse) -> None:
    responses = message.responses
    count = len(responses)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for responses_item in responses:
        _write_deletable_topic_result_v1(out, responses_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: DeleteTopicsResponse) -> Steps[None]:
    responses = message.responses
    count = len(responses)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for responses_item in responses:
        _write_deletable_topic_result_v1(out, responses_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_deletable_topic_result_v4(out: Pieces, message: DeleteTopicsResponseDeletableTopicResult) -> None:
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _write_v4(out: Pieces, message: DeleteTopicsResponse) -> None:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for responses_item in responses:
        _write_deletable_topic_result_v4(out, responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v4(out: Pieces, message: DeleteTopicsResponse) -> Steps[None]:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for responses_item in responses:
        _write_deletable_topic_result_v4(out, responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_deletable_topic_result_v5(out: Pieces, message: DeleteTopicsResponseDeletableTopicResult) -> None:
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v5(out: Pieces, message: DeleteTopicsResponse) -> None:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for responses_item in responses:
        _write_deletable_topic_result_v5(out, responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v5(out: Pieces, message: DeleteTopicsResponse) -> Steps[None]:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for responses_item in responses:
        _write_deletable_topic_result_v5(out, responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_deletable_topic_result_v6(out: Pieces, message: DeleteTopicsResponseDeletableTopicResult) -> None:
    name = message.name
    if name is None:
        data = b""
        length = 0
    else:
        data = name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_uhB(topic_id, message.error_code, length))
    else:
        out.append(_pack_uh(topic_id, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v6(out: Pieces, message: DeleteTopicsResponse) -> None:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for responses_item in responses:
        _write_deletable_topic_result_v6(out, responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v6(out: Pieces, message: DeleteTopicsResponse) -> Steps[None]:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for responses_item in responses:
        _write_deletable_topic_result_v6(out, responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v1,
    _read_v1,
    _read_v4,
    _read_v5,
    _read_v6,
)

_WRITERS = (
    _write_v1,
    _write_v1,
    _write_v1,
    _write_v4,
    _write_v5,
    _write_v6,
)

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v1,
    _step_write_v1,
    _step_write_v4,
    _step_write_v5,
    _step_write_v6,
)


@cache
def _schema() -> MessageSchema:
    deletable_topic_result_struct = StructSchema(
        python_class=DeleteTopicsResponseDeletableTopicResult,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                nullable=(6, 32767),
                default="",
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(6, 32767),
                default=ZERO_UUID,
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
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(5, 32767),
                nullable=(5, 32767),
                default=None,
                ignorable=True,
            ),
        ),
    )
    delete_topics_response_struct = StructSchema(
        python_class=DeleteTopicsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(1, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="Responses",
                attribute="responses",
                type="DeletableTopicResult",
                struct=deletable_topic_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="DeleteTopicsResponse", flexible_from=4, root=delete_topics_response_struct)
