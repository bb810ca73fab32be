"""The work of a transactional producer: read records of the partitions that its member has, write one result for each,
and commit both the results and the offsets in one transaction.

Some begin transactions by asking the coordinator, as clients did before transaction.version 2 (KIP-890), and some leave
that to the leaders of partitions. A producer that is refused, or that does not know what has become of something,
begins anew with InitProducerId, which aborts what it has left open.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    EndTxnRequest,
    FetchRequest,
    InitProducerIdRequest,
    ProduceRequest,
    TxnOffsetCommitRequest,
)
from kafkaproto.records.batch import NewRecord, build_batch, iterate_batches
from tests.sim.nodes.coordination.client import GROUP, LOOK_AGAIN, TRANSACTION, CoordinatedClient
from tests.sim.nodes.coordination.offsets import Commit
from tests.sim.nodes.coordination.promises import GroupPromises, Transaction, TransactionPromises
from tests.sim.nodes.coordination.work import NO_MEMBER, Identity, Work
from tests.sim.nodes.data.consumers import CATCHING_UP_BYTES, pieces
from tests.sim.nodes.data.link import LinkLostError, Place

TRANSACTION_TIMEOUT_S = 5.0
TRIES = 6
_FENCED = frozenset(
    {
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.PRODUCER_FENCED,
        ErrorCode.INVALID_PRODUCER_ID_MAPPING,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.TRANSACTION_ABORTABLE,
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.UNKNOWN_PRODUCER_ID,
    }
)
"""The transaction is not this producer's any more, or cannot be committed."""
_RETRIED = LOOK_AGAIN | {
    ErrorCode.CONCURRENT_TRANSACTIONS,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ErrorCode.KAFKA_STORAGE_ERROR,
    ErrorCode.NETWORK_EXCEPTION,
}
_LOOK_FOR_LEADER = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
    }
)
_MOST_RECORDS = 12


class RefusedError(Exception):
    """The producer has to begin anew."""


class NoMemberError(RefusedError):
    """The group has moved on without the member."""


class ReadProcessWrite(Work):
    """See the module."""

    def __init__(
        self,
        client: CoordinatedClient,
        group: GroupPromises,
        rng: random.Random,
        promises: TransactionPromises,
        results: Sequence[Place],
        *,
        transactional_id: str,
        adds_itself: bool,
        keeps_id: bool = False,
    ) -> None:
        """``results`` are the partitions to write to. ``adds_itself``: it works as older clients do. ``keeps_id``: if
        it begins anew, it may ask for the next epoch of its producer id."""
        super().__init__(client, group, rng)
        self._promises = promises
        self._results = results
        self._transactional_id = transactional_id
        self._adds_itself = adds_itself
        self._keeps_id = keeps_id
        self._producer: tuple[int, int] | None = None
        self._former: tuple[int, int] | None = None
        """What it had before it gave up."""
        self._instance = ""
        self._instances = 0
        self._sequences: dict[Place, int] = {}
        self._said = "has not begun"

    @property
    def state(self) -> str:
        """See `Work`."""
        return f"{self._transactional_id} of {self.client.name} {self._said}"

    def crash(self) -> None:
        """See `Work`."""
        super().crash()
        self._producer = None

    async def step(self, who: Identity, places: frozenset[Place]) -> bool:
        """See `Work`."""
        try:
            if self._producer is None:
                await self._init()
            elif places - self.positions.keys():
                self._said = f"lacks offsets of {sorted(places - self.positions.keys())}"
                return await self.fetch_positions(who, places, is_stable=True)
            else:
                await self._process_some(who, places)
        except NoMemberError:
            self._give_up()
            return False
        except RefusedError:
            self._give_up()
        except LinkLostError:
            self._give_up()
            raise
        return True

    def _give_up(self) -> None:
        self._former, self._producer = self._producer, None
        self.forget()

    async def leave_open(self) -> bool:
        """Write to all partitions in a transaction that nobody will end. Returns whether that was done."""
        try:
            if self._producer is None:
                await self._init()
            if self._producer is not None:
                transaction = self._promises.begin(self._transactional_id, self._instance)
                await self._write(transaction, {place: [0] for place in self._results})
                return True
        except (RefusedError, LinkLostError):
            self._give_up()
        await self._pause()
        return False

    # -- requests ------------------------------------------------------------------------------------------------

    async def _ask(self, key_type: int, request: Message, version: int) -> Any:
        key = self._transactional_id if key_type == TRANSACTION else self.group.group_id
        return await self.client.ask_coordinator(key_type, key, request, version=version)

    async def _pause(self) -> None:
        await trio.sleep(self.rng.uniform(0.02, 0.2))

    def _check(self, what: str, code: ErrorCode, key_type: int | None = None) -> bool:
        """Whether a request has done what it should; False if it is to be sent again. Raises RefusedError."""
        if code is ErrorCode.NONE:
            return True
        self._said = f"was told {code.name} by {what}"
        if code in LOOK_AGAIN and key_type is not None:
            key = self._transactional_id if key_type == TRANSACTION else self.group.group_id
            self.client.forget(key_type, key)
        if code in NO_MEMBER:
            raise NoMemberError
        if code in _FENCED:
            self._promises.counts[f"{code.name} to {what}"] += 1
            raise RefusedError
        if code not in _RETRIED:
            self._promises.unexpected(self._transactional_id, f"{what}: {code.name}")
        return False

    async def _init(self) -> None:
        request = InitProducerIdRequest(
            transactional_id=self._transactional_id,
            transaction_timeout_ms=int(TRANSACTION_TIMEOUT_S * 1000),
        )
        if self._keeps_id and self._former is not None:
            request.producer_id, request.producer_epoch = self._former
        response = await self._ask(TRANSACTION, request, 5)
        if not self._check("InitProducerId", ErrorCode(response.error_code), TRANSACTION):
            return
        self._producer, self._former = (response.producer_id, response.producer_epoch), None
        self._sequences.clear()
        self._instances += 1
        self._instance = f"{self.client.name}#{self._instances}"
        self._promises.initialized(self._transactional_id, self._instance)

    async def _read(self, place: Place) -> list[int] | None:
        """The offsets of records from the position on; None if nobody can be asked now."""
        leader, _ = self.client.view.leaders.get(place, (-1, -1))
        if leader < 0:
            await self.client.learn(sorted({name for name, _ in (*self._results, place)}))
            return None
        most_bytes = CATCHING_UP_BYTES if self.is_calm else 3000
        request = FetchRequest(
            max_wait_ms=0,
            min_bytes=0,
            max_bytes=most_bytes,
            topics=[
                FetchRequest.FetchTopic(
                    topic_id=self.client.view.topic_ids[place[0]],
                    partitions=[
                        FetchRequest.FetchPartition(
                            partition=place[1],
                            fetch_offset=self.positions[place],
                            partition_max_bytes=most_bytes,
                        )
                    ],
                )
            ],
        )
        response = await self.client.ask(self.client.host(leader), request)
        (data,) = (each for topic in response.responses for each in topic.partitions)
        if data.error_code:
            code = ErrorCode(data.error_code)
            self.client.view.leaders.pop(place)
            self._said = f"cannot read {place}: {code.name}"
            if code not in _LOOK_FOR_LEADER:
                self._promises.unexpected(self._transactional_id, self._said)
            return None
        position = self.positions[place]
        found = [
            record.offset
            for batch in iterate_batches(b"".join(pieces(data)))
            for record in batch.records()
            if record.offset >= position
        ]
        return found if self.is_calm else found[: self.rng.randint(1, _MOST_RECORDS)]

    # -- one transaction -----------------------------------------------------------------------------------------

    async def _process_some(self, who: Identity, places: frozenset[Place]) -> None:
        ready = sorted(places)
        if not self.is_calm:
            ready = [each for each in ready if self.rng.random() < 0.7]
        offsets: dict[Place, list[int]] = {}
        for place in ready:
            found = await self._read(place)
            if found is None:
                return
            if found:
                offsets[place] = found
        if not offsets:
            self._said = "is idle"
            return
        self._said = "works"
        transaction = self._promises.begin(self._transactional_id, self._instance)
        await self._write(transaction, offsets)
        if not self.is_calm and self.rng.random() < 0.04:
            # Others may take over meanwhile, and its time runs out.
            self._promises.counts["transactions left open"] += 1
            await trio.sleep(self.rng.uniform(0.2, 1.6) * TRANSACTION_TIMEOUT_S)
        await self._send_offsets(who, {place: each[-1] + 1 for place, each in offsets.items()})
        if not self.is_calm and self.rng.random() < 0.2:
            await self._abort(transaction)
        else:
            await self._commit(transaction, {place: each[-1] + 1 for place, each in offsets.items()})

    async def _write(self, transaction: Transaction, offsets: dict[Place, list[int]]) -> None:
        batches: dict[Place, list[bytes]] = {}
        for (name, index), each in offsets.items():
            for offset in each:
                result = (
                    self.rng.choice(self._results) if (name, index) not in self._results else (name, index)
                )
                value = f"{transaction.name} {name}-{index} {offset} of {self._transactional_id}".split()
                text = " ".join((*value[:3], value[4])).encode()
                batches.setdefault(result, []).append(text)
        if self._adds_itself:
            await self._add_partitions(sorted(batches))
        for place, values in batches.items():
            await self._produce(place, values)
            transaction.values.update(dict.fromkeys(values, place))

    async def _add_partitions(self, places: Sequence[Place]) -> None:
        producer_id, epoch = self._identity
        topics: dict[str, list[int]] = {}
        for name, index in places:
            topics.setdefault(name, []).append(index)
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self._transactional_id,
            v3_and_below_producer_id=producer_id,
            v3_and_below_producer_epoch=epoch,
            v3_and_below_topics=[
                AddPartitionsToTxnRequest.AddPartitionsToTxnTopic(name=name, partitions=indexes)
                for name, indexes in topics.items()
            ],
        )
        for _ in range(TRIES):
            response = await self._ask(TRANSACTION, request, 3)
            codes = {
                ErrorCode(each.partition_error_code)
                for topic in response.results_by_topic_v3_and_below
                for each in topic.results_by_partition
            }
            if all(self._check("AddPartitionsToTxn", code, TRANSACTION) for code in sorted(codes)):
                return
            await self._pause()
        raise RefusedError

    @property
    def _identity(self) -> tuple[int, int]:
        assert self._producer is not None, "it has begun"
        return self._producer

    async def _produce(self, place: Place, values: list[bytes]) -> None:
        producer_id, epoch = self._identity
        sequence = self._sequences.get(place, 0)
        data = build_batch(
            [NewRecord(key=None, value=value) for value in values],
            base_offset=0,
            timestamp_ms=round(trio.current_time() * 1000) + 1_800_000_000_000,
            transactional=True,
            producer_id=producer_id,
            producer_epoch=epoch,
            base_sequence=sequence,
        )
        partition = ProduceRequest.PartitionProduceData(index=place[1], records=data)
        request = ProduceRequest(
            transactional_id=self._transactional_id,
            acks=-1,
            timeout_ms=2000,
            topic_data=[ProduceRequest.TopicProduceData(name=place[0], partition_data=[partition])],
        )
        for _ in range(TRIES):
            leader, _ = self.client.view.leaders.get(place, (-1, -1))
            if leader < 0:
                await self.client.learn([place[0]])
                await self._pause()
                continue
            response = await self.client.ask(
                self.client.host(leader), request, version=11 if self._adds_itself else 12
            )
            (result,) = (each for topic in response.responses for each in topic.partition_responses)
            code = ErrorCode(result.error_code)
            if self._check("Produce", code):
                self._sequences[place] = sequence + len(values)
                return
            if code in _LOOK_FOR_LEADER:
                self.client.view.leaders.pop(place, None)
            await self._pause()
        raise RefusedError

    async def _send_offsets(self, who: Identity, positions: dict[Place, int]) -> None:
        producer_id, epoch = self._identity
        if self._adds_itself:
            added = AddOffsetsToTxnRequest(
                transactional_id=self._transactional_id,
                producer_id=producer_id,
                producer_epoch=epoch,
                group_id=self.group.group_id,
            )
            for _ in range(TRIES):
                response = await self._ask(TRANSACTION, added, 3)
                if self._check("AddOffsetsToTxn", ErrorCode(response.error_code), TRANSACTION):
                    break
                await self._pause()
            else:
                raise RefusedError
        topics: dict[str, TxnOffsetCommitRequest.Topic] = {}
        self._pending: dict[Place, Commit] = {}
        for (name, index), offset in positions.items():
            topic = topics.setdefault(name, TxnOffsetCommitRequest.Topic(name=name, partitions=[]))
            # It counts from the commit of the transaction on, if at all.
            commit = self.group.begin_commit((name, index), offset, self.metadata())
            commit.is_refused = True
            self._pending[name, index] = commit
            topic.partitions.append(
                TxnOffsetCommitRequest.Partition(
                    partition_index=index, committed_offset=offset, committed_metadata=commit.metadata
                )
            )
        request = TxnOffsetCommitRequest(
            transactional_id=self._transactional_id,
            group_id=self.group.group_id,
            producer_id=producer_id,
            producer_epoch=epoch,
            generation_id_or_member_epoch=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
            topics=list(topics.values()),
        )
        for _ in range(TRIES):
            response = await self._ask(GROUP, request, 4 if self._adds_itself else 5)
            codes = {ErrorCode(each.error_code) for topic in response.topics for each in topic.partitions}
            if all(self._check("TxnOffsetCommit", code, GROUP) for code in sorted(codes)):
                return
            await self._pause()
        raise RefusedError

    async def _end(self, transaction: Transaction, *, is_commit: bool) -> bool:
        """End the transaction; whether that is certain. Raises RefusedError and LinkLostError."""
        producer_id, epoch = self._identity
        request = EndTxnRequest(
            transactional_id=self._transactional_id,
            producer_id=producer_id,
            producer_epoch=epoch,
            committed=is_commit,
        )
        for number in range(TRIES):
            try:
                response = await self._ask(TRANSACTION, request, 4 if self._adds_itself else 5)
                if self._check("EndTxn", ErrorCode(response.error_code), TRANSACTION):
                    break
            except RefusedError:
                if number == 0:
                    self._promises.aborted(transaction)
                raise
            except LinkLostError:
                pass
            await self._pause()
        else:
            return False
        if not self._adds_itself:
            self._producer = (response.producer_id, response.producer_epoch)
            self._sequences.clear()
        return True

    async def _abort(self, transaction: Transaction) -> None:
        if not await self._end(transaction, is_commit=False):
            raise RefusedError
        self._promises.aborted(transaction)
        self.forget()

    async def _commit(self, transaction: Transaction, positions: dict[Place, int]) -> None:
        self._promises.commits(transaction)
        for commit in self._pending.values():
            commit.is_refused, commit.sent = False, trio.current_time()
        try:
            is_certain = await self._end(transaction, is_commit=True)
        except RefusedError:
            for commit in self._pending.values():
                commit.is_refused = transaction.is_aborted
            raise
        if not is_certain:
            raise RefusedError
        self._promises.committed(transaction)
        for place, commit in self._pending.items():
            self.group.acknowledged(commit)
            self.positions[place] = positions[place]
