"""Counts the instructions of Python that some work takes: they are the same on every machine, and time is not."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Self


class InstructionCounter:
    """Counts between `start` and `stop`, in the functions called there. Work is much slower meanwhile.

    What functions of C do within is not counted.
    """

    def __init__(self) -> None:
        self.instructions = 0
        self._before: Any = None

    def start(self) -> None:
        """Count from here on."""
        self._before = sys.gettrace()
        sys.settrace(self._called)

    def stop(self) -> None:
        """Count no more."""
        sys.settrace(self._before)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return self._executed

    def _executed(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "opcode":
            self.instructions += 1
        return self._executed
