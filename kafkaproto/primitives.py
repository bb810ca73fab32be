"""Variable-length integers (varints), the one primitive that `struct` does not have.

Every reader takes a buffer and a position, and returns the value and the position after it. Every writer appends to a
bytearray. A byte holds seven bits, lowest group first; its high bit says that another byte follows. Signed integers
are zigzag-coded first (0, -1, 1, -2 become 0, 1, 2, 3), so that small negative numbers stay short.

Readers accept an encoding that is longer than necessary (``80 00`` for 0): Kafka does too, and clients that reserve
room for a length ahead of time send such bytes. Readers refuse more bytes, or more bits, than the type has.
"""

from __future__ import annotations

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError

Buffer = bytes | bytearray | memoryview
"""The type that readers read from. A memoryview must be one of unsigned bytes."""


def read_unsigned_varint(buffer: Buffer, position: int) -> tuple[int, int]:
    """Read an unsigned 32-bit integer of 1 to 5 bytes.

    Raises RemoteProtocolError, whose offset is where the integer starts, if the buffer ends first or the
    integer is longer or larger than 32 bits allow.
    """
    try:
        byte = buffer[position]
        if byte < 0x80:
            return byte, position + 1
        value = byte & 0x7F
        byte = buffer[position + 1]
        if byte < 0x80:
            return value | byte << 7, position + 2
        value |= (byte & 0x7F) << 7
        byte = buffer[position + 2]
        if byte < 0x80:
            return value | byte << 14, position + 3
        value |= (byte & 0x7F) << 14
        byte = buffer[position + 3]
        if byte < 0x80:
            return value | byte << 21, position + 4
        value |= (byte & 0x7F) << 21
        byte = buffer[position + 4]
        # The fifth byte has room for four bits of the 32.
        if byte < 0x10:
            return value | byte << 28, position + 5
    except IndexError:
        raise RemoteProtocolError("the bytes end inside a varint", offset=position) from None
    raise RemoteProtocolError("a varint does not fit in 32 bits", offset=position)


def read_varint(buffer: Buffer, position: int) -> tuple[int, int]:
    """Read a zigzag-coded signed 32-bit integer of 1 to 5 bytes; raises as `read_unsigned_varint` does."""
    value, position = read_unsigned_varint(buffer, position)
    return value >> 1 ^ -(value & 1), position


def read_varlong(buffer: Buffer, position: int) -> tuple[int, int]:
    """Read a zigzag-coded signed 64-bit integer of 1 to 10 bytes.

    Raises RemoteProtocolError, whose offset is where the integer starts, if the buffer ends first or the
    integer is longer or larger than 64 bits allow.
    """
    start = position
    value = 0
    try:
        for shift in range(0, 63, 7):
            byte = buffer[position]
            position += 1
            if byte < 0x80:
                value |= byte << shift
                return value >> 1 ^ -(value & 1), position
            value |= (byte & 0x7F) << shift
        byte = buffer[position]
    except IndexError:
        raise RemoteProtocolError("the bytes end inside a varlong", offset=start) from None
    # The tenth byte has room for one bit of the 64.
    if byte > 1:
        raise RemoteProtocolError("a varlong does not fit in 64 bits", offset=start)
    value |= byte << 63
    return value >> 1 ^ -(value & 1), position + 1


def write_unsigned_varint(out: bytearray, value: int) -> None:
    """Append an unsigned 32-bit integer; raises LocalProtocolError outside 0 to 2**32 - 1."""
    if not 0 <= value <= 0xFFFF_FFFF:
        raise LocalProtocolError(f"{value} does not fit in an unsigned 32-bit integer")
    _write_groups(out, value)


def write_varint(out: bytearray, value: int) -> None:
    """Append a zigzag-coded signed 32-bit integer; raises LocalProtocolError outside -2**31 to 2**31 - 1."""
    if not -0x8000_0000 <= value <= 0x7FFF_FFFF:
        raise LocalProtocolError(f"{value} does not fit in a signed 32-bit integer")
    _write_groups(out, value << 1 ^ value >> 31)


def write_varlong(out: bytearray, value: int) -> None:
    """Append a zigzag-coded signed 64-bit integer; raises LocalProtocolError outside -2**63 to 2**63 - 1."""
    if not -0x8000_0000_0000_0000 <= value <= 0x7FFF_FFFF_FFFF_FFFF:
        raise LocalProtocolError(f"{value} does not fit in a signed 64-bit integer")
    _write_groups(out, value << 1 ^ value >> 63)


def wrap_int64(value: int) -> int:
    """The number that a signed 64-bit integer holds after an overflow, as Java's ``long`` does."""
    return (value + 0x8000_0000_0000_0000 & 0xFFFF_FFFF_FFFF_FFFF) - 0x8000_0000_0000_0000


def _write_groups(out: bytearray, value: int) -> None:
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
