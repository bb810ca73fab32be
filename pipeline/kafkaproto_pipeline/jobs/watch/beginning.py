"""What a watch remembers beside Spark's progress: its name, and the time from which on it reports alerts.

Both are in a file of the checkpoint. So a run that resumes from the checkpoint reports the same alerts, and a batch
that it repeats has the same ones. The rules always read the log from its beginning, whichever alerts are reported.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

FILE = "watch.json"


class CheckpointError(Exception):
    """A folder is no checkpoint of a watch; the text names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    name: str
    """The time of the first start, to the millisecond; the folder of its files has this name."""
    since_ms: int | None
    """Earlier alerts are not reported; None if all are."""


def begin(checkpoint: Path, since_ms: int | None, *, is_given: bool) -> Begin:
    """How the watch of a checkpoint began; a new one begins now.

    ``since_ms`` applies to a new watch, and to an existing one if the user asks for it (``is_given``). Raises
    CheckpointError, and OSError if the folder cannot be written.
    """
    checkpoint.mkdir(parents=True, exist_ok=True)
    path = checkpoint / FILE
    part = path.with_suffix(".part")
    if path.exists():
        try:
            found = Begin(**json.loads(path.read_text()))
        except (ValueError, TypeError):
            raise CheckpointError(f"{path} is damaged; give another --checkpoint") from None
        if not is_given:
            return found
        began = Begin(name=found.name, since_ms=since_ms)
    elif any(each != part for each in checkpoint.iterdir()):
        raise CheckpointError(
            f"{checkpoint} holds files, and is no checkpoint of a watch; give another --checkpoint"
        )
    else:
        moment = datetime.fromtimestamp(now_ms() / 1000, UTC)
        began = Begin(name=moment.strftime("%Y%m%dT%H%M%S.%f")[:-3] + "Z", since_ms=since_ms)
    part.write_text(json.dumps(asdict(began)))
    os.replace(part, path)
    return began


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def milliseconds(text: str) -> int:
    """A time in ISO 8601, in UTC if it names no zone; raises ValueError."""
    moment = datetime.fromisoformat(text)
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
