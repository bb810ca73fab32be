"""Many batches of a share partition in little memory: 19 bytes for each, as in a record, where a tuple of numbers takes
eight times as much. A broker may keep the states of many share partitions, and each may have thousands of batches.

Ours alone: Apache Kafka keeps objects (PersisterStateBatch).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from struct import Struct
from typing import TypeAlias, overload

from kafkaproto_server.requests.share_state import StateBatch

_BATCH = Struct(">qqbh")
MANY = 16
"""From so many batches on, it pays to pack them."""


class PackedBatches(Sequence[StateBatch]):
    """Batches that are not changed any more."""

    __slots__ = ("_data",)

    def __init__(self, data: bytes) -> None:
        assert len(data) % _BATCH.size == 0, "whole batches only"
        self._data = data

    def __len__(self) -> int:
        return len(self._data) // _BATCH.size

    @overload
    def __getitem__(self, index: int) -> StateBatch: ...

    @overload
    def __getitem__(self, index: slice) -> PackedBatches: ...

    def __getitem__(self, index: int | slice) -> StateBatch | PackedBatches:
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            assert step == 1, "a part of them"
            return PackedBatches(self._data[begin * _BATCH.size : end * _BATCH.size])
        return StateBatch._make(_BATCH.unpack_from(self._data, range(len(self))[index] * _BATCH.size))

    def __iter__(self) -> Iterator[StateBatch]:
        return map(StateBatch._make, _BATCH.iter_unpack(self._data))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def spliced(self, begin: int, end: int, middle: Iterable[StateBatch]) -> PackedBatches:
        """The same with others in place of some."""
        size = _BATCH.size
        return PackedBatches(self._data[: begin * size] + _packed(middle) + self._data[end * size :])


Batches: TypeAlias = tuple[StateBatch, ...] | PackedBatches


def packed(batches: Batches) -> Batches:
    """The batches, packed if there are many of them."""
    if isinstance(batches, PackedBatches) or len(batches) < MANY:
        return batches
    return PackedBatches(_packed(batches))


def _packed(batches: Iterable[StateBatch]) -> bytes:
    return b"".join([_BATCH.pack(*each) for each in batches])
