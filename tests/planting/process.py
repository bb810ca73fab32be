"""Runs a function in a new process: this one may have threads, and has imported what pytest wants to import itself."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


def in_new_process(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function returns there. Raises RuntimeError if it raises anything."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, function, arguments))
    process.start()
    sender.close()
    with contextlib.closing(receiver):
        try:
            return receiver.recv()
        except EOFError:
            raise RuntimeError(f"{function.__name__} does not return") from None
        finally:
            process.join()
            process.close()


def _send(sender: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    sender.send(function(*arguments))
    sender.close()
