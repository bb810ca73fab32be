"""The search for seeds that notice broken rules, without any simulation."""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path

from tests.sim.mutations.known import Rules
from tests.sim.mutations.mutation import Mutation
from tests.sim.mutations.rarity import SEEDS, read, search


class _Invariant(enum.Enum):
    HOLDS = "it holds"


class _Core:
    breaks = ""


def _mutation(rule: str) -> Mutation:
    return Mutation(rule=rule, patches=lambda: [(_Core, "breaks", rule)], noticed_by=_Invariant.HOLDS)


def _rules(folder: Path) -> Rules:
    """Rules of which one is noticed by every fourth seed, one by seed 33 alone, and one by none; odd seeds suit."""
    noticing: dict[str, Callable[[int], bool]] = {
        "often": lambda seed: seed % 4 == 1,
        "seldom": lambda seed: seed == 33,
        "never": lambda _: False,
    }

    def invariant_of(_level: str, seed: int) -> str | None:
        return "HOLDS" if _Core.breaks and noticing[_Core.breaks](seed) else None

    return Rules(
        subject="the core",
        command="bin/simulate --mutations",
        file=folder / "known_seeds.txt",
        mutations=tuple(map(_mutation, noticing)),
        invariant_of=invariant_of,
        suits=lambda _mutation, seed: seed % 2 == 1,
        most_seeds=30,
    )


def test_the_known_seed_is_tried_alone(tmp_path: Path) -> None:
    rules = _rules(tmp_path)
    rules.file.write_text("# seeds\n5        often\n7        seldom\n")
    found = [rules.find(index) for index in range(3)]
    assert [(each.rule, each.seed, each.seeds) for each in found] == [
        ("often", 5, 1),
        ("seldom", None, 1),
        ("never", None, 0),
    ]


def test_another_seed_is_found_and_written_down(tmp_path: Path) -> None:
    rules = _rules(tmp_path)
    rules.file.write_text("5        often\n7        seldom\n9        gone\n")
    found = [rules.renew(index) for index in range(3)]
    assert [each.seed for each in found] == [5, 33, None]
    rules.write(found)
    assert rules.known_seeds() == {"often": 5, "seldom": 33}
    assert rules.levels_and_seeds() == [("quorum", 5), ("quorum", 33)]


def test_a_seed_that_fails_without_the_mutation_does_not_count(tmp_path: Path) -> None:
    rules = _rules(tmp_path)
    rules.file.write_text("")
    fails = Rules(
        subject=rules.subject,
        command=rules.command,
        file=rules.file,
        mutations=rules.mutations,
        invariant_of=lambda level, seed: "HOLDS" if seed == 1 else rules.invariant_of(level, seed),
        suits=rules.suits,
        most_seeds=rules.most_seeds,
    )
    assert fails.renew(0).seed == 5


def test_a_search_begins_with_what_no_seed_notices_and_goes_on_later(tmp_path: Path) -> None:
    rules, file = _rules(tmp_path), tmp_path / "rules.json"
    rules.file.write_text("5        often\n")
    told: list[str] = []
    while not told:
        told = search(rules, file, 0.0)
    assert told == ["seed 33 notices what no known seed does: the core seldom"]
    rarities = read(file, rules)
    assert rarities["seldom"].noticed == [33]
    before = rarities["never"].next
    assert before > 1
    search(rules, file, 0.0)
    after = read(file, rules)["never"]
    assert after.next == before + SEEDS
    assert after.tried == (after.next - 1) // 2
    assert (after.next - 1) % SEEDS == 0
