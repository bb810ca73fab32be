"""BrokerRegistrationChangeRecord: versions 0-3, flexible from 0, record type 17.

Generated from metadata/BrokerRegistrationChangeRecord.json by codegen; change the schema, not this file.
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
    pack_length,
    pack_uuids,
    read_long_length,
    read_tag_section,
    unpack_many,
    write_tag_section,
)

_unpack_b = struct.Struct(">b").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_iq = struct.Struct(">iq").pack


class BrokerRegistrationChangeRecord(Message):
    """Metadata BrokerRegistrationChangeRecord."""

    __slots__ = (
        "broker_id",
        "broker_epoch",
        "fenced",
        "in_controlled_shutdown",
        "log_dirs",
        "cordoned_log_dirs",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "BrokerRegistrationChangeRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 17
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    broker_id: int
    """Versions 0+."""
    broker_epoch: int
    """Versions 0+."""
    fenced: int
    """1 takes the broker out of service, -1 puts it in, 0 leaves that alone. Versions 0+, tag 0 in
    0+.
    """
    in_controlled_shutdown: int
    """1 begins a controlled shutdown, 0 leaves that alone. Versions 1+, tag 1 in 1+."""
    log_dirs: list[bytes]
    """All that are online from now on; empty leaves them as they are. Versions 2+, tag 2 in 2+."""
    cordoned_log_dirs: list[bytes] | None
    """All that are cordoned from now on; null leaves them as they are. Versions 3+, null in 3+, tag
    3 in 3+.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = 0,
        fenced: int = 0,
        in_controlled_shutdown: int = 0,
        log_dirs: list[bytes] = EMPTY,
        cordoned_log_dirs: list[bytes] | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = [] if log_dirs is EMPTY else log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BrokerRegistrationChangeRecord)
            and self.broker_id == other.broker_id
            and self.broker_epoch == other.broker_epoch
            and self.fenced == other.fenced
            and self.in_controlled_shutdown == other.in_controlled_shutdown
            and self.log_dirs == other.log_dirs
            and self.cordoned_log_dirs == other.cordoned_log_dirs
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[BrokerRegistrationChangeRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    message = BrokerRegistrationChangeRecord.__new__(BrokerRegistrationChangeRecord)
    message.broker_id, message.broker_epoch, tags = _unpack_iqB(buffer, position)
    position += 13
    message.in_controlled_shutdown = 0
    message.log_dirs = []
    message.cordoned_log_dirs = None
    message.fenced = 0
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.fenced,) = _unpack_b(buffer, position)
                position += 1
            elif tag in (1, 2, 3,):
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


def _read_v1(buffer: Buffer, position: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    message = BrokerRegistrationChangeRecord.__new__(BrokerRegistrationChangeRecord)
    message.broker_id, message.broker_epoch, tags = _unpack_iqB(buffer, position)
    position += 13
    message.log_dirs = []
    message.cordoned_log_dirs = None
    message.fenced = 0
    message.in_controlled_shutdown = 0
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.fenced,) = _unpack_b(buffer, position)
                position += 1
            elif tag == 1:
                (message.in_controlled_shutdown,) = _unpack_b(buffer, position)
                position += 1
            elif tag in (2, 3,):
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


def _read_v2(buffer: Buffer, position: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    message = BrokerRegistrationChangeRecord.__new__(BrokerRegistrationChangeRecord)
    message.broker_id, message.broker_epoch, tags = _unpack_iqB(buffer, position)
    position += 13
    message.cordoned_log_dirs = None
    message.fenced = 0
    message.in_controlled_shutdown = 0
    message.log_dirs = []
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.fenced,) = _unpack_b(buffer, position)
                position += 1
            elif tag == 1:
                (message.in_controlled_shutdown,) = _unpack_b(buffer, position)
                position += 1
            elif tag == 2:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if not count:
                    raise Malformed
                message.log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                position += count * 16 - 16
            elif tag in (3,):
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


def _read_v3(buffer: Buffer, position: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    message = BrokerRegistrationChangeRecord.__new__(BrokerRegistrationChangeRecord)
    message.broker_id, message.broker_epoch, tags = _unpack_iqB(buffer, position)
    position += 13
    message.fenced = 0
    message.in_controlled_shutdown = 0
    message.log_dirs = []
    message.cordoned_log_dirs = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.fenced,) = _unpack_b(buffer, position)
                position += 1
            elif tag == 1:
                (message.in_controlled_shutdown,) = _unpack_b(buffer, position)
                position += 1
            elif tag == 2:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if not count:
                    raise Malformed
                message.log_dirs = unpack_many("16s", 16, count - 1, buffer, position)
                position += count * 16 - 16
            elif tag == 3:
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


def _write_v0(out: Pieces, message: BrokerRegistrationChangeRecord) -> None:
    if message.in_controlled_shutdown != 0:
        raise Malformed
    if len(message.log_dirs) != 0:
        raise Malformed
    if message.cordoned_log_dirs is not None:
        raise Malformed
    out.append(_pack_iq(message.broker_id, message.broker_epoch))
    tagged = []
    section: Pieces
    if message.fenced != 0:
        section = []
        section.append(_pack_b(message.fenced))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: BrokerRegistrationChangeRecord) -> None:
    if len(message.log_dirs) != 0:
        raise Malformed
    if message.cordoned_log_dirs is not None:
        raise Malformed
    out.append(_pack_iq(message.broker_id, message.broker_epoch))
    tagged = []
    section: Pieces
    if message.fenced != 0:
        section = []
        section.append(_pack_b(message.fenced))
        tagged.append((0, b"".join(section)))
    if message.in_controlled_shutdown != 0:
        section = []
        section.append(_pack_b(message.in_controlled_shutdown))
        tagged.append((1, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: BrokerRegistrationChangeRecord) -> None:
    if message.cordoned_log_dirs is not None:
        raise Malformed
    out.append(_pack_iq(message.broker_id, message.broker_epoch))
    tagged = []
    section: Pieces
    if message.fenced != 0:
        section = []
        section.append(_pack_b(message.fenced))
        tagged.append((0, b"".join(section)))
    if message.in_controlled_shutdown != 0:
        section = []
        section.append(_pack_b(message.in_controlled_shutdown))
        tagged.append((1, b"".join(section)))
    if len(message.log_dirs) != 0:
        section = []
        log_dirs = message.log_dirs
        count = len(log_dirs) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        section.append(pack_uuids(log_dirs))
        tagged.append((2, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: BrokerRegistrationChangeRecord) -> None:
    out.append(_pack_iq(message.broker_id, message.broker_epoch))
    tagged = []
    section: Pieces
    if message.fenced != 0:
        section = []
        section.append(_pack_b(message.fenced))
        tagged.append((0, b"".join(section)))
    if message.in_controlled_shutdown != 0:
        section = []
        section.append(_pack_b(message.in_controlled_shutdown))
        tagged.append((1, b"".join(section)))
    if len(message.log_dirs) != 0:
        section = []
        log_dirs = message.log_dirs
        count = len(log_dirs) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        section.append(pack_uuids(log_dirs))
        tagged.append((2, b"".join(section)))
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
        tagged.append((3, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
    _read_v3,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
    _write_v3,
)


@cache
def _schema() -> MessageSchema:
    broker_registration_change_record_struct = StructSchema(
        python_class=BrokerRegistrationChangeRecord,
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
                default=0,
            ),
            FieldSchema(
                name="Fenced",
                attribute="fenced",
                type="int8",
                versions=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=0,
            ),
            FieldSchema(
                name="InControlledShutdown",
                attribute="in_controlled_shutdown",
                type="int8",
                versions=(1, 32767),
                tagged=(1, 32767),
                tag=1,
                default=0,
            ),
            FieldSchema(
                name="LogDirs",
                attribute="log_dirs",
                type="uuid",
                array=True,
                versions=(2, 32767),
                tagged=(2, 32767),
                tag=2,
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="CordonedLogDirs",
                attribute="cordoned_log_dirs",
                type="uuid",
                array=True,
                versions=(3, 32767),
                nullable=(3, 32767),
                tagged=(3, 32767),
                tag=3,
                default=None,
            ),
        ),
    )
    return MessageSchema(
        name="BrokerRegistrationChangeRecord",
        flexible_from=0,
        root=broker_registration_change_record_struct,
    )
