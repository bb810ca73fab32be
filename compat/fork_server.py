"""A program that has loaded our server, and becomes a node or a tool each time that it is asked to: by a fork.

A node's start is mostly Python loading its modules, 0.5 s of a processor. A fork of a process that has loaded them
needs a tenth of that. It runs what `bin/` runs: the same module as `__main__`, with the same arguments, environment
and files. `compat/forks.py` asks.

Arguments: the number of a socket. A request on it is a line of JSON, with the three descriptors that the fork has as
standard input, output and error.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import socket
import sys
import threading
import traceback
from contextlib import suppress
from typing import Any, NoReturn

PROGRAMS = {
    "kafka-server-start": "kafkaproto_server",
    "kafka-storage": "kafkaproto_server.tools.storage.storage",
    "kafka-dump-log": "kafkaproto_server.tools.dump.dump_log",
    "kafka-metadata-quorum": "kafkaproto_server.tools.quorum.metadata_quorum",
    "kafka-metadata-shell": "kafkaproto_server.tools.shell.metadata_shell",
}
"""The module that each command of `bin/` runs."""
MAX_REQUEST_BYTES = 1 << 20


def load() -> None:
    """Loads all that the programs load, but for themselves: they are to run as `__main__`."""
    for module in PROGRAMS.values():
        name = f"{module}.__main__" if hasattr(importlib.import_module(module), "__path__") else module
        importlib.import_module(name)
        del sys.modules[name]
    # What is there now no collection of a fork has to look at.
    gc.freeze()


def become(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """In the fork: the program's environment, then the program, with which this process ends."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(request["directory"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = [request["program"], *request["arguments"]]
    code: object = 0
    try:
        runpy.run_module(PROGRAMS[request["program"]], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    # An interpreter that ends takes all modules apart, and so would copy every page of them.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    with suppress(OSError):
        sys.stdout.flush()
    os._exit(code or 0)


def look(pid: int) -> int | None:
    """The exit code of a fork as `subprocess` has it, None while it runs."""
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def main() -> None:
    """Serves until the other end of the socket is closed."""
    load()
    with socket.socket(fileno=int(sys.argv[1])) as asked:
        while True:
            data, descriptors, _, _ = socket.recv_fds(asked, MAX_REQUEST_BYTES, 3)
            if not data:
                return
            request = json.loads(data)
            if "pid" in request:
                answer = look(request["pid"])
            elif answer := os.fork():
                for descriptor in descriptors:
                    os.close(descriptor)
            else:
                break
            asked.sendall(json.dumps(answer).encode())
    become(request, descriptors)


if __name__ == "__main__":
    main()
