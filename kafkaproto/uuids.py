"""UUIDs as Kafka writes them in text: the 16 bytes in URL-safe base64 without padding, 22 characters."""

from __future__ import annotations

import base64
import re

_TEXT_FORM = re.compile(r"[A-Za-z0-9_-]{22}")


def to_text(uuid: bytes) -> str:
    """The 22-character text form of 16 raw bytes; raises ValueError for any other number of bytes."""
    if len(uuid) != 16:
        raise ValueError(f"a UUID has 16 bytes, not {len(uuid)}")
    return base64.urlsafe_b64encode(uuid)[:22].decode("ascii")


def from_text(text: str) -> bytes:
    """The 16 raw bytes of a text form; raises ValueError that quotes the text if it is not one.

    The last character has four bits more than a UUID needs. They are ignored, as in Kafka: in an id that somebody made
    up by hand, they need not be zero.
    """
    if _TEXT_FORM.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a UUID: wanted are 22 characters of URL-safe base64, no padding")
    return base64.urlsafe_b64decode(text + "==")
