"""UpdateFeaturesRequest: versions 0-2, flexible from 0, api key 57.

Generated from api/UpdateFeaturesRequest.json by codegen; change the schema, not this file.
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

_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_htB = struct.Struct(">h?B").unpack_from
_unpack_hbB = struct.Struct(">hbB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_ht = struct.Struct(">h?").pack
_pack_htB = struct.Struct(">h?B").pack
_pack_hb = struct.Struct(">hb").pack
_pack_hbB = struct.Struct(">hbB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class UpdateFeaturesRequestFeatureUpdateKey(Struct):
    """FeatureUpdateKey of UpdateFeaturesRequest."""

    __slots__ = ("feature", "max_version_level", "allow_downgrade", "upgrade_type", "unknown_tags")

    feature: str
    """Versions 0+."""
    max_version_level: int
    """The level to run with; 0 drops the feature. Versions 0+."""
    allow_downgrade: bool
    """Versions 0."""
    upgrade_type: int
    """1 upgrade, 2 downgrade without loss, 3 downgrade that may lose metadata. Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        feature: str = "",
        max_version_level: int = 0,
        allow_downgrade: bool = False,
        upgrade_type: int = 1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.feature = feature
        self.max_version_level = max_version_level
        self.allow_downgrade = allow_downgrade
        self.upgrade_type = upgrade_type
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UpdateFeaturesRequestFeatureUpdateKey)
            and self.feature == other.feature
            and self.max_version_level == other.max_version_level
            and self.allow_downgrade == other.allow_downgrade
            and self.upgrade_type == other.upgrade_type
            and self.unknown_tags == other.unknown_tags
        )



class UpdateFeaturesRequest(Message):
    """Request UpdateFeaturesRequest."""

    __slots__ = ("timeout_ms", "feature_updates", "validate_only", "unknown_tags")

    NAME: ClassVar[str] = "UpdateFeaturesRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 57
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    FeatureUpdateKey: TypeAlias = UpdateFeaturesRequestFeatureUpdateKey

    timeout_ms: int
    """Versions 0+."""
    feature_updates: list[UpdateFeaturesRequestFeatureUpdateKey]
    """Versions 0+."""
    validate_only: bool
    """Whether to check only, and change nothing. Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        timeout_ms: int = 60000,
        feature_updates: list[UpdateFeaturesRequestFeatureUpdateKey] = EMPTY,
        validate_only: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.feature_updates = [] if feature_updates is EMPTY else feature_updates
        self.validate_only = validate_only
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UpdateFeaturesRequest)
            and self.timeout_ms == other.timeout_ms
            and self.feature_updates == other.feature_updates
            and self.validate_only == other.validate_only
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[UpdateFeaturesRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[UpdateFeaturesRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_feature_update_key_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[UpdateFeaturesRequestFeatureUpdateKey], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[UpdateFeaturesRequestFeatureUpdateKey] = []
    for _ in range(size):
        message = UpdateFeaturesRequestFeatureUpdateKey.__new__(UpdateFeaturesRequestFeatureUpdateKey)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.feature = str(buffer[position:end], "utf-8")
        position = end
        message.max_version_level, message.allow_downgrade, tags = _unpack_htB(buffer, position)
        position += 4
        message.upgrade_type = 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[UpdateFeaturesRequest, int]:
    message = UpdateFeaturesRequest.__new__(UpdateFeaturesRequest)
    message.timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.feature_updates, position = _read_many_feature_update_key_v0(buffer, position, count - 1)
    elif count:
        message.feature_updates = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.validate_only = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[UpdateFeaturesRequest, int]]:
    message = UpdateFeaturesRequest.__new__(UpdateFeaturesRequest)
    message.timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "UpdateFeaturesRequest.feature_updates")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.feature_updates, position = yield from read_pieces(
                _read_many_feature_update_key_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.feature_updates, position = _read_many_feature_update_key_v0(buffer, position, count - 1)
            budget.take_tags(message.feature_updates)
    elif count:
        message.feature_updates = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.validate_only = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_feature_update_key_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[UpdateFeaturesRequestFeatureUpdateKey], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[UpdateFeaturesRequestFeatureUpdateKey] = []
    for _ in range(size):
        message = UpdateFeaturesRequestFeatureUpdateKey.__new__(UpdateFeaturesRequestFeatureUpdateKey)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.feature = str(buffer[position:end], "utf-8")
        position = end
        message.max_version_level, message.upgrade_type, tags = _unpack_hbB(buffer, position)
        position += 4
        message.allow_downgrade = False
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[UpdateFeaturesRequest, int]:
    message = UpdateFeaturesRequest.__new__(UpdateFeaturesRequest)
    message.timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.feature_updates, position = _read_many_feature_update_key_v1(buffer, position, count - 1)
    elif count:
        message.feature_updates = []
    else:
        raise Malformed
    message.validate_only, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[UpdateFeaturesRequest, int]]:
    message = UpdateFeaturesRequest.__new__(UpdateFeaturesRequest)
    message.timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "UpdateFeaturesRequest.feature_updates")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.feature_updates, position = yield from read_pieces(
                _read_many_feature_update_key_v1,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.feature_updates, position = _read_many_feature_update_key_v1(buffer, position, count - 1)
            budget.take_tags(message.feature_updates)
    elif count:
        message.feature_updates = []
    else:
        raise Malformed
    message.validate_only, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_feature_update_key_v0(out: Pieces, message: UpdateFeaturesRequestFeatureUpdateKey) -> None:
    if message.upgrade_type != 1:
        raise Malformed
    feature = message.feature
    data = feature.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_ht(message.max_version_level, message.allow_downgrade))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_htB(message.max_version_level, message.allow_downgrade, 0))


def _write_v0(out: Pieces, message: UpdateFeaturesRequest) -> None:
    if message.validate_only:
        raise Malformed
    feature_updates = message.feature_updates
    count = len(feature_updates) + 1
    if count < 128:
        out.append(_pack_iB(message.timeout_ms, count))
    else:
        out.append(_pack_i(message.timeout_ms))
        out.append(pack_length(count))
    for feature_updates_item in feature_updates:
        _write_feature_update_key_v0(out, feature_updates_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_feature_update_key_v1(out: Pieces, message: UpdateFeaturesRequestFeatureUpdateKey) -> None:
    if message.allow_downgrade:
        raise Malformed
    feature = message.feature
    data = feature.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_hb(message.max_version_level, message.upgrade_type))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hbB(message.max_version_level, message.upgrade_type, 0))


def _write_v1(out: Pieces, message: UpdateFeaturesRequest) -> None:
    feature_updates = message.feature_updates
    count = len(feature_updates) + 1
    if count < 128:
        out.append(_pack_iB(message.timeout_ms, count))
    else:
        out.append(_pack_i(message.timeout_ms))
        out.append(pack_length(count))
    for feature_updates_item in feature_updates:
        _write_feature_update_key_v1(out, feature_updates_item)
    if message.unknown_tags:
        out.append(_pack_t(message.validate_only))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.validate_only, 0))


_READERS = (
    _read_v0,
    _read_v1,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v1,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
    _step_v1,
)


@cache
def _schema() -> MessageSchema:
    feature_update_key_struct = StructSchema(
        python_class=UpdateFeaturesRequestFeatureUpdateKey,
        fields=(
            FieldSchema(
                name="Feature",
                attribute="feature",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MaxVersionLevel",
                attribute="max_version_level",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AllowDowngrade",
                attribute="allow_downgrade",
                type="bool",
                versions=(0, 0),
                default=False,
            ),
            FieldSchema(
                name="UpgradeType",
                attribute="upgrade_type",
                type="int8",
                versions=(1, 32767),
                default=1,
            ),
        ),
    )
    update_features_request_struct = StructSchema(
        python_class=UpdateFeaturesRequest,
        fields=(
            FieldSchema(
                name="timeoutMs",
                attribute="timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=60000,
            ),
            FieldSchema(
                name="FeatureUpdates",
                attribute="feature_updates",
                type="FeatureUpdateKey",
                struct=feature_update_key_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ValidateOnly",
                attribute="validate_only",
                type="bool",
                versions=(1, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="UpdateFeaturesRequest", flexible_from=0, root=update_features_request_struct)
