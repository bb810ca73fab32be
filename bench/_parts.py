"""The parts of a benchmark, each run for each implementation: one table a part, and one line of JSON for all."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

Measurements = dict[str, float]
"""What a part measured, by what it is."""
Part = Callable[[str, Path], Measurements]
"""Measures one implementation, by name, in an empty folder."""


def run_parts(parts: Mapping[str, Part], chosen: Sequence[str], implementations: Sequence[str]) -> None:
    """Runs the chosen parts for each implementation, one after the other, and prints what they measured."""
    results: dict[str, dict[str, Measurements]] = {}
    for name in chosen:
        results[name] = {}
        for implementation in implementations:
            with tempfile.TemporaryDirectory() as folder:
                measurements = parts[name](implementation, Path(folder))
            results[name][implementation] = {
                measurement: round(value, 3) for measurement, value in measurements.items()
            }
        _print_table(name, results[name])
    print(json.dumps(results))


def _print_table(part: str, results: Mapping[str, Measurements]) -> None:
    print(f"{part:48}" + "".join(f"{implementation:>12}" for implementation in results))
    first, *_ = results.values()
    for name in first:
        values = "".join(f"{measurements[name]:>12.3f}" for measurements in results.values())
        print(f"  {name:46}{values}", flush=True)
