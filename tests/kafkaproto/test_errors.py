"""Errors say what is wrong, where, and at which byte, as far as that is known."""

import pytest

from kafkaproto.errors import (
    LocalProtocolError,
    ProtocolError,
    RemoteProtocolError,
    UnsupportedVersionError,
)


@pytest.mark.parametrize(
    ("where", "offset", "text"),
    [
        (None, None, "too short"),
        ("VoteRequest.topics[0]", None, "VoteRequest.topics[0]: too short"),
        (None, 7, "too short (at byte 7)"),
        ("VoteRequest.topics[0]", 0, "VoteRequest.topics[0]: too short (at byte 0)"),
    ],
)
def test_remote_error_shows_all_that_is_known(where: str | None, offset: int | None, text: str) -> None:
    error = RemoteProtocolError("too short", where=where, offset=offset)
    assert (error.reason, error.where, error.offset) == ("too short", where, offset)
    assert str(error) == text


def test_what_an_outer_decoder_adds_is_shown() -> None:
    error = RemoteProtocolError("too short")
    error.where = "Topic.name"
    error.offset = 3
    assert str(error) == "Topic.name: too short (at byte 3)"


def test_local_error_shows_where() -> None:
    assert str(LocalProtocolError("null", where="Topic.name")) == "Topic.name: null"


def test_kinds_are_told_apart() -> None:
    assert issubclass(UnsupportedVersionError, LocalProtocolError)
    assert issubclass(LocalProtocolError, ProtocolError)
    assert issubclass(RemoteProtocolError, ProtocolError)
    assert not issubclass(RemoteProtocolError, LocalProtocolError)
