"""Decoding and encoding of messages: ours beside kafka-python's and kio's, in one process.

Prints a line per message: microseconds for one message, best of several rounds in which the three take turns, and how
many times faster than each partner we are, the median of the rounds. Kafka-python is pure Python like ours; kio decodes
in native code and encodes in Python. A partner that does not know a message is left out of its line.

    bin/bench codec [--rounds N] [--check]

`--check` fails if one of the ratios that the project promises is missed: decoding and encoding 1.5 times as fast as
kafka-python, encoding 3 times as fast as kio.
"""

from __future__ import annotations

import gc
import importlib.metadata
import io
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import click
from kafka.protocol.consumer.fetch import FetchResponse as TheirFetchResponse
from kafka.protocol.metadata.api_versions import ApiVersionsResponse as TheirApiVersionsResponse
from kafka.protocol.metadata.metadata import MetadataResponse as TheirMetadataResponse
from kafka.protocol.producer.produce import ProduceRequest as TheirProduceRequest
from kio.index import load_entity_schema
from kio.serial import entity_reader, entity_writer
from kio.static.constants import EntityType

from kafkaproto.api import api_by_key, api_keys
from kafkaproto.message import Message
from kafkaproto.messages import (
    ApiVersionsResponse,
    FetchResponse,
    MetadataResponse,
    PartitionRecord,
    ProduceRequest,
    VoteRequest,
)

ROUND_SECONDS = 0.01
"""How long one measurement takes at least, so that the clock's grain does not show."""
WANTED = {("decode", "kafka-python"): 1.5, ("encode", "kafka-python"): 1.5, ("encode", "kio"): 3.0}
"""How many times faster than a partner we promise to be."""

Action = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One message to measure; ``parts`` is how many partitions (or other elements) it holds."""

    message: Message
    version: int
    parts: int
    kafka_python: Any = None
    """Kafka-python's class for it."""
    kio: tuple[str, EntityType] | None = None
    """Name and kind under which kio knows it."""


@dataclass(slots=True)
class Result:
    """Times of one case: (what, who) -> seconds in each round."""

    case: Case
    size: int
    seconds: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def best(self, what: str, who: str) -> float | None:
        """Seconds in the best round."""
        return min(self.seconds[what, who]) if (what, who) in self.seconds else None

    def ratio(self, what: str, who: str) -> float | None:
        """How many times as long as ours theirs takes. Rounds are compared one by one, for a machine's speed changes
        from one to the next."""
        if (what, who) not in self.seconds:
            return None
        rounds = zip(self.seconds[what, who], self.seconds[what, "ours"], strict=True)
        return statistics.median(theirs / ours for theirs, ours in rounds)


def cases() -> list[Case]:
    """The messages that the project's promises name."""
    return [
        Case(
            message=metadata_response(),
            version=12,
            parts=1000,
            kafka_python=TheirMetadataResponse,
            kio=("metadata", EntityType.response),
        ),
        Case(
            message=fetch_response(),
            version=17,
            parts=100,
            kafka_python=TheirFetchResponse,
            kio=("fetch", EntityType.response),
        ),
        Case(
            message=produce_request(),
            version=9,
            parts=10,
            kafka_python=TheirProduceRequest,
            kio=("produce", EntityType.request),
        ),
        Case(message=vote_request(), version=2, parts=1, kio=("vote", EntityType.request)),
        Case(message=partition_record(), version=2, parts=1),
        Case(
            message=api_versions_response(),
            version=4,
            parts=len(api_keys()),
            kafka_python=TheirApiVersionsResponse,
            kio=("api_versions", EntityType.response),
        ),
    ]


def metadata_response() -> MetadataResponse:
    """100 topics of 10 partitions with 3 replicas each."""
    topics = [
        MetadataResponse.Topic(
            name=f"topic-{number:03}",
            topic_id=number.to_bytes(16, "big"),
            partitions=[
                MetadataResponse.Partition(
                    partition_index=index,
                    leader_id=1,
                    leader_epoch=5,
                    replica_nodes=[1, 2, 3],
                    isr_nodes=[1, 2, 3],
                )
                for index in range(10)
            ],
        )
        for number in range(1, 101)
    ]
    brokers = [
        MetadataResponse.Broker(node_id=node, host=f"broker-{node}.example", port=9092) for node in (1, 2, 3)
    ]
    return MetadataResponse(
        brokers=brokers, cluster_id="MkU3OEVBNTcwNTJENDM2Qg", controller_id=1, topics=topics
    )


def fetch_response() -> FetchResponse:
    """10 topics of 10 partitions with 1 KB of records each."""
    topics = [
        FetchResponse.FetchableTopicResponse(
            topic_id=number.to_bytes(16, "big"),
            partitions=[
                FetchResponse.PartitionData(
                    partition_index=index,
                    high_watermark=1000,
                    last_stable_offset=1000,
                    log_start_offset=0,
                    records=bytes(1024),
                )
                for index in range(10)
            ],
        )
        for number in range(1, 11)
    ]
    return FetchResponse(session_id=7, responses=topics)


def produce_request() -> ProduceRequest:
    """10 partitions with 16 KB of records each."""
    partitions = [
        ProduceRequest.PartitionProduceData(index=index, records=bytes(16 * 1024)) for index in range(10)
    ]
    topic = ProduceRequest.TopicProduceData(name="topic-001", partition_data=partitions)
    return ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[topic])


def vote_request() -> VoteRequest:
    """What a candidate sends."""
    partition = VoteRequest.PartitionData(
        replica_epoch=7,
        replica_id=3,
        replica_directory_id=bytes(range(16)),
        voter_directory_id=bytes(range(16, 32)),
        last_offset_epoch=6,
        last_offset=123_456,
    )
    topic = VoteRequest.TopicData(topic_name="__cluster_metadata", partitions=[partition])
    return VoteRequest(cluster_id="MkU3OEVBNTcwNTJENDM2Qg", voter_id=2, topics=[topic])


def partition_record() -> PartitionRecord:
    """A partition of a new topic, as the controller writes it."""
    return PartitionRecord(
        partition_id=4,
        topic_id=bytes(range(16)),
        replicas=[1, 2, 3],
        isr=[1, 2, 3],
        leader=1,
        leader_epoch=0,
        partition_epoch=0,
        directories=[bytes(range(start, start + 16)) for start in (0, 16, 32)],
    )


def api_versions_response() -> ApiVersionsResponse:
    """Every api with its versions, and a broker's features."""
    infos = [api for api in map(api_by_key, api_keys()) if api is not None]
    features = ("eligible.leader.replicas.version", "group.version", "kraft.version", "metadata.version")
    return ApiVersionsResponse(
        api_keys=[
            ApiVersionsResponse.ApiVersion(
                api_key=api.key, min_version=api.min_version, max_version=api.max_stable_version
            )
            for api in infos
        ],
        supported_features=[
            ApiVersionsResponse.SupportedFeatureKey(name=name, min_version=0, max_version=1)
            for name in features
        ],
        finalized_features_epoch=42,
        finalized_features=[
            ApiVersionsResponse.FinalizedFeatureKey(name=name, max_version_level=1, min_version_level=1)
            for name in features
        ],
    )


def actions(case: Case) -> tuple[bytes, dict[tuple[str, str], Action]]:
    """The case's bytes, and what is to be timed: (what, who) -> action. Partners get their objects from our bytes."""
    kind, version = type(case.message), case.version
    encoded = case.message.encode(version)
    decoded, _ = kind.decode(encoded, version)
    assert decoded.encode(version) == encoded
    found: dict[tuple[str, str], Action] = {
        ("decode", "ours"): lambda: kind.decode(encoded, version),
        ("encode", "ours"): lambda: decoded.encode(version),
    }
    if case.kafka_python is not None:
        found |= kafka_python_actions(case.kafka_python, encoded, version)
    if case.kio is not None:
        found |= kio_actions(load_entity_schema(case.kio[0], version, case.kio[1]), encoded)  # type: ignore[arg-type]
    return encoded, found


def kafka_python_actions(kind: Any, encoded: bytes, version: int) -> dict[tuple[str, str], Action]:
    """Kafka-python's side; it must write the same bytes as we do."""
    theirs = kind.decode(encoded, version=version)
    theirs._header = None  # Encoding asks for it, but decoding without a header leaves it unset.
    assert theirs.encode(version=version) == encoded, f"{kind.__name__}: kafka-python writes other bytes"
    return {
        ("decode", "kafka-python"): lambda: kind.decode(encoded, version=version),
        ("encode", "kafka-python"): lambda: theirs.encode(version=version),
    }


def kio_actions(kind: Any, encoded: bytes) -> dict[tuple[str, str], Action]:
    """Kio's side; it must write the same bytes as we do."""
    read, write = entity_reader(kind), entity_writer(kind)
    theirs, _ = read(encoded, 0)

    def encode() -> bytes:
        out = io.BytesIO()
        write(out, theirs)
        return out.getvalue()

    assert encode() == encoded, f"{kind.__name__}: kio writes other bytes"
    return {("decode", "kio"): lambda: read(encoded, 0), ("encode", "kio"): encode}


def measure(case: Case, rounds: int) -> Result:
    """Time a case: in each round every action once, each as often as fills `ROUND_SECONDS`."""
    encoded, timed = actions(case)
    repeats = {key: max(1, int(ROUND_SECONDS / seconds_of(action, 5))) for key, action in timed.items()}
    result = Result(case, len(encoded), {key: [] for key in timed})
    for _ in range(rounds):
        for key, action in timed.items():
            result.seconds[key].append(seconds_of(action, repeats[key]))
    return result


def seconds_of(action: Action, repeats: int) -> float:
    """Seconds that one call takes, on average."""
    start = time.perf_counter()
    for _ in range(repeats):
        action()
    return (time.perf_counter() - start) / repeats


def line(result: Result, what: str) -> str:
    """One line of the table: times in microseconds, a part's share of ours, and the ratios."""
    name = f"{result.case.message.NAME} v{result.case.version}"
    cells = [f"{name:26}{result.size:8} {what} "]
    for who in ("ours", "kafka-python", "kio"):
        seconds = result.best(what, who)
        cells.append(f"{'-':>10}" if seconds is None else f"{seconds * 1e6:10.2f}")
    share = result.seconds[what, "ours"]
    cells.append(f"{min(share) * 1e6 / result.case.parts:10.3f}")
    for who in ("kafka-python", "kio"):
        ratio = result.ratio(what, who)
        cells.append(f"{'-':>10}" if ratio is None else f"{ratio:9.2f}x")
    return "".join(cells)


def missed(result: Result) -> list[str]:
    """What the project promises and this result does not keep."""
    complaints = []
    for (what, who), wanted in WANTED.items():
        ratio = result.ratio(what, who)
        if ratio is not None and ratio < wanted:
            name = f"{result.case.message.NAME} v{result.case.version}"
            complaints.append(f"{name}: {what} {ratio:.2f} times as fast as {who}, promised are {wanted}")
    return complaints


@click.command()
@click.option("--rounds", default=25, show_default=True, help="How often everything is measured.")
@click.option("--check", is_flag=True, help="Fail if a promised ratio is missed.")
def main(rounds: int, check: bool) -> None:
    """Time decoding and encoding of messages beside kafka-python and kio."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("kafka-python", "kio"))
    click.echo(
        f"Python {platform.python_version()}, {versions}; microseconds a message, best of {rounds} rounds"
    )
    click.echo(
        f"{'message':26}{'bytes':>8}         {'ours':>9}{'kafka-py':>10}{'kio':>10}{'ours/part':>10}"
        f"{'kafka-py':>10}{'kio':>10}"
    )
    gc.disable()
    complaints = []
    for case in cases():
        result = measure(case, rounds)
        for what in ("decode", "encode"):
            click.echo(line(result, what))
        complaints += missed(result)
    for complaint in complaints:
        click.echo(f"missed: {complaint}")
    if check and complaints:
        sys.exit(1)


if __name__ == "__main__":
    main()
