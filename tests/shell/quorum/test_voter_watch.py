"""A controller that is not the voter that it should be: what its operator is told, and who is not."""

from __future__ import annotations

import logging

import pytest
import trio
import trio.testing

from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.shell.quorum.voter_watch import WARN_AFTER_S, voter_problem, warn_of_voter_problem

OWN = ReplicaKey(id=1, directory_id=bytes([1] * 16))
FLIPPED = ReplicaKey(id=1, directory_id=bytes([1] * 15 + [3]))
FILE = "/data/meta.properties"


def voters(*keys: ReplicaKey) -> VoterSet:
    endpoint = Endpoint(name="CONTROLLER", host="127.0.0.1", port=9093)
    return VoterSet(voters=tuple(Voter(key=key, endpoints=(endpoint,)) for key in keys))


@pytest.mark.parametrize("follows", [True, False])
def test_another_directory_id_is_told_with_the_file_and_the_voters(follows: bool) -> None:
    other = ReplicaKey(id=2, directory_id=bytes([2] * 16))
    told = voter_problem(FLIPPED, voters(OWN, other), FILE, follows=follows)
    assert told is not None
    assert f"{FILE} says directory.id=AQEBAQEBAQEBAQEBAQEBAw," in told
    assert (
        "voters are 1 (directory.id=AQEBAQEBAQEBAQEBAQEBAQ), 2 (directory.id=AgICAgICAgICAgICAgICAg)." in told
    )


def test_a_node_that_is_no_voter_and_finds_no_leader_is_told_the_voters() -> None:
    told = voter_problem(ReplicaKey(id=9, directory_id=bytes([9] * 16)), voters(OWN), FILE, follows=False)
    assert told is not None
    assert told.startswith("node 9 is no voter, and no leader is known. The voters are 1 (")


def test_nobody_else_is_told_anything() -> None:
    for follows in (True, False):
        assert voter_problem(OWN, voters(OWN), FILE, follows=follows) is None
        # Static voters have no directory ids.
        assert voter_problem(OWN, voters(ReplicaKey(id=1, directory_id=None)), FILE, follows=follows) is None
        assert voter_problem(OWN, voters(), FILE, follows=follows) is None
    # It waits to be added.
    assert (
        voter_problem(ReplicaKey(id=9, directory_id=bytes([9] * 16)), voters(OWN), FILE, follows=True) is None
    )


@pytest.mark.trio
@pytest.mark.parametrize("found", ["what is wrong", None])
async def test_it_is_told_once_after_a_while(
    found: str | None, caplog: pytest.LogCaptureFixture, autojump_clock: trio.testing.MockClock
) -> None:
    await warn_of_voter_problem(lambda: found)
    assert trio.current_time() >= WARN_AFTER_S
    expected = [] if found is None else [(logging.WARNING, found)]
    assert [(each.levelno, each.message) for each in caplog.records] == expected
