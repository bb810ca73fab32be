"""Names of Kafka's numbers, and its times, for columns of Spark."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from kafkaproto_pipeline.views.words import FIELD_TIMES, FIELD_WORDS, LAST_TIME_MS, Words

_PROTOCOL = "securityProtocol"


def shown(path: str, column: Column) -> Column:
    """A field of a record as tables have it: with Kafka's words for its numbers, and for those in its structs."""
    if path in FIELD_WORDS:
        return word(column, FIELD_WORDS[path])
    if path in FIELD_TIMES:
        return moment(column)
    protocols = FIELD_WORDS.get(f"{path}.{_PROTOCOL}")
    if protocols is None:
        return column
    return F.transform(
        column, lambda each: each.withField(_PROTOCOL, word(each.getField(_PROTOCOL), protocols))
    )


def word(code: Column, words: Words) -> Column:
    """The word for a code; the code itself if there is none."""
    return F.coalesce(*(F.when(code == number, text) for number, text in words.items()), code.cast("STRING"))


def moment(milliseconds: Column) -> Column:
    """The time that is so many milliseconds after the beginning of 1970; null if no year of four digits has it."""
    return F.when(milliseconds <= LAST_TIME_MS, F.timestamp_millis(milliseconds))


def in_sentence(word: Column) -> Column:
    """One of Kafka's words as a sentence has it: "client metrics" for CLIENT_METRICS."""
    return F.lower(F.replace(word, F.lit("_"), F.lit(" ")))
