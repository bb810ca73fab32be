"""The bytes of the file of leader epochs."""

from __future__ import annotations

from kafkaproto_server.shell.storage.log.epoch_file import encode_epoch_file


def test_the_file_has_kafkas_form() -> None:
    assert encode_epoch_file(()) == b"0\n0\n"
    assert encode_epoch_file(((2, 765), (5, 900))) == b"0\n2\n2 765\n5 900\n"
