"""The same requests to a node of Apache Kafka 4.4.0 and to ours: the same numbers in the metrics of topics.

The node of Apache Kafka tells its MBeans, ours `/metrics`. What is compared is what each step adds. Topics of the nodes
themselves are left out of the sums: coordinators write there when they like.
"""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from compat.kafka.stock import MeasuredStockNode
from compat.node import Node
from compat.ours import OurNode
from compat.ports import free_port
from compat.probe import ClosedByServerError, Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.message import Message
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.node.observability.topic_metrics import PURGATORY, TOPICS
from kafkaproto_server.requests.coordinator_places import share_key
from tests.compat.support.nodes import CREATE_TIMEOUT_MS, delete_topics, make_node, metadata
from tests.compat.support.share_dialogues import code, initialize
from tests.node.observability.test_coordinator_metrics import exported
from tests.node.observability.test_topic_metrics import BAD_HEADER, CASES

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

WAIT_S = 60.0
GROUP = "sharers"
MEMBER = "ada"
LATE = ("kafka_server_replicamanager_partitionswithlatetransactionscount",)
DELAYED = f"{PURGATORY}_numdelayedoperations"
HOUR_MS = 3_600_000
CONFIGS: dict[str, dict[str, str]] = {
    "t": {"max.message.bytes": "2000"},
    "compacted": {"cleanup.policy": "compact"},
    "packed": {"compression.type": "gzip"},
    "segments": {"segment.bytes": "1048576", "max.message.bytes": "5000000"},
    "stamped": {"message.timestamp.type": "LogAppendTime"},
    "unpacked": {"compression.type": "uncompressed", "max.message.bytes": "500"},
    "recent": {"message.timestamp.before.max.ms": "1000"},
}
OVERRIDES = {
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.num.partitions": "1",
}

Numbers = dict[tuple[str, ...], float]


def batch(*values: bytes, key: bytes | None = b"k", age_ms: int = 0, **more: Any) -> bytes:
    """A batch of records of that age."""
    at_ms = int(time.time() * 1000) - age_ms
    return build_batch(
        [NewRecord(key, value) for value in values or (b"v",)], base_offset=0, timestamp_ms=at_ms, **more
    )


class Server:
    """A node and what its metrics say."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.ids: dict[str, bytes] = {}
        self.probe = Probe(node.bootstrap_server)
        self._before: Numbers = {}

    def close(self) -> None:
        """Close the connection."""
        self.probe.__exit__(None, None, None)

    def numbers(self) -> Numbers:
        """The metrics of topics, of what waits and of late transactions, by name and labels as ours has them."""
        if isinstance(self.node, MeasuredStockNode):
            found = {
                exported(*key): value
                for key, value in self.node.mbeans().items()
                if key[1] in ("Count", "Value")
                and any(
                    each in key[0] for each in ("type=BrokerTopicMetrics", "Purgatory", "LateTransactions")
                )
            }
        else:
            url = f"http://{self.node.properties['http.listener']}/metrics"
            with urllib.request.urlopen(url, timeout=WAIT_S) as page:
                families = text_string_to_metric_families(page.read().decode())
            found = {
                (sample.name, *sample.labels.values()): sample.value
                for family in families
                for sample in family.samples
                if sample.name.startswith((TOPICS, PURGATORY)) or sample.name == LATE[0]
            }
        for key in [each for each in found if each[0].startswith(TOPICS) and len(each) > 1]:
            if key[1].startswith("__"):
                found[key[:1]] -= found.pop(key)
        return found

    def settled(self) -> Numbers:
        """As `numbers`, once two looks see the same: a coordinator may write while the MBeans are read."""
        looks = [self.numbers()]

        def is_settled() -> bool:
            looks.append(self.numbers())
            return looks[-1] == looks[-2]

        wait_until(is_settled, WAIT_S, "numbers that do not change")
        return looks[-1]

    def changes(self) -> Numbers:
        """What was added to the metrics of topics since the last look."""
        before, self._before = self._before, self.settled()
        return {
            key: value - before.get(key, 0)
            for key, value in self._before.items()
            if key[0].startswith(TOPICS) and value != before.get(key, 0)
        }

    def ask(self, request: Message, version: int) -> Any:
        """The response; None if the node closed the connection."""
        try:
            return self.probe.ask(request, version)
        except ClosedByServerError:
            self.close()
            self.probe = Probe(self.node.bootstrap_server)
            return None

    def produce(self, *parts: tuple[str, int, bytes], acks: int = -1, version: int = 11, **more: Any) -> Any:
        """Send records of partitions."""
        kind = kafka.ProduceRequest
        topics = [
            kind.TopicProduceData(
                name=name,
                topic_id=self.ids.get(name, bytes(range(16))),
                partition_data=[kind.PartitionProduceData(index=index, records=records)],
            )
            for name, index, records in parts
        ]
        return self.ask(kind(acks=acks, timeout_ms=5_000, topic_data=topics, **more), version)

    def fetch_request(self, *parts: tuple[str, int, int], wait_ms: int = 0, **more: Any) -> Message:
        """A request for partitions from offsets on."""
        kind = kafka.FetchRequest
        topics = [
            kind.FetchTopic(
                topic=name,
                topic_id=self.ids.get(name, bytes(range(16))),
                partitions=[
                    kind.FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=1 << 20)
                ],
            )
            for name, index, offset in parts
        ]
        given = {"session_epoch": -1, "max_bytes": 1 << 20, **more}
        return kind(max_wait_ms=wait_ms, min_bytes=1, topics=topics, **given)

    def fetch(self, *parts: tuple[str, int, int], version: int = 16, **more: Any) -> Any:
        """Send such a request."""
        return self.ask(self.fetch_request(*parts, **more), version)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    """A node of Apache Kafka and one of ours, with the same topics."""
    listener = {"http.listener": f"127.0.0.1:{free_port()}"}
    stock = make_node(MeasuredStockNode, tmp_path_factory.mktemp("stock"), OVERRIDES)
    ours = make_node(OurNode, tmp_path_factory.mktemp("ours"), {**OVERRIDES, **listener})
    try:
        for node in (stock, ours):
            node.start()
        found = prepared(stock), prepared(ours)
        yield found
        for server in found:
            server.close()
    finally:
        for node in (stock, ours):
            node.close()


def prepared(node: Node) -> Server:
    """A node with topics and coordinators."""
    server = Server(node)
    kind = kafka.CreateTopicsRequest
    topics = [
        kind.CreatableTopic(
            name=name,
            num_partitions=2,
            replication_factor=1,
            configs=[kind.CreatableTopicConfig(name=key, value=value) for key, value in configs.items()],
        )
        for name, configs in {**CONFIGS, "deleted": {}}.items()
    ]
    created = server.ask(kind(topics=topics, timeout_ms=CREATE_TIMEOUT_MS), 7)
    assert {each.error_code for each in created.topics} == {0}
    server.ids = {each.name: each.topic_id for each in metadata(node).topics if each.name is not None}

    def is_ready() -> bool:
        found = server.fetch(*((name, index, 0) for name in (*CONFIGS, "deleted") for index in range(2)))
        keys = {0: "g", 1: "tx", 2: share_key(GROUP, server.ids["t"], 0)}
        coordinators = [
            server.ask(kafka.FindCoordinatorRequest(key_type=each, coordinator_keys=[key]), 6).coordinators[0]
            for each, key in keys.items()
        ]
        codes = [each.error_code for topic in found.responses for each in topic.partitions]
        return not any(codes) and not any(each.error_code for each in coordinators)

    wait_until(is_ready, WAIT_S, "leaders and coordinators")
    server.changes()
    return server


def the_same(servers: tuple[Server, Server], what: str) -> Numbers:
    """What a step added at both nodes."""
    stock, ours = (each.changes() for each in servers)
    assert ours == stock, what
    return stock


def test_records_count_the_same_in_each_case(servers: tuple[Server, Server]) -> None:
    for case, (topic, records, numbers, more) in CASES.items():
        for server in servers:
            server.produce((topic, 0, records))
        found = the_same(servers, case)
        keys = {(f"{TOPICS}_{name}_total", *rest) for name in numbers for rest in ((), (topic,))}
        assert set(found) == keys | {(f"{TOPICS}_{name}_total",) for (name,) in more}, case
    assert BAD_HEADER in [more for *_, more in CASES.values()]


def test_other_requests_of_producers_count_the_same(servers: tuple[Server, Server]) -> None:
    idempotent: dict[str, Any] = {"producer_id": 9_000, "producer_epoch": 0}
    fresh, later = batch(base_sequence=0, **idempotent), batch(base_sequence=9, **idempotent)
    sent, packed = batch(b"a", b"b"), batch(b"a", b"b", compression=1)
    parts: dict[str, tuple[tuple[str, int, bytes], ...]] = {
        "several": (("t", 0, sent), ("compacted", 1, sent), ("packed", 0, sent)),
        "a bad one beside a good one": (("t", 0, b""), ("t", 1, sent)),
        "as compressed as the topic": (("packed", 0, packed),),
        "stamped by the broker": (("stamped", 0, sent),),
        "idempotent": (("t", 0, fresh),),
        "repeated": (("t", 0, fresh),),
        "out of order": (("t", 0, later),),
        "too old": (("recent", 0, batch(b"a", age_ms=HOUR_MS)),),
        "too large once unpacked": (("unpacked", 0, batch(b"v" * 1_000, compression=1)),),
        "one without key": (
            (
                "compacted",
                0,
                build_batch([NewRecord(b"k", b"v"), NewRecord(None, b"v")], base_offset=0, timestamp_ms=1),
            ),
        ),
        "unknown topic": (("nobody", 0, sent),),
        "unknown partition": (("t", 9, sent),),
    }
    for what, each in parts.items():
        for server in servers:
            server.produce(*each)
        the_same(servers, what)
    for version in (3, 13):
        for server in servers:
            server.produce(("t", 0, batch(compression=4)), version=version)
        the_same(servers, f"zstd, version {version}")
    for server in servers:
        server.produce(("t", 0, sent), acks=7)
    assert the_same(servers, "acks that there are not") == {}


def test_fetches_count_the_same(servers: tuple[Server, Server]) -> None:
    sent = batch(b"a", b"b", b"c")
    for server in servers:
        for _ in range(2):
            assert server.produce(("stamped", 1, sent)).responses[0].partition_responses[0].error_code == 0
    the_same(servers, "records")
    cases: dict[str, tuple[tuple[str, int, int], ...]] = {
        "all": (("stamped", 1, 0),),
        "a part": (("stamped", 1, 3),),
        "the end": (("stamped", 1, 6),),
        "out of range": (("stamped", 1, 99),),
        "two": (("stamped", 1, 0), ("t", 1, 0)),
        "unknown topic": (("nobody", 0, 0),),
        "unknown partition": (("t", 9, 0), ("stamped", 1, 0)),
    }
    for what, parts in cases.items():
        for version in (12, 16):
            for server in servers:
                server.fetch(*parts, version=version)
            the_same(servers, f"{what}, version {version}")
    for server in servers:
        server.fetch(("stamped", 1, 6), wait_ms=200)
    assert the_same(servers, "a wait") != {}
    for server in servers:
        session = server.fetch(("stamped", 1, 6), ("recent", 1, 0), ("recent", 0, 0), session_epoch=0)
        for epoch in (1, 2, 3):
            server.fetch(session_id=session.session_id, session_epoch=epoch)
        server.fetch(session_id=session.session_id, session_epoch=77)
    found = the_same(servers, "a session")
    assert found[f"{TOPICS}_totalfetchrequests_total",] == 12


def test_a_fetch_waits_at_both(servers: tuple[Server, Server]) -> None:
    for server in servers:
        end = server.produce(("t", 0, batch())).responses[0].partition_responses[0].base_offset + 1
        with Probe(server.node.bootstrap_server) as waiting:
            waiting.send_request(server.fetch_request(("t", 0, end), wait_ms=20_000), 16)
            wait_until(
                lambda server=server: server.numbers()[DELAYED, "Fetch"] == 1,  # type: ignore[misc]
                WAIT_S,
                "a fetch that waits",
            )
            server.produce(("t", 0, batch(b"more")))
            waiting.receive_frame()
        assert server.numbers()[DELAYED, "Fetch"] == 0
    the_same(servers, "a fetch that got what it waited for")


def test_transactions_count_the_same_and_are_late_at_the_same_time(servers: tuple[Server, Server]) -> None:
    for server in servers:
        found: list[Any] = []

        def begins(server: Server = server, found: list[Any] = found) -> bool:
            found.append(
                server.ask(
                    kafka.InitProducerIdRequest(transactional_id="tx", transaction_timeout_ms=600_000), 4
                )
            )
            return not found[-1].error_code

        wait_until(begins, WAIT_S, "a producer id")
        producer: dict[str, Any] = {
            "producer_id": found[-1].producer_id,
            "producer_epoch": found[-1].producer_epoch,
        }
        late = []
        for sequence, minutes in enumerate((60, 19, 21)):
            records = batch(base_sequence=sequence, transactional=True, age_ms=minutes * 60_000, **producer)

            def writes(server: Server = server, records: bytes = records) -> bool:
                response = server.produce(("t", 1, records), version=12, transactional_id="tx")
                return not response.responses[0].partition_responses[0].error_code

            wait_until(writes, WAIT_S, "a record in a transaction")
            late.append(server.numbers()[LATE])
        assert late == [1, 0, 1]
        server.ask(kafka.EndTxnRequest(transactional_id="tx", committed=True, **producer), 4)
        wait_until(
            lambda server=server: server.numbers()[LATE] == 0,  # type: ignore[misc]
            WAIT_S,
            "the end of the transaction",
        )
    found_of_t = the_same(servers, "a transaction")
    # Three records and a marker.
    assert found_of_t[f"{TOPICS}_messagesin_total", "t"] == 4


def share_fetch(epoch: int, *names: str, **more: Any) -> Any:
    """Makes a request for partition 0 of topics."""
    kind = kafka.ShareFetchRequest
    given = {"max_wait_ms": 0, "max_bytes": 1 << 20, **more}

    def make(server: Server) -> Message:
        topics = [
            kind.FetchTopic(topic_id=server.ids[name], partitions=[kind.FetchPartition(partition_index=0)])
            for name in names
        ]
        return kind(
            group_id=GROUP,
            member_id=MEMBER,
            share_session_epoch=epoch,
            min_bytes=1,
            max_records=500,
            batch_size=500,
            topics=topics,
            **given,
        )

    return make


def acknowledge(epoch: int, *said: tuple[str, int, int]) -> Any:
    """Makes a request that accepts records: topic, partition and offset of each."""
    kind = kafka.ShareAcknowledgeRequest

    def make(server: Server) -> Message:
        topics = [
            kind.AcknowledgeTopic(
                topic_id=server.ids.get(name, bytes(range(16))),
                partitions=[
                    kind.AcknowledgePartition(
                        partition_index=index,
                        acknowledgement_batches=[
                            kind.AcknowledgementBatch(
                                first_offset=offset, last_offset=offset, acknowledge_types=[1]
                            )
                        ],
                    )
                ],
            )
            for name, index, offset in said
        ]
        return kind(group_id=GROUP, member_id=MEMBER, share_session_epoch=epoch, topics=topics)

    return make


def test_share_groups_count_the_same(servers: tuple[Server, Server]) -> None:
    for server in servers:
        for name in ("stamped", "recent"):
            server.produce((name, 0, batch(b"a", b"b", b"c")))
            response = server.ask(initialize(GROUP, server.ids[name], 0, 0), 0)
            assert code(response) == 0
    the_same(servers, "records")

    def both(what: str, make: Any, version: int = 1) -> Numbers:
        for server in servers:
            server.ask(make(server), version)
        return the_same(servers, what)

    both("a session begins", share_fetch(0, "stamped", max_wait_ms=5_000))
    both("with another topic", share_fetch(1, "recent", max_wait_ms=5_000))
    both("nothing is left", share_fetch(2))
    both("a wrong epoch", share_fetch(77))
    # Nobody has initialized its state.
    found = both("a topic without state", share_fetch(3, "packed", max_wait_ms=2_000))
    assert found[f"{TOPICS}_failedsharefetchrequests_total", "packed"] == 1
    both("two topics", acknowledge(4, ("stamped", 0, 0), ("recent", 0, 0)))
    both("what it does not have", acknowledge(5, ("stamped", 0, 99), ("recent", 0, 1)))
    both("what is nowhere", acknowledge(6, ("nobody", 0, 0), ("stamped", 9, 0)))
    both("what nobody has fetched", acknowledge(7, ("segments", 0, 0)))
    both("the end", share_fetch(-1))


def test_a_deleted_topic_has_no_series_at_both(servers: tuple[Server, Server]) -> None:
    for server in servers:
        server.produce(("deleted", 0, batch()))
        assert (f"{TOPICS}_bytesin_total", "deleted") in server.numbers()
        delete_topics(server.node, ["deleted"])
        wait_until(
            lambda server=server: not [key for key in server.numbers() if key[1:] == ("deleted",)],  # type: ignore[misc]
            WAIT_S,
            "the end of a topic's series",
        )
