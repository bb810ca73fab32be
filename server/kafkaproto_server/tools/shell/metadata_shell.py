"""``kafka-metadata-shell``: walks through a cluster's metadata as through directories and files.

It takes what Kafka's tool takes: ``--snapshot FILE`` and a command to run, or no command for a prompt. It also takes a
directory with a metadata log, or a node's directory that contains it, a running quorum (``--bootstrap-server``,
``--bootstrap-controller``), an offset (``--at``) and ``--json``. With a running quorum, each command shows what is
committed at that moment. Records of a metadata transaction count from its end on.

Differences to Kafka's shell:

* ``/image/provenance`` is the position in the log that a snapshot represents, not that of a batch in its file; it is -1
  for a snapshot whose name does not contain it;
* quotas of default entities are shown; a default entity is a type without a name: ``user``, ``clientId_user(alice)``
  (Kafka's shell lists nameless entries, and fails when they are read);
* configs of topics, groups and client metrics are shown as they were recorded, including keys that Kafka does not know;
* ``find`` with a pattern prints the paths that it found, not the pattern;
* one-shot commands wait until everything is loaded, and exit with 1 if something does not exist;
* ``/local`` has ``version``, which is this tool's version, and ``digest``, a SHA-256 over the image's content, equal on
  all nodes that hold the same; there is no ``commitId``;
* secrets are left out unless ``--secrets`` is given (``redaction``);
* the lock of the directory is not taken: files are only read, also those of a running server.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

import click

from kafkaproto.client import parse_servers
from kafkaproto.errors import ProtocolError
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.tools.command_line import EXIT_FAILED, failures_as_messages, run
from kafkaproto_server.tools.quorum.access import QuorumAccess
from kafkaproto_server.tools.redaction import SECRETS_OPTION_HELP
from kafkaproto_server.tools.shell.commands import (
    COMMANDS,
    ONE_SHOT_COMMANDS,
    InvalidCommand,
    Shell,
    run_line,
    run_words,
)
from kafkaproto_server.tools.shell.follower import QuorumFollower
from kafkaproto_server.tools.shell.nodes import DirectoryNode, root
from kafkaproto_server.tools.shell.paths import complete
from kafkaproto_server.tools.shell.sources import SourceError, load_directory, load_file

PROMPT = ">> "
BANNER = "[ Kafka Metadata Shell ]"

_FAILURES = (SourceError, CorruptFileError, ProtocolError, OSError)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    load: Callable[[], ClusterImage]
    """Loads the newest image; raises _FAILURES, ClickException."""
    close: Callable[[], None] = lambda: None


_EXAMPLES = """\b
Brokers as a node's files have them, a topic as it was earlier, and as the
running quorum has it:
  kafka-metadata-shell -s kafka-data ls /image/cluster/brokers
  kafka-metadata-shell -s kafka-data --at 100 tree /image/topics/byName/orders
  kafka-metadata-shell --bootstrap-server 127.0.0.1:9092 \\
      tree /image/topics/byName/orders
"""


@click.command(
    context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": True}, epilog=_EXAMPLES
)
@click.option(
    "--snapshot",
    "-s",
    metavar="PATH",
    help="A snapshot, a segment that begins at 0, a node's data directory, or that of its metadata log.",
)
@click.option("--bootstrap-server", metavar="HOST:PORT,...", help="Brokers of a running cluster.")
@click.option("--bootstrap-controller", metavar="HOST:PORT,...", help="Controllers of a running cluster.")
@click.option(
    "--at",
    type=click.IntRange(min=0),
    metavar="OFFSET",
    help="Show the state with the record of this offset as the last one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")
@click.option("--secrets", is_flag=True, help=SECRETS_OPTION_HELP)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def cli(
    snapshot: str | None,
    bootstrap_server: str | None,
    bootstrap_controller: str | None,
    at: int | None,
    as_json: bool,
    secrets: bool,
    command: tuple[str, ...],
) -> None:
    """Walk through a cluster's metadata, which is under /image.

    COMMAND is one of cat, find, ls and tree with paths, which may have *, ? and {a,b} in them. Without it there is a
    prompt, where `help` tells what can be done. Give one of --snapshot, --bootstrap-server and
    --bootstrap-controller.
    """
    source = _source(snapshot, bootstrap_server, bootstrap_controller, at)
    with closing(source), failures_as_messages(InvalidCommand, *_FAILURES):
        shell = Shell(root=root(source.load(), secrets=secrets), write=sys.stdout.write, as_json=as_json)
        if sys.stdout.isatty():
            shell.columns = shutil.get_terminal_size().columns
        if command:
            run_words(shell, command, ONE_SHOT_COMMANDS)
        else:
            _converse(shell, lambda: root(source.load(), secrets=secrets))
    if command and shell.has_failed:
        sys.exit(EXIT_FAILED)


def _source(path: str | None, brokers: str | None, controllers: str | None, at: int | None) -> _Source:
    if sum(each is not None for each in (path, brokers, controllers)) != 1:
        raise click.UsageError("give one of --snapshot, --bootstrap-server and --bootstrap-controller")
    if path is not None:
        image = _load_path(path, at)
        return _Source(load=lambda: image)
    try:
        servers = parse_servers(brokers if brokers is not None else controllers or "")
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    follower = QuorumFollower(QuorumAccess(servers, are_controllers=brokers is None), at)

    def refreshed() -> ClusterImage:
        follower.refresh()
        return follower.image

    return _Source(load=refreshed, close=follower.close)


def _load_path(path: str, at: int | None) -> ClusterImage:
    with failures_as_messages(*_FAILURES):
        if os.path.isdir(path):
            return load_directory(OsDisk(), path.rstrip("/") or "/", at)
        return load_file(OsDisk(), path, at)


# -- the prompt ----------------------------------------------------------------------------------------------------


def _converse(shell: Shell, load: Callable[[], DirectoryNode]) -> None:
    """Read lines and execute them on the newest tree, until `exit` or the end of the input."""
    _prepare_line_editing(shell)
    shell.say(BANNER)
    while not shell.is_over:
        try:
            line = input(PROMPT)
        except EOFError:
            shell.say("")
            return
        except KeyboardInterrupt:
            shell.say("")
            continue
        try:
            shell.root = load()
            run_line(shell, line)
        except BrokenPipeError:
            raise
        except KeyboardInterrupt:
            # Ctrl-C ends a command that takes too long, not the shell.
            shell.say("")
        except (InvalidCommand, click.ClickException, *_FAILURES) as error:
            shell.say(str(error))


def _prepare_line_editing(shell: Shell) -> None:
    try:
        import readline
    except ImportError:
        # Python can be built without it. The prompt then has no completion.
        return
    candidates: list[str] = []

    def completion(text: str, state: int) -> str | None:
        if state == 0:
            before = readline.get_line_buffer()[: readline.get_begidx()]
            candidates[:] = completions(shell, before, text)
        return candidates[state] if state < len(candidates) else None

    readline.set_completer(completion)
    # Whole paths are completed.
    readline.set_completer_delims(" \t\n")
    readline.parse_and_bind("tab: complete")


def completions(shell: Shell, before: str, text: str) -> list[str]:
    """The completions of ``text``: commands at the start of a line and after `man`, else paths."""
    words = before.split()
    if not words or words == ["man"]:
        return [f"{name} " for name in COMMANDS if name.startswith(text)]
    return complete(shell.root, shell.working, text)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the tool and end the process, unless it succeeds."""
    run(cli, "kafka-metadata-shell", arguments)


if __name__ == "__main__":
    main()
