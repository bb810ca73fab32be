"""Progress where there is no terminal."""

from __future__ import annotations

import queue
import threading

from kafkaproto_pipeline.progress_lines import ProgressLines

PATIENCE_S = 30.0


def test_work_is_told_when_it_begins_and_again_while_it_lasts() -> None:
    told: queue.Queue[str] = queue.Queue()
    before = threading.active_count()
    with ProgressLines(told.put, interval_s=0.01) as lines:
        lines.begin("reading")
        assert told.get(timeout=PATIENCE_S) == "reading"
        assert told.get(timeout=PATIENCE_S) == "reading: 0 s"
        lines.note("5 of 9")
        while (text := told.get(timeout=PATIENCE_S)) == "reading: 0 s":
            pass
        assert text.startswith("5 of 9: ")
    assert threading.active_count() == before


def test_nothing_is_told_before_work_begins() -> None:
    told: list[str] = []
    with ProgressLines(told.append, interval_s=60) as lines:
        lines.note("5 of 9")
    assert told == []
