"""DescribeUserScramCredentialsRequest: versions 0, flexible from 0, api key 50.

Generated from api/DescribeUserScramCredentialsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

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



class DescribeUserScramCredentialsRequestUserName(Struct):
    """UserName of DescribeUserScramCredentialsRequest."""

    __slots__ = ("name", "unknown_tags")

    name: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, name: str = "", unknown_tags: dict[int, bytes] | None = None) -> None:
        self.name = name
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeUserScramCredentialsRequestUserName)
            and self.name == other.name
            and self.unknown_tags == other.unknown_tags
        )



class DescribeUserScramCredentialsRequest(Message):
    """Request DescribeUserScramCredentialsRequest."""

    __slots__ = ("users", "unknown_tags")

    NAME: ClassVar[str] = "DescribeUserScramCredentialsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 50
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    UserName: TypeAlias = DescribeUserScramCredentialsRequestUserName

    users: list[DescribeUserScramCredentialsRequestUserName] | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        users: list[DescribeUserScramCredentialsRequestUserName] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.users = [] if users is EMPTY else users
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeUserScramCredentialsRequest)
            and self.users == other.users
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeUserScramCredentialsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DescribeUserScramCredentialsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_user_name_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeUserScramCredentialsRequestUserName], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeUserScramCredentialsRequestUserName] = []
    for _ in range(size):
        message = DescribeUserScramCredentialsRequestUserName.__new__(
            DescribeUserScramCredentialsRequestUserName,
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
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeUserScramCredentialsRequest, int]:
    message = DescribeUserScramCredentialsRequest.__new__(DescribeUserScramCredentialsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.users, position = _read_many_user_name_v0(buffer, position, count - 1)
    elif count:
        message.users = []
    else:
        message.users = None
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[DescribeUserScramCredentialsRequest, int]]:
    message = DescribeUserScramCredentialsRequest.__new__(DescribeUserScramCredentialsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DescribeUserScramCredentialsRequest.users")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.users, position = yield from read_pieces(
                _read_many_user_name_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.users, position = _read_many_user_name_v0(buffer, position, count - 1)
            budget.take_tags(message.users)
    elif count:
        message.users = []
    else:
        message.users = None
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_user_name_v0(out: Pieces, message: DescribeUserScramCredentialsRequestUserName) -> None:
    name = message.name
    data = name.encode()
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


def _write_v0(out: Pieces, message: DescribeUserScramCredentialsRequest) -> None:
    users = message.users
    if users is None:
        users = EMPTY
        count = 0
    else:
        count = len(users) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for users_item in users:
        _write_user_name_v0(out, users_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)

_STEP_READERS = (
    _step_v0,
)


@cache
def _schema() -> MessageSchema:
    user_name_struct = StructSchema(
        python_class=DescribeUserScramCredentialsRequestUserName,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    describe_user_scram_credentials_request_struct = StructSchema(
        python_class=DescribeUserScramCredentialsRequest,
        fields=(
            FieldSchema(
                name="Users",
                attribute="users",
                type="UserName",
                struct=user_name_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeUserScramCredentialsRequest",
        flexible_from=0,
        root=describe_user_scram_credentials_request_struct,
    )
