"""What the fuzz tests call: a request or response decoded the way a server or client does it, and what must
hold."""

from __future__ import annotations

from kafkaproto import api
from kafkaproto.errors import ProtocolError, RemoteProtocolError, UnsupportedVersionError
from kafkaproto.headers import decode_request_header
from kafkaproto.message import Message


def decode_request(frame: bytes) -> Message | None:
    """Header and body of a request; None where they are refused as they should be. Anything else escapes."""
    try:
        header, body_offset = decode_request_header(frame)
        info = api.api_by_key(header.api_key)
        assert info is not None, "the header of an unknown api key was taken"
        message, end = info.request_class.decode(frame, header.api_version, body_offset)
    except (RemoteProtocolError, UnsupportedVersionError) as error:
        check_refusal(error, len(frame))
        return None
    assert body_offset <= end <= len(frame)
    check_stable(message, header.api_version)
    return message


def check_refusal(error: ProtocolError, size: int) -> None:
    """What a log line needs is there: what is wrong where, and a byte inside what was sent, if any."""
    assert error.where, f"an error without a place: {error}"
    assert error.offset is None or 0 <= error.offset <= size, f"a place outside of {size} bytes: {error}"


def check_stable(message: Message, version: int) -> None:
    """What was decoded can be encoded, and from there on neither bytes nor meaning change."""
    encoded = message.encode(version)
    again, end = type(message).decode(encoded, version)
    assert end == len(encoded)
    assert again.encode(version) == encoded
