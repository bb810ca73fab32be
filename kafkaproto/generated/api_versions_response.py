"""ApiVersionsResponse: versions 0-5, flexible from 3, api key 18.

Generated from api/ApiVersionsResponse.json by codegen; change the schema, not this file.
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
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hhB = struct.Struct(">hhB").unpack_from
_unpack_hhh = struct.Struct(">hhh").unpack_from
_unpack_hhhB = struct.Struct(">hhhB").unpack_from
_unpack_hi = struct.Struct(">hi").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_q = struct.Struct(">q").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_hhB = struct.Struct(">hhB").pack
_pack_hhh = struct.Struct(">hhh").pack
_pack_hhhB = struct.Struct(">hhhB").pack
_pack_hi = struct.Struct(">hi").pack
_pack_i = struct.Struct(">i").pack
_pack_q = struct.Struct(">q").pack


class ApiVersionsResponseApiVersion(Struct):
    """ApiVersion of ApiVersionsResponse."""

    __slots__ = ("api_key", "min_version", "max_version", "unknown_tags")

    api_key: int
    """Versions 0+."""
    min_version: int
    """Versions 0+."""
    max_version: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        api_key: int = 0,
        min_version: int = 0,
        max_version: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.api_key = api_key
        self.min_version = min_version
        self.max_version = max_version
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ApiVersionsResponseApiVersion)
            and self.api_key == other.api_key
            and self.min_version == other.min_version
            and self.max_version == other.max_version
            and self.unknown_tags == other.unknown_tags
        )



class ApiVersionsResponseSupportedFeatureKey(Struct):
    """SupportedFeatureKey of ApiVersionsResponse."""

    __slots__ = ("name", "min_version", "max_version", "unknown_tags")

    name: str
    """Versions 3+."""
    min_version: int
    """Versions 3+."""
    max_version: int
    """Versions 3+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        min_version: int = 0,
        max_version: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.min_version = min_version
        self.max_version = max_version
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ApiVersionsResponseSupportedFeatureKey)
            and self.name == other.name
            and self.min_version == other.min_version
            and self.max_version == other.max_version
            and self.unknown_tags == other.unknown_tags
        )



class ApiVersionsResponseFinalizedFeatureKey(Struct):
    """FinalizedFeatureKey of ApiVersionsResponse."""

    __slots__ = ("name", "max_version_level", "min_version_level", "unknown_tags")

    name: str
    """Versions 3+."""
    max_version_level: int
    """The level in force. Versions 3+."""
    min_version_level: int
    """Equal to MaxVersionLevel in practice. Versions 3+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        max_version_level: int = 0,
        min_version_level: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.max_version_level = max_version_level
        self.min_version_level = min_version_level
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ApiVersionsResponseFinalizedFeatureKey)
            and self.name == other.name
            and self.max_version_level == other.max_version_level
            and self.min_version_level == other.min_version_level
            and self.unknown_tags == other.unknown_tags
        )



class ApiVersionsResponse(Message):
    """Response ApiVersionsResponse."""

    __slots__ = (
        "error_code",
        "api_keys",
        "throttle_time_ms",
        "supported_features",
        "finalized_features_epoch",
        "finalized_features",
        "zk_migration_ready",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ApiVersionsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 18
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    ApiVersion: TypeAlias = ApiVersionsResponseApiVersion
    SupportedFeatureKey: TypeAlias = ApiVersionsResponseSupportedFeatureKey
    FinalizedFeatureKey: TypeAlias = ApiVersionsResponseFinalizedFeatureKey

    error_code: int
    """Versions 0+."""
    api_keys: list[ApiVersionsResponseApiVersion]
    """Versions 0+."""
    throttle_time_ms: int
    """Versions 1+, dropped where a version lacks it."""
    supported_features: list[ApiVersionsResponseSupportedFeatureKey]
    """Levels that this node could run with. Versions 3+, tag 0 in 3+, dropped where a version lacks
    it.
    """
    finalized_features_epoch: int
    """Offset of the metadata that FinalizedFeatures are from, or -1. Versions 3+, tag 1 in 3+,
    dropped where a version lacks it.
    """
    finalized_features: list[ApiVersionsResponseFinalizedFeatureKey]
    """Levels that the cluster runs with. Versions 3+, tag 2 in 3+, dropped where a version lacks it."""
    zk_migration_ready: bool
    """Left over from the migration off ZooKeeper; always false in 4.x. Versions 3+, tag 3 in 3+,
    dropped where a version lacks it.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        api_keys: list[ApiVersionsResponseApiVersion] = EMPTY,
        throttle_time_ms: int = 0,
        supported_features: list[ApiVersionsResponseSupportedFeatureKey] = EMPTY,
        finalized_features_epoch: int = -1,
        finalized_features: list[ApiVersionsResponseFinalizedFeatureKey] = EMPTY,
        zk_migration_ready: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.api_keys = [] if api_keys is EMPTY else api_keys
        self.throttle_time_ms = throttle_time_ms
        self.supported_features = [] if supported_features is EMPTY else supported_features
        self.finalized_features_epoch = finalized_features_epoch
        self.finalized_features = [] if finalized_features is EMPTY else finalized_features
        self.zk_migration_ready = zk_migration_ready
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ApiVersionsResponse)
            and self.error_code == other.error_code
            and self.api_keys == other.api_keys
            and self.throttle_time_ms == other.throttle_time_ms
            and self.supported_features == other.supported_features
            and self.finalized_features_epoch == other.finalized_features_epoch
            and self.finalized_features == other.finalized_features
            and self.zk_migration_ready == other.zk_migration_ready
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ApiVersionsResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_api_version_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ApiVersionsResponseApiVersion], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ApiVersionsResponseApiVersion] = []
    for _ in range(size):
        message = ApiVersionsResponseApiVersion.__new__(ApiVersionsResponseApiVersion)
        message.api_key, message.min_version, message.max_version = _unpack_hhh(buffer, position)
        position += 6
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[ApiVersionsResponse, int]:
    message = ApiVersionsResponse.__new__(ApiVersionsResponse)
    message.error_code, count = _unpack_hi(buffer, position)
    position += 6
    if count > 0:
        message.api_keys, position = _read_many_api_version_v0(buffer, position, count)
    elif not count:
        message.api_keys = []
    else:
        raise Malformed
    message.throttle_time_ms = 0
    message.supported_features = []
    message.finalized_features_epoch = -1
    message.finalized_features = []
    message.zk_migration_ready = False
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ApiVersionsResponse, int]:
    message = ApiVersionsResponse.__new__(ApiVersionsResponse)
    message.error_code, count = _unpack_hi(buffer, position)
    position += 6
    if count > 0:
        message.api_keys, position = _read_many_api_version_v0(buffer, position, count)
    elif not count:
        message.api_keys = []
    else:
        raise Malformed
    (message.throttle_time_ms,) = _unpack_i(buffer, position)
    position += 4
    message.supported_features = []
    message.finalized_features_epoch = -1
    message.finalized_features = []
    message.zk_migration_ready = False
    message.unknown_tags = None
    return message, position


def _read_many_api_version_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ApiVersionsResponseApiVersion], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ApiVersionsResponseApiVersion] = []
    for _ in range(size):
        message = ApiVersionsResponseApiVersion.__new__(ApiVersionsResponseApiVersion)
        message.api_key, message.min_version, message.max_version, tags = _unpack_hhhB(buffer, position)
        position += 7
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_supported_feature_key_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ApiVersionsResponseSupportedFeatureKey], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ApiVersionsResponseSupportedFeatureKey] = []
    for _ in range(size):
        message = ApiVersionsResponseSupportedFeatureKey.__new__(ApiVersionsResponseSupportedFeatureKey)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.min_version, message.max_version, tags = _unpack_hhB(buffer, position)
        position += 5
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_finalized_feature_key_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ApiVersionsResponseFinalizedFeatureKey], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ApiVersionsResponseFinalizedFeatureKey] = []
    for _ in range(size):
        message = ApiVersionsResponseFinalizedFeatureKey.__new__(ApiVersionsResponseFinalizedFeatureKey)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.max_version_level, message.min_version_level, tags = _unpack_hhB(buffer, position)
        position += 5
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[ApiVersionsResponse, int]:
    message = ApiVersionsResponse.__new__(ApiVersionsResponse)
    message.error_code, count = _unpack_hB(buffer, position)
    position += 3
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.api_keys, position = _read_many_api_version_v3(buffer, position, count - 1)
    elif count:
        message.api_keys = []
    else:
        raise Malformed
    message.throttle_time_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.supported_features = []
    message.finalized_features_epoch = -1
    message.finalized_features = []
    message.zk_migration_ready = False
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if count > 1:
                    message.supported_features, position = _read_many_supported_feature_key_v3(buffer, position, count - 1)
                elif count:
                    message.supported_features = []
                else:
                    raise Malformed
            elif tag == 1:
                (message.finalized_features_epoch,) = _unpack_q(buffer, position)
                position += 8
            elif tag == 2:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if count > 1:
                    message.finalized_features, position = _read_many_finalized_feature_key_v3(buffer, position, count - 1)
                elif count:
                    message.finalized_features = []
                else:
                    raise Malformed
            elif tag == 3:
                message.zk_migration_ready = buffer[position] != 0
                position += 1
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_api_version_v0(out: Pieces, message: ApiVersionsResponseApiVersion) -> None:
    out.append(_pack_hhh(message.api_key, message.min_version, message.max_version))
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: ApiVersionsResponse) -> None:
    api_keys = message.api_keys
    count = len(api_keys)
    out.append(_pack_hi(message.error_code, count))
    for api_keys_item in api_keys:
        _write_api_version_v0(out, api_keys_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: ApiVersionsResponse) -> Steps[None]:
    api_keys = message.api_keys
    count = len(api_keys)
    out.append(_pack_hi(message.error_code, count))
    for api_keys_item in api_keys:
        _write_api_version_v0(out, api_keys_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: ApiVersionsResponse) -> None:
    api_keys = message.api_keys
    count = len(api_keys)
    out.append(_pack_hi(message.error_code, count))
    for api_keys_item in api_keys:
        _write_api_version_v0(out, api_keys_item)
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: ApiVersionsResponse) -> Steps[None]:
    api_keys = message.api_keys
    count = len(api_keys)
    out.append(_pack_hi(message.error_code, count))
    for api_keys_item in api_keys:
        _write_api_version_v0(out, api_keys_item)
        yield
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _write_api_version_v3(out: Pieces, message: ApiVersionsResponseApiVersion) -> None:
    if message.unknown_tags:
        out.append(_pack_hhh(message.api_key, message.min_version, message.max_version))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hhhB(message.api_key, message.min_version, message.max_version, 0))


def _write_supported_feature_key_v3(out: Pieces, message: ApiVersionsResponseSupportedFeatureKey) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_hh(message.min_version, message.max_version))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hhB(message.min_version, message.max_version, 0))


def _write_finalized_feature_key_v3(out: Pieces, message: ApiVersionsResponseFinalizedFeatureKey) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_hh(message.max_version_level, message.min_version_level))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hhB(message.max_version_level, message.min_version_level, 0))


def _write_v3(out: Pieces, message: ApiVersionsResponse) -> None:
    api_keys = message.api_keys
    count = len(api_keys) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for api_keys_item in api_keys:
        _write_api_version_v3(out, api_keys_item)
    out.append(_pack_i(message.throttle_time_ms))
    tagged = []
    section: Pieces
    if len(message.supported_features) != 0:
        section = []
        supported_features = message.supported_features
        count = len(supported_features) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for supported_features_item in supported_features:
            _write_supported_feature_key_v3(section, supported_features_item)
        tagged.append((0, b"".join(section)))
    if message.finalized_features_epoch != -1:
        section = []
        section.append(_pack_q(message.finalized_features_epoch))
        tagged.append((1, b"".join(section)))
    if len(message.finalized_features) != 0:
        section = []
        finalized_features = message.finalized_features
        count = len(finalized_features) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for finalized_features_item in finalized_features:
            _write_finalized_feature_key_v3(section, finalized_features_item)
        tagged.append((2, b"".join(section)))
    if message.zk_migration_ready:
        section = []
        section.append(_pack_t(message.zk_migration_ready))
        tagged.append((3, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v3(out: Pieces, message: ApiVersionsResponse) -> Steps[None]:
    api_keys = message.api_keys
    count = len(api_keys) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for api_keys_item in api_keys:
        _write_api_version_v3(out, api_keys_item)
        yield
    out.append(_pack_i(message.throttle_time_ms))
    tagged = []
    section: Pieces
    if len(message.supported_features) != 0:
        section = []
        supported_features = message.supported_features
        count = len(supported_features) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for supported_features_item in supported_features:
            _write_supported_feature_key_v3(section, supported_features_item)
        tagged.append((0, b"".join(section)))
    if message.finalized_features_epoch != -1:
        section = []
        section.append(_pack_q(message.finalized_features_epoch))
        tagged.append((1, b"".join(section)))
    if len(message.finalized_features) != 0:
        section = []
        finalized_features = message.finalized_features
        count = len(finalized_features) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for finalized_features_item in finalized_features:
            _write_finalized_feature_key_v3(section, finalized_features_item)
        tagged.append((2, b"".join(section)))
    if message.zk_migration_ready:
        section = []
        section.append(_pack_t(message.zk_migration_ready))
        tagged.append((3, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v1,
    _read_v3,
    _read_v3,
    _read_v3,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v1,
    _write_v3,
    _write_v3,
    _write_v3,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
    _step_write_v1,
    _step_write_v3,
    _step_write_v3,
    _step_write_v3,
)


@cache
def _schema() -> MessageSchema:
    api_version_struct = StructSchema(
        python_class=ApiVersionsResponseApiVersion,
        fields=(
            FieldSchema(
                name="ApiKey",
                attribute="api_key",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MinVersion",
                attribute="min_version",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MaxVersion",
                attribute="max_version",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    supported_feature_key_struct = StructSchema(
        python_class=ApiVersionsResponseSupportedFeatureKey,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(3, 32767),
                default="",
            ),
            FieldSchema(
                name="MinVersion",
                attribute="min_version",
                type="int16",
                versions=(3, 32767),
                default=0,
            ),
            FieldSchema(
                name="MaxVersion",
                attribute="max_version",
                type="int16",
                versions=(3, 32767),
                default=0,
            ),
        ),
    )
    finalized_feature_key_struct = StructSchema(
        python_class=ApiVersionsResponseFinalizedFeatureKey,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(3, 32767),
                default="",
            ),
            FieldSchema(
                name="MaxVersionLevel",
                attribute="max_version_level",
                type="int16",
                versions=(3, 32767),
                default=0,
            ),
            FieldSchema(
                name="MinVersionLevel",
                attribute="min_version_level",
                type="int16",
                versions=(3, 32767),
                default=0,
            ),
        ),
    )
    api_versions_response_struct = StructSchema(
        python_class=ApiVersionsResponse,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ApiKeys",
                attribute="api_keys",
                type="ApiVersion",
                struct=api_version_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(1, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="SupportedFeatures",
                attribute="supported_features",
                type="SupportedFeatureKey",
                struct=supported_feature_key_struct,
                array=True,
                versions=(3, 32767),
                tagged=(3, 32767),
                tag=0,
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
            FieldSchema(
                name="FinalizedFeaturesEpoch",
                attribute="finalized_features_epoch",
                type="int64",
                versions=(3, 32767),
                tagged=(3, 32767),
                tag=1,
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="FinalizedFeatures",
                attribute="finalized_features",
                type="FinalizedFeatureKey",
                struct=finalized_feature_key_struct,
                array=True,
                versions=(3, 32767),
                tagged=(3, 32767),
                tag=2,
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
            FieldSchema(
                name="ZkMigrationReady",
                attribute="zk_migration_ready",
                type="bool",
                versions=(3, 32767),
                tagged=(3, 32767),
                tag=3,
                default=False,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(name="ApiVersionsResponse", flexible_from=3, root=api_versions_response_struct)
