"""BrokerHeartbeatRequest: versions 0-2, flexible from 0, api key 63.

Generated from api/BrokerHeartbeatRequest.json by codegen; change the schema, not this file.
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
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_uuids,
    read_long_length,
    read_tag_section,
    unpack_many,
    write_tag_section,
)

_unpack_iqqttB = struct.Struct(">iqq??B").unpack_from
_pack_iqqtt = struct.Struct(">iqq??").pack
_pack_iqqttB = struct.Struct(">iqq??B").pack


class BrokerHeartbeatRequest(Message):
    """Request BrokerHeartbeatRequest."""

    __slots__ = (
        "broker_id",
        "broker_epoch",
        "current_metadata_offset",
        "want_fence",
        "want_shut_down",
        "offline_log_dirs",
        "cordoned_log_dirs",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "BrokerHeartbeatRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 63
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)

    broker_id: int
    """Versions 0+."""
    broker_epoch: int
    """As given out at registration. Versions 0+."""
    current_metadata_offset: int
    """Last offset of the metadata log that the broker has applied. Versions 0+."""
    want_fence: bool
    """Whether the broker still wants to be kept out of service. Versions 0+."""
    want_shut_down: bool
    """Whether the broker wants to move its leaderships away and stop. Versions 0+."""
    offline_log_dirs: list[bytes]
    """Ids of log directories that have failed. Versions 1+, tag 0 in 1+."""
    cordoned_log_dirs: list[bytes] | None
    """Ids of log directories that take no new replicas; null says nothing about them. Versions 2+,
    null in 2+, tag 1 in 2+.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        current_metadata_offset: int = 0,
        want_fence: bool = False,
        want_shut_down: bool = False,
        offline_log_dirs: list[bytes] = EMPTY,
        cordoned_log_dirs: list[bytes] | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.current_metadata_offset = current_metadata_offset
        self.want_fence = want_fence
        self.want_shut_down = want_shut_down
        self.offline_log_dirs = [] if offline_log_dirs is EMPTY else offline_log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BrokerHeartbeatRequest)
            and self.broker_id == other.broker_id
            and self.broker_epoch == other.broker_epoch
            and self.current_metadata_offset == other.current_metadata_offset
            and self.want_fence == other.want_fence
            and self.want_shut_down == other.want_shut_down
            and self.offline_log_dirs == other.offline_log_dirs
            and self.cordoned_log_dirs == other.cordoned_log_dirs
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[BrokerHeartbeatRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[BrokerHeartbeatRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[BrokerHeartbeatRequest, int]:
    message = BrokerHeartbeatRequest.__new__(BrokerHeartbeatRequest)
    (
        message.broker_id,
        message.broker_epoch,
        message.current_metadata_offset,
        message.want_fence,
        message.want_shut_down,
        tags,
    ) = _unpack_iqqttB(buffer, position)
    position += 23
    message.offline_log_dirs = []
    message.cordoned_log_dirs = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag in (0, 1,):
                raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[BrokerHeartbeatRequest, int]:
    message = BrokerHeartbeatRequest.__new__(BrokerHeartbeatRequest)
    (
        message.broker_id,
        message.broker_epoch,
        message.current_metadata_offset,
        message.want_fence,
        message.want_shut_down,
        tags,
    ) = _unpack_iqqttB(buffer, position)
    position += 23
    message.cordoned_log_dirs = None
    message.offline_log_dirs = []
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if not count:
                    raise Malformed
                message.offline_log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                position += count * 16 - 16
            elif tag in (1,):
                raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[BrokerHeartbeatRequest, int]]:
    message = BrokerHeartbeatRequest.__new__(BrokerHeartbeatRequest)
    (
        message.broker_id,
        message.broker_epoch,
        message.current_metadata_offset,
        message.want_fence,
        message.want_shut_down,
        tags,
    ) = _unpack_iqqttB(buffer, position)
    position += 23
    message.cordoned_log_dirs = None
    message.offline_log_dirs = []
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                budget.take(count - 1, "BrokerHeartbeatRequest.offline_log_dirs")
                if not count:
                    raise Malformed
                message.offline_log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                position += count * 16 - 16
                yield
            elif tag in (1,):
                raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
        budget.take_tags((message,))
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[BrokerHeartbeatRequest, int]:
    message = BrokerHeartbeatRequest.__new__(BrokerHeartbeatRequest)
    (
        message.broker_id,
        message.broker_epoch,
        message.current_metadata_offset,
        message.want_fence,
        message.want_shut_down,
        tags,
    ) = _unpack_iqqttB(buffer, position)
    position += 23
    message.offline_log_dirs = []
    message.cordoned_log_dirs = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if not count:
                    raise Malformed
                message.offline_log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                position += count * 16 - 16
            elif tag == 1:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if not count:
                    message.cordoned_log_dirs = None
                else:
                    message.cordoned_log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                    position += count * 16 - 16
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[BrokerHeartbeatRequest, int]]:
    message = BrokerHeartbeatRequest.__new__(BrokerHeartbeatRequest)
    (
        message.broker_id,
        message.broker_epoch,
        message.current_metadata_offset,
        message.want_fence,
        message.want_shut_down,
        tags,
    ) = _unpack_iqqttB(buffer, position)
    position += 23
    message.offline_log_dirs = []
    message.cordoned_log_dirs = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                budget.take(count - 1, "BrokerHeartbeatRequest.offline_log_dirs")
                if not count:
                    raise Malformed
                message.offline_log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                position += count * 16 - 16
                yield
            elif tag == 1:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                budget.take(count - 1, "BrokerHeartbeatRequest.cordoned_log_dirs")
                if not count:
                    message.cordoned_log_dirs = None
                else:
                    message.cordoned_log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                    position += count * 16 - 16
                    yield
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
        budget.take_tags((message,))
    return message, position


def _write_v0(out: Pieces, message: BrokerHeartbeatRequest) -> None:
    if len(message.offline_log_dirs) != 0:
        raise Malformed
    if message.cordoned_log_dirs is not None:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iqqtt(
            message.broker_id,
            message.broker_epoch,
            message.current_metadata_offset,
            message.want_fence,
            message.want_shut_down,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqqttB(
            message.broker_id,
            message.broker_epoch,
            message.current_metadata_offset,
            message.want_fence,
            message.want_shut_down,
            0,
        ))


def _write_v1(out: Pieces, message: BrokerHeartbeatRequest) -> None:
    if message.cordoned_log_dirs is not None:
        raise Malformed
    out.append(_pack_iqqtt(
        message.broker_id,
        message.broker_epoch,
        message.current_metadata_offset,
        message.want_fence,
        message.want_shut_down,
    ))
    tagged = []
    section: Pieces
    if len(message.offline_log_dirs) != 0:
        section = []
        offline_log_dirs = message.offline_log_dirs
        count = len(offline_log_dirs) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        section.append(pack_uuids(offline_log_dirs))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: BrokerHeartbeatRequest) -> None:
    out.append(_pack_iqqtt(
        message.broker_id,
        message.broker_epoch,
        message.current_metadata_offset,
        message.want_fence,
        message.want_shut_down,
    ))
    tagged = []
    section: Pieces
    if len(message.offline_log_dirs) != 0:
        section = []
        offline_log_dirs = message.offline_log_dirs
        count = len(offline_log_dirs) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        section.append(pack_uuids(offline_log_dirs))
        tagged.append((0, b"".join(section)))
    if message.cordoned_log_dirs is not None:
        section = []
        cordoned_log_dirs = message.cordoned_log_dirs
        if cordoned_log_dirs is None:
            cordoned_log_dirs = EMPTY
            count = 0
        else:
            count = len(cordoned_log_dirs) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        section.append(pack_uuids(cordoned_log_dirs))
        tagged.append((1, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


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

_STEP_READERS = (
    None,
    _step_v1,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    broker_heartbeat_request_struct = StructSchema(
        python_class=BrokerHeartbeatRequest,
        fields=(
            FieldSchema(
                name="BrokerId",
                attribute="broker_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="BrokerEpoch",
                attribute="broker_epoch",
                type="int64",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="CurrentMetadataOffset",
                attribute="current_metadata_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="WantFence",
                attribute="want_fence",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="WantShutDown",
                attribute="want_shut_down",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="OfflineLogDirs",
                attribute="offline_log_dirs",
                type="uuid",
                array=True,
                versions=(1, 32767),
                tagged=(1, 32767),
                tag=0,
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="CordonedLogDirs",
                attribute="cordoned_log_dirs",
                type="uuid",
                array=True,
                versions=(2, 32767),
                nullable=(2, 32767),
                tagged=(2, 32767),
                tag=1,
                default=None,
            ),
        ),
    )
    return MessageSchema(name="BrokerHeartbeatRequest", flexible_from=0, root=broker_heartbeat_request_struct)
