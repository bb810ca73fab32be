"""The command line of synthetic histories."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from kafkaproto_pipeline.progress_lines import ProgressLines
from kafkaproto_pipeline.synthetic.history import HistoryOptions, Made, generate

_DEFAULTS = HistoryOptions()


def _committed(made: Made, chosen: HistoryOptions) -> str:
    if made.high_watermark is None:
        logs = "log" if chosen.replicas == 1 else "logs"
        return f"{logs} of {chosen.replicas} of {chosen.controllers} voters, so only snapshots show what is committed"
    return f"high watermark {made.high_watermark:,}"


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """A function that shows how many records there are: a bar on a terminal, lines elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        with ProgressLines(lambda text: click.echo(text, err=True)) as lines:
            yield lambda records: lines.note(f"{records:,} of {total:,} records")
        return
    columns = (TextColumn("{task.completed:>12,} records"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda records: bar.update(task, completed=records)


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
    try:
        with _progress(chosen.records) as progress:
            made = generate(directory, chosen, progress)
    except FileExistsError as error:
        raise click.UsageError(f"{error.filename} is there already; choose another directory") from None
    seconds = time.monotonic() - started
    click.echo(
        f"{made.records:,} records in {made.batches:,} batches, {made.bytes / 1e6:,.1f} MB, in {seconds:.1f} s;"
        f" cluster {made.cluster_id}, {_committed(made, chosen)}"
    )
    for node in made.nodes:
        click.echo(str(node))
