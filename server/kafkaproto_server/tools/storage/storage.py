"""``kafka-storage``: formats log directories and shows information about them; needs no running server.

It takes the options of Kafka's tool and prints its lines. Exit code 0 is success, 1 is everything else.
"""

from __future__ import annotations

import secrets
import socket
import sys
import time
import uuid
from collections.abc import Sequence

import click
import msgspec

from kafkaproto import uuids
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.config.properties import ConfigError
from kafkaproto_server.metadata.features import (
    LATEST_METADATA_VERSION,
    METADATA_VERSION,
    METADATA_VERSIONS,
    MINIMUM_METADATA_VERSION,
    default_levels,
    dependencies,
    metadata_version,
    metadata_version_of_release,
)
from kafkaproto_server.shell.storage.directories.acceptance import accept_log
from kafkaproto_server.shell.storage.directories.format import (
    FormatRequest,
    QuorumStart,
    format_directories,
    parse_initial_controllers,
)
from kafkaproto_server.shell.storage.directories.meta_properties import (
    FoundLogDirectory,
    find_mismatches,
    new_directory_id,
    read_log_directory,
)
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.tools.command_line import EXIT_FAILED, failures_as_messages, run
from kafkaproto_server.tools.storage.scram import parse_scram_argument

_FORMAT_EXAMPLES = """\b
The first node of a cluster, and one that joins it:
  kafka-storage format --standalone --config server.properties \\
      --cluster-id "$(kafka-storage random-uuid)"
  kafka-storage format --no-initial-controllers --config server.properties \\
      --cluster-id MkU3OEVBNTcwNTJENDM2Qg
"""

_CONFIG = click.option(
    "--config", "-c", "config_path", required=True, metavar="FILE", help="The properties file of the node."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """The Kafka storage tool."""


@cli.command("random-uuid", short_help="Print a random UUID.")
def random_uuid() -> None:
    """Print a random UUID, for a cluster id or a directory id."""
    click.echo(uuids.to_text(new_directory_id(_new_uuid)))


@cli.command("info")
@_CONFIG
def info(config_path: str) -> None:
    """Tell about the log directories of this node. Exits with 1 where something is wrong with them."""
    config = _load(config_path)
    disk = OsDisk()
    paths = dict.fromkeys((*config.log_dirs, config.metadata_log_dir))
    directories = [read_log_directory(disk, path) for path in sorted(paths)]
    problems: list[str] = []
    for directory in directories:
        if not directory.exists:
            problems.append(f"{directory.path} does not exist")
        elif directory.problem is not None:
            problems.append(directory.problem)
        elif directory.properties is None:
            problems.append(f"{directory.path} is not formatted.")
    problems += find_mismatches(directories, node_id=config.node_id)
    _show("log director", "ies", "y", [each.path for each in directories if each.exists])
    formatted = [each.properties for each in directories if each.properties is not None]
    if formatted:
        shown = ", ".join(f"{key}={value}" for key, value in sorted(formatted[0].to_mapping().items()))
        click.echo(f"Found metadata: {{{shown}}}\n")
    _show_directory_ids(directories)
    _show("problem", "s", "", problems)
    if problems:
        sys.exit(EXIT_FAILED)


def _show_directory_ids(directories: Sequence[FoundLogDirectory]) -> None:
    """Print the id of each directory. The id of a single directory is part of its metadata, which was printed
    already."""
    if len(directories) == 1:
        return
    _show(
        "directory id",
        "s",
        "",
        [
            f"{each.path}: {uuids.to_text(each.properties.directory_id)}"
            for each in directories
            if each.properties is not None and each.properties.directory_id is not None
        ],
    )


def _show(what: str, plural: str, singular: str, lines: Sequence[str]) -> None:
    if lines:
        click.echo(f"Found {what}{singular if len(lines) == 1 else plural}:")
        for line in lines:
            click.echo(f"  {line}")
        click.echo()


@cli.command("format", epilog=_FORMAT_EXAMPLES)
@_CONFIG
@click.option("--cluster-id", "-t", required=True, metavar="ID", help="The cluster that the node belongs to.")
@click.option(
    "--add-scram",
    "-S",
    multiple=True,
    metavar="CREDENTIAL",
    help="A SCRAM user that exists from the beginning: 'SCRAM-SHA-256=[name=alice,password=alice-secret]'. "
    "May be repeated.",
)
@click.option("--ignore-formatted", "-g", is_flag=True, help="Skip formatted directories instead of failing.")
@click.option(
    "--release-version",
    "-r",
    metavar="VERSION",
    help=f"Whose feature levels the cluster begins with; {MINIMUM_METADATA_VERSION} to {LATEST_METADATA_VERSION}, "
    "which is the default.",
)
@click.option(
    "--feature", "-f", multiple=True, metavar="NAME=LEVEL", help="Level of one feature. May be repeated."
)
@click.option("--standalone", "-s", is_flag=True, help="This controller is the first and only voter.")
@click.option(
    "--no-initial-controllers", "-N", is_flag=True, help="The node joins voters that others settle."
)
@click.option(
    "--initial-controllers",
    "-I",
    metavar="VOTERS",
    help="The first voters, the same on every node: id@host:port:directoryId,...",
)
def format_command(
    config_path: str,
    cluster_id: str,
    add_scram: tuple[str, ...],
    ignore_formatted: bool,
    release_version: str | None,
    feature: tuple[str, ...],
    standalone: bool,
    no_initial_controllers: bool,
    initial_controllers: str | None,
) -> None:
    """Format the log directories of this node."""
    start = _quorum_start(standalone, no_initial_controllers, initial_controllers)
    config = _load(config_path)
    with failures_as_messages(StorageError, ValueError, OSError):
        request = FormatRequest(
            cluster_id=cluster_id,
            node_id=config.node_id,
            directories=config.log_dirs,
            metadata_directory=config.metadata_log_dir,
            is_controller=config.is_controller,
            has_static_voters=bool(config.controller_quorum_voters),
            controller_endpoints=tuple(
                msgspec.structs.replace(endpoint, host=endpoint.host or socket.getfqdn())
                for endpoint in config.advertised_controller_listeners
            ),
            quorum_start=start,
            initial_voters=()
            if initial_controllers is None
            else parse_initial_controllers(initial_controllers, config.controller_listener_names[0]),
            release_version=release_version,
            feature_levels=dict(_parse_level(text) for text in feature),
            scram_records=tuple(parse_scram_argument(text, secrets.token_bytes) for text in add_scram),
            ignore_formatted=ignore_formatted,
        )
        format_directories(OsDisk(), request, wall_ms=_wall_ms, new_uuid=_new_uuid, report=click.echo)


def _quorum_start(
    standalone: bool, no_initial_controllers: bool, initial_controllers: str | None
) -> QuorumStart:
    chosen = [
        start
        for start, is_chosen in (
            (QuorumStart.STANDALONE, standalone),
            (QuorumStart.NO_INITIAL_CONTROLLERS, no_initial_controllers),
            (QuorumStart.INITIAL_CONTROLLERS, initial_controllers is not None),
        )
        if is_chosen
    ]
    if len(chosen) > 1:
        raise click.UsageError(f"{chosen[1].value} is not allowed with {chosen[0].value}")
    return chosen[0] if chosen else QuorumStart.UNSPECIFIED


@cli.command("version-mapping", short_help="Print the feature levels of a release.")
@click.option(
    "--release-version",
    "-r",
    metavar="VERSION",
    default=LATEST_METADATA_VERSION.name,
    help=f"{METADATA_VERSIONS[0]} to {LATEST_METADATA_VERSION}, which is the default.",
)
def version_mapping(release_version: str) -> None:
    """Print the feature levels that a new cluster of a release begins with."""
    with failures_as_messages(ValueError):
        version = metadata_version_of_release(release_version, minimum=METADATA_VERSIONS[0])
    click.echo(f"{METADATA_VERSION}={version.level} ({release_version})")
    for name, level in default_levels(version).items():
        click.echo(f"{name}={level}")


@cli.command("feature-dependencies", short_help="Print what levels of features need.")
@click.option(
    "--feature",
    "-f",
    multiple=True,
    required=True,
    metavar="NAME=LEVEL",
    help="A feature's level. May be repeated.",
)
def feature_dependencies(feature: tuple[str, ...]) -> None:
    """Print what each level of a feature needs of the others."""
    with failures_as_messages(ValueError):
        for name, level in map(_parse_level, feature):
            needed = dependencies(name, level)
            shown = _show_level(name, level)
            if not needed:
                click.echo(f"{shown} has no dependencies.")
                continue
            click.echo(f"{shown} requires:")
            for needed_name, needed_level in needed.items():
                click.echo(f"    {_show_level(needed_name, needed_level)}")


@cli.command("accept-log", short_help="Give up what a topic's log has lost.")
@_CONFIG
@click.option("--topic", required=True, metavar="NAME", help="The topic.")
@click.option(
    "--partition", required=True, type=click.IntRange(min=0), metavar="INDEX", help="The partition."
)
@click.option(
    "--topic-id", metavar="ID", help="The topic's id, if partition.metadata is gone or not valid any more."
)
def accept_log_command(config_path: str, topic: str, partition: int, topic_id: str | None) -> None:
    """Take what is left of a partition's log on this node for the whole log.

    The broker does not serve a log that has lost records: its own words say which. If no other replica has them, this
    gives them up. Stop the broker first. Each file is read and cut at the first batch that is not valid.
    """
    config = _load(config_path)
    with failures_as_messages(StorageError, ValueError, OSError):
        accept_log(
            OsDisk(),
            list(config.log_dirs),
            topic,
            partition,
            topic_id=None if topic_id is None else uuids.from_text(topic_id),
            report=click.echo,
        )


def _show_level(name: str, level: int) -> str:
    text = f"{name}={level}"
    return f"{text} ({metadata_version(level)})" if name == METADATA_VERSION else text


def _parse_level(text: str) -> tuple[str, int]:
    name, equals, level = text.partition("=")
    if not name or not equals or not level.isdecimal():
        raise ValueError(
            f"Invalid feature format: {text}. Expected format: 'feature=level' (e.g. 'group.version=1')"
        )
    return name, int(level)


def _load(path: str) -> Config:
    try:
        config = Config.load(path, {})
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    for warning in config.warnings:
        click.echo(f"Warning: {warning}", err=True)
    return config


def _new_uuid() -> bytes:
    return uuid.uuid4().bytes


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the tool and end the process, unless it succeeds."""
    run(cli, "kafka-storage", arguments)


if __name__ == "__main__":
    main()
