"""Records what the cleaner of Apache Kafka 4.4.0 leaves of old logs: python -m tests.compat.record_old_compaction

The file is tests/support/old_formats/cleaned.json: the batches of each log, with their headers and records. What
follows from the compression and from the time of the cleaning is left out.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from compat.process import wait_until
from tests.compat.support.nodes import SERVES_TIMEOUT_S, led_topics
from tests.compat.test_old_formats import COMPACTED, batches, compact, old_disk
from tests.support.old_logs import FOLDER


def as_json(batch: dict[str, Any]) -> dict[str, Any]:
    """A batch, with keys and values in hexadecimal digits."""
    records = [
        [each.offset, each.timestamp, *(None if part is None else part.hex() for part in each[2:4])]
        for each in batch["records"]
    ]
    return {**batch, "records": records}


def main() -> None:
    """Record."""
    with tempfile.TemporaryDirectory() as folder:
        node = old_disk(Path(folder))
        try:
            node.start()
            wait_until(lambda: {*COMPACTED} <= {*led_topics(node)}, SERVES_TIMEOUT_S, "leaders")
            compact(node, COMPACTED)
            found = {log: [as_json(each) for each in batches(node, log)] for log in COMPACTED}
        finally:
            node.close()
    lines = (f"{json.dumps(log)}: {json.dumps(each)}" for log, each in found.items())
    (FOLDER / "cleaned.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
