"""The command line of synthetic histories."""

from __future__ import annotations

import time
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from kafkaproto_pipeline.synthetic.history import HistoryOptions, generate

_DEFAULTS = HistoryOptions()


@click.command(name="synthetic", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option("--seed", default=_DEFAULTS.seed, show_default=True, help="The same seed, the same bytes.")
@click.option("--records", default=_DEFAULTS.records, show_default=True, help="How many records, at least.")
@click.option("--controllers", default=_DEFAULTS.controllers, show_default=True, help="Voters of the quorum.")
@click.option(
    "--replicas", default=_DEFAULTS.replicas, show_default=True, help="How many controllers' logs to write."
)
@click.option("--brokers", default=_DEFAULTS.brokers, show_default=True)
@click.option("--racks", default=_DEFAULTS.racks, show_default=True, help="0 for none.")
@click.option(
    "--directories", default=_DEFAULTS.directories, show_default=True, help="Log directories of a broker."
)
@click.option("--partitions", type=int, help="About how many at a time.  [default: suits the records]")
@click.option("--hours", type=float, help="Length of the history.  [default: suits the records]")
@click.option("--segment-bytes", default=_DEFAULTS.segment_bytes, show_default=True)
@click.option(
    "--snapshot-bytes",
    type=int,
    help="A snapshot after so many bytes of log; 0 for none.  [default: for about eight]",
)
def main(directory: Path, **options: int | float | None) -> None:
    """Write the metadata log of a cluster that never was into DIRECTORY/node-1, node-2, ...

    Brokers are restarted, crash, flap and lose disks; topics come, move and go; the quorum elects. Every record fits
    those before it.
    """
    try:
        chosen = HistoryOptions(**options)  # type: ignore[arg-type]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    started = time.monotonic()
    columns = (TextColumn("{task.completed:>12,} records"), BarColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=chosen.records)
            made = generate(directory, chosen, lambda records: bar.update(task, completed=records))
    except FileExistsError as error:
        raise click.UsageError(f"{error.filename} is there already; choose another directory") from None
    seconds = time.monotonic() - started
    click.echo(
        f"{made.records:,} records in {made.batches:,} batches, {made.bytes / 1e6:,.1f} MB, in {seconds:.1f} s;"
        f" cluster {made.cluster_id}, high watermark {made.high_watermark}"
    )
    for node in made.nodes:
        click.echo(str(node))
