"""Makes messages of the formats 0 and 1, in the plainest way, with any content."""

from __future__ import annotations

import zlib
from struct import pack

TIME_MS = 1_400_000_000_000


def nullable(data: bytes | None) -> bytes:
    return pack(">i", -1) if data is None else pack(">i", len(data)) + data


def message(
    offset: int,
    value: bytes | None,
    *,
    magic: int,
    key: bytes | None = None,
    attributes: int = 0,
    timestamp: int = TIME_MS,
) -> bytes:
    """A message as the heads of `legacy` and of KIP-32 describe it."""
    after = pack(">BB", magic, attributes) + (pack(">q", timestamp) if magic else b"")
    body = after + nullable(key) + nullable(value)
    return pack(">qi", offset, len(body) + 4) + pack(">I", zlib.crc32(body)) + body
