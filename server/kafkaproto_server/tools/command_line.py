"""How the command lines that read files end: with 0, or with 1 and a message on standard error, as Kafka's tools do."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

EXIT_FAILED = 1
_EXIT_INTERRUPTED = 130
"""What a shell makes of a process that Ctrl-C ended."""


@contextmanager
def failures_as_messages(*failures: type[Exception]) -> Iterator[None]:
    """Make what goes wrong with what a command reads the message that it ends with, behind all that it has printed.

    That whoever reads standard output has gone is none of it, though it is an OSError: click ends the process then,
    without a word. Output is flushed here because it would come to light only at the end of the process otherwise.
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
    """Run a command line and end the process, unless it succeeds; a wrong one is exit code 1, not click's 2."""
    # Names, keys and values are shown as text, whatever they are.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        command.main(arguments, prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_FAILED)
    except click.Abort:
        sys.exit(_EXIT_INTERRUPTED)
