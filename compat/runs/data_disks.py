"""The topics of a stopped Apache Kafka node go on under ours, and back: records, producers and transactions.

One node with both roles and two log directories changes between the two servers, after SIGTERM or after kill -9.
Each one has to tell its clients just what the one before told them: every byte of the logs, which records are
committed, the last sequences of idempotent producers, open transactions, and the offsets at any time. An account of
what was acknowledged watches both. Then each one writes more for the next: ours ends one of the open transactions with
`kafka-transactions abort`, and rolls segments; Apache Kafka resumes the transactional producer, whose state lies in
`__transaction_state`, which ours only hosts.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from confluent_kafka import Producer

from compat.cluster import wait_until_whole
from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node, combined_properties
from compat.ours import OurNode
from compat.process import wait_until
from compat.quorum import CLUSTER_ID, connect
from compat.runs.disks import ENDS, SOLE, check_no_faults, taken_over
from compat.runs.mixed import IMPLEMENTATIONS
from compat.runs.telling import Tell
from compat.sequences import SequencedProducer
from compat.topic_logs import check_files, has_checkpointed, replica_folders
from compat.topic_state import (
    TIMEOUT_MS,
    PartitionState,
    Place,
    StateError,
    partition_state,
    read_committed,
    wait_until_led,
)
from compat.written import Account, Transaction
from kafkaproto.messages import DeleteRecordsRequest, DeleteRecordsResponse

KINDS = (StockNode.kind, OurNode.kind, StockNode.kind, OurNode.kind)
"""Who has the directory, in turn."""
PLAIN, TRANSACTIONS, COMPACTED, BUMPED = "plain", "transactions", "compacted", "bumped"
PARTITIONS = {PLAIN: 2, TRANSACTIONS: 2, COMPACTED: 1, BUMPED: 1}
PLACES = [(topic, index) for topic, count in PARTITIONS.items() for index in range(count)]
TRANSACTION_STATE = "__transaction_state"
COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
SEGMENT_BYTES = 1 << 20
"""The least that Apache Kafka takes."""
VALUE_BYTES = 20_000
BATCH_BYTES = 100_000
PER_COMPRESSION = 12
"""Records; all compressions together are more than a segment."""
PER_TRANSACTION = 6
ENDED = 8
"""Transactions that are committed and aborted in turn, before one stays open; they are more than a segment."""
KEYS = 5
PER_KEY = 24
"""Records; those of all keys are more than two segments."""
TRANSACTION_TIMEOUT_MS = 600_000
"""A transaction stays open for as long as the run takes."""
END_S = 60.0
"""For a coordinator to end a transaction."""
AGE_MS = 3_600_000
"""Of the first record: less than what makes a server forget a producer."""
TIMES_STEP = 5
"""Of each so many records' timestamps, one is looked for."""
CLEAN_S = 60.0
CHECKPOINT_S = 30.0
PROPERTIES = {
    **SOLE,
    "log.cleaner.backoff.ms": "200",
    "log.initial.task.delay.ms": "500",
    "log.flush.start.offset.checkpoint.interval.ms": "500",
    "replica.high.watermark.checkpoint.interval.ms": "500",
    # Fewer directories to open at each start.
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "2",
}
CLIENT: dict[str, str | bool | int] = {
    "linger.ms": 5,
    "batch.size": BATCH_BYTES,
    "socket.nagle.disable": True,
    "log_level": 0,
}
CONFIGS = ("--config", f"segment.bytes={SEGMENT_BYTES}", "--config", "retention.ms=-1")
COMPACT = ("--config", "cleanup.policy=compact", "--config", "min.cleanable.dirty.ratio=0.01")


class DataDisksError(Exception):
    """A node tells something else of a log than the one before, or a file is missing; the text says what."""


@dataclass(slots=True, kw_only=True)
class DataDisksResult:
    """What happened in a run."""

    handed_over: list[str] = field(default_factory=list)
    """Each as the server that was ended, how, and the server that took over."""
    records: int = 0
    """Acknowledged, and told by each server alike."""
    states_compared: int = 0
    """Of partitions, before and after a change of servers."""


class _TransactionalClient:
    """A producer with a transactional id, and the account of what it writes."""

    def __init__(self, node: Node, name: str, account: Account) -> None:
        """Its coordinator ends what a former producer of the same id left open."""
        self._account = account
        self._producer = Producer(
            {
                "bootstrap.servers": node.bootstrap_server,
                "transactional.id": name,
                "transaction.timeout.ms": TRANSACTION_TIMEOUT_MS,
                **CLIENT,
            }
        )
        self._producer.init_transactions(END_S)

    def begin(self, values: random.Random) -> Transaction:
        """A transaction with records in every partition, all acknowledged."""
        transaction = Transaction()
        self._producer.begin_transaction()
        for number in range(PER_TRANSACTION * PARTITIONS[TRANSACTIONS]):
            place = (TRANSACTIONS, number % PARTITIONS[TRANSACTIONS])
            value = values.randbytes(VALUE_BYTES)
            self._account.send(self._producer, place, value, transaction=transaction)
        self._account.flush(self._producer)
        return transaction

    def end(self, transaction: Transaction, *, is_committed: bool) -> None:
        """Ends it as its client wants."""
        end = self._producer.commit_transaction if is_committed else self._producer.abort_transaction
        end(END_S)
        transaction.end(is_committed=is_committed)


class DataDisks:
    """One node, whose directories change hands, and the account of what it was given."""

    def __init__(self, folder: Path, ends: Sequence[str], tell: Tell) -> None:
        """Nothing runs yet. `ends` are three keys of `ENDS`: how each server but the last is ended."""
        self._folder = folder
        self._ends = ends
        self._notify = tell
        self._account = Account(int(time.time() * 1000) - AGE_MS)
        self._values = random.Random(",".join(ends))
        self._open = Transaction()
        self._segments: dict[Place, set[str]] = {}
        self.outcome = DataDisksResult()

    def run(self) -> None:
        """Apache Kafka writes, then each server in turn takes over, checks and writes more.

        Raises DataDisksError, StateError, AccountError, SequenceError, LogsDifferError, ToolFailedError and
        WaitedTooLongError.
        """
        data = ",".join(str(self._folder / f"data-{number}") for number in (1, 2))
        properties = {**combined_properties(self._folder), **PROPERTIES, "log.dirs": data}
        node = IMPLEMENTATIONS[KINDS[0]](self._folder, properties)
        node.format(CLUSTER_ID)
        with ExitStack() as stack:
            stack.callback(node.close)
            node.start()
            sequenced = self._prepare(node)
            states = self._look(node)
            self._wait_until_checkpointed(node, states)
            for number, (how, kind) in enumerate(zip(self._ends, KINDS[1:], strict=True), 1):
                self._end(node, how)
                ended, node = node.kind, taken_over(node, IMPLEMENTATIONS[kind])
                stack.callback(node.close)
                node.start()
                self._wait_until_led(node)
                self._compare(states, self._look(node))
                self.outcome.handed_over.append(f"{ended}, {how}, {kind}")
                sequenced.resume(node)
                if number == 1:
                    self._abort_by_tool(node)
                if kind == StockNode.kind:
                    self._resume_transactions(node)
                self._write_segments(node)
                states = self._look(node)
                self._notify(f"{self.outcome.handed_over[-1]}: all is told alike, and more is written")
            # The dump tool has the last word.
            self._end(node, "SIGTERM")
        self.outcome.records = sum(map(len, self._account.records.values()))
        check_no_faults(self._folder)

    # What is written.

    def _prepare(self, node: Node) -> SequencedProducer:
        """All that Apache Kafka leaves behind."""
        for topic, count in PARTITIONS.items():
            more = COMPACT if topic == COMPACTED else ()
            run_tool(
                "kafka-topics", "--bootstrap-server", node.bootstrap_server, "--create", "--topic", topic,
                "--partitions", str(count), "--replication-factor", "1", *CONFIGS, *more,
            ).output()  # fmt: skip
        self._wait_until_led(node)
        sequenced = SequencedProducer(node, (PLAIN, 0), self._account)
        for _ in range(2):
            sequenced.write(node)
        self._write_plain(node)
        sequenced.write(node)
        self._write_compacted(node)
        self._write_transactions(node)
        self._write_bumped(node)
        self._check_rolled(node)
        self._delete_records(node)
        suffixes = {
            path.suffix
            for topic in PARTITIONS
            for each in replica_folders(node, topic)
            for path in each.iterdir()
        }
        if missing := {".index", ".timeindex", ".snapshot", ".txnindex"} - suffixes:
            raise DataDisksError(f"{node.kind} has no {', '.join(sorted(missing))}")
        return sequenced

    def _wait_until_led(self, node: Node) -> None:
        wait_until_whole([node], PARTITIONS)
        wait_until_led(node, PLACES)

    def _producer(self, node: Node, compression: str = "none") -> Producer:
        """An idempotent one if it does not compress. Others are not, since it takes time to get a producer id."""
        return Producer(
            {
                "bootstrap.servers": node.bootstrap_server,
                "enable.idempotence": compression == "none",
                "compression.type": compression,
                **CLIENT,
            }
        )

    def _write_plain(self, node: Node) -> None:
        for compression in COMPRESSIONS:
            producer = self._producer(node, compression)
            for number in range(PER_COMPRESSION * PARTITIONS[PLAIN]):
                # The zeros are what a compression is for.
                value = self._values.randbytes(VALUE_BYTES) + bytes(VALUE_BYTES // 4)
                self._account.send(producer, (PLAIN, number % PARTITIONS[PLAIN]), value)
            self._account.flush(producer)

    def _delete_records(self, node: Node) -> None:
        """Of the second plain partition, up to the middle of its first segment."""
        topic, index = place = (PLAIN, 1)
        start = PER_COMPRESSION // 2
        partition = DeleteRecordsRequest.DeleteRecordsPartition(partition_index=index, offset=start)
        wanted = DeleteRecordsRequest.DeleteRecordsTopic(name=topic, partitions=[partition])
        with connect(node.bootstrap_server, timeout_ms=TIMEOUT_MS) as client:
            response = client.send(DeleteRecordsRequest(topics=[wanted], timeout_ms=TIMEOUT_MS))
        assert isinstance(response, DeleteRecordsResponse)
        if (told := response.topics[0].partitions[0].low_watermark) != start:
            raise DataDisksError(f"{place}: {node.kind} has deleted records up to {told}")
        self._account.delete(place, start)

    def _write_compacted(self, node: Node) -> None:
        before = self._removed(node)
        producer = self._producer(node)
        for number in range(KEYS * PER_KEY):
            value = self._values.randbytes(VALUE_BYTES)
            self._account.send(producer, (COMPACTED, 0), value, key=b"%d" % (number % KEYS))
        self._account.flush(producer)
        wait_until(lambda: self._removed(node) > before, CLEAN_S, f"{node.kind} to compact")

    def _removed(self, node: Node) -> int:
        place = (COMPACTED, 0)
        return self._account.check_compacted(place, partition_state(node, place, ()))

    def _write_transactions(self, node: Node) -> None:
        """Committed and aborted ones, one that stays open, and what waits behind it."""
        plain = self._producer(node)
        client = _TransactionalClient(node, "resumed", self._account)
        for number in range(ENDED):
            self._write_between(plain)
            client.end(client.begin(self._values), is_committed=number % 2 == 0)
        self._write_between(plain)
        self._open = client.begin(self._values)
        self._write_between(plain)
        other = _TransactionalClient(node, "other", self._account)
        for is_committed in (True, False):
            other.end(other.begin(self._values), is_committed=is_committed)
        self._write_between(plain)

    def _write_bumped(self, node: Node) -> None:
        """Transactions of the Java client, each of which raises the producer's epoch (KIP-890), unlike librdkafka's."""
        run_tool(
            "kafka-producer-perf-test", "--bootstrap-server", node.bootstrap_server, "--topic", BUMPED,
            "--num-records", "400", "--record-size", "1000", "--throughput", "800",
            "--transactional-id", BUMPED, "--transaction-duration-ms", "100",
        ).output()  # fmt: skip
        state = partition_state(node, (BUMPED, 0), ())
        if max(each[1] for each in state.producers) < 1:
            raise DataDisksError(f"{BUMPED}: no epoch was raised: {sorted(state.producers)}")

    def _write_between(self, producer: Producer) -> None:
        for index in range(PARTITIONS[TRANSACTIONS]):
            self._account.send(producer, (TRANSACTIONS, index), self._values.randbytes(100))
        self._account.flush(producer)

    def _write_segments(self, node: Node) -> None:
        """Enough for the next segment of each log."""
        self._segments = self._segments_of(node)
        self._write_plain(node)
        self._write_compacted(node)
        producer = self._producer(node)
        for _ in range(SEGMENT_BYTES // VALUE_BYTES):
            for index in range(PARTITIONS[TRANSACTIONS]):
                value = self._values.randbytes(VALUE_BYTES)
                self._account.send(producer, (TRANSACTIONS, index), value)
        self._account.flush(producer)
        self._check_rolled(node)

    # What becomes of the open transaction.

    def _abort_by_tool(self, node: Node) -> None:
        """Ends it in the first partition, as an administrator does who found it hanging.

        `kafka-transactions find-hanging` cannot find it: it asks for ListTransactions, which ours does not support yet.
        """
        place = (TRANSACTIONS, 0)
        first = self._account.first_open(place)
        run_tool(
            "kafka-transactions", "--bootstrap-server", node.bootstrap_server, "abort", "--topic", place[0],
            "--partition", str(place[1]), "--start-offset", str(first),
        ).output()  # fmt: skip
        self._open.open_in.remove(place)
        self._look(node)

    def _resume_transactions(self, node: Node) -> None:
        """The transactional producer comes back, which ends what it had left open, and has two more transactions."""
        client = _TransactionalClient(node, "resumed", self._account)
        self._open.end()
        self._look(node)
        for is_committed in (True, False):
            client.end(client.begin(self._values), is_committed=is_committed)
        self._write_bumped(node)

    # What is checked.

    def _look(self, node: Node) -> dict[Place, PartitionState]:
        """What the node tells of each partition, which has to agree with the account."""
        states = {}
        for place in PLACES:
            state = states[place] = partition_state(node, place, self._times_ms(place))
            if place[0] == BUMPED:
                # All of it is committed, and its tool tells nobody what it wrote.
                self._account.take_all(place, state)
            if place[0] == COMPACTED:
                self._account.check_compacted(place, state)
            else:
                self._account.check_all(place, state)
        whole = [place for place in PLACES if place[0] != COMPACTED]
        for place, (found, end) in read_committed(node, whole).items():
            self._account.check_committed(place, found, end)
            if end != states[place].last_stable_offset:
                raise DataDisksError(f"{place}: consumers end at {end} of {states[place].last_stable_offset}")
        return states

    def _times_ms(self, place: Place) -> list[int]:
        """Some times of records, and those between and behind records, at which the node is asked for offsets."""
        times_ms = self._account.times_ms[place]
        return [*times_ms[::TIMES_STEP], *(times_ms[-1] + more for more in (-1, 0, 1))] if times_ms else []

    def _compare(self, before: Mapping[Place, PartitionState], after: Mapping[Place, PartitionState]) -> None:
        for place, state in before.items():
            # The cleaner may have gone on since; the account has looked at those records.
            if place[0] == COMPACTED:
                continue
            if differences := state.differences(after[place]):
                raise StateError("\n".join([f"{place} is not told as before:", *differences]))
            self.outcome.states_compared += 1

    def _segments_of(self, node: Node) -> dict[Place, set[str]]:
        return {
            (topic, index): {path.name for path in each.glob("*.log")}
            for topic in (PLAIN, TRANSACTIONS, COMPACTED)
            for index, each in enumerate(replica_folders(node, topic))
        }

    def _check_rolled(self, node: Node) -> None:
        found = self._segments_of(node)
        for place, names in found.items():
            if len(names - self._segments.get(place, set())) < 1 or len(names) < 2:
                raise DataDisksError(f"{place}: {node.kind} has begun no segment: {sorted(names)}")
        self._segments = found

    def _wait_until_checkpointed(self, node: Node, states: Mapping[Place, PartitionState]) -> None:
        """Until the files have the log starts, which kill -9 loses otherwise, and the high watermarks.

        With these, the next server finds the ends of transactions, and a high watermark that has passed them already.
        Later servers are ended before they have written the file again, so the one after them finds an older one.
        """
        ends = {f"{topic} {index} {state.high_watermark}" for (topic, index), state in states.items()}
        starts = {
            f"{topic} {index} {state.log_start_offset}"
            for (topic, index), state in states.items()
            if state.log_start_offset
        }
        for name, lines in (("replication-offset-checkpoint", ends), ("log-start-offset-checkpoint", starts)):
            is_written = partial(has_checkpointed, node, name, lines)
            wait_until(is_written, CHECKPOINT_S, f"{node.kind} to write {name}")

    def _end(self, node: Node, how: str) -> None:
        """Ends a server, and has the dump tool look at its files if it closed them."""
        ENDS[how](node)
        if how == "SIGTERM":
            check_files(node, *PARTITIONS, TRANSACTION_STATE)


def run(folder: Path, *, tell: Tell) -> list[DataDisksResult]:
    """Once with every server ended by SIGTERM, once with kill -9; raises as `DataDisks.run` does."""
    results = []
    for number, how in enumerate(ENDS, 1):
        disks = DataDisks(folder / f"round-{number}", [how] * (len(KINDS) - 1), tell)
        disks.run()
        results.append(disks.outcome)
    return results
