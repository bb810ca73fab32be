"""Uuids as text, many at once: URL-safe base64 without padding, the form of `kafkaproto.uuids`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kafkaproto_pipeline.decoding.scan import Octets

UUID_TEXT_BYTES = 22

_ALPHABET = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", np.uint8)


def _pairs(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> npt.NDArray[np.uint16]:
    return np.stack((_ALPHABET[first], _ALPHABET[second]), axis=1).view(np.uint16).reshape(-1)


_TWELVE_BITS = _pairs(np.arange(4096) >> 6, np.arange(4096) & 63)
"""Both characters of each value of 12 bits, as they lie in memory."""
_LAST_OCTET = _pairs(np.arange(256) >> 2, (np.arange(256) & 3) << 4)
"""The last two characters, by a uuid's last byte: two bits of it go into the second, above four zeros."""


def uuid_texts(uuids: Octets) -> Octets:
    """The characters of each uuid: from n rows of 16 bytes to n rows of 22."""
    table = np.empty((len(uuids), UUID_TEXT_BYTES // 2), np.uint16)
    # Five groups of three bytes, four characters each, and a byte.
    first, second, third = (uuids[:, start:15:3].astype(np.uint16) for start in range(3))
    table[:, 0:10:2] = _TWELVE_BITS[first << 4 | second >> 4]
    table[:, 1:10:2] = _TWELVE_BITS[(second & 15) << 8 | third]
    table[:, 10] = _LAST_OCTET[uuids[:, 15]]
    return table.view(np.uint8)
