"""The state of real clusters, after kills: what the controllers' replay and Apache Kafka's shell make of the same.

Tests: `kafkaproto_pipeline.jobs.job`, `kafkaproto_pipeline.jobs.state.job`, `kafkaproto_pipeline.jobs.state.rows`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from immutables import Map
from pyspark.sql import DataFrame, SparkSession

from kafkaproto.log import BatchScan
from kafkaproto.snapshot import parse_snapshot_file_name
from kafkaproto_pipeline.datasource import KraftDataSource
from kafkaproto_pipeline.jobs import state
from kafkaproto_pipeline.jobs.compact.snapshot_values import LEVEL_COLUMN, snapshot_values
from kafkaproto_pipeline.jobs.job import Transform
from kafkaproto_server.metadata.features import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    METADATA_VERSION,
    metadata_version,
)
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.snapshot import image_from_values
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.tools.shell.sources import load_file
from tests.compat.test_metadata_shell import recorded_session
from tests.pipeline.histories import History

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

Files = dict[tuple[str, ...], str]
"""What the shell's files contain, by their path."""
Row = Mapping[str, Any]

Tables = dict[str, list[Row]]


def load(spark: SparkSession, paths: Sequence[str], offset: int) -> DataFrame:
    """The rows that the state at an offset is made of."""
    spark.dataSource.register(KraftDataSource)
    reader = spark.read.format("kraft").options(view="state", asOf=offset)
    return reader.load(",".join(paths))


def log_of(made: History) -> Path:
    """The whole log of the first node: a single segment."""
    (path,) = Path(made.paths[0], "__cluster_metadata-0").glob("*.log")
    return path


def snapshots_of(made: History) -> list[Path]:
    """The snapshots of the first node, without the empty one that formatting wrote."""
    return sorted(Path(made.paths[0], "__cluster_metadata-0").glob("*.checkpoint"))[1:]


def end_of(snapshot: Path) -> int:
    """The first offset that a snapshot does not contain."""
    found = parse_snapshot_file_name(snapshot.name)
    assert found is not None
    return found.end_offset


def offset_within_a_batch(log: Path, after: int) -> int:
    """The first offset behind another one whose batch goes on behind it."""
    batches = BatchScan(log.read_bytes())
    return next(each.base_offset for each in batches if each.base_offset > after and each.record_count > 1)


def as_apache_kafka_may_differ(image: ClusterImage) -> ClusterImage:
    """The image without what images of Apache Kafka may differ in: a snapshot lists a broker's features in another
    order than the log, it keeps the configs of a topic that was made and deleted since the snapshot's last delta, and
    it has no eligible leader replicas if they are turned off (`compat/kafka/FINDINGS.md`)."""
    brokers = {
        broker_id: msgspec.structs.replace(
            broker, features=tuple(sorted(broker.features, key=lambda each: each.name))
        )
        for broker_id, broker in image.brokers.items()
    }
    names = {topic.name for topic in image.topics.values()}
    configs = {
        resource: values
        for resource, values in image.configs.items()
        if resource[0] != TOPIC_RESOURCE or resource[1] in names
    }
    topics = image.topics
    if not image.features.get(ELIGIBLE_LEADER_REPLICAS_VERSION):
        topics = Map({topic_id: without_elr(topic) for topic_id, topic in topics.items()})
    return msgspec.structs.replace(image, brokers=Map(brokers), configs=Map(configs), topics=topics)


def without_elr(topic: TopicImage) -> TopicImage:
    partitions = {
        index: msgspec.structs.replace(partition, elr=(), last_known_elr=())
        for index, partition in topic.partitions.items()
    }
    return msgspec.structs.replace(topic, partitions=Map(partitions))


@pytest.mark.parametrize(
    ("make", "within"), [("our_history", False), ("our_history", True), ("stock_history", False)]
)
def test_state_is_what_the_controllers_replay(
    make: str, within: bool, spark: SparkSession, request: pytest.FixtureRequest
) -> None:
    """Of all nodes' directories, at the end or within a batch: of a snapshot, and the log behind it."""
    made: History = request.getfixturevalue(make)
    offset = made.high_watermark - 1
    if within:
        offset = offset_within_a_batch(log_of(made), end_of(snapshots_of(made)[1]))
    df = load(spark, made.paths, offset)
    check_digest(tables_of(df, state.RECORDED), made, offset, is_stock=make == "stock_history")
    state.forget(df)


def check_digest(tables: Tables, made: History, offset: int, *, is_stock: bool) -> None:
    """The tables come to what the server replays of the log from its first record on."""
    expected = load_file(OsDisk(), str(log_of(made)), offset)
    assert expected.offset == offset
    assert expected.topics
    assert expected.brokers
    levels = {row["name"]: row["featureLevel"] for row in tables["features"]}
    values: list[tuple[bytes, bytes]] = []
    for name, rows in tables.items():
        leveled = [{**row, LEVEL_COLUMN: levels[METADATA_VERSION]} for row in rows]
        (keyed,) = snapshot_values([pa.RecordBatch.from_pylist(leveled)], table=name)
        values += zip(keyed["key"].to_pylist(), keyed["value"].to_pylist(), strict=True)
    in_order = [value for _, value in sorted(values)]
    found = image_from_values(in_order, offset=offset, epoch=expected.epoch, timestamp_ms=0)
    if is_stock:
        found, expected = map(as_apache_kafka_may_differ, (found, expected))
    assert digest(found) == digest(expected)


def test_tables_are_what_the_stock_shell_shows(spark: SparkSession, stock_history: History) -> None:
    """The tables are made of the log alone; the shell shows the snapshot that a stock controller wrote there."""
    snapshot = snapshots_of(stock_history)[-1]
    parts = ("topics/byName", "cluster/brokers", "configs", "features", "acls/byId", "clientQuotas", "scram")
    commands = [*(f"tree /image/{part}" for part in parts), "cat /image/producerIds/nextProducerId"]
    responses = [each.output for each in recorded_session(snapshot, commands)]
    topics, brokers, configs, features, acls, quotas, scram = map(files, responses[:-1])

    offset = end_of(snapshot) - 1
    df = load(spark, [str(log_of(stock_history))], offset)
    tables = tables_of(df, state.RECORDED)
    check_digest(tables, stock_history, offset, is_stock=True)
    tables = tables_of(df, state.JOB.tables)
    state.forget(df)
    told = {(row["topicName"], "id"): row["topicId"] for row in tables["topics"]}
    told |= {(row["topicName"], "name"): row["topicName"] for row in tables["topics"]}
    has_elr = any(row["featureName"] == ELIGIBLE_LEADER_REPLICAS_VERSION for row in tables["features"])
    told |= {
        (row["topicName"], str(row["partitionId"])): partition(
            row if has_elr else {**row, "eligibleLeaderReplicas": (), "lastKnownElr": ()}
        )
        for row in tables["partitions"]
    }
    assert told == topics
    assert {(str(row["brokerId"]),): broker(row) for row in tables["brokers"]} == brokers
    # An empty value looks like a directory with nothing in it.
    set_to_something = [row for row in tables["configs"] if row["configValue"]]
    shown = {path: text for path, text in configs.items() if is_of_something_there(path[0], tables["topics"])}
    assert {(resource(row), row["configName"]): row["configValue"] for row in set_to_something} == shown
    assert {feature(row) for row in tables["features"]} == {(*path, text) for path, text in features.items()}
    assert {(row["aclId"],): acl(row) for row in tables["acls"]} == acls
    # Of default entities the shell has no names, and shows nothing of what is set for them.
    named = [row for row in tables["quotas"] if all(each["entityName"] is not None for each in row["entity"])]
    assert {(entity(row), row["quotaKey"]): row["quotaValue"] for row in named} == {
        path: float(text) for path, text in quotas.items()
    }
    assert {
        (row["mechanism"], row["userName"]): credential(row) for row in tables["scram_credentials"]
    } == scram
    assert [str(row["nextProducerId"]) for row in tables["producer_ids"]] == [responses[-1].strip()]
    # What the requests came to depends on when the kills were.
    assert {} not in (topics, brokers, features)
    assert [configs, acls, quotas, scram].count({}) < 2


def tables_of(df: DataFrame, tables: Mapping[str, Transform]) -> Tables:
    return {
        name: [row.asDict(recursive=True) for row in table(df).collect()] for name, table in tables.items()
    }


def files(tree: str) -> Files:
    """Take apart what ``tree`` prints: directories and files with a colon, and what is in them deeper by two."""
    found: Files = {}
    path: list[str] = []
    for line in tree.splitlines():
        text = line.lstrip()
        depth = (len(line) - len(text)) // 2
        if text.endswith(":"):
            path[depth:] = [text[:-1]]
        elif text:
            found[tuple(path[:depth])] = text
    return found


def listed(values: Iterable[Any]) -> str:
    return f"[{', '.join(map(str, values))}]"


def partition(row: Row) -> str:
    return (
        f"PartitionRegistration(replicas={listed(row['replicas'])}, directories={listed(row['directories'])},"
        f" isr={listed(row['isr'])}, removingReplicas={listed(row['removingReplicas'])},"
        f" addingReplicas={listed(row['addingReplicas'])}, elr={listed(row['eligibleLeaderReplicas'])},"
        f" lastKnownElr={listed(row['lastKnownElr'])}, leader={row['leader']},"
        f" leaderRecoveryState={row['leaderRecoveryState']},"
        f" leaderEpoch={row['leaderEpoch']}, partitionEpoch={row['partitionEpoch']})"
    )


def broker(row: Row) -> str:
    listeners = listed(
        f"Endpoint(listenerName='{each['name']}', securityProtocol={each['securityProtocol']}, host='{each['host']}',"
        f" port={each['port']})"
        for each in row["endPoints"]
    )
    features = ", ".join(
        f"{each['name']}: {each['minSupportedVersion']}-{each['maxSupportedVersion']}"
        for each in sorted(row["features"], key=lambda each: str(each["name"]))
    )
    flags = {
        name: str(row[name]).lower() for name in ("fenced", "inControlledShutdown", "isMigratingZkBroker")
    }
    rack = "Optional.empty" if row["rack"] is None else f"Optional[{row['rack']}]"
    cordoned = "null" if row["cordonedLogDirs"] is None else listed(row["cordonedLogDirs"])
    return (
        f"BrokerRegistration(id={row['brokerId']}, epoch={row['brokerEpoch']}, incarnationId={row['incarnationId']},"
        f" listeners={listeners}, supportedFeatures={{{features}}},"
        f" rack={rack}, fenced={flags['fenced']},"
        f" inControlledShutdown={flags['inControlledShutdown']}, isMigratingZkBroker={flags['isMigratingZkBroker']},"
        f" directories={listed(row['logDirs'])}, cordonedDirectories={cordoned})"
    )


def resource(row: Row) -> str:
    kind = row["resourceType"]
    return f"{kind}:{row['resourceName']}" if row["resourceName"] else kind


def is_of_something_there(text: str, topics: Sequence[Row]) -> bool:
    """Whether a resource, as the shell names it, is no topic or one that is there (`as_apache_kafka_may_differ`)."""
    return not text.startswith("TOPIC:") or text.removeprefix("TOPIC:") in {
        row["topicName"] for row in topics
    }


def feature(row: Row) -> tuple[str, str]:
    if row["featureName"] == METADATA_VERSION:
        return "metadataVersion", f"Optional[{metadata_version(row['featureLevel']).name}]"
    return f"finalized_{row['featureName']}", str(row["featureLevel"])


def acl(row: Row) -> str:
    return (
        f"StandardAcl[resourceType={row['resourceType']}, resourceName={row['resourceName']},"
        f" patternType={row['patternType']}, principal={row['principal']}, host={row['host']},"
        f" operation={row['operation']}, permissionType={row['permissionType']}]"
    )


def entity(row: Row) -> str:
    kinds = {"user": "user", "client-id": "clientId", "ip": "ip"}
    return "_".join(f"{kinds[each['entityType']]}({each['entityName']})" for each in row["entity"])


def credential(row: Row) -> str:
    salt, stored, server = (bytes(row[name]).hex() for name in ("salt", "storedKey", "serverKey"))
    return f"ScramCredentialData(salt={salt}, storedKey={stored}, serverKey={server}, iterations={row['iterations']})"
