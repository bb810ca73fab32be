"""Colours and wording that all parts of the report share.

A figure names colours by role ("@fenced"). The page replaces them by the value for a light or a dark screen, and does
so again when the reader's setting changes. People who do not see red, green or blue as others do can still tell the
states of a lane apart, as a test computes; the states differ in height as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from kafkaproto_pipeline.jobs.report.data import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS

Colour = str | list[list[float | str]]

LIGHT: Mapping[str, Colour] = {
    "@page": "#ffffff",
    "@ink": "#1d252d",
    "@quiet": "#5d6975",
    "@rule": "#e1e5e9",
    "@tile": "#f5f7f9",
    "@bar": "#e08a45",
    "@grid": "#e7eaed",
    "@mark": "#0b7a63",
    "@on mark": "#ffffff",
    "@active": "#7fb3dc",
    "@fenced": "#d55e00",
    "@controlled shutdown": "#f0c419",
    "@registered": "#9b5fa8",
    "@unregistered": "#9aa3ab",
    "@leads": "#2f74b5",
    "@on leads": "#ffffff",
    "@on isr": "#ffffff",
    "@election": "#d55e00",
    "@line": "#2f74b5",
    "@isr": [[0, "#6b1f00"], [0.5, "#d55e00"], [0.85, "#f2b26b"], [1, "#edf2f6"]],
    "@balance": [[0, "#1f5fa8"], [0.35, "#b7d1ea"], [0.5, "#f1f3f5"], [0.65, "#f3c99b"], [1, "#b35806"]],
    "@amount": [[0, "#f1f6fa"], [0.35, "#a9cbe8"], [0.7, "#3f82bd"], [1, "#0d335c"]],
}
DARK: Mapping[str, Colour] = {
    "@page": "#14191e",
    "@ink": "#e8ecef",
    "@quiet": "#9da8b2",
    "@rule": "#2a323a",
    "@tile": "#1c2329",
    "@bar": "#d0743a",
    "@grid": "#2a323a",
    "@mark": "#4cc9a8",
    "@on mark": "#0d2a23",
    "@active": "#3f78a8",
    "@fenced": "#e2641e",
    "@controlled shutdown": "#f5d76a",
    "@registered": "#c79bd0",
    "@unregistered": "#6c7680",
    "@leads": "#5b9bd5",
    "@on leads": "#0d2338",
    "@on isr": "#14191e",
    "@election": "#f2813a",
    "@line": "#6fa8dc",
    "@isr": [[0, "#ffe3cc"], [0.5, "#f2813a"], [0.85, "#8a4a1c"], [1, "#212a32"]],
    "@balance": [[0, "#86bdf0"], [0.35, "#2f4e6d"], [0.5, "#20282f"], [0.65, "#64482c"], [1, "#f5a45c"]],
    "@amount": [[0, "#1b242c"], [0.35, "#2b5680"], [0.7, "#5b9bd5"], [1, "#d6e9f8"]],
}

_OF_THE_PAGE = ("page", "ink", "quiet", "rule", "tile", "bar", "mark")

SERIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c")
"""Lines that share a plot: colours of Okabe and Ito that show on white and on black; the dashes differ as well."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid")


LAST_MS = 253_402_300_799_999
"""The end of the year 9999."""


def style() -> str:
    """The page's own colours as properties of CSS; which of the two applies follows from its ``color-scheme``."""
    pairs = (f"--{each}: light-dark({LIGHT[f'@{each}']}, {DARK[f'@{each}']});" for each in _OF_THE_PAGE)
    return f":root {{ color-scheme: light dark; {' '.join(pairs)} }}\n"


def utc(at_ms: int) -> str:
    """A time as plotly's date axes take it and people read it; what no calendar holds becomes its first or last."""
    at_ms = min(max(at_ms, 0), LAST_MS)
    return (
        datetime.fromtimestamp(at_ms / SECOND_MS, UTC).strftime("%Y-%m-%d %H:%M:%S.") + f"{at_ms % 1000:03d}"
    )


def short_utc(at_ms: int) -> str:
    """A time to the second, for sentences."""
    return utc(at_ms)[:19]


def duration(length_ms: int) -> str:
    """A length of time in the two largest units that matter: "3 h 12 min", "4.2 s"."""
    if length_ms < SECOND_MS:
        return f"{length_ms} ms"
    if length_ms < MINUTE_MS:
        return f"{length_ms / SECOND_MS:.1f}".removesuffix(".0") + " s"
    units = (("d", DAY_MS), ("h", HOUR_MS), ("min", MINUTE_MS), ("s", SECOND_MS))
    at = next(number for number, (_, unit_ms) in enumerate(units) if length_ms >= unit_ms)
    name, unit_ms = units[at]
    smaller, smaller_ms = units[at + 1]
    rest = length_ms % unit_ms // smaller_ms
    return f"{length_ms // unit_ms:,} {name}" + (f" {rest} {smaller}" if rest else "")


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 election", "2,000 elections"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
