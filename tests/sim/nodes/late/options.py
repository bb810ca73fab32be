"""Which seeds have clients whose requests come too late or to the wrong one."""

from __future__ import annotations

WITH_LATE_REQUESTS = range(3_800_000, 4_000_000)
"""Seeds of runs with groups and transactions in which somebody sends what has to be refused; there is little other
load."""
