"""The catalogue of SQL views: all tables under one name each, queries over several of them, secrets, mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkaproto_pipeline import catalogue
from kafkaproto_pipeline.jobs import consistency, health, history, state
from kafkaproto_pipeline.options import OptionError
from kafkaproto_pipeline.synthetic import Made
from kafkaproto_pipeline.views.schema import RECORD_VIEWS
from kafkaproto_pipeline.views.words import FIELD_WORDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "pipeline.md"
JOBS = {"state": state.JOB, "history": history.JOB, "health": health.JOB, "consistency": consistency.JOB}


def test_every_table_of_every_job_has_one_name() -> None:
    tables = {(job, table) for job, made in JOBS.items() for table in made.tables}
    assert {(entry.job, entry.table) for entry in catalogue.ENTRIES} == tables
    names = {(entry.job, entry.table): entry.name for entry in catalogue.ENTRIES}
    assert len(set(names.values())) == len(names)
    renamed = {key: name for key, name in names.items() if name != key[1]}
    assert renamed == {
        ("history", "topics"): "topic_history",
        ("history", "brokers"): "broker_history",
        ("history", "controllers"): "controller_history",
        ("history", "features"): "feature_history",
    }


def test_fields_with_words_are_fields_of_records() -> None:
    for path in FIELD_WORDS:
        record, *members = path.split(".")
        fields = RECORD_VIEWS[record].fields
        for member in members:
            (field,) = (each for each in fields if each.name == member)
            fields = field.fields
        assert field.type in ("int8", "int16")


@pytest.fixture(scope="module")
def sql(spark: SparkSession, synthetic_history: Made) -> Iterator[SparkSession]:
    """A session with all views."""
    names = catalogue.register(spark, [str(node) for node in synthetic_history.nodes])
    assert names == [entry.name for entry in catalogue.ENTRIES]
    yield spark
    for name in names:
        spark.catalog.dropTempView(name)
    spark.catalog.clearCache()


@pytest.mark.jvm
def test_the_document_has_the_columns_of_every_table(sql: SparkSession) -> None:
    documented = {}
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        found = re.fullmatch(r"\| `(\w+)`(?: \(`(\w+)`\))? \| [^|]+ \| (`.+`) \|", line)
        if found:
            documented[found[1]] = (found[2], found[3].strip("`").split("`, `"))
    for entry in catalogue.ENTRIES:
        columns = [column for column in sql.table(entry.name).columns if column != "clusterId"]
        own_name = None if entry.name == entry.table else entry.table
        assert documented[entry.name] == (own_name, columns), entry.name


@pytest.mark.jvm
def test_history_and_state_are_joined(sql: SparkSession) -> None:
    query = (
        "select count(*) as spans, count(distinct p.topicId) as topics, bool_and(l.leader = p.leader) as agree"
        " from leadership l join partitions p on l.topicId = p.topicId and l.partitionId = p.partitionId"
        " where l.toOffset is null"
    )
    (row,) = sql.sql(query).collect()
    (partitions,) = sql.sql("select count(*) as count from partitions").collect()
    assert row["spans"] == partitions["count"] > 50
    assert row["agree"]
    (created,) = sql.sql("select count(*) as count from topic_history where deletedOffset is null").collect()
    assert created["count"] == row["topics"]


@pytest.mark.jvm
def test_every_replica_is_compared_though_history_reads_one(sql: SparkSession) -> None:
    assert sql.table("replicas").count() == 3
    assert sql.table("differences").count() == 0
    assert sql.table("by_hour").count() > 0


@pytest.mark.jvm
def test_secrets_are_hidden_unless_they_are_asked_for(sql: SparkSession, synthetic_history: Made) -> None:
    def ids(name: str) -> set[str]:
        return {row["tokenId"] for row in sql.table(name).select("tokenId").distinct().collect()}

    tables = ("delegation_tokens", "tokens")
    assert [ids(name) for name in tables] == [{"[redacted]"}] * 2
    path = str(synthetic_history.nodes[0])
    assert catalogue.register(sql, path, only=tables, secrets=True) == list(tables)
    shown = [ids(name) for name in tables]
    assert all(len(each) > 5 for each in shown)
    assert shown[0] <= shown[1]
    catalogue.register(sql, path, only=tables)


@pytest.mark.jvm
def test_offsets_of_the_state_and_of_the_history(sql: SparkSession, synthetic_history: Made) -> None:
    path = str(synthetic_history.nodes[0])
    catalogue.register(sql, path, only=("topics", "topic_changes"), asOf=3000, endOffset=3001)
    (state_row,) = sql.sql("select count(*) as count from topics").collect()
    (row,) = sql.sql(
        "select count_if(change = 'created') - count_if(change = 'deleted') as count, max(offset) as last"
        " from topic_changes"
    ).collect()
    assert row["count"] == state_row["count"] > 0
    assert row["last"] <= 3000
    catalogue.register(sql, path, only=("topics", "topic_changes"))


@pytest.mark.jvm
def test_words_in_sql(sql: SparkSession) -> None:
    def word(field: str, code: str) -> object:
        (row,) = sql.sql(f"select kraft_word('{field}', {code}) as word").collect()
        return row["word"]

    assert word("ConfigRecord.resourceType", "4") == "BROKER"
    assert word("AccessControlEntryRecord.resourceType", "4") == "CLUSTER"
    assert word("BrokerRegistrationChangeRecord.fenced", "-1") == "UNFENCE"
    assert word("ConfigRecord.resourceType", "77") == "77"
    assert word("ConfigRecord.resourceType", "null") is None
    with pytest.raises(Exception, match="nope is no field with words; these are AccessControlEntryRecord"):
        word("nope", "1")


@pytest.mark.jvm
def test_mistakes_are_named(spark: SparkSession, synthetic_history: Made) -> None:
    with pytest.raises(
        catalogue.CatalogueError, match="there is no table 'nope'; tables are acl_changes, acls"
    ):
        catalogue.register(spark, str(synthetic_history.nodes[0]), only=["nope"])
    with pytest.raises(OptionError, match="there is no option 'nope'"):
        catalogue.register(spark, str(synthetic_history.nodes[0]), only=["topics"], nope=1)
