"""One name for one thing: all columns of all tables are in one vocabulary, with one type, and nothing has two names.

Tests: `kafkaproto_pipeline.views.names`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from kafkaproto_pipeline import catalogue
from kafkaproto_pipeline.jobs.compact.snapshot_file import WRITTEN
from kafkaproto_pipeline.jobs.watch.alerts import alerts
from kafkaproto_pipeline.synthetic import Made
from kafkaproto_pipeline.views.names import column_of
from kafkaproto_pipeline.views.schema import STATE_RECORDS, STATE_TABLES, arrow_schema, columns_of
from kafkaproto_pipeline.views.words import FIELD_WORDS

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "pipeline.md"
MESSAGES = Path(__file__).resolve().parents[2] / "messages" / "metadata"

INTS, TEXTS = "array<int>", "array<string>"
VOTERS = "array<struct<voterId:int,voterDirectoryId:string>>"
RANGE = "minSupportedVersion:smallint,maxSupportedVersion:smallint"
OF_KAFKA: Mapping[str, str] = {
    **dict.fromkeys(("topicId", "topicName", "clusterId", "directoryId", "incarnationId"), "string"),
    **dict.fromkeys(("partitionId", "brokerId", "controllerId", "nodeId", "leaderId", "leader"), "int"),
    **dict.fromkeys(("leaderEpoch", "partitionEpoch", "partitionLeaderEpoch", "replicationFactor"), "int"),
    **dict.fromkeys(("isr", "replicas", "addingReplicas", "removingReplicas", "lastKnownElr"), INTS),
    **dict.fromkeys(("eligibleLeaderReplicas", "voterIds", "grantingVoterIds"), INTS),
    **dict.fromkeys(("directories", "logDirs", "cordonedLogDirs", "renewers"), TEXTS),
    **dict.fromkeys(("resourceType", "resourceName", "patternType", "principal", "host"), "string"),
    **dict.fromkeys(("operation", "permissionType", "aclId", "leaderRecoveryState", "mechanism"), "string"),
    **dict.fromkeys(("configName", "configValue", "quotaKey", "featureName", "userName"), "string"),
    **dict.fromkeys(("owner", "requester", "tokenId", "rack", "recordType"), "string"),
    **dict.fromkeys(("fenced", "inControlledShutdown", "isMigratingZkBroker", "zkMigrationReady"), "boolean"),
    **dict.fromkeys(("issueTimestamp", "maxTimestamp", "expirationTimestamp", "timestamp"), "timestamp"),
    **dict.fromkeys(("brokerEpoch", "nextProducerId", "offset", "endOffset"), "bigint"),
    **dict.fromkeys(("logStartOffset", "logEndOffset", "lastContainedLogTimestamp"), "bigint"),
    **dict.fromkeys(("salt", "storedKey", "serverKey"), "binary"),
    **dict.fromkeys(("featureLevel", "kRaftVersion"), "smallint"),
    "iterations": "int",
    "quotaValue": "double",
    "entity": "array<struct<entityType:string,entityName:string>>",
    "endPoints": "array<struct<name:string,host:string,port:int,securityProtocol:string>>",
    "features": f"array<struct<name:string,{RANGE}>>",
    "voters": "array<struct<voterId:int,voterDirectoryId:string,endpoints:array<struct<name:string,host:string,"
    f"port:int>>,kRaftVersionFeature:struct<{RANGE}>>>",
}
"""What Kafka has a name for: that of a field of its records and files, or what its tools and clients call it."""
OURS: Mapping[str, str] = {
    **dict.fromkeys(
        ("directory", "file", "source", "cause", "change", "endedBy", "kind", "outcome"), "string"
    ),
    **dict.fromkeys(("reason", "severity", "state", "subject", "text", "againstLog"), "string"),
    **dict.fromkeys(("deleted", "topicDeleted", "leaderless", "underMinIsr", "underReplicated"), "boolean"),
    **dict.fromkeys(("added", "removed", "updated"), VOTERS),
    **dict.fromkeys(("hour", "worstHour"), "timestamp"),
    **dict.fromkeys(("partitionCount", "brokerCount", "minIsr", "mostLedBy", "skippedEpochs"), "int"),
    **dict.fromkeys(("brokerTransitions", "leaderChanges", "led", "mostInAnHour", "mostLed"), "bigint"),
    **dict.fromkeys(("registrations", "timesFenced", "timesUnfenced", "snapshots", "bytes"), "bigint"),
    **dict.fromkeys(("records", "logRecords", "recordsBehind", "recordsUntilThen"), "bigint"),
    **dict.fromkeys(("replicasWithTheSame", "replicasWithThisOffset", "agreesUpToOffset"), "bigint"),
    **dict.fromkeys(("newestSnapshotEndOffset", "snapshotOffset"), "bigint"),
    **dict.fromkeys(("behindMs", "durationMs", "lifetimeMs"), "bigint"),
    **dict.fromkeys(("drift", "skew", "fencedSeconds", "leaderlessSeconds"), "double"),
    **dict.fromkeys(("underMinIsrSeconds", "underReplicatedSeconds"), "double"),
}
"""What Kafka has no name for."""
BEFORE_A_NAME = ("old", "new", "from", "to", "created", "deleted", "last")
"""What may stand before any of these names, as in ``oldConfigValue``: the same thing at another time."""
SECOND_NAMES: Mapping[str, str] = {
    "acl": "aclId",
    "elr": "eligibleLeaderReplicas",
    "epoch": "partitionLeaderEpoch",
    "event": "change",
    "id": "aclId",
    "key": "configName, quotaKey",
    "level": "featureLevel",
    "name": "topicName, configName, featureName, userName",
    "partition": "partitionId",
    "partitions": "partitionCount",
    "permission": "permissionType",
    "time": "timestamp",
    "topic": "topicName",
    "transitions": "brokerTransitions",
    "user": "userName",
    "value": "configValue, quotaValue",
}
"""Names that a column must not have, because the thing has the other one."""


def type_of(column: str) -> str | None:
    """The type that the vocabulary gives to a column; None if it does not have the name."""
    known = {**OF_KAFKA, **OURS}
    if column in known:
        return known[column]
    for word in BEFORE_A_NAME:
        rest = column.removeprefix(word)
        if rest != column and rest[:1].isupper():
            return known.get(rest[:1].lower() + rest[1:])
    return None


def faults(table: str, columns: Mapping[str, str]) -> list[str]:
    """What is wrong with the columns of a table."""
    found = []
    for name, kind in columns.items():
        if name in SECOND_NAMES:
            found.append(f"{table}.{name}: that is {SECOND_NAMES[name]}")
        elif type_of(name) is None:
            found.append(f"{table}.{name} is not in the vocabulary")
        elif type_of(name) != kind:
            found.append(f"{table}.{name} is {kind}, and {type_of(name)} in the vocabulary")
    return found


def spark_columns(name: str) -> dict[str, str]:
    """The columns of a table of the state, by name."""
    return {
        field.name: field.dataType.simpleString() for field in from_arrow_schema(arrow_schema(name)).fields
    }


def test_a_second_name_and_a_second_type_are_noticed() -> None:
    assert faults("t", {"topicName": "string", "oldConfigValue": "string", "toOffset": "bigint"}) == []
    assert faults("t", {"topic": "string"}) == ["t.topic: that is topicName"]
    assert faults("t", {"topicTitle": "string"}) == ["t.topicTitle is not in the vocabulary"]
    assert faults("t", {"topicId": "binary"}) == ["t.topicId is binary, and string in the vocabulary"]


def test_the_vocabulary_has_each_name_once() -> None:
    names = [*OF_KAFKA, *OURS]
    assert len({name.lower() for name in names}) == len(names), "Spark takes no notice of capitals"
    assert not SECOND_NAMES.keys() & set(names)


@pytest.mark.parametrize("table", STATE_TABLES)
def test_tables_of_the_state_have_names_of_the_vocabulary(table: str) -> None:
    assert faults(table, spark_columns(table)) == []


def fields_of_records() -> Iterator[tuple[str, str]]:
    """Each field of each record of the metadata log, as Kafka's JSON names it."""
    for path in sorted(MESSAGES.glob("*.json")):
        schema = json.loads(re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE))
        for field in schema["fields"]:
            yield schema["name"], field["name"][0].lower() + field["name"][1:]


def test_the_renamed_fields_are_those_whose_names_say_too_little() -> None:
    """A field has its own name in the tables, unless another record has another thing by that name."""
    by_column: dict[str, set[str]] = {}
    for record, field in fields_of_records():
        if record in STATE_RECORDS.values():
            by_column.setdefault(column_of(record, field), set()).add(field)
            assert column_of(record, field) == field or field in SECOND_NAMES, (record, field)
    assert all(len(fields) == 1 for fields in by_column.values()), by_column
    shown = {column.name for table in STATE_TABLES for column in columns_of(table)}
    assert shown - {"topicName"} <= by_column.keys()


def test_numbers_with_words_are_text_in_the_tables() -> None:
    for path in FIELD_WORDS:
        record, field, *members = path.split(".")
        for table, of_table in STATE_RECORDS.items():
            columns = spark_columns(table)
            if of_table == record and column_of(record, field) in columns:
                kind = columns[column_of(record, field)]
                assert f"{members[0]}:string" in kind if members else kind == "string", path


def test_documented_tables_have_names_of_the_vocabulary() -> None:
    """Without Spark: `test_catalogue` compares the document with the tables."""
    tables = re.findall(
        r"^\| `(\w+)`(?: \(`\w+`\))? \| [^|]+ \| (`.+`) \|$", DOCUMENT.read_text(), re.MULTILINE
    )
    documented = {name: columns.strip("`").split("`, `") for name, columns in tables}
    assert documented.keys() >= {entry.name for entry in catalogue.ENTRIES}
    for entry in catalogue.ENTRIES:
        for column in documented[entry.name]:
            assert type_of(column) is not None, f"{entry.name}.{column}"


@pytest.mark.jvm
def test_all_tables_have_names_and_types_of_the_vocabulary(
    spark: SparkSession, synthetic_history: Made
) -> None:
    node = str(synthetic_history.nodes[0])
    names = catalogue.register(spark, node)
    found = [fault for name in names for fault in faults(name, dict(spark.table(name).dtypes))]
    stream = spark.readStream.format("kraft").load(node)
    found += faults("alerts", dict(alerts(stream).dtypes))
    written = from_arrow_schema(WRITTEN).fields
    found += faults("compact", {field.name: field.dataType.simpleString() for field in written})
    assert found == []
    for name in names:
        spark.catalog.dropTempView(name)
    spark.catalog.clearCache()
