"""What a process holds: memory, descriptors, threads and processor time over time, and by how much its memory grows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a process holds at a time."""

    at_s: float
    resident: int
    """VmRSS, in bytes."""
    anonymous: int
    """RssAnon, in bytes: what is not a file's."""
    descriptors: int
    threads: int
    processor_s: float
    """User and system time since its start."""


def held_by(pid: int, at_s: float) -> Held:
    """What a process of this machine holds now; raises OSError if there is none."""
    proc = Path(f"/proc/{pid}")
    fields = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines() if ":" in line)
    # The name, which may have blanks and parentheses, is the second field.
    times = (proc / "stat").read_text().rpartition(")")[2].split()
    return Held(
        at_s=at_s,
        resident=_kib(fields["VmRSS"]),
        anonymous=_kib(fields["RssAnon"]),
        descriptors=len(list((proc / "fd").iterdir())),
        threads=int(fields["Threads"]),
        processor_s=(int(times[11]) + int(times[12])) / _TICKS_A_SECOND,
    )


def _kib(text: str) -> int:
    return int(text.split()[0]) << 10


def slope_an_hour(points: Sequence[tuple[float, float]]) -> float:
    """By how much y grows in an hour, of points (seconds, y): the line with the least squares; 0 for fewer than two."""
    if len(points) < 2:
        return 0.0
    middle_s = sum(second for second, _ in points) / len(points)
    middle = sum(y for _, y in points) / len(points)
    spread = sum((second - middle_s) ** 2 for second, _ in points)
    if spread == 0:
        return 0.0
    return 3600 * sum((second - middle_s) * (y - middle) for second, y in points) / spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Of a process in the second half of a run, in MiB an hour."""

    resident: float
    anonymous: float


def growth(history: Sequence[Held]) -> Growth:
    """What the second half of a history says."""
    if not history:
        return Growth(resident=0.0, anonymous=0.0)
    middle_s = (history[0].at_s + history[-1].at_s) / 2
    half = [each for each in history if each.at_s >= middle_s]
    return Growth(
        resident=slope_an_hour([(each.at_s, each.resident / MIB) for each in half]),
        anonymous=slope_an_hour([(each.at_s, each.anonymous / MIB) for each in half]),
    )


def row(name: str, now: Held, before: Held | None) -> str:
    """A line of the table; the share of one core is since the held before, or since the start."""
    seconds = now.at_s - before.at_s if before is not None else 0.0
    share = 100 * (now.processor_s - before.processor_s) / seconds if before is not None and seconds else 0.0
    return (
        f"{now.at_s / 60:8.1f}  {name:8}{now.resident / MIB:9.1f}{now.anonymous / MIB:9.1f}"
        f"{now.descriptors:13}{now.threads:9}{share:11.1f}"
    )


HEAD = f"{'minutes':>8}  {'process':8}{'RSS MiB':>9}{'anon MiB':>9}{'descriptors':>13}{'threads':>9}{'% of core':>11}"
