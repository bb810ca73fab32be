"""Serves the requests between replicas of the quorum: passes a decoded message to the Raft core, and makes a response
of the core's answer.

The core decides on offsets and sizes only. The records and snapshot pieces that its answer names are read here, from
memory if they are at the log's end. Nothing here waits: each reply is resolved when its last part is there, and a long
poll delays only its own connection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from kafkaproto.message import Message
from kafkaproto.records.batch import iterate_batches
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.core.raft import wire
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    InboundRequest,
    LogRange,
    OutboundResponse,
    PendingFetchResponse,
    PendingFetchSnapshotResponse,
    SnapshotRange,
)
from kafkaproto_server.requests.context import NoResponse, RequestContext, Response
from kafkaproto_server.shell.quorum.metadata_log import MetadataLog
from kafkaproto_server.shell.quorum.snapshots.log_contents import snapshot_id_of
from kafkaproto_server.shell.storage.errors import OffsetOutOfRangeError

AskCore = Callable[[InboundRequest, str, Callable[[OutboundResponse], None]], str | None]
"""Pass a request that came in on a listener to the core; the function is called with the answer. If the node cannot
take more requests, the reason is returned, and there is no answer."""


class RaftService:
    """Serves the requests of other replicas, and of tools that change the voters."""

    def __init__(
        self,
        *,
        cluster_id: str,
        ask: AskCore,
        log: MetadataLog,
    ) -> None:
        self._cluster_id = cluster_id
        self._ask = ask
        self._log = log.storage.log
        self._snapshots = log.storage.snapshots
        self._tail = log.tail
        self._worker = log.worker

    def serve(self, message: Message, context: RequestContext) -> Deferred[Response]:
        """A promise of the response to a Raft request."""
        result: Deferred[Response] = Deferred()
        version = context.api_version
        # A request of another cluster is refused before the core sees it: it could name any epoch.
        request = wire.decode_request(message, version, cluster_id=self._cluster_id)
        # A response already: the request was for another log, or for another cluster.
        if isinstance(request, Message):
            result.resolve(request)
            return result

        def answered(answer: OutboundResponse) -> None:
            self._complete(answer, resolve)

        def resolve(answer: OutboundResponse, records: Sequence[Buffer]) -> None:
            try:
                response = wire.encode_response(message, version, answer, records)
            except Exception as error:
                # The core itself is not affected. Only this response cannot be made from its answer.
                result.fail(error)
            else:
                result.resolve(response)

        # No response instead of an error: the connection is closed, and the peer asks again later.
        turned_away = self._ask(request, context.listener_name, answered)
        if turned_away is not None:
            result.resolve(NoResponse(reason=turned_away))
        return result

    def _complete(
        self, response: OutboundResponse, done: Callable[[OutboundResponse, Sequence[Buffer]], None]
    ) -> None:
        """Read the data that the answer names. ``done`` is called with the answer and the bytes, or with another answer
        if the data is gone."""
        if isinstance(response, PendingFetchResponse) and response.read is not None:
            wanted = response.read
            # Nearly always: who follows has all but the newest batches.
            batches = self._tail.read(wanted.offset, wanted.end_offset, wanted.max_bytes)
            if batches is not None:
                done(response, [batch.payload for batch in batches])
                return
            self._worker.call(
                partial(self._read_log, wanted),
                # The log cleaner has deleted it. A response without records makes the replica fetch again, and the
                # leader then refers it to a snapshot.
                lambda records: (
                    done(response, records)
                    if records
                    else done(msgspec.structs.replace(response, read=None), [])
                ),
            )
        elif isinstance(response, PendingFetchSnapshotResponse) and response.read is not None:
            # The cleaner may delete it between the core's answer and the read; the follower then
            # asks for the newest one.
            gone = msgspec.structs.replace(response, error=RaftError.SNAPSHOT_NOT_FOUND, read=None)
            self._worker.call(
                partial(self._read_snapshot, response.read),
                lambda data: done(gone, []) if data is None else done(response, [data]),
            )
        else:
            done(response, [])

    # -- in the worker's thread ----------------------------------------------------------------------------------

    def _read_log(self, wanted: LogRange) -> list[Buffer]:
        """Whole batches of a range; none if the log starts later by now."""
        try:
            data = self._log.read(wanted.offset, wanted.max_bytes)
        except OffsetOutOfRangeError:
            return []
        # Nothing, unless at least one whole batch lies before the end that the core allows.
        end = 0
        for batch in iterate_batches(data):
            # The core bounds what may be sent. The file may hold more by now.
            if batch.next_offset > wanted.end_offset:
                break
            end = batch.position + batch.size_in_bytes
        # A view, because the answer may be a megabyte and is copied by nobody.
        return [memoryview(data)[:end]] if end else []

    def _read_snapshot(self, wanted: SnapshotRange) -> bytes | None:
        try:
            return self._snapshots.read_at(snapshot_id_of(wanted.snapshot), wanted.position, wanted.length)
        except FileNotFoundError:
            return None
