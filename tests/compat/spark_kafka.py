"""A driver program for `test_spark_kafka`: Spark's own Kafka sink and source, in a batch and as a stream.

    spark_kafka.py SERVERS CHECKPOINT FIRST_TOPIC SECOND_TOPIC COUNT

Writes so many values to the first topic, reads them back, has a stream carry them to the second topic, and prints what
was read back as one line of JSON.
"""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession


def main() -> None:
    """Write, read, stream."""
    servers, checkpoint, first, second, count = sys.argv[1:]
    spark = SparkSession.builder.getOrCreate()
    written = spark.range(int(count)).selectExpr("CAST(id AS STRING) AS key", "concat('alert-', id) AS value")
    written.write.format("kafka").option("kafka.bootstrap.servers", servers).option("topic", first).save()
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", servers)
    read = reader.option("subscribe", first).load()
    values = sorted(row.value for row in read.selectExpr("CAST(value AS STRING) AS value").collect())
    stream = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    source = stream.option("subscribe", first).option("startingOffsets", "earliest").load()
    sink = source.selectExpr("key", "value").writeStream.format("kafka")
    sink = sink.option("kafka.bootstrap.servers", servers).option("topic", second)
    query = sink.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
    query.awaitTermination()
    print(json.dumps({"values": values}))
    spark.stop()


if __name__ == "__main__":
    main()
