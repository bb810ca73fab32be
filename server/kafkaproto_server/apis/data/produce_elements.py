"""How many elements a Produce request can hold, found before it is decoded.

Nearly all of its bytes are records, and the records of a partition stay one buffer when they are decoded. So its length
says little. This walks from partition to partition and passes over the records. What lies behind
`MOST_PARTITIONS` is not looked at and counts by its length, as it does in requests of other APIs: every element takes
at least one byte.
"""

from __future__ import annotations

from typing import Final

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import read_unsigned_varint

MOST_PARTITIONS: Final = 1_000
"""So many are looked at, which takes about a millisecond."""
_FIRST_COMPACT: Final = 9
_FIRST_WITH_TOPIC_IDS: Final = 13
_ID_BYTES: Final = 16
_ACKS_AND_TIMEOUT_BYTES: Final = 6
_INDEX_BYTES: Final = 4


def most_elements(frame: bytes, body_offset: int, version: int) -> int:
    """The largest number of elements that the request can hold. If its bytes are not what they should be, that of any
    bytes of this length."""
    walk = _Walk(frame, body_offset, is_compact=version >= _FIRST_COMPACT)
    try:
        return walk.elements(has_ids=version >= _FIRST_WITH_TOPIC_IDS)
    except RemoteProtocolError:
        return len(frame) - body_offset


class _Walk:
    """One reading of a request."""

    __slots__ = ("_frame", "_is_compact", "_position", "_record_bytes")

    def __init__(self, frame: bytes, position: int, *, is_compact: bool) -> None:
        self._frame = frame
        self._position = position
        self._is_compact = is_compact
        self._record_bytes = 0

    def elements(self, *, has_ids: bool) -> int:
        """See `most_elements`; raises RemoteProtocolError."""
        begin = self._position
        self._skip(self._length(2))
        self._skip(_ACKS_AND_TIMEOUT_BYTES)
        left = MOST_PARTITIONS
        for _ in range(min(self._length(4), left)):
            self._skip(_ID_BYTES if has_ids else self._length(2))
            partitions = self._length(4)
            for _ in range(min(partitions, left)):
                self._skip(_INDEX_BYTES)
                size = self._length(4)
                self._skip(size)
                self._record_bytes += size
                self._skip_tags()
            left -= max(1, partitions)
            if left <= 0:
                break
            self._skip_tags()
        return len(self._frame) - begin - self._record_bytes

    def _length(self, size_bytes: int) -> int:
        """The next length: in old versions an integer of so many bytes. That of null is 0."""
        if self._is_compact:
            length, self._position = read_unsigned_varint(self._frame, self._position)
            return max(0, length - 1)
        begin = self._position
        self._skip(size_bytes)
        return max(0, int.from_bytes(self._frame[begin : self._position], signed=True))

    def _skip(self, size_bytes: int) -> None:
        self._position += size_bytes
        if self._position > len(self._frame):
            raise RemoteProtocolError("the request ends early")

    def _skip_tags(self) -> None:
        if not self._is_compact:
            return
        count, self._position = read_unsigned_varint(self._frame, self._position)
        for _ in range(min(count, MOST_PARTITIONS)):
            _, self._position = read_unsigned_varint(self._frame, self._position)
            size, self._position = read_unsigned_varint(self._frame, self._position)
            self._skip(size)
