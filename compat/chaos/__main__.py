"""``bin/chaos``: brokers of ours under random faults; exit code 1 if anything that was acknowledged is not right."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import click

from compat.chaos.faults import ChaosError
from compat.chaos.run import run
from compat.chaos.workers import WorkerError
from compat.kafka.tools import ToolFailedError
from compat.process import ProcessDiedError, WaitedTooLongError
from compat.runs.telling import with_times

FAILURES = (ChaosError, ProcessDiedError, ToolFailedError, WaitedTooLongError, WorkerError)

LAST_WORDS = 6_000
"""Characters of an error that are printed."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--seconds", default=600.0, show_default=True, type=click.FloatRange(1), help="Of faults.")
@click.option("--seed", default=1, show_default=True, help="Decides what befalls whom, and for how long.")
@click.option(
    "--combined",
    is_flag=True,
    help="Three nodes with both roles, instead of three controllers and three brokers.",
)
@click.option("--rate", default=500.0, show_default=True, help="Records a second, of all producers.")
@click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where nodes keep their data and logs; they stay there.  [default: a folder in the temporary one]",
)
def command(seconds: float, seed: int, combined: bool, rate: float, work: Path | None) -> None:
    """Three brokers under load while processes die, links are cut and a disk fills; then all is compared.

    The full disk is a small tmpfs, which only root may mount; others run without that fault.
    """
    folder = work or Path(tempfile.mkdtemp(prefix="kafkaproto-chaos-"))
    click.echo(f"seed {seed}; data and logs of the nodes: {folder}")
    is_root = os.geteuid() == 0
    try:
        result = run(
            folder,
            seconds=seconds,
            seed=seed,
            tell=with_times(),
            is_combined=combined,
            rate=rate,
            has_small_disk=is_root,
        )
    except FAILURES as error:
        sys.exit(f"{type(error).__name__}: {str(error)[-LAST_WORDS:]}")
    click.echo("\n".join(result.lines()))
    if result.violations:
        again = f"bin/chaos --seed {seed} --seconds {seconds:g} --rate {rate:g}"
        sys.exit(f"again: {again}{' --combined' if combined else ''}")


if __name__ == "__main__":
    command(prog_name="chaos")
