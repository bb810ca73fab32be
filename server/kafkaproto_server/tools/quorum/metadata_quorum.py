"""``kafka-metadata-quorum``: shows the leader of the metadata quorum, its voters and the progress of each replica;
changes the voters.

It takes the options of Kafka's tool and prints its lines; ``alter`` and ``watch`` exist only here. It connects to a
broker, which forwards requests, or to a controller, from which it learns the quorum's leader and then asks that one.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence

import click

from kafkaproto import uuids
from kafkaproto.client import parse_servers
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeQuorumResponse
from kafkaproto_server.base.types import ZERO_UUID, ReplicaKey
from kafkaproto_server.config.properties import ConfigError
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.tools.command_line import failures_as_messages, run
from kafkaproto_server.tools.quorum.access import (
    FAILURES,
    ChangeResult,
    DescribedQuorum,
    QuorumAccess,
    ResponseLost,
)
from kafkaproto_server.tools.quorum.alteration_journal import Entry, Journal, open_journal
from kafkaproto_server.tools.quorum.new_controller import read_new_controller
from kafkaproto_server.tools.quorum.registrations import unregistered
from kafkaproto_server.tools.quorum.voter_alteration import Alteration, view_of

_UNKNOWN_TIME = -1
_COLUMNS = (
    "NodeId",
    "DirectoryId",
    "LogEndOffset",
    "Lag",
    "LastFetchTimestamp",
    "LastCaughtUpTimestamp",
    "Status",
)

_ASKS_FOR_HELP = "asks_for_help"


class _Tool(click.Group):
    """Makes every command report in words why a server could not be reached, and print its help without any server."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        of_command = super().parse_args(context, args)
        context.meta[_ASKS_FOR_HELP] = bool({*context.help_option_names} & {*of_command})
        return of_command

    def invoke(self, context: click.Context) -> object:
        with failures_as_messages(*FAILURES):
            return super().invoke(context)


@click.group(cls=_Tool, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--bootstrap-server", metavar="HOST:PORT,...", help="Brokers to ask.")
@click.option("--bootstrap-controller", metavar="HOST:PORT,...", help="Controllers to ask.")
@click.option(
    "--command-config",
    metavar="FILE",
    help="For add-controller: the properties file of the controller to add.",
)
@click.pass_context
def cli(
    context: click.Context,
    bootstrap_server: str | None,
    bootstrap_controller: str | None,
    command_config: str | None,
) -> None:
    """Describe the metadata quorum and change its voters."""
    if context.meta[_ASKS_FOR_HELP]:
        return
    if (bootstrap_server is None) == (bootstrap_controller is None):
        raise click.UsageError("exactly one of --bootstrap-server and --bootstrap-controller is needed")
    try:
        servers = parse_servers(bootstrap_server or bootstrap_controller or "")
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    context.meta["command_config"] = command_config
    context.obj = QuorumAccess(servers, are_controllers=bootstrap_controller is not None)


@cli.command("describe")
@click.option("--status", is_flag=True, help="Leader, epoch, high watermark, lag and members, a line each.")
@click.option("--replication", is_flag=True, help="A table of the replicas and how far each has come.")
@click.option(
    "--human-readable", is_flag=True, help="With --replication: how long ago instead of timestamps."
)
@click.pass_obj
def describe_command(access: QuorumAccess, status: bool, replication: bool, human_readable: bool) -> None:
    """Describe the quorum's state."""
    if status == replication:
        raise click.UsageError("exactly one of --status and --replication is needed")
    if human_readable and status:
        raise click.UsageError("--human-readable goes with --replication")
    quorum = access.describe()
    for line in _status(quorum) if status else _replication(quorum, human_readable):
        click.echo(line)


@cli.command("add-controller")
@click.option("--config", "config_path", metavar="FILE", help="The same as --command-config.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.pass_context
def add_controller(context: click.Context, config_path: str | None, dry_run: bool) -> None:
    """Make a controller a voter. Reads its properties and its formatted directory, so it runs beside it."""
    path = config_path or context.meta["command_config"]
    if path is None:
        raise click.UsageError(
            "the properties file of the controller to add is needed: --command-config FILE"
        )
    try:
        key, endpoints = read_new_controller(path)
    except (ConfigError, StorageError) as error:
        raise click.ClickException(str(error)) from error
    shown = ", ".join(_endpoint(each.name, each.host, each.port) for each in endpoints)
    what = f"controller {key.id} with directory id {_directory(key)} and endpoints: {shown}"
    if dry_run:
        click.echo(f"DRY RUN of adding {what}")
        return
    access: QuorumAccess = context.obj
    _finish(f"controller {key.id} was not added", lambda: access.add_voter(key, endpoints), access, key, True)
    click.echo(f"Added {what}")


@cli.command("remove-controller")
@click.option(
    "--controller-id",
    "-i",
    type=click.IntRange(min=0),
    required=True,
    metavar="ID",
    help="Node id of the voter.",
)
@click.option(
    "--controller-directory-id",
    "-d",
    required=True,
    metavar="DIRECTORY_ID",
    help="Its directory id, as describe shows it.",
)
@click.option(
    "--unregister",
    is_flag=True,
    help="Unregister the controller as well. It must not run any more, or it registers again.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.pass_obj
def remove_controller(
    access: QuorumAccess, controller_id: int, controller_directory_id: str, unregister: bool, dry_run: bool
) -> None:
    """Make a voter an observer; with --unregister, forget a controller that is gone for good (KIP-1312)."""
    try:
        key = ReplicaKey(id=controller_id, directory_id=uuids.from_text(controller_directory_id))
    except ValueError as error:
        raise click.UsageError(f"--controller-directory-id: {error}") from None
    # Two blanks, as in Kafka's tool.
    what = f" KRaft controller {key.id} with directory id {_directory(key)}"
    if dry_run:
        click.echo(f"DRY RUN of removing {what}")
        if unregister:
            click.echo(f"DRY RUN of unregistering controller {key.id}")
        return
    _finish(f"controller {key.id} was not removed", lambda: access.remove_voter(key), access, key, False)
    click.echo(f"Removed {what}")
    if unregister:
        click.echo(unregistered("controller", key.id, access.unregister_controller))


def _finish(
    failure: str,
    change: Callable[[], ChangeResult],
    access: QuorumAccess,
    key: ReplicaKey,
    is_voter: bool,
) -> None:
    """Request a change. Raises ClickException unless it was made. If the response is lost, the quorum's state
    decides."""
    try:
        outcome = change()
    except ResponseLost as error:
        if (key in view_of(access.describe()).voter_keys) is not is_voter:
            raise click.ClickException(f"{failure}: {error}") from error
        return
    if outcome.error is not ErrorCode.NONE:
        raise click.ClickException(f"{failure}: {outcome.error.name}: {outcome.message}")


@cli.command("alter", short_help="Replace the voters, in single safe steps.")
@click.option(
    "--voters", metavar="ID,...", help="Node ids that are to be the voters; they run as observers already."
)
@click.option(
    "--cancel", is_flag=True, help="Go back to the voters from before an alter that was not finished."
)
@click.pass_obj
def alter(access: QuorumAccess, voters: str | None, cancel: bool) -> None:
    """Make these the voters, in single safe steps: new replicas in, then the others out, the leader last.

    It may be broken off at any time, and goes on where it was when given the same voters again. Other voters given
    midway lead there from where things stand.
    """
    if cancel == (voters is not None):
        raise click.UsageError("exactly one of --voters and --cancel is needed")
    target = None if voters is None else _parse_ids(voters)
    quorum = access.describe()
    present = view_of(quorum).voter_ids
    with open_journal(quorum.cluster_id) as journal:
        entry = _entry(journal, present, target)
        click.echo(f"from {_ids(present)} to {_ids(entry.target)}")
        journal.write(entry)
        try:
            Alteration(access, entry.target, click.echo).run()
        except (click.ClickException, KeyboardInterrupt):
            click.echo(
                f"not finished; alter --voters {_ids(entry.target)} goes on, alter --cancel goes back to "
                f"{_ids(entry.before)}",
                err=True,
            )
            raise
        journal.write(None)


def _entry(journal: Journal, present: frozenset[int], target: frozenset[int] | None) -> Entry:
    """The alteration to run, and the voters from which it started; without a target, it takes back the unfinished
    one."""
    begun = journal.read()
    if begun is not None and not begun.may_have_led_to(present):
        begun = None
    if target is None:
        if begun is None:
            raise click.ClickException(
                f"nothing that this user began here is unfinished; the voters are {_ids(present)}. "
                "To go back to earlier voters, name them: alter --voters"
            )
        return Entry(before=begun.before, target=begun.before, involved=begun.involved)
    if begun is None:
        return Entry(before=present, target=target, involved=present | target)
    return Entry(before=begun.before, target=target, involved=begun.involved | target)


def _parse_ids(text: str) -> frozenset[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"[0-9]{1,9}", part) for part in parts):
        raise click.UsageError(f"--voters: {text!r} is not a list of node ids such as 4,5,6")
    if len(set(map(int, parts))) < len(parts):
        raise click.UsageError(f"--voters: {text!r} names a node more than once")
    return frozenset(map(int, parts))


def _ids(ids: frozenset[int]) -> str:
    return ",".join(map(str, sorted(ids)))


@cli.command("watch")
@click.pass_obj
def watch_command(access: QuorumAccess) -> None:
    """Show the quorum as it changes, until Ctrl-C."""
    # The package takes a tenth of a second to import, and no other command needs it.
    from kafkaproto_server.tools.quorum.watch import watch

    watch(access)


def _status(quorum: DescribedQuorum) -> list[str]:
    partition, leader = quorum.partition, quorum.leader
    # The leader is included, so that the lag is never negative if all others are ahead of it.
    last = min(partition.current_voters, key=lambda voter: voter.log_end_offset)
    max_lag_time_ms = 0
    if last is not leader:
        times = leader.last_caught_up_timestamp, last.last_caught_up_timestamp
        max_lag_time_ms = _UNKNOWN_TIME if _UNKNOWN_TIME in times else times[0] - times[1]
    rows = {
        "ClusterId": quorum.cluster_id,
        "LeaderId": partition.leader_id,
        "LeaderEpoch": partition.leader_epoch,
        "HighWatermark": partition.high_watermark,
        "MaxFollowerLag": quorum.lag(last),
        "MaxFollowerLagTimeMs": max_lag_time_ms,
        "CurrentVoters": _replicas_json(quorum, partition.current_voters),
        "CurrentObservers": _replicas_json(quorum, partition.observers),
    }
    return [f"{name + ':':<24}{value}" for name, value in rows.items()]


def _replicas_json(quorum: DescribedQuorum, replicas: Sequence[DescribeQuorumResponse.ReplicaState]) -> str:
    """A JSON list of replicas. Unknown properties are left out."""
    documents = []
    for replica in replicas:
        document: dict[str, object] = {"id": replica.replica_id}
        if replica.replica_directory_id != ZERO_UUID:
            document["directoryId"] = uuids.to_text(replica.replica_directory_id)
        if listeners := quorum.endpoints.get(replica.replica_id):
            document["endpoints"] = [_endpoint(each.name, each.host, each.port) for each in listeners]
        documents.append(document)
    return json.dumps(documents)


def _endpoint(name: str, host: str, port: int) -> str:
    return f"{name}://{f'[{host}]' if ':' in host else host}:{port}"


def _directory(key: ReplicaKey) -> str:
    return uuids.to_text(key.directory_id or ZERO_UUID)


def _replication(quorum: DescribedQuorum, human_readable: bool) -> list[str]:
    rows = [_COLUMNS]
    for status, replicas in (
        ("Leader", [quorum.leader]),
        ("Follower", quorum.followers),
        ("Observer", quorum.partition.observers),
    ):
        for replica in replicas:
            rows.append(
                (
                    str(replica.replica_id),
                    uuids.to_text(replica.replica_directory_id),
                    str(replica.log_end_offset),
                    str(quorum.lag(replica)),
                    _time(replica.last_fetch_timestamp, human_readable),
                    _time(replica.last_caught_up_timestamp, human_readable),
                    status,
                )
            )
    widths = [max(len(row[index]) for row in rows) for index in range(len(_COLUMNS))]
    return [
        "".join(f"{cell.ljust(width)}\t" for cell, width in zip(row, widths, strict=True)) for row in rows
    ]


def _time(timestamp_ms: int, human_readable: bool) -> str:
    if not human_readable or timestamp_ms == _UNKNOWN_TIME:
        return str(timestamp_ms)
    # If this machine's clock is behind the quorum's, replicas must not seem to have fetched in the future.
    return f"{max(0, time.time_ns() // 1_000_000 - timestamp_ms)} ms ago"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the tool and end the process, unless it succeeds."""
    run(cli, "kafka-metadata-quorum", arguments)


if __name__ == "__main__":
    main()
