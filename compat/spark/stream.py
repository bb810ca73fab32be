"""A stream of Spark's own Kafka connector: numbers of one topic, doubled, into another one.

    stream.py JARS OPTIONS_OF_JAVA HOST:PORT SOURCE TARGET CHECKPOINT [--available-now]

It reads with `kafka.isolation.level=read_committed` from the earliest offset on, a few records a batch. It runs until
it is killed, or with `--available-now` until it has come to the end of the topic.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

RECORDS_A_BATCH = 20
TRIGGER = "500 milliseconds"


def main(
    jars: str, options: str, servers: str, source: str, target: str, checkpoint: str, *flags: str
) -> None:
    """Runs the stream."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.jars", jars).config("spark.driver.extraJavaOptions", options)
    spark = builder.getOrCreate()
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    reader = reader.option("subscribe", source).option("startingOffsets", "earliest")
    reader = reader.option("maxOffsetsPerTrigger", RECORDS_A_BATCH).option(
        "kafka.isolation.level", "read_committed"
    )
    doubled = reader.load().selectExpr("CAST(CAST(CAST(value AS STRING) AS INT) * 2 AS STRING) AS value")
    writer = doubled.writeStream.format("kafka").option("kafka.bootstrap.servers", servers)
    writer = writer.option("topic", target).option("checkpointLocation", checkpoint)
    writer = writer.trigger(availableNow=True) if flags else writer.trigger(processingTime=TRIGGER)
    writer.start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
