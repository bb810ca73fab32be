"""The exit codes of the command lines that read files: 0, or 1 with a message on standard error, as with Kafka's
tools."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

EXIT_FAILED = 1
_EXIT_INTERRUPTED = 130
"""The exit code that a shell reports for a process that Ctrl-C ended."""


@contextmanager
def failures_as_messages(*failures: type[Exception]) -> Iterator[None]:
    """Turn errors of what a command reads into the message with which the command ends, after all that it has printed.

    If the reader of standard output has gone, this is no such error, though it is an OSError: click then ends the
    process silently. Output is flushed here; otherwise such an error would only appear at the end of the process.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except failures as error:
        raise click.ClickException(str(error)) from error


def run(command: click.Command, name: str, arguments: Sequence[str] | None) -> None:
    """Run a command line and end the process, unless it succeeds. A wrong command line has exit code 1, not click's
    2."""
    # Names, keys and values are printed as text, even if they are not valid text.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        command.main(arguments, prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_FAILED)
    except click.Abort:
        sys.exit(_EXIT_INTERRUPTED)
