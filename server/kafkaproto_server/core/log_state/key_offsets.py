"""The newest offset of each key in a part of a log: what compaction compares records with.

A key takes 24 bytes, whatever its length: a hash of 16 bytes and an offset. They are slots of one block of memory, so
that millions of keys are neither millions of objects nor a dict that grows by copying itself. Two keys with the same
hash would count as one; with 128 bits that does not happen by chance.

Apache Kafka has this in SkimpyOffsetMap.
"""

from __future__ import annotations

from hashlib import blake2b
from math import isqrt
from struct import Struct

SLOT_BYTES = 24
_HASH_BYTES = 16
_FREE = bytes(_HASH_BYTES)
_HASH_PARTS = Struct("=QQ").unpack
_OFFSET = Struct("=q")
MIN_SLOTS = 11


class KeyOffsets:
    """Offsets by key; it takes at most ``capacity`` keys."""

    __slots__ = ("_slots", "_table", "capacity", "latest_offset", "size")

    latest_offset: int
    """All records up to this offset are taken into account; -1 if none is."""

    def __init__(self, *, buffer_bytes: int, load_factor: float, wanted: int) -> None:
        """``buffer_bytes`` is the most memory it may take, ``load_factor`` how much of it keys may fill. It takes no
        more than ``wanted`` keys need, and always room for one."""
        most = max(MIN_SLOTS, min(buffer_bytes // SLOT_BYTES, int(wanted / load_factor) + MIN_SLOTS))
        # Steps through a table of prime size reach every slot.
        self._slots = _largest_prime(most)
        self._table = bytearray(self._slots * SLOT_BYTES)
        # One slot stays free, or the search for a key that is not there would never end.
        self.capacity = max(1, min(self._slots - 1, int(self._slots * load_factor)))
        self.size = 0
        self.latest_offset = -1

    def put(self, key: bytes, offset: int) -> bool:
        """Note the offset of a key, which is higher than all before. False, with nothing noted, if there is no room for
        another key; also for a key that is known, as in Kafka, so that what fits does not depend on the order."""
        if self.size >= self.capacity:
            return False
        found, position = self._find(key)
        if found is not None:
            self.size += 1
            assert self.size < self._slots, "a search ends at a free slot"
            self._table[position : position + _HASH_BYTES] = found
        _OFFSET.pack_into(self._table, position + _HASH_BYTES, offset)
        self.latest_offset = offset
        return True

    def get(self, key: bytes) -> int:
        """The newest offset of a key; -1 if it has none."""
        found, position = self._find(key)
        if found is not None:
            return -1
        offset: int = _OFFSET.unpack_from(self._table, position + _HASH_BYTES)[0]
        return offset

    def _find(self, key: bytes) -> tuple[bytes | None, int]:
        """Position of the key's slot, with None; or that of a free slot, with the key's hash."""
        table, slots = self._table, self._slots
        digest = blake2b(key, digest_size=_HASH_BYTES).digest()
        # Zeros mark a free slot.
        if digest == _FREE:
            digest = _FREE[:-1] + b"\x01"
        first, second = _HASH_PARTS(digest)
        # Double hashing: keys that meet in one slot part again with the next step. A step of 0 would stay there.
        slot, step = first % slots, 1 + second % (slots - 1)
        while True:
            position = slot * SLOT_BYTES
            there = table[position : position + _HASH_BYTES]
            if there == digest:
                return None, position
            if there == _FREE:
                return digest, position
            slot += step
            if slot >= slots:
                slot -= slots


def _largest_prime(most: int) -> int:
    while any(most % divisor == 0 for divisor in range(2, isqrt(most) + 1)):
        most -= 1
    return most
