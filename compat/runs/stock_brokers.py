"""Stock brokers on three controllers of ours, told by static voters: what the tests have no time for.

Stock's measures of producers and consumers, groups, transactions at both levels, a quota that throttles, a share group,
delegation tokens; then, under load, deaths of our leader, brokers that start from our snapshot, a restart of all nodes.
The tests of `tests/compat/test_stock_brokers*.py` go through the rest: tools, ACLs, deaths, log directories.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from compat.agreement import check_agreement, first_offset, last_offset
from compat.cluster import Cluster, wait_until_whole
from compat.kafka.stock import StockNode
from compat.kafka.tools import ToolFailedError, run_tool
from compat.kafka.verifiable import RETRYING, VerifiableProducer, account, read_all
from compat.node import Node
from compat.ours import OurNode
from compat.ports import free_port
from compat.process import wait_until
from compat.quota_load import QuotaLoad
from compat.runs.mixed import SMALL_LOG
from compat.runs.telling import Tell

WAIT_S = 180.0
TOPIC = "measured"
PARTITIONS = 12
MEASURED_RECORDS = 20_000
TRANSACTION_RECORDS = 5000
RECORD_BYTES = 1000
QUOTA_BYTES = 100_000
"""That each broker takes of a client in a second."""
THROTTLED_RECORDS = 4000
"""Three brokers take the bytes of so many within some ten seconds."""
SHARED_RECORDS = 100
LEADER_DEATHS = 3
FOR_A_MOMENT_S = 2.0
RATE = re.compile(r"([\d.]+) MB/sec")
THROTTLE = re.compile(r"produce-throttle-time-max:\S+ +: ([\d.]+)")
RECORDS_A_SECOND = 300
SECRET = {"delegation.token.secret.key": "secret"}
LOGIN = {
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config": (
        "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    ),
}
BROKERS = {
    **SECRET,
    **LOGIN,
    "auto.create.topics.enable": "false",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
    "share.coordinator.state.topic.num.partitions": "3",
    "group.initial.rebalance.delay.ms": "0",
    "metadata.max.retention.bytes": SMALL_LOG["metadata.max.retention.bytes"],
}


class StockBrokersError(Exception):
    """Something was lost, or did not come out right."""


def run(folder: Path, *, tell: Tell) -> None:
    """Everything in this module once. Raises StockBrokersError, or what a tool or a wait failed with."""
    with ExitStack() as stack:
        cluster = stack.enter_context(_cluster(folder))
        cluster.format()
        cluster.start()
        tell("three controllers of ours and three stock brokers, by controller.quorum.voters alone, serve")
        cluster.create_topic(TOPIC, PARTITIONS)
        measures(cluster, tell)
        transactions(cluster, tell)
        throttled_producer(cluster, tell)
        share_group(cluster, tell)
        tokens(cluster, folder, tell)
        with _producing(cluster, folder, "deaths", tell):
            leader_deaths(cluster, tell)
        with _producing(cluster, folder, "snapshots", tell):
            start_from_snapshot(cluster, tell)
        with _producing(cluster, folder, "rolling", tell):
            rolling_restart(cluster, tell)
        cluster.close()
        replicas = check_agreement([node.metadata_log_directory for node in _nodes(cluster)])
        tell(f"{len(replicas)} replicas of the metadata log, those of the stock brokers among them, agree")


def _cluster(folder: Path) -> Cluster:
    return Cluster(
        OurNode,
        _broker_with_login,
        folder,
        controller_overrides={**SMALL_LOG, **SECRET},
        broker_overrides=BROKERS,
        has_static_voters=True,
    )


def _broker_with_login(folder: Path, properties: Mapping[str, str]) -> Node:
    port = free_port()
    listeners = f"{properties['listeners']},SASL_PLAINTEXT://127.0.0.1:{port}"
    return StockNode(folder, {**properties, "listeners": listeners})


def _nodes(cluster: Cluster) -> list[Node]:
    return [*cluster.quorum.nodes.values(), *cluster.brokers.values()]


def _tool(cluster: Cluster, name: str, *arguments: str, stdin: str | None = None) -> str:
    """What a stock tool prints of the brokers. Raises ToolFailedError."""
    return run_tool(name, "--bootstrap-server", cluster.servers, *arguments, stdin=stdin).output()


def _whole(cluster: Cluster, topic: str) -> None:
    wait_until_whole(cluster.running_brokers(), {topic: PARTITIONS})


def _perf_producer(cluster: Cluster, records: int, *more: str) -> str:
    """Stock's measure of a producer; all that it prints."""
    return _tool(
        cluster, "kafka-producer-perf-test", "--topic", TOPIC, "--num-records", str(records),
        "--record-size", str(RECORD_BYTES), "--throughput", "-1", *more,
    )  # fmt: skip


def _summary(printed: str) -> str:
    """The last line of a measure of a producer, which has all records."""
    return next(line for line in reversed(printed.splitlines()) if "99th" in line)


def measures(cluster: Cluster, tell: Tell) -> None:
    """Stock's measures of producer and consumer; the consumer's group is described, set back and described again."""
    tell(f"kafka-producer-perf-test: {_summary(_perf_producer(cluster, MEASURED_RECORDS))}")
    group = ("--group", "measuring")
    consumed = _tool(
        cluster, "kafka-consumer-perf-test", "--topic", TOPIC, *group, "--num-records", str(MEASURED_RECORDS),
        "--hide-header",
    )  # fmt: skip
    fields = consumed.strip().splitlines()[-1].split(", ")
    if int(fields[4]) < MEASURED_RECORDS:
        raise StockBrokersError(f"kafka-consumer-perf-test: {consumed}")
    tell(f"kafka-consumer-perf-test: {fields[4]} records, {fields[3]} MB/sec")
    lags = [_lag(cluster)]
    back = ("--reset-offsets", "--to-earliest", "--topic", TOPIC, "--execute")
    _tool(cluster, "kafka-consumer-groups", *group, *back)
    lags.append(_lag(cluster))
    if lags != [0, MEASURED_RECORDS]:
        raise StockBrokersError(f"kafka-consumer-groups: lags {lags}")
    tell(f"kafka-consumer-groups: the group lags by {lags[0]} records, and by {lags[1]} once set back")


def _lag(cluster: Cluster) -> int:
    described = _tool(cluster, "kafka-consumer-groups", "--describe", "--group", "measuring")
    rows = [line.split() for line in described.splitlines() if TOPIC in line]
    return sum(int(row[5]) for row in rows)


def transactions(cluster: Cluster, tell: Tell) -> None:
    """Transactions at both levels of transaction.version: the brokers get producer ids from our controllers."""
    for level, change in (("2", None), ("1", "downgrade"), ("2", "upgrade")):
        if change is not None:
            _tool(cluster, "kafka-features", change, "--feature", f"transaction.version={level}")
            described = _tool(cluster, "kafka-features", "describe")
            if not re.search(rf"transaction.version .*FinalizedVersionLevel: {level}", described):
                raise StockBrokersError(f"kafka-features {change}: {described}")
        printed = _perf_producer(
            cluster,
            TRANSACTION_RECORDS,
            "--transactional-id",
            f"perf-{change}",
            "--transaction-duration-ms",
            "100",
        )
        tell(f"transactions at transaction.version {level}: {_summary(printed)}")
    listed = _tool(cluster, "kafka-transactions", "list")
    if listed.count("CompleteCommit") != 3:
        raise StockBrokersError(f"kafka-transactions list: {listed}")


def throttled_producer(cluster: Cluster, tell: Tell) -> None:
    """A quota set by kafka-configs slows the producer that it is for, and its end lets it go."""
    entity = ("--alter", "--entity-type", "clients", "--entity-name", "throttled")

    def measure() -> tuple[float, float]:
        """Rate in MB a second, and the longest throttle in milliseconds."""
        client = ("--command-property", "client.id=throttled", "--print-metrics")
        printed = _perf_producer(cluster, THROTTLED_RECORDS, *client)
        throttle, rate = THROTTLE.search(printed), RATE.search(_summary(printed))
        if throttle is None or rate is None:
            raise StockBrokersError(f"kafka-producer-perf-test: {printed}")
        return float(rate[1]), float(throttle[1])

    free = measure()
    _tool(cluster, "kafka-configs", *entity, "--add-config", f"producer_byte_rate={QUOTA_BYTES}")
    slowed = measure()
    _tool(cluster, "kafka-configs", *entity, "--delete-config", "producer_byte_rate")
    again = measure()
    if not (slowed[1] > 0 == free[1] == again[1] and slowed[0] < min(free[0], again[0]) / 2):
        raise StockBrokersError(f"MB/sec and throttle: {free} without quota, {slowed} with it, {again} after")
    tell(
        f"producer without quota {free[0]} MB/sec; with {QUOTA_BYTES:,} bytes/s a broker {slowed[0]} MB/sec, throttled"
        f" up to {slowed[1]:.0f} ms; without again {again[0]} MB/sec"
    )


def share_group(cluster: Cluster, tell: Tell) -> None:
    """Two consumers of a share group, one after the other, get each record once."""
    group = "sharers"
    earliest = (
        "--entity-type",
        "groups",
        "--entity-name",
        group,
        "--add-config",
        "share.auto.offset.reset=earliest",
    )
    _tool(cluster, "kafka-configs", "--alter", *earliest)
    cluster.create_topic("shared", PARTITIONS)
    lines = [f"line {number}" for number in range(SHARED_RECORDS)]
    _tool(
        cluster, "kafka-console-producer", "--topic", "shared", stdin="".join(f"{line}\n" for line in lines)
    )
    read = [
        line
        for _ in range(2)
        for line in _tool(
            cluster, "kafka-console-share-consumer", "--topic", "shared", "--group", group,
            "--max-messages", str(SHARED_RECORDS // 2), "--timeout-ms", "60000",
        ).splitlines()
    ]  # fmt: skip
    if sorted(read) != sorted(lines):
        raise StockBrokersError(
            f"share group: {len(read)} records, {len(set(lines) - set(read))} are missing"
        )
    described = _tool(cluster, "kafka-share-groups", "--describe", "--group", group)
    if described.count("shared") < PARTITIONS:
        raise StockBrokersError(f"kafka-share-groups: {described}")
    tell(f"share group: {len(read)} records, each read once, by two consumers")


def tokens(cluster: Cluster, folder: Path, tell: Tell) -> None:
    """A delegation token over the brokers' SASL listener: made, used to log in, and refused once it is expired."""
    server = ",".join(node.properties["listeners"].rpartition("://")[2] for node in cluster.brokers.values())
    password = "SCRAM-SHA-256=[iterations=4096,password=secret]"
    _tool(
        cluster, "kafka-configs", "--alter", "--entity-type", "users", "--entity-name", "alice",
        "--add-config", password,
    )  # fmt: skip
    alice = _login(folder / "alice.properties", 'username="alice" password="secret"')
    wait_until(lambda: _logs_in(server, alice), WAIT_S, "alice to be able to log in")
    tool = ("kafka-delegation-tokens", "--bootstrap-server", server, "--command-config", str(alice))
    made = run_tool(*tool, "--create", "--max-life-time-period", "-1").output()
    token_id, hmac = made.splitlines()[-1].split()[:2]
    arguments = f'username="{token_id}" password="{hmac}" tokenauth="true"'
    by_token = _login(folder / "token.properties", arguments)
    wait_until(lambda: _logs_in(server, by_token), WAIT_S, "the token to be known to the brokers")
    run_tool(*tool, "--expire", "--expiry-time-period", "-1", "--hmac", hmac).output()
    wait_until(lambda: not _logs_in(server, by_token), WAIT_S, "the expired token to be refused")
    tell(f"delegation token {token_id}: made by alice, logged in with at stock brokers, refused once expired")


def _login(path: Path, arguments: str) -> Path:
    module = "org.apache.kafka.common.security.scram.ScramLoginModule"
    path.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\n"
        f"sasl.jaas.config={module} required {arguments};\n"
    )
    return path


def _logs_in(server: str, login: Path) -> bool:
    try:
        run_tool(
            "kafka-topics", "--bootstrap-server", server, "--command-config", str(login), "--list"
        ).output()
    except ToolFailedError:
        return False
    return True


@contextmanager
def _producing(cluster: Cluster, folder: Path, topic: str, tell: Tell) -> Iterator[None]:
    """Records are produced meanwhile, to a topic of its own.

    Raises StockBrokersError if one that was acknowledged is not there after all.
    """
    cluster.create_topic(topic, PARTITIONS)
    producer = VerifiableProducer(
        folder / topic, cluster.servers, topic, throughput=RECORDS_A_SECOND, settings=RETRYING
    )
    try:
        producer.wait_for_first()
        yield
        _whole(cluster, topic)
        sent = producer.stop()
    finally:
        producer.close()
    found = account(sent.acknowledged, read_all(cluster.servers, topic))
    if found.lost:
        raise StockBrokersError(f"{len(found.lost)} acknowledged records are lost, as {found.lost[:10]}")
    tell(
        f"meanwhile {found.acknowledged:,} records acknowledged, 0 lost, {sent.failed.total()} failed; longest"
        f" {sent.longest_gap_s:.2f} s without one"
    )


def leader_deaths(cluster: Cluster, tell: Tell) -> None:
    """Our leader is killed, again and again."""
    for _ in range(LEADER_DEATHS):
        leader = cluster.quorum.leader()
        began = time.monotonic()
        leader.kill()
        successor = cluster.quorum.leader()
        took_s = time.monotonic() - began
        # Long enough for a broker that is not taken care of to show it.
        time.sleep(FOR_A_MOMENT_S)
        leader.start()
        _whole(cluster, TOPIC)
        tell(
            f"kill -9 of node {leader.node_id}, which led: node {successor.node_id} leads after {took_s:.2f} s"
        )


def start_from_snapshot(cluster: Cluster, tell: Tell) -> None:
    """Two stock brokers, one after the other, are away until the log that they know is gone."""
    with QuotaLoad([node.bootstrap_controller for node in cluster.quorum.nodes.values()]):
        for broker in list(cluster.brokers.values())[:2]:
            broker.stop()
            end = last_offset(broker)
            wait_until(
                lambda end=end: first_offset(cluster.quorum.leader()) > end,  # type: ignore[misc]
                WAIT_S,
                f"our leader's log to start behind offset {end}",
            )
            broker.start()
            cluster.wait_until_unfenced(broker.node_id)
            _whole(cluster, TOPIC)
            start = first_offset(broker)
            if start <= end:
                raise StockBrokersError(
                    f"broker {broker.node_id} has its log from {start} on, which ended at {end}"
                )
            tell(
                f"broker {broker.node_id}, whose log ended at {end}, came back by our snapshot: its log starts at"
                f" {start}"
            )


def rolling_restart(cluster: Cluster, tell: Tell) -> None:
    """Every node is stopped in order and started again, brokers and controllers."""
    for node in _nodes(cluster):
        node.stop()
        node.start()
        if node in cluster.brokers.values():
            cluster.wait_until_unfenced(node.node_id)
        _whole(cluster, TOPIC)
    tell(f"nodes {', '.join(str(node.node_id) for node in _nodes(cluster))} restarted, one after the other")
