"""The report: one HTML file that shows a cluster's history, and needs no network to be opened.

Spark reduces the histories to a bounded size (`reduction`), however long the log is. The rest is drawing (`plots`,
`page`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkaproto_pipeline.jobs.history.job import JOB as HISTORY
from kafkaproto_pipeline.jobs.job import Job
from kafkaproto_pipeline.views.latest import MARKERS

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
            # The markers of metadata transactions are known by their type.
            *(each for each in HISTORY.record_types if each not in MARKERS),
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
