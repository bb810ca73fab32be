"""The slow codec: it goes through a message's schema field by field, and knows at every step which field it is at.

`Message.decode` and `Message.encode` use it only after the generated code has failed, to name the faulty field and its
byte. It implements the same rules in another way, so that tests can compare the two.
"""

from __future__ import annotations

import struct
from typing import Any

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError, UnsupportedVersionError
from kafkaproto.primitives import read_unsigned_varint, write_unsigned_varint
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema, within
from kafkaproto.support import MAX_STRING_LENGTH, MAX_TAGGED_FIELDS, Buffer, Steps

FIXED = {
    "bool": struct.Struct(">?"),
    "int8": struct.Struct(">b"),
    "int16": struct.Struct(">h"),
    "uint16": struct.Struct(">H"),
    "int32": struct.Struct(">i"),
    "uint32": struct.Struct(">I"),
    "int64": struct.Struct(">q"),
    "float64": struct.Struct(">d"),
    "uuid": struct.Struct(">16s"),
}
"""The types with a fixed size."""


def decode_slowly(schema: MessageSchema, buffer: Buffer, version: int, offset: int) -> tuple[Any, int]:
    """Read one message as `Message.decode` does. Raises RemoteProtocolError with field path and byte offset."""
    steps = decode_slowly_in_steps(schema, buffer, version, offset)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: tuple[Any, int] = end.value
            return found


def decode_slowly_in_steps(
    schema: MessageSchema, buffer: Buffer, version: int, offset: int
) -> Steps[tuple[Any, int]]:
    """`decode_slowly` for a large message: yields after each element of an array."""
    decoder = _Decoder(schema, buffer, version, offset)
    if offset > len(buffer):
        raise decoder.fail("begins beyond the end", schema.name)
    message = yield from decoder.struct(schema.root, schema.name)
    return message, decoder.position


def encode_slowly(schema: MessageSchema, message: Any, version: int) -> bytes:
    """Write one message as `Message.encode` does. Raises LocalProtocolError with the field path."""
    encoder = _Encoder(schema, version)
    encoder.struct(schema.root, message, schema.name)
    return bytes(encoder.out)


class _Decoder:
    def __init__(self, schema: MessageSchema, buffer: Buffer, version: int, position: int) -> None:
        self.flexible = schema.is_flexible(version)
        self.buffer = buffer
        self.version = version
        self.position = position
        self.limit = len(buffer)

    def fail(self, reason: str, path: str, offset: int | None = None) -> RemoteProtocolError:
        return RemoteProtocolError(reason, where=path, offset=self.position if offset is None else offset)

    def struct(self, schema: StructSchema, path: str) -> Steps[Any]:
        values: dict[str, Any] = {}
        for field in schema.fields:
            if within(self.version, field.versions) and not within(self.version, field.tagged):
                inner = f"{path}.{field.attribute}"
                values[field.attribute] = yield from self.field(field, inner, tagged=False)
        if self.flexible:
            yield from self.tags(schema, values, path)
        return schema.python_class(**values)

    def tags(self, schema: StructSchema, values: dict[str, Any], path: str) -> Steps[None]:
        known = {field.tag: field for field in schema.fields if field.tag >= 0}
        where = f"{path}.<tagged fields>"
        start = self.position
        count = self.varint(where)
        # A tagged field takes at least two bytes, its tag and its size.
        if count * 2 > self.limit - self.position:
            raise self.fail(
                f"claims {count} tagged fields, {self.limit - self.position} bytes are left", where, start
            )
        if count > MAX_TAGGED_FIELDS:
            raise self.fail(f"{count} tagged fields are more than {MAX_TAGGED_FIELDS}", where, start)
        unknown: dict[int, bytes] = {}
        for _ in range(count):
            start = self.position
            tag = self.varint(where)
            size = self.varint(where)
            end = self.position + size
            if end > self.limit:
                raise self.fail(
                    f"tag {tag} claims {size} bytes, {self.limit - self.position} are left", where, start
                )
            field = known.get(tag)
            # Kept and not refused: tags are how newer releases add fields that older ones may
            # ignore (KIP-482).
            if field is None:
                unknown[tag] = bytes(self.buffer[self.position : end])
                self.position = end
                continue
            inner = f"{path}.{field.attribute}"
            if not within(self.version, field.tagged):
                raise self.fail(f"tag {tag} does not exist in version {self.version}", inner, start)
            values[field.attribute] = yield from self.field(field, inner, tagged=True)
            # Else the next field would be read from a wrong place.
            if self.position != end:
                raise self.fail(f"tag {tag} claims {size} bytes but its value ends elsewhere", inner, start)
        values["unknown_tags"] = unknown or None

    def field(self, field: FieldSchema, path: str, *, tagged: bool) -> Steps[Any]:
        compact = self.flexible and not field.never_compact
        nullable = within(self.version, field.nullable)
        if field.array:
            return (yield from self.array(field, path, compact, nullable))
        if field.struct is not None and nullable:
            # In a tag, 0 means null; elsewhere any negative byte does, as in Kafka.
            absent = self.varint(path) == 0 if tagged else self.fixed("int8", path) < 0
            if absent:
                return None
        return (yield from self.value(field, path, compact, nullable))

    def array(self, field: FieldSchema, path: str, compact: bool, nullable: bool) -> Steps[list[Any] | None]:
        start = self.position
        count = self.varint(path) - 1 if compact else self.fixed("int32", path)
        if count < 0:
            if not nullable:
                raise self.fail("is null, but may not be in this version", path, start)
            return None
        # The count comes from the peer: nothing is allocated for elements that cannot be there.
        smallest = FIXED[field.type].size if field.type in FIXED else 1
        if count * smallest > self.limit - self.position:
            raise self.fail(
                f"claims {count} elements, {self.limit - self.position} bytes are left", path, start
            )
        found = []
        for index in range(count):
            found.append((yield from self.value(field, f"{path}[{index}]", compact, False)))
            yield
        return found

    def value(self, field: FieldSchema, path: str, compact: bool, nullable: bool) -> Steps[Any]:
        if field.struct is not None:
            return (yield from self.struct(field.struct, path))
        if field.type in FIXED:
            return self.fixed(field.type, path)
        return self.variable(field, path, compact, nullable)

    def fixed(self, word: str, path: str) -> Any:
        layout = FIXED[word]
        if layout.size > self.limit - self.position:
            raise self.fail(f"needs {layout.size} bytes, {max(0, self.limit - self.position)} are left", path)
        (value,) = layout.unpack_from(self.buffer, self.position)
        self.position += layout.size
        return value

    def variable(self, field: FieldSchema, path: str, compact: bool, nullable: bool) -> Any:
        start = self.position
        if compact:
            length = self.varint(path) - 1
        else:
            length = self.fixed("int16" if field.type == "string" else "int32", path)
        if length < 0:
            if not nullable:
                raise self.fail("is null, but may not be in this version", path, start)
            return None
        if field.type == "string" and length > MAX_STRING_LENGTH:
            raise self.fail(f"a string of {length} bytes is longer than {MAX_STRING_LENGTH}", path, start)
        if length > self.limit - self.position:
            raise self.fail(f"claims {length} bytes, {self.limit - self.position} are left", path, start)
        end = self.position + length
        chunk = memoryview(self.buffer)[self.position : end]
        if field.type == "string":
            try:
                value: Any = str(chunk, "utf-8")
            except UnicodeDecodeError as error:
                raise self.fail("is not UTF-8", path, self.position + error.start) from None
        else:
            # Records and zero-copy fields stay views: a copy of megabytes would double what a
            # request costs.
            value = chunk if field.zero_copy or field.type == "records" else bytes(chunk)
        self.position = end
        return value

    def varint(self, path: str) -> int:
        try:
            value, self.position = read_unsigned_varint(self.buffer, self.position)
        except RemoteProtocolError as error:
            error.where = path
            raise
        return value


class _Encoder:
    def __init__(self, schema: MessageSchema, version: int) -> None:
        self.flexible = schema.is_flexible(version)
        self.version = version
        self.out = bytearray()

    def struct(self, schema: StructSchema, message: Any, path: str) -> None:
        if not isinstance(message, schema.python_class):
            raise LocalProtocolError(
                f"must be a {schema.python_class.__name__}, is {_shown(message)}", where=path
            )
        for field in schema.fields:
            value = getattr(message, field.attribute)
            inner = f"{path}.{field.attribute}"
            if not within(self.version, field.versions):
                # Kafka's rule: to drop such a value silently would change what the message means.
                if not field.ignorable and not field.is_default(value):
                    raise UnsupportedVersionError(
                        f"is set to {_shown(value)}, but version {self.version} has no such field",
                        where=inner,
                    )
            elif not within(self.version, field.tagged):
                self.field(field, value, inner, tagged=False)
        unknown = message.unknown_tags or {}
        if self.flexible:
            self.tags(schema, message, unknown, path)
        elif unknown:
            raise UnsupportedVersionError(
                f"version {self.version} has no tagged fields", where=f"{path}.unknown_tags"
            )

    def tags(self, schema: StructSchema, message: Any, unknown: dict[int, bytes], path: str) -> None:
        sections: dict[int, bytes] = {}
        for tag, section in unknown.items():
            if type(tag) is not int or not 0 <= tag < 1 << 32:
                raise LocalProtocolError(f"{tag!r} is no tag", where=f"{path}.unknown_tags")
            if not isinstance(section, bytes | bytearray | memoryview):
                raise LocalProtocolError(f"tag {tag} must map to bytes", where=f"{path}.unknown_tags")
            sections[tag] = bytes(section)
        for field in schema.fields:
            value = getattr(message, field.attribute)
            # Left out at its default, as in Kafka. A reader accepts it, but the bytes would differ.
            if not within(self.version, field.tagged) or field.is_default(value):
                continue
            if field.tag in sections:
                raise LocalProtocolError(f"holds tag {field.tag}, a known one", where=f"{path}.unknown_tags")
            outer, self.out = self.out, bytearray()
            self.field(field, value, f"{path}.{field.attribute}", tagged=True)
            sections[field.tag], self.out = bytes(self.out), outer
        write_unsigned_varint(self.out, len(sections))
        for tag in sorted(sections):
            write_unsigned_varint(self.out, tag)
            write_unsigned_varint(self.out, len(sections[tag]))
            self.out += sections[tag]

    def field(self, field: FieldSchema, value: Any, path: str, *, tagged: bool) -> None:
        compact = self.flexible and not field.never_compact
        nullable = within(self.version, field.nullable)
        if value is None and not nullable:
            raise LocalProtocolError(f"is null, but may not be in version {self.version}", where=path)
        if field.array:
            self.array(field, value, path, compact)
            return
        if field.struct is not None and nullable:
            self.out += b"\x00" if tagged and value is None else b"\xff" if value is None else b"\x01"
            if value is None:
                return
        self.value(field, value, path, compact)

    def array(self, field: FieldSchema, value: Any, path: str, compact: bool) -> None:
        if value is not None and not isinstance(value, list | tuple):
            raise LocalProtocolError(f"must be a list, is {_shown(value)}", where=path)
        self.length(-1 if value is None else len(value), compact, "int32", path)
        for index, element in enumerate(value or ()):
            self.value(field, element, f"{path}[{index}]", compact)

    def value(self, field: FieldSchema, value: Any, path: str, compact: bool) -> None:
        if field.struct is not None:
            self.struct(field.struct, value, path)
        elif field.type in FIXED:
            self.fixed(field.type, value, path)
        else:
            self.variable(field, value, path, compact)

    def fixed(self, word: str, value: Any, path: str) -> None:
        if word == "uuid" and (not isinstance(value, bytes | bytearray | memoryview) or len(value) != 16):
            raise LocalProtocolError(f"must be 16 bytes, is {_shown(value)}", where=path)
        try:
            self.out += FIXED[word].pack(value)
        except (struct.error, TypeError, OverflowError):
            raise LocalProtocolError(f"{_shown(value)} is no {word}", where=path) from None

    def variable(self, field: FieldSchema, value: Any, path: str, compact: bool) -> None:
        small = "int16" if field.type == "string" else "int32"
        if value is None:
            self.length(-1, compact, small, path)
            return
        data = _string(value, path) if field.type == "string" else _bytes(field, value, path)
        self.length(len(data), compact, small, path)
        self.out += data

    def length(self, length: int, compact: bool, word: str, path: str) -> None:
        if compact:
            write_unsigned_varint(self.out, length + 1)
        else:
            self.fixed(word, length, path)


def _string(value: Any, path: str) -> bytes:
    if not isinstance(value, str):
        raise LocalProtocolError(f"must be a str, is {_shown(value)}", where=path)
    try:
        data = value.encode()
    except UnicodeEncodeError:
        raise LocalProtocolError(f"{_shown(value)} cannot be written as UTF-8", where=path) from None
    if len(data) > MAX_STRING_LENGTH:
        raise LocalProtocolError(
            f"a string of {len(data)} bytes is longer than {MAX_STRING_LENGTH}", where=path
        )
    return data


def _bytes(field: FieldSchema, value: Any, path: str) -> bytes:
    several = field.zero_copy or field.type == "records"
    chunks = value if several and isinstance(value, list) else [value]
    for chunk in chunks:
        if not isinstance(chunk, bytes | bytearray | memoryview):
            raise LocalProtocolError(f"must be bytes, is {_shown(chunk)}", where=path)
    return b"".join(chunks)


def _shown(value: Any) -> str:
    text = repr(value)
    # A value may be megabytes long, and the text goes into a log.
    return text if len(text) <= 60 else f"{text[:57]}..."
