"""The errors of a codec: either our own program broke the protocol, or the peer did.

Callers handle the two differently. `RemoteProtocolError` is about bytes from outside: the caller closes the connection
or responds with an error code, and the program continues. `LocalProtocolError` is about a value that our own program
asked to encode. No decoder raises anything else, whatever bytes it is given; one that does has a bug.
"""

from __future__ import annotations


class ProtocolError(Exception):
    """Base class of all errors that codecs raise; never raised itself.

    ``where`` and ``offset`` stay writable, so that an outer decoder can add what an inner one did not know. ``str()``
    shows what is known so far.
    """

    reason: str
    """What is wrong, without the place."""
    where: str | None
    """Message name and field path, such as ``VoteRequest.topics[0].partitions``; None if unknown."""
    offset: int | None
    """Position of the faulty byte in the buffer that was handed in; None if no byte is at fault."""

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
    """A message does not have the requested version, or that version cannot carry one of the fields that are set."""


class RemoteProtocolError(ProtocolError):
    """Bytes from outside are not what the protocol says they should be."""


class TooManyElementsError(RemoteProtocolError):
    """A message holds more elements than the reader's limit; the reader did not make those beyond it."""
