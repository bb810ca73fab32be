"""The server.properties of Apache Kafka's users, unchanged, at our server: what starts, what is said, what is refused.

For each role the keys of the file that Kafka 4.3 ships, then what users add to it: TLS and SASL settings, metrics, and
what is left over from older releases. A key that has no effect is said once, a value that cannot be stops the start.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from compat.node import Node
from compat.ours import BIN, OurNode, run_command
from compat.ports import free_port, free_ports
from compat.quorum import CLUSTER_ID, NodeClass
from compat.runs.telling import Tell

EXIT_BAD_USAGE = 2
REFUSAL_TIMEOUT_S = 30.0

EVERY_ROLE = {
    # Of a socket server with threads of its own; the sizes are those of the shipped files.
    "num.network.threads": "3",
    "num.io.threads": "8",
    "socket.send.buffer.bytes": "102400",
    "socket.receive.buffer.bytes": "102400",
    "socket.request.max.bytes": "104857600",
    "num.partitions": "1",
    "num.recovery.threads.per.data.dir": "2",
    # Internal topics, as one broker can hold them.
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    # Two of these stand in comments there, and users take the sign away.
    "log.flush.interval.messages": "10000",
    "log.flush.interval.ms": "1000",
    "log.retention.hours": "168",
    "log.retention.bytes": "1073741824",
    "log.segment.bytes": "1073741824",
    "log.retention.check.interval.ms": "300000",
}
PROTOCOLS = "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL"
ADDED = {
    "broker.rack": "rack-a",
    "ssl.keystore.location": "/etc/kafka/secrets/server.keystore.p12",
    "ssl.keystore.password": "keystore-secret",
    "ssl.keystore.type": "PKCS12",
    "ssl.key.password": "key-secret",
    "ssl.truststore.location": "/etc/kafka/secrets/server.truststore.p12",
    "ssl.truststore.password": "truststore-secret",
    "ssl.client.auth": "required",
    "ssl.enabled.protocols": "TLSv1.2,TLSv1.3",
    "ssl.endpoint.identification.algorithm": "",
    "sasl.enabled.mechanisms": "SCRAM-SHA-512,PLAIN",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": (
        "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    ),
    "metric.reporters": "org.apache.kafka.common.metrics.JmxReporter",
    "metrics.num.samples": "3",
    "metrics.recording.level": "INFO",
    "metrics.sample.window.ms": "15000",
}
"""Keys of Kafka 4.3 that users set; all of them are taken."""
LEFT_OVER = {
    "auto.include.jmx.reporter": "true",
    "broker.id.generation.enable": "true",
    "inter.broker.protocol.version": "3.9",
    "log.message.format.version": "3.0-IV1",
    "zookeeper.connection.timeout.ms": "18000",
    "confluent.support.metrics.enable": "false",
}
"""Keys that Kafka had once, or that others added; Kafka 4.3 and ours both go on without them."""
SECRETS = ("keystore-secret", "key-secret", "truststore-secret")
WITH_EFFECT = frozenset(
    {
        "process.roles",
        "node.id",
        "controller.quorum.bootstrap.servers",
        "listeners",
        "advertised.listeners",
        "controller.listener.names",
        "inter.broker.listener.name",
        "listener.security.protocol.map",
        "log.dirs",
        "socket.send.buffer.bytes",
        "socket.receive.buffer.bytes",
        "socket.request.max.bytes",
        "num.partitions",
        "broker.rack",
        "log.flush.interval.messages",
        "log.flush.interval.ms",
        "log.retention.hours",
        "log.retention.bytes",
        "log.segment.bytes",
        "log.retention.check.interval.ms",
        "offsets.topic.replication.factor",
        "transaction.state.log.replication.factor",
        "transaction.state.log.min.isr",
        "share.coordinator.state.topic.replication.factor",
        "share.coordinator.state.topic.min.isr",
    }
)
"""The keys of all these that something in our server depends on."""

REFUSED: tuple[tuple[str, str, str], ...] = (
    ("process.roles", "brokers", "must be one of broker, controller"),
    ("node.id", "one", "must be a whole number from -2147483648 to 2147483647"),
    ("num.partitions", "0", "must be 1 or more"),
    ("auto.create.topics.enable", "yes", "must be true or false"),
    ("compression.type", "brotli", "must be one of uncompressed, zstd, lz4, snappy, gzip, producer"),
    ("log.cleanup.policy", "keep", "must be one of compact, delete"),
    ("log.retention.hours", "week", "must be a whole number from -2147483648 to 2147483647"),
    ("listeners", "localhost:9092", "'localhost:9092' is not NAME://HOST:PORT"),
    ("controller.quorum.voters", "1@localhost", "'localhost' is not HOST:PORT with a port of 0 to 65535"),
    ("ssl.client.auth", "maybe", "must be one of required, requested, none"),
    (
        "listener.security.protocol.map",
        "CONTROLLER:PLAINTEXT,PLAINTEXT:TLS",
        "'TLS' is not one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL",
    ),
    (
        "listener.security.protocol.map",
        "CONTROLLER:PLAINTEXT,PLAINTEXT:SSL",
        "SSL, which listener PLAINTEXT asks for, is not supported yet by this server; PLAINTEXT is",
    ),
)
"""Key, value, and what the server has to say is allowed."""


class ConfigurationError(Exception):
    """A server did not start, said too little or too much, or took what it must not."""


@dataclass(slots=True, kw_only=True)
class ConfigurationResult:
    """What happened in a run."""

    started: list[str] = field(default_factory=list)
    """Make and role."""
    keys: int = 0
    """In the longest file."""
    refused: list[str] = field(default_factory=list)
    """What was said."""


def combined_file(data: Path) -> dict[str, str]:
    """As the shipped server.properties: both roles in one process."""
    broker, controller = free_ports(2)
    listeners = f"PLAINTEXT://localhost:{broker},CONTROLLER://localhost:{controller}"
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.bootstrap.servers": f"localhost:{controller}",
        "listeners": listeners,
        "inter.broker.listener.name": "PLAINTEXT",
        "advertised.listeners": listeners,
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": PROTOCOLS,
        "log.dirs": str(data),
        **EVERY_ROLE,
    }


def controller_file(data: Path) -> dict[str, str]:
    """As the shipped controller.properties."""
    port = free_port()
    return {
        "process.roles": "controller",
        "node.id": "1",
        "controller.quorum.bootstrap.servers": f"localhost:{port}",
        "listeners": f"CONTROLLER://localhost:{port}",
        "advertised.listeners": f"CONTROLLER://localhost:{port}",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": str(data),
        **EVERY_ROLE,
    }


def broker_file(data: Path, controller: Mapping[str, str]) -> dict[str, str]:
    """As the shipped broker.properties, for a cluster with that controller."""
    port = free_port()
    return {
        "process.roles": "broker",
        "node.id": "2",
        "controller.quorum.bootstrap.servers": controller["controller.quorum.bootstrap.servers"],
        "listeners": f"PLAINTEXT://localhost:{port}",
        "inter.broker.listener.name": "PLAINTEXT",
        "advertised.listeners": f"PLAINTEXT://localhost:{port}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": PROTOCOLS,
        "log.dirs": str(data),
        **EVERY_ROLE,
    }


def start_all(folder: Path, node_class: NodeClass, tell: Tell, outcome: ConfigurationResult) -> None:
    """A node of each role starts with its file; what ours say of the keys is right. Raises ConfigurationError."""
    combined = combined_file(folder / "combined" / "data")
    with _started(node_class, folder / "combined", combined, ("--standalone",)) as node:
        _note(node, tell, outcome)
    controller = controller_file(folder / "controller" / "data")
    broker = broker_file(folder / "broker" / "data", controller)
    with ExitStack() as stack:
        for name, properties, quorum in (
            ("controller", controller, ("--standalone",)),
            ("broker", broker, ()),
        ):
            node = stack.enter_context(_started(node_class, folder / name, properties, quorum))
            _note(node, tell, outcome)


@contextmanager
def _started(
    node_class: NodeClass, folder: Path, properties: Mapping[str, str], quorum: Sequence[str]
) -> Iterator[Node]:
    node = node_class(folder, {**properties, **ADDED, **LEFT_OVER})
    try:
        node.format(CLUSTER_ID, quorum)
        node.start()
        yield node
    finally:
        node.close()


def _note(node: Node, tell: Tell, outcome: ConfigurationResult) -> None:
    role = node.properties["process.roles"]
    outcome.started.append(f"{node.kind} {role}")
    outcome.keys = max(outcome.keys, len(node.properties))
    tell(f"{node.kind}, {role}: started with {len(node.properties)} keys")
    if isinstance(node, OurNode):
        check_said_once(node)


def check_said_once(node: Node) -> None:
    """Each key of its file that has no effect, known or not, is in just one line, and no secret is in any.

    Raises ConfigurationError.
    """
    said = node.process.err_path.read_text().splitlines()
    for key in node.properties.keys() - WITH_EFFECT:
        word = re.compile(rf"(?<![\w.]){re.escape(key)}(?![\w.])")
        lines = [line for line in said if word.search(line)]
        if len(lines) != 1:
            raise ConfigurationError(f"{key} is in {len(lines)} lines of {node.process.err_path}: {lines}")
    for secret in SECRETS:
        if any(secret in line for line in said):
            raise ConfigurationError(f"{secret} is in {node.process.err_path}")


def refuse_all(folder: Path, tell: Tell, outcome: ConfigurationResult) -> None:
    """Each wrong value stops our server, which names key, value and what is allowed. Raises ConfigurationError."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        folders = [folder / f"wrong-{number}" for number in range(len(REFUSED))]
        outcome.refused += pool.map(_refused, folders, REFUSED)
    for key, value, allowed in REFUSED:
        tell(f"refused: {key}={value}: {allowed}")


def _refused(folder: Path, wrong: tuple[str, str, str]) -> str:
    """What the server says of a wrong value."""
    key, value, allowed = wrong
    node = OurNode(folder, {**combined_file(folder / "data"), key: value})
    command = [str(BIN / "kafka-server-start"), str(node.properties_path)]
    done = run_command(command, timeout_s=REFUSAL_TIMEOUT_S)
    said = done.stderr.strip()
    expected = f"kafka-server-start: {node.properties_path}: {key}={value}: {allowed}"
    if done.returncode != EXIT_BAD_USAGE or said != expected:
        raise ConfigurationError(f"exit code {done.returncode}, {said!r} is not {expected!r}")
    return said


def run(folder: Path, *, node_classes: Sequence[NodeClass] = (OurNode,), tell: Tell) -> ConfigurationResult:
    """Each role with its file, of each of these implementations, then wrong values at ours.

    Raises ConfigurationError, ProcessDiedError or WaitedTooLongError.
    """
    outcome = ConfigurationResult()
    for number, node_class in enumerate(node_classes):
        start_all(folder / f"make-{number}", node_class, tell, outcome)
    refuse_all(folder, tell, outcome)
    return outcome
