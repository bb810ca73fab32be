"""ZkMigrationStateRecord: versions 0, flexible from 0, record type 21.

Generated from metadata/ZkMigrationStateRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Pieces, read_unknown_tags, write_tag_section

_unpack_bB = struct.Struct(">bB").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack


class ZkMigrationStateRecord(Message):
    """Metadata ZkMigrationStateRecord."""

    __slots__ = ("zk_migration_state", "unknown_tags")

    NAME: ClassVar[str] = "ZkMigrationStateRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 21
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    zk_migration_state: int
    """0 none, 1 migration, 2 pre-migration, 3 post-migration; 4.x ignores it. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        zk_migration_state: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.zk_migration_state = zk_migration_state
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ZkMigrationStateRecord)
            and self.zk_migration_state == other.zk_migration_state
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ZkMigrationStateRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ZkMigrationStateRecord, int]:
    message = ZkMigrationStateRecord.__new__(ZkMigrationStateRecord)
    message.zk_migration_state, tags = _unpack_bB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: ZkMigrationStateRecord) -> None:
    if message.unknown_tags:
        out.append(_pack_b(message.zk_migration_state))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_bB(message.zk_migration_state, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    zk_migration_state_record_struct = StructSchema(
        python_class=ZkMigrationStateRecord,
        fields=(
            FieldSchema(
                name="ZkMigrationState",
                attribute="zk_migration_state",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="ZkMigrationStateRecord",
        flexible_from=0,
        root=zk_migration_state_record_struct,
    )
