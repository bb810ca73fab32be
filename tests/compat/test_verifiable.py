"""Apache Kafka's verifiable producer and consumers, unchanged: one member of the group dies, and no record is missed.

The expectations are what they report of Apache Kafka's nodes (KAFKAPROTO_COMPAT_NODE=stock).
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from compat.kafka.tools import run_tool
from compat.kafka.verifiable import (
    IDEMPOTENT,
    VerifiableConsumer,
    VerifiableProducer,
    account,
    check_account,
)
from compat.node import Node
from compat.process import wait_until

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

WAIT_S = 120.0
PARTITIONS = 4
ROUND_ROBIN = {**IDEMPOTENT, "partitioner.class": "org.apache.kafka.clients.producer.RoundRobinPartitioner"}
EVERY_PARTITION = set(range(PARTITIONS))


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_what_was_acknowledged_is_consumed_though_a_member_dies(
    impatient_node: Node, tmp_path: Path, protocol: str
) -> None:
    servers, name = impatient_node.bootstrap_server, f"verified-{protocol}"
    counts = ("--partitions", str(PARTITIONS), "--replication-factor", "1")
    run_tool("kafka-topics", "--bootstrap-server", servers, "--create", "--topic", name, *counts).output()
    with ExitStack() as stack:

        def member(number: int) -> VerifiableConsumer:
            made = VerifiableConsumer(
                tmp_path / f"member-{number}", servers, name, group=name, protocol=protocol
            )
            stack.callback(made.close)
            return made

        mortal, survivor = member(1), member(2)
        producer = VerifiableProducer(
            tmp_path / "producer", servers, name, throughput=100, settings=ROUND_ROBIN
        )
        stack.callback(producer.close)

        def share() -> bool:
            owned = [mortal.partitions(), survivor.partitions()]
            return all(owned) and sum(map(len, owned)) == PARTITIONS == len(set.union(*owned))

        for each in (mortal, survivor):
            each.wait_until_started()
        wait_until(share, WAIT_S, "both members to have partitions")
        wait_until(lambda: bool(mortal.records() and survivor.records()), WAIT_S, "records for both")
        mortal.kill()
        wait_until(lambda: survivor.partitions() == EVERY_PARTITION, WAIT_S, "the other one to have all")
        sent = producer.stop()

        def consumed() -> set[tuple[int, int]]:
            records = (*mortal.records(), *survivor.records())
            return {(each.partition, each.offset) for each in records}

        wait_until(lambda: len(consumed()) == len(sent.acknowledged), WAIT_S, "every record")
        survivor.stop()
        found = account(sent.acknowledged, [*mortal.records(), *survivor.records()])
        check_account(name, found, may_be_twice=False)
        assert (found.unacknowledged, sent.failed.total(), survivor.failed_commits()) == (0, 0, [])
    described = run_tool(
        "kafka-consumer-groups", "--bootstrap-server", servers, "--describe", "--group", name
    ).output()
    lags = [line.split()[5] for line in described.splitlines() if line.startswith(name)]
    assert lags == ["0"] * PARTITIONS
