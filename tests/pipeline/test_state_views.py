"""The views of the state's tables: what the source makes by replay is what the job ``state`` makes with Spark.

Tests: `kafkaproto_pipeline.jobs.state.cluster_tables`, `kafkaproto_pipeline.jobs.state.security_tables`,
`kafkaproto_pipeline.jobs.state.topic_tables`, `kafkaproto_pipeline.views.state_tables`,
`kafkaproto_pipeline.views.words`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from kafkaproto.messages import (
    AccessControlEntryRecord,
    ClientQuotaRecord,
    ConfigRecord,
    DelegationTokenRecord,
    UserScramCredentialRecord,
)
from kafkaproto_pipeline.datasource import KraftDataSource
from kafkaproto_pipeline.jobs import state
from kafkaproto_pipeline.jobs.redaction import redacted
from kafkaproto_pipeline.options import OptionError, check_for_stream, parse_options
from kafkaproto_pipeline.synthetic import Made
from kafkaproto_pipeline.views import schema
from kafkaproto_pipeline.views.state_tables import table_batches
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE
from kafkaproto_server.metadata.image.replay import replay_all
from tests.pipeline.decoder_logs import record_bytes
from tests.pipeline.histories import LAST_PARTITIONS, History

SECRET = "hunter2"


def table(view: str, *records: Any, shows_secrets: bool = False) -> list[dict[str, Any]]:
    image = replay_all(EMPTY_IMAGE, records, 0)
    columns = tuple(column.name for column in schema.columns_of(view))
    batches = table_batches(view, image, columns, shows_secrets=shows_secrets)
    found: list[dict[str, Any]] = pa.Table.from_batches(batches, schema.arrow_schema(view)).to_pylist()
    return found


def test_words_stand_where_records_have_numbers() -> None:
    acl = AccessControlEntryRecord(
        id=bytes(16),
        resource_type=2,
        resource_name="t",
        pattern_type=4,
        principal="User:alice",
        host="*",
        operation=99,
        permission_type=2,
    )
    assert table("acls", acl) == [
        {
            "aclId": "A" * 22,
            "resourceType": "TOPIC",
            "resourceName": "t",
            "patternType": "PREFIXED",
            "principal": "User:alice",
            "host": "*",
            "operation": "99",
            "permissionType": "DENY",
        }
    ]


def test_secrets_are_hidden_unless_they_are_asked_for() -> None:
    def config(resource_type: int, name: str, key: str) -> ConfigRecord:
        return ConfigRecord(resource_type=resource_type, resource_name=name, name=key, value=SECRET)

    configs = [
        config(2, "t", "retention.ms"),
        config(4, "1", "listener.name.x.ssl.keystore.password"),
        config(4, "1", "listener.name.x.ssl.keystore.type"),
        config(4, "1", "nobody.knows"),
        config(8, "1", "a.logger"),
        config(99, "1", "retention.ms"),
    ]
    shown = [SECRET, "[redacted]", SECRET, "[redacted]", "[redacted]", "[redacted]"]
    assert [row["configValue"] for row in table("configs", *configs)] == shown
    assert {row["configValue"] for row in table("configs", *configs, shows_secrets=True)} == {SECRET}
    token = DelegationTokenRecord(owner="User:a", token_id=SECRET)
    assert [row["tokenId"] for row in table("delegation_tokens", token)] == ["[redacted]"]
    assert [row["tokenId"] for row in table("delegation_tokens", token, shows_secrets=True)] == [SECRET]
    scram = UserScramCredentialRecord(
        name="a", mechanism=2, salt=b"x", stored_key=b"y", server_key=b"z", iterations=4096
    )
    hidden = {"salt": None, "storedKey": None, "serverKey": None}
    (credential,) = table("scram_credentials", scram)
    assert credential == {"userName": "a", "mechanism": "SCRAM-SHA-512", "iterations": 4096, **hidden}
    (credential,) = table("scram_credentials", scram, shows_secrets=True)
    assert (credential["salt"], credential["storedKey"], credential["serverKey"]) == (b"x", b"y", b"z")


def test_a_long_table_comes_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_pipeline.views.state_tables.MAX_ROWS", 2)
    entity = [ClientQuotaRecord.EntityData(entity_type="user", entity_name=None)]
    quotas = [ClientQuotaRecord(entity=entity, key=key, value=1.5) for key in "abcde"]
    assert [row["quotaKey"] for row in table("quotas", *quotas)] == list("abcde")
    assert table("quotas") == []


def test_options_of_these_views() -> None:
    options = parse_options({"path": "x", "view": "topics"})
    assert options.as_of is not None
    assert (options.as_of.offset, options.as_of.timestamp_ms) == (None, None)
    with pytest.raises(OptionError, match="'secrets' is for the views topics, partitions"):
        parse_options({"path": "x", "view": "typed", "secrets": "true"})
    for name, value in (("recordTypes", "TopicRecord"), ("startOffset", "5"), ("endTimestamp", "2026-01-01")):
        with pytest.raises(OptionError, match=name):
            parse_options({"path": "x", "view": "topics", name: value})
    with pytest.raises(OptionError, match="view 'topics' is for batch reads"):
        check_for_stream(options)


def counted(df: DataFrame) -> Counter[str]:
    """Rows as texts; lists that are sets in their order."""

    def plain(value: Any) -> Any:
        if isinstance(value, bytearray | bytes):
            return bytes(value)
        if isinstance(value, list):
            plains = [plain(each) for each in value]
            return sorted(plains, key=repr) if any(isinstance(each, dict) for each in plains) else plains
        return value

    return Counter(
        repr({name: plain(value) for name, value in row.asDict(recursive=True).items()})
        for row in df.collect()
    )


def check(spark: SparkSession, path: str, as_of: str) -> Counter[str]:
    """Compare all views; the number of rows by table."""
    spark.dataSource.register(KraftDataSource)
    reader = spark.read.format("kraft")
    rows = reader.options(view="state", asOf=as_of).load(path)
    sizes: Counter[str] = Counter()
    for name, make in state.JOB.tables.items():
        expected = make(rows)
        shown = reader.options(view=name, asOf=as_of, secrets="true").load(path)
        assert shown.schema.simpleString() == expected.schema.simpleString(), name
        found, wanted = counted(shown), counted(expected)
        assert (list(found - wanted)[:3], list(wanted - found)[:3]) == ([], []), name
        if name in ("configs", "scram_credentials", "delegation_tokens"):
            hidden = spark.read.format("kraft").options(view=name, asOf=as_of).load(path)
            assert counted(hidden) == counted(redacted(expected, name)), name
        sizes[name] = found.total()
    state.forget(rows)
    return sizes


@pytest.mark.jvm
def test_views_are_the_jobs_tables(spark: SparkSession, synthetic_history: Made) -> None:
    path = str(synthetic_history.nodes[0])
    sizes = check(spark, path, "latest")
    assert all(sizes[name] > 0 for name in schema.STATE_TABLES), sizes
    check(spark, path, "3000")


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize("make", ["our_history", "stock_history"])
def test_views_of_real_histories(make: str, spark: SparkSession, request: pytest.FixtureRequest) -> None:
    made: History = request.getfixturevalue(make)
    sizes = check(spark, ",".join(made.paths), "latest")
    assert sizes["partitions"] >= LAST_PARTITIONS
    check(spark, made.paths[0], str(made.high_watermark // 2))


@pytest.mark.jvm
def test_views_in_sql(spark: SparkSession, synthetic_history: Made) -> None:
    spark.dataSource.register(KraftDataSource)
    path = synthetic_history.nodes[0]
    for name in ("topics", "partitions"):
        spark.sql(
            f"create temporary view at_3000_{name} using kraft options (path '{path}', view '{name}', asOf 3000)"
        )
    (row,) = spark.sql(
        "select count(distinct t.topicName) topics, count(*) partitions, count(p.leader) leaders from at_3000_topics t"
        " join at_3000_partitions p using (topicId) where p.topicName = t.topicName"
    ).collect()
    assert row["topics"] > 10
    assert row["partitions"] == row["leaders"] > row["topics"]
    one = spark.read.format("kraft").options(view="topics", columns="topicName").load(str(path))
    assert one.columns == ["topicName"]
    assert one.count() > 10


@pytest.mark.jvm
def test_damage_is_an_error(spark: SparkSession, synthetic_history: Made, tmp_path: Path) -> None:
    spark.dataSource.register(KraftDataSource)
    (log, *_) = sorted((synthetic_history.nodes[0] / "__cluster_metadata-0").glob("*.log"))
    data = bytearray(log.read_bytes())
    data[record_bytes(bytes(data))[0]] ^= 1
    folder = tmp_path / "__cluster_metadata-0"
    folder.mkdir()
    (folder / log.name).write_bytes(data)
    reader = spark.read.format("kraft").options(view="topics")
    with pytest.raises(PySparkException, match=f"{log.name}, byte 0, offset 0: the crc"):
        reader.load(str(tmp_path)).collect()
