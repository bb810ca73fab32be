"""What a job says before its tables: how much there is to read, which point it answers for, and what it cannot read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click
from rich.console import Console

from kafkaproto_pipeline.inspection import TORN
from kafkaproto_pipeline.options import ONE_REPLICA

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

_SHOWN = 5
"""So many sentences about damage are shown, and then the number of the others."""


def warn(text: str) -> None:
    click.echo(f"warning: {text}", err=True)


def tell_damage(found: Sequence[str]) -> None:
    """Print what cannot be read."""
    for text in found[:_SHOWN]:
        warn(f"cannot be read: {text}")
    if len(found) > _SHOWN:
        warn(f"and {len(found) - _SHOWN} more")


def summary_options(options: Mapping[str, str]) -> dict[str, str]:
    """Options of the frame for `summarize`, beside a frame of these options."""
    kept = {key: value for key, value in options.items() if key not in ("recordTypes", "view")}
    columns = "directory,recordType,recordVersion,offset,source,raw,_corrupt_record"
    return {**kept, "columns": f"{columns},committed"}


def summarize(
    rows: DataFrame, options: Mapping[str, str], screen: Console, *, is_damaged: bool = False
) -> bool:
    """Print how much there is to read, and which parts cannot be read or are unknown; whether there are such parts.

    ``is_damaged`` says that damage was found, and told of, before anything was decoded.
    """
    from pyspark.sql import functions as F

    is_bad = F.col("_corrupt_record").isNotNull()
    # What a crash, or a write that is under way, leaves at the end of a log is no damage.
    is_corrupt = is_bad & ~F.col("_corrupt_record.reason").startswith(TORN)
    is_newer = F.col("raw").isNotNull() & ~is_bad
    place = F.concat(
        "directory",
        F.lit("/"),
        F.col("_corrupt_record.file"),
        F.lit(", byte "),
        F.col("_corrupt_record.position"),
    )
    where = F.concat(place, F.lit(": "), F.col("_corrupt_record.reason"))
    kinds = F.concat_ws(" version ", "recordType", "recordVersion")
    found = rows.agg(
        F.count_if(~is_bad & (F.col("source") == "log")).alias("records"),
        F.count_if(~is_bad & (F.col("source") == "snapshot")).alias("inSnapshots"),
        F.max(F.when(~is_bad, F.col("offset"))).alias("last"),
        F.count_distinct("directory").alias("replicas"),
        F.count_if(is_corrupt).alias("corrupt"),
        F.min(F.when(is_corrupt, where)).alias("where"),
        F.count_if(is_newer).alias("newer"),
        F.min(F.when(is_newer, kinds)).alias("kind"),
    ).first()
    assert found is not None
    screen.print(_counts(found, each_once=options.get("replicas") == ONE_REPLICA), soft_wrap=True)
    if found["corrupt"] and not is_damaged:
        warn(f"{found['corrupt']:,} damaged batches or records were left out; the first: {found['where']}")
    has_damage = is_damaged or bool(found["corrupt"])
    if has_damage:
        last = "no records" if found["last"] is None else f"records up to offset {found['last']:,}"
        warn(f"what follows is of {last}, without what cannot be read")
    if found["newer"]:
        warn(
            f"{found['newer']:,} records of types or versions newer than this release knows were left out, as"
            f" {found['kind']}"
        )
    return has_damage or bool(found["newer"])


def _counts(found: Row, *, each_once: bool) -> str:
    """What was counted. If each offset is read once, the other replicas are not seen."""
    replicas = "1 replica" if found["replicas"] == 1 else f"{found['replicas']} replicas"
    where = "the log" if each_once else f"the log of {replicas}"
    text = f"{found['records']:,} records in {where}"
    return text + (f", {found['inSnapshots']:,} in snapshots" if found["inSnapshots"] else "")


def tell_point(df: DataFrame, screen: Console) -> bool:
    """Print which point of the log a state is of, and what it may lack; whether it may lack something."""
    from pyspark.sql import functions as F

    from kafkaproto_pipeline.jobs.state import rows as state_rows

    unknown = F.when(state_rows.is_unknown(), F.col("recordType"))
    found = (
        state_rows.settled(df)
        .agg(
            state_rows.newest_end().alias("end"),
            F.count(unknown).alias("unknown"),
            F.min(unknown).alias("kind"),
        )
        .select(
            "end.*", F.timestamp_millis("end.timestampMs").cast("string").alias("time"), "unknown", "kind"
        )
        .first()
    )
    assert found is not None
    if found["offset"] is None:
        screen.print("no records")
        return False
    screen.print(f"as of offset {found['offset']:,}, epoch {found['epoch']}, {found['time']} UTC")
    if found["unknown"]:
        warn(
            f"{found['unknown']:,} records of types that this release does not know say nothing, as {found['kind']}"
        )
    return bool(found["unknown"])
