"""Names of Kafka's numbers, for columns of Spark."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F


def word(code: Column, words: Mapping[int, str]) -> Column:
    """The word for a code; the code itself if there is none."""
    return F.coalesce(*(F.when(code == number, text) for number, text in words.items()), code.cast("STRING"))
