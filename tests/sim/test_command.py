"""``bin/simulate`` refuses options that would say nothing."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tests.sim.__main__ import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--rules --seed 3", "--seed does not go with --rules"),
        ("--rules --nodes", "--nodes does not go with --rules"),
        ("--mutations --runs 4", "--runs does not go with --mutations"),
        ("--mutations --nodes --like 4", "--like does not go with --mutations"),
        ("--nodes --option loss=0.5", "--option does not go with --nodes"),
        ("--nodes --room raft", "--room does not go with --nodes"),
        ("--seed 3 --like 4", "--like does not go with the cores"),
        ("--seed 3 --renew", "--renew does not go with the cores"),
        ("--seed 3 --runs 2 --option loss=0.5", "--option goes with one run"),
        ("--seed 3 --runs 2 --digest", "--digest goes with one run"),
    ],
)
def test_options_that_say_nothing_are_refused(arguments: str, message: str) -> None:
    result = CliRunner().invoke(main, arguments.split())
    assert result.exit_code == 2
    assert message in result.output


def test_options_of_one_run_are_taken() -> None:
    result = CliRunner().invoke(main, ["--seed", "5", "--runs", "1", "--digest", "--events", "3"])
    assert result.exit_code == 0
    assert result.output.startswith("SEED=5 ")
