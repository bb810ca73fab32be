"""The report: one HTML file that shows a cluster's history, and needs no network to be opened.

Spark reduces the histories to a bounded size (`reduction`), however long the log is. The rest is drawing (`plots`,
`page`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkaproto_pipeline.jobs.history import broker_intervals, partition_intervals
from kafkaproto_pipeline.jobs.job import Job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

COLUMNS = tuple(
    dict.fromkeys(
        (
            "clusterId",
            "source",
            "offset",
            "snapshotIndex",
            "partitionLeaderEpoch",
            "timestamp",
            "isControl",
            "recordType",
            "committed",
            "LeaderChangeMessage",
            *partition_intervals.RECORD_TYPES,
            *partition_intervals.SETTING_TYPES,
            *broker_intervals.LIFE_TYPES,
            *broker_intervals.DIRECTORY_TYPES,
            "_corrupt_record",
        )
    )
)
"""What the report looks at. Records of all other types are counted and not decoded."""


def document(df: DataFrame, title: str | None = None) -> str:
    """The page's text, from the source's ``typed`` view. Raises ValueError if the rows are of two clusters."""
    from kafkaproto_pipeline.jobs.report.page import page
    from kafkaproto_pipeline.jobs.report.reduction import reduced

    return page(reduced(df), title)


JOB = Job(
    name="report",
    view="typed",
    record_types=(),
    tables={},
    source_options={"includeSnapshots": "true", "columns": ",".join(COLUMNS)},
    document=document,
)
