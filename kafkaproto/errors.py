"""What can go wrong in a codec: we broke the protocol, or the peer did.

The two are told apart because they are answered differently. A `RemoteProtocolError` is about bytes from
outside: the connection is closed or answered with an error code, and our program goes on. A
`LocalProtocolError` is about what our own program asked to have encoded. No decoder lets any third exception
escape, whatever it is fed; one that does has a bug.
"""

from __future__ import annotations


class ProtocolError(Exception):
    """Base of everything that codecs raise; raised itself by nobody.

    ``where`` and ``offset`` stay writable so that an outer decoder can add what an inner one did not know,
    and ``str()`` shows whatever is known by then.
    """

    reason: str
    """What is wrong, without the place."""
    where: str | None
    """Message name and field path, such as ``VoteRequest.topics[0].partitions``; None where unknown."""
    offset: int | None
    """Position of the offending byte in the buffer that was handed in; None where no byte is at fault."""

    def __init__(self, reason: str, *, where: str | None = None, offset: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.where = where
        self.offset = offset

    def __str__(self) -> str:
        text = self.reason if self.where is None else f"{self.where}: {self.reason}"
        return text if self.offset is None else f"{text} (at byte {self.offset})"


class LocalProtocolError(ProtocolError):
    """We were asked to encode something that the protocol cannot express."""

    def __init__(self, reason: str, *, where: str | None = None) -> None:
        super().__init__(reason, where=where)


class UnsupportedVersionError(LocalProtocolError):
    """A message was asked for in a version that it does not have, or that cannot carry one of its fields."""


class RemoteProtocolError(ProtocolError):
    """Bytes from outside are not what the protocol says they should be."""


class TooManyElementsError(RemoteProtocolError):
    """A message holds more elements than the reader takes; those beyond its limit were not made."""
