"""Measures decoding to typed Arrow: `python -m bench._pipeline_decode NODE PROCESSES COLUMNS`; prints a line of JSON.

The pieces are those that the data source would plan for so many tasks at a time.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import time
from collections.abc import Sequence

from kafkaproto_pipeline.decoding.columns import decode
from kafkaproto_pipeline.options import parse_options
from kafkaproto_pipeline.planning.files import Filters, PlannedPiece, plan_batch
from kafkaproto_pipeline.views.schema import TYPED_VIEW, columns_of
from kafkaproto_pipeline.views.wanted import FAILFAST, Wanted


def decode_all(pieces: Sequence[PlannedPiece], columns: tuple[str, ...]) -> tuple[int, float, float]:
    """Rows, seconds of processor time, and the resident megabytes of this process at their highest."""
    rows = 0
    began = time.process_time()
    for piece in pieces:
        wanted = Wanted(
            view=TYPED_VIEW,
            columns=columns,
            record_types=None,
            start_offset=piece.start_offset,
            end_offset=piece.end_offset,
            start_timestamp_ms=None,
            end_timestamp_ms=None,
            committed_end=piece.committed_end,
            mode=FAILFAST,
        )
        with open(piece.path, "rb") as file:
            file.seek(piece.position)
            data = file.read(piece.end_position - piece.position)
        for batch in decode(
            data,
            position=piece.position,
            origin=piece.origin,
            wanted=wanted,
            next_offset=piece.next_offset,
            expects_more=False,
        ):
            rows += batch.num_rows
    seconds = time.process_time() - began
    return rows, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Plan, then decode in so many processes."""
    node, processes, names = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    all_columns = tuple(column.name for column in columns_of(TYPED_VIEW))
    columns = all_columns if names == "all" else tuple(names.split(","))
    pieces = plan_batch(parse_options({"path": node, "view": TYPED_VIEW}), Filters())
    shares = [(pieces[number::processes], columns) for number in range(processes)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        # The processes have started and imported everything before the clock runs.
        pool.starmap(decode_all, [([], columns)] * processes, chunksize=1)
        started = time.perf_counter()
        found = pool.starmap(decode_all, shares, chunksize=1)
        seconds = time.perf_counter() - started
    result = {
        "rows": sum(rows for rows, _, _ in found),
        "seconds": seconds,
        "cpu_seconds": sum(cpu_seconds for _, cpu_seconds, _ in found),
        "resident_mb": max(resident for _, _, resident in found),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
