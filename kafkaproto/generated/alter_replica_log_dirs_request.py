"""AlterReplicaLogDirsRequest: versions 1-2, flexible from 2, api key 34.

Generated from api/AlterReplicaLogDirsRequest.json by codegen; change the schema, not this file.
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
    PACK_INT32,
    TABLE_SIZE,
    UNPACK_INT32,
    Budget,
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

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class AlterReplicaLogDirsRequestAlterReplicaLogDirTopic(Struct):
    """AlterReplicaLogDirTopic of AlterReplicaLogDirsRequest."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterReplicaLogDirsRequestAlterReplicaLogDirTopic)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class AlterReplicaLogDirsRequestAlterReplicaLogDir(Struct):
    """AlterReplicaLogDir of AlterReplicaLogDirsRequest."""

    __slots__ = ("path", "topics", "unknown_tags")

    path: str
    """Versions 0+."""
    topics: list[AlterReplicaLogDirsRequestAlterReplicaLogDirTopic]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        path: str = "",
        topics: list[AlterReplicaLogDirsRequestAlterReplicaLogDirTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.path = path
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterReplicaLogDirsRequestAlterReplicaLogDir)
            and self.path == other.path
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )



class AlterReplicaLogDirsRequest(Message):
    """Request AlterReplicaLogDirsRequest."""

    __slots__ = ("dirs", "unknown_tags")

    NAME: ClassVar[str] = "AlterReplicaLogDirsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 34
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    AlterReplicaLogDirTopic: TypeAlias = AlterReplicaLogDirsRequestAlterReplicaLogDirTopic
    AlterReplicaLogDir: TypeAlias = AlterReplicaLogDirsRequestAlterReplicaLogDir

    dirs: list[AlterReplicaLogDirsRequestAlterReplicaLogDir]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        dirs: list[AlterReplicaLogDirsRequestAlterReplicaLogDir] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.dirs = [] if dirs is EMPTY else dirs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterReplicaLogDirsRequest)
            and self.dirs == other.dirs
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterReplicaLogDirsRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[AlterReplicaLogDirsRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_alter_replica_log_dir_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterReplicaLogDirsRequestAlterReplicaLogDirTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsRequestAlterReplicaLogDirTopic] = []
    for _ in range(size):
        message = AlterReplicaLogDirsRequestAlterReplicaLogDirTopic.__new__(
            AlterReplicaLogDirsRequestAlterReplicaLogDirTopic,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_alter_replica_log_dir_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterReplicaLogDirsRequestAlterReplicaLogDirTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsRequestAlterReplicaLogDirTopic] = []
    for _ in range(size):
        message = AlterReplicaLogDirsRequestAlterReplicaLogDirTopic.__new__(
            AlterReplicaLogDirsRequestAlterReplicaLogDirTopic,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "AlterReplicaLogDirsRequest.partitions")
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        yield
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_many_alter_replica_log_dir_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterReplicaLogDirsRequestAlterReplicaLogDir], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsRequestAlterReplicaLogDir] = []
    for _ in range(size):
        message = AlterReplicaLogDirsRequestAlterReplicaLogDir.__new__(
            AlterReplicaLogDirsRequestAlterReplicaLogDir,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.path = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.topics, position = _read_many_alter_replica_log_dir_topic_v1(buffer, position, count)
        elif not count:
            message.topics = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_alter_replica_log_dir_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterReplicaLogDirsRequestAlterReplicaLogDir], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsRequestAlterReplicaLogDir] = []
    for _ in range(size):
        message = AlterReplicaLogDirsRequestAlterReplicaLogDir.__new__(
            AlterReplicaLogDirsRequestAlterReplicaLogDir,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.path = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "AlterReplicaLogDirsRequest.topics")
        if count > 0:
            message.topics, position = yield from _step_many_alter_replica_log_dir_topic_v1(buffer, position, count, budget)
        elif not count:
            message.topics = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[AlterReplicaLogDirsRequest, int]:
    message = AlterReplicaLogDirsRequest.__new__(AlterReplicaLogDirsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.dirs, position = _read_many_alter_replica_log_dir_v1(buffer, position, count)
    elif not count:
        message.dirs = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AlterReplicaLogDirsRequest, int]]:
    message = AlterReplicaLogDirsRequest.__new__(AlterReplicaLogDirsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "AlterReplicaLogDirsRequest.dirs")
    if count > 0:
        message.dirs, position = yield from _step_many_alter_replica_log_dir_v1(buffer, position, count, budget)
    elif not count:
        message.dirs = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_alter_replica_log_dir_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterReplicaLogDirsRequestAlterReplicaLogDirTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsRequestAlterReplicaLogDirTopic] = []
    for _ in range(size):
        message = AlterReplicaLogDirsRequestAlterReplicaLogDirTopic.__new__(
            AlterReplicaLogDirsRequestAlterReplicaLogDirTopic,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_alter_replica_log_dir_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterReplicaLogDirsRequestAlterReplicaLogDirTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsRequestAlterReplicaLogDirTopic] = []
    for _ in range(size):
        message = AlterReplicaLogDirsRequestAlterReplicaLogDirTopic.__new__(
            AlterReplicaLogDirsRequestAlterReplicaLogDirTopic,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AlterReplicaLogDirsRequest.partitions")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        yield
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_many_alter_replica_log_dir_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterReplicaLogDirsRequestAlterReplicaLogDir], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsRequestAlterReplicaLogDir] = []
    for _ in range(size):
        message = AlterReplicaLogDirsRequestAlterReplicaLogDir.__new__(
            AlterReplicaLogDirsRequestAlterReplicaLogDir,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.path = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_alter_replica_log_dir_topic_v2(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_alter_replica_log_dir_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterReplicaLogDirsRequestAlterReplicaLogDir], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsRequestAlterReplicaLogDir] = []
    for _ in range(size):
        message = AlterReplicaLogDirsRequestAlterReplicaLogDir.__new__(
            AlterReplicaLogDirsRequestAlterReplicaLogDir,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.path = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AlterReplicaLogDirsRequest.topics")
        if count > 1:
            message.topics, position = yield from _step_many_alter_replica_log_dir_topic_v2(buffer, position, count - 1, budget)
        elif count:
            message.topics = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[AlterReplicaLogDirsRequest, int]:
    message = AlterReplicaLogDirsRequest.__new__(AlterReplicaLogDirsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.dirs, position = _read_many_alter_replica_log_dir_v2(buffer, position, count - 1)
    elif count:
        message.dirs = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AlterReplicaLogDirsRequest, int]]:
    message = AlterReplicaLogDirsRequest.__new__(AlterReplicaLogDirsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AlterReplicaLogDirsRequest.dirs")
    if count > 1:
        message.dirs, position = yield from _step_many_alter_replica_log_dir_v2(buffer, position, count - 1, budget)
    elif count:
        message.dirs = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_alter_replica_log_dir_topic_v1(
    out: Pieces,
    message: AlterReplicaLogDirsRequestAlterReplicaLogDirTopic,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        raise Malformed


def _write_alter_replica_log_dir_v1(
    out: Pieces,
    message: AlterReplicaLogDirsRequestAlterReplicaLogDir,
) -> None:
    path = message.path
    data = path.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_alter_replica_log_dir_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: AlterReplicaLogDirsRequest) -> None:
    dirs = message.dirs
    count = len(dirs)
    out.append(_pack_i(count))
    for dirs_item in dirs:
        _write_alter_replica_log_dir_v1(out, dirs_item)
    if message.unknown_tags:
        raise Malformed


def _write_alter_replica_log_dir_topic_v2(
    out: Pieces,
    message: AlterReplicaLogDirsRequestAlterReplicaLogDirTopic,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_alter_replica_log_dir_v2(
    out: Pieces,
    message: AlterReplicaLogDirsRequestAlterReplicaLogDir,
) -> None:
    path = message.path
    data = path.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_alter_replica_log_dir_topic_v2(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: AlterReplicaLogDirsRequest) -> None:
    dirs = message.dirs
    count = len(dirs) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for dirs_item in dirs:
        _write_alter_replica_log_dir_v2(out, dirs_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v1,
    _write_v2,
)

_STEP_READERS = (
    _step_v1,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    alter_replica_log_dir_topic_struct = StructSchema(
        python_class=AlterReplicaLogDirsRequestAlterReplicaLogDirTopic,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    alter_replica_log_dir_struct = StructSchema(
        python_class=AlterReplicaLogDirsRequestAlterReplicaLogDir,
        fields=(
            FieldSchema(
                name="Path",
                attribute="path",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="AlterReplicaLogDirTopic",
                struct=alter_replica_log_dir_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    alter_replica_log_dirs_request_struct = StructSchema(
        python_class=AlterReplicaLogDirsRequest,
        fields=(
            FieldSchema(
                name="Dirs",
                attribute="dirs",
                type="AlterReplicaLogDir",
                struct=alter_replica_log_dir_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AlterReplicaLogDirsRequest",
        flexible_from=2,
        root=alter_replica_log_dirs_request_struct,
    )
