"""PartitionRecord: versions 0-2, flexible from 0, record type 3.

Generated from metadata/PartitionRecord.json by codegen; change the schema, not this file.
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
    PACK_INT32,
    TABLE_SIZE,
    UNPACK_INT32,
    Buffer,
    Malformed,
    Pieces,
    pack_length,
    pack_many,
    pack_uuids,
    read_long_length,
    read_tag_section,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_b = struct.Struct(">b").unpack_from
_unpack_iuB = struct.Struct(">i16sB").unpack_from
_unpack_iiiB = struct.Struct(">iiiB").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_iu = struct.Struct(">i16s").pack
_pack_iuB = struct.Struct(">i16sB").pack
_pack_iii = struct.Struct(">iii").pack
_pack_iiiB = struct.Struct(">iiiB").pack


class PartitionRecord(Message):
    """Metadata PartitionRecord."""

    __slots__ = (
        "partition_id",
        "topic_id",
        "replicas",
        "isr",
        "removing_replicas",
        "adding_replicas",
        "leader",
        "leader_recovery_state",
        "leader_epoch",
        "partition_epoch",
        "directories",
        "eligible_leader_replicas",
        "last_known_elr",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "PartitionRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 3
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    partition_id: int
    """Versions 0+."""
    topic_id: bytes
    """Versions 0+."""
    replicas: list[int]
    """The first is the preferred leader. Versions 0+."""
    isr: list[int]
    """Versions 0+."""
    removing_replicas: list[int]
    """Those that a reassignment will take away. Versions 0+."""
    adding_replicas: list[int]
    """Those that a reassignment brought in. Versions 0+."""
    leader: int
    """-1 if there is none. Versions 0+."""
    leader_recovery_state: int
    """0 recovered, 1 recovering from an unclean election. Versions 0+, tag 0 in 0+."""
    leader_epoch: int
    """Counted up whenever a leader is set. Versions 0+."""
    partition_epoch: int
    """Counted up with every change of the partition. Versions 0+."""
    directories: list[bytes]
    """Log directory of each replica, in their order; (0,0) migrating, (0,1) unassigned, (0,2) lost.
    Versions 1+.
    """
    eligible_leader_replicas: list[int] | None
    """Replicas out of the ISR that still have all committed records. Versions 2+, null in 2+, tag 1
    in 2+.
    """
    last_known_elr: list[int] | None
    """Replicas that were eligible until they stopped uncleanly. Versions 2+, null in 2+, tag 2 in
    2+.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_id: int = -1,
        topic_id: bytes = ZERO_UUID,
        replicas: list[int] = EMPTY,
        isr: list[int] = EMPTY,
        removing_replicas: list[int] = EMPTY,
        adding_replicas: list[int] = EMPTY,
        leader: int = -1,
        leader_recovery_state: int = 0,
        leader_epoch: int = -1,
        partition_epoch: int = -1,
        directories: list[bytes] = EMPTY,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.replicas = [] if replicas is EMPTY else replicas
        self.isr = [] if isr is EMPTY else isr
        self.removing_replicas = [] if removing_replicas is EMPTY else removing_replicas
        self.adding_replicas = [] if adding_replicas is EMPTY else adding_replicas
        self.leader = leader
        self.leader_recovery_state = leader_recovery_state
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.directories = [] if directories is EMPTY else directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PartitionRecord)
            and self.partition_id == other.partition_id
            and self.topic_id == other.topic_id
            and self.replicas == other.replicas
            and self.isr == other.isr
            and self.removing_replicas == other.removing_replicas
            and self.adding_replicas == other.adding_replicas
            and self.leader == other.leader
            and self.leader_recovery_state == other.leader_recovery_state
            and self.leader_epoch == other.leader_epoch
            and self.partition_epoch == other.partition_epoch
            and self.directories == other.directories
            and self.eligible_leader_replicas == other.eligible_leader_replicas
            and self.last_known_elr == other.last_known_elr
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[PartitionRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[PartitionRecord, int]:
    message = PartitionRecord.__new__(PartitionRecord)
    message.partition_id, message.topic_id, count = _unpack_iuB(buffer, position)
    position += 21
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.replicas = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.replicas = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.isr = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.isr = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.removing_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.removing_replicas = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.adding_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.adding_replicas = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    message.leader, message.leader_epoch, message.partition_epoch, tags = _unpack_iiiB(buffer, position)
    position += 13
    message.directories = []
    message.eligible_leader_replicas = None
    message.last_known_elr = None
    message.leader_recovery_state = 0
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.leader_recovery_state,) = _unpack_b(buffer, position)
                position += 1
            elif tag in (1, 2,):
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


def _read_v1(buffer: Buffer, position: int) -> tuple[PartitionRecord, int]:
    message = PartitionRecord.__new__(PartitionRecord)
    message.partition_id, message.topic_id, count = _unpack_iuB(buffer, position)
    position += 21
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.replicas = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.replicas = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.isr = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.isr = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.removing_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.removing_replicas = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.adding_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.adding_replicas = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    message.leader, message.leader_epoch, message.partition_epoch, count = _unpack_iiiB(buffer, position)
    position += 13
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    message.directories = unpack_many("16s", 16, count - 1, buffer, position)
    position += count * 16 - 16
    tags = buffer[position]
    position += 1
    message.eligible_leader_replicas = None
    message.last_known_elr = None
    message.leader_recovery_state = 0
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.leader_recovery_state,) = _unpack_b(buffer, position)
                position += 1
            elif tag in (1, 2,):
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


def _read_v2(buffer: Buffer, position: int) -> tuple[PartitionRecord, int]:
    message = PartitionRecord.__new__(PartitionRecord)
    message.partition_id, message.topic_id, count = _unpack_iuB(buffer, position)
    position += 21
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.replicas = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.replicas = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.isr = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.isr = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.removing_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.removing_replicas = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    if count - 1 < TABLE_SIZE:
        message.adding_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
    else:
        message.adding_replicas = unpack_many("i", 4, count - 1, buffer, position)
    position += count * 4 - 4
    message.leader, message.leader_epoch, message.partition_epoch, count = _unpack_iiiB(buffer, position)
    position += 13
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    message.directories = unpack_many("16s", 16, count - 1, buffer, position)
    position += count * 16 - 16
    tags = buffer[position]
    position += 1
    message.leader_recovery_state = 0
    message.eligible_leader_replicas = None
    message.last_known_elr = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.leader_recovery_state,) = _unpack_b(buffer, position)
                position += 1
            elif tag == 1:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if not count:
                    message.eligible_leader_replicas = None
                else:
                    if count - 1 < TABLE_SIZE:
                        message.eligible_leader_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
                    else:
                        message.eligible_leader_replicas = unpack_many("i", 4, count - 1, buffer, position)
                    position += count * 4 - 4
            elif tag == 2:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if not count:
                    message.last_known_elr = None
                else:
                    if count - 1 < TABLE_SIZE:
                        message.last_known_elr = [*UNPACK_INT32[count - 1](buffer, position)]
                    else:
                        message.last_known_elr = unpack_many("i", 4, count - 1, buffer, position)
                    position += count * 4 - 4
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_v0(out: Pieces, message: PartitionRecord) -> None:
    if len(message.directories) != 0:
        raise Malformed
    if message.eligible_leader_replicas is not None:
        raise Malformed
    if message.last_known_elr is not None:
        raise Malformed
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    replicas = message.replicas
    count = len(replicas) + 1
    if count < 128:
        out.append(_pack_iuB(message.partition_id, topic_id, count))
    else:
        out.append(_pack_iu(message.partition_id, topic_id))
        out.append(pack_length(count))
    if len(replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(replicas)](*replicas))
    else:
        out.append(pack_many("i", replicas))
    isr = message.isr
    count = len(isr) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(isr) < TABLE_SIZE:
        out.append(PACK_INT32[len(isr)](*isr))
    else:
        out.append(pack_many("i", isr))
    removing_replicas = message.removing_replicas
    count = len(removing_replicas) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(removing_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(removing_replicas)](*removing_replicas))
    else:
        out.append(pack_many("i", removing_replicas))
    adding_replicas = message.adding_replicas
    count = len(adding_replicas) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(adding_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(adding_replicas)](*adding_replicas))
    else:
        out.append(pack_many("i", adding_replicas))
    out.append(_pack_iii(message.leader, message.leader_epoch, message.partition_epoch))
    tagged = []
    section: Pieces
    if message.leader_recovery_state != 0:
        section = []
        section.append(_pack_b(message.leader_recovery_state))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: PartitionRecord) -> None:
    if message.eligible_leader_replicas is not None:
        raise Malformed
    if message.last_known_elr is not None:
        raise Malformed
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    replicas = message.replicas
    count = len(replicas) + 1
    if count < 128:
        out.append(_pack_iuB(message.partition_id, topic_id, count))
    else:
        out.append(_pack_iu(message.partition_id, topic_id))
        out.append(pack_length(count))
    if len(replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(replicas)](*replicas))
    else:
        out.append(pack_many("i", replicas))
    isr = message.isr
    count = len(isr) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(isr) < TABLE_SIZE:
        out.append(PACK_INT32[len(isr)](*isr))
    else:
        out.append(pack_many("i", isr))
    removing_replicas = message.removing_replicas
    count = len(removing_replicas) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(removing_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(removing_replicas)](*removing_replicas))
    else:
        out.append(pack_many("i", removing_replicas))
    adding_replicas = message.adding_replicas
    count = len(adding_replicas) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(adding_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(adding_replicas)](*adding_replicas))
    else:
        out.append(pack_many("i", adding_replicas))
    directories = message.directories
    count = len(directories) + 1
    if count < 128:
        out.append(_pack_iiiB(message.leader, message.leader_epoch, message.partition_epoch, count))
    else:
        out.append(_pack_iii(message.leader, message.leader_epoch, message.partition_epoch))
        out.append(pack_length(count))
    out.append(pack_uuids(directories))
    tagged = []
    section: Pieces
    if message.leader_recovery_state != 0:
        section = []
        section.append(_pack_b(message.leader_recovery_state))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: PartitionRecord) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    replicas = message.replicas
    count = len(replicas) + 1
    if count < 128:
        out.append(_pack_iuB(message.partition_id, topic_id, count))
    else:
        out.append(_pack_iu(message.partition_id, topic_id))
        out.append(pack_length(count))
    if len(replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(replicas)](*replicas))
    else:
        out.append(pack_many("i", replicas))
    isr = message.isr
    count = len(isr) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(isr) < TABLE_SIZE:
        out.append(PACK_INT32[len(isr)](*isr))
    else:
        out.append(pack_many("i", isr))
    removing_replicas = message.removing_replicas
    count = len(removing_replicas) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(removing_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(removing_replicas)](*removing_replicas))
    else:
        out.append(pack_many("i", removing_replicas))
    adding_replicas = message.adding_replicas
    count = len(adding_replicas) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(adding_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(adding_replicas)](*adding_replicas))
    else:
        out.append(pack_many("i", adding_replicas))
    directories = message.directories
    count = len(directories) + 1
    if count < 128:
        out.append(_pack_iiiB(message.leader, message.leader_epoch, message.partition_epoch, count))
    else:
        out.append(_pack_iii(message.leader, message.leader_epoch, message.partition_epoch))
        out.append(pack_length(count))
    out.append(pack_uuids(directories))
    tagged = []
    section: Pieces
    if message.leader_recovery_state != 0:
        section = []
        section.append(_pack_b(message.leader_recovery_state))
        tagged.append((0, b"".join(section)))
    if message.eligible_leader_replicas is not None:
        section = []
        eligible_leader_replicas = message.eligible_leader_replicas
        if eligible_leader_replicas is None:
            eligible_leader_replicas = EMPTY
            count = 0
        else:
            count = len(eligible_leader_replicas) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        if len(eligible_leader_replicas) < TABLE_SIZE:
            section.append(PACK_INT32[len(eligible_leader_replicas)](*eligible_leader_replicas))
        else:
            section.append(pack_many("i", eligible_leader_replicas))
        tagged.append((1, b"".join(section)))
    if message.last_known_elr is not None:
        section = []
        last_known_elr = message.last_known_elr
        if last_known_elr is None:
            last_known_elr = EMPTY
            count = 0
        else:
            count = len(last_known_elr) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        if len(last_known_elr) < TABLE_SIZE:
            section.append(PACK_INT32[len(last_known_elr)](*last_known_elr))
        else:
            section.append(pack_many("i", last_known_elr))
        tagged.append((2, b"".join(section)))
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


@cache
def _schema() -> MessageSchema:
    partition_record_struct = StructSchema(
        python_class=PartitionRecord,
        fields=(
            FieldSchema(
                name="PartitionId",
                attribute="partition_id",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="Replicas",
                attribute="replicas",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Isr",
                attribute="isr",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="RemovingReplicas",
                attribute="removing_replicas",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="AddingReplicas",
                attribute="adding_replicas",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Leader",
                attribute="leader",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="LeaderRecoveryState",
                attribute="leader_recovery_state",
                type="int8",
                versions=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=0,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="PartitionEpoch",
                attribute="partition_epoch",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="Directories",
                attribute="directories",
                type="uuid",
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="EligibleLeaderReplicas",
                attribute="eligible_leader_replicas",
                type="int32",
                array=True,
                versions=(2, 32767),
                nullable=(2, 32767),
                tagged=(2, 32767),
                tag=1,
                default=None,
            ),
            FieldSchema(
                name="LastKnownElr",
                attribute="last_known_elr",
                type="int32",
                array=True,
                versions=(2, 32767),
                nullable=(2, 32767),
                tagged=(2, 32767),
                tag=2,
                default=None,
            ),
        ),
    )
    return MessageSchema(name="PartitionRecord", flexible_from=0, root=partition_record_struct)
