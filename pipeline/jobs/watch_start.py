"""From when on ``watch`` tells of alerts."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path


def has_progress(checkpoint: Path) -> bool:
    """Whether a stream has been at work with this checkpoint."""
    offsets = checkpoint / "offsets"
    return offsets.is_dir() and any(offsets.iterdir())


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def milliseconds(text: str) -> int:
    """A time in ISO 8601, of UTC where it names no zone; raises ValueError."""
    moment = datetime.fromisoformat(text)
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
