"""DeleteTopicsRequest: versions 1-6, flexible from 4, api key 20.

Generated from api/DeleteTopicsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    ELEMENTS_A_STEP,
    EMPTY,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_pieces,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class DeleteTopicsRequestDeleteTopicState(Struct):
    """DeleteTopicState of DeleteTopicsRequest."""

    __slots__ = ("name", "topic_id", "unknown_tags")

    name: str | None
    """Set unless TopicId is. Versions 6+, null in 6+."""
    topic_id: bytes
    """Set instead of the name, or zero. Versions 6+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str | None = None,
        topic_id: bytes = ZERO_UUID,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteTopicsRequestDeleteTopicState)
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.unknown_tags == other.unknown_tags
        )



class DeleteTopicsRequest(Message):
    """Request DeleteTopicsRequest."""

    __slots__ = ("topics", "topic_names", "timeout_ms", "unknown_tags")

    NAME: ClassVar[str] = "DeleteTopicsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 20
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    DeleteTopicState: TypeAlias = DeleteTopicsRequestDeleteTopicState

    topics: list[DeleteTopicsRequestDeleteTopicState]
    """Versions 6+."""
    topic_names: list[str]
    """Versions 0-5, dropped where a version lacks it."""
    timeout_ms: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[DeleteTopicsRequestDeleteTopicState] = EMPTY,
        topic_names: list[str] = EMPTY,
        timeout_ms: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.topic_names = [] if topic_names is EMPTY else topic_names
        self.timeout_ms = timeout_ms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteTopicsRequest)
            and self.topics == other.topics
            and self.topic_names == other.topic_names
            and self.timeout_ms == other.timeout_ms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DeleteTopicsRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DeleteTopicsRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v1(buffer: Buffer, position: int) -> tuple[DeleteTopicsRequest, int]:
    message = DeleteTopicsRequest.__new__(DeleteTopicsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count < 0:
        raise Malformed
    topic_names: list[str] = []
    message.topic_names = topic_names
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        topic_names_item = str(buffer[position:end], "utf-8")
        position = end
        topic_names.append(topic_names_item)
    (message.timeout_ms,) = _unpack_i(buffer, position)
    position += 4
    message.topics = []
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DeleteTopicsRequest, int]]:
    message = DeleteTopicsRequest.__new__(DeleteTopicsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DeleteTopicsRequest.topic_names")
    if count < 0:
        raise Malformed
    topic_names: list[str] = []
    message.topic_names = topic_names
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        topic_names_item = str(buffer[position:end], "utf-8")
        position = end
        topic_names.append(topic_names_item)
        yield
    (message.timeout_ms,) = _unpack_i(buffer, position)
    position += 4
    message.topics = []
    message.unknown_tags = None
    return message, position


def _read_v4(buffer: Buffer, position: int) -> tuple[DeleteTopicsRequest, int]:
    message = DeleteTopicsRequest.__new__(DeleteTopicsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    topic_names: list[str] = []
    message.topic_names = topic_names
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
        topic_names_item = str(buffer[position:end], "utf-8")
        position = end
        topic_names.append(topic_names_item)
    message.timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.topics = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DeleteTopicsRequest, int]]:
    message = DeleteTopicsRequest.__new__(DeleteTopicsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DeleteTopicsRequest.topic_names")
    if not count:
        raise Malformed
    topic_names: list[str] = []
    message.topic_names = topic_names
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
        topic_names_item = str(buffer[position:end], "utf-8")
        position = end
        topic_names.append(topic_names_item)
        yield
    message.timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.topics = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_delete_topic_state_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteTopicsRequestDeleteTopicState], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteTopicsRequestDeleteTopicState] = []
    for _ in range(size):
        message = DeleteTopicsRequestDeleteTopicState.__new__(DeleteTopicsRequestDeleteTopicState)
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
        message.topic_id, tags = _unpack_uB(buffer, position)
        position += 17
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v6(buffer: Buffer, position: int) -> tuple[DeleteTopicsRequest, int]:
    message = DeleteTopicsRequest.__new__(DeleteTopicsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_delete_topic_state_v6(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.topic_names = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v6(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DeleteTopicsRequest, int]]:
    message = DeleteTopicsRequest.__new__(DeleteTopicsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DeleteTopicsRequest.topics")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.topics, position = yield from read_pieces(
                _read_many_delete_topic_state_v6,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.topics, position = _read_many_delete_topic_state_v6(buffer, position, count - 1)
            budget.take_tags(message.topics)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.topic_names = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v1(out: Pieces, message: DeleteTopicsRequest) -> None:
    if len(message.topics) != 0:
        raise Malformed
    topic_names = message.topic_names
    count = len(topic_names)
    out.append(_pack_i(count))
    for topic_names_item in topic_names:
        data = topic_names_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
    out.append(_pack_i(message.timeout_ms))
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: DeleteTopicsRequest) -> None:
    if len(message.topics) != 0:
        raise Malformed
    topic_names = message.topic_names
    count = len(topic_names) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topic_names_item in topic_names:
        data = topic_names_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    if message.unknown_tags:
        out.append(_pack_i(message.timeout_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.timeout_ms, 0))


def _write_delete_topic_state_v6(out: Pieces, message: DeleteTopicsRequestDeleteTopicState) -> None:
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
    if message.unknown_tags:
        out.append(topic_id)
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_uB(topic_id, 0))


def _write_v6(out: Pieces, message: DeleteTopicsRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_delete_topic_state_v6(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_i(message.timeout_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.timeout_ms, 0))


_READERS = (
    _read_v1,
    _read_v1,
    _read_v1,
    _read_v4,
    _read_v4,
    _read_v6,
)

_WRITERS = (
    _write_v1,
    _write_v1,
    _write_v1,
    _write_v4,
    _write_v4,
    _write_v6,
)

_STEP_READERS = (
    _step_v1,
    _step_v1,
    _step_v1,
    _step_v4,
    _step_v4,
    _step_v6,
)


@cache
def _schema() -> MessageSchema:
    delete_topic_state_struct = StructSchema(
        python_class=DeleteTopicsRequestDeleteTopicState,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(6, 32767),
                nullable=(6, 32767),
                default=None,
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(6, 32767),
                default=ZERO_UUID,
            ),
        ),
    )
    delete_topics_request_struct = StructSchema(
        python_class=DeleteTopicsRequest,
        fields=(
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="DeleteTopicState",
                struct=delete_topic_state_struct,
                array=True,
                versions=(6, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TopicNames",
                attribute="topic_names",
                type="string",
                array=True,
                versions=(0, 5),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
            FieldSchema(
                name="TimeoutMs",
                attribute="timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="DeleteTopicsRequest", flexible_from=4, root=delete_topics_request_struct)
