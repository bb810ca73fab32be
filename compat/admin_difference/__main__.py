"""`python -m compat.admin_difference --seed N --operations M`: the long run, and the repetition of a short one."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from compat.admin_difference.compare import run, shrink
from compat.admin_difference.generate import operations


def main() -> None:
    """Exits with 1 if the controllers part."""
    parser = argparse.ArgumentParser(prog="python -m compat.admin_difference", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, one after the other")
    parser.add_argument("--operations", type=int, default=500, help="operations of each")
    parser.add_argument("--differences", type=int, default=1, help="give up a seed after so many in answers")
    parser.add_argument("--shrink", action="store_true", help="look for a shorter sequence that fails")
    given = parser.parse_args()
    failed = False
    for seed in range(given.seed, given.seed + given.seeds):
        sequence = operations(seed, given.operations)
        with tempfile.TemporaryDirectory(prefix="admin-difference-") as folder:
            outcome = run(sequence, Path(folder), most_differences=given.differences)
        print(f"seed {seed}: {len(outcome.differences)} differences, {outcome.entries} entries", flush=True)
        for counter in (outcome.responses, outcome.explained, outcome.not_served):
            print("".join(f"  {count:5} {name}\n" for name, count in sorted(counter.items())), flush=True)
        for difference in outcome.differences:
            failed = True
            print(difference, flush=True)
        if outcome.differences and given.shrink:
            last = outcome.differences[-1]
            shorter = shrink(sequence[: last.number + 1], last.request.NAME)
            print(f"{len(shorter)} operations are enough: {', '.join(one.name for one in shorter)}")
            with tempfile.TemporaryDirectory(prefix="admin-difference-") as folder:
                outcome = run(shorter, Path(folder), most_differences=given.differences)
                print(*outcome.differences, sep="\n", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
