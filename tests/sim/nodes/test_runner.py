"""Many runs in a row, and the command that shows a failed one again."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tests.running.searches import Ended, by_commands
from tests.sim.__main__ import main
from tests.sim.nodes import runner
from tests.sim.nodes.options import NodesOptions
from tests.sim.nodes.run import NodesResult
from tests.sim.nodes.swarms import FIRST_OF_SWARMS, draw

LIKE = FIRST_OF_SWARMS + 3


@pytest.fixture(autouse=True)
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, NodesOptions]]:
    """What was run. Seed 6 fails."""
    seen: list[tuple[int, NodesOptions]] = []

    def run(seed: int, options: NodesOptions | None = None) -> NodesResult:
        result = NodesResult(seed=seed, options=options or draw(seed))
        seen.append((seed, result.options))
        if seed == 6:
            result.invariant, result.failure = "LOST", "Traceback\nLost\n"
        return result

    monkeypatch.setattr(runner, "run", run)
    return seen


@pytest.mark.parametrize("arguments", [[], ["--like", str(LIKE)]], ids=["own options", "another seed's"])
def test_a_failed_run_is_printed_with_the_command_that_shows_it_again(
    arguments: list[str], runs: list[tuple[int, NodesOptions]]
) -> None:
    result = CliRunner().invoke(main, ["--nodes", "--seed", "5", "--runs", "3", *arguments])
    assert result.exit_code == 1
    expected = [draw(LIKE if arguments else seed) for seed in (5, 6, 7)]
    assert runs == list(zip((5, 6, 7), expected, strict=True))
    (found,) = by_commands(Ended("bin/simulate", 1, result.output))
    like = f" --like {LIKE}" if arguments else ""
    assert found.command == f"bin/simulate --nodes --seed 6{like} --events 200"
    assert found.reason.endswith("LOST")
    assert f"SEED=6 {expected[1]}" in result.output
