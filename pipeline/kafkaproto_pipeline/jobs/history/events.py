"""Everything that happened to the cluster as one table: a row for each event, with a sentence that tells it.

The events are made of the other tables of the history. What happens to many partitions of a topic at once is one
event. Every change of an ISR would be an event too, but there are so many that they are in the table ``isr`` alone.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.history.broker_intervals import brokers, directories
from kafkaproto_pipeline.jobs.history.changes import acl_changes, config_changes, quota_changes, scram_changes
from kafkaproto_pipeline.jobs.history.cluster_changes import controllers, features, tokens
from kafkaproto_pipeline.jobs.history.partition_intervals import NO_LEADER, leadership
from kafkaproto_pipeline.jobs.history.quorum_intervals import EPOCH, quorum, voters
from kafkaproto_pipeline.jobs.history.rows import (
    CLUSTER,
    counted_rows,
    from_snapshot,
    kept,
    kept_or_made,
    same_cluster,
    without_partitions,
)
from kafkaproto_pipeline.jobs.history.rows import topics as topic_names
from kafkaproto_pipeline.jobs.history.topic_intervals import reassignments, topic_changes
from kafkaproto_pipeline.jobs.job import Transform
from kafkaproto_pipeline.jobs.redaction import shown_value
from kafkaproto_pipeline.jobs.words import in_sentence

RECOVERING = 1
"""The leaderRecoveryState of a partition whose leader was elected uncleanly."""


def events(df: DataFrame) -> DataFrame:
    """Everything that happened, one row each; sort by cluster and offset to read it.

    ``kind`` is a word of a fixed set, ``subject`` what it happened to ("topic orders", "broker 3", "quorum"), ``text``
    a sentence. ``topicName`` and ``brokerId`` are set if the subject is one or belongs to one.
    ``partitionLeaderEpoch`` is that of the record. What a snapshot tells happened before the history begins, so it is
    no event. The texts have no secrets: values of sensitive configs are "[redacted]", and tokens are told without
    their ids.
    """
    few = without_partitions(df)
    made = (
        _elections(df),
        _brokers(df),
        _topics(df),
        _leaders(df),
        _unclean_elections(df),
        _reassignments(df),
        *(make(few) for make in _OF_FEW_RECORDS),
    )
    found = reduce(lambda one, other: one.unionByName(other), made)
    epochs = kept(df, quorum).select(CLUSTER, EPOCH, "fromOffset", "toOffset")
    of_epoch = (
        same_cluster(found, epochs)
        & (found["offset"] >= epochs["fromOffset"])
        & (epochs["toOffset"].isNull() | (found["offset"] < epochs["toOffset"]))
    )
    return found.join(F.broadcast(epochs), of_epoch, "left").select(
        found[CLUSTER], "offset", "timestamp", EPOCH, "kind", "subject", "topicName", "brokerId", "text"
    )


def _made(make: Transform, df: DataFrame) -> DataFrame:
    """Another table of the history. One of a local frame is kept, as it is wanted for itself as well."""
    return kept(df, make) if df.isLocal() else kept_or_made(df, make)


def _told(
    rows: DataFrame,
    kind: Column,
    subject: Column,
    text: Column,
    *,
    topic: Column | None = None,
    broker: Column | None = None,
) -> DataFrame:
    """Rows with offset and timestamp as events."""
    nothing = F.lit(None)
    return rows.select(
        CLUSTER,
        "offset",
        "timestamp",
        kind.alias("kind"),
        subject.alias("subject"),
        (nothing if topic is None else topic).cast("STRING").alias("topicName"),
        (nothing if broker is None else broker).cast("INT").alias("brokerId"),
        text.alias("text"),
    )


def _from_log(table: DataFrame) -> DataFrame:
    return table.filter(~from_snapshot())


def _text(form: str, *values: str | Column) -> Column:
    """The values in a text; null if one of them is null."""
    columns = [F.col(each) if isinstance(each, str) else each for each in values]
    known = reduce(lambda one, other: one & other, (each.isNotNull() for each in columns))
    return F.when(known, F.format_string(form, *columns))


def _list(numbers: Column) -> Column:
    return F.array_join(numbers.cast("ARRAY<STRING>"), ", ")


def _number_of(count: Column, one: str, many: str) -> Column:
    return F.when(count == 1, F.lit(f"1 {one}")).otherwise(F.format_string(f"%d {many}", count))


def _elections(df: DataFrame) -> DataFrame:
    rows = kept(df, quorum).filter("leaderId IS NOT NULL")
    rows = rows.withColumnsRenamed({"fromOffset": "offset", "fromTimestamp": "timestamp"})
    text = _text("Controller %d became the leader of the quorum in epoch %d", "leaderId", EPOCH)
    return _told(rows, F.lit("leader elected"), F.lit("quorum"), text)


def _voters(df: DataFrame) -> DataFrame:
    def members(name: str, verb: str) -> Column:
        ids = _list(F.transform(name, lambda each: each.getField("voterId")))
        return F.when(F.size(name) > 0, F.concat(F.lit(f"{verb} "), ids))

    rows = _from_log(_made(voters, df)).filter(
        (F.size("added") > 0) | (F.size("removed") > 0) | (F.size("updated") > 0)
    )
    parts = F.concat_ws(
        "; ", members("added", "added"), members("removed", "removed"), members("updated", "updated")
    )
    return _told(rows, F.lit("voters changed"), F.lit("quorum"), F.concat(F.lit("Voters: "), parts))


def _features(df: DataFrame) -> DataFrame:
    text = _text("%s went from level %d to level %d", "featureName", "oldFeatureLevel", "newFeatureLevel")
    return _told(
        _from_log(_made(features, df)), F.lit("feature changed"), _text("feature %s", "featureName"), text
    )


def _controllers(df: DataFrame) -> DataFrame:
    kind = F.concat(F.lit("controller "), F.col("change"))
    text = _text("Controller %d %s", "controllerId", "change")
    return _told(_from_log(_made(controllers, df)), kind, _text("controller %d", "controllerId"), text)


def _brokers(df: DataFrame) -> DataFrame:
    before = Window.partitionBy("brokerId", CLUSTER).orderBy("fromOffset")
    registration = F.struct("brokerEpoch", "incarnationId")
    registers = ~registration.eqNullSafe(F.lag(registration).over(before))
    rows = _made(brokers, df).withColumns(
        {"registers": registers & (F.col("state") != "unregistered"), "before": F.lag("state").over(before)}
    )
    rows = _from_log(rows).withColumnsRenamed({"fromOffset": "offset", "fromTimestamp": "timestamp"})
    kind = (
        F.when(F.col("registers"), "broker registered")
        .when(F.col("state") == "active", "broker unfenced")
        .when(F.col("state") == "controlled shutdown", "broker in controlled shutdown")
        .otherwise(F.concat(F.lit("broker "), "state"))
    )
    verb = (
        F.when(
            F.col("registers"), F.when(F.col("before").isNull(), "registered").otherwise("registered again")
        )
        .when(F.col("state") == "active", "was unfenced")
        .when(F.col("state") == "controlled shutdown", "began a controlled shutdown")
        .otherwise(F.concat(F.lit("was "), "state"))
    )
    text = F.concat(_text("Broker %d ", "brokerId"), verb)
    return _told(rows, kind, _text("broker %d", "brokerId"), text, broker=F.col("brokerId"))


def _directories(df: DataFrame) -> DataFrame:
    texts = {
        "failed": "Broker %d lost log directory %s",
        "missing": "Broker %d came back without log directory %s",
        "cordoned": "Broker %d takes no more new replicas into log directory %s",
        "uncordoned": "Broker %d takes new replicas into log directory %s again",
    }
    rows = _from_log(_made(directories, df)).filter(
        F.col("partitionId").isNull() & F.col("change").isin(*texts)
    )
    text = F.coalesce(
        *(
            F.when(F.col("change") == change, _text(form, "brokerId", "directoryId"))
            for change, form in texts.items()
        )
    )
    kind = F.concat(F.lit("directory "), "change")
    return _told(rows, kind, _text("broker %d", "brokerId"), text, broker=F.col("brokerId"))


def _topics(df: DataFrame) -> DataFrame:
    rows = _from_log(kept(df, topic_changes))
    size = _number_of(F.col("newPartitionCount"), "partition", "partitions")
    created = F.concat(
        _text("Topic %s was created with ", "topicName"),
        size,
        F.coalesce(_text(" of replication factor %d", "replicationFactor"), F.lit("")),
    )
    grew = F.concat(_text("Topic %s grew from %d to ", "topicName", "oldPartitionCount"), size)
    change = F.col("change")
    text = (
        F.when(change == "created", created)
        .when(change == "deleted", _text("Topic %s was deleted", "topicName"))
        .otherwise(grew)
    )
    kind = F.when(change == "partitions added", change).otherwise(F.concat(F.lit("topic "), change))
    return _told(rows, kind, _text("topic %s", "topicName"), text, topic=F.col("topicName"))


def _leaders(df: DataFrame) -> DataFrame:
    """The partitions of a topic that lost their leader, or got one again, at the same moment."""
    is_leaderless, ends_leaderless = F.col("leader") == NO_LEADER, F.col("endedBy") == "leaderless"
    gets_one = is_leaderless & (F.col("endedBy") == "another leader")
    loses_it = ~is_leaderless & ends_leaderless
    rows = _made(leadership, df).filter(F.col("topicName").isNotNull() & (gets_one | loses_it))
    rows = rows.groupBy(
        CLUSTER, "topicName", "topicId", F.col("toTimestamp").alias("timestamp"), gets_one.alias("getsOne")
    ).agg(F.min("toOffset").alias("offset"), F.count("*").alias("count"))
    count = _number_of(F.col("count"), "partition", "partitions")
    lost = F.when(F.col("count") == 1, "lost its leader").otherwise("lost their leader")
    regained = F.when(F.col("count") == 1, "has a leader again").otherwise("have a leader again")
    verb = F.when(F.col("getsOne"), regained).otherwise(lost)
    kind = F.when(F.col("getsOne"), "leader regained").otherwise("leader lost")
    text = F.concat(count, _text(" of %s ", "topicName"), verb)
    return _told(rows, kind, _text("topic %s", "topicName"), text, topic=F.col("topicName"))


def _unclean_elections(df: DataFrame) -> DataFrame:
    """The partitions of a topic that got a leader which was not in sync, at the same moment (KIP-704)."""
    change = F.col("PartitionChangeRecord")
    rows = counted_rows(df, "PartitionChangeRecord").filter(
        (change["leaderRecoveryState"] == RECOVERING) & (change["leader"] >= 0)
    )
    rows = rows.groupBy(CLUSTER, change["topicId"].alias("topicId"), "timestamp").agg(
        F.min("offset").alias("offset"), F.count("*").alias("count")
    )
    rows = _with_topic(rows, df)
    count = _number_of(F.col("count"), "partition", "partitions")
    text = F.concat(count, _text(" of %s got a leader that was not in sync", "topicName"))
    return _told(
        rows, F.lit("unclean election"), _text("topic %s", "topicName"), text, topic=F.col("topicName")
    )


def _with_topic(rows: DataFrame, df: DataFrame) -> DataFrame:
    """Rows with a topic's id, with its name; those of topics without a known name are left out."""
    known = topic_names(counted_rows(df, "TopicRecord", "RemoveTopicRecord"))
    same_topic = same_cluster(rows, known) & (rows["topicId"] == known["topicId"])
    return rows.join(known, same_topic).filter("topicName IS NOT NULL").select(rows["*"], "topicName")


def _cleared(df: DataFrame) -> DataFrame:
    name = F.col("ClearElrRecord.topicName")
    rows = counted_rows(df, "ClearElrRecord").withColumn("topicName", F.when(name != "", name))
    subject = F.coalesce(_text("topic %s", "topicName"), F.lit("all topics"))
    text = F.concat(F.lit("Eligible leader replicas of "), subject, F.lit(" were cleared"))
    return _told(_from_log(rows), F.lit("ELR cleared"), subject, text, topic=F.col("topicName"))


def _reassignments(df: DataFrame) -> DataFrame:
    rows = kept(df, reassignments)
    began = _from_log(rows).filter("NOT toOffset <=> fromOffset")
    ended = rows.filter("outcome IN ('done', 'cancelled')")
    words = F.when(F.col("outcome") == "done", "ended").otherwise("cancelled")
    moments = began.select(
        "*",
        F.col("fromOffset").alias("offset"),
        F.col("fromTimestamp").alias("timestamp"),
        F.lit("begun").alias("change"),
    ).unionByName(
        ended.select(
            "*",
            F.col("toOffset").alias("offset"),
            F.col("toTimestamp").alias("timestamp"),
            words.alias("change"),
        )
    )
    together = moments.groupBy(CLUSTER, "topicName", "topicId", "timestamp", "change").agg(
        F.min("offset").alias("offset"),
        F.count("*").alias("count"),
        *(F.min(name).alias(name) for name in ("partitionId", "fromReplicas", "toReplicas")),
    )
    verb = (
        F.when(F.col("change") == "begun", "began")
        .when(F.col("change") == "ended", "ended")
        .otherwise("was cancelled")
    )
    one = F.concat(
        _text("Reassignment of partition %d of %s from replicas ", "partitionId", "topicName"),
        _text("%s to %s ", _list(F.col("fromReplicas")), _list(F.col("toReplicas"))),
        verb,
    )
    many = F.concat(_text("Reassignment of %d partitions of %s ", "count", "topicName"), verb)
    text = F.when(F.col("count") == 1, one).otherwise(many)
    kind = F.concat(F.lit("reassignment "), F.col("change"))
    return _told(together, kind, _text("topic %s", "topicName"), text, topic=F.col("topicName"))


def _configs(df: DataFrame) -> DataFrame:
    rows = _from_log(_made(config_changes, df)).filter(
        "NOT topicDeleted AND NOT oldConfigValue <=> newConfigValue"
    )
    of_broker = F.col("resourceType") == "BROKER"
    kind_of_resource = in_sentence(F.col("resourceType"))
    is_default = F.col("resourceName") == ""
    subject = (
        F.when(is_default & of_broker, "all brokers")
        .when(is_default, F.concat(F.lit("every "), kind_of_resource))
        .otherwise(_text("%s %s", kind_of_resource, "resourceName"))
    )
    old, new = (
        shown_value("resourceType", "configName", name) for name in ("oldConfigValue", "newConfigValue")
    )
    was = F.coalesce(_text(" (it was %s)", old), F.lit(""))
    verb = F.coalesce(_text(" was set to %s", new), F.lit(" was removed"))
    text = F.concat(_text("%s of %s", "configName", subject), verb, was)
    topic = F.when(F.col("resourceType") == "TOPIC", F.col("resourceName"))
    broker = F.when(of_broker, F.col("resourceName").try_cast("INT"))
    kind = F.lit("config changed")
    return _told(rows, kind, F.concat(F.lit("config "), subject), text, topic=topic, broker=broker)


def _acls(df: DataFrame) -> DataFrame:
    of_topic = (F.col("resourceType") == "TOPIC") & (F.col("patternType") == "LITERAL")
    kind = F.concat(F.lit("ACL "), F.col("change"))
    text = _text("ACL %s: %s", "change", "text")
    topic = F.when(of_topic, F.col("resourceName"))
    subject = _text("%s %s", in_sentence(F.col("resourceType")), "resourceName")
    return _told(_from_log(_made(acl_changes, df)), kind, subject, text, topic=topic)


def _quotas(df: DataFrame) -> DataFrame:
    parts = F.transform(
        "entity",
        lambda each: F.concat(
            each["entityType"], F.lit("="), F.coalesce(each["entityName"], F.lit("<default>"))
        ),
    )
    entity = F.array_join(parts, ", ")
    rows = _from_log(_made(quota_changes, df)).filter("NOT oldQuotaValue <=> newQuotaValue")
    old, new = (_in_digits(F.col(name)) for name in ("oldQuotaValue", "newQuotaValue"))
    was = F.coalesce(_text(" (it was %s)", old), F.lit(""))
    verb = F.coalesce(_text(" was set to %s", new), F.lit(" was removed"))
    text = F.concat(_text("%s of %s", "quotaKey", entity), verb, was)
    return _told(rows, F.lit("quota changed"), _text("quota %s", entity), text)


def _in_digits(value: Column) -> Column:
    """A double as a text, without an exponent if it is a whole number."""
    whole = value.try_cast("DECIMAL(38, 0)")
    return F.when(value == whole, whole.cast("STRING")).otherwise(value.cast("STRING"))


def _credentials(df: DataFrame) -> DataFrame:
    rows = _from_log(_made(scram_changes, df))
    text = _text("%s credential of %s was %s", "mechanism", "userName", "change")
    kind = F.concat(F.lit("SCRAM credential "), F.col("change"))
    return _told(rows, kind, _text("user %s", "userName"), text)


def _tokens(df: DataFrame) -> DataFrame:
    change = F.col("change")
    verb = F.when(change == "expired", "has expired and was removed").otherwise(
        F.concat(F.lit("was "), change)
    )
    text = F.concat(_text("A delegation token of %s ", "owner"), verb)
    kind = F.concat(F.lit("token "), change)
    return _told(_from_log(_made(tokens, df)), kind, _text("token of %s", "owner"), text)


_OF_FEW_RECORDS = (
    _voters,
    _features,
    _controllers,
    _directories,
    _cleared,
    _configs,
    _acls,
    _quotas,
    _credentials,
    _tokens,
)
"""Events that do not need the records of partitions."""
