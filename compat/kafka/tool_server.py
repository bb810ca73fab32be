"""Tools of Apache Kafka in a JVM that stays, one after the other: see `ToolServer.java`.

A tool's run is mostly the start of a JVM: `kafka-topics --list` takes 0.7 s of a processor as a process of its own and
0.02 s here. The classes are the same, from the same jars.
"""

from __future__ import annotations

import atexit
import io
import locale
import struct
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from compat.kafka.jvm import TOOL_OPTIONS, ClassArchive
from compat.kafka.programs import program_command

PROGRAM = Path(__file__).with_name("ToolServer.java")
# All classes of tools are loaded anew for each run; their loggers stay those of the one configuration.
ONE_LOGGER_CONTEXT = "-Dlog4j2.contextSelector=org.apache.logging.log4j.core.selector.BasicContextSelector"
STOP_S = 20.0

Outcome = tuple[int, str, str]
"""Exit code, standard output and standard error of a run."""


class ToolServerError(Exception):
    """The JVM ended under a tool."""


class ToolServer:
    """The JVM for the tools of one class path. Starts with the first run."""

    def __init__(self, jars: Sequence[Path]) -> None:
        """Nothing runs yet."""
        self._jars = tuple(jars)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._archive: ClassArchive | None = None

    def run(self, main_class: str, arguments: Sequence[str], stdin: str | None, timeout_s: float) -> Outcome:
        """Runs a tool to its end, when those before it have ended.

        Raises ToolServerError, or subprocess.TimeoutExpired (and ends the JVM) if it takes too long.
        """
        words = [main_class, *arguments]
        with self._lock:
            process = self._process or self._start()
            has_expired = threading.Event()

            def expire() -> None:
                has_expired.set()
                process.kill()

            timer = threading.Timer(timeout_s, expire)
            timer.start()
            try:
                return self._exchange(process, main_class, arguments, stdin or "")
            except BaseException as error:
                process.kill()
                self._end()
                if has_expired.is_set():
                    raise subprocess.TimeoutExpired(words, timeout_s) from None
                if isinstance(error, EOFError | OSError):
                    raise ToolServerError(f"the JVM ended under {' '.join(words)}") from None
                raise
            finally:
                timer.cancel()

    def _start(self) -> subprocess.Popen[bytes]:
        self._archive = ClassArchive("tool-server", self._jars)
        options = [*TOOL_OPTIONS, ONE_LOGGER_CONTEXT, *self._archive.options]
        command = program_command(PROGRAM, [], self._jars, options)
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self._process

    def _exchange(
        self, process: subprocess.Popen[bytes], main_class: str, arguments: Sequence[str], stdin: str
    ) -> Outcome:
        assert process.stdin is not None
        assert process.stdout is not None
        request = [_framed(main_class), struct.pack(">i", len(arguments)), *map(_framed, arguments)]
        process.stdin.write(b"".join([*request, _framed(stdin, locale.getpreferredencoding(False))]))
        process.stdin.flush()
        exit_code = _read_int(process.stdout)
        printed, said = (_as_text(_read(process.stdout, _read_int(process.stdout))) for _ in range(2))
        if not _read_int(process.stdout):
            # The tool left a thread behind, and so this was its last run.
            self._end()
        return exit_code, printed, said

    def close(self) -> None:
        """Ends the JVM, if one runs."""
        with self._lock:
            if self._process is not None:
                self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        assert process is not None
        with process:
            try:
                process.communicate(timeout=STOP_S)
            finally:
                process.kill()
        if self._archive is not None:
            self._archive.keep()


def _framed(text: str, encoding: str = "utf-8") -> bytes:
    data = text.encode(encoding)
    return struct.pack(">i", len(data)) + data


def _read_int(stream: IO[bytes]) -> int:
    (value,) = struct.unpack(">i", _read(stream, 4))
    return int(value)


def _read(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _as_text(data: bytes) -> str:
    """As `subprocess` has it with `text=True`."""
    return io.TextIOWrapper(io.BytesIO(data)).read()


_servers: dict[tuple[Path, ...], ToolServer] = {}


def tool_server(jars: tuple[Path, ...]) -> ToolServer:
    """The one for these jars, which ends with this process."""
    if jars not in _servers:
        _servers[jars] = ToolServer(jars)
        atexit.register(_servers[jars].close)
    return _servers[jars]
