"""The start of a leader epoch in the log.

Apache Kafka: ``EpochEntry``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochStart:
    """A leader epoch and the offset of its first record, as in ``leader-epoch-checkpoint``."""

    epoch: int
    start_offset: int
