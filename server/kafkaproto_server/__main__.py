"""``kafka-server-start [FILE.properties] [--override KEY=VALUE]...``: runs one node until it is stopped."""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Until the node handles it, Ctrl-C ends the process like SIGTERM, without a traceback from some import.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import gc
import logging
import sys

import trio

from kafkaproto_server.config.node_config import Config, check_supported
from kafkaproto_server.config.properties import ConfigError
from kafkaproto_server.core.broker.replica_directories import ReplicaInSeveralDirectoriesError
from kafkaproto_server.metadata.image.errors import ReplayError
from kafkaproto_server.node.descriptors import raise_descriptor_limit
from kafkaproto_server.node.node import Node
from kafkaproto_server.shell.broker.lifecycle_manager import DirectoryFailureNotToldError, RegistrationTimeout
from kafkaproto_server.shell.process.collector_pauses import CollectorPauses
from kafkaproto_server.shell.process.log_limit import limit_lines
from kafkaproto_server.shell.process.memory import trim_from_time_to_time
from kafkaproto_server.shell.process.system import SystemClock, SystemRng
from kafkaproto_server.shell.quorum.image.published import UnsupportedFeatureError
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.errors import StorageError

USAGE = """\
Usage: kafka-server-start [FILE.properties] [--override KEY=VALUE]...

Starts a Kafka node and prints one line, "ready ...", when it serves.

Without a file: one node with both roles, 127.0.0.1:9092 for clients and
127.0.0.1:9093 for the controller, data in ./kafka-data, formatted on the
first start. With a file: the keys of Kafka's own server.properties; the
directories must have been formatted with kafka-storage.

Options:
  --override KEY=VALUE  Set a key, whatever the file says. May be repeated.
  --help                Show this text.

SIGTERM and Ctrl-C end the node with a controlled shutdown, exit code 0.
"""

# The exit codes of a command line: for problems that the operator can fix, and for failures of the node.
EXIT_BAD_USAGE = 2
EXIT_FAILED = 1


GARBAGE_THRESHOLDS = (50_000, 5, 20)
"""For `gc.set_threshold`. Nearly all long-lived objects here are images, which only grow and have no cycles. With
Python's own thresholds a node that creates topics spends a quarter of its time on visiting them again, up to 200 ms at
a time. With these thresholds a collection of young objects takes a few milliseconds, and a full collection comes after
five million new objects that stayed."""


class UsageError(Exception):
    """The command line is incomplete or wrong."""


def parse_arguments(arguments: list[str]) -> tuple[str | None, dict[str, str]]:
    """The properties file, None if none is given, and the overrides. Raises UsageError."""
    path = None
    overrides: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument == "--override" or argument.startswith("--override="):
            pair = argument.partition("=")[2] if "=" in argument else next(rest, "")
            key, equals, value = pair.partition("=")
            if not key or not equals:
                raise UsageError(f"--override takes KEY=VALUE, not {pair!r}")
            overrides[key.strip()] = value.strip()
        elif argument.startswith("-"):
            raise UsageError(f"unknown option {argument}")
        elif path is not None:
            raise UsageError(f"one properties file is enough: {path}, {argument}")
        else:
            path = argument
    return path, overrides


async def _run(node: Node, pauses: CollectorPauses) -> None:
    async with trio.open_nursery() as nursery:
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            nursery.start_soon(_stop_on_signal, node, signals)
            nursery.start_soon(limit_lines)
            nursery.start_soon(pauses.run)
            nursery.start_soon(trim_from_time_to_time)
            await node.run(lambda line: print(line, flush=True))
        nursery.cancel_scope.cancel()


async def _stop_on_signal(node: Node, signals: object) -> None:
    async for _ in signals:  # type: ignore[attr-defined]
        node.stop()


def main(arguments: list[str]) -> int:
    """Run a node. Returns the exit code."""
    if "--help" in arguments or "-h" in arguments:
        print(USAGE, end="")
        return 0
    try:
        path, overrides = parse_arguments(arguments)
    except UsageError as error:
        print(f"kafka-server-start: {error}\n\n{USAGE}", end="", file=sys.stderr)
        return EXIT_BAD_USAGE
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    log = logging.getLogger("kafkaproto.server")
    try:
        config = Config.load(path, overrides)
        check_supported(config)
    except ConfigError as error:
        print(f"kafka-server-start: {error}", file=sys.stderr)
        return EXIT_BAD_USAGE
    for warning in config.warnings:
        log.warning("%s", warning)
    if config.unused_keys:
        log.info("keys without effect on this server: %s", ", ".join(config.unused_keys))
    raise_descriptor_limit()
    node = Node(config, disk=OsDisk(), clock=SystemClock(), rng=SystemRng(), format_if_new=path is None)
    failures: list[BaseException] = []
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    gc.freeze()
    pauses = CollectorPauses()
    pauses.start()
    try:
        trio.run(_run, node, pauses)
    except* (
        StorageError,
        OSError,
        RegistrationTimeout,
        DirectoryFailureNotToldError,
        ReplicaInSeveralDirectoriesError,
        ReplayError,
        UnsupportedFeatureError,
    ) as group:
        failures = _leaves(group)
    for failure in failures:
        print(f"kafka-server-start: {failure}", file=sys.stderr)
    return EXIT_FAILED if failures else 0


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    found: list[BaseException] = []
    for each in group.exceptions:
        found += _leaves(each) if isinstance(each, BaseExceptionGroup) else [each]
    return found


def run() -> None:
    """Run the command line and end the process."""
    if not __debug__:
        sys.exit("kafka-server-start: refuses to run under -O, which would take its own checks away")
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
