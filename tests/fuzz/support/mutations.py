"""Breaking good bytes a little, from a seed: the changes that hurt decoders most are lengths and counts."""

from __future__ import annotations

import random
from collections.abc import Callable

_NASTY = (
    b"\x00",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xff\xff",
    b"\x7f\xff",
    b"\x80\x00",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x80\x00\x00\x00",
    b"\xff\xff\xff\xfe",
    # The largest unsigned varint, one that is too large, one that never ends, one longer than it has to be.
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\x7f",
    b"\xff\xff\xff\xff\xff\xff",
    b"\x81\x80\x80\x00",
)
"""Written over what is there: negative, huge and malformed lengths in all their encodings."""


def mutate(data: bytes, rng: random.Random, *, others: list[bytes]) -> bytes:
    """``data`` with one to four changes; ``others`` are what pieces are borrowed from."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        rng.choice(_CHANGES)(changed, rng, others)
    return bytes(changed)


def _position(data: bytearray, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _flip_bit(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _overwrite(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    nasty = rng.choice(_NASTY)
    position = _position(data, rng)
    data[position : position + len(nasty)] = nasty


def _insert(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    position = _position(data, rng)
    data[position:position] = rng.choice((rng.choice(_NASTY), rng.randbytes(rng.randrange(1, 9))))


def _delete(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    position = _position(data, rng)
    del data[position : position + rng.randrange(1, 9)]


def _truncate(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    del data[_position(data, rng) :]


def _repeat(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    position = _position(data, rng)
    data[position:position] = data[position : position + rng.randrange(1, 65)] * rng.randrange(1, 9)


def _splice(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    other = rng.choice(others)
    data[_position(data, rng) :] = other[rng.randrange(len(other) + 1) :]


def _change_version(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    data[2:4] = rng.choice((-1, 0, 1, 2, 3, 5, 9, 12, 99)).to_bytes(2, "big", signed=True)


_CHANGES: tuple[Callable[[bytearray, random.Random, list[bytes]], None], ...] = (
    _flip_bit,
    _overwrite,
    _overwrite,
    _insert,
    _delete,
    _truncate,
    _repeat,
    _splice,
    _change_version,
)
