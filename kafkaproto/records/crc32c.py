"""CRC-32C (Castagnoli), the checksum of record batches and of producer snapshots."""

from __future__ import annotations

import crc32c as _package

from kafkaproto.primitives import Buffer


def crc32c(data: Buffer, value: int = 0) -> int:
    """The checksum of ``data``, without a copy; ``value`` is the checksum of the bytes before them, if
    there are any.
    """
    return _package.crc32c(data, value)
