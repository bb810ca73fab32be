"""Base classes of all generated code: what every struct and every message can do, whatever their fields.

Functions in the generated modules read and write the bytes. The methods here call them: they check the version, and
turn failures into errors that name message, field path and byte offset.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from kafkaproto.errors import (
    LocalProtocolError,
    ProtocolError,
    RemoteProtocolError,
    TooManyElementsError,
    UnsupportedVersionError,
)
from kafkaproto.schema import MessageSchema
from kafkaproto.support import FAILURES, Budget, Buffer, Malformed, Pieces, Steps

_PIECES_TOGETHER = 1024
"""Number of pieces, each some ten bytes, that are joined in one step if a message is written in steps."""

_LONG_PIECE_BYTES = 4096
"""From this size on, a buffer of its own costs less than a copy."""


class Struct:
    """A group of fields. Two structs are equal if their class and all their fields are, unknown tags included."""

    __slots__ = ()

    unknown_tags: dict[int, bytes] | None

    def __repr__(self) -> str:
        slots: tuple[str, ...] = self.__slots__
        names = (slot.removeprefix("_") for slot in slots)
        shown = (name for name in names if name != "unknown_tags" or self.unknown_tags)
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__name__}({fields})"


def _together(pieces: Pieces) -> list[Buffer]:
    """Pieces joined to buffers, long ones left as they are."""
    buffers: list[Buffer] = []
    begin = 0
    for position, piece in enumerate(pieces):
        if len(piece) >= _LONG_PIECE_BYTES:
            buffers.append(b"".join(pieces[begin:position]))
            buffers.append(piece)
            begin = position + 1
    buffers.append(b"".join(pieces[begin:]))
    return buffers


class Message(Struct):
    """A message that can be read and written at every version from ``MIN_VERSION`` to ``MAX_VERSION``."""

    __slots__ = ()

    NAME: ClassVar[str]
    """Name in Kafka's schemas."""
    TYPE: ClassVar[str]
    """Kind of the message: request, response, header, metadata, data, coordinator-key, coordinator-value."""
    API_KEY: ClassVar[int | None]
    """API key of a request or response, record type of a metadata or coordinator record."""
    MIN_VERSION: ClassVar[int]
    MAX_VERSION: ClassVar[int]
    FLEXIBLE_FROM: ClassVar[int | None]
    """First version with compact lengths and tagged fields; None if no version has them."""
    LATEST_VERSION_UNSTABLE: ClassVar[bool]
    """Whether ``MAX_VERSION`` is not released yet; servers do not advertise such a version."""
    LISTENERS: ClassVar[tuple[str, ...]]
    """Kinds of listeners that serve a request: broker, controller."""

    @staticmethod
    def schema() -> MessageSchema:
        """The schema of the fields; built once, at the first call."""
        raise AssertionError("every generated message overrides this")

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[Any, int]:
        raise AssertionError("every generated message overrides this")

    def _write(self, out: Pieces, version: int) -> None:
        raise AssertionError("every generated message overrides this")

    @staticmethod
    def _step_read(
        buffer: Buffer, position: int, version: int, budget: Budget
    ) -> Steps[tuple[Any, int]] | None:
        """None if the message is read in one go; requests with arrays override this."""
        return None

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        """None if the message is written in one go; responses with arrays override this."""
        return None

    @classmethod
    def _no_version(cls, version: int) -> UnsupportedVersionError:
        return UnsupportedVersionError(
            f"version {version} does not exist; versions are {cls.MIN_VERSION} to {cls.MAX_VERSION}",
            where=cls.NAME,
        )

    @classmethod
    def decode(cls, buffer: Buffer, version: int, offset: int = 0) -> tuple[Self, int]:
        """Read one message that starts at ``offset``. Returns it, and the offset after its last byte.

        Bytes after the message are ignored. Fields of type records, and bytes fields marked zero-copy, are memoryviews
        of ``buffer``. The work is linear in the length of the input.

        Raises UnsupportedVersionError for a version that does not exist, RemoteProtocolError (with field path and byte
        offset) for bytes that are not this message.
        """
        if not cls.MIN_VERSION <= version <= cls.MAX_VERSION:
            raise cls._no_version(version)
        try:
            message, end = cls._read(buffer, offset, version)
            if end > len(buffer):
                raise Malformed
        except (*FAILURES, ProtocolError) as failure:
            raise cls._explain_reading(buffer, version, offset, failure) from None
        return message, end

    @classmethod
    def decode_in_steps(
        cls, buffer: Buffer, version: int, offset: int = 0, *, max_elements: int
    ) -> Steps[tuple[Self, int]]:
        """Read one large request as `decode` does, a few elements a step; other messages are read in one go.

        ``max_elements`` limits the elements of arrays at every depth and the unknown tagged fields, together. Each
        array's elements are counted before they are made, so the limit bounds the memory whatever counts the buffer
        holds. Raises as `decode` does, and TooManyElementsError, which names the array that exceeds the limit.
        """
        if not cls.MIN_VERSION <= version <= cls.MAX_VERSION:
            raise cls._no_version(version)
        reading = cls._step_read(buffer, offset, version, Budget(max_elements))
        if reading is None:
            return cls.decode(buffer, version, offset)
        try:
            message, end = yield from reading
            if end > len(buffer):
                raise Malformed
        except TooManyElementsError:
            raise
        except (*FAILURES, ProtocolError) as failure:
            error = yield from cls._explain_reading_in_steps(buffer, version, offset, failure)
            raise error from None
        return message, end

    def encode(self, version: int) -> bytes:
        """The message's bytes at ``version``.

        Raises UnsupportedVersionError if the version does not exist, or if a field is set that the version does not
        have and that may not be dropped. Raises LocalProtocolError (with field path) for a value that does not fit its
        type.
        """
        if not self.MIN_VERSION <= version <= self.MAX_VERSION:
            raise self._no_version(version)
        pieces: Pieces = []
        try:
            self._write(pieces, version)
            return b"".join(pieces)
        except (*FAILURES, ProtocolError) as failure:
            raise self._explain_writing(version, failure) from None

    def encode_buffers(self, version: int) -> list[Buffer]:
        """The message's bytes as buffers to be joined. Long fields (records) are among them as they are, not copied:
        an object in place of records needs no more than a length of 4,096 or more. Raises as `encode` does.
        """
        if not self.MIN_VERSION <= version <= self.MAX_VERSION:
            raise self._no_version(version)
        pieces: Pieces = []
        try:
            self._write(pieces, version)
            buffers = _together(pieces)
        except (*FAILURES, ProtocolError) as failure:
            raise self._explain_writing(version, failure) from None
        return buffers

    def encode_in_steps(self, version: int) -> Steps[list[Buffer]]:
        """As `encode_buffers`. A response is written a few elements a step, any other message in one go."""
        if not self.MIN_VERSION <= version <= self.MAX_VERSION:
            raise self._no_version(version)
        pieces: Pieces = []
        writing = self._step_write(pieces, version)
        if writing is None:
            return self.encode_buffers(version)
        buffers: list[Buffer] = []
        try:
            for _ in writing:
                if len(pieces) >= _PIECES_TOGETHER:
                    yield sum(map(len, pieces))
                    buffers += _together(pieces)
                    # The list is emptied, not replaced: the writer holds it and appends to it.
                    pieces.clear()
                yield
            yield sum(map(len, pieces))
            buffers += _together(pieces)
        except (*FAILURES, ProtocolError) as failure:
            raise self._explain_writing(version, failure) from None
        return buffers

    def encode_into(self, out: bytearray, version: int) -> None:
        """Append the message's bytes to ``out``. On an error ``out`` is unchanged; raises as `encode` does."""
        out += self.encode(version)

    def to_json(self, version: int) -> dict[str, Any]:
        """Kafka's JSON form, as its tools print it; raises as `encode` does."""
        from kafkaproto.json_form import to_json

        if not self.MIN_VERSION <= version <= self.MAX_VERSION:
            raise self._no_version(version)
        return to_json(self, version)

    @classmethod
    def from_json(cls, document: object, version: int) -> Self:
        """Read Kafka's JSON form. Raises RemoteProtocolError, which names the field that is missing or does not fit,
        and UnsupportedVersionError for a version that does not exist.
        """
        from kafkaproto.json_form import from_json

        if not cls.MIN_VERSION <= version <= cls.MAX_VERSION:
            raise cls._no_version(version)
        message = from_json(cls, document, version)
        assert isinstance(message, cls)
        return message

    @classmethod
    def _explain_reading(
        cls, buffer: Buffer, version: int, offset: int, failure: Exception
    ) -> RemoteProtocolError:
        explaining = cls._explain_reading_in_steps(buffer, version, offset, failure)
        while True:
            try:
                next(explaining)
            except StopIteration as end:
                error: RemoteProtocolError = end.value
                return error

    @classmethod
    def _explain_reading_in_steps(
        cls, buffer: Buffer, version: int, offset: int, failure: Exception
    ) -> Steps[RemoteProtocolError]:
        from kafkaproto.interpret import decode_slowly_in_steps

        try:
            yield from decode_slowly_in_steps(cls.schema(), buffer, version, offset)
        except RemoteProtocolError as error:
            return error
        # This is a bug of ours. But a peer's bytes have led to it, so it must not end the program.
        return RemoteProtocolError(f"the two decoders disagree: {failure!r}", where=cls.NAME, offset=offset)

    def _explain_writing(self, version: int, failure: Exception) -> LocalProtocolError:
        from kafkaproto.interpret import encode_slowly

        try:
            encode_slowly(self.schema(), self, version)
        except LocalProtocolError as error:
            return error
        raise AssertionError(f"{self.NAME} v{version}: the two encoders disagree") from failure
