"""``kafka-cluster``: shows the id of a cluster and where its nodes are; unregisters nodes that are gone for good.

It takes the options of Kafka's tool and prints its lines. Failures have exit code 1 and one line, not a stack trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from kafkaproto.client import parse_servers
from kafkaproto.messages import DescribeClusterResponse
from kafkaproto_server.tools.command_line import failures_as_messages, run
from kafkaproto_server.tools.quorum.access import FAILURES, QuorumAccess
from kafkaproto_server.tools.quorum.registrations import unregistered

_Command = TypeVar("_Command", bound=Callable[..., Any])

_HOST_WIDTH = 100
"""If there are no nodes."""
_RACK_WIDTH = 10
"""If no node has a rack."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """The id of a cluster, the endpoints of its nodes, and their registrations."""


def _connection_options(command: _Command) -> _Command:
    options = (
        click.option("--bootstrap-server", "-b", metavar="HOST:PORT,...", help="Brokers to ask."),
        click.option("--bootstrap-controller", "-C", metavar="HOST:PORT,...", help="Controllers to ask."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _access(bootstrap_server: str | None, bootstrap_controller: str | None) -> QuorumAccess:
    if (bootstrap_server is None) == (bootstrap_controller is None):
        raise click.UsageError("exactly one of --bootstrap-server and --bootstrap-controller is needed")
    try:
        servers = parse_servers(bootstrap_server or bootstrap_controller or "")
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return QuorumAccess(servers, are_controllers=bootstrap_controller is not None)


@cli.command("cluster-id")
@_connection_options
def cluster_id(**servers: str | None) -> None:
    """Show the id of the cluster."""
    access = _access(**servers)
    with failures_as_messages(*FAILURES):
        click.echo(f"Cluster ID: {access.describe_cluster().cluster_id}")


@cli.command("list-endpoints", short_help="List the nodes with their endpoints.")
@_connection_options
@click.option(
    "--include-fenced-brokers", is_flag=True, help="With --bootstrap-server: brokers that are fenced as well."
)
def list_endpoints(include_fenced_brokers: bool, **servers: str | None) -> None:
    """List the brokers, or the controllers, with their endpoints."""
    access = _access(**servers)
    are_brokers = servers["bootstrap_server"] is not None
    if include_fenced_brokers and not are_brokers:
        raise click.UsageError("--include-fenced-brokers goes with --bootstrap-server")
    with failures_as_messages(*FAILURES):
        nodes = access.describe_cluster(include_fenced=include_fenced_brokers).brokers
        for line in _table(nodes, are_brokers=are_brokers):
            click.echo(line)


def _table(nodes: Sequence[DescribeClusterResponse.DescribeClusterBroker], *, are_brokers: bool) -> list[str]:
    """The lines of Kafka's tool, with the blanks at their ends. A rack that is not there is called null."""
    host_width = max((len(node.host) for node in nodes), default=_HOST_WIDTH)
    rack_width = max((len(node.rack) for node in nodes if node.rack is not None), default=_RACK_WIDTH)
    state_width = 10
    widths = (10, host_width, 10, rack_width, *((state_width,) if are_brokers else ()), 15)
    rows = [("ID", "HOST", "PORT", "RACK", *(("STATE",) if are_brokers else ()), "ENDPOINT_TYPE")]
    for node in nodes:
        rack = "null" if node.rack is None else node.rack
        state = ("fenced" if node.is_fenced else "unfenced",) if are_brokers else ()
        kind = "broker" if are_brokers else "controller"
        rows.append((str(node.broker_id), node.host, str(node.port), rack, *state, kind))
    return [" ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


@cli.command("unregister")
@_connection_options
@click.option("--id", "-i", "broker_id", type=int, required=True, metavar="ID", help="Id of the broker.")
def unregister_broker(broker_id: int, **servers: str | None) -> None:
    """Forget a broker that is gone for good."""
    access = _access(**servers)
    with failures_as_messages(*FAILURES):
        click.echo(unregistered("broker", broker_id, access.unregister_broker))


@cli.command("unregister-controller", short_help="Forget a controller that is gone for good.")
@_connection_options
@click.option("--id", "-i", "controller_id", type=int, required=True, metavar="ID", help="Its node id.")
def unregister_controller(controller_id: int, **servers: str | None) -> None:
    """Forget a controller that is gone for good (KIP-1312). One that runs registers again."""
    access = _access(**servers)
    with failures_as_messages(*FAILURES):
        click.echo(unregistered("controller", controller_id, access.unregister_controller))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the tool and end the process, unless it succeeds."""
    run(cli, "kafka-cluster", arguments)


if __name__ == "__main__":
    main()
