"""The log directories of a broker: what is online, what failed, what is cordoned."""

from __future__ import annotations

import pytest

from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory

A, B, C = (bytes([each] * 16) for each in (3, 2, 1))


def three() -> LogDirectories:
    """Ids in the opposite order of the paths; the last directory could not be read."""
    return LogDirectories(
        [
            LogDirectory(path="/a", directory_id=A),
            LogDirectory(path="/b", directory_id=B),
            LogDirectory(path="/c", directory_id=None, problem="/c cannot be read"),
        ]
    )


def test_ids_are_told_in_their_own_order_and_an_unknown_one_not_at_all() -> None:
    directories = three()
    assert (directories.online_ids, directories.offline_ids) == ((B, A), ())
    assert (directories.are_several, directories.has_offline) == (True, True)
    assert [each.path for each in directories.all] == ["/a", "/b", "/c"]


def test_a_directory_fails_once_and_for_good() -> None:
    directories = three()
    assert directories.fail("/a", "EIO")
    assert not directories.fail("/a", "EROFS")
    assert (directories.online_ids, directories.offline_ids) == ((B,), (A,))
    assert (directories.is_own(A), directories.is_online(A)) == (True, False)
    assert (directories.is_own(C), directories.is_online(C)) == (False, False)
    assert directories.all[0].problem == "EIO"


def test_a_single_directory_is_not_several() -> None:
    directories = LogDirectories([LogDirectory(path="/a", directory_id=A)])
    assert (directories.are_several, directories.has_offline) == (False, False)


@pytest.mark.parametrize(
    ("paths", "cordoned", "unknown"),
    [((), (), ()), (("/b",), (B,), ()), (("*",), (B, A), ()), (("/a", "/x", "/c"), (A,), ("/x",))],
)
def test_cordoned_are_exactly_those_that_are_named(
    paths: tuple[str, ...], cordoned: tuple[bytes, ...], unknown: tuple[str, ...]
) -> None:
    directories = three()
    directories.cordon(["/b"])
    is_news, found = directories.cordon(paths)
    assert (directories.cordoned_ids, found) == (cordoned, unknown)
    assert is_news == (cordoned != (B,))
    assert directories.cordon(paths)[0] is False


def test_a_cordoned_directory_that_fails_is_told_as_offline_only() -> None:
    directories = three()
    directories.cordon(["*"])
    directories.fail("/a", "EIO")
    assert (directories.cordoned_ids, directories.offline_ids) == ((B,), (A,))
