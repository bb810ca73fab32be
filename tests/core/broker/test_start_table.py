"""The start table (KIP-858): a test for each row, and the reports that follow from where a replica is.

Directories: X and Y are online, Z is online or offline; FOREIGN is of nobody here.
"""

from __future__ import annotations

import pytest

from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.core.broker.start_table import StartPlace, Way, place_of, report_of, target_of
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY, MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY

X, Y, Z = (bytes([each] * 16) for each in (0x31, 0x32, 0x33))
FOREIGN = bytes([0x77] * 16)
NEVER = (UNASSIGNED_DIRECTORY, MIGRATING_DIRECTORY)
NOT_HERE = (LOST_DIRECTORY, FOREIGN)
NAMES = {
    UNASSIGNED_DIRECTORY: "unassigned",
    MIGRATING_DIRECTORY: "migrating",
    LOST_DIRECTORY: "lost",
    FOREIGN: "elsewhere",
    X: "X",
    Y: "Y",
    Z: "Z",
}


def name(value: object) -> str | None:
    """What test names call a directory, or those of copies."""
    if isinstance(value, tuple):
        return f"copy_in_{NAMES[value[0]]}" if value else "no_copy"
    return NAMES.get(value) if isinstance(value, bytes) else None


either_state_of_z = pytest.mark.parametrize("all_online", [True, False], ids=["all_online", "Z_offline"])


def directories(*, all_online: bool) -> LogDirectories:
    problem = None if all_online else "EIO"
    return LogDirectories(
        [
            LogDirectory(path="/x", directory_id=X),
            LogDirectory(path="/y", directory_id=Y),
            LogDirectory(path="/z", directory_id=Z, problem=problem),
        ]
    )


def place(
    recorded: bytes, current: tuple[bytes, ...] = (), future: tuple[bytes, ...] = (), *, all_online: bool
) -> StartPlace:
    return place_of(recorded, current, future, directories(all_online=all_online))


@either_state_of_z
@pytest.mark.parametrize("recorded", [*NEVER, *NOT_HERE, X, Y, Z], ids=name)
@pytest.mark.parametrize("future", [(), (Y,)], ids=name)
def test_a_replica_on_disk_is_opened_where_it_is_whatever_is_recorded(
    recorded: bytes, future: tuple[bytes, ...], all_online: bool
) -> None:
    assert place(recorded, (X,), future, all_online=all_online) == StartPlace(Way.OPEN, X)


@either_state_of_z
def test_of_two_replicas_on_disk_the_recorded_one_is_opened(all_online: bool) -> None:
    assert place(Y, (X, Y), all_online=all_online) == StartPlace(Way.OPEN, Y)


@either_state_of_z
@pytest.mark.parametrize("recorded", [*NEVER, *NOT_HERE, Z], ids=name)
def test_two_replicas_on_disk_and_none_of_them_recorded_are_refused(
    recorded: bytes, all_online: bool
) -> None:
    assert place(recorded, (X, Y), all_online=all_online) == StartPlace(Way.REFUSE)


@pytest.mark.parametrize("recorded", [*NEVER, *NOT_HERE, X, Y], ids=name)
def test_a_future_copy_alone_becomes_the_replica_if_all_directories_are_online(recorded: bytes) -> None:
    assert place(recorded, (), (Y,), all_online=True) == StartPlace(Way.PROMOTE, Y)


def test_of_two_future_copies_the_recorded_one_becomes_the_replica() -> None:
    assert place(Y, (), (X, Y), all_online=True) == StartPlace(Way.PROMOTE, Y)


@pytest.mark.parametrize("recorded", [*NEVER, *NOT_HERE, X, Y], ids=name)
def test_a_future_copy_alone_waits_if_the_replica_may_be_in_an_offline_directory(recorded: bytes) -> None:
    assert place(recorded, (), (Y,), all_online=False) == StartPlace(Way.WAIT)


@pytest.mark.parametrize("future", [(), (Y,)], ids=name)
def test_a_replica_recorded_in_an_offline_directory_waits_for_it(future: tuple[bytes, ...]) -> None:
    assert place(Z, (), future, all_online=False) == StartPlace(Way.WAIT, Z)


@either_state_of_z
def test_a_replica_that_is_nowhere_begins_in_the_recorded_directory(all_online: bool) -> None:
    assert place(X, all_online=all_online) == StartPlace(Way.BEGIN, X)


@either_state_of_z
@pytest.mark.parametrize("recorded", NEVER, ids=name)
def test_a_replica_that_was_never_placed_and_is_nowhere_gets_a_choice(
    recorded: bytes, all_online: bool
) -> None:
    assert place(recorded, all_online=all_online) == StartPlace(Way.CHOOSE)


@pytest.mark.parametrize("recorded", NOT_HERE, ids=name)
def test_a_lost_replica_that_is_nowhere_gets_a_choice_if_all_directories_are_online(recorded: bytes) -> None:
    assert place(recorded, all_online=True) == StartPlace(Way.CHOOSE)


@pytest.mark.parametrize("recorded", NOT_HERE, ids=name)
def test_a_lost_replica_that_is_nowhere_may_be_in_an_offline_directory(recorded: bytes) -> None:
    assert place(recorded, all_online=False) == StartPlace(Way.WAIT)


@pytest.mark.parametrize("recorded", [*NEVER, *NOT_HERE, X, Y, Z], ids=name)
def test_a_replica_beside_a_future_copy_moves_on(recorded: bytes) -> None:
    assert target_of(recorded, (Y,), StartPlace(Way.OPEN, X)) == Y


def test_of_several_future_copies_the_recorded_one_says_where_the_replica_moves() -> None:
    assert target_of(Z, (Y, Z), StartPlace(Way.OPEN, X)) == Z
    assert target_of(X, (Y, Z), StartPlace(Way.OPEN, X)) == Y


def test_a_future_copy_in_the_same_directory_is_no_move() -> None:
    assert target_of(X, (X,), StartPlace(Way.OPEN, X)) is None


@pytest.mark.parametrize("way", [Way.PROMOTE, Way.BEGIN, Way.CHOOSE])
def test_a_replica_that_was_not_there_does_not_move(way: Way) -> None:
    assert target_of(X, (Y,), StartPlace(way, X)) is None


@pytest.mark.parametrize("recorded", [*NEVER, *NOT_HERE, Y, Z], ids=name)
def test_a_replica_in_another_directory_than_recorded_is_reported(recorded: bytes) -> None:
    assert report_of(X, recorded, directories(all_online=False)) == X


@pytest.mark.parametrize("directory_id", [X, Z], ids=name)
def test_what_is_recorded_is_not_reported(directory_id: bytes) -> None:
    assert report_of(directory_id, directory_id, directories(all_online=False)) is None


@pytest.mark.parametrize("recorded", NEVER, ids=name)
def test_a_single_directory_is_recorded_by_the_controllers_themselves(recorded: bytes) -> None:
    single = LogDirectories([LogDirectory(path="/x", directory_id=X)])
    assert report_of(X, recorded, single) is None
    assert report_of(X, FOREIGN, single) == X


@pytest.mark.parametrize(("recorded", "report"), [(each, LOST_DIRECTORY) for each in (*NEVER, X)], ids=name)
def test_a_replica_that_waits_is_reported_as_lost_if_the_controllers_believe_it_online(
    recorded: bytes, report: bytes
) -> None:
    assert report_of(None, recorded, directories(all_online=False)) == report


@pytest.mark.parametrize("recorded", [*NOT_HERE, Z], ids=name)
def test_a_replica_that_waits_is_not_reported_if_the_controllers_know_it_offline(recorded: bytes) -> None:
    assert report_of(None, recorded, directories(all_online=False)) is None
